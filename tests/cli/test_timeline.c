/* `shardlab mem --timeline`: events in JSON, a chart in text, the peak in both with and without it, and a note when
 * events are passed over. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"

#define LLAMA "mem --model llama-2-7b "

static const struct {
    const char *line, *event;
    int events;
} runs[] = {
    {LLAMA "--convention megatron", "\"forward_end:0\"", 68},
    {LLAMA "--micro-batches 2", "\"forward_end:1\"", 3 + 2 * 65},
    {LLAMA "--pp 4 --stage 3", "\"forward_end:1\"", 3 + 16 * (8 + 9)},
    {LLAMA "--pp 2 --chunks 2 --stage 1", "\"forward_end:2/1\"", 3 + 16 * (8 + 9)},
    {"mem --params 7B", "\"optimizer_step\"", 3},
};

START_TEST(json_lists_every_event_and_its_peak) {
    struct run r;
    char line[256];
    (void)snprintf(line, sizeof line, "%s --json --timeline", runs[_i].line);
    expect_json(&r, line, NULL);
    uint64_t most = 0, total = json_digits(r.out, "per_gpu.total_bytes");
    int count = json_count(json_at(r.out, "timeline"));
    ck_assert_msg(json_is(json_at(r.out, "peak_event"), runs[_i].event), "%s: %.*s", line, 40,
                  json_at(r.out, "peak_event").at);
    ck_assert_msg(count == runs[_i].events, "%s: %d events", line, count);
    for (int i = 0; i < count; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "timeline[%d].live_bytes", i);
        uint64_t bytes = json_digits(r.out, path);
        most = bytes > most ? bytes : most;
    }
    ck_assert_uint_eq(most, json_digits(r.out, "peak_bytes"));
    ck_assert_uint_le(most, total);
    ck_assert(json_is(json_at(r.out, "timeline[0].event"), "\"start\""));
    run_free(&r);
}
END_TEST

/* A schedule that folds back or runs both ways is not followed: its peak is unknown and says why. */
START_TEST(an_unknown_peak_is_null_with_its_reason) {
    static const char *const schedules[] = {"zb-v", "dualpipe", "dualpipev"};
    struct run r;
    char line[256];
    (void)snprintf(line, sizeof line, LLAMA "--pp 4 --schedule %s --json --timeline --lang en",
                   schedules[_i]);
    expect_json(&r, line, NULL);
    ck_assert(json_is(json_at(r.out, "peak_bytes"), "null"));
    ck_assert(json_is(json_at(r.out, "peak_event"), "null"));
    ck_assert(json_is(json_at(r.out, "timeline"), "null"));
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "The peak is unknown"));
    run_free(&r);
    (void)snprintf(line, sizeof line, LLAMA "--pp 4 --schedule %s --lang en", schedules[_i]);
    expect_good(&r, line, NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "The peak is unknown"));
    ck_assert_ptr_null(strstr(r.out, "at the end of the forward"));
    run_free(&r);
}
END_TEST

START_TEST(text_has_a_chart_and_the_peak_in_words) {
    struct run r;
    expect_good(&r, LLAMA "--micro-batches 2 --timeline --lang en", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "█"));
    ck_assert_ptr_nonnull(strstr(r.out, "at the end of the forward of micro-batch 1"));
    run_free(&r);
    expect_good(&r, LLAMA "--micro-batches 2 --lang zh", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "微批次 1 的前向结束时"));
    run_free(&r);
}
END_TEST

START_TEST(passing_over_is_said_and_only_then) {
    struct run r;
    expect_json(&r, LLAMA "--micro-batches 100000 --json --timeline --lang en", NULL);
    ck_assert_int_le(json_count(json_at(r.out, "timeline")), 5000);
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "passes over"));
    run_free(&r);
    expect_json(&r, LLAMA "--micro-batches 8 --json --timeline --lang en", NULL);
    ck_assert_ptr_null(strstr(json_at(r.out, "notes").at, "passes over"));
    run_free(&r);
    expect_json(&r, LLAMA "--micro-batches 100000 --json --lang en", NULL);
    ck_assert_ptr_null(strstr(r.out, "\"timeline\""));
    ck_assert_ptr_null(strstr(json_at(r.out, "notes").at, "passes over"));
    run_free(&r);
}
END_TEST

START_TEST(it_takes_no_value_and_belongs_to_mem) {
    struct run r;
    expect_refused(&r, (const char *const[]){"mem", "--params", "7B", "--timeline=yes", NULL}, 2,
                   "shardlab: mem: ");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"params", "--params", "7B", "--timeline", NULL}, 2,
                   "shardlab: params: ");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("timeline");
    TCase *t = tcase_create("timeline");
    tcase_add_loop_test(t, json_lists_every_event_and_its_peak, 0,
                        (int)(sizeof runs / sizeof runs[0]));
    tcase_add_loop_test(t, an_unknown_peak_is_null_with_its_reason, 0, 3);
    tcase_add_test(t, text_has_a_chart_and_the_peak_in_words);
    tcase_add_test(t, passing_over_is_said_and_only_then);
    tcase_add_test(t, it_takes_no_value_and_belongs_to_mem);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
