/* Texts that went wrong, for parsers that must survive anything: a good text with a few bytes
 * changed, pieces cut out, doubled or swapped, or the end missing. The same seed gives the same
 * text on every machine. */
#ifndef SUPPORT_MANGLE_H
#define SUPPORT_MANGLE_H

#include <stddef.h>
#include <stdint.h>

/* The next number of a small generator; *state is its seed. */
uint32_t mangle_random(uint64_t *state);

/* Writes a mangled copy of `text` to `out` and returns its length, at most `capacity`. */
size_t mangle_text(uint64_t *state, const char *text, char *out, size_t capacity);

#endif
