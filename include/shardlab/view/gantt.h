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

enum { VIEW_GANTT_ROWS_MAX = 32, VIEW_GANTT_SPANS_MAX = 1536, VIEW_GANTT_GROUPS_MAX = 2 };

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
    uint64_t start, end; /* ticks, start < end, ascending within a row; cut to the window */
    uint32_t held;       /* chunks held, at most, from its start until it ends */
    uint32_t held_after; /* and from its end on */
    int32_t micro_batch; /* VIEW_GANTT_MANY: no single one fills the stretch */
    uint16_t chunk;
    uint8_t kind;      /* enum view_gantt_kind */
    bool paired : 1;   /* runs at the same time as the span after it: forward and backward */
    bool critical : 1; /* a later end would lengthen the makespan */
};

struct view_gantt_row {
    uint64_t rank;
    int first_span, span_count;
    uint32_t held_before; /* chunks held where the window begins */
    uint32_t
        parts; /* chunks that make one unit of levels: 0 or 1, or to compare schedules the chunks of a stage */
    uint64_t peak; /* chunks held, at most, in the whole schedule */
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

/* What fills a stretch of time: parts are added, then the kind that takes most of it wins, idle time included (an
 * operation wins against as much idle time). The one rule by which columns are joined, here and where a view is
 * made. */
enum { VIEW_GANTT_PAIR = VIEW_GANTT_KINDS, VIEW_GANTT_IDLE = -1 };
struct view_gantt_share {
    uint64_t busy, total[VIEW_GANTT_PAIR + 1], best[VIEW_GANTT_PAIR + 1];
    int64_t which[VIEW_GANTT_PAIR + 1]; /* of the best */
    bool critical[VIEW_GANTT_PAIR + 1];
};
struct view_gantt_winner {
    int kind; /* enum view_gantt_kind, VIEW_GANTT_PAIR or VIEW_GANTT_IDLE */
    int64_t
        which; /* the one operation that fills at least half of the stretch, else VIEW_GANTT_MANY */
    bool critical; /* an operation of this kind in the stretch is on the critical path */
};
/* `share` starts zeroed; a pair is added once. */
void view_gantt_share_add(struct view_gantt_share *share, const struct view_gantt_winner *op,
                          uint64_t part);
struct view_gantt_winner view_gantt_share_winner(const struct view_gantt_share *share,
                                                 uint64_t length);

#endif
