/* The order list: placements and their inverse, filling rank by rank, and the check that a list is whole, with one
 * small list for everything that can be wrong with one. */
#include "shardlab/pipe/order.h"

#include <check.h>
#include <string.h>

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

enum { OPS_MAX = 64 };

static const struct {
    struct pipe_shape shape;
    uint32_t stages;
    uint32_t at[2][4]; /* the stage that chunk c of rank r is */
} places[] = {
    {{4, 2, 2, PIPE_LOOP}, 8, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
    {{4, 2, 2, PIPE_V}, 8, {{0, 1, 2, 3}, {7, 6, 5, 4}}},
    {{4, 2, 2, PIPE_BOTH}, 4, {{0, 1, 2, 3}, {3, 2, 1, 0}}},
    {{1, 2, 2, PIPE_LOOP}, 2, {{0}, {1}}},
    {{1, 2, 2, PIPE_V}, 2, {{0}, {1}}},
};

START_TEST(a_stage_lives_where_its_placement_says) {
    const struct pipe_shape *shape = &places[_i].shape;
    ck_assert_uint_eq(pipe_stages(shape), places[_i].stages);
    for (uint32_t chunk = 0; chunk < 2; chunk++) {
        for (uint32_t rank = 0; rank < shape->ranks; rank++) {
            uint32_t stage = pipe_stage_at(shape, rank, chunk);
            ck_assert_uint_eq(stage, places[_i].at[chunk][rank]);
            for (uint32_t micro = 0; micro < shape->micro_batches; micro++) {
                uint32_t back_rank = 99, back_chunk = 99;
                pipe_home(shape, micro, stage, &back_rank, &back_chunk);
                bool same = back_rank == rank && back_chunk == chunk;
                ck_assert_int_eq(same, pipe_works_on(shape, chunk, micro));
            }
        }
    }
}
END_TEST

START_TEST(each_half_of_the_micro_batches_has_its_direction) {
    struct pipe_shape both = {4, 6, 2, PIPE_BOTH}, loop = {4, 6, 2, PIPE_LOOP};
    for (uint32_t micro = 0; micro < 6; micro++) {
        ck_assert_int_eq(pipe_works_on(&both, 0, micro), micro < 3);
        ck_assert_int_eq(pipe_works_on(&both, 1, micro), micro >= 3);
        ck_assert(pipe_works_on(&loop, 0, micro) && pipe_works_on(&loop, 1, micro));
    }
}
END_TEST

START_TEST(the_largest_shape_has_a_capacity) {
    struct pipe_shape shape = {PIPE_RANKS_MAX, PIPE_MICRO_BATCHES_MAX, PIPE_CHUNKS_MAX, PIPE_LOOP};
    ck_assert_uint_eq(pipe_order_capacity(&shape), UINT64_C(3) << 36);
    shape = (struct pipe_shape){4, 6, 2, PIPE_BOTH};
    ck_assert_uint_eq(pipe_order_capacity(&shape), 3 * 6 * 4);
}
END_TEST

/* Two ranks, two micro-batches, 1F1B: "F0 F1 B0 B1" and "F0 B0 F1 B1", with B for BW. A '+' overlaps an operation with
 * the next, I is B alone, a digit after '.' is a chunk. */
static void fill(struct pipe_order *order, struct pipe_op *ops, const char *first,
                 const char *second) {
    static const char letters[] = "FIWB";
    static const struct pipe_shape shape = {2, 2, 1, PIPE_LOOP};
    const char *lists[] = {first, second};
    pipe_order_start(order, &shape, ops, OPS_MAX);
    for (int rank = 0; rank < 2; rank++) {
        if (lists[rank] == NULL) {
            break;
        }
        pipe_order_rank(order);
        for (const char *p = lists[rank]; *p != '\0';) {
            enum pipe_kind kind = (enum pipe_kind)(strchr(letters, *p++) - letters);
            uint32_t micro = (uint32_t)(*p++ - '0');
            uint32_t chunk = *p == '.' ? (uint32_t)(p[1] - '0') : 0;
            p += *p == '.' ? 2 : 0;
            pipe_order_add(order, kind, micro, chunk);
            if (*p == '+') {
                p++;
                pipe_order_overlap(order);
            }
            p += *p == ' ' ? 1 : 0;
        }
    }
    pipe_order_end(order);
}

START_TEST(operations_lie_rank_after_rank) {
    static struct pipe_order order;
    struct pipe_op ops[OPS_MAX];
    fill(&order, ops, "F0 F1+ B0 B1", "F0 I0 W0 F1 B1");
    ck_assert_uint_eq(order.first[0], 0);
    ck_assert_uint_eq(order.first[1], 4);
    ck_assert_uint_eq(order.first[2], 9);
    ck_assert_uint_eq(pipe_order_count(&order), 9);
    for (uint64_t op = 0; op < 9; op++) {
        ck_assert_uint_eq(pipe_rank_of(&order, op), op < 4 ? 0 : 1);
    }
    ck_assert(ops[1].overlapped == 1 && ops[2].overlapped == 0);
    ck_assert(ops[5].kind == PIPE_B && ops[6].kind == PIPE_W && ops[8].kind == PIPE_BW);
}
END_TEST

static const struct {
    const char *first, *second, *id;
    uint32_t rank;
    const char *kind;
    uint32_t micro;
} orders[] = {
    {"F0 F1 B0 B1", "F0 B0 F1 B1", NULL, 0, "", 0},
    {"F0 F1 I0 W0 I1 W1", "F0 B0 F1 I1 W1", NULL, 0, "", 0},
    {"F0 F1+ B0 B1", "F0 B0+ F1 B1", NULL, 0, "", 0},
    {"B1 B0 F1 F0", "F0 B0 F1 B1", NULL, 0, "", 0}, /* whole; that it stands still is not asked */
    {"F0 F1 B0 B1", "F0 B0 F1", "error.order.missing", 1, "BW", 1},
    {"F0 F1 B0 B1", "F0 I0 F1 B1", "error.order.missing", 1, "W", 0},
    {"F0 F1 B0 B1", "F0 B0 F1 W1", "error.order.missing", 1, "B", 1},
    {"F0 B0 B1", "F0 B0 F1 B1", "error.order.missing", 0, "F", 1},
    {"F0 F1 B0 B1", NULL, "error.order.missing", 1, "F", 0},
    {"F0 F1 B0 B1 F0", "F0 B0 F1 B1", "error.order.twice", 0, "F", 0},
    {"F0 F1 B0 B1", "F0 B0 F1 B1 W1", "error.order.twice", 1, "W", 1},
    {"F0 F1 B0 I1 B1", "F0 B0 F1 B1", "error.order.twice", 0, "BW", 1},
    {"F0 F1 B0 B1", "F0 B0 F1 B1 F2", "error.order.unknown", 1, "F", 2},
    {"F0 F1.1 B0 B1", "F0 B0 F1 B1", "error.order.unknown", 0, "F", 1},
    {"F0+ F1 B0 B1", "F0 B0 F1 B1", "error.order.pair", 0, "F", 0},
    {"F0 F1 B0+ B1", "F0 B0 F1 B1", "error.order.pair", 0, "BW", 0},
    {"F0 F1+ I0 W0 B1", "F0 B0 F1 B1", "error.order.pair", 0, "F", 1},
    {"F0 F1 B0 B1+", "F0 B0 F1 B1", "error.order.pair", 0, "BW", 1},
    {"F0 F1+ B0+ B1", "F0 B0 F1 B1", "error.order.pair", 0, "F", 1},
    {"F0+ B0 F1 B1", "F0 B0 F1 B1", "error.order.pair", 0, "F", 0},
};

START_TEST(an_order_is_whole_or_says_what_is_wrong) {
    static struct pipe_order order;
    struct pipe_op ops[OPS_MAX];
    uint8_t seen[OPS_MAX];
    struct message why = {0};
    fill(&order, ops, orders[_i].first, orders[_i].second);
    enum status got = pipe_order_check(&order, seen, &why);
    ck_assert_msg((got == STATUS_OK) == (orders[_i].id == NULL), "%d: %s", _i, why.id);
    if (orders[_i].id != NULL) {
        ck_assert_str_eq(why.id, orders[_i].id);
        ck_assert_uint_eq(why.args[0].count, orders[_i].rank);
        ck_assert_str_eq(why.args[1].text, orders[_i].kind);
        ck_assert_uint_eq(why.args[2].count, orders[_i].micro);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("order");
    TCase *order = tcase_create("order");
    tcase_add_loop_test(order, a_stage_lives_where_its_placement_says, 0, ROWS(places));
    tcase_add_test(order, each_half_of_the_micro_batches_has_its_direction);
    tcase_add_test(order, the_largest_shape_has_a_capacity);
    tcase_add_test(order, operations_lie_rank_after_rank);
    tcase_add_loop_test(order, an_order_is_whole_or_says_what_is_wrong, 0, ROWS(orders));
    suite_add_tcase(s, order);
    return s;
}

#include "support/check_main.h"
