/* `shardlab bench`: each figure with its limit from the same run, its peer by name, and the promised size among the
 * cases. How fast a machine is, is nobody's test. */
#include <check.h>
#include <string.h>

#include "cli/expect.h"

START_TEST(each_figure_has_a_limit_and_a_peer) {
    struct run r;
    expect_json(&r, "bench calculators --repeat 1 --json --lang en", NULL);
    int count = json_count(json_at(r.out, "results"));
    ck_assert_int_ge(count, 3);
    ck_assert_uint_eq(json_digits(r.out, "runs"), 1);
    ck_assert(json_is(json_at(r.out, "results[0].area"), "\"calculators\""));
    ck_assert(json_is(json_at(r.out, "results[0].case"), "\"pipe\""));
    ck_assert_uint_eq(json_digits(r.out, "results[0].items"), 2 * 64 * 4 * 1024);
    ck_assert_uint_eq(json_digits(r.out, "results[2].items"), 2 * 64 * 4 * 4096);
    ck_assert_uint_gt(json_digits(r.out, "results[2].limit.touched_bytes"), 0);
    ck_assert(json_at(r.out, "results[2].time_s.median").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].cpu_s.median").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].time_over_limit").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].peer.name").kind == JSON_KIND_STRING);
    ck_assert(json_is(json_at(r.out, "results[2].time_over_peer"), "null"));
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "not installed"));
    run_free(&r);
}
END_TEST

START_TEST(text_has_a_row_a_case) {
    struct run r;
    expect_good(&r, "bench --repeat 2 --lang en", &expect_wide);
    expect_names(r.out, "interleaved p=64 v=4 m=4096|2,097,152|limit, ms|not installed");
    run_free(&r);
}
END_TEST

START_TEST(an_unknown_area_is_refused) {
    struct run r;
    expect_refused(&r, (const char *const[]){"bench", "moon", NULL}, 2, "shardlab: bench: ");
    expect_names(r.err, "moon|calculators");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "--repeat", "0", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "--repeat 0|99");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "calculators", "more", NULL}, 2,
                   "shardlab: bench: ");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("bench");
    TCase *t = tcase_create("bench");
    tcase_add_test(t, each_figure_has_a_limit_and_a_peer);
    tcase_add_test(t, text_has_a_row_a_case);
    tcase_add_test(t, an_unknown_area_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
