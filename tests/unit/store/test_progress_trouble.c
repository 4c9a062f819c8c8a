/* The log of progress where its place makes trouble: what cannot be written, is locked, full, moved away or replaced. Each
 * time the same is asked: a sentence that names the path, reading that goes on, a file that is as it was, and an append that
 * saves all that waited as soon as it can. Damaged files are in test_progress_damaged.c. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* setgroups */

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress_case.h"

static struct progress_case here;

static void here_make(void) {
    (void)umask(022);
    case_make(&here);
}

static void here_remove(void) {
    (void)chmod(here.folder, 0700);
    case_remove(&here);
}

/* A log of so many events, closed. */
static void log_make(int count) {
    struct progress *p = case_open(&here);
    for (int i = 0; i < count; i++) {
        (void)case_append(p, i);
    }
    progress_close(p);
}

/* An append that must fail with this sentence about the log; the event waits. */
static void append_fails(struct progress *p, int i, const char *id) {
    struct progress_event e = case_event(i);
    struct message why = {0};
    int before = case_count(p), waiting = progress_unsaved(p);
    ck_assert_int_eq(progress_append(p, &e, &why), STATUS_FAILED);
    case_says(&why, id, progress_path(p));
    ck_assert_int_eq(case_count(p), before + 1);
    ck_assert_int_eq(progress_unsaved(p), waiting + 1);
}

/* The log holds events 0 … count-1 in order, in memory and in the file. */
static void expect_all(const struct progress *p, int count) {
    struct progress *again = case_open(&here);
    int of_p = 0, of_again = 0;
    const struct progress_event *a = progress_events(p, &of_p);
    const struct progress_event *b = progress_events(again, &of_again);
    ck_assert_int_eq(of_p, count);
    ck_assert_int_eq(of_again, count);
    for (int i = 0; i < count; i++) {
        struct progress_event e = case_event(i);
        e.id = i + 1;
        ck_assert(case_same(&a[i], &e));
        ck_assert(case_same(&b[i], &e));
    }
    ck_assert_int_eq(progress_unsaved(p), 0);
    progress_close(again);
}

/* --- Permissions, which do not hold for root: a child that is nobody tries. --- */

enum { NOBODY = 65534, CANNOT_TELL = 77 };

static void become_nobody(void) {
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        _exit(CANNOT_TELL);
    }
    if (access(here.folder, X_OK) != 0) {
        _exit(CANNOT_TELL);
    }
}

/* What a child does with the log as it finds it; a failed assertion ends it. */
static void child_run(void (*tries)(void)) {
    (void)!chown(here.folder, geteuid() == 0 ? NOBODY : geteuid(), getegid());
    (void)!chown(here.path, geteuid() == 0 ? NOBODY : geteuid(), getegid());
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        become_nobody();
        tries();
        _exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_TELL) {
        (void)fprintf(stderr, "permissions cannot be tried in this place\n");
    } else {
        ck_assert_int_eq(status, 0);
    }
}

static void nothing_can_be_made(void) {
    struct message why;
    ck_assert_int_eq(chmod(here.folder, 0500), 0);
    struct progress *p = case_open(&here);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_FAILED);
    case_says(&why, "progress.readonly", here.path);
    append_fails(p, 0, "progress.readonly");
    append_fails(p, 1, "progress.readonly");
    ck_assert_int_eq(chmod(here.folder, 0700), 0);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_OK);
    ck_assert_int_eq(case_append(p, 2), 3);
    expect_all(p, 3);
    progress_close(p);
}

START_TEST(a_read_only_folder_without_a_log) {
    child_run(nothing_can_be_made);
}
END_TEST

static void reading_goes_on(mode_t folder, mode_t file) {
    struct message why;
    struct case_bytes before = case_bytes_read(here.path);
    ck_assert_int_eq(chmod(here.path, file), 0);
    ck_assert_int_eq(chmod(here.folder, folder), 0);
    struct progress *p = case_open(&here);
    ck_assert_int_eq(case_count(p), 3);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_FAILED);
    case_says(&why, "progress.readonly", here.path);
    append_fails(p, 3, "progress.readonly");
    append_fails(p, 4, "progress.readonly");
    case_bytes_same(here.path, before);
    ck_assert_int_eq(chmod(here.folder, 0700), 0);
    ck_assert_int_eq(chmod(here.path, 0600), 0);
    ck_assert_int_eq(case_append(p, 5), 6);
    expect_all(p, 6);
    progress_close(p);
}

static void reading_goes_on_in_the_folder(void) {
    reading_goes_on(0500, 0600);
}

static void reading_goes_on_in_the_file(void) {
    reading_goes_on(0700, 0400);
}

static void reading_goes_on_in_both(void) {
    reading_goes_on(0500, 0400);
}

START_TEST(a_read_only_folder_with_a_log) {
    log_make(3);
    child_run(reading_goes_on_in_the_folder);
}
END_TEST

START_TEST(a_read_only_log) {
    log_make(3);
    child_run(reading_goes_on_in_the_file);
}
END_TEST

START_TEST(a_read_only_log_in_a_read_only_folder) {
    log_make(3);
    child_run(reading_goes_on_in_both);
}
END_TEST

static void cannot_be_read(void) {
    struct progress *p = NULL;
    struct message why;
    ck_assert_int_eq(chmod(here.path, 0), 0);
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    case_says(&why, "progress.permission", here.path);
    append_fails(p, 3, "progress.permission");
    ck_assert_int_eq(chmod(here.path, 0600), 0);
    ck_assert_int_eq(case_append(p, 4), 5);
    expect_all(p, 5);
    progress_close(p);
}

START_TEST(a_log_that_may_not_be_read) {
    log_make(3);
    child_run(cannot_be_read);
}
END_TEST

/* --- No room. --- */

/* An append of event `i` while files may not grow beyond so many bytes. The limit holds for Check's own files too, so
 * nothing is asserted meanwhile. */
static enum status append_limited(struct progress *p, int i, rlim_t bytes, struct message *why) {
    struct rlimit before, limit;
    struct progress_event e = case_event(i);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){bytes, before.rlim_max};
    bool set = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    enum status status = progress_append(p, &e, why);
    bool reset = setrlimit(RLIMIT_FSIZE, &before) == 0;
    ck_assert(set && reset);
    return status;
}

START_TEST(no_room_to_make_the_log_does_not_end_the_program) {
    struct progress *p = case_open(&here);
    struct message why = {0};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(append_limited(p, i, 1000, &why), STATUS_FAILED);
        case_says(&why, "progress.full", here.path);
        ck_assert_int_eq(progress_unsaved(p), i + 1);
    }
    ck_assert_int_eq(case_append(p, 2), 3);
    expect_all(p, 3);
    progress_close(p);
}
END_TEST

START_TEST(no_room_for_more_is_said_and_what_waits_is_saved_later) {
    const rlim_t limit = 256 * 1024; /* of the write-ahead log */
    struct progress *p = case_open(&here);
    struct message why = {0};
    int count = 0;
    while (count < 1000 && append_limited(p, count, limit, &why) == STATUS_OK) {
        count++;
    }
    ck_assert_int_gt(count, 10);
    case_says(&why, "progress.full", here.path);
    struct progress *other = case_open(&here); /* reading goes on */
    ck_assert_int_eq(case_count(other), count);
    progress_close(other);
    ck_assert_int_eq(progress_unsaved(p), 1);
    /* The write-ahead log was emptied meanwhile: there is room again below the same limit. */
    ck_assert_int_eq(append_limited(p, count + 1, limit, &why), STATUS_OK);
    ck_assert_int_eq(case_append(p, count + 2), count + 3);
    expect_all(p, count + 3);
    progress_close(p);
}
END_TEST

START_TEST(a_signal_that_was_held_back_before_stays_so) {
    sigset_t set, before, after;
    struct progress *p = case_open(&here);
    ck_assert_int_eq(sigemptyset(&set), 0);
    ck_assert_int_eq(sigaddset(&set, SIGXFSZ), 0);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, &before), 0);
    (void)case_append(p, 0);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &before, &after), 0);
    ck_assert_int_eq(sigismember(&before, SIGXFSZ), 0);
    ck_assert_int_eq(sigismember(&after, SIGXFSZ), 1);
    progress_close(p);
}
END_TEST

/* --- Another program that does not let go. --- */

static sqlite3 *other_open(const char *sql) {
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open_v2(here.path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

START_TEST(a_log_that_another_program_writes_to_and_does_not_let_go) {
    struct message why;
    log_make(3);
    sqlite3 *other = other_open("BEGIN IMMEDIATE");
    struct progress *p = case_open(&here); /* reading goes on */
    ck_assert_int_eq(case_count(p), 3);
    append_fails(p, 3, "progress.locked");
    ck_assert_int_eq(progress_refresh(p, &why), STATUS_OK);
    ck_assert_int_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(case_append(p, 4), 5);
    expect_all(p, 5);
    progress_close(p);
    ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
}
END_TEST

START_TEST(a_log_that_another_program_keeps_for_itself) {
    struct progress *p = NULL;
    struct message why;
    log_make(3);
    sqlite3 *other = other_open("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    case_says(&why, "progress.locked", here.path);
    append_fails(p, 3, "progress.locked");
    ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
    progress_close(p); /* the close saves what waits */
    p = case_open(&here);
    expect_all(p, 4);
    progress_close(p);
}
END_TEST

/* --- What waits. --- */

START_TEST(ids_of_events_that_wait_stay_good_after_others_took_their_place) {
    struct message why;
    log_make(1);
    struct progress *p = case_open(&here), *faster = case_open(&here);
    sqlite3 *other = other_open("BEGIN IMMEDIATE");
    struct progress_event first = case_event(1), second = case_event(2), third = case_event(3);
    ck_assert_int_eq(progress_append(p, &first, &why), STATUS_FAILED);
    second.about = first.id;
    ck_assert_int_eq(progress_append(p, &second, &why), STATUS_FAILED);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(count, 3);
    ck_assert(events[1].id > events[0].id && events[2].id > events[1].id);
    ck_assert(events[2].about == events[1].id && events[1].id == first.id);
    ck_assert_int_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(case_append(faster, 9), 2);
    third.about = second.id;
    ck_assert_int_eq(progress_append(p, &third, &why), STATUS_OK);
    ck_assert_int_eq(third.id, 5);
    for (int again = 0; again < 2; again++) {
        events = progress_events(p, &count);
        ck_assert_int_eq(count, 5);
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(events[i].id, i + 1);
        }
        ck_assert_str_eq(events[1].item, "memory.bytes.9");
        ck_assert_int_eq(events[3].about, 3);
        ck_assert_int_eq(events[4].about, 4);
        progress_close(p);
        p = case_open(&here);
    }
    progress_close(p);
    progress_close(faster);
    ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
}
END_TEST

/* --- A file that goes while it is open. --- */

static void move(const char *from, const char *to) {
    char a[RUN_PATH_MAX], b[RUN_PATH_MAX];
    ck_assert_int_eq(rename(folder_path(a, here.folder, from), folder_path(b, here.folder, to)), 0);
}

START_TEST(a_log_that_was_moved_away_is_not_written_to) {
    struct progress *p = case_open(&here);
    (void)case_append(p, 8);
    (void)case_append(p, 9);
    move("progress.db", "kept.db");
    move("progress.db-wal", "kept.db-wal");
    move("progress.db-shm", "kept.db-shm");
    ck_assert_int_eq(case_append(p, 0), 1);
    expect_all(p, 1);
    progress_close(p);
    char path[RUN_PATH_MAX];
    struct message why;
    ck_assert_int_eq(progress_open(folder_path(path, here.folder, "kept.db"), &p, &why), STATUS_OK);
    ck_assert_int_eq(case_count(p), 2);
    progress_close(p);
}
END_TEST

START_TEST(the_newest_part_of_a_log_that_is_gone_is_left_alone) {
    char path[RUN_PATH_MAX];
    struct message why;
    struct progress *p = case_open(&here);
    (void)case_append(p, 8);
    (void)folder_path(path, here.folder, "progress.db-wal");
    struct case_bytes before = case_bytes_read(path);
    ck_assert_uint_gt(before.length, 0);
    move("progress.db", "kept.db");
    struct progress_event e = case_event(9);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(progress_append(p, &e, &why), STATUS_FAILED);
        case_says(&why, "progress.leftover", path);
    }
    progress_close(p);
    file_write(here.path, "", 0);
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    case_says(&why, "progress.leftover", path);
    progress_close(p);
    case_bytes_same(path, before);
}
END_TEST

START_TEST(a_log_that_took_the_place_of_another_is_read_instead) {
    char path[RUN_PATH_MAX];
    struct message why;
    struct progress *p = NULL;
    ck_assert_int_eq(progress_open(folder_path(path, here.folder, "new.db"), &p, &why), STATUS_OK);
    (void)case_append(p, 0);
    progress_close(p);
    log_make(5);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 5);
    move("new.db", "progress.db");
    ck_assert_int_eq(progress_refresh(p, &why), STATUS_OK);
    ck_assert_int_eq(case_count(p), 1);
    ck_assert_int_eq(case_append(p, 1), 2);
    expect_all(p, 2);
    progress_close(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress_trouble");
    TCase *c = tcase_create("trouble");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, a_read_only_folder_without_a_log);
    tcase_add_test(c, a_read_only_folder_with_a_log);
    tcase_add_test(c, a_read_only_log);
    tcase_add_test(c, a_read_only_log_in_a_read_only_folder);
    tcase_add_test(c, a_log_that_may_not_be_read);
    tcase_add_test(c, no_room_to_make_the_log_does_not_end_the_program);
    tcase_add_test(c, no_room_for_more_is_said_and_what_waits_is_saved_later);
    tcase_add_test(c, a_signal_that_was_held_back_before_stays_so);
    tcase_add_test(c, a_log_that_another_program_writes_to_and_does_not_let_go);
    tcase_add_test(c, a_log_that_another_program_keeps_for_itself);
    tcase_add_test(c, ids_of_events_that_wait_stay_good_after_others_took_their_place);
    tcase_add_test(c, a_log_that_was_moved_away_is_not_written_to);
    tcase_add_test(c, the_newest_part_of_a_log_that_is_gone_is_left_alone);
    tcase_add_test(c, a_log_that_took_the_place_of_another_is_read_instead);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
