/* Columns of text: decoding UTF-8, the width of a code point, of a text, of a prefix, and padding
 * by columns. Every table, screen and cut goes through here, because neither bytes nor characters
 * are columns. Works on borrowed NUL-terminated text and owns nothing. Grapheme clusters of emoji
 * are left out: our texts have none. Proof: tests/unit/view/test_width.c. */
#include "shardlab/view/width.h"

#include "shardlab/base/utf8.h"
#include "width_private.h"

enum { CJK_FIRST = 0x4E00, CJK_LAST = 0x9FFF };

uint32_t width_decode(const char *text, size_t *at) {
    const char *here = text + *at;
    size_t left = 0;
    while (left < UTF8_BYTES_MAX && here[left] != '\0') {
        left++;
    }
    if (left == 0) {
        return 0;
    }
    uint32_t code_point = UTF8_REPLACEMENT;
    size_t bytes = utf8_decode(here, left, &code_point);
    *at += bytes > 0 ? bytes : 1;
    return bytes > 0 ? code_point : UTF8_REPLACEMENT;
}

static bool range_holds(const struct width_range *ranges, int count, uint32_t code_point) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (code_point < ranges[middle].first) {
            high = middle - 1;
        } else if (code_point > ranges[middle].last) {
            low = middle + 1;
        } else {
            return true;
        }
    }
    return false;
}

int width_code_point(uint32_t code_point, const struct width_rules *rules) {
    if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) {
        return 0;
    }
    if (code_point < 0x7F) {
        return 1;
    }
    /* What most of our text is made of needs no search. */
    if (code_point >= CJK_FIRST && code_point <= CJK_LAST) {
        return 2;
    }
    if (code_point >= width_zero[0].first &&
        range_holds(width_zero, width_zero_count, code_point)) {
        return 0;
    }
    if (code_point >= width_wide[0].first &&
        range_holds(width_wide, width_wide_count, code_point)) {
        return 2;
    }
    bool wide =
        rules->ambiguous_wide && range_holds(width_ambiguous, width_ambiguous_count, code_point);
    return wide ? 2 : 1;
}

int width_text(const char *text, const struct width_rules *rules) {
    int columns = 0;
    size_t at = 0;
    for (uint32_t c = width_decode(text, &at); c != 0; c = width_decode(text, &at)) {
        columns += width_code_point(c, rules);
    }
    return columns;
}

size_t width_prefix(const char *text, int columns, const struct width_rules *rules) {
    int used = 0;
    size_t at = 0;
    for (;;) {
        size_t next = at;
        uint32_t c = width_decode(text, &next);
        int width = width_code_point(c, rules);
        if (c == 0 || used + width > columns) {
            return at;
        }
        used += width;
        at = next;
    }
}

/* The text, or its head and '…' when it is too wide; returns the columns written, at most
 * `columns`. */
static int write_cut(struct writer *w, const char *text, int columns,
                     const struct width_rules *rules) {
    int width = width_text(text, rules);
    if (width <= columns) {
        writer_text(w, text);
        return width;
    }
    static const char mark[] = "…";
    int room = columns - width_text(mark, rules);
    if (room < 0) {
        return 0;
    }
    size_t length = width_prefix(text, room, rules);
    writer_text_n(w, text, length);
    writer_text(w, mark);
    int used = 0;
    for (size_t at = 0; at < length;) {
        used += width_code_point(width_decode(text, &at), rules);
    }
    return columns - room + used;
}

void width_write_left(struct writer *w, const char *text, int columns,
                      const struct width_rules *rules) {
    int used = write_cut(w, text, columns, rules);
    writer_repeat(w, ' ', columns - used);
}

void width_write_right(struct writer *w, const char *text, int columns,
                       const struct width_rules *rules) {
    int width = width_text(text, rules);
    if (width <= columns) {
        writer_repeat(w, ' ', columns - width);
    }
    int used = write_cut(w, text, columns, rules);
    if (width > columns) {
        writer_repeat(w, ' ', columns - used);
    }
}
