/* Between pipe_view.c, which chooses the window and says what it is, and pipe_spans.c, which fills the rows. */
#ifndef LESSONS_PIPE_PRIVATE_H
#define LESSONS_PIPE_PRIVATE_H

#include "shardlab/lesson/pipe_view.h"

struct pipe_rows {
    const struct pipe_picture *picture;
    const struct pipe_window *window; /* `to` is settled */
    struct view_gantt *gantt;
};

/* How many operations of a rank lie in the window. */
uint64_t pipe_spans_count(const struct pipe_rows *rows, uint32_t rank);
/* Appends a row with its operations, cut to the window; with `join` ticks, joined to stretches of them. */
void pipe_spans_add(const struct pipe_rows *rows, uint32_t rank, uint64_t join);

#endif
