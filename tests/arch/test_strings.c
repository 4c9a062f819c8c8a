/* The words of the program: assets/strings.json holds every message id once, in both languages, and every id that
 * the sources name is there; and no source holds Chinese words of its own. The rules of one entry are
 * tests/support/string_rules.h; small bad examples prove first that each can fail. */
#define _XOPEN_SOURCE 700

#include <check.h>
#include <ctype.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "support/string_rules.h"

enum { LITERAL_MAX = 512, WHY_MAX = 4096 };

static char *read_whole(const char *path) {
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        return NULL;
    }
    size_t room = 1 << 20;
    char *text = malloc(room + 1);
    ck_assert_ptr_nonnull(text);
    size_t length = fread(text, 1, room, in);
    fclose(in);
    ck_assert_msg(length < room, "%s: larger than this test reads", path);
    text[length] = '\0';
    return text;
}

/* --- String literals of C sources --- */

typedef void literal_visitor(const char *path, int line, const char *literal);

static const char *skip_comment(const char *at, int *line) {
    bool block = at[1] == '*';
    at += 2;
    while (*at != '\0' && !(block ? at[0] == '*' && at[1] == '/' : *at == '\n')) {
        *line += *at == '\n';
        at++;
    }
    return block && *at != '\0' ? at + 2 : at;
}

/* From the opening quote to behind the closing one; the text goes to `out`, cut at LITERAL_MAX. */
static const char *read_quoted(const char *at, char out[LITERAL_MAX]) {
    char quote = *at++;
    size_t length = 0;
    while (*at != '\0' && *at != quote && *at != '\n') {
        if (*at == '\\' && at[1] != '\0') {
            at++;
        }
        if (length + 1 < LITERAL_MAX) {
            out[length++] = *at;
        }
        at++;
    }
    out[length] = '\0';
    return *at == quote ? at + 1 : at;
}

static void visit_literals(const char *path, const char *text, literal_visitor *visit) {
    char literal[LITERAL_MAX];
    int line = 1;
    while (*text != '\0') {
        if (text[0] == '/' && (text[1] == '*' || text[1] == '/')) {
            text = skip_comment(text, &line);
        } else if (*text == '"' || *text == '\'') {
            bool is_text = *text == '"';
            text = read_quoted(text, literal);
            if (is_text) {
                visit(path, line, literal);
            }
        } else {
            line += *text == '\n';
            text++;
        }
    }
}

/* Whether a literal looks like a message id: a known first word, then lower-case words after points. */
static bool looks_like_id(const char *literal) {
    static const char *const first_words[] = {
        "option", "term",     "part",       "error",  "note",       "action",   "view",
        "home",   "lesson",   "status",     "doctor", "cli",        "knob",     "group",
        "comm",   "params",   "collective", "plan",   "convention", "overflow", "pipe",
        "answer", "progress", "question",   "quiz",   "sitting",    "stats",    "mock",
    };
    const char *point = strchr(literal, '.');
    if (point == NULL || point == literal) {
        return false;
    }
    if (strspn(literal, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(literal)) {
        return false;
    }
    size_t length = (size_t)(point - literal);
    for (size_t i = 0; i < sizeof first_words / sizeof first_words[0]; i++) {
        if (strlen(first_words[i]) == length && strncmp(first_words[i], literal, length) == 0) {
            return true;
        }
    }
    return false;
}

/* --- What the walk over the sources finds: nftw and the visitors know no other way to pass it on. --- */

static cJSON *book;
static int sources_read;
static int ids_seen;
static int faults;
static char first_fault[WHY_MAX];

static void note_fault(const char *path, int line, const char *what, const char *literal) {
    if (faults++ < 20) {
        size_t used = strlen(first_fault);
        snprintf(first_fault + used, sizeof first_fault - used, "\n%s:%d: %s: %.60s", path, line,
                 what, literal);
    }
}

/* The id is in the book; what ends with a point is the start of ids that are. */
static bool has_words(const char *literal) {
    size_t length = strlen(literal);
    if (literal[length - 1] != '.') {
        return cJSON_GetObjectItemCaseSensitive(book, literal) != NULL;
    }
    const cJSON *entry;
    cJSON_ArrayForEach(entry, book) {
        if (strncmp(entry->string, literal, length) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_literal(const char *path, int line, const char *literal) {
    /* Units that people type into an answer are read there and never shown. */
    bool typed = strstr(path, "/app/learn/answer_read.c") != NULL;
    if (has(literal, is_ideograph) && !typed) {
        note_fault(path, line, "words belong in assets/strings.json", literal);
    }
    if (looks_like_id(literal)) {
        ids_seen++;
        if (!has_words(literal)) {
            note_fault(path, line, "no such id in assets/strings.json", literal);
        }
    }
}

static int read_source(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)place;
    const char *end = strrchr(path, '.');
    if (kind != FTW_F || end == NULL || (strcmp(end, ".c") != 0 && strcmp(end, ".h") != 0)) {
        return 0;
    }
    char *text = read_whole(path);
    ck_assert_ptr_nonnull(text);
    visit_literals(path, text, judge_literal);
    free(text);
    sources_read++;
    return 0;
}

static void open_book(void) {
    char *text = read_whole(TEST_SOURCE_DIR "/../assets/strings.json");
    ck_assert_msg(text != NULL, "assets/strings.json cannot be read");
    book = cJSON_Parse(text);
    ck_assert_msg(cJSON_IsObject(book), "assets/strings.json is not a JSON object, near: %.60s",
                  cJSON_GetErrorPtr() != NULL ? cJSON_GetErrorPtr() : "its start");
    free(text);
    faults = sources_read = ids_seen = 0;
    first_fault[0] = '\0';
}

static void close_book(void) {
    cJSON_Delete(book);
    book = NULL;
}

/* --- Tests --- */

static const struct {
    const char *entry;
    bool right;
} examples[] = {
    {"{\"en\":\"total\",\"zh\":\"合计\"}", true},
    {"{\"en\":\"{0} of {1}\",\"zh\":\"{1} 中的 {0}\"}", true},
    {"{\"en\":\"GB\",\"zh\":\"GB\"}", true},
    {"{\"en\":\"one {…} in {0}\",\"zh\":\"{0} 中的 {…}\"}", true},
    {"{\"en\":\"total\"}", false},
    {"{\"en\":\"total\",\"zh\":1}", false},
    {"{\"en\":\"total\",\"zh\":\"合计\",\"fr\":\"total\"}", false},
    {"{\"en\":\"\",\"zh\":\"合计\"}", false},
    {"{\"en\":\"{0} of {1}\",\"zh\":\"{0}\"}", false},
    {"{\"en\":\"{a}\",\"zh\":\"合{a}\"}", false},
    {"{\"en\":\"{9}\",\"zh\":\"合{9}\"}", false},
    {"{\"en\":\"total 合\",\"zh\":\"合计\"}", false},
    {"{\"en\":\"total，\",\"zh\":\"合计\"}", false},
    {"{\"en\":\"total\",\"zh\":\"total\"}", false},
    {"{\"en\":\"a, b\",\"zh\":\"甲, 乙\"}", false},
    {"{\"en\":\"a: b\",\"zh\":\"A: 乙\"}", false},
    {"{\"en\":\"{0}:{1}: b\",\"zh\":\"{0}:{1}: 乙\"}", true},
    {"{\"en\":\"{0}: {1}: b\",\"zh\":\"{0}: {1}: 乙\"}", false},
    {"{\"en\":\"keys , and .\",\"zh\":\"按 , 和 . 查看\"}", true},
    {"{\"en\":\"a (b)\",\"zh\":\"甲(B)\"}", false},
    {"{\"en\":\"a (b)\",\"zh\":\"f(x) 的值\"}", true},
    {"{\"en\":\"tokens\",\"zh\":\"每个 token\"}", false},
    {"{\"en\":\"tokens\",\"zh\":\"词元，见 --tokens-per-s\"}", true},
    {"{\"en\":\"ranks\",\"zh\":\"每个rank\"}", false},
    {"{\"en\":\"{0} more\",\"zh\":\"另有{0} 个\"}", false},
    {"{\"en\":\"reduce\",\"zh\":\"规约\"}", false},
    {"{\"en\":\"{0} stages\",\"zh\":\"{0} 个阶段\"}", false},
    {"{\"en\":\"stages: {0}\",\"zh\":\"{0} 个阶段\"}", true},
    {"{\"en\":\"{0}% more\",\"zh\":\"多 {0} %\"}", false},
    {"{\"en\":\"{0} % more\",\"zh\":\"多 30%\"}", false},
    {"{\"en\":\"{0} % more\",\"zh\":\"多 {0} %\"}", true},
};

START_TEST(the_rules_tell_right_entries_from_wrong_ones) {
    cJSON *entry = cJSON_Parse(examples[_i].entry);
    ck_assert_msg(entry != NULL, "example %d is not JSON", _i);
    const char *fault = entry_fault(entry);
    ck_assert_msg((fault == NULL) == examples[_i].right, "%s: %s", examples[_i].entry,
                  fault != NULL ? fault : "no fault found");
    cJSON_Delete(entry);
}
END_TEST

START_TEST(literals_are_told_from_comments_and_characters) {
    open_book();
    visit_literals("example.c",
                   "/* \"error.in_comment\" */ // \"error.in_line\"\n"
                   "char q = '\"'; f(\"error.is_missing\", \"error\", \"Error.Upper\", \"a.b\");\n"
                   "g(\"1.\", \".\", \"显存\", \"\\\"error.escaped\\\"\");",
                   judge_literal);
    ck_assert_msg(ids_seen == 1 && faults == 2, "%d ids, %d faults:%s", ids_seen, faults,
                  first_fault);
    ck_assert_ptr_nonnull(strstr(first_fault, "example.c:2: no such id"));
    ck_assert_ptr_nonnull(strstr(first_fault, "example.c:3: words belong"));
    close_book();
}
END_TEST

START_TEST(every_entry_says_the_same_in_both_languages) {
    open_book();
    ck_assert_int_gt(cJSON_GetArraySize(book), 0);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, book) {
        const char *fault = entry_fault(entry);
        if (fault != NULL) {
            note_fault("assets/strings.json", 1, fault, entry->string);
        }
        for (const char *c = entry->string; *c != '\0'; c++) {
            if (!islower((unsigned char)*c) && strchr("0123456789_.-", *c) == NULL) {
                note_fault("assets/strings.json", 1, "an id is lower-case", entry->string);
                break;
            }
        }
        if (!looks_like_id(entry->string)) {
            note_fault("assets/strings.json", 1, "its first word is none that sources are read for",
                       entry->string);
        }
        if (cJSON_GetObjectItemCaseSensitive(book, entry->string) != entry) {
            note_fault("assets/strings.json", 1, "stands twice", entry->string);
        }
    }
    ck_assert_msg(faults == 0, "%d faults:%s", faults, first_fault);
    close_book();
}
END_TEST

START_TEST(every_id_that_the_sources_name_has_words) {
    static const char *const folders[] = {"/../app", "/../lessons", "/../include"};
    open_book();
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s%s", TEST_SOURCE_DIR, folders[i]);
        ck_assert_int_eq(nftw(path, read_source, 16, FTW_PHYS), 0);
    }
    ck_assert_msg(sources_read > 0 && ids_seen > 0, "%d sources, %d ids", sources_read, ids_seen);
    ck_assert_msg(faults == 0, "%d faults:%s", faults, first_fault);
    close_book();
}
END_TEST

static Suite *suite(void) {
    Suite *strings = suite_create("strings");
    TCase *rules = tcase_create("rules");
    tcase_add_loop_test(rules, the_rules_tell_right_entries_from_wrong_ones, 0,
                        (int)(sizeof examples / sizeof examples[0]));
    tcase_add_test(rules, literals_are_told_from_comments_and_characters);
    suite_add_tcase(strings, rules);
    TCase *tree = tcase_create("tree");
    tcase_add_test(tree, every_entry_says_the_same_in_both_languages);
    tcase_add_test(tree, every_id_that_the_sources_name_has_words);
    suite_add_tcase(strings, tree);
    return strings;
}

#include "support/check_main.h"
