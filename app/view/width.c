/* Columns of text: decoding UTF-8, the width of a code point, of a text, of a prefix, and padding
 * by columns. Every table, screen and cut goes through here, because neither bytes nor characters
 * are columns. Works on borrowed NUL-terminated text and owns nothing. Grapheme clusters of emoji
 * are left out: our texts have none. Proof: tests/unit/view/test_width.c. */
#include "shardlab/view/width.h"

#include "width_private.h"

enum { REPLACEMENT = 0xFFFD, CJK_FIRST = 0x4E00, CJK_LAST = 0x9FFF };

/* Payload bits and following bytes that a first byte promises; false: it cannot stand first. */
static bool lead_read(unsigned char lead, uint32_t *bits, int *following, uint32_t *smallest) {
    if (lead >= 0xC2 && lead <= 0xDF) {
        *bits = lead & 0x1FU;
        *following = 1;
        *smallest = 0x80;
        return true;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        *bits = lead & 0x0FU;
        *following = 2;
        *smallest = 0x800;
        return true;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *bits = lead & 0x07U;
        *following = 3;
        *smallest = 0x10000;
        return true;
    }
    return false;
}

uint32_t width_decode(const char *text, size_t *at) {
    const unsigned char *bytes = (const unsigned char *)text + *at;
    if (bytes[0] == 0) {
        return 0;
    }
    if (bytes[0] < 0x80) {
        *at += 1;
        return bytes[0];
    }
    uint32_t code_point;
    uint32_t smallest;
    int following;
    if (!lead_read(bytes[0], &code_point, &following, &smallest)) {
        *at += 1;
        return REPLACEMENT;
    }
    for (int i = 1; i <= following; i++) {
        if ((bytes[i] & 0xC0U) != 0x80U) { /* also stops at the final NUL */
            *at += 1;
            return REPLACEMENT;
        }
        code_point = code_point << 6 | (bytes[i] & 0x3FU);
    }
    if (code_point < smallest || code_point > 0x10FFFF ||
        (code_point >= 0xD800 && code_point <= 0xDFFF)) {
        *at += 1;
        return REPLACEMENT;
    }
    *at += (size_t)following + 1;
    return code_point;
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
