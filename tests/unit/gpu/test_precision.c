/* Experiments on a device find what the room `precision` finds with the CPU's rounding, to the bit: every fact and every point
 * of every experiment, for fp16, bf16, e4m3 and e5m2, with either answer to overflow; several ranks agree; and what a
 * device does not run is refused. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "gpu_support.h"
#include "shardlab/gpu/precision.h"

static const enum num_type types[] = {NUM_FP16, NUM_BF16, NUM_E4M3, NUM_E5M2};
enum { TYPES = 4, VARIANTS = 3, GRADIENTS = 300, STEPS = 20 };

static struct precision_result there, here;
static double gradients[GRADIENTS * STEPS];

/* Values that each type has; the variants differ in length, size and randomness. */
static struct precision_options asked(enum precision_experiment experiment, enum num_type type,
                                      int variant) {
    static const double values[VARIANTS] = {1, 16, 3}, updates[VARIANTS] = {1, 0.125, 0.015625};
    static const uint64_t counts[VARIANTS] = {5000, 100, 1};
    struct precision_options o = {.experiment = experiment,
                                  .type = type,
                                  .overflow = num_format(type)->overflow,
                                  .count = counts[variant],
                                  .value = values[variant],
                                  .update = updates[variant],
                                  .epsilon = variant == 0 ? 1e-8 : 1e-3,
                                  .trials = 100,
                                  .steps = STEPS,
                                  .growth = 5,
                                  .scale_log2 = 10,
                                  .dynamic = variant > 0,
                                  .values = gradients,
                                  .seed = 7 + (uint64_t)variant,
                                  .job = {.ranks = 1},
                                  .timeout_s = 50,
                                  .repeat = 1};
    if (experiment == PRECISION_ALLREDUCE) {
        static const enum coll_algorithm algorithms[VARIANTS] = {COLL_NAIVE, COLL_RING,
                                                                 COLL_HALVING_DOUBLING};
        o.job = (struct coll_job){COLL_ALL_REDUCE, algorithms[variant], 5, 23};
        o.value = 2048;
        o.narrow = variant != 1;
        o.wide = variant != 2;
    }
    if (experiment == PRECISION_GRADIENTS || experiment == PRECISION_LOSS_SCALE ||
        experiment == PRECISION_FP8_SCALE) {
        const struct precision_source source = {o.seed, variant == 0 ? -18 : -2, 4};
        o.count = GRADIENTS;
        for (uint64_t step = 0; step < STEPS; step++) {
            precision_gradients(&source, step, gradients + step * GRADIENTS, GRADIENTS);
        }
    }
    return o;
}

static void expect_same(struct gpu *gpu, const struct precision_options *o) {
    struct message why;
    const char *what = precision_name(o->experiment), *type = num_format(o->type)->name;
    enum status ok = gpu_precision_run(gpu, o, &there, &why);
    ck_assert_msg(ok == STATUS_OK, "%s, %s: %s %s", what, type, why.id, why.args[1].text);
    ck_assert_int_eq(precision_run(o, &here, &why), STATUS_OK);
    ck_assert(there.same_each_time);
    ck_assert_int_eq(there.facts.count, here.facts.count);
    for (int i = 0; i < here.facts.count; i++) {
        ck_assert_msg(fact_agrees(&here.facts.list[i], &there.facts.list[i]),
                      "%s, %s: %s is %.17g %llu on the device, %.17g %llu here", what, type,
                      here.facts.list[i].key, there.facts.list[i].real,
                      (unsigned long long)there.facts.list[i].count, here.facts.list[i].real,
                      (unsigned long long)here.facts.list[i].count);
    }
    ck_assert_msg(facts_agree(&here.facts, &there.facts), "%s, %s: a point differs", what, type);
}

START_TEST(a_device_finds_what_the_cpu_finds) {
    enum precision_experiment experiment = (enum precision_experiment)_i;
    struct gpu *gpu = opened(5);
    for (int i = 0; i < TYPES * VARIANTS; i++) {
        if (!precision_defined(experiment, types[i / VARIANTS])) {
            continue;
        }
        struct precision_options o = asked(experiment, types[i / VARIANTS], i % VARIANTS);
        expect_same(gpu, &o);
        o.overflow = o.overflow == NUM_OVERFLOW_INF ? NUM_OVERFLOW_SATURATE : NUM_OVERFLOW_INF;
        o.job.ranks = 3;
        o.repeat = 2;
        expect_same(gpu, &o);
    }
    gpu_close(gpu);
}
END_TEST

START_TEST(a_sum_of_ones_stalls_where_it_must) {
    static const double stalls[TYPES] = {2048, 256, 16, 8};
    struct gpu *gpu = opened(1);
    struct precision_options o = asked(PRECISION_SUM, types[_i], 0);
    struct message why;
    ck_assert_int_eq(gpu_precision_run(gpu, &o, &there, &why), STATUS_OK);
    ck_assert_str_eq(there.facts.list[2].key, "sum");
    ck_assert_double_eq(there.facts.list[2].real, stalls[_i]);
    gpu_close(gpu);
}
END_TEST

START_TEST(a_run_past_its_time_ends) {
    struct gpu *gpu = opened(3);
    struct precision_options o = asked(PRECISION_SUM, NUM_FP16, 0);
    struct message why;
    o.job.ranks = 3;
    o.timeout_s = 1e-9;
    ck_assert_int_eq(gpu_precision_run(gpu, &o, &there, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.gpu.timeout_rank");
    ck_assert_uint_eq(why.args[1].count, 1);
    ck_assert_uint_eq(why.args[2].count, 3);
    gpu_close(gpu);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gpu.precision");
    TCase *c = tcase_create("precision");
    tcase_add_loop_test(c, a_device_finds_what_the_cpu_finds, 0, PRECISION_EXPERIMENTS);
    tcase_add_loop_test(c, a_sum_of_ones_stalls_where_it_must, 0, TYPES);
    tcase_add_test(c, a_run_past_its_time_ends);
    suite_add_tcase(s, c);
    return s;
}

int main(void) {
    return run_on_a_device(suite());
}
