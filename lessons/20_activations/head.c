/* Page 5: what the head keeps. The logits in every form a program may keep them, in bytes and in layers' worth, on the stage
 * that has the head. Appends to the caller's view. Proof: tests/unit/lessons/test_activations.c. */
#include "activations_private.h"

bool activations_head_stage(const struct scenario *s, struct calc_memory *out) {
    for (uint64_t stage = s->layout.pp; stage-- > 0;) {
        if (!activations_on_stage(s, stage, out)) {
            return false;
        }
        if (activations_term(out, "activations.head") > 0) {
            return true;
        }
    }
    return false;
}

void activations_logits_add(struct view *out, const struct scenario *s) {
    enum column { FORM, BYTES, WORTH, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [FORM] = {"logits", "option.logits.label", VIEW_TABLE_NAME, 0, "option.logits."},
        [BYTES] = {"logits_bytes", "lesson.activations.column.logits", VIEW_TABLE_BYTES, 0, NULL},
        [WORTH] = {"layers", "lesson.activations.column.worth", VIEW_TABLE_REAL, 0, NULL},
    };
    static const char *const names[] = {"none", "bf16", "fp32", "fp32x3", "fused"};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct scenario other = *s;
    struct activations_layer layer;
    message_start(&t->title, "lesson.activations.logits");
    message_add_count(&t->title, s->model.vocab);
    message_add_count(&t->title, s->batch.seq);
    message_add_plain(&t->title, s->batch.micro_batch);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    other.recipe.recompute = CALC_RECOMPUTE_NONE;
    bool known = activations_layer(&other, &layer);
    for (int form = CALC_LOGITS_NONE; form <= CALC_LOGITS_FUSED; form++) {
        struct calc_memory memory;
        int row = view_table_row(t);
        other.recipe.logits = form;
        view_table_set_text(t, row, FORM, names[form]);
        if (!activations_head_stage(&other, &memory)) {
            continue;
        }
        uint64_t bytes = activations_term(&memory, "activations.logits");
        view_table_set_count(t, row, BYTES, bytes);
        if (known && layer.bytes > 0) {
            view_table_set_real(t, row, WORTH, (double)bytes / (double)layer.bytes);
        }
    }
    t->current = s->recipe.logits;
}
