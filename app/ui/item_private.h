/* Drawing one item of a view on a canvas whose row `row` is its first; each returns the rows it
 * uses at this width, drawn or not. */
#ifndef UI_ITEM_PRIVATE_H
#define UI_ITEM_PRIVATE_H

#include "canvas_private.h"

struct item_focus {
    int cursor;  /* ledger row with the marker, -1 none */
    bool active; /* the pane has the focus */
};

int item_ledger_draw(const struct canvas *c, int row, const struct view_ledger *ledger,
                     struct item_focus focus);
/* The row of the canvas, counted from the ledger's first, on which ledger row `index` stands. */
int item_ledger_row(const struct view_ledger *ledger, int index);
/* The header alone: it stays in sight above rows that are scrolled. */
void item_ledger_header_draw(const struct canvas *c, int row, const struct view_ledger *ledger);
int item_bar_draw(const struct canvas *c, int row, const struct view_bar *bar);
int item_curve_draw(const struct canvas *c, int row, const struct view_curve *curve);
/* `focus`: the column with the marker, -1 none. */
int item_matrix_draw(const struct canvas *c, int row, const struct view_matrix *m, int focus);
int item_chart_draw(const struct canvas *c, int row, const struct view_chart *chart);
/* The kinds that are drawn with a pen. */
int item_picture_draw(const struct canvas *c, int row, const struct view_item *item);

/* A title row, if the message says anything; returns 0 or the rows used. */
int item_title_draw(const struct canvas *c, int row, const struct message *title);

enum { ITEM_LEFT = 2, ITEM_MARGIN = 1 }; /* columns left for the cursor, and free at the right */

#endif
