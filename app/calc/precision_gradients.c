/* Predictions for many numbers at once: which gradients become zero or subnormal, what a loss scale saves and when a
 * dynamic one skips, and what scales per tensor and per block do to 8 bits. Counting goes by thresholds on binary64.
 * Called by the command `overflow`. Proof: tests/unit/calc/test_precision.c. */
#include <math.h>

#include "shardlab/calc/precision.h"

enum place { PLACE_ZERO, PLACE_SUBNORMAL, PLACE_NORMAL, PLACE_PAST_MAX, PLACES };

static enum place place_of(const struct calc_format *f, double x) {
    double size = fabs(x), half = calc_format_tiny(f) / 2;
    if (size <= half) {
        return PLACE_ZERO;
    }
    if (size < ldexp(1, calc_format_least(f)) - half) {
        return PLACE_SUBNORMAL;
    }
    return calc_format_passes(f, x) ? PLACE_PAST_MAX : PLACE_NORMAL;
}

static int exponent_of(double x) {
    int exponent;
    (void)frexp(x, &exponent);
    return exponent - 1;
}

struct extent {
    double least, most;
};

static struct extent extent_of(const double *values, uint64_t count) {
    struct extent e = {fabs(values[0]), fabs(values[0])};
    for (uint64_t i = 1; i < count; i++) {
        e.least = fmin(e.least, fabs(values[i]));
        e.most = fmax(e.most, fabs(values[i]));
    }
    return e;
}

/* A row an exponent: how many numbers there are, and what becomes of them. */
static void add_histogram(const struct calc_trial *t, const struct extent *e, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "zero", "subnormal", "past_max"};
    int low = exponent_of(e->least), high = exponent_of(e->most);
    facts_columns(out, names, 5);
    for (int exponent = low; exponent <= high; exponent++) {
        facts_point(out, (const double[5]){exponent, 0, 0, 0, 0});
    }
    for (uint64_t i = 0; i < t->count; i++) {
        double *row = out->point[exponent_of(t->values[i]) - low];
        enum place place = place_of(&t->type.format, ldexp(t->values[i], t->scale_log2));
        row[1]++;
        row[2] += place == PLACE_ZERO ? 1 : 0;
        row[3] += place == PLACE_SUBNORMAL ? 1 : 0;
        row[4] += place == PLACE_PAST_MAX ? 1 : 0;
    }
}

void calc_predict_gradients(const struct calc_trial *t, struct facts *out) {
    uint64_t places[PLACES] = {0};
    struct extent e = extent_of(t->values, t->count);
    for (uint64_t i = 0; i < t->count; i++) {
        places[place_of(&t->type.format, ldexp(t->values[i], t->scale_log2))]++;
    }
    facts_count(out, "gradients", t->count);
    facts_value(out, "scale", ldexp(1, t->scale_log2));
    facts_count(out, "zero", places[PLACE_ZERO]);
    facts_count(out, "subnormal", places[PLACE_SUBNORMAL]);
    facts_count(out, "normal", places[PLACE_NORMAL]);
    facts_count(out, "past_max", places[PLACE_PAST_MAX]);
    facts_real(out, "fraction_zero", (double)places[PLACE_ZERO] / (double)t->count);
    add_histogram(t, &e, out);
}

/* --- Loss scaling --- */

enum {
    SCALE_MOST = 127,
    SCALE_LEAST = -126
}; /* powers of two that fp32, in which scales are kept, has */

/* The least exponent k for which size · 2^k is above `limit`, from the exponents; one more where they leave it open. */
static int least_shift(double size, double limit) {
    int k = exponent_of(limit) - exponent_of(size);
    return ldexp(size, k) > limit ? k : k + 1;
}

static void add_scales(const struct calc_trial *t, const struct extent *e, struct facts *out) {
    const struct calc_format *f = &t->type.format;
    int keeps = least_shift(e->least, calc_format_tiny(f) / 2);
    int fits = calc_format_largest(f) - exponent_of(e->most) + 1;
    while (calc_format_passes(f, ldexp(e->most, fits))) {
        fits--;
    }
    facts_value(out, "least_scale_that_keeps_all", ldexp(1, keeps));
    facts_value(out, "largest_scale_that_fits", ldexp(1, fits));
    facts_word(out, "one_scale_for_all", keeps <= fits ? "yes" : "no");
}

static uint64_t zeros_of(const struct calc_trial *t, uint64_t step, int scale_log2) {
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        double scaled = ldexp(t->values[step * t->count + i], scale_log2);
        zeros += place_of(&t->type.format, scaled) == PLACE_ZERO ? 1 : 0;
    }
    return zeros;
}

void calc_predict_loss_scale(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"step", "scale", "largest", "skipped", "zero"};
    struct extent all = extent_of(t->values, t->count * t->steps);
    uint64_t skipped = 0, doubled = 0, lost = 0, unscaled = 0, clean = 0;
    int scale = t->scale_log2;
    facts_columns(out, names, 5);
    for (uint64_t step = 0; step < t->steps; step++) {
        double most = extent_of(t->values + step * t->count, t->count).most;
        bool skip = !t->type.saturates && calc_format_passes(&t->type.format, ldexp(most, scale));
        uint64_t zeros = skip ? 0 : zeros_of(t, step, scale);
        facts_point(out,
                    (const double[5]){(double)step, ldexp(1, scale), most, skip, (double)zeros});
        skipped += skip ? 1 : 0;
        lost += zeros;
        unscaled += zeros_of(t, step, 0);
        clean = skip ? 0 : clean + 1;
        bool grows = t->dynamic && clean == t->growth && scale < SCALE_MOST;
        clean = clean == t->growth ? 0 : clean;
        doubled += grows ? 1 : 0;
        scale += grows ? 1 : t->dynamic && skip && scale > SCALE_LEAST ? -1 : 0;
    }
    facts_count(out, "gradients", t->count * t->steps);
    facts_count(out, "zero_without_scale", unscaled);
    add_scales(t, &all, out);
    facts_value(out, "first_scale", ldexp(1, t->scale_log2));
    facts_count(out, "steps", t->steps);
    facts_count(out, "skipped_steps", skipped);
    facts_count(out, "doublings", doubled);
    facts_value(out, "final_scale", ldexp(1, scale));
    facts_count(out, "zero_in_steps_taken", lost);
}

/* --- Scales of 8-bit numbers --- */

enum { BLOCK = 32, WAYS = 3 };
static const char *const way_facts[WAYS][4] = {
    {"none_zero", "none_past_max", "none_largest_error", "none_mean_error"},
    {"tensor_zero", "tensor_past_max", "tensor_largest_error", "tensor_mean_error"},
    {"mx_zero", "mx_past_max", "mx_largest_error", "mx_mean_error"},
};

static double scale_for(const struct calc_trial *t, int way, uint64_t i) {
    static const struct calc_rounding fp32 = {{8, 23, true}, false};
    uint64_t first = way == 2 ? i / BLOCK * BLOCK : 0;
    uint64_t left = t->count - first, count = way == 2 && left > BLOCK ? BLOCK : left;
    double most = extent_of(t->values + first, count).most;
    const struct calc_format *f = &t->type.format;
    return way == 0   ? 1
           : way == 1 ? calc_round(&fp32, most / calc_format_max(f))
                      : ldexp(1, exponent_of(most) - calc_format_largest(f));
}

static void add_way(const struct calc_trial *t, int way, struct facts *out) {
    const struct calc_rounding r = {t->type.format, true};
    uint64_t zeros = 0, past = 0;
    double scale = 1, largest = 0, sum = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        scale = i == 0 || (way == 2 && i % BLOCK == 0) ? scale_for(t, way, i) : scale;
        double scaled = t->values[i] / scale;
        enum place place = place_of(&r.format, scaled);
        double error = fabs(calc_round(&r, scaled) * scale - t->values[i]) / fabs(t->values[i]);
        zeros += place == PLACE_ZERO ? 1 : 0;
        past += place == PLACE_PAST_MAX ? 1 : 0;
        largest = fmax(largest, error);
        sum += error;
        if (place == PLACE_ZERO) {
            out->point[exponent_of(t->values[i]) - (int)out->point[0][0]][2 + way]++;
        }
    }
    facts_count(out, way_facts[way][0], zeros);
    facts_count(out, way_facts[way][1], past);
    facts_real(out, way_facts[way][2], largest);
    facts_real(out, way_facts[way][3], sum / (double)t->count);
}

void calc_predict_block_scale(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "none_zero", "tensor_zero", "mx_zero"};
    struct extent e = extent_of(t->values, t->count);
    int low = exponent_of(e.least);
    facts_columns(out, names, 5);
    for (int exponent = low; exponent <= exponent_of(e.most); exponent++) {
        facts_point(out, (const double[5]){exponent, 0, 0, 0, 0});
    }
    for (uint64_t i = 0; i < t->count; i++) {
        out->point[exponent_of(t->values[i]) - low][1]++;
    }
    facts_count(out, "numbers", t->count);
    for (int way = 0; way < WAYS; way++) {
        add_way(t, way, out);
    }
}
