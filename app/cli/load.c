/* From given options to a scenario that calculators take: presets and files through `store`, meaning through
 * `calc`. Used by every command with a scenario and by the shell. Proof: tests/unit/cli/test_load.c. */
#include <string.h>

#include "cli_private.h"

/* A list of names for the sentences of a kind of preset. */
struct names {
    const char *near_id, *list_id; /* message ids: with the nearest name, and with all of them */
    const struct record *rows;
    int count;
};

static enum status unknown_name(struct message *why, const char *name, const struct names *known) {
    const char *near = store_row_nearest(known->rows, known->count, name);
    message_start(why, near != NULL ? known->near_id : known->list_id);
    message_add_text(why, name);
    if (near != NULL) {
        message_add_text(why, near);
        return STATUS_USAGE;
    }
    char list[MESSAGE_TEXT_MAX + 1]; /* so full that the message shows that it goes on */
    struct writer w;
    writer_start(&w, list, sizeof list);
    for (int i = 0; i < known->count; i++) {
        writer_text(&w, i > 0 ? ", " : "");
        writer_text(&w, record_find(&known->rows[i], "id")->text);
    }
    message_add_text(why, list);
    return STATUS_USAGE;
}

static enum status apply_model(struct store *store, struct scenario *s, struct message *why) {
    const struct record *rows = NULL;
    int count = 0;
    enum status ok = store_models(store, &rows, &count, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct record *row = store_row_find(rows, count, s->model.name);
    if (row == NULL) {
        const struct names known = {"error.model.unknown", "error.model.unknown_of", rows, count};
        return unknown_name(why, s->model.name, &known);
    }
    return calc_model_apply(s, row, why);
}

static enum status apply_config(struct store *store, struct scenario *s,
                                struct calc_assumed *assumed, struct message *why) {
    const struct record *config = NULL;
    struct calc_assumed unused;
    enum status ok = store_json_file(store, s->model.config, &config, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct message inner;
    ok = calc_config_apply(s, config, assumed != NULL ? assumed : &unused, &inner);
    if (ok != STATUS_OK) {
        *why = inner;
    }
    return ok;
}

static enum status apply_gpu(struct store *store, struct scenario *s, struct message *why) {
    const struct record *rows = NULL;
    int count = 0;
    enum status ok = store_gpus(store, &rows, &count, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct record *row = store_row_find(rows, count, s->cluster.gpu);
    if (row == NULL) {
        const struct names known = {"error.gpu.unknown", "error.gpu.unknown_of", rows, count};
        return unknown_name(why, s->cluster.gpu, &known);
    }
    return calc_gpu_apply(s, row, why);
}

enum status cli_scenario_settle(const struct scenario *applied, struct scenario *resolved,
                                struct message *why) {
    enum status ok = scenario_resolve(applied, resolved, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct message first;
    if (scenario_violations(resolved, &first, 1) > 0) {
        *why = first;
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status cli_scenario_apply(struct store *store, const struct scenario *given,
                               struct scenario *applied, struct calc_assumed *assumed,
                               struct message *why) {
    struct scenario s = *given;
    enum status ok = STATUS_OK;
    if (assumed != NULL) {
        assumed->count = 0;
    }
    if (calc_option_given(&s, calc_option_index("model"))) {
        ok = apply_model(store, &s, why);
    }
    if (ok == STATUS_OK && calc_option_given(&s, calc_option_index("config"))) {
        ok = apply_config(store, &s, assumed, why);
    }
    if (ok == STATUS_OK && calc_option_given(&s, calc_option_index("gpu"))) {
        ok = apply_gpu(store, &s, why);
    }
    if (ok == STATUS_OK) {
        *applied = s;
    }
    return ok;
}

enum status cli_scenario_load(struct store *store, const struct scenario *given,
                              struct scenario *applied, struct scenario *resolved,
                              struct calc_assumed *assumed, struct message *why) {
    struct scenario s;
    enum status ok = cli_scenario_apply(store, given, &s, assumed, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (applied != NULL) {
        *applied = s;
    }
    return cli_scenario_settle(&s, resolved, why);
}
