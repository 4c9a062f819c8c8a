/* The executor of step lists on real ranks: one run that goes through all pairs of collective and algorithm one after the
 * other (what one leaves behind must not disturb the next), sums in 16-bit types kept in fp32 or not, and maxima. Grids of
 * ranks and sizes are test_trial.c. */
#include <check.h>
#include <math.h>

#include "shardlab/num/convert.h"
#include "shardlab/ranks/collective.h"
#include "unit/ranks/ranks_support.h"

enum { MOST = 64, STEPS = 64 };

/* Values of which every sum and every one alone is exact in fp32. */
static float value_of(uint32_t rank, uint64_t i) {
    return (float)((rank + 1) * 1000 + i);
}

static float expected(const struct coll_job *job, uint32_t rank, uint64_t i) {
    uint64_t each = job->elements / job->ranks, first, count;
    float sum = 0;
    switch (job->collective) {
    case COLL_BROADCAST:
        return value_of(0, i);
    case COLL_ALL_TO_ALL:
        return value_of((uint32_t)(i / each), rank * each + i % each);
    case COLL_ALL_GATHER:
        for (uint32_t r = 0; r < job->ranks; r++) {
            coll_chunk(job, r, &first, &count);
            sum = i >= first && i - first < count ? value_of(r, i) : sum;
        }
        return sum;
    default:
        for (uint32_t r = 0; r < job->ranks; r++) {
            sum += value_of(r, i);
        }
        return sum;
    }
}

static enum status one_job(struct ranks_endpoint *e, const struct coll_job *job) {
    float input[MOST], output[MOST], *result = input;
    struct coll_step steps[STEPS];
    struct ranks_passed passed;
    uint32_t self = ranks_self(e);
    uint64_t first = 0, count = job->elements;
    for (uint64_t i = 0; i < job->elements; i++) {
        input[i] = value_of(self, i);
    }
    if (job->collective == COLL_ALL_TO_ALL) {
        result = output;
    } else if (job->collective == COLL_REDUCE_SCATTER) {
        coll_chunk(job, self, &first, &count);
    }
    struct ranks_call call = {.job = job, .steps = steps, .input = input, .output = result};
    call.step_count = coll_steps(job, self, steps, STEPS);
    MUST(ranks_collective_run(e, &call, &passed));
    for (uint64_t i = first; i < first + count; i++) {
        if (result[i] != expected(job, self, i)) {
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static enum status every_pair(struct ranks_endpoint *e, void *context) {
    uint32_t n = ranks_count(e);
    const uint64_t sizes[] = {0, 1, n - 1, n, n + 1, 3 * n, 50};
    (void)context;
    for (int pair = 0; pair < COLL_COLLECTIVES * COLL_ALGORITHMS; pair++) {
        for (size_t size = 0; size < 7; size++) {
            struct coll_job job = {(enum coll_collective)(pair % COLL_COLLECTIVES),
                                   (enum coll_algorithm)(pair / COLL_COLLECTIVES), n, sizes[size]};
            if (job.collective == COLL_ALL_TO_ALL) {
                job.elements -= job.elements % n;
            }
            if (coll_defines(job.collective, job.algorithm)) {
                MUST(one_job(e, &job));
            }
        }
    }
    return STATUS_OK;
}

START_TEST(all_pairs_in_one_run_do_not_disturb_each_other) {
    static const uint32_t ranks[] = {1, 2, 3, 4, 5, 8};
    for (size_t i = 0; i < 6; i++) {
        for (uint64_t mailbox = 0; mailbox <= 4096; mailbox += 1024) {
            struct one_run *r = one_run_new((enum ranks_backend)_i, ranks[i], every_pair);
            r->options.mailbox_bytes = mailbox;
            one_run_well(r);
            free(r);
        }
    }
}
END_TEST

/* --- Sums in 16 bits --- */

struct stall {
    enum coll_algorithm algorithm;
    enum ranks_type type;
    bool wide;
    enum ranks_op op;
    float first, rest, sum; /* what rank 0 and the others bring, what comes out */
};

static enum status add_up(struct ranks_endpoint *e, void *context) {
    const struct stall *s = context;
    struct coll_job job = {COLL_ALL_REDUCE, s->algorithm, ranks_count(e), 2};
    struct coll_step steps[STEPS];
    struct ranks_passed passed;
    float sums[2], values[2] = {0, 0};
    uint16_t codes[2];
    enum num_type type = s->type == RANKS_FP16 ? NUM_FP16 : NUM_BF16;
    values[0] = values[1] = ranks_self(e) == 0 ? s->first : s->rest;
    num_pack(type, NUM_OVERFLOW_INF, values, codes, 2);
    struct ranks_call call = {.job = &job, .type = s->type, .op = s->op, .wide = s->wide};
    call.steps = steps;
    call.step_count = coll_steps(&job, ranks_self(e), steps, STEPS);
    call.input = call.output = codes;
    call.sums = sums;
    MUST(ranks_collective_run(e, &call, &passed));
    num_unpack(type, codes, values, 2);
    return values[0] == s->sum && values[1] == s->sum ? STATUS_OK : STATUS_USAGE;
}

static const struct stall stalls[] = {
    /* 2048 + 1 is 2048 in fp16, eight times; in fp32 it is 2056. */
    {COLL_NAIVE, RANKS_FP16, false, RANKS_OP_SUM, 2048, 1, 2048},
    {COLL_NAIVE, RANKS_FP16, true, RANKS_OP_SUM, 2048, 1, 2056},
    {COLL_NAIVE, RANKS_BF16, false, RANKS_OP_SUM, 256, 1, 256},
    {COLL_NAIVE, RANKS_BF16, true, RANKS_OP_SUM, 256, 1, 264},
    /* Nine ranks in a tree: rank 0 receives 1, 2, 4, 1. In fp16 both ties go up, 2051 to 2052 and 2059 to 2060; in fp32
     * nothing is rounded on the way. */
    {COLL_TREE, RANKS_FP16, false, RANKS_OP_SUM, 2050, 1, 2060},
    {COLL_TREE, RANKS_FP16, true, RANKS_OP_SUM, 2050, 1, 2058},
    {COLL_NAIVE, RANKS_FP16, false, RANKS_OP_SUM, 65504, 16, INFINITY},
    {COLL_NAIVE, RANKS_FP16, false, RANKS_OP_MAX, -3, 0.5F, 0.5F},
    {COLL_RING, RANKS_BF16, true, RANKS_OP_MAX, 7, -1, 7},
};

START_TEST(sums_in_sixteen_bits_are_rounded_where_the_header_says) {
    struct stall stall = stalls[_i];
    struct one_run *r = one_run_new(RANKS_THREADS, 9, add_up);
    r->body.context = &stall;
    one_run_well(r);
    free(r);
}
END_TEST

START_TEST(names_of_types_and_operations_are_found_again) {
    for (int t = 0; t < RANKS_TYPES; t++) {
        ck_assert_int_eq(ranks_type_find(ranks_type_name((enum ranks_type)t)), t);
    }
    for (int o = 0; o < RANKS_OPS; o++) {
        ck_assert_int_eq(ranks_op_find(ranks_op_name((enum ranks_op)o)), o);
    }
    ck_assert_int_eq(ranks_type_find("fp64"), -1);
    ck_assert_int_eq(ranks_op_find("min"), -1);
}
END_TEST

START_TEST(auto_takes_an_algorithm_that_is_defined) {
    for (int c = 0; c < COLL_COLLECTIVES; c++) {
        for (uint32_t ranks = 1; ranks <= 64; ranks *= 2) {
            for (uint64_t elements = 1; elements < UINT64_C(1) << 40; elements *= 8) {
                struct coll_job job = {(enum coll_collective)c, COLL_NAIVE, ranks, elements};
                ck_assert(coll_defines(job.collective, ranks_algorithm_auto(&job, RANKS_FP32)));
            }
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("collective");
    TCase *t = tcase_create("collective");
    tcase_add_loop_test(t, all_pairs_in_one_run_do_not_disturb_each_other, 0, 2);
    tcase_add_loop_test(t, sums_in_sixteen_bits_are_rounded_where_the_header_says, 0,
                        (int)(sizeof stalls / sizeof stalls[0]));
    tcase_add_test(t, names_of_types_and_operations_are_found_again);
    tcase_add_test(t, auto_takes_an_algorithm_that_is_defined);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
