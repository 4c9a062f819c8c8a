/* The numbers inside the words of the lesson *mixed-precision*: {{split_mixed}}, {{fp16_half_tiny}}. Of the learner's
 * scenario and knobs or of a format by name, always through calc. Writes into the caller's writer; what is not defined
 * is a dash. Proof: tests/unit/lessons/test_mixed_precision.c. */
#include <math.h>
#include <string.h>

#include "mixed_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"

/* --- Memory --- */

static bool write_activations(const struct lesson_input *in, const char *precision,
                              struct writer *out) {
    struct scenario other;
    struct calc_memory memory;
    struct message why;
    bool fp32 = strcmp(precision, "fp32") == 0;
    if (!mixed_in_precision(in->now, fp32 ? CALC_PRECISION_FP32 : CALC_PRECISION_BF16, &other) ||
        calc_memory_worst(&other, &memory, &why) != STATUS_OK || !memory.activations_known) {
        return false;
    }
    units_write_bytes(out, memory.part_bytes[CALC_PART_ACTIVATIONS], UNIT_GB, 2);
    writer_char(out, ' ');
    writer_text(out, units_name(UNIT_GB));
    return true;
}

/* "2 + 2 + 12 = 16": weight, gradient and Adam of one parameter by the ZeRO paper's count. */
static bool write_split(const struct lesson_input *in, const char *precision, struct writer *out) {
    struct scenario one;
    struct calc_memory memory;
    struct message why;
    (void)in;
    scenario_start(&one);
    if (calc_option_set(&one, calc_option_index("params"), "1", &why) != STATUS_OK ||
        calc_option_set(&one, calc_option_index("precision"), precision, &why) != STATUS_OK ||
        scenario_resolve(&one, &one, &why) != STATUS_OK ||
        calc_memory_on_stage(&one, 0, &memory, &why) != STATUS_OK) {
        return false;
    }
    writer_u64(out, memory.part_bytes[CALC_PART_WEIGHTS]);
    writer_text(out, " + ");
    writer_u64(out, memory.part_bytes[CALC_PART_GRADIENTS]);
    writer_text(out, " + ");
    writer_u64(out, memory.part_bytes[CALC_PART_OPTIMIZER]);
    writer_text(out, " = ");
    writer_u64(out, memory.total_bytes);
    return true;
}

/* --- Formats --- */

static bool write_half_tiny(const struct lesson_input *in, const char *type, struct writer *out) {
    (void)in;
    struct calc_format f = rounding_of(type).format;
    rounding_number_write(out, calc_format_tiny(&f) / 2);
    return true;
}

static bool write_step(const struct lesson_input *in, const char *type, struct writer *out) {
    (void)in;
    struct calc_format f = rounding_of(type).format;
    writer_text(out, "2^");
    writer_real(out, log2(calc_format_step(&f, 1)));
    return true;
}

/* --- Gradients --- */

static bool write_zero(const struct lesson_input *in, const char *type, struct writer *out) {
    struct facts facts;
    mixed_gradients(in, type, 0, &facts);
    writer_u64_grouped(out, rounding_fact(&facts, "zero")->count);
    return true;
}

static bool write_zero_now(const struct lesson_input *in, const char *unused, struct writer *out) {
    struct facts facts;
    int scale = mixed_trial(in, MIXED_RUN_GRADIENTS, NULL).scale_log2;
    (void)unused;
    mixed_gradients(in, mixed_type(in), scale, &facts);
    writer_u64_grouped(out, rounding_fact(&facts, "zero")->count);
    return true;
}

static bool write_zero_plain(const struct lesson_input *in, const char *unused,
                             struct writer *out) {
    (void)unused;
    return write_zero(in, mixed_type(in), out);
}

static bool write_gradients(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)in;
    (void)unused;
    writer_u64_grouped(out, MIXED_GRADIENTS);
    return true;
}

static bool write_growth(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)in;
    (void)unused;
    writer_u64(out, MIXED_GROWTH);
    return true;
}

/* --- The page's run --- */

static bool write_stop(const struct lesson_input *in, enum mixed_knob knob, struct writer *out) {
    writer_text(out, mixed_stop(in, knob));
    return true;
}

static bool write_type(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)unused;
    return write_stop(in, MIXED_KNOB_TYPE, out);
}

static bool write_scale(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)unused;
    writer_text(out, mixed_scale(in));
    return true;
}

static bool write_center(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)unused;
    writer_text(out, "2^");
    return write_stop(in, MIXED_KNOB_CENTER, out);
}

static bool write_epsilon(const struct lesson_input *in, const char *unused, struct writer *out) {
    (void)unused;
    return write_stop(in, MIXED_KNOB_EPSILON, out);
}

/* A fact of what is predicted of the page's weight, by its key. */
static bool write_weight(const struct lesson_input *in, const char *key, struct writer *out) {
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_STAGNATION, NULL);
    facts_start(&facts);
    calc_predict_stagnation(&t, &facts);
    const struct fact *f = rounding_fact(&facts, key);
    rounding_number_write(out, f->kind == FACT_COUNT ? (double)f->count : f->real);
    return true;
}

static bool write_past(const struct lesson_input *in, const char *unused, struct writer *out) {
    struct calc_format f = rounding_of(mixed_type(in)).format;
    (void)unused;
    rounding_number_write(out, calc_overflow_logit(&f));
    return true;
}

static bool write_root(const struct lesson_input *in, const char *type, struct writer *out) {
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_ADAM, NULL);
    t.type = rounding_of(type);
    facts_start(&facts);
    calc_predict_adam(&t, &facts);
    rounding_number_write(out, rounding_fact(&facts, "least_gradient_with_a_square")->real);
    return true;
}

static const struct {
    const char *name;
    bool (*write)(const struct lesson_input *in, const char *of, struct writer *out);
    const char *of;
} figures[] = {
    {"activations_fp32", write_activations, "fp32"},
    {"activations_mixed", write_activations, "bf16"},
    {"split_fp32", write_split, "fp32"},
    {"split_mixed", write_split, "bf16"},
    {"fp16_half_tiny", write_half_tiny, "fp16"},
    {"fp16_step", write_step, "fp16"},
    {"bf16_step", write_step, "bf16"},
    {"fp16_zero", write_zero, "fp16"},
    {"bf16_zero", write_zero, "bf16"},
    {"zero", write_zero_now, NULL},
    {"zero_plain", write_zero_plain, NULL},
    {"gradients", write_gradients, NULL},
    {"growth", write_growth, NULL},
    {"type", write_type, NULL},
    {"scale", write_scale, NULL},
    {"center", write_center, NULL},
    {"epsilon", write_epsilon, NULL},
    {"update", write_weight, "update"},
    {"updates", write_weight, "updates"},
    {"nearest", write_weight, "final_weight"},
    {"master", write_weight, "final_weight_of_master"},
    {"exact", write_weight, "exact"},
    {"past_logit", write_past, NULL},
    {"fp16_root", write_root, "fp16"},
};

bool mixed_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) == 0) {
            if (!figures[i].write(in, figures[i].of, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
}
