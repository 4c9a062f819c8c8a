/* Where the columns of a table stand, for table.c, which plans, and table_paint.c, which draws. */
#ifndef VIEW_TABLE_PRIVATE_H
#define VIEW_TABLE_PRIVATE_H

#include "shardlab/view/paint.h"

enum { TABLE_GAP = 2, TABLE_NAME_MIN = 4, TABLE_TEXT_MAX = 160 };

struct table_place {
    bool shown, left;
    int col, cols, fraction; /* fraction: columns behind the decimal points, with them */
};

struct table_plan {
    struct table_place place[VIEW_TABLE_COLS_MAX];
    int number_cols; /* for the numbers of rows */
    int left_out;
    int end; /* the column after the last one */
};

/* The unit of a column of seconds. */
struct table_seconds {
    const char *name;
    double times;
};
struct table_seconds table_seconds_of(const struct view_table *t);

struct table_plan table_plan_of(const struct view_pen *pen, const struct view_table *t);
/* Every row but a total has the same value there, and a known one. */
bool table_col_is_same(const struct view_table *t, int col);
void table_cell_write(const struct view_pen *pen, const struct view_table *t, int row, int col,
                      struct writer *w);
void table_head_write(const struct view_pen *pen, const struct view_table *t, int col,
                      struct writer *w);

#endif
