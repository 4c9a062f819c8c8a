/* Words and numbers of a lesson as a test reads them: the text of a block with literal text and figures taken out, cut
 * into tokens. A token is a run of letters, digits and the signs that join them: "FP16", "ZeRO-1", "16384", "1.5". */
#ifndef SUPPORT_PROSE_H
#define SUPPORT_PROSE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/base/document.h"
#include "shardlab/base/writer.h"

enum { PROSE_MAX = 8192, TOKEN_MAX = 96 };

/* A figure leaves "{}", literal text leaves "`". */
static inline void prose_add(struct writer *w, const struct span *span) {
    const char *text = span->text;
    if (span->kind == SPAN_CODE) {
        writer_char(w, '`');
        return;
    }
    while (*text != '\0') {
        const char *close = strncmp(text, "{{", 2) == 0 ? strstr(text, "}}") : NULL;
        if (close != NULL) {
            writer_text(w, "{}");
            text = close + 2;
        } else {
            writer_char(w, *text++);
        }
    }
}

static inline bool token_is_inside(const char *at) {
    bool joins = strchr("-.,/+_", *at) != NULL && *at != '\0';
    return isalnum((unsigned char)*at) || (joins && isalnum((unsigned char)at[1]));
}

/* The next token at or behind *at, which then points behind it; false: there is none. `start` is where it begins. */
static inline bool token_next(const char **at, char out[TOKEN_MAX], const char **start) {
    while (**at != '\0' && !isalnum((unsigned char)**at)) {
        (*at)++;
    }
    size_t length = 0;
    *start = *at;
    while (token_is_inside(*at) && length + 1 < TOKEN_MAX) {
        out[length++] = *(*at)++;
    }
    out[length] = '\0';
    return length > 0;
}

static inline bool token_has(const char *token, int (*kind)(int)) {
    for (; *token != '\0'; token++) {
        if (kind((unsigned char)*token)) {
            return true;
        }
    }
    return false;
}

#endif
