/* The screen as cells. All clipping happens here, and the repair of wide characters: writing on one
 * half of a wide character blanks the other half, and a wide character of which only one half lies
 * inside becomes a blank there, so that no half ever stands alone, whatever a terminal would do
 * with it (it moves text to the next row or drops it). Cells belong to the caller. Proof:
 * tests/unit/ui/test_grid.c. */
#include <string.h>

#include "grid_private.h"
#include "shardlab/ui/theme.h"

static const struct ui_cell blank = {.code_point = ' ', .role = UI_ROLE_TEXT, .columns = 1};

void grid_start(struct grid *g, int rows, int cols, struct ui_cell *cells,
                struct width_rules rules) {
    *g = (struct grid){.rows = rows,
                       .cols = cols,
                       .cells = cells,
                       .rules = rules,
                       .cursor_row = -1,
                       .cursor_col = -1};
    for (int i = 0; i < rows * cols; i++) {
        cells[i] = blank;
    }
}

static struct ui_cell *cell_at(const struct grid *g, int row, int col) {
    return &g->cells[(size_t)row * (size_t)g->cols + (size_t)col];
}

/* The part of `area` that lies on the grid. */
static struct rect clip_to_grid(const struct grid *g, struct rect area) {
    int top = area.row > 0 ? area.row : 0;
    int left = area.col > 0 ? area.col : 0;
    int bottom = area.row + area.rows < g->rows ? area.row + area.rows : g->rows;
    int right = area.col + area.cols < g->cols ? area.col + area.cols : g->cols;
    return (struct rect){top, left, bottom > top ? bottom - top : 0,
                         right > left ? right - left : 0};
}

static bool has_row(struct rect clip, int row) {
    return row >= clip.row && row < clip.row + clip.rows;
}

static bool has_col(struct rect clip, int col) {
    return col >= clip.col && col < clip.col + clip.cols;
}

static void make_blank(struct ui_cell *cell) {
    cell->code_point = ' ';
    cell->mark = 0;
    cell->columns = 1;
}

/* Puts a cell of one column, blanking the other half of a wide character that stood there. */
static void put_single(struct grid *g, int row, int col, struct ui_cell cell) {
    struct ui_cell *old = cell_at(g, row, col);
    if (old->columns == 0 && col > 0) {
        make_blank(cell_at(g, row, col - 1));
    }
    if (old->columns == 2 && col + 1 < g->cols) {
        make_blank(cell_at(g, row, col + 1));
    }
    *old = cell;
}

static void put_character(struct grid *g, struct rect clip, const struct pen *pen,
                          uint32_t code_point, int width) {
    if (!has_row(clip, pen->row)) {
        return;
    }
    struct ui_cell cell = {.code_point = code_point, .role = (uint8_t)pen->role, .columns = 1};
    struct ui_cell space = {.code_point = ' ', .role = (uint8_t)pen->role, .columns = 1};
    bool left = has_col(clip, pen->col);
    if (width == 1) {
        if (left) {
            put_single(g, pen->row, pen->col, cell);
        }
        return;
    }
    bool right = has_col(clip, pen->col + 1);
    if (left) {
        put_single(g, pen->row, pen->col, space);
    }
    if (right) {
        put_single(g, pen->row, pen->col + 1, space);
    }
    if (left && right) {
        cell.columns = 2;
        *cell_at(g, pen->row, pen->col) = cell;
        struct ui_cell half = {.code_point = 0, .role = (uint8_t)pen->role, .columns = 0};
        *cell_at(g, pen->row, pen->col + 1) = half;
    }
}

/* Joiners, direction marks, variation selectors: they take no column and say nothing in our texts.
 */
static bool is_invisible(uint32_t c) {
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
           c >= 0xE0000;
}

/* What is shown for a code point: a blank that does not break is a blank, a control character a
 * '?'. */
static uint32_t shown_as(uint32_t c) {
    if (c == 0xA0) {
        return ' ';
    }
    return c < 0x20 || (c >= 0x7F && c < 0xA0) ? '?' : c;
}

void pen_write(struct grid *g, struct pen *pen, const char *text, size_t length) {
    struct rect clip = clip_to_grid(g, pen->clip);
    struct ui_cell *base = NULL; /* the character that a combining mark would sit on */
    for (size_t at = 0; at < length;) {
        uint32_t c = width_decode(text, &at);
        if (c == 0) {
            break;
        }
        c = shown_as(c);
        int width = width_code_point(c, &g->rules);
        if (width == 0) {
            if (base != NULL && base->mark == 0 && !is_invisible(c)) {
                base->mark = c;
            }
            continue;
        }
        put_character(g, clip, pen, c, width);
        bool whole = has_row(clip, pen->row) && has_col(clip, pen->col) &&
                     has_col(clip, pen->col + width - 1);
        base = whole ? cell_at(g, pen->row, pen->col) : NULL;
        pen->col += width;
    }
}

void pen_write_cut(struct grid *g, struct pen *pen, const char *text, int columns,
                   const char *mark) {
    int room = pen->clip.col + pen->clip.cols - pen->col;
    if (columns > room) {
        columns = room;
    }
    if (columns <= 0) {
        return;
    }
    if (width_text(text, &g->rules) <= columns) {
        pen_write(g, pen, text, strlen(text));
        return;
    }
    int mark_cols = width_text(mark, &g->rules);
    bool marked = mark_cols < columns;
    pen_write(g, pen, text, width_prefix(text, columns - (marked ? mark_cols : 0), &g->rules));
    if (marked) {
        pen_write(g, pen, mark, strlen(mark));
    }
}

int grid_put(struct grid *g, struct rect area, int row, int col, const char *text,
             enum ui_role role) {
    struct pen pen = {.clip = area, .row = row, .col = col, .role = role};
    pen_write(g, &pen, text, strlen(text));
    int end = area.col + area.cols < g->cols ? area.col + area.cols : g->cols;
    return pen.col > end && col <= end ? end : pen.col;
}

int grid_put_cut(struct grid *g, struct rect area, int row, int col, const char *text,
                 enum ui_role role, int columns) {
    struct pen pen = {.clip = area, .row = row, .col = col, .role = role};
    pen_write_cut(g, &pen, text, columns, g->ascii ? "..." : "…");
    return pen.col;
}

void grid_put_right(struct grid *g, struct rect area, int row, int end, const char *text,
                    enum ui_role role) {
    int start = end - width_text(text, &g->rules);
    if (start < area.col) {
        (void)grid_put_cut(g, area, row, area.col, text, role, end - area.col);
    } else {
        (void)grid_put(g, area, row, start, text, role);
    }
}

void grid_fill(struct grid *g, struct rect area, int row, int col, int count, uint32_t code_point,
               enum ui_role role) {
    struct rect clip = clip_to_grid(g, area);
    struct pen pen = {.clip = area, .row = row, .col = col, .role = role};
    code_point = shown_as(code_point);
    int width = width_code_point(code_point, &g->rules);
    for (int i = 0; width > 0 && i < count && pen.col < clip.col + clip.cols; i++) {
        put_character(g, clip, &pen, code_point, width);
        pen.col += width;
    }
}

void grid_paint(struct grid *g, struct rect area, int row, int col, int count, enum ui_role role) {
    struct rect clip = clip_to_grid(g, area);
    for (int i = 0; i < count; i++) {
        if (has_row(clip, row) && has_col(clip, col + i)) {
            cell_at(g, row, col + i)->role = (uint8_t)role;
        }
    }
}

bool grid_row_equal(const struct grid *a, const struct grid *b, int row) {
    if (a->cols != b->cols || row >= a->rows || row >= b->rows) {
        return false;
    }
    for (int col = 0; col < a->cols; col++) {
        const struct ui_cell *x = cell_at(a, row, col);
        const struct ui_cell *y = cell_at(b, row, col);
        if (x->code_point != y->code_point || x->mark != y->mark || x->role != y->role ||
            x->columns != y->columns) {
            return false;
        }
    }
    return true;
}

static bool is_blank(const struct ui_cell *cell) {
    return cell->code_point == ' ' && cell->mark == 0;
}

void grid_write_text(struct writer *w, const struct grid *g) {
    for (int row = 0; row < g->rows; row++) {
        int end = g->cols;
        while (end > 0 && is_blank(cell_at(g, row, end - 1))) {
            end--;
        }
        for (int col = 0; col < end; col++) {
            const struct ui_cell *cell = cell_at(g, row, col);
            if (cell->columns == 0) {
                continue;
            }
            writer_code_point(w, cell->code_point);
            if (cell->mark != 0) {
                writer_code_point(w, cell->mark);
            }
        }
        writer_char(w, '\n');
    }
}

void grid_write_roles(struct writer *w, const struct grid *g) {
    for (int row = 0; row < g->rows; row++) {
        int end = g->cols;
        while (end > 0 && is_blank(cell_at(g, row, end - 1)) &&
               cell_at(g, row, end - 1)->role == UI_ROLE_TEXT) {
            end--;
        }
        for (int col = 0; col < end; col++) {
            writer_char(w, ui_role_letter((enum ui_role)cell_at(g, row, col)->role));
        }
        writer_char(w, '\n');
    }
}
