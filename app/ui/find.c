/* Search in words on the screen: A finds a, full-width finds half-width, a blank finds one that does not break.
 * Texts are UTF-8 and borrowed. No accents are folded. Proof: tests/unit/ui/test_find.c. */
#include "find_private.h"

#include <stdint.h>

#include "shardlab/ui/key.h"
#include "shardlab/view/width.h"

enum { NO_BREAK_SPACE = 0xA0 };

static uint32_t fold(uint32_t c) {
    c = ui_key_fold(c);
    if (c == NO_BREAK_SPACE) {
        return ' ';
    }
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* The end of `words` in `text` when they stand at byte `at`; `at` itself when they do not. */
static size_t end_of_words(const char *text, size_t at, const char *words) {
    size_t end = at;
    for (size_t i = 0; words[i] != '\0';) {
        if (text[end] == '\0' || fold(width_decode(text, &end)) != fold(width_decode(words, &i))) {
            return at;
        }
    }
    return end;
}

bool find_words(const char *text, size_t from, const char *words, struct find_match *out) {
    for (size_t at = from; text[at] != '\0'; (void)width_decode(text, &at)) {
        size_t end = end_of_words(text, at, words);
        if (end > at) {
            *out = (struct find_match){at, end};
            return true;
        }
    }
    return false;
}
