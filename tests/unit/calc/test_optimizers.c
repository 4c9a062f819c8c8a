/* Optimizers that look at shapes, by hand from a small model: the matrices of a stage, Muon's two kinds of states,
 * Adafactor's rows and columns. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

/* 4 layers of q, o (64 × 64), k, v (64 × 16), gate, up, down (64 × 128); tables of 1000 × 64; norms of 64. */
#define TINY                                                                                       \
    "--layers 4 --hidden 64 --heads 8 --kv-heads 2 --ffn 128 --gated --vocab 1000 --seq 128 "
enum {
    LAYER = 2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 128,
    LAYER_SIDES = 2 * 128 + 2 * 80 + 3 * 192,
    TABLE = 1000 * 64,
    TABLE_SIDES = 1064,
    NORMS = 9 * 64
};

static const struct {
    const char *line;
    uint64_t stage, count, elements, layer_elements, sides;
} matrices[] = {
    {TINY, 0, 30, 4 * LAYER + 2 * TABLE, 4 * LAYER, 4 * LAYER_SIDES + 2 * TABLE_SIDES},
    {TINY "--tied", 0, 29, 4 * LAYER + TABLE, 4 * LAYER, 4 * LAYER_SIDES + TABLE_SIDES},
    {TINY "--bias all", 0, 30, 4 * LAYER + 2 * TABLE, 4 * LAYER, 4 * LAYER_SIDES + 2 * TABLE_SIDES},
    {TINY "--no-gated", 0, 26, 4 * (LAYER - 8192) + 2 * TABLE, 4 * (LAYER - 8192),
     4 * (LAYER_SIDES - 192) + 2 * TABLE_SIDES},
    {TINY "--position learned", 0, 31, 4 * LAYER + 2 * TABLE + 128 * 64, 4 * LAYER,
     4 * LAYER_SIDES + 2 * TABLE_SIDES + 192},
    {TINY "--pp 4", 0, 8, LAYER + TABLE, LAYER, LAYER_SIDES + TABLE_SIDES},
    {TINY "--pp 4", 1, 7, LAYER, LAYER, LAYER_SIDES},
    {TINY "--pp 4 --tied", 3, 8, LAYER + TABLE, LAYER, LAYER_SIDES + TABLE_SIDES},
    {TINY "--tp 2", 0, 30, 2 * LAYER + TABLE, 2 * LAYER, 4 * (2 * 96 + 2 * 72 + 3 * 128) + 2 * 564},
};

/* Experts and latent attention: matrices, norms and biases are all that a stage holds. */
static const char *const special[] = {
    TINY "--experts 8 --experts-active 2 --moe-ffn 32 --dense-layers 1",
    TINY "--experts 8 --experts-active 2 --moe-ffn 32 --experts-shared 2 --dp 4 --ep 4",
    TINY "--q-rank 24 --kv-rank 16 --qk-nope 8 --qk-rope 8 --v-head 8 --head-dim 16 --kv-heads 8",
    TINY "--kv-rank 16 --qk-nope 8 --qk-rope 8 --v-head 8 --head-dim 16 --kv-heads 8",
};

START_TEST(what_is_no_matrix_is_a_norm) {
    struct scenario s = legal_of("%s", special[_i]);
    struct calc_matrices m;
    struct message why;
    uint64_t experts = 0, latents = s.model.kv_rank + s.model.q_rank;
    ck_assert_int_eq(calc_params_matrices(&s, 0, &m, &why), STATUS_OK);
    ck_assert_int_eq(calc_expert_params_on_stage(&s, 0, &experts, &why), STATUS_OK);
    ck_assert_uint_eq(m.routed_elements, experts);
    ck_assert_uint_eq(m.elements, m.routed_elements + m.layer_elements + 2 * TABLE);
    ck_assert_msg(memory_of(&s, 0).params == m.elements + NORMS + 4 * latents, "%s: %ju of %ju",
                  special[_i], (uintmax_t)m.elements, (uintmax_t)memory_of(&s, 0).params);
}
END_TEST

START_TEST(a_stage_has_its_matrices) {
    struct scenario s = legal_of("%s", matrices[_i].line);
    struct calc_matrices m;
    struct message why;
    ck_assert_int_eq(calc_params_matrices(&s, matrices[_i].stage, &m, &why), STATUS_OK);
    ck_assert_msg(m.count == matrices[_i].count && m.elements == matrices[_i].elements &&
                      m.layer_elements == matrices[_i].layer_elements &&
                      m.sides == matrices[_i].sides,
                  "%s: %ju matrices, %ju, %ju, %ju", matrices[_i].line, (uintmax_t)m.count,
                  (uintmax_t)m.elements, (uintmax_t)m.layer_elements, (uintmax_t)m.sides);
}
END_TEST

static const struct {
    const char *line;
    uint64_t optimizer;
} states[] = {
    /* muon: 8 on matrices and 12 elsewhere; in fp32 4 and 8 */
    {TINY "--optimizer muon", 8 * 4 * LAYER + 12 * (2 * TABLE + NORMS)},
    {TINY "--optimizer muon --precision fp32", 4 * 4 * LAYER + 8 * (2 * TABLE + NORMS)},
    {TINY "--optimizer muon --zero 1 --dp 8", 4 * LAYER + 12 * (2 * TABLE + NORMS) / 8},
    {TINY "--optimizer muon --convention fsdp --dp 8",
     4 * 4 * LAYER / 8 + 8 * (2 * TABLE + NORMS) / 8},
    {TINY "--optimizer muon --bias qkv", 8 * 4 * LAYER + 12 * (2 * TABLE + NORMS + 4 * 96)},
    /* moments of 2 bytes each, and the master */
    {TINY "--optimizer adam16bit", 8 * (4 * LAYER + 2 * TABLE + NORMS)},
    {TINY "--optimizer adam16bit --precision fp32", 4 * (4 * LAYER + 2 * TABLE + NORMS)},
    /* adafactor: 4 + factored moments; in fp32 factored */
    {TINY "--optimizer adafactor",
     4 * (4 * LAYER + 2 * TABLE + NORMS) + 4 * (4 * LAYER_SIDES + 2 * TABLE_SIDES + NORMS)},
    {TINY "--optimizer adafactor --precision fp32",
     4 * (4 * LAYER_SIDES + 2 * TABLE_SIDES + NORMS)},
    {TINY "--optimizer adafactor --zero 1 --dp 8",
     (4 * (4 * LAYER + 2 * TABLE + NORMS) + 4 * (4 * LAYER_SIDES + 2 * TABLE_SIDES + NORMS)) / 8},
};

START_TEST(an_optimizer_that_looks_at_shapes_is_exact) {
    struct scenario s = legal_of("%s", states[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_msg(m.part_bytes[CALC_PART_OPTIMIZER] == states[_i].optimizer, "%s: %ju, not %ju",
                  states[_i].line, (uintmax_t)m.part_bytes[CALC_PART_OPTIMIZER],
                  (uintmax_t)states[_i].optimizer);
}
END_TEST

/* The mean over the model lies between the two kinds, and is what one GPU holds when nothing is divided. */
START_TEST(the_mean_is_the_whole_over_the_parameters) {
    static const char *const lines[] = {"muon", "adafactor", "adam"};
    for (int i = 0; i < ROWS(lines); i++) {
        struct scenario s = legal_of(TINY "--optimizer %s", lines[i]);
        struct calc_memory m = memory_of(&s, 0);
        ck_assert_double_eq_tol(calc_state_bytes_average(&s),
                                (double)states_of(&m) / (double)m.params, 1e-12);
        ck_assert_double_eq_tol(calc_zero_saving(&s, 1, 1), 1.0, 1e-12);
    }
}
END_TEST

/* With DeepSpeed's host formula the states that depend on shapes come on top of 4Ψ: 1.5 × (4Ψ + optimizer). */
START_TEST(offloaded_states_follow_the_shapes) {
    struct scenario s = legal_of(
        TINY "--optimizer muon --convention deepspeed --zero 3 --dp 8 --offload optimizer");
    uint64_t params = 4 * LAYER + 2 * TABLE + NORMS;
    uint64_t optimizer = 8 * 4 * LAYER + 12 * (2 * TABLE + NORMS);
    ck_assert_uint_eq(memory_of(&s, 0).offloaded.bytes, (4 * params + optimizer) / 2 * 3);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("optimizers");
    TCase *t = tcase_create("shapes");
    tcase_add_loop_test(t, what_is_no_matrix_is_a_norm, 0, ROWS(special));
    tcase_add_loop_test(t, a_stage_has_its_matrices, 0, ROWS(matrices));
    tcase_add_loop_test(t, an_optimizer_that_looks_at_shapes_is_exact, 0, ROWS(states));
    tcase_add_test(t, the_mean_is_the_whole_over_the_parameters);
    tcase_add_test(t, offloaded_states_follow_the_shapes);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
