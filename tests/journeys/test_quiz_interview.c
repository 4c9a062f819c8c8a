/* Figures and interviews by keys alone, in both languages: what is to do today reads the same on home and among the figures. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>

#include "support/quiz_drive.h"

/* A message as the screen would say it. */
static void see_counts(const char *id, int one, int other) {
    char text[256];
    struct message m;
    struct writer w;
    writer_start(&w, text, sizeof text);
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)one);
    message_add_plain(&m, (uint64_t)other);
    words_write(&w, &words, &m);
    see(text);
}

START_TEST(home_and_figures_count_what_is_to_do_alike) {
    char press[SOLVE_KEYS_MAX], text[256], *behind;
    struct message m;
    struct writer w;
    open_at("alike", _i == 1);
    keys("x");
    ck_assert(solve_look(&s));
    solve_keys(&s, press);
    keys(press);
    keys("Enter");
    ck_assert(solve_look(&s));
    keys(s.attempt.question->kind == QUESTION_CHOICE ? "x Enter Esc" : "Ctrl-X Enter Esc");
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), 2);
    see_id("home.statistics");
    (void)app_tick(d.app);
    drive_draw(&d);
    ck_assert(solve_look(&s));
    struct sitting_left left = sitting_left_of(&s.sitting, s.cards);
    ck_assert_int_eq(left.again, 1); /* the missed one */
    ck_assert_int_gt(left.new_cards, 0);
    message_start(&m, "home.questions_due");
    message_add_plain(&m, (uint64_t)left.again);
    message_add_plain(&m, (uint64_t)left.new_cards);
    message_add_text(&m, "!");
    writer_start(&w, text, sizeof text);
    words_write(&w, &words, &m);
    behind = strrchr(text, '!');
    ck_assert_ptr_nonnull(behind);
    *behind = '\0';
    see(text);
    keys("End End Enter");
    see_counts("stats.due_value", left.again, left.new_cards);
    shut();
}
END_TEST

START_TEST(without_an_answer_there_is_no_percentage) {
    open_at("nothing", _i == 1);
    keys("End End Enter");
    see_id("stats.none");
    ck_assert(!drive_shows(&d, "%"));
    shut();
}
END_TEST

START_TEST(labels_of_figures_fit_the_narrowest_screen) {
    static const char *const labels[] = {
        "stats.answers", "stats.today",  "stats.streak",   "stats.learned", "stats.due",
        "stats.time",    "stats.recall", "stats.measured", "stats.budget",  "stats.rollover"};
    open_at("narrow", _i == 1);
    drive_resize(&d, 40, 40); /* as narrow as 40x12, and tall enough for all rows */
    keys("End End Enter");
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        see_id(labels[i]);
    }
    shut();
}
END_TEST

/* The date that is kept has passed meanwhile: it is no obstacle to another setting. */
START_TEST(a_date_that_has_passed_stays_unless_it_is_changed) {
    const struct app_moment before = bank_now;
    open_at("passed", _i == 1);
    keys("End End Enter Enter 2 0 2 6 - 1 2 - 2 4 Enter");
    keys("End");
    see(_i == 1 ? "2026-12-24，还有 24 天" : "2026-12-24, in 24 d");
    bank_now.utc_s += (int64_t)30 * 86400;
    keys("Enter Down Ctrl-U 9 Enter");
    see_id("stats.kept");
    ck_assert_int_eq(solve_events(&s, PROGRESS_SETTING), 2);
    keys("End");
    see(_i == 1 ? "2026-12-24，已过" : "2026-12-24, past");
    keys("Enter Ctrl-U 2 0 2 6 - 1 2 - 2 3 Enter"); /* another one that has passed */
    ck_assert_int_eq(solve_events(&s, PROGRESS_SETTING), 2);
    bank_now = before;
    shut();
}
END_TEST

START_TEST(a_level_without_an_opening_question_says_so) {
    open_at("none", _i == 1);
    keys("x");
    ck_assert(solve_look(&s));
    ck_assert(s.attempt.question->opens && s.attempt.question->level == 1); /* the only one */
    keys("z Esc");
    keys("End End Up Enter Down Ctrl-U 1 Enter");
    see_counts("mock.none", 1, 0);
    see_id("mock.level_about"); /* it has not begun */
    keys("Ctrl-U 3 Enter");
    ck_assert(!drive_shows(&d, words_get(&words, "mock.level_about")));
    shut();
}
END_TEST

START_TEST(the_clock_of_an_interview_is_seen_on_every_screen) {
    open_at("clock", _i == 1);
    keys("End End Up Enter Enter");
    see(_i == 1 ? "面试 1/15 分钟" : "Interview 1/15 min");
    bank_pass(14 * 60000 - 1000);
    drive_resize(&d, 12, 40);
    drive_draw(&d);
    see(_i == 1 ? "14/15 分钟" : "14/15 min");
    shut();
}
END_TEST

/* "# 模拟面试，2026-11-30", and no heading without something below it. */
START_TEST(a_report_has_no_empty_section) {
    open_at("report", _i == 1);
    keys("End End Up Enter Enter");
    for (int i = 0; i < 8 && !drive_shows(&d, words_get(&words, "mock.over")); i++) {
        keys("Ctrl-X x Enter");
    }
    keys("y");
    const char *text = app_copied(d.app);
    ck_assert_ptr_nonnull(
        strstr(text, _i == 1 ? "# 模拟面试，2026-11-30\n" : "# Mock interview, 2026-11-30\n"));
    ck_assert_ptr_nonnull(strstr(text, words_get(&words, "mock.gaps")));
    ck_assert_ptr_null(strstr(text, words_get(&words, "mock.strengths")));
    for (const char *at = strstr(text, "## "); at != NULL; at = strstr(at + 3, "## ")) {
        const char *below = strstr(at, "\n\n");
        ck_assert_ptr_nonnull(below);
        ck_assert_int_eq(below[2], '-');
    }
    shut();
}
END_TEST

static Suite *suite(void) {
    Suite *made = suite_create("quiz.interview");
    TCase *t = tcase_create("figures");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, home_and_figures_count_what_is_to_do_alike, 0, 2);
    tcase_add_loop_test(t, without_an_answer_there_is_no_percentage, 0, 2);
    tcase_add_loop_test(t, labels_of_figures_fit_the_narrowest_screen, 0, 2);
    tcase_add_loop_test(t, a_date_that_has_passed_stays_unless_it_is_changed, 0, 2);
    suite_add_tcase(made, t);
    t = tcase_create("interview");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_level_without_an_opening_question_says_so, 0, 2);
    tcase_add_loop_test(t, the_clock_of_an_interview_is_seen_on_every_screen, 0, 2);
    tcase_add_loop_test(t, a_report_has_no_empty_section, 0, 2);
    suite_add_tcase(made, t);
    return made;
}

#include "support/check_main.h"
