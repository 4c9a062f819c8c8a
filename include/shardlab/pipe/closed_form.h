/* What formulas say of a schedule without running it: makespan, idle time, micro-batches in flight, messages. Each holds
 * only in a regime, and a function returns false outside it (or when a term overflows), never a wrong number: then only
 * the simulation answers. All stages take equal time. Sources: the schedules' papers, as stated in each function of
 * app/pipe/closed_form.c. Proof, against the simulation: tests/unit/pipe/test_closed_forms.c. */
#ifndef PIPE_CLOSED_FORM_H
#define PIPE_CLOSED_FORM_H

#include "shardlab/pipe/schedule.h"

/* Ticks of one operation of one chunk. */
struct pipe_equal_times {
    uint64_t f, b, w;
    uint64_t overlapped; /* of a pair; dualpipe and dualpipev only */
    uint64_t latency;    /* one way */
};

/* Idle time of every rank; of the most idle one where ranks differ (dualpipe, dualpipev). */
MUST_USE bool pipe_closed_idle(const struct pipe_request *settled,
                               const struct pipe_equal_times *times, uint64_t *ticks);

/* Time from the first start to the last end. */
MUST_USE bool pipe_closed_makespan(const struct pipe_request *settled,
                                   const struct pipe_equal_times *times, uint64_t *ticks);

/* Chunks in flight on a rank at most: until their B has ended, or until their W. Does not depend on times. */
MUST_USE bool pipe_closed_in_flight(const struct pipe_request *settled, uint32_t rank, bool until_w,
                                    uint64_t *chunks);

/* Messages between ranks in one step. */
uint64_t pipe_closed_sends(const struct pipe_shape *shape);

/* The formula of pipe_closed_idle as text: "(p−1)(tF+tB+tW)"; c is the latency, which only two of them know. */
const char *pipe_closed_idle_formula(enum pipe_schedule schedule, bool latency);

#endif
