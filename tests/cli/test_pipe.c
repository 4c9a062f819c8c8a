/* `shardlab pipe` as people call it: the figures of the contract, exact times, refusals that name the value, order lists
 * out to PyTorch's CSV and back, a Chrome trace, and an order that cannot run. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "cli/expect.h"

#define FOUR_EIGHT "pipe --stages 4 --micro-batches 8 "

static const struct {
    const char *line, *path, *value;
} figures[] = {
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "makespan", "33"},
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "bubble_exact", "\"3/11\""},
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "bubble", "0.2727272727272727"},
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "bubble_over_ideal", "0.375"},
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "peak_in_flight", "[4,3,2,1]"},
    {FOUR_EIGHT "--schedule 1f1b --tf 1 --tb 1 --tw 1", "idle", "[9,9,9,9]"},
    {FOUR_EIGHT "--tf 0.5 --tb 0.5 --tw 0.5", "closed_form.idle", "4.5"},
    {FOUR_EIGHT "--schedule zb-h1", "closed_form.formula", "\"(p−1)·max(tF, tB, tF+tB−tW)\""},
    {FOUR_EIGHT "--tf 1,1,1,2", "closed_form", "null"},
    {FOUR_EIGHT, "schedule", "\"1f1b\""},
    {FOUR_EIGHT "--schedule gpipe", "makespan", "33"},
    {FOUR_EIGHT "--schedule gpipe", "peak_in_flight", "[8,8,8,8]"},
    {FOUR_EIGHT "--schedule interleaved --tf 0.5 --tb 0.5 --tw 0.5", "idle", "[4.5,4.5,4.5,4.5]"},
    {FOUR_EIGHT "--schedule interleaved --tf 0.5 --tb 0.5 --tw 0.5", "busy", "[24,24,24,24]"},
    {FOUR_EIGHT "--schedule interleaved --tf 0.5 --tb 0.5 --tw 0.5", "makespan", "28.5"},
    {FOUR_EIGHT "--schedule interleaved", "chunks", "2"},
    {FOUR_EIGHT "--schedule interleaved", "sends", "112"},
    {FOUR_EIGHT "--schedule zb-h1", "peak_until_w", "[4,4,4,4]"},
    {FOUR_EIGHT "--schedule zb-h2", "bubble_span", "0"},
    {FOUR_EIGHT "--schedule dualpipe --tov 2", "chunks", "1"},
    {FOUR_EIGHT "--comm 1", "makespan", "49"},
    {FOUR_EIGHT "--comm 0.1", "makespan", "34.6"},
    {FOUR_EIGHT "--tf 0.1 --tb 0.2 --tw 0.0", "makespan", "3.3"},
    {FOUR_EIGHT "--tf ０.１ --tb 2e-1 --tw 0", "makespan", "3.3"},
    {FOUR_EIGHT "--tf 1,1,1,2", "makespan", "41"},
    {FOUR_EIGHT "--tf 1,1,1,2", "busy", "[24,24,24,32]"},
    {FOUR_EIGHT "--tf 0 --tb 0 --tw 0", "bubble", "0"},
    {FOUR_EIGHT "--tf 0 --tb 0 --tw 0 --comm 1", "bubble_over_ideal", "null"},
    {"pipe --stages 1 --micro-batches 1", "makespan", "3"},
    {"pipe --stages=4 --micro-batches=10 --schedule=interleaved --chunks=2", "makespan", "69"},
    {"--stages 4 --micro-batches 8 pipe", "makespan", "33"},
};

START_TEST(the_answer_is_exact) {
    struct run r;
    char line[256];
    (void)snprintf(line, sizeof line, "%s --json", figures[_i].line);
    expect_json(&r, line, NULL);
    struct json_value value = json_at(r.out, figures[_i].path);
    ck_assert_msg(json_is(value, figures[_i].value), "%s: %s is %.*s, not %s", line,
                  figures[_i].path, (int)value.length, value.at, figures[_i].value);
    run_free(&r);
}
END_TEST

START_TEST(operations_say_what_they_waited_for_and_their_slack) {
    struct run r;
    expect_json(&r, FOUR_EIGHT "--json --ops", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "ops")), 4 * 16);
    ck_assert(json_is(json_at(r.out, "ops[0].waits_for"), "null"));
    ck_assert(json_is(json_at(r.out, "ops[0].op"), "\"F\""));
    ck_assert(json_is(json_at(r.out, "ops[16].stage"), "1"));
    ck_assert(json_is(json_at(r.out, "ops[16].start"), "1"));
    ck_assert(json_is(json_at(r.out, "ops[16].waits_for.stage"), "0"));
    ck_assert(json_is(json_at(r.out, "ops[16].waits_for.op"), "\"F\""));
    ck_assert(json_is(json_at(r.out, "ops[16].waits_for.micro_batch"), "0"));
    ck_assert(json_is(json_at(r.out, "ops[16].slack"), "0"));
    ck_assert(json_is(json_at(r.out, "ops[63].op"), "\"BW\""));
    ck_assert(json_is(json_at(r.out, "ops[3].slack"), "6"));
    run_free(&r);
    expect_json(&r, FOUR_EIGHT "--json", NULL);
    ck_assert_ptr_null(strstr(r.out, "\"ops\""));
    run_free(&r);
}
END_TEST

START_TEST(the_table_names_the_three_bubbles_and_the_path) {
    struct run r;
    expect_good(&r, FOUR_EIGHT "--lang en", NULL);
    expect_names(
        r.out, "makespan 33|idle / makespan|27.27 %  3/11|idle / ideal time|37.50 %  3/8|"
               "own span|critical path: 22 operations, time 33 = F 11 + BW 22|(p−1)(tF+tB+tW) = 9");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--lang zh --comm 0.5", NULL);
    expect_names(r.out, "4 个阶段|8 个微批次|总时长 41|气泡：空闲 / 总时长|关键路径：22 "
                        "个操作，用时 41 = F 11 + BW 22 + 消息延迟 8");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--schedule interleaved --ops --lang en", NULL);
    expect_names(r.out, "stages: 4, with chunks: 2|F0.s0 of stage 0|BW7.s0");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--schedule dualpipe --tov 1 --ops --lang en", NULL);
    expect_names(r.out, "--tov 1 is not between|(F");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--schedule dualpipe --tov 2 --lang en", NULL);
    ck_assert_ptr_null(strstr(r.out, "--tov"));
    run_free(&r);
    expect_good(&r, "pipe --stages 4 --micro-batches 2 --lang en", NULL);
    expect_names(r.out, "torch");
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *names;
} refusals[] = {
    {"pipe --micro-batches 8", "--stages is|1 to 1024|--stages 8"},
    {"pipe --stages 4", "--micro-batches is|--micro-batches 8"},
    {FOUR_EIGHT "--schedule 2f2b", "2f2b|zb-h1"},
    {FOUR_EIGHT "--tf -1", "--tf|-1|0.25"},
    {FOUR_EIGHT "--tb nan", "--tb|nan"},
    {FOUR_EIGHT "--tw 1ms", "--tw|1ms"},
    {FOUR_EIGHT "--tf 1,2", "--tf|1,2|4"},
    {FOUR_EIGHT "--tf 1,,2,3", "--tf 1,,2,3: |2|0.25"},
    {FOUR_EIGHT "--comm 1,2", "--comm|1,2"},
    {FOUR_EIGHT "--tf 1e-19", "--tf|1e-19|18"},
    {FOUR_EIGHT "--tf 1e30", "--tf|1e30"},
    {FOUR_EIGHT "--tf 1e19 --tb 0.01", "--tf|1e19"},
    {FOUR_EIGHT "--tf 1e19", "F1.s0"},
    {FOUR_EIGHT "--tov 3", "--tov|3|1f1b|dualpipe"},
    {FOUR_EIGHT "--group 4", "--group"},
    {FOUR_EIGHT "--chunks 2", "--chunks|1f1b"},
    {FOUR_EIGHT "--chunks 0 --schedule interleaved", "--chunks|0"},
    {FOUR_EIGHT "--schedule interleaved --group 3", "--group|3|Megatron"},
    {"pipe --stages 0 --micro-batches 8", "--stages|0|1024"},
    {"pipe --stages 1025 --micro-batches 8", "--stages|1025"},
    {"pipe --stages 99999999999 --micro-batches 8", "99999999999"},
    {"pipe --stages x --micro-batches 8", "--stages|x|1 to 1024"},
    {"pipe --stages 1024 --micro-batches 1048576", "1024|1048576"},
    {"pipe --stages 5 --micro-batches 10 --schedule dualpipe", "5|DualPipe"},
    {"pipe --stages 4 --micro-batches 6 --schedule zb-h2", "7|6"},
    {FOUR_EIGHT "--explain", "--explain|--gantt"},
    {FOUR_EIGHT "--gantt --json", "--gantt|--json"},
    {FOUR_EIGHT "--export torch-csv --json", "--export|--json"},
    {FOUR_EIGHT "--export svg", "svg|torch-csv|chrome-trace"},
    {FOUR_EIGHT "--export torch-csv --ops", "--export|--ops"},
    {FOUR_EIGHT "--model gpt2", "--model"},
    {FOUR_EIGHT "4", "4"},
    {FOUR_EIGHT "--ops=yes", "--ops"},
    {"pipe --import x.csv --stages 4", "--import|--stages"},
};

START_TEST(what_means_nothing_is_refused_with_its_value) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, refusals[_i].line), 2, "shardlab: pipe: ");
    expect_names(r.err, refusals[_i].names);
    run_free(&r);
}
END_TEST

/* --- Files --- */

static char folder[RUN_PATH_MAX];

static void make_folder(void) {
    folder_make(folder, TEST_BINARY_DIR);
}

static void remove_folder(void) {
    folder_remove(folder);
}

static const struct {
    const char *schedule, *times;
} trips[] = {
    {"gpipe", ""},
    {"1f1b", "--comm 0.5"},
    {"interleaved", "--tf 2"},
    {"looped-bfs", ""},
    {"zb-h1", "--tw 0.5"},
    {"zb-h2", ""},
    {"zb-interleaved", ""},
    {"zb-v", "--comm 1"},
    {"dualpipe", "--tov 2.5"},
    {"dualpipev", "--tov 2"},
    {"chimera", "--comm 0.5"},
};

/* Up to the schedule's name the answers are the same text; figures begin at "makespan". */
START_TEST(an_order_goes_out_to_torch_and_comes_back) {
    struct run out, direct, back;
    char line[1024], path[RUN_PATH_MAX];
    (void)snprintf(line, sizeof line, FOUR_EIGHT "--schedule %s --export torch-csv",
                   trips[_i].schedule);
    expect_good(&out, line, NULL);
    ck_assert_int_eq(expect_lines(out.out), 4);
    file_write(folder_path(path, folder, "order.csv"), out.out, out.out_length);
    (void)snprintf(line, sizeof line, FOUR_EIGHT "--schedule %s %s --json --ops",
                   trips[_i].schedule, trips[_i].times);
    expect_json(&direct, line, NULL);
    (void)snprintf(line, sizeof line, "pipe --import %s %s --json --ops", path, trips[_i].times);
    expect_json(&back, line, NULL);
    ck_assert(json_is(json_at(back.out, "schedule"), "null"));
    const char *from = strstr(direct.out, "\"makespan\""),
               *to = strstr(direct.out, "\"closed_form\"");
    const char *same = strstr(back.out, "\"makespan\"");
    ck_assert(from != NULL && to != NULL && same != NULL);
    ck_assert_msg(strncmp(from, same, (size_t)(to - from)) == 0, "%s: %s\n%s", line, direct.out,
                  back.out);
    run_free(&out);
    run_free(&direct);
    run_free(&back);
}
END_TEST

START_TEST(a_chrome_trace_is_one_array_of_complete_events) {
    struct run r;
    char object[1 << 16];
    size_t where = 0;
    expect_good(&r, FOUR_EIGHT "--export chrome-trace --tf 0.5", NULL);
    ck_assert(r.out[0] == '[' && strcmp(r.out + r.out_length - 2, "]\n") == 0);
    ck_assert_int_lt(
        snprintf(object, sizeof object, "{\"events\":%.*s}\n", (int)r.out_length - 1, r.out),
        (int)sizeof object);
    const char *fault = json_answer_fault(object, strlen(object), &where);
    ck_assert_msg(fault == NULL, "byte %zu: %s", where, fault);
    ck_assert_int_eq(json_count(json_at(object, "events")), 64);
    ck_assert(json_is(json_at(object, "events[16].ph"), "\"X\""));
    ck_assert(json_is(json_at(object, "events[16].ts"), "0.5"));
    ck_assert(json_is(json_at(object, "events[16].dur"), "0.5"));
    ck_assert(json_is(json_at(object, "events[16].tid"), "1"));
    ck_assert(json_is(json_at(object, "events[16].name"), "\"F0\""));
    run_free(&r);
}
END_TEST

static const struct {
    const char *text, *names;
} wrong_files[] = {
    {"0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n",
     "ranks that wait in a circle: 2|0: BW0.s0 ⇐ BW0.s1|1: F1.s1 ⇐ F1.s0"},
    {"0F0,0X0\n", ":1:5: "},
    {"0F0\n1F0,1B0\n", ":1:"},
    {"\n", "no operation"},
    {"", "empty"},
};

START_TEST(a_wrong_file_is_named_and_is_no_wrong_usage) {
    struct run r;
    char path[RUN_PATH_MAX], prefix[RUN_PATH_MAX + 32];
    folder_path(path, folder, "wrong.csv");
    file_write(path, wrong_files[_i].text, strlen(wrong_files[_i].text));
    (void)snprintf(prefix, sizeof prefix, "shardlab: pipe: %s:", path);
    expect_refused(&r, (const char *const[]){"pipe", "--import", path, NULL}, 1, prefix);
    expect_names(r.err, wrong_files[_i].names);
    run_free(&r);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named) {
    struct run r;
    char path[RUN_PATH_MAX];
    folder_path(path, folder, "none.csv");
    expect_refused(&r, (const char *const[]){"pipe", "--import", path, NULL}, 1,
                   "shardlab: pipe: ");
    expect_names(r.err, "none.csv");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"pipe", "--import", folder, NULL}, 1,
                   "shardlab: pipe: ");
    run_free(&r);
}
END_TEST

START_TEST(the_chart_has_a_line_a_rank_and_marks_the_path_on_request) {
    struct run r;
    expect_good(&r, FOUR_EIGHT "--gantt --lang en", NULL);
    expect_names(r.out, "makespan 33|stage 0 |stage 3 |F0F1F2F3");
    ck_assert_ptr_null(strstr(r.out, "critical path"));
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--gantt --explain --schedule zb-h1 --tf 0.5 --lang en", NULL);
    expect_names(r.out, "critical path|slack 0");
    run_free(&r);
}
END_TEST

START_TEST(help_lists_every_option) {
    struct run r;
    expect_good(&r, "pipe --help --lang en", NULL);
    expect_names(r.out, "--schedule|--stages|--micro-batches|--chunks|--group|--tf|--tb|--tw|--tov|"
                        "--comm|--import|--export|--ops|--gantt|1,1,1,2");
    run_free(&r);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

static Suite *suite(void) {
    Suite *s = suite_create("pipe");
    TCase *t = tcase_create("pipe");
    tcase_add_unchecked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, the_answer_is_exact, 0, ROWS(figures));
    tcase_add_test(t, operations_say_what_they_waited_for_and_their_slack);
    tcase_add_test(t, the_table_names_the_three_bubbles_and_the_path);
    tcase_add_loop_test(t, what_means_nothing_is_refused_with_its_value, 0, ROWS(refusals));
    tcase_add_loop_test(t, an_order_goes_out_to_torch_and_comes_back, 0, ROWS(trips));
    tcase_add_test(t, a_chrome_trace_is_one_array_of_complete_events);
    tcase_add_loop_test(t, a_wrong_file_is_named_and_is_no_wrong_usage, 0, ROWS(wrong_files));
    tcase_add_test(t, a_file_that_cannot_be_read_is_named);
    tcase_add_test(t, the_chart_has_a_line_a_rank_and_marks_the_path_on_request);
    tcase_add_test(t, help_lists_every_option);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
