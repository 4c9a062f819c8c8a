/* Runs that end early because ranks wait for what never comes: circles, ranks that have ended, timeouts, messages that do
 * not fit their receive. Timeouts are 30 seconds but for the test of the timeout itself, so a circle that is only found by
 * its timeout would not be named a circle. Each test runs on both backends. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <time.h>

#include "unit/ranks/ranks_support.h"

static void pause_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    (void)nanosleep(&t, NULL);
}

/* --- Circles --- */

static enum status all_send_first(struct ranks_endpoint *e, void *context) {
    char bytes[16] = {0};
    uint32_t n = ranks_count(e);
    (void)context;
    ranks_at_step(e, 7);
    MUST(ranks_send(e, (ranks_self(e) + 1) % n, 0, bytes, sizeof bytes));
    return ranks_receive(e, (ranks_self(e) + n - 1) % n, 0, bytes, sizeof bytes);
}

static void expect_circle(const struct one_run *r, uint32_t ranks, bool forward) {
    ck_assert_uint_eq(r->report.cycle_length, ranks);
    for (uint32_t i = 0; i < ranks; i++) {
        uint32_t next = r->report.cycle[(i + 1) % ranks];
        ck_assert_uint_eq(next, (r->report.cycle[i] + (forward ? 1 : ranks - 1)) % ranks);
    }
}

START_TEST(rendezvous_where_all_send_first_is_a_circle_named_at_once) {
    for (uint32_t ranks = 2; ranks <= 9; ranks++) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, ranks, all_send_first);
        r->options.mailbox_bytes = 0;
        one_run_ends(r, RANKS_END_CYCLE);
        expect_circle(r, ranks, true);
        for (uint32_t i = 0; i < ranks; i++) {
            ck_assert_int_eq(r->doing[i].wait, RANKS_SENDING);
            ck_assert_uint_eq(r->doing[i].peer, (i + 1) % ranks);
            ck_assert_uint_eq(r->doing[i].step, 7);
        }
        r->options.mailbox_bytes = 128;
        one_run_well(r);
        free(r);
    }
}
END_TEST

static enum status all_receive_first(struct ranks_endpoint *e, void *context) {
    char byte;
    uint32_t n = ranks_count(e);
    (void)context;
    return ranks_receive(e, (ranks_self(e) + n - 1) % n, 0, &byte, 1);
}

START_TEST(all_receive_first_is_a_circle_whatever_the_mailbox) {
    for (uint32_t ranks = 1; ranks <= 6; ranks++) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, ranks, all_receive_first);
        one_run_ends(r, RANKS_END_CYCLE);
        expect_circle(r, ranks, false);
        free(r);
    }
}
END_TEST

/* Rank 0 receives from 2, which meets the others at a barrier that rank 0 never comes to. */
static enum status barrier_and_receive(struct ranks_endpoint *e, void *context) {
    char byte;
    (void)context;
    return ranks_self(e) == 0 ? ranks_receive(e, 2, 0, &byte, 1) : ranks_barrier(e);
}

START_TEST(a_barrier_can_be_part_of_a_circle) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 3, barrier_and_receive);
    one_run_ends(r, RANKS_END_CYCLE);
    ck_assert_uint_eq(r->report.cycle_length, 2);
    ck_assert_int_eq(r->doing[2].wait, RANKS_MEETING);
    free(r);
}
END_TEST

/* Neighbours that are always a hair from a circle: rendezvous, all even ranks send first, in many laps. */
static enum status narrow(struct ranks_endpoint *e, void *context) {
    uint32_t n = ranks_count(e), self = ranks_self(e);
    uint64_t sent = self, got = 0;
    (void)context;
    for (int lap = 0; lap < 400; lap++) {
        if (self % 2 == 0) {
            MUST(ranks_send(e, (self + 1) % n, 0, &sent, sizeof sent));
            MUST(ranks_receive(e, (self + n - 1) % n, 0, &got, sizeof got));
        } else {
            MUST(ranks_receive(e, (self + n - 1) % n, 0, &got, sizeof got));
            MUST(ranks_send(e, (self + 1) % n, 0, &sent, sizeof sent));
        }
        sent = got;
    }
    return STATUS_OK;
}

START_TEST(what_can_go_on_is_never_taken_for_a_circle) {
    static const uint32_t ranks[] = {2, 3, 8, 17};
    for (size_t i = 0; i < 4; i++) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, ranks[i], narrow);
        r->options.mailbox_bytes = 0;
        one_run_well(r);
        free(r);
    }
}
END_TEST

/* --- Ranks that have ended --- */

static enum status wait_for_zero(struct ranks_endpoint *e, void *context) {
    char byte = 0;
    if (ranks_self(e) == 0) {
        pause_ms(*(long *)context);
        return STATUS_OK;
    }
    ranks_at_step(e, 3);
    return ranks_self(e) == 1 ? ranks_receive(e, 0, 0, &byte, 1) : ranks_barrier(e);
}

START_TEST(who_waits_for_a_rank_that_has_ended_is_told) {
    for (long ms = 0; ms <= 60; ms += 30) {
        for (uint32_t ranks = 2; ranks <= 3; ranks++) {
            struct one_run *r = one_run_new((enum ranks_backend)_i, ranks, wait_for_zero);
            r->body.context = &ms;
            one_run_ends(r, RANKS_END_LEFT);
            ck_assert_uint_ne(r->report.rank, 0);
            ck_assert_int_eq(r->doing[0].wait, RANKS_ENDED);
            free(r);
        }
    }
}
END_TEST

static enum status give_up(struct ranks_endpoint *e, void *context) {
    char byte;
    (void)context;
    ranks_at_step(e, 11);
    if (ranks_self(e) == 2) {
        return STATUS_FAILED;
    }
    return ranks_receive(e, 2, 0, &byte, 1);
}

START_TEST(a_body_that_gives_up_ends_all) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 4, give_up);
    one_run_ends(r, RANKS_END_BODY);
    ck_assert_uint_eq(r->report.rank, 2);
    ck_assert_uint_eq(r->why.args[1].count, 11);
    free(r);
}
END_TEST

/* --- Timeout --- */

static enum status slow_sender(struct ranks_endpoint *e, void *context) {
    char byte = 0;
    (void)context;
    ranks_at_step(e, 5);
    if (ranks_self(e) == 1) {
        pause_ms(700);
        return ranks_send(e, 0, 0, &byte, 1);
    }
    return ranks_receive(e, 1, 0, &byte, 1);
}

START_TEST(a_rank_that_waits_too_long_ends_the_run) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 2, slow_sender);
    r->options.timeout_s = 0.1;
    one_run_ends(r, RANKS_END_TIMEOUT);
    ck_assert_uint_eq(r->report.rank, 0);
    ck_assert_int_eq(r->doing[0].wait, RANKS_RECEIVING);
    ck_assert_uint_eq(r->doing[0].peer, 1);
    ck_assert_uint_eq(r->doing[0].step, 5);
    ck_assert_str_eq(r->why.id, "error.ranks.timeout_receive");
    free(r);
}
END_TEST

/* --- What does not fit --- */

static enum status two_sizes(struct ranks_endpoint *e, void *context) {
    char bytes[64] = {0};
    const bool *other_label = context;
    if (ranks_self(e) == 0) {
        MUST(ranks_send(e, 1, *other_label ? 1 : 0, bytes, *other_label ? 24 : 16));
        return ranks_receive(e, 1, 0, bytes, 1);
    }
    return ranks_receive(e, 0, 0, bytes, 24);
}

START_TEST(sizes_and_labels_of_both_sides_are_said) {
    bool other_label = false;
    struct one_run *r = one_run_new((enum ranks_backend)_i, 2, two_sizes);
    r->body.context = &other_label;
    one_run_ends(r, RANKS_END_SIZES);
    ck_assert_uint_eq(r->report.rank, 1);
    ck_assert_uint_eq(r->why.args[3].count, 24);
    ck_assert_uint_eq(r->why.args[4].count, 16);
    other_label = true;
    one_run_ends(r, RANKS_END_LABELS);
    ck_assert_uint_eq(r->why.args[4].count, 1);
    free(r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("deadlock");
    TCase *t = tcase_create("deadlock");
    tcase_add_loop_test(t, rendezvous_where_all_send_first_is_a_circle_named_at_once, 0, 2);
    tcase_add_loop_test(t, all_receive_first_is_a_circle_whatever_the_mailbox, 0, 2);
    tcase_add_loop_test(t, a_barrier_can_be_part_of_a_circle, 0, 2);
    tcase_add_loop_test(t, what_can_go_on_is_never_taken_for_a_circle, 0, 2);
    tcase_add_loop_test(t, who_waits_for_a_rank_that_has_ended_is_told, 0, 2);
    tcase_add_loop_test(t, a_body_that_gives_up_ends_all, 0, 2);
    tcase_add_loop_test(t, a_rank_that_waits_too_long_ends_the_run, 0, 2);
    tcase_add_loop_test(t, sizes_and_labels_of_both_sides_are_said, 0, 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
