/* Activations: the closed forms of the contract as literal coefficients, operator by operator, and how tensor,
 * sequence, context and pipeline parallelism, recompute and precision change them. Expected values are written as
 * arithmetic on the dimensions in the option line, never by calling the code under test. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

/* s 64, b 2, h 128, a 8, k 8, d 16, f 512 plain; gated: k 2, f 384. The last stage adds 4sbh: taken off. */
#define PLAIN                                                                                      \
    "--layers 1 --hidden 128 --heads 8 --vocab 1000 --seq 64 --micro-batch 2 --norm layer "
#define GATED                                                                                      \
    "--layers 1 --hidden 128 --heads 8 --kv-heads 2 --ffn 384 --vocab 1000 --seq 64 "              \
    "--micro-batch 2 "
enum { S = 64, B = 2, H = 128, A = 8, KD = 32, F = 384 };

static const struct {
    const char *line;
    uint64_t bytes;
} layers[] = {
    /* a GPT block: 34, 32 and the scores 5as, 2as, or statistics 4a */
    {PLAIN "--attention standard --dropout", S *B *(34 * H + 5 * A * S)},
    {PLAIN "--attention standard", S *B *(32 * H + 2 * A * S)},
    {PLAIN "--attention flash --dropout", S *B *(34 * H + 4 * A)},
    {PLAIN "--attention flash", S *B *(32 * H + 4 * A)},
    /* a gated block with GQA: 12h + 4kd + 6f + 4a */
    {GATED, S *B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--dropout", S *B *(14 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--attention standard", S *B *(12 * H + 4 * KD + 6 * F + 2 * A * S)},
    {GATED "--attention standard --dropout", S *B *(14 * H + 4 * KD + 6 * F + 5 * A * S)},
    /* the kind of norm does not matter, their number does; norms on q and k keep their inputs */
    {GATED "--norm layer", S *B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--norms 4", S *B *(16 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--qk-norm", S *B *(12 * H + 2 * H + 2 * KD + 4 * KD + 6 * F + 4 * A)},
    /* heads × head size that is not the hidden width: q and output are a·d wide */
    {GATED "--head-dim 32", S *B *(8 * H + 4 * 256 + 4 * 64 + 6 * F + 4 * A)},
    /* selective drops as² and nothing else, and changes nothing with flash */
    {PLAIN "--attention standard --dropout --recompute selective", S *B * 34 * H},
    {PLAIN "--attention standard --recompute selective", S *B * 32 * H},
    {PLAIN "--attention flash --recompute selective", S *B *(32 * H + 4 * A)},
    /* tp 4: 10 + 24/t; the rest is whole */
    {PLAIN "--attention standard --dropout --tp 4", S *B *(10 * H + 24 * H / 4 + 5 * A * S / 4)},
    {PLAIN "--attention standard --tp 4", S *B *(8 * H + 24 * H / 4 + 2 * A * S / 4)},
    {PLAIN "--tp 4", S *B *(8 * H + 24 * H / 4 + 4 * A / 4)},
    /* sequence parallel divides all of it, and is nothing at tp 1 */
    {PLAIN "--attention standard --dropout --tp 4 --sequence-parallel",
     S *B *(34 * H + 5 * A * S) / 4},
    {PLAIN "--attention standard --dropout --sequence-parallel", S *B *(34 * H + 5 * A * S)},
    {GATED "--tp 2 --sequence-parallel", S *B *(12 * H + 4 * KD + 6 * F + 4 * A) / 2},
    /* two kv heads on four ranks: each holds one of 16 */
    {GATED "--tp 4", S *B *(8 * H + 4 * H / 4 + 4 * 16 + 6 * F / 4 + 4 * A / 4)},
    /* cp 4: s/cp everywhere but the second s of as² */
    {PLAIN "--attention standard --dropout --cp 4", S / 4 * B *(34 * H + 5 * A * S)},
    {GATED "--cp 4", S / 4 * B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--cp 4 --tp 2 --sequence-parallel", S / 8 * B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    /* 64 tokens on 6 ranks: rank 0 holds 11; 11 on 4: 3 */
    {GATED "--cp 6", 11 * B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--cp 6 --tp 4 --sequence-parallel",
     B *(3 * 8 * H + 11 * (4 * H / 4 + 4 * 16 + 6 * F / 4 + 4 * A / 4))},
    /* fp32: every element twice as wide; masks stay 1 byte, statistics 4 */
    {PLAIN "--precision fp32", S *B *(64 * H + 4 * A)},
    {PLAIN "--precision fp32 --dropout", S *B *(64 * H + 2 * H + 4 * A)},
    {PLAIN "--precision fp32 --attention standard --dropout", S *B *(66 * H + 9 * A * S)},
    {GATED "--precision fp32", S *B *(24 * H + 8 * KD + 12 * F + 4 * A)},
    {GATED "--precision fp16", S *B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    /* the convention changes nothing in a layer */
    {GATED "--convention megatron", S *B *(12 * H + 4 * KD + 6 * F + 4 * A)},
    {GATED "--convention deepspeed", S *B *(12 * H + 4 * KD + 6 * F + 4 * A)},
};

START_TEST(a_layer_keeps_what_its_operators_need) {
    struct scenario s = legal_of("%s", layers[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(m.activations_known);
    ck_assert_msg(layers_kept_of(&m) == layers[_i].bytes, "%s: %ju, not %ju", layers[_i].line,
                  (uintmax_t)layers_kept_of(&m), (uintmax_t)layers[_i].bytes);
}
END_TEST

START_TEST(a_gpt_3_block_with_dropout_keeps_114_sbh) {
    struct scenario s = legal_of(GPT3 " --layers 1");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(layers_kept_of(&m), UINT64_C(114) * 2048 * 12288);
    struct scenario all = legal_of(GPT3 " --micro-batch 4");
    m = memory_of(&all, 0);
    ck_assert_uint_eq(layers_kept_of(&m), UINT64_C(96) * 114 * 2048 * 4 * 12288);
}
END_TEST

START_TEST(llama_2_7b_keeps_17_33_gb_and_17_86_with_megatrons_logits) {
    struct scenario s = legal_of(LLAMA_7B " --seq 4096");
    ck_assert_uint_eq(memory_of(&s, 0).part_bytes[CALC_PART_ACTIVATIONS], UINT64_C(17330864128));
    struct scenario m = legal_of(LLAMA_7B " --seq 4096 --convention megatron");
    ck_assert_uint_eq(memory_of(&m, 0).part_bytes[CALC_PART_ACTIVATIONS], UINT64_C(17855152128));
}
END_TEST

/* --- Full recompute --------------------------------------------------------------------------------------------- */

START_TEST(full_recompute_keeps_inputs_and_one_working_layer) {
    struct scenario none = legal_of(GATED "--layers 6 --attention standard --dropout");
    struct scenario full =
        legal_of(GATED "--layers 6 --attention standard --dropout --recompute full");
    struct calc_memory before = memory_of(&none, 0), after = memory_of(&full, 0);
    ck_assert_uint_eq(term_of(&after, "activations.checkpoints"), 6 * 2 * S * B * H);
    ck_assert_uint_eq(term_of(&after, "activations.working_layer"), layers_kept_of(&before) / 6);
    ck_assert_uint_eq(term_of(&after, "activations.ffn"), 0);
    ck_assert_uint_eq(term_of(&after, "activations.head"), term_of(&before, "activations.head"));
}
END_TEST

START_TEST(full_recompute_keeps_inputs_of_every_micro_batch_in_flight) {
    struct scenario s = legal_of(GATED "--layers 8 --pp 4 --micro-batches 16 --recompute full");
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct calc_memory m = memory_of(&s, stage);
        ck_assert_uint_eq(term_of(&m, "activations.checkpoints"), (4 - stage) * 2 * 2 * S * B * H);
        ck_assert_uint_eq(term_of(&m, "activations.working_layer"),
                          S * B * (12 * H + 4 * KD + 6 * F + 4 * A));
    }
}
END_TEST

START_TEST(only_sequence_parallel_divides_the_inputs_kept) {
    struct scenario tp = legal_of(PLAIN "--recompute full --tp 4");
    struct scenario sp = legal_of(PLAIN "--recompute full --tp 4 --sequence-parallel");
    struct calc_memory whole = memory_of(&tp, 0), divided = memory_of(&sp, 0);
    ck_assert_uint_eq(term_of(&whole, "activations.checkpoints"), 2 * S * B * H);
    ck_assert_uint_eq(term_of(&divided, "activations.checkpoints"), 2 * S * B * H / 4);
}
END_TEST

/* --- Micro-batches in flight ------------------------------------------------------------------------------------- */

static const struct {
    const char *line;
    uint64_t in_flight[4];
} flights[] = {
    /* 1f1b: min(M, p - q); M is 4·pp where it is not given */
    {"--pp 4", {4, 3, 2, 1}},
    {"--pp 4 --micro-batches 2", {2, 2, 2, 1}},
    {"--pp 4 --micro-batches 1", {1, 1, 1, 1}},
    {"--pp 4 --schedule gpipe", {16, 16, 16, 16}},
    {"--pp 4 --schedule gpipe --micro-batches 5", {5, 5, 5, 5}},
    /* interleaved: min(M·V, 2(p-1-q) + (V-1)p + 1) chunks */
    {"--pp 4 --chunks 2 --micro-batches 8", {11, 9, 7, 5}},
    {"--pp 4 --schedule interleaved --micro-batches 8", {11, 9, 7, 5}},
    {"--pp 4 --chunks 3 --micro-batches 8", {15, 13, 11, 9}},
    {"--pp 4 --chunks 2 --micro-batches 4", {8, 8, 7, 5}},
    {"--pp 1", {1, 0, 0, 0}},
    {"--pp 1 --micro-batches 8", {1, 0, 0, 0}},
    {"--pp 1 --micro-batches 8 --schedule gpipe", {8, 0, 0, 0}},
};

START_TEST(a_stage_holds_the_micro_batches_of_its_schedule) {
    struct scenario s = legal_of(GATED "--layers 24 %s", flights[_i].line);
    for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
        struct calc_memory m = memory_of(&s, stage);
        ck_assert_msg(m.in_flight == flights[_i].in_flight[stage], "%s, stage %ju: %ju in flight",
                      flights[_i].line, (uintmax_t)stage, (uintmax_t)m.in_flight);
        uint64_t layer = S * B * (12 * H + 4 * KD + 6 * F + 4 * A);
        uint64_t held = m.in_flight * m.layers / s.layout.chunks;
        ck_assert_msg(layers_kept_of(&m) == held * layer, "%s, stage %ju: %ju bytes",
                      flights[_i].line, (uintmax_t)stage, (uintmax_t)layers_kept_of(&m));
    }
}
END_TEST

/* The first stage keeps as much as the whole model on one GPU, whatever pp. */
START_TEST(the_first_stage_does_not_profit_from_more_stages) {
    struct scenario one = legal_of(GATED "--layers 24");
    struct calc_memory m = memory_of(&one, 0);
    uint64_t all = layers_kept_of(&m);
    for (int pp = 2; pp <= 24; pp++) {
        if (24 % pp == 0) {
            struct scenario s = legal_of(GATED "--layers 24 --pp %d", pp);
            m = memory_of(&s, 0);
            ck_assert_msg(layers_kept_of(&m) == all, "pp %d: %ju", pp,
                          (uintmax_t)layers_kept_of(&m));
        }
    }
}
END_TEST

START_TEST(an_uneven_stage_keeps_its_own_layers) {
    static const uint64_t held[] = {7 * 3, 2 * 2, 1};
    struct scenario s = legal_of(GATED "--layers 10 --pp 3 --layers-per-stage 7,2,1");
    for (uint64_t stage = 0; stage < 3; stage++) {
        struct calc_memory m = memory_of(&s, stage);
        ck_assert_uint_eq(layers_kept_of(&m),
                          held[stage] * S * B * (12 * H + 4 * KD + 6 * F + 4 * A));
    }
}
END_TEST

/* 10 layers on 2 stages of 2 chunks: 5 layers, 2.5 a chunk, 5 chunks in flight on stage 0: 12.5, rounded up. */
START_TEST(a_chunk_of_half_a_layer_is_rounded_up_once) {
    struct scenario s = legal_of(GATED "--layers 10 --pp 2 --chunks 2 --micro-batches 8");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(m.in_flight, 5);
    ck_assert_uint_eq(layers_kept_of(&m), 13 * S * B * (12 * H + 4 * KD + 6 * F + 4 * A));
}
END_TEST

/* --- The last stage ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *line;
    uint64_t head, logits; /* of the last stage */
} heads[] = {
    {"", 4 * S *B *H, 0},
    {"--logits bf16", 4 * S *B *H, 2 * S *B * 1000},
    {"--logits fp32", 4 * S *B *H, 4 * S *B * 1000},
    {"--logits fp32x3", 4 * S *B *H, 10 * S *B * 1000},
    {"--logits fused", 4 * S *B *H, 4 * S *B * 1000},
    {"--convention megatron", 4 * S *B *H, 4 * S *B * 1024},
    {"--convention megatron --logits none", 4 * S *B *H, 0},
    {"--convention deepspeed", 4 * S *B *H, 0},
    {"--logits bf16 --pad-vocab 4096", 4 * S *B *H, 2 * S *B * 4096},
    /* tp divides the logits, but the head's inputs only with sequence parallel */
    {"--logits bf16 --tp 2", 4 * S *B *H, 2 * S *B * 500},
    {"--logits bf16 --tp 2 --sequence-parallel", 2 * S *B *H, 2 * S *B * 500},
    {"--logits bf16 --cp 4", S *B *H, 2 * S *B * 1000 / 4},
    {"--logits bf16 --pp 2", 4 * S *B *H, 2 * S *B * 1000},
    {"--logits bf16 --pp 2 --schedule gpipe --micro-batches 3", 3 * 4 * S *B *H,
     3 * 2 * S *B * 1000},
    {"--logits bf16 --pp 2 --chunks 2", 4 * S *B *H, 2 * S *B * 1000},
    {"--recompute full --logits bf16", 4 * S *B *H, 2 * S *B * 1000},
    {"--precision fp32", 8 * S *B *H, 0},
};

START_TEST(the_last_stage_keeps_the_heads_inputs_and_the_logits) {
    struct scenario s = legal_of(GATED "--layers 4 %s", heads[_i].line);
    struct calc_memory m = memory_of(&s, s.layout.pp - 1);
    ck_assert_msg(term_of(&m, "activations.head") == heads[_i].head, "%s: head %ju", heads[_i].line,
                  (uintmax_t)term_of(&m, "activations.head"));
    ck_assert_msg(term_of(&m, "activations.logits") == heads[_i].logits, "%s: logits %ju",
                  heads[_i].line, (uintmax_t)term_of(&m, "activations.logits"));
    if (s.layout.pp > 1) {
        m = memory_of(&s, 0);
        ck_assert_uint_eq(term_of(&m, "activations.head") + term_of(&m, "activations.logits"), 0);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("activations");
    TCase *layer = tcase_create("layer"), *flight = tcase_create("flight"),
          *last = tcase_create("last");
    tcase_add_loop_test(layer, a_layer_keeps_what_its_operators_need, 0, ROWS(layers));
    tcase_add_test(layer, a_gpt_3_block_with_dropout_keeps_114_sbh);
    tcase_add_test(layer, llama_2_7b_keeps_17_33_gb_and_17_86_with_megatrons_logits);
    tcase_add_test(layer, full_recompute_keeps_inputs_and_one_working_layer);
    tcase_add_test(flight, full_recompute_keeps_inputs_of_every_micro_batch_in_flight);
    tcase_add_test(layer, only_sequence_parallel_divides_the_inputs_kept);
    tcase_add_loop_test(flight, a_stage_holds_the_micro_batches_of_its_schedule, 0, ROWS(flights));
    tcase_add_test(flight, the_first_stage_does_not_profit_from_more_stages);
    tcase_add_test(flight, an_uneven_stage_keeps_its_own_layers);
    tcase_add_test(flight, a_chunk_of_half_a_layer_is_rounded_up_once);
    tcase_add_loop_test(last, the_last_stage_keeps_the_heads_inputs_and_the_logits, 0, ROWS(heads));
    suite_add_tcase(s, layer);
    suite_add_tcase(s, flight);
    suite_add_tcase(s, last);
    return s;
}

#include "support/check_main.h"
