/* Parts of a layer that are computed again, and inputs of matrices that are kept in fp8: operator by operator, with the
 * operations that this costs. Expected values are arithmetic on the dimensions in the option line. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/timeline.h"

/* 256 tokens, hidden 256, 8 heads of 32, 2 kv heads, FFN 384 columns; widths that are whole tiles of 128, and some that
 * are not. */
#define DENSE                                                                                      \
    "--layers 3 --hidden 256 --heads 8 --kv-heads 2 --ffn 384 --vocab 1000 --seq 128 "             \
    "--micro-batch 2 "
/* Latents of 96 and 32; keys of 16 + 8, values of 16. */
#define MLA                                                                                        \
    "--layers 2 --hidden 256 --heads 8 --ffn 384 --vocab 1000 --seq 128 --micro-batch 2 "          \
    "--q-rank 96 --kv-rank 32 --qk-nope 16 --qk-rope 8 --v-head 16 "
#define EXPERTS DENSE "--experts 8 --experts-active 2 --moe-ffn 128 --experts-shared 1 "
#define FP8 "--precision fp8 --input-bytes 1 "
enum { T = 256, H = 256, F = 384, L = 3, M = 2 };

static const struct {
    const char *line, *term;
    uint64_t bytes;
} kept[] = {
    {DENSE "--recompute-norms", "activations.matrix_inputs", 0},
    {DENSE "--recompute-norms", "activations.norm_inputs", L * 4 * T *H},
    {DENSE "--recompute-norms", "activations.working_layer", 4 * T *H},
    /* norms on queries and keys: their outputs go, the values stay */
    {DENSE "--qk-norm --recompute-norms", "activations.qkv", L * 2 * T * 64},
    {DENSE "--qk-norm --recompute-norms", "activations.qk_norm", L * 2 * T *(256 + 64)},
    {DENSE "--qk-norm --recompute-norms", "activations.working_layer",
     4 * T *H + 2 * T *(256 + 64)},
    {DENSE "--recompute-activation", "activations.ffn", L * 4 * T *F},
    {DENSE "--recompute-activation", "activations.working_layer", 2 * T *F},
    {DENSE "--recompute-activation --no-gated", "activations.ffn", L * 2 * T *F},
    {DENSE "--recompute-activation --precision fp32", "activations.ffn", L * 8 * T *F},
    {DENSE "--recompute-activation --recompute-norms", "activations.working_layer",
     4 * T *H + 2 * T *F},
    /* nothing that is computed again, no layer at work */
    {DENSE, "activations.working_layer", 0},
    {DENSE "--recompute-latents", "activations.working_layer", 0},
    /* a full layer includes its parts: the same as without them */
    {DENSE "--recompute full --recompute-norms --recompute-activation", "activations.checkpoints",
     L * 2 * T *H},
    {DENSE "--recompute full --recompute-norms --recompute-activation", "activations.working_layer",
     4 * T *H + 4 * T *H + 2 * T *(256 + 128 + 256) + 4 * T * 8 + 6 * T *F},
    /* in fp8 a row of 256 elements takes 256 bytes and two scales, of 384 three */
    {DENSE FP8, "activations.matrix_inputs", L * 2 * T *(H + 8)},
    {DENSE FP8, "activations.norm_inputs", L * 4 * T *H},
    {DENSE FP8, "activations.ffn", L *(4 * T * F + T * (F + 12))},
    {DENSE FP8 "--no-gated", "activations.ffn", L *(2 * T * F + T * (F + 12))},
    {DENSE FP8 "--recompute-activation", "activations.ffn", L * 2 * T *(F + 12)},
    {DENSE FP8 "--recompute-activation --no-gated", "activations.ffn", L *T *(F + 12)},
    {DENSE FP8, "activations.attention_output", L * 2 * T * 256},
    {DENSE FP8 "--tp 2", "activations.ffn", L *(4 * T * 192 + T * (192 + 8))},
    {EXPERTS FP8, "activations.expert_inputs", L * 2 * T *(H + 8)},
    {EXPERTS FP8, "activations.experts", L * 2 * T *(4 * 128 + 132)},
    {EXPERTS FP8 "--recompute-activation", "activations.experts", L * 2 * T * 2 * 132},
    {EXPERTS FP8 "--recompute-activation", "activations.shared_experts", L *T * 2 * 132},
    {EXPERTS "--recompute-activation", "activations.working_layer", 2 * T *(2 * 128 + 128)},
    /* two bytes in fp8 are the default, and as in bf16 */
    {DENSE "--precision fp8", "activations.ffn", L * 6 * T *F},
    /* latents: what a norm puts out, and the heads that are projected up from it */
    {MLA "--recompute-norms", "activations.latents", M * 2 * T *(96 + 32)},
    {MLA FP8, "activations.latents", M *(2 * T * (96 + 32) + T * (96 + 4 + 32 + 4))},
    {MLA "--recompute-latents", "activations.latent_heads", 0},
    {MLA "--recompute-latents", "activations.rotary_key", M * 2 * T * 8},
    {MLA "--recompute-latents", "activations.working_layer", 2 * T * 8 * (24 + 24 + 16)},
    {MLA "--recompute-latents", "activations.attention_output", M * 2 * T * 8 * 16},
    {MLA, "activations.rotary_key", 0},
    /* queries that come from no latent stay */
    {MLA "--q-rank 0 --recompute-latents", "activations.latent_heads", M * 2 * T * 8 * 24},
    {MLA "--q-rank 0 --recompute-latents", "activations.working_layer", 2 * T * 8 * (24 + 16)},
};

START_TEST(a_part_that_is_computed_again_is_not_kept) {
    struct scenario s = legal_of("%s", kept[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    uint64_t bytes = term_of(&m, kept[_i].term);
    ck_assert_msg(bytes == kept[_i].bytes, "%s: %s is %ju, not %ju", kept[_i].line, kept[_i].term,
                  (uintmax_t)bytes, (uintmax_t)kept[_i].bytes);
}
END_TEST

/* The layer at work is there during a backward, and the peak is no more than the sum. */
START_TEST(the_timeline_holds_the_part_at_work) {
    struct scenario s =
        legal_of(MLA "--pp 2 --micro-batches 4 --recompute-norms --recompute-latents");
    struct calc_memory m = memory_of(&s, 0);
    struct calc_timeline t;
    struct calc_event e;
    uint64_t most = 0;
    calc_timeline_start(&t, &s, &m);
    while (calc_timeline_next(&t, &e)) {
        most = e.live_bytes > most ? e.live_bytes : most;
    }
    ck_assert_uint_le(most, m.total_bytes);
    ck_assert_uint_gt(most, m.total_bytes - m.part_bytes[CALC_PART_ACTIVATIONS]);
    ck_assert_uint_eq(t.working, term_of(&m, "activations.working_layer"));
}
END_TEST

static struct calc_flops flops_of(const char *line) {
    struct scenario s = legal_of("%s", line);
    struct calc_flops f;
    struct message why;
    must_hold(calc_flops_per_token(&s, &f, &why) == STATUS_OK, "%s", message_line(&why));
    return f;
}

START_TEST(only_the_projections_up_cost_operations) {
    uint64_t up = 2 * M * (96 * 8 * 24 + 32 * 8 * (16 + 16)); /* a token, forward, all layers */
    uint64_t plain = flops_of(MLA).hardware;
    ck_assert_uint_eq(flops_of(MLA "--recompute-latents").hardware, plain + up);
    ck_assert_uint_eq(flops_of(MLA "--recompute-latents").model, flops_of(MLA).model);
    ck_assert_uint_eq(flops_of(MLA "--recompute-norms --recompute-activation").hardware, plain);
    ck_assert_uint_eq(flops_of(MLA "--q-rank 0 --recompute-latents").hardware,
                      flops_of(MLA "--q-rank 0").hardware + 2 * M * 32 * 8 * (16 + 16));
    ck_assert_uint_eq(flops_of(DENSE "--recompute-latents").hardware, flops_of(DENSE).hardware);
    ck_assert_uint_eq(flops_of(MLA "--recompute full --recompute-latents").hardware,
                      flops_of(MLA "--recompute full").hardware);
}
END_TEST

START_TEST(stages_and_tensor_ranks_share_what_is_computed_again) {
    static const char *const layouts[] = {"", "--tp 2 ", "--pp 2 --tp 4 --micro-batches 4 ",
                                          "--pp 2 --schedule dualpipe --micro-batches 4 "};
    struct calc_flops whole = flops_of(MLA "--recompute-latents");
    double again = (double)(whole.hardware - whole.model) * T;
    for (int i = 0; i < ROWS(layouts); i++) {
        struct scenario s = legal_of(MLA "--recompute-latents %s", layouts[i]);
        double sum = 0;
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            struct calc_flops_stage f;
            struct message why;
            ck_assert_int_eq(calc_flops_on_stage(&s, stage, &f, &why), STATUS_OK);
            sum += f.recompute * (double)s.layout.tp;
        }
        ck_assert_msg(sum > again * (1 - 1e-9) && sum < again * (1 + 1e-9), "%s: %g, not %g",
                      layouts[i], sum, again);
    }
}
END_TEST

START_TEST(inputs_have_the_bytes_that_they_are_computed_in_or_one) {
    static const struct {
        const char *line, *why;
    } wrong[] = {
        {DENSE "--input-bytes 1", "error.rule.input_bytes|1|2|bf16"},
        {DENSE "--input-bytes 4", "error.rule.input_bytes|4|2|bf16"},
        {DENSE "--precision fp32 --input-bytes 2", "error.rule.input_bytes|2|4|fp32"},
        {DENSE "--precision fp8 --input-bytes 3", "error.rule.input_bytes_fp8|3|2|fp8"},
    };
    for (int i = 0; i < ROWS(wrong); i++) {
        struct scenario s = resolved_of(wrong[i].line);
        struct message why;
        ck_assert_int_eq(scenario_violations(&s, &why, 1), 1);
        ck_assert_str_eq(message_line(&why), wrong[i].why);
    }
    ck_assert_uint_eq(legal_of(DENSE "--precision fp32").recipe.input_bytes, 4);
    ck_assert_uint_eq(legal_of(DENSE "--precision fp8").recipe.input_bytes, 2);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("recompute parts");
    TCase *t = tcase_create("parts");
    tcase_add_loop_test(t, a_part_that_is_computed_again_is_not_kept, 0, ROWS(kept));
    tcase_add_test(t, the_timeline_holds_the_part_at_work);
    tcase_add_test(t, only_the_projections_up_cost_operations);
    tcase_add_test(t, stages_and_tensor_ranks_share_what_is_computed_again);
    tcase_add_test(t, inputs_have_the_bytes_that_they_are_computed_in_or_one);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
