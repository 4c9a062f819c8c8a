/* Many gradients on a device: which become zero or subnormal, and a loss scale that saves them and must sometimes step back.
 * What is found has the names and the order of the room `precision`. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

/* Numbers times powers of two, rounded to the type. */
struct scaled {
    double *scale, *out;
    uint8_t *past;
};

static struct scaled scaled_make(struct device_run *d, uint64_t count) {
    return (struct scaled){device_room(d, (size_t)count, sizeof(double)),
                           device_room(d, (size_t)count, sizeof(double)),
                           device_room(d, (size_t)count, 1)};
}

static void scaled_free(struct scaled *s) {
    free(s->scale);
    free(s->out);
    free(s->past);
}

static void scale_all(struct device_run *d, struct scaled *s, const double *values, uint64_t count,
                      int exponent) {
    for (uint64_t i = 0; d->ok == STATUS_OK && i < count; i++) {
        s->scale[i] = ldexp(1, exponent);
    }
    if (d->ok == STATUS_OK) {
        const struct device_batch b = {DEVICE_MULTIPLY, count, values, s->scale, s->out, s->past};
        device_arithmetic(d, &b);
    }
}

void device_gradients(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "zero", "subnormal", "past_max"};
    const struct precision_options *o = d->o;
    double least_normal = num_limits(o->type).min_normal;
    int lowest = precision_histogram_start(o, names, out);
    uint64_t zero = 0, subnormal = 0, past = 0;
    struct scaled s = scaled_make(d, o->count);
    scale_all(d, &s, o->values, o->count, o->scale_log2);
    for (uint64_t i = 0; d->ok == STATUS_OK && i < o->count; i++) {
        double *row = out->point[precision_exponent(o->values[i]) - lowest], size = fabs(s.out[i]);
        bool passed = s.past[i] != 0, small = !passed && size < least_normal;
        row[1]++;
        row[2] += small && !(size > 0) ? 1 : 0;
        row[3] += small && size > 0 ? 1 : 0;
        row[4] += passed ? 1 : 0;
        zero += small && !(size > 0) ? 1 : 0;
        subnormal += small && size > 0 ? 1 : 0;
        past += passed ? 1 : 0;
    }
    scaled_free(&s);
    facts_count(out, "gradients", o->count);
    facts_value(out, "scale", ldexp(1, o->scale_log2));
    facts_count(out, "zero", zero);
    facts_count(out, "subnormal", subnormal);
    facts_count(out, "normal", o->count - zero - subnormal - past);
    facts_count(out, "past_max", past);
    facts_real(out, "fraction_zero", (double)zero / (double)o->count);
}

/* --- Loss scaling --- */

struct step_found {
    uint64_t zero;
    bool overflow; /* an inf or a nan; what saturates is not noticed */
};

static struct step_found look(struct device_run *d, struct scaled *s, uint64_t step, int exponent) {
    const struct precision_options *o = d->o;
    struct step_found found = {0, false};
    scale_all(d, s, o->values + step * o->count, o->count, exponent);
    for (uint64_t i = 0; d->ok == STATUS_OK && i < o->count; i++) {
        found.overflow = found.overflow || !isfinite(s->out[i]);
        found.zero += fabs(s->out[i]) > 0 || isnan(s->out[i]) ? 0 : 1;
    }
    return found;
}

enum { SEARCHED = 300, SCALES = 2 * SEARCHED + 1 };

/* `value` times each power of two; true in `is` where it becomes zero, or where it passes max. */
static void try_scales(struct device_run *d, double value, bool zero, bool is[SCALES]) {
    double values[SCALES], scales[SCALES], out[SCALES];
    uint8_t past[SCALES];
    for (int i = 0; i < SCALES; i++) {
        values[i] = value;
        scales[i] = ldexp(1, i - SEARCHED);
        out[i] = 0;
        past[i] = 0;
    }
    const struct device_batch b = {DEVICE_MULTIPLY, SCALES, values, scales, out, past};
    device_arithmetic(d, &b);
    for (int i = 0; i < SCALES; i++) {
        is[i] = zero ? past[i] == 0 && !(fabs(out[i]) > 0) : past[i] != 0;
    }
}

static void search_scales(struct device_run *d, struct facts *out) {
    const struct precision_options *o = d->o;
    bool zero[SCALES], past[SCALES];
    int keeps = 0, fits = SCALES - 1;
    try_scales(d, precision_least(o->values, o->count * o->steps), true, zero);
    try_scales(d, precision_most(o->values, o->count * o->steps), false, past);
    while (keeps < SCALES - 1 && zero[keeps]) {
        keeps++;
    }
    while (fits > 0 && past[fits]) {
        fits--;
    }
    facts_value(out, "least_scale_that_keeps_all", ldexp(1, keeps - SEARCHED));
    facts_value(out, "largest_scale_that_fits", ldexp(1, fits - SEARCHED));
    facts_word(out, "one_scale_for_all", keeps <= fits ? "yes" : "no");
}

void device_loss_scale(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"step", "scale", "largest", "skipped", "zero"};
    const struct precision_options *o = d->o;
    struct precision_scaler s = {o->scale_log2, 0, 0, 0};
    struct scaled scaled = scaled_make(d, o->count);
    uint64_t lost = 0, unscaled = 0;
    facts_columns(out, names, 5);
    for (uint64_t step = 0; d->ok == STATUS_OK && step < o->steps; step++) {
        struct step_found found = look(d, &scaled, step, s.exponent);
        uint64_t zero = found.overflow ? 0 : found.zero;
        facts_point(out, (const double[5]){(double)step, ldexp(1, s.exponent),
                                           precision_most(o->values + step * o->count, o->count),
                                           found.overflow, (double)zero});
        lost += zero;
        unscaled += look(d, &scaled, step, 0).zero;
        precision_scaler_next(&s, o, found.overflow);
    }
    scaled_free(&scaled);
    facts_count(out, "gradients", o->count * o->steps);
    facts_count(out, "zero_without_scale", unscaled);
    search_scales(d, out);
    facts_value(out, "first_scale", ldexp(1, o->scale_log2));
    facts_count(out, "steps", o->steps);
    facts_count(out, "skipped_steps", s.skipped);
    facts_count(out, "doublings", s.doubled);
    facts_value(out, "final_scale", ldexp(1, s.exponent));
    facts_count(out, "zero_in_steps_taken", lost);
}
