/* Drawing in a part of the grid: moves spots from the part's corner to the grid and clips to the
 * part. The grid and the look belong to the caller. Proof: tests/unit/ui/test_canary.c (nothing is
 * written outside). */
#include "canvas_private.h"

#include <string.h>

#include "grid_private.h"

static struct pen pen_at(const struct canvas *c, struct spot at, enum ui_role role) {
    return (struct pen){
        .clip = c->area, .row = c->area.row + at.row, .col = c->area.col + at.col, .role = role};
}

int canvas_put(const struct canvas *c, struct spot at, const char *text, enum ui_role role) {
    struct pen pen = pen_at(c, at, role);
    pen_write(c->grid, &pen, text, strlen(text));
    return pen.col - c->area.col;
}

int canvas_put_cut(const struct canvas *c, struct spot at, const char *text, enum ui_role role,
                   int columns) {
    struct pen pen = pen_at(c, at, role);
    pen_write_cut(c->grid, &pen, text, columns, ui_glyph(c->look, UI_GLYPH_MORE));
    return pen.col - c->area.col;
}

int canvas_put_right(const struct canvas *c, struct spot end, const char *text, enum ui_role role) {
    struct spot at = {end.row, end.col - canvas_width(c, text)};
    return canvas_put(c, at, text, role);
}

int canvas_fill(const struct canvas *c, struct spot at, int count, const char *glyph,
                enum ui_role role) {
    for (int i = 0; i < count; i++) {
        at.col = canvas_put(c, at, glyph, role);
    }
    return at.col;
}

int canvas_glyph(const struct canvas *c, struct spot at, enum ui_glyph glyph, enum ui_role role) {
    return canvas_put(c, at, ui_glyph(c->look, glyph), role);
}

void canvas_rest(const struct canvas *c, struct spot at) {
    int row = c->area.row + at.row;
    int col = c->area.col + at.col;
    bool in_area = at.row >= 0 && at.row < c->area.rows && at.col >= 0 && at.col < c->area.cols;
    if (in_area && row >= 0 && row < c->grid->rows && col >= 0 && col < c->grid->cols) {
        c->grid->cursor_row = row;
        c->grid->cursor_col = col;
    }
}

void canvas_hit(const struct canvas *c, struct spot at, int cols, enum ui_hit_kind kind, int part) {
    struct rect area = {c->area.row + at.row, c->area.col + at.col, 1, cols};
    ui_hit_add(c->grid, c->area, area, kind, part);
}

int canvas_width(const struct canvas *c, const char *text) {
    return width_text(text, &c->grid->rules);
}

const char *canvas_sentence(const struct canvas *c, const struct message *m,
                            char buffer[CANVAS_SENTENCE_MAX]) {
    struct writer w;
    writer_start(&w, buffer, CANVAS_SENTENCE_MAX);
    words_write(&w, c->look->words, m);
    return buffer;
}

struct canvas canvas_measure(struct grid *grid, int cols, const struct look *look) {
    grid_start(grid, 0, cols, NULL, look->rules);
    return (struct canvas){grid, {0, 0, 0, cols}, look};
}

enum ui_role canvas_role_of(enum view_role role) {
    switch (role) {
    case VIEW_ROLE_WEIGHTS:
        return UI_ROLE_WEIGHTS;
    case VIEW_ROLE_GRADIENTS:
        return UI_ROLE_GRADIENTS;
    case VIEW_ROLE_OPTIMIZER:
        return UI_ROLE_OPTIMIZER;
    case VIEW_ROLE_ACTIVATIONS:
        return UI_ROLE_ACTIVATIONS;
    case VIEW_ROLE_BUFFERS:
        return UI_ROLE_BUFFERS;
    case VIEW_ROLE_TOTAL:
        return UI_ROLE_STRONG;
    case VIEW_ROLE_PLAIN:
        break;
    }
    return UI_ROLE_TEXT;
}
