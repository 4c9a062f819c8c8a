/* From the text of a JSON file to flat records. cJSON does the parsing; it is lenient where a
 * person would want to hear of a slip (control characters count as blanks, "\uZZZZ" cuts a string
 * short) and says nothing about deep nesting, so a scan before it refuses those with their place.
 * The tree is turned into records in the arena at once and deleted. In a record the fields stand in
 * reverse order: of two with the same key the last is found first, which is how Python reads the
 * same file. Keys longer than KEY_BYTES_MAX are left out, nobody asks for them. Proof:
 * tests/unit/store/test_json_file.c. */
#include "store_private.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    DEPTH_MAX = 64,
    KEY_BYTES_MAX = 256,
    VALUE_BYTES_MAX = 64,
    EXCERPT_BYTES_MAX = 24,
};

/* A reading head over the text, for the scan. */
struct scan {
    const char *text;
    size_t length, at;
    int depth;
    const char *fault; /* message id, NULL: fine so far */
};

static bool is_hex4(const char *text, size_t length) {
    for (size_t i = 0; i < 4; i++) {
        if (i >= length || !isxdigit((unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

/* Goes on to the closing quote; scan->at is on the opening one. */
static void scan_string(struct scan *scan) {
    for (scan->at++; scan->at < scan->length; scan->at++) {
        const char *here = scan->text + scan->at;
        size_t left = scan->length - scan->at;
        if (*here == '"') {
            return;
        }
        if ((unsigned char)*here < 0x20) {
            scan->fault = "error.json.control";
            return;
        }
        if (*here == '\\' && left > 1) {
            bool unicode = here[1] == 'u';
            if (unicode && (!is_hex4(here + 2, left - 2) || memcmp(here + 2, "0000", 4) == 0)) {
                scan->fault = "error.json.escape";
                return;
            }
            scan->at++;
        }
    }
    scan->fault = "error.json.end";
}

static void scan_outside(struct scan *scan) {
    unsigned char c = (unsigned char)scan->text[scan->at];
    if (c == '"') {
        scan_string(scan);
    } else if (c == '{' || c == '[') {
        scan->depth++;
        scan->fault = scan->depth > DEPTH_MAX ? "error.json.deep" : NULL;
    } else if (c == '}' || c == ']') {
        scan->depth--;
    } else if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') {
        scan->fault = "error.json.control";
    }
}

static enum status scan_check(const char *name, const struct store_text *text,
                              struct message *why) {
    struct scan scan = {.text = text->bytes, .length = text->length};
    for (; scan.at < scan.length; scan.at++) {
        scan_outside(&scan);
        if (scan.fault != NULL) {
            (void)store_fail_at(why, scan.fault, name,
                                store_place_at(text->bytes, text->length, scan.at));
            message_add_plain(why, DEPTH_MAX);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where a key should begin and something else stands, cJSON points one byte behind it. */
static size_t offender(const char *text, size_t offset) {
    if (offset < 2 || is_blank(text[offset - 1])) {
        return offset;
    }
    size_t before = offset - 1;
    while (before > 0 && is_blank(text[before - 1])) {
        before--;
    }
    bool key_expected = before > 0 && (text[before - 1] == '{' || text[before - 1] == ',');
    return key_expected ? offset - 1 : offset;
}

/* cJSON stopped at `offset`: says what stands there, or that nothing more does. */
static enum status fail_syntax(struct message *why, const char *name, const struct store_text *text,
                               size_t offset) {
    offset = offender(text->bytes, offset);
    while (offset < text->length && is_blank(text->bytes[offset])) {
        offset++;
    }
    struct store_place place = store_place_at(text->bytes, text->length, offset);
    if (offset >= text->length) {
        return store_fail_at(why, "error.json.end", name, place);
    }
    size_t bytes = 0;
    while (bytes < EXCERPT_BYTES_MAX && offset + bytes < text->length &&
           text->bytes[offset + bytes] != '\n') {
        uint32_t code_point = 0;
        bytes +=
            utf8_decode(text->bytes + offset + bytes, text->length - offset - bytes, &code_point);
    }
    (void)store_fail_at(why, "error.json.syntax", name, place);
    message_add_text_n(why, text->bytes + offset, bytes);
    return STATUS_FAILED;
}

enum status store_json_parse(const char *name, const struct store_text *text, struct cJSON **out,
                             struct message *why) {
    enum status status = scan_check(name, text, why);
    if (status != STATUS_OK) {
        return status;
    }
    const char *end = text->bytes;
    /* With the final NUL, so that cJSON can tell the end from text that follows the value. */
    cJSON *root = cJSON_ParseWithLengthOpts(text->bytes, text->length + 1, &end, true);
    if (root == NULL) {
        return fail_syntax(why, name, text, (size_t)(end - text->bytes));
    }
    if (!cJSON_IsObject(root)) {
        cJSON_Delete(root);
        return store_fail(why, "error.json.root", name);
    }
    *out = root;
    return STATUS_OK;
}

/* --- Records ---------------------------------------------------------------------------------- */

/* Fields are filled from the back: `next` is the number of free ones in front. */
struct filling {
    struct store_arena *arena;
    struct field *fields;
    int next;
    bool failed;
};

/* How many fields an object becomes, at any depth. */
static int fields_count(const cJSON *object) {
    int count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        count += 1 + (cJSON_IsObject(item) ? fields_count(item) : 0);
    }
    return count;
}

/* "prefix.key", or NULL when that is too long or memory ran out. */
static const char *key_join(struct filling *filling, const char *prefix, const char *key) {
    size_t before = prefix[0] == '\0' ? 0 : strlen(prefix) + 1;
    size_t length = before + strlen(key);
    if (length > KEY_BYTES_MAX) {
        return NULL;
    }
    char *joined = store_arena_alloc(filling->arena, length + 1);
    if (joined == NULL) {
        filling->failed = true;
        return NULL;
    }
    if (before > 0) {
        memcpy(joined, prefix, before - 1);
        joined[before - 1] = '.';
    }
    memcpy(joined + before, key, strlen(key));
    return joined;
}

static void write_number(struct writer *w, double number) {
    if (isfinite(number)) {
        writer_real(w, number);
    } else {
        writer_text(w, number > 0 ? "> 1e308" : "< -1e308");
    }
}

static void field_set(struct filling *filling, struct field *field, const cJSON *item) {
    char buffer[VALUE_BYTES_MAX];
    const char *text = buffer;
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    if (cJSON_IsString(item)) {
        field->kind = FIELD_TEXT;
        text = item->valuestring;
    } else if (cJSON_IsNumber(item)) {
        field->kind = FIELD_NUMBER;
        field->number = item->valuedouble;
        write_number(&w, item->valuedouble);
    } else if (cJSON_IsBool(item)) {
        field->kind = FIELD_SWITCH;
        field->on = cJSON_IsTrue(item);
        writer_text(&w, field->on ? "true" : "false");
    } else if (cJSON_IsNull(item)) {
        field->kind = FIELD_NULL;
        writer_text(&w, "null");
    } else {
        field->kind = FIELD_OTHER;
        writer_text(&w, cJSON_IsObject(item) ? "{…}" : item->child == NULL ? "[]" : "[…]");
    }
    field->text = store_arena_text(filling->arena, text, strlen(text));
    filling->failed = filling->failed || field->text == NULL;
}

static void fields_fill(struct filling *filling, const cJSON *object, const char *prefix) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        const char *key = key_join(filling, prefix, item->string);
        if (key == NULL) {
            continue;
        }
        struct field *field = &filling->fields[--filling->next];
        field->key = key;
        field_set(filling, field, item);
        if (cJSON_IsObject(item)) {
            fields_fill(filling, item, key);
        }
    }
}

bool store_json_record(struct store_arena *arena, const struct cJSON *object, struct record *out) {
    int count = fields_count(object);
    struct filling filling = {.arena = arena, .next = count};
    filling.fields = store_arena_alloc(arena, sizeof *filling.fields * (size_t)count);
    if (filling.fields == NULL) {
        return false;
    }
    fields_fill(&filling, object, "");
    /* Fields that were left out stay free in front. */
    *out = (struct record){.fields = filling.fields + filling.next, .count = count - filling.next};
    return !filling.failed;
}
