/* The rows of vectors_papers.csv about operations, days and utilisation: each becomes a scenario and a run, and the
 * answer is read from calc_flops_* and calc_run_price. Included by test_papers.c only. */
#ifndef UNIT_CALC_PAPERS_FLOPS_H
#define UNIT_CALC_PAPERS_FLOPS_H

#include <stdlib.h>

#include "calc_support.h"
#include "shardlab/calc/flops.h"
#include "support/reference.h"

static double number_of(const struct inputs *in, const char *key) {
    ck_assert_msg(inputs_get(in, key)[0] != '\0', "the row has no %s", key);
    return strtod(inputs_get(in, key), NULL);
}

static struct calc_flops flops_of(const struct scenario *s) {
    struct calc_flops f;
    struct message why;
    must_hold(calc_flops_per_token(s, &f, &why) == STATUS_OK, "%s", message_line(&why));
    return f;
}

static struct calc_run_cost priced(const struct scenario *s, const struct calc_run *run) {
    struct calc_flops f = flops_of(s);
    struct calc_run_cost cost;
    calc_run_price(&f, run, &cost);
    return cost;
}

/* A GPT of the row's sizes. The number of heads changes no count of theirs. */
static struct scenario gpt_of(const struct inputs *in, const char *more) {
    const char *v = inputs_get(in, "v")[0] != '\0' ? inputs_get(in, "v") : inputs_get(in, "V");
    return legal_of("--layers %s --hidden %s --heads 128 --vocab %s --seq %s" GPT_BLOCK "%s",
                    inputs_get(in, "layers")[0] != '\0' ? inputs_get(in, "layers")
                                                        : inputs_get(in, "L"),
                    inputs_get(in, "h"), v, inputs_get(in, "s"), more);
}

/* One step as measured. */
static struct calc_run step_of(const struct inputs *in, const struct scenario *s) {
    return (struct calc_run){.gpus = (uint64_t)number_of(in, "gpus"),
                             .step_tokens = (uint64_t)number_of(in, "batch") * s->batch.seq,
                             .step_s = number_of(in, "iter_s")};
}

static bool kor_mfu_pct(const struct inputs *in, double *out) {
    struct scenario s = gpt_of(in, "");
    struct calc_run run = step_of(in, &s);
    run.peak_per_s = number_of(in, "peak_tflops") * 1e12;
    *out = 100.0 * priced(&s, &run).mfu;
    return true;
}

static bool kor_hfu_pct_selective(const struct inputs *in, double *out) {
    struct scenario s = gpt_of(in, " --recompute selective");
    struct calc_run run = step_of(in, &s);
    run.peak_per_s = number_of(in, "peak_tflops") * 1e12;
    *out = 100.0 * priced(&s, &run).hfu;
    return true;
}

static bool kor_selective_flops_overhead_pct(const struct inputs *in, double *out) {
    struct scenario s = gpt_of(in, " --recompute selective");
    struct calc_flops f = flops_of(&s);
    *out = 100.0 * ((double)f.hardware / (double)f.model - 1.0);
    return true;
}

/* Two step times of one job: its MFU rises by what its throughput gains. */
static bool kor_throughput_gain_pct(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 175B");
    struct calc_run slow = {
        .gpus = 64, .step_tokens = 1024, .step_s = number_of(in, "full_s"), .peak_per_s = 312e12};
    struct calc_run fast = slow;
    fast.step_s = number_of(in, "present_s");
    *out = 100.0 * (priced(&s, &fast).mfu / priced(&s, &slow).mfu - 1.0);
    return true;
}

static bool perf_gain_pct(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 8B");
    struct calc_run slow = {.tokens_per_s = number_of(in, "base"), .peak_per_s = 989e12};
    struct calc_run fast = slow;
    fast.tokens_per_s = number_of(in, "new");
    *out = 100.0 * (priced(&s, &fast).mfu / priced(&s, &slow).mfu - 1.0);
    return true;
}

static bool perf_pct_of_peak(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1B");
    struct calc_run run = {.hardware_per_s = number_of(in, "tflops") * 1e12,
                           .peak_per_s = number_of(in, "peak") * 1e12};
    *out = 100.0 * priced(&s, &run).hfu;
    return true;
}

/* By the time that the cluster needs for one token of 10^15 operations. */
static bool perf_aggregate_pflops(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1T");
    struct calc_run run = {.tokens = 1,
                           .gpus = (uint64_t)number_of(in, "gpus"),
                           .hardware_per_s = number_of(in, "tflops") * 1e12};
    struct calc_run_cost cost = priced(&s, &run);
    *out = cost.total_hardware / (cost.days * 86400.0) / 1e15;
    return true;
}

static bool perf_tflops_ckpt(const struct inputs *in, double *out) {
    struct scenario s = gpt_of(in, " --recompute full");
    struct calc_run run = step_of(in, &s);
    *out = priced(&s, &run).hardware_per_s / 1e12;
    return true;
}

static struct calc_run days_of(const struct inputs *in) {
    return (struct calc_run){.tokens = (uint64_t)(number_of(in, "tokens_b") * 1e9),
                             .gpus = (uint64_t)number_of(in, "gpus"),
                             .hardware_per_s = number_of(in, "tflops") * 1e12};
}

static bool train_days_full_flops(const struct inputs *in, double *out) {
    struct scenario s = gpt_of(in, " --recompute full");
    struct calc_run run = days_of(in);
    *out = priced(&s, &run).days;
    return true;
}

static bool train_days_8tp(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params %sB --recompute full", inputs_get(in, "params_b"));
    struct calc_run run = days_of(in);
    *out = priced(&s, &run).days;
    return true;
}

static bool train_flops_6nd(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params %sB", inputs_get(in, "params_b"));
    struct calc_run run = {.tokens = (uint64_t)(number_of(in, "tokens_b") * 1e9)};
    *out = priced(&s, &run).total;
    return true;
}

/* One machine of 10^15 FLOP/s. */
static bool train_pf_days(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params %sB", inputs_get(in, "params_b"));
    struct calc_run run = {
        .tokens = (uint64_t)(number_of(in, "tokens_b") * 1e9), .gpus = 1, .hardware_per_s = 1e15};
    *out = priced(&s, &run).days;
    return true;
}

/* One layer, in s·b·h²; the head stands outside. */
static bool zb_flops_coef(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--layers 1 --hidden %s --heads 1 --vocab 1000 --seq %s" GPT_BLOCK,
                                 inputs_get(in, "h"), inputs_get(in, "s"));
    struct calc_flops_stage f;
    struct message why;
    ck_assert_int_eq(calc_flops_on_stage(&s, 0, &f, &why), STATUS_OK);
    double head = f.forward - f.layers_forward;
    double pass = inputs_is(in, "pass_", "F")   ? f.forward
                  : inputs_is(in, "pass_", "B") ? f.input_grad
                                                : f.weight_grad;
    double h = number_of(in, "h");
    *out = (pass - head) / (number_of(in, "s") * h * h);
    return true;
}

/* A model whose attention is not counted: 8Ψ over 6Ψ. */
static bool ckpt_hfu_over_mfu(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 70B --recompute full");
    struct calc_run run = {.hardware_per_s = number_of(in, "hfu") * 1e12, .peak_per_s = 1e14};
    struct calc_run_cost cost = priced(&s, &run);
    ck_assert_msg(fabs(100.0 * cost.mfu - number_of(in, "mfu")) < 0.01, "MFU %.4f", cost.mfu);
    *out = cost.hfu / cost.mfu;
    return true;
}

#define PAPERS_FLOPS_CLASSES                                                                       \
    {"kor.mfu_pct", kor_mfu_pct}, {"kor.hfu_pct_selective", kor_hfu_pct_selective},                \
        {"kor.selective_flops_overhead_pct", kor_selective_flops_overhead_pct},                    \
        {"kor.throughput_gain_pct", kor_throughput_gain_pct}, {"perf.gain_pct", perf_gain_pct},    \
        {"perf.pct_of_peak", perf_pct_of_peak}, {"perf.aggregate_pflops", perf_aggregate_pflops},  \
        {"perf.tflops_from_iter_time_ckpt", perf_tflops_ckpt},                                     \
        {"train.days_full_flops", train_days_full_flops}, {"train.days_8TP", train_days_8tp},      \
        {"train.flops_6ND", train_flops_6nd}, {"train.pf_days", train_pf_days},                    \
        {"zb.flops_coef", zb_flops_coef}, {                                                        \
        "ckpt.hfu_over_mfu", ckpt_hfu_over_mfu                                                     \
    }

#endif
