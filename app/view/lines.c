/* Lines of aligned text: padding to columns and sentences wrapped between them (wrap.c). Used
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

int lines_put_wrapped(struct lines *l, int col, const char *text) {
    enum { COLUMNS_MIN = 8 };
    int rows = 0;
    if (l->col < col) {
        writer_repeat(l->out, ' ', col - l->col);
        l->col = col;
    }
    while (*text != '\0') {
        int columns = l->width - l->col;
        size_t length = width_line(text, columns < COLUMNS_MIN ? COLUMNS_MIN : columns, &l->rules);
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
