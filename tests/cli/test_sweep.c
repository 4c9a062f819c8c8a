/* `shardlab allreduce --sweep`: a point for every algorithm and size, each really run; sums of what was predicted are those
 * of single runs; the fit and the fastest agree with the points; options that mean one run are refused. */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "cli/expect.h"

START_TEST(every_algorithm_runs_on_every_size) {
    struct run r;
    char path[80];
    expect_json(&r, "allreduce --ranks 3 --sweep --bytes 64KiB --repeat 2 --json --lang en", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "points")), 5 * 4); /* 1, 4, 16, 64 KiB */
    ck_assert_int_eq(json_count(json_at(r.out, "algorithms")), 5);
    ck_assert(json_is(json_at(r.out, "match"), "true"));
    for (int i = 0; i < 20; i++) {
        (void)snprintf(path, sizeof path, "points[%d].message_bytes", i);
        ck_assert_uint_eq(json_digits(r.out, path), UINT64_C(1024) << (2 * (i / 5)));
        (void)snprintf(path, sizeof path, "points[%d].least_s", i);
        double least = expect_real(r.out, path);
        (void)snprintf(path, sizeof path, "points[%d].time_s", i);
        ck_assert_msg(least > 0 && least <= expect_real(r.out, path), "%s", path);
    }
    for (int a = 0; a < 5; a++) {
        char measured[80];
        (void)snprintf(path, sizeof path, "predicted.sent_bytes_per_algorithm[%d]", a);
        (void)snprintf(measured, sizeof measured, "measured.sent_bytes_per_algorithm[%d]", a);
        ck_assert_uint_eq(json_digits(r.out, path), json_digits(r.out, measured));
        ck_assert_uint_gt(json_digits(r.out, path), 0);
    }
    run_free(&r);
}
END_TEST

/* A ring of 2 ranks sends every message once a rank: 1, 4 and 16 KiB, two ranks. */
START_TEST(sums_are_those_of_the_runs) {
    struct run r;
    expect_json(&r, "allreduce --ranks 2 --sweep --bytes 16KiB --repeat 1 --json", NULL);
    ck_assert(json_is(json_at(r.out, "algorithms[1]"), "\"ring\""));
    ck_assert_uint_eq(json_digits(r.out, "measured.sent_bytes_per_algorithm[1]"), 2 * 21 * 1024);
    ck_assert_uint_eq(json_digits(r.out, "measured.messages_per_algorithm[1]"), 3 * 2 * 2);
    run_free(&r);
}
END_TEST

/* The fastest at each size is that of the answer's stretches, and a fit has a latency and a rate. */
START_TEST(what_is_said_follows_from_the_points) {
    struct run r;
    char path[80];
    expect_json(&r, "allreduce --ranks 4 --sweep --bytes 1MiB --executor workers --json", NULL);
    int stretches = json_count(json_at(r.out, "fastest"));
    ck_assert_int_ge(stretches, 1);
    for (int i = 0; i + 1 < stretches; i++) {
        char next[80];
        (void)snprintf(path, sizeof path, "fastest[%d].until_bytes", i);
        (void)snprintf(next, sizeof next, "fastest[%d].from_bytes", i + 1);
        ck_assert_uint_eq(json_digits(r.out, path), json_digits(r.out, next));
    }
    (void)snprintf(path, sizeof path, "fastest[%d].until_bytes", stretches - 1);
    ck_assert(json_is(json_at(r.out, path), "null"));
    if (!json_is(json_at(r.out, "fit.alpha_s"), "null")) {
        ck_assert(expect_real(r.out, "fit.alpha_s") > 0);
        ck_assert(expect_real(r.out, "fit.bytes_per_s") > 0);
        ck_assert(expect_real(r.out, "points[0].fit_time_s") > 0);
    } else {
        ck_assert_int_eq(json_count(json_at(r.out, "notes")), 1);
    }
    run_free(&r);
}
END_TEST

START_TEST(other_collectives_have_their_algorithms) {
    struct run r;
    expect_json(&r, "allreduce --collective all-to-all --ranks 3 --sweep --bytes 4KiB --json",
                NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "points")), 2);
    run_free(&r);
    expect_json(&r, "allreduce --ranks 1 --sweep --bytes 4KiB --json --lang en", NULL);
    ck_assert(json_is(json_at(r.out, "fit.alpha_s"), "null"));
    run_free(&r);
    expect_json(&r, "allreduce --ranks 17 --sweep --bytes 1KiB --json --lang en", NULL);
    expect_names(json_at(r.out, "notes").at, "at most 16");
    run_free(&r);
}
END_TEST

START_TEST(text_has_sizes_and_what_follows) {
    struct run r;
    expect_good(&r, "allreduce --ranks 2 --sweep --bytes 16KiB --lang en", &expect_wide);
    expect_names(r.out, "16,384|halving-doubling|fastest|are those predicted");
    run_free(&r);
    expect_good(&r, "allreduce --ranks 2 --sweep --bytes 1KiB --events", NULL);
    expect_names(r.out, "\"event\":\"point\"|\"points\":[");
    run_free(&r);
}
END_TEST

START_TEST(options_of_one_run_are_refused) {
    struct run r;
    expect_refused(&r, (const char *const[]){"allreduce", "--sweep", "--algorithm", "ring", NULL},
                   2, "shardlab: allreduce: ");
    expect_names(r.err, "--sweep|--algorithm");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"allreduce", "--sweep", "--bytes", "512", NULL}, 2,
                   "shardlab: allreduce: ");
    expect_names(r.err, "512|1024");
    run_free(&r);
}
END_TEST

/* Smaller messages of it would fit, and take long: the largest decides before anything runs. */
START_TEST(a_largest_message_beyond_memory_is_refused_at_once) {
    struct run r;
    const char *argv[] = {"allreduce", "--sweep", "--bytes", "1TiB", "--lang", "en", NULL};
    expect_refused(&r, argv, 1, "shardlab: allreduce: ranks: 4: there is no memory");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("sweep");
    TCase *t = tcase_create("program");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_algorithm_runs_on_every_size);
    tcase_add_test(t, sums_are_those_of_the_runs);
    tcase_add_test(t, what_is_said_follows_from_the_points);
    tcase_add_test(t, other_collectives_have_their_algorithms);
    tcase_add_test(t, text_has_sizes_and_what_follows);
    tcase_add_test(t, options_of_one_run_are_refused);
    tcase_add_test(t, a_largest_message_beyond_memory_is_refused_at_once);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
