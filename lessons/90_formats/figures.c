/* The numbers inside the words of the lesson *formats*: {{fp16_max}}, {{bf16_always}}. Of a format by name or of the
 * learner's knobs, always through calc. Writes into the caller's writer; what is not defined is a dash.
 * Proof: tests/unit/lessons/test_formats.c. */
#include <math.h>
#include <string.h>

#include "formats_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/num/block.h"

static bool write_max(const struct calc_rounding *r, struct writer *out) {
    rounding_number_write(out, calc_format_max(&r->format));
    return true;
}

static bool write_half(const struct calc_rounding *r, struct writer *out) {
    rounding_number_write(out, calc_format_step(&r->format, calc_format_max(&r->format)) / 2);
    return true;
}

/* The first number that passes max. */
static bool write_edge(const struct calc_rounding *r, struct writer *out) {
    double max = calc_format_max(&r->format);
    rounding_number_write(out, max + calc_format_step(&r->format, max) / 2);
    return true;
}

static bool write_exponent_bits(const struct calc_rounding *r, struct writer *out) {
    writer_u64(out, (uint64_t)r->format.exponent_bits);
    return true;
}

static bool write_mantissa_bits(const struct calc_rounding *r, struct writer *out) {
    writer_u64(out, (uint64_t)r->format.mantissa_bits);
    return true;
}

static bool write_step(const struct calc_rounding *r, struct writer *out) {
    writer_text(out, "2^");
    writer_real(out, log2(calc_format_step(&r->format, 1)));
    return true;
}

/* "1/256": updates below this part of the weight can vanish, half a step at 1. */
static bool write_can(const struct calc_rounding *r, struct writer *out) {
    writer_text(out, "1/");
    rounding_number_write(out, 2 / calc_format_step(&r->format, 1));
    return true;
}

/* "1/512": below this they always do, since just under a power of two, a weight is nearly twice as many steps. */
static bool write_always(const struct calc_rounding *r, struct writer *out) {
    writer_text(out, "1/");
    rounding_number_write(out, 4 / calc_format_step(&r->format, 1));
    return true;
}

/* Where a sum of ones stops, though there are enough of them for twice that. */
static bool write_stall(const struct calc_rounding *r, struct writer *out) {
    uint64_t count = UINT64_C(1) << (r->format.mantissa_bits + 2);
    rounding_number_write(out, calc_running_sum(r, 0, 1, count).last);
    return true;
}

/* The next number after the stall. */
static bool write_after_stall(const struct calc_rounding *r, struct writer *out) {
    double stall = ldexp(1, r->format.mantissa_bits + 1);
    rounding_number_write(out, stall + calc_format_step(&r->format, stall));
    return true;
}

static bool write_root(const struct calc_rounding *r, struct writer *out) {
    struct facts facts;
    struct calc_trial t = {.type = *r, .value = 1, .count = 1};
    facts_start(&facts);
    calc_predict_range(&t, &facts);
    rounding_number_write(out, rounding_fact(&facts, "largest_with_a_square")->real);
    return true;
}

static const struct {
    const char *name;
    bool (*write)(const struct calc_rounding *r, struct writer *out);
} of_format[] = {
    {"max", write_max},
    {"half", write_half},
    {"edge", write_edge},
    {"exponent_bits", write_exponent_bits},
    {"mantissa_bits", write_mantissa_bits},
    {"step", write_step},
    {"can", write_can},
    {"always", write_always},
    {"stall", write_stall},
    {"after_stall", write_after_stall},
    {"root", write_root},
};

/* "bf16_max": of that format; "type_max": of the learner's. */
static bool format_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    char type[ROUNDING_TEXT_MAX];
    struct calc_format f;
    const char *line = strchr(name, '_');
    size_t length = line == NULL ? 0 : (size_t)(line - name);
    if (length == 0 || length >= sizeof type) {
        return false;
    }
    memcpy(type, name, length);
    type[length] = '\0';
    const char *asked = strcmp(type, "type") == 0 ? formats_type(in) : type;
    for (size_t i = 0; calc_format_find(asked, &f) && i < sizeof of_format / sizeof of_format[0];
         i++) {
        if (strcmp(line + 1, of_format[i].name) == 0) {
            struct calc_rounding r = rounding_of(asked);
            return of_format[i].write(&r, out);
        }
    }
    return false;
}

/* --- Of the scenario and the page --- */

static bool write_type(const struct lesson_input *in, struct writer *out) {
    writer_text(out, formats_type(in));
    return true;
}

static bool write_peak(const struct lesson_input *in, struct writer *out) {
    const double *peak = in->now->cluster.peak_tflops;
    if (!(peak[CALC_PRECISION_FP8] > 0) || !(peak[CALC_PRECISION_BF16] > 0)) {
        return false;
    }
    writer_fixed(out, peak[CALC_PRECISION_FP8] / peak[CALC_PRECISION_BF16], 0);
    return true;
}

static bool write_measured(const struct lesson_input *in, struct writer *out) {
    (void)in;
    writer_fixed(out, CALC_FP8_SPEEDUP_LEAST, 2);
    writer_text(out, "–");
    writer_fixed(out, CALC_FP8_SPEEDUP_MOST, 2);
    return true;
}

/* Bytes of states a parameter, with Adam and by the ZeRO paper's count. */
static bool states(const char *precision, struct writer *out) {
    struct scenario one;
    struct message why;
    scenario_start(&one);
    bool ok = calc_option_set(&one, calc_option_index("params"), "1", &why) == STATUS_OK &&
              calc_option_set(&one, calc_option_index("precision"), precision, &why) == STATUS_OK &&
              scenario_resolve(&one, &one, &why) == STATUS_OK;
    if (ok) {
        writer_u64(out, calc_state_bytes_per_param(&one));
    }
    return ok;
}

static bool write_states8(const struct lesson_input *in, struct writer *out) {
    (void)in;
    return states("fp8", out);
}

static bool write_states16(const struct lesson_input *in, struct writer *out) {
    (void)in;
    return states("bf16", out);
}

static bool write_big(const struct lesson_input *in, struct writer *out) {
    rounding_number_write(out, formats_trial_of(in, formats_type(in)).value);
    return true;
}

static bool write_small(const struct lesson_input *in, struct writer *out) {
    rounding_number_write(out, formats_trial_of(in, formats_type(in)).update);
    return true;
}

static bool write_block(const struct lesson_input *in, struct writer *out) {
    (void)in;
    writer_u64(out, num_block_size(NUM_BLOCK_MX));
    return true;
}

static const struct {
    const char *name;
    bool (*write)(const struct lesson_input *in, struct writer *out);
} of_page[] = {
    {"type", write_type},
    {"fp8_peak_ratio", write_peak},
    {"fp8_measured", write_measured},
    {"fp8_states", write_states8},
    {"bf16_states", write_states16},
    {"big", write_big},
    {"small", write_small},
    {"block", write_block},
};

bool formats_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof of_page / sizeof of_page[0]; i++) {
        if (strcmp(name, of_page[i].name) == 0) {
            if (!of_page[i].write(in, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return format_figure(in, name, out);
}
