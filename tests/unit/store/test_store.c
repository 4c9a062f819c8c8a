/* Opening the store: where data is looked for, what is said when it is not there, and that one
 * store serves everything again without reading twice. */
#define _POSIX_C_SOURCE 200809L

#include "shardlab/store/store.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "store-test-XXXXXX";
static char path[256];

static void folder_make(void) {
    unsetenv("SHARDLAB_DATA");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void folder_remove(void) {
    static const char *const names[] = {"/assets/strings.json",
                                        "/assets/models.json",
                                        "/lessons/10_x/en.md",
                                        "/lessons/10_x/zh.md",
                                        "/lessons/10_x",
                                        "/assets",
                                        "/lessons",
                                        ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s%s", folder, names[i]);
        (void)remove(path);
    }
}

static void file_write(const char *name, const char *text) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void below_make(const char *name) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* A data folder of our own with these files. */
static struct store *store_with(const char *strings, const char *models) {
    below_make("assets");
    below_make("lessons");
    below_make("lessons/10_x");
    file_write("assets/strings.json", strings);
    file_write("assets/models.json", models);
    file_write("lessons/10_x/en.md", "# One\n\nword\n\n# Two\n");
    file_write("lessons/10_x/zh.md", "# 一\n\n字\n\n# 二\n");
    ck_assert_int_eq(setenv("SHARDLAB_DATA", folder, 1), 0);
    struct store *s = NULL;
    struct message why;
    ck_assert_int_eq(store_open(&s, &why), STATUS_OK);
    return s;
}

START_TEST(the_build_tree_finds_its_own_assets_from_any_folder) {
    char before[4096];
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_eq(chdir("/"), 0);
    struct store *s = NULL;
    struct message why;
    const struct record *rows = NULL;
    int count = 0;
    ck_assert_int_eq(store_open(&s, &why), STATUS_OK);
    ck_assert_int_eq(store_models(s, &rows, &count, &why), STATUS_OK);
    ck_assert_int_gt(count, 40);
    store_close(s);
    ck_assert_int_eq(chdir(before), 0);
}
END_TEST

START_TEST(a_wrong_data_folder_is_named) {
    ck_assert_int_eq(setenv("SHARDLAB_DATA", folder, 1), 0);
    struct store *s = NULL;
    struct message why;
    ck_assert_int_eq(store_open(&s, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.data.missing");
    ck_assert_str_eq(why.args[0].text, folder);
    store_close(NULL);
}
END_TEST

START_TEST(an_empty_data_variable_counts_as_unset) {
    ck_assert_int_eq(setenv("SHARDLAB_DATA", "", 1), 0);
    struct store *s = NULL;
    struct message why;
    ck_assert_int_eq(store_open(&s, &why), STATUS_OK);
    store_close(s);
}
END_TEST

START_TEST(words_are_found_in_both_languages_and_unknown_ids_are_not) {
    struct store *s = store_with("{\"b\": {\"en\": \"bee\", \"zh\": \"蜂\"}, "
                                 "\"a.x\": {\"en\": \"ay\", \"zh\": \"甲\"}}",
                                 "{\"models\": []}");
    struct words en;
    struct words zh;
    struct message why;
    ck_assert_int_eq(store_words(s, false, &en, &why), STATUS_OK);
    ck_assert_int_eq(store_words(s, true, &zh, &why), STATUS_OK);
    ck_assert_str_eq(words_get(&en, "a.x"), "ay");
    ck_assert_str_eq(words_get(&en, "b"), "bee");
    ck_assert_str_eq(words_get(&zh, "a.x"), "甲");
    ck_assert_str_eq(words_get(&zh, "b"), "蜂");
    ck_assert_str_eq(words_get(&zh, "B"), "B");
    ck_assert(zh.chinese && !en.chinese);
    store_close(s);
}
END_TEST

START_TEST(an_id_without_a_language_is_named) {
    struct store *s = store_with("{\"a.x\": {\"en\": \"ay\"}}", "{\"models\": []}");
    struct words words;
    struct message why;
    ck_assert_int_eq(store_words(s, false, &words, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.asset.string");
    ck_assert_str_eq(why.args[1].text, "a.x");
    store_close(s);
}
END_TEST

static const struct {
    const char *models, *id, *key;
} bad_tables[] = {
    {"{\"model\": []}", "error.asset.list", "models"},
    {"{\"models\": {}}", "error.asset.list", "models"},
    {"{\"models\": [{\"id\": \"a\"}, 7]}", "error.asset.row", "models[1]"},
    {"{\"models\": [{\"id\": 7}]}", "error.asset.row", "models[0]"},
    {"{\"models\": [{}]}", "error.asset.row", "models[0]"},
};

START_TEST(a_table_of_the_wrong_shape_is_named_by_its_key) {
    struct store *s = store_with("{}", bad_tables[_i].models);
    const struct record *rows = NULL;
    int count = 0;
    struct message why;
    ck_assert_int_eq(store_models(s, &rows, &count, &why), STATUS_FAILED);
    ck_assert_msg(strcmp(why.id, bad_tables[_i].id) == 0, "%s: %s", bad_tables[_i].models, why.id);
    ck_assert_msg(strcmp(why.args[1].text, bad_tables[_i].key) == 0, "%s: %s",
                  bad_tables[_i].models, why.args[1].text);
    store_close(s);
}
END_TEST

START_TEST(a_lesson_is_read_once_for_each_language) {
    struct store *s = store_with("{}", "{\"models\": []}");
    const struct document *en = NULL;
    const struct document *zh = NULL;
    const struct document *again = NULL;
    struct message why;
    ck_assert_int_eq(store_lesson(s, "10_x", false, &en, &why), STATUS_OK);
    ck_assert_int_eq(store_lesson(s, "10_x", true, &zh, &why), STATUS_OK);
    ck_assert_int_eq(store_lesson(s, "10_x", false, &again, &why), STATUS_OK);
    ck_assert_ptr_eq(en, again);
    ck_assert_str_eq(en->pages[1].title, "Two");
    ck_assert_str_eq(zh->pages[1].title, "二");
    ck_assert_int_eq(store_lesson(s, "20_y", false, &en, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.file.missing");
    store_close(s);
}
END_TEST

START_TEST(rows_are_found_whatever_the_case_and_a_slip_has_a_nearest_name) {
    struct store *s = store_with("{}", "{\"models\": [{\"id\": \"llama-2-7b\"}, "
                                       "{\"id\": \"llama-2-13b\"}, {\"id\": \"gpt2\"}]}");
    const struct record *rows = NULL;
    int count = 0;
    struct message why;
    ck_assert_int_eq(store_models(s, &rows, &count, &why), STATUS_OK);
    ck_assert_int_eq(count, 3);
    ck_assert_ptr_eq(store_row_find(rows, count, "LLaMA-2-7B"), &rows[0]);
    ck_assert_ptr_null(store_row_find(rows, count, "llama-2-7"));
    ck_assert_ptr_null(store_row_find(rows, count, ""));
    ck_assert_str_eq(store_row_nearest(rows, count, "llama2-7b"), "llama-2-7b");
    ck_assert_str_eq(store_row_nearest(rows, count, "lama-2-13b"), "llama-2-13b");
    ck_assert_str_eq(store_row_nearest(rows, count, "GPT-2"), "gpt2");
    ck_assert_ptr_null(store_row_nearest(rows, count, "zz"));
    ck_assert_ptr_null(store_row_nearest(rows, count, ""));
    store_close(s);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("store");
    TCase *tests = tcase_create("store");
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, the_build_tree_finds_its_own_assets_from_any_folder);
    tcase_add_test(tests, a_wrong_data_folder_is_named);
    tcase_add_test(tests, an_empty_data_variable_counts_as_unset);
    tcase_add_test(tests, words_are_found_in_both_languages_and_unknown_ids_are_not);
    tcase_add_test(tests, an_id_without_a_language_is_named);
    tcase_add_loop_test(tests, a_table_of_the_wrong_shape_is_named_by_its_key, 0,
                        (int)(sizeof bad_tables / sizeof bad_tables[0]));
    tcase_add_test(tests, a_lesson_is_read_once_for_each_language);
    tcase_add_test(tests, rows_are_found_whatever_the_case_and_a_slip_has_a_nearest_name);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
