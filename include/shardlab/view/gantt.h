/* What each rank of a pipeline does when, as data: one row a rank, time to the right, one or two schedules on the same
 * axis. A schedule can have millions of operations and a view owns what it holds, so a view holds a *window*: at most
 * VIEW_GANTT_ROWS_MAX ranks and VIEW_GANTT_SPANS_MAX operations. Whoever fills it chooses the window
 * (lesson/pipe_view.h); where the operations of the window are too many, he joins them to stretches of `step` ticks
 * and says so by `joined`. How wide a tick is drawn is the reader's, from the columns that he has. */
#ifndef VIEW_GANTT_H
#define VIEW_GANTT_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"

enum { VIEW_GANTT_ROWS_MAX = 32, VIEW_GANTT_SPANS_MAX = 1024, VIEW_GANTT_GROUPS_MAX = 2 };

enum view_gantt_kind {
    VIEW_GANTT_F,  /* forward */
    VIEW_GANTT_B,  /* backward, the inputs' part */
    VIEW_GANTT_W,  /* backward, the weights' part */
    VIEW_GANTT_BW, /* backward, both */
    VIEW_GANTT_KINDS
};

enum { VIEW_GANTT_MANY = -1 };

/* One operation, or with `joined` a stretch in which one kind runs most of the time. */
struct view_gantt_span {
    uint64_t start, end; /* ticks, start < end, ascending within a row */
    int64_t micro_batch; /* VIEW_GANTT_MANY: no single one fills the stretch */
    uint32_t held;       /* chunks held, at most, from its start until it ends */
    uint32_t held_after; /* and from its end on */
    uint16_t chunk;
    uint8_t kind;  /* enum view_gantt_kind */
    bool paired;   /* runs at the same time as the span after it: forward and backward */
    bool critical; /* a later end would lengthen the makespan */
};

struct view_gantt_row {
    uint64_t rank;
    int first_span, span_count;
    uint32_t held_before; /* chunks held where the window begins */
    uint64_t peak;        /* chunks held, at most, in the whole schedule */
    uint64_t
        chunk_bytes; /* activations of one chunk and micro-batch; 0: not known, then levels are chunks */
};

/* The rows of one schedule. */
struct view_gantt_group {
    struct message title; /* "1F1B"; id NULL: none */
    uint64_t makespan;    /* ticks */
    uint64_t ranks;       /* of the schedule, of which some are shown */
    int first_row, row_count;
};

struct view_gantt {
    struct message title;
    int group_count;
    struct view_gantt_group groups[VIEW_GANTT_GROUPS_MAX];
    int row_count;
    struct view_gantt_row rows[VIEW_GANTT_ROWS_MAX];
    int span_count;
    struct view_gantt_span spans[VIEW_GANTT_SPANS_MAX];
    uint64_t from, to; /* the window, ticks; to > from unless there is nothing */
    uint64_t
        step; /* every start and end in the window is `from` and a multiple of this; at least 1 */
    bool joined;                 /* spans are stretches of `step` ticks */
    uint64_t ticks_per_unit;     /* ticks of one unit of the times that a person gave; at least 1 */
    uint32_t chunks;             /* of a rank */
    bool strip;                  /* a strip of held chunks under each row */
    bool marks_critical;         /* a line under what is on the critical path */
    int cursor_row, cursor_span; /* -1: none; the span is an index into `spans` */
    struct message explain;      /* what stands under the cursor, what it waits for, its slack */
    struct message remark;       /* the difference of two schedules, or what is not shown */
};

#endif
