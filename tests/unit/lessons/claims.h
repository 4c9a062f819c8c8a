/* What decides the 26 statements of the source text (tests/vectors/claims.csv): a call of the calculators each, with the
 * numbers of the statement. Each fails the test when the calculators say otherwise. */
#ifndef UNIT_LESSONS_CLAIMS_H
#define UNIT_LESSONS_CLAIMS_H

#include <math.h>

#include "lesson_support.h"
#include "pipe_support.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/precision.h"
#include "shardlab/num/format.h"

#define SEVEN "--params 7B --convention zero-paper"
#define GPT3 "--layers 96 --hidden 12288 --heads 96 --vocab 51200 --seq 2048 --dropout yes"

static inline void near_to(double got, double want, double within) {
    ck_assert_msg(fabs(got - want) <= within, "%.6f, not %.6f", got, want);
}

static inline struct calc_memory memory_of(const char *line) {
    struct scenario s = scenario_of(line);
    struct calc_memory m;
    struct message why;
    ck_assert_msg(calc_memory_worst(&s, &m, &why) == STATUS_OK, "%s", line);
    return m;
}

static inline uint64_t part_of(const char *line, enum calc_part part) {
    return memory_of(line).part_bytes[part];
}

static inline uint64_t states_of(const char *line) {
    struct calc_memory m = memory_of(line);
    return m.part_bytes[CALC_PART_WEIGHTS] + m.part_bytes[CALC_PART_GRADIENTS] +
           m.part_bytes[CALC_PART_OPTIMIZER];
}

static inline struct calc_comm comm_of(const char *line) {
    struct scenario s = scenario_of(line);
    struct calc_comm c;
    struct message why;
    ck_assert_msg(calc_comm_step(&s, &c, &why) == STATUS_OK, "%s", line);
    return c;
}

static inline double sent_of(const char *line) {
    return (double)comm_of(line).total_sent_bytes;
}

/* Calls and bytes of one axis, and how far the farthest link of it reaches. */
struct axis_sum {
    uint64_t calls, bytes;
    enum calc_link link;
};

static inline struct axis_sum axis_of(const struct calc_comm *c, enum calc_axis axis) {
    struct axis_sum sum = {0, 0, CALC_LINK_NODE};
    for (int i = 0; i < c->row_count; i++) {
        if (c->rows[i].axis == axis) {
            sum.calls += c->rows[i].count;
            sum.bytes += c->rows[i].sent_bytes;
            sum.link = c->rows[i].link > sum.link ? c->rows[i].link : sum.link;
        }
    }
    return sum;
}

static inline double saving(const char *line, uint64_t stage, uint64_t ranks) {
    struct scenario s = scenario_of(line);
    return ranks == 0 ? calc_zero_saving_limit(&s, stage) : calc_zero_saving(&s, stage, ranks);
}

/* --- Memory ------------------------------------------------------------------------------------ */

static inline void decide_1(void) {
    near_to(saving(SEVEN, 1, 8), 2.91, 0.005);
    near_to(saving(SEVEN, 1, 64), 3.82, 0.005);
    near_to(saving(SEVEN, 1, 0), 4, 0);
    near_to(saving("--params 7B --convention megatron", 1, 0), 3, 0);
}

static inline void decide_2(void) {
    near_to(saving(SEVEN, 2, 8), 4.27, 0.005);
    near_to(saving(SEVEN, 2, 64), 7.21, 0.005);
    near_to(saving(SEVEN, 2, 0), 8, 0);
}

static inline void decide_3(void) {
    ck_assert_uint_eq(states_of(SEVEN " --dp 8 --zero 3") * 8, states_of(SEVEN));
    near_to(saving(SEVEN, 3, 1000), 1000, 1e-9);
    ck_assert_uint_eq(part_of(LLAMA " --dp 8 --zero 3", CALC_PART_ACTIVATIONS),
                      part_of(LLAMA, CALC_PART_ACTIVATIONS));
    ck_assert_uint_gt(part_of(LLAMA, CALC_PART_ACTIVATIONS), 0);
}

static inline void decide_7(void) {
    struct scenario plain = scenario_of(SEVEN);
    struct scenario fp32_gradient = scenario_of(SEVEN " --grad-bytes 4");
    struct scenario both = scenario_of(SEVEN " --grad-bytes 6");
    ck_assert_uint_eq(part_of(SEVEN, CALC_PART_OPTIMIZER), 12 * UINT64_C(7000000000));
    ck_assert_uint_eq(calc_state_bytes_per_param(&plain), 16);
    ck_assert_uint_eq(calc_state_bytes_per_param(&fp32_gradient), 18);
    ck_assert_uint_eq(calc_state_bytes_per_param(&both), 20);
}

static inline void decide_8(void) {
    ck_assert_uint_eq(states_of(SEVEN), UINT64_C(112000000000));
    near_to((double)states_of(SEVEN) / (1 << 30), 104.31, 0.005);
}

static inline void decide_9(void) {
    ck_assert_uint_eq(part_of(SEVEN, CALC_PART_GRADIENTS), UINT64_C(14000000000));
    ck_assert_uint_eq(part_of("--params 7B --convention megatron", CALC_PART_GRADIENTS),
                      UINT64_C(28000000000));
}

static inline void decide_13(void) {
    ck_assert_uint_eq(states_of(SEVEN " --dp 1024"), states_of(SEVEN));
    ck_assert_uint_eq(states_of(SEVEN " --dp 8"), 16 * UINT64_C(7000000000));
}

static inline void decide_16(void) {
    ck_assert_uint_eq(states_of(SEVEN " --precision fp32"), states_of(SEVEN " --precision bf16"));
    double full = (double)part_of(LLAMA " --precision fp32", CALC_PART_ACTIVATIONS);
    double half = (double)part_of(LLAMA " --precision bf16", CALC_PART_ACTIVATIONS);
    ck_assert_msg(half / full > 0.45 && half / full < 0.7, "%.3f", half / full);
}

static inline void decide_22(void) {
    const uint64_t card = UINT64_C(32000000000); /* a V100 of 32 GB, as listed */
    const char *alone = "--params 13B --convention deepspeed --zero 2";
    const char *offloaded = "--params 13B --convention deepspeed --zero 2 --offload optimizer";
    ck_assert_uint_gt(states_of(alone), card);
    ck_assert_uint_eq(states_of(offloaded), 2 * UINT64_C(13000000000));
    ck_assert_uint_lt(states_of(offloaded), card);
}

static inline void decide_25(void) {
    const enum calc_part part = CALC_PART_ACTIVATIONS;
    uint64_t one = part_of(LLAMA " --seq 4096", part);
    ck_assert_uint_eq(part_of(LLAMA " --seq 4096 --micro-batch 2", part), 2 * one);
    ck_assert_uint_eq(part_of(LLAMA " --seq 8192", part), 2 * one);
    /* a + b at s, 2a + 4b at 2s, 4a + 16b at 4s: the second difference is the quadratic part */
    uint64_t s1 = part_of(LLAMA " --seq 1024 --attention standard", part);
    uint64_t s2 = part_of(LLAMA " --seq 2048 --attention standard", part);
    uint64_t s4 = part_of(LLAMA " --seq 4096 --attention standard", part);
    ck_assert_uint_gt(s2, 2 * s1);
    ck_assert_uint_eq(s4 - 2 * s2, 4 * (s2 - 2 * s1));
}

static inline void decide_26(void) {
    uint64_t weights = part_of(SEVEN, CALC_PART_WEIGHTS);
    ck_assert_uint_eq(part_of(SEVEN, CALC_PART_OPTIMIZER), 6 * weights);
    ck_assert_uint_eq(states_of(SEVEN) - weights, 7 * weights);
}

/* --- Communication ----------------------------------------------------------------------------- */

static inline void decide_4(void) {
    double plain = sent_of(SEVEN " --dp 8");
    near_to(plain, 2.0 * 2 * 7e9 * 7 / 8, 0);
    near_to(sent_of(SEVEN " --dp 8 --zero 1") / plain, 1, 0);
    near_to(sent_of(SEVEN " --dp 8 --zero 1 --grad-bytes 4") /
                sent_of(SEVEN " --dp 8 --grad-bytes 4"),
            0.75, 1e-12);
}

static inline void decide_5(void) {
    double plain = sent_of(SEVEN " --dp 8");
    near_to(sent_of(SEVEN " --dp 8 --zero 2") / plain, 1, 0);
    near_to(sent_of(SEVEN " --dp 8 --zero 2 --micro-batches 4") /
                sent_of(SEVEN " --dp 8 --micro-batches 4"),
            2.5, 1e-12);
}

static inline void decide_6(void) {
    near_to(sent_of(SEVEN " --dp 8 --zero 3") / sent_of(SEVEN " --dp 8"), 1.5, 1e-12);
    near_to(sent_of(SEVEN " --dp 8 --zero 3 --micro-batches 4") /
                sent_of(SEVEN " --dp 8 --micro-batches 4"),
            6, 1e-12);
}

#define MEGATRON_175B                                                                              \
    "--layers 96 --hidden 12288 --heads 96 --vocab 51200 --seq 2048 --tp 8 --pp 8 --dp 24 "        \
    "--micro-batches 64 --convention zero-paper"
#define MT_NLG                                                                                     \
    "--layers 105 --hidden 20480 --heads 128 --vocab 51200 --seq 2048 --tp 8 --pp 35 --dp 8 "      \
    "--micro-batches 240 --convention zero-paper"

static inline void decide_12(void) {
    struct calc_comm a = comm_of(MEGATRON_175B);
    struct calc_comm b = comm_of(MT_NLG);
    uint64_t a_tp = axis_of(&a, CALC_AXIS_TP).bytes, a_pp = axis_of(&a, CALC_AXIS_PP).bytes;
    uint64_t b_tp = axis_of(&b, CALC_AXIS_TP).bytes, b_pp = axis_of(&b, CALC_AXIS_PP).bytes;
    ck_assert_uint_gt(a_tp, axis_of(&a, CALC_AXIS_DP).bytes);
    ck_assert_uint_gt(axis_of(&a, CALC_AXIS_DP).bytes, a_pp);
    ck_assert_uint_gt(b_tp, b_pp);
    ck_assert_uint_gt(b_pp, axis_of(&b, CALC_AXIS_DP).bytes);
}

static inline void decide_14(void) {
    struct calc_comm inside = comm_of(LLAMA " --tp 8");
    struct calc_comm across = comm_of(LLAMA " --tp 16");
    struct calc_comm domain = comm_of(LLAMA " --tp 16 --gpus-per-node 72");
    ck_assert_int_eq((int)axis_of(&inside, CALC_AXIS_TP).link, CALC_LINK_NODE);
    ck_assert_int_eq((int)axis_of(&across, CALC_AXIS_TP).link, CALC_LINK_NETWORK);
    ck_assert_int_eq((int)axis_of(&domain, CALC_AXIS_TP).link, CALC_LINK_NODE);
}

static inline void decide_15(void) {
    struct scenario s = scenario_of(MT_NLG);
    struct calc_comm c = comm_of(MT_NLG);
    ck_assert_uint_eq(s.layout.tp * s.layout.pp * s.layout.dp, 2240);
    for (int axis = CALC_AXIS_DP; axis <= CALC_AXIS_PP; axis++) {
        ck_assert_uint_gt(axis_of(&c, (enum calc_axis)axis).bytes, 0);
    }
}

/* The default mode is ZeRO-3; kept gathered, the backward gather goes, as in ZeRO-2. */
static inline void decide_21(void) {
    double volume = 2.0 * 7e9 * 7 / 8;
    ck_assert_uint_eq(states_of("--params 7B --convention fsdp --dp 8"),
                      16 * UINT64_C(7000000000) / 8);
    near_to(sent_of(SEVEN " --dp 8 --zero 3 --reshard yes"), 3 * volume, 0);
    near_to(sent_of(SEVEN " --dp 8 --zero 3 --reshard no"), 2 * volume, 0);
}

/* Collectives a layer and micro-batch: of TP those of the 32 layers alone, of ZeRO-3 of 33 units. */
static inline void decide_23(void) {
    struct calc_comm tensor = comm_of(LLAMA " --tp 8");
    struct calc_comm zero = comm_of(LLAMA " --dp 8 --zero 3 --convention zero-paper");
    uint64_t layers = 0;
    for (int i = 0; i < tensor.row_count; i++) {
        layers += strcmp(tensor.rows[i].id, "layers") == 0 ? tensor.rows[i].count : 0;
    }
    ck_assert_uint_eq(layers, 4 * 32);
    ck_assert_uint_eq(axis_of(&zero, CALC_AXIS_DP).calls, 3 * 33);
}

/* Under a pipeline ZeRO-2 reduces once for each micro-batch. */
static inline void decide_24(void) {
    const char *step = SEVEN " --pp 4 --dp 8 --zero 2 --micro-batches 8 --reduce boundary";
    const char *each = SEVEN " --pp 4 --dp 8 --zero 2 --micro-batches 8 --reduce every";
    struct calc_comm once = comm_of(step), often = comm_of(each);
    near_to((double)axis_of(&often, CALC_AXIS_DP).bytes /
                (double)axis_of(&once, CALC_AXIS_DP).bytes,
            (8 + 1) / 2.0, 1e-9);
}

/* --- Compute and pipeline ---------------------------------------------------------------------- */

static inline struct calc_flops flops_of(const char *line) {
    struct scenario s = scenario_of(line);
    struct calc_flops f;
    struct message why;
    ck_assert_msg(calc_flops_per_token(&s, &f, &why) == STATUS_OK, "%s", line);
    return f;
}

static inline void decide_10(void) {
    struct calc_flops full = flops_of(SEVEN " --recompute full");
    struct calc_flops some = flops_of(GPT3 " --attention standard --recompute selective");
    ck_assert_uint_eq(full.hardware * 3, full.model * 4);
    double more = (double)some.hardware / (double)some.model - 1;
    ck_assert_msg(more > 0.015 && more < 0.028, "%.4f", more);
}

static inline void decide_11(void) {
    struct ran one, all, more;
    struct pipe_request request = {.schedule = PIPE_1F1B, .ranks = 4, .micro_batches = 8};
    run_schedule(&one, &request, 1, 1, 1);
    request.schedule = PIPE_GPIPE;
    run_schedule(&all, &request, 1, 1, 1);
    request.micro_batches = 16;
    run_schedule(&more, &request, 1, 1, 1);
    ck_assert_uint_eq(one.run.makespan, all.run.makespan);
    ck_assert_uint_eq(one.run.makespan, (8 + 4 - 1) * 3);
    ck_assert_uint_eq(one.run.ranks[0].peak_until_b, 4);
    ck_assert_uint_eq(all.run.ranks[0].peak_until_b, 8);
    ck_assert_uint_eq(one.run.bubble.over * 11, one.run.bubble.under * 3);
    ck_assert_uint_eq(more.run.bubble.over * 19, more.run.bubble.under * 3);
    run_free(&one);
    run_free(&all);
    run_free(&more);
}

/* --- Number formats ---------------------------------------------------------------------------- */

static inline double round_to(enum num_type type, double value) {
    return num_encoded_value(type, num_encode(type, value, num_rounding_of(type)));
}

/* A small gradient is lost without a scale; one of ordinary size is not. */
static inline void decide_17(void) {
    const double small = ldexp(1, -27);
    ck_assert(round_to(NUM_FP16, small) == 0);
    ck_assert(round_to(NUM_FP16, small * 8) != 0);
    ck_assert(round_to(NUM_FP16, 0.0009765625) == 0.0009765625);
    ck_assert(round_to(NUM_BF16, small) != 0);
}

static inline void decide_18(void) {
    struct num_limits wide = num_limits(NUM_FP32), half = num_limits(NUM_BF16);
    ck_assert(half.min_normal == wide.min_normal && half.max > 0.99 * wide.max);
    ck_assert(num_limits(NUM_FP16).max == 65504);
    ck_assert(round_to(NUM_BF16, 1 + 1.0 / 257) == 1); /* below 1/256 it can vanish */
    ck_assert(round_to(NUM_BF16, 1.9921875 + 1.9921875 / 513) ==
              1.9921875); /* below 1/512 it must */
    ck_assert(round_to(NUM_BF16, 1.9921875 + 1.9921875 / 257) != 1.9921875); /* there it did not */
}

static inline void decide_19(void) {
    struct calc_rounding half = {.saturates = false}, wide = {.saturates = false};
    ck_assert(calc_format_find("bf16", &half.format) && calc_format_find("fp32", &wide.format));
    ck_assert(calc_running_sum(&half, 0, 1, 100000).last == 256);
    ck_assert(calc_running_sum(&wide, 0, 1, 100000).last == 100000);
}

/* One byte for a weight instead of two, and a step that gains less than the peak's factor of two. */
static inline void decide_20(void) {
    ck_assert(CALC_FP8_SPEEDUP > 1.2 && CALC_FP8_SPEEDUP < 2);
    ck_assert_uint_eq(2 * part_of(SEVEN " --precision fp8", CALC_PART_WEIGHTS),
                      part_of(SEVEN " --precision bf16", CALC_PART_WEIGHTS));
    ck_assert_uint_eq(part_of(SEVEN " --precision fp8", CALC_PART_OPTIMIZER),
                      part_of(SEVEN " --precision bf16", CALC_PART_OPTIMIZER));
}

#endif
