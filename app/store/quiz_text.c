/* What every level of a quiz file has in common: keys, lists, numbers and texts, each refused with the path of what is
 * wrong. An author writes these files by hand, so a key that means nothing is an error and not passed over. Texts are kept
 * in the store's arena. Called by quiz_question.c and questions.c. Proof: tests/unit/store/test_questions.c. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include "quiz_private.h"

enum { FIGURE_NAME_MAX = 31 };

/* --- Where the reader stands --- */

void store_quiz_start(struct quiz_reading *r) {
    writer_start(&r->at, r->path, sizeof r->path);
}

size_t store_quiz_enter(struct quiz_reading *r, const char *key) {
    size_t before = r->at.length;
    writer_text(&r->at, before > 0 ? "." : "");
    writer_text(&r->at, key);
    return before;
}

size_t store_quiz_enter_at(struct quiz_reading *r, const char *key, int index) {
    size_t before = store_quiz_enter(r, key);
    writer_char(&r->at, '[');
    writer_u64(&r->at, (uint64_t)index);
    writer_char(&r->at, ']');
    return before;
}

void store_quiz_leave(struct quiz_reading *r, size_t before) {
    r->at.length = before;
    r->at.bytes[before] = '\0';
    r->at.overflow = false;
}

enum status store_quiz_fail(const struct quiz_reading *r, const char *id) {
    return store_fail_entry(r->why, id, r->file, r->path);
}

enum status store_quiz_fail_key(struct quiz_reading *r, const char *id, const char *key) {
    size_t before = store_quiz_enter(r, key);
    enum status failed = store_quiz_fail(r, id);
    store_quiz_leave(r, before);
    return failed;
}

/* --- Keys, lists, numbers --- */

static bool is_among(const char *const *keys, const char *key) {
    while (*keys != NULL && strcmp(*keys, key) != 0) {
        keys++;
    }
    return *keys != NULL;
}

static enum status fail_unknown(struct quiz_reading *r, const char *key, const char *const *keys) {
    char known[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, known, sizeof known);
    for (int i = 0; keys[i] != NULL; i++) {
        writer_text(&w, i > 0 ? ", " : "");
        writer_text(&w, keys[i]);
    }
    (void)store_quiz_fail_key(r, "error.quiz.key", key);
    message_add_text(r->why, known);
    return STATUS_FAILED;
}

enum status store_quiz_keys(struct quiz_reading *r, const cJSON *object, const char *const *keys) {
    if (!cJSON_IsObject(object)) {
        return store_quiz_fail(r, "error.quiz.object");
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        if (!is_among(keys, item->string)) {
            return fail_unknown(r, item->string, keys);
        }
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item) {
            return store_quiz_fail_key(r, "error.quiz.twice", item->string);
        }
    }
    return STATUS_OK;
}

static enum status fail_range(struct quiz_reading *r, const char *key, const char *id,
                              const int range[2]) {
    (void)store_quiz_fail_key(r, id, key);
    message_add_plain(r->why, (uint64_t)range[0]);
    message_add_plain(r->why, (uint64_t)range[1]);
    return STATUS_FAILED;
}

enum status store_quiz_list(struct quiz_reading *r, const cJSON *object, const char *key,
                            const int range[2], const cJSON **out) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
    int count = cJSON_GetArraySize(list);
    *out = list;
    if (list == NULL) {
        return range[0] == 0 ? STATUS_OK : store_quiz_fail_key(r, "error.quiz.missing", key);
    }
    if (!cJSON_IsArray(list) || count < range[0] || count > range[1]) {
        return fail_range(r, key, "error.quiz.list", range);
    }
    return STATUS_OK;
}

enum status store_quiz_whole(struct quiz_reading *r, const cJSON *object, const char *key,
                             const int range[2], int *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item == NULL) {
        return store_quiz_fail_key(r, "error.quiz.missing", key);
    }
    for (int value = range[0]; cJSON_IsNumber(item) && value <= range[1]; value++) {
        if (item->valuedouble == (double)value) {
            *out = value;
            return STATUS_OK;
        }
    }
    return fail_range(r, key, "error.quiz.whole", range);
}

enum status store_quiz_switch(struct quiz_reading *r, const cJSON *object, const char *key,
                              bool *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = cJSON_IsTrue(item);
    return item == NULL || cJSON_IsBool(item) ? STATUS_OK
                                              : store_quiz_fail_key(r, "error.quiz.switch", key);
}

/* --- Texts --- */

static enum status check_characters(struct quiz_reading *r, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
            (void)store_quiz_fail(r, "error.quiz.control");
            message_add_plain(r->why, c);
            return STATUS_FAILED;
        }
        at += bytes > 0 ? bytes : 1;
    }
    return STATUS_OK;
}

static bool has_words(const char *text) {
    return text[strspn(text, " ")] != '\0';
}

enum status store_quiz_word(struct quiz_reading *r, const cJSON *object, const char *key,
                            const char **out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item == NULL) {
        (void)store_quiz_fail_key(r, "error.quiz.missing", key);
        return STATUS_FAILED;
    }
    size_t before = store_quiz_enter(r, key);
    const char *text = cJSON_GetStringValue(item); /* NULL: it is no text */
    if (text == NULL || !has_words(text)) {
        (void)store_quiz_fail(r, "error.quiz.text");
        return STATUS_FAILED;
    }
    *out = text;
    enum status ok = check_characters(r, text);
    if (ok == STATUS_OK) {
        store_quiz_leave(r, before);
    }
    return ok;
}

static const char *keep(struct quiz_reading *r, const char *text) {
    return store_arena_text(&r->s->arena, text, strlen(text));
}

/* "memory.sixteen-bytes": no part between points is empty. */
static bool is_id(const char *text) {
    bool begun = false;
    for (const char *c = text; *c != '\0'; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        if (!letter && !(begun && (*c == '.' || *c == '-'))) {
            return false;
        }
        begun = *c != '.';
    }
    return begun && strlen(text) <= QUIZ_ID_MAX;
}

enum status store_quiz_id(struct quiz_reading *r, const cJSON *item, const char **out) {
    if (!cJSON_IsString(item) || !is_id(item->valuestring)) {
        (void)store_quiz_fail(r, "error.quiz.id");
        message_add_text(r->why, cJSON_IsString(item) ? item->valuestring : "…");
        message_add_plain(r->why, QUIZ_ID_MAX);
        return STATUS_FAILED;
    }
    *out = keep(r, item->valuestring);
    return *out != NULL ? STATUS_OK : store_fail_memory(r->why);
}

/* The name in {{name}}, `length` bytes; "?" alone is a blank. */
static bool is_figure(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != '-') {
            return false;
        }
    }
    return length > 0 && length <= FIGURE_NAME_MAX;
}

/* Figures are closed and named, and so many of them are blanks. */
static enum status check_figures(struct quiz_reading *r, const char *text, int blanks) {
    int found = 0;
    for (const char *at = strpbrk(text, "{}"); at != NULL; at = strpbrk(at, "{}")) {
        if (at[0] != at[1]) { /* a brace alone is a brace */
            at++;
            continue;
        }
        const char *end = at[0] == '{' ? strstr(at, "}}") : NULL;
        size_t length = end != NULL ? (size_t)(end - at) - 2 : 0;
        bool blank = length == 1 && at[2] == '?';
        if (end == NULL || (!blank && !is_figure(at + 2, length))) {
            (void)store_quiz_fail(r, "error.quiz.figure");
            message_add_text(r->why, at);
            return STATUS_FAILED;
        }
        found += blank ? 1 : 0;
        at = end + 2;
    }
    return found == blanks
               ? STATUS_OK
               : store_quiz_fail(r, blanks > 0 ? "error.quiz.blank" : "error.quiz.no_blank");
}

enum status store_quiz_twins(struct quiz_reading *r, const cJSON *object, int blanks,
                             const char *out[2]) {
    static const char *const languages[2] = {"en", "zh"};
    for (int i = 0; i < 2; i++) {
        const char *text = NULL;
        enum status ok = store_quiz_word(r, object, languages[i], &text);
        if (ok != STATUS_OK) {
            return ok;
        }
        size_t before = store_quiz_enter(r, languages[i]);
        ok = check_figures(r, text, blanks);
        if (ok != STATUS_OK) {
            return ok;
        }
        store_quiz_leave(r, before);
        out[i] = keep(r, text);
        if (out[i] == NULL) {
            return store_fail_memory(r->why);
        }
    }
    return STATUS_OK;
}

enum status store_quiz_pair(struct quiz_reading *r, const cJSON *object, const char *key,
                            bool required, const char *out[2]) {
    static const char *const languages[] = {"en", "zh", NULL};
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(object, key);
    out[0] = out[1] = NULL;
    if (pair == NULL) {
        return required ? store_quiz_fail_key(r, "error.quiz.missing", key) : STATUS_OK;
    }
    size_t before = store_quiz_enter(r, key);
    enum status ok = store_quiz_keys(r, pair, languages);
    ok = ok == STATUS_OK ? store_quiz_twins(r, pair, 0, out) : ok;
    if (ok == STATUS_OK) {
        store_quiz_leave(r, before);
    }
    return ok;
}
