/* The picture of a pipeline schedule, shared by the lessons on pipelines and by `shardlab pipe --gantt`: from an order
 * and its run to a Gantt, one schedule or two on the same axis. Pure; appends to the caller's view, which keeps no
 * pointer into what it was made from. */
#ifndef LESSON_PIPE_VIEW_H
#define LESSON_PIPE_VIEW_H

#include "shardlab/pipe/simulate.h"
#include "shardlab/view/view.h"

/* One schedule that has run. All pointers are borrowed for the call. */
struct pipe_picture {
    const char *name; /* "1f1b", as on the command line */
    const struct pipe_order *order;
    const struct pipe_run_op *ops; /* one an operation of the order */
    const struct pipe_run *run;
    const uint64_t
        *chunk_bytes; /* a rank: activations of one chunk and micro-batch; NULL: not known */
};

/* What is looked at. */
struct pipe_window {
    uint32_t first_rank, ranks; /* ranks 0: as many as there is room for */
    uint64_t from, to;          /* ticks; to 0: the end of the longest schedule */
    int columns; /* where operations have to be joined: to at most so many stretches; 0: 100 */
    uint64_t ticks_per_unit; /* ticks of one unit of the times that a person gave; 0: 1 */
    bool strip;              /* what is held, under each rank */
    bool until_w;            /* held until its W has ended, not only until its B */
    bool critical;           /* the critical path, under each rank */
    int64_t
        cursor; /* the operation, an index into the first picture's order, that explains itself; -1: none */
};

/* Appends a Gantt of one picture or two. A window with more operations than a view holds is joined to stretches. */
void pipe_gantt_add(struct view *out, const struct pipe_picture *pictures, int count,
                    const struct pipe_window *window);

/* What an operation waits for, and its slack, in one sentence. */
void pipe_explain(const struct pipe_picture *picture, int64_t op, uint64_t ticks_per_unit,
                  struct message *out);

#endif
