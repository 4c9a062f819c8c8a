/* Schedules that have run, for tests of their pictures. Memory is the test process's. */
#ifndef UNIT_LESSONS_PIPE_SUPPORT_H
#define UNIT_LESSONS_PIPE_SUPPORT_H

#include <check.h>
#include <stdlib.h>

#include "shardlab/lesson/pipe_view.h"
#include "shardlab/pipe/schedule.h"

struct ran {
    struct pipe_order order;
    struct pipe_run run;
    struct pipe_space space;
    struct pipe_picture picture;
};

/* Every operation of one chunk takes `f`, `b` and `w` ticks. */
static inline void run_schedule(struct ran *r, const struct pipe_request *request, uint64_t f,
                                uint64_t b, uint64_t w) {
    struct pipe_request settled;
    struct pipe_shape shape;
    struct message why;
    ck_assert_int_eq(pipe_request_settle(request, &settled, &shape, &why), STATUS_OK);
    uint64_t capacity = pipe_order_capacity(&shape);
    struct pipe_op *ops = malloc(capacity * sizeof ops[0]);
    r->space.ops = malloc(capacity * sizeof r->space.ops[0]);
    r->space.scratch = malloc(pipe_simulate_scratch(&shape));
    ck_assert(ops != NULL && r->space.ops != NULL && r->space.scratch != NULL);
    pipe_schedule_build(&settled, &shape, ops, capacity, &r->order);
    const struct pipe_times times = {.f = &f, .b = &b, .w = &w, .count = 1};
    ck_assert_int_eq(pipe_simulate(&r->order, &times, &r->space, &r->run, &why), STATUS_OK);
    r->picture = (struct pipe_picture){.name = pipe_schedule_name(request->schedule),
                                       .order = &r->order,
                                       .ops = r->space.ops,
                                       .run = &r->run};
}

static inline void run_free(struct ran *r) {
    free(r->order.ops);
    free(r->space.ops);
    free(r->space.scratch);
}

#endif
