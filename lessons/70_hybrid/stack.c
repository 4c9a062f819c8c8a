/* A pipeline beside each ZeRO stage: what a GPU holds, how often a step reduces gradients and what that sends, and whether
 * DeepSpeed's pipeline engine takes it: it stops at start for stages 2 and 3 (deepspeed/runtime/pipe/engine.py). Memory
 * and bytes are the calculators'. Appends to the caller's view and keeps nothing.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "hybrid_private.h"

#include <string.h>

#include "shardlab/calc/memory.h"

bool hybrid_deepspeed_takes(uint64_t pp, uint64_t zero) {
    return pp == 1 || zero < 2;
}

static bool comm_of(const struct scenario *s, struct calc_comm *out) {
    struct message unused;
    uint64_t stage = s->layout.pp > 2 ? s->layout.pp / 2 : 0;
    return calc_comm_on_stage(s, stage, out, &unused) == STATUS_OK;
}

uint64_t hybrid_reductions(const struct scenario *s) {
    bool reduced = s->layout.dp > 1;
    return !reduced ? 0 : s->layout.reduce == CALC_REDUCE_EVERY ? s->batch.micro_batches : 1;
}

enum column { ZERO, TOTAL, REDUCTIONS, SENT, EXPOSED, TAKES, COLUMNS };

static void add_row(struct view_table *t, const struct scenario *s, int zero) {
    const struct hybrid_change change = {.zero = zero};
    struct scenario other;
    struct calc_memory m;
    struct calc_comm comm;
    struct message unused;
    int row = view_table_row(t);
    view_table_set_count(t, row, ZERO, (uint64_t)zero);
    view_table_set_text(t, row, TAKES,
                        hybrid_deepspeed_takes(s->layout.pp, (uint64_t)zero) ? "yes" : "no");
    if (!hybrid_changed(s, &change, &other) ||
        calc_memory_worst(&other, &m, &unused) != STATUS_OK || !comm_of(&other, &comm)) {
        return;
    }
    view_table_set_count(t, row, TOTAL, m.total_bytes);
    view_table_set_count(t, row, REDUCTIONS, hybrid_reductions(&other));
    uint64_t sent = 0;
    double exposed = 0;
    bool known = true;
    for (int i = 0; i < comm.row_count; i++) {
        if (comm.rows[i].axis == CALC_AXIS_DP) {
            sent += comm.rows[i].sent_bytes;
            known = known && comm.rows[i].exposed_known;
            exposed += comm.rows[i].exposed_known ? comm.rows[i].exposed_s : 0;
        }
    }
    view_table_set_count(t, row, SENT, sent);
    if (known) {
        view_table_set_real(t, row, EXPOSED, exposed);
    }
}

void hybrid_stack_add(struct view *out, const struct scenario *s) {
    static const struct view_table_col cols[COLUMNS] = {
        [ZERO] = {"zero", "view.plan.zero", VIEW_TABLE_COUNT, 0, NULL},
        [TOTAL] = {"total_bytes", "lesson.start.total", VIEW_TABLE_BYTES, 0, NULL},
        [REDUCTIONS] = {"reductions", "lesson.hybrid.reductions", VIEW_TABLE_COUNT, 1, NULL},
        [SENT] = {"dp_sent_bytes", "lesson.hybrid.sent.dp", VIEW_TABLE_BYTES, 0, NULL},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 2, NULL},
        [TAKES] = {"deepspeed", "lesson.hybrid.deepspeed", VIEW_TABLE_NAME, 0,
                   "lesson.hybrid.deepspeed."},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title,
                  s->layout.pp > 1 ? "lesson.hybrid.stack.title" : "lesson.hybrid.stack.alone");
    message_add_plain(&t->title, s->batch.micro_batches);
    message_add_plain(&t->title, s->layout.pp);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int zero = 0; zero <= 3; zero++) {
        add_row(t, s, zero);
    }
    t->current = (int)s->layout.zero;
}
