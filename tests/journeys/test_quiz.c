/* A sitting by keys alone, in both languages: every kind of question, the log before the feedback, what happens to keys that
 * come too early, hints, another rating, undo from the summary, and quitting in the middle of a question. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>

#include "support/quiz_drive.h"

/* To the question of a kind, past the others. */
static void reach(enum question_kind kind) {
    for (int i = 0; i < SOLVE_QUESTIONS_MAX; i++) {
        ck_assert(solve_look(&s));
        if (s.attempt.question->kind == kind) {
            return;
        }
        bool typed = s.attempt.question->kind != QUESTION_CHOICE &&
                     s.attempt.question->kind != QUESTION_ORDER;
        bank_pass(1000);
        if (typed) {
            keys("Ctrl-K");
        } else {
            keys("s");
        }
    }
    ck_abort_msg("no question of kind %d", (int)kind);
}

START_TEST(every_kind_is_answered_by_keys_and_is_in_the_log_before_its_feedback) {
    char press[SOLVE_KEYS_MAX];
    unsigned seen = 0;
    int answers = 0;
    open_at("all", _i == 1);
    keys("x");
    while (solve_look(&s)) {
        seen |= 1U << s.attempt.question->kind;
        solve_keys(&s, press);
        bank_pass(30000);
        keys(press);
        answers++;
        ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), answers); /* before it is left */
        see("✓");
        see_id("sitting.good");
        keys("Enter");
    }
    ck_assert_uint_eq(seen, (1U << QUESTION_KINDS) - 1);
    see_id("sitting.done");
    shut();
}
END_TEST

START_TEST(the_last_answer_is_taken_back_from_the_summary) {
    char press[SOLVE_KEYS_MAX];
    open_at("undo", _i == 1);
    keys("x");
    for (int i = 0; solve_look(&s); i++) {
        solve_keys(&s, press);
        keys(press);
        keys("Enter");
    }
    see_id("sitting.done");
    keys("u");
    see_id("sitting.undone");
    ck_assert_int_eq(solve_events(&s, PROGRESS_UNDO), 1);
    ck_assert(solve_look(&s)); /* it is to come again, and the screen shows it */
    for (int i = 0; i < 3; i++) {
        bool typed = s.attempt.question->kind != QUESTION_CHOICE &&
                     s.attempt.question->kind != QUESTION_ORDER;
        keys(typed ? "Ctrl-P" : "u");
        ck_assert_int_eq(solve_events(&s, PROGRESS_UNDO), 2 + i);
        ck_assert(solve_look(&s));
    }
    shut();
}
END_TEST

START_TEST(quitting_in_the_middle_of_a_question_resumes_at_it_with_its_numbers) {
    char press[SOLVE_KEYS_MAX];
    static char before[sizeof d.text];
    open_at("resume", _i == 1);
    keys("x");
    for (int i = 0; i < 4; i++) {
        ck_assert(solve_look(&s));
        snprintf(before, sizeof before, "%s", d.text);
        drive_close(&d);
        start_program(_i == 1);
        keys("x");
        ck_assert_str_eq(d.text, before);
        solve_keys(&s, press);
        keys(press);
        keys("Enter");
    }
    shut();
}
END_TEST

START_TEST(ratings_before_the_answer_do_nothing_but_say_so) {
    open_at("early", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    keys("4");
    see_id("sitting.rate_early");
    ck_assert_int_eq(solve_events(&s, PROGRESS_RATING), 0);
    keys("Enter");
    see_id("sitting.point_first");
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), 0);
    char press[SOLVE_KEYS_MAX];
    solve_keys(&s, press);
    keys(press);
    keys("4");
    ck_assert_int_eq(solve_events(&s, PROGRESS_RATING), 1);
    see("› 4");
    shut();
}
END_TEST

START_TEST(a_wrong_choice_shows_what_it_has_in_mind_and_comes_again) {
    open_at("wrong", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    int at = s.attempt.question->parts[s.attempt.shown[0]].right ? 1 : 0;
    const struct question_part *part = &s.attempt.question->parts[s.attempt.shown[at]];
    keys(at == 0 ? "a a" : "b b");
    see("≠");
    see(part->why[_i]);
    see("› 1");
    int before = s.sitting.count;
    keys("Enter");
    ck_assert(solve_look(&s));
    ck_assert_int_eq(s.sitting.count, before + 1);
    shut();
}
END_TEST

START_TEST(a_known_mistake_is_named_and_what_cannot_be_read_costs_nothing) {
    open_at("path", _i == 1);
    keys("x");
    reach(QUESTION_NUMBER);
    keys("n o n e Enter");
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), 0);
    const struct instance_key *key = &s.attempt.numbers.keys[0];
    ck_assert_int_gt(key->path_count, 0);
    char press[SOLVE_KEYS_MAX];
    struct writer w;
    writer_start(&w, press, sizeof press);
    solve_press(&w, "Ctrl-U", 1);
    solve_value(&w, key, key->paths[0].value);
    solve_press(&w, "Enter", 1);
    keys(press);
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), 1);
    for (int i = 0; i < s.attempt.question->part_count; i++) {
        const struct question_part *part = &s.attempt.question->parts[i];
        if (strcmp(part->id, key->paths[0].id) == 0) {
            char start[32];
            snprintf(start, sizeof start, "%.*s", _i == 1 ? 18 : 20, part->text[_i]);
            see(start);
        }
    }
    see_id("sitting.solution");
    shut();
}
END_TEST

START_TEST(the_calculator_and_the_lesson_lead_back_to_the_question_as_it_was) {
    static char before[sizeof d.text];
    open_at("back", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    keys("b i");
    snprintf(before, sizeof before, "%s", d.text);
    keys("t");
    ck_assert_str_ne(d.text, before);
    see_id("sitting.way_back");
    keys("Backspace");
    ck_assert_str_eq(d.text, before);
    reach(QUESTION_NUMBER);
    keys("Ctrl-R Esc");
    see_id("sitting.how.number");
    shut();
}
END_TEST

static void print(const char *line) {
    (void)app_experiment_line(d.app, line, strlen(line));
    drive_draw(&d);
}

/* What is no scenario of a lesson is run, and what it prints stands below its line. */
START_TEST(a_calculator_without_sliders_prints_the_question_s_numbers) {
    struct lab_end end = {.kind = LAB_END_EXIT, .value = 1, .error = "it\tis over"};
    open_at("printed", _i == 1);
    keys("x");
    reach(QUESTION_NUMBER);
    keys("Ctrl-R");
    ck_assert_uint_ne(d.effects & APP_EFFECT_RUN, 0);
    see(app_experiment_command(d.app)[1]);
    see_id("home.line_runs");
    print("two\033[31m rows");
    see("two?[31m rows");
    for (int i = 0; i < 30; i++) {
        print("");
    }
    print("the last row");
    ck_assert(!drive_shows(&d, "the last row"));
    (void)app_experiment_ended(d.app, &end);
    keys("End");
    see("it?is over");
    keys("Esc Ctrl-R");
    ck_assert(!drive_shows(&d, "two?"));
    keys("Esc");
    ck_assert_uint_ne(d.effects & APP_EFFECT_CANCEL, 0); /* it still ran */
    ck_assert_uint_eq(app_experiment_line(d.app, "late", 4), 0);
    shut();
}
END_TEST

/* The way back from a lesson ends with the question: a lesson that is opened from the summary leads home. */
START_TEST(a_lesson_left_for_its_own_questions_is_no_way_back_any_more) {
    open_at("stale", _i == 1);
    keys("open:collectives x t x");
    for (int i = 0; i < 5; i++) {
        keys("Ctrl-K s");
    }
    while (!drive_shows(&d, words_get(&words, "sitting.done"))) {
        keys("Ctrl-K s");
    }
    keys("End Enter open:collectives Esc");
    see_id("home.statistics");
    shut();
}
END_TEST

START_TEST(hints_come_one_by_one_and_then_end) {
    open_at("hints", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    keys("i");
    see(s.attempt.question->hints[0][_i]);
    ck_assert(!drive_shows(&d, s.attempt.question->hints[1][_i]));
    keys("i");
    see(s.attempt.question->hints[1][_i]);
    keys("i");
    see_id("sitting.no_more_hints");
    char press[SOLVE_KEYS_MAX];
    solve_keys(&s, press);
    keys(press);
    see("› 2"); /* right after a hint: hard */
    shut();
}
END_TEST

START_TEST(what_an_interviewer_asks_next_comes_next) {
    open_at("follow", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    char press[SOLVE_KEYS_MAX];
    solve_keys(&s, press);
    keys(press);
    keys("f");
    ck_assert(!drive_shows(&d, words_get(&words, "sitting.no_follow")));
    see(_i == 1 ? "把训练一步" : "Put the steps"); /* before the number that was to come */
    shut();
}
END_TEST

START_TEST(where_nothing_can_be_saved_the_sitting_goes_on_and_says_so) {
    open_at("unsaved", _i == 1);
    drive_close(&d);
    snprintf(path, sizeof path, "/proc/none/progress.db");
    start_program(_i == 1);
    keys("x");
    char before[16];
    snprintf(before, sizeof before, "%.*s", 9, words_get(&words, "error.sitting.unsaved"));
    ck_assert(solve_look(&s));
    keys("Ctrl-K x");
    see(before);
    shut();
}
END_TEST

START_TEST(home_counts_what_is_due_behind_the_first_picture) {
    open_at("home", _i == 1);
    see_id("home.questions_any");
    ck_assert_int_ge(app_wait_ms(d.app), 0);
    ck_assert(app_tick(d.app) != 0);
    ck_assert_int_eq(app_wait_ms(d.app), -1);
    drive_draw(&d);
    ck_assert(!drive_shows(&d, words_get(&words, "home.questions_any")));
    see(" 5");
    shut();
}
END_TEST

START_TEST(home_goes_on_with_the_lesson_of_the_last_answer) {
    char press[SOLVE_KEYS_MAX];
    open_at("continue", _i == 1);
    keys("x");
    ck_assert(solve_look(&s));
    solve_keys(&s, press);
    keys(press);
    drive_close(&d);
    start_program(_i == 1);
    ck_assert(!drive_shows(&d, words_get(&words, "home.continue")));
    ck_assert(app_tick(d.app) != 0);
    keys("Up Up Up");
    see_id("home.continue");
    keys("Enter");
    see_id("lesson.collectives.title");
    see("1/5");
    shut();
}
END_TEST

START_TEST(a_date_is_checked_and_kept) {
    open_at("form", _i == 1);
    keys("End End Enter Enter");
    see_id("stats.interview_about");
    keys("2 0 2 6 - 1 3 - 0 1 Enter");
    ck_assert_int_eq(solve_events(&s, PROGRESS_SETTING), 0);
    keys("Ctrl-U 2 0 2 6 - 1 2 - 2 4 Enter");
    ck_assert_int_eq(solve_events(&s, PROGRESS_SETTING), 1);
    see_id("stats.kept");
    keys("End");
    see("2026-12-24");
    shut();
}
END_TEST

/* Twice into the current folder: the second is another file. */
static void write_reports(void) {
    static const char *const names[] = {"shardlab-interview-2026-11-30.md",
                                        "shardlab-interview-2026-11-30-2.md"};
    char folder[BANK_PATH_MAX];
    snprintf(folder, sizeof folder, "%s/bank_reports_%d", TEST_BINARY_DIR, (int)words.chinese);
    (void)mkdir(folder, 0700);
    ck_assert_int_eq(chdir(folder), 0);
    for (int i = 0; i < 2; i++) {
        (void)unlink(names[i]);
    }
    for (int i = 0; i < 2; i++) {
        char text[64];
        keys("e");
        see(names[i]);
        FILE *f = fopen(names[i], "r");
        ck_assert_ptr_nonnull(f);
        ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
        ck_assert_int_eq(text[0], '#');
        fclose(f);
    }
}

START_TEST(an_interview_ends_with_a_report_that_can_be_copied_and_written) {
    open_at("mock", _i == 1);
    keys("End End Up Enter");
    see_id("mock.minutes_about");
    keys("Ctrl-U 4 Enter"); /* too short */
    see_id("mock.minutes_about");
    keys("Ctrl-U 5 Enter");
    for (int i = 0; i < 8 && !drive_shows(&d, words_get(&words, "mock.over")); i++) {
        bank_pass(50000);
        keys("Ctrl-X x Enter"); /* not known, whether letters are keys or typed */
    }
    see_id("mock.over");
    ck_assert_int_eq(solve_events(&s, PROGRESS_MOCK), 1);
    keys("y");
    ck_assert_ptr_nonnull(strstr(app_copied(d.app), "# "));
    ck_assert_ptr_nonnull(strstr(app_copied(d.app), words_get(&words, "mock.gaps")));
    write_reports();
    shut();
}
END_TEST

START_TEST(a_lesson_asks_its_own_questions) {
    open_at("practise", _i == 1);
    keys("open:collectives x");
    see("1/5");
    see_id("lesson.collectives.title");
    keys("Esc");
    see("1/5"); /* the lesson's page */
    keys("Esc");
    keys("open:memory x");
    see_id("sitting.none_here");
    shut();
}
END_TEST

static Suite *suite(void) {
    Suite *made = suite_create("quiz");
    TCase *t = tcase_create("sitting");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_kind_is_answered_by_keys_and_is_in_the_log_before_its_feedback, 0,
                        2);
    tcase_add_loop_test(t, the_last_answer_is_taken_back_from_the_summary, 0, 2);
    tcase_add_loop_test(t, quitting_in_the_middle_of_a_question_resumes_at_it_with_its_numbers, 0,
                        2);
    tcase_add_loop_test(t, ratings_before_the_answer_do_nothing_but_say_so, 0, 2);
    tcase_add_loop_test(t, a_wrong_choice_shows_what_it_has_in_mind_and_comes_again, 0, 2);
    tcase_add_loop_test(t, a_known_mistake_is_named_and_what_cannot_be_read_costs_nothing, 0, 2);
    tcase_add_loop_test(t, a_calculator_without_sliders_prints_the_question_s_numbers, 0, 2);
    tcase_add_loop_test(t, the_calculator_and_the_lesson_lead_back_to_the_question_as_it_was, 0, 2);
    tcase_add_loop_test(t, a_lesson_left_for_its_own_questions_is_no_way_back_any_more, 0, 2);
    tcase_add_loop_test(t, hints_come_one_by_one_and_then_end, 0, 2);
    tcase_add_loop_test(t, what_an_interviewer_asks_next_comes_next, 0, 2);
    tcase_add_loop_test(t, where_nothing_can_be_saved_the_sitting_goes_on_and_says_so, 0, 2);
    tcase_add_loop_test(t, home_counts_what_is_due_behind_the_first_picture, 0, 2);
    tcase_add_loop_test(t, home_goes_on_with_the_lesson_of_the_last_answer, 0, 2);
    tcase_add_loop_test(t, a_date_is_checked_and_kept, 0, 2);
    tcase_add_loop_test(t, an_interview_ends_with_a_report_that_can_be_copied_and_written, 0, 2);
    tcase_add_loop_test(t, a_lesson_asks_its_own_questions, 0, 2);
    suite_add_tcase(made, t);
    return made;
}

#include "support/check_main.h"
