/* The log of progress where the file of its name is damaged, is something else, or is of a later version: it is said what
 * is wrong, what can be read is read, and not one byte of the file changes. */
#define _XOPEN_SOURCE 700

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_disk.h"
#include "progress_case.h"
#include "support/mangle.h"
#include "support/rounds.h"

enum { EVENTS = 300, PAGE = 4096 };

static struct progress_case here;
static struct case_bytes good; /* a log of so many events */

static void here_make(void) {
    disk_insert(); /* and is not waited for */
    case_make(&here);
    struct progress *p = case_open(&here);
    for (int i = 0; i < EVENTS; i++) {
        (void)case_append(p, i);
    }
    progress_close(p);
    good = case_bytes_read(here.path);
    ck_assert_uint_gt(good.length, 6 * PAGE);
}

static void here_remove(void) {
    free(good.bytes);
    case_remove(&here);
}

/* --- What may lie there instead. --- */

static void noise(void) {
    uint64_t seed = 7;
    for (size_t i = 0; i < good.length; i++) {
        good.bytes[i] = (char)mangle_random(&seed);
    }
    file_write(here.path, good.bytes, good.length);
}

static void head_of_zeros(void) {
    memset(good.bytes, 0, 100);
    file_write(here.path, good.bytes, good.length);
}

static void page_of_zeros(void) {
    memset(good.bytes + 5 * PAGE, 0, PAGE);
    file_write(here.path, good.bytes, good.length);
}

static void half(void) {
    file_write(here.path, good.bytes, good.length / 2);
}

static void fifty_bytes(void) {
    file_write(here.path, good.bytes, 50);
}

static void one_byte(void) {
    file_write(here.path, "S", 1);
}

static void text(void) {
    static const char words[] = "my notes\nof a long day\n";
    file_write(here.path, words, sizeof words - 1);
}

static void zeros(void) {
    memset(good.bytes, 0, good.length);
    file_write(here.path, good.bytes, good.length);
}

/* A database that SQLite makes of this. */
static void database(const char *sql) {
    sqlite3 *db = NULL;
    ck_assert_int_eq(unlink(here.path), 0);
    ck_assert_int_eq(sqlite3_open(here.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static void of_another_program(void) {
    database("PRAGMA application_id = 77; CREATE TABLE event(id INTEGER PRIMARY KEY, utc_s)");
}

static void of_nobody(void) {
    database("CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('here')");
}

static void without_tables(void) {
    database("PRAGMA user_version = 1");
}

static void without_events(void) {
    database("PRAGMA application_id = 0x53684C62; PRAGMA user_version = 1; CREATE TABLE other(a)");
}

static void of_no_version(void) {
    database(
        "PRAGMA application_id = 0x53684C62; PRAGMA user_version = -3; CREATE TABLE event(id)");
}

static void of_other_columns(void) {
    database("PRAGMA application_id = 0x53684C62; PRAGMA user_version = 1;"
             "CREATE TABLE event(id INTEGER PRIMARY KEY, kind TEXT)");
}

static void with_a_view_for_events(void) {
    database("PRAGMA application_id = 0x53684C62; PRAGMA user_version = 1;"
             "CREATE VIEW event AS SELECT 1 AS id, 2 AS utc_s, 0 AS offset_s, 'answer' AS kind, "
             "'a' AS item,"
             " 0 AS seed, 1 AS rating, 1 AS is_right, 0 AS hints, 0 AS took_ms, 0 AS about, 0 AS "
             "sitting,"
             " 6 AS scheduler, '' AS text");
}

static const struct fault {
    void (*make)(void);
    const char *id;
    bool some; /* what stands before the damage is read */
} faults[] = {
    {noise, "progress.damaged", false},
    {head_of_zeros, "progress.damaged", false},
    {page_of_zeros, "progress.damaged", true},
    {half, "progress.damaged", false},
    {fifty_bytes, "progress.damaged", false},
    {one_byte, "progress.damaged", false},
    {text, "progress.damaged", false},
    {zeros, "progress.damaged", false},
    {of_another_program, "progress.foreign", false},
    {of_nobody, "progress.foreign", false},
    {without_tables, "progress.foreign", false},
    {without_events, "progress.damaged", false},
    {of_no_version, "progress.damaged", false},
    {of_other_columns, "progress.damaged", false},
    {with_a_view_for_events, "progress.damaged", false},
};

static void append_fails(struct progress *p, int i, const char *id, const char *path) {
    struct progress_event e = case_event(i);
    struct message why = {0};
    ck_assert_int_eq(progress_append(p, &e, &why), STATUS_FAILED);
    case_says(&why, id, path);
}

START_TEST(what_is_damaged_or_something_else_stays_byte_for_byte) {
    const struct fault *fault = &faults[_i];
    struct progress *p = NULL;
    struct message why = {0};
    char away[RUN_PATH_MAX];
    fault->make();
    struct case_bytes before = case_bytes_read(here.path);
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    case_says(&why, fault->id, here.path);
    int some = case_count(p);
    ck_assert_int_eq(some > 0, fault->some);
    append_fails(p, 1000, fault->id, here.path);
    append_fails(p, 1001, fault->id, here.path);
    ck_assert_int_eq(progress_refresh(p, &why), STATUS_FAILED);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_FAILED);
    ck_assert_int_eq(case_count(p), some + 2);
    /* The remedy: moved away, and what waited is saved. */
    ck_assert_int_eq(rename(here.path, folder_path(away, here.folder, "away")), 0);
    ck_assert_int_eq(case_append(p, 1002), 3);
    ck_assert_int_eq(case_count(p), 3);
    progress_close(p);
    case_bytes_same(away, before);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 3);
    progress_close(p);
}
END_TEST

START_TEST(a_close_writes_nothing_to_what_is_damaged) {
    struct progress *p = NULL;
    struct message why = {0};
    faults[_i].make();
    struct case_bytes before = case_bytes_read(here.path);
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    append_fails(p, 1000, faults[_i].id, here.path);
    progress_close(p);
    case_bytes_same(here.path, before);
}
END_TEST

START_TEST(a_folder_or_a_pipe_is_said_to_be_one_at_once) {
    struct progress *p = NULL;
    struct message why = {0};
    struct stat info;
    ck_assert_int_eq(unlink(here.path), 0);
    ck_assert_int_eq(_i == 0 ? mkdir(here.path, 0700) : mkfifo(here.path, 0600), 0);
    const char *id = _i == 0 ? "progress.folder" : "progress.special";
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_FAILED);
    case_says(&why, id, here.path);
    append_fails(p, 1, id, here.path);
    progress_close(p);
    ck_assert_int_eq(stat(here.path, &info), 0);
    ck_assert(_i == 0 ? S_ISDIR(info.st_mode) : S_ISFIFO(info.st_mode));
}
END_TEST

START_TEST(a_folder_that_is_a_file_is_said) {
    struct progress *p = NULL;
    struct message why = {0};
    char path[RUN_PATH_MAX];
    (void)snprintf(path, sizeof path, "%.400s/below/log", here.path);
    ck_assert_int_eq(progress_open(path, &p, &why), STATUS_FAILED);
    case_says(&why, "progress.path", path);
    append_fails(p, 1, "progress.path", path);
    progress_close(p);
    case_bytes_same(here.path, case_bytes_read(here.path));
}
END_TEST

/* --- The newest part, which lies beside the file until a program closes it. --- */

enum { NEWEST = 20 };

/* The bytes of a log that a program was killed with, and of what lay beside it. */
static struct case_bytes killed[2];
static const char *const parts[2] = {"progress.db", "progress.db-wal"};

static void killed_make(void) {
    char name[RUN_PATH_MAX];
    struct progress *p = case_open(&here);
    for (int i = 0; i < NEWEST; i++) {
        (void)case_append(p, EVENTS + i);
    }
    for (int i = 0; i < 2; i++) {
        killed[i] = case_bytes_read(folder_path(name, here.folder, parts[i]));
    }
    progress_close(p);
}

START_TEST(a_damaged_newest_part_costs_at_most_what_stands_behind_the_damage) {
    uint64_t seed = 99;
    int least = EVENTS + NEWEST;
    char name[RUN_PATH_MAX];
    killed_make();
    for (int round = 0; round < 60; round++) {
        struct case_bytes bad = {malloc(killed[1].length), killed[1].length};
        memcpy(bad.bytes, killed[1].bytes, bad.length);
        if (round > 0) {
            bad.bytes[mangle_random(&seed) % bad.length] ^= 0x55;
        }
        case_beside_remove(&here);
        file_write(here.path, killed[0].bytes, killed[0].length);
        file_write(folder_path(name, here.folder, parts[1]), bad.bytes, bad.length);
        struct progress *p = case_open(&here);
        int count = 0;
        const struct progress_event *events = progress_events(p, &count);
        ck_assert_int_ge(count, round == 0 ? EVENTS + NEWEST : EVENTS);
        for (int i = 0; i < count; i++) {
            struct progress_event e = case_event(i);
            e.id = i + 1;
            ck_assert(case_same(&events[i], &e));
        }
        least = count < least ? count : least;
        ck_assert_int_eq(case_append(p, 1), count + 1);
        progress_close(p);
        case_intact(&here);
        free(bad.bytes);
    }
    ck_assert_int_lt(least, EVENTS + NEWEST);
    free(killed[0].bytes);
    free(killed[1].bytes);
}
END_TEST

/* --- A later version. --- */

START_TEST(a_log_of_a_later_version_is_read_and_not_written_to) {
    struct progress *p = NULL;
    struct message why = {0};
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(here.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db,
                                  "ALTER TABLE event ADD COLUMN mood TEXT NOT NULL DEFAULT '';"
                                  "PRAGMA user_version = 2",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    struct case_bytes before = case_bytes_read(here.path);
    ck_assert_int_eq(progress_open(here.path, &p, &why), STATUS_OK);
    ck_assert_int_eq(case_count(p), EVENTS);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_FAILED);
    case_says(&why, "progress.newer", here.path);
    ck_assert_uint_eq(why.args[1].count, 2);
    append_fails(p, 1000, "progress.newer", here.path);
    append_fails(p, 1001, "progress.newer", here.path);
    ck_assert_int_eq(case_count(p), EVENTS + 2);
    progress_close(p);
    case_bytes_same(here.path, before);
}
END_TEST

START_TEST(a_log_that_becomes_one_of_a_later_version_is_not_written_to_any_more) {
    struct message why = {0};
    sqlite3 *db = NULL;
    struct progress *p = case_open(&here);
    (void)case_append(p, EVENTS);
    ck_assert_int_eq(sqlite3_open(here.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "PRAGMA user_version = 2", NULL, NULL, NULL), SQLITE_OK);
    append_fails(p, EVENTS + 1, "progress.newer", here.path);
    ck_assert_int_eq(progress_can_save(p, &why), STATUS_FAILED);
    case_says(&why, "progress.newer", here.path);
    progress_close(p);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), EVENTS + 1);
    progress_close(p);
}
END_TEST

/* --- Chance. --- */

static void damage(uint64_t *seed, char *bytes, size_t *length) {
    int kind = (int)(mangle_random(seed) % 4);
    size_t at = mangle_random(seed) % *length;
    size_t run = 1 + mangle_random(seed) % (kind == 0 ? 3 : 600);
    run = run < *length - at ? run : *length - at;
    if (kind == 1) {
        *length = at;
    } else if (kind == 2) {
        memset(bytes + at, 0, run);
    } else {
        for (size_t i = 0; i < run; i++) {
            bytes[at + i] = (char)mangle_random(seed);
        }
    }
}

START_TEST(no_damage_brings_it_down_and_what_is_found_damaged_stays_as_it_is) {
    uint64_t seed = 20261130;
    int failed = 0;
    for (int round = 0, rounds = test_rounds_slow(200, 1000); round < rounds; round++) {
        struct case_bytes bad = {malloc(good.length), good.length};
        struct progress *p = NULL;
        struct message why = {0};
        memcpy(bad.bytes, good.bytes, good.length);
        damage(&seed, bad.bytes, &bad.length);
        file_write(here.path, bad.bytes, bad.length);
        bool readable = progress_open(here.path, &p, &why) == STATUS_OK;
        struct progress_event e = case_event(round);
        bool saved = progress_append(p, &e, &why) == STATUS_OK;
        ck_assert(readable || !saved);
        ck_assert(saved || why.id != NULL);
        progress_close(p);
        if (saved) {
            free(bad.bytes);
        } else {
            case_bytes_same(here.path, bad);
            failed++;
        }
        case_beside_remove(&here);
    }
    ck_assert_int_gt(failed, 20);
}
END_TEST

static Suite *suite(void) {
    const int count = sizeof faults / sizeof faults[0];
    Suite *s = suite_create("store.progress_damaged");
    TCase *c = tcase_create("damaged");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_loop_test(c, what_is_damaged_or_something_else_stays_byte_for_byte, 0, count);
    tcase_add_loop_test(c, a_close_writes_nothing_to_what_is_damaged, 0, count);
    tcase_add_loop_test(c, a_folder_or_a_pipe_is_said_to_be_one_at_once, 0, 2);
    tcase_add_test(c, a_folder_that_is_a_file_is_said);
    tcase_add_test(c, a_damaged_newest_part_costs_at_most_what_stands_behind_the_damage);
    tcase_add_test(c, a_log_of_a_later_version_is_read_and_not_written_to);
    tcase_add_test(c, a_log_that_becomes_one_of_a_later_version_is_not_written_to_any_more);
    tcase_add_test(c, no_damage_brings_it_down_and_what_is_found_damaged_stays_as_it_is);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
