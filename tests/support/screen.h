/* A grid to draw on and to read back row by row, for unit tests of the room `ui`. Header-only, so
 * that such a test links nothing but its own room. */
#ifndef SUPPORT_SCREEN_H
#define SUPPORT_SCREEN_H

#include <check.h>
#include <string.h>

#include "shardlab/ui/grid.h"
#include "shardlab/ui/look.h"

enum { SCREEN_ROWS_MAX = 128, SCREEN_COLS_MAX = 320, SCREEN_TEXT_MAX = 262144 };

struct screen {
    struct grid grid;
    struct ui_cell cells[SCREEN_ROWS_MAX * SCREEN_COLS_MAX];
    char text[SCREEN_TEXT_MAX];
    char row[SCREEN_COLS_MAX * 4 + 1];
};

static inline void screen_start(struct screen *s, int rows, int cols, bool ambiguous_wide) {
    struct width_rules rules = {ambiguous_wide};
    grid_start(&s->grid, rows, cols, s->cells, rules);
}

static inline struct rect screen_whole(const struct screen *s) {
    return (struct rect){0, 0, s->grid.rows, s->grid.cols};
}

static inline const char *screen_text(struct screen *s) {
    struct writer w;
    writer_start(&w, s->text, sizeof s->text);
    grid_write_text(&w, &s->grid);
    ck_assert(!w.overflow);
    return s->text;
}

static inline const char *screen_roles(struct screen *s) {
    struct writer w;
    writer_start(&w, s->text, sizeof s->text);
    grid_write_roles(&w, &s->grid);
    return s->text;
}

/* One row of the text, without its end. Valid until the next call. */
static inline const char *screen_row(struct screen *s, int row) {
    const char *start = screen_text(s);
    for (int i = 0; i < row; i++) {
        start = strchr(start, '\n') + 1;
    }
    size_t length = strcspn(start, "\n");
    memcpy(s->row, start, length);
    s->row[length] = '\0';
    return s->row;
}

/* The first row that holds the text, -1: none. */
static inline int screen_find(struct screen *s, const char *text) {
    for (int row = 0; row < s->grid.rows; row++) {
        if (strstr(screen_row(s, row), text) != NULL) {
            return row;
        }
    }
    return -1;
}

/* Fails when a wide character stands without its other half, or a half without its character.
 * Asserts only on failure: Check reports every assertion through a pipe, which is slow in sweeps.
 */
static inline void screen_check_halves(const struct screen *s) {
    for (int row = 0; row < s->grid.rows; row++) {
        const struct ui_cell *cells = &s->cells[row * s->grid.cols];
        for (int col = 0; col < s->grid.cols; col++) {
            bool wide = cells[col].columns == 2;
            bool half_follows = col + 1 < s->grid.cols && cells[col + 1].columns == 0;
            if (wide != half_follows || (col == 0 && cells[col].columns == 0)) {
                ck_abort_msg("row %d, column %d: a half stands alone", row, col);
            }
        }
    }
}

/* A look without a book: every message id is shown as itself. */
static inline struct look screen_look(const struct words *words, bool ascii, bool ambiguous_wide) {
    return (struct look){.words = words, .ascii = ascii, .rules = {ambiguous_wide}};
}

#endif
