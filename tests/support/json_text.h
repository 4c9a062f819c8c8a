/* JSON answers of the program, read as the text that they are: numbers stay digits, so that bytes beyond 2^53 can be
 * compared exactly. Strict, where a library may be lenient: one value, RFC 8259, nothing after it but one newline.
 * Paths are written as "per_gpu.weights_bytes", "stages[0].layers", "notes[1]". */
#ifndef SUPPORT_JSON_TEXT_H
#define SUPPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
    JSON_KIND_MISSING,
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_NUMBER,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT,
};

/* A value where it stands in the answer. */
struct json_value {
    enum json_kind kind;
    const char *at; /* its first character */
    size_t length;
};

/* NULL when `answer` is one JSON object and one newline; else what is wrong, and *where. */
const char *json_answer_fault(const char *answer, size_t length, size_t *where);

/* The value at `path` of a text without faults; kind MISSING when there is none. */
struct json_value json_at(const char *answer, const char *path);

/* True when the value's text is exactly `text`. */
bool json_is(struct json_value value, const char *text);
/* A number of digits only, at most 2^64-1; the test fails when it is not. */
uint64_t json_digits(const char *answer, const char *path);
/* How many elements or members; 0 for anything else. */
int json_count(struct json_value value);

/* Calls `visit` for every member of every object, with its key and value. */
void json_each_member(const char *answer,
                      void (*visit)(struct json_value key, struct json_value value, void *context),
                      void *context);

#endif
