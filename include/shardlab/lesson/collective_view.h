/* A collective as a picture that goes on round by round, and what it costs: shared by the lessons. The picture walks the
 * step lists that the executors run (coll); bytes, messages and rounds to expect are the calculator's closed forms
 * (calc). Pure; appends to the caller's view. */
#ifndef LESSON_COLLECTIVE_VIEW_H
#define LESSON_COLLECTIVE_VIEW_H

#include "shardlab/base/attributes.h"
#include "shardlab/coll/steps.h"
#include "shardlab/view/view.h"

/* What a collective costs: what ranks send, by the calculator, and how long its rounds keep the busiest rank, by the step
 * lists. */
struct collective_cost {
    uint32_t rounds;
    uint64_t most_messages, most_bytes; /* that one rank sends */
    uint64_t total_bytes;
    /* Over the rounds, the sum of the most messages, and of the most bytes, that a rank sends or receives in each */
    uint64_t path_messages, path_bytes;
};

/* The job is checked (coll_job_check), with at most VIEW_FRAMES_RANKS_MAX ranks. STATUS_USAGE on overflow. */
MUST_USE enum status collective_cost(const struct coll_job *job, uint64_t element_bytes,
                                     struct collective_cost *out, struct message *why);

/* Seconds by the α–β model: a round takes α for each message and the time of the bytes of its busiest rank, which sends
 * and receives at the same time, one message after another; the next round begins when all have done so. */
double collective_seconds(const struct collective_cost *cost, double alpha_s, double bytes_per_s);

/* The frame after `round` rounds, at most VIEW_FRAMES_RANKS_MAX ranks. */
MUST_USE enum status collective_frames_add(struct view *out, const struct coll_job *job,
                                           uint64_t element_bytes, int round, struct message *why);

#endif
