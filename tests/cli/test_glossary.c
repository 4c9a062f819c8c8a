/* `shardlab glossary`: every term in both languages, words in either language and any width, and what is said when
 * nothing matches. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "cli/expect.h"
#include "support/csv.h"

START_TEST(all_terms_are_listed_with_both_names) {
    struct csv rows = csv_read("glossary.csv");
    struct run r;
    expect_good(&r, _i == 0 ? "glossary --lang en" : "glossary --lang zh", NULL);
    for (int i = 0; i < rows.rows; i++) {
        char line[256];
        const char *en = csv_get(&rows, i, "en");
        const char *zh = csv_get(&rows, i, "zh");
        (void)snprintf(line, sizeof line, "%s · %s", _i == 0 ? en : zh, _i == 0 ? zh : en);
        ck_assert_msg(strlen(line) > 70 || strstr(r.out, line) != NULL, "%s", line);
    }
    run_free(&r);
    csv_free(&rows);
}
END_TEST

static const char *const lines[] = {"glossary all-gather", "glossary 全收集",
                                    "glossary ＡＬＬ－gath", "glossary 收集 ALL"};

START_TEST(words_of_either_language_find_a_term) {
    struct run r;
    expect_good(&r, lines[_i], NULL);
    ck_assert_msg(strstr(r.out, "全收集（All-Gather）") != NULL, "%s", r.out);
    ck_assert_msg(strstr(r.out, "straggler") == NULL, "%s", r.out);
    run_free(&r);
}
END_TEST

START_TEST(json_has_both_languages) {
    struct run r;
    expect_json(&r, "glossary all-gather --json --lang zh", NULL);
    ck_assert(json_is(json_at(r.out, "command"), "\"glossary\""));
    ck_assert(json_is(json_at(r.out, "terms[0].id"), "\"all-gather\""));
    ck_assert(json_is(json_at(r.out, "terms[0].en"), "\"all-gather\""));
    ck_assert(json_is(json_at(r.out, "terms[0].zh"), "\"全收集（All-Gather）\""));
    ck_assert_int_eq(json_at(r.out, "terms[0].means_en").kind, JSON_KIND_STRING);
    ck_assert_int_eq(json_at(r.out, "terms[0].means_zh").kind, JSON_KIND_STRING);
    run_free(&r);
}
END_TEST

START_TEST(what_no_name_holds_is_said) {
    struct run r;
    const char *argv[] = {"glossary", "shard", "nonsense", NULL};
    expect_refused(&r, argv, 1, "shardlab: glossary: ");
    ck_assert(strstr(r.err, "shard nonsense") != NULL);
    run_free(&r);
}
END_TEST

START_TEST(bytes_that_are_no_text_are_in_no_name) {
    struct run r;
    const char *argv[] = {"glossary", "\xff\xfe", NULL};
    expect_refused(&r, argv, 1, "shardlab: glossary: ");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli glossary");
    TCase *t = tcase_create("terms");
    tcase_add_loop_test(t, all_terms_are_listed_with_both_names, 0, 2);
    tcase_add_loop_test(t, words_of_either_language_find_a_term, 0,
                        (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(t, json_has_both_languages);
    tcase_add_test(t, what_no_name_holds_is_said);
    tcase_add_test(t, bytes_that_are_no_text_are_in_no_name);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
