/* What lies where on the screen, for a mouse: while a grid is drawn, whoever draws something that can be clicked
 * says so; afterwards the cell under the mouse finds it. The list belongs to the caller and is refilled with every
 * drawing; a grid without one (tests, measuring) is drawn all the same. */
#ifndef UI_HIT_H
#define UI_HIT_H

#include "shardlab/ui/grid.h"

enum ui_hit_kind {
    UI_HIT_NONE,   /* covers what lies beneath */
    UI_HIT_ACTION, /* part: enum ui_action, as if its key were pressed */
    UI_HIT_KNOB,   /* id: which knob; part unused */
    UI_HIT_STOP,   /* id: which knob, part: the stop */
    UI_HIT_RAIL,   /* id: which knob, part: how many stops are spread over the area */
    UI_HIT_STEP,   /* id: which knob, part: -1 or 1 */
    UI_HIT_NAME,   /* id: which knob: the name on a picker */
    UI_HIT_ROW,    /* part: row of the ledger */
    UI_HIT_LINK,   /* part: link of the page */
    UI_HIT_ITEM,   /* part: row of a list */
    UI_HIT_WORDS,  /* the pane of words, for the wheel */
    UI_HIT_VIEW,   /* the pane of the view */
};

struct ui_hit {
    struct rect area;
    enum ui_hit_kind kind;
    int id, part;
};

enum { UI_HITS_MAX = 256 };

struct ui_hits {
    int id; /* given to every hit that is added: the knob that is drawn now */
    int count;
    struct ui_hit hits[UI_HITS_MAX];
};

/* Adds a part of the grid, clipped to `clip`; beyond UI_HITS_MAX and without a list nothing happens. */
void ui_hit_add(struct grid *g, struct rect clip, struct rect area, enum ui_hit_kind kind,
                int part);
/* The one added last at this cell; NULL: nothing. */
const struct ui_hit *ui_hit_find(const struct ui_hits *hits, int row, int col);
/* The stop of a rail that lies nearest to a column. */
int ui_hit_rail_stop(const struct ui_hit *rail, int col);
/* The cell of a rail of `cells` on which stop `stop` of `count` rests. */
int ui_rail_cell(int stop, int count, int cells);

#endif
