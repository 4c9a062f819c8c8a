/* A pen that writes lines of text, for text.c. */
#ifndef VIEW_TEXT_PEN_PRIVATE_H
#define VIEW_TEXT_PEN_PRIVATE_H

#include "lines_private.h"
#include "shardlab/view/paint.h"

struct text_pen {
    struct lines *lines; /* borrowed */
    int row;             /* on which the lines stand, as painters count */
};

/* `p` and what it points to must outlive the pen. */
struct view_pen text_pen_of(struct text_pen *p, const struct words *words, bool ascii);
/* Ends a line that is open. */
void text_pen_end(struct text_pen *p);

#endif
