/* How wide text is: the only place that counts columns (CONTRACT "aligned also with CJK"; reference tui 4.7).
 * Grapheme-wise enough for our texts: combining marks take no column, East Asian Wide and Fullwidth two,
 * ambiguous ones (─ │ ● × → …) one or, on request, two. Nothing else may use strlen or printf padding for layout. */
#ifndef VIEW_WIDTH_H
#define VIEW_WIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/writer.h"

struct width_rules {
    bool ambiguous_wide;
};

/* Decodes the code point at text[*at], advances *at; U+FFFD for an invalid byte; 0 at the end. */
uint32_t width_decode(const char *text, size_t *at);

/* Columns of one code point: 0, 1 or 2. Control characters: 0. */
int width_code_point(uint32_t code_point, const struct width_rules *rules);

/* Columns of a whole UTF-8 text. */
int width_text(const char *text, const struct width_rules *rules);

/* The longest prefix of at most `columns` columns, in bytes; never splits a character or its marks. */
size_t width_prefix(const char *text, int columns, const struct width_rules *rules);

/* Whether text[at] is the blank between a number and its unit ("27.3 %", "13.48 GB"), which stay on one line. */
bool width_holds_unit(const char *text, size_t at);

/* Bytes of the head of `text` that a line of `columns` takes, at least one character: up to a blank, or a place between
 * wide characters that is not before closing punctuation. Blanks at its end do not count as columns. */
size_t width_line(const char *text, int columns, const struct width_rules *rules);

/* Writes text padded with blanks, or cut with '…' ('.' if ascii fits better is the caller's choice), to columns. */
void width_write_left(struct writer *w, const char *text, int columns,
                      const struct width_rules *rules);
void width_write_right(struct writer *w, const char *text, int columns,
                       const struct width_rules *rules);

#endif
