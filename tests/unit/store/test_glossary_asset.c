/* assets/glossary.json as it ships: every row of the reference table is there and explained in both languages, and each
 * term is found under its own names. And a damaged file is named. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardlab/store/store.h"
#include "support/cjk.h"
#include "support/csv.h"
#include "support/run.h"

static struct store *store;
static const struct glossary *glossary;

static void open_all(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_glossary(store, &glossary, &why), STATUS_OK);
}

static void close_all(void) {
    store_close(store);
}

static int term_of(const char *zh, const char *en) {
    for (int i = 0; i < glossary->count; i++) {
        if (strcmp(glossary->terms[i].name[0], en) == 0 &&
            strcmp(glossary->terms[i].name[1], zh) == 0) {
            return i;
        }
    }
    return -1;
}

START_TEST(every_row_of_the_reference_is_a_term) {
    struct csv rows = csv_read("glossary.csv");
    ck_assert_int_gt(rows.rows, 200);
    for (int i = 0; i < rows.rows; i++) {
        ck_assert_msg(term_of(csv_get(&rows, i, "zh"), csv_get(&rows, i, "en")) >= 0, "row %d: %s",
                      i + 2, csv_get(&rows, i, "en"));
    }
    ck_assert_int_eq(rows.rows, glossary->count);
    csv_free(&rows);
}
END_TEST

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);
    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

START_TEST(every_term_is_explained_in_a_sentence_of_each_language) {
    for (int i = 0; i < glossary->count; i++) {
        const struct glossary_term *t = &glossary->terms[i];
        ck_assert_msg(cjk_at(t->name[0]) == 0 && cjk_at(t->means[0]) == 0, "%s: CJK in English",
                      t->id);
        ck_assert_msg(cjk_at(t->means[1]) > 0, "%s: no Chinese", t->id);
        ck_assert_msg(ends_with(t->means[0], "."), "%s: %s", t->id, t->means[0]);
        ck_assert_msg(ends_with(t->means[1], "。"), "%s: %s", t->id, t->means[1]);
        ck_assert_msg(strstr(t->means[1], ",") == NULL && strstr(t->means[1], ";") == NULL,
                      "%s: half-width punctuation", t->id);
        ck_assert_int_eq(glossary_find(glossary, t->id), i);
    }
}
END_TEST

/* The first part of a name, without what stands in brackets behind it. */
static void first_name(const char *name, const char *bracket, char out[128]) {
    const char *end = strstr(name, bracket);
    size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
    while (length > 0 && name[length - 1] == ' ') {
        length--;
    }
    ck_assert_uint_lt(length, 128);
    memcpy(out, name, length);
    out[length] = '\0';
}

START_TEST(every_term_is_found_under_its_own_names) {
    for (int i = 0; i < glossary->count; i++) {
        for (int language = 0; language < 2; language++) {
            char name[128];
            bool found[GLOSSARY_TERMS_MAX] = {false};
            first_name(glossary->terms[i].name[language], language == 0 ? "(" : "（", name);
            glossary_mark(glossary, name, found);
            bool whole = strncmp(glossary->terms[i].name[0], "cool-down (", 11) == 0 ||
                         strncmp(glossary->terms[i].name[0], "pinned (", 8) == 0;
            ck_assert_msg(found[i] || (language == 0 && whole), "%s: %s", glossary->terms[i].id,
                          name);
        }
    }
}
END_TEST

/* --- A damaged file --- */

static const struct {
    const char *text, *message, *place;
} damaged[] = {
    {"{}", "error.asset.list", "terms"},
    {"{\"terms\": []}", "error.asset.list", "terms"},
    {"{\"terms\": [{}]}", "error.asset.term", "terms[0].forms"},
    {"{\"terms\": [{\"id\": \"a\", \"en\": \"a\", \"zh\": \"\", \"means_en\": \"m\", "
     "\"means_zh\": \"m\", \"forms\": \"a\"}]}",
     "error.asset.term", "terms[0].zh"},
    {"{\"terms\": [{\"id\": \"a\", \"en\": \"a\", \"zh\": \"b\", \"means_en\": 3, "
     "\"means_zh\": \"m\", \"forms\": \"a\"}]}",
     "error.asset.term", "terms[0].means_en"},
    {"{\"terms\": [{\"id\": \"a\", \"en\": \"a\", \"zh\": \"b\", \"means_en\": \"m\", "
     "\"means_zh\": \"m\", \"forms\": \"a||b\"}]}",
     "error.asset.term", "terms[0].forms"},
};

START_TEST(a_damaged_glossary_is_named_with_its_key) {
    char folder[RUN_PATH_MAX], assets[RUN_PATH_MAX], path[RUN_PATH_MAX];
    struct store *broken = NULL;
    const struct glossary *out = NULL;
    struct message why;
    folder_make(folder, ".");
    ck_assert_int_eq(mkdir(folder_path(assets, folder, "assets"), 0777), 0);
    file_write(folder_path(path, assets, "glossary.json"), damaged[_i].text,
               strlen(damaged[_i].text));
    ck_assert_int_eq(setenv("SHARDLAB_DATA", folder, 1), 0);
    ck_assert_int_eq(store_open(&broken, &why), STATUS_OK);
    enum status status = store_glossary(broken, &out, &why);
    store_close(broken);
    folder_remove(assets);
    folder_remove(folder);
    ck_assert_int_eq(status, STATUS_FAILED);
    ck_assert_str_eq(why.id, damaged[_i].message);
    ck_assert_msg(strcmp(why.args[1].text, damaged[_i].place) == 0, "%s", why.args[1].text);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("glossary asset");
    TCase *t = tcase_create("as it ships");
    tcase_add_checked_fixture(t, open_all, close_all);
    tcase_add_test(t, every_row_of_the_reference_is_a_term);
    tcase_add_test(t, every_term_is_explained_in_a_sentence_of_each_language);
    tcase_add_test(t, every_term_is_found_under_its_own_names);
    suite_add_tcase(s, t);
    TCase *bad = tcase_create("damaged");
    tcase_add_loop_test(bad, a_damaged_glossary_is_named_with_its_key, 0,
                        (int)(sizeof damaged / sizeof damaged[0]));
    suite_add_tcase(s, bad);
    return s;
}

#include "support/check_main.h"
