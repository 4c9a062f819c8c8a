/* How long ranks of a pipeline wait: by the schedule's closed form where there is one, else by running its order
 * (pipe/simulate.h). Folded pipelines and those that run both ways have none once messages take time, and dualpipe has one
 * only where a forward takes as long as a backward. Their idle time is regular in the micro-batches: from 2p on, every p
 * more of them add the same. So an order of at most 4p micro-batches says it for any number, and what it said is
 * remembered, since layouts that differ elsewhere ask the same again.
 * Called by price.c. Pure; the memory is the caller's (struct plan_space). Proof: tests/unit/plan/test_pipeline.c. */
#include <assert.h>
#include <string.h>

#include "plan_private.h"
#include "shardlab/calc/schedule.h"
#include "shardlab/pipe/closed_form.h"
#include "shardlab/pipe/simulate.h"

/* Ticks of a forward and both backwards of one chunk together: enough that rounding does not show. */
#define TICKS (UINT64_C(1) << 40)
#define RUN_TICKS ((double)(UINT64_C(1) << 32)) /* of the longer of these and a message */

enum { ANSWERS = 256 };

struct question {
    uint64_t schedule, ranks, micro_batches;
    struct pipe_equal_times times;
};

/* What stands in plan_space: first this, then operations, their times, scratch. */
struct pipeline_memory {
    struct pipe_order order;
    struct pipe_run run;
    struct {
        struct question question; /* ranks 0: nothing yet */
        uint64_t idle;
    } answers[ANSWERS];
};

static size_t aligned(size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/* The largest order that is ever run. */
static struct pipe_shape largest_shape(void) {
    return (struct pipe_shape){.ranks = PLAN_RUN_RANKS_MAX,
                               .micro_batches = 4 * PLAN_RUN_RANKS_MAX,
                               .chunks = 2,
                               .placement = PIPE_V};
}

size_t plan_space_bytes(void) {
    struct pipe_shape shape = largest_shape();
    size_t operations = (size_t)pipe_order_capacity(&shape);
    return aligned(sizeof(struct pipeline_memory)) + aligned(operations * sizeof(struct pipe_op)) +
           aligned(operations * sizeof(struct pipe_run_op)) + pipe_simulate_scratch(&shape);
}

void plan_space_start(const struct plan_space *space) {
    if (space != NULL) {
        struct pipeline_memory *memory = space->bytes;
        assert(space->size >= plan_space_bytes());
        memset(memory->answers, 0, sizeof memory->answers);
    }
}

bool plan_is_run(int schedule) {
    return schedule == CALC_SCHEDULE_ZB_V || schedule == CALC_SCHEDULE_DUALPIPE ||
           schedule == CALC_SCHEDULE_DUALPIPEV || schedule == CALC_SCHEDULE_CHIMERA;
}

static bool request_of(const struct scenario *s, struct pipe_request *settled) {
    static const enum pipe_schedule schedules[] = {
        [CALC_SCHEDULE_1F1B] = PIPE_1F1B,
        [CALC_SCHEDULE_GPIPE] = PIPE_GPIPE,
        [CALC_SCHEDULE_INTERLEAVED] = PIPE_INTERLEAVED,
        [CALC_SCHEDULE_LOOPED_BFS] = PIPE_LOOPED_BFS,
        [CALC_SCHEDULE_ZB_H1] = PIPE_ZB_H1,
        [CALC_SCHEDULE_ZB_H2] = PIPE_ZB_H2,
        [CALC_SCHEDULE_ZB_INTERLEAVED] = PIPE_ZB_INTERLEAVED,
        [CALC_SCHEDULE_ZB_V] = PIPE_ZB_V,
        [CALC_SCHEDULE_DUALPIPE] = PIPE_DUALPIPE,
        [CALC_SCHEDULE_DUALPIPEV] = PIPE_DUALPIPEV,
        [CALC_SCHEDULE_CHIMERA] = PIPE_CHIMERA,
    };
    if (s->batch.micro_batches > PIPE_MICRO_BATCHES_MAX || s->layout.chunks > PIPE_CHUNKS_MAX) {
        return false;
    }
    struct pipe_request in = {.schedule = schedules[s->layout.schedule],
                              .ranks = (uint32_t)s->layout.pp,
                              .micro_batches = (uint32_t)s->batch.micro_batches,
                              .chunks = (uint32_t)s->layout.chunks};
    struct pipe_shape shape;
    struct message unused;
    return pipe_request_settle(&in, settled, &shape, &unused) == STATUS_OK;
}

/* Runs the order of `q`. False: it is not legal with so many micro-batches, or time overflows. */
static bool run(const struct plan_space *space, const struct question *q, uint64_t *idle) {
    struct pipeline_memory *memory = space->bytes;
    struct pipe_request in = {.schedule = (enum pipe_schedule)q->schedule,
                              .ranks = (uint32_t)q->ranks,
                              .micro_batches = (uint32_t)q->micro_batches};
    struct pipe_request settled;
    struct pipe_shape shape, largest = largest_shape();
    struct message unused;
    if (pipe_request_settle(&in, &settled, &shape, &unused) != STATUS_OK) {
        return false;
    }
    uint64_t capacity = pipe_order_capacity(&shape);
    size_t operations = (size_t)pipe_order_capacity(&largest);
    assert(capacity <= operations);
    char *at = (char *)space->bytes + aligned(sizeof *memory);
    struct pipe_op *ops = (struct pipe_op *)(void *)at;
    at += aligned(operations * sizeof *ops);
    struct pipe_space times = {.ops = (struct pipe_run_op *)(void *)at};
    times.scratch = at + aligned(operations * sizeof *times.ops);
    const struct pipe_times ticks = {.f = &q->times.f,
                                     .b = &q->times.b,
                                     .w = &q->times.w,
                                     .count = 1,
                                     .latency = q->times.latency};
    pipe_schedule_build(&settled, &shape, ops, capacity, &memory->order);
    if (pipe_simulate(&memory->order, &ticks, &times, &memory->run, &unused) != STATUS_OK) {
        return false;
    }
    uint64_t work = q->micro_batches * settled.chunks * (q->times.f + q->times.b + q->times.w);
    *idle = memory->run.makespan > work ? memory->run.makespan - work : 0;
    return true;
}

static bool same(const struct question *a, const struct question *b) {
    return a->schedule == b->schedule && a->ranks == b->ranks &&
           a->micro_batches == b->micro_batches && a->times.f == b->times.f &&
           a->times.b == b->times.b && a->times.w == b->times.w &&
           a->times.latency == b->times.latency;
}

/* Remembered or run. */
static bool answer(const struct plan_space *space, const struct question *q, uint64_t *idle) {
    struct pipeline_memory *memory = space->bytes;
    uint64_t mixed = q->schedule;
    const uint64_t parts[] = {q->ranks, q->micro_batches, q->times.f, q->times.b, q->times.latency};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        mixed = (mixed ^ parts[i]) * UINT64_C(0x9E3779B97F4A7C15);
        mixed ^= mixed >> 29;
    }
    size_t at = mixed % ANSWERS;
    if (!same(&memory->answers[at].question, q)) {
        if (!run(space, q, idle)) {
            return false;
        }
        memory->answers[at].question = *q;
        memory->answers[at].idle = *idle;
    }
    *idle = memory->answers[at].idle;
    return true;
}

/* Idle time for any number of micro-batches from orders of at most 4p. Without latency the increase is nothing, and
 * chimera has its closed form. */
static bool run_regular(const struct plan_space *space, const struct question *asked,
                        double *ticks) {
    struct question q = *asked;
    uint64_t p = q.ranks, m = q.micro_batches, first = 0, next = 0;
    if (m < 4 * p) {
        bool done = answer(space, &q, &first);
        *ticks = (double)first;
        return done;
    }
    q.micro_batches = 2 * p + m % p;
    uint64_t periods = (m - q.micro_batches) / p;
    if (!answer(space, &q, &first)) {
        return false;
    }
    q.micro_batches += p;
    if (!answer(space, &q, &next)) {
        return false;
    }
    *ticks = (double)first + (double)periods * ((double)next - (double)first);
    return true;
}

/* In micro-batches of the stage. Times are rounded to ticks; the longest of them has RUN_TICKS. */
static bool run_idle(const struct plan_space *space, const struct pipe_request *settled,
                     const struct plan_pace *pace, double *out) {
    double longest = pace->latency * settled->chunks > 1 ? pace->latency * settled->chunks : 1;
    double scale = RUN_TICKS / longest, ticks = 0;
    struct question q = {.schedule = settled->schedule,
                         .ranks = settled->ranks,
                         .micro_batches = settled->micro_batches,
                         .times = {.f = (uint64_t)(pace->forward * scale),
                                   .b = (uint64_t)(pace->input_grad * scale),
                                   .latency = (uint64_t)(pace->latency * settled->chunks * scale)}};
    q.times.w = (uint64_t)scale - q.times.f - q.times.b;
    if (!run_regular(space, &q, &ticks)) {
        return false;
    }
    *out = ticks / scale / (double)settled->chunks;
    return true;
}

bool plan_pipeline_idle(const struct plan_space *space, const struct scenario *s,
                        const struct plan_pace *pace, double *out) {
    struct pipe_request settled;
    uint64_t ticks = 0;
    *out = 0;
    if (s->layout.pp == 1) { /* nobody waits, but dualpipev still wants two micro-batches */
        return !plan_is_run(s->layout.schedule) || request_of(s, &settled);
    }
    struct pipe_equal_times times = {.f = (uint64_t)(pace->forward * (double)TICKS),
                                     .b = (uint64_t)(pace->input_grad * (double)TICKS),
                                     .overlapped = TICKS};
    times.w = TICKS - times.f - times.b;
    if (!request_of(s, &settled)) {
        return false;
    }
    if (!(pace->latency > 0) && pipe_closed_idle(&settled, &times, &ticks)) {
        *out = (double)ticks / (double)TICKS / (double)s->layout.chunks;
        return true;
    }
    return plan_is_run(s->layout.schedule) && space != NULL &&
           settled.ranks <= PLAN_RUN_RANKS_MAX && run_idle(space, &settled, pace, out);
}
