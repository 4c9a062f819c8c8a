/* Each experiment against numbers that can be checked by hand; and all of them on several ranks and again. */
#include "precision_support.h"

static struct precision_result result;

START_TEST(range_of_fp16) {
    struct precision_options o = usual(PRECISION_RANGE, NUM_FP16);
    o.value = 16;
    run_well(&o, &result);
    expect_real(&result, "max_plus_less_than_half", 65504);
    expect_real(&result, "max_plus_addend", (double)INFINITY);
    expect_count(&result, "sums_past_max", 3);
    expect_real(&result, "largest_with_a_square", 255.875);
    ck_assert_double_eq(result.facts.point[0][0], 15.9921875); /* the number below 16 */
}
END_TEST

START_TEST(updates_of_bf16) {
    struct precision_options o = usual(PRECISION_STAGNATION, NUM_BF16);
    o.update = 1.0 / 512;
    o.count = 512;
    run_well(&o, &result);
    expect_real(&result, "largest_lost_upwards", 1.0 / 256);
    expect_real(&result, "largest_lost_downwards", 1.0 / 512);
    expect_real(&result, "final_weight", 1);
    expect_real(&result, "final_weight_of_master", 2);
    o.experiment = PRECISION_STOCHASTIC;
    o.trials = 500;
    run_well(&o, &result);
    expect_real(&result, "nearest", 1);
    ck_assert_double_eq_tol(fact_named(&result, "mean")->real, 2, 0.05);
}
END_TEST

START_TEST(other_seeds_round_otherwise) {
    struct precision_options o = usual(PRECISION_STOCHASTIC, NUM_FP16);
    o.update = 0x1p-12;
    o.count = 100;
    run_well(&o, &result);
    double mean = fact_named(&result, "mean")->real;
    o.seed = 2;
    run_well(&o, &result);
    ck_assert(mean < fact_named(&result, "mean")->real || mean > fact_named(&result, "mean")->real);
}
END_TEST

START_TEST(gradients_and_their_scale) {
    static const double values[] = {1, 1e-9, 1, -1e-9, 1, 1e-9, -1, 1e-9};
    struct precision_options o = usual(PRECISION_GRADIENTS, NUM_FP16);
    o.values = values;
    o.count = 8;
    run_well(&o, &result);
    expect_count(&result, "zero", 4);
    expect_count(&result, "normal", 4);
    o.scale_log2 = 10;
    run_well(&o, &result);
    expect_count(&result, "zero", 0);
    expect_count(&result, "subnormal", 4);
    o = usual(PRECISION_LOSS_SCALE, NUM_FP16);
    o.values = values;
    o.count = 2;
    o.steps = 4;
    o.scale_log2 = 17;
    o.dynamic = true;
    run_well(&o, &result);
    expect_count(&result, "zero_without_scale", 4);
    expect_count(&result, "skipped_steps", 2);
    expect_count(&result, "doublings", 1);
    expect_real(&result, "final_scale", 0x1p16);
    expect_real(&result, "least_scale_that_keeps_all", 32); /* 3.2e-8 is above 2^-25 */
    expect_real(&result, "largest_scale_that_fits", 0x1p15);
}
END_TEST

START_TEST(scales_of_fp8) {
    double values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = i < 32 ? 1024 : 0x1p-12;
    }
    struct precision_options o = usual(PRECISION_FP8_SCALE, NUM_E4M3);
    o.values = values;
    o.count = 64;
    run_well(&o, &result);
    expect_count(&result, "none_zero", 32);
    expect_count(&result, "none_past_max", 32);
    expect_count(&result, "tensor_zero", 32);
    expect_count(&result, "mx_zero", 0);
    expect_real(&result, "mx_largest_error", 0);
}
END_TEST

START_TEST(softmax_and_adam_of_fp16) {
    struct precision_options o = usual(PRECISION_SOFTMAX, NUM_FP16);
    o.count = 8;
    o.value = 11.09375;
    run_well(&o, &result);
    expect_real(&result, "first_logit_past_max", 11.09375);
    expect_real(&result, "first", (double)NAN);
    expect_real(&result, "first_less_max", 1);
    o = usual(PRECISION_ADAM_EPS, NUM_FP16);
    o.value = 1e-5;
    run_well(&o, &result);
    expect_real(&result, "epsilon_in_type", 0);
    expect_real(&result, "largest_epsilon_that_is_zero", 0x1p-25);
    expect_real(&result, "update_of_zero", (double)NAN);
    expect_real(&result, "update", (double)INFINITY);
}
END_TEST

/* Loops over experiments and both backends. */
START_TEST(ranks_and_repetitions_agree) {
    enum { COUNT = 500 };
    double values[COUNT];
    struct precision_source source = {1, -10, 4};
    enum precision_experiment experiment = (enum precision_experiment)(_i / 2);
    struct precision_options o =
        usual(experiment, experiment == PRECISION_FP8_SCALE ? NUM_E5M2 : NUM_FP16);
    precision_gradients(&source, 0, values, COUNT);
    o.values = values;
    o.count = COUNT;
    o.update = 0x1p-12;
    o.job.ranks = 3;
    o.repeat = 2;
    o.backend = _i % 2 == 0 ? RANKS_THREADS : RANKS_PROCESSES;
    run_well(&o, &result);
    ck_assert_int_gt(result.facts.count, 5);
    ck_assert_int_gt(result.facts.points, 0);
    ck_assert(result.least_s > 0);
}
END_TEST

static void change_first(void *context, uint64_t repeat, double time_s) {
    double *values = context;
    ck_assert(repeat < 3 && time_s > 0);
    values[0] = repeat == 0 ? 1e-9 : values[0];
}

START_TEST(a_repetition_that_finds_something_else_is_noticed) {
    double values[2] = {1, 1};
    struct message why;
    struct precision_options o = usual(PRECISION_GRADIENTS, NUM_FP16);
    o.values = values;
    o.count = 2;
    o.repeat = 3;
    o.tell = change_first;
    o.tell_context = values;
    ck_assert_int_eq(precision_run(&o, &result, &why), STATUS_OK);
    ck_assert(!result.same_each_time);
    expect_count(&result, "zero", 0); /* what is shown is the first */
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("experiments");
    TCase *t = tcase_create("experiments");
    tcase_add_test(t, range_of_fp16);
    tcase_add_test(t, updates_of_bf16);
    tcase_add_test(t, other_seeds_round_otherwise);
    tcase_add_test(t, gradients_and_their_scale);
    tcase_add_test(t, scales_of_fp8);
    tcase_add_test(t, softmax_and_adam_of_fp16);
    tcase_add_test(t, a_repetition_that_finds_something_else_is_noticed);
    tcase_add_loop_test(t, ranks_and_repetitions_agree, 0, 2 * PRECISION_EXPERIMENTS);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
