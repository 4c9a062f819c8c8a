/* Predictions for softmax and for one step of Adam: the same few operations, each rounded once. Called by the command
 * `overflow`. Proof: tests/unit/calc/test_precision.c. */
#include <math.h>

#include "shardlab/calc/precision.h"

double calc_overflow_logit(const struct calc_format *f) {
    double max = calc_format_max(f), edge = log(max + calc_format_step(f, max) / 2);
    double step = calc_format_step(f, edge);
    return ceil(edge / step) * step; /* on the edge itself lies no number: it is irrational */
}

/* --- Softmax of one logit and count − 1 zeros --- */

struct shares {
    double first, other; /* probabilities */
    double sum;
};

/* exp(x − shift) / Σ, every operation rounded. */
static struct shares softmax(const struct calc_rounding *r, double logit, double shift,
                             uint64_t count) {
    double first = calc_round(r, exp(calc_round(r, logit - shift)));
    double other = calc_round(r, exp(calc_round(r, 0 - shift)));
    double sum = other > 0 ? calc_running_sum(r, first, other, count - 1).last : first;
    return (struct shares){calc_round(r, first / sum), calc_round(r, other / sum), sum};
}

/* The first logit's share as a curve up to a quarter beyond the logit that overflows. */
static void add_softmax_curve(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"logit", "first", "first_less_max", "exact"};
    enum { SHOWN = 64 };
    double past = calc_overflow_logit(&t->type.format), rest = (double)(t->count - 1);
    facts_columns(out, names, 4);
    for (int i = 0; i <= SHOWN; i++) {
        double logit = calc_round(&t->type, past * 1.25 * i / SHOWN);
        facts_point(out, (const double[4]){logit, softmax(&t->type, logit, 0, t->count).first,
                                           softmax(&t->type, logit, logit, t->count).first,
                                           1 / (1 + rest * exp(-logit))});
    }
}

void calc_predict_softmax(const struct calc_trial *t, struct facts *out) {
    const struct calc_rounding *r = &t->type;
    add_softmax_curve(t, out);
    struct shares naive = softmax(r, t->value, 0, t->count);
    struct shares safe = softmax(r, t->value, t->value > 0 ? t->value : 0, t->count);
    double rest = (double)(t->count - 1);
    facts_value(out, "first_logit_past_max", calc_overflow_logit(&r->format));
    facts_value(out, "logit", t->value);
    facts_count(out, "logits", t->count);
    facts_value(out, "exp", calc_round(r, exp(t->value)));
    facts_value(out, "sum", naive.sum);
    facts_value(out, "first", naive.first);
    facts_value(out, "others", naive.other);
    facts_value(out, "first_less_max", safe.first);
    facts_value(out, "others_less_max", safe.other);
    facts_real(out, "first_exact", 1 / (1 + rest * exp(-t->value)));
}

/* --- Adam's first step: β1 0.9, β2 0.999, in units of the learning rate --- */

static double adam_update(const struct calc_rounding *r, double gradient, double epsilon) {
    double c1 = calc_round(r, 0.1), c2 = calc_round(r, 0.001);
    double m = calc_round(r, c1 * gradient),
           v = calc_round(r, c2 * calc_round(r, gradient * gradient));
    double m_hat = calc_round(r, m / c1), v_hat = calc_round(r, v / c2);
    double below = calc_round(r, calc_round(r, sqrt(v_hat)) + calc_round(r, epsilon));
    return calc_round(r, m_hat / below);
}

/* The least number of the format whose square is above half of the least subnormal. */
static double least_root(const struct calc_format *f) {
    double root = sqrt(calc_format_tiny(f) / 2), step = calc_format_step(f, root);
    double number = ceil(root / step) * step;
    return number * number > calc_format_tiny(f) / 2 ? number : number + step;
}

void calc_predict_adam(const struct calc_trial *t, struct facts *out) {
    static const struct calc_rounding fp32 = {{8, 23, true}, false};
    const struct calc_rounding *r = &t->type;
    static const char *const names[] = {"log2_gradient", "update", "update_fp32"};
    enum { SHOWN_LEAST = -30, SHOWN_MOST = 2 };
    double gradient = calc_round(r, t->value);
    facts_columns(out, names, 3);
    for (int k = SHOWN_LEAST; k <= SHOWN_MOST; k++) {
        double low = adam_update(r, calc_round(r, ldexp(1, k)), t->epsilon);
        facts_point(out, (const double[3]){k, low, adam_update(&fp32, ldexp(1, k), t->epsilon)});
    }
    facts_real(out, "epsilon", t->epsilon);
    facts_value(out, "epsilon_in_type", calc_round(r, t->epsilon));
    facts_value(out, "largest_epsilon_that_is_zero", calc_format_tiny(&r->format) / 2);
    facts_value(out, "gradient", gradient);
    facts_value(out, "least_gradient_with_a_square", least_root(&r->format));
    facts_value(out, "square", calc_round(r, gradient * gradient));
    facts_value(out, "update_of_zero", adam_update(r, 0, t->epsilon));
    facts_value(out, "update", adam_update(r, gradient, t->epsilon));
    facts_value(out, "update_of_zero_fp32", adam_update(&fp32, 0, t->epsilon));
    facts_value(out, "update_fp32", adam_update(&fp32, calc_round(&fp32, t->value), t->epsilon));
}
