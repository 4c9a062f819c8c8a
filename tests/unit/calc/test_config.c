/* A Hugging Face config.json, as a record: documented defaults are taken and listed, what cannot be
 * counted is refused by its key, options given win. Whole files are read in unit/cli. */
#include "config_support.h"

/* Parameters that the documented defaults of each class come to, worked out by hand from its
 * modeling file. */
static const struct {
    const char *model_type;
    uint64_t params;
} defaults[] = {
    {"llama", 6738415616}, /* Llama-2-7B but for positions */
    {"mistral", 7241732096},
    /* 32·(4·4096² + 3·4096 + 3·4096·22016 + 2·4096) + 2·151936·4096 + 4096 */
    {"qwen2", UINT64_C(32) * (4 * 4096 * 4096 + 3 * 4096 + 3 * 4096 * 22016 + 2 * 4096) +
                  UINT64_C(2) * 151936 * 4096 + 4096},
    /* the same without biases, with two norms of 128 a layer */
    {"qwen3", UINT64_C(32) * (4 * 4096 * 4096 + 2 * 128 + 3 * 4096 * 22016 + 2 * 4096) +
                  UINT64_C(2) * 151936 * 4096 + 4096},
    {"gpt2", 124439808},
    /* 44·(12·6144² + 13·6144) + 2·50432·6144 + 2·6144: GPT-NeoX-20B */
    {"gpt_neox", UINT64_C(44) * (12 * UINT64_C(6144) * 6144 + 13 * 6144) +
                     UINT64_C(2) * 50432 * 6144 + 2 * 6144},
    {"opt", 125239296}, /* OPT-125m */
    /* 2·(12·64² + 13·64) + 250880·64 + 2·64 + 2·64 */
    {"bloom", 2 * (12 * 64 * 64 + 13 * 64) + 250880 * 64 + 2 * 64 + 2 * 64},
    {"phi3", 3821079552},
    {"gemma2", 2614341888},
};

START_TEST(a_config_with_nothing_but_its_type_is_the_documented_default) {
    char words[64];
    (void)snprintf(words, sizeof words, "model_type='%s'", defaults[_i].model_type);
    apply(words);
    struct message why = {0};
    struct calc_params params;
    ck_assert_msg(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s: %s", words, why.id);
    ck_assert_int_eq(calc_params_count(&s, &params, &why), STATUS_OK);
    ck_assert_msg(params.total == defaults[_i].params, "%s: %llu", words,
                  (unsigned long long)params.total);
    ck_assert_int_ge(assumed.count, 5);
    ck_assert_int_lt(assumed.count, CALC_ASSUMED_MAX);
}
END_TEST

START_TEST(every_field_left_out_is_listed_with_its_value) {
    apply("model_type='llama' hidden_size=64 num_attention_heads=4 vocab_size=100");
    ck_assert(is_assumed("num_hidden_layers=32"));
    ck_assert(is_assumed("num_key_value_heads=4"));
    ck_assert(is_assumed("head_dim=16"));
    ck_assert(is_assumed("intermediate_size=11008"));
    ck_assert(is_assumed("max_position_embeddings=2048"));
    ck_assert(is_assumed("tie_word_embeddings=false"));
    ck_assert(is_assumed("attention_bias=false"));
    ck_assert(is_assumed("mlp_bias=false"));
    ck_assert_int_eq(assumed.count, 8);
    apply("model_type='gpt2' n_embd=64 n_head=4");
    ck_assert(is_assumed("n_inner=256"));
    ck_assert(is_assumed("tie_word_embeddings=true"));
    ck_assert(!is_assumed("n_embd=64"));
}
END_TEST

START_TEST(a_complete_config_assumes_nothing) {
    apply("model_type='qwen3' num_hidden_layers=1 hidden_size=64 num_attention_heads=4 "
          "num_key_value_heads=2 head_dim=32 intermediate_size=128 vocab_size=100 "
          "max_position_embeddings=50 tie_word_embeddings=true attention_bias=false");
    ck_assert_int_eq(assumed.count, 0);
    ck_assert_uint_eq(s.model.head_dim, 32);
    ck_assert(s.model.tied && s.model.qk_norm && s.model.gated);
}
END_TEST

START_TEST(null_stands_for_the_default) {
    apply("model_type='llama' num_key_value_heads=null head_dim=null tie_word_embeddings=null");
    ck_assert(is_assumed("num_key_value_heads=32"));
    ck_assert(is_assumed("head_dim=128"));
    ck_assert(is_assumed("tie_word_embeddings=false"));
}
END_TEST

START_TEST(older_names_of_a_field_are_read) {
    apply("model_type='gpt2' num_hidden_layers=3 hidden_size=64 num_attention_heads=4 n_ctx=99");
    ck_assert_uint_eq(s.model.layers, 3);
    ck_assert_uint_eq(s.model.hidden, 64);
    ck_assert_uint_eq(s.model.max_seq, 99);
    ck_assert_uint_eq(s.model.position_rows, 99);
    apply("model_type='bloom' n_layer=3 hidden_size=64 num_attention_heads=4");
    ck_assert_uint_eq(s.model.hidden, 64);
    ck_assert_uint_eq(s.model.heads, 4);
    apply("model_type='bloom' n_embed=128 n_head=4 seq_length=77");
    ck_assert_uint_eq(s.model.hidden, 128);
    ck_assert_uint_eq(s.model.max_seq, 77);
    ck_assert(s.model.embedding_norm);
}
END_TEST

START_TEST(options_given_win_and_their_fields_are_not_read) {
    give("layers", "7");
    give("tied", "yes");
    give("bias", "qkv");
    apply("model_type='llama' num_hidden_layers='many' tie_word_embeddings=9 attention_bias=true");
    ck_assert_uint_eq(s.model.layers, 7);
    ck_assert(s.model.tied);
    ck_assert_int_eq(s.model.bias, CALC_BIAS_QKV);
    ck_assert(!is_assumed("num_hidden_layers=32"));
}
END_TEST

START_TEST(a_given_width_changes_what_follows_from_it) {
    struct message why;
    give("heads", "16");
    apply("model_type='llama' hidden_size=4096");
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    ck_assert_uint_eq(s.model.head_dim, 256);
    ck_assert_uint_eq(s.model.kv_heads, 16);
}
END_TEST

START_TEST(a_given_max_seq_moves_the_position_table) {
    give("max-seq", "4096");
    apply("model_type='opt'");
    ck_assert_uint_eq(s.model.position_rows, 4098);
    apply("model_type='gpt2'");
    ck_assert_uint_eq(s.model.position_rows, 4096);
    apply("model_type='llama'");
    ck_assert_uint_eq(s.model.position_rows, 0);
}
END_TEST

START_TEST(biases_follow_the_switches) {
    apply("model_type='llama' attention_bias=true mlp_bias=true");
    ck_assert_int_eq(s.model.bias, CALC_BIAS_ALL);
    apply("model_type='opt' enable_bias=false");
    ck_assert_int_eq(s.model.bias, CALC_BIAS_NONE);
    apply("model_type='opt' word_embed_proj_dim=768");
    ck_assert_int_eq(s.model.bias, CALC_BIAS_ALL);
    apply("model_type='qwen2'");
    ck_assert_int_eq(s.model.bias, CALC_BIAS_QKV);
}
END_TEST

START_TEST(another_config_leaves_nothing_of_the_first) {
    apply("model_type='llama'");
    struct scenario alone = s;
    start();
    apply("model_type='bloom' seq_length=9");
    apply("model_type='gpt2'");
    apply("model_type='llama'");
    ck_assert_mem_eq(&alone, &s, sizeof s);
}
END_TEST

static const struct {
    const char *words, *id, *key, *value;
} bad[] = {
    {"model_type='t5'", "error.config.choice", "model_type", "\"t5\""},
    {"model_type='Llama'", "error.config.choice", "model_type", "\"Llama\""},
    {"model_type=7", "error.config.text", "model_type", "7"},
    {"model_type='llama' hidden_size='4096'", "error.config.count", "hidden_size", "\"4096\""},
    {"model_type='llama' hidden_size=-1", "error.config.count", "hidden_size", "-1"},
    {"model_type='llama' hidden_size=0", "error.config.count", "hidden_size", "0"},
    {"model_type='llama' hidden_size=0.5", "error.config.count", "hidden_size", "0.5"},
    {"model_type='llama' hidden_size=9007199254740994", "error.config.count", "hidden_size",
     "9007199254740994"},
    {"model_type='llama' vocab_size=inf", "error.config.count", "vocab_size", "inf"},
    {"model_type='llama' vocab_size=nan", "error.config.count", "vocab_size", "nan"},
    {"model_type='llama' num_hidden_layers=true", "error.config.count", "num_hidden_layers",
     "true"},
    {"model_type='llama' num_key_value_heads=[8]", "error.config.count", "num_key_value_heads",
     "[8]"},
    {"model_type='gpt2' hidden_size='x'", "error.config.count", "hidden_size", "\"x\""},
    {"model_type='llama' tie_word_embeddings=1", "error.config.switch", "tie_word_embeddings", "1"},
    {"model_type='llama' mlp_bias='no'", "error.config.switch", "mlp_bias", "\"no\""},
    {"model_type='llama' attention_bias=true", "error.config.unsupported", "attention_bias",
     "true"},
    {"model_type='llama' mlp_bias=true", "error.config.unsupported", "mlp_bias", "true"},
    {"model_type='qwen3' attention_bias=true", "error.config.unsupported", "attention_bias",
     "true"},
    {"model_type='gemma2' attention_bias=true", "error.config.unsupported", "attention_bias",
     "true"},
    {"model_type='gpt_neox' attention_bias=false", "error.config.unsupported", "attention_bias",
     "false"},
    {"model_type='gpt2' add_cross_attention=true", "error.config.unsupported",
     "add_cross_attention", "true"},
    {"model_type='opt' do_layer_norm_before=false", "error.config.unsupported",
     "do_layer_norm_before", "false"},
    {"model_type='opt' _remove_final_layer_norm=true", "error.config.unsupported",
     "_remove_final_layer_norm", "true"},
    {"model_type='opt' layer_norm_elementwise_affine=false", "error.config.unsupported",
     "layer_norm_elementwise_affine", "false"},
    {"model_type='opt' word_embed_proj_dim=512", "error.config.unsupported", "word_embed_proj_dim",
     "512"},
    {"model_type='opt' word_embed_proj_dim='w'", "error.config.count", "word_embed_proj_dim",
     "\"w\""},
};

START_TEST(what_cannot_be_is_refused_by_key_and_value) {
    struct fields fields;
    struct record config = fields_record(&fields, bad[_i].words);
    struct message why = {0};
    struct scenario before = s;
    ck_assert_msg(calc_config_apply(&s, &config, &assumed, &why) == STATUS_FAILED, "%s",
                  bad[_i].words);
    ck_assert_msg(strcmp(why.id, bad[_i].id) == 0, "%s: %s", bad[_i].words, why.id);
    ck_assert_str_eq(why.args[0].text, "c.json");
    ck_assert_str_eq(why.args[1].text, bad[_i].key);
    ck_assert_str_eq(why.args[2].text, bad[_i].value);
    ck_assert_mem_eq(&before, &s, sizeof s);
}
END_TEST

START_TEST(a_missing_or_unknown_type_names_the_known_ones) {
    static const char known[] =
        "llama, mistral, qwen2, qwen3, gpt2, gpt_neox, opt, bloom, phi3, gemma2, "
        "mixtral, qwen2_moe, qwen3_moe, falcon, deepseek_v2, deepseek_v3";
    struct fields fields;
    struct record config = fields_record(&fields, "hidden_size=64");
    struct message why;
    ck_assert_int_eq(calc_config_apply(&s, &config, &assumed, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.config.type_missing");
    ck_assert_str_eq(why.args[1].text, known);
    config = fields_record(&fields, "model_type='mamba'");
    ck_assert_int_eq(calc_config_apply(&s, &config, &assumed, &why), STATUS_FAILED);
    ck_assert_str_eq(why.args[3].text, known);
}
END_TEST

START_TEST(heads_that_do_not_divide_the_width_need_a_head_size) {
    struct fields fields;
    struct message why;
    struct record config = fields_record(&fields, "model_type='gpt2' n_embd=100 n_head=12");
    ck_assert_int_eq(calc_config_apply(&s, &config, &assumed, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.config.head_dim");
    ck_assert_str_eq(why.args[1].text, "n_head");
    ck_assert_uint_eq(why.args[2].count, 12);
    ck_assert_uint_eq(why.args[3].count, 100);
    apply("model_type='llama' hidden_size=100 num_attention_heads=12 head_dim=8");
    ck_assert_uint_eq(s.model.head_dim, 8);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("config");
    TCase *tests = tcase_create("config");
    tcase_add_checked_fixture(tests, start, NULL);
    tcase_add_loop_test(tests, a_config_with_nothing_but_its_type_is_the_documented_default, 0,
                        (int)(sizeof defaults / sizeof defaults[0]));
    tcase_add_test(tests, every_field_left_out_is_listed_with_its_value);
    tcase_add_test(tests, a_complete_config_assumes_nothing);
    tcase_add_test(tests, null_stands_for_the_default);
    tcase_add_test(tests, older_names_of_a_field_are_read);
    tcase_add_test(tests, options_given_win_and_their_fields_are_not_read);
    tcase_add_test(tests, a_given_width_changes_what_follows_from_it);
    tcase_add_test(tests, a_given_max_seq_moves_the_position_table);
    tcase_add_test(tests, biases_follow_the_switches);
    tcase_add_test(tests, another_config_leaves_nothing_of_the_first);
    tcase_add_loop_test(tests, what_cannot_be_is_refused_by_key_and_value, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tests, a_missing_or_unknown_type_names_the_known_ones);
    tcase_add_test(tests, heads_that_do_not_divide_the_width_need_a_head_size);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
