/* The text reader's pen, and what all pens share. A text line cannot go back, so painters put from left to right and
 * from top to bottom; blanks and line ends in between are filled in here. Used by text.c. Proof:
 * tests/unit/view/test_gantt.c. */
#include <string.h>

#include "shardlab/view/paint.h"
#include "text_pen_private.h"

int view_say(const struct view_pen *pen, int row, const struct message *m, enum view_tone tone) {
    char text[VIEW_SENTENCE_MAX];
    if (m->id == NULL) {
        return 0;
    }
    struct writer w;
    writer_start(&w, text, sizeof text);
    words_write(&w, pen->words, m);
    return pen->say(pen->context, row, text, tone);
}

static void go_to(struct text_pen *p, int row) {
    while (p->row < row) {
        lines_end(p->lines);
        p->row++;
    }
}

static void put(void *context, int row, int col, const char *text, enum view_tone tone) {
    struct text_pen *p = context;
    (void)tone;
    int cols = width_text(text, &p->lines->rules);
    go_to(p, row);
    if (text[0] == '\0' || col < p->lines->col || col + cols > p->lines->width) {
        return;
    }
    lines_fill(p->lines, " ", col - p->lines->col);
    writer_text(p->lines->out, text);
    p->lines->col += cols;
}

static int say(void *context, int row, const char *text, enum view_tone tone) {
    struct text_pen *p = context;
    (void)tone;
    if (text[0] == '\0') {
        return 0;
    }
    go_to(p, row);
    int rows = lines_put_wrapped(p->lines, 0, text);
    p->row += rows;
    return rows;
}

struct view_pen text_pen_of(struct text_pen *p, const struct words *words, bool ascii) {
    return (struct view_pen){.context = p,
                             .words = words,
                             .rules = p->lines->rules,
                             .cols = p->lines->width,
                             .ascii = ascii,
                             .put = put,
                             .say = say};
}

void text_pen_end(struct text_pen *p) {
    if (p->lines->col > 0) {
        lines_end(p->lines);
    }
}
