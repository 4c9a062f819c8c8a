/* Data parallelism: the table of modes with the small model G1, exact; accumulation, element types, uneven chunks,
 * groups of contexts and of experts; and rows against a ring that really passes chunks on. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"
#include "dice.h"

/* --- Rings -------------------------------------------------------------------------------------------------------- */

enum { RANKS_MAX = 9 };

/* In step i of N − 1 rank r passes on the chunk that it got last: chunk (from + r − i) mod N. */
static uint64_t passed_on(uint64_t elements, uint64_t ranks, uint64_t rank, uint64_t from) {
    uint64_t sent = 0;
    for (uint64_t step = 0; step + 1 < ranks; step++) {
        uint64_t chunk = (from + rank + 2 * ranks - step) % ranks;
        sent += elements / ranks + (chunk < elements % ranks ? 1 : 0);
    }
    return sent;
}

START_TEST(a_row_is_what_passes_through_rank_0) {
    struct dice d = {7};
    for (int round = 0; round < 300; round++) {
        uintmax_t ranks = 2 + dice_roll(&d, RANKS_MAX), psi = 1 + dice_wide(&d, 20);
        struct calc_comm c = comm_line("--params %ju --dp %ju --zero 1", psi, ranks);
        /* a rank that ends with its own chunk starts with its predecessor's */
        uint64_t scatter = 2 * passed_on(psi, ranks, 0, ranks - 1);
        uint64_t gather = 2 * passed_on(psi, ranks, 0, 0);
        must_hold(sent_of(&c, CALC_AXIS_DP, "gradients") == scatter, "%ju over %ju", psi, ranks);
        must_hold(sent_of(&c, CALC_AXIS_DP, "weights") == gather, "%ju over %ju", psi, ranks);
    }
}
END_TEST

START_TEST(a_world_of_more_than_32_bits_is_refused) {
    struct scenario s = legal_of("--params 7B --dp 1048576 --cp 1048576 --seq 1048576");
    struct calc_comm c;
    struct message why = {0};
    ck_assert_int_eq(calc_comm_step(&s, &c, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.comm.crowd|1099511627776|4294967295");
}
END_TEST

/* --- The table of G1 ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *line;
    uint64_t sent;
} table[] = {
    {"--precision fp32", 674304},
    {"--precision fp32 --zero 1", 674304},
    {"--precision fp32 --zero 2", 674304},
    {"--precision fp32 --zero 3 --prefetch 0", 1011456},
    {"--precision fp32 --zero 3 --prefetch 1", 1011456},
    {"--precision fp32 --zero 3 --no-reshard", 674304},
    {"--grad-bytes 4", 674304},
    {"--grad-bytes 4 --zero 1", 505728},
    {"--grad-bytes 4 --zero 2", 505728},
    {"--grad-bytes 4 --zero 3", 674304},
    {"--grad-bytes 2 --zero 3", 505728},
    {"--grad-bytes 6 --zero 3", 505728}, /* of two copies the small one travels */
    {"--precision fp16 --grad-bytes 2 --zero 3", 505728 + 4},
    /* 4 micro-batches: once, or every time */
    {"--precision fp32 --micro-batches 4", 674304},
    {"--precision fp32 --micro-batches 4 --reduce every", 4 * 674304},
    {"--precision fp32 --micro-batches 4 --zero 1", 674304},
    {"--precision fp32 --micro-batches 4 --zero 1 --reduce every", 674304 * 5 / 2},
    {"--precision fp32 --micro-batches 4 --zero 2", 674304 * 5 / 2},
    {"--precision fp32 --micro-batches 4 --zero 2 --reduce boundary", 674304},
    {"--precision fp32 --micro-batches 4 --zero 3", 674304 * 6},
    {"--precision fp32 --micro-batches 4 --zero 3 --no-reshard", 674304 * 4},
    {"--precision fp32 --micro-batches 4 --zero 3 --reduce boundary", 674304 * 9 / 2},
    /* FSDP gathers in the compute type whatever its shards are */
    {"--convention fsdp", 674304},
    {"--convention fsdp --zero 2", 505728},
};

START_TEST(the_small_model_sends_what_the_table_says) {
    struct calc_comm c = comm_line(G1 " --dp 4 %s", table[_i].line);
    ck_assert_msg(c.total_sent_bytes == table[_i].sent, "%s: %ju, not %ju", table[_i].line,
                  (uintmax_t)c.total_sent_bytes, (uintmax_t)table[_i].sent);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, NULL), c.total_sent_bytes);
}
END_TEST

/* --- Relations that hold for every size --------------------------------------------------------------------------- */

/* ZeRO 1 and 2 are the two halves of an all-reduce, whatever the remainder; ZeRO 3 half as much again. */
START_TEST(zero_1_and_2_send_as_much_as_plain_data_parallelism) {
    struct dice d = {11};
    for (int round = 0; round < 300; round++) {
        uintmax_t psi = 1 + dice_wide(&d, 40), dp = 1 + dice_roll(&d, 2000);
        struct calc_comm plain = comm_line("--params %ju --dp %ju", psi, dp);
        uint64_t sent = plain.total_sent_bytes;
        for (int zero = 1; zero <= 2; zero++) {
            struct calc_comm c = comm_line("--params %ju --dp %ju --zero %d", psi, dp, zero);
            must_hold(c.total_sent_bytes == sent, "%ju over %ju, ZeRO %d", psi, dp, zero);
        }
        struct calc_comm c = comm_line("--params %ju --dp %ju --zero 3", psi, dp);
        uint64_t three = 2 * c.total_sent_bytes,
                 gap = three > 3 * sent ? three - 3 * sent : 3 * sent - three;
        must_hold(gap <= 4, "%ju over %ju: %ju", psi, dp, (uintmax_t)gap); /* a chunk's remainder */
    }
}
END_TEST

/* 10 elements over 4 ranks: chunks 3 3 2 2; rank 0 keeps its own and never sends the next one. */
START_TEST(uneven_chunks_are_exact) {
    struct calc_comm c = comm_line("--params 10 --dp 4 --grad-bytes 4");
    ck_assert_uint_eq(c.total_sent_bytes, 4 * (7 + 7));
    c = comm_line("--params 9 --dp 4 --zero 1 --grad-bytes 4"); /* 3 2 2 2 */
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients"), 4 * 6);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "weights"), 2 * 7);
    c = comm_line("--params 2 --dp 4"); /* 1 1 0 0 */
    ck_assert_uint_eq(c.total_sent_bytes, 2 * (1 + 1));
}
END_TEST

/* Each unit is a message of its own, and its remainder its own. */
START_TEST(zero_3_gathers_unit_by_unit) {
    struct scenario s = legal_of(G1 " --dp 7 --zero 3 --micro-batches 3");
    struct calc_comm c = comm_of(&s);
    const struct calc_comm_row *row = row_of(&c, "weights.forward");
    uint64_t layer = 49984, root = 12416;
    ck_assert_uint_eq(row->count, 3 * 3);
    ck_assert_uint_eq(row->message_bytes, 2 * layer);
    uint64_t sent = 2 * (layer - (layer / 7 + 1)) + root - (root / 7 + 1);
    ck_assert(layer % 7 >= 2 && root % 7 >= 2);
    ck_assert_uint_eq(row->sent_bytes, 3 * 2 * sent);
    ck_assert_uint_eq(calls_of(&c, CALC_AXIS_DP, "gradients"), 9);
}
END_TEST

START_TEST(a_group_of_one_sends_nothing) {
    struct calc_comm c = comm_line(G1 " --zero 3");
    ck_assert_int_eq(c.row_count, 0);
    ck_assert(c.total_known && c.total_sent_bytes == 0);
}
END_TEST

/* Gradients are summed over dp·cp; where only dp shares the states, contexts sum their shares. */
START_TEST(contexts_sum_their_gradients_too) {
    struct calc_comm c = comm_line("--params 1024K --dp 4 --cp 2");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients"), 2 * 2 * 1024000 / 8 * 7);
    c = comm_line("--params 1024K --dp 4 --cp 2 --zero 1");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients"), 2 * 1024000 / 4 * 3);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "gradients"), 2 * 1024000 / 4);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "weights"), 2 * 1024000 / 4 * 3);
    c = comm_line("--params 10 --dp 4 --cp 2 --zero 1"); /* a share of 3: chunks 2 and 1 */
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "gradients"), 2 * (2 * 3 - 2 - 1));
    c = comm_line("--params 1024K --dp 4 --cp 2 --zero 1 --convention megatron");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients"), 4 * 1024000 / 8 * 7);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "gradients"), 0);
}
END_TEST

/* Experts are reduced over the ranks that hold the same ones, the rest over all data ranks. */
START_TEST(experts_have_a_group_of_their_own) {
    static const char *const line = LLAMA_7B " --experts 8 --experts-active 2 --dp 8 --ep %d";
    for (int ep = 1; ep <= 8; ep *= 2) {
        struct scenario s = legal_of(line, ep);
        struct calc_comm c = comm_of(&s);
        uint64_t experts = 0, all = 0;
        struct message why;
        ck_assert_int_eq(calc_expert_params_on_stage(&s, 0, &experts, &why), STATUS_OK);
        ck_assert_int_eq(calc_params_on_stage(&s, 0, &all, &why), STATUS_OK);
        uint64_t ranks = 8 / (uint64_t)ep;
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients.experts"),
                          4 * (experts - experts / ranks));
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, "gradients"), 4 * (all - experts) / 8 * 7);
    }
}
END_TEST

/* Unit by unit or all at once: but for the remainders of the units the bytes are the same. */
START_TEST(units_are_all_there_is) {
    static const char *const ids[] = {"gradients", "gradients.experts"};
    struct calc_comm whole = comm_line(
        LLAMA_7B " --experts 8 --experts-active 2 --dense-layers 3 --dp 12 --ep 2 --zero 2");
    struct calc_comm units = comm_line(
        LLAMA_7B " --experts 8 --experts-active 2 --dense-layers 3 --dp 12 --ep 2 --zero 3");
    for (int i = 0; i < 2; i++) {
        uint64_t a = sent_of(&whole, CALC_AXIS_DP, ids[i]),
                 b = sent_of(&units, CALC_AXIS_DP, ids[i]);
        ck_assert_msg(b <= a && a - b <= 2 * 33, "%s: %ju, %ju", ids[i], (uintmax_t)a,
                      (uintmax_t)b);
    }
    ck_assert_uint_eq(calls_of(&units, CALC_AXIS_DP, "gradients"), 33);
    ck_assert_uint_eq(calls_of(&units, CALC_AXIS_DP, "gradients.experts"), 29);
}
END_TEST

START_TEST(fp16_checks_for_overflow_over_all_ranks) {
    struct calc_comm c = comm_line(G1 " --precision fp16 --tp 2");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, NULL), 4);
    ck_assert_uint_eq(row_of(&c, "found_inf")->ranks, 2);
    c = comm_line(G1 " --precision fp16");
    ck_assert_int_eq(c.row_count, 0);
    c = comm_line(G1 " --tp 2");
    ck_assert(!has_row(&c, "found_inf"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm data");
    TCase *t = tcase_create("data");
    tcase_add_test(t, a_row_is_what_passes_through_rank_0);
    tcase_add_test(t, a_world_of_more_than_32_bits_is_refused);
    tcase_add_loop_test(t, the_small_model_sends_what_the_table_says, 0, ROWS(table));
    tcase_add_test(t, zero_1_and_2_send_as_much_as_plain_data_parallelism);
    tcase_add_test(t, uneven_chunks_are_exact);
    tcase_add_test(t, zero_3_gathers_unit_by_unit);
    tcase_add_test(t, a_group_of_one_sends_nothing);
    tcase_add_test(t, contexts_sum_their_gradients_too);
    tcase_add_test(t, experts_have_a_group_of_their_own);
    tcase_add_test(t, units_are_all_there_is);
    tcase_add_test(t, fp16_checks_for_overflow_over_all_ranks);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
