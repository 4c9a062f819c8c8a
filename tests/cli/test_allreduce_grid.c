/* The calculator beside real ranks, without starting a program for each case: every collective, algorithm and backend,
 * 1 to 16 ranks, sizes around the number of ranks, all types, both operations. What each rank sent, in how many
 * messages and steps, is what the closed forms say; every result is within its bound. */
#include <check.h>

#include "shardlab/calc/collective.h"
#include "shardlab/ranks/trial.h"

static struct calc_exchange exchange_of(const struct ranks_trial_options *o) {
    struct calc_exchange x = {
        .kind =
            (enum calc_exchange_kind)calc_exchange_find(coll_collective_name(o->job.collective)),
        .algorithm =
            (enum calc_algorithm)calc_algorithm_find(coll_algorithm_name(o->job.algorithm)),
        .elements = o->job.elements,
        .element_bytes = ranks_type_bytes(o->type),
        .ranks = o->job.ranks,
    };
    return x;
}

static void check(const struct ranks_trial_options *o) {
    struct calc_exchange x = exchange_of(o);
    struct ranks_trial t;
    struct message why;
    enum status ok = ranks_trial_run(o, &t, &why);
    ck_assert_msg(ok == STATUS_OK, "%s", why.id);
    for (uint32_t r = 0; r < o->job.ranks; r++) {
        struct calc_exchange_cost cost;
        ck_assert_int_eq(calc_exchange_rank(&x, r, &cost, &why), STATUS_OK);
        ck_assert_msg(cost.sent_bytes == t.sent_bytes[r] && cost.messages == t.sent_messages[r],
                      "%s by %s, %u elements, rank %u of %u: %u bytes and %u messages, not %u, %u",
                      coll_collective_name(o->job.collective),
                      coll_algorithm_name(o->job.algorithm), (unsigned)o->job.elements, r,
                      o->job.ranks, (unsigned)t.sent_bytes[r], (unsigned)t.sent_messages[r],
                      (unsigned)cost.sent_bytes, (unsigned)cost.messages);
    }
    ck_assert_uint_eq(calc_exchange_rounds(&x), t.rounds);
    ck_assert_msg(t.within && t.same_each_time, "error %g, bound %g", t.max_abs_error,
                  t.error_bound);
    ranks_trial_free(&t);
}

/* True if the pair exists; both sides say so. */
static bool start(int pair, struct ranks_trial_options *o) {
    *o = (struct ranks_trial_options){.repeat = 2, .seed = 3, .timeout_s = 60};
    o->job.collective = (enum coll_collective)(pair / COLL_ALGORITHMS);
    o->job.algorithm = (enum coll_algorithm)(pair % COLL_ALGORITHMS);
    struct calc_exchange x = exchange_of(o);
    ck_assert_int_eq(calc_exchange_defined(x.kind, x.algorithm),
                     coll_defines(o->job.collective, o->job.algorithm));
    return coll_defines(o->job.collective, o->job.algorithm);
}

static const uint32_t ranks[] = {1, 2, 3, 5, 8, 16};

START_TEST(every_combination_sends_what_the_formula_says) {
    struct ranks_trial_options o;
    if (!start(_i / 2, &o)) {
        return;
    }
    o.backend = _i % 2 == 0 ? RANKS_THREADS : RANKS_PROCESSES;
    for (size_t k = 0; k < sizeof ranks / sizeof ranks[0]; k++) {
        uint64_t n = ranks[k];
        const uint64_t sizes[] = {0, 1, n - 1, n + 1, 10 * n};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            o.job.ranks = ranks[k];
            o.job.elements = sizes[s];
            if (o.job.collective == COLL_ALL_TO_ALL) {
                o.job.elements = s * n;
            }
            check(&o);
        }
    }
}
END_TEST

START_TEST(every_type_and_operation_sends_what_the_formula_says) {
    struct ranks_trial_options o;
    if (!start(_i, &o)) {
        return;
    }
    for (int variant = 0; variant < RANKS_TYPES * RANKS_OPS * 2; variant++) {
        o.type = (enum ranks_type)(variant / (RANKS_OPS * 2));
        o.op = (enum ranks_op)(variant / 2 % RANKS_OPS);
        o.wide = variant % 2 == 0;
        o.job.ranks = 5;
        o.job.elements = o.job.collective == COLL_ALL_TO_ALL ? 1000 : 1003;
        check(&o);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("allreduce_grid");
    TCase *t = tcase_create("allreduce_grid");
    tcase_add_loop_test(t, every_combination_sends_what_the_formula_says, 0,
                        2 * COLL_COLLECTIVES * COLL_ALGORITHMS);
    tcase_add_loop_test(t, every_type_and_operation_sends_what_the_formula_says, 0,
                        COLL_COLLECTIVES * COLL_ALGORITHMS);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
