/* The home screen with as many lessons as there are: all of them at 80×24, summaries that are not cut or that the status
 * row completes, a list that scrolls where it is longer than the screen, and the mouse on what is in sight. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"
#include "shardlab/view/width.h"
#include "support/drive.h"

static struct drive d;
static struct store *store;
static struct words words[2];

static void open_at(int rows, int cols, bool chinese) {
    struct app_options options = {.chinese = chinese, .progress = ""};
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    for (int language = 0; language < 2; language++) {
        ck_assert_int_eq(store_words(store, language == 1, &words[language], &why), STATUS_OK);
    }
    ck_assert(drive_open(&d, rows, cols, &options));
}

static void shut(void) {
    drive_close(&d);
    store_close(store);
}

static void keys(const char *names) {
    ck_assert(drive_keys(&d, names));
}

static const char *of_lesson(int item, const char *what, bool chinese) {
    char id[96];
    snprintf(id, sizeof id, "lesson.%s%s", lesson_at(item)->id, what);
    const char *text = words[chinese].find(words[chinese].book, id);
    ck_assert_msg(text != NULL, "%s", id);
    return text;
}

/* "› Memory": the focus is on it, and it is in sight. */
static void see_pointer(const char *name) {
    char text[256];
    snprintf(text, sizeof text, "› %s", name);
    if (!drive_shows(&d, text)) {
        fprintf(stderr, "%s\n", d.text);
        ck_abort_msg("not in focus: %s", text);
    }
}

static void see_focus(int item, bool chinese) {
    see_pointer(of_lesson(item, ".title", chinese));
}

/* A row that is no lesson. */
static void see_words(const char *id, bool chinese) {
    see_pointer(words_get(&words[chinese], id));
}

START_TEST(every_lesson_is_there_at_once_at_80_by_24) {
    bool chinese = _i == 1;
    open_at(24, 80, chinese);
    for (int i = 0; i < lesson_count(); i++) {
        ck_assert_msg(drive_shows(&d, of_lesson(i, ".title", chinese)), "%s\n%s", lesson_at(i)->id,
                      d.text);
    }
    ck_assert(drive_shows(&d, "shardlab --help"));
    shut();
}
END_TEST

START_TEST(the_summary_in_focus_can_be_read) {
    static const struct width_rules rules = {false};
    bool chinese = _i == 1;
    open_at(24, 80, chinese);
    for (int i = 0; i < lesson_count(); i++) {
        char start[64]; /* of a summary that may be wrapped or cut, as much as is surely there */
        const char *summary = of_lesson(i, ".summary", chinese);
        snprintf(start, sizeof start, "%.*s", (int)width_prefix(summary, 16, &rules), summary);
        ck_assert_msg(drive_shows(&d, start), "%s\n%s", lesson_at(i)->id, d.text);
        keys("Down");
    }
    shut();
}
END_TEST

START_TEST(a_list_that_is_too_long_scrolls_with_the_focus) {
    bool chinese = _i == 1;
    open_at(14, 44, chinese);
    for (int i = 0; i < lesson_count(); i++) {
        see_focus(i, chinese);
        keys("Down");
    }
    see_words("home.interview", chinese);
    keys("Home");
    see_focus(0, chinese);
    keys("Up");
    see_words("home.questions", chinese);
    keys("Up");
    see_words("home.questions", chinese);
    keys("End");
    see_focus(lesson_count() - 1, chinese);
    keys("PgUp PgUp PgUp PgUp");
    see_words("home.questions", chinese);
    keys("PgDn PgDn PgDn PgDn");
    see_words("home.statistics", chinese);
    drive_resize(&d, 12, 40);
    see_words("home.statistics", chinese);
    drive_resize(&d, 40, 120);
    see_words("home.statistics", chinese);
    shut();
}
END_TEST

START_TEST(the_lesson_that_is_open_says_where_one_is) {
    open_at(24, 80, false);
    keys("Enter Space Space Esc");
    char text[64];
    snprintf(text, sizeof text, " 3/%d", lesson_at(0)->page_count);
    ck_assert_msg(drive_shows(&d, text), "%s", d.text);
    shut();
}
END_TEST

START_TEST(a_click_takes_the_focus_and_the_next_one_opens) {
    open_at(24, 80, false);
    int last = lesson_count() - 1;
    keys("m");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, of_lesson(last, ".title", false), 1));
    see_focus(last, false);
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, of_lesson(last, ".title", false), 1));
    ck_assert(drive_shows(&d, "1/"));
    shut();
}
END_TEST

/* At every size: the drawing's own checks are the asserts, and the focus is in sight. */
START_TEST(every_size_shows_the_focus) {
    bool chinese = _i == 1;
    open_at(24, 80, chinese);
    keys("End");
    for (int rows = 12; rows <= 60; rows++) {
        for (int cols = 40; cols <= 160; cols += 8) {
            drive_resize(&d, rows, cols);
            see_focus(lesson_count() - 1, chinese);
        }
    }
    shut();
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("home");
    TCase *t = tcase_create("home");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_lesson_is_there_at_once_at_80_by_24, 0, 2);
    tcase_add_loop_test(t, the_summary_in_focus_can_be_read, 0, 2);
    tcase_add_loop_test(t, a_list_that_is_too_long_scrolls_with_the_focus, 0, 2);
    tcase_add_test(t, the_lesson_that_is_open_says_where_one_is);
    tcase_add_test(t, a_click_takes_the_focus_and_the_next_one_opens);
    tcase_add_loop_test(t, every_size_shows_the_focus, 0, 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
