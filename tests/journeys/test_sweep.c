/* The experiment of collectives' last page, without a process: rows that belong to an algorithm bear its name, as the answer
 * gives it, and a number where it gives none. */
#include <check.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "support/drive.h"

static struct drive d;

static void answer(const char *text) {
    struct lab_end how = {.kind = LAB_END_EXIT};
    ck_assert(drive_keys(&d, "r"));
    (void)app_experiment_line(d.app, text, strlen(text));
    (void)app_experiment_ended(d.app, &how);
    drive_draw(&d);
}

static void open_last_page(void) {
    struct app_options options = {.progress = ""};
    struct message why;
    ck_assert(drive_open(&d, 40, 120, &options));
    ck_assert_int_eq(app_show_lesson(d.app, lesson_find("collectives"), &why), STATUS_OK);
    ck_assert(drive_keys(&d, "Space Space Space Space"));
}

#define COUNTS                                                                                     \
    "\"predicted\":{\"sent_bytes_per_algorithm\":[7,8]},"                                          \
    "\"measured\":{\"sent_bytes_per_algorithm\":[7,8]},\"match\":true}"

START_TEST(rows_bear_the_names_of_the_algorithms) {
    open_last_page();
    answer("{\"algorithms\":[\"naive\",\"tree\"]," COUNTS);
    ck_assert(drive_shows(&d, "naive, bytes in all"));
    ck_assert(drive_shows(&d, "tree, bytes in all"));
    drive_close(&d);
}
END_TEST

START_TEST(without_names_rows_have_numbers) {
    open_last_page();
    answer("{\"algorithms\":[\"naive\",3]," COUNTS);
    ck_assert(drive_shows(&d, "naive, bytes in all"));
    ck_assert(drive_shows(&d, "1, bytes in all"));
    drive_close(&d);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("sweep");
    TCase *t = tcase_create("names");
    tcase_add_test(t, rows_bear_the_names_of_the_algorithms);
    tcase_add_test(t, without_names_rows_have_numbers);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
