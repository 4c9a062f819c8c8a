/* What every answer and every refusal of the command line has in common (CONTRACT, "Conventions for every
 * command"). Static, because each test program of this folder is one file. */
#ifndef CLI_EXPECT_H
#define CLI_EXPECT_H

#include <check.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "support/json_text.h"
#include "support/run.h"

enum { EXPECT_WORDS_MAX = 40, EXPECT_LINE_MAX = 1024 };

/* A command line in one string, blanks between the words; one in single quotes may hold some. */
struct expect_words {
    char text[EXPECT_LINE_MAX];
    const char *argv[EXPECT_WORDS_MAX + 1];
};

static inline const char *const *expect_split(struct expect_words *words, const char *line) {
    int count = 0;
    ck_assert_uint_lt(strlen(line), sizeof words->text);
    strcpy(words->text, line);
    for (char *at = words->text; *at != '\0';) {
        at += strspn(at, " ");
        if (*at == '\0') {
            break;
        }
        ck_assert_int_lt(count, EXPECT_WORDS_MAX);
        bool quoted = *at == '\'';
        at += quoted ? 1 : 0;
        words->argv[count++] = at;
        char *end = at + strcspn(at, quoted ? "'" : " ");
        at = *end == '\0' ? end : end + 1;
        *end = '\0';
    }
    words->argv[count] = NULL;
    return words->argv;
}

/* The code point at *text, which moves on; -1: this byte is not UTF-8. */
static inline long expect_code_point(const char **text) {
    mbstate_t state;
    wchar_t c = 0;
    ck_assert_msg(setlocale(LC_CTYPE, "C.UTF-8") != NULL, "there is no locale C.UTF-8");
    memset(&state, 0, sizeof state);
    size_t taken = mbrtowc(&c, *text, strlen(*text), &state);
    if (taken == (size_t)-1 || taken == (size_t)-2) {
        (*text)++;
        return -1;
    }
    *text += taken;
    return (long)c;
}

/* Nothing but words: no escape, no control character but line ends, valid UTF-8. */
static inline void expect_harmless(const char *what, const char *text) {
    for (const char *at = text; *at != '\0';) {
        const char *from = at;
        long c = expect_code_point(&at);
        bool control = (c < 0x20 && c != '\n') || (c >= 0x7F && c <= 0x9F);
        ck_assert_msg(!control, "%s: byte %d, 0x%02x, must not reach a terminal: %s", what,
                      (int)(from - text), (unsigned)(unsigned char)*from, text);
    }
}

static inline int expect_lines(const char *text) {
    int lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n' ? 1 : 0;
    }
    return lines;
}

/* For tests that read whole sentences and tables: lines long enough for them. */
static const char *const expect_wide_environment[] = {"COLUMNS=200", NULL};
static const struct run_options expect_wide = {.environment = expect_wide_environment};

/* Status 0, something on stdout, nothing on stderr. */
static inline void expect_good(struct run *r, const char *line, const struct run_options *o) {
    struct expect_words words;
    run_shardlab(r, expect_split(&words, line), o);
    ck_assert_msg(r->status == 0, "%s: status %d, %s", line, r->status, r->err);
    ck_assert_msg(r->err_length == 0, "%s: stderr: %s", line, r->err);
    ck_assert_msg(r->out_length > 0, "%s: no output", line);
    ck_assert_msg(strlen(r->out) == r->out_length, "%s: a NUL byte in the output", line);
}

/* The same, and stdout is one JSON object and a newline. */
static inline void expect_json(struct run *r, const char *line, const struct run_options *o) {
    size_t where = 0;
    expect_good(r, line, o);
    const char *fault = json_answer_fault(r->out, r->out_length, &where);
    ck_assert_msg(fault == NULL, "%s: byte %zu: %s: %s", line, where, fault, r->out);
    ck_assert_str_eq(r->out + r->out_length - 1, "\n");
}

/* The status asked for, empty stdout, and on stderr one line that begins with `prefix` and a sentence after it. */
static inline void expect_refused_with(struct run *r, const char *const *argv, int status,
                                       const char *prefix, const struct run_options *o) {
    const char *what = argv[0] != NULL ? argv[0] : "no arguments";
    run_shardlab(r, argv, o);
    ck_assert_msg(r->status == status, "%s: status %d, not %d: %s%s", what, r->status, status,
                  r->err, r->out);
    ck_assert_msg(r->out_length == 0, "%s: stdout is not empty: %s", what, r->out);
    ck_assert_msg(strlen(r->err) == r->err_length, "%s: a NUL byte on stderr", what);
    ck_assert_msg(expect_lines(r->err) == 1 && r->err[r->err_length - 1] == '\n',
                  "%s: not one line: %s", what, r->err);
    ck_assert_msg(strncmp(r->err, prefix, strlen(prefix)) == 0, "%s: does not begin with %s: %s",
                  what, prefix, r->err);
    ck_assert_msg(strlen(r->err) > strlen(prefix) + 8, "%s: says too little: %s", what, r->err);
    ck_assert_msg(strlen(r->err) < 1500, "%s: says too much: %s", what, r->err);
    ck_assert_msg(strstr(r->err, "error.") == NULL, "%s: words are missing: %s", what, r->err);
    expect_harmless(what, r->err);
}

static inline void expect_refused(struct run *r, const char *const *argv, int status,
                                  const char *prefix) {
    expect_refused_with(r, argv, status, prefix, NULL);
}

/* Each of the texts, which are separated by '|', stands in the line. */
static inline void expect_names(const char *line, const char *texts) {
    while (*texts != '\0') {
        char text[128];
        size_t length = strcspn(texts, "|");
        ck_assert_uint_lt(length, sizeof text);
        memcpy(text, texts, length);
        text[length] = '\0';
        ck_assert_msg(strstr(line, text) != NULL, "\"%s\" is not named in: %s", text, line);
        texts += length + (texts[length] == '|' ? 1 : 0);
    }
}

/* The number at a path of an answer. */
static inline double expect_real(const char *answer, const char *path) {
    struct json_value v = json_at(answer, path);
    ck_assert_msg(v.kind == JSON_KIND_NUMBER, "%s is no number in %.300s", path, answer);
    return strtod(v.at, NULL);
}

#endif
