/* Values inside words: how bytes, ratios and seconds are written, and finding the one that a page names. */
#ifndef LESSONS_VALUE_PRIVATE_H
#define LESSONS_VALUE_PRIVATE_H

#include "shardlab/lesson/lesson.h"

/* "13.48 GB"; 12.3 MB and 5 KB where a GB has too few digits for it. */
void value_bytes(struct writer *w, uint64_t bytes);
/* A real with up to `decimals` digits and no trailing zeros: 4, 2.91. */
void value_real(struct writer *w, double value, int decimals);
/* "1.51 s", "78.7 ms", "5.0 µs". */
void value_seconds(struct writer *w, double seconds);

/* A figure that words may name. */
struct value_row {
    const char *name;
    /* False: the scenario does not determine it. */
    bool (*write)(const struct lesson_input *in, int a, struct writer *w);
    int a;
};

/* Writes the row called `name`, a dash where it is not determined; false: there is no such row. */
bool value_find(const struct value_row *rows, size_t count, const struct lesson_input *in,
                const char *name, struct writer *w);

/* Append a choice unless one that reads the same stands there; `right`: it is the right one. A text that is empty is no
 * argument of the message; bytes are shown in the reader's unit. */
void value_choice_text(struct lesson_guess *guess, const char *id, const char *text,
                       const char *why, bool right);
void value_choice_bytes(struct lesson_guess *guess, const char *id, uint64_t bytes, const char *why,
                        bool right);

#endif
