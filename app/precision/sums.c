/* Sums in a low format: a running sum, what max can still take, weights that are updated, with and without a master in
 * fp32, and under stochastic rounding. Proof: tests/unit/precision/test_experiments.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

void measure_sum(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"additions", "sum", "exact"};
    struct arithmetic a = arithmetic_of(o);
    struct running r = {0, 0, 0};
    facts_columns(out, names, 3);
    for (uint64_t n = 1; n <= o->count; n++) {
        running_add(&a, &r, o->value);
        if (precision_is_shown(n, o->count)) {
            facts_point(out, (const double[3]){(double)n, r.last, (double)n * o->value});
        }
    }
    facts_value(out, "term", low(&a, o->value));
    facts_count(out, "additions", r.additions);
    facts_value(out, "sum", r.last);
    facts_word(out, "ends", running_end(&a, &r));
    facts_count(out, "additions_that_count", r.changed);
    facts_real(out, "exact_sum", o->value * (double)o->count);
}

/* --- Range --- */

static double max_plus(struct arithmetic *a, double addend) {
    return low_add(a, low_number(a, low_max_code(a)), addend);
}

/* The largest number whose square is a number too. */
static double largest_root(struct arithmetic *a) {
    for (uint32_t code = low_max_code(a); code > 0; code--) {
        double x = low_number(a, code);
        uint64_t before = a->past_max;
        (void)low_multiply(a, x, x);
        if (a->past_max == before) {
            return x;
        }
    }
    return (double)NAN;
}

void measure_range(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"addend", "sum"};
    struct arithmetic a = arithmetic_of(o);
    uint32_t half = num_encode(o->type, num_ulp(o->type, low_max_code(&a)) / 2, a.rounding).code;
    uint32_t below = half, above = half;
    bool neighbours = num_next_down(o->type, half, &below) && num_next_up(o->type, half, &above);
    const double addends[4] = {low_number(&a, below), low_number(&a, half), low_number(&a, above),
                               2 * low_number(&a, half)};
    static const char *const facts[4] = {"max_plus_less_than_half", "max_plus_half",
                                         "max_plus_more_than_half", "max_plus_step"};
    facts_columns(out, names, 2);
    facts_value(out, "max", low_number(&a, low_max_code(&a)));
    facts_value(out, "half_step", neighbours ? addends[1] : (double)NAN);
    for (int i = 0; i < 4; i++) {
        double sum = max_plus(&a, addends[i]);
        facts_value(out, facts[i], sum);
        facts_point(out, (const double[2]){addends[i], sum});
    }
    facts_count(out, "sums_past_max", a.past_max);
    facts_value(out, "addend", o->value);
    facts_value(out, "max_plus_addend", max_plus(&a, o->value));
    facts_value(out, "largest_with_a_square", largest_root(&a));
}

/* --- Updates --- */

/* The largest positive number that leaves the weight where it is when it is added with this sign. Whatever is larger
 * moves it, so the search halves. */
static double largest_lost(struct arithmetic *a, double weight, double sign) {
    uint32_t lost = 0, moves = low_max_code(a);
    while (moves - lost > 1) {
        uint32_t middle = lost + (moves - lost) / 2;
        double moved = low_add(a, weight, sign * low_number(a, middle));
        if (moved <= weight && moved >= weight) {
            lost = middle;
        } else {
            moves = middle;
        }
    }
    return low_number(a, lost);
}

void measure_stagnation(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"updates", "weight", "weight_of_master", "exact"};
    struct arithmetic a = arithmetic_of(o), fp32 = arithmetic_fp32();
    struct running weight = {o->value, 0, 0}, master = {o->value, 0, 0};
    facts_columns(out, names, 4);
    for (uint64_t n = 1; n <= o->count; n++) {
        running_add(&a, &weight, o->update);
        running_add(&fp32, &master, o->update);
        if (precision_is_shown(n, o->count)) {
            facts_point(out, (const double[4]){(double)n, weight.last, low(&a, master.last),
                                               o->value + (double)n * o->update});
        }
    }
    facts_value(out, "weight", o->value);
    facts_value(out, "update", o->update);
    facts_count(out, "updates", o->count);
    facts_value(out, "largest_lost_upwards", largest_lost(&a, o->value, 1));
    facts_value(out, "largest_lost_downwards", largest_lost(&a, o->value, -1));
    facts_value(out, "final_weight", weight.last);
    facts_count(out, "updates_that_count", weight.changed);
    facts_value(out, "final_master", master.last);
    facts_value(out, "final_weight_of_master", low(&a, master.last));
    facts_real(out, "exact", o->value + o->update * (double)o->count);
}

/* --- Stochastic rounding --- */

/* One update of every weight; returns how far they are from the start in all. */
static double update_all(const struct precision_options *o, struct arithmetic *a, double *weights,
                         uint64_t step) {
    double moved = 0;
    for (uint64_t trial = 0; trial < o->trials; trial++) {
        a->rounding.random = precision_random(o->seed, trial, step);
        weights[trial] = low_add(a, weights[trial], o->update);
        moved += weights[trial] - o->value;
    }
    return moved;
}

enum status measure_stochastic(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"updates", "mean", "nearest", "exact"};
    struct arithmetic a = arithmetic_of(o), nearest = a;
    struct running still = {o->value, 0, 0};
    double trials = (double)o->trials, mean = o->value;
    double exact = o->value + o->update * (double)o->count;
    double *weights = malloc((size_t)o->trials * sizeof *weights);
    if (weights == NULL) {
        return STATUS_FAILED;
    }
    for (uint64_t trial = 0; trial < o->trials; trial++) {
        weights[trial] = o->value;
    }
    a.rounding.mode = NUM_MODE_STOCHASTIC;
    facts_columns(out, names, 4);
    for (uint64_t n = 1; n <= o->count; n++) {
        mean = o->value + update_all(o, &a, weights, n - 1) / trials;
        running_add(&nearest, &still, o->update);
        if (precision_is_shown(n, o->count)) {
            facts_point(out, (const double[4]){(double)n, mean, still.last,
                                               o->value + (double)n * o->update});
        }
    }
    free(weights);
    facts_value(out, "weight", o->value);
    facts_value(out, "update", o->update);
    facts_count(out, "updates", o->count);
    facts_count(out, "trials", o->trials);
    facts_value(out, "nearest", still.last);
    facts_real(out, "exact", exact);
    facts_real(out, "mean", mean);
    facts_real(out, "mean_off_exact", fabs(mean - exact));
    return STATUS_OK;
}
