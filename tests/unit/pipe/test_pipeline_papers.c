/* Published figures of pipeline schedules (vectors_papers.csv), each from a simulation and within the row's own
 * tolerance. test_papers.c of the room `calc` counts these classes as computed here. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>

#include "pipe_support.h"
#include "support/csv.h"
#include "support/reference.h"

static struct csv papers;

static uint32_t count_of(const struct inputs *in, const char *key, uint32_t otherwise) {
    const char *text = inputs_get(in, key);
    return text[0] == '\0' ? otherwise : (uint32_t)strtoul(text, NULL, 10);
}

/* The papers' names for our schedules; a row without one means 1F1B, or interleaved when v > 1. */
static enum pipe_schedule schedule_of(const struct inputs *in) {
    static const struct {
        const char *name;
        enum pipe_schedule schedule;
    } names[] = {{"", PIPE_1F1B},
                 {"1f1b", PIPE_1F1B},
                 {"gpipe", PIPE_GPIPE},
                 {"zb_h1", PIPE_ZB_H1},
                 {"zb1p", PIPE_ZB_H1},
                 {"zb_h2", PIPE_ZB_H2},
                 {"dualpipe", PIPE_DUALPIPE}};
    const char *name = inputs_get(in, "schedule");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return count_of(in, "v", 1) > 1 ? PIPE_INTERLEAVED : names[i].schedule;
        }
    }
    ck_abort_msg("no schedule of ours is called %s", name);
}

/* Runs the row's schedule; four micro-batches a rank where it does not say how many. */
static void run(struct lab *lab, const struct inputs *in, const struct lab_times *times) {
    struct lab_times t = *times;
    struct pipe_request r = {.schedule = schedule_of(in)};
    r.ranks = count_of(in, "p", count_of(in, "pp", 0));
    r.micro_batches = count_of(in, "m", 4 * r.ranks);
    r.chunks = count_of(in, "v", 1);
    ck_assert_msg(lab_build(lab, &r), "refused: %s", lab->why.id);
    ck_assert_int_eq((int)lab_simulate(lab, lab_times(&t)), STATUS_OK);
}

static const struct lab_times ones = {1, 1, 1, {0}};

static double bubble_over_ideal(const struct inputs *in) {
    struct lab lab;
    run(&lab, in, &ones);
    struct pipe_fraction f = lab.run->bubble_over_ideal;
    lab_close(&lab);
    return (double)f.over / (double)f.under;
}

static double bubble_over_total(const struct inputs *in) {
    struct lab lab;
    run(&lab, in, &ones);
    struct pipe_fraction f = lab.run->bubble;
    lab_close(&lab);
    return (double)f.over / (double)f.under;
}

/* Here tB is the whole backward. */
static double makespan(const struct inputs *in) {
    struct lab lab;
    struct lab_times t = {count_of(in, "tF", 0), count_of(in, "tB", 0), 0, {0}};
    run(&lab, in, &t);
    double ticks = (double)lab.run->makespan;
    lab_close(&lab);
    return ticks;
}

/* The zero-bubble papers count what a rank idles within its own span, and look at the rank that idles most. */
static double most_inner_idle(const struct lab *lab) {
    uint64_t most = 0;
    for (uint32_t r = 0; r < lab->shape.ranks; r++) {
        most = lab->run->ranks[r].inner_idle > most ? lab->run->ranks[r].inner_idle : most;
    }
    return (double)most;
}

static double zero_bubble_time(const struct inputs *in) {
    struct lab lab;
    struct lab_times t = {count_of(in, "tF", 0), count_of(in, "tB", 0), count_of(in, "tW", 0), {0}};
    run(&lab, in, &t);
    double ticks = most_inner_idle(&lab);
    lab_close(&lab);
    return ticks;
}

/* DeepSeek writes B for the whole backward. */
static double dual_bubble_time(const struct inputs *in) {
    struct lab lab;
    uint64_t w = count_of(in, "W", 0);
    struct lab_times t = {count_of(in, "F", 0), count_of(in, "B", 0) - w, w, {0}};
    t.times.has_overlapped = true;
    t.times.overlapped = count_of(in, "FB", 0);
    run(&lab, in, &t);
    double ticks = most_inner_idle(&lab);
    lab_close(&lab);
    return ticks;
}

static double peak(const struct inputs *in) {
    struct lab lab;
    run(&lab, in, &ones);
    double chunks = (double)lab.run->ranks[0].peak_until_w;
    lab_close(&lab);
    return chunks;
}

/* How often the model is held, over what a rank of a plain pipeline holds. */
static double copies(const struct inputs *in) {
    struct lab lab;
    run(&lab, in, &ones);
    double held = (double)lab.shape.chunks / (double)lab.request.chunks;
    lab_close(&lab);
    return held;
}

static const struct {
    const char *quantity;
    double (*compute)(const struct inputs *in);
} classes[] = {
    {"pp.bubble_over_ideal", bubble_over_ideal},
    {"pp.bubble_over_total", bubble_over_total},
    {"pp.makespan", makespan},
    {"pp.peak_in_flight_first_stage", peak},
    {"zb.bubble_time", zero_bubble_time},
    {"zb.peak_memory_in_MB", peak},
    {"dualpipe.bubble_time", dual_bubble_time},
    {"dualpipe.activation_units", peak},
    {"dualpipe.param_copies", copies},
};

START_TEST(a_published_figure_comes_out_of_the_simulation) {
    struct inputs in;
    int rows = 0;
    for (int row = 0; row < papers.rows; row++) {
        if (strcmp(csv_get(&papers, row, "quantity"), classes[_i].quantity) != 0) {
            continue;
        }
        rows++;
        inputs_read(&in, csv_get(&papers, row, "inputs"));
        double value = classes[_i].compute(&in);
        double expected = strtod(csv_get(&papers, row, "expected"), NULL);
        double tolerance = strtod(csv_get(&papers, row, "tolerance"), NULL);
        ck_assert_msg(fabs(value - expected) <= tolerance + 1e-12 * fabs(expected),
                      "%s %s (%s): %.9g, published %.9g", csv_get(&papers, row, "id"),
                      classes[_i].quantity, csv_get(&papers, row, "inputs"), value, expected);
    }
    ck_assert_int_gt(rows, 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pipeline_papers");
    TCase *t = tcase_create("pipeline_papers");
    papers = csv_read("vectors_papers.csv");
    tcase_add_loop_test(t, a_published_figure_comes_out_of_the_simulation, 0,
                        (int)(sizeof classes / sizeof classes[0]));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
