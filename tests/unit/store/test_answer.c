/* Answers of programs: every value by its path, lists element by element, numbers with their own digits; what is no JSON
 * object on one line is refused; anything mangled is survived. */
#include "shardlab/store/store.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/mangle.h"
#include "support/rounds.h"

static const char allreduce[] =
    "{\"command\":\"allreduce\",\"ranks\":4,\"time_s\":{\"median\":4.1e-4,\"min\":0.0004},"
    "\"max\\\"1\":\"a 7 in a text\",\"predicted\":{\"sent_bytes_per_rank\":[6000018,6000018,"
    "18446744073709551615],\"steps\":6},\"measured\":{\"sent_bytes_per_rank\":[6000018,-1,"
    "18446744073709551614],\"steps\":6},\"none\":null,\"match\":true,\"empty\":[],"
    "\"points\":[{\"x\":1},{\"x\":[2,3]}]}";

static struct store_answer *answer;

static void read_good(const char *text) {
    struct message why = {0};
    ck_assert_msg(store_answer_read(text, strlen(text), &answer, &why) == STATUS_OK, "%s: %s", text,
                  why.id);
}

static const struct {
    const char *key, *text;
    enum field_kind kind;
} fields[] = {
    {"command", "allreduce", FIELD_TEXT},
    {"ranks", "4", FIELD_NUMBER},
    {"time_s", "{…}", FIELD_OTHER},
    {"time_s.median", "4.1e-4", FIELD_NUMBER},
    {"time_s.min", "0.0004", FIELD_NUMBER},
    {"max\"1", "a 7 in a text", FIELD_TEXT},
    {"predicted.sent_bytes_per_rank[0]", "6000018", FIELD_NUMBER},
    {"predicted.sent_bytes_per_rank[2]", "18446744073709551615", FIELD_NUMBER},
    {"measured.sent_bytes_per_rank[1]", "-1", FIELD_NUMBER},
    {"measured.sent_bytes_per_rank[2]", "18446744073709551614", FIELD_NUMBER},
    {"measured.steps", "6", FIELD_NUMBER},
    {"none", "null", FIELD_NULL},
    {"match", "true", FIELD_SWITCH},
    {"empty", "[…]", FIELD_OTHER},
    {"points[0].x", "1", FIELD_NUMBER},
    {"points[1].x[1]", "3", FIELD_NUMBER},
};

START_TEST(every_value_is_found_by_its_path) {
    read_good(allreduce);
    const struct record *r = store_answer_record(answer);
    const struct field *f = record_find(r, fields[_i].key);
    ck_assert_msg(f != NULL, "no %s", fields[_i].key);
    ck_assert_str_eq(f->text, fields[_i].text);
    ck_assert_int_eq(f->kind, fields[_i].kind);
    ck_assert_ptr_null(record_find(r, "predicted.sent_bytes_per_rank[3]"));
    ck_assert_ptr_null(record_find(r, "empty[0]"));
    store_answer_free(answer);
}
END_TEST

static const struct {
    const char *text, *id;
} bad[] = {
    {"", "error.json.end"},
    {"ready", "error.json.syntax"},
    {"[1]", "error.json.root"},
    {"{\"a\":1", "error.json.end"},
    {"{\"a\":1} {\"b\":2}", "error.json.syntax"},
};

START_TEST(what_is_no_object_on_one_line_is_refused) {
    struct message why = {0};
    answer = NULL;
    ck_assert_int_eq(store_answer_read(bad[_i].text, strlen(bad[_i].text), &answer, &why),
                     STATUS_FAILED);
    ck_assert_str_eq(why.id, bad[_i].id);
    ck_assert_ptr_null(answer);
    store_answer_free(NULL);
}
END_TEST

START_TEST(a_nul_byte_is_refused) {
    struct message why = {0};
    ck_assert_int_eq(store_answer_read("{\"a\":1}\0", 8, &answer, &why), STATUS_FAILED);
}
END_TEST

START_TEST(more_fields_than_anybody_asks_for_are_refused) {
    enum { COUNT = STORE_ANSWER_FIELDS_MAX + 1 };
    char *text = malloc(2 * (size_t)COUNT + 16);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)sprintf(text, "{\"a\":[");
    for (int i = 0; i < COUNT; i++) {
        at += (size_t)sprintf(text + at, i > 0 ? ",1" : "1");
    }
    sprintf(text + at, "]}");
    struct message why = {0};
    ck_assert_int_eq(store_answer_read(text, strlen(text), &answer, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.json.many");
    ck_assert_uint_eq(why.args[0].count, COUNT + 1);
    free(text);
}
END_TEST

START_TEST(mangled_answers_are_survived) {
    uint64_t state = 5;
    char text[sizeof allreduce * 2];
    int good = 0;
    for (int i = 0; i < test_rounds(3000); i++) {
        size_t length = mangle_text(&state, allreduce, text, sizeof text);
        struct message why = {0};
        if (store_answer_read(text, length, &answer, &why) == STATUS_OK) {
            good++;
            store_answer_free(answer);
        } else if (why.id == NULL) {
            ck_abort_msg("refused without a sentence: %.*s", (int)length, text);
        }
    }
    ck_assert_int_gt(good, 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("answer");
    TCase *t = tcase_create("answers");
    tcase_add_loop_test(t, every_value_is_found_by_its_path, 0,
                        (int)(sizeof fields / sizeof fields[0]));
    tcase_add_loop_test(t, what_is_no_object_on_one_line_is_refused, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, a_nul_byte_is_refused);
    tcase_add_test(t, more_fields_than_anybody_asks_for_are_refused);
    tcase_add_test(t, mangled_answers_are_survived);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
