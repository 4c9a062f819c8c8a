/* What holds of every run: each operation starts exactly when the last thing that it needs is there, slack is what a
 * delay may be, and the makespan moves with the times as it must. The reference is a slow simulation that goes over all
 * operations until nothing changes. */
#include <stdio.h>

#include "pipe_support.h"
#include "support/rounds.h"
#include "unit/calc/dice.h"

enum { STAGES_MAX = 64 };

/* A random legal schedule with times of its own for every stage. */
struct game {
    struct lab lab;
    struct pipe_times times;
    uint64_t f[STAGES_MAX], b[STAGES_MAX], w[STAGES_MAX];
    char text[160];
};

static void game_times(struct game *g, struct dice *dice) {
    uint32_t stages = pipe_stages(&g->lab.shape);
    ck_assert_uint_le(stages, STAGES_MAX);
    for (uint32_t i = 0; i < stages; i++) {
        g->f[i] = dice_roll(dice, 9);
        g->b[i] = dice_roll(dice, 9);
        g->w[i] = dice_roll(dice, 9);
    }
    g->times = (struct pipe_times){g->f,
                                   g->b,
                                   g->w,
                                   stages,
                                   dice_roll(dice, 2) == 0,
                                   dice_roll(dice, 20),
                                   dice_roll(dice, 2) * dice_roll(dice, 5)};
}

/* Rolls until the schedule is legal. */
static void game_open(struct game *g, struct dice *dice) {
    struct pipe_request r = {PIPE_GPIPE, 0, 0, 0, 0};
    do {
        r.schedule = (enum pipe_schedule)dice_roll(dice, PIPE_SCHEDULES);
        r.ranks = 1 + (uint32_t)dice_roll(dice, 8);
        r.micro_batches = 1 + (uint32_t)dice_roll(dice, 20);
    } while (!lab_build(&g->lab, &r));
    game_times(g, dice);
    (void)snprintf(g->text, sizeof g->text, "%s p=%u m=%u overlapped=%d %ju latency=%ju",
                   pipe_schedule_name(r.schedule), r.ranks, r.micro_batches,
                   (int)g->times.has_overlapped, (uintmax_t)g->times.overlapped,
                   (uintmax_t)g->times.latency);
}

static uint64_t game_run(struct game *g) {
    enum status ok = lab_simulate(&g->lab, &g->times);
    ck_assert_msg(ok == STATUS_OK, "%s: %s", g->text, g->lab.why.id);
    return g->lab.run->makespan;
}

/* --- The slow reference --- */

static uint32_t rank_of(const struct pipe_order *order, uint64_t op) {
    uint32_t rank = 0;
    while (order->first[rank + 1] <= op) {
        rank++;
    }
    return rank;
}

static uint32_t stage_of(const struct game *g, uint64_t op) {
    return pipe_stage_at(&g->lab.shape, rank_of(&g->lab.order, op), g->lab.list[op].chunk);
}

/* True if `op` needs the result of `other`. */
static bool needs(const struct game *g, uint64_t op, uint64_t other) {
    const struct pipe_op *a = &g->lab.list[op], *b = &g->lab.list[other];
    uint32_t to = stage_of(g, op), from = stage_of(g, other);
    bool last = to + 1 == pipe_stages(&g->lab.shape);
    bool b_is_backward = b->kind == PIPE_B || b->kind == PIPE_BW;
    if (a->micro_batch != b->micro_batch) {
        return false;
    }
    switch ((enum pipe_kind)a->kind) {
    case PIPE_F:
        return b->kind == PIPE_F && from + 1 == to;
    case PIPE_W:
        return b_is_backward && from == to;
    case PIPE_B:
    case PIPE_BW:
        return last ? b->kind == PIPE_F && from == to : b_is_backward && from == to + 1;
    }
    return false;
}

static uint64_t ticks_of(const struct game *g, uint64_t op) {
    uint32_t stage = stage_of(g, op);
    switch ((enum pipe_kind)g->lab.list[op].kind) {
    case PIPE_F:
        return g->f[stage];
    case PIPE_B:
        return g->b[stage];
    case PIPE_W:
        return g->w[stage];
    case PIPE_BW:
        break;
    }
    return g->b[stage] + g->w[stage];
}

/* The earliest that `op` may start, given when all others end. */
static uint64_t earliest(const struct game *g, uint64_t op, const struct pipe_run_op *ops) {
    const struct pipe_order *order = &g->lab.order;
    uint32_t rank = rank_of(order, op);
    uint64_t count = pipe_order_count(order), start = 0, before = op;
    if (op > order->first[rank] && g->lab.list[op - 1].overlapped != 0) {
        before = op - 1; /* the second of a pair does not wait for the first */
    }
    if (before > order->first[rank]) {
        start = ops[before - 1].end;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (needs(g, op, i)) {
            uint64_t at = ops[i].end + (rank_of(order, i) == rank ? 0 : g->times.latency);
            start = at > start ? at : start;
        }
    }
    return start;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Checks that every start is exactly the earliest, so that the run is the only one. */
static void expect_earliest(const struct game *g) {
    const struct pipe_run_op *ops = g->lab.space.ops;
    uint64_t count = pipe_order_count(&g->lab.order);
    for (uint64_t i = 0; i < count; i++) {
        bool pair = g->lab.list[i].overlapped != 0;
        uint64_t start = earliest(g, i, ops), ticks = ticks_of(g, i);
        if (pair) {
            start = later(start, earliest(g, i + 1, ops));
            ticks = g->times.has_overlapped ? g->times.overlapped : ticks + ticks_of(g, i + 1);
        }
        ck_assert_msg(ops[i].start == start && ops[i].end == start + ticks,
                      "%s: operation %ju runs %ju to %ju, not %ju to %ju", g->text, (uintmax_t)i,
                      (uintmax_t)ops[i].start, (uintmax_t)ops[i].end, (uintmax_t)start,
                      (uintmax_t)(start + ticks));
        if (pair) {
            i++;
            ck_assert(ops[i].start == start && ops[i].end == start + ticks);
        }
    }
}

/* The latest that `op` may end: when the first of those that need it must start at the latest, its rank's next one
 * included. */
static uint64_t latest(const struct game *g, uint64_t op) {
    const struct pipe_order *order = &g->lab.order;
    const struct pipe_run_op *ops = g->lab.space.ops;
    uint32_t rank = rank_of(order, op);
    uint64_t count = pipe_order_count(order), last = g->lab.run->makespan;
    uint64_t next = op + 1 + g->lab.list[op].overlapped;
    if (next < order->first[rank + 1] && ops[next].start + ops[next].slack < last) {
        last = ops[next].start + ops[next].slack;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = rank_of(order, i) == rank ? 0 : g->times.latency;
        if (needs(g, i, op) && ops[i].start + ops[i].slack - gap < last) {
            last = ops[i].start + ops[i].slack - gap;
        }
    }
    return last;
}

static void expect_slack(const struct game *g) {
    const struct pipe_run_op *ops = g->lab.space.ops;
    uint64_t count = pipe_order_count(&g->lab.order);
    for (uint64_t i = 0; i < count; i++) {
        bool pair = g->lab.list[i].overlapped != 0;
        uint64_t last = latest(g, i), other = pair ? latest(g, i + 1) : last;
        last = other < last ? other : last;
        ck_assert_msg(ops[i].end + ops[i].slack == last, "%s: operation %ju has slack %ju, not %ju",
                      g->text, (uintmax_t)i, (uintmax_t)ops[i].slack,
                      (uintmax_t)(last - ops[i].end));
        if (pair) {
            i++;
            ck_assert_uint_eq(ops[i].slack, ops[i - 1].slack);
        }
    }
}

/* Following what was waited for leads to 0 without a gap, over operations without slack. */
static void expect_path(const struct game *g) {
    const struct pipe_run_op *ops = g->lab.space.ops;
    int64_t at = pipe_run_last(&g->lab.order, ops);
    ck_assert_uint_eq(ops[at].end, g->lab.run->makespan);
    for (; ops[at].waits_for != PIPE_NONE; at = ops[at].waits_for) {
        const struct pipe_run_op *before = &ops[ops[at].waits_for];
        uint64_t gap = ops[at].start - before->end;
        ck_assert_msg(ops[at].slack == 0, "%s: slack on the path", g->text);
        ck_assert_msg(gap == 0 || (gap == g->times.latency && ops[at].wait == PIPE_WAIT_DATA),
                      "%s: a gap of %ju", g->text, (uintmax_t)gap);
    }
    ck_assert_uint_eq(ops[at].start, 0);
    ck_assert_int_eq((int)ops[at].wait, PIPE_WAIT_NOTHING);
}

static void expect_sums(const struct game *g) {
    const struct pipe_run *run = g->lab.run;
    for (uint32_t r = 0; r < g->lab.shape.ranks; r++) {
        const struct pipe_rank_run *rank = &run->ranks[r];
        ck_assert_uint_eq(rank->busy + rank->idle, run->makespan);
        ck_assert_uint_le(rank->inner_idle, rank->idle);
        ck_assert_uint_ge(rank->peak_until_w, rank->peak_until_b);
        ck_assert_uint_ge(rank->peak_until_b, 1);
    }
    ck_assert_uint_le(run->bubble.over, run->bubble.under);
}

START_TEST(every_operation_starts_when_it_can_and_the_path_has_no_gap) {
    struct dice dice = {7};
    struct game g;
    for (int i = test_rounds(400); i > 0; i--) {
        game_open(&g, &dice);
        (void)game_run(&g);
        if (pipe_order_count(&g.lab.order) <= 400) {
            expect_earliest(&g);
            expect_slack(&g);
        }
        expect_path(&g);
        expect_sums(&g);
        lab_close(&g.lab);
    }
}
END_TEST

START_TEST(makespan_grows_with_every_time_and_scales_with_all) {
    struct dice dice = {8};
    struct game g;
    for (int i = test_rounds(600); i > 0; i--) {
        game_open(&g, &dice);
        uint64_t before = game_run(&g), more = 1 + dice_roll(&dice, 5);
        uint32_t stages = pipe_stages(&g.lab.shape), stage = (uint32_t)dice_roll(&dice, stages);
        uint64_t *times[] = {&g.f[stage], &g.b[stage], &g.w[stage], &g.times.latency,
                             &g.times.overlapped};
        *times[dice_roll(&dice, 5)] += more;
        uint64_t after = game_run(&g);
        ck_assert_msg(after >= before, "%s: %ju, then %ju", g.text, (uintmax_t)before,
                      (uintmax_t)after);
        for (uint32_t k = 0; k < stages; k++) {
            g.f[k] *= 7;
            g.b[k] *= 7;
            g.w[k] *= 7;
        }
        g.times.latency *= 7;
        g.times.overlapped *= 7;
        ck_assert_uint_eq(game_run(&g), 7 * after);
        lab_close(&g.lab);
    }
}
END_TEST

/* Stretching one operation by its slack keeps the makespan, and by one tick more does not. Times are a stage's, so the
 * stage has one micro-batch only. */
START_TEST(slack_is_the_longest_delay_that_costs_nothing) {
    struct dice dice = {9};
    struct game g;
    for (int i = test_rounds(400); i > 0; i--) {
        memset(&g, 0, sizeof g);
        uint32_t p = 2 + (uint32_t)dice_roll(&dice, 6);
        const struct pipe_request r = {dice_roll(&dice, 2) == 0 ? PIPE_GPIPE : PIPE_ZB_H1, p, 1, 0,
                                       0};
        ck_assert(lab_build(&g.lab, &r));
        game_times(&g, &dice);
        uint64_t makespan = game_run(&g);
        uint64_t op = dice_roll(&dice, pipe_order_count(&g.lab.order));
        uint64_t slack = g.lab.space.ops[op].slack;
        uint32_t stage = stage_of(&g, op);
        uint64_t *time = g.lab.list[op].kind == PIPE_F   ? &g.f[stage]
                         : g.lab.list[op].kind == PIPE_W ? &g.w[stage]
                                                         : &g.b[stage];
        *time += slack;
        ck_assert_uint_eq(game_run(&g), makespan);
        *time += 1;
        ck_assert_uint_eq(game_run(&g), makespan + 1);
        lab_close(&g.lab);
    }
}
END_TEST

START_TEST(one_more_micro_batch_costs_1f1b_one_forward_and_backward) {
    struct lab_times t = {3, 4, 2, {0}};
    for (uint32_t p = 1; p <= 6; p++) {
        uint64_t before = 0;
        for (uint32_t m = 1; m <= 20; m++) {
            struct lab lab;
            const struct pipe_request r = {PIPE_1F1B, p, m, 0, 0};
            ck_assert(lab_build(&lab, &r));
            ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_OK);
            ck_assert(m == 1 || lab.run->makespan == before + 9);
            before = lab.run->makespan;
            lab_close(&lab);
        }
    }
}
END_TEST

/* After the last operation nothing is held: as many releases as forwards, on every rank. */
START_TEST(nothing_is_in_flight_at_the_end) {
    struct dice dice = {10};
    struct game g;
    for (int i = test_rounds(200); i > 0; i--) {
        game_open(&g, &dice);
        for (uint32_t rank = 0; rank < g.lab.shape.ranks; rank++) {
            int64_t until_b = 0, until_w = 0;
            for (uint64_t k = g.lab.order.first[rank]; k < g.lab.order.first[rank + 1]; k++) {
                int kind = g.lab.list[k].kind;
                until_b += kind == PIPE_F ? 1 : kind == PIPE_W ? 0 : -1;
                until_w += kind == PIPE_F ? 1 : kind == PIPE_B ? 0 : -1;
            }
            ck_assert(until_b == 0 && until_w == 0);
        }
        lab_close(&g.lab);
    }
}
END_TEST

START_TEST(time_that_overflows_is_refused_with_the_operation) {
    struct lab lab;
    struct lab_times t = {UINT64_MAX / 3, 1, 1, {0}};
    const struct pipe_request r = {PIPE_GPIPE, 4, 8, 0, 0};
    ck_assert(lab_build(&lab, &r));
    ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_USAGE);
    ck_assert_str_eq(lab.why.id, "error.pipe.time");
    t.f = 1;
    t.times.latency = UINT64_MAX;
    ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_USAGE);
    t.times.latency = UINT64_MAX / 8;
    ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_USAGE);
    ck_assert_str_eq(lab.why.id, "error.pipe.time_total");
    t.times.latency = 0;
    t.b = UINT64_MAX;
    ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_USAGE);
    lab_close(&lab);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("simulate");
    TCase *t = tcase_create("simulate");
    tcase_add_test(t, every_operation_starts_when_it_can_and_the_path_has_no_gap);
    tcase_add_test(t, makespan_grows_with_every_time_and_scales_with_all);
    tcase_add_test(t, slack_is_the_longest_delay_that_costs_nothing);
    tcase_add_test(t, one_more_micro_batch_costs_1f1b_one_forward_and_backward);
    tcase_add_test(t, nothing_is_in_flight_at_the_end);
    tcase_add_test(t, time_that_overflows_is_refused_with_the_operation);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
