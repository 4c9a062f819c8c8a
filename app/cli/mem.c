/* `shardlab mem`: memory of one GPU as a table or as JSON (CONTRACT, "shardlab mem"). The table is the view of the
 * lesson *memory*, so screen and command line show one value. Proof: tests/cli/test_mem_numbers.c,
 * test_json_fields.c, test_text.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/timeline.h"
#include "shardlab/lesson/memory_view.h"
#include "shardlab/view/read.h"

/* Everything that one run computes. */
struct result {
    struct scenario s, applied; /* resolved; with presets only */
    struct calc_params params;
    struct memory_states states; /* .now: the worst stage, or --stage */
    uint64_t worst;
    bool capacity_known;
    uint64_t capacity;
    bool timeline; /* asked for */
    struct message notes[VIEW_LINES_MAX + 6];
    int note_count;
    struct cli_against against;
};

/* The lesson's notes, and those that only a reader of plain numbers needs. */
static void collect_notes(struct result *r) {
    struct view v;
    view_start(&v);
    memory_notes_add(&v, &r->s, &r->states.now);
    if (v.item_count > 0) {
        const struct view_text *text = &v.items[0].text;
        r->note_count = text->line_count;
        memcpy(r->notes, text->lines, (size_t)text->line_count * sizeof text->lines[0]);
    }
    message_start(&r->notes[r->note_count++], "note.allocated");
    if (r->timeline) {
        struct calc_timeline t;
        calc_timeline_start(&t, &r->s, &r->states.now);
        if (!t.complete) {
            message_start(&r->notes[r->note_count++], "note.timeline_shortened");
        }
    }
    enum calc_schedule schedule = (enum calc_schedule)r->s.layout.schedule;
    if (r->s.layout.pp > 1 && (schedule == CALC_SCHEDULE_ZB_H1 || schedule == CALC_SCHEDULE_ZB_H2 ||
                               schedule == CALC_SCHEDULE_ZB_INTERLEAVED)) {
        message_start(&r->notes[r->note_count++], "note.in_flight_until_w");
    }
    if (scenario_params_only(&r->s) && r->s.layout.offload == CALC_OFFLOAD_PARAMS) {
        message_start(&r->notes[r->note_count++], "note.offload_unknown");
    }
    if (!r->capacity_known) {
        message_start(&r->notes[r->note_count++],
                      r->s.cluster.gpu[0] != '\0' ? "note.card_unknown" : "note.no_card");
    }
    bool unused = cli_unused_note(&r->s, CLI_UNUSED_MEMORY, &r->notes[r->note_count]);
    r->note_count += unused ? 1 : 0;
}

static enum status compute(struct cli_context *c, const struct cli_args *args, struct result *r,
                           struct calc_assumed *assumed, struct message *why) {
    struct calc_memory worst;
    enum status ok = cli_scenario_load(c->store, &args->given, &r->applied, &r->s, assumed, why);
    if (ok == STATUS_OK) {
        ok = calc_params_count(&r->s, &r->params, why);
    }
    if (ok == STATUS_OK) {
        ok = calc_memory_worst(&r->s, &worst, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->stage_given && args->stage >= r->s.layout.pp) {
        message_start(why, "error.args.stage");
        message_add_plain(why, args->stage);
        message_add_plain(why, r->s.layout.pp - 1);
        return STATUS_USAGE;
    }
    r->worst = worst.stage;
    r->states.now = worst;
    if (args->stage_given) {
        ok = calc_memory_on_stage(&r->s, args->stage, &r->states.now, why);
    }
    r->capacity = scenario_capacity_bytes(&r->s);
    r->capacity_known = r->capacity != 0;
    r->timeline = args->timeline;
    if (ok == STATUS_OK) {
        collect_notes(r);
    }
    return ok;
}

static void json_parts(struct json *j, const struct calc_memory *m) {
    json_u64(j, "params", m->params);
    for (int part = 0; part < CALC_PARTS; part++) {
        char key[32];
        struct writer w;
        writer_start(&w, key, sizeof key);
        writer_text(&w, calc_part_name((enum calc_part)part));
        writer_text(&w, "_bytes");
        bool known = !m->phases && (part != CALC_PART_ACTIVATIONS || m->activations_known) &&
                     (part != CALC_PART_BUFFERS || m->buffers_known);
        if (known) {
            json_u64(j, key, m->part_bytes[part]);
        } else {
            json_null(j, key);
        }
    }
    json_u64(j, "total_bytes", m->total_bytes);
}

static enum status json_stages(struct json *j, const struct scenario *s, struct message *why) {
    json_array_open(j, "stages");
    for (uint64_t stage = 0; stage < s->layout.pp; stage++) {
        struct calc_memory m;
        enum status ok = calc_memory_on_stage(s, stage, &m, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        json_object_open(j, NULL);
        json_u64(j, "stage", stage);
        if (!scenario_params_only(s)) {
            json_u64(j, "layers", m.layers);
        } else {
            json_null(j, "layers");
        }
        json_u64(j, "in_flight", m.in_flight);
        json_parts(j, &m);
        json_object_close(j);
    }
    json_array_close(j);
    return STATUS_OK;
}

static void json_explain(struct json *j, const struct calc_derivation *d) {
    json_array_open(j, "explain");
    for (int i = 0; i < d->count; i++) {
        const struct calc_term *t = &d->terms[i];
        json_object_open(j, NULL);
        json_text(j, "term", t->id);
        json_text(j, "part", t->part == CALC_PART_NONE ? NULL : calc_part_name(t->part));
        json_text(j, "formula", t->formula);
        json_text(j, "substituted", t->substituted);
        json_u64(j, "bytes", t->bytes);
        json_text(j, "source", t->source);
        json_object_close(j);
    }
    json_array_close(j);
}

static void json_capacity(struct json *j, const struct result *r) {
    if (!r->capacity_known) {
        json_null(j, "capacity_bytes");
        json_null(j, "fits");
        json_null(j, "headroom_bytes");
        return;
    }
    uint64_t total = r->states.now.total_bytes;
    bool fits = total <= r->capacity;
    uint64_t gap = fits ? r->capacity - total : total - r->capacity;
    json_u64(j, "capacity_bytes", r->capacity);
    json_bool(j, "fits", fits);
    if (fits) {
        json_u64(j, "headroom_bytes", gap);
    } else {
        json_negative(j, "headroom_bytes", gap);
    }
}

/* Whole for every optimizer that treats all parameters alike. */
void cli_json_bytes_per_param(struct json *j, const struct scenario *s) {
    double mean = calc_state_bytes_average(s);
    uint64_t whole = calc_state_bytes_per_param(s);
    if (mean > (double)whole || mean < (double)whole) {
        json_real(j, "bytes_per_param", mean);
    } else {
        json_u64(j, "bytes_per_param", whole);
    }
}

static void json_offloaded(struct json *j, const struct scenario *s, const struct calc_memory *m) {
    bool nvme = s->layout.offload_to == CALC_OFFLOAD_TO_NVME;
    json_u64(j, "cpu_bytes", nvme ? 0 : m->offloaded.bytes);
    json_u64(j, "nvme_bytes", nvme ? m->offloaded.bytes : 0);
    if (s->layout.offload != CALC_OFFLOAD_NONE) {
        json_text(j, "per", m->offloaded_per_node ? "node" : "gpu");
        json_text(j, "formula", m->offloaded.formula);
        json_text(j, "substituted", m->offloaded.substituted);
        json_text(j, "source", m->offloaded.source);
    }
}

static enum status write_json(struct cli_context *c, const struct cli_args *args,
                              const struct result *r, struct message *why) {
    const struct scenario *s = &r->s;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "mem");
    json_object_open(&j, "model");
    json_text(&j, "name", s->model.name[0] != '\0' ? s->model.name : NULL);
    json_u64(&j, "params", r->params.total);
    json_u64(&j, "params_active", r->params.active);
    json_object_close(&j);
    json_object_open(&j, "scenario");
    for (int i = 0; i < calc_option_count(); i++) {
        calc_option_json(&j, s, i);
    }
    json_object_close(&j);
    json_object_open(&j, "per_gpu");
    json_u64(&j, "stage", r->states.now.stage);
    json_parts(&j, &r->states.now);
    json_object_close(&j);
    cli_json_bytes_per_param(&j, s);
    cli_json_peak(&j, s, &r->states.now);
    enum status ok = json_stages(&j, s, why);
    json_u64(&j, "worst_stage", r->worst);
    json_object_open(&j, "offloaded");
    json_offloaded(&j, s, &r->states.now);
    json_object_close(&j);
    json_capacity(&j, r);
    if (r->timeline) {
        cli_json_timeline(&j, s, &r->states.now);
    }
    json_explain(&j, &r->states.now.derivation);
    cli_json_notes(c, &j, r->notes, r->note_count);
    if (r->against.wanted) {
        cli_against_json(c, &j, s, &r->states.now, &r->against);
    }
    if (args->conventions) {
        cli_conventions_json(c, &j, args, &r->applied);
    }
    json_object_close(&j);
    return ok;
}

/* What to call the model: its preset, its file, or the learner's own numbers. */
static const char *model_label(const struct cli_context *c, const struct calc_model *m) {
    return m->name[0] != '\0'     ? m->name
           : m->config[0] != '\0' ? m->config
                                  : words_get(&c->words, "cli.mem.own_model");
}

/* The peak as a sentence, with --timeline below its chart. */
static void add_peak(struct view *v, const struct result *r) {
    if (r->timeline) {
        memory_timeline_add(v, &r->s, &r->states.now);
        return;
    }
    if (!calc_timeline_follows(&r->s, &r->states.now)) {
        return; /* a note says so */
    }
    struct calc_event peak;
    struct view_text *text = &view_add(v, VIEW_KIND_TEXT)->text;
    calc_timeline_peak(&r->s, &r->states.now, &peak);
    calc_peak_say(&text->lines[text->line_count++], &peak);
}

static void write_text(struct cli_context *c, const struct cli_args *args, const struct result *r,
                       const struct calc_assumed *assumed) {
    struct view v;
    view_start(&v);
    memory_ledger_add(&v, &r->s, &r->states);
    memory_bar_add(&v, &r->s, &r->states.now);
    add_peak(&v, r);
    struct view_text_options options = {
        .width = cli_picture_columns(c), .ascii = args->ascii, .explain = args->explain};
    struct message head;
    message_start(&head, r->s.layout.pp > 1 ? "cli.mem.head_stage" : "cli.mem.head");
    message_add_text(&head, model_label(c, &r->s.model));
    message_add_count(&head, r->params.total);
    if (r->s.layout.pp > 1) {
        message_add_plain(&head, r->states.now.stage);
        message_add_plain(&head, r->s.layout.pp - 1);
    }
    cli_say(c, &head);
    writer_char(c->out, '\n');
    if (r->against.wanted) {
        cli_against_text(c, &r->s, &r->states.now, &r->against);
    } else if (args->conventions) {
        cli_conventions_text(c, args, &r->applied);
        writer_char(c->out, '\n');
    } else {
        view_write_text(c->out, &v, &c->words, &options);
        writer_char(c->out, '\n');
    }
    for (int i = 0; i < r->note_count; i++) {
        cli_say(c, &r->notes[i]);
    }
    for (int i = 0; i < assumed->count; i++) {
        struct message m;
        message_start(&m, "note.assumed");
        message_add_text(&m, assumed->items[i]);
        cli_say(c, &m);
    }
}

/* Options of which each says how to print. */
static enum status refuse_together(const struct cli_args *args, struct message *why) {
    bool against = args->against != NULL;
    const char *one = args->csv ? "csv" : against ? "against" : "conventions";
    bool table = args->csv || ((against || args->conventions) && !args->json);
    bool lone = args->csv || against || (args->conventions && !args->json);
    const char *other = args->csv && args->json        ? "json"
                        : table && args->explain       ? "explain"
                        : lone && args->timeline       ? "timeline"
                        : against && args->conventions ? "conventions"
                                                       : NULL;
    if (other == NULL) {
        return STATUS_OK;
    }
    message_start(why, "error.args.together");
    message_add_text(why, strcmp(other, "conventions") == 0 ? "against" : one);
    message_add_text(why, other);
    return STATUS_USAGE;
}

enum status cli_mem(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct result r;
    struct calc_assumed assumed;
    memset(&r, 0, sizeof r);
    enum status ok = refuse_together(args, why);
    if (ok == STATUS_OK) {
        ok = compute(c, args, &r, &assumed, why);
    }
    if (ok == STATUS_OK) {
        ok = cli_against_compute(c, args, &r.against, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->csv && args->conventions) {
        cli_conventions_csv(c, args, &r.applied);
        return STATUS_OK;
    }
    if (args->csv) {
        cli_mem_csv(c, &r.s, &r.states.now, &r.against);
        return STATUS_OK;
    }
    if (args->json) {
        ok = write_json(c, args, &r, why);
        writer_char(c->out, '\n');
        return ok;
    }
    write_text(c, args, &r, &assumed);
    return STATUS_OK;
}
