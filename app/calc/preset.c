/* Rows of assets/models.json and gpus.json into the scenario. A row's keys are option names, so the
 * table of options (option.c) says what each value may be and where it goes; options given by the
 * learner are not touched, and a value that the row leaves open (null) returns to the scenario's
 * own rule. Pure: the row was read by `store` and is borrowed. Nothing is changed when a value
 * cannot be. Proof: tests/unit/calc/test_presets.c, and every row that ships in
 * tests/unit/cli/test_model_files.c. */
#include "preset_private.h"

#include <string.h>

enum { KEY_BYTES_MAX = 32, FILE_BYTES_MAX = CALC_NAME_MAX + 32 };

void preset_put(struct scenario *s, int option, uint64_t value) {
    const struct calc_option *o = calc_option_at(option);
    void *field = (char *)s + o->offset;
    switch (o->kind) {
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        *(uint64_t *)field = value;
        break;
    case CALC_OPTION_CHOICE:
        *(int *)field = (int)value;
        break;
    case CALC_OPTION_SWITCH:
        *(bool *)field = value != 0;
        break;
    case CALC_OPTION_REAL: /* no dimension of a model is one */
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
    case CALC_OPTION_LIST:
        break;
    }
}

void preset_offer(struct scenario *s, const char *option, uint64_t value) {
    int index = calc_option_index(option);
    if (!calc_option_given(s, index)) {
        preset_put(s, index, value);
    }
}

/* --- Values ----------------------------------------------------------------------------------- */

enum status preset_refuse(const struct preset_source *source, const struct field *field,
                          const char *id, struct message *why) {
    char value[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, value, sizeof value);
    bool text = field->kind == FIELD_TEXT;
    writer_text(&w, text ? "\"" : "");
    writer_text(&w, field->text);
    writer_text(&w, text ? "\"" : "");
    message_start(why, id);
    message_add_text(why, source->file);
    message_add_text(why, field->key);
    message_add_text(why, value);
    return STATUS_FAILED;
}

static enum status read_count(const struct preset_source *source, const struct field *field,
                              const struct calc_option *o, uint64_t *out, struct message *why) {
    uint64_t value = 0;
    if (!field_count(field, &value) || value < o->min || value > o->max) {
        (void)preset_refuse(source, field, "error.config.count", why);
        message_add_count(why, o->min);
        message_add_count(why, o->max);
        return STATUS_FAILED;
    }
    *out = value;
    return STATUS_OK;
}

static enum status read_choice(const struct preset_source *source, const struct field *field,
                               const struct calc_option *o, uint64_t *out, struct message *why) {
    for (int i = 0; field->kind == FIELD_TEXT && o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], field->text) == 0) {
            *out = (uint64_t)i;
            return STATUS_OK;
        }
    }
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, list, sizeof list);
    for (int i = 0; o->choices[i] != NULL; i++) {
        writer_text(&w, i == 0 ? "" : ", ");
        writer_text(&w, o->choices[i]);
    }
    (void)preset_refuse(source, field, "error.config.choice", why);
    message_add_text(why, list);
    return STATUS_FAILED;
}

enum status preset_read(const struct preset_source *source, const struct field *field, int option,
                        uint64_t *out, struct message *why) {
    const struct calc_option *o = calc_option_at(option);
    if (o->kind == CALC_OPTION_CHOICE) {
        return read_choice(source, field, o, out, why);
    }
    if (o->kind != CALC_OPTION_SWITCH) {
        return read_count(source, field, o, out, why);
    }
    if (field->kind != FIELD_SWITCH) {
        return preset_refuse(source, field, "error.config.switch", why);
    }
    *out = field->on ? 1 : 0;
    return STATUS_OK;
}

void preset_position_rows(struct scenario *s, uint64_t extra) {
    uint64_t positions = s->model.max_seq;
    preset_offer(s, "position-rows", positions != 0 ? positions + extra : 0);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* "kv-heads" is the key "kv_heads". */
static const struct field *row_field(const struct record *row, const char *option) {
    char key[KEY_BYTES_MAX];
    size_t i = 0;
    for (; option[i] != '\0' && i < sizeof key - 1; i++) {
        key[i] = option[i] == '-' ? '_' : option[i];
    }
    key[i] = '\0';
    return record_find(row, key);
}

static bool is_open(const struct field *field) {
    return field == NULL || field->kind == FIELD_NULL;
}

/* The row's id as a name; "models.json: ID" for messages. */
static enum status row_name(const struct preset_source *source, char out[CALC_NAME_MAX],
                            struct message *why) {
    static const struct field missing = {.key = "id", .kind = FIELD_NULL, .text = "null"};
    const struct field *id = record_find(source->record, "id");
    if (id == NULL || id->kind != FIELD_TEXT) {
        return preset_refuse(source, id != NULL ? id : &missing, "error.config.text", why);
    }
    size_t length = strlen(id->text);
    if (length >= CALC_NAME_MAX) {
        (void)preset_refuse(source, id, "error.config.long", why);
        message_add_plain(why, CALC_NAME_MAX - 1);
        return STATUS_FAILED;
    }
    memcpy(out, id->text, length + 1);
    return STATUS_OK;
}

static enum status row_dimensions(const struct preset_source *source, struct scenario *s,
                                  struct message *why) {
    for (int option = 0; option < calc_option_count(); option++) {
        const struct field *field = row_field(source->record, calc_option_at(option)->name);
        uint64_t value = 0;
        if (!calc_is_dimension(option) || calc_option_given(s, option)) {
            continue;
        }
        if (!is_open(field)) {
            enum status status = preset_read(source, field, option, &value, why);
            if (status != STATUS_OK) {
                return status;
            }
        }
        preset_put(s, option, value);
    }
    return STATUS_OK;
}

/* When --max-seq moves the end of a learned position table, its extra rows stay. */
static void row_position_rows(const struct record *row, struct scenario *s) {
    uint64_t positions = 0;
    uint64_t rows = 0;
    bool moved = calc_option_given(s, calc_option_index("max-seq"));
    if (moved && field_count(row_field(row, "max-seq"), &positions) &&
        field_count(row_field(row, "position-rows"), &rows) && rows >= positions) {
        preset_position_rows(s, rows - positions);
    }
}

enum status calc_model_apply(struct scenario *s, const struct record *row, struct message *why) {
    struct scenario next = *s;
    struct preset_source source = {row, "models.json"};
    enum status status = row_name(&source, next.model.name, why);
    if (status != STATUS_OK) {
        return status;
    }
    char file[FILE_BYTES_MAX];
    struct writer w;
    writer_start(&w, file, sizeof file);
    writer_text(&w, "models.json: ");
    writer_text(&w, next.model.name);
    source.file = file;
    status = row_dimensions(&source, &next, why);
    if (status == STATUS_OK) {
        row_position_rows(row, &next);
        *s = next;
    }
    return status;
}

/* A size in bytes; null or missing is 0, unknown. */
static enum status row_bytes(const struct preset_source *source, const char *key, uint64_t *out,
                             struct message *why) {
    const struct field *field = record_find(source->record, key);
    *out = 0;
    if (is_open(field)) {
        return STATUS_OK;
    }
    return preset_read(source, field, calc_option_index("memory"), out, why);
}

/* A rate within the limits of `option`; null or missing is 0, unknown. */
static enum status row_rate(const struct preset_source *source, const char *key, const char *option,
                            double *out, struct message *why) {
    const struct field *field = record_find(source->record, key);
    const struct calc_option *o = calc_option_at(calc_option_index(option));
    *out = 0;
    if (is_open(field)) {
        return STATUS_OK;
    }
    double min = (double)o->min / 1e6;
    double max = (double)o->max / 1e6;
    if (field->kind == FIELD_NUMBER && field->number >= min && field->number <= max) {
        *out = field->number;
        return STATUS_OK;
    }
    (void)preset_refuse(source, field, "error.config.rate", why);
    message_add_plain(why, o->max / 1000000);
    return STATUS_FAILED;
}

/* Links that were not given, and what the card computes at best. */
static enum status row_rates(const struct preset_source *source, const struct scenario *s,
                             struct calc_cluster *c, struct message *why) {
    const struct {
        const char *key, *option;
        double *out;
    } rates[] = {
        {"link_gb_per_s", "link-gb-per-s", &c->link_gb_per_s},
        {"net_gb_per_s", "net-gb-per-s", &c->net_gb_per_s},
        {"pcie_gb_per_s", "pcie-gb-per-s", &c->pcie_gb_per_s},
        {"fp32_tflops", NULL, &c->peak_tflops[CALC_PRECISION_FP32]},
        {"fp16_tflops", NULL, &c->peak_tflops[CALC_PRECISION_FP16]},
        {"bf16_tflops", NULL, &c->peak_tflops[CALC_PRECISION_BF16]},
        {"fp8_tflops", NULL, &c->peak_tflops[CALC_PRECISION_FP8]},
    };
    enum status ok = STATUS_OK;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && ok == STATUS_OK; i++) {
        const char *option = rates[i].option;
        if (option == NULL || !calc_option_given(s, calc_option_index(option))) {
            ok = row_rate(source, rates[i].key, option != NULL ? option : "link-gb-per-s",
                          rates[i].out, why);
        }
    }
    return ok;
}

enum status calc_gpu_apply(struct scenario *s, const struct record *row, struct message *why) {
    struct calc_cluster next = s->cluster;
    const struct preset_source source = {row, "gpus.json"};
    enum status status = row_name(&source, next.gpu, why);
    if (status == STATUS_OK) {
        status = row_bytes(&source, "memory_bytes", &next.listed_bytes, why);
    }
    if (status == STATUS_OK) {
        status = row_bytes(&source, "usable_bytes", &next.usable_bytes, why);
    }
    if (status == STATUS_OK) {
        status = row_rates(&source, s, &next, why);
    }
    if (status == STATUS_OK) {
        s->cluster = next;
    }
    return status;
}
