/* What the communication calculator counts of a pipeline against the pipeline itself: messages of every rank of every
 * schedule, and how much longer they make its step. Both sides read the same layout and share no code. */
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

/* How much longer the schedule takes when a message takes `latency` ticks and an operation `work`. */
static uint64_t longer(const struct pipe_request *r, const struct pipe_shape *shape, uint64_t work,
                       uint64_t latency) {
    static struct pipe_run run;
    simulate(r, shape, work, 0, &run);
    uint64_t without = run.makespan;
    simulate(r, shape, work, latency, &run);
    return run.makespan - without;
}

/* What is stated beside calc_pipeline_messages: `exact` in ticks, else never less than the simulation says. */
static const struct {
    enum pipe_schedule schedule;
    bool only_multiples; /* p divides m */
    bool exact;
    uint64_t latency; /* an operation takes 10 ticks */
} waits[] = {
    {PIPE_GPIPE, false, true, 3},      {PIPE_GPIPE, false, true, 25},
    {PIPE_1F1B, true, true, 3},        {PIPE_1F1B, true, true, 25},
    {PIPE_1F1B, false, false, 7},      {PIPE_1F1B, false, false, 25},
    {PIPE_LOOPED_BFS, true, true, 3},  {PIPE_LOOPED_BFS, true, true, 10},
    {PIPE_INTERLEAVED, true, true, 3}, {PIPE_INTERLEAVED, true, true, 10},
    {PIPE_ZB_H1, false, false, 1},     {PIPE_ZB_H1, false, false, 3},
};

START_TEST(the_step_grows_by_the_messages_that_are_exposed) {
    int compared = 0;
    for (uint32_t i = 0; i < P_MAX * M_MAX * V_MAX; i++) {
        uint32_t p = i % P_MAX + 1, m = i / P_MAX % M_MAX + 1, v = i / P_MAX / M_MAX + 1;
        struct pipe_request r = {waits[_i].schedule, p, m, v, 0};
        struct pipe_shape shape;
        struct message why;
        bool legal = pipe_request_settle(&r, &r, &shape, &why) == STATUS_OK;
        if (!legal || p == 1 || (waits[_i].only_multiples && m % p != 0)) {
            continue;
        }
        struct scenario s = scenario_of(&r);
        uint64_t ticks = longer(&r, &shape, 10, waits[_i].latency);
        uint64_t counted = calc_pipeline_messages(&s) * waits[_i].latency;
        uint64_t spare = waits[_i].exact ? 0 : 2 * (p - 1) * waits[_i].latency;
        bool far = r.schedule == PIPE_1F1B && counted > ticks + spare;
        ck_assert_msg(counted >= ticks && !far && (!waits[_i].exact || counted == ticks),
                      "%s p=%u m=%u v=%u: %ju, not %ju", pipe_schedule_name(r.schedule), p, m, v,
                      (uintmax_t)counted, (uintmax_t)ticks);
        compared++;
    }
    ck_assert_int_gt(compared, 15);
}
END_TEST

/* 405B on 16 stages: what comm says of any stage is what `pipe --comm` adds to the step. */
START_TEST(communication_and_pipeline_agree_on_what_latency_costs) {
    const struct pipe_request wanted = {PIPE_1F1B, 16, 128, 1, 0};
    struct pipe_request r;
    struct pipe_shape shape;
    struct message why;
    ck_assert_int_eq(pipe_request_settle(&wanted, &r, &shape, &why), STATUS_OK);
    struct scenario s =
        legal_of("--layers 126 --hidden 16384 --heads 128 --kv-heads 8 --ffn 53248 --vocab 128256 "
                 "--seq 8192 --tp 8 --pp 16 --micro-batches 128 --alpha-us 0 "
                 "--link-gb-per-s 450 --net-gb-per-s 50");
    ck_assert_uint_eq(longer(&r, &shape, 1000, 1), 268);
    for (uint64_t stage = 0; stage < 16; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        double exposed = 0, message = 0;
        for (int i = 0; i < c.row_count; i++) {
            const struct calc_comm_row *row = &c.rows[i];
            exposed += row->axis == CALC_AXIS_PP ? row->exposed_s : 0;
            message = row->axis == CALC_AXIS_PP ? row->time_s / (double)row->count : message;
        }
        ck_assert_msg(near(exposed, 268 * message), "stage %ju: %.12g", (uintmax_t)stage, exposed);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("messages");
    TCase *t = tcase_create("messages");
    tcase_add_loop_test(t, every_rank_sends_as_many_messages_as_its_schedule, 0, PIPE_SCHEDULES);
    tcase_add_loop_test(t, the_step_grows_by_the_messages_that_are_exposed, 0, ROWS(waits));
    tcase_add_test(t, communication_and_pipeline_agree_on_what_latency_costs);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
