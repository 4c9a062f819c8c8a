/* Page 1 of the lesson *mixed-precision*: one GPU in each precision, part by part. The states of fp32 and of mixed
 * precision are equally large with Adam; activations are not. Writes into the view that the caller passes.
 * Proof: tests/unit/lessons/test_mixed_precision.c. */
#include "shardlab/calc/memory.h"
#include "mixed_private.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/memory_view.h"

bool mixed_in_precision(const struct scenario *s, int precision, struct scenario *out) {
    struct message why;
    int option = calc_option_index("precision");
    *out = *s;
    /* as the convention has it for that precision; fp32 knows no other gradients than its own */
    if (precision == CALC_PRECISION_FP32 ||
        !calc_option_given(s, calc_option_index("grad-bytes"))) {
        out->recipe.grad_bytes = 0;
    }
    out->recipe.input_bytes = precision == s->recipe.precision ? s->recipe.input_bytes : 0;
    return calc_option_set(out, option, calc_option_at(option)->choices[precision], &why) ==
               STATUS_OK &&
           scenario_resolve(out, out, &why) == STATUS_OK && scenario_violations(out, &why, 1) == 0;
}

enum { WEIGHTS, GRADIENTS, OPTIMIZER, STATES, ACTIVATIONS, TOTAL, ROWS };

static void set(struct view_matrix *m, int row, int col, uint64_t bytes) {
    struct view_cell *cell = &m->cells[row][col];
    cell->kind = VIEW_CELL_BYTES;
    cell->bytes = bytes;
    const struct view_cell *first = &m->cells[row][m->reference];
    cell->differs = col != m->reference && first->kind == VIEW_CELL_BYTES && first->bytes != bytes;
}

static void fill(struct view_matrix *m, int col, const struct calc_memory *memory) {
    const uint64_t *part = memory->part_bytes;
    if (memory->phases) {
        set(m, TOTAL, col, memory->total_bytes);
        return;
    }
    set(m, WEIGHTS, col, part[CALC_PART_WEIGHTS]);
    set(m, GRADIENTS, col, part[CALC_PART_GRADIENTS]);
    set(m, OPTIMIZER, col, part[CALC_PART_OPTIMIZER]);
    set(m, STATES, col,
        part[CALC_PART_WEIGHTS] + part[CALC_PART_GRADIENTS] + part[CALC_PART_OPTIMIZER]);
    if (memory->activations_known) {
        set(m, ACTIVATIONS, col, part[CALC_PART_ACTIVATIONS]);
    }
    set(m, TOTAL, col, memory->total_bytes);
}

static void add_matrix(struct view *out, const struct scenario *s) {
    static const struct view_matrix_row rows[ROWS] = {
        [WEIGHTS] = {"weights", "part.weights", VIEW_ROLE_WEIGHTS, false},
        [GRADIENTS] = {"gradients", "part.gradients", VIEW_ROLE_GRADIENTS, false},
        [OPTIMIZER] = {"optimizer", "part.optimizer", VIEW_ROLE_OPTIMIZER, false},
        [STATES] = {"states", "lesson.mixed-precision.states", VIEW_ROLE_PLAIN, true},
        [ACTIVATIONS] = {"activations", "part.activations", VIEW_ROLE_ACTIVATIONS, false},
        [TOTAL] = {"total", "part.total", VIEW_ROLE_TOTAL, true},
    };
    struct view_matrix *m = &view_add(out, VIEW_KIND_MATRIX)->matrix;
    const struct calc_option *option = calc_option_at(calc_option_index("precision"));
    message_start(&m->title, "lesson.mixed-precision.by_precision");
    m->row_count = ROWS;
    m->col_count = CALC_PRECISIONS;
    m->reference = CALC_PRECISION_FP32;
    for (int i = 0; i < ROWS; i++) {
        m->rows[i] = rows[i];
    }
    for (int i = 0; i < CALC_PRECISIONS; i++) {
        struct scenario other;
        struct calc_memory memory;
        struct message why;
        m->cols[i] = (struct view_matrix_col){option->choices[i], false};
        if (mixed_in_precision(s, i, &other) &&
            calc_memory_worst(&other, &memory, &why) == STATUS_OK) {
            m->cols[i].defined = true;
            fill(m, i, &memory);
        }
    }
}

enum status mixed_memory(const struct lesson_input *in, struct view *out, struct message *why) {
    struct memory_states states;
    struct message unused;
    enum status result = calc_memory_worst(in->now, &states.now, why);
    if (result != STATUS_OK) {
        return result;
    }
    states.has_before =
        in->before != NULL && calc_memory_worst(in->before, &states.before, &unused) == STATUS_OK;
    memory_ledger_add(out, in->now, &states);
    add_matrix(out, in->now);
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    message_start(&text->lines[text->line_count++], "lesson.predicted-only");
    memory_notes_add(out, in->now, &states.now);
    return STATUS_OK;
}
