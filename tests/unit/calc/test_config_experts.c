/* config.json of models with experts, of latent attention and of falcon: the documented defaults come to the
 * published models, what the switches mean is followed, and a pattern that cannot be counted is refused by its key.
 * Whole files are read in unit/cli. */
#include "config_support.h"

static struct calc_params params_of(const char *words) {
    struct calc_params params;
    struct message why = {0};
    struct scenario resolved;
    start();
    apply(words);
    ck_assert_msg(scenario_resolve(&s, &resolved, &why) == STATUS_OK, "%s: %s", words, why.id);
    ck_assert_msg(scenario_violations(&resolved, &why, 1) == 0, "%s: %s", words, why.id);
    ck_assert_int_eq(calc_params_count(&resolved, &params, &why), STATUS_OK);
    return params;
}

/* What the classes' defaults come to, by hand from the modeling files. */
static const struct {
    const char *words;
    uint64_t total, active;
} defaults[] = {
    {"model_type='mixtral'", UINT64_C(46702792704), UINT64_C(12879925248)}, /* Mixtral-8x7B */
    /* Qwen1.5-MoE-A2.7B: 24·(4·2048² + 3·2048 + 2·2048 + 60·2048 + 2048 + 3·2048·(5632 + 60·1408)) + tables */
    {"model_type='qwen2_moe'",
     UINT64_C(24) * (4 * 2048 * 2048 + 5 * 2048 + 61 * 2048 + 3 * 2048 * (5632 + 60 * 1408)) +
         UINT64_C(2) * 151936 * 2048 + 2048,
     UINT64_C(24) * (4 * 2048 * 2048 + 5 * 2048 + 61 * 2048 + 3 * 2048 * (5632 + 4 * 1408)) +
         UINT64_C(2) * 151936 * 2048 + 2048},
    {"model_type='qwen3_moe'",
     UINT64_C(24) * (2 * 2048 * (2048 + 256) + 2 * 64 + 2 * 2048 + 128 * 2048 +
                     UINT64_C(3) * 2048 * 128 * 768) +
         UINT64_C(2) * 151936 * 2048 + 2048,
     UINT64_C(24) * (2 * 2048 * (2048 + 256) + 2 * 64 + 2 * 2048 + 128 * 2048 +
                     UINT64_C(3) * 2048 * 8 * 768) +
         UINT64_C(2) * 151936 * 2048 + 2048},
    {"model_type='deepseek_v3'", UINT64_C(671026404352), UINT64_C(37552282624)},
    /* one norm a layer is not counted, so attention and FFN in a row; one key head, tied */
    {"model_type='falcon' parallel_attn=false",
     UINT64_C(32) * (2 * 4544 * (4544 + 64) + UINT64_C(8) * 4544 * 4544 + 4 * 4544) +
         UINT64_C(65024) * 4544 + 2 * 4544,
     UINT64_C(32) * (2 * 4544 * (4544 + 64) + UINT64_C(8) * 4544 * 4544 + 4 * 4544) +
         UINT64_C(65024) * 4544 + 2 * 4544},
};

START_TEST(the_documented_defaults_are_the_published_models) {
    struct calc_params p = params_of(defaults[_i].words);
    ck_assert_msg(p.total == defaults[_i].total, "%s: %llu", defaults[_i].words,
                  (unsigned long long)p.total);
    ck_assert_msg(p.active == defaults[_i].active, "%s: %llu active", defaults[_i].words,
                  (unsigned long long)p.active);
    ck_assert_int_gt(assumed.count, 5);
    ck_assert_int_lt(assumed.count, CALC_ASSUMED_MAX);
}
END_TEST

START_TEST(what_was_assumed_is_listed) {
    apply("model_type='deepseek_v3'");
    ck_assert(is_assumed("n_routed_experts=256") && is_assumed("num_experts_per_tok=8"));
    ck_assert(is_assumed("first_k_dense_replace=3") && is_assumed("q_lora_rank=1536"));
    ck_assert(is_assumed("v_head_dim=128") && is_assumed("attention_bias=false"));
    apply("model_type='qwen2_moe'");
    ck_assert(is_assumed("shared_expert_intermediate_size=5632"));
    ck_assert(is_assumed("mlp_only_layers=[]") && is_assumed("decoder_sparse_step=1"));
    ck_assert(is_assumed("qkv_bias=true"));
    apply("model_type='falcon' new_decoder_architecture=true");
    ck_assert(is_assumed("num_kv_heads=71") && is_assumed("num_ln_in_parallel_attn=2"));
    ck_assert(is_assumed("tie_word_embeddings=true") && is_assumed("ffn_hidden_size=18176"));
}
END_TEST

START_TEST(null_means_none_where_there_may_be_none) {
    apply("model_type='deepseek_v2' q_lora_rank=null n_shared_experts=null num_experts_per_tok=6");
    ck_assert_uint_eq(s.model.q_rank, 0);
    ck_assert_uint_eq(s.model.experts_shared, 0);
    ck_assert_uint_eq(s.model.kv_rank, 512);
    ck_assert(!is_assumed("q_lora_rank=1536"));
}
END_TEST

START_TEST(a_count_without_a_default_is_asked_for) {
    struct message why;
    apply("model_type='deepseek_v2'");
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.model.missing_with");
    ck_assert_str_eq(why.args[0].text, "experts-active");
}
END_TEST

START_TEST(switches_of_falcon_are_followed) {
    apply("model_type='falcon' parallel_attn=false multi_query=false alibi=true bias=true");
    ck_assert_uint_eq(s.model.kv_heads, 71);
    ck_assert_int_eq(s.model.position, CALC_POSITION_ALIBI);
    ck_assert_int_eq(s.model.bias, CALC_BIAS_ALL);
    apply("model_type='falcon' new_decoder_architecture=true hidden_size=14848 "
          "num_attention_heads=232 n_head_kv=8");
    ck_assert_uint_eq(s.model.kv_heads, 8);
    ck_assert_int_eq(s.model.position, CALC_POSITION_ROPE);
    ck_assert(!s.model.gated && s.model.tied);
}
END_TEST

START_TEST(options_given_win_here_too) {
    give("experts-shared", "2");
    give("experts", "16");
    give("kv-heads", "1");
    give("position", "alibi");
    apply("model_type='qwen2_moe' num_experts='many' shared_expert_intermediate_size='x'");
    ck_assert(s.model.experts == 16 && s.model.experts_shared == 2 && s.model.shared_gate);
    apply("model_type='falcon' new_decoder_architecture=true num_kv_heads='x'");
    ck_assert_uint_eq(s.model.kv_heads, 1);
    ck_assert_int_eq(s.model.position, CALC_POSITION_ALIBI);
    ck_assert(!s.model.shared_gate);
}
END_TEST

static const struct {
    const char *words, *id, *key;
} bad[] = {
    {"model_type='qwen3_moe' decoder_sparse_step=2", "error.config.unsupported",
     "decoder_sparse_step"},
    {"model_type='qwen3_moe' mlp_only_layers=[0]", "error.config.unsupported", "mlp_only_layers"},
    {"model_type='qwen3_moe' attention_bias=true", "error.config.unsupported", "attention_bias"},
    {"model_type='qwen2_moe' shared_expert_intermediate_size=1409", "error.config.shared_width",
     "shared_expert_intermediate_size"},
    {"model_type='qwen2_moe' qkv_bias=1", "error.config.switch", "qkv_bias"},
    {"model_type='deepseek_v3' moe_layer_freq=2", "error.config.unsupported", "moe_layer_freq"},
    {"model_type='deepseek_v2' mlp_bias=true", "error.config.unsupported", "mlp_bias"},
    {"model_type='deepseek_v3' kv_lora_rank=0", "error.config.count", "kv_lora_rank"},
    {"model_type='falcon' new_decoder_architecture=true num_ln_in_parallel_attn=1",
     "error.config.unsupported", "num_ln_in_parallel_attn"},
    {"model_type='mixtral' num_local_experts=0", "error.config.count", "num_local_experts"},
};

START_TEST(what_cannot_be_counted_is_refused_by_its_key) {
    struct fields fields;
    struct record config = fields_record(&fields, bad[_i].words);
    struct message why = {0};
    struct scenario before = s;
    ck_assert_msg(calc_config_apply(&s, &config, &assumed, &why) == STATUS_FAILED, "%s",
                  bad[_i].words);
    ck_assert_msg(strcmp(why.id, bad[_i].id) == 0, "%s: %s", bad[_i].words, why.id);
    ck_assert_str_eq(why.args[0].text, "c.json");
    ck_assert_str_eq(why.args[1].text, bad[_i].key);
    ck_assert_mem_eq(&before, &s, sizeof s);
}
END_TEST

START_TEST(falcon_7b_with_its_single_norm_is_refused) {
    struct fields fields;
    struct record config = fields_record(&fields, "model_type='falcon'");
    struct message why = {0};
    ck_assert_int_eq(calc_config_apply(&s, &config, &assumed, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.config.falcon_norms");
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("config_experts");
    TCase *tests = tcase_create("config_experts");
    tcase_add_checked_fixture(tests, start, NULL);
    tcase_add_loop_test(tests, the_documented_defaults_are_the_published_models, 0,
                        (int)(sizeof defaults / sizeof defaults[0]));
    tcase_add_test(tests, what_was_assumed_is_listed);
    tcase_add_test(tests, null_means_none_where_there_may_be_none);
    tcase_add_test(tests, a_count_without_a_default_is_asked_for);
    tcase_add_test(tests, switches_of_falcon_are_followed);
    tcase_add_test(tests, options_given_win_here_too);
    tcase_add_loop_test(tests, what_cannot_be_counted_is_refused_by_its_key, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tests, falcon_7b_with_its_single_norm_is_refused);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
