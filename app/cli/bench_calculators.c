/* The calculators at the largest size that is promised. Time a case of the same kind at half and a quarter of the size
 * stands beside it, so that the cost an item shows whether it grows linearly. Proof: tests/cli/test_bench.c. */
#include <stdlib.h>

#include "bench_private.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"

/* A schedule with its memory. */
struct pipe_case {
    struct pipe_request request;
    struct pipe_shape shape;
    struct pipe_order order;
    struct pipe_op *list;
    struct pipe_space space;
    struct pipe_run run;
    struct message why;
};

static void pipe_close(struct cli_bench_state *state) {
    struct pipe_case *one = state->memory;
    if (one != NULL) {
        free(one->list);
        free(one->space.ops);
        free(one->space.scratch);
        free(one);
    }
}

static void pipe_once(struct cli_bench_state *state) {
    static const uint64_t tick = 1;
    static const struct pipe_times times = {.f = &tick, .b = &tick, .w = &tick, .count = 1};
    struct pipe_case *one = state->memory;
    uint64_t capacity = pipe_order_capacity(&one->shape);
    pipe_schedule_build(&one->request, &one->shape, one->list, capacity, &one->order);
    enum status ok = pipe_simulate(&one->order, &times, &one->space, &one->run, &one->why);
    state->items = ok == STATUS_OK ? pipe_order_count(&one->order) : 0;
}

static enum status pipe_open(struct cli_bench_state *state, struct message *why) {
    struct pipe_case *one = calloc(1, sizeof *one);
    const struct pipe_request asked = {.schedule = PIPE_INTERLEAVED,
                                       .ranks = 64,
                                       .micro_batches = (uint32_t)state->argument,
                                       .chunks = 4};
    message_start(why, "error.memory");
    state->memory = one;
    if (one == NULL) {
        return STATUS_FAILED;
    }
    enum status ok = pipe_request_settle(&asked, &one->request, &one->shape, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t capacity = pipe_order_capacity(&one->shape);
    size_t scratch = pipe_simulate_scratch(&one->shape);
    one->list = malloc(capacity * sizeof one->list[0]);
    one->space.ops = malloc(capacity * sizeof one->space.ops[0]);
    one->space.scratch = malloc(scratch);
    if (one->list == NULL || one->space.ops == NULL || one->space.scratch == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    pipe_once(state); /* counts the operations, and touches the memory */
    state->bytes = state->items * (sizeof one->list[0] + sizeof one->space.ops[0]) + scratch;
    return STATUS_OK;
}

#define PIPE_CASE(m)                                                                               \
    {                                                                                              \
        "pipe", "interleaved p=64 v=4 m=" #m, "operation",                                         \
            "sail-sg zero-bubble-pipeline-parallelism", m, pipe_open, pipe_once, pipe_close        \
    }

static const struct cli_bench_case cases[] = {
    PIPE_CASE(1024),
    PIPE_CASE(2048),
    PIPE_CASE(4096),
    {"plan", "llama-3.1-405b GPUs=16384", "layout", NULL, 16384, cli_bench_plan_open,
     cli_bench_plan_once, cli_bench_plan_close},
};

const struct cli_bench_area cli_bench_calculators = {"calculators", cases,
                                                     (int)(sizeof cases / sizeof cases[0])};
