/* A log of progress that somebody has written into: whatever stands in a row, only what may stand in an event gets into one.
 * Rows that are no events are passed over, counted, and stay in the file; what the schema says is not carried out. */
#define _XOPEN_SOURCE 700

#include <sqlite3.h>
#include <unistd.h>

#include "failing_disk.h"
#include "progress_case.h"
#include "shardlab/base/utf8.h"
#include "support/mangle.h"
#include "support/rounds.h"

static struct progress_case here;

static void here_make(void) {
    disk_insert(); /* and is not waited for */
    case_make(&here);
}

static void here_remove(void) {
    case_remove(&here);
}

/* A table like ours that takes values of any kind, in a file that says it is ours. */
static const char loose[] = "PRAGMA application_id = 0x53684C62; PRAGMA user_version = 1;"
                            "CREATE TABLE event(id INTEGER PRIMARY KEY, utc_s, offset_s, kind, "
                            "item, seed, rating, is_right,"
                            " hints, took_ms, about, sitting, scheduler, text)";

static void database(const char *sql) {
    sqlite3 *db = NULL;
    char *said = NULL;
    ck_assert_int_eq(sqlite3_open(here.path, &db), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &said) == SQLITE_OK, "%s: %s", sql, said);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* The columns of a row that is an event, in the order of the table. */
enum { COLUMNS = 14 };
static const char *const fine[COLUMNS] = {
    "1", "1700000000", "28800", "'answer'", "'memory.a'", "7", "3",
    "1", "0",          "1500",  "0",        "99",         "6", "'112 GB'",
};

static void row_add(const char *const *values) {
    char sql[2048];
    int length = snprintf(sql, sizeof sql, "INSERT INTO event VALUES(");
    for (int i = 0; i < COLUMNS; i++) {
        length += snprintf(sql + length, sizeof sql - (size_t)length, "%s%s", i == 0 ? "" : ",",
                           values[i]);
    }
    (void)snprintf(sql + length, sizeof sql - (size_t)length, ")");
    database(sql);
}

/* A value that makes the row none, in its column. */
static const struct wrong {
    int column;
    const char *value;
} wrongs[] = {
    {0, "0"},
    {0, "-5"},
    {0, "4611686018427387904"},
    {0, "9223372036854775807"},
    {1, "-1"},
    {1, "'soon'"},
    {1, "NULL"},
    {1, "1e12"},
    {1, "9223372036854775807"},
    {2, "86400"},
    {2, "-86400"},
    {2, "x'00'"},
    {3, "'answers'"},
    {3, "''"},
    {3, "NULL"},
    {3, "0"},
    {3, "x'616E73776572'"},
    {4, "NULL"},
    {4, "5"},
    {4, "x'61'"},
    {4, "'a' || char(10)"},
    {4, "char(27) || '[2J'"},
    {4, "'a' || char(8238)"},
    {4, "'a' || char(127)"},
    {4, "CAST(x'61FF' AS TEXT)"},
    {4, "CAST(x'EDA080' AS TEXT)"},
    {4, "'a' || char(0) || 'b'"},
    {4, "printf('%.*c', 96, 'x')"},
    {4, "printf('%.*c', 1000000, 'x')"},
    {5, "'7'"},
    {5, "1.5"},
    {5, "NULL"},
    {6, "5"},
    {6, "-1"},
    {6, "'good'"},
    {6, "4294967296"},
    {7, "2"},
    {7, "-1"},
    {7, "'true'"},
    {8, "-1"},
    {8, "4294967295"},
    {8, "NULL"},
    {9, "-1"},
    {9, "9223372036854775807"},
    {9, "1500.0"},
    {10, "-1"},
    {10, "9223372036854775807"},
    {11, "NULL"},
    {11, "'x'"},
    {12, "-6"},
    {12, "1001"},
    {12, "'6'"},
    {13, "NULL"},
    {13, "112"},
    {13, "x'31'"},
};

START_TEST(a_row_with_a_wrong_value_is_passed_over_and_its_neighbours_are_not) {
    const struct wrong *wrong = &wrongs[_i];
    const char *values[COLUMNS];
    database(loose);
    for (int i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof id, "%d", i * 2 + 1);
        memcpy(values, fine, sizeof values);
        values[0] = id;
        row_add(values);
    }
    memcpy(values, fine, sizeof values);
    values[0] = "4";
    values[wrong->column] = wrong->value;
    row_add(values);
    struct progress *p = case_open(&here);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_msg(count == 3, "%s in column %d was taken", wrong->value, wrong->column);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(events[i].id, 2 * i + 1);
        ck_assert_str_eq(events[i].text, "112 GB");
    }
    /* The next id is behind every one that is taken. */
    int64_t id = case_append(p, 1);
    ck_assert_int_ge(id, 6);
    progress_close(p);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 4);
    progress_close(p);
}
END_TEST

static const struct cleaned {
    const char *value, *text;
} cleaned[] = {
    {"''", ""},
    {"'112 GB 字节'", "112 GB 字节"},
    {"'a' || char(10) || 'b' || char(9)", "a?b?"},
    {"char(27) || ']0;t' || char(7)", "?]0;t?"},
    {"char(155) || '2J'", "?2J"},
    {"'a' || char(8238) || 'b' || char(8232)", "a?b?"},
    {"CAST(x'61FF62C3' AS TEXT)", "a?b?"},
    {"CAST(x'EDA080' AS TEXT)", "???"},
    {"'a' || char(0) || 'b'", "a?b"},
};

START_TEST(text_is_made_harmless_when_it_is_read) {
    const char *values[COLUMNS];
    memcpy(values, fine, sizeof values);
    values[13] = cleaned[_i].value;
    database(loose);
    row_add(values);
    struct progress *p = case_open(&here);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(count, 1);
    ck_assert_str_eq(events[0].text, cleaned[_i].text);
    ck_assert_int_eq(progress_passed_over(p), 0);
    progress_close(p);
}
END_TEST

START_TEST(text_that_is_too_long_is_cut_at_a_character) {
    const char *values[COLUMNS];
    memcpy(values, fine, sizeof values);
    values[13] = "replace(printf('%.*c', 2000000, 'x'), 'x', '字')";
    database(loose);
    row_add(values);
    struct progress *p = case_open(&here);
    int count = 0;
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(count, 1);
    ck_assert_uint_eq(strlen(events[0].text), (PROGRESS_TEXT_MAX - 1) / 3 * 3);
    progress_close(p);
}
END_TEST

START_TEST(what_is_passed_over_is_counted_and_stays_in_the_file) {
    struct progress *p = case_open(&here);
    (void)case_append(p, 1);
    database("INSERT INTO event SELECT id + 5, utc_s, offset_s, 'dream', item, seed, rating, "
             "is_right, hints,"
             " took_ms, about, sitting, scheduler, text FROM event");
    ck_assert_int_eq(case_append(p, 2), 7);
    ck_assert_int_eq(progress_passed_over(p), 1);
    ck_assert_int_eq(case_count(p), 2);
    progress_close(p);
    p = case_open(&here);
    ck_assert_int_eq(progress_passed_over(p), 1);
    ck_assert_int_eq(case_count(p), 2);
    progress_close(p);
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    ck_assert_int_eq(sqlite3_open(here.path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT count(*) FROM event", -1, &row, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_column_int(row, 0), 3);
    ck_assert_int_eq(sqlite3_finalize(row), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}
END_TEST

START_TEST(triggers_of_the_file_are_not_carried_out) {
    struct progress *p = case_open(&here);
    (void)case_append(p, 1);
    progress_close(p);
    database("CREATE TRIGGER gone AFTER INSERT ON event BEGIN DELETE FROM event; END");
    p = case_open(&here);
    ck_assert_int_eq(case_append(p, 2), 2);
    progress_close(p);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 2);
    progress_close(p);
}
END_TEST

START_TEST(ids_that_are_used_up_are_said_and_nothing_is_replaced) {
    const char *values[COLUMNS];
    struct message why = {0};
    struct progress_event e = case_event(1);
    memcpy(values, fine, sizeof values);
    values[0] = "4611686018427387903";
    database(loose);
    row_add(values);
    struct progress *p = case_open(&here);
    ck_assert_int_eq(case_count(p), 1);
    ck_assert_int_eq(progress_append(p, &e, &why), STATUS_FAILED);
    case_says(&why, "progress.damaged", here.path);
    progress_close(p);
    p = case_open(&here);
    ck_assert_int_eq(case_count(p), 1);
    progress_close(p);
}
END_TEST

/* Everything that an event promises to whoever reads it. */
static void expect_sound(const struct progress_event *e, int64_t before) {
    const char *const texts[] = {e->item, e->text};
    const size_t rooms[] = {PROGRESS_ITEM_MAX, PROGRESS_TEXT_MAX};
    ck_assert(e->id > before && e->utc_s >= 0 && e->took_ms >= 0 && e->about >= 0);
    ck_assert((int)e->kind >= 0 && e->kind < PROGRESS_KINDS);
    ck_assert(e->rating >= 0 && e->rating <= 4 && e->hints >= 0 && e->scheduler >= 0);
    for (int i = 0; i < 2; i++) {
        size_t length = strnlen(texts[i], rooms[i]);
        ck_assert_uint_lt(length, rooms[i]);
        for (size_t at = 0; at < length;) {
            uint32_t c = 0;
            size_t bytes = utf8_decode(texts[i] + at, length - at, &c);
            ck_assert_uint_gt(bytes, 0);
            ck_assert(c >= 0x20 && !(c >= 0x7F && c < 0xA0));
            at += bytes;
        }
    }
}

/* Bytes of an event's text changed in the file itself: SQLite does not see it. */
START_TEST(changed_bytes_of_rows_never_get_into_an_event_unseen) {
    uint64_t seed = 4711;
    struct progress *p = case_open(&here);
    for (int i = 0; i < 40; i++) {
        (void)case_append(p, i);
    }
    progress_close(p);
    struct case_bytes good = case_bytes_read(here.path);
    for (int round = 0, rounds = test_rounds_slow(300, 500); round < rounds; round++) {
        struct message why;
        struct case_bytes bad = {malloc(good.length), good.length};
        memcpy(bad.bytes, good.bytes, good.length);
        for (int i = 0; i < 40; i++) {
            size_t at = 4096 + mangle_random(&seed) % (good.length - 4096);
            bad.bytes[at] = (char)mangle_random(&seed);
        }
        file_write(here.path, bad.bytes, bad.length);
        (void)!progress_open(here.path, &p, &why);
        int count = 0;
        const struct progress_event *events = progress_events(p, &count);
        for (int i = 0; i < count; i++) {
            expect_sound(&events[i], i == 0 ? 0 : events[i - 1].id);
        }
        progress_close(p);
        case_beside_remove(&here);
        free(bad.bytes);
    }
    free(good.bytes);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress_tampered");
    TCase *c = tcase_create("tampered");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_loop_test(c, a_row_with_a_wrong_value_is_passed_over_and_its_neighbours_are_not, 0,
                        sizeof wrongs / sizeof wrongs[0]);
    tcase_add_loop_test(c, text_is_made_harmless_when_it_is_read, 0,
                        sizeof cleaned / sizeof cleaned[0]);
    tcase_add_test(c, text_that_is_too_long_is_cut_at_a_character);
    tcase_add_test(c, what_is_passed_over_is_counted_and_stays_in_the_file);
    tcase_add_test(c, triggers_of_the_file_are_not_carried_out);
    tcase_add_test(c, ids_that_are_used_up_are_said_and_nothing_is_replaced);
    tcase_add_test(c, changed_bytes_of_rows_never_get_into_an_event_unseen);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
