/* The numbers of the questions of the lesson *formats*: stored values, steps, limits and sums by num and calc, bytes with
 * their scales by num, days with FP8 by calc. Every maker fills the instance that the caller passes, from its seed alone.
 * The words are quiz.json's. Proof: tests/unit/lessons/test_questions.c. */
#include <math.h>
#include <stdio.h>

#include "../format_question_private.h"
#include "../run_question_private.h"
#include "formats_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/num/block.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* Formats that are taken for one another. */
static const enum num_type narrow[] = {NUM_BF16, NUM_FP16, NUM_E4M3, NUM_E5M2};
static const enum num_type other_of[NUM_TYPES] = {
    [NUM_BF16] = NUM_FP16, [NUM_FP16] = NUM_BF16, [NUM_E4M3] = NUM_E5M2, [NUM_E5M2] = NUM_E4M3};

/* --- Page 1: sign, exponent, mantissa --- */

/* A whole number that the format does not hold becomes one that it does. */
static enum status make_stored(uint64_t seed, struct instance *out, struct message *why) {
    static const int from[NUM_TYPES] = {
        [NUM_BF16] = 257, [NUM_FP16] = 2049, [NUM_E4M3] = 17, [NUM_E5M2] = 9};
    static const int range[NUM_TYPES] = {
        [NUM_BF16] = 3000, [NUM_FP16] = 14000, [NUM_E4M3] = 380, [NUM_E5M2] = 400};
    uint64_t dice = instance_dice(seed);
    enum num_type type = narrow[instance_pick(&dice, COUNT(narrow))];
    double value = from[type] + instance_pick(&dice, range[type]);
    while (format_stored(type, value, NUM_MODE_NEAREST) == value) {
        value++;
    }
    double right = format_stored(type, value, NUM_MODE_NEAREST);
    double cut = format_stored(type, value, NUM_MODE_TOWARD_ZERO), step = format_ulp(type, cut);
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    instance_figure_plain(out, "value", (uint64_t)value);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "cut", cut);
    instance_path_add(key, "up", cut + step);
    instance_path_add(key, "kept", value);
    instance_path_add(key, "other", format_stored(other_of[type], value, NUM_MODE_NEAREST));
    int m = num_format(type)->mantissa_bits;
    format_step_of(out, "Δ = 2^(k − m)", "2^(# − #)", (double[]){log2(step) + m, m}, step);
    format_step_of(out, "x / Δ", "# / #", (double[]){value, step}, value / step);
    format_step_of(out, "round(x / Δ) × Δ", "# × #", (double[]){right / step, step}, right);
    format_line(out, type, &value, 1);
    return STATUS_OK;
}

static enum status make_step(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    enum num_type type = narrow[instance_pick(&dice, COUNT(narrow))];
    bool eight = num_format(type)->bits == 8;
    int k = eight ? 1 + instance_pick(&dice, 7) : instance_pick(&dice, 19) - 5;
    double value = ldexp(4 + instance_pick(&dice, 4), k - 2);
    int m = num_format(type)->mantissa_bits;
    double step = format_ulp(type, value), one = num_limits(type).epsilon;
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    instance_figure_plain(out, "mantissa", (uint64_t)m);
    format_figure_exact(out, "value", value);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", step, 0.01);
    instance_path_add(key, "at-one", one);
    instance_path_add(key, "relative", one * value);
    instance_path_add(key, "half", step / 2);
    instance_path_add(key, "other", format_ulp(other_of[type], value));
    format_step_of(out, "k = ⌊log2 x⌋", "⌊log2 #⌋", &value, floor(log2(value)));
    format_step_of(out, "Δ = 2^(k − m)", "2^(# − #)", (double[]){k, m}, step);
    format_line(out, type, (double[]){value, value + step}, 2);
    return STATUS_OK;
}

/* From the bits of a format to where it ends at the small end. */
static enum status make_bits(uint64_t seed, struct instance *out, struct message *why) {
    static const struct {
        enum num_type type;
        const char *label;
    } asked[] = {{NUM_FP32, "FP32"}, {NUM_TF32, "TF32"}, {NUM_FP16, "FP16"}, {NUM_BF16, "BF16"},
                 {NUM_E4M3, "E4M3"}, {NUM_E5M2, "E5M2"}, {NUM_E3M2, "E3M2"}, {NUM_E2M3, "E2M3"}};
    uint64_t dice = instance_dice(seed);
    int i = instance_pick(&dice, COUNT(asked));
    const struct num_format *f = num_format(asked[i].type);
    struct num_limits limits = num_limits(asked[i].type);
    double normal = log2(limits.min_normal), tiny = log2(limits.min_subnormal),
           m = f->mantissa_bits;
    (void)why;
    instance_figure_text(out, "type", asked[i].label);
    instance_figure_plain(out, "e", (uint64_t)f->exponent_bits);
    instance_figure_plain(out, "m", (uint64_t)f->mantissa_bits);
    const double keys[] = {f->bias, normal, tiny, tiny - 1};
    for (int k = 0; k < COUNT(keys); k++) {
        (void)instance_key_add(out, ANSWER_COUNT, "", keys[k], 0);
    }
    format_step_of(out, "bias = 2^(e − 1) − 1", "2^(# − 1) − 1", (double[]){f->exponent_bits},
                   f->bias);
    format_step_of(out, "1 − bias", "1 − #", keys, normal);
    format_step_of(out, "1 − bias − m", "# − #", (double[]){normal, m}, tiny);
    format_step_of(out, "1 − bias − m − 1", "# − 1", (double[]){tiny}, tiny - 1);
    format_line(out, asked[i].type, (double[]){1}, 1);
    return STATUS_OK;
}

/* --- Page 2: range --- */

/* What other readings of the same bits would make the largest number of E4M3. */
static enum status make_e4m3(uint64_t seed, struct instance *out, struct message *why) {
    const struct calc_format as_ieee = {4, 3, true};
    double max = num_limits(NUM_E4M3).max;
    (void)seed, (void)why;
    format_figure_number(out, "max", max);
    format_figure_number(out, "ieee", calc_format_max(&as_ieee));
    format_figure_number(out, "all", max + format_ulp(NUM_E4M3, max));
    format_figure_number(out, "e5m2", num_limits(NUM_E5M2).max);
    format_line(out, NUM_E4M3, &max, 1);
    return STATUS_OK;
}

static enum status make_limits(uint64_t seed, struct instance *out, struct message *why) {
    static const enum num_type types[] = {NUM_E4M3, NUM_E5M2, NUM_FP16, NUM_BF16, NUM_FP32};
    (void)seed, (void)why;
    for (int i = 0; i < COUNT(types); i++) {
        char name[INSTANCE_NAME_MAX];
        (void)snprintf(name, sizeof name, "%s_max", num_format(types[i])->name);
        format_figure_number(out, name, num_limits(types[i]).max);
    }
    format_line(out, NUM_E5M2, (double[]){num_limits(NUM_E5M2).max}, 1);
    return STATUS_OK;
}

static enum status make_square(uint64_t seed, struct instance *out, struct message *why) {
    static const double sizes[] = {256, 272, 280, 288, 296,  300,  312,  320,  336, 352, 360,
                                   384, 400, 416, 448, 480,  500,  512,  576,  600, 640, 700,
                                   720, 768, 800, 900, 1000, 1024, 1200, 1500, 2000};
    uint64_t dice = instance_dice(seed);
    double x = format_pick(&dice, sizes, COUNT(sizes));
    (void)why;
    instance_figure_plain(out, "x", (uint64_t)x);
    instance_figure_count(out, "square", (uint64_t)(x * x));
    instance_figure_plain(out, "max", (uint64_t)num_limits(NUM_FP16).max);
    format_line(out, NUM_FP16, (double[]){x, x * x}, 2);
    return STATUS_OK;
}

/* --- Page 3: sums that stall --- */

static double stall(enum num_type type, double term) {
    struct calc_rounding r = format_asked(type).rounding;
    return calc_running_sum(&r, 0, term, UINT64_C(1) << (r.format.mantissa_bits + 4)).last;
}

static enum status make_stall(uint64_t seed, struct instance *out, struct message *why) {
    static const double terms[] = {0.0078125, 0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5,
                                   0.75,      1,        1.5,     2,      3,     4,    5,
                                   6,         7,        8,       10,     12};
    uint64_t dice = instance_dice(seed);
    enum num_type type = narrow[instance_pick(&dice, COUNT(narrow))];
    double term = format_pick(&dice, terms, COUNT(terms));
    double right = stall(type, term), step = format_ulp(type, right);
    int m = num_format(type)->mantissa_bits;
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    instance_figure_plain(out, "mantissa", (uint64_t)m);
    format_figure_exact(out, "term", term);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "whole-step", right / 2);
    instance_path_add(key, "product", ldexp(term, m + 1));
    instance_path_add(key, "max", num_limits(type).max);
    instance_path_add(key, "other", stall(other_of[type], term));
    format_step_of(out, "Δ = 2^(k − m)", "2^(# − #)", (double[]){log2(right), m}, step);
    format_step_of(out, "Δ / 2 ≥ a", "# / 2", (double[]){step}, step / 2);
    format_step_of(out, "S = 2^k", "2^#", (double[]){log2(right)}, right);
    format_line(out, type, (double[]){right, right + term}, 2);
    return STATUS_OK;
}

/* Two small numbers that are lost one by one and count together. */
static enum status make_association(uint64_t seed, struct instance *out, struct message *why) {
    static const double parts[] = {0.375, 0.4375, 0.5};
    uint64_t dice = instance_dice(seed);
    enum num_type type = narrow[instance_pick(&dice, 2)];
    int m = num_format(type)->mantissa_bits, up = instance_pick(&dice, 4);
    double step = ldexp(2, up);
    double big = ldexp(1, m + 1 + up) + 2 * step * instance_pick(&dice, 6);
    double small = step * format_pick(&dice, parts, COUNT(parts));
    double once = format_stored(type, big + small, NUM_MODE_NEAREST);
    double twice = format_stored(type, once + small, NUM_MODE_NEAREST);
    double both = format_stored(type, small + small, NUM_MODE_NEAREST);
    double together = format_stored(type, big + both, NUM_MODE_NEAREST);
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    format_figure_exact(out, "big", big);
    format_figure_exact(out, "small", small);
    format_figure_exact(out, "step", step);
    (void)instance_key_add(out, ANSWER_COUNT, "", once, 0);
    (void)instance_key_add(out, ANSWER_COUNT, "", twice, 0);
    (void)instance_key_add(out, ANSWER_COUNT, "", both, 0);
    (void)instance_key_add(out, ANSWER_COUNT, "", together, 0);
    format_step_of(out, "a + b", "# + #", (double[]){big, small}, once);
    format_step_of(out, "(a + b) + b", "# + #", (double[]){once, small}, twice);
    format_step_of(out, "b + b", "# + #", (double[]){small, small}, both);
    format_step_of(out, "a + (b + b)", "# + #", (double[]){big, both}, together);
    format_line(out, type, (double[]){big + small, big + both}, 2);
    return STATUS_OK;
}

/* --- Page 4: 8 bits and a scale --- */

static enum status make_scale(uint64_t seed, struct instance *out, struct message *why) {
    static const double sizes[] = {0.02, 0.035, 0.07, 0.14, 0.28, 0.5, 0.7, 0.9,
                                   1.4,  1.75,  3.5,  6,    12,   28,  56,  1120};
    uint64_t dice = instance_dice(seed);
    enum num_type type = narrow[2 + instance_pick(&dice, 2)];
    double most = format_pick(&dice, sizes, COUNT(sizes)), max = num_limits(type).max;
    const struct calc_format as_ieee = {4, 3, true};
    double scale = 0;
    struct num_block block = {.kind = NUM_BLOCK_TENSOR, .element = type, .scales = &scale};
    (void)why;
    num_block_encode(&block, &most, 1);
    instance_figure_text(out, "type", format_asked(type).label);
    format_figure_exact(out, "amax", most);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", max / most, 0.01);
    instance_path_add(key, "inverse", scale);
    instance_path_add(key, "other", num_limits(other_of[type]).max / most);
    if (type == NUM_E4M3) {
        instance_path_add(key, "ieee", calc_format_max(&as_ieee) / most);
    }
    format_step_of(out, "S = max / amax", "# / #", (double[]){max, most}, max / most);
    struct writer w;
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "format --type ");
    writer_text(&w, num_format(type)->name);
    writer_text(&w, " --block tensor ");
    writer_real(&w, most);
    return STATUS_OK;
}

/* A matrix in numbers of few bits, with the scales of its blocks. */
static enum status make_bytes(uint64_t seed, struct instance *out, struct message *why) {
    static const struct {
        const char *label;
        enum num_block_kind kind;
        enum num_type element;
    } asked[] = {{"MXFP8", NUM_BLOCK_MX, NUM_E4M3},
                 {"MXFP4", NUM_BLOCK_MX, NUM_E2M1},
                 {"NVFP4", NUM_BLOCK_NVFP4, NUM_E2M1}};
    static const double sides[] = {4096, 5120, 6144, 8192, 12288, 14336, 16384, 28672};
    uint64_t dice = instance_dice(seed);
    int i = instance_pick(&dice, COUNT(asked));
    double rows = format_pick(&dice, sides, COUNT(sides));
    double columns = format_pick(&dice, sides, COUNT(sides)), n = rows * columns;
    double bits = num_format(asked[i].element)->bits;
    size_t block = num_block_size(asked[i].kind),
           blocks = num_block_count(asked[i].kind, (size_t)n);
    double scale = num_format(num_block_scale_type(asked[i].kind))->bits / 8.0;
    double right = n * num_block_bits(asked[i].kind, asked[i].element) / 8;
    struct writer w;
    (void)why;
    instance_figure_text(out, "format", asked[i].label);
    instance_figure_plain(out, "rows", (uint64_t)rows);
    instance_figure_plain(out, "columns", (uint64_t)columns);
    instance_figure_plain(out, "bits", (uint64_t)bits);
    instance_figure_plain(out, "block", block);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "MB", right, 0.01);
    instance_path_add(key, "bare", n * bits / 8);
    instance_path_add(key, "wide", n * bits / 8 + (double)blocks * 4);
    instance_path_add(key, "bits", n * bits);
    struct instance_step *s = instance_step_add(out, ANSWER_BYTES, "MB", n * bits / 8);
    (void)snprintf(s->formula, sizeof s->formula, "n × b / 8");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.0f × %.0f × %.0f / 8", rows, columns,
                   bits);
    s = instance_step_add(out, ANSWER_BYTES, "MB", (double)blocks * scale);
    (void)snprintf(s->formula, sizeof s->formula, "n / B");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.0f × %.0f / %zu", rows, columns,
                   block);
    s = instance_step_add(out, ANSWER_BYTES, "MB", right);
    (void)snprintf(s->formula, sizeof s->formula, "n × (b + 8/B) / 8");
    (void)snprintf(s->substituted, sizeof s->substituted, "n × %g / 8",
                   num_block_bits(asked[i].kind, asked[i].element));
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "format --type ");
    writer_text(&w, num_format(asked[i].element)->name);
    writer_text(&w, " --block ");
    writer_text(&w, num_block_name(asked[i].kind));
    writer_text(&w, " 1 2 3");
    return STATUS_OK;
}

static const uint64_t billion = UINT64_C(1000000000), trillion = UINT64_C(1000000000000);

/* A run in FP8, of which more is known than the peak. */
static enum status make_days(uint64_t seed, struct instance *out, struct message *why) {
    static const double params[] = {7, 8, 13, 34, 70, 405}, tokens[] = {1, 2, 3, 5, 15};
    static const double gpus[] = {256, 512, 1024, 2048, 4096};
    uint64_t dice = instance_dice(seed);
    struct run_asked wide = {.card = &run_cards[RUN_H100], .mfu = 0.4};
    struct calc_flops flops;
    struct calc_run_cost in_bf16, in_fp8;
    wide.params = (uint64_t)format_pick(&dice, params, COUNT(params)) * billion;
    wide.tokens = (uint64_t)format_pick(&dice, tokens, COUNT(tokens)) * trillion;
    wide.gpus = (uint64_t)format_pick(&dice, gpus, COUNT(gpus));
    struct run_asked narrower = wide;
    narrower.fp8 = true;
    enum status ok = run_price(&wide, &flops, &in_bf16, why);
    ok = ok == STATUS_OK ? run_price(&narrower, &flops, &in_fp8, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    double peaks = wide.card->fp8_tflops / wide.card->bf16_tflops;
    run_figure_short(out, "params", wide.params);
    run_figure_short(out, "tokens", wide.tokens);
    instance_figure_plain(out, "gpus", wide.gpus);
    instance_figure_real(out, "peak", wide.card->bf16_tflops, 0);
    instance_figure_real(out, "mfu", 100 * wide.mfu, 0);
    instance_figure_real(out, "gain", CALC_FP8_SPEEDUP, 2);
    struct instance_key *key =
        instance_key_add(out, ANSWER_SECONDS, "d", in_fp8.days * 86400, 0.01);
    instance_path_add(key, "peak-ratio", in_bf16.days / peaks * 86400);
    instance_path_add(key, "no-gain", in_bf16.days * 86400);
    instance_path_add(key, "no-mfu", in_fp8.days * wide.mfu * 86400);
    instance_path_add(key, "forward", in_fp8.days / 3 * 86400);
    format_step_of(out, "6ΨD", "6 × # × #", (double[]){(double)wide.params, (double)wide.tokens},
                   in_fp8.total);
    struct instance_step *s = instance_step_add(out, ANSWER_SECONDS, "d", in_bf16.days * 86400);
    (void)snprintf(s->formula, sizeof s->formula, "T = 6ΨD / (n × P × MFU)");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.4g / (%.0f × %.0fe12 × %.2f)",
                   in_fp8.total, (double)wide.gpus, wide.card->bf16_tflops, wide.mfu);
    s = instance_step_add(out, ANSWER_SECONDS, "d", in_fp8.days * 86400);
    (void)snprintf(s->formula, sizeof s->formula, "T / g");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.4g / %.2f", in_bf16.days,
                   CALC_FP8_SPEEDUP);
    run_line(out, &narrower);
    return STATUS_OK;
}

/* Bytes of states a parameter with Adam, by the ZeRO paper's count. */
static enum status state_bytes(const char *precision, uint64_t *out, struct message *why) {
    struct scenario s;
    scenario_start(&s);
    enum status ok = calc_option_set(&s, calc_option_index("params"), "1", why);
    ok = ok == STATUS_OK ? calc_option_set(&s, calc_option_index("precision"), precision, why) : ok;
    ok = ok == STATUS_OK ? scenario_resolve(&s, &s, why) : ok;
    if (ok == STATUS_OK) {
        *out = calc_state_bytes_per_param(&s);
    }
    return ok;
}

static enum status make_recipe(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t half = 0, eight = 0;
    enum status ok = state_bytes("bf16", &half, why);
    ok = ok == STATUS_OK ? state_bytes("fp8", &eight, why) : ok;
    (void)seed;
    instance_figure_plain(out, "bf16_states", half);
    instance_figure_plain(out, "fp8_states", eight);
    instance_figure_real(out, "least", CALC_FP8_SPEEDUP_LEAST, 2);
    instance_figure_real(out, "most", CALC_FP8_SPEEDUP_MOST, 2);
    instance_figure_real(out, "peaks",
                         run_cards[RUN_H100].fp8_tflops / run_cards[RUN_H100].bf16_tflops, 0);
    format_figure_number(out, "e4m3_max", num_limits(NUM_E4M3).max);
    format_figure_number(out, "e5m2_max", num_limits(NUM_E5M2).max);
    run_line(out,
             &(struct run_asked){
                 .card = &run_cards[RUN_H100], .params = 7 * billion, .mfu = 0.4, .fp8 = true});
    return ok;
}

const struct instance_entry formats_makers[FORMATS_MAKERS] = {
    {"formats.value.stored", make_stored, true},
    {"formats.value.step", make_step, true},
    {"formats.bits.derive", make_bits, true},
    {"formats.range.e4m3", make_e4m3, false},
    {"formats.range.order", make_limits, false},
    {"formats.range.square", make_square, true},
    {"formats.sum.stall", make_stall, true},
    {"formats.sum.association", make_association, true},
    {"formats.fp8.scale", make_scale, true},
    {"formats.fp8.bytes", make_bytes, true},
    {"formats.fp8.days", make_days, true},
    {"formats.fp8.recipe", make_recipe, false},
};
