/* A Hugging Face config.json into the scenario. The file says less than it seems: fields left out
 * stand for defaults that the architecture's configuration class documents, and each of these is
 * reported back as assumed, so that no default is silent. A field that our parameter count cannot
 * follow (a cross-attention, a bias on half of the matrices) is refused by name rather than counted
 * wrongly. Options given by the learner win and their fields are not read. Pure: the record was
 * read by `store` and is borrowed; nothing is changed on failure. Attention windows and RoPE
 * scaling are left out: they hold no parameters. Proof: tests/unit/calc/test_config.c,
 * tests/unit/cli/test_model_files.c. Architectures that need more than the table: config_special.c. */
#include <assert.h>
#include <string.h>

#include "preset_private.h"

/* --- Assumptions ------------------------------------------------------------------------------ */

void config_assume(struct config_reading *r, const char *key, const char *value) {
    if (r->assumed->count >= CALC_ASSUMED_MAX) {
        return;
    }
    struct writer w;
    char *item = r->assumed->items[r->assumed->count++];
    writer_start(&w, item, sizeof r->assumed->items[0]);
    writer_text(&w, key);
    writer_char(&w, '=');
    writer_text(&w, value);
}

void config_assume_count(struct config_reading *r, const char *key, uint64_t value) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, value);
    config_assume(r, key, text);
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* The first of the names that is there; NULL: none. */
static const struct field *count_field(const struct record *record,
                                       const struct config_count *count) {
    for (size_t i = 0; i < sizeof count->keys / sizeof count->keys[0]; i++) {
        const struct field *field =
            count->keys[i] != NULL ? record_find(record, count->keys[i]) : NULL;
        if (field != NULL) {
            return field;
        }
    }
    return NULL;
}

/* What the scenario will make of a count that is left open; 0: nothing that needs saying. */
static uint64_t own_rule(const struct calc_model *m, const char *option) {
    if (strcmp(option, "kv-heads") == 0) {
        return m->heads;
    }
    if (strcmp(option, "head-dim") == 0) {
        return m->heads != 0 ? m->hidden / m->heads : 0;
    }
    return strcmp(option, "ffn") == 0 ? 4 * m->hidden : 0; /* hidden is at most 2^40 */
}

static enum status read_count(struct config_reading *r, const struct config_count *count) {
    int option = calc_option_index(count->option);
    if (calc_option_given(r->s, option)) {
        return STATUS_OK;
    }
    const struct field *field = count_field(r->source.record, count);
    uint64_t value = 0;
    if (field != NULL && field->kind != FIELD_NULL) {
        enum status status = preset_read(&r->source, field, option, &value, r->why);
        preset_put(r->s, option, value);
        return status;
    }
    if (field != NULL && calc_option_at(option)->min == 0) {
        preset_put(r->s, option, 0); /* null where there may be none: no shared expert, no latent */
        return STATUS_OK;
    }
    preset_put(r->s, option, count->fallback);
    uint64_t shown = count->fallback != 0 ? count->fallback : own_rule(&r->s->model, count->option);
    if (shown != 0) {
        config_assume_count(r, count->keys[0], shown);
    }
    return STATUS_OK;
}

enum status config_read_switch(struct config_reading *r, const char *key, bool fallback,
                               bool *out) {
    const struct field *field = record_find(r->source.record, key);
    *out = fallback;
    if (field == NULL || field->kind == FIELD_NULL) {
        config_assume(r, key, fallback ? "true" : "false");
        return STATUS_OK;
    }
    if (field->kind != FIELD_SWITCH) {
        return preset_refuse(&r->source, field, "error.config.switch", r->why);
    }
    *out = field->on;
    return STATUS_OK;
}

enum status config_unsupported(struct config_reading *r, const char *key, const char *possible) {
    const struct field *field = record_find(r->source.record, key);
    (void)preset_refuse(&r->source, field, "error.config.unsupported", r->why);
    message_add_text(r->why, possible);
    return STATUS_FAILED;
}

static enum status check_demand(struct config_reading *r, const struct config_demand *demand) {
    bool on = false;
    enum status status = config_read_switch(r, demand->key, demand->must_be, &on);
    if (status == STATUS_OK && on != demand->must_be) {
        status = config_unsupported(r, demand->key, demand->must_be ? "true" : "false");
    }
    return status;
}

/* --- What needs more than a table ------------------------------------------------------------- */

static bool is_type(const struct config_reading *r, const char *model_type) {
    return strcmp(r->architecture->model_type, model_type) == 0;
}

/* llama: two switches for the biases of the two halves of a layer; we count both halves or none. */
static enum status read_llama_bias(struct config_reading *r, uint64_t *bias) {
    bool attention = false;
    bool mlp = false;
    enum status status = config_read_switch(r, "attention_bias", false, &attention);
    if (status == STATUS_OK) {
        status = config_read_switch(r, "mlp_bias", false, &mlp);
    }
    if (status == STATUS_OK && attention != mlp) {
        return config_unsupported(r, attention ? "attention_bias" : "mlp_bias",
                                  "attention_bias = mlp_bias");
    }
    *bias = attention ? CALC_BIAS_ALL : CALC_BIAS_NONE;
    return status;
}

static enum status read_opt_bias(struct config_reading *r, uint64_t *bias) {
    bool enabled = true;
    enum status status = config_read_switch(r, "enable_bias", true, &enabled);
    *bias = enabled ? CALC_BIAS_ALL : CALC_BIAS_NONE;
    return status;
}

static enum status read_bias(struct config_reading *r) {
    if (calc_option_given(r->s, calc_option_index("bias"))) {
        return STATUS_OK;
    }
    uint64_t bias = r->architecture->bias;
    enum status status = STATUS_OK;
    if (is_type(r, "llama")) {
        status = read_llama_bias(r, &bias);
    } else if (is_type(r, "opt")) {
        status = read_opt_bias(r, &bias);
    } else if (is_type(r, "qwen2_moe")) {
        status = config_read_qkv_bias(r, &bias);
    } else if (is_type(r, "falcon")) {
        status = config_read_falcon_bias(r, &bias);
    }
    preset_offer(r->s, "bias", bias);
    return status;
}

static enum status read_tied(struct config_reading *r) {
    if (calc_option_given(r->s, calc_option_index("tied"))) {
        return STATUS_OK;
    }
    bool tied = false;
    enum status status = config_read_switch(r, "tie_word_embeddings", r->architecture->tied, &tied);
    preset_offer(r->s, "tied", tied ? 1 : 0);
    return status;
}

/* OPT-350m projects a narrow embedding to the layers' width with two matrices that we do not count.
 *  */
static enum status check_opt_embedding(struct config_reading *r) {
    static const char key[] = "word_embed_proj_dim";
    const struct field *field = record_find(r->source.record, key);
    uint64_t width = 0;
    if (!is_type(r, "opt") || field == NULL || field->kind == FIELD_NULL) {
        return STATUS_OK;
    }
    enum status status =
        preset_read(&r->source, field, calc_option_index("hidden"), &width, r->why);
    bool own = !calc_option_given(r->s, calc_option_index("hidden"));
    if (status == STATUS_OK && own && width != r->s->model.hidden) {
        status = config_unsupported(r, key, "word_embed_proj_dim = hidden_size");
    }
    return status;
}

/* Without head_dim, heads must divide the hidden size. Overridden values are judged with the whole
 * scenario. */
static enum status check_head_dim(struct config_reading *r) {
    const struct calc_model *m = &r->s->model;
    bool own = !calc_option_given(r->s, calc_option_index("hidden")) &&
               !calc_option_given(r->s, calc_option_index("heads"));
    own = own && m->kv_rank == 0; /* latent attention has its own widths */
    if (!own || m->head_dim != 0 || m->hidden % m->heads == 0) {
        return STATUS_OK;
    }
    const struct config_count *count = r->architecture->counts;
    while (count->option != NULL && strcmp(count->option, "heads") != 0) {
        count++;
    }
    const struct field *field = count_field(r->source.record, count);
    message_start(r->why, "error.config.head_dim");
    message_add_text(r->why, r->source.file);
    message_add_text(r->why, field != NULL ? field->key : count->keys[0]);
    message_add_plain(r->why, m->heads);
    message_add_plain(r->why, m->hidden);
    return STATUS_FAILED;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* What the architecture's code fixes; everything else not given is taken back first. */
static void offer_fixed(struct config_reading *r) {
    const struct config_architecture *a = r->architecture;
    assert(a != NULL); /* a type that is not known ended before */
    for (int i = 0; i < calc_option_count(); i++) {
        if (calc_is_dimension(i) && !calc_option_given(r->s, i)) {
            preset_put(r->s, i, 0);
        }
    }
    preset_offer(r->s, "norm", a->norm);
    preset_offer(r->s, "norms", a->norms);
    preset_offer(r->s, "position", a->position);
    preset_offer(r->s, "gated", a->gated ? 1 : 0);
    preset_offer(r->s, "qk-norm", a->qk_norm ? 1 : 0);
    preset_offer(r->s, "embedding-norm", a->embedding_norm ? 1 : 0);
}

static enum status read_all(struct config_reading *r) {
    enum status status = STATUS_OK;
    offer_fixed(r);
    const struct config_count *count = r->architecture->counts;
    for (; status == STATUS_OK && count->option != NULL; count++) {
        status = read_count(r, count);
    }
    const struct config_demand *demand = r->architecture->demands;
    for (; status == STATUS_OK && demand->key != NULL; demand++) {
        status = check_demand(r, demand);
    }
    status = status == STATUS_OK ? config_read_special(r) : status;
    status = status == STATUS_OK ? read_tied(r) : status;
    status = status == STATUS_OK ? read_bias(r) : status;
    status = status == STATUS_OK ? check_opt_embedding(r) : status;
    status = status == STATUS_OK ? check_head_dim(r) : status;
    if (status == STATUS_OK && r->architecture->position == CALC_POSITION_LEARNED) {
        preset_position_rows(r->s, r->architecture->extra_position_rows);
    }
    return status;
}

static void add_known_types(struct message *why) {
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, list, sizeof list);
    for (int i = 0; i < config_architecture_count; i++) {
        writer_text(&w, i == 0 ? "" : ", ");
        writer_text(&w, config_architectures[i].model_type);
    }
    message_add_text(why, list);
}

static enum status find_architecture(const struct preset_source *source,
                                     const struct config_architecture **out, struct message *why) {
    const struct field *type = record_find(source->record, "model_type");
    if (type == NULL || type->kind == FIELD_NULL) {
        message_start(why, "error.config.type_missing");
        message_add_text(why, source->file);
        add_known_types(why);
        return STATUS_FAILED;
    }
    if (type->kind != FIELD_TEXT) {
        return preset_refuse(source, type, "error.config.text", why);
    }
    for (int i = 0; i < config_architecture_count; i++) {
        if (strcmp(config_architectures[i].model_type, type->text) == 0) {
            *out = &config_architectures[i];
            return STATUS_OK;
        }
    }
    (void)preset_refuse(source, type, "error.config.choice", why);
    add_known_types(why);
    return STATUS_FAILED;
}

enum status calc_config_apply(struct scenario *s, const struct record *config,
                              struct calc_assumed *assumed, struct message *why) {
    struct scenario next = *s;
    const char *file = s->model.config[0] != '\0' ? s->model.config : "config.json";
    struct config_reading r = {
        .source = {config, file}, .s = &next, .assumed = assumed, .why = why};
    *assumed = (struct calc_assumed){0};
    enum status status = find_architecture(&r.source, &r.architecture, why);
    if (status == STATUS_OK) {
        status = read_all(&r);
    }
    if (status == STATUS_OK) {
        *s = next;
    }
    return status;
}
