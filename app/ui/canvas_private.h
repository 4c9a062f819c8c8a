/* A part of the grid to draw in: rows and columns count from the corner of the part, and everything
 * is clipped to it. A canvas of no rows measures. For the drawing files of this room. */
#ifndef UI_CANVAS_PRIVATE_H
#define UI_CANVAS_PRIVATE_H

#include "shardlab/ui/grid.h"
#include "shardlab/ui/hit.h"
#include "shardlab/ui/look.h"
#include "shardlab/view/view.h"

enum { CANVAS_SENTENCE_MAX = 1536 };

struct canvas {
    struct grid *grid;
    struct rect area;
    const struct look *look;
};

struct spot {
    int row, col; /* from the canvas's corner; rows above it are negative */
};

/* Each returns the column after what it wrote. */
int canvas_put(const struct canvas *c, struct spot at, const char *text, enum ui_role role);
int canvas_put_cut(const struct canvas *c, struct spot at, const char *text, enum ui_role role,
                   int columns);
int canvas_put_right(const struct canvas *c, struct spot end, const char *text, enum ui_role role);
int canvas_fill(const struct canvas *c, struct spot at, int count, const char *glyph,
                enum ui_role role);
int canvas_glyph(const struct canvas *c, struct spot at, enum ui_glyph glyph, enum ui_role role);

/* Rests the hardware cursor on a spot, if it is seen. */
void canvas_rest(const struct canvas *c, struct spot at);

/* Notes `cols` columns of one row as something that can be clicked. */
void canvas_hit(const struct canvas *c, struct spot at, int cols, enum ui_hit_kind kind, int part);

/* Columns of a text here. */
int canvas_width(const struct canvas *c, const char *text);

/* A message as a sentence in the caller's buffer; returns the buffer. */
const char *canvas_sentence(const struct canvas *c, const struct message *m,
                            char buffer[CANVAS_SENTENCE_MAX]);

/* A canvas that draws nothing and counts rows at `cols` columns. `grid` is filled in and must
 * outlive it. */
struct canvas canvas_measure(struct grid *grid, int cols, const struct look *look);

/* How a part of the ledger is coloured. */
enum ui_role canvas_role_of(enum view_role role);

#endif
