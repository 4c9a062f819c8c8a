/* FSDP: what is gathered at one time, by hand from the model's shapes; that a prefetch beyond the model gathers the
 * whole of it; and that data ranks share the shards but never a gathered unit. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

/* A layer of llama-2-7b: 4 attention matrices, 3 of the FFN, 2 norms; the root: two tables and the final norm. */
static const uint64_t layer = 4 * 4096 * 4096 + 3 * 4096 * 11008 + 2 * 4096;
static const uint64_t root = 2 * UINT64_C(32000) * 4096 + 4096;

#define FSDP LLAMA_7B " --convention fsdp --dp 8"

static uint64_t buffers_of(const char *line, uint64_t stage) {
    struct scenario s = legal_of("%s", line);
    struct calc_memory m = memory_of(&s, stage);
    ck_assert(m.buffers_known);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_BUFFERS], term_of(&m, "buffers.gathered"));
    return m.part_bytes[CALC_PART_BUFFERS];
}

START_TEST(gathered_are_the_largest_neighbours) {
    ck_assert_uint_gt(root, layer);
    ck_assert_uint_eq(buffers_of(FSDP, 0), 2 * (root + layer));
    ck_assert_uint_eq(buffers_of(FSDP " --prefetch 0", 0), 2 * root);
    ck_assert_uint_eq(buffers_of(FSDP " --prefetch 3", 0), 2 * (root + 3 * layer));
    ck_assert_uint_eq(buffers_of(FSDP " --precision fp32", 0), 4 * (root + layer));
    ck_assert_uint_eq(buffers_of(FSDP " --precision fp8", 0), root + layer);
}
END_TEST

/* With a small vocabulary two layers are larger than the root and one. */
START_TEST(the_root_is_left_out_where_layers_are_larger) {
    const char *small = "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 100 --convention "
                        "fsdp --dp 8 --prefetch 1";
    ck_assert_uint_eq(buffers_of(small, 0), 2 * 2 * layer);
}
END_TEST

START_TEST(a_prefetch_beyond_the_model_gathers_all_of_it) {
    uint64_t whole = 2 * UINT64_C(6738415616);
    ck_assert_uint_eq(buffers_of(FSDP " --prefetch 32", 0), whole);
    ck_assert_uint_eq(buffers_of(FSDP " --prefetch 1048576", 0), whole);
    ck_assert_uint_eq(buffers_of(FSDP " --no-reshard", 0), whole);
    ck_assert_uint_eq(buffers_of("--params 7B --convention fsdp --no-reshard", 0),
                      UINT64_C(14000000000));
}
END_TEST

/* The ends of a pipeline have half a root each, inner stages layers alone; tp divides a unit, dp does not. */
START_TEST(a_stage_gathers_its_own_units) {
    uint64_t table = UINT64_C(32000) * 4096;
    ck_assert_uint_eq(buffers_of(FSDP " --pp 4 --prefetch 0", 0), 2 * layer);
    ck_assert_uint_eq(buffers_of(FSDP " --pp 4 --prefetch 8", 0), 2 * (table + 8 * layer));
    ck_assert_uint_eq(buffers_of(FSDP " --pp 4 --prefetch 8", 1), 2 * 8 * layer);
    ck_assert_uint_eq(buffers_of(FSDP " --pp 4 --prefetch 8", 3), 2 * (table + 4096 + 8 * layer));
    ck_assert_uint_eq(buffers_of(FSDP " --tp 2 --prefetch 0", 0), 2 * (table + 4096));
    ck_assert_uint_eq(buffers_of(FSDP " --dp 64", 0), 2 * (root + layer));
}
END_TEST

START_TEST(stage_2_keeps_the_weights_gathered_and_has_no_buffer) {
    struct scenario s = legal_of("%s", FSDP " --zero 2");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_BUFFERS], 0);
    ck_assert_uint_eq(term_of(&m, "weights.gathered"), 2 * UINT64_C(6738415616));
    ck_assert_uint_eq(states_of(&m), 2 * UINT64_C(6738415616) + 16 * UINT64_C(6738415616) / 8);
}
END_TEST

START_TEST(units_of_an_unknown_shape_are_unknown) {
    struct scenario s = legal_of("--params 7B --convention fsdp --dp 8");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(!m.buffers_known);
    ck_assert_uint_eq(m.total_bytes, 2 * UINT64_C(7000000000));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("fsdp");
    TCase *t = tcase_create("units");
    tcase_add_test(t, gathered_are_the_largest_neighbours);
    tcase_add_test(t, the_root_is_left_out_where_layers_are_larger);
    tcase_add_test(t, a_prefetch_beyond_the_model_gathers_all_of_it);
    tcase_add_test(t, a_stage_gathers_its_own_units);
    tcase_add_test(t, stage_2_keeps_the_weights_gathered_and_has_no_buffer);
    tcase_add_test(t, units_of_an_unknown_shape_are_unknown);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
