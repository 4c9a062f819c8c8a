/* Experts and latent attention: what a rank holds and who shares it, where the dense layers stand, what tokens at
 * experts keep, which combinations are refused. The numbers are worked out by hand from small dimensions; what
 * other tools print is in test_tools.c. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "shardlab/calc/timeline.h"

#define MOE                                                                                        \
    "--layers 4 --hidden 64 --heads 8 --kv-heads 2 --ffn 128 --vocab 1000 --experts 8 "            \
    "--experts-active 2 --moe-ffn 32"
#define MLA                                                                                        \
    "--layers 2 --hidden 64 --heads 8 --ffn 128 --vocab 1000 --kv-rank 16 --qk-nope 8 --qk-rope "  \
    "4 "                                                                                           \
    "--v-head 6"

/* Elements of the parts of one layer of MOE at tp 1. */
enum {
    ATTENTION = 2 * 64 * 80,
    NORMS = 2 * 64,
    DENSE = 3 * 64 * 128,
    ROUTER = 64 * 8,
    EXPERT = 3 * 64 * 32,
    TABLE = 1000 * 64,
};

static uint64_t on_stage(const struct scenario *s, uint64_t stage) {
    uint64_t count = 0;
    struct message why;
    must_hold(calc_params_on_stage(s, stage, &count, &why) == STATUS_OK, "%s", message_line(&why));
    return count;
}

static uint64_t experts_on(const struct scenario *s, uint64_t stage) {
    uint64_t count = 0;
    struct message why;
    must_hold(calc_expert_params_on_stage(s, stage, &count, &why) == STATUS_OK, "%s",
              message_line(&why));
    return count;
}

/* --- Counts --- */

static const struct {
    const char *line;
    uint64_t total, active;
} counts[] = {
    {MOE, 4 * (ATTENTION + NORMS + ROUTER + 8 * EXPERT) + 64 + 2 * TABLE,
     4 * (ATTENTION + NORMS + ROUTER + 2 * EXPERT) + 64 + 2 * TABLE},
    {MOE " --experts-shared 3", 4 * (ATTENTION + NORMS + ROUTER + 11 * EXPERT) + 64 + 2 * TABLE,
     4 * (ATTENTION + NORMS + ROUTER + 5 * EXPERT) + 64 + 2 * TABLE},
    {MOE " --dense-layers 1",
     4 * (ATTENTION + NORMS) + DENSE + 3 * (ROUTER + 8 * EXPERT) + 64 + 2 * TABLE,
     4 * (ATTENTION + NORMS) + DENSE + 3 * (ROUTER + 2 * EXPERT) + 64 + 2 * TABLE},
    /* plain: two matrices */
    {MOE " --no-gated", 4 * (ATTENTION + NORMS + ROUTER + 8 * EXPERT / 3 * 2) + 64 + 2 * TABLE,
     4 * (ATTENTION + NORMS + ROUTER + 2 * EXPERT / 3 * 2) + 64 + 2 * TABLE},
    /* queries direct; 64·96 + (64·20 + 16·(64 + 48)) + 48·64, norm of the latent */
    {MLA, 2 * (64 * 96 + 64 * 20 + 16 * (64 + 48) + 48 * 64 + 16 + NORMS + DENSE) + 64 + 2 * TABLE,
     2 * (64 * 96 + 64 * 20 + 16 * (64 + 48) + 48 * 64 + 16 + NORMS + DENSE) + 64 + 2 * TABLE},
    {MLA " --q-rank 24",
     2 * (24 * (64 + 96 + 1) + 64 * 20 + 16 * (64 + 48 + 1) + 48 * 64 + NORMS + DENSE) + 64 +
         2 * TABLE,
     2 * (24 * (64 + 96 + 1) + 64 * 20 + 16 * (64 + 48 + 1) + 48 * 64 + NORMS + DENSE) + 64 +
         2 * TABLE},
};

START_TEST(total_and_active_parameters_are_counted) {
    struct scenario s = legal_of("%s", counts[_i].line);
    struct calc_params p = params_of(&s);
    ck_assert_msg(p.total == counts[_i].total, "%s: %ju", counts[_i].line, (uintmax_t)p.total);
    ck_assert_msg(p.active == counts[_i].active, "%s: %ju active", counts[_i].line,
                  (uintmax_t)p.active);
    ck_assert_uint_eq(on_stage(&s, 0), p.total);
}
END_TEST

static const struct {
    const char *line;
    uint64_t experts, params, ranks;
} shares[] = {
    {MOE, 4 * 8 * EXPERT, 4 * (ATTENTION + NORMS + ROUTER + 8 * EXPERT) + 64 + 2 * TABLE, 1},
    /* tp divides attention and the tables, not the experts; routers are whole */
    {MOE " --tp 2", 4 * 8 * EXPERT,
     4 * (ATTENTION / 2 + NORMS + ROUTER + 8 * EXPERT) + 64 + 2 * TABLE / 2, 2},
    {MOE " --tp 2 --etp 2", 4 * 4 * EXPERT,
     4 * (ATTENTION / 2 + NORMS + ROUTER + 4 * EXPERT) + 64 + 2 * TABLE / 2, 1},
    {MOE " --tp 2 --dp 2 --cp 2 --ep 4", 4 * 2 * EXPERT,
     4 * (ATTENTION / 2 + NORMS + ROUTER + 2 * EXPERT) + 64 + 2 * TABLE / 2, 2},
    /* three ranks for eight experts: the first holds three */
    {MOE " --dp 3 --ep 3", 4 * 3 * EXPERT,
     4 * (ATTENTION + NORMS + ROUTER + 3 * EXPERT) + 64 + 2 * TABLE, 1},
    /* shared experts are divided by tp */
    {MOE " --tp 2 --experts-shared 1", 4 * 8 * EXPERT,
     4 * (ATTENTION / 2 + NORMS + ROUTER + 8 * EXPERT + EXPERT / 2) + 64 + 2 * TABLE / 2, 2},
};

START_TEST(a_rank_holds_its_share_of_experts) {
    struct scenario s = legal_of("%s", shares[_i].line);
    ck_assert_msg(experts_on(&s, 0) == shares[_i].experts, "%s: %ju", shares[_i].line,
                  (uintmax_t)experts_on(&s, 0));
    ck_assert_msg(on_stage(&s, 0) == shares[_i].params, "%s: %ju", shares[_i].line,
                  (uintmax_t)on_stage(&s, 0));
    ck_assert_msg(calc_expert_ranks(&s) == shares[_i].ranks, "%s", shares[_i].line);
}
END_TEST

/* --- Where the dense layers stand --- */

static const struct {
    const char *line, *dense;
} places[] = {
    {"--layers 8 --pp 4", "0 0 0 0 "},
    {"--layers 8 --pp 4 --dense-layers 1", "1 0 0 0 "},
    {"--layers 8 --pp 4 --dense-layers 3", "2 1 0 0 "},
    {"--layers 8 --pp 4 --dense-layers 8", "2 2 2 2 "},
    {"--layers 9 --pp 4 --dense-layers 4", "3 1 0 0 "},
    {"--layers 8 --pp 2 --layers-per-stage 2,6 --dense-layers 3", "2 1 "},
    /* two chunks of two layers on each stage: 0 1 | 2 3 | 4 5 | 6 7 lie on stages 0 1 0 1 */
    {"--layers 8 --pp 2 --chunks 2 --dense-layers 3", "2 1 "},
    {"--layers 8 --pp 2 --chunks 2 --dense-layers 5", "3 2 "},
    {"--layers 8 --pp 2 --chunks 2 --dense-layers 7", "4 3 "},
    {"--layers 8 --pp 2 --chunks 2 --dense-layers 8", "4 4 "},
    {"--layers 8 --pp 2 --chunks 4 --dense-layers 4", "2 2 "},
    /* five layers and three: chunks of 3 2 and 2 1, in the order 3 2 2 1 */
    {"--layers 8 --pp 2 --chunks 2 --layers-per-stage 5,3 --dense-layers 4", "3 1 "},
    {"--layers 8 --pp 2 --chunks 2 --layers-per-stage 5,3 --dense-layers 6", "4 2 "},
};

START_TEST(the_first_layers_are_dense) {
    struct scenario s = legal_of("--hidden 64 --heads 8 --ffn 128 --vocab 1000 --experts 4 "
                                 "--experts-active 2 %s",
                                 places[_i].line);
    char text[64] = "";
    for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%ju ",
                       (uintmax_t)calc_dense_layers_on_stage(&s, stage));
    }
    ck_assert_msg(strcmp(text, places[_i].dense) == 0, "%s: %s", places[_i].line, text);
}
END_TEST

START_TEST(all_layers_of_a_dense_model_are_dense) {
    struct scenario s = legal_of(LLAMA_7B " --pp 4");
    ck_assert_uint_eq(calc_dense_layers_on_stage(&s, 3), 8);
    ck_assert_uint_eq(experts_on(&s, 0), 0);
}
END_TEST

/* --- States --- */

/* Megatron-LM's own report for Qwen3-30B-A3B and Mixtral-8x7B: to the last printed digit, and to the byte. */
#define QWEN3_30B                                                                                  \
    "--layers 48 --hidden 2048 --heads 32 --kv-heads 4 --head-dim 128 --vocab 151936 --qk-norm "   \
    "--gated --experts 128 --experts-active 8 --moe-ffn 768"
#define MIXTRAL_8X7B                                                                               \
    "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 32000 --experts 8 "     \
    "--experts-active 2"

START_TEST(qwen3_on_32_gpus_holds_what_megatron_says) {
    struct scenario s =
        legal_of(QWEN3_30B " --convention megatron --zero 1 --tp 4 --dp 8 --ep 8 --etp 1");
    struct calc_memory m = memory_of(&s, 0);
    char text[32];
    (void)snprintf(text, sizeof text, "%.2f", (double)states_of(&m) / 1073741824.0);
    ck_assert_str_eq(text, "33.13");
    ck_assert_uint_eq(calc_expert_ranks(&s), 4);
}
END_TEST

START_TEST(mixtral_on_8_gpus_has_no_optimizer_left_to_share) {
    struct scenario s = legal_of(MIXTRAL_8X7B " --convention megatron --zero 1 --dp 8 --ep 8");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(states_of(&m), UINT64_C(113510873088));
    ck_assert_uint_eq(term_of(&m, "optimizer.experts"), 12 * experts_on(&s, 0));
}
END_TEST

START_TEST(every_convention_shares_experts_among_those_who_hold_the_same) {
    static const struct {
        const char *options;
        uint64_t weights, optimizer; /* bytes per parameter, before the division */
    } rows[] = {
        {"--zero 1", 2, 12}, {"--zero 3", 2, 12}, {"--convention deepspeed --zero 2", 2, 12}};
    for (int i = 0; i < ROWS(rows); i++) {
        struct scenario s = legal_of(MOE " --dp 8 --ep 2 %s", rows[i].options);
        struct calc_memory m = memory_of(&s, 0);
        uint64_t experts = 4 * 4 * EXPERT, ranks = 4;
        ck_assert_uint_eq(term_of(&m, "optimizer.experts"), rows[i].optimizer * experts / ranks);
        ck_assert_uint_eq(term_of(&m, "weights.experts"),
                          rows[i].weights * experts / (s.layout.zero == 3 ? ranks : 1));
        ck_assert_uint_eq(term_of(&m, "optimizer"), 12 * ((on_stage(&s, 0) - experts + 7) / 8));
    }
}
END_TEST

START_TEST(the_peak_lies_between_states_and_total) {
    static const char *const lines[] = {
        MOE " --dense-layers 1 --pp 2 --micro-batches 4 --convention megatron --dp 2 --ep 2",
        MOE " --dense-layers 2 --recompute full --convention deepspeed --zero 1 --dp 2",
        MLA " --pp 2 --zero 3 --dp 4",
    };
    for (int i = 0; i < ROWS(lines); i++) {
        struct scenario s = legal_of("%s", lines[i]);
        struct calc_memory m = memory_of(&s, 0);
        struct calc_event peak;
        calc_timeline_peak(&s, &m, &peak);
        ck_assert_msg(peak.live_bytes <= m.total_bytes && peak.live_bytes >= states_of(&m), "%s",
                      lines[i]);
    }
}
END_TEST

/* DeepSpeed's fp32 copy of gradients lives while the optimizer steps, that of experts too. */
START_TEST(the_copy_of_expert_gradients_comes_with_the_step) {
    struct scenario s = legal_of(MOE " --convention deepspeed --zero 1 --dp 2 --ep 2");
    struct calc_memory m = memory_of(&s, 0);
    uint64_t copy = term_of(&m, "gradients.fp32_copy") + term_of(&m, "gradients.fp32_copy.experts");
    uint64_t most = 0;
    struct calc_timeline t;
    struct calc_event e;
    calc_timeline_start(&t, &s, &m);
    while (calc_timeline_next(&t, &e)) {
        uint64_t gradients = e.part_bytes[CALC_PART_GRADIENTS];
        most = e.kind != CALC_EVENT_STEP && gradients > most ? gradients : most;
    }
    ck_assert_uint_eq(most, m.part_bytes[CALC_PART_GRADIENTS] - copy);
}
END_TEST

/* --- Activations --- */

enum { TOKENS = 512, LAYERS = 4 };

static const struct {
    const char *line, *term;
    uint64_t bytes;
} kept[] = {
    {MOE, "activations.expert_inputs", LAYERS * 2 * 2 * TOKENS * 64},
    {MOE, "activations.experts", LAYERS * 6 * 2 * TOKENS * 32},
    {MOE, "activations.router", LAYERS * 4 * TOKENS * 8},
    {MOE, "activations.ffn", 0},
    {MOE, "activations.shared_experts", 0},
    {MOE " --no-gated", "activations.experts", LAYERS * 4 * 2 * TOKENS * 32},
    {MOE " --experts-shared 2", "activations.shared_experts", LAYERS * 6 * TOKENS * 64},
    {MOE " --dense-layers 1", "activations.ffn", 1 * 6 * TOKENS * 128},
    {MOE " --dense-layers 1", "activations.experts", 3 * 6 * 2 * TOKENS * 32},
    {MOE " --dense-layers 1", "activations.norm_inputs", LAYERS * 4 * TOKENS * 64},
    /* expert parallelism moves tokens and does not remove them */
    {MOE " --dp 8 --ep 8", "activations.expert_inputs", LAYERS * 2 * 2 * TOKENS * 64},
    /* three ranks for eight experts: the first works on three of eight parts of three ranks' tokens */
    {MOE " --dp 3 --ep 3", "activations.expert_inputs", LAYERS * 2 * 1152 * 64},
    /* sequence parallel: each tp rank sends its own tokens */
    {MOE " --tp 2 --sequence-parallel", "activations.experts", LAYERS * 6 * TOKENS * 32},
    /* without, both ranks hold the same tokens */
    {MOE " --tp 2", "activations.experts", LAYERS * 6 * 2 * TOKENS * 32},
    /* etp ranks see each other's tokens and divide the columns */
    {MOE " --tp 2 --etp 2 --sequence-parallel", "activations.expert_inputs",
     LAYERS * 2 * 2 * TOKENS * 64},
    {MOE " --tp 2 --etp 2 --sequence-parallel", "activations.experts",
     LAYERS * 6 * 2 * TOKENS * 16},
    {MOE " --dp 2 --etp 2", "activations.expert_inputs", LAYERS * 2 * 4 * TOKENS * 64},
    {MOE " --cp 2", "activations.expert_inputs", LAYERS * 2 * TOKENS * 64},
    /* recomputing: the larger kind of layer is rebuilt */
    {MOE " --recompute full", "activations.checkpoints", LAYERS * 2 * TOKENS * 64},
    {MLA, "activations.latents", 2 * 4 * TOKENS * 16},
    {MLA " --q-rank 24", "activations.latents", 2 * 4 * TOKENS * 40},
    {MLA, "activations.latent_heads", 2 * TOKENS * 8 * (4 * 12 + 2 * 6)},
    {MLA, "activations.attention_output", 2 * 2 * TOKENS * 48},
    {MLA, "activations.statistics", 2 * 4 * TOKENS * 8},
    {MLA " --tp 2", "activations.latent_heads", 2 * TOKENS * 4 * (4 * 12 + 2 * 6)},
    {MLA " --attention standard", "activations.scores", UINT64_C(2) * 2 * TOKENS *TOKENS * 8},
};

START_TEST(an_operator_keeps_what_it_needs) {
    struct scenario s = legal_of("%s --seq 512", kept[_i].line);
    struct calc_memory m = memory_of(&s, 0);
    uint64_t bytes = term_of(&m, kept[_i].term);
    ck_assert_msg(bytes == kept[_i].bytes, "%s: %s is %ju, not %ju", kept[_i].line, kept[_i].term,
                  (uintmax_t)bytes, (uintmax_t)kept[_i].bytes);
}
END_TEST

START_TEST(the_layer_being_rebuilt_is_the_larger_kind) {
    struct scenario both = legal_of(MOE " --seq 512 --dense-layers 1 --ffn 4096 --recompute full");
    struct scenario experts = legal_of(MOE " --seq 512 --recompute full");
    struct calc_memory m = memory_of(&both, 0), e = memory_of(&experts, 0);
    uint64_t beside = 6 * 2 * TOKENS * 32 + 2 * 2 * TOKENS * 64 + 4 * TOKENS * 8;
    ck_assert_uint_eq(term_of(&m, "activations.working_layer"),
                      term_of(&e, "activations.working_layer") - beside + 6 * TOKENS * 4096);
}
END_TEST

/* DeepSpeed's stage-3 buffer: the largest single matrix or table, the experts' among them. */
START_TEST(experts_and_latents_are_modules_too) {
    struct scenario s = legal_of(MOE " --vocab 10 --moe-ffn 4096 --convention deepspeed --zero 3");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(term_of(&m, "buffers.largest_module"), 4 * 64 * 4096);
}
END_TEST

START_TEST(a_gradient_buffer_serves_all_experts_of_a_rank) {
    struct scenario s = legal_of(MOE " --convention megatron --pp 2 --dense-layers 1");
    struct calc_memory first = memory_of(&s, 0), last = memory_of(&s, 1);
    uint64_t attention = 64 * 96 + 64 * 64, dense = 64 * 256 + 128 * 64, expert = 64 * 64 + 32 * 64;
    /* the experts' fc1 has the shape of the output projection: 64 × 64 */
    ck_assert_uint_eq(term_of(&first, "buffers.framework"),
                      2 * (attention + dense + expert - 64 * 64));
    ck_assert_uint_eq(term_of(&last, "buffers.framework"),
                      2 * (attention + expert - 64 * 64 + 64 * 1024));
}
END_TEST

/* --- Rules --- */

static const struct {
    const char *line, *message;
} broken[] = {
    {LLAMA_7B " --ep 2 --dp 2", "error.rule.ep_dense|ep|2"},
    {LLAMA_7B " --etp 2 --dp 2", "error.rule.ep_dense|etp|2"},
    {"--params 7B --ep 2 --dp 2", "error.rule.ep_dense|ep|2"},
    {MOE " --experts-active 9", "error.rule.experts_active|9|8"},
    {MOE " --dense-layers 5", "error.rule.dense_layers|5|4"},
    {MOE " --dp 16 --ep 16", "error.rule.ep_experts|16|8"},
    {MOE " --dp 6 --ep 4", "error.rule.ep_ranks|4|1|6"},
    {MOE " --dp 2 --tp 2 --ep 4 --etp 2", "error.rule.ep_ranks|4|2|4"},
    {MLA " --kv-heads 2", "error.rule.latent_kv_heads|2|8"},
    {MLA " --head-dim 8", "error.rule.latent_head_dim|8|12"},
    {MLA " --bias qkv", "error.rule.latent_bias|qkv"},
    {MLA " --qk-norm", "error.rule.latent_qk_norm"},
};

START_TEST(a_rule_that_is_broken_is_named) {
    struct scenario s = resolved_of(broken[_i].line);
    struct message why;
    ck_assert_int_eq(scenario_violations(&s, &why, 1), 1);
    ck_assert_str_eq(message_line(&why), broken[_i].message);
}
END_TEST

static const struct {
    const char *line, *message;
} unresolved[] = {
    {LLAMA_7B " --experts 8", "error.model.missing_with|experts-active|experts"},
    {LLAMA_7B " --experts-active 2", "error.model.missing_with|experts|experts-active"},
    {LLAMA_7B " --dense-layers 2", "error.model.missing_with|experts|dense-layers"},
    {LLAMA_7B " --kv-rank 8", "error.model.missing_with|qk-nope|kv-rank"},
    {LLAMA_7B " --q-rank 8", "error.model.missing_with|kv-rank|q-rank"},
    {"--params 7B --experts 8", "error.model.two_sources|params|experts"},
    {"--layers 4 --hidden 64 --heads 8 --vocab 1000 --experts 8 --experts-active 2 --moe-ffn 32 "
     "--dense-layers 1",
     "error.model.gated_ffn"},
};

START_TEST(what_belongs_together_is_asked_for) {
    struct scenario s = given_of(unresolved[_i].line);
    struct message why;
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), unresolved[_i].message);
}
END_TEST

START_TEST(widths_come_from_each_other) {
    struct scenario s = legal_of(MIXTRAL_8X7B);
    ck_assert_uint_eq(s.model.moe_ffn, 14336);
    s = legal_of(QWEN3_30B);
    ck_assert_uint_eq(s.model.ffn, 0);
    ck_assert(s.model.gated);
    s = legal_of(MLA);
    ck_assert_uint_eq(s.model.head_dim, 12);
    ck_assert_uint_eq(s.model.kv_heads, 8);
}
END_TEST

START_TEST(more_data_ranks_never_cost_more) {
    static const char *const options[] = {"", " --zero 1", " --zero 3",
                                          " --convention megatron --zero 1"};
    for (int i = 0; i < ROWS(options); i++) {
        uint64_t before = UINT64_MAX;
        for (int dp = 2; dp <= 64; dp *= 2) {
            struct scenario s = legal_of(MOE " --ep 2 --dp %d%s", dp, options[i]);
            uint64_t total = memory_of(&s, 0).total_bytes;
            ck_assert_uint_le(total, before);
            before = total;
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("experts");
    TCase *t = tcase_create("experts");
    tcase_add_loop_test(t, total_and_active_parameters_are_counted, 0, ROWS(counts));
    tcase_add_loop_test(t, a_rank_holds_its_share_of_experts, 0, ROWS(shares));
    tcase_add_loop_test(t, the_first_layers_are_dense, 0, ROWS(places));
    tcase_add_test(t, all_layers_of_a_dense_model_are_dense);
    tcase_add_test(t, qwen3_on_32_gpus_holds_what_megatron_says);
    tcase_add_test(t, mixtral_on_8_gpus_has_no_optimizer_left_to_share);
    tcase_add_test(t, every_convention_shares_experts_among_those_who_hold_the_same);
    tcase_add_test(t, the_peak_lies_between_states_and_total);
    tcase_add_test(t, the_copy_of_expert_gradients_comes_with_the_step);
    tcase_add_loop_test(t, an_operator_keeps_what_it_needs, 0, ROWS(kept));
    tcase_add_test(t, the_layer_being_rebuilt_is_the_larger_kind);
    tcase_add_test(t, experts_and_latents_are_modules_too);
    tcase_add_test(t, a_gradient_buffer_serves_all_experts_of_a_rank);
    tcase_add_loop_test(t, a_rule_that_is_broken_is_named, 0, ROWS(broken));
    tcase_add_loop_test(t, what_belongs_together_is_asked_for, 0, ROWS(unresolved));
    tcase_add_test(t, widths_come_from_each_other);
    tcase_add_test(t, more_data_ranks_never_cost_more);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
