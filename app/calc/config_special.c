/* What a config.json of falcon, qwen2_moe, qwen3_moe and the DeepSeek models says beyond counts: which keys and
 * values falcon has, how many shared experts a width stands for, and which layers have experts. Our scenario knows
 * one pattern, the first layers dense and all others with experts; another is refused by name. Called by config.c;
 * pure. Proof: tests/unit/calc/test_config_experts.c, tests/unit/cli/test_model_files.c. */
#include "preset_private.h"

#include <string.h>

static bool is_type(const struct config_reading *r, const char *model_type) {
    return strcmp(r->architecture->model_type, model_type) == 0;
}

static const struct field *field_of(const struct config_reading *r, const char *key) {
    const struct field *field = record_find(r->source.record, key);
    return field == NULL || field->kind == FIELD_NULL ? NULL : field;
}

enum status config_read_qkv_bias(struct config_reading *r, uint64_t *bias) {
    bool on = true;
    enum status status = config_read_switch(r, "qkv_bias", true, &on);
    *bias = on ? CALC_BIAS_QKV : CALC_BIAS_NONE;
    return status;
}

enum status config_read_falcon_bias(struct config_reading *r, uint64_t *bias) {
    bool on = false;
    enum status status = config_read_switch(r, "bias", false, &on);
    *bias = on ? CALC_BIAS_ALL : CALC_BIAS_NONE;
    return status;
}

/* --- Falcon ----------------------------------------------------------------------------------- */

/* Two norms a layer: the new architecture's, or the old one's with attention and FFN in a row. The old one with
 * both side by side has a single norm, which we do not count. */
static enum status check_falcon_norms(struct config_reading *r, bool new_architecture) {
    static const char key[] = "num_ln_in_parallel_attn";
    const struct field *norms = field_of(r, key);
    if (!new_architecture) {
        bool parallel = true;
        enum status status = config_read_switch(r, "parallel_attn", true, &parallel);
        if (status == STATUS_OK && parallel) {
            message_start(r->why, "error.config.falcon_norms");
            message_add_text(r->why, r->source.file);
            return STATUS_FAILED;
        }
        return status;
    }
    uint64_t count = 0;
    if (norms == NULL) {
        config_assume_count(r, key, 2);
        return STATUS_OK;
    }
    bool two = field_count(norms, &count) && count == 2;
    return two ? STATUS_OK : config_unsupported(r, key, "2");
}

static enum status read_falcon_kv(struct config_reading *r, bool new_architecture) {
    int option = calc_option_index("kv-heads");
    const struct field *field = field_of(r, "num_kv_heads");
    field = field != NULL ? field : field_of(r, "n_head_kv");
    if (calc_option_given(r->s, option)) {
        return STATUS_OK;
    }
    if (!new_architecture) {
        bool one = true;
        enum status status = config_read_switch(r, "multi_query", true, &one);
        preset_put(r->s, option, one ? 1 : r->s->model.heads);
        return status;
    }
    uint64_t value = r->s->model.heads;
    enum status status = STATUS_OK;
    if (field == NULL) {
        config_assume_count(r, "num_kv_heads", value);
    } else {
        status = preset_read(&r->source, field, option, &value, r->why);
    }
    preset_put(r->s, option, value);
    return status;
}

static enum status read_falcon(struct config_reading *r) {
    bool new_architecture = false;
    bool alibi = false;
    enum status status =
        config_read_switch(r, "new_decoder_architecture", false, &new_architecture);
    status = status == STATUS_OK ? check_falcon_norms(r, new_architecture) : status;
    status = status == STATUS_OK ? read_falcon_kv(r, new_architecture) : status;
    if (status == STATUS_OK) {
        status = config_read_switch(r, "alibi", false, &alibi);
    }
    preset_offer(r->s, "position", alibi ? CALC_POSITION_ALIBI : CALC_POSITION_ROPE);
    return status;
}

/* --- Experts ---------------------------------------------------------------------------------- */

/* A count that must be 1, and is where it is left out. */
static enum status check_one(struct config_reading *r, const char *key, bool documented) {
    const struct field *field = field_of(r, key);
    uint64_t value = 0;
    if (field == NULL) {
        if (documented) {
            config_assume_count(r, key, 1);
        }
        return STATUS_OK;
    }
    return field_count(field, &value) && value == 1 ? STATUS_OK : config_unsupported(r, key, "1");
}

/* Qwen: every layer has experts. */
static enum status check_every_layer(struct config_reading *r) {
    static const char key[] = "mlp_only_layers";
    const struct field *list = field_of(r, key);
    if (list == NULL) {
        config_assume(r, key, "[]");
    } else if (strcmp(list->text, "[]") != 0) {
        return config_unsupported(r, key, "[]");
    }
    return check_one(r, "decoder_sparse_step", true);
}

/* One shared expert with a width of its own and a gate: as many experts of the common width. */
static enum status read_shared_width(struct config_reading *r) {
    static const char key[] = "shared_expert_intermediate_size";
    int option = calc_option_index("experts-shared");
    const struct field *field = field_of(r, key);
    uint64_t width = 5632;
    uint64_t moe_ffn = r->s->model.moe_ffn;
    r->s->model.shared_gate = true;
    if (calc_option_given(r->s, option)) {
        return STATUS_OK;
    }
    if (field == NULL) {
        config_assume_count(r, key, width);
    } else {
        enum status status = preset_read(&r->source, field, option, &width, r->why);
        if (status != STATUS_OK) {
            return status;
        }
    }
    if (width % moe_ffn != 0) {
        message_start(r->why, "error.config.shared_width");
        message_add_text(r->why, r->source.file);
        message_add_text(r->why, key);
        message_add_plain(r->why, width);
        message_add_plain(r->why, moe_ffn);
        return STATUS_FAILED;
    }
    preset_put(r->s, option, width / moe_ffn);
    return STATUS_OK;
}

enum status config_read_special(struct config_reading *r) {
    r->s->model.shared_gate = false;
    if (is_type(r, "falcon")) {
        return read_falcon(r);
    }
    if (is_type(r, "deepseek_v2") || is_type(r, "deepseek_v3")) {
        return check_one(r, "moe_layer_freq", false);
    }
    if (!is_type(r, "qwen2_moe") && !is_type(r, "qwen3_moe")) {
        return STATUS_OK;
    }
    enum status status = check_every_layer(r);
    if (status == STATUS_OK && is_type(r, "qwen2_moe")) {
        status = read_shared_width(r);
    }
    return status;
}
