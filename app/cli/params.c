/* `shardlab params`: the parameter count of a model by group (CONTRACT, "shardlab params"), as a table or JSON, and what was
 * assumed where nothing was given. The count is calc's. Proof: tests/cli/test_json_fields.c, test_known_runs.c, test_text.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/view/width.h"

static void write_json(struct cli_context *c, const struct calc_params *p,
                       const struct calc_assumed *assumed, const struct message *unused) {
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "params");
    json_u64(&j, "params", p->total);
    json_u64(&j, "params_active", p->active);
    json_array_open(&j, "groups");
    for (int i = 0; i < p->group_count; i++) {
        json_object_open(&j, NULL);
        json_text(&j, "name", p->groups[i].name);
        json_u64(&j, "count", p->groups[i].count);
        json_object_close(&j);
    }
    json_array_close(&j);
    json_array_open(&j, "assumed");
    for (int i = 0; i < assumed->count; i++) {
        json_text(&j, NULL, assumed->items[i]);
    }
    json_array_close(&j);
    cli_json_notes(c, &j, unused, unused != NULL ? 1 : 0);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* Of a model described by dimensions: what nobody gave, as the options that would give it. A preset says all of it, and
 * what a file leaves open was noted when it was read. */
static void assume_open(const struct scenario *s, struct calc_assumed *assumed) {
    static const char *const names[] = {"kv-heads", "head-dim", "ffn",      "gated", "norm",
                                        "norms",    "bias",     "position", "tied"};
    if (scenario_params_only(s) || s->model.name[0] != '\0' || s->model.config[0] != '\0') {
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int option = calc_option_index(names[i]);
        bool absent =
            strcmp(names[i], "ffn") == 0 && s->model.ffn == 0; /* all layers have experts */
        if (!absent && !calc_option_given(s, option)) {
            struct writer w;
            writer_start(&w, assumed->items[assumed->count], sizeof assumed->items[0]);
            writer_text(&w, names[i]);
            writer_char(&w, '=');
            calc_option_write(&w, s, option);
            assumed->count++;
        }
    }
}

static void write_row(struct cli_context *c, const char *label, uint64_t count) {
    static const struct width_rules rules = {false};
    char digits[32];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_u64_grouped(&w, count);
    writer_text(c->out, "  ");
    width_write_left(c->out, label, 20, &rules);
    width_write_right(c->out, digits, 24, &rules);
    writer_char(c->out, '\n');
}

static void write_text(struct cli_context *c, const struct calc_params *p,
                       const struct calc_assumed *assumed) {
    for (int i = 0; i < p->group_count; i++) {
        char id[48];
        struct writer w;
        writer_start(&w, id, sizeof id);
        writer_text(&w, "params.group.");
        writer_text(&w, p->groups[i].name);
        write_row(c, words_get(&c->words, id), p->groups[i].count);
    }
    write_row(c, words_get(&c->words, "part.total"), p->total);
    if (p->active != p->total) {
        write_row(c, words_get(&c->words, "cli.params.active"), p->active);
    }
    for (int i = 0; i < assumed->count; i++) {
        struct message m;
        message_start(&m, "note.assumed");
        message_add_text(&m, assumed->items[i]);
        cli_say(c, &m);
    }
}

enum status cli_params(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct scenario s;
    struct calc_params p;
    struct calc_assumed assumed;
    enum status ok = cli_scenario_load(c->store, &args->given, NULL, &s, &assumed, why);
    if (ok == STATUS_OK) {
        ok = calc_params_count(&s, &p, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    assume_open(&s, &assumed);
    struct message unused;
    bool has_unused = cli_unused_note(&s, CLI_UNUSED_PARAMS, &unused);
    if (args->json) {
        write_json(c, &p, &assumed, has_unused ? &unused : NULL);
    } else {
        write_text(c, &p, &assumed);
        if (has_unused) {
            cli_say(c, &unused);
        }
    }
    return STATUS_OK;
}
