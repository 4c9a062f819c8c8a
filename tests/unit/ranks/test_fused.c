/* The all-reduce through shared memory: sums in rank order on every rank, whatever the number of workers, in place and out of
 * place, over sizes around lines, blocks and thresholds; and it reads and writes what is predicted. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/ranks/fused.h"
#include "shardlab/ranks/trial.h"

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

static Suite *suite(void) {
    Suite *s = suite_create("fused");
    TCase *t = tcase_create("fused");
    tcase_add_loop_test(t, every_rank_gets_the_sum_in_rank_order, 0, 5);
    tcase_add_test(t, a_copy_is_a_copy);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
