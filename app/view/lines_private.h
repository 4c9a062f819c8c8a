/* Lines of aligned text for the text reader: a writer that knows its column. */
#ifndef VIEW_LINES_PRIVATE_H
#define VIEW_LINES_PRIVATE_H

#include "shardlab/base/writer.h"
#include "shardlab/view/width.h"

struct lines {
    struct writer *out;
    struct width_rules rules;
    int width; /* columns to keep to */
    int col;   /* where the open line stands */
};

/* Pads to `col` (at least one blank unless the line is empty) and appends the text. */
void lines_put(struct lines *l, int col, const char *text);
/* As lines_put, cut to `columns`. */
void lines_put_cut(struct lines *l, int col, const char *text, int columns);
/* `count` times `glyph` (one column wide) from where the line stands. */
void lines_fill(struct lines *l, const char *glyph, int count);
void lines_end(struct lines *l);

/* The text wrapped between `col` and the width, the first line where the open line stands. Breaks
 * at blanks and between wide characters, never before closing punctuation. Ends the last line; returns the lines ended. */
int lines_put_wrapped(struct lines *l, int col, const char *text);

#endif
