/* One schedule, built and run, for the tests of the simulator: everything it needs in memory of its own. */
#ifndef UNIT_PIPE_SUPPORT_H
#define UNIT_PIPE_SUPPORT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"

struct lab {
    struct pipe_request request; /* settled */
    struct pipe_shape shape;
    struct pipe_order order;
    struct pipe_op *list;
    struct pipe_space space;
    struct pipe_run *run;
    struct message why;
};

/* Memory for an order of lab->shape, which is empty still. */
static inline void lab_open(struct lab *lab) {
    uint64_t capacity = pipe_order_capacity(&lab->shape);
    lab->list = calloc(capacity, sizeof lab->list[0]);
    lab->space.ops = calloc(capacity, sizeof lab->space.ops[0]);
    lab->space.scratch = malloc(pipe_simulate_scratch(&lab->shape));
    lab->run = calloc(1, sizeof *lab->run);
    ck_assert(lab->list != NULL && lab->space.ops != NULL && lab->space.scratch != NULL &&
              lab->run != NULL);
    pipe_order_start(&lab->order, &lab->shape, lab->list, capacity);
}

/* False: the combination is illegal; lab->why says why, and there is nothing to close. */
static inline bool lab_build(struct lab *lab, const struct pipe_request *request) {
    memset(lab, 0, sizeof *lab);
    if (pipe_request_settle(request, &lab->request, &lab->shape, &lab->why) != STATUS_OK) {
        return false;
    }
    lab_open(lab);
    pipe_schedule_build(&lab->request, &lab->shape, lab->list, lab->order.capacity, &lab->order);
    return true;
}

static inline enum status lab_simulate(struct lab *lab, const struct pipe_times *times) {
    return pipe_simulate(&lab->order, times, &lab->space, lab->run, &lab->why);
}

static inline void lab_close(struct lab *lab) {
    free(lab->list);
    free(lab->space.ops);
    free(lab->space.scratch);
    free(lab->run);
}

/* Equal times for all stages. */
struct lab_times {
    uint64_t f, b, w;
    struct pipe_times times;
};

static inline const struct pipe_times *lab_times(struct lab_times *t) {
    t->times.f = &t->f;
    t->times.b = &t->b;
    t->times.w = &t->w;
    t->times.count = 1;
    return &t->times;
}

#endif
