/* Readers of a view that need no terminal: aligned text and JSON. Same value, same numbers as the screen.
 * Text: columns are aligned by display width, CJK counted as two (view/width.h); no colour. */
#ifndef VIEW_READ_H
#define VIEW_READ_H

#include "shardlab/base/json.h"
#include "shardlab/base/words.h"
#include "shardlab/base/writer.h"
#include "shardlab/view/view.h"

struct view_text_options {
    int width;    /* columns to keep to where possible; at least 40 */
    bool ascii;   /* bars and marks in ASCII */
    bool explain; /* the derivation lines under each ledger row */
};

/* Writes the items one below another, an empty line between. */
void view_write_text(struct writer *out, const struct view *v, const struct words *words,
                     const struct view_text_options *options);

/* An array of objects under `key`, one an item: {"kind":"ledger","rows":[{"key":…,"bytes":…}]…}. Language-free. */
void view_write_json(struct json *out, const char *key, const struct view *v);

#endif
