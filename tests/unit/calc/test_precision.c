/* Predictions for low precision, against the tables of papers, against sums added up one by one, and against numbers that
 * can be checked by hand. Nothing here knows the rooms num and precision; the program's own proof that both sides agree
 * is tests/cli/test_overflow.c. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/calc/precision.h"

static struct facts facts;

static struct calc_rounding rounding_of(const char *name, bool saturates) {
    struct calc_rounding r = {.saturates = saturates};
    ck_assert_msg(calc_format_find(name, &r.format), "%s", name);
    return r;
}

static const struct fact *fact_named(const char *key) {
    for (int i = 0; i < facts.count; i++) {
        if (strcmp(facts.list[i].key, key) == 0) {
            return &facts.list[i];
        }
    }
    ck_abort_msg("no fact %s", key);
    return NULL;
}

static double real_of(const char *key) {
    return fact_named(key)->real;
}

static void expect_real(const char *key, double wanted) {
    double found = real_of(key);
    ck_assert_msg((isnan(wanted) && isnan(found)) || (found >= wanted && found <= wanted),
                  "%s: %.17g, not %.17g", key, found, wanted);
}

static void expect_count(const char *key, uint64_t wanted) {
    ck_assert_msg(fact_named(key)->count == wanted, "%s: %llu", key,
                  (unsigned long long)fact_named(key)->count);
}

static struct calc_trial trial_of(const char *name, bool saturates) {
    facts_start(&facts);
    return (struct calc_trial){.type = rounding_of(name, saturates),
                               .value = 1,
                               .epsilon = 1e-8,
                               .trials = 10,
                               .steps = 1,
                               .growth = 2,
                               .ranks = 4,
                               .elements = 4,
                               .narrow = true,
                               .wide = true};
}

/* --- Formats --- */

static const struct {
    const char *name;
    double max, normal, tiny, epsilon;
} formats[] = {
    {"fp32", 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23},
    {"bf16", 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7},
    {"fp16", 65504, 0x1p-14, 0x1p-24, 0x1p-10},
    {"e4m3", 448, 0x1p-6, 0x1p-9, 0.125},
    {"e5m2", 57344, 0x1p-14, 0x1p-16, 0.25},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

START_TEST(bits_give_the_table_of_formats) {
    struct calc_format f = rounding_of(formats[_i].name, false).format;
    ck_assert_double_eq(calc_format_max(&f), formats[_i].max);
    ck_assert_double_eq(ldexp(1, calc_format_least(&f)), formats[_i].normal);
    ck_assert_double_eq(calc_format_tiny(&f), formats[_i].tiny);
    ck_assert_double_eq(calc_format_step(&f, 1), formats[_i].epsilon);
    ck_assert_double_eq(calc_format_below(&f, 1), 1 - formats[_i].epsilon / 2);
    ck_assert_double_eq(calc_format_below(&f, formats[_i].tiny), 0);
    ck_assert_double_eq(calc_format_below(&f, formats[_i].normal),
                        formats[_i].normal - formats[_i].tiny);
    struct calc_format none;
    ck_assert(!calc_format_find("fp64", &none));
}
END_TEST

START_TEST(rounding_is_to_nearest_even_and_passes_max_where_it_should) {
    struct calc_rounding fp16 = rounding_of("fp16", false), e4m3 = rounding_of("e4m3", false);
    ck_assert_double_eq(calc_round(&fp16, 2049), 2048);
    ck_assert_double_eq(calc_round(&fp16, 2051), 2052);
    ck_assert_double_eq(calc_round(&fp16, -2049.5), -2050);
    ck_assert_double_eq(calc_round(&fp16, 0x1p-25), 0);
    ck_assert_double_eq(calc_round(&fp16, 0x1.0001p-25), 0x1p-24);
    ck_assert_double_eq(calc_round(&fp16, 65519.999), 65504);
    ck_assert_double_infinite(calc_round(&fp16, 65520));
    ck_assert_double_infinite(calc_round(&fp16, -65520));
    ck_assert_double_eq(calc_round(&e4m3, 464), 448);
    ck_assert_double_nan(calc_round(&e4m3, 465));
    e4m3.saturates = true;
    ck_assert_double_eq(calc_round(&e4m3, -1e30), -448);
    ck_assert_double_eq(calc_round(&e4m3, (double)INFINITY), 448);
    ck_assert_double_nan(calc_round(&e4m3, (double)NAN));
}
END_TEST

/* --- Sums --- */

static uint64_t state;

static double dice(void) { /* [0, 1) */
    return (double)(calc_random(77, 1, state++) >> 11) * 0x1p-53;
}

START_TEST(a_sum_in_jumps_is_the_sum_one_by_one) {
    for (int round = 0; round < 2000; round++) {
        struct calc_rounding r = rounding_of(formats[_i].name, round % 2 == 0);
        int wide = r.format.mantissa_bits < 10 ? r.format.mantissa_bits + 4 : 14;
        double term = calc_round(&r, ldexp(1 + dice(), (int)(dice() * 8) - 4));
        double start =
            round % 3 == 0 ? 0 : calc_round(&r, ldexp(1 + dice(), (int)(dice() * wide) - 5));
        uint64_t count = 1 + (uint64_t)(dice() * (round % 10 == 0 ? 5000 : 200));
        struct calc_sum sum = calc_running_sum(&r, start, term, count);
        double last = start;
        uint64_t changed = 0;
        for (uint64_t i = 0; i < count; i++) {
            double next = calc_round(&r, last + term);
            bool same = (next <= last && next >= last) || (isnan(next) && isnan(last));
            changed += same ? 0 : 1;
            last = next;
        }
        bool equal = (last <= sum.last && last >= sum.last) || (isnan(last) && isnan(sum.last));
        ck_assert_msg(equal && changed == sum.changed,
                      "%s: %a + %llu times %a: %a after %llu, not %a after %llu", formats[_i].name,
                      start, (unsigned long long)count, term, sum.last,
                      (unsigned long long)sum.changed, last, (unsigned long long)changed);
    }
}
END_TEST

START_TEST(a_sum_of_ones_stalls_at_two_to_the_mantissa_plus_one) {
    struct calc_trial t = trial_of(formats[_i].name, false);
    t.count = UINT64_C(1) << 40; /* in jumps, or this test would not end */
    calc_predict_sum(&t, &facts);
    expect_real("sum", ldexp(2, t.type.format.mantissa_bits));
    expect_count("additions_that_count", UINT64_C(2) << t.type.format.mantissa_bits);
    ck_assert_str_eq(fact_named("ends")->word, "stalled");
}
END_TEST

START_TEST(a_sum_that_does_not_stall_in_time_ends_at_max_or_beyond) {
    struct calc_trial t = trial_of("e5m2", false);
    t.value = 8192;
    t.count = 100;
    calc_predict_sum(&t, &facts);
    ck_assert_str_eq(fact_named("ends")->word, "overflow");
    expect_count("additions_that_count", 8);
    t = trial_of("e5m2", true);
    t.value = 8192;
    t.count = 100;
    calc_predict_sum(&t, &facts);
    ck_assert_str_eq(fact_named("ends")->word, "saturated");
    expect_real("sum", 57344);
    t = trial_of("fp16", false);
    t.count = 7;
    calc_predict_sum(&t, &facts);
    ck_assert_str_eq(fact_named("ends")->word, "moving");
}
END_TEST

START_TEST(max_of_fp16_takes_less_than_16_and_e4m3_takes_16) {
    struct calc_trial t = trial_of("fp16", false);
    t.value = 16;
    calc_predict_range(&t, &facts);
    expect_real("half_step", 16);
    expect_real("max_plus_less_than_half", 65504);
    expect_real("max_plus_half", (double)INFINITY);
    expect_real("max_plus_addend", (double)INFINITY);
    expect_real("largest_with_a_square", 255.875);
    t = trial_of("e4m3", false);
    t.value = 16;
    calc_predict_range(&t, &facts);
    expect_real("max_plus_half", 448);
    expect_real("max_plus_more_than_half", (double)NAN);
    expect_real("largest_with_a_square", 20);
    t = trial_of("bf16", false);
    t.value = 16;
    calc_predict_range(&t, &facts);
    expect_real("max_plus_addend", 0x1.fep127);
    expect_real("largest_with_a_square", 0x1.fep63);
}
END_TEST

START_TEST(bf16_loses_updates_of_one_in_256_and_one_in_512) {
    struct calc_trial t = trial_of("bf16", false);
    t.update = 1.0 / 512;
    t.count = 512;
    calc_predict_stagnation(&t, &facts);
    expect_real("largest_lost_upwards", 1.0 / 256);
    expect_real("largest_lost_downwards", 1.0 / 512);
    expect_real("final_weight", 1);
    expect_real("final_master", 2);
    expect_real("final_weight_of_master", 2);
    t = trial_of("bf16", false);
    t.value = 1 + 1.0 / 128; /* odd: a tie moves it, so only less than half a step is lost */
    t.update = 1.0 / 256;
    t.count = 1;
    calc_predict_stagnation(&t, &facts);
    expect_real("largest_lost_upwards", 0x1.fep-9);
    expect_real("largest_lost_downwards", 0x1.fep-9);
    expect_real("final_weight", 1 + 2.0 / 128);
    t = trial_of("fp16", false);
    t.value = 0x1p-24; /* the least number: half a step is no number */
    t.update = 0x1p-24;
    t.count = 1;
    calc_predict_stagnation(&t, &facts);
    expect_real("largest_lost_upwards", 0);
}
END_TEST

START_TEST(stochastic_rounding_is_right_on_average_and_bounded) {
    struct calc_trial t = trial_of("bf16", false);
    t.update = 1.0 / 512;
    t.count = 512;
    t.trials = 1000;
    t.seed = (uint64_t)_i;
    calc_predict_stochastic(&t, &facts);
    expect_real("nearest", 1);
    expect_real("exact", 2);
    ck_assert_double_le(fabs(real_of("mean") - 2), real_of("mean_off_exact"));
    ck_assert_double_gt(fabs(real_of("mean") - 1), 0.9);
    ck_assert(fact_named("mean_off_exact")->at_most);
    t.update = 1.0 / 128; /* a whole step: nothing is left to chance */
    t.count = 100;
    facts_start(&facts);
    calc_predict_stochastic(&t, &facts);
    expect_real("mean", 1 + 100.0 / 128);
}
END_TEST

/* --- Many numbers --- */

static const double gradients[] = {
    0x1p-25, 0x1.0001p-25, -0x1p-24, 0x1.ffbp-15, 0x1.ffcp-15, -0x1p-14, 1, 65519, 65520, -1e9};

START_TEST(thresholds_count_gradients) {
    struct calc_trial t = trial_of("fp16", false);
    t.values = gradients;
    t.count = sizeof gradients / sizeof gradients[0];
    calc_predict_gradients(&t, &facts);
    expect_count("zero", 1);
    expect_count("subnormal", 3);
    expect_count("past_max", 2);
    expect_count("normal", 4);
    ck_assert_int_eq(facts.points, 29 - -25 + 1);
    ck_assert_double_eq(facts.point[0][0], -25);
    ck_assert_double_eq(facts.point[0][1], 2);
    ck_assert_double_eq(facts.point[0][2], 1);
}
END_TEST

START_TEST(a_dynamic_scale_steps_back_and_doubles) {
    static const double steps[] = {1, 1e-7, 1, 1e-7, 1, 1e-7, 1, 1e-7};
    struct calc_trial t = trial_of("fp16", false);
    t.values = steps;
    t.count = 2;
    t.steps = 4;
    t.scale_log2 =
        17; /* 2^17 and 2^16 overflow, 2^15 does not; after two steps 2^16 would be next */
    t.dynamic = true;
    calc_predict_loss_scale(&t, &facts);
    expect_count("skipped_steps", 2);
    expect_count("doublings", 1);
    expect_real("final_scale", 0x1p16);
    expect_real("largest_scale_that_fits", 0x1p15);
    expect_real("least_scale_that_keeps_all", 0.5); /* 5e-8 is above 2^-25 */
    ck_assert_double_eq(facts.point[1][1], 0x1p16);
    ck_assert_double_eq(facts.point[1][3], 1);
    ck_assert_double_eq(facts.point[3][1], 0x1p15);
    facts_start(&facts);
    t.dynamic = false;
    calc_predict_loss_scale(&t, &facts);
    expect_count("skipped_steps", 4);
    expect_real("final_scale", 0x1p17);
}
END_TEST

START_TEST(a_scale_a_block_saves_what_a_scale_a_tensor_loses) {
    double values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = i < 32 ? 1024 : 0x1p-12;
    }
    struct calc_trial t = trial_of("e4m3", true);
    t.values = values;
    t.count = 64;
    calc_predict_block_scale(&t, &facts);
    expect_count("none_zero", 32);
    expect_count("none_past_max", 32);
    expect_count("tensor_zero", 32);
    expect_count("tensor_past_max", 0);
    expect_count("mx_zero", 0);
    expect_real("mx_largest_error", 0);
}
END_TEST

/* --- Functions --- */

START_TEST(exp_overflows_fp16_just_above_eleven) {
    struct calc_trial t = trial_of("fp16", false);
    t.value = calc_overflow_logit(&t.type.format);
    t.count = 8;
    ck_assert_double_eq(t.value, 11.09375);
    calc_predict_softmax(&t, &facts);
    expect_real("first", (double)NAN);
    expect_real("others", 0);
    expect_real("first_less_max", 1);
    facts_start(&facts);
    t.value = 11.0859375;
    calc_predict_softmax(&t, &facts);
    ck_assert(isfinite(real_of("first")));
}
END_TEST

START_TEST(epsilon_and_squares_vanish_in_fp16_and_not_in_bf16) {
    struct calc_trial t = trial_of("fp16", false);
    t.value = 1e-5;
    calc_predict_adam(&t, &facts);
    expect_real("epsilon_in_type", 0);
    expect_real("largest_epsilon_that_is_zero", 0x1p-25);
    expect_real("update_of_zero", (double)NAN);
    expect_real("update", (double)INFINITY);
    ck_assert_double_eq_tol(real_of("update_fp32"), 0.999, 1e-4);
    double least = real_of("least_gradient_with_a_square");
    struct calc_format f = t.type.format;
    ck_assert(least * least > 0x1p-25);
    ck_assert(calc_format_below(&f, least) * calc_format_below(&f, least) <= 0x1p-25);
    t = trial_of("bf16", false);
    t.value = 1e-5;
    calc_predict_adam(&t, &facts);
    ck_assert_double_eq_tol(real_of("update"), 1, 0.02);
    expect_real("update_of_zero", 0);
}
END_TEST

/* --- All-reduce --- */

static const struct {
    enum calc_algorithm algorithm;
    double least, most; /* in fp16, of 2048 and three ones; by hand */
} orders[] = {
    {CALC_ALGORITHM_NAIVE, 2048, 2048}, /* ((2048 + 1) + 1) + 1 */
    {CALC_ALGORITHM_RING, 2048, 2052},  /* chunk 3 starts at rank 0; chunk 0: 3 + 2048 = 2051 ↑ */
    {CALC_ALGORITHM_TREE, 2050, 2050},  /* (2048 + 1) + (1 + 1) */
    {CALC_ALGORITHM_HALVING_DOUBLING, 2050, 2050}, /* the same pairs */
    {CALC_ALGORITHM_DIRECT, 2048, 2048},           /* (1 + 2048) + 1 + 1 */
};

START_TEST(the_order_of_an_algorithm_decides_what_is_lost) {
    struct calc_trial t = trial_of("fp16", false);
    t.value = 2048;
    t.update = 1;
    t.algorithm = orders[_i].algorithm;
    calc_predict_accumulation(&t, &facts);
    expect_real("least_in_type", orders[_i].least);
    expect_real("most_in_type", orders[_i].most);
    expect_real("exact_sum", 2051);
    ck_assert_int_eq(facts.points, 4);
}
END_TEST

START_TEST(fp32_saves_what_meets_on_one_rank_and_not_a_ring) {
    struct calc_trial t = trial_of("bf16", false);
    t.value = 256;
    t.update = 1;
    t.ranks = 1024;
    t.elements = 1;
    calc_predict_accumulation(&t, &facts);
    expect_real("most_in_type", 256);
    expect_real("most_in_fp32", 1280); /* 1279, rounded to a step of 8 */
    facts_start(&facts);
    t.algorithm = CALC_ALGORITHM_RING;
    t.elements = 1024;
    calc_predict_accumulation(&t, &facts);
    expect_real("least_in_fp32", real_of("least_in_type"));
    expect_real("most_in_fp32", real_of("most_in_type"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("precision");
    TCase *t = tcase_create("precision");
    tcase_add_loop_test(t, bits_give_the_table_of_formats, 0, FORMATS);
    tcase_add_test(t, rounding_is_to_nearest_even_and_passes_max_where_it_should);
    tcase_add_loop_test(t, a_sum_in_jumps_is_the_sum_one_by_one, 0, FORMATS);
    tcase_add_loop_test(t, a_sum_of_ones_stalls_at_two_to_the_mantissa_plus_one, 0, FORMATS);
    tcase_add_test(t, a_sum_that_does_not_stall_in_time_ends_at_max_or_beyond);
    tcase_add_test(t, max_of_fp16_takes_less_than_16_and_e4m3_takes_16);
    tcase_add_test(t, bf16_loses_updates_of_one_in_256_and_one_in_512);
    tcase_add_loop_test(t, stochastic_rounding_is_right_on_average_and_bounded, 0, 5);
    tcase_add_test(t, thresholds_count_gradients);
    tcase_add_test(t, a_dynamic_scale_steps_back_and_doubles);
    tcase_add_test(t, a_scale_a_block_saves_what_a_scale_a_tensor_loses);
    tcase_add_test(t, exp_overflows_fp16_just_above_eleven);
    tcase_add_test(t, epsilon_and_squares_vanish_in_fp16_and_not_in_bf16);
    tcase_add_loop_test(t, the_order_of_an_algorithm_decides_what_is_lost, 0, CALC_ALGORITHMS);
    tcase_add_test(t, fp32_saves_what_meets_on_one_rank_and_not_a_ring);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
