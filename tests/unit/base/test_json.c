/* JSON as text: commas, nesting, escapes, and whole numbers that a double would have lost. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/json.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void start(struct json *j, struct writer *w, char *buffer, size_t capacity) {
    writer_start(w, buffer, capacity);
    json_start(j, w);
}

START_TEST(commas_stand_between_siblings_only) {
    char buffer[256];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_object_open(&j, NULL);
    json_text(&j, "command", "mem");
    json_object_open(&j, "empty");
    json_object_close(&j);
    json_array_open(&j, "none");
    json_array_close(&j);
    json_array_open(&j, "stages");
    json_object_open(&j, NULL);
    json_u64(&j, "stage", 0);
    json_array_open(&j, "ops");
    json_u64(&j, NULL, 1);
    json_bool(&j, NULL, true);
    json_null(&j, NULL);
    json_array_close(&j);
    json_bool(&j, "last", false);
    json_object_close(&j);
    json_object_open(&j, NULL);
    json_object_close(&j);
    json_array_close(&j);
    json_null(&j, "fits");
    json_object_close(&j);
    ck_assert_str_eq(buffer, "{\"command\":\"mem\",\"empty\":{},\"none\":[],\"stages\":["
                             "{\"stage\":0,\"ops\":[1,true,null],\"last\":false},{}],"
                             "\"fits\":null}");
    ck_assert_int_eq(j.depth, 0);
}
END_TEST

START_TEST(the_deepest_nesting_works) {
    char buffer[64];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        json_array_open(&j, NULL);
    }
    json_u64(&j, NULL, 1);
    json_u64(&j, NULL, 2);
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        json_array_close(&j);
    }
    ck_assert_str_eq(buffer, "[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]");
}
END_TEST

START_TEST(a_lone_value_is_json_too) {
    char buffer[16];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_u64(&j, NULL, 7);
    ck_assert_str_eq(buffer, "7");
}
END_TEST

struct text {
    const char *id, *value, *expected;
};

static const struct text texts[] = {
    {"empty", "", "\"\""},
    {"null", NULL, "null"},
    {"plain", "llama-2-7b", "\"llama-2-7b\""},
    {"quote and backslash", "a\"b\\c/", "\"a\\\"b\\\\c/\""},
    {"named controls", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
    {"other controls", "\x01\x1B\x1F", "\"\\u0001\\u001b\\u001f\""},
    {"DEL and C1", "\x7F\xC2\x80\xC2\x9F\xC2\xA0", "\"\\u007f\\u0080\\u009f\xC2\xA0\""},
    {"chinese and an emoji", "显存🙂", "\"显存🙂\""},
    {"lone bytes", "a\xFF\x80z", "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\""},
    {"cut short", "\xE6\x98", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"surrogate", "\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"overlong NUL", "\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"noncharacter is valid UTF-8", "\xEF\xBF\xBF", "\"\xEF\xBF\xBF\""},
};

START_TEST(strings_are_escaped) {
    const struct text *row = &texts[_i];
    char buffer[64];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_text(&j, NULL, row->value);
    ck_assert_msg(strcmp(buffer, row->expected) == 0, "%s gave %s", row->id, buffer);
}
END_TEST

START_TEST(keys_are_escaped_like_strings) {
    char buffer[64];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_object_open(&j, NULL);
    json_text(&j, "a\"\n", "b");
    json_object_close(&j);
    ck_assert_str_eq(buffer, "{\"a\\\"\\n\":\"b\"}");
}
END_TEST

START_TEST(whole_numbers_are_exact_digits) {
    char buffer[256];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_array_open(&j, NULL);
    json_u64(&j, NULL, UINT64_C(9007199254740993));
    json_u64(&j, NULL, UINT64_MAX);
    json_u64(&j, NULL, 0);
    json_i64(&j, NULL, INT64_MIN);
    json_i64(&j, NULL, INT64_MAX);
    json_i64(&j, NULL, -1);
    json_i64(&j, NULL, 0);
    json_i64(&j, NULL, -INT64_C(9007199254740993));
    json_negative(&j, NULL, UINT64_MAX);
    json_negative(&j, NULL, 0);
    json_array_close(&j);
    ck_assert_str_eq(buffer, "[9007199254740993,18446744073709551615,0,-9223372036854775808,"
                             "9223372036854775807,-1,0,-9007199254740993,"
                             "-18446744073709551615,0]");
}
END_TEST

START_TEST(reals_read_back_and_what_is_not_finite_is_null) {
    char buffer[256];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_object_open(&j, NULL);
    json_real(&j, "mfu", 0.4);
    json_real(&j, "third", 1.0 / 3.0);
    json_real(&j, "whole", 16.0);
    json_real(&j, "tiny", 1e-8);
    json_real(&j, "nan", (double)NAN);
    json_real(&j, "inf", (double)INFINITY);
    json_real(&j, "ninf", (double)-INFINITY);
    json_object_close(&j);
    ck_assert_str_eq(buffer, "{\"mfu\":0.4,\"third\":0.3333333333333333,\"whole\":16,"
                             "\"tiny\":1e-08,\"nan\":null,\"inf\":null,\"ninf\":null}");
}
END_TEST

START_TEST(an_answer_that_does_not_fit_says_so) {
    char buffer[8];
    struct writer w;
    struct json j;
    start(&j, &w, buffer, sizeof buffer);
    json_object_open(&j, NULL);
    json_text(&j, "command", "mem");
    json_object_close(&j);
    ck_assert(w.overflow);
    ck_assert_str_eq(buffer, "{\"comma");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("json");
    TCase *structure = tcase_create("structure");
    tcase_add_test(structure, commas_stand_between_siblings_only);
    tcase_add_test(structure, the_deepest_nesting_works);
    tcase_add_test(structure, a_lone_value_is_json_too);
    tcase_add_test(structure, an_answer_that_does_not_fit_says_so);
    suite_add_tcase(s, structure);
    TCase *values = tcase_create("values");
    tcase_add_loop_test(values, strings_are_escaped, 0, ROWS(texts));
    tcase_add_test(values, keys_are_escaped_like_strings);
    tcase_add_test(values, whole_numbers_are_exact_digits);
    tcase_add_test(values, reals_read_back_and_what_is_not_finite_is_null);
    suite_add_tcase(s, values);
    return s;
}

#include "support/check_main.h"
