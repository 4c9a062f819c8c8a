/* The closed forms of collectives: small cases worked out by hand, and what all ranks together must send, summed over every
 * rank for every pair of collective and algorithm. That real ranks send just this is tests/cli/test_allreduce.c's. */
#include <check.h>
#include <string.h>

#include "shardlab/calc/collective.h"

enum {
    RANKS_TRIED = 40,
};

struct hand_row {
    const char *id;
    const char *kind, *algorithm;
    uint32_t ranks;
    uint64_t elements;
    uint32_t rank;
    uint64_t sent, messages; /* elements of one byte */
    uint32_t rounds;
};

/* Four ranks and ten elements: chunks of 3, 3, 2, 2. Five ranks and seven: 2, 2, 1, 1, 1, and P is 4. */
static const struct hand_row hand_rows[] = {
    {"naive: a rank sends all once", "all-reduce", "naive", 4, 10, 2, 10, 1, 2},
    {"naive: the root answers three", "all-reduce", "naive", 4, 10, 0, 30, 3, 2},
    {"naive scatter: the root sends what is not its own", "reduce-scatter", "naive", 4, 10, 0, 7, 3,
     2},
    {"naive gather: a rank sends its chunk", "all-gather", "naive", 4, 10, 3, 2, 1, 2},
    {"naive broadcast", "broadcast", "naive", 4, 10, 0, 30, 3, 1},
    {"ring: not chunk 0, then not chunk 1", "all-reduce", "ring", 4, 10, 0, 14, 6, 6},
    {"ring: not chunk 1, then not chunk 2", "all-reduce", "ring", 4, 10, 1, 15, 6, 6},
    {"ring: not chunk 3, then not chunk 0", "all-reduce", "ring", 4, 10, 3, 15, 6, 6},
    {"ring with fewer elements than ranks", "reduce-scatter", "ring", 4, 2, 3, 2, 2, 3},
    {"ring gather", "all-gather", "ring", 4, 10, 3, 7, 3, 3},
    {"tree: the root has three children of eight", "broadcast", "tree", 8, 10, 0, 30, 3, 3},
    {"tree: rank 4 of 6 has one child and one parent", "all-reduce", "tree", 6, 10, 4, 20, 2, 6},
    {"tree: a leaf", "all-reduce", "tree", 6, 10, 5, 10, 1, 6},
    {"halving: 2 and 3, then 1", "reduce-scatter", "halving-doubling", 4, 10, 0, 7, 2, 2},
    {"doubling: 0, then 0 and 1", "all-gather", "halving-doubling", 4, 10, 0, 9, 2, 2},
    {"both", "all-reduce", "halving-doubling", 4, 10, 3, 14, 4, 4},
    {"the fifth rank folds into rank 0", "all-reduce", "halving-doubling", 5, 7, 4, 7, 1, 6},
    /* halving: owners 2, 3 (chunks 2, 3: 2), then owner 1 (2); doubling: owner 0 (chunks 0 and 4: 2 + 1, two messages), then
       0 and 1 (4 + 1, two messages); at last all seven to rank 4. */
    {"and rank 0 answers it", "all-reduce", "halving-doubling", 5, 7, 0, 4 + 3 + 5 + 7, 7, 6},
    {"scatter with a fold", "reduce-scatter", "halving-doubling", 5, 7, 0, 4 + 1, 3, 4},
    {"direct scatter", "reduce-scatter", "direct", 4, 10, 2, 8, 3, 1},
    {"direct gather", "all-gather", "direct", 4, 10, 2, 6, 3, 1},
    {"direct both", "all-reduce", "direct", 4, 10, 0, 16, 6, 2},
    {"direct exchange", "all-to-all", "direct", 4, 8, 1, 6, 3, 1},
    {"one rank is silent", "all-reduce", "ring", 1, 10, 0, 0, 0, 0},
    {"nothing to send", "all-reduce", "ring", 4, 0, 2, 0, 0, 6},
};

static struct calc_exchange exchange(const char *kind, const char *algorithm, uint32_t ranks,
                                     uint64_t elements) {
    int k = calc_exchange_find(kind);
    int a = calc_algorithm_find(algorithm);
    ck_assert_int_ge(k, 0);
    ck_assert_int_ge(a, 0);
    return (struct calc_exchange){(enum calc_exchange_kind)k, (enum calc_algorithm)a, elements, 1,
                                  ranks};
}

START_TEST(a_case_worked_out_by_hand) {
    const struct hand_row *row = &hand_rows[_i];
    struct calc_exchange x = exchange(row->kind, row->algorithm, row->ranks, row->elements);
    struct calc_exchange_cost cost;
    struct message why;
    ck_assert_msg(calc_exchange_defined(x.kind, x.algorithm), "%s", row->id);
    ck_assert_msg(calc_exchange_rank(&x, row->rank, &cost, &why) == STATUS_OK, "%s", row->id);
    ck_assert_msg(cost.sent_bytes == row->sent, "%s: sent %llu", row->id,
                  (unsigned long long)cost.sent_bytes);
    ck_assert_msg(cost.messages == row->messages, "%s: messages %llu", row->id,
                  (unsigned long long)cost.messages);
    ck_assert_msg(calc_exchange_rounds(&x) == row->rounds, "%s: rounds %u", row->id,
                  calc_exchange_rounds(&x));
}
END_TEST

/* Elements in the chunks of ranks P and above. */
static uint64_t folded(uint32_t ranks, uint32_t power, uint64_t elements) {
    uint64_t sum = 0;
    for (uint64_t c = power; c < ranks; c++) {
        sum += elements / ranks + (c < elements % ranks ? 1 : 0);
    }
    return sum;
}

/* What all ranks send together: every element has to reach its owner from n − 1 ranks, and n − 1 ranks from its owner;
 * whoever folds sends a chunk once more. */
static uint64_t together(const struct calc_exchange *x) {
    uint64_t n = x->ranks, e = x->elements, power = 1;
    while (power <= n / 2) {
        power *= 2;
    }
    bool scatters = x->kind != CALC_EXCHANGE_ALL_GATHER,
         gathers = x->kind != CALC_EXCHANGE_REDUCE_SCATTER;
    uint64_t half = (n - 1) * e;
    if (x->kind == CALC_EXCHANGE_BROADCAST || x->kind == CALC_EXCHANGE_ALL_TO_ALL) {
        return half;
    }
    uint64_t extra = 0;
    if (x->algorithm == CALC_ALGORITHM_HALVING_DOUBLING) {
        extra = scatters && gathers ? 0 : folded(x->ranks, (uint32_t)power, e);
    }
    if (x->algorithm == CALC_ALGORITHM_NAIVE && scatters != gathers) {
        /* the root sends or gets every chunk but its own besides */
        extra = e - (e / n + (e % n > 0 ? 1 : 0));
    }
    return (scatters ? half : 0) + (gathers ? half : 0) + extra;
}

START_TEST(all_ranks_together_send_what_must_travel) {
    for (uint32_t ranks = 2; ranks <= RANKS_TRIED; ranks++) {
        for (int pair = 0; pair < CALC_EXCHANGES * CALC_ALGORITHMS; pair++) {
            struct calc_exchange x = {
                (enum calc_exchange_kind)(pair / CALC_ALGORITHMS),
                (enum calc_algorithm)(pair % CALC_ALGORITHMS),
                (uint64_t)_i * (pair / CALC_ALGORITHMS == CALC_EXCHANGE_ALL_TO_ALL ? ranks : 1), 1,
                ranks};
            uint64_t sum = 0;
            for (uint32_t r = 0; calc_exchange_defined(x.kind, x.algorithm) && r < ranks; r++) {
                struct calc_exchange_cost cost;
                struct message why;
                ck_assert_int_eq(calc_exchange_rank(&x, r, &cost, &why), STATUS_OK);
                sum += cost.sent_bytes;
            }
            ck_assert_msg(!calc_exchange_defined(x.kind, x.algorithm) || sum == together(&x),
                          "kind %d algorithm %d ranks %u elements %d: %llu, not %llu", (int)x.kind,
                          (int)x.algorithm, ranks, _i, (unsigned long long)sum,
                          (unsigned long long)together(&x));
        }
    }
}
END_TEST

START_TEST(bytes_past_64_bits_are_an_error_with_the_numbers) {
    struct calc_exchange x = {CALC_EXCHANGE_ALL_REDUCE, CALC_ALGORITHM_RING, UINT64_MAX / 2, 4, 8};
    struct calc_exchange_cost cost;
    struct message why;
    ck_assert_int_eq(calc_exchange_rank(&x, 0, &cost, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.collective.overflow");
    ck_assert_uint_eq(why.args[0].count, UINT64_MAX / 2);
}
END_TEST

START_TEST(time_is_rounds_and_the_most_that_one_sends) {
    ck_assert_double_eq_tol(calc_exchange_seconds(6, 3000, 1e-6, 1e9), 9e-6, 1e-15);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("calc collective");
    TCase *t = tcase_create("closed forms");
    tcase_add_loop_test(t, a_case_worked_out_by_hand, 0,
                        (int)(sizeof hand_rows / sizeof hand_rows[0]));
    tcase_add_loop_test(t, all_ranks_together_send_what_must_travel, 0, 45);
    tcase_add_test(t, bytes_past_64_bits_are_an_error_with_the_numbers);
    tcase_add_test(t, time_is_rounds_and_the_most_that_one_sends);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
