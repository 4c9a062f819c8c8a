/* Offload: which states leave, where their bytes are counted and for whom; that nothing is lost on the way and that
 * what the GPU computes with stays on it. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

#define PSI "--params 1024M --convention "
static const uint64_t psi = 1024000000;

/* GPU bytes and offloaded bytes per parameter in 64ths. */
static const struct {
    const char *line;
    uint64_t gpu, offloaded;
} per_gpu[] = {
    {PSI "zero-paper", 1024, 0},
    {PSI "zero-paper --offload optimizer", 128, 896},
    {PSI "zero-paper --offload params", 0, 1024},
    {PSI "zero-paper --offload params --offload-to nvme", 0, 1024},
    {PSI "zero-paper --zero 1 --dp 8 --offload optimizer", 128, 128 + 96},
    {PSI "zero-paper --zero 2 --dp 8 --offload optimizer", 128, 16 + 96},
    {PSI "zero-paper --zero 3 --dp 8 --offload optimizer", 16, 112},
    {PSI "zero-paper --zero 3 --dp 8 --offload params", 0, 128},
    {PSI "zero-paper --optimizer sgd --offload optimizer", 128, 128 + 256},
    {PSI "zero-paper --precision fp32 --offload optimizer", 256, 768},
    {PSI "megatron --zero 1 --dp 8 --offload optimizer", 128, 256 + 96},
    {PSI "fsdp --dp 8 --offload optimizer", 32, 96},
    {PSI "fsdp --dp 8 --offload params", 0, 128},
    {PSI "fsdp --zero 2 --dp 8 --offload params", 128, 128},
    /* DeepSpeed's estimators know stages 2 and 3 */
    {PSI "deepspeed --offload optimizer", 128, 384 + 768},
    {PSI "deepspeed --zero 1 --dp 8 --offload optimizer", 128, 128 + 32 + 96},
};

START_TEST(what_leaves_a_gpu_arrives_elsewhere) {
    struct scenario s = legal_of("%s", per_gpu[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(!m.offloaded_per_node);
    ck_assert_msg(m.total_bytes == psi / 64 * per_gpu[_i].gpu, "%s: %ju", per_gpu[_i].line,
                  (uintmax_t)m.total_bytes);
    ck_assert_msg(m.offloaded.bytes == psi / 64 * per_gpu[_i].offloaded, "%s: %ju",
                  per_gpu[_i].line, (uintmax_t)m.offloaded.bytes);
}
END_TEST

/* 1.5 × Ψ·max(4n, 16); 1.5 × 16Ψ/nodes; 1.5 × 18Ψ/nodes. GPU: 2Ψ, 2Ψ/N, nothing. */
static const struct {
    const char *line;
    uint64_t gpu, host; /* bytes per parameter in 64ths */
} per_node[] = {
    {PSI "deepspeed --zero 2 --dp 8 --offload optimizer", 128, 96 * 32},
    {PSI "deepspeed --zero 2 --dp 64 --offload optimizer", 128, 96 * 32},
    {PSI "deepspeed --zero 2 --dp 64 --gpus-per-node 16 --offload optimizer", 128, 96 * 64},
    {PSI "deepspeed --zero 2 --dp 2 --offload optimizer", 128, 96 * 16},
    {PSI "deepspeed --zero 2 --dp 1 --offload optimizer", 128, 96 * 16},
    {PSI "deepspeed --zero 3 --dp 8 --offload optimizer", 16, 96 * 16},
    {PSI "deepspeed --zero 3 --dp 64 --offload optimizer", 2, 96 * 2},
    {PSI "deepspeed --zero 3 --dp 64 --offload params", 0, 12 * 18},
    {PSI "deepspeed --zero 3 --dp 8 --gpus-per-node 4 --offload params", 0, 48 * 18},
};

START_TEST(deepspeed_counts_for_a_node) {
    struct scenario s = legal_of("%s", per_node[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(m.offloaded_per_node);
    ck_assert_uint_eq(states_of(&m), psi / 64 * per_node[_i].gpu);
    ck_assert_msg(m.offloaded.bytes == psi / 64 * per_node[_i].host, "%s: %ju", per_node[_i].line,
                  (uintmax_t)m.offloaded.bytes);
}
END_TEST

START_TEST(the_largest_module_stays_on_the_gpu) {
    struct scenario s =
        legal_of(LLAMA_7B " --convention deepspeed --zero 3 --dp 8 --offload params");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(states_of(&m), 0);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_BUFFERS], 4 * UINT64_C(131072000));
    ck_assert_str_eq(m.offloaded.formula, "1.5 × 18Ψ / nodes");
}
END_TEST

START_TEST(the_formula_names_what_left) {
    struct scenario s = legal_of("--params 1000 --zero 1 --dp 8 --offload optimizer");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_str_eq(m.offloaded.formula, "2Ψ + 12Ψ/N");
    ck_assert_str_eq(m.offloaded.substituted, "2 × 1000 + 12 × 1000 / 8");
}
END_TEST

/* The terms of all states, one after the other, as a GPU without offload has them. */
static void join_states(const struct calc_memory *m, char *text, size_t capacity) {
    size_t at = 0;
    for (int i = 0; i < m->derivation.count; i++) {
        const struct calc_term *t = &m->derivation.terms[i];
        if (t->part <= CALC_PART_OPTIMIZER) {
            at += (size_t)snprintf(text + at, capacity - at, "%s%s", at > 0 ? " + " : "",
                                   t->substituted);
        }
    }
    ck_assert_uint_lt(at, capacity);
}

/* Experts have terms of their own: more than there is room for. No term and no character is cut in the middle. */
START_TEST(a_sum_too_long_to_show_ends_behind_a_whole_term) {
    static const char line[] =
        "--layers 61 --hidden 7168 --heads 128 --ffn 18432 --vocab 129280 --experts 256 "
        "--experts-active 8 --moe-ffn 2048 --grad-bytes 6 --zero 3 --dp 24 --ep 8";
    static const char rest[] = " + …";
    struct scenario all = legal_of("%s", line), away = legal_of("%s --offload params", line);
    struct calc_memory m = memory_of(&all, 0), n = memory_of(&away, 0);
    const char *shown = n.offloaded.substituted;
    char whole[1024] = "";
    join_states(&m, whole, sizeof whole);
    ck_assert_uint_ge(strlen(whole), sizeof n.offloaded.substituted);
    ck_assert_uint_gt(strlen(shown), sizeof n.offloaded.substituted / 2);
    size_t kept = strlen(shown) - (sizeof rest - 1);
    ck_assert_str_eq(shown + kept, rest);
    ck_assert_msg(strncmp(shown, whole, kept) == 0, "%s, of %s", shown, whole);
    ck_assert_msg(strncmp(whole + kept, " + ", 3) == 0, "%s, of %s", shown, whole);
    ck_assert_uint_eq(n.offloaded.bytes, states_of(&m));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("offload");
    TCase *t = tcase_create("sides");
    tcase_add_loop_test(t, what_leaves_a_gpu_arrives_elsewhere, 0, ROWS(per_gpu));
    tcase_add_loop_test(t, deepspeed_counts_for_a_node, 0, ROWS(per_node));
    tcase_add_test(t, the_largest_module_stays_on_the_gpu);
    tcase_add_test(t, the_formula_names_what_left);
    tcase_add_test(t, a_sum_too_long_to_show_ends_behind_a_whole_term);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
