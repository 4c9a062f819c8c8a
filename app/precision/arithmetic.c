/* Arithmetic in a low format: binary64 does the operation, one rounding brings it back. Called by every experiment.
 * Proof: tests/unit/precision/test_arithmetic.c. */
#include <math.h>

#include "precision_private.h"

struct arithmetic arithmetic_of(const struct precision_options *o) {
    return (struct arithmetic){o->type, {NUM_MODE_NEAREST, o->overflow, 0}, 0};
}

struct arithmetic arithmetic_fp32(void) {
    return (struct arithmetic){NUM_FP32, {NUM_MODE_NEAREST, NUM_OVERFLOW_INF, 0}, 0};
}

double low(struct arithmetic *a, double x) {
    struct num_encoded e = num_encode(a->type, x, a->rounding);
    bool number = e.class != NUM_CLASS_INF && e.class != NUM_CLASS_NAN;
    a->past_max += e.saturated || (!number && isfinite(x)) ? 1 : 0;
    return num_decode(a->type, e.code);
}

double low_add(struct arithmetic *a, double x, double y) {
    return low(a, x + y);
}

double low_multiply(struct arithmetic *a, double x, double y) {
    return low(a, x * y);
}

double low_divide(struct arithmetic *a, double x, double y) {
    return low(a, x / y);
}

double low_number(const struct arithmetic *a, uint32_t code) {
    return num_decode(a->type, code);
}

uint32_t low_max_code(const struct arithmetic *a) {
    return num_limits(a->type).max_code;
}

void running_add(struct arithmetic *a, struct running *r, double term) {
    double next = low_add(a, r->last, term);
    bool nan_again = isnan(next) && isnan(r->last);
    r->changed += nan_again || (next <= r->last && next >= r->last) ? 0 : 1;
    r->additions++;
    r->last = next;
}

const char *running_end(const struct arithmetic *a, const struct running *r) {
    if (!isfinite(r->last)) {
        return "overflow";
    }
    return r->changed == r->additions          ? "moving"
           : r->last < num_limits(a->type).max ? "stalled"
                                               : "saturated";
}

uint64_t precision_random(uint64_t seed, uint64_t trial, uint64_t step) {
    uint64_t z = seed + (1 + (trial << 32) + step) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
