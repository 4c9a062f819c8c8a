/* Experiments on the screen without a process: keys in, the loop's part played by the test, which tells lines and ends.
 * What is looked at is what a learner would read. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "support/drive.h"
#include "support/experiment_lesson.h"

static struct drive d;

static void open_at(int rows, int cols, bool chinese) {
    struct app_options options = {.chinese = chinese, .progress = ""};
    struct message why;
    ck_assert(drive_open(&d, rows, cols, &options));
    ck_assert_int_eq(app_show_lesson(d.app, &experiment_lesson, &why), STATUS_OK);
    drive_draw(&d);
}

static void keys(const char *names) {
    ck_assert(drive_keys(&d, names));
}

static void see(const char *text) {
    if (!drive_shows(&d, text)) {
        fprintf(stderr, "%s\n", d.text); /* too long for Check */
        ck_abort_msg("not on the screen: %s", text);
    }
}

static void see_not(const char *text) {
    if (drive_shows(&d, text)) {
        fprintf(stderr, "%s\n", d.text);
        ck_abort_msg("on the screen: %s", text);
    }
}

static unsigned line(const char *text) {
    unsigned effects = app_experiment_line(d.app, text, strlen(text));
    drive_draw(&d);
    return effects;
}

static unsigned end(enum lab_end_kind kind, int value, const char *error) {
    struct lab_end how = {.kind = kind, .value = value};
    snprintf(how.error, sizeof how.error, "%s", error);
    unsigned effects = app_experiment_ended(d.app, &how);
    drive_draw(&d);
    return effects;
}

#define EVENT "{\"event\":\"repeat\",\"repeat\":1,\"time_s\":0.0005}"
#define ANSWER(measured, match)                                                                    \
    "{\"command\":\"allreduce\",\"time_s\":{\"median\":0.00041,\"min\":0.0004},"                   \
    "\"busbw_bytes_per_s\":3600000000,"                                                            \
    "\"predicted\":{\"sent_bytes_per_rank\":[6000018,6000018,6000016,6000020],\"steps\":6},"       \
    "\"measured\":{\"sent_bytes_per_rank\":[6000018,6000018,6000016," measured                     \
    "],\"steps\":6},\"match\":" match "}"
#define GOOD ANSWER("6000020", "true")

START_TEST(r_runs_and_the_answer_stands_beside_the_prediction) {
    open_at(40, 120, false);
    see("r runs for real: shardlab allreduce --ranks 4 --elems 1000003");
    see("r run it");
    keys("r");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    see("A real all-reduce");
    see("running; Esc ends it");
    see("Esc cancel");
    ck_assert_uint_ne(line(EVENT) & APP_EFFECT_VIEW, 0);
    see("running; events: 1; the last: repeat  repeat 1  time_s 0.0005");
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("predicted   measured");
    see("rank 0 sends  6,000,018  6,000,018  ✓ equal");
    see("rank 3 sends  6,000,020  6,000,020  ✓ equal");
    see("steps                 6          6  ✓ equal");
    see("✓ measured as predicted");
    see("time 410.00 µs · busbw 3.60 GB/s");
    see("shardlab allreduce --ranks 4 --elems 1000003 --algorithm ring");
    see("optimizer"); /* the view is still there below */
    keys("L");
    see("✓ 实测与预测一致");
    see("相等");
    drive_close(&d);
}
END_TEST

START_TEST(the_command_is_the_line_with_what_the_screen_wants) {
    static const char *const wanted[] = {"shardlab", "allreduce", "--ranks",     "4",
                                         "--elems",  "1000003",   "--algorithm", "ring",
                                         "--events", "--lang",    "zh"};
    open_at(24, 80, true);
    keys("r");
    const char *const *argv = app_experiment_command(d.app);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        ck_assert_str_eq(argv[i], wanted[i]);
    }
    ck_assert_ptr_null(argv[sizeof wanted / sizeof wanted[0]]);
    drive_close(&d);
}
END_TEST

START_TEST(what_differs_says_so_by_sign_word_and_sentence) {
    open_at(40, 120, false);
    keys("r");
    (void)line(ANSWER("6000021", "false"));
    (void)end(LAB_END_EXIT, 1, "");
    see("rank 3 sends  6,000,020  6,000,021  ≠ not equal");
    see("≠ not as predicted: 1 of 5 values differ");
    see_not("measured as predicted");
    drive_close(&d);
}
END_TEST

START_TEST(equal_values_do_not_hide_that_the_program_found_a_difference) {
    open_at(40, 120, false);
    keys("r");
    (void)line(ANSWER("6000020", "false"));
    (void)end(LAB_END_EXIT, 1, "");
    see("≠ these values agree, but the program reports no match");
    drive_close(&d);
}
END_TEST

START_TEST(a_missing_value_differs) {
    open_at(40, 120, false);
    keys("r");
    (void)line(
        "{\"predicted\":{\"steps\":6},\"measured\":{\"sent_bytes_per_rank\":[7]},\"match\":true}");
    (void)end(LAB_END_EXIT, 0, "");
    see("rank 0 sends          —          7  ≠ not equal");
    see("steps                 6          —  ≠ not equal");
    see("time —");
    drive_close(&d);
}
END_TEST

START_TEST(bounds_reals_words_and_infinities_are_compared_as_what_they_are) {
    open_at(40, 120, false);
    keys("r");
    (void)line("{\"predicted\":{\"sent_bytes_per_rank\":[0.5,3,null,9007199254740993,8,\"up\"],"
               "\"sent_bytes_per_rank_class\":\"inf\",\"steps\":9},"
               "\"measured\":{\"sent_bytes_per_rank\":[5e-1,2,null,9007199254740992,9,\"up\"],"
               "\"sent_bytes_per_rank_class\":\"nan\",\"steps\":8},"
               "\"predicted_bounds\":[\"x\",\"steps\"],\"match\":true}");
    (void)end(LAB_END_EXIT, 0, "");
    see("0.5                    0.5  ✓");
    see("3                      2  ≠");
    see("inf                    nan  ≠");
    see("9,007,199,254,740,993  9,007,199,254,740,992  ≠");
    see("up                     up  ✓");
    see("9                      8  ≤");
    drive_close(&d);
}
END_TEST

START_TEST(a_second_r_says_that_one_runs) {
    open_at(24, 80, false);
    keys("r r");
    see("an experiment is running; Esc ends it");
    ck_assert_uint_eq(d.effects & (APP_EFFECT_RUN | APP_EFFECT_CANCEL), 0);
    drive_close(&d);
}
END_TEST

START_TEST(esc_cancels_at_once_and_what_comes_later_is_not_heard) {
    open_at(24, 80, false);
    keys("r Esc");
    ck_assert_uint_eq(d.effects & APP_EFFECT_CANCEL, APP_EFFECT_CANCEL);
    see("cancelled; r runs it again");
    see("Memory"); /* still the lesson */
    ck_assert_uint_eq(line(GOOD), 0);
    ck_assert_uint_eq(end(LAB_END_CANCELLED, 0, ""), 0);
    see_not("measured");
    keys("r");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("measured as predicted");
    keys("Esc");
    see("Lessons"); /* nothing runs: Esc goes home as ever */
    drive_close(&d);
}
END_TEST

START_TEST(other_keys_work_while_it_runs) {
    open_at(40, 120, false);
    keys("r Space");
    see("still running: shardlab allreduce --ranks 4");
    keys("b ? Esc L");
    see("运行中");
    keys("L Right");
    see("still running: shardlab allreduce --ranks 4");
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("the last result is for other settings (shardlab allreduce --ranks 4");
    see("has ended: shardlab allreduce --ranks 4");
    keys("u");
    see("✓ measured as predicted");
    keys("q");
    ck_assert_uint_eq(d.effects & APP_EFFECT_QUIT, APP_EFFECT_QUIT);
    drive_close(&d);
}
END_TEST

START_TEST(an_answer_is_old_when_a_knob_has_moved) {
    open_at(40, 120, false);
    keys("r");
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    keys("Right");
    see("the last result is for other settings");
    see_not("✓ measured as predicted");
    keys("Left");
    see("✓ measured as predicted");
    keys("Right r");
    ck_assert_str_eq(app_experiment_command(d.app)[3], "8");
    see_not("other settings");
    drive_close(&d);
}
END_TEST

START_TEST(a_page_without_an_experiment_has_no_r) {
    open_at(24, 80, false);
    keys("Space Space r");
    see("this key does nothing here");
    see_not("run it");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, 0);
    drive_close(&d);
    struct app_options options = {.progress = ""};
    ck_assert(drive_open(&d, 24, 80, &options)); /* a lesson without any */
    keys("Enter r");
    see("this key does nothing here");
    drive_close(&d);
}
END_TEST

START_TEST(a_guess_is_asked_for_first_and_judged_after) {
    open_at(40, 120, false);
    keys("Space r");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, 0);
    see("How much does a rank send?");
    see("2  1.5 MB");
    see("1-4 guess");
    keys("4");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, 0);
    keys("3");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("You said 2 MB; it is 1.5 MB.");
    keys("r"); /* who knows the answer is not asked again */
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    keys("Esc Right r 2");
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("You said 1.5 MB: right.");
    keys("Right r Esc");
    see_not("How much does a rank send?");
    see("r run it");
    keys("r r");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see_not("You said");
    drive_close(&d);
}
END_TEST

START_TEST(failures_are_told_in_the_words_of_the_child) {
    open_at(40, 120, false);
    keys("r");
    (void)end(LAB_END_EXIT, 2, "shardlab: allreduce: --ranks 99: at most 64\033[2J");
    see("shardlab: allreduce: --ranks 99: at most 64?[2J");
    see("the experiment ended with status 2 and without a result");
    keys("r");
    (void)line(EVENT);
    (void)end(LAB_END_SIGNAL, SIGSEGV, "");
    see("the experiment was ended by signal 11");
    keys("r");
    (void)line(GOOD);
    (void)end(LAB_END_SIGNAL, SIGKILL, "");
    see("the experiment was ended by signal 9");
    keys("r");
    (void)end(LAB_END_LONG_LINE, 0, "");
    see("it wrote a line longer than 1048576 bytes");
    keys("r");
    ck_assert_uint_eq(line("no JSON") & APP_EFFECT_CANCEL, APP_EFFECT_CANCEL);
    see("JSON:1:1: is not JSON from here on: no JSON");
    keys("r");
    struct message why;
    message_start(&why, "error.lab.start");
    message_add_text(&why, "shardlab");
    message_add_text(&why, "Text file busy");
    (void)app_experiment_failed(d.app, &why);
    drive_draw(&d);
    see("shardlab cannot be started: Text file busy");
    drive_close(&d);
}
END_TEST

START_TEST(nothing_is_heard_when_nothing_was_started) {
    struct message why;
    open_at(24, 80, false);
    message_start(&why, "error.memory");
    ck_assert_uint_eq(line(GOOD), 0);
    ck_assert_uint_eq(end(LAB_END_EXIT, 0, ""), 0);
    ck_assert_uint_eq(app_experiment_failed(d.app, &why), 0);
    drive_close(&d);
}
END_TEST

static void answer_of(int ranks, int wrong, char *text, size_t capacity) {
    int at = snprintf(text, capacity, "{\"predicted\":{\"sent_bytes_per_rank\":[");
    for (int i = 0; i < ranks; i++) {
        at += snprintf(text + at, capacity - (size_t)at, "%s%d", i > 0 ? "," : "", i);
    }
    at += snprintf(text + at, capacity - (size_t)at,
                   "],\"steps\":7},\"measured\":{\"sent_bytes_per_rank\":[");
    for (int i = 0; i < ranks; i++) {
        at += snprintf(text + at, capacity - (size_t)at, "%s%d", i > 0 ? "," : "",
                       i == wrong ? 1000 : i);
    }
    snprintf(text + at, capacity - (size_t)at, "],\"steps\":7},\"match\":%s}",
             wrong < 0 ? "true" : "false");
}

START_TEST(more_ranks_than_rows_are_summed_up) {
    static char text[32768];
    open_at(24, 80, false);
    keys("r");
    answer_of(64, -1, text, sizeof text);
    (void)line(text);
    (void)end(LAB_END_EXIT, 0, "");
    see("rank 0 sends");
    see(" more, none differs");
    see("steps");
    see("✓ measured as predicted");
    see("shardlab allreduce --ranks 4");
    keys("r");
    answer_of(64, 50, text, sizeof text);
    (void)line(text);
    (void)end(LAB_END_EXIT, 1, "");
    see("1 differ, first: rank 50 sends");
    keys("r");
    answer_of(1000, -1, text, sizeof text);
    (void)line(text);
    (void)end(LAB_END_EXIT, 0, "");
    see("✓ measured as predicted");
    drive_close(&d);
}
END_TEST

START_TEST(a_low_pane_says_the_main_thing_first_and_scrolls) {
    open_at(14, 44, false);
    keys("r");
    (void)line(GOOD);
    (void)end(LAB_END_EXIT, 0, "");
    see("✓ measured as predicted");
    see_not("steps");
    see("more: Shift-Tab twice, then ↓"); /* the page has a link */
    keys("BackTab BackTab Down Down");
    see("rank 0 sends");
    see("more: ↓");
    keys("Down Down Down Down Down Down Down Down");
    see("shardlab allreduce --ranks 4");
    see_not("more: ↓");
    keys("Up Up Up Up Up Up Up Up Up Up Up Up");
    see("A real all-reduce");
    drive_resize(&d, 40, 120);
    see("rank 3 sends");
    drive_close(&d);
}
END_TEST

/* Every state at every size that can be shown, in both languages: the drawing's own checks are the asserts. */
START_TEST(every_size_survives_every_state) {
    static const char *const ends[] = {
        "", "shardlab: allreduce: something that is long enough to be wrapped"};
    open_at(24, 80, _i == 1);
    for (int rows = 12; rows <= 48; rows += 4) {
        for (int cols = 40; cols <= 140; cols += 7) {
            drive_resize(&d, rows, cols);
            keys("r");
            (void)line(EVENT);
            (void)line(GOOD);
            (void)end(LAB_END_EXIT, 0, "");
            see("shardlab");
            keys("r");
            (void)end(LAB_END_EXIT, 2, ends[rows % 8 == 0]);
            keys("Space r r Esc b");
        }
    }
    drive_close(&d);
}
END_TEST

START_TEST(the_mouse_runs_and_guesses_too) {
    open_at(40, 120, false);
    keys("m");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "r run it", 0));
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "Esc cancel", 0));
    ck_assert_uint_eq(d.effects & APP_EFFECT_CANCEL, APP_EFFECT_CANCEL);
    keys("Space r");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "2  1.5 MB", 3));
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    drive_close(&d);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("experiments");
    TCase *t = tcase_create("experiments");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, r_runs_and_the_answer_stands_beside_the_prediction);
    tcase_add_test(t, the_command_is_the_line_with_what_the_screen_wants);
    tcase_add_test(t, what_differs_says_so_by_sign_word_and_sentence);
    tcase_add_test(t, equal_values_do_not_hide_that_the_program_found_a_difference);
    tcase_add_test(t, a_missing_value_differs);
    tcase_add_test(t, bounds_reals_words_and_infinities_are_compared_as_what_they_are);
    tcase_add_test(t, a_second_r_says_that_one_runs);
    tcase_add_test(t, esc_cancels_at_once_and_what_comes_later_is_not_heard);
    tcase_add_test(t, other_keys_work_while_it_runs);
    tcase_add_test(t, an_answer_is_old_when_a_knob_has_moved);
    tcase_add_test(t, a_page_without_an_experiment_has_no_r);
    tcase_add_test(t, a_guess_is_asked_for_first_and_judged_after);
    tcase_add_test(t, failures_are_told_in_the_words_of_the_child);
    tcase_add_test(t, nothing_is_heard_when_nothing_was_started);
    tcase_add_test(t, more_ranks_than_rows_are_summed_up);
    tcase_add_test(t, a_low_pane_says_the_main_thing_first_and_scrolls);
    tcase_add_loop_test(t, every_size_survives_every_state, 0, 2);
    tcase_add_test(t, the_mouse_runs_and_guesses_too);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
