/* A collective as a picture that goes on round by round, and what it costs: shared by the lessons. The picture walks the
 * step lists that the executors run (coll); bytes, messages and rounds to expect are the calculator's closed forms
 * (calc). Pure; appends to the caller's view. */
#ifndef LESSON_COLLECTIVE_VIEW_H
#define LESSON_COLLECTIVE_VIEW_H

#include "shardlab/base/attributes.h"
#include "shardlab/coll/steps.h"
#include "shardlab/view/view.h"

/* What the busiest rank has to do, and all of them together. */
struct collective_cost {
    uint32_t rounds;
    uint64_t most_messages; /* that one rank sends */
    uint64_t most_bytes, least_bytes, total_bytes;
};

/* The job is checked (coll_job_check). STATUS_USAGE on overflow. */
MUST_USE enum status collective_cost(const struct coll_job *job, uint64_t element_bytes,
                                     struct collective_cost *out, struct message *why);

/* Seconds by the α–β model. α counts once a round, or once a message of the rank that sends most where these are more: a
 * rank sends one message at a time. */
double collective_seconds(const struct collective_cost *cost, double alpha_s, double bytes_per_s);

/* The frame after `round` rounds, at most VIEW_FRAMES_RANKS_MAX ranks. */
MUST_USE enum status collective_frames_add(struct view *out, const struct coll_job *job,
                                           uint64_t element_bytes, int round, struct message *why);

#endif
