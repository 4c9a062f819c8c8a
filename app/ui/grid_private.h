/* Writing into the grid without NUL-terminated text, for the drawing files of this room. */
#ifndef UI_GRID_PRIVATE_H
#define UI_GRID_PRIVATE_H

#include <stddef.h>

#include "shardlab/ui/grid.h"

struct pen {
    struct rect clip;
    int row, col; /* the grid's */
    enum ui_role role;
};

/* Writes `length` bytes where the pen stands and moves it behind them. */
void pen_write(struct grid *g, struct pen *pen, const char *text, size_t length);
/* Writes at most `columns` columns; a longer text ends in `mark`. */
void pen_write_cut(struct grid *g, struct pen *pen, const char *text, int columns,
                   const char *mark);

#endif
