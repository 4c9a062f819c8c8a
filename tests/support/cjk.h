/* Which language a text is in, as far as characters tell. Header-only. */
#ifndef SUPPORT_CJK_H
#define SUPPORT_CJK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/utf8.h"

/* Han characters, and the punctuation and full-width forms that come with them. */
static inline bool is_cjk(uint32_t c) {
    return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE4F) || (c >= 0xFF01 && c <= 0xFF60) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

/* The byte behind the first such character, 0: none. */
static inline size_t cjk_at(const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        at += bytes > 0 ? bytes : 1;
        if (bytes > 0 && is_cjk(c)) {
            return at;
        }
    }
    return 0;
}

#endif
