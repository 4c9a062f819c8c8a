/* The screen as a value: rows × columns of cells. Everything is drawn here first; `term` hands changed rows to
 * ncurses, golden tests compare it, plain text is read from it. Clipping, CJK halves and their repair exist
 * only here (reference tui 4.7). The caller owns the cells. */
#ifndef UI_GRID_H
#define UI_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/writer.h"
#include "shardlab/view/width.h"

/* What a cell means; ui/theme.h says how each looks in each tier. The letter is its name in golden files. */
enum ui_role {
    UI_ROLE_TEXT,        /* . */
    UI_ROLE_DIM,         /* d secondary */
    UI_ROLE_STRONG,      /* s */
    UI_ROLE_TITLE,       /* t */
    UI_ROLE_ACCENT,      /* a focus, links */
    UI_ROLE_CURSOR,      /* c the focused row or stop */
    UI_ROLE_LINE,        /* l rules */
    UI_ROLE_KEY,         /* k a key in the hint bar */
    UI_ROLE_WARNING,     /* ! does not fit, refused */
    UI_ROLE_GOOD,        /* + fits */
    UI_ROLE_CHANGED,     /* * the value moved */
    UI_ROLE_EMPHASIS,    /* e stressed words */
    UI_ROLE_CODE,        /* x literal text in words: an option, a formula */
    UI_ROLE_WEIGHTS,     /* W */
    UI_ROLE_GRADIENTS,   /* G */
    UI_ROLE_OPTIMIZER,   /* O */
    UI_ROLE_ACTIVATIONS, /* A */
    UI_ROLE_BUFFERS,     /* B */
    UI_ROLE_MATCH,       /* m words that a search found */
    UI_ROLE_FORWARD,     /* f a forward in time */
    UI_ROLE_BACKWARD,    /* b a backward */
    UI_ROLE_WEIGHT_GRAD, /* w the weights' part of a backward, where it stands alone */
    UI_ROLES
};

struct ui_cell {
    uint32_t code_point; /* 0: the right half of a wide character */
    uint32_t mark;       /* one combining mark, or 0 */
    uint8_t role;        /* enum ui_role */
    uint8_t columns;     /* 1, 2; 0 for a right half */
};

struct ui_hits;

struct grid {
    int rows, cols;
    struct ui_cell *cells; /* rows * cols, row by row */
    struct width_rules rules;
    bool ascii;                 /* cut texts end in "..." instead of '…'; grid_start sets false */
    struct ui_hits *hits;       /* what can be clicked is noted here (ui/hit.h); NULL: not at all */
    int cursor_row, cursor_col; /* where the hardware cursor rests, -1: hidden */
};

struct rect {
    int row, col, rows, cols; /* rows and cols may be 0, never negative */
};

/* Blanks the grid. `cells` holds rows * cols. */
void grid_start(struct grid *g, int rows, int cols, struct ui_cell *cells,
                struct width_rules rules);

/* Rows and columns are always the grid's; `area` only clips.
 * Puts text at (row, col), clipped to `area` and to the grid; a wide character that does not fit whole is left
 * out and a blank stands there. Returns the column after the last one written. Control characters become '?'. */
int grid_put(struct grid *g, struct rect area, int row, int col, const char *text,
             enum ui_role role);
/* As above but at most `columns` columns and not past the area; a longer text ends in '…' (or "..." when
 * the grid is `ascii`). */
int grid_put_cut(struct grid *g, struct rect area, int row, int col, const char *text,
                 enum ui_role role, int columns);
/* Right-aligned so that it ends before column `end`; what is wider than the area starts at its left and is cut. */
void grid_put_right(struct grid *g, struct rect area, int row, int end, const char *text,
                    enum ui_role role);
/* `count` times one code point. */
void grid_fill(struct grid *g, struct rect area, int row, int col, int count, uint32_t code_point,
               enum ui_role role);
/* Changes the role of cells, text stays. */
void grid_paint(struct grid *g, struct rect area, int row, int col, int count, enum ui_role role);

bool grid_row_equal(const struct grid *a, const struct grid *b, int row);

/* The text, rows ended by '\n', trailing blanks removed; and the role letters, one a column, so that letters stand
 * under what they describe; trailing blanks count there when they have a role other than TEXT. */
void grid_write_text(struct writer *w, const struct grid *g);
void grid_write_roles(struct writer *w, const struct grid *g);

#endif
