/* Lines of aligned text: padding to columns and a small wrap for sentences. The full line breaking
 * of UAX #14 belongs to the screen; here words break at blanks and Chinese between characters. Used
 * by text.c only; the writer is its caller's. Proof: tests/unit/view/test_text.c. */
#include "lines_private.h"

#include <string.h>

void lines_put(struct lines *l, int col, const char *text) {
    int gap = col - l->col;
    if (gap < 1 && l->col > 0 && text[0] != '\0') {
        gap = 1;
    }
    if (text[0] == '\0') {
        return;
    }
    writer_repeat(l->out, ' ', gap);
    writer_text(l->out, text);
    l->col += (gap > 0 ? gap : 0) + width_text(text, &l->rules);
}

void lines_put_cut(struct lines *l, int col, const char *text, int columns) {
    if (width_text(text, &l->rules) <= columns) {
        lines_put(l, col, text);
        return;
    }
    writer_repeat(l->out, ' ', col - l->col);
    width_write_left(l->out, text, columns, &l->rules);
    l->col = (col > l->col ? col : l->col) + columns;
}

void lines_fill(struct lines *l, const char *glyph, int count) {
    for (int i = 0; i < count; i++) {
        writer_text(l->out, glyph);
        l->col++;
    }
}

void lines_end(struct lines *l) {
    writer_char(l->out, '\n');
    l->col = 0;
}

/* Punctuation that does not open a line. */
static bool clings(uint32_t c) {
    static const uint32_t closing[] = {0x3001, 0x3002, 0xFF0C, 0xFF1B, 0xFF1A, 0xFF1F, 0xFF01,
                                       0xFF09, 0x300B, 0x300D, 0x201D, 0x2019, 0x2026, '.',
                                       ',',    ';',    ':',    ')',    '?',    '!',    '%'};
    for (size_t i = 0; i < sizeof closing / sizeof closing[0]; i++) {
        if (c == closing[i]) {
            return true;
        }
    }
    return false;
}

/* Punctuation that does not end a line. */
static bool opens(uint32_t c) {
    return c == 0xFF08 || c == 0x300A || c == 0x300C || c == 0x201C || c == '(';
}

/* Bytes of the head of `text` that a line of `columns` takes; at least one character. */
static size_t line_length(const char *text, int columns, const struct width_rules *rules) {
    size_t at = 0;
    size_t last_break = 0;
    int used = 0;
    uint32_t before = 0;
    for (;;) {
        size_t next = at;
        uint32_t c = width_decode(text, &next);
        if (c == 0) {
            return at;
        }
        int width = width_code_point(c, rules);
        bool wide_side = width == 2 || (before != 0 && width_code_point(before, rules) == 2);
        if (at > 0 && (before == ' ' || (wide_side && !clings(c) && !opens(before) && c != ' '))) {
            last_break = at;
        }
        if (used + width > columns && c != ' ') {
            return last_break > 0 ? last_break : at > 0 ? at : next;
        }
        used += width;
        before = c;
        at = next;
    }
}

int lines_put_wrapped(struct lines *l, int col, const char *text) {
    enum { COLUMNS_MIN = 8 };
    int rows = 0;
    if (l->col < col) {
        writer_repeat(l->out, ' ', col - l->col);
        l->col = col;
    }
    while (*text != '\0') {
        int columns = l->width - l->col;
        size_t length = line_length(text, columns < COLUMNS_MIN ? COLUMNS_MIN : columns, &l->rules);
        size_t shown = length;
        while (shown > 0 && text[shown - 1] == ' ') {
            shown--;
        }
        writer_text_n(l->out, text, shown);
        text += length;
        lines_end(l);
        rows++;
        if (*text != '\0') {
            writer_repeat(l->out, ' ', col);
            l->col = col;
        }
    }
    if (l->col > 0) {
        lines_end(l);
        rows++;
    }
    return rows;
}
