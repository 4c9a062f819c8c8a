/* What tensor parallelism divides and what it leaves whole: memory of the first stage at every degree beside each other,
 * sequence parallelism off and on, and how query and key/value heads are shared out. Bytes are calc/memory.h's and
 * calc/comm.h's. Called by the lesson's pages; appends to the caller's view.
 * Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include "tensor_private.h"

static const char *const switches[] = {"no", "yes"};

static bool memory_of(const struct scenario *s, struct calc_memory *out) {
    struct message unused;
    return calc_memory_on_stage(s, 0, out, &unused) == STATUS_OK;
}

static bool with_sequence(const struct scenario *s, int on, struct scenario *out) {
    const struct parallel_change change = {"sequence-parallel", switches[on]};
    return parallel_variant(s, &change, 1, out);
}

/* Activations with sequence parallelism off or on. */
static void set_activations(struct view_table *t, int row, int col, const struct scenario *s,
                            int on) {
    struct scenario other;
    struct calc_memory memory;
    if (with_sequence(s, on, &other) && memory_of(&other, &memory) && memory.activations_known) {
        view_table_set_count(t, row, col, memory.part_bytes[CALC_PART_ACTIVATIONS]);
    }
}

void tensor_divided_add(struct view *out, const struct scenario *s) {
    enum { DEGREE, PARAMS, STATES, ACTIVATIONS, SEQUENCE, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [DEGREE] = {"tp", "lesson.tensor-parallel.column.degree", VIEW_TABLE_COUNT, 0, NULL},
        [PARAMS] = {"params", "lesson.tensor-parallel.column.params", VIEW_TABLE_COUNT, 2, NULL},
        [STATES] = {"states_bytes", "lesson.tensor-parallel.column.states", VIEW_TABLE_BYTES, 1,
                    NULL},
        [ACTIVATIONS] = {"activations_bytes", "lesson.tensor-parallel.column.activations",
                         VIEW_TABLE_BYTES, 0, NULL},
        [SEQUENCE] = {"with_sequence_bytes", "lesson.tensor-parallel.column.sequence",
                      VIEW_TABLE_BYTES, 0, NULL}};
    struct scenario degrees[TENSOR_DEGREES_MAX];
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    int count = tensor_degrees(s, degrees);
    message_start(&t->title, "lesson.tensor-parallel.divided");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < count; i++) {
        struct calc_memory memory;
        int row = view_table_row(t);
        view_table_set_count(t, row, DEGREE, degrees[i].layout.tp);
        t->current = degrees[i].layout.tp == s->layout.tp ? row : t->current;
        if (memory_of(&degrees[i], &memory)) {
            view_table_set_count(t, row, PARAMS, memory.params);
            if (!memory.phases) {
                view_table_set_count(t, row, STATES,
                                     memory.part_bytes[CALC_PART_WEIGHTS] +
                                         memory.part_bytes[CALC_PART_GRADIENTS] +
                                         memory.part_bytes[CALC_PART_OPTIMIZER]);
            }
        }
        set_activations(t, row, ACTIVATIONS, &degrees[i], 0);
        set_activations(t, row, SEQUENCE, &degrees[i], 1);
    }
}

void tensor_sequence_add(struct view *out, const struct scenario *s) {
    enum { WHAT, ACTIVATIONS, SENT, TIME, EXPOSED, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [WHAT] = {"sequence_parallel", "option.sequence-parallel.label", VIEW_TABLE_NAME, 0,
                  "lesson.tensor-parallel.sequence."},
        [ACTIVATIONS] = {"activations_bytes", "lesson.tensor-parallel.column.activations",
                         VIEW_TABLE_BYTES, 0, NULL},
        [SENT] = {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 0, NULL},
        [TIME] = {"time_s", "view.comm.time", VIEW_TABLE_SECONDS, 1, NULL},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 0, NULL}};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.tensor-parallel.sequence");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int on = 0; on < 2; on++) {
        struct scenario other;
        struct tensor_step step;
        int row = view_table_row(t);
        view_table_set_text(t, row, WHAT, switches[on]);
        t->current = s->layout.sequence_parallel == (on == 1) ? row : t->current;
        set_activations(t, row, ACTIVATIONS, s, on);
        if (!with_sequence(s, on, &other) || !tensor_step(&other, &step)) {
            continue;
        }
        view_table_set_count(t, row, SENT, step.sent_bytes);
        if (step.time_known) {
            view_table_set_real(t, row, TIME, step.time_s);
            view_table_set_real(t, row, EXPOSED, step.exposed_s);
        }
    }
}

void tensor_heads_add(struct view *out, const struct scenario *s) {
    enum { DEGREE, HEADS, KV, COPIES, WIDTH, PARAMS, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [DEGREE] = {"tp", "lesson.tensor-parallel.column.degree", VIEW_TABLE_COUNT, 0, NULL},
        [HEADS] = {"heads", "lesson.tensor-parallel.column.heads", VIEW_TABLE_COUNT, 0, NULL},
        [KV] = {"kv_heads", "lesson.tensor-parallel.column.kv", VIEW_TABLE_COUNT, 0, NULL},
        [COPIES] = {"copies", "lesson.tensor-parallel.column.copies", VIEW_TABLE_COUNT, 0, NULL},
        [WIDTH] = {"ffn", "lesson.tensor-parallel.column.ffn", VIEW_TABLE_COUNT, 2, NULL},
        [PARAMS] = {"params_all", "lesson.tensor-parallel.column.all", VIEW_TABLE_COUNT, 1, NULL}};
    struct scenario degrees[TENSOR_DEGREES_MAX];
    int count = scenario_params_only(s) ? 0 : tensor_degrees(s, degrees);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.tensor-parallel.heads");
    message_add_plain(&t->title, s->model.heads);
    message_add_plain(&t->title, s->model.kv_heads);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < count; i++) {
        uint64_t tp = degrees[i].layout.tp, kv = s->model.kv_heads;
        struct calc_memory memory;
        int row = view_table_row(t);
        t->current = tp == s->layout.tp ? row : t->current;
        view_table_set_count(t, row, DEGREE, tp);
        view_table_set_count(t, row, HEADS, s->model.heads / tp);
        view_table_set_count(t, row, KV, (kv + tp - 1) / tp);
        view_table_set_count(t, row, COPIES, tp > kv ? tp / kv : 1);
        view_table_set_count(t, row, WIDTH, (s->model.ffn + tp - 1) / tp);
        if (memory_of(&degrees[i], &memory)) {
            view_table_set_count(t, row, PARAMS, memory.params * tp);
        }
    }
}
