/* What a program answered, one line of JSON, as a flat record that is given back alone (an experiment answers often, the
 * rest of the store lives as long as the program). Lists become fields with a number in their name. cJSON keeps numbers
 * as doubles, so their digits are taken from the text: the tree is walked in the order of the text, and each number in
 * it is the next one there. The answer owns its arena. Called by the shell for the lines of experiments.
 * Proof: tests/unit/store/test_answer.c. */
#include "store_private.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES_MAX = 256, DIGITS_BYTES_MAX = 64 };

struct store_answer {
    struct store_arena arena;
    struct record record;
};

/* Walks the tree and the text together. */
struct walk {
    struct store_arena *arena;
    struct field *fields;
    int count;
    const char *text; /* what is left of it */
    bool failed;      /* memory */
};

static long fields_count(const cJSON *parent) {
    long count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, parent) {
        count += 1 + fields_count(item);
    }
    return count;
}

/* Behind the closing quote; `at` is on the opening one. The text is known to be JSON. */
static const char *behind_string(const char *at) {
    for (at++; *at != '"' && *at != '\0'; at++) {
        at += at[0] == '\\' && at[1] != '\0' ? 1 : 0;
    }
    return *at == '"' ? at + 1 : at;
}

/* The digits of the next number of the text. */
static const char *take_digits(struct walk *walk) {
    static const char of_number[] = "+-.0123456789eE";
    const char *at = walk->text;
    assert(at != NULL);
    while (*at != '\0' && *at != '-' && (*at < '0' || *at > '9')) {
        at = *at == '"' ? behind_string(at) : at + 1;
    }
    size_t length = strspn(at, of_number);
    walk->text = at + length;
    return store_arena_text(walk->arena, at, length < DIGITS_BYTES_MAX ? length : DIGITS_BYTES_MAX);
}

static const char *text_of(struct walk *walk, struct field *field, const cJSON *item) {
    const char *text = "null";
    if (cJSON_IsNumber(item)) {
        field->kind = FIELD_NUMBER;
        field->number = item->valuedouble;
        return take_digits(walk);
    }
    if (cJSON_IsString(item)) {
        field->kind = FIELD_TEXT;
        text = item->valuestring;
    } else if (cJSON_IsBool(item)) {
        field->kind = FIELD_SWITCH;
        field->on = cJSON_IsTrue(item);
        text = field->on ? "true" : "false";
    } else if (!cJSON_IsNull(item)) {
        field->kind = FIELD_OTHER;
        text = cJSON_IsObject(item) ? "{…}" : "[…]";
    }
    return store_arena_text(walk->arena, text, strlen(text));
}

/* "prefix.key" or "prefix[2]"; cut when it is too long, which no key of ours is. */
static const char *key_of(struct walk *walk, const char *prefix, const cJSON *item, int index) {
    char key[KEY_BYTES_MAX];
    struct writer w;
    writer_start(&w, key, sizeof key);
    writer_text(&w, prefix);
    if (item->string != NULL) {
        writer_text(&w, prefix[0] != '\0' ? "." : "");
        writer_text(&w, item->string);
    } else {
        writer_char(&w, '[');
        writer_u64(&w, (uint64_t)index);
        writer_char(&w, ']');
    }
    return store_arena_text(walk->arena, key, w.length);
}

static void walk_children(struct walk *walk, const cJSON *parent, const char *prefix) {
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, parent) {
        struct field *field = &walk->fields[walk->count];
        field->key = key_of(walk, prefix, item, index++);
        field->text = text_of(walk, field, item);
        if (field->key == NULL || field->text == NULL) {
            walk->failed = true;
            return;
        }
        walk->count++;
        walk_children(walk, item, field->key);
    }
}

static enum status answer_fill(struct store_answer *answer, const cJSON *root, const char *text,
                               struct message *why) {
    long count = fields_count(root);
    if (count > STORE_ANSWER_FIELDS_MAX) {
        message_start(why, "error.json.many");
        message_add_count(why, (uint64_t)count);
        message_add_count(why, STORE_ANSWER_FIELDS_MAX);
        return STATUS_FAILED;
    }
    struct walk walk = {.arena = &answer->arena, .text = text};
    walk.fields = store_arena_alloc(&answer->arena, sizeof *walk.fields * (size_t)count);
    if (walk.fields == NULL) {
        return store_fail_memory(why);
    }
    walk_children(&walk, root, "");
    answer->record = (struct record){.fields = walk.fields, .count = walk.count};
    return walk.failed ? store_fail_memory(why) : STATUS_OK;
}

enum status store_answer_read(const char *text, size_t length, struct store_answer **out,
                              struct message *why) {
    static const char name[] = "JSON";
    struct store_answer *answer = calloc(1, sizeof *answer);
    cJSON *root = NULL;
    if (answer == NULL) {
        return store_fail_memory(why);
    }
    char *copy = store_arena_text(&answer->arena, text, length);
    enum status ok = copy != NULL ? store_text_check(name, copy, length, why) : STATUS_FAILED;
    if (copy == NULL) {
        ok = store_fail_memory(why);
    }
    if (ok == STATUS_OK) {
        struct store_text whole = {copy, length};
        ok = store_json_parse(name, &whole, &root, why);
    }
    if (ok == STATUS_OK) {
        ok = answer_fill(answer, root, copy, why);
    }
    cJSON_Delete(root);
    if (ok != STATUS_OK) {
        store_answer_free(answer);
        return ok;
    }
    *out = answer;
    return STATUS_OK;
}

const struct record *store_answer_record(const struct store_answer *answer) {
    return &answer->record;
}

void store_answer_free(struct store_answer *answer) {
    if (answer != NULL) {
        store_arena_free(&answer->arena);
        free(answer);
    }
}
