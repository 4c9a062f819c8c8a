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

static Suite *suite(void) {
    Suite *s = suite_create("offload");
    TCase *t = tcase_create("sides");
    tcase_add_loop_test(t, what_leaves_a_gpu_arrives_elsewhere, 0, ROWS(per_gpu));
    tcase_add_loop_test(t, deepspeed_counts_for_a_node, 0, ROWS(per_node));
    tcase_add_test(t, the_largest_module_stays_on_the_gpu);
    tcase_add_test(t, the_formula_names_what_left);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
