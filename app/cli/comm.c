/* `shardlab comm`: what one GPU sends in a step, as a table, CSV or JSON (CONTRACT, "shardlab comm"). Unknown is null,
 * with the reason in the notes. Proof: tests/cli/test_comm.c. */
#include <string.h>

#include "comm_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/ranks.h"
#include "shardlab/calc/schedule.h"

struct message *comm_note(struct comm_result *r, const char *id) {
    struct message *m = &r->notes[r->note_count++];
    message_start(m, id);
    return m;
}

static const char *option_of_link(enum calc_link link) {
    static const char *const names[] = {
        [CALC_LINK_NODE] = "link-gb-per-s",
        [CALC_LINK_NETWORK] = "net-gb-per-s",
        [CALC_LINK_PCIE] = "pcie-gb-per-s",
        [CALC_LINK_NVME] = "nvme-gb-per-s",
    };
    return names[link];
}

/* Why a bytes or time field is null. */
static void note_unknown(struct comm_result *r) {
    char axes[64];
    struct writer w;
    bool links[CALC_LINKS] = {false}, hides = false;
    writer_start(&w, axes, sizeof axes);
    for (int axis = 0; axis < CALC_AXES; axis++) {
        if (!r->comm.axis_known[axis]) {
            writer_text(&w, w.length == 0 ? "" : ", ");
            writer_text(&w, calc_axis_name((enum calc_axis)axis));
        }
    }
    if (w.length > 0) {
        message_add_text(comm_note(r, "note.comm.params_only"), axes);
    }
    for (int i = 0; i < r->comm.row_count; i++) {
        const struct calc_comm_row *row = &r->comm.rows[i];
        links[row->link] = links[row->link] || !row->time_known;
        hides = hides || (row->time_known && !row->exposed_known);
    }
    for (int link = 0; link < CALC_LINKS; link++) {
        if (links[link]) {
            message_add_text(comm_note(r, "note.comm.no_link"),
                             option_of_link((enum calc_link)link));
        }
    }
    if (hides) {
        const struct scenario *s = &r->s;
        bool card = s->cluster.gpu[0] != '\0';
        struct message *m = comm_note(r, card ? "note.comm.no_peak" : "note.comm.no_compute");
        message_add_text(
            m, calc_option_at(calc_option_index("precision"))->choices[s->recipe.precision]);
        message_add_text(m, s->cluster.gpu);
    }
}

static bool has_axis(const struct comm_result *r, enum calc_axis axis) {
    for (int i = 0; i < r->comm.row_count; i++) {
        if (r->comm.rows[i].axis == axis) {
            return true;
        }
    }
    return false;
}

/* What the numbers take for granted. */
static void note_assumed(struct comm_result *r) {
    const struct scenario *s = &r->s;
    if (has_axis(r, CALC_AXIS_DP) && s->layout.zero < 3) {
        comm_note(r, "note.comm.one_buffer");
    }
    if (s->recipe.grad_bytes == 6) {
        comm_note(r, "note.comm.two_gradients");
    }
    if (has_axis(r, CALC_AXIS_TP)) {
        comm_note(r, "note.comm.vocabulary");
        if (scenario_has_latents(s)) {
            comm_note(r, "note.comm.latents");
        }
    }
    if (has_axis(r, CALC_AXIS_PP)) {
        message_add_plain(comm_note(r, "note.comm.pipeline"), calc_pipeline_messages(s));
    }
    if (has_axis(r, CALC_AXIS_EP)) {
        comm_note(r, "note.comm.uniform");
        if (s->recipe.precision == CALC_PRECISION_FP8 && s->recipe.input_bytes == 1) {
            comm_note(r, "note.comm.fp8_experts");
        }
        if (calc_schedule_paired(s, r->comm.stage) > 0) {
            const char *const *names = calc_option_at(calc_option_index("schedule"))->choices;
            message_add_text(comm_note(r, "note.comm.pairs"), names[s->layout.schedule]);
        }
    }
    if (s->recipe.precision == CALC_PRECISION_FP8) {
        comm_note(r, "note.comm.fp8");
    }
    if (has_axis(r, CALC_AXIS_OFFLOAD)) {
        comm_note(r, "note.comm.cpu_step");
        comm_note(r, "note.comm.total");
    }
    if (r->comm.row_count == 0 && r->comm.total_known) {
        comm_note(r, "note.comm.alone");
        return;
    }
    if (r->comm.total_sent_bytes > 0) {
        message_add_plain(comm_note(r, "note.comm.ring"), s->cluster.gpus_per_node);
    }
    if (r->comm.compute_known) {
        message_add_real(comm_note(r, "note.comm.compute"), s->cluster.mfu);
    }
}

static enum status compute(struct cli_context *c, const struct cli_args *args,
                           struct comm_result *r, struct message *why) {
    enum status ok = cli_scenario_load(c->store, &args->given, NULL, &r->s, NULL, why);
    if (ok == STATUS_OK) {
        ok = calc_params_count(&r->s, &r->params, why);
    }
    if (ok == STATUS_OK && args->stage_given && args->stage >= r->s.layout.pp) {
        message_start(why, "error.args.stage");
        message_add_plain(why, args->stage);
        message_add_plain(why, r->s.layout.pp - 1);
        return STATUS_USAGE;
    }
    if (ok == STATUS_OK) {
        ok = args->stage_given ? calc_comm_on_stage(&r->s, args->stage, &r->comm, why)
                               : calc_comm_step(&r->s, &r->comm, why);
    }
    if (ok == STATUS_OK) {
        note_unknown(r);
        note_assumed(r);
        bool unused = cli_unused_note(&r->s, CLI_UNUSED_MEMORY, &r->notes[r->note_count]);
        r->note_count += unused ? 1 : 0;
    }
    return ok;
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void real_or_null(struct json *j, const char *key, bool known, double value) {
    if (known) {
        json_real(j, key, value);
    } else {
        json_null(j, key);
    }
}

static void json_row(struct json *j, const struct calc_comm_row *row) {
    json_object_open(j, NULL);
    json_text(j, "axis", calc_axis_name(row->axis));
    json_text(j, "collective", calc_collective_name(row->collective));
    json_text(j, "what", row->id);
    json_u64(j, "ranks", row->ranks);
    json_u64(j, "count", row->count);
    json_u64(j, "message_bytes", row->message_bytes);
    json_u64(j, "sent_bytes", row->sent_bytes);
    json_text(j, "link", calc_link_name(row->link));
    real_or_null(j, "time_s", row->time_known, row->time_s);
    real_or_null(j, "exposed_s", row->exposed_known, row->exposed_s);
    json_object_close(j);
}

/* An axis of which nothing is known but that it sends. */
static void json_unknown_axis(struct json *j, enum calc_axis axis) {
    static const char *const nulls[] = {"what",       "ranks", "count",  "message_bytes",
                                        "sent_bytes", "link",  "time_s", "exposed_s"};
    json_object_open(j, NULL);
    json_text(j, "axis", calc_axis_name(axis));
    json_null(j, "collective");
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        json_null(j, nulls[i]);
    }
    json_object_close(j);
}

static void json_rows(struct json *j, const struct calc_comm *comm) {
    json_array_open(j, "per_step");
    for (int i = 0; i < comm->row_count; i++) {
        json_row(j, &comm->rows[i]);
    }
    for (int axis = 0; axis < CALC_AXES; axis++) {
        if (!comm->axis_known[axis]) {
            json_unknown_axis(j, (enum calc_axis)axis);
        }
    }
    json_array_close(j);
}

static void json_explain(struct json *j, const struct calc_comm *comm) {
    json_array_open(j, "explain");
    for (int i = 0; i < comm->row_count; i++) {
        const struct calc_comm_row *row = &comm->rows[i];
        json_object_open(j, NULL);
        json_text(j, "term", row->id);
        json_text(j, "axis", calc_axis_name(row->axis));
        json_text(j, "collective", calc_collective_name(row->collective));
        json_text(j, "formula", row->formula);
        json_text(j, "substituted", row->substituted);
        json_u64(j, "bytes", row->sent_bytes);
        json_text(j, "source", row->source);
        json_object_close(j);
    }
    json_array_close(j);
}

static void write_json(struct cli_context *c, const struct comm_result *r) {
    const struct scenario *s = &r->s;
    const struct calc_comm *comm = &r->comm;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "comm");
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
    json_u64(&j, "stage", comm->stage);
    json_rows(&j, comm);
    if (comm->total_known) {
        json_u64(&j, "total_sent_bytes", comm->total_sent_bytes);
    } else {
        json_null(&j, "total_sent_bytes");
    }
    real_or_null(&j, "compute_s", comm->compute_known, comm->compute_s);
    real_or_null(&j, "exposed_s", comm->exposed_known, comm->exposed_s);
    json_explain(&j, comm);
    cli_json_notes(c, &j, r->notes, r->note_count);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* --grid names a rank that is there. */
static enum status check_grid(const struct cli_args *args, const struct scenario *s,
                              struct message *why) {
    const struct calc_ranks ranks = calc_ranks_of(s);
    uint64_t world = calc_ranks_world(&ranks);
    if (!args->grid_given || args->grid < world) {
        return STATUS_OK;
    }
    message_start(why, "error.comm.grid");
    message_add_plain(why, args->grid);
    message_add_plain(why, world - 1);
    return STATUS_USAGE;
}

enum status cli_comm(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct comm_result r;
    r.note_count = 0;
    const char *other = args->json ? "json" : args->explain ? "explain" : NULL;
    if (args->csv && other != NULL) {
        message_start(why, "error.args.together");
        message_add_text(why, "csv");
        message_add_text(why, other);
        return STATUS_USAGE;
    }
    if (args->grid_given && (args->json || args->csv)) {
        message_start(why, "error.args.together");
        message_add_text(why, "grid");
        message_add_text(why, args->json ? "json" : "csv");
        return STATUS_USAGE;
    }
    enum status ok = compute(c, args, &r, why);
    ok = ok == STATUS_OK ? check_grid(args, &r.s, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->json) {
        write_json(c, &r);
    } else if (args->csv) {
        comm_write_csv(c, &r);
    } else {
        comm_write_text(c, args, &r);
    }
    return STATUS_OK;
}
