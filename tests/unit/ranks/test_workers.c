/* Workers beside blocking ranks: for every collective and algorithm, 1 to 17 ranks and sizes around the number of ranks the
 * results are the same bits and every rank sends the same bytes in as many messages and steps, however many workers there
 * are. Also: one crew that runs again and again, the trace, and lists that wait for each other. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/ranks/trial.h"
#include "shardlab/ranks/workers.h"

static void trial(const struct ranks_trial_options *o, struct ranks_trial *t) {
    struct message why;
    enum status ok = ranks_trial_run(o, t, &why);
    ck_assert_msg(ok == STATUS_OK, "%s: %u ranks: %s", coll_algorithm_name(o->job.algorithm),
                  o->job.ranks, why.id);
    ck_assert(t->within && t->same_each_time);
}

static void expect_alike(struct ranks_trial_options *o) {
    struct ranks_trial ranks, workers;
    const char *algorithm = coll_algorithm_name(o->job.algorithm);
    const char *collective = coll_collective_name(o->job.collective);
    o->executor = RANKS_EXECUTOR_RANKS;
    trial(o, &ranks);
    o->executor = RANKS_EXECUTOR_WORKERS;
    for (o->workers = 1; o->workers <= 3; o->workers++) {
        trial(o, &workers);
        ck_assert_uint_eq(workers.workers, o->workers < o->job.ranks ? o->workers : o->job.ranks);
        ck_assert_msg(ranks.hash == workers.hash, "%s by %s, %u ranks, %u elements, %u workers",
                      collective, algorithm, o->job.ranks, (unsigned)o->job.elements, o->workers);
        ck_assert_uint_eq(ranks.rounds, workers.rounds);
        ck_assert_mem_eq(ranks.sent_bytes, workers.sent_bytes, o->job.ranks * sizeof(uint64_t));
        ck_assert_mem_eq(ranks.sent_messages, workers.sent_messages,
                         o->job.ranks * sizeof(uint64_t));
        ranks_trial_free(&workers);
    }
    ranks_trial_free(&ranks);
}

/* False: this pair does not exist. */
static bool start(int pair, struct ranks_trial_options *o) {
    *o = (struct ranks_trial_options){.repeat = 2, .seed = 5, .timeout_s = 60};
    o->job.collective = (enum coll_collective)(pair / COLL_ALGORITHMS);
    o->job.algorithm = (enum coll_algorithm)(pair % COLL_ALGORITHMS);
    return coll_defines(o->job.collective, o->job.algorithm);
}

START_TEST(workers_give_the_bits_and_counts_of_blocking_ranks) {
    struct ranks_trial_options o;
    for (uint32_t n = 1; start(_i, &o) && n <= 17; n++) {
        const uint64_t sizes[] = {0, 1, n - 1, n, n + 1, 700 + n};
        for (size_t s = 0; s < 6; s++) {
            o.job.ranks = n;
            o.job.elements = sizes[s];
            o.type = (enum ranks_type)((n + s) % RANKS_TYPES);
            o.wide = n % 2 == 0;
            o.op = n % 5 == 4 ? RANKS_OP_MAX : RANKS_OP_SUM;
            o.job.elements -= o.job.collective == COLL_ALL_TO_ALL ? sizes[s] % n : 0;
            expect_alike(&o);
        }
    }
}
END_TEST

START_TEST(large_messages_are_alike_too) {
    struct ranks_trial_options o;
    if (start(_i, &o)) {
        o.job.ranks = 5;
        o.job.elements = o.job.collective == COLL_ALL_TO_ALL ? 300000 : 300001;
        o.type = _i % 2 == 0 ? RANKS_FP32 : RANKS_BF16;
        o.wide = true;
        expect_alike(&o);
    }
}
END_TEST

START_TEST(a_thousand_repetitions_give_one_result) {
    struct ranks_trial_options o;
    for (int pair = 0; pair < COLL_ALGORITHMS; pair++) {
        struct ranks_trial t;
        ck_assert(start(pair, &o)); /* the first collective has them all */
        o.executor = RANKS_EXECUTOR_WORKERS;
        o.workers = 2;
        o.repeat = 1000;
        o.job.ranks = 7;
        o.job.elements = 999;
        trial(&o, &t);
        ranks_trial_free(&t);
    }
}
END_TEST

START_TEST(many_ranks_need_few_workers) {
    struct ranks_trial_options o;
    struct ranks_trial t;
    ck_assert(start(COLL_RING, &o));
    o.executor = RANKS_EXECUTOR_WORKERS;
    o.job.ranks = 300;
    o.job.elements = 100000;
    trial(&o, &t);
    ck_assert_uint_ge(t.workers, 1);
    ck_assert_int_le((long)t.workers, sysconf(_SC_NPROCESSORS_ONLN));
    ck_assert_uint_eq(t.rounds, 598);
    ck_assert_uint_eq(t.sent_messages[299], 598);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(a_trace_is_that_of_blocking_ranks) {
    struct ranks_trial_options o;
    struct ranks_trial ranks, workers;
    ck_assert(start(COLL_HALVING_DOUBLING, &o));
    o.trace = true;
    o.job.ranks = 6;
    o.job.elements = 100;
    trial(&o, &ranks);
    o.executor = RANKS_EXECUTOR_WORKERS;
    o.workers = 2;
    trial(&o, &workers);
    ck_assert_uint_eq(ranks.traced, workers.traced);
    ck_assert_uint_gt(ranks.traced, 0);
    for (uint64_t i = 0; i < ranks.traced; i++) {
        ck_assert_mem_eq(&ranks.trace[i], &workers.trace[i], sizeof ranks.trace[i]);
    }
    ranks_trial_free(&ranks);
    ranks_trial_free(&workers);
}
END_TEST

START_TEST(workers_are_for_one_process) {
    struct ranks_trial_options o;
    struct ranks_trial t;
    struct message why;
    ck_assert(start(COLL_RING, &o));
    o.executor = RANKS_EXECUTOR_WORKERS;
    o.backend = RANKS_PROCESSES;
    o.job.ranks = 2;
    ck_assert_int_eq(ranks_trial_run(&o, &t, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.ranks.executor");
    ck_assert_str_eq(why.args[0].text, "processes");
    ranks_trial_free(&t);
}
END_TEST

/* Two ranks that both receive before they send. */
START_TEST(lists_that_wait_for_each_other_end_with_the_rank_that_waits) {
    static const struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, 2, 1};
    static const struct coll_step steps[2][2] = {
        {{3, 1, 0, 1, 0, COLL_COPY}, {4, 1, 0, 1, 0, COLL_SEND}},
        {{3, 0, 0, 1, 0, COLL_COPY}, {4, 0, 0, 1, 0, COLL_SEND}},
    };
    float buffers[2] = {1, 2};
    uint64_t bytes[4] = {0}, messages[4] = {0};
    struct ranks_call calls[2];
    struct ranks_passed passed[2];
    struct ranks_workers *w;
    struct message why;
    for (int r = 0; r < 2; r++) {
        calls[r] = (struct ranks_call){.job = &job, .steps = steps[r], .step_count = 2};
        calls[r].input = calls[r].output = &buffers[r];
    }
    struct ranks_workers_options o = {calls, 2, (uint32_t)_i, 0.05, bytes, messages, 1};
    ck_assert_int_eq(ranks_workers_open(&o, &w, &why), STATUS_OK);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(ranks_workers_run(w, passed, &why), STATUS_FAILED);
        ck_assert_str_eq(why.id, "error.ranks.late");
        ck_assert_uint_eq(why.args[1].count, 3);
    }
    ck_assert_uint_eq(bytes[1] + bytes[2] + messages[1] + messages[2], 0);
    ranks_workers_close(w);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("workers");
    TCase *t = tcase_create("workers");
    tcase_add_loop_test(t, workers_give_the_bits_and_counts_of_blocking_ranks, 0,
                        COLL_COLLECTIVES * COLL_ALGORITHMS);
    tcase_add_loop_test(t, large_messages_are_alike_too, 0, COLL_COLLECTIVES * COLL_ALGORITHMS);
    tcase_add_test(t, a_thousand_repetitions_give_one_result);
    tcase_add_test(t, many_ranks_need_few_workers);
    tcase_add_test(t, a_trace_is_that_of_blocking_ranks);
    tcase_add_test(t, workers_are_for_one_process);
    tcase_add_loop_test(t, lists_that_wait_for_each_other_end_with_the_rank_that_waits, 1, 3);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
