/* The tables that ship: models.json against the reference table it was taken from, cell by cell,
 * and gpus.json against what CONTRACT promises of it. That counts follow from dimensions is checked
 * in unit/cli. */
#include "shardlab/store/store.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/csv.h"

static struct store *store;
static const struct record *models, *gpus;
static int model_count, gpu_count;
static struct csv presets;

static void open_all(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_models(store, &models, &model_count, &why), STATUS_OK);
    ck_assert_int_eq(store_gpus(store, &gpus, &gpu_count, &why), STATUS_OK);
    presets = csv_read("model_presets.csv");
}

static void close_all(void) {
    csv_free(&presets);
    store_close(store);
}

static const char *text_of(const struct record *row, const char *key) {
    const struct field *field = record_find(row, key);
    ck_assert_msg(field != NULL, "no %s", key);
    return field->kind == FIELD_NULL ? "" : field->text;
}

static void same_number(const struct record *row, const char *key, int line, const char *column) {
    const char *cell = csv_get(&presets, line, column);
    const struct field *field = record_find(row, key);
    ck_assert_msg(field != NULL, "%s: no %s", text_of(row, "id"), key);
    if (cell[0] == '\0') {
        ck_assert_msg(field->kind == FIELD_NULL, "%s: %s is not null", text_of(row, "id"), key);
        return;
    }
    uint64_t value = 0;
    ck_assert_msg(field_count(field, &value) && value == strtoull(cell, NULL, 10),
                  "%s: %s is %s, the table has %s", text_of(row, "id"), key, field->text, cell);
}

static void same_text(const struct record *row, const char *key, const char *expected) {
    ck_assert_msg(strcmp(text_of(row, key), expected) == 0, "%s: %s is %s, the table has %s",
                  text_of(row, "id"), key, text_of(row, key), expected);
}

static const char *position_of(const char *cell) {
    return strncmp(cell, "RoPE", 4) == 0 ? "rope" : strcmp(cell, "ALiBi") == 0 ? "alibi" : cell;
}

static const char *bias_of(const char *cell) {
    return strcmp(cell, "yes") == 0 ? "all" : strcmp(cell, "no") == 0 ? "none" : "qkv";
}

static void same_experts(const struct record *row, int line) {
    same_number(row, "experts", line, "experts");
    same_number(row, "experts_active", line, "experts_active");
    same_number(row, "experts_shared", line, "shared_experts");
    same_number(row, "moe_ffn", line, "moe_ffn");
    same_number(row, "dense_layers", line, "dense_layers");
    same_number(row, "computed_active_params", line, "computed_active_params");
    same_text(row, "published_active_params", csv_get(&presets, line, "published_active_params"));
}

/* A model that projects its queries directly has an empty cell, and 0 in the row. */
static void same_latents(const struct record *row, int line) {
    if (csv_get(&presets, line, "q_lora_rank")[0] == '\0') {
        same_text(row, "q_rank", "0");
    } else {
        same_number(row, "q_rank", line, "q_lora_rank");
    }
    same_number(row, "kv_rank", line, "kv_lora_rank");
    same_number(row, "qk_nope", line, "qk_nope_dim");
    same_number(row, "qk_rope", line, "qk_rope_dim");
    same_number(row, "v_head", line, "v_head_dim");
}

static void same_row(const struct record *row, int line) {
    static const char *const numbers[] = {"layers",   "hidden", "heads", "kv_heads",
                                          "head_dim", "ffn",    "vocab", "max_seq"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        same_number(row, numbers[i], line, numbers[i]);
    }
    same_number(row, "computed_params", line, "computed_total_params");
    if (csv_get(&presets, line, "experts")[0] != '\0') {
        same_experts(row, line);
    }
    if (csv_get(&presets, line, "kv_lora_rank")[0] != '\0') {
        same_latents(row, line);
    }
    const char *norm = csv_get(&presets, line, "norm");
    bool gated = strncmp(csv_get(&presets, line, "ffn_gated"), "yes", 3) == 0;
    /* falcon's cell is empty; its computed count is that of a tied head */
    bool tied = strcmp(csv_get(&presets, line, "tied_embeddings"), "yes") == 0 ||
                strcmp(csv_get(&presets, line, "family"), "Falcon") == 0;
    same_text(row, "gated", gated ? "true" : "false");
    same_text(row, "tied", tied ? "true" : "false");
    same_text(row, "norm", strncmp(norm, "LayerNorm", 9) == 0 ? "layer" : "rms");
    same_text(row, "norms", strstr(norm, "4 per layer") != NULL ? "4" : "2");
    same_text(row, "qk_norm", strstr(norm, "QK norm") != NULL ? "true" : "false");
    same_text(row, "position", position_of(csv_get(&presets, line, "position")));
    same_text(row, "bias", bias_of(csv_get(&presets, line, "linear_bias")));
    same_text(row, "published_params", csv_get(&presets, line, "published_total_params"));
    same_text(row, "source", csv_get(&presets, line, "source"));
    same_text(row, "notes", csv_get(&presets, line, "notes"));
}

START_TEST(every_row_of_the_reference_is_a_model_and_no_other) {
    for (int line = 0; line < presets.rows; line++) {
        const char *name = csv_get(&presets, line, "name");
        const struct record *row = store_row_find(models, model_count, name);
        ck_assert_msg(row != NULL, "%s", name);
        same_row(row, line);
    }
    ck_assert_int_eq(presets.rows, model_count);
    ck_assert_int_eq(model_count, 55);
}
END_TEST

START_TEST(a_learned_position_table_has_a_row_for_each_position_and_opt_two_more) {
    for (int i = 0; i < model_count; i++) {
        const struct field *rows = record_find(&models[i], "position_rows");
        uint64_t count = 0;
        uint64_t positions = 0;
        if (strcmp(text_of(&models[i], "position"), "learned") == 0) {
            ck_assert(field_count(rows, &count));
            ck_assert(field_count(record_find(&models[i], "max_seq"), &positions));
            bool opt = strcmp(text_of(&models[i], "family"), "OPT") == 0;
            ck_assert_msg(count == positions + (opt ? 2 : 0), "%s", text_of(&models[i], "id"));
        } else {
            ck_assert_msg(rows->kind == FIELD_NULL, "%s", text_of(&models[i], "id"));
        }
    }
}
END_TEST

START_TEST(only_bloom_has_a_norm_after_the_embedding) {
    for (int i = 0; i < model_count; i++) {
        bool bloom = strcmp(text_of(&models[i], "family"), "BLOOM") == 0;
        ck_assert_str_eq(text_of(&models[i], "embedding_norm"), bloom ? "true" : "false");
    }
}
END_TEST

/* "A100 SXM 80GB" -> "a100-sxm-80gb": lower case, hyphens, no parentheses. */
static void id_from_name(const char *name, char *out) {
    for (; *name != '\0'; name++) {
        if (*name == ' ') {
            *out++ = '-';
        } else if (*name != '(' && *name != ')') {
            *out++ = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        }
    }
    *out = '\0';
}

START_TEST(a_card_is_called_by_its_name_and_has_a_source) {
    ck_assert_int_eq(gpu_count, 36);
    for (int i = 0; i < gpu_count; i++) {
        char id[64];
        id_from_name(text_of(&gpus[i], "name"), id);
        ck_assert_str_eq(text_of(&gpus[i], "id"), id);
        ck_assert_ptr_eq(store_row_find(gpus, gpu_count, id), &gpus[i]);
        ck_assert_msg(text_of(&gpus[i], "source")[0] != '\0', "%s", id);
    }
}
END_TEST

START_TEST(a_usable_size_stands_only_with_its_source) {
    int sourced = 0;
    for (int i = 0; i < gpu_count; i++) {
        bool size = record_find(&gpus[i], "usable_bytes")->kind == FIELD_NUMBER;
        ck_assert(size == (text_of(&gpus[i], "usable_source")[0] != '\0'));
        sourced += size ? 1 : 0;
    }
    ck_assert_int_eq(sourced, 1);
    uint64_t usable = 0;
    const struct record *a100 = store_row_find(gpus, gpu_count, "a100-sxm-80gb");
    ck_assert(field_count(record_find(a100, "usable_bytes"), &usable));
    ck_assert_uint_eq(usable, UINT64_C(317) * 1024 * 1024 * 1024 / 4); /* 79.25 GiB */
}
END_TEST

START_TEST(an_unknown_size_of_a_card_is_null) {
    const struct record *tpu = store_row_find(gpus, gpu_count, "tpu-v6e");
    ck_assert_int_eq(record_find(tpu, "memory_bytes")->kind, FIELD_NULL);
    const struct record *h200 = store_row_find(gpus, gpu_count, "h200-sxm-141gb");
    uint64_t listed = 0;
    ck_assert(field_count(record_find(h200, "memory_bytes"), &listed));
    ck_assert_uint_eq(listed, UINT64_C(141000000000));
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("assets");
    TCase *tests = tcase_create("assets");
    tcase_add_checked_fixture(tests, open_all, close_all);
    tcase_add_test(tests, every_row_of_the_reference_is_a_model_and_no_other);
    tcase_add_test(tests, a_learned_position_table_has_a_row_for_each_position_and_opt_two_more);
    tcase_add_test(tests, only_bloom_has_a_norm_after_the_embedding);
    tcase_add_test(tests, a_card_is_called_by_its_name_and_has_a_source);
    tcase_add_test(tests, a_usable_size_stands_only_with_its_source);
    tcase_add_test(tests, an_unknown_size_of_a_card_is_null);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
