/* Functions in a low format: softmax with and without subtracting the largest logit, and a step of Adam whose ε is below
 * the format. Proof: tests/unit/precision/test_experiments.c. */
#include <math.h>

#include "precision_private.h"

/* --- Softmax of one logit and count − 1 zeros --- */

struct shares {
    double exp, sum, first, other;
};

static struct shares softmax(struct arithmetic *a, double logit, double shift, uint64_t count) {
    struct shares s;
    s.exp = low(a, exp(low_add(a, logit, -shift)));
    double other = low(a, exp(low_add(a, 0, -shift)));
    s.sum = s.exp;
    for (uint64_t i = 1; i < count; i++) {
        s.sum = low_add(a, s.sum, other);
    }
    s.first = low_divide(a, s.exp, s.sum);
    s.other = low_divide(a, other, s.sum);
    return s;
}

static double first_past_max(struct arithmetic *a) {
    for (uint32_t code = 1; code <= low_max_code(a); code++) {
        uint64_t before = a->past_max;
        (void)low(a, exp(low_number(a, code)));
        if (a->past_max > before) {
            return low_number(a, code);
        }
    }
    return (double)NAN;
}

void measure_softmax(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"logit", "first", "first_less_max", "exact"};
    enum { SHOWN = 64 };
    struct arithmetic a = arithmetic_of(o);
    double past = first_past_max(&a), rest = (double)(o->count - 1);
    struct shares naive = softmax(&a, o->value, 0, o->count);
    struct shares safe = softmax(&a, o->value, fmax(o->value, 0), o->count);
    facts_columns(out, names, 4);
    for (int i = 0; i <= SHOWN; i++) {
        double logit = low(&a, past * 1.25 * i / SHOWN);
        facts_point(out, (const double[4]){logit, softmax(&a, logit, 0, o->count).first,
                                           softmax(&a, logit, logit, o->count).first,
                                           1 / (1 + rest * exp(-logit))});
    }
    facts_value(out, "first_logit_past_max", past);
    facts_value(out, "logit", o->value);
    facts_count(out, "logits", o->count);
    facts_value(out, "exp", naive.exp);
    facts_value(out, "sum", naive.sum);
    facts_value(out, "first", naive.first);
    facts_value(out, "others", naive.other);
    facts_value(out, "first_less_max", safe.first);
    facts_value(out, "others_less_max", safe.other);
    facts_real(out, "first_exact", 1 / (1 + rest * exp(-o->value)));
}

/* --- Adam --- */

/* m̂ / (√v̂ + ε) of the first step, β1 0.9 and β2 0.999: in units of the learning rate. */
static double adam_update(struct arithmetic *a, double gradient, double epsilon) {
    double c1 = low(a, 0.1), c2 = low(a, 0.001);
    double m = low_multiply(a, c1, gradient);
    double v = low_multiply(a, c2, low_multiply(a, gradient, gradient));
    double root = low(a, sqrt(low_divide(a, v, c2)));
    return low_divide(a, low_divide(a, m, c1), low_add(a, root, low(a, epsilon)));
}

/* The largest binary64 number that rounds to zero: halving between one that does and one that does not. */
static double largest_zero(struct arithmetic *a) {
    double zero = 0, number = low_number(a, 1);
    while (nextafter(zero, number) < number) {
        double middle = zero + (number - zero) / 2;
        if (low(a, middle) > 0) {
            number = middle;
        } else {
            zero = middle;
        }
    }
    return zero;
}

static double least_with_square(struct arithmetic *a) {
    uint32_t code = 1;
    while (code < low_max_code(a) &&
           !(low_multiply(a, low_number(a, code), low_number(a, code)) > 0)) {
        code++;
    }
    return low_number(a, code);
}

void measure_adam(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"log2_gradient", "update", "update_fp32"};
    enum { SHOWN_LEAST = -30, SHOWN_MOST = 2 };
    struct arithmetic a = arithmetic_of(o), fp32 = arithmetic_fp32();
    double gradient = low(&a, o->value);
    facts_columns(out, names, 3);
    for (int k = SHOWN_LEAST; k <= SHOWN_MOST; k++) {
        facts_point(out, (const double[3]){k, adam_update(&a, low(&a, ldexp(1, k)), o->epsilon),
                                           adam_update(&fp32, ldexp(1, k), o->epsilon)});
    }
    facts_real(out, "epsilon", o->epsilon);
    facts_value(out, "epsilon_in_type", low(&a, o->epsilon));
    facts_value(out, "largest_epsilon_that_is_zero", largest_zero(&a));
    facts_value(out, "gradient", gradient);
    facts_value(out, "least_gradient_with_a_square", least_with_square(&a));
    facts_value(out, "square", low_multiply(&a, gradient, gradient));
    facts_value(out, "update_of_zero", adam_update(&a, 0, o->epsilon));
    facts_value(out, "update", adam_update(&a, gradient, o->epsilon));
    facts_value(out, "update_of_zero_fp32", adam_update(&fp32, 0, o->epsilon));
    facts_value(out, "update_fp32", adam_update(&fp32, low(&fp32, o->value), o->epsilon));
}
