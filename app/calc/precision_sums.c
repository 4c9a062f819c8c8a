/* Predictions for sums: a running sum that stalls, what max can still take, weights that do not move, and stochastic
 * rounding as integers. Called by the command `overflow`. Proof: tests/unit/calc/test_precision.c. */
#include <math.h>

#include "shardlab/calc/precision.h"

static double square(double x) {
    return x * x;
}

/* A sum of equal terms as a curve, and its end. */
void calc_predict_sum(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"additions", "sum", "exact"};
    struct calc_sum sum = calc_running_sum(&t->type, 0, t->value, t->count);
    facts_columns(out, names, 3);
    for (uint64_t n = 0; (n = calc_next_shown(n, t->count)) > 0;) {
        double last = calc_running_sum(&t->type, 0, t->value, n).last;
        facts_point(out, (const double[3]){(double)n, last, (double)n * t->value});
    }
    facts_value(out, "term", t->value);
    facts_count(out, "additions", t->count);
    facts_value(out, "sum", sum.last);
    facts_word(out, "ends", calc_sum_end(&t->type, &sum, t->count));
    facts_count(out, "additions_that_count", sum.changed);
    facts_real(out, "exact_sum", t->value * (double)t->count);
}

/* --- Range --- */

/* The largest number whose square does not pass max. */
static double largest_root(const struct calc_format *f) {
    double root = sqrt(calc_format_max(f) + calc_format_step(f, calc_format_max(f)) / 2);
    double step = calc_format_step(f, root);
    double number = floor(root / step) * step;
    return calc_format_passes(f, square(number)) ? calc_format_below(f, number) : number;
}

void calc_predict_range(const struct calc_trial *t, struct facts *out) {
    const struct calc_format *f = &t->type.format;
    double max = calc_format_max(f), step = calc_format_step(f, max), half = step / 2;
    double over = t->type.saturates ? max : f->infinity ? (double)INFINITY : (double)NAN;
    double given =
        calc_format_passes(f, max + t->value) ? over : calc_round(&t->type, max + t->value);
    const double points[4][2] = {{calc_format_below(f, half), max},
                                 {half, f->infinity ? over : max},
                                 {half + calc_format_step(f, half), over},
                                 {step, over}};
    static const char *const names[] = {"addend", "sum"};
    facts_columns(out, names, 2);
    for (int i = 0; i < 4; i++) {
        facts_point(out, points[i]);
    }
    facts_value(out, "max", max);
    facts_value(out, "half_step", half);
    facts_value(out, "max_plus_less_than_half", max);
    facts_value(out, "max_plus_half", f->infinity ? over : max);
    facts_value(out, "max_plus_more_than_half", over);
    facts_value(out, "max_plus_step", over);
    facts_count(out, "sums_past_max", f->infinity ? 3 : 2);
    facts_value(out, "addend", t->value);
    facts_value(out, "max_plus_addend", given);
    facts_value(out, "largest_with_a_square", largest_root(f));
}

/* --- Updates that do not move a weight --- */

/* The largest number of the format that is at most `half`, and below it when the tie moves the weight; 0 when half a step
 * is less than the least number. */
static double lost(const struct calc_format *f, double half, bool tie_moves) {
    if (half < calc_format_tiny(f)) {
        return 0;
    }
    return tie_moves ? calc_format_below(f, half) : half;
}

void calc_predict_stagnation(const struct calc_trial *t, struct facts *out) {
    static const struct calc_rounding master = {{8, 23, true}, false};
    const struct calc_format *f = &t->type.format;
    double up = calc_format_step(f, t->value), down = t->value - calc_format_below(f, t->value);
    bool odd = fmod(t->value / up, 2) >= 1;
    static const char *const names[] = {"updates", "weight", "weight_of_master", "exact"};
    struct calc_sum low = calc_running_sum(&t->type, t->value, t->update, t->count);
    struct calc_sum high = calc_running_sum(&master, t->value, t->update, t->count);
    facts_columns(out, names, 4);
    for (uint64_t n = 0; (n = calc_next_shown(n, t->count)) > 0;) {
        double weight = calc_running_sum(&t->type, t->value, t->update, n).last;
        double kept = calc_running_sum(&master, t->value, t->update, n).last;
        facts_point(out, (const double[4]){(double)n, weight, calc_round(&t->type, kept),
                                           t->value + (double)n * t->update});
    }
    facts_value(out, "weight", t->value);
    facts_value(out, "update", t->update);
    facts_count(out, "updates", t->count);
    facts_value(out, "largest_lost_upwards", lost(f, up / 2, odd));
    /* below a power of two the neighbour is odd, so that the tie stays, as it does for any even weight */
    facts_value(out, "largest_lost_downwards", lost(f, down / 2, odd));
    facts_value(out, "final_weight", low.last);
    facts_count(out, "updates_that_count", low.changed);
    facts_value(out, "final_master", high.last);
    facts_value(out, "final_weight_of_master", calc_round(&t->type, high.last));
    facts_real(out, "exact", t->value + t->update * (double)t->count);
}

/* --- Stochastic rounding: integers in units of the update's last bit --- */

struct drift {
    int unit;        /* a weight is its integer times 2^unit */
    uint64_t update; /* in units */
    const struct calc_format *format;
};

static int top_bit(uint64_t x) {
    int bit = -1;
    for (; x > 0; x >>= 1) {
        bit++;
    }
    return bit;
}

/* Steps of a weight are 2^shift units; what lies between is cut off or carried. */
static uint64_t drift_once(const struct drift *d, uint64_t weight, uint64_t random) {
    uint64_t exact = weight + d->update;
    int least = calc_format_least(d->format), exponent = top_bit(exact) + d->unit;
    int shift = (exponent > least ? exponent : least) - d->format->mantissa_bits - d->unit;
    if (shift <= 0) {
        return exact;
    }
    uint64_t cut = exact & ((UINT64_C(1) << shift) - 1), step = UINT64_C(1) << shift;
    return exact - cut + (random < cut << (64 - shift) ? step : 0);
}

/* A number of the format as odd × 2^unit: its last bit. */
static int last_bit(double x) {
    int exponent;
    double fraction = frexp(x, &exponent);
    int bits = 0;
    while (fraction > floor(fraction)) {
        fraction *= 2;
        bits++;
    }
    return exponent - bits;
}

static struct drift drift_of(const struct calc_trial *t) {
    int a = last_bit(t->value), b = last_bit(t->update);
    struct drift d = {a < b ? a : b, 0, &t->type.format};
    d.update = (uint64_t)ldexp(t->update, -d.unit);
    return d;
}

/* Adds what each weight gained to the second column of the points at which it is shown; returns what it gained in all. */
static uint64_t drift_all(const struct calc_trial *t, const struct drift *d, uint64_t trial,
                          struct facts *out) {
    uint64_t start = (uint64_t)ldexp(t->value, -d->unit), weight = start;
    int shown = 0;
    for (uint64_t step = 0; step < t->count; step++) {
        weight = drift_once(d, weight, calc_random(t->seed, trial, step));
        if ((double)(step + 1) >= out->point[shown][0]) {
            out->point[shown++][1] += (double)(weight - start);
        }
    }
    return weight - start;
}

void calc_predict_stochastic(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"updates", "mean", "nearest", "exact"};
    struct drift d = drift_of(t);
    uint64_t gained = 0;
    double trials = (double)t->trials, exact = t->value + t->update * (double)t->count;
    facts_columns(out, names, 4);
    for (uint64_t n = 0; (n = calc_next_shown(n, t->count)) > 0;) {
        double nearest = calc_running_sum(&t->type, t->value, t->update, n).last;
        facts_point(out,
                    (const double[4]){(double)n, 0, nearest, t->value + (double)n * t->update});
    }
    for (uint64_t trial = 0; trial < t->trials; trial++) {
        gained += drift_all(t, &d, trial, out);
    }
    for (int i = 0; i < out->points; i++) {
        out->point[i][1] = t->value + ldexp(out->point[i][1], d.unit) / trials;
    }
    /* each rounding has a variance of at most a quarter of the square of a step, and they are independent */
    double spread =
        sqrt((double)t->count / trials) * calc_format_step(&t->type.format, 2 * exact) / 2;
    facts_value(out, "weight", t->value);
    facts_value(out, "update", t->update);
    facts_count(out, "updates", t->count);
    facts_count(out, "trials", t->trials);
    facts_value(out, "nearest", calc_running_sum(&t->type, t->value, t->update, t->count).last);
    facts_real(out, "exact", exact);
    facts_real(out, "mean", t->value + ldexp((double)gained, d.unit) / trials);
    facts_at_most(out, "mean_off_exact", 6 * spread);
}
