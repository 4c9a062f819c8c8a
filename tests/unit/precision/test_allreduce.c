/* Real ranks whose sums are rounded on the way: what is lost, by order, by accumulation, and on either backend. */
#include "precision_support.h"

static struct precision_result result;

static const struct {
    enum coll_algorithm algorithm;
    double least,
        most; /* in fp16, of 2048 and three ones; by hand, see tests/unit/calc/test_precision.c */
} orders[] = {{COLL_NAIVE, 2048, 2048},
              {COLL_RING, 2048, 2052},
              {COLL_TREE, 2050, 2050},
              {COLL_HALVING_DOUBLING, 2050, 2050},
              {COLL_DIRECT, 2048, 2048}};

/* Loops over algorithms and both backends. */
START_TEST(the_order_decides_what_is_lost) {
    struct precision_options o = usual(PRECISION_ALLREDUCE, NUM_FP16);
    o.value = 2048;
    o.job.ranks = 4;
    o.job.elements = 9;
    o.job.algorithm = orders[_i / 2].algorithm;
    o.backend = _i % 2 == 0 ? RANKS_THREADS : RANKS_PROCESSES;
    o.repeat = 3;
    run_well(&o, &result);
    expect_real(&result, "least_in_type", orders[_i / 2].least);
    expect_real(&result, "most_in_type", orders[_i / 2].most);
    ck_assert_int_eq(result.facts.points, 4);
    ck_assert_double_eq(result.facts.point[0][1], 3);
}
END_TEST

START_TEST(more_ranks_than_bf16_can_count) {
    struct precision_options o = usual(PRECISION_ALLREDUCE, NUM_BF16);
    o.job.ranks = 300;
    run_well(&o, &result);
    expect_real(&result, "exact_sum", 300);
    expect_real(&result, "most_in_type", 256);
    expect_real(&result, "most_in_fp32", 300);
}
END_TEST

START_TEST(one_way_of_adding_can_be_asked_alone) {
    struct precision_options o = usual(PRECISION_ALLREDUCE, NUM_FP16);
    o.job.ranks = 2;
    o.wide = false;
    run_well(&o, &result);
    expect_real(&result, "least_in_type", 2);
    ck_assert_double_nan(result.facts.point[0][3]);
    ck_assert_int_eq(result.facts.count, 7);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("allreduce");
    TCase *t = tcase_create("allreduce");
    tcase_add_loop_test(t, the_order_decides_what_is_lost, 0, 10);
    tcase_add_test(t, more_ranks_than_bf16_can_count);
    tcase_add_test(t, one_way_of_adding_can_be_asked_alone);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
