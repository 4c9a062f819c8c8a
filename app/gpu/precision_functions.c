/* Functions on a device: softmax with and without subtracting the largest logit, and a step of Adam whose ε is below the
 * format. What is found has the names and the order of the room `precision`. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "precision_private.h"

/* --- Softmax of one logit and count − 1 zeros --- */

enum { STEPS = 64, LOGITS = STEPS + 1, EACH = 4 };
enum { SHARE_EXP, SHARE_SUM, SHARE_FIRST, SHARE_OTHER };

/* shares[EACH · i …] of each logit. */
static void softmax_all(struct device_run *d, const double *logits, const double *shifts,
                        uint64_t count, double *shares) {
    const struct device_buffer buffers[3] = {{NULL, shares, count * EACH * sizeof *shares},
                                             {logits, NULL, count * sizeof *logits},
                                             {shifts, NULL, count * sizeof *shifts}};
    struct gpu_launch l;
    gpu_launch_start(&l, GPU_SOFTMAX, count);
    gpu_arg_memory(&l, 0);
    gpu_arg_memory(&l, 0);
    gpu_arg_memory(&l, 0);
    gpu_arg_u64(&l, count);
    gpu_arg_u64(&l, d->o->count - 1);
    gpu_arg_format(&l, d->o->type, d->o->overflow);
    device_call(d, &l, buffers, 3);
}

static double first_past_max(struct device_run *d) {
    struct device_codes c;
    double first = (double)NAN;
    device_all_codes(d, DEVICE_EXP, 0, 1, &c);
    for (uint32_t code = 1; d->ok == STATUS_OK && code <= c.most && isnan(first); code++) {
        first = c.past[code] != 0 ? c.number[code] : first;
    }
    device_codes_free(&c);
    return first;
}

static void curve(struct device_run *d, double past, struct facts *out) {
    double exact[LOGITS], logits[LOGITS], zeros[LOGITS];
    double naive[EACH * LOGITS], safe[EACH * LOGITS];
    uint8_t passed[LOGITS];
    double rest = (double)(d->o->count - 1);
    memset(logits, 0, sizeof logits);
    memset(zeros, 0, sizeof zeros);
    memset(naive, 0, sizeof naive);
    memset(safe, 0, sizeof safe);
    for (int i = 0; i < LOGITS; i++) {
        exact[i] = past * 1.25 * i / STEPS;
    }
    const struct device_batch b = {DEVICE_ROUND, LOGITS, exact, NULL, logits, passed};
    device_arithmetic(d, &b);
    softmax_all(d, logits, zeros, LOGITS, naive);
    softmax_all(d, logits, logits, LOGITS, safe);
    for (ptrdiff_t i = 0; i < LOGITS; i++) {
        facts_point(out, (const double[4]){logits[i], naive[EACH * i + SHARE_FIRST],
                                           safe[EACH * i + SHARE_FIRST],
                                           1 / (1 + rest * exp(-logits[i]))});
    }
}

void device_softmax(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"logit", "first", "first_less_max", "exact"};
    const struct precision_options *o = d->o;
    double past = first_past_max(d), rest = (double)(o->count - 1);
    const double logits[2] = {o->value, o->value}, shifts[2] = {0, fmax(o->value, 0)};
    double shares[2 * EACH] = {0};
    const double *naive = shares, *safe = shares + EACH;
    softmax_all(d, logits, shifts, 2, shares);
    facts_columns(out, names, 4);
    curve(d, past, out);
    facts_value(out, "first_logit_past_max", past);
    facts_value(out, "logit", o->value);
    facts_count(out, "logits", o->count);
    facts_value(out, "exp", naive[SHARE_EXP]);
    facts_value(out, "sum", naive[SHARE_SUM]);
    facts_value(out, "first", naive[SHARE_FIRST]);
    facts_value(out, "others", naive[SHARE_OTHER]);
    facts_value(out, "first_less_max", safe[SHARE_FIRST]);
    facts_value(out, "others_less_max", safe[SHARE_OTHER]);
    facts_real(out, "first_exact", 1 / (1 + rest * exp(-o->value)));
}

/* --- Adam --- */

enum { SHOWN_LEAST = -30, SHOWN_MOST = 2, SHOWN = SHOWN_MOST - SHOWN_LEAST + 1, ASKED = 2 };

/* The curve's gradients, then zero and the one that is asked. */
static void updates(struct device_run *d, enum num_type type, const double *gradients,
                    double *out) {
    const struct device_buffer buffers[2] = {
        {NULL, out, (SHOWN + ASKED) * sizeof *out},
        {gradients, NULL, (SHOWN + ASKED) * sizeof *gradients}};
    struct gpu_launch l;
    gpu_launch_start(&l, GPU_ADAM, SHOWN + ASKED);
    gpu_arg_memory(&l, 0);
    gpu_arg_memory(&l, 0);
    gpu_arg_u64(&l, SHOWN + ASKED);
    gpu_arg_double(&l, d->o->epsilon);
    gpu_arg_format(&l, type, type == NUM_FP32 ? NUM_OVERFLOW_INF : d->o->overflow);
    device_call(d, &l, buffers, 2);
}

/* The largest binary64 number that rounds to zero, by halving. */
static double largest_zero(struct device_run *d) {
    double zero = 0, number = num_decode(d->o->type, 1);
    while (d->ok == STATUS_OK && nextafter(zero, number) < number) {
        double middle = zero + (number - zero) / 2;
        if (device_one(d, DEVICE_ROUND, middle, 0, NULL) > 0) {
            number = middle;
        } else {
            zero = middle;
        }
    }
    return zero;
}

static double least_with_square(struct device_run *d) {
    struct device_codes c;
    uint32_t code = 1;
    device_all_codes(d, DEVICE_MULTIPLY, (double)NAN, 1, &c);
    while (d->ok == STATUS_OK && code < c.most && !(c.out[code] > 0)) {
        code++;
    }
    device_codes_free(&c);
    return num_decode(d->o->type, code);
}

void device_adam(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"log2_gradient", "update", "update_fp32"};
    const struct precision_options *o = d->o;
    double wide[SHOWN + ASKED], narrow[SHOWN + ASKED], in_type[SHOWN + ASKED] = {0};
    double in_fp32[SHOWN + ASKED] = {0};
    uint8_t past[SHOWN + ASKED];
    for (int i = 0; i < SHOWN; i++) {
        wide[i] = ldexp(1, SHOWN_LEAST + i);
    }
    wide[SHOWN] = 0;
    wide[SHOWN + 1] = o->value;
    const struct device_batch b = {DEVICE_ROUND, SHOWN + ASKED, wide, NULL, narrow, past};
    device_arithmetic(d, &b);
    wide[SHOWN + 1] = (double)(float)o->value; /* what fp32 holds of it */
    updates(d, o->type, narrow, in_type);
    updates(d, NUM_FP32, wide, in_fp32);
    facts_columns(out, names, 3);
    for (int i = 0; i < SHOWN; i++) {
        facts_point(out, (const double[3]){SHOWN_LEAST + i, in_type[i], in_fp32[i]});
    }
    double gradient = narrow[SHOWN + 1];
    facts_real(out, "epsilon", o->epsilon);
    facts_value(out, "epsilon_in_type", device_one(d, DEVICE_ROUND, o->epsilon, 0, NULL));
    facts_value(out, "largest_epsilon_that_is_zero", largest_zero(d));
    facts_value(out, "gradient", gradient);
    facts_value(out, "least_gradient_with_a_square", least_with_square(d));
    facts_value(out, "square", device_one(d, DEVICE_MULTIPLY, gradient, gradient, NULL));
    facts_value(out, "update_of_zero", in_type[SHOWN]);
    facts_value(out, "update", in_type[SHOWN + 1]);
    facts_value(out, "update_of_zero_fp32", in_fp32[SHOWN]);
    facts_value(out, "update_fp32", in_fp32[SHOWN + 1]);
}
