/* Number formats as a handful of integers, one rounding on doubles, and sums of equal terms in a few jumps: what the
 * predictions of precision_*.c are made of. Proof: tests/unit/calc/test_precision.c. */
#include "shardlab/calc/precision.h"

#include <math.h>
#include <string.h>

bool calc_format_find(const char *name, struct calc_format *out) {
    static const struct {
        const char *name;
        struct calc_format format;
    } formats[] = {
        {"fp32", {8, 23, true}}, {"fp16", {5, 10, true}}, {"bf16", {8, 7, true}},
        {"e4m3", {4, 3, false}}, {"e5m2", {5, 2, true}},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            *out = formats[i].format;
            return true;
        }
    }
    return false;
}

static int bias(const struct calc_format *f) {
    return (1 << (f->exponent_bits - 1)) - 1;
}

int calc_format_least(const struct calc_format *f) {
    return 1 - bias(f);
}

int calc_format_largest(const struct calc_format *f) {
    return f->infinity ? bias(f) : bias(f) + 1;
}

double calc_format_max(const struct calc_format *f) {
    double lacking = ldexp(f->infinity ? 1 : 2, -f->mantissa_bits);
    return ldexp(2 - lacking, calc_format_largest(f));
}

double calc_format_tiny(const struct calc_format *f) {
    return ldexp(1, calc_format_least(f) - f->mantissa_bits);
}

/* The exponent in which |x| is stored. */
static int stored_exponent(const struct calc_format *f, double x) {
    int exponent;
    (void)frexp(x, &exponent);
    int least = calc_format_least(f);
    return fabs(x) > 0 && exponent - 1 > least ? exponent - 1 : least;
}

double calc_format_step(const struct calc_format *f, double x) {
    return ldexp(1, stored_exponent(f, x) - f->mantissa_bits);
}

double calc_format_below(const struct calc_format *f, double x) {
    double step = calc_format_step(f, x), half = step / 2;
    double near = x - half; /* a number only below a power of two, where the step halves */
    return calc_format_step(f, near) < step ? near : x - step;
}

bool calc_format_passes(const struct calc_format *f, double x) {
    double max = calc_format_max(f), edge = max + calc_format_step(f, max) / 2;
    return f->infinity ? fabs(x) >= edge : fabs(x) > edge;
}

double calc_round(const struct calc_rounding *r, double x) {
    const struct calc_format *f = &r->format;
    if (isnan(x)) {
        return x;
    }
    if (calc_format_passes(f, x)) {
        double past = f->infinity ? (double)INFINITY : (double)NAN;
        return copysign(r->saturates ? calc_format_max(f) : past, x);
    }
    int step = stored_exponent(f, x) - f->mantissa_bits;
    return ldexp(rint(ldexp(x, -step)), step);
}

/* --- Sums of equal terms --- */

/* How many additions of `rise` stay clear of the next power of two and of max, where steps change. */
static double steps_ahead(const struct calc_format *f, double sum, double term, double rise) {
    double edge = ldexp(1, stored_exponent(f, sum) + 1), max = calc_format_max(f);
    double limit = edge < max ? edge : max;
    double steps = floor((limit - term - sum) / rise) - 1;
    return steps > 0 ? steps : 0;
}

struct calc_sum calc_running_sum(const struct calc_rounding *r, double start, double term,
                                 uint64_t count) {
    struct calc_sum s = {start, 0};
    double rise = 0;
    while (count > 0) {
        double next = calc_round(r, s.last + term);
        if (!(next > s.last)) { /* it stays, or there is no number any more */
            s.changed += isnan(next) && !isnan(s.last) ? 1 : 0;
            s.last = next;
            break;
        }
        /* a tie may go up once and down from then on; two equal rises with one step show the lasting one */
        bool one_step = calc_format_step(&r->format, next) <= calc_format_step(&r->format, s.last);
        bool lasting = one_step && next - s.last <= rise && next - s.last >= rise;
        rise = one_step ? next - s.last : 0;
        s.last = next;
        s.changed++;
        count--;
        double ahead = lasting && isfinite(next) ? steps_ahead(&r->format, next, term, rise) : 0;
        uint64_t jump = ahead < (double)count ? (uint64_t)ahead : count;
        s.last = jump > 0 ? s.last + (double)jump * rise : s.last;
        s.changed += jump;
        count -= jump;
    }
    return s;
}

const char *calc_sum_end(const struct calc_rounding *r, const struct calc_sum *sum,
                         uint64_t count) {
    double max = calc_format_max(&r->format);
    if (!isfinite(sum->last)) {
        return "overflow";
    }
    return sum->changed == count ? "moving" : sum->last < max ? "stalled" : "saturated";
}

uint64_t calc_next_shown(uint64_t n, uint64_t count) {
    uint64_t every = count / 64 + 1, next = n + every;
    return n == count ? 0 : next < count ? next : count;
}

uint64_t calc_random(uint64_t seed, uint64_t trial, uint64_t step) {
    uint64_t z = seed + (1 + (trial << 32) + step) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
