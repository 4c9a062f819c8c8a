/* From given options to a scenario that calculators take: presets and files through `store`, meaning through
 * `calc`. Used by every command with a scenario and by the shell. Proof: tests/unit/cli/test_load.c. */
#include <string.h>

#include "cli_private.h"

static enum status unknown_name(struct message *why, const char *id, const char *name,
                                const struct record *rows, int count) {
    const char *near = store_row_nearest(rows, count, name);
    const struct field *first = count > 0 ? record_find(&rows[0], "id") : NULL;
    message_start(why, id);
    message_add_text(why, name);
    message_add_text(why, near != NULL ? near : first != NULL ? first->text : "");
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
        return unknown_name(why, "error.model.unknown", s->model.name, rows, count);
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
        return unknown_name(why, "error.gpu.unknown", s->cluster.gpu, rows, count);
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

enum status cli_scenario_load(struct store *store, const struct scenario *given,
                              struct scenario *applied, struct scenario *resolved,
                              struct calc_assumed *assumed, struct message *why) {
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
    if (ok != STATUS_OK) {
        return ok;
    }
    if (applied != NULL) {
        *applied = s;
    }
    return cli_scenario_settle(&s, resolved, why);
}
