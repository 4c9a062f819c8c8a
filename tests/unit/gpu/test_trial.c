/* Collectives on devices: the results of ranks on threads, to the bit, and the same counts, for every collective, algorithm,
 * type, operation and accumulation; traces; a timeout; and that one result comes out of many repetitions. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_support.h"
#include "shardlab/gpu/trial.h"

enum { MOST_RANKS = 8 };

static struct ranks_trial_options usual(uint32_t ranks, uint64_t elements) {
    return (struct ranks_trial_options){.job = {COLL_ALL_REDUCE, COLL_RING, ranks, elements},
                                        .backend = RANKS_THREADS,
                                        .repeat = 1,
                                        .seed = 1,
                                        .timeout_s = 50};
}

static const char *named(const struct ranks_trial_options *o) {
    static char text[256];
    (void)snprintf(text, sizeof text, "%s by %s, %s, %s, %s, %u ranks, %u elements",
                   coll_collective_name(o->job.collective), coll_algorithm_name(o->job.algorithm),
                   ranks_type_name(o->type), ranks_op_name(o->op), o->wide ? "wide" : "narrow",
                   o->job.ranks, (unsigned)o->job.elements);
    return text;
}

static void expect_same_counts(const struct ranks_trial *a, const struct ranks_trial *b,
                               const char *what) {
    ck_assert_msg(a->rounds == b->rounds, "%s: %u rounds, not %u", what, a->rounds, b->rounds);
    for (uint32_t r = 0; r < a->ranks; r++) {
        ck_assert_msg(a->sent_bytes[r] == b->sent_bytes[r], "%s: rank %u sent %llu bytes, not %llu",
                      what, r, (unsigned long long)a->sent_bytes[r],
                      (unsigned long long)b->sent_bytes[r]);
        ck_assert_msg(a->sent_messages[r] == b->sent_messages[r], "%s: rank %u", what, r);
    }
}

static void expect_same(struct gpu *gpu, const struct ranks_trial_options *o) {
    struct ranks_trial there, here;
    struct message why;
    enum status ok = gpu_trial_run(gpu, o, &there, &why);
    ck_assert_msg(ok == STATUS_OK, "%s: %s %s %s", named(o), why.id, why.args[1].text,
                  why.args[2].text);
    ck_assert_int_eq(ranks_trial_run(o, &here, &why), STATUS_OK);
    ck_assert_msg(there.within, "%s: error %g, bound %g", named(o), there.max_abs_error,
                  there.error_bound);
    ck_assert(there.same_each_time);
    ck_assert_msg(there.hash == here.hash, "%s: other bits; error %g on devices, %g on threads",
                  named(o), there.max_abs_error, here.max_abs_error);
    expect_same_counts(&there, &here, named(o));
    ranks_trial_free(&there);
    ranks_trial_free(&here);
}

static void every_variant(struct gpu *gpu, enum coll_collective collective,
                          enum coll_algorithm algorithm, int variant) {
    static const uint32_t ranks[] = {1, 2, 3, 8};
    for (size_t k = 0; k < 4; k++) {
        uint32_t n = ranks[k];
        const uint64_t sizes[] = {0, n - 1, n + 1, 1500};
        for (size_t s = variant == 0 ? 0 : 2; s < 4; s++) {
            struct ranks_trial_options o = usual(n, sizes[s]);
            o.job.collective = collective;
            o.job.algorithm = algorithm;
            o.type = (enum ranks_type)(variant / 4);
            o.op = (enum ranks_op)(variant / 2 % 2);
            o.wide = variant % 2 == 1;
            if (collective == COLL_ALL_TO_ALL) {
                o.job.elements -= o.job.elements % n;
            }
            expect_same(gpu, &o);
        }
    }
}

START_TEST(every_collective_gives_what_ranks_on_threads_give) {
    struct gpu *gpu = opened(MOST_RANKS);
    enum coll_collective collective = (enum coll_collective)_i;
    bool adds = collective <= COLL_REDUCE_SCATTER;
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        for (int variant = 0; variant < 4 * RANKS_TYPES; variant += adds ? 1 : 5) {
            if (coll_defines(collective, (enum coll_algorithm)a)) {
                every_variant(gpu, collective, (enum coll_algorithm)a, variant);
            }
        }
    }
    gpu_close(gpu);
}
END_TEST

START_TEST(a_large_ring_of_uneven_chunks_is_exact_in_its_counts) {
    struct gpu *gpu = opened(4);
    struct ranks_trial_options o = usual(4, 1000003);
    o.repeat = 3;
    expect_same(gpu, &o);
    gpu_close(gpu);
}
END_TEST

START_TEST(the_trace_is_that_of_threads) {
    struct gpu *gpu = opened(5);
    struct ranks_trial_options o = usual(5, 1003);
    struct ranks_trial there, here;
    struct message why;
    o.trace = true;
    o.repeat = 2;
    ck_assert_int_eq(gpu_trial_run(gpu, &o, &there, &why), STATUS_OK);
    ck_assert_int_eq(ranks_trial_run(&o, &here, &why), STATUS_OK);
    ck_assert_uint_eq(there.traced, here.traced);
    ck_assert_uint_eq(there.traced, 5 * 8);
    for (uint64_t i = 0; i < there.traced; i++) {
        const struct ranks_trace *a = &there.trace[i], *b = &here.trace[i];
        ck_assert_uint_eq(a->round, b->round);
        ck_assert_uint_eq(a->from, b->from);
        ck_assert_uint_eq(a->to, b->to);
        ck_assert_uint_eq(a->first, b->first);
        ck_assert_uint_eq(a->count, b->count);
    }
    ranks_trial_free(&there);
    ranks_trial_free(&here);
    gpu_close(gpu);
}
END_TEST

START_TEST(a_run_past_its_time_ends_with_the_step) {
    struct gpu *gpu = opened(2);
    struct ranks_trial_options o = usual(2, 100000);
    struct ranks_trial t;
    struct message why;
    o.timeout_s = 1e-9;
    ck_assert_int_eq(gpu_trial_run(gpu, &o, &t, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.gpu.timeout");
    ranks_trial_free(&t);
    gpu_close(gpu);
}
END_TEST

START_TEST(a_buffer_that_the_device_cannot_hold_is_refused_with_its_size) {
    struct gpu *gpu = opened(2);
    struct ranks_trial_options o = usual(2, UINT64_C(1) << 50);
    struct ranks_trial t;
    struct message why;
    ck_assert_int_eq(gpu_trial_run(gpu, &o, &t, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.gpu.buffer");
    ck_assert_uint_eq(why.args[0].count, UINT64_C(1) << 52);
    ranks_trial_free(&t);
    gpu_close(gpu);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gpu.trial");
    TCase *c = tcase_create("trial");
    tcase_add_loop_test(c, every_collective_gives_what_ranks_on_threads_give, 0, COLL_COLLECTIVES);
    tcase_add_test(c, a_large_ring_of_uneven_chunks_is_exact_in_its_counts);
    tcase_add_test(c, the_trace_is_that_of_threads);
    tcase_add_test(c, a_run_past_its_time_ends_with_the_step);
    tcase_add_test(c, a_buffer_that_the_device_cannot_hold_is_refused_with_its_size);
    suite_add_tcase(s, c);
    return s;
}

int main(void) {
    return run_on_a_device(suite());
}
