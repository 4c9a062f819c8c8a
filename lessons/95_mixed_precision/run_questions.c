/* The numbers of the question why BF16 is used for large models, of what an interviewer asks next, and of those on whole
 * runs: limits by num, sums by calc, days and utilisation by calc/flops.h. Called through the table in questions.c; the
 * words are quiz.json's. Proof: tests/unit/lessons/test_questions.c. */
#include <math.h>
#include <stdio.h>

#include "mixed_questions_private.h"

/* --- Why BF16 --- */

enum status mixed_make_ranges(uint64_t seed, struct instance *out, struct message *why) {
    struct num_limits fp16 = num_limits(NUM_FP16), bf16 = num_limits(NUM_BF16);
    (void)seed, (void)why;
    format_figure_number(out, "fp16_max", fp16.max);
    format_figure_number(out, "bf16_max", bf16.max);
    format_figure_power(out, "fp16_tiny", fp16.min_subnormal);
    format_figure_power(out, "fp16_zero", fp16.min_subnormal / 2);
    format_figure_power(out, "fp16_step", fp16.epsilon);
    format_figure_power(out, "bf16_step", bf16.epsilon);
    instance_figure_plain(out, "fp16_e", (uint64_t)num_format(NUM_FP16)->exponent_bits);
    instance_figure_plain(out, "bf16_e", (uint64_t)num_format(NUM_BF16)->exponent_bits);
    instance_figure_plain(out, "fp16_m", (uint64_t)num_format(NUM_FP16)->mantissa_bits);
    instance_figure_plain(out, "bf16_m", (uint64_t)num_format(NUM_BF16)->mantissa_bits);
    instance_figure_plain(out, "bytes", (uint64_t)num_format(NUM_BF16)->bits / 8);
    instance_figure_plain(out, "coarser", (uint64_t)(bf16.epsilon / fp16.epsilon));
    format_figure_number(out, "stall", 2 / bf16.epsilon);
    format_figure_number(out, "e4m3_max", num_limits(NUM_E4M3).max);
    format_figure_number(out, "e5m2_max", num_limits(NUM_E5M2).max);
    format_line(out, NUM_BF16, (double[]){fp16.max, fp16.min_subnormal / 2, 1 + fp16.epsilon}, 3);
    return STATUS_OK;
}

enum status mixed_make_first_scale(uint64_t seed, struct instance *out, struct message *why) {
    double max = num_limits(NUM_FP16).max;
    (void)seed, (void)why;
    instance_figure_plain(out, "first", MIXED_TORCH_SCALE);
    format_figure_number(out, "max", max);
    format_line(out, NUM_FP16, (double[]){0.5 * MIXED_TORCH_SCALE, MIXED_TORCH_SCALE}, 2);
    return STATUS_OK;
}

/* The norm that the optimizer sees when what is clipped still carries the scale. */
enum status mixed_make_clip(uint64_t seed, struct instance *out, struct message *why) {
    static const double norms[] = {0.4, 0.6, 0.8, 1.5, 2.5, 4, 6}, limits[] = {0.5, 0.8, 1, 1.2, 2};
    uint64_t dice = instance_dice(seed);
    double norm = format_pick(&dice, norms, MIXED_COUNT(norms));
    double limit = format_pick(&dice, limits, MIXED_COUNT(limits));
    double scale = ldexp(1, 8 + instance_pick(&dice, 9)), right = limit / scale;
    (void)why;
    format_figure_exact(out, "norm", norm);
    format_figure_exact(out, "limit", limit);
    instance_figure_plain(out, "scale", (uint64_t)scale);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0.01);
    instance_path_add(key, "limit", limit);
    instance_path_add(key, "untouched", norm);
    instance_path_add(key, "twice", limit / (norm * scale));
    format_step_of(out, "S × |g|", "# × #", (double[]){scale, norm}, scale * norm);
    format_step_of(out, "min(S × |g|, c)", "min(#, #)", (double[]){scale * norm, limit}, limit);
    format_step_of(out, "c / S", "# / #", (double[]){limit, scale}, right);
    return STATUS_OK;
}

/* What arrives of a sum over many ranks that is rounded at every addition. */
enum status mixed_make_reduce(uint64_t seed, struct instance *out, struct message *why) {
    static const double terms[] = {0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5, 3};
    static const int ranks[] = {640,  768,  896,  1024, 1152, 1280,
                                1536, 1792, 2048, 2560, 3072, 4096};
    uint64_t dice = instance_dice(seed);
    struct calc_rounding bf16 = rounding_of("bf16"), fp16 = rounding_of("fp16");
    double term = format_pick(&dice, terms, MIXED_COUNT(terms));
    int count = ranks[instance_pick(&dice, MIXED_COUNT(ranks))];
    double exact = term * count, sum = calc_running_sum(&bf16, 0, term, (uint64_t)count).last;
    double finer = calc_running_sum(&fp16, 0, term, (uint64_t)count).last;
    (void)why;
    format_figure_exact(out, "term", term);
    instance_figure_plain(out, "ranks", (uint64_t)count);
    struct instance_key *key = instance_key_add(out, ANSWER_SHARE, "%", sum / exact, 0.01);
    instance_path_add(key, "all", 1);
    instance_path_add(key, "whole-step", sum / 2 / exact);
    instance_path_add(key, "fp16", finer / exact);
    format_step_of(out, "n × g", "# × #", (double[]){count, term}, exact);
    format_step_of(out, "2^k: 2^(k − m) / 2 ≥ g", "2^#", (double[]){log2(sum)}, sum);
    struct instance_step *s = instance_step_add(out, ANSWER_SHARE, "%", sum / exact);
    (void)snprintf(s->formula, sizeof s->formula, "2^k / (n × g)");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.6g / %.6g", sum, exact);
    format_line(out, NUM_BF16, (double[]){sum, sum + term}, 2);
    return STATUS_OK;
}

/* --- Whole runs --- */

static const uint64_t billion = UINT64_C(1000000000), trillion = UINT64_C(1000000000000);

enum status mixed_make_days(uint64_t seed, struct instance *out, struct message *why) {
    static const double params[] = {3, 7, 8, 13, 34, 70, 180}, tokens[] = {1, 2, 3, 5, 10, 15};
    static const double gpus[] = {128, 256, 512, 1024, 2048, 4096}, mfus[] = {0.35, 0.4, 0.45, 0.5};
    uint64_t dice = instance_dice(seed);
    struct run_asked run = {.card = &run_cards[instance_pick(&dice, RUN_CARDS)]};
    struct calc_flops flops;
    struct calc_run_cost cost;
    run.params = (uint64_t)format_pick(&dice, params, MIXED_COUNT(params)) * billion;
    run.tokens = (uint64_t)format_pick(&dice, tokens, MIXED_COUNT(tokens)) * trillion;
    run.gpus = (uint64_t)format_pick(&dice, gpus, MIXED_COUNT(gpus));
    run.mfu = format_pick(&dice, mfus, MIXED_COUNT(mfus));
    enum status ok = run_price(&run, &flops, &cost, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    double seconds = cost.days * 86400;
    run_figure_short(out, "params", run.params);
    run_figure_short(out, "tokens", run.tokens);
    instance_figure_plain(out, "gpus", run.gpus);
    instance_figure_text(out, "gpu", run.card->label);
    instance_figure_real(out, "peak", run.card->bf16_tflops, 0);
    instance_figure_real(out, "mfu", 100 * run.mfu, 0);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "d", seconds, 0.01);
    instance_path_add(key, "no-mfu", seconds * run.mfu);
    instance_path_add(key, "forward", seconds / 3);
    instance_path_add(key, "sparse", seconds / 2);
    instance_path_add(key, "recomputed", seconds * 4 / 3);
    format_step_of(out, "6ΨD", "6 × # × #", (double[]){(double)run.params, (double)run.tokens},
                   cost.total);
    format_step_of(out, "n × P × MFU", "# × #e12 × #",
                   (double[]){(double)run.gpus, run.card->bf16_tflops, run.mfu},
                   (double)run.gpus * cost.hardware_per_s);
    struct instance_step *s = instance_step_add(out, ANSWER_SECONDS, "d", seconds);
    (void)snprintf(s->formula, sizeof s->formula, "6ΨD / (n × P × MFU)");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.4g / %.4g s", cost.total,
                   (double)run.gpus * cost.hardware_per_s);
    run_line(out, &run);
    return STATUS_OK;
}

/* Measured tokens, with everything computed again in backward. */
enum status mixed_make_mfu(uint64_t seed, struct instance *out, struct message *why) {
    static const double params[] = {3, 7, 8, 13, 34, 70};
    uint64_t dice = instance_dice(seed);
    struct run_asked run = {.card = &run_cards[instance_pick(&dice, RUN_CARDS)], .recompute = true};
    struct calc_flops flops;
    struct calc_run_cost cost;
    run.params = (uint64_t)format_pick(&dice, params, MIXED_COUNT(params)) * billion;
    double use = 0.3 + 0.01 * instance_pick(&dice, 26), peak = run.card->bf16_tflops * 1e12;
    double tens = use * peak / (60.0 * (double)run.params);
    run.tokens_per_s = 10 * round(tens > 1 ? tens : 1);
    enum status ok = run_price(&run, &flops, &cost, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    run_figure_short(out, "params", run.params);
    instance_figure_text(out, "gpu", run.card->label);
    instance_figure_real(out, "peak", run.card->bf16_tflops, 0);
    instance_figure_count(out, "rate", (uint64_t)run.tokens_per_s);
    struct instance_key *key = instance_key_add(out, ANSWER_SHARE, "%", cost.mfu, 0.01);
    instance_path_add(key, "hfu", cost.hfu);
    instance_path_add(key, "forward", cost.mfu / 3);
    instance_path_add(key, "sparse", cost.mfu / 2);
    format_step_of(out, "6Ψ × R", "6 × # × #", (double[]){(double)run.params, run.tokens_per_s},
                   cost.model_per_s);
    struct instance_step *s = instance_step_add(out, ANSWER_SHARE, "%", cost.mfu);
    (void)snprintf(s->formula, sizeof s->formula, "6Ψ × R / P");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.4g / %.4g", cost.model_per_s, peak);
    run_line(out, &run);
    return STATUS_OK;
}
