/* Tensor, pipeline, context and expert parallelism: the figures of the small model G1 and of the papers' formulas,
 * exact; what each option adds; where the bytes of ranks meet those of their partners. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"
#include "shardlab/calc/params.h"

/* 8 sequences of 32 tokens, 64 wide, fp32: M = 65,536 bytes. */
#define G1_STEP G1 " --precision fp32 --micro-batch 8 --tp "

static const struct {
    const char *line;
    uint64_t layers, again, norms;
} tensor[] = {
    {G1_STEP "2", 524288, 0, 0},
    {G1_STEP "2 --recompute full", 786432, 0, 0},
    {G1_STEP "2 --recompute selective", 524288, 0, 0},
    {G1_STEP "2 --sequence-parallel", 524288, 131072, 3584},
    {G1_STEP "2 --sequence-parallel --recompute full", 786432, 131072, 3584},
    {G1_STEP "4", 786432, 0, 0},
    {G1_STEP "8 --sequence-parallel", 917504, 229376, 6272},
    {G1_STEP "2 --micro-batches 3", 3 * 524288, 0, 0},
    {G1_STEP "2 --sequence-parallel --micro-batches 3", 3 * 524288, 3 * 131072, 3584},
    {G1_STEP "1 --sequence-parallel", 0, 0, 0},
};

START_TEST(tensor_ranks_send_what_the_formulas_say) {
    struct calc_comm c = comm_line("%s", tensor[_i].line);
    uint64_t layers = sent_of(&c, CALC_AXIS_TP, "layers");
    uint64_t again = sent_of(&c, CALC_AXIS_TP, "layers.again");
    uint64_t norms = sent_of(&c, CALC_AXIS_TP, "norms");
    ck_assert_msg(layers == tensor[_i].layers && again == tensor[_i].again &&
                      norms == tensor[_i].norms,
                  "%s: %ju, %ju, %ju", tensor[_i].line, (uintmax_t)layers, (uintmax_t)again,
                  (uintmax_t)norms);
}
END_TEST

/* Four all-reduces a layer, six with recompute; with sequence parallelism 4 + 4 and 2 more gathers: 10 for 8. */
START_TEST(sequence_parallelism_sends_a_quarter_more) {
    struct calc_comm plain = comm_line(LLAMA_7B " --tp 8 --micro-batches 2");
    struct calc_comm split = comm_line(LLAMA_7B " --tp 8 --micro-batches 2 --sequence-parallel");
    ck_assert_uint_eq(calls_of(&plain, CALC_AXIS_TP, "layers"), 2 * 32 * 4);
    ck_assert_uint_eq(calls_of(&split, CALC_AXIS_TP, "layers"), 2 * 32 * 8);
    ck_assert_uint_eq(calls_of(&split, CALC_AXIS_TP, "layers.again"), 2 * 32 * 2);
    uint64_t four = sent_of(&plain, CALC_AXIS_TP, "layers");
    ck_assert_uint_eq(sent_of(&split, CALC_AXIS_TP, "layers"), four);
    ck_assert_uint_eq(4 * sent_of(&split, CALC_AXIS_TP, "layers.again"), four);
}
END_TEST

/* The divided vocabulary: a sum behind the embedding, one before the head, three numbers a token. */
START_TEST(the_vocabulary_is_divided_too) {
    struct calc_comm c = comm_line(LLAMA_7B " --tp 4 --seq 1024");
    uint64_t message = 1024 * 4096 * 2;
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "embedding"), 2 * message / 4 * 3);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "head"), 2 * message / 4 * 3);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "loss"), 3 * 2 * 1024 * 4 / 4 * 3);
    c = comm_line(LLAMA_7B " --tp 4 --seq 1024 --sequence-parallel");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "embedding"), 2 * message / 4 * 3);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "head"), 2 * message / 4 * 3);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "head.again"), message / 4 * 3);
    struct scenario s = legal_of(LLAMA_7B " --tp 4 --pp 4");
    struct calc_comm middle = comm_on(&s, 1);
    ck_assert(!has_row(&middle, "embedding") && !has_row(&middle, "loss"));
}
END_TEST

/* Norms of queries and keys see the heads of one rank only, with or without sequence parallelism. */
START_TEST(norms_on_heads_are_summed_without_sequence_parallelism) {
    struct calc_comm c = comm_line(LLAMA_7B " --tp 2 --qk-norm");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "norms"), 2 * (32 * 2 * 128));
    c = comm_line(LLAMA_7B " --tp 2 --qk-norm --sequence-parallel");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "norms"), 2 * (32 * (2 * 128 + 2 * 4096) + 4096));
}
END_TEST

/* With sequence parallelism everything that is whole saw only a part of the tokens. A ring of two sends it once. */
START_TEST(what_is_whole_is_summed_with_sequence_parallelism) {
    static const struct {
        const char *more;
        uint64_t beside; /* norms of the layers and the final one */
    } cases[] = {
        {"", 0},
        {" --embedding-norm", 4096},
        {" --bias all", 2 * 32 * 4096},
        {" --experts 8 --experts-active 2", 32 * 8 * 4096},
        {" --kv-rank 512 --qk-nope 128 --qk-rope 64 --v-head 128 --q-rank 1536", 32 * (512 + 1536)},
    };
    for (int i = 0; i < ROWS(cases); i++) {
        struct calc_comm c = comm_line(LLAMA_7B " --tp 2 --sequence-parallel%s", cases[i].more);
        uint64_t norms = 32 * 2 * 4096 + 4096;
        ck_assert_msg(sent_of(&c, CALC_AXIS_TP, "norms") == 2 * (norms + cases[i].beside), "%s",
                      cases[i].more);
    }
}
END_TEST

/* 33 tokens over 4 ranks: rows 9 8 8 8; what rank 0 never sends is its neighbour's. */
START_TEST(shards_of_the_sequence_are_whole_rows) {
    struct calc_comm c = comm_line(LLAMA_7B " --tp 4 --seq 33 --micro-batch 2 --sequence-parallel");
    uint64_t row = 2 * 4096 * 2, sent = 0;
    for (int i = 0; i < c.row_count; i++) {
        if (strcmp(c.rows[i].id, "layers.again") == 0) {
            sent = c.rows[i].sent_bytes;
            ck_assert_uint_eq(c.rows[i].message_bytes, 33 * row);
        }
    }
    ck_assert_uint_eq(sent, 32 * 2 * row * (33 - 8));
}
END_TEST

/* --- Pipeline ----------------------------------------------------------------------------------------------------- */

static uint64_t sent_by_all_stages(const struct scenario *s, const char *id, uint64_t *calls) {
    uint64_t sum = 0;
    *calls = 0;
    for (uint64_t stage = 0; stage < s->layout.pp; stage++) {
        struct calc_comm c = comm_on(s, stage);
        sum += sent_of(&c, CALC_AXIS_PP, id);
        *calls += calls_of(&c, CALC_AXIS_PP, id);
    }
    return sum;
}

/* A loop of pV chunks: 2m(pV − 1) messages. */
START_TEST(a_pipeline_sends_2m_pv_minus_1_messages) {
    for (uint64_t pp = 2; pp <= 8; pp++) {
        for (uint64_t chunks = 1; chunks <= 3; chunks++) {
            struct scenario s = legal_of(LLAMA_7B " --pp %ju --chunks %ju --micro-batches 5",
                                         (uintmax_t)pp, (uintmax_t)chunks);
            uint64_t forward = 0, backward = 0;
            uint64_t bytes = sent_by_all_stages(&s, "activations", &forward);
            ck_assert_uint_eq(bytes, forward * 4096 * 4096 * 2);
            ck_assert_uint_eq(sent_by_all_stages(&s, "activation.gradients", &backward), bytes);
            ck_assert_uint_eq(forward + backward, 2 * 5 * (pp * chunks - 1));
        }
    }
}
END_TEST

START_TEST(sequence_parallelism_divides_what_a_stage_sends) {
    struct scenario s = legal_of(LLAMA_7B " --pp 4 --tp 4 --sequence-parallel --micro-batches 1");
    struct calc_comm c = comm_on(&s, 1);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "activations"), 4096 * 4096 * 2 / 4);
    s = legal_of(LLAMA_7B " --pp 4 --tp 4 --cp 2 --micro-batches 1");
    c = comm_on(&s, 1);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "activations"), 4096 * 4096 * 2 / 2);
}
END_TEST

/* Only the ends hold a copy, and each sends it once: a ring of two. */
START_TEST(the_copies_of_a_tied_embedding_are_summed) {
    struct scenario s = legal_of(GPT3 " --pp 4 --tp 8 --grad-bytes 4");
    uint64_t table = 51200 / 8 * 12288 * 4;
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        bool end = stage == 0 || stage == 3;
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "gradients.embedding"), end ? table : 0);
    }
    struct calc_comm c = comm_line(GPT3 " --tp 8");
    ck_assert(!has_row(&c, "gradients.embedding"));
    s = legal_of(GPT3 " --pp 4 --tp 8 --dp 4 --zero 2");
    c = comm_on(&s, 0);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "gradients.embedding"), table / 2 / 4);
}
END_TEST

/* Both ends of a pipeline that folds back are one table on one rank. */
START_TEST(a_folded_pipeline_holds_a_tied_embedding_once) {
    struct scenario s = legal_of(GPT3 " --pp 4 --tp 8 --schedule zb-v --micro-batches 8");
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        ck_assert(!has_row(&c, "gradients.embedding"));
        ck_assert_int_eq(has_row(&c, "loss"), stage == 0);
        ck_assert_int_eq(has_row(&c, "head"), stage == 0);
        ck_assert_int_eq(has_row(&c, "embedding"), stage == 0);
    }
}
END_TEST

/* Ranks r and p − 1 − r hold the same weights, a tied table among them: each sends what it holds once, its share from
 * ZeRO 2 on. Each copy sees half of the micro-batches. */
START_TEST(two_copies_of_a_stage_sum_their_gradients) {
    static const char *const both_ways[] = {"dualpipe", "chimera"};
    for (int i = 0; i < ROWS(both_ways); i++) {
        struct scenario s = legal_of(GPT3 " --pp 4 --tp 8 --grad-bytes 4 --micro-batches 8 "
                                          "--schedule %s --dp 2",
                                     both_ways[i]);
        struct scenario once = legal_of(GPT3 " --pp 2 --tp 8 --micro-batches 4 --dp 2");
        for (uint64_t stage = 0; stage < 4; stage++) {
            struct calc_comm c = comm_on(&s, stage);
            uint64_t held = 0;
            struct message why;
            ck_assert_int_eq(calc_params_on_stage(&s, stage, &held, &why), STATUS_OK);
            ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "gradients.copies"), 4 * held);
            ck_assert(!has_row(&c, "gradients.embedding"));
            struct calc_comm half = comm_on(&once, 0); /* as many layers, half of the tokens */
            ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "layers"),
                              sent_of(&half, CALC_AXIS_TP, "layers"));
            s.layout.zero = 2;
            c = comm_on(&s, stage);
            ck_assert_uint_eq(sent_of(&c, CALC_AXIS_PP, "gradients.copies"), 4 * ((held + 1) / 2));
            s.layout.zero = 0;
        }
    }
    struct calc_comm c = comm_line(LLAMA_7B " --pp 4 --micro-batches 8");
    ck_assert(!has_row(&c, "gradients.copies"));
}
END_TEST

START_TEST(the_stage_that_sends_most_is_shown) {
    struct scenario s = legal_of(LLAMA_7B " --pp 4 --tp 2 --dp 2 --layers-per-stage 8,7,10,7");
    struct calc_comm shown = comm_of(&s);
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        ck_assert(c.total_sent_bytes <= shown.total_sent_bytes);
        ck_assert(stage != shown.stage || c.total_sent_bytes == shown.total_sent_bytes);
    }
    ck_assert_uint_eq(shown.stage, 2);
}
END_TEST

/* --- Context ------------------------------------------------------------------------------------------------------ */

/* Keys and values of 8 heads of 128, in bf16, pass through twice, their gradients once. */
START_TEST(keys_and_values_go_round_the_ring) {
#define LLAMA_8B "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 128256"
    uint64_t token = 2 * 8 * 128 * 2;
    struct calc_comm c = comm_line(LLAMA_8B " --cp 4 --seq 8192 --micro-batches 2");
    uint64_t once = 2 * 32 * token * (8192 - 2048);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.forward"), once);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.backward"), once);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.gradients"), once);
    ck_assert_uint_eq(row_of(&c, "keys.forward")->message_bytes, token * 2048);
    ck_assert_uint_eq(row_of(&c, "keys.forward")->count, 2 * 32 * 3);
    c = comm_line(LLAMA_8B " --cp 4 --seq 8192 --micro-batches 2 --recompute full");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.forward"), 2 * once);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.backward"), once);
    c = comm_line(LLAMA_8B " --cp 4 --tp 8 --seq 8192 --micro-batches 2");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.forward"), once / 8);
    /* latent attention: keys of 192, values of 128 */
    c = comm_line(LLAMA_7B " --kv-rank 512 --qk-nope 128 --qk-rope 64 --v-head 128 --cp 2");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_CP, "keys.forward"),
                      UINT64_C(32) * 32 * (192 + 128) * 2 * 2048);
}
END_TEST

/* --- Experts ------------------------------------------------------------------------------------------------------ */

START_TEST(tokens_go_to_their_experts_and_back) {
#define MOE LLAMA_7B " --experts 64 --experts-active 6 --dense-layers 2 --moe-ffn 1408 --dp 16 "
    uint64_t copies = UINT64_C(4096) * 6 * 4096 * 2;
    struct calc_comm c = comm_line(MOE "--ep 8 --micro-batches 3");
    ck_assert_uint_eq(calls_of(&c, CALC_AXIS_EP, "dispatch"), 3 * 30 * 2);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "dispatch"), 3 * 30 * 2 * copies / 8 * 7);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "combine"), 3 * 30 * 2 * copies / 8 * 7);
    c = comm_line(MOE "--ep 8 --micro-batches 3 --recompute full");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "combine"), 3 * 30 * 3 * copies / 8 * 7);
    c = comm_line(MOE "--ep 8 --tp 2 --sequence-parallel");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_EP, "combine"), 30 * 2 * copies / 2 / 8 * 7);
    c = comm_line(MOE "--ep 1");
    ck_assert(!has_row(&c, "dispatch"));
}
END_TEST

/* Tensor ranks sum attention in every layer, but an FFN only where one is divided by tp. */
START_TEST(routed_experts_are_no_tensor_parallel_block) {
    struct calc_comm c = comm_line(MOE "--tp 2 --ep 8 --sequence-parallel");
    ck_assert_uint_eq(calls_of(&c, CALC_AXIS_TP, "layers.again"), 32 + 2);
    c = comm_line(MOE "--tp 2 --ep 8 --sequence-parallel --experts-shared 2");
    ck_assert_uint_eq(calls_of(&c, CALC_AXIS_TP, "layers.again"), 32 + 32);
    ck_assert(!has_row(&c, "experts"));
    c = comm_line(MOE "--tp 2 --etp 2 --ep 8 --sequence-parallel");
    /* both gather and scatter the tokens of two ranks, 6 experts each */
    uint64_t copies = UINT64_C(4096) * 6 * 4096 * 2;
    ck_assert_uint_eq(calls_of(&c, CALC_AXIS_TP, "experts"), 2 * 30 * 2);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_TP, "experts"), 2 * 30 * 2 * copies / 2);
}
END_TEST

/* --- Nodes -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *id;
    enum calc_link link;
} links[] = {
    {LLAMA_7B " --tp 8 --dp 2", "layers", CALC_LINK_NODE},
    {LLAMA_7B " --tp 8 --dp 2", "gradients", CALC_LINK_NETWORK},
    {LLAMA_7B " --tp 4 --dp 2", "gradients", CALC_LINK_NODE},
    {LLAMA_7B " --tp 4 --dp 2 --pp 2", "gradients", CALC_LINK_NODE},
    {LLAMA_7B " --tp 4 --dp 2 --pp 2", "activation.gradients", CALC_LINK_NETWORK},
    {LLAMA_7B " --tp 2 --pp 4", "activation.gradients", CALC_LINK_NODE},
    {LLAMA_7B " --tp 16 --gpus-per-node 8", "layers", CALC_LINK_NETWORK},
    {LLAMA_7B " --tp 16 --gpus-per-node 16", "layers", CALC_LINK_NODE},
    {LLAMA_7B " --tp 2 --cp 4 --dp 3", "keys.forward", CALC_LINK_NODE},
    {LLAMA_7B " --tp 4 --cp 4", "keys.forward", CALC_LINK_NETWORK},
    /* groups of 2 in nodes of 3: some group lies on both sides of a border, unless all fits into one node */
    {LLAMA_7B " --tp 2 --dp 2 --gpus-per-node 3", "layers", CALC_LINK_NETWORK},
    {LLAMA_7B " --tp 2 --gpus-per-node 3", "layers", CALC_LINK_NODE},
    {MOE "--ep 8", "dispatch", CALC_LINK_NODE},
    {MOE "--ep 16", "dispatch", CALC_LINK_NETWORK},
    {MOE "--ep 8", "gradients.experts", CALC_LINK_NETWORK},
    {LLAMA_7B " --dp 1048576 --tp 32 --cp 4 --pp 16", "layers", CALC_LINK_NETWORK},
};

START_TEST(a_group_uses_the_network_when_it_crosses_nodes) {
    struct calc_comm c = comm_line("%s", links[_i].line);
    ck_assert_msg(row_of(&c, links[_i].id)->link == links[_i].link, "%s: %s over %s",
                  links[_i].line, links[_i].id, calc_link_name(row_of(&c, links[_i].id)->link));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm axes");
    TCase *t = tcase_create("axes");
    tcase_add_loop_test(t, tensor_ranks_send_what_the_formulas_say, 0, ROWS(tensor));
    tcase_add_test(t, sequence_parallelism_sends_a_quarter_more);
    tcase_add_test(t, the_vocabulary_is_divided_too);
    tcase_add_test(t, norms_on_heads_are_summed_without_sequence_parallelism);
    tcase_add_test(t, what_is_whole_is_summed_with_sequence_parallelism);
    tcase_add_test(t, shards_of_the_sequence_are_whole_rows);
    tcase_add_test(t, a_pipeline_sends_2m_pv_minus_1_messages);
    tcase_add_test(t, sequence_parallelism_divides_what_a_stage_sends);
    tcase_add_test(t, the_copies_of_a_tied_embedding_are_summed);
    tcase_add_test(t, a_folded_pipeline_holds_a_tied_embedding_once);
    tcase_add_test(t, two_copies_of_a_stage_sum_their_gradients);
    tcase_add_test(t, the_stage_that_sends_most_is_shown);
    tcase_add_test(t, keys_and_values_go_round_the_ring);
    tcase_add_test(t, tokens_go_to_their_experts_and_back);
    tcase_add_test(t, routed_experts_are_no_tensor_parallel_block);
    tcase_add_loop_test(t, a_group_uses_the_network_when_it_crosses_nodes, 0, ROWS(links));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
