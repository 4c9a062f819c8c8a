/* What a tensor rank sends: one layer in one micro-batch, the whole step, and the step at every degree beside each
 * other. All numbers are calc/comm.h's for the first stage; here they are only taken apart. Called by the lesson's
 * pages and figures; appends to the caller's view. Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/lesson/comm_view.h"
#include "tensor_private.h"

static bool comm_of(const struct scenario *s, struct calc_comm *out) {
    struct message unused;
    return calc_comm_on_stage(s, 0, out, &unused) == STATUS_OK;
}

static bool is_layers(const struct calc_comm_row *row) {
    return row->axis == CALC_AXIS_TP && strcmp(row->id, "layers") == 0;
}

/* Layers of the first stage times micro-batches. */
static uint64_t visits_of(const struct scenario *s) {
    struct calc_memory memory;
    struct message unused;
    bool known =
        !scenario_params_only(s) && calc_memory_on_stage(s, 0, &memory, &unused) == STATUS_OK;
    return known ? memory.layers * s->batch.micro_batches : 0;
}

bool tensor_layer(const struct scenario *s, struct tensor_layer *out) {
    struct calc_comm comm;
    uint64_t visits = visits_of(s), calls = 0, sent = 0, again = 0;
    *out = (struct tensor_layer){.passes = s->recipe.recompute == CALC_RECOMPUTE_FULL ? 3 : 2};
    if (visits == 0 || s->layout.tp == 1 || !comm_of(s, &comm)) {
        return false;
    }
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        if (is_layers(row)) {
            calls = row->count; /* a gather has as many as its scatter */
            out->message_bytes = row->message_bytes;
        }
        sent += is_layers(row) ? row->sent_bytes : 0;
        again +=
            row->axis == CALC_AXIS_TP && strcmp(row->id, "layers.again") == 0 ? row->sent_bytes : 0;
    }
    if (calls == 0 || calls % visits != 0 || calls / visits % out->passes != 0) {
        return false;
    }
    out->calls = calls / visits;
    out->blocks = out->calls / out->passes;
    out->sent_bytes = (sent + again) / visits;
    out->again_bytes = again / visits;
    return true;
}

bool tensor_step(const struct scenario *s, struct tensor_step *out) {
    struct calc_comm comm;
    *out = (struct tensor_step){.time_known = true};
    if (!comm_of(s, &comm) || !comm.axis_known[CALC_AXIS_TP]) {
        return false;
    }
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        if (row->axis == CALC_AXIS_TP) {
            out->sent_bytes += row->sent_bytes;
            out->time_s += row->time_s;
            out->exposed_s += row->exposed_s;
            out->time_known = out->time_known && row->time_known && row->exposed_known;
        }
    }
    out->time_known = out->time_known && comm.compute_known;
    out->compute_s = comm.compute_s;
    return true;
}

int tensor_matrices(const struct scenario *s) {
    return s->model.gated ? 7 : 6; /* q, k, v, out; gate where there is one, up, down */
}

int tensor_degrees(const struct scenario *s, struct scenario out[TENSOR_DEGREES_MAX]) {
    const struct calc_option *tp = calc_option_at(calc_option_index("tp"));
    int count = 0;
    for (int i = 0; i < tp->stop_count && count < TENSOR_DEGREES_MAX; i++) {
        count += parallel_with_count(s, "tp", tp->stops[i], &out[count]) ? 1 : 0;
    }
    return count;
}

/* --- Pictures --- */

static void add_split(struct view_facts *facts, const struct scenario *s) {
    struct message *columns =
        parallel_fact(facts, "columns", "lesson.tensor-parallel.columns", "view.value");
    message_add_text(columns, s->model.gated ? "q k v · gate up" : "q k v · fc1");
    struct message *rows =
        parallel_fact(facts, "rows", "lesson.tensor-parallel.rows", "view.value");
    message_add_text(rows, s->model.gated ? "out · down" : "out · fc2");
}

/* As the words write them: 33.6 MB would be 0.03 in the unit of tables. */
static void add_bytes(struct view_facts *facts, const char *key, const char *label,
                      uint64_t bytes) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    parallel_write_bytes(&w, bytes);
    message_add_text(parallel_fact(facts, key, label, "view.value"), text);
}

void tensor_layer_add(struct view *out, const struct scenario *s) {
    struct tensor_layer layer;
    struct view_facts *facts = &view_add(out, VIEW_KIND_FACTS)->facts;
    bool pairs = s->layout.sequence_parallel;
    message_start(&facts->title, "lesson.tensor-parallel.layer");
    add_split(facts, s);
    if (!tensor_layer(s, &layer)) {
        message_start(&facts->title, s->layout.tp == 1 ? "lesson.tensor-parallel.alone"
                                                       : "lesson.tensor-parallel.layer");
        return;
    }
    const char *count = pairs ? "lesson.tensor-parallel.pairs" : "lesson.tensor-parallel.sums";
    message_add_plain(parallel_fact(facts, "forward", "lesson.tensor-parallel.forward", count),
                      layer.blocks);
    if (layer.passes > 2) {
        message_add_plain(parallel_fact(facts, "again", "lesson.tensor-parallel.again", count),
                          layer.blocks);
    }
    message_add_plain(parallel_fact(facts, "backward", "lesson.tensor-parallel.backward", count),
                      layer.blocks);
    message_add_plain(parallel_fact(facts, "calls", "lesson.tensor-parallel.calls", count),
                      layer.calls);
    add_bytes(facts, "message_bytes", "lesson.tensor-parallel.message", layer.message_bytes);
    add_bytes(facts, "sent_bytes", "lesson.tensor-parallel.sent", layer.sent_bytes);
}

enum status tensor_comm_add(struct view *out, const struct scenario *s, struct message *why) {
    struct calc_comm comm;
    enum status ok = calc_comm_on_stage(s, 0, &comm, why);
    if (ok == STATUS_OK) {
        comm_table_add(out, &comm);
    }
    return ok;
}

void tensor_sent_add(struct view *out, const struct scenario *s) {
    enum { DEGREE, SENT, LINK, COMPUTE, EXPOSED, SHARE, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [DEGREE] = {"tp", "lesson.tensor-parallel.column.degree", VIEW_TABLE_COUNT, 0, NULL},
        [SENT] = {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 0, NULL},
        [LINK] = {"link", "view.comm.link", VIEW_TABLE_NAME, 2, "comm.link."},
        [COMPUTE] = {"compute_s", "lesson.tensor-parallel.column.compute", VIEW_TABLE_SECONDS, 3,
                     NULL},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 1, NULL},
        [SHARE] = {"share", "lesson.tensor-parallel.column.share", VIEW_TABLE_SHARE, 0, NULL}};
    struct scenario degrees[TENSOR_DEGREES_MAX];
    int count = tensor_degrees(s, degrees);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.tensor-parallel.sent_by_degree");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < count; i++) {
        struct tensor_step step;
        int row = view_table_row(t);
        view_table_set_count(t, row, DEGREE, degrees[i].layout.tp);
        t->current = degrees[i].layout.tp == s->layout.tp ? row : t->current;
        if (!tensor_step(&degrees[i], &step)) {
            continue;
        }
        view_table_set_count(t, row, SENT, step.sent_bytes);
        if (degrees[i].layout.tp > 1) {
            bool inside = degrees[i].layout.tp <= s->cluster.gpus_per_node;
            view_table_set_text(t, row, LINK, inside ? "node" : "network");
        }
        if (step.time_known) {
            view_table_set_real(t, row, COMPUTE, step.compute_s);
            view_table_set_real(t, row, EXPOSED, step.exposed_s);
            view_table_set_real(t, row, SHARE, step.exposed_s / (step.exposed_s + step.compute_s));
        }
    }
}
