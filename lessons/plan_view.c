/* From layouts to their table. The numbers are plan/plan.h's; here columns are named and ordered by how soon a narrow
 * screen may leave them out: what every layout has alike goes first. Writes into the caller's view. Proof:
 * tests/unit/lessons/test_plan_view.c. */
#include "shardlab/lesson/plan_view.h"

#include <assert.h>
#include <string.h>

#include "shardlab/calc/option.h"

enum column {
    DP,
    TP,
    PP,
    CP,
    EP,
    CHUNKS,
    SCHEDULE,
    ZERO,
    RECOMPUTE,
    SEQUENCE,
    BATCH,
    BATCHES,
    MEMORY,
    STEP,
    MFU,
    BUBBLE,
    COLUMNS
};

static const struct view_table_col cols[COLUMNS] = {
    [DP] = {"dp", NULL, VIEW_TABLE_COUNT, 0, NULL},
    [TP] = {"tp", NULL, VIEW_TABLE_COUNT, 0, NULL},
    [PP] = {"pp", NULL, VIEW_TABLE_COUNT, 0, NULL},
    [CP] = {"cp", NULL, VIEW_TABLE_COUNT, 4, NULL},
    [EP] = {"ep", NULL, VIEW_TABLE_COUNT, 4, NULL},
    [CHUNKS] = {"chunks", "view.plan.chunks", VIEW_TABLE_COUNT, 3, NULL},
    [SCHEDULE] = {"schedule", "view.plan.schedule", VIEW_TABLE_TEXT, 3, NULL},
    [ZERO] = {"zero", "view.plan.zero", VIEW_TABLE_COUNT, 2, NULL},
    [RECOMPUTE] = {"recompute", "view.plan.recompute", VIEW_TABLE_TEXT, 2, NULL},
    [SEQUENCE] = {"sequence_parallel", "view.plan.sequence", VIEW_TABLE_TEXT, 2, NULL},
    [BATCH] = {"micro_batch", "view.plan.micro_batch", VIEW_TABLE_COUNT, 2, NULL},
    [BATCHES] = {"micro_batches", "view.plan.micro_batches", VIEW_TABLE_COUNT, 5, NULL},
    [MEMORY] = {"total_bytes", "view.plan.memory", VIEW_TABLE_BYTES, 0, NULL},
    [STEP] = {"step_s", "view.plan.step", VIEW_TABLE_SECONDS, 0, NULL},
    [MFU] = {"mfu", "view.plan.mfu", VIEW_TABLE_SHARE, 0, NULL},
    [BUBBLE] = {"bubble", "view.plan.bubble", VIEW_TABLE_SHARE, 6, NULL}};

static const char *choice(const char *option, int value) {
    return calc_option_at(calc_option_find(option, strlen(option)))->choices[value];
}

static void add_layout(struct view_table *t, const struct plan_layout *l) {
    const uint64_t counts[COLUMNS] = {[DP] = l->dp,
                                      [TP] = l->tp,
                                      [PP] = l->pp,
                                      [CP] = l->cp,
                                      [EP] = l->ep,
                                      [CHUNKS] = l->chunks,
                                      [ZERO] = l->zero,
                                      [BATCH] = l->micro_batch,
                                      [BATCHES] = l->micro_batches,
                                      [MEMORY] = l->total_bytes};
    int row = view_table_row(t);
    for (int i = 0; i < COLUMNS; i++) {
        if (cols[i].kind == VIEW_TABLE_COUNT || cols[i].kind == VIEW_TABLE_BYTES) {
            view_table_set_count(t, row, i, counts[i]);
        }
    }
    view_table_set_text(t, row, SCHEDULE, choice("schedule", l->schedule));
    view_table_set_text(t, row, RECOMPUTE, choice("recompute", l->recompute));
    view_table_set_text(t, row, SEQUENCE, l->sequence_parallel ? "yes" : "no");
    view_table_set_real(t, row, STEP, l->step_s);
    view_table_set_real(t, row, MFU, l->mfu);
    view_table_set_real(t, row, BUBBLE, l->bubble);
}

void plan_table_add(struct view *out, const struct plan_rows *rows) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    assert(rows->count <= VIEW_TABLE_ROWS_MAX);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < rows->count; i++) {
        add_layout(t, &rows->layouts[i]);
    }
    t->numbered = rows->first_number > 0;
    t->first_number = rows->first_number;
    t->more = rows->more;
}
