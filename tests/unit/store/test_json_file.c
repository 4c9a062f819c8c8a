/* A user's JSON file may be anything. Each way to be wrong has its own sentence with file, line and
 * column; what is right becomes a record. */
#define _POSIX_C_SOURCE 200809L

#include "shardlab/store/store.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct store *store;
static char folder[] = "json-test-XXXXXX";
static char
    path[256]; /* a file of our own in `folder`: removed afterwards, so never anything else */

static void open_store(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/config.json", folder);
}

static void close_store(void) {
    store_close(store);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void file_write(const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

static const struct record *read_good(const char *text) {
    const struct record *record = NULL;
    struct message why = {0};
    file_write(text, strlen(text));
    ck_assert_msg(store_json_file(store, path, &record, &why) == STATUS_OK, "%s: %s", text, why.id);
    return record;
}

static void refused_at(const char *place, const char *id) {
    const struct record *record = NULL;
    struct message why = {0};
    ck_assert_int_eq(store_json_file(store, place, &record, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, id);
    ck_assert_str_eq(why.args[0].text, place);
}

static void refused(const char *id) {
    refused_at(path, id);
}

static const struct {
    const char *text, *id;
    uint64_t line, column;
} bad_texts[] = {
    {"{", "error.json.end", 1, 2},
    {"   \n ", "error.json.end", 2, 2},
    {"{\"a\": {\"b\": 1}", "error.json.end", 1, 15},
    {"{\"a\": 1,\n \"中文\": \"cut", "error.json.end", 2, 12},
    {"{\"a\": tru}", "error.json.syntax", 1, 7},
    {"{\"a\": 1,\n}", "error.json.syntax", 2, 1},
    {"{\"a\": 1,, }", "error.json.syntax", 1, 9},
    {"{\"a\": [1,, 2]}", "error.json.syntax", 1, 10},
    {"{x: 1}", "error.json.syntax", 1, 2},
    {"{'a': 1}", "error.json.syntax", 1, 2},
    {"{\"a\" 1}", "error.json.syntax", 1, 6},
    {"{\"a\": 1 \"b\": 2}", "error.json.syntax", 1, 9},
    {"{\"中文\": \"汉字\", \"b\": x}", "error.json.syntax", 1, 19},
    {"{\"a\": NaN}", "error.json.syntax", 1, 7},
    {"{\"a\": +1}", "error.json.syntax", 1, 7},
    {"{\"a\": 1} x", "error.json.syntax", 1, 10},
    {"{\"a\": 1}}", "error.json.syntax", 1, 9},
    {"# model\n", "error.json.syntax", 1, 1},
    {"{\"a\": \"x\ny\"}", "error.json.control", 1, 9},
    {"{\"a\":\x01 1}", "error.json.control", 1, 6},
    {"{\"a\": \"\\u00zz\"}", "error.json.escape", 1, 8},
    {"{\"a\": \"\\u0000\"}", "error.json.escape", 1, 8},
    {"{\"a\": \"\xff\"}", "error.text.utf8", 1, 8},
    {"{\"a\": \"\xc0\xaf\"}", "error.text.utf8", 1, 8},
    {"{\"a\":\n \"\xed\xa0\x80\"}", "error.text.utf8", 2, 3},
    {"\xff\xfe{", "error.text.utf8", 1, 1},
};

START_TEST(a_syntax_error_is_named_with_line_and_column) {
    const struct record *record = NULL;
    struct message why = {0};
    const char *text = bad_texts[_i].text;
    file_write(text, strlen(text));
    ck_assert_msg(store_json_file(store, path, &record, &why) == STATUS_FAILED, "%s", text);
    ck_assert_msg(strcmp(why.id, bad_texts[_i].id) == 0, "%s: %s", text, why.id);
    ck_assert_str_eq(why.args[0].text, path);
    ck_assert_msg(why.args[1].count == bad_texts[_i].line &&
                      why.args[2].count == bad_texts[_i].column,
                  "%s: %d:%d", text, (int)why.args[1].count, (int)why.args[2].count);
}
END_TEST

static const char *const other_roots[] = {"[1]", "7", "\"text\"", "null", "true"};

START_TEST(a_root_that_is_no_object_is_refused) {
    file_write(other_roots[_i], strlen(other_roots[_i]));
    refused("error.json.root");
}
END_TEST

START_TEST(two_hundred_thousand_brackets_are_refused_where_they_get_too_deep) {
    enum { BRACKETS = 200000 };
    char *text = malloc(BRACKETS);
    ck_assert_ptr_nonnull(text);
    memset(text, '[', BRACKETS);
    file_write(text, BRACKETS);
    refused("error.json.deep");
    for (size_t i = 0; i + 5 <= BRACKETS; i += 5) {
        memcpy(text + i, "{\"a\":", 5);
    }
    file_write(text, BRACKETS);
    refused("error.json.deep");
    free(text);
}
END_TEST

START_TEST(a_zero_byte_is_refused) {
    file_write("{\"a\":\0 1}", 9);
    refused("error.text.nul");
}
END_TEST

START_TEST(an_empty_file_is_refused) {
    file_write("", 0);
    refused("error.file.empty");
    file_write("\xEF\xBB\xBF", 3);
    refused("error.file.empty");
}
END_TEST

START_TEST(a_missing_file_is_named) {
    refused("error.file.missing");
    refused_at("no-such-folder/config.json", "error.file.missing");
}
END_TEST

START_TEST(a_folder_is_refused) {
    refused_at(folder, "error.file.folder");
}
END_TEST

START_TEST(a_pipe_that_nobody_writes_to_does_not_hang) {
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    refused("error.file.special");
}
END_TEST

START_TEST(a_device_without_an_end_is_refused) {
    refused_at("/dev/zero", "error.file.special");
}
END_TEST

START_TEST(a_file_without_permission_is_refused) {
    if (geteuid() == 0) {
        return; /* root may read everything */
    }
    file_write("{}", 2);
    ck_assert_int_eq(chmod(path, 0), 0);
    refused("error.file.permission");
}
END_TEST

START_TEST(more_than_16_mib_is_refused) {
    file_write("{}", 2);
    ck_assert_int_eq(truncate(path, 16 * 1024 * 1024 + 1), 0);
    refused("error.file.large");
}
END_TEST

START_TEST(values_of_every_kind_become_fields) {
    const struct record *r =
        read_good("{\"n\": 4096, \"f\": 0.5, \"t\": \"a\\u4e2d\", \"on\": true, "
                  "\"off\": false, \"z\": null, \"l\": [1], \"o\": {\"p\": 3}}");
    ck_assert_int_eq(r->count, 9);
    uint64_t count = 0;
    ck_assert(field_count(record_find(r, "n"), &count));
    ck_assert_uint_eq(count, 4096);
    ck_assert_str_eq(record_find(r, "n")->text, "4096");
    ck_assert_str_eq(record_find(r, "f")->text, "0.5");
    ck_assert_int_eq(record_find(r, "t")->kind, FIELD_TEXT);
    ck_assert_str_eq(record_find(r, "t")->text, "a中");
    ck_assert(record_find(r, "on")->on);
    ck_assert(!record_find(r, "off")->on);
    ck_assert_int_eq(record_find(r, "off")->kind, FIELD_SWITCH);
    ck_assert_int_eq(record_find(r, "z")->kind, FIELD_NULL);
    ck_assert_int_eq(record_find(r, "l")->kind, FIELD_OTHER);
    ck_assert_int_eq(record_find(r, "o")->kind, FIELD_OTHER);
    ck_assert(field_count(record_find(r, "o.p"), &count));
    ck_assert_uint_eq(count, 3);
    ck_assert_ptr_null(record_find(r, "N"));
}
END_TEST

START_TEST(of_two_values_with_the_same_key_the_last_counts) {
    const struct record *r = read_good("{\"a\": 1, \"b\": 2, \"a\": 3}");
    ck_assert_str_eq(record_find(r, "a")->text, "3");
}
END_TEST

START_TEST(a_byte_order_mark_and_windows_line_ends_are_fine) {
    const struct record *r = read_good("\xEF\xBB\xBF{\r\n\"a\": 1\r\n}\r\n");
    ck_assert_str_eq(record_find(r, "a")->text, "1");
}
END_TEST

START_TEST(an_empty_object_is_a_record_without_fields) {
    ck_assert_int_eq(read_good("{}")->count, 0);
}
END_TEST

START_TEST(huge_numbers_are_numbers_but_not_counts) {
    const struct record *r = read_good("{\"a\": 1e999, \"b\": -1e999, \"c\": 12345678901234567890, "
                                       "\"d\": 9007199254740992, \"e\": 0.1e1}");
    uint64_t count = 0;
    ck_assert(!field_count(record_find(r, "a"), &count));
    ck_assert_str_eq(record_find(r, "a")->text, "> 1e308");
    ck_assert_str_eq(record_find(r, "b")->text, "< -1e308");
    ck_assert(!field_count(record_find(r, "c"), &count));
    ck_assert(field_count(record_find(r, "d"), &count));
    ck_assert_uint_eq(count, UINT64_C(9007199254740992));
    ck_assert(field_count(record_find(r, "e"), &count));
    ck_assert_uint_eq(count, 1);
}
END_TEST

START_TEST(a_very_long_key_is_left_out_and_the_rest_is_read) {
    char text[2048];
    (void)snprintf(text, sizeof text, "{\"%0600d\": {\"x\": 1}, \"b\": 2}", 7);
    const struct record *r = read_good(text);
    ck_assert_int_eq(r->count, 1);
    ck_assert_str_eq(record_find(r, "b")->text, "2");
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("json_file");
    TCase *tests = tcase_create("json_file");
    tcase_add_checked_fixture(tests, open_store, close_store);
    tcase_add_loop_test(tests, a_syntax_error_is_named_with_line_and_column, 0,
                        (int)(sizeof bad_texts / sizeof bad_texts[0]));
    tcase_add_loop_test(tests, a_root_that_is_no_object_is_refused, 0,
                        (int)(sizeof other_roots / sizeof other_roots[0]));
    tcase_add_test(tests, two_hundred_thousand_brackets_are_refused_where_they_get_too_deep);
    tcase_add_test(tests, a_zero_byte_is_refused);
    tcase_add_test(tests, an_empty_file_is_refused);
    tcase_add_test(tests, a_missing_file_is_named);
    tcase_add_test(tests, a_folder_is_refused);
    tcase_add_test(tests, a_pipe_that_nobody_writes_to_does_not_hang);
    tcase_add_test(tests, a_device_without_an_end_is_refused);
    tcase_add_test(tests, a_file_without_permission_is_refused);
    tcase_add_test(tests, more_than_16_mib_is_refused);
    tcase_add_test(tests, values_of_every_kind_become_fields);
    tcase_add_test(tests, of_two_values_with_the_same_key_the_last_counts);
    tcase_add_test(tests, a_byte_order_mark_and_windows_line_ends_are_fine);
    tcase_add_test(tests, an_empty_object_is_a_record_without_fields);
    tcase_add_test(tests, huge_numbers_are_numbers_but_not_counts);
    tcase_add_test(tests, a_very_long_key_is_left_out_and_the_rest_is_read);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
