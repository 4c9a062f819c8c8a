/* `shardlab overflow --backend opencl`: every experiment, in every format that it is defined for, really run on a device, and
 * what was measured is what the calculator predicted. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "cli/expect.h"
#include "unit/gpu/gpu_support.h"

static const char *const experiments[] = {"sum",       "range",    "gradients",  "loss-scale",
                                          "softmax",   "adam-eps", "stagnation", "stochastic",
                                          "fp8-scale", "allreduce"};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0], FP8_SCALE = 8, ALLREDUCE = 9 };

START_TEST(what_is_measured_is_what_was_predicted) {
    static const char *const types[] = {"fp16", "bf16", "e4m3", "e5m2"};
    for (int t = _i == FP8_SCALE ? 2 : 0; t < (_i == ALLREDUCE ? 2 : 4); t++) {
        char line[128];
        struct run r;
        (void)snprintf(line, sizeof line,
                       "overflow --experiment %s --type %s --backend opencl --ranks 2 --json",
                       experiments[_i], types[t]);
        expect_json(&r, line, NULL);
        ck_assert_msg(json_is(json_at(r.out, "match"), "true"), "%s: %s", line, r.out);
        ck_assert(json_is(json_at(r.out, "backend"), "\"opencl\""));
        ck_assert(json_is(json_at(r.out, "same_each_time"), "true"));
        ck_assert_uint_gt(json_digits(r.out, "device.devices"), 0);
        run_free(&r);
    }
}
END_TEST

START_TEST(a_table_says_where_it_ran) {
    struct run r;
    expect_good(&r, "overflow --experiment range --type fp16 --backend opencl --lang en", NULL);
    expect_names(r.out, "ranks are on");
    run_free(&r);
}
END_TEST

START_TEST(repetitions_are_told) {
    struct run r;
    expect_good(&r, "overflow --experiment sum --type bf16 --backend opencl --repeat 3 --events",
                NULL);
    ck_assert_int_eq(expect_lines(r.out), 4);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.overflow_gpu");
    TCase *c = tcase_create("overflow_gpu");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, what_is_measured_is_what_was_predicted, 0, EXPERIMENTS);
    tcase_add_test(c, a_table_says_where_it_ran);
    tcase_add_test(c, repetitions_are_told);
    suite_add_tcase(s, c);
    return s;
}

int main(void) {
    return run_on_a_device(suite());
}
