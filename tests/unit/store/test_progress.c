/* The log of progress where all goes well: what is appended is there again, in order, for this program and for others; and
 * where the file is looked for and made. */
#define _XOPEN_SOURCE 700

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress_case.h"
#include "support/sanitized.h"

static struct progress_case here;

static void here_make(void) {
    (void)umask(022);
    case_make(&here);
}

static void here_remove(void) {
    case_remove(&here);
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

/* --- Where it is. --- */

/* Three settings of the environment, NULL unset, and where the log is then, "" nowhere; "%" is the folder of the test. */
static const struct place {
    const char *file, *data, *home, *path;
} places[] = {
    {"%/my.db", "%/data", "%/home", "%/my.db"},
    {NULL, "%/data", "%/home", "%/data/shardlab/progress.db"},
    {"", "%/data", "%/home", "%/data/shardlab/progress.db"},
    {NULL, NULL, "%/home", "%/home/.local/share/shardlab/progress.db"},
    {NULL, "", "%/home", "%/home/.local/share/shardlab/progress.db"},
    {NULL, "relative", "%/home", "%/home/.local/share/shardlab/progress.db"},
    {NULL, NULL, NULL, ""},
    {NULL, NULL, "", ""},
    {NULL, "relative", "relative", ""},
    {"my.db", NULL, NULL, "./my.db"},
    {":memory:", NULL, NULL, "./:memory:"},
    {"file:a?mode=memory", NULL, NULL, "./file:a?mode=memory"},
};

static const char *filled(char out[RUN_PATH_MAX], const char *text) {
    (void)snprintf(out, RUN_PATH_MAX, "%s%s", text[0] == '%' ? here.folder : "",
                   text[0] == '%' ? text + 1 : text);
    return out;
}

static void setting(const char *name, const char *value) {
    char text[RUN_PATH_MAX];
    ck_assert_int_eq(value == NULL ? unsetenv(name) : setenv(name, filled(text, value), 1), 0);
}

START_TEST(the_environment_says_where_it_is) {
    const struct place *at = &places[_i];
    char path[RUN_PATH_MAX];
    struct progress *p = NULL;
    struct message why = {0};
    struct progress_event e = case_event(1);
    ck_assert_int_eq(chdir(here.folder), 0);
    setting("SHARDLAB_PROGRESS", at->file);
    setting("XDG_DATA_HOME", at->data);
    setting("HOME", at->home);
    bool nowhere = at->path[0] == '\0';
    ck_assert_int_eq(progress_open(NULL, &p, &why), nowhere ? STATUS_FAILED : STATUS_OK);
    ck_assert_str_eq(progress_path(p), filled(path, at->path));
    ck_assert_int_eq(progress_append(p, &e, &why), nowhere ? STATUS_FAILED : STATUS_OK);
    ck_assert_int_eq(case_count(p), 1);
    progress_close(p);
    struct stat info;
    if (nowhere) {
        ck_assert_str_eq(why.id, "progress.home");
    } else {
        ck_assert_int_eq(stat(path, &info), 0);
        ck_assert_int_gt(info.st_size, 0);
    }
}
END_TEST

START_TEST(folders_and_files_are_for_their_owner_alone) {
    static const char *const names[] = {"/a", "/a/b", "/a/b/log", "/a/b/log-wal", "/a/b/log-shm"};
    char path[RUN_PATH_MAX];
    struct progress *p = NULL;
    struct message why = {0};
    (void)umask(0);
    ck_assert_int_eq(progress_open(folder_path(path, here.folder, "a/b/log"), &p, &why), STATUS_OK);
    (void)case_append(p, 1);
    for (int i = 0; i < 5; i++) {
        struct stat info;
        (void)snprintf(path, sizeof path, "%s%s", here.folder, names[i]);
        ck_assert_msg(stat(path, &info) == 0, "%s", path);
        ck_assert_int_eq(info.st_mode & 0777, i < 2 ? 0700 : 0600);
    }
    progress_close(p);
}
END_TEST

START_TEST(a_closed_log_is_one_file) {
    char path[RUN_PATH_MAX];
    struct stat info;
    struct progress *p = case_open(&here);
    (void)case_append(p, 1);
    progress_close(p);
    ck_assert_int_ne(stat(folder_path(path, here.folder, "progress.db-wal"), &info), 0);
    ck_assert_int_ne(stat(folder_path(path, here.folder, "progress.db-shm"), &info), 0);
}
END_TEST

START_TEST(a_file_without_a_byte_is_a_new_log) {
    file_write(here.path, "", 0);
    struct progress *p = case_open(&here);
    ck_assert_int_eq(case_append(p, 1), 1);
    progress_close(p);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 1);
    progress_close(p);
}
END_TEST

/* --- More than one. --- */

START_TEST(two_logs_see_what_the_other_has_added_after_a_refresh) {
    struct progress *a = case_open(&here), *b = case_open(&here);
    struct message why;
    ck_assert_int_eq(case_append(a, 1), 1);
    ck_assert_int_eq(case_count(b), 0);
    ck_assert_int_eq(progress_refresh(b, &why), STATUS_OK);
    ck_assert_int_eq(case_count(b), 1);
    ck_assert_int_eq(case_append(b, 2), 2);
    ck_assert_int_eq(case_append(a, 3), 3); /* an append reads on too */
    ck_assert_int_eq(progress_refresh(b, &why), STATUS_OK);
    int count_a = 0, count_b = 0;
    const struct progress_event *of_a = progress_events(a, &count_a);
    const struct progress_event *of_b = progress_events(b, &count_b);
    ck_assert_int_eq(count_a, 3);
    ck_assert_int_eq(count_b, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert(case_same(&of_a[i], &of_b[i]));
        ck_assert_int_eq(of_a[i].id, i + 1);
    }
    progress_close(a);
    progress_close(b);
}
END_TEST

enum { PROCESSES = 4, APPENDS = SANITIZED ? 40 : 200 };

/* Saved with a larger id than the one before; or, on a machine with much else to do, told that another writes, and waiting. */
static bool appended(struct progress *p, struct progress_event *e, int64_t *last) {
    struct message why;
    if (progress_append(p, e, &why) != STATUS_OK) {
        return strcmp(why.id, "progress.locked") == 0 && progress_unsaved(p) > 0;
    }
    bool larger = e->id > *last;
    *last = e->id;
    return larger && progress_unsaved(p) == 0;
}

/* A process of its own, from before there is a file. Ends with 0 when every append was saved; what waits is with the close. */
static void process_run(int which) {
    struct progress *p = NULL;
    struct message why;
    int64_t last = 0;
    bool good = progress_open(here.path, &p, &why) == STATUS_OK;
    for (int i = 0; good && i < APPENDS; i++) {
        struct progress_event e = case_event(which * APPENDS + i);
        good = appended(p, &e, &last);
        good = good && (i % 20 != 0 || progress_refresh(p, &why) == STATUS_OK);
    }
    progress_close(p);
    if (!good) {
        (void)fprintf(stderr, "process %d gives up\n", which);
    }
    _exit(good ? 0 : 1);
}

START_TEST(processes_that_append_at_once_lose_nothing) {
    bool seen[PROCESSES * APPENDS] = {false};
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0) {
            process_run(i);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    struct progress *p = case_open(&here);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(count, PROCESSES * APPENDS);
    for (int i = 0; i < count; i++) {
        int which = (int)(events[i].utc_s - case_event(0).utc_s);
        struct progress_event e = case_event(which);
        e.id = i + 1;
        ck_assert(case_same(&events[i], &e));
        ck_assert(!seen[which]);
        seen[which] = true;
    }
    progress_close(p);
}
END_TEST

/* --- What may be appended. --- */

START_TEST(what_is_no_event_is_refused_and_not_taken) {
    struct progress *p = case_open(&here);
    struct message why;
    struct progress_event e[8];
    for (int i = 0; i < 8; i++) {
        e[i] = case_event(i);
    }
    e[0].kind = PROGRESS_KINDS;
    e[1].rating = 5;
    e[2].hints = -1;
    e[3].item[0] = '\n';
    e[4].item[0] = (char)0xFF;
    memset(e[5].item, 'x', sizeof e[5].item);
    e[6].about = -1;
    e[7].utc_s = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(progress_append(p, &e[i], &why), STATUS_USAGE);
        ck_assert_str_eq(why.id, "progress.event");
        ck_assert_int_eq(e[i].id, 0);
    }
    ck_assert_int_eq(case_count(p), 0);
    progress_close(p);
}
END_TEST

START_TEST(text_is_made_harmless_and_cut_at_a_character_before_it_is_kept) {
    struct progress *p = case_open(&here);
    struct message why;
    struct progress_event e = case_event(1), longest = case_event(2);
    (void)snprintf(e.text, sizeof e.text, "%s",
                   "a\x1b[2Jb\xFF"
                   "c\xE2\x80\xAE d\n");
    memset(longest.text, 'x', sizeof longest.text);
    memcpy(longest.text + PROGRESS_TEXT_MAX - 2, "\xE5\xAD", 2); /* half a character, no end */
    ck_assert_int_eq(progress_append(p, &e, &why), STATUS_OK);
    ck_assert_int_eq(progress_append(p, &longest, &why), STATUS_OK);
    for (int again = 0; again < 2; again++) {
        int count = 0;
        const struct progress_event *events = progress_events(p, &count);
        ck_assert_int_eq(count, 2);
        ck_assert_str_eq(events[0].text, "a?[2Jb?c? d?");
        ck_assert_uint_eq(strlen(events[1].text), PROGRESS_TEXT_MAX - 1);
        ck_assert_int_eq(events[1].text[PROGRESS_TEXT_MAX - 2], '?');
        progress_close(p);
        p = case_open(&here);
    }
    progress_close(p);
}
END_TEST

START_TEST(no_log_at_all_is_an_empty_one_that_cannot_be_saved) {
    struct message why;
    struct progress_event e = case_event(1);
    ck_assert_int_eq(case_count(NULL), 0);
    ck_assert_int_eq(progress_append(NULL, &e, &why), STATUS_FAILED);
    ck_assert_int_eq(progress_refresh(NULL, &why), STATUS_FAILED);
    ck_assert_int_eq(progress_can_save(NULL, &why), STATUS_FAILED);
    ck_assert_int_eq(progress_unsaved(NULL) + progress_passed_over(NULL), 0);
    ck_assert_str_eq(progress_path(NULL), "");
    progress_close(NULL);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress");
    TCase *c = tcase_create("progress");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, what_was_appended_is_read_back_field_by_field);
    tcase_add_test(c, nothing_is_made_before_the_first_append);
    tcase_add_loop_test(c, the_environment_says_where_it_is, 0, sizeof places / sizeof places[0]);
    tcase_add_test(c, folders_and_files_are_for_their_owner_alone);
    tcase_add_test(c, a_closed_log_is_one_file);
    tcase_add_test(c, a_file_without_a_byte_is_a_new_log);
    tcase_add_test(c, two_logs_see_what_the_other_has_added_after_a_refresh);
    tcase_add_test(c, processes_that_append_at_once_lose_nothing);
    tcase_add_test(c, what_is_no_event_is_refused_and_not_taken);
    tcase_add_test(c, text_is_made_harmless_and_cut_at_a_character_before_it_is_kept);
    tcase_add_test(c, no_log_at_all_is_an_empty_one_that_cannot_be_saved);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
