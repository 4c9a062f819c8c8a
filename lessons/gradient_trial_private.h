/* A collective that a lesson runs on as many elements as a model has, made fewer until this machine can hold them for
 * every rank. */
#ifndef LESSONS_GRADIENT_TRIAL_PRIVATE_H
#define LESSONS_GRADIENT_TRIAL_PRIVATE_H

#include "shardlab/base/writer.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/lesson/lesson.h"

struct gradient_trial {
    uint64_t elements, divisor; /* parameters / divisor */
    const char *type;           /* "bf16" */
};

/* With elements of 2 or 4 bytes. False: one rank, or more than a screen has rows for. */
bool gradient_trial_of(const struct scenario *s, uint64_t element_bytes,
                       struct gradient_trial *out);

/* "allreduce --ranks 8 --elems 6738415 --type bf16 --algorithm ring", and the collective unless it is NULL. */
void gradient_trial_write(const struct gradient_trial *trial, uint64_t ranks,
                          const char *collective, struct writer *w);

/* Line, values and facts of the experiment. */
void gradient_trial_offer(const struct gradient_trial *trial, uint64_t ranks,
                          const char *collective, struct lesson_experiment *out);

#endif
