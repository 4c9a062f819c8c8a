/* A handful of the changes that general fuzzers find most with, on the whole text at once, so that
 * a few thousand rounds in a unit test reach the odd corners of a parser. */
#include "support/mangle.h"

#include <string.h>

uint32_t mangle_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static size_t below(uint64_t *state, size_t limit) {
    return limit == 0 ? 0 : mangle_random(state) % limit;
}

/* Bytes that mean something to one of our formats, and some that mean trouble. */
static char trouble(uint64_t *state) {
    static const char bytes[] = "{}[]\",:\\0-9.eE#*`>_<!&;()| \n\t\r\x01\x7f\x80\xc3\xe4\xff";
    return mangle_random(state) % 8 == 0 ? (char)mangle_random(state)
                                         : bytes[below(state, sizeof bytes)];
}

static size_t change_once(uint64_t *state, char *out, size_t length, size_t capacity) {
    size_t at = below(state, length + 1);
    size_t piece = below(state, (length - at < 32 ? length - at : 32) + 1);
    switch (mangle_random(state) % 5) {
    case 0: /* one byte */
        if (at < length) {
            out[at] = trouble(state);
        }
        return length;
    case 1: /* one byte more */
        if (length < capacity) {
            memmove(out + at + 1, out + at, length - at);
            out[at] = trouble(state);
            length++;
        }
        return length;
    case 2: /* a piece less */
        memmove(out + at, out + at + piece, length - at - piece);
        return length - piece;
    case 3: /* a piece twice */
        if (length + piece <= capacity) {
            memmove(out + at + piece, out + at, length - at);
            length += piece;
        }
        return length;
    default: /* the end is missing */
        return mangle_random(state) % 8 == 0 ? at : length;
    }
}

size_t mangle_text(uint64_t *state, const char *text, char *out, size_t capacity) {
    size_t length = strlen(text);
    length = length < capacity ? length : capacity;
    memcpy(out, text, length);
    for (size_t i = below(state, 6) + 1; i > 0; i--) {
        length = change_once(state, out, length, capacity);
    }
    return length;
}
