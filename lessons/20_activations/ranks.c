/* Page 4: what tensor ranks, sequence parallelism and pipeline stages do to the activations of one GPU. A row a number of
 * tensor ranks, and a row a stage. All are the memory calculator's. Appends to the caller's view.
 * Proof: tests/unit/lessons/test_activations.c. */
#include "activations_private.h"

/* Of one layer, whatever the pipeline does: that is the other table's. */
static bool layer_of(const struct scenario *s, uint64_t tp, bool sequence_parallel,
                     struct activations_layer *out) {
    struct scenario other = *s;
    struct message unused;
    other.layout.tp = tp;
    other.layout.sequence_parallel = sequence_parallel;
    return scenario_violations(&other, &unused, 1) == 0 && activations_layer(&other, out);
}

void activations_ranks_add(struct view *out, const struct scenario *s) {
    enum column { TP, PLAIN, PLAIN_SBH, SEQUENCE, SEQUENCE_SBH, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [TP] = {"tp", "option.tp.label", VIEW_TABLE_COUNT, 0, NULL},
        [PLAIN] = {"tensor_bytes", "lesson.activations.column.tensor", VIEW_TABLE_BYTES, 0, NULL},
        [PLAIN_SBH] = {"tensor_sbh", "lesson.activations.column.sbh", VIEW_TABLE_REAL, 1, NULL},
        [SEQUENCE] = {"sequence_bytes", "lesson.activations.column.sequence_parallel",
                      VIEW_TABLE_BYTES, 0, NULL},
        [SEQUENCE_SBH] = {"sequence_sbh", "lesson.activations.column.sbh", VIEW_TABLE_REAL, 1,
                          NULL},
    };
    static const uint64_t stops[] = {1, 2, 4, 8, 16};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.activations.ranks");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    t->current = -1;
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        struct activations_layer plain, sequence;
        if (!layer_of(s, stops[i], false, &plain) || !layer_of(s, stops[i], true, &sequence)) {
            continue;
        }
        int row = view_table_row(t);
        view_table_set_count(t, row, TP, stops[i]);
        view_table_set_count(t, row, PLAIN, plain.bytes);
        view_table_set_real(t, row, PLAIN_SBH, plain.linear_sbh + plain.scores_sbh);
        view_table_set_count(t, row, SEQUENCE, sequence.bytes);
        view_table_set_real(t, row, SEQUENCE_SBH, sequence.linear_sbh + sequence.scores_sbh);
        t->current = stops[i] == s->layout.tp ? row : t->current;
    }
}

void activations_stages_add(struct view *out, const struct scenario *s) {
    enum column { STAGE, LAYERS, FLIGHT, BYTES, COLUMNS };
    enum { ROWS_SHOWN = 8 };
    static const struct view_table_col cols[COLUMNS] = {
        [STAGE] = {"stage", "view.stage", VIEW_TABLE_COUNT, 0, NULL},
        [LAYERS] = {"layers", "view.layers", VIEW_TABLE_COUNT, 0, NULL},
        [FLIGHT] = {"in_flight", "lesson.activations.column.in_flight", VIEW_TABLE_COUNT, 0, NULL},
        [BYTES] = {"activations_bytes", "part.activations", VIEW_TABLE_BYTES, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.activations.stages");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    t->current = -1;
    for (uint64_t stage = 0; stage < s->layout.pp; stage++) {
        struct calc_memory memory;
        /* the first ones and the last: the head is there */
        bool shown =
            s->layout.pp <= ROWS_SHOWN || stage < ROWS_SHOWN - 1 || stage == s->layout.pp - 1;
        if (!shown || !activations_on_stage(s, stage, &memory)) {
            continue;
        }
        int row = view_table_row(t);
        view_table_set_count(t, row, STAGE, stage);
        view_table_set_count(t, row, LAYERS, memory.layers);
        view_table_set_count(t, row, FLIGHT, memory.in_flight);
        view_table_set_count(t, row, BYTES, memory.part_bytes[CALC_PART_ACTIVATIONS]);
    }
    if (s->layout.pp > ROWS_SHOWN) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "lesson.activations.stages.more");
        message_add_plain(note, s->layout.pp);
    }
}
