/* Fields of a flat row: found by their whole name, and whole numbers only where a double is one. */
#include <check.h>
#include <math.h>
#include <stdint.h>

#include "shardlab/base/record.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const struct field fields[] = {
    {.key = "hidden", .kind = FIELD_NUMBER, .number = 4096, .text = "4096"},
    {.key = "hidden_size", .kind = FIELD_NUMBER, .number = 5120, .text = "5120"},
    {.key = "rope_scaling", .kind = FIELD_OTHER, .text = "{…}"},
    {.key = "rope_scaling.factor", .kind = FIELD_NUMBER, .number = 8, .text = "8"},
    {.key = "hidden", .kind = FIELD_NUMBER, .number = 1, .text = "1"},
};

static const struct record record = {.fields = fields, .count = ROWS(fields)};

START_TEST(fields_are_found_by_their_whole_key) {
    ck_assert_ptr_eq(record_find(&record, "hidden"), &fields[0]);
    ck_assert_ptr_eq(record_find(&record, "hidden_size"), &fields[1]);
    ck_assert_ptr_eq(record_find(&record, "rope_scaling.factor"), &fields[3]);
    ck_assert_ptr_null(record_find(&record, "hidde"));
    ck_assert_ptr_null(record_find(&record, "Hidden"));
    ck_assert_ptr_null(record_find(&record, ""));
    const struct record empty = {.fields = NULL, .count = 0};
    ck_assert_ptr_null(record_find(&empty, "hidden"));
}
END_TEST

struct row {
    const char *id;
    enum field_kind kind;
    double number;
    bool whole;
    uint64_t value;
};

static const struct row rows[] = {
    {"zero", FIELD_NUMBER, 0.0, true, 0},
    {"minus zero", FIELD_NUMBER, -0.0, true, 0},
    {"4096", FIELD_NUMBER, 4096.0, true, 4096},
    {"6738415616", FIELD_NUMBER, 6738415616.0, true, UINT64_C(6738415616)},
    {"2^53 - 1", FIELD_NUMBER, 9007199254740991.0, true, UINT64_C(9007199254740991)},
    {"2^53", FIELD_NUMBER, 9007199254740992.0, true, UINT64_C(9007199254740992)},
    {"2^53 + 2", FIELD_NUMBER, 9007199254740994.0, false, 0},
    {"1e300", FIELD_NUMBER, 1e300, false, 0},
    {"fraction", FIELD_NUMBER, 0.5, false, 0},
    {"just below one", FIELD_NUMBER, 0.99999999999999989, false, 0},
    {"negative", FIELD_NUMBER, -1.0, false, 0},
    {"tiny negative", FIELD_NUMBER, -1e-300, false, 0},
    {"nan", FIELD_NUMBER, (double)NAN, false, 0},
    {"inf", FIELD_NUMBER, (double)INFINITY, false, 0},
    {"-inf", FIELD_NUMBER, (double)-INFINITY, false, 0},
    {"text", FIELD_TEXT, 8.0, false, 0},
    {"switch", FIELD_SWITCH, 1.0, false, 0},
    {"null", FIELD_NULL, 0.0, false, 0},
    {"other", FIELD_OTHER, 8.0, false, 0},
};

START_TEST(only_whole_numbers_are_counts) {
    const struct row *row = &rows[_i];
    const struct field field = {
        .key = row->id, .kind = row->kind, .on = true, .number = row->number, .text = "8"};
    uint64_t got = 4711;
    ck_assert_msg(field_count(&field, &got) == row->whole, "%s", row->id);
    ck_assert_msg(got == (row->whole ? row->value : 4711), "%s gave %ju", row->id, (uintmax_t)got);
}
END_TEST

START_TEST(a_missing_field_is_no_count) {
    uint64_t got = 4711;
    ck_assert(!field_count(record_find(&record, "layers"), &got));
    ck_assert(got == 4711);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("record");
    TCase *lookup = tcase_create("lookup");
    tcase_add_test(lookup, fields_are_found_by_their_whole_key);
    tcase_add_loop_test(lookup, only_whole_numbers_are_counts, 0, ROWS(rows));
    tcase_add_test(lookup, a_missing_field_is_no_count);
    suite_add_tcase(s, lookup);
    return s;
}

#include "support/check_main.h"
