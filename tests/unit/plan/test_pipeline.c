/* Pipelines that have no closed form: what the planner says of them, for any number of micro-batches, is what the whole
 * order takes when it is run, messages included. Schedules, sizes, speeds and ratios of times are drawn. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "../calc/dice.h"
#include "plan_support.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"

#define MODEL "--layers 96 --hidden 1024 --heads 16 --vocab 32000 --seq 2K --memory 80GB "

/* Picoseconds. */
struct times {
    uint64_t f, b, w, message;
};

/* Of a chunk of the slowest stage, and of a message. */
static struct times times_of(const struct scenario *s) {
    double scale = 1e12 / scenario_flops_per_s(s) / (double)s->layout.chunks, most = 0;
    struct times t = {0};
    for (uint64_t stage = 0; stage < s->layout.pp; stage++) {
        struct calc_flops_stage f;
        struct message why;
        ck_assert_int_eq(calc_flops_on_stage(s, stage, &f, &why), STATUS_OK);
        double all = f.forward + f.input_grad + f.weight_grad + f.recompute;
        if (all > most) {
            most = all;
            t.f = (uint64_t)(f.forward * scale);
            t.b = (uint64_t)((f.input_grad + f.recompute) * scale);
            t.w = (uint64_t)(f.weight_grad * scale);
        }
    }
    struct calc_comm c;
    struct message why;
    ck_assert_int_eq(calc_comm_on_stage(s, 0, &c, &why), STATUS_OK);
    for (int i = 0; i < c.row_count; i++) {
        if (strcmp(c.rows[i].id, "activations") == 0) {
            t.message = (uint64_t)(1e12 * c.rows[i].time_s / (double)c.rows[i].count);
        }
    }
    return t;
}

/* What a rank waits for when the whole order is run. */
static double waited_s(const struct scenario *s, const char *schedule, const struct times *t) {
    static struct pipe_order order;
    static struct pipe_run run;
    struct pipe_request in = {.schedule = (enum pipe_schedule)pipe_schedule_find(schedule),
                              .ranks = (uint32_t)s->layout.pp,
                              .micro_batches = (uint32_t)s->batch.micro_batches},
                        settled;
    struct pipe_shape shape;
    struct message why;
    must_hold(pipe_request_settle(&in, &settled, &shape, &why) == STATUS_OK, "%s",
              message_line(&why));
    uint64_t capacity = pipe_order_capacity(&shape);
    struct pipe_op *ops = malloc(capacity * sizeof *ops);
    struct pipe_run_op *times = malloc(capacity * sizeof *times);
    void *scratch = malloc(pipe_simulate_scratch(&shape));
    ck_assert(ops != NULL && times != NULL && scratch != NULL);
    pipe_schedule_build(&settled, &shape, ops, capacity, &order);
    const struct pipe_space memory = {.scratch = scratch, .ops = times};
    const struct pipe_times ticks = {
        .f = &t->f, .b = &t->b, .w = &t->w, .count = 1, .latency = t->message};
    must_hold(pipe_simulate(&order, &ticks, &memory, &run, &why) == STATUS_OK, "%s",
              message_line(&why));
    free(ops);
    free(times);
    free(scratch);
    uint64_t busy = s->batch.micro_batches * settled.chunks * (t->f + t->b + t->w);
    return 1e-12 * ((double)run.makespan - (double)busy);
}

static struct scenario drawn(struct dice *d, const char *schedule, char line[400]) {
    static const char *const recomputes[] = {"none", "full"};
    uint64_t p = 2 * (1 + dice_roll(d, 8));
    uint64_t m = 2 * p + 2 * dice_roll(d, 5 * p);
    m = strcmp(schedule, "chimera") == 0 ? p * (1 + m / p) : m;
    (void)snprintf(line, 400,
                   MODEL "--pp %ju --micro-batches %ju --schedule %s --recompute %s --seq %d "
                         "--gpus-per-node 1 --net-gb-per-s %g --alpha-us %g --mfu 0.5 "
                         "--link-gb-per-s 1",
                   (uintmax_t)p, (uintmax_t)m, schedule, recomputes[dice_roll(d, 2)],
                   1 << (7 + dice_roll(d, 9)), pow(10, (double)dice_roll(d, 6) - 2),
                   (double)dice_roll(d, 1000));
    struct scenario s = applied_of(line);
    struct message why;
    must_hold(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s", message_line(&why));
    must_hold(scenario_violations(&s, &why, 1) == 0, "%s: %s", line, message_line(&why));
    return s;
}

static const char *const run_schedules[] = {"zb-v", "dualpipe", "dualpipev", "chimera"};

START_TEST(a_pipeline_that_is_run_takes_the_time_of_its_whole_order) {
    struct dice d = {.state = 7 + (uint64_t)_i};
    for (int i = 0; i < 60; i++) {
        char line[400];
        struct scenario s = drawn(&d, run_schedules[_i], line);
        struct plan_layout l;
        struct message why;
        must_hold(plan_price_in(&s, lent_space(), &l, &why) == STATUS_OK, "%s: %s", line,
                  message_line(&why));
        struct times t = times_of(&s), at_once = t;
        at_once.message = 0;
        double bubble = waited_s(&s, run_schedules[_i], &at_once);
        double both = waited_s(&s, run_schedules[_i], &t);
        double copies = l.term_s[PLAN_PP] + l.term_s[PLAN_BUBBLE] - both;
        struct calc_comm c;
        ck_assert_int_eq(calc_comm_step(&s, &c, &why), STATUS_OK);
        for (int row = 0; row < c.row_count; row++) { /* gradients of two copies: no messages */
            copies -= strcmp(c.rows[row].id, "gradients.copies") == 0 ? c.rows[row].exposed_s : 0;
        }
        must_hold(fabs(l.term_s[PLAN_BUBBLE] - bubble) <= 1e-6 * l.step_s, "%s: %g, not %g", line,
                  l.term_s[PLAN_BUBBLE], bubble);
        must_hold(fabs(copies) <= 1e-6 * l.step_s, "%s: %g too much of %g", line, copies, both);
    }
}
END_TEST

START_TEST(without_memory_nothing_is_run) {
    char line[400];
    struct dice d = {.state = 3};
    struct scenario s = drawn(&d, run_schedules[_i], line);
    struct plan_layout l;
    struct message why;
    ck_assert_int_eq(plan_price(&s, &l, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.plan.schedule");
}
END_TEST

START_TEST(more_stages_than_the_memory_holds_are_refused) {
    struct scenario s = applied_of("--layers 512 --hidden 64 --heads 4 --vocab 100 --memory 80GB "
                                   "--pp 256 --schedule dualpipe" CARD);
    struct plan_layout l;
    struct message why;
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    ck_assert_int_eq(plan_price_in(&s, lent_space(), &l, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.plan.stages|dualpipe|256|128");
}
END_TEST

/* As many stages and micro-batches as there may be: the memory holds them. */
START_TEST(the_largest_pipeline_has_room) {
    struct scenario s =
        applied_of("--layers 256 --hidden 64 --heads 4 --vocab 100 --memory 80GB --pp 128 "
                   "--micro-batches 100001 --schedule dualpipev --alpha-us 0.5" CARD);
    struct plan_layout l;
    struct message why;
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    ck_assert_int_eq(plan_price_in(&s, lent_space(), &l, &why), STATUS_OK);
    ck_assert(l.term_s[PLAN_PP] > 0 && isfinite(l.step_s));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pipeline");
    TCase *t = tcase_create("pipeline");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_pipeline_that_is_run_takes_the_time_of_its_whole_order, 0,
                        ROWS(run_schedules));
    tcase_add_loop_test(t, without_memory_nothing_is_run, 0, ROWS(run_schedules));
    tcase_add_test(t, more_stages_than_the_memory_holds_are_refused);
    tcase_add_test(t, the_largest_pipeline_has_room);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
