/* Experts' traffic beyond the plain all-to-all (test_comm_axes.c): tokens that cross the network once for each node, that
 * travel in fp8, and that hide behind the pairs of dualpipe. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"

#define MOE                                                                                        \
    LLAMA_7B " --experts 64 --experts-active 6 --dense-layers 2 --moe-ffn 1408 --dp 32 --seq "     \
             "1024 "
enum { TOKENS = 1024, HIDDEN = 4096, LAYERS = 30 };

START_TEST(a_token_crosses_the_network_once_for_each_node) {
    uint64_t row = (uint64_t)TOKENS * HIDDEN * 2, times = 2 * LAYERS;
    struct calc_comm c = comm_line(MOE "--ep 32 --expert-nodes 2");
    const char *const ways[] = {"dispatch", "combine"};
    const char *const inside[] = {"dispatch.inside", "combine.inside"};
    for (int i = 0; i < 2; i++) { /* four nodes; eight ranks in each */
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, ways[i]), times * 2 * row / 4 * 3);
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, inside[i]), times * 6 * row / 8 * 7);
        ck_assert_int_eq(row_of(&c, ways[i])->link, CALC_LINK_NETWORK);
        ck_assert_int_eq(row_of(&c, inside[i])->link, CALC_LINK_NODE);
        ck_assert_uint_eq(row_of(&c, ways[i])->ranks, 4);
        ck_assert_uint_eq(row_of(&c, inside[i])->ranks, 8);
    }
    /* no more copies than nodes, nor than experts */
    c = comm_line(MOE "--ep 32 --expert-nodes 8");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), times * 4 * row / 4 * 3);
    c = comm_line(MOE "--ep 32 --expert-nodes 8 --gpus-per-node 4");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), times * 6 * row / 8 * 7);
    /* one rank a node: nothing goes on inside */
    c = comm_line(MOE "--ep 32 --expert-nodes 2 --gpus-per-node 1");
    ck_assert(!has_row(&c, "dispatch.inside"));
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), times * 2 * row / 32 * 31);
}
END_TEST

START_TEST(inside_one_node_the_limit_changes_nothing) {
    struct calc_comm limited = comm_line(MOE "--ep 8 --expert-nodes 2");
    struct calc_comm free = comm_line(MOE "--ep 8");
    ck_assert(!has_row(&limited, "dispatch.inside"));
    ck_assert_uint_eq(limited.total_sent_bytes, free.total_sent_bytes);
}
END_TEST

START_TEST(tokens_go_out_in_fp8_and_come_back_as_computed) {
    uint64_t times = 2 * LAYERS * 6, back = (uint64_t)TOKENS * HIDDEN * 2;
    struct calc_comm c = comm_line(MOE "--ep 8 --precision fp8 --input-bytes 1");
    uint64_t there = (uint64_t)TOKENS * (HIDDEN + 4 * HIDDEN / 128);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), times * there / 8 * 7);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "combine"), times * back / 8 * 7);
    c = comm_line(MOE "--ep 8 --precision fp8");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), times * back / 8 * 7);
}
END_TEST

/* A card of 100 TFLOP/s; what a pair hides is its own part of the step. */
static struct calc_comm with_card(const char *line, double *compute_s) {
    struct scenario s = given_of(line);
    struct message why;
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 100;
    must_hold(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s", message_line(&why));
    must_hold(scenario_violations(&s, &why, 1) == 0, "%s", message_line(&why));
    struct calc_comm c = comm_on(&s, 0);
    *compute_s = c.compute_s;
    return c;
}

#define DUAL                                                                                       \
    MOE "--ep 8 --pp 4 --micro-batches 8 --alpha-us 0 --net-gb-per-s 1 --schedule dualpipe "

START_TEST(pairs_hide_traffic_behind_their_computation) {
    /* two ranks a stream, four micro-batches: of eight forwards of rank 0 three have no pair (2·4 + 1 − 3·2 = 3) */
    double compute = 0, paired = 3.0 / 8;
    struct calc_comm fast = with_card(DUAL "--link-gb-per-s 1e6", &compute);
    const struct calc_comm_row *row = row_of(&fast, "dispatch");
    ck_assert(near(row->paired, paired));
    ck_assert(row->time_s < compute);
    ck_assert(near(row->exposed_s, (1 - paired) * row->time_s));
    /* slower than what it hides behind: dispatch first, combine finds nothing left */
    struct calc_comm slow = with_card(DUAL "--link-gb-per-s 0.1", &compute);
    row = row_of(&slow, "dispatch");
    ck_assert(row->time_s > compute);
    ck_assert(near(row->exposed_s, row->time_s - paired * compute));
    row = row_of(&slow, "combine");
    ck_assert(near(row->exposed_s, row->time_s));
    /* schedules without pairs hide nothing */
    struct calc_comm plain =
        with_card(MOE "--ep 8 --pp 4 --micro-batches 8 --link-gb-per-s 1e6", &compute);
    row = row_of(&plain, "dispatch");
    ck_assert(near(row->exposed_s, row->time_s));
    ck_assert_int_eq(row->hide, CALC_HIDE_NOTHING);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm experts");
    TCase *t = tcase_create("experts");
    tcase_add_test(t, a_token_crosses_the_network_once_for_each_node);
    tcase_add_test(t, inside_one_node_the_limit_changes_nothing);
    tcase_add_test(t, tokens_go_out_in_fp8_and_come_back_as_computed);
    tcase_add_test(t, pairs_hide_traffic_behind_their_computation);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
