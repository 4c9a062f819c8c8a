/* When every operation of an order runs, and why not sooner. One compute lane a rank; a message leaves when its
 * operation ends and arrives `latency` later (none within a rank); sends never block. Time is whole ticks, so all results
 * are exact: whoever has 0.5 chooses a finer tick. Linear in the number of operations. Pure: scratch is the caller's.
 * Proof: tests/unit/pipe/test_simulate.c against a slow simulation, test_pipeline_vectors.c against
 * tests/vectors/vectors_pipeline.csv, test_closed_forms.c. */
#ifndef PIPE_SIMULATE_H
#define PIPE_SIMULATE_H

#include "shardlab/pipe/order.h"

/* Ticks of one operation of one chunk. A table has one entry for all model stages, or one a stage. */
struct pipe_times {
    const uint64_t *f, *b, *w; /* w.r.t. the input (b), the weights (w); BW takes b + w */
    uint32_t count;            /* entries: 1 or pipe_stages() */
    bool has_overlapped;
    uint64_t
        overlapped; /* a forward and a full backward as one pair; without it f + b + w of the two */
    uint64_t latency; /* one way, between two ranks */
};

enum { PIPE_NONE = -1 };

/* What an operation was waiting for when it started at last. */
enum pipe_wait {
    PIPE_WAIT_NOTHING, /* starts at 0 */
    PIPE_WAIT_RANK,    /* the operation before it on its own rank */
    PIPE_WAIT_DATA, /* an operation of the neighbouring stage (or, last stage, its own forward) */
};

struct pipe_run_op {
    uint64_t start, end; /* ticks */
    uint64_t
        slack; /* how much later it could end without a longer makespan; 0: on the critical path */
    int64_t waits_for; /* index into order->ops; PIPE_NONE with PIPE_WAIT_NOTHING */
    uint8_t wait;      /* enum pipe_wait; of equals the data */
};

struct pipe_rank_run {
    uint64_t busy, idle,
        inner_idle; /* idle = makespan − busy; inner: between the rank's first and last operation */
    uint64_t peak_until_b; /* forwards of one chunk whose B has not ended, at most */
    uint64_t peak_until_w; /* … whose W has not ended */
    uint64_t sends;        /* messages to another rank */
};

/* Bubble as exact fractions: idle over ranks × makespan; over the ideal time (mean busy); span (the longest rank's span
 * less busy, over that span). All 0/1 when nothing takes time; 1/0 over the ideal
 * time when only messages do. */
struct pipe_fraction {
    uint64_t over, under;
};

/* A circle of ranks each waiting for the next: rank[i] stands before op[i] (index into order->ops), which needs what
 * rank[i + 1] has not run; the last one needs the first. */
struct pipe_deadlock {
    int length; /* 0: none */
    uint32_t ranks[PIPE_RANKS_MAX];
    int64_t ops[PIPE_RANKS_MAX];
};

struct pipe_run {
    uint64_t makespan, sends;
    struct pipe_rank_run ranks[PIPE_RANKS_MAX];
    struct pipe_fraction bubble, bubble_over_ideal, bubble_span;
    struct pipe_deadlock deadlock; /* the rest means nothing when there is one */
};

/* The caller's memory for one run. */
struct pipe_space {
    void *scratch;           /* pipe_simulate_scratch bytes, aligned for uint64_t */
    struct pipe_run_op *ops; /* pipe_order_count entries, in the order's own order; filled */
};

/* Bytes of scratch for an order of this shape; 0 on overflow. */
size_t pipe_simulate_scratch(const struct pipe_shape *shape);

/* Runs an order that pipe_order_check accepts. STATUS_USAGE when time overflows, or when ranks wait for each other in a
 * circle, which is then in run->deadlock. */
MUST_USE enum status pipe_simulate(const struct pipe_order *order, const struct pipe_times *times,
                                   const struct pipe_space *space, struct pipe_run *run,
                                   struct message *why);

/* An operation that ends last. Following waits_for from it leads along a critical path to time 0. PIPE_NONE: there are
 * no operations. */
int64_t pipe_run_last(const struct pipe_order *order, const struct pipe_run_op *ops);

#endif
