/* Page 3: what recomputation saves and what it costs. The three choices beside each other with the learner's scenario,
 * and beside the prediction what somebody else measured. FLOPs and times are calc/flops.h's and calc/comm.h's. Appends to
 * the caller's view. Proof: tests/unit/lessons/test_activations.c. */
#include "activations_private.h"
#include "shardlab/calc/comm.h"

static const char *const names[] = {"none", "selective", "full"};

void activations_recompute_add(struct view *out, const struct scenario *s) {
    enum column { RECOMPUTE, KEPT, TOTAL, FLOPS, COMPUTE, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [RECOMPUTE] = {"recompute", "option.recompute.label", VIEW_TABLE_NAME, 0,
                       "option.recompute."},
        [KEPT] = {"activations_bytes", "part.activations", VIEW_TABLE_BYTES, 0, NULL},
        [TOTAL] = {"total_bytes", "lesson.activations.column.total", VIEW_TABLE_BYTES, 2, NULL},
        [FLOPS] = {"more_flops", "lesson.activations.column.flops", VIEW_TABLE_SHARE, 0, NULL},
        [COMPUTE] = {"compute_s", "lesson.activations.column.compute", VIEW_TABLE_SECONDS, 1, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.activations.recompute");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int r = CALC_RECOMPUTE_NONE; r <= CALC_RECOMPUTE_FULL; r++) {
        struct scenario other = *s;
        struct calc_memory memory;
        struct calc_comm comm;
        struct message unused;
        double part;
        int row = view_table_row(t);
        other.recipe.recompute = r;
        view_table_set_text(t, row, RECOMPUTE, names[r]);
        if (activations_memory(&other, &memory)) {
            view_table_set_count(t, row, KEPT, memory.part_bytes[CALC_PART_ACTIVATIONS]);
            view_table_set_count(t, row, TOTAL, memory.total_bytes);
        }
        if (activations_more_flops(&other, r, false, &part)) {
            view_table_set_real(t, row, FLOPS, part);
        }
        if (calc_comm_step(&other, &comm, &unused) == STATUS_OK && comm.compute_known) {
            view_table_set_real(t, row, COMPUTE, comm.compute_s);
        }
    }
    t->current = s->recipe.recompute;
    if (s->recipe.attention == CALC_ATTENTION_FLASH) {
        message_start(view_table_add_note(t, -1), "lesson.activations.selective_flash");
    }
}

void activations_measured_add(struct view *out) {
    enum column { RECOMPUTE, FLOPS, MEASURED, TIME, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [RECOMPUTE] = {"recompute", "option.recompute.label", VIEW_TABLE_NAME, 0,
                       "option.recompute."},
        [FLOPS] = {"more_flops", "lesson.activations.column.flops", VIEW_TABLE_SHARE, 0, NULL},
        [MEASURED] = {"measured_s", "lesson.activations.column.measured", VIEW_TABLE_SECONDS, 0,
                      NULL},
        [TIME] = {"more_time", "lesson.activations.column.time", VIEW_TABLE_SHARE, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct scenario model;
    double none = activations_measured_ms(CALC_RECOMPUTE_NONE), part;
    if (!activations_timed_model(&model)) {
        return;
    }
    message_start(&t->title, "lesson.activations.measured");
    message_add_plain(&t->title, model.layout.tp);
    message_add_plain(&t->title, model.batch.micro_batch);
    message_add_plain(&t->title, model.batch.seq);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int r = CALC_RECOMPUTE_NONE; r <= CALC_RECOMPUTE_FULL; r++) {
        int row = view_table_row(t);
        view_table_set_text(t, row, RECOMPUTE, names[r]);
        if (activations_more_flops(&model, r, true, &part)) {
            view_table_set_real(t, row, FLOPS, part);
        }
        view_table_set_real(t, row, MEASURED, activations_measured_ms(r) / 1e3);
        view_table_set_real(t, row, TIME, activations_measured_ms(r) / none - 1);
    }
    t->current = -1;
    message_start(view_table_add_note(t, -1), "lesson.activations.measured.source");
}
