/* `shardlab pipe --gantt` as people call it: the chart to the character, an operation that explains itself, two
 * schedules that do the same work, widths that are kept to, refusals. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "cli/expect.h"
#include "shardlab/view/width.h"

#define FOUR_EIGHT "pipe --stages 4 --micro-batches 8 "

START_TEST(the_chart_is_drawn_to_the_character) {
    struct run r;
    expect_good(&r, "pipe --stages 2 --micro-batches 2 --gantt --ascii --explain --lang en",
                &expect_wide);
    ck_assert_str_eq(
        r.out,
        "1f1b · stages: 2 · micro-batches: 2 · makespan 9 · bubble 33.3 % of the step, 50.0 % "
        "over ideal\n"
        "stage 0 |F0F1    B0..  B1..| 2\n"
        "         ==            ====\n"
        "         112222222222111111\n"
        "stage 1 |  F0B0..F1B1..    | 1\n"
        "           ============\n"
        "           111111111111\n"
        "         0   2   4   6   8\n"
        "F3 forward   B3 backward   === critical path   1 2 3 activations held, at the right "
        "the most   blank: idle\n"
        "B1 of stage 0 starts at 7: waits for B1 of stage 1; slack 0, on the critical path\n");
    run_free(&r);
}
END_TEST

/* Bytes are those of `mem`: what the layers of a stage keep, for as many micro-batches as there are in flight. */
START_TEST(the_strip_has_bytes_where_a_scenario_is_given) {
    struct run r, mem;
    expect_good(&r,
                "pipe --stages 4 --micro-batches 8 --gantt --ascii --lang en "
                "--scenario '--model llama-2-7b --seq 4096'",
                &expect_wide);
    expect_json(&mem, "mem --model llama-2-7b --seq 4096 --pp 4 --micro-batches 8 --stage 0 --json",
                NULL);
    char peak[32];
    (void)snprintf(peak, sizeof peak, "| 4  %.2f\n",
                   expect_real(mem.out, "per_gpu.activations_bytes") * 1e-9);
    ck_assert_msg(strstr(r.out, peak) != NULL, "%s: %s", peak, r.out);
    ck_assert(strstr(r.out, "in GB") != NULL);
    run_free(&mem);
    run_free(&r);
}
END_TEST

/* What SCREENS.md promises of a cell; waits, ticks and slack are the simulator's (test_simulate.c). */
static const struct {
    const char *line, *sentence;
} asked[] = {
    {"--ask F5@1",
     "F5 of stage 1 starts at 16: waits for F5 of stage 0; slack 0, on the critical path"},
    {"--ask F0@0",
     "F0 of stage 0 starts at 0 and waits for nothing; slack 0, on the critical path"},
    {"--ask F3@0", "F3 of stage 0 starts at 3: waits for the end of F2 on this stage; slack"},
    {"--ask B7@0 --lang zh", "阶段 0 的 B7 在 31 开始：要等阶段 1 的 B7；松弛 0，在关键路径上"},
    {"--ask BW7@3 --tf 0.5", "B7 of stage 3 starts at"},
    {"--ask F3b@2 --schedule interleaved", "F3b of stage 2 starts at"},
    {"--ask W0@1 --schedule zb-h1", "W0 of stage 1 starts at"},
};

START_TEST(an_operation_explains_itself) {
    struct run r;
    char line[256];
    bool language = strstr(asked[_i].line, "--lang") != NULL;
    (void)snprintf(line, sizeof line, FOUR_EIGHT "--gantt %s %s", asked[_i].line,
                   language ? "" : "--lang en");
    expect_good(&r, line, &expect_wide);
    ck_assert_msg(strstr(r.out, asked[_i].sentence) != NULL, "%s: %s", line, r.out);
    run_free(&r);
}
END_TEST

START_TEST(two_schedules_do_the_same_work_on_one_axis) {
    struct run r;
    expect_good(&r, FOUR_EIGHT "--gantt --against interleaved --lang en", &expect_wide);
    expect_names(r.out,
                 "makespan 33 ·|makespan 28.5 ·|bubble 15.8 %|"
                 "interleaved takes 4.5 less than 1f1b: 13.6 % of it.|in whole stages| 5.5\n");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--gantt --schedule interleaved --against 1f1b --lang en",
                &expect_wide);
    expect_names(
        r.out,
        "interleaved · stages: 4|makespan 57 ·|makespan 66 ·|1f1b takes 9 more than interleaved");
    run_free(&r);
    expect_good(&r, FOUR_EIGHT "--gantt --schedule gpipe --against 1f1b --lang en", &expect_wide);
    expect_names(r.out, "1f1b and gpipe take equally long.");
    run_free(&r);
}
END_TEST

static const char *const schedules[] = {"gpipe",    "1f1b",      "interleaved",    "looped-bfs",
                                        "zb-h1",    "zb-h2",     "zb-interleaved", "zb-v",
                                        "dualpipe", "dualpipev", "chimera"};
static const int widths[] = {40, 44, 80, 120, 200};

START_TEST(every_schedule_keeps_to_the_width_in_both_languages) {
    struct width_rules rules = {false};
    for (int i = 0; i < 20; i++) {
        struct run r;
        char line[256], row[1024];
        (void)snprintf(line, sizeof line,
                       "pipe --stages 4 --micro-batches %d --gantt --explain --ask F1@1 --width %d "
                       "--schedule %s --lang %s",
                       i < 10 ? 8 : 200, widths[i % 5], schedules[_i], i % 2 == 0 ? "en" : "zh");
        expect_good(&r, line, &expect_wide);
        for (const char *at = r.out; *at != '\0'; at += strcspn(at, "\n") + 1) {
            size_t length = strcspn(at, "\n");
            ck_assert_uint_lt(length, sizeof row);
            memcpy(row, at, length);
            row[length] = '\0';
            ck_assert_msg(width_text(row, &rules) <= widths[i % 5], "%s: %s", line, row);
        }
        ck_assert_msg(strstr(r.out, "view.") == NULL, "%s: words are missing: %s", line, r.out);
        run_free(&r);
    }
}
END_TEST

START_TEST(the_largest_schedules_are_joined_and_say_so) {
    struct run r;
    expect_good(
        &r, "pipe --stages 64 --micro-batches 1024 --schedule interleaved --gantt --lang en", NULL);
    expect_names(r.out, "One column is |stages 0 to 31 of 64");
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *names;
} refusals[] = {
    {FOUR_EIGHT "--ask F0@0", "--ask|--gantt"},
    {FOUR_EIGHT "--width 80", "--width|--gantt"},
    {FOUR_EIGHT "--ascii", "--ascii|--gantt"},
    {FOUR_EIGHT "--against gpipe", "--against|--gantt"},
    {FOUR_EIGHT "--gantt --width 39", "39|40|500"},
    {FOUR_EIGHT "--gantt --width wide", "wide"},
    {FOUR_EIGHT "--gantt --ask 5@1", "5@1|F3@2"},
    {FOUR_EIGHT "--gantt --ask F9@2", "F9@2|0 to 3|0 to 7|F, BW"},
    {FOUR_EIGHT "--gantt --ask F@1", "F@1"},
    {FOUR_EIGHT "--gantt --ask F1", "F1"},
    {FOUR_EIGHT "--gantt --ask F1@1x", "F1@1x"},
    {FOUR_EIGHT "--gantt --ask F8@0", "F8@0"},
    {FOUR_EIGHT "--gantt --ask F0@4", "F0@4"},
    {FOUR_EIGHT "--gantt --ask W0@0", "W0@0"},
    {FOUR_EIGHT "--gantt --ask F0b@0", "F0b@0"},
    {FOUR_EIGHT "--gantt --ask F99999999999999999999999@0", "F9999"},
    {FOUR_EIGHT "--gantt --against 2f2b", "2f2b|zb-h1"},
    {"pipe --stages 3 --micro-batches 8 --gantt --against dualpipe", "3|DualPipe"},
    {"pipe --import x.csv --gantt --against 1f1b", "--against|--import"},
    {"pipe --import x.csv --gantt --scenario '--model gpt2'", "--scenario|--import"},
    {FOUR_EIGHT "--scenario '--model gpt2'", "--scenario|--gantt"},
    {FOUR_EIGHT "--gantt --scenario '--model gpt2 --pp 2'", "--scenario|--pp"},
    {FOUR_EIGHT "--gantt --scenario '--model gpt2 --schedule gpipe'", "--scenario|--schedule"},
    {FOUR_EIGHT "--gantt --scenario '--params 7B'", "--params"},
    {FOUR_EIGHT "--gantt --scenario", "--scenario"},
    {"pipe --stages 32 --micro-batches 8 --gantt --scenario '--model gpt2'", "32|12"},
};

START_TEST(what_means_nothing_is_refused_with_its_value) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, refusals[_i].line), 2, "shardlab: pipe: ");
    expect_names(r.err, refusals[_i].names);
    run_free(&r);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

static Suite *suite(void) {
    Suite *s = suite_create("gantt");
    TCase *t = tcase_create("chart");
    tcase_add_test(t, the_strip_has_bytes_where_a_scenario_is_given);
    tcase_add_test(t, the_chart_is_drawn_to_the_character);
    tcase_add_loop_test(t, an_operation_explains_itself, 0, ROWS(asked));
    tcase_add_test(t, two_schedules_do_the_same_work_on_one_axis);
    tcase_add_loop_test(t, every_schedule_keeps_to_the_width_in_both_languages, 0, ROWS(schedules));
    tcase_add_test(t, the_largest_schedules_are_joined_and_say_so);
    tcase_add_loop_test(t, what_means_nothing_is_refused_with_its_value, 0, ROWS(refusals));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
