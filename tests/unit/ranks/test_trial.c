/* Trials: results within their bounds over collectives, algorithms, types, ranks, sizes and backends; one result in a
 * thousand repetitions; the trace; and that the judgement is able to find a fault. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "shardlab/ranks/trial.h"

static struct ranks_trial_options usual(uint32_t ranks, uint64_t elements) {
    struct ranks_trial_options o = {.job = {COLL_ALL_REDUCE, COLL_RING, ranks, elements},
                                    .backend = RANKS_THREADS,
                                    .repeat = 1,
                                    .seed = 1,
                                    .timeout_s = 30};
    return o;
}

static void run_well(const struct ranks_trial_options *o, struct ranks_trial *t) {
    struct message why;
    enum status ok = ranks_trial_run(o, t, &why);
    ck_assert_msg(ok == STATUS_OK, "%s by %s, %u ranks: %s",
                  coll_collective_name(o->job.collective), coll_algorithm_name(o->job.algorithm),
                  o->job.ranks, why.id);
    ck_assert_msg(t->within, "%s by %s, %s, %u ranks, %u elements: error %g, bound %g",
                  coll_collective_name(o->job.collective), coll_algorithm_name(o->job.algorithm),
                  ranks_type_name(o->type), o->job.ranks, (unsigned)o->job.elements,
                  t->max_abs_error, t->error_bound);
    ck_assert(t->same_each_time);
}

START_TEST(every_collective_is_within_its_bound) {
    static const uint32_t ranks[] = {1, 2, 3, 5, 8, 16};
    int collective = _i / COLL_ALGORITHMS, algorithm = _i % COLL_ALGORITHMS;
    if (!coll_defines((enum coll_collective)collective, (enum coll_algorithm)algorithm)) {
        return;
    }
    for (int variant = 0; variant < 2 * RANKS_TYPES * RANKS_OPS; variant++) {
        for (size_t k = 0; k < sizeof ranks / sizeof ranks[0]; k += variant < 4 ? 1 : 2) {
            uint32_t n = ranks[k];
            const uint64_t sizes[] = {0, 1, n - 1, n + 1, 2000};
            for (size_t s = 0; s < 5; s++) {
                struct ranks_trial_options o = usual(n, sizes[s]);
                struct ranks_trial t;
                o.job.collective = (enum coll_collective)collective;
                o.job.algorithm = (enum coll_algorithm)algorithm;
                o.type = (enum ranks_type)(variant / 4);
                o.op = (enum ranks_op)(variant / 2 % 2);
                o.wide = variant % 2 == 1;
                o.repeat = 2;
                if (collective == COLL_ALL_TO_ALL) {
                    o.job.elements -= o.job.elements % n;
                }
                run_well(&o, &t);
                ranks_trial_free(&t);
            }
        }
    }
}
END_TEST

START_TEST(a_thousand_repetitions_give_one_result) {
    for (int algorithm = 0; algorithm < COLL_ALGORITHMS; algorithm++) {
        struct ranks_trial_options o = usual(5, 999);
        struct ranks_trial t;
        o.backend = (enum ranks_backend)_i;
        o.job.algorithm = (enum coll_algorithm)algorithm;
        o.repeat = 1000;
        run_well(&o, &t);
        for (uint32_t k = 1; k < o.repeat; k++) {
            ck_assert(t.times_s[k - 1] <= t.times_s[k]);
        }
        ranks_trial_free(&t);
    }
}
END_TEST

START_TEST(both_backends_send_and_compute_the_same) {
    struct ranks_trial_options o = usual(4, 100003);
    struct ranks_trial threads, processes;
    run_well(&o, &threads);
    o.backend = RANKS_PROCESSES;
    run_well(&o, &processes);
    for (uint32_t r = 0; r < 4; r++) {
        ck_assert_uint_eq(threads.sent_bytes[r], processes.sent_bytes[r]);
        ck_assert_uint_eq(threads.sent_messages[r], 6);
    }
    ck_assert(threads.max_abs_error == processes.max_abs_error);
    ck_assert(threads.max_abs_error > 0);
    ck_assert_uint_eq(threads.rounds, 6);
    ranks_trial_free(&threads);
    ranks_trial_free(&processes);
}
END_TEST

START_TEST(a_trace_has_every_message_once) {
    struct ranks_trial_options o = usual(4, 10);
    struct ranks_trial t;
    uint64_t bytes = 0;
    o.backend = (enum ranks_backend)_i;
    o.trace = true;
    o.repeat = 3;
    run_well(&o, &t);
    ck_assert_uint_eq(t.traced, 24);
    for (uint64_t i = 0; i < t.traced; i++) {
        ck_assert_uint_eq(t.trace[i].round, i / 4);
        ck_assert_uint_eq(t.trace[i].from, i % 4);
        ck_assert_uint_eq(t.trace[i].to, (i + 1) % 4);
        bytes += t.trace[i].count * 4;
    }
    for (uint32_t r = 0; r < 4; r++) {
        bytes -= t.sent_bytes[r];
    }
    ck_assert_uint_eq(bytes, 0);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(wider_sums_are_nearer_to_the_exact_ones) {
    struct ranks_trial_options o = usual(16, 5000);
    struct ranks_trial narrow, wide;
    o.job.algorithm = COLL_DIRECT;
    o.type = RANKS_FP16;
    run_well(&o, &narrow);
    o.wide = true;
    run_well(&o, &wide);
    ck_assert(wide.max_abs_error < narrow.max_abs_error);
    ck_assert(wide.error_bound < narrow.error_bound);
    ranks_trial_free(&narrow);
    ranks_trial_free(&wide);
}
END_TEST

START_TEST(values_depend_on_seed_rank_and_element_and_fill_their_range) {
    double sum = 0, least = 1, most = -1;
    for (uint64_t i = 0; i < 10000; i++) {
        double v = (double)ranks_trial_value(7, 3, i);
        ck_assert(v >= -1 && v < 1);
        sum += v;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    ck_assert(fabs(sum) < 300 && least < -0.99 && most > 0.99);
    ck_assert(ranks_trial_value(7, 3, 5) != ranks_trial_value(8, 3, 5));
    ck_assert(ranks_trial_value(7, 3, 5) != ranks_trial_value(7, 4, 5));
    ck_assert(ranks_trial_value(7, 3, 5) != ranks_trial_value(7, 3, 6));
}
END_TEST

/* --- The judge, with results that are made here --- */

#include "../../../app/ranks/trial_private.h"

START_TEST(a_wrong_element_is_found_wherever_it_is) {
    enum { RANKS = 3, ELEMENTS = 10 };
    float results[RANKS][ELEMENTS];
    struct ranks_trial_options o = usual(RANKS, ELEMENTS);
    struct ranks_trial t = {0};
    struct trial_run run = {.options = &o, .trial = &t};
    run.places.buffer_stride = sizeof results[0];
    for (int bad = -1; bad < RANKS * ELEMENTS; bad++) {
        for (uint32_t r = 0; r < RANKS; r++) {
            for (uint64_t i = 0; i < ELEMENTS; i++) {
                results[r][i] = ranks_trial_value(1, 0, i) + ranks_trial_value(1, 1, i) +
                                ranks_trial_value(1, 2, i);
            }
        }
        if (bad >= 0) {
            results[bad / ELEMENTS][bad % ELEMENTS] += bad % 2 == 0 ? 1e-5F : NAN;
        }
        trial_judge(&run, (const unsigned char *)results);
        ck_assert_msg(t.within == (bad < 0), "element %d", bad);
        memset(&t, 0, sizeof t);
    }
}
END_TEST

START_TEST(what_is_not_defined_is_refused) {
    struct ranks_trial t;
    struct message why;
    struct ranks_trial_options o = usual(4, 10);
    o.job.collective = COLL_BROADCAST;
    ck_assert_int_eq(ranks_trial_run(&o, &t, &why), STATUS_USAGE);
    ranks_trial_free(&t);
    o = usual(4, UINT64_C(1) << 62);
    ck_assert_int_eq(ranks_trial_run(&o, &t, &why), STATUS_FAILED);
    ranks_trial_free(&t);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("trial");
    TCase *t = tcase_create("trial");
    tcase_add_loop_test(t, every_collective_is_within_its_bound, 0,
                        COLL_COLLECTIVES * COLL_ALGORITHMS);
    tcase_add_loop_test(t, a_thousand_repetitions_give_one_result, 0, 2);
    tcase_add_test(t, both_backends_send_and_compute_the_same);
    tcase_add_loop_test(t, a_trace_has_every_message_once, 0, 2);
    tcase_add_test(t, wider_sums_are_nearer_to_the_exact_ones);
    tcase_add_test(t, values_depend_on_seed_rank_and_element_and_fill_their_range);
    tcase_add_test(t, a_wrong_element_is_found_wherever_it_is);
    tcase_add_test(t, what_is_not_defined_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
