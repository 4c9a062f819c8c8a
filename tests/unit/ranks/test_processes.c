/* What only processes can do: be killed, be stopped, lose their parent. After each run no child is left; the memory has no
 * name, so there is nothing else to leave. */
#define _DEFAULT_SOURCE
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/ranks/ranks_support.h"

static void pause_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    (void)nanosleep(&t, NULL);
}

static void expect_no_child(void) {
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

/* Rank 1 gets the signal at step 4; the others wait for it in all the ways there are. */
static enum status lose_one(struct ranks_endpoint *e, void *context) {
    const int *sig = context;
    char byte = 0;
    ranks_at_step(e, 4);
    switch (ranks_self(e)) {
    case 0:
        return ranks_receive(e, 1, 0, &byte, 1);
    case 1:
        pause_ms(20);
        (void)raise(*sig);
        pause_ms(60000);
        return STATUS_OK;
    case 2:
        return ranks_send(e, 1, 0, &byte, 1);
    default:
        return ranks_barrier(e);
    }
}

static const int deaths[] = {SIGKILL, SIGUSR1, SIGTERM};

START_TEST(a_rank_that_is_killed_ends_the_run_and_is_named) {
    int sig = deaths[_i];
    struct one_run *r = one_run_new(RANKS_PROCESSES, 4, lose_one);
    r->options.mailbox_bytes = 0;
    r->body.context = &sig;
    one_run_ends(r, RANKS_END_DEAD);
    ck_assert_uint_eq(r->report.rank, 1);
    ck_assert_uint_eq(r->why.args[0].count, 1);
    ck_assert_uint_eq(r->why.args[1].count, 4);
    ck_assert_uint_eq(r->why.args[4].count, (uint64_t)sig);
    expect_no_child();
    free(r);
}
END_TEST

START_TEST(a_rank_that_is_stopped_times_out_and_is_taken_away) {
    int sig = SIGSTOP;
    struct one_run *r = one_run_new(RANKS_PROCESSES, 4, lose_one);
    r->options.mailbox_bytes = 0;
    r->options.timeout_s = 0.2;
    r->body.context = &sig;
    one_run_ends(r, RANKS_END_TIMEOUT);
    expect_no_child();
    free(r);
}
END_TEST

static enum status leave(struct ranks_endpoint *e, void *context) {
    char byte;
    (void)context;
    if (ranks_self(e) == 0) {
        _exit(0);
    }
    return ranks_receive(e, 0, 0, &byte, 1);
}

START_TEST(a_rank_that_exits_from_within_its_body_is_dead_too) {
    struct one_run *r = one_run_new(RANKS_PROCESSES, 3, leave);
    one_run_ends(r, RANKS_END_DEAD);
    ck_assert_uint_eq(r->report.rank, 0);
    expect_no_child();
    free(r);
}
END_TEST

static enum status stay(struct ranks_endpoint *e, void *context) {
    const int *out = context;
    pid_t self = getpid();
    char byte;
    if (write(*out, &self, sizeof self) != (ssize_t)sizeof self) {
        return STATUS_FAILED;
    }
    if (ranks_self(e) == 0) {
        pause_ms(60000);
        return STATUS_OK;
    }
    return ranks_receive(e, 0, 0, &byte, 1);
}

static const int parent_ends[] = {SIGKILL, SIGTERM, SIGINT};

START_TEST(ranks_go_with_their_parent) {
    enum { RANKS = 3 };
    int ends[2];
    pid_t pids[RANKS];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t parent = fork();
    ck_assert_int_ge(parent, 0);
    if (parent == 0) {
        (void)close(ends[0]);
        (void)signal(SIGTERM, SIG_DFL); /* Check has handlers of its own */
        (void)signal(SIGINT, SIG_DFL);
        struct one_run *r = one_run_new(RANKS_PROCESSES, RANKS, stay);
        r->body.context = &ends[1];
        one_run_go(r);
        _exit(0);
    }
    (void)close(ends[1]);
    for (int i = 0; i < RANKS; i++) {
        ck_assert_int_eq(read(ends[0], &pids[i], sizeof pids[i]), (int)sizeof pids[i]);
    }
    ck_assert_int_eq(kill(parent, parent_ends[_i]), 0);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    /* The pipe ends when the last one that can write is gone. */
    char byte;
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    (void)close(ends[0]);
}
END_TEST

/* A child of the program that is not a rank stays for who started it. */
START_TEST(other_children_are_not_reaped) {
    pid_t other = fork();
    if (other == 0) {
        _exit(7);
    }
    int sig = SIGKILL, status = 0;
    struct one_run *r = one_run_new(RANKS_PROCESSES, 4, lose_one);
    r->options.mailbox_bytes = 0;
    r->body.context = &sig;
    one_run_ends(r, RANKS_END_DEAD);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    free(r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("processes");
    TCase *t = tcase_create("processes");
    tcase_add_loop_test(t, a_rank_that_is_killed_ends_the_run_and_is_named, 0, 3);
    tcase_add_test(t, a_rank_that_is_stopped_times_out_and_is_taken_away);
    tcase_add_test(t, a_rank_that_exits_from_within_its_body_is_dead_too);
    tcase_add_loop_test(t, ranks_go_with_their_parent, 0, 3);
    tcase_add_test(t, other_children_are_not_reaped);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
