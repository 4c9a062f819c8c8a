/* Rows of models.json and gpus.json on their way into the scenario: what is given wins, what is
 * open returns to the scenario's own rule, what cannot be is named and changes nothing. */
#include <check.h>
#include <string.h>

#include "shardlab/calc/flops.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/preset.h"
#include "support/fields.h"

static const char tiny[] =
    "id='tiny' layers=2 hidden=64 heads=4 kv_heads=2 head_dim=16 ffn=128 gated=true "
    "vocab=1000 max_seq=512 position='rope' norm='rms' norms=2 qk_norm=true "
    "bias='qkv' tied=true embedding_norm=false position_rows=null";
static const char learned[] =
    "id='old' layers=2 hidden=64 heads=4 kv_heads=4 head_dim=16 ffn=256 gated=false "
    "vocab=1000 max_seq=512 position='learned' norm='layer' norms=2 "
    "qk_norm=false bias='all' tied=true embedding_norm=true position_rows=514";

static struct scenario s;

static void start(void) {
    scenario_start(&s);
}

static void give(const char *option, const char *value) {
    struct message why;
    ck_assert_int_eq(calc_option_set(&s, calc_option_index(option), value, &why), STATUS_OK);
}

static void apply(const char *words) {
    struct fields fields;
    struct record row = fields_record(&fields, words);
    struct message why = {0};
    ck_assert_msg(calc_model_apply(&s, &row, &why) == STATUS_OK, "%s", why.id);
}

START_TEST(a_row_sets_every_dimension) {
    apply(tiny);
    const struct calc_model *m = &s.model;
    ck_assert_str_eq(m->name, "tiny");
    ck_assert(m->layers == 2 && m->hidden == 64 && m->heads == 4 && m->kv_heads == 2);
    ck_assert(m->head_dim == 16 && m->ffn == 128 && m->vocab == 1000 && m->max_seq == 512);
    ck_assert(m->norms == 2 && m->position_rows == 0);
    ck_assert(m->gated && m->tied && m->qk_norm && !m->embedding_norm);
    ck_assert_int_eq(m->norm, CALC_NORM_RMS);
    ck_assert_int_eq(m->bias, CALC_BIAS_QKV);
    ck_assert_int_eq(m->position, CALC_POSITION_ROPE);
    ck_assert(calc_option_none_given(&s));
}
END_TEST

START_TEST(a_second_row_leaves_nothing_of_the_first) {
    struct scenario first;
    apply(learned);
    apply(tiny);
    first = s;
    start();
    apply(tiny);
    ck_assert_mem_eq(&first, &s, sizeof s);
    apply(learned);
    ck_assert_uint_eq(s.model.position_rows, 514);
    ck_assert(s.model.embedding_norm && !s.model.gated && !s.model.qk_norm);
    ck_assert_int_eq(s.model.norm, CALC_NORM_LAYER);
    ck_assert_int_eq(s.model.position, CALC_POSITION_LEARNED);
}
END_TEST

START_TEST(what_was_given_is_not_overwritten) {
    give("layers", "7");
    give("gated", "no");
    give("bias", "none");
    apply(tiny);
    ck_assert_uint_eq(s.model.layers, 7);
    ck_assert(!s.model.gated);
    ck_assert_int_eq(s.model.bias, CALC_BIAS_NONE);
    ck_assert_uint_eq(s.model.hidden, 64);
}
END_TEST

START_TEST(a_given_max_seq_moves_a_learned_table_and_keeps_its_extra_rows) {
    give("max-seq", "2K");
    apply(learned);
    ck_assert_uint_eq(s.model.max_seq, 2048);
    ck_assert_uint_eq(s.model.position_rows, 2050);
    give("position-rows", "9");
    apply(learned);
    ck_assert_uint_eq(s.model.position_rows, 9);
}
END_TEST

START_TEST(an_open_value_returns_to_zero) {
    apply(tiny);
    apply("id='open' layers=1 max_seq=null");
    ck_assert_uint_eq(s.model.layers, 1);
    ck_assert_uint_eq(s.model.max_seq, 0);
    ck_assert_uint_eq(s.model.hidden, 0);
}
END_TEST

static const struct {
    const char *words, *id, *key, *value;
} bad[] = {
    {"layers=2", "error.config.text", "id", "null"},
    {"id=7 layers=2", "error.config.text", "id", "7"},
    {"id='x' layers=0", "error.config.count", "layers", "0"},
    {"id='x' layers=-2", "error.config.count", "layers", "-2"},
    {"id='x' layers=2.5", "error.config.count", "layers", "2.5"},
    {"id='x' layers=1e30", "error.config.count", "layers", "1e30"},
    {"id='x' layers='2'", "error.config.count", "layers", "\"2\""},
    {"id='x' layers=true", "error.config.count", "layers", "true"},
    {"id='x' kv_heads=[1]", "error.config.count", "kv_heads", "[1]"},
    {"id='x' norms=5", "error.config.count", "norms", "5"},
    {"id='x' tied='yes'", "error.config.switch", "tied", "\"yes\""},
    {"id='x' gated=1", "error.config.switch", "gated", "1"},
    {"id='x' norm='batch'", "error.config.choice", "norm", "\"batch\""},
    {"id='x' position=3", "error.config.choice", "position", "3"},
};

START_TEST(a_value_that_cannot_be_is_named_and_changes_nothing) {
    struct fields fields;
    struct record row = fields_record(&fields, bad[_i].words);
    struct message why = {0};
    struct scenario before = s;
    ck_assert_msg(calc_model_apply(&s, &row, &why) == STATUS_FAILED, "%s", bad[_i].words);
    ck_assert_msg(strcmp(why.id, bad[_i].id) == 0, "%s: %s", bad[_i].words, why.id);
    ck_assert_str_eq(why.args[1].text, bad[_i].key);
    ck_assert_str_eq(why.args[2].text, bad[_i].value);
    ck_assert_mem_eq(&before, &s, sizeof s);
}
END_TEST

START_TEST(an_error_names_file_and_row) {
    struct fields fields;
    struct record row = fields_record(&fields, "id='x' layers=0");
    struct message why;
    ck_assert_int_eq(calc_model_apply(&s, &row, &why), STATUS_FAILED);
    ck_assert_str_eq(why.args[0].text, "models.json: x");
}
END_TEST

START_TEST(a_card_sets_name_listed_and_usable_bytes) {
    struct fields fields;
    struct record row =
        fields_record(&fields, "id='a100' memory_bytes=80000000000 usable_bytes=85094039552");
    struct message why;
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_OK);
    ck_assert_str_eq(s.cluster.gpu, "a100");
    ck_assert_uint_eq(s.cluster.listed_bytes, UINT64_C(80000000000));
    ck_assert_uint_eq(s.cluster.usable_bytes, UINT64_C(85094039552));
    ck_assert_uint_eq(scenario_capacity_bytes(&s), UINT64_C(85094039552));
    row = fields_record(&fields, "id='tpu' memory_bytes=null");
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_OK);
    ck_assert_str_eq(s.cluster.gpu, "tpu");
    ck_assert_uint_eq(s.cluster.listed_bytes, 0);
    ck_assert_uint_eq(s.cluster.usable_bytes, 0);
}
END_TEST

START_TEST(a_card_brings_its_links_and_peaks) {
    struct fields fields;
    struct record row =
        fields_record(&fields, "id='x' link_gb_per_s=450 net_gb_per_s=56.25 pcie_gb_per_s=null "
                               "bf16_tflops=989 fp8_tflops=1979 fp32_tflops=null");
    struct message why;
    int net = calc_option_index("net-gb-per-s");
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_OK);
    ck_assert(s.cluster.link_gb_per_s == 450 && s.cluster.net_gb_per_s == 56.25);
    ck_assert(s.cluster.pcie_gb_per_s == 0 && s.cluster.nvme_gb_per_s == 0);
    ck_assert(s.cluster.peak_tflops[CALC_PRECISION_BF16] == 989);
    ck_assert(s.cluster.peak_tflops[CALC_PRECISION_FP32] == 0);
    ck_assert_int_eq(calc_option_set(&s, net, "12.5", &why), STATUS_OK);
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_OK);
    ck_assert(s.cluster.net_gb_per_s == 12.5); /* what is given wins */
    s.recipe.precision = CALC_PRECISION_BF16;
    s.cluster.mfu = 0.5;
    ck_assert(scenario_flops_per_s(&s) == 494.5e12);
    s.recipe.precision = CALC_PRECISION_FP8; /* the step gains less than the peak */
    ck_assert(scenario_flops_per_s(&s) == 989 * CALC_FP8_SPEEDUP * 1e12 * 0.5);
    s.cluster.peak_tflops[CALC_PRECISION_FP8] = 0;
    ck_assert(scenario_flops_per_s(&s) == 0);
    row = fields_record(&fields, "id='y'");
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_OK);
    ck_assert(s.cluster.link_gb_per_s == 0 && s.cluster.peak_tflops[CALC_PRECISION_BF16] == 0);
}
END_TEST

START_TEST(a_card_with_a_wrong_rate_is_refused_whole) {
    static const char *const rates[] = {"0", "-1", "1e7", "'450'", "true"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char words[64] = "id='x' link_gb_per_s=1 bf16_tflops=";
        strcat(words, rates[i]);
        struct fields fields;
        struct record row = fields_record(&fields, words);
        struct message why;
        ck_assert_msg(calc_gpu_apply(&s, &row, &why) == STATUS_FAILED, "%s", words);
        ck_assert_str_eq(why.id, "error.config.rate");
        ck_assert_str_eq(s.cluster.gpu, "");
    }
}
END_TEST

START_TEST(a_card_with_a_wrong_size_is_refused_whole) {
    static const char *const sizes[] = {"0", "-1", "1.5", "'80GB'", "1e30", "true"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char words[64] = "id='x' memory_bytes=1 usable_bytes=";
        strcat(words, sizes[i]);
        struct fields fields;
        struct record row = fields_record(&fields, words);
        struct message why;
        ck_assert_msg(calc_gpu_apply(&s, &row, &why) == STATUS_FAILED, "%s", words);
        ck_assert_str_eq(why.id, "error.config.count");
        ck_assert_str_eq(s.cluster.gpu, "");
    }
}
END_TEST

START_TEST(an_id_that_is_too_long_is_refused) {
    char words[256] = "id='";
    memset(words + 4, 'x', CALC_NAME_MAX);
    words[4 + CALC_NAME_MAX] = '\'';
    struct fields fields;
    struct record row = fields_record(&fields, words);
    struct message why;
    ck_assert_int_eq(calc_gpu_apply(&s, &row, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.config.long");
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("presets");
    TCase *tests = tcase_create("presets");
    tcase_add_checked_fixture(tests, start, NULL);
    tcase_add_test(tests, a_row_sets_every_dimension);
    tcase_add_test(tests, a_second_row_leaves_nothing_of_the_first);
    tcase_add_test(tests, what_was_given_is_not_overwritten);
    tcase_add_test(tests, a_given_max_seq_moves_a_learned_table_and_keeps_its_extra_rows);
    tcase_add_test(tests, an_open_value_returns_to_zero);
    tcase_add_loop_test(tests, a_value_that_cannot_be_is_named_and_changes_nothing, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tests, an_error_names_file_and_row);
    tcase_add_test(tests, a_card_sets_name_listed_and_usable_bytes);
    tcase_add_test(tests, a_card_brings_its_links_and_peaks);
    tcase_add_test(tests, a_card_with_a_wrong_rate_is_refused_whole);
    tcase_add_test(tests, a_card_with_a_wrong_size_is_refused_whole);
    tcase_add_test(tests, an_id_that_is_too_long_is_refused);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
