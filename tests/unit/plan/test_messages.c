/* What the communication calculator counts of a pipeline against the pipeline itself: messages of every rank of every
 * schedule. Both sides read the same layout and share no code. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "../calc/comm_support.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"

enum { P_MAX = 8, M_MAX = 17, V_MAX = 3 };

/* Runs the schedule with operations of `work` ticks and messages of `latency`. */
static void simulate(const struct pipe_request *settled, const struct pipe_shape *shape,
                     uint64_t work, uint64_t latency, struct pipe_run *run) {
    static struct pipe_order order;
    uint64_t capacity = pipe_order_capacity(shape);
    struct pipe_op *ops = malloc(capacity * sizeof *ops);
    struct pipe_run_op *times = malloc(capacity * sizeof *times);
    void *scratch = malloc(pipe_simulate_scratch(shape));
    struct message why;
    ck_assert(ops != NULL && times != NULL && scratch != NULL);
    pipe_schedule_build(settled, shape, ops, capacity, &order);
    struct pipe_space space = {.scratch = scratch, .ops = times};
    struct pipe_times ticks = {.f = &work, .b = &work, .w = &work, .count = 1, .latency = latency};
    must_hold(pipe_simulate(&order, &ticks, &space, run, &why) == STATUS_OK, "%s",
              message_line(&why));
    free(ops);
    free(times);
    free(scratch);
}

/* A layer for every chunk of every stage. */
static struct scenario scenario_of(const struct pipe_request *r) {
    struct scenario s = legal_of(
        "--layers 24 --hidden 64 --heads 8 --vocab 80 --seq 32 --tied --schedule %s --pp %u "
        "--micro-batches %u --chunks %u --link-gb-per-s 1 --gpus-per-node 64 --alpha-us 0",
        pipe_schedule_name(r->schedule), r->ranks, r->micro_batches, r->chunks);
    return s;
}

static int compare_sends(const struct pipe_request *wanted) {
    static struct pipe_run run;
    struct pipe_request r;
    struct pipe_shape shape;
    struct message why;
    if (pipe_request_settle(wanted, &r, &shape, &why) != STATUS_OK) {
        return 0;
    }
    struct scenario s = scenario_of(&r);
    simulate(&r, &shape, 1, 0, &run);
    for (uint32_t rank = 0; rank < r.ranks; rank++) {
        struct calc_comm c = comm_on(&s, rank);
        uint64_t sends = calls_of(&c, CALC_AXIS_PP, "activations") +
                         calls_of(&c, CALC_AXIS_PP, "activation.gradients");
        ck_assert_msg(sends == run.ranks[rank].sends, "%s p=%u m=%u v=%u rank %u: %ju, not %ju",
                      pipe_schedule_name(r.schedule), r.ranks, r.micro_batches, r.chunks, rank,
                      (uintmax_t)sends, (uintmax_t)run.ranks[rank].sends);
    }
    return 1;
}

START_TEST(every_rank_sends_as_many_messages_as_its_schedule) {
    int compared = 0;
    for (uint32_t p = 2; p <= P_MAX; p++) {
        for (uint32_t m = 1; m <= M_MAX; m++) {
            for (uint32_t v = 1; v <= V_MAX; v++) {
                const struct pipe_request wanted = {(enum pipe_schedule)_i, p, m, v, 0};
                compared += compare_sends(&wanted);
            }
        }
    }
    ck_assert_int_gt(compared, 5);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("messages");
    TCase *t = tcase_create("messages");
    tcase_add_loop_test(t, every_rank_sends_as_many_messages_as_its_schedule, 0, PIPE_SCHEDULES);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
