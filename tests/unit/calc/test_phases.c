/* The convention hf: accelerate's phases, the largest of which is its answer; parts are unknown, and neither data
 * ranks nor the batch move it. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

static const struct {
    const char *line;
    uint64_t model, gradients, optimizer, step; /* bytes per parameter */
} phases[] = {
    {"--precision bf16", 4, 6, 8, 8},  {"--precision fp16", 4, 6, 8, 8},
    {"--precision fp8", 4, 6, 8, 8}, /* accelerate sees no saving */
    {"--precision fp32", 4, 4, 8, 16}, {"--dp 64 --seq 512 --micro-batch 4", 4, 6, 8, 8},
};

START_TEST(the_answer_is_the_largest_phase) {
    struct scenario s = legal_of("--params 1B --convention hf %s", phases[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    const uint64_t giga = 1000000000;
    ck_assert(m.phases && !m.activations_known);
    ck_assert_uint_eq(term_of(&m, "phase.model"), giga * phases[_i].model);
    ck_assert_uint_eq(term_of(&m, "phase.gradients"), giga * phases[_i].gradients);
    ck_assert_uint_eq(term_of(&m, "phase.optimizer"), giga * phases[_i].optimizer);
    ck_assert_uint_eq(term_of(&m, "phase.step"), giga * phases[_i].step);
    ck_assert_uint_eq(m.total_bytes, giga * phases[_i].step);
    ck_assert_uint_eq(calc_state_bytes_per_param(&s), phases[_i].step);
    for (int part = 0; part < CALC_PARTS; part++) {
        ck_assert_uint_eq(m.part_bytes[part], 0);
    }
}
END_TEST

START_TEST(a_model_with_dimensions_is_counted_by_its_parameters) {
    struct scenario s = legal_of(LLAMA_7B " --convention hf");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(m.layers, 32);
    ck_assert_uint_eq(m.total_bytes, 8 * UINT64_C(6738415616));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("phases");
    TCase *t = tcase_create("phases");
    tcase_add_loop_test(t, the_answer_is_the_largest_phase, 0, ROWS(phases));
    tcase_add_test(t, a_model_with_dimensions_is_counted_by_its_parameters);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
