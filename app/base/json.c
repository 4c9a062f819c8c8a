/* Writing JSON, compact and in the order of the calls. Every `--json` answer and every event line
 * is made here. Whole numbers are digits, never doubles; reals are the shortest text that reads
 * back. The text goes to the caller's writer, which remembers whether it fitted: an answer that
 * overflowed must not be printed. Reading JSON is left to `store`. Proof:
 * tests/unit/base/test_json.c. */
#include "shardlab/base/json.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "shardlab/base/decimal.h"
#include "shardlab/base/utf8.h"

void json_start(struct json *j, struct writer *out) {
    *j = (struct json){.out = out};
}

/* One code point inside quotes. Control characters (also DEL and C1, which a terminal would obey)
 * are escaped. */
static void write_escaped(struct writer *w, uint32_t c) {
    static const char digits[] = "0123456789abcdef";
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    const char *found = c != 0 && c < 0x80 ? strchr(plain, (int)c) : NULL;
    if (found != NULL) {
        writer_char(w, '\\');
        writer_char(w, letter[found - plain]);
    } else if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) {
        writer_text(w, "\\u00");
        writer_char(w, digits[c >> 4]);
        writer_char(w, digits[c & 0xFU]);
    } else {
        writer_code_point(w, c);
    }
}

static void write_string(struct writer *w, const char *text) {
    size_t left = strlen(text);
    writer_char(w, '"');
    while (left > 0) {
        uint32_t code_point = UTF8_REPLACEMENT;
        size_t taken = utf8_decode(text, left, &code_point);
        write_escaped(w, code_point);
        size_t step = taken > 0 ? taken : 1;
        text += step;
        left -= step;
    }
    writer_char(w, '"');
}

/* What stands before a value: the comma after its elder sibling, and its key. */
static void json_lead(struct json *j, const char *key) {
    if (j->depth > 0) {
        if (!j->first[j->depth - 1]) {
            writer_char(j->out, ',');
        }
        j->first[j->depth - 1] = false;
    }
    if (key != NULL) {
        write_string(j->out, key);
        writer_char(j->out, ':');
    }
}

static void json_open(struct json *j, const char *key, char bracket) {
    assert(j->depth < JSON_DEPTH_MAX);
    json_lead(j, key);
    writer_char(j->out, bracket);
    j->first[j->depth++] = true;
}

static void json_close(struct json *j, char bracket) {
    assert(j->depth > 0);
    j->depth--;
    writer_char(j->out, bracket);
}

void json_object_open(struct json *j, const char *key) {
    json_open(j, key, '{');
}

void json_object_close(struct json *j) {
    json_close(j, '}');
}

void json_array_open(struct json *j, const char *key) {
    json_open(j, key, '[');
}

void json_array_close(struct json *j) {
    json_close(j, ']');
}

void json_text(struct json *j, const char *key, const char *value) {
    if (value == NULL) {
        json_null(j, key);
        return;
    }
    json_lead(j, key);
    write_string(j->out, value);
}

void json_u64(struct json *j, const char *key, uint64_t value) {
    json_lead(j, key);
    writer_u64(j->out, value);
}

void json_i64(struct json *j, const char *key, int64_t value) {
    if (value < 0) {
        json_negative(j, key, 0 - (uint64_t)value); /* unsigned: INT64_MIN has no positive twin */
    } else {
        json_u64(j, key, (uint64_t)value);
    }
}

void json_negative(struct json *j, const char *key, uint64_t magnitude) {
    json_lead(j, key);
    writer_text(j->out, magnitude > 0 ? "-" : "");
    writer_u64(j->out, magnitude);
}

void json_real(struct json *j, const char *key, double value) {
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    json_lead(j, key);
    writer_real(j->out, value);
}

void json_decimal(struct json *j, const char *key, uint64_t units, int places) {
    json_lead(j, key);
    decimal_write(j->out, units, places);
}

void json_bool(struct json *j, const char *key, bool value) {
    json_lead(j, key);
    writer_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key) {
    json_lead(j, key);
    writer_text(j->out, "null");
}
