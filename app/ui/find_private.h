/* Finding typed words in a text that is shown. For the drawing files of this room. */
#ifndef UI_FIND_PRIVATE_H
#define UI_FIND_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the words stand in a text, in bytes. */
struct find_match {
    size_t start, end;
};

/* The first place at or behind byte `from` at which `words` stand, whatever the case and the width of their
 * characters; blanks of every kind are equal. False: no more; words that are empty stand nowhere. */
bool find_words(const char *text, size_t from, const char *words, struct find_match *out);

#endif
