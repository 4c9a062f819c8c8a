/* The all-reduce through shared memory: sums in rank order on every rank, whatever the number of workers, in place and out of
 * place, over sizes around lines, blocks and thresholds; and it reads and writes what is predicted. By the ranks of a run the
 * same, also by forked ones. A warm call asks the kernel for nothing. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "shardlab/ranks/fused.h"
#include "shardlab/ranks/trial.h"
#include "support/sanitized.h"

enum { RANKS_MOST = 9 };

struct buffers {
    float *inputs[RANKS_MOST], *outputs[RANKS_MOST], *expected;
    size_t bytes;
};

static void open_buffers(struct buffers *b, uint32_t ranks, uint64_t elements, enum ranks_op op) {
    b->bytes = (size_t)(elements + 16) * sizeof(float);
    b->expected = ranks_buffer_new(b->bytes);
    for (uint32_t r = 0; r < ranks; r++) {
        b->inputs[r] = ranks_buffer_new(b->bytes);
        b->outputs[r] = ranks_buffer_new(b->bytes);
        ck_assert(b->inputs[r] != NULL && b->outputs[r] != NULL);
        for (uint64_t i = 0; i < elements; i++) {
            float value = ranks_trial_value(7, r, i), so_far = b->expected[i];
            b->inputs[r][i] = value;
            b->expected[i] = r == 0               ? value
                             : op == RANKS_OP_SUM ? so_far + value
                             : so_far > value     ? so_far
                                                  : value;
        }
        b->outputs[r][elements] = 42;
    }
}

static void close_buffers(struct buffers *b, uint32_t ranks) {
    for (uint32_t r = 0; r < ranks; r++) {
        ranks_buffer_free(b->inputs[r], b->bytes);
        ranks_buffer_free(b->outputs[r], b->bytes);
    }
    ranks_buffer_free(b->expected, b->bytes);
}

static void expect_sum(struct ranks_fused *f, uint32_t ranks, uint64_t elements, enum ranks_op op) {
    struct buffers b;
    open_buffers(&b, ranks, elements, op);
    for (int in_place = 0; in_place < 2; in_place++) {
        float **outputs = in_place ? b.inputs : b.outputs;
        struct ranks_fused_job job = {(const float *const *)b.inputs, outputs, ranks, elements, op};
        struct ranks_traffic moved = ranks_fused_all_reduce(f, &job);
        struct ranks_traffic predicted = ranks_fused_predicted(&job);
        ck_assert_uint_eq(moved.read_bytes, predicted.read_bytes);
        ck_assert_uint_eq(moved.written_bytes, predicted.written_bytes);
        ck_assert_uint_eq(moved.written_bytes, 4 * ranks * elements);
        for (uint32_t r = 0; r < ranks; r++) {
            ck_assert_msg(memcmp(outputs[r], b.expected, (size_t)elements * 4) == 0,
                          "%u ranks, %u elements, rank %u, in place %d", ranks, (unsigned)elements,
                          r, in_place);
        }
    }
    for (uint32_t r = 0; r < ranks; r++) {
        ck_assert(b.outputs[r][elements] == 42);
    }
    close_buffers(&b, ranks);
}

START_TEST(every_rank_gets_the_sum_in_rank_order) {
    static const uint64_t sizes[] = {0, 1, 15, 16, 17, 1023, 1025, 9000, 70001, 500003};
    struct ranks_fused *f;
    struct message why;
    ck_assert_int_eq(ranks_fused_open((uint32_t)_i, &f, &why), STATUS_OK);
    if (_i == 0) {
        ck_assert_uint_ge(ranks_fused_workers(f), 1); /* one a core */
    } else {
        ck_assert_uint_eq(ranks_fused_workers(f), (uint32_t)_i);
    }
    for (uint32_t ranks = 1; ranks <= RANKS_MOST; ranks += ranks < 5 ? 1 : 4) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            expect_sum(f, ranks, sizes[s], (ranks + s) % 3 == 0 ? RANKS_OP_MAX : RANKS_OP_SUM);
        }
    }
    ranks_fused_close(f);
}
END_TEST

START_TEST(a_copy_is_a_copy) {
    struct ranks_fused *f;
    struct message why;
    ck_assert_int_eq(ranks_fused_open(2, &f, &why), STATUS_OK);
    for (uint64_t elements = 100; elements < 10000000; elements *= 100) {
        struct buffers b;
        open_buffers(&b, 2, elements + 3, RANKS_OP_SUM);
        struct ranks_fused_job job = {(const float *const *)b.inputs, b.outputs, 2, elements + 3,
                                      RANKS_OP_SUM};
        ranks_fused_copy(f, &job);
        for (int r = 0; r < 2; r++) {
            ck_assert(memcmp(b.inputs[r], b.outputs[r], (size_t)(elements + 3) * 4) == 0);
        }
        close_buffers(&b, 2);
    }
    ranks_fused_close(f);
}
END_TEST

/* --- By the ranks of a run --- */

struct meeting {
    struct ranks_fused_job job;
    int times;
};

static enum status meet(struct ranks_endpoint *e, void *context) {
    const struct meeting *m = context;
    struct ranks_traffic moved, *sums = ranks_shared(e);
    enum status ok = STATUS_OK;
    for (int i = 0; ok == STATUS_OK && i < m->times; i++) {
        ok = ranks_fused_meet(e, &m->job, &moved);
        sums[ranks_self(e)].read_bytes += moved.read_bytes;
        sums[ranks_self(e)].written_bytes += moved.written_bytes;
    }
    return ok;
}

static void expect_moved(void *shared, void *context) {
    const struct meeting *m = context;
    const struct ranks_traffic *sums = shared;
    struct ranks_traffic all = {0, 0}, predicted = ranks_fused_predicted(&m->job);
    for (uint32_t r = 0; r < m->job.ranks; r++) {
        all.read_bytes += sums[r].read_bytes;
        all.written_bytes += sums[r].written_bytes;
    }
    ck_assert_uint_eq(all.read_bytes, (uint64_t)m->times * predicted.read_bytes);
    ck_assert_uint_eq(all.written_bytes, (uint64_t)m->times * predicted.written_bytes);
}

static void expect_meeting(enum ranks_backend backend, uint32_t ranks, uint64_t elements) {
    struct buffers b;
    float *inputs[RANKS_MOST], *outputs[RANKS_MOST];
    struct ranks_report report = {.bytes = NULL};
    struct message why;
    open_buffers(&b, ranks, elements, RANKS_OP_SUM);
    for (uint32_t r = 0; r < ranks; r++) {
        inputs[r] = ranks_buffer_shared(b.bytes);
        outputs[r] = ranks_buffer_shared(b.bytes);
        ck_assert(inputs[r] != NULL && outputs[r] != NULL);
        memcpy(inputs[r], b.inputs[r], b.bytes);
    }
    struct meeting m = {{(const float *const *)inputs, outputs, ranks, elements, RANKS_OP_SUM}, 20};
    const struct ranks_options options = {.backend = backend,
                                          .ranks = ranks,
                                          .timeout_s = 30,
                                          .mailbox_bytes = 4096,
                                          .shared_bytes = RANKS_MOST * sizeof(struct ranks_traffic),
                                          .labels = 1};
    const struct ranks_body body = {meet, expect_moved, &m};
    ck_assert_int_eq(ranks_run(&options, &body, &report, &why), STATUS_OK);
    for (uint32_t r = 0; r < ranks; r++) {
        ck_assert_msg(memcmp(outputs[r], b.expected, (size_t)elements * 4) == 0,
                      "%u ranks, %u elements, rank %u", ranks, (unsigned)elements, r);
        ranks_buffer_free(inputs[r], b.bytes);
        ranks_buffer_free(outputs[r], b.bytes);
    }
    close_buffers(&b, ranks);
}

START_TEST(ranks_of_a_run_reduce_what_all_of_them_see) {
    static const uint64_t sizes[] = {0, 1, 17, 1025, 70001, 1500003};
    for (uint32_t ranks = 1; ranks <= 4; ranks++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            expect_meeting((enum ranks_backend)_i, ranks, sizes[s]);
        }
    }
}
END_TEST

/* --- What a warm call asks of the kernel --- */

static uint64_t faults_so_far(void) {
    struct rusage use;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &use), 0);
    return (uint64_t)use.ru_minflt;
}

/* The least of several tries, since the kernel moves pages of its own accord too. */
START_TEST(a_warm_call_takes_no_new_page) {
    struct buffers b;
    struct ranks_fused *f;
    struct message why;
    uint64_t least = UINT64_MAX;
    open_buffers(&b, 2, 70000, RANKS_OP_SUM);
    struct ranks_fused_job job = {(const float *const *)b.inputs, b.outputs, 2, 70000,
                                  RANKS_OP_SUM};
    ck_assert_int_eq(ranks_fused_open(2, &f, &why), STATUS_OK);
    (void)ranks_fused_all_reduce(f, &job);
    for (int tries = 0; tries < 5; tries++) {
        uint64_t before = faults_so_far();
        for (int i = 0; i < 100; i++) {
            (void)ranks_fused_all_reduce(f, &job);
        }
        uint64_t now = faults_so_far();
        least = now - before < least ? now - before : least;
    }
    ck_assert_uint_eq(least, 0);
    ranks_fused_close(f);
    close_buffers(&b, 2);
}
END_TEST

/* In strict mode the kernel kills a thread at its first call of anything but read, write and exit. */
static int call_in_strict_mode(struct ranks_fused *f, const struct ranks_fused_job *job) {
    pid_t pid = fork();
    int status = -1;
    if (pid == 0) {
        (void)ranks_fused_all_reduce(f, job);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
            (void)syscall(SYS_exit, 77);
        }
        for (int i = 0; i < 100; i++) {
            (void)ranks_fused_all_reduce(f, job);
        }
        (void)syscall(SYS_exit, 0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

START_TEST(a_warm_call_of_one_worker_makes_no_call_of_the_kernel) {
    struct buffers b;
    struct ranks_fused *f;
    struct message why;
    if (SANITIZED) {
        puts("not run: a sanitizer calls the kernel on its own");
        return;
    }
    open_buffers(&b, 4, 9000, RANKS_OP_SUM);
    struct ranks_fused_job job = {(const float *const *)b.inputs, b.outputs, 4, 9000, RANKS_OP_SUM};
    ck_assert_int_eq(ranks_fused_open(1, &f, &why), STATUS_OK);
    int status = call_in_strict_mode(f, &job);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        puts("not run: the strict mode of seccomp is not allowed here");
    } else {
        ck_assert_msg(status == 0, "ended with %d", status);
    }
    ranks_fused_close(f);
    close_buffers(&b, 4);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("fused");
    TCase *t = tcase_create("fused");
    tcase_add_loop_test(t, every_rank_gets_the_sum_in_rank_order, 0, 5);
    tcase_add_test(t, a_copy_is_a_copy);
    tcase_add_loop_test(t, ranks_of_a_run_reduce_what_all_of_them_see, RANKS_THREADS, RANKS_MPI);
    tcase_add_test(t, a_warm_call_takes_no_new_page);
    tcase_add_test(t, a_warm_call_of_one_worker_makes_no_call_of_the_kernel);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
