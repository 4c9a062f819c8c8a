/* A strict reader of JSON text that never leaves the text: it finds values and says where they stand. Used by tests
 * of the command line, where the library of the program would hide what the program wrote. Recursion is bounded by
 * DEPTH_MAX; nothing is owned. */
#include "support/json_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

struct member_visit {
    void (*call)(struct json_value key, struct json_value value, void *context);
    void *context;
};

/* Where the reading stands; `fault` stops it. */
struct reading {
    const char *at, *end;
    const char *fault;
    int depth;
    const struct member_visit *visit; /* NULL: none */
};

static struct json_value read_value(struct reading *r);

static void spoil(struct reading *r, const char *fault) {
    if (r->fault == NULL) {
        r->fault = fault;
    }
}

static bool at_char(const struct reading *r, char c) {
    return r->at < r->end && *r->at == c;
}

static bool take(struct reading *r, char c) {
    bool there = at_char(r, c);
    r->at += there ? 1 : 0;
    return there;
}

static bool is_digit(const struct reading *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static void take_digits(struct reading *r) {
    if (!is_digit(r)) {
        spoil(r, "a number without digits");
    }
    while (is_digit(r)) {
        r->at++;
    }
}

static void read_number(struct reading *r) {
    (void)take(r, '-');
    if (!take(r, '0')) {
        take_digits(r);
    }
    if (take(r, '.')) {
        take_digits(r);
    }
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '-')) {
            (void)take(r, '+');
        }
        take_digits(r);
    }
}

static void read_escape(struct reading *r) {
    if (!take(r, 'u')) {
        if (r->at == r->end || *r->at == '\0' || strchr("\"\\/bfnrt", *r->at) == NULL) {
            spoil(r, "an unknown escape");
        }
        r->at += r->at < r->end ? 1 : 0;
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (r->at == r->end || *r->at == '\0' || strchr("0123456789abcdefABCDEF", *r->at) == NULL) {
            spoil(r, "\\u without four digits");
            return;
        }
        r->at++;
    }
}

static void read_string(struct reading *r) {
    r->at++;
    while (r->fault == NULL && !at_char(r, '"')) {
        if (r->at == r->end || (unsigned char)*r->at < 0x20 || *r->at == 0x7F) {
            spoil(r, "a string that does not end, or holds a control character");
        } else if (take(r, '\\')) {
            read_escape(r);
        } else {
            r->at++;
        }
    }
    r->at += r->fault == NULL ? 1 : 0;
}

static void read_word(struct reading *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        spoil(r, "an unknown word");
        return;
    }
    r->at += length;
}

/* Between the brackets of an array or object. */
static void read_items(struct reading *r, char close, bool keys) {
    r->at++;
    if (take(r, close)) {
        return;
    }
    do {
        struct json_value key = {JSON_KIND_MISSING, r->at, 0};
        if (keys) {
            key = read_value(r);
            if (key.kind != JSON_KIND_STRING || !take(r, ':')) {
                spoil(r, "a member without key and colon");
            }
        }
        struct json_value value = read_value(r);
        if (keys && r->fault == NULL && r->visit != NULL) {
            r->visit->call(key, value, r->visit->context);
        }
    } while (r->fault == NULL && take(r, ','));
    if (!take(r, close)) {
        spoil(r, "a bracket that does not close");
    }
}

static enum json_kind kind_at(const struct reading *r) {
    switch (r->at < r->end ? *r->at : '\0') {
    case '{':
        return JSON_KIND_OBJECT;
    case '[':
        return JSON_KIND_ARRAY;
    case '"':
        return JSON_KIND_STRING;
    case 't':
    case 'f':
        return JSON_KIND_BOOL;
    case 'n':
        return JSON_KIND_NULL;
    case '\0':
        return JSON_KIND_MISSING;
    default:
        return JSON_KIND_NUMBER;
    }
}

static struct json_value read_value(struct reading *r) {
    struct json_value value = {kind_at(r), r->at, 0};
    if (++r->depth > DEPTH_MAX) {
        spoil(r, "too deep");
    }
    if (r->fault == NULL) {
        switch (value.kind) {
        case JSON_KIND_OBJECT:
            read_items(r, '}', true);
            break;
        case JSON_KIND_ARRAY:
            read_items(r, ']', false);
            break;
        case JSON_KIND_STRING:
            read_string(r);
            break;
        case JSON_KIND_BOOL:
            read_word(r, *r->at == 't' ? "true" : "false");
            break;
        case JSON_KIND_NULL:
            read_word(r, "null");
            break;
        case JSON_KIND_NUMBER:
            read_number(r);
            break;
        case JSON_KIND_MISSING:
            spoil(r, "no value");
            break;
        }
    }
    r->depth--;
    value.length = (size_t)(r->at - value.at);
    return value;
}

const char *json_answer_fault(const char *answer, size_t length, size_t *where) {
    struct reading r = {.at = answer, .end = answer + length};
    if (!at_char(&r, '{')) {
        spoil(&r, "does not begin with an object");
    } else {
        (void)read_value(&r);
    }
    if (!take(&r, '\n') || r.at != r.end) {
        spoil(&r, "is not followed by one newline and the end");
    }
    *where = (size_t)(r.at - answer);
    return r.fault;
}

/* The member `key` (length bytes) of the object, or element `index` of the array, that the reading stands at. */
static struct json_value step(struct reading *r, const char *key, size_t length, long index) {
    struct json_value none = {JSON_KIND_MISSING, r->at, 0};
    bool object = key != NULL;
    if (!take(r, object ? '{' : '[') || at_char(r, object ? '}' : ']')) {
        return none;
    }
    for (long i = 0;; i++) {
        bool found = i == index;
        if (object) {
            struct json_value name = read_value(r);
            found = name.length == length + 2 && memcmp(name.at + 1, key, length) == 0;
            (void)take(r, ':');
        }
        struct json_value value = read_value(r);
        if (found) {
            return value;
        }
        if (r->fault != NULL || !take(r, ',')) {
            return none;
        }
    }
}

struct json_value json_at(const char *answer, const char *path) {
    struct json_value value = {JSON_KIND_MISSING, answer, strlen(answer)};
    struct reading r = {.at = answer, .end = answer + strlen(answer)};
    while (*path != '\0') {
        if (*path == '[') {
            char *end = NULL;
            value = step(&r, NULL, 0, strtol(path + 1, &end, 10));
            path = end + 1;
        } else {
            path += *path == '.' ? 1 : 0;
            size_t length = strcspn(path, ".[");
            value = step(&r, path, length, -1);
            path += length;
        }
        if (value.kind == JSON_KIND_MISSING) {
            return value;
        }
        r.at = value.at;
    }
    return value;
}

bool json_is(struct json_value value, const char *text) {
    return value.length == strlen(text) && memcmp(value.at, text, value.length) == 0;
}

uint64_t json_digits(const char *answer, const char *path) {
    struct json_value value = json_at(answer, path);
    uint64_t number = 0;
    ck_assert_msg(value.kind == JSON_KIND_NUMBER, "%s is no number in %s", path, answer);
    for (size_t i = 0; i < value.length; i++) {
        uint64_t digit = (uint64_t)(unsigned char)value.at[i] - '0';
        bool fits = digit <= 9 && number <= (UINT64_MAX - digit) / 10;
        ck_assert_msg(fits, "%s: %.*s is not a whole number below 2^64", path, (int)value.length,
                      value.at);
        number = number * 10 + digit;
    }
    return number;
}

int json_count(struct json_value value) {
    if (value.kind != JSON_KIND_ARRAY && value.kind != JSON_KIND_OBJECT) {
        return 0;
    }
    struct reading r = {.at = value.at + 1, .end = value.at + value.length};
    int count = 0;
    while (r.fault == NULL && !at_char(&r, ']') && !at_char(&r, '}')) {
        (void)read_value(&r);
        if (take(&r, ':')) {
            (void)read_value(&r);
        }
        (void)take(&r, ',');
        count++;
    }
    return count;
}

void json_each_member(const char *answer,
                      void (*visit)(struct json_value key, struct json_value value, void *context),
                      void *context) {
    struct member_visit member = {visit, context};
    struct reading r = {.at = answer, .end = answer + strlen(answer), .visit = &member};
    (void)read_value(&r);
}
