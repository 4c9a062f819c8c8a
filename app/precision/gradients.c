/* Many numbers at once: gradients that lose their bits, a loss scale that saves them and must sometimes step back, and
 * scales that let 8 bits do. Proof: tests/unit/precision/test_experiments.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"
#include "shardlab/num/block.h"

void precision_gradients(const struct precision_source *source, uint64_t step, double *values,
                         uint64_t count) {
    enum { UNIFORMS = 12 };
    for (uint64_t i = 0; i < count; i++) {
        double sum = 0;
        uint64_t sign = precision_random(source->seed ^ step * UINT64_C(0xD1B54A32D192ED03), i, 0);
        for (uint64_t k = 1; k <= UNIFORMS; k++) {
            uint64_t bits = precision_random(sign, k, step);
            sum += (double)(bits >> 11) * 0x1p-53;
        }
        double size = exp2(source->centre + source->spread * (sum - UNIFORMS / 2.0));
        values[i] = sign % 2 == 0 ? size : -size;
    }
}

static int exponent_of(double x) {
    int exponent;
    (void)frexp(x, &exponent);
    return exponent - 1;
}

static double least_of(const double *values, uint64_t count) {
    double least = fabs(values[0]);
    for (uint64_t i = 1; i < count; i++) {
        least = fmin(least, fabs(values[i]));
    }
    return least;
}

static double most_of(const double *values, uint64_t count) {
    double most = fabs(values[0]);
    for (uint64_t i = 1; i < count; i++) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/* Empty rows, one for each exponent that occurs or lies between; returns the first exponent. */
static int start_histogram(const struct precision_options *o, const char *const names[5],
                           struct facts *out) {
    int lowest = exponent_of(least_of(o->values, o->count));
    int highest = exponent_of(most_of(o->values, o->count));
    facts_columns(out, names, 5);
    for (int exponent = lowest; exponent <= highest; exponent++) {
        facts_point(out, (const double[5]){exponent, 0, 0, 0, 0});
    }
    return lowest;
}

/* --- Gradients --- */

enum fate { FATE_ZERO, FATE_SUBNORMAL, FATE_NORMAL, FATE_PAST_MAX, FATES };

static enum fate fate_of(struct arithmetic *a, double x) {
    struct num_encoded e = num_encode(a->type, x, a->rounding);
    if (e.saturated) {
        return FATE_PAST_MAX;
    }
    return e.class == NUM_CLASS_ZERO        ? FATE_ZERO
           : e.class == NUM_CLASS_SUBNORMAL ? FATE_SUBNORMAL
           : e.class == NUM_CLASS_NORMAL    ? FATE_NORMAL
                                            : FATE_PAST_MAX;
}

void measure_gradients(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "zero", "subnormal", "past_max"};
    struct arithmetic a = arithmetic_of(o);
    uint64_t fates[FATES] = {0};
    int lowest = start_histogram(o, names, out);
    for (uint64_t i = 0; i < o->count; i++) {
        enum fate fate = fate_of(&a, ldexp(o->values[i], o->scale_log2));
        double *row = out->point[exponent_of(o->values[i]) - lowest];
        fates[fate]++;
        row[1]++;
        row[2] += fate == FATE_ZERO ? 1 : 0;
        row[3] += fate == FATE_SUBNORMAL ? 1 : 0;
        row[4] += fate == FATE_PAST_MAX ? 1 : 0;
    }
    facts_count(out, "gradients", o->count);
    facts_value(out, "scale", ldexp(1, o->scale_log2));
    facts_count(out, "zero", fates[FATE_ZERO]);
    facts_count(out, "subnormal", fates[FATE_SUBNORMAL]);
    facts_count(out, "normal", fates[FATE_NORMAL]);
    facts_count(out, "past_max", fates[FATE_PAST_MAX]);
    facts_real(out, "fraction_zero", (double)fates[FATE_ZERO] / (double)o->count);
}

/* --- Loss scaling --- */

struct scaler {
    int exponent; /* the scale is a power of two, as fp32 holds it */
    uint64_t clean, skipped, doubled;
};

enum { SCALE_MOST = 127, SCALE_LEAST = -126 };

static void scaler_next(struct scaler *s, const struct precision_options *o, bool overflow) {
    if (overflow) {
        s->clean = 0;
        s->skipped++;
        s->exponent -= o->dynamic && s->exponent > SCALE_LEAST ? 1 : 0;
        return;
    }
    if (++s->clean == o->growth) {
        s->clean = 0;
        if (o->dynamic && s->exponent < SCALE_MOST) {
            s->exponent++;
            s->doubled++;
        }
    }
}

/* What a step finds in its scaled gradients. */
struct step_found {
    uint64_t zero;
    bool overflow; /* an inf or a nan; what saturates is not noticed */
};

static struct step_found look(const struct precision_options *o, struct arithmetic *a,
                              uint64_t step, int exponent) {
    struct step_found found = {0, false};
    for (uint64_t i = 0; i < o->count; i++) {
        double scaled = low(a, ldexp(o->values[step * o->count + i], exponent));
        found.overflow = found.overflow || !isfinite(scaled);
        found.zero += fabs(scaled) > 0 || isnan(scaled) ? 0 : 1;
    }
    return found;
}

/* Powers of two: the least that leaves no gradient zero, the largest that sends none past max. */
static void search_scales(const struct precision_options *o, struct arithmetic *a,
                          struct facts *out) {
    double least = least_of(o->values, o->count * o->steps);
    double most = most_of(o->values, o->count * o->steps);
    int keeps = -300, fits = 300;
    while (fate_of(a, ldexp(least, keeps)) == FATE_ZERO) {
        keeps++;
    }
    while (fate_of(a, ldexp(most, fits)) == FATE_PAST_MAX) {
        fits--;
    }
    facts_value(out, "least_scale_that_keeps_all", ldexp(1, keeps));
    facts_value(out, "largest_scale_that_fits", ldexp(1, fits));
    facts_word(out, "one_scale_for_all", keeps <= fits ? "yes" : "no");
}

void measure_loss_scale(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"step", "scale", "largest", "skipped", "zero"};
    struct arithmetic a = arithmetic_of(o);
    struct scaler s = {o->scale_log2, 0, 0, 0};
    uint64_t lost = 0, unscaled = 0;
    facts_columns(out, names, 5);
    for (uint64_t step = 0; step < o->steps; step++) {
        struct step_found found = look(o, &a, step, s.exponent);
        uint64_t zero = found.overflow ? 0 : found.zero;
        facts_point(out, (const double[5]){(double)step, ldexp(1, s.exponent),
                                           most_of(o->values + step * o->count, o->count),
                                           found.overflow, (double)zero});
        lost += zero;
        unscaled += look(o, &a, step, 0).zero;
        scaler_next(&s, o, found.overflow);
    }
    facts_count(out, "gradients", o->count * o->steps);
    facts_count(out, "zero_without_scale", unscaled);
    search_scales(o, &a, out);
    facts_value(out, "first_scale", ldexp(1, o->scale_log2));
    facts_count(out, "steps", o->steps);
    facts_count(out, "skipped_steps", s.skipped);
    facts_count(out, "doublings", s.doubled);
    facts_value(out, "final_scale", ldexp(1, s.exponent));
    facts_count(out, "zero_in_steps_taken", lost);
}

/* --- Scales of 8-bit numbers --- */

struct quantized {
    double *values;
    bool *saturated;
};

/* One way of scaling: what came back, beside what went in. */
static void judge(const struct precision_options *o, const struct quantized *q, int column,
                  const char *const facts[4], struct facts *out) {
    uint64_t zero = 0, saturated = 0;
    double largest = 0, sum = 0;
    int lowest = (int)out->point[0][0];
    for (uint64_t i = 0; i < o->count; i++) {
        double error = fabs(q->values[i] - o->values[i]) / fabs(o->values[i]);
        bool flushed = !(fabs(q->values[i]) > 0);
        zero += flushed ? 1 : 0;
        out->point[exponent_of(o->values[i]) - lowest][column] += flushed ? 1 : 0;
        saturated += q->saturated[i] ? 1 : 0;
        largest = fmax(largest, error);
        sum += error;
    }
    facts_count(out, facts[0], zero);
    facts_count(out, facts[1], saturated);
    facts_real(out, facts[2], largest);
    facts_real(out, facts[3], sum / (double)o->count);
}

static void without_scale(const struct precision_options *o, struct quantized *q) {
    const struct num_rounding saturating = {NUM_MODE_NEAREST, NUM_OVERFLOW_SATURATE, 0};
    for (uint64_t i = 0; i < o->count; i++) {
        struct num_encoded e = num_encode(o->type, o->values[i], saturating);
        q->values[i] = num_decode(o->type, e.code);
        q->saturated[i] = e.saturated;
    }
}

enum status measure_fp8_scale(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "none_zero", "tensor_zero", "mx_zero"};
    static const char *const none[] = {"none_zero", "none_past_max", "none_largest_error",
                                       "none_mean_error"};
    static const char *const tensor[] = {"tensor_zero", "tensor_past_max", "tensor_largest_error",
                                         "tensor_mean_error"};
    static const char *const mx[] = {"mx_zero", "mx_past_max", "mx_largest_error", "mx_mean_error"};
    size_t count = (size_t)o->count;
    struct quantized q = {malloc(count * sizeof *q.values), malloc(count * sizeof *q.saturated)};
    bool room = q.values != NULL && q.saturated != NULL;
    if (room) {
        struct num_block block = {.kind = NUM_BLOCK_TENSOR,
                                  .element = o->type,
                                  .values = q.values,
                                  .saturated = q.saturated};
        int lowest = start_histogram(o, names, out);
        for (size_t i = 0; i < count; i++) {
            out->point[exponent_of(o->values[i]) - lowest][1]++;
        }
        facts_count(out, "numbers", o->count);
        without_scale(o, &q);
        judge(o, &q, 2, none, out);
        num_block_encode(&block, o->values, count);
        judge(o, &q, 3, tensor, out);
        block.kind = NUM_BLOCK_MX;
        num_block_encode(&block, o->values, count);
        judge(o, &q, 4, mx, out);
    }
    free(q.values);
    free(q.saturated);
    return room ? STATUS_OK : STATUS_FAILED;
}
