/* The log of progress where all goes well: what is appended is there again, in order, for this program and for others; and
 * where the file is looked for and made. */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress_case.h"
#include "shardlab/base/words.h"

static struct progress_case here;

static void here_make(void) {
    (void)umask(022);
    case_make(&here);
}

static void here_remove(void) {
    folder_remove(here.folder);
}

START_TEST(what_was_appended_is_read_back_field_by_field) {
    struct progress *p = case_open(&here);
    struct progress_event e[PROGRESS_KINDS];
    struct message why;
    for (int i = 0; i < PROGRESS_KINDS; i++) {
        e[i] = case_event(i);
        e[i].kind = (enum progress_kind)i;
        e[i].about = i == 0 ? 0 : e[0].id;
        ck_assert_int_eq(progress_append(p, &e[i], &why), STATUS_OK);
        ck_assert_int_eq(e[i].id, i + 1);
    }
    progress_close(p);
    p = case_open(&here);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(count, PROGRESS_KINDS);
    for (int i = 0; i < count; i++) {
        ck_assert(case_same(&events[i], &e[i]));
    }
    ck_assert_int_eq(progress_unsaved(p), 0);
    ck_assert_int_eq(progress_passed_over(p), 0);
    progress_close(p);
}
END_TEST

START_TEST(nothing_is_made_before_the_first_append) {
    struct stat info;
    struct message why;
    char path[RUN_PATH_MAX];
    struct progress *p = case_open(&here);
    ck_assert_int_eq(case_count(p), 0);
    ck_assert_int_eq(progress_refresh(p, &why), STATUS_OK);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_OK);
    progress_close(p);
    ck_assert_int_ne(stat(folder_path(path, here.folder, "progress.db"), &info), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress");
    TCase *c = tcase_create("progress");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, what_was_appended_is_read_back_field_by_field);
    tcase_add_test(c, nothing_is_made_before_the_first_append);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
