/* Sums on a device: a running sum, what max can still take, weights that are updated, with a master in fp32 and under
 * stochastic rounding. What is found has the names and the order of the room `precision`.
 * Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

static const char *end_of(const struct device_run *d, const struct device_sum *s) {
    if (!isfinite(s->last)) {
        return "overflow";
    }
    return s->changed == s->count                       ? "moving"
           : fabs(s->last) < num_limits(d->o->type).max ? "stalled"
                                                        : "saturated";
}

static struct device_sum sum_of(const struct precision_options *o, double start, double term) {
    return (struct device_sum){
        .type = o->type, .overflow = o->overflow, .start = start, .term = term, .count = o->count};
}

void device_sum_experiment(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"additions", "sum", "exact"};
    const struct precision_options *o = d->o;
    struct device_sum s = sum_of(o, 0, o->value);
    int shown = 0;
    device_running_sum(d, &s);
    facts_columns(out, names, 3);
    for (uint64_t n = 1; n <= o->count; n++) {
        if (precision_is_shown(n, o->count)) {
            facts_point(out, (const double[3]){(double)n, s.shown[shown++], (double)n * o->value});
        }
    }
    facts_value(out, "term", device_one(d, DEVICE_ROUND, o->value, 0, NULL));
    facts_count(out, "additions", o->count);
    facts_value(out, "sum", s.last);
    facts_word(out, "ends", end_of(d, &s));
    facts_count(out, "additions_that_count", s.changed);
    facts_real(out, "exact_sum", o->value * (double)o->count);
}

/* --- Range --- */

static double largest_root(struct device_run *d) {
    struct device_codes c;
    double root = (double)NAN;
    device_all_codes(d, DEVICE_MULTIPLY, (double)NAN, 1, &c);
    for (uint32_t code = c.most; d->ok == STATUS_OK && code > 0 && isnan(root); code--) {
        root = c.past[code] == 0 ? c.number[code] : root;
    }
    device_codes_free(&c);
    return root;
}

void device_range(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"addend", "sum"};
    static const char *const facts[4] = {"max_plus_less_than_half", "max_plus_half",
                                         "max_plus_more_than_half", "max_plus_step"};
    const struct precision_options *o = d->o;
    const struct num_rounding rounding = {NUM_MODE_NEAREST, o->overflow, 0};
    struct num_limits limits = num_limits(o->type);
    uint32_t half = num_encode(o->type, num_ulp(o->type, limits.max_code) / 2, rounding).code;
    uint32_t below = half, above = half;
    bool neighbours = num_next_down(o->type, half, &below) && num_next_up(o->type, half, &above);
    const double addends[5] = {num_decode(o->type, below), num_decode(o->type, half),
                               num_decode(o->type, above), 2 * num_decode(o->type, half), o->value};
    const double max[5] = {limits.max, limits.max, limits.max, limits.max, limits.max};
    double sums[5] = {0, 0, 0, 0, 0};
    uint8_t past[5] = {0, 0, 0, 0, 0};
    const struct device_batch b = {DEVICE_ADD, 5, max, addends, sums, past};
    device_arithmetic(d, &b);
    facts_columns(out, names, 2);
    facts_value(out, "max", limits.max);
    facts_value(out, "half_step", neighbours ? addends[1] : (double)NAN);
    for (int i = 0; i < 4; i++) {
        facts_value(out, facts[i], sums[i]);
        facts_point(out, (const double[2]){addends[i], sums[i]});
    }
    facts_count(out, "sums_past_max", (uint64_t)past[0] + past[1] + past[2] + past[3]);
    facts_value(out, "addend", o->value);
    facts_value(out, "max_plus_addend", sums[4]);
    facts_value(out, "largest_with_a_square", largest_root(d));
}

/* --- Updates --- */

/* The largest positive number that leaves the weight where it is; whatever is larger moves it. */
static double largest_lost(struct device_run *d, double weight, double sign) {
    struct device_codes c;
    uint32_t lost = 0;
    device_all_codes(d, DEVICE_ADD, weight, sign, &c);
    for (uint32_t code = 1; d->ok == STATUS_OK && code < c.most; code++) {
        bool moves = c.out[code] < weight || c.out[code] > weight || isnan(c.out[code]);
        if (moves) {
            break;
        }
        lost = code;
    }
    device_codes_free(&c);
    return num_decode(d->o->type, lost);
}

void device_stagnation(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"updates", "weight", "weight_of_master", "exact"};
    const struct precision_options *o = d->o;
    struct device_sum weight = sum_of(o, o->value, o->update), master = weight;
    double rounded[DEVICE_SHOWN];
    uint8_t past[DEVICE_SHOWN];
    int shown = 0;
    master.type = NUM_FP32;
    master.overflow = NUM_OVERFLOW_INF;
    device_running_sum(d, &weight);
    device_running_sum(d, &master);
    const struct device_batch b = {DEVICE_ROUND, DEVICE_SHOWN, master.shown, NULL, rounded, past};
    device_arithmetic(d, &b);
    facts_columns(out, names, 4);
    for (uint64_t n = 1; d->ok == STATUS_OK && n <= o->count; n++) {
        if (precision_is_shown(n, o->count)) {
            facts_point(out, (const double[4]){(double)n, weight.shown[shown], rounded[shown],
                                               o->value + (double)n * o->update});
            shown++;
        }
    }
    facts_value(out, "weight", o->value);
    facts_value(out, "update", o->update);
    facts_count(out, "updates", o->count);
    facts_value(out, "largest_lost_upwards", largest_lost(d, o->value, 1));
    facts_value(out, "largest_lost_downwards", largest_lost(d, o->value, -1));
    facts_value(out, "final_weight", weight.last);
    facts_count(out, "updates_that_count", weight.changed);
    facts_value(out, "final_master", master.last);
    facts_value(out, "final_weight_of_master", device_one(d, DEVICE_ROUND, master.last, 0, NULL));
    facts_real(out, "exact", o->value + o->update * (double)o->count);
}

/* --- Stochastic rounding --- */

/* weights[point · trials + trial], to be freed; NULL: no memory. */
static double *update_all(struct device_run *d) {
    const struct precision_options *o = d->o;
    size_t count = (size_t)o->trials * DEVICE_SHOWN;
    double *weights = device_room(d, count, sizeof *weights);
    const struct device_buffer buffer = {NULL, weights, count * sizeof *weights};
    struct gpu_launch l;
    gpu_launch_start(&l, GPU_STOCHASTIC_UPDATES, o->trials);
    gpu_arg_memory(&l, 0);
    gpu_arg_u64(&l, o->trials);
    gpu_arg_u64(&l, o->count);
    gpu_arg_u64(&l, precision_shown_every(o->count));
    gpu_arg_u64(&l, o->seed);
    gpu_arg_double(&l, o->value);
    gpu_arg_double(&l, o->update);
    gpu_arg_format(&l, o->type, o->overflow);
    device_call(d, &l, &buffer, 1);
    return weights;
}

static double mean_of(const struct precision_options *o, const double *weights) {
    double moved = 0;
    for (uint64_t trial = 0; trial < o->trials; trial++) {
        moved += weights[trial] - o->value;
    }
    return o->value + moved / (double)o->trials;
}

void device_stochastic(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"updates", "mean", "nearest", "exact"};
    const struct precision_options *o = d->o;
    double exact = o->value + o->update * (double)o->count, mean = o->value;
    double *weights = update_all(d);
    struct device_sum still = sum_of(o, o->value, o->update);
    int shown = 0;
    if (weights == NULL) {
        return;
    }
    device_running_sum(d, &still);
    facts_columns(out, names, 4);
    for (uint64_t n = 1; n <= o->count; n++) {
        if (precision_is_shown(n, o->count)) {
            mean = mean_of(o, weights + (size_t)shown * o->trials);
            facts_point(out, (const double[4]){(double)n, mean, still.shown[shown++],
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
}
