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
    int lowest = precision_histogram_start(o, names, out);
    for (uint64_t i = 0; i < o->count; i++) {
        enum fate fate = fate_of(&a, ldexp(o->values[i], o->scale_log2));
        double *row = out->point[precision_exponent(o->values[i]) - lowest];
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
    double least = precision_least(o->values, o->count * o->steps);
    double most = precision_most(o->values, o->count * o->steps);
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
    struct precision_scaler s = {o->scale_log2, 0, 0, 0};
    uint64_t lost = 0, unscaled = 0;
    facts_columns(out, names, 5);
    for (uint64_t step = 0; step < o->steps; step++) {
        struct step_found found = look(o, &a, step, s.exponent);
        uint64_t zero = found.overflow ? 0 : found.zero;
        facts_point(out, (const double[5]){(double)step, ldexp(1, s.exponent),
                                           precision_most(o->values + step * o->count, o->count),
                                           found.overflow, (double)zero});
        lost += zero;
        unscaled += look(o, &a, step, 0).zero;
        precision_scaler_next(&s, o, found.overflow);
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

static void without_scale(const struct precision_options *o, struct precision_quantized *q) {
    const struct num_rounding saturating = {NUM_MODE_NEAREST, NUM_OVERFLOW_SATURATE, 0};
    for (uint64_t i = 0; i < o->count; i++) {
        struct num_encoded e = num_encode(o->type, o->values[i], saturating);
        q->values[i] = num_decode(o->type, e.code);
        q->past[i] = e.saturated;
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
    struct precision_quantized q = {malloc(count * sizeof *q.values),
                                    malloc(count * sizeof *q.past)};
    bool room = q.values != NULL && q.past != NULL;
    if (room) {
        struct num_block block = {
            .kind = NUM_BLOCK_TENSOR, .element = o->type, .values = q.values, .saturated = q.past};
        int lowest = precision_histogram_start(o, names, out);
        for (size_t i = 0; i < count; i++) {
            out->point[precision_exponent(o->values[i]) - lowest][1]++;
        }
        facts_count(out, "numbers", o->count);
        without_scale(o, &q);
        precision_quantized_judge(o, &q, 2, none, out);
        num_block_encode(&block, o->values, count);
        precision_quantized_judge(o, &q, 3, tensor, out);
        block.kind = NUM_BLOCK_MX;
        num_block_encode(&block, o->values, count);
        precision_quantized_judge(o, &q, 4, mx, out);
    }
    free(q.values);
    free(q.past);
    return room ? STATUS_OK : STATUS_FAILED;
}
