/* The time of a step: its pipeline is what the simulator says, its communication is what calc_comm says, and each term
 * answers to what it is about and to nothing else. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "plan_support.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"

#define MODEL "--layers 24 --hidden 1024 --heads 16 --vocab 32000 --seq 2K --memory 80GB" CARD

static struct scenario legal_with_card(const char *line) {
    struct scenario s = applied_of(line);
    struct message why;
    must_hold(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s", message_line(&why));
    must_hold(scenario_violations(&s, &why, 1) == 0, "%s: %s", line, message_line(&why));
    return s;
}

static struct plan_layout priced(const char *line) {
    struct scenario s = legal_with_card(line);
    struct plan_layout l;
    struct message why;
    must_hold(plan_price(&s, &l, &why) == STATUS_OK, "%s", message_line(&why));
    return l;
}

static void near(double value, double expected, double tolerance, const char *what) {
    must_hold(fabs(value - expected) <= tolerance * fabs(expected) + 1e-15, "%s: %.12g, not %.12g",
              what, value, expected);
}

static struct pipe_request request_of(const struct scenario *s, struct pipe_shape *shape) {
    static const enum pipe_schedule schedules[] = {
        [CALC_SCHEDULE_1F1B] = PIPE_1F1B,
        [CALC_SCHEDULE_GPIPE] = PIPE_GPIPE,
        [CALC_SCHEDULE_INTERLEAVED] = PIPE_INTERLEAVED,
        [CALC_SCHEDULE_LOOPED_BFS] = PIPE_LOOPED_BFS,
        [CALC_SCHEDULE_ZB_H1] = PIPE_ZB_H1,
        [CALC_SCHEDULE_ZB_H2] = PIPE_ZB_H2,
        [CALC_SCHEDULE_ZB_INTERLEAVED] = PIPE_ZB_INTERLEAVED,
    };
    struct pipe_request in = {.schedule = schedules[s->layout.schedule],
                              .ranks = (uint32_t)s->layout.pp,
                              .micro_batches = (uint32_t)s->batch.micro_batches,
                              .chunks = (uint32_t)s->layout.chunks};
    struct pipe_request settled;
    struct message why;
    must_hold(pipe_request_settle(&in, &settled, shape, &why) == STATUS_OK, "%s",
              message_line(&why));
    return settled;
}

/* The makespan of the scenario's schedule; times of all stages of the model, or of each. */
static uint64_t simulated(const struct scenario *s, const uint64_t *f, const uint64_t *b,
                          const uint64_t *w, uint32_t count) {
    struct pipe_shape shape;
    struct pipe_request settled = request_of(s, &shape);
    static struct pipe_order order;
    static struct pipe_run run;
    uint64_t capacity = pipe_order_capacity(&shape);
    struct pipe_op *ops = malloc(capacity * sizeof *ops);
    struct pipe_run_op *times = malloc(capacity * sizeof *times);
    void *scratch = malloc(pipe_simulate_scratch(&shape));
    struct message why;
    ck_assert(ops != NULL && times != NULL && scratch != NULL);
    pipe_schedule_build(&settled, &shape, ops, capacity, &order);
    struct pipe_space space = {.scratch = scratch, .ops = times};
    struct pipe_times ticks = {.f = f, .b = b, .w = w, .count = count};
    must_hold(pipe_simulate(&order, &ticks, &space, &run, &why) == STATUS_OK, "%s",
              message_line(&why));
    free(ops);
    free(times);
    free(scratch);
    return run.makespan;
}

static double pipeline_s(const struct plan_layout *l) {
    return l->term_s[PLAN_COMPUTE] + l->term_s[PLAN_RECOMPUTE] + l->term_s[PLAN_IMBALANCE] +
           l->term_s[PLAN_BUBBLE];
}

/* Pipelines without communication inside a micro-batch. */
static const char *const pipelines[] = {
    " --pp 4 --micro-batches 1",
    " --pp 4 --micro-batches 3",
    " --pp 4 --micro-batches 8",
    " --pp 8 --micro-batches 8 --recompute full",
    " --pp 24 --micro-batches 30",
    " --pp 4 --micro-batches 8 --schedule gpipe",
    " --pp 4 --micro-batches 8 --chunks 2",
    " --pp 4 --micro-batches 16 --chunks 6",
    " --pp 8 --micro-batches 8 --chunks 3 --micro-batch 2",
    " --pp 4 --micro-batches 8 --schedule looped-bfs",
    " --pp 4 --micro-batches 8 --schedule zb-h1",
    " --pp 8 --micro-batches 16 --schedule zb-h1 --recompute full",
    " --pp 4 --micro-batches 8 --schedule zb-h2",
    " --pp 4 --micro-batches 8 --schedule zb-interleaved",
};

/* Picoseconds of a forward and both backwards of one chunk on the stage that takes longest: the last, with the head. */
static void slowest_chunk(const struct scenario *s, uint64_t *f, uint64_t *b, uint64_t *w) {
    struct calc_flops_stage flops;
    struct message why;
    double scale = 1e12 / scenario_flops_per_s(s) / (double)s->layout.chunks;
    ck_assert_int_eq(calc_flops_on_stage(s, s->layout.pp - 1, &flops, &why), STATUS_OK);
    *f = (uint64_t)(flops.forward * scale);
    *b = (uint64_t)((flops.input_grad + flops.recompute) * scale);
    *w = (uint64_t)(flops.weight_grad * scale);
}

START_TEST(for_equal_stages_the_pipeline_takes_the_simulated_time) {
    char line[400];
    (void)snprintf(line, sizeof line, MODEL "%s", pipelines[_i]);
    struct scenario s = legal_with_card(line);
    struct plan_layout l = priced(line);
    uint64_t f = 0, b = 0, w = 0;
    slowest_chunk(&s, &f, &b, &w);
    double makespan = (double)simulated(&s, &f, &b, &w, 1);
    double busy = (double)(f + b + w) * (double)(s.batch.micro_batches * s.layout.chunks);
    near(pipeline_s(&l), makespan * 1e-12, 1e-8, pipelines[_i]);
    near(l.bubble, 1.0 - busy / makespan, 1e-7, "bubble");
}
END_TEST

/* The stages' own times, head and uneven layers included, in picoseconds. */
START_TEST(for_unequal_stages_the_pipeline_takes_no_more_than_predicted) {
    static const char *const uneven[] = {
        " --pp 5 --micro-batches 7",
        " --pp 7 --micro-batches 21",
        " --pp 4 --micro-batches 8 --layers-per-stage 3,9,8,4",
        " --pp 2 --micro-batches 2 --layers-per-stage 20,4",
        " --pp 4 --micro-batches 16 --layers-per-stage 7,7,7,3 --recompute full",
        " --pp 6 --micro-batches 6 --schedule gpipe",
    };
    for (int i = 0; i < ROWS(uneven); i++) {
        char line[400];
        (void)snprintf(line, sizeof line, MODEL "%s", uneven[i]);
        struct scenario s = legal_with_card(line);
        struct plan_layout l = priced(line);
        uint64_t f[32], b[32];
        static const uint64_t none[32];
        double speed = scenario_flops_per_s(&s);
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            struct calc_flops_stage flops;
            struct message why;
            ck_assert_int_eq(calc_flops_on_stage(&s, stage, &flops, &why), STATUS_OK);
            f[stage] = (uint64_t)(flops.forward / speed * 1e12);
            b[stage] =
                (uint64_t)((flops.input_grad + flops.weight_grad + flops.recompute) / speed * 1e12);
        }
        double simulated_s = (double)simulated(&s, f, b, none, (uint32_t)s.layout.pp) * 1e-12;
        must_hold(simulated_s <= pipeline_s(&l) * (1 + 1e-9),
                  "%s: simulated %.9g s, predicted %.9g", uneven[i], simulated_s, pipeline_s(&l));
        must_hold(simulated_s >= (l.term_s[PLAN_COMPUTE] + l.term_s[PLAN_IMBALANCE]) * (1 - 1e-9),
                  "%s", uneven[i]);
    }
}
END_TEST

START_TEST(one_gpu_reaches_the_stated_utilisation) {
    struct plan_layout l = priced(MODEL), full = priced(MODEL " --recompute full");
    near(l.mfu, 0.5, 1e-9, "MFU");
    near(l.step_s, l.term_s[PLAN_COMPUTE], 1e-12, "step");
    near(full.step_s, l.term_s[PLAN_COMPUTE] + full.term_s[PLAN_RECOMPUTE], 1e-12, "recomputed");
    ck_assert(full.mfu < 0.39 && full.mfu > 0.37); /* 3/4, but for the head */
}
END_TEST

START_TEST(communication_is_that_of_the_communication_calculator) {
    static const char *const lines[] = {
        MODEL " --dp 8 --micro-batches 2",
        MODEL " --dp 4 --zero 3 --micro-batches 3",
        MODEL " --tp 4 --sequence-parallel",
        MODEL " --tp 2 --pp 3 --cp 2 --dp 2 --zero 1",
        MODEL " --dp 4 --experts 8 --experts-active 2 --moe-ffn 512 --ep 4 --ffn 4096",
        MODEL " --zero 2 --dp 2 --convention deepspeed --offload optimizer --pcie-gb-per-s 20",
    };
    for (int i = 0; i < ROWS(lines); i++) {
        struct scenario s = legal_with_card(lines[i]);
        struct plan_layout l = priced(lines[i]);
        struct calc_comm comm;
        struct message why;
        double sum = 0;
        ck_assert_int_eq(calc_comm_step(&s, &comm, &why), STATUS_OK);
        for (int term = PLAN_TP; term < PLAN_TERMS; term++) {
            sum += l.term_s[term];
        }
        ck_assert(comm.exposed_known);
        near(sum, comm.exposed_s, 1e-9, lines[i]);
    }
}
END_TEST

START_TEST(what_a_micro_batch_waits_for_stretches_the_bubble) {
    struct plan_layout alone = priced(MODEL " --pp 4 --micro-batches 8");
    struct plan_layout split = priced(MODEL " --pp 4 --micro-batches 8 --tp 4");
    near(split.term_s[PLAN_BUBBLE], alone.term_s[PLAN_BUBBLE] / 4 + 3 * split.term_s[PLAN_TP] / 8,
         1e-3, "bubble");
}
END_TEST

START_TEST(the_terms_sum_to_the_step) {
    struct plan_layout l = priced(MODEL " --tp 2 --pp 5 --cp 2 --dp 4 --zero 2 --recompute full");
    double sum = 0;
    for (int i = 0; i < PLAN_TERMS; i++) {
        ck_assert(l.term_s[i] >= 0 && isfinite(l.term_s[i]));
        sum += l.term_s[i];
    }
    ck_assert(sum == l.step_s);
}
END_TEST

START_TEST(an_unknown_link_is_an_error_that_names_it) {
    struct scenario s = legal_with_card(
        "--layers 8 --hidden 512 --heads 8 --vocab 4096 --dp 2 --memory 1GB --offload optimizer"
        " --zero 2 --convention deepspeed" CARD);
    struct plan_layout l;
    struct message why;
    ck_assert_int_eq(plan_price(&s, &l, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.plan.link|pcie");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("price");
    TCase *t = tcase_create("price");
    tcase_add_loop_test(t, for_equal_stages_the_pipeline_takes_the_simulated_time, 0,
                        ROWS(pipelines));
    tcase_add_test(t, for_unequal_stages_the_pipeline_takes_no_more_than_predicted);
    tcase_add_test(t, one_gpu_reaches_the_stated_utilisation);
    tcase_add_test(t, communication_is_that_of_the_communication_calculator);
    tcase_add_test(t, what_a_micro_batch_waits_for_stretches_the_bubble);
    tcase_add_test(t, the_terms_sum_to_the_step);
    tcase_add_test(t, an_unknown_link_is_an_error_that_names_it);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
