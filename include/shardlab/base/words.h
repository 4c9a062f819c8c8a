/* Words for message ids. The book itself lives in `store`; pure rooms see only this lookup.
 * Templates hold numbered placeholders {0}…{5}, so that zh and en may order arguments differently. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>

#include "shardlab/base/message.h"
#include "shardlab/base/units.h"
#include "shardlab/base/writer.h"

struct words {
    const void *book; /* borrowed; NULL: every id is shown as itself (tests) */
    /* The text of `id` in this language, or NULL when the book has none. */
    const char *(*find)(const void *book, const char *id);
    enum unit_system unit; /* how bytes are written inside sentences */
    bool chinese;          /* full-width punctuation between composed parts */
};

/* The template of `id`, or `id` itself when it has none (visible, never empty). NULL id gives "". */
const char *words_get(const struct words *words, const char *id);

/* Writes the sentence. An unknown placeholder stays as it stands. */
void words_write(struct writer *w, const struct words *words, const struct message *m);

#endif
