/* One rounding after every operation, seen through sums, and the random numbers of the experiments. */
#include <stdlib.h>

#include "precision_support.h"

static struct precision_result result;

/* 1 + 1 + … of every type, as the table of formats has it. */
static const struct {
    enum num_type type;
    double stalls;
} stalls[] = {{NUM_FP16, 2048}, {NUM_BF16, 256}, {NUM_E4M3, 16}, {NUM_E5M2, 8}};

START_TEST(ones_stall_where_half_a_step_is_one) {
    struct precision_options o = usual(PRECISION_SUM, stalls[_i].type);
    run_well(&o, &result);
    expect_real(&result, "sum", stalls[_i].stalls);
    expect_count(&result, "additions_that_count", (uint64_t)stalls[_i].stalls);
    ck_assert_str_eq(fact_named(&result, "ends")->word, "stalled");
    ck_assert_int_gt(result.facts.points, 30);
}
END_TEST

START_TEST(what_passes_max_is_inf_or_held) {
    struct precision_options o = usual(PRECISION_SUM, NUM_FP16);
    o.value = 1024;
    run_well(&o, &result);
    expect_real(&result, "sum", (double)INFINITY);
    ck_assert_str_eq(fact_named(&result, "ends")->word, "overflow");
    expect_count(&result, "additions_that_count", 64); /* 63 · 1024 fits, 64 · 1024 is 65536 */
    o.overflow = NUM_OVERFLOW_SATURATE;
    run_well(&o, &result);
    expect_real(&result, "sum", 65504);
    ck_assert_str_eq(fact_named(&result, "ends")->word, "saturated");
    o = usual(PRECISION_SUM, NUM_E4M3);
    o.value = 64;
    o.overflow = NUM_OVERFLOW_INF; /* which e4m3 has not */
    run_well(&o, &result);
    expect_real(&result, "sum", (double)NAN);
    ck_assert_str_eq(fact_named(&result, "ends")->word, "overflow");
}
END_TEST

START_TEST(gradients_depend_on_seed_step_and_place_alone) {
    double first[100], again[200], other[100];
    struct precision_source source = {1, -18, 4};
    precision_gradients(&source, 3, first, 100);
    precision_gradients(&source, 3, again, 200);
    ck_assert_int_eq(memcmp(first, again, sizeof first), 0);
    precision_gradients(&source, 4, other, 100);
    ck_assert_int_ne(memcmp(first, other, sizeof first), 0);
    source.seed = 2;
    precision_gradients(&source, 3, other, 100);
    ck_assert_int_ne(memcmp(first, other, sizeof first), 0);
}
END_TEST

START_TEST(gradients_are_log_normal_of_either_sign) {
    enum { COUNT = 100000 };
    static double values[COUNT];
    struct precision_source source = {(uint64_t)_i, -18, 4};
    double mean = 0, squares = 0;
    int negative = 0;
    precision_gradients(&source, 0, values, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double z = (log2(fabs(values[i])) + 18) / 4;
        ck_assert(fabs(z) <= 6.000001);
        mean += z / COUNT;
        squares += z * z / COUNT;
        negative += values[i] < 0 ? 1 : 0;
    }
    ck_assert_double_eq_tol(mean, 0, 0.02); /* six standard errors */
    ck_assert_double_eq_tol(squares, 1, 0.03);
    ck_assert_int_lt(abs(negative - COUNT / 2), 950);
}
END_TEST

START_TEST(names_and_what_is_defined) {
    for (int i = 0; i < PRECISION_EXPERIMENTS; i++) {
        ck_assert_int_eq(precision_find(precision_name((enum precision_experiment)i)), i);
    }
    ck_assert_int_eq(precision_find("sums"), -1);
    ck_assert(precision_defined(PRECISION_FP8_SCALE, NUM_E4M3));
    ck_assert(!precision_defined(PRECISION_FP8_SCALE, NUM_FP16));
    ck_assert(!precision_defined(PRECISION_ALLREDUCE, NUM_E5M2));
    ck_assert(!precision_defined(PRECISION_SUM, NUM_E8M0));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("arithmetic");
    TCase *t = tcase_create("arithmetic");
    tcase_add_loop_test(t, ones_stall_where_half_a_step_is_one, 0, 4);
    tcase_add_test(t, what_passes_max_is_inf_or_held);
    tcase_add_test(t, gradients_depend_on_seed_step_and_place_alone);
    tcase_add_loop_test(t, gradients_are_log_normal_of_either_sign, 1, 4);
    tcase_add_test(t, names_and_what_is_defined);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
