/* A trial that another carrier runs: values go in as for ranks on threads, what comes out is judged as theirs, and a wrong
 * element, a nan, a count or a result that changes is found. */
#include <check.h>
#include <string.h>

#include "shardlab/ranks/trial.h"

enum { RANKS = 3, ELEMENTS = 100 };

/* Sums on the host, as rank 0 would; with a fault where a test wants one. */
enum fault { NO_FAULT, WRONG_ELEMENT, UNWRITTEN, OTHER_COUNT, OTHER_BITS, REFUSES };
struct fake {
    int turns;
    enum fault fault;
};

static enum status turn(void *context, struct ranks_turn *t, struct message *why) {
    struct fake *f = context;
    for (int i = 0; i < ELEMENTS; i++) {
        float sum = 0, value;
        for (int r = 0; r < RANKS; r++) {
            memcpy(&value, t->input + (uint64_t)r * t->stride + 4 * i, sizeof value);
            sum += value;
        }
        sum += f->fault == WRONG_ELEMENT && i == 7 ? 1e-3F : 0;
        sum *= f->fault == OTHER_BITS && f->turns == 1 && i == 7 ? 1 + 0x1p-23F : 1;
        for (int r = 0; r < RANKS && (f->fault != UNWRITTEN || i != 7); r++) {
            memcpy(t->output + (uint64_t)r * t->stride + 4 * i, &sum, sizeof sum);
        }
    }
    t->bytes[1] = 400; /* from 0 to 1 */
    t->bytes[2 * RANKS] = f->fault == OTHER_COUNT && f->turns == 1 ? 396 : 400;
    t->messages[1] = 1;
    t->rounds = 2;
    t->time_s = 10 - f->turns++;
    if (f->fault == REFUSES) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static const struct ranks_trial_options options = {
    .job = {COLL_ALL_REDUCE, COLL_NAIVE, RANKS, ELEMENTS}, .repeat = 2, .seed = 3, .timeout_s = 30};

static enum status carry(struct fake *f, struct ranks_trial *t) {
    const struct ranks_carrier carrier = {turn, f};
    struct message why;
    return ranks_trial_carry(&options, &carrier, t, &why);
}

START_TEST(what_is_right_is_within_and_counted) {
    struct fake f = {0, NO_FAULT};
    struct ranks_trial t;
    ck_assert_int_eq(carry(&f, &t), STATUS_OK);
    ck_assert(t.within);
    ck_assert(t.same_each_time);
    ck_assert_uint_eq(t.rounds, 2);
    ck_assert_uint_eq(t.sent_bytes[0], 400);
    ck_assert_uint_eq(t.sent_bytes[1], 0);
    ck_assert_uint_eq(t.sent_bytes[2], 400);
    ck_assert_uint_eq(t.sent_messages[0], 1);
    ck_assert_double_eq(t.times_s[0], 9);
    ck_assert_double_eq(t.times_s[1], 10);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(the_same_bits_have_the_hash_that_ranks_on_threads_give_them) {
    struct fake f = {0, NO_FAULT};
    struct ranks_trial carried, here;
    struct message why;
    ck_assert_int_eq(carry(&f, &carried), STATUS_OK);
    ck_assert_int_eq(ranks_trial_run(&options, &here, &why), STATUS_OK);
    ck_assert_uint_eq(carried.hash, here.hash);
    ck_assert_uint_ne(carried.hash, 0);
    ranks_trial_free(&carried);
    ranks_trial_free(&here);
}
END_TEST

static const struct {
    enum fault fault;
    enum status status;
    bool within, same; /* what is seen of it */
} faults[] = {
    {WRONG_ELEMENT, STATUS_OK, false, true}, {UNWRITTEN, STATUS_OK, false, true},
    {OTHER_COUNT, STATUS_OK, true, false},   {OTHER_BITS, STATUS_OK, true, false},
    {REFUSES, STATUS_FAILED, false, true},
};

START_TEST(a_fault_is_found) {
    struct fake f = {0, faults[_i].fault};
    struct ranks_trial t;
    ck_assert_int_eq(carry(&f, &t), faults[_i].status);
    ck_assert_msg(t.within == faults[_i].within && t.same_each_time == faults[_i].same,
                  "fault %d: within %d, same %d", f.fault, t.within, t.same_each_time);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(a_job_that_is_not_defined_is_refused) {
    struct ranks_trial_options o = {.job = {COLL_BROADCAST, COLL_RING, RANKS, ELEMENTS},
                                    .repeat = 1};
    struct fake f = {0, NO_FAULT};
    const struct ranks_carrier carrier = {turn, &f};
    struct ranks_trial t;
    struct message why;
    ck_assert_int_eq(ranks_trial_carry(&o, &carrier, &t, &why), STATUS_USAGE);
    ck_assert_int_eq(f.turns, 0);
    ranks_trial_free(&t);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("ranks.trial_carry");
    TCase *c = tcase_create("trial_carry");
    tcase_add_test(c, what_is_right_is_within_and_counted);
    tcase_add_test(c, the_same_bits_have_the_hash_that_ranks_on_threads_give_them);
    tcase_add_loop_test(c, a_fault_is_found, 0, (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(c, a_job_that_is_not_defined_is_refused);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
