/* A table of byte cells, several ways of counting beside each other: what a cell shows, where columns stand, the
 * sentence about a column. The screen and the text reader call this, so that both say the same. Pure; everything is
 * written into what the caller passes. Proof: tests/unit/view/test_matrix.c. */
#include <string.h>

#include "shardlab/view/shape.h"

enum { GAP = 2, GAP_WIDE = 5, LABEL_MIN = 6, MARK = 1, CELL_MAX = 48 };

static const char unknown[] = "—", unknown_plain[] = "--";

void view_matrix_cell_write(struct writer *w, const struct view_cell *cell, enum unit_system unit,
                            bool ascii) {
    switch (cell->kind) {
    case VIEW_CELL_UNKNOWN:
        writer_text(w, ascii ? unknown_plain : unknown);
        break;
    case VIEW_CELL_BYTES:
        view_write_amount(w, cell->bytes, unit);
        break;
    case VIEW_CELL_REAL:
        view_write_real(w, cell->real);
        break;
    case VIEW_CELL_TEXT:
        writer_text(w, cell->text);
        break;
    }
}

const char *view_matrix_mark(const struct view_cell *cell, bool ascii) {
    return !cell->differs ? "" : ascii ? "*" : "≠";
}

/* Columns before the decimal point, and from it on; texts and what is unknown end where whole numbers end. */
static void measure(const char *text, const struct width_rules *rules, int *whole, int *rest) {
    const char *point = strchr(text, '.');
    int width = width_text(text, rules);
    int tail = point == NULL ? 0 : width_text(point, rules);
    *whole = width - tail > *whole ? width - tail : *whole;
    *rest = tail > *rest ? tail : *rest;
}

/* A column that starts at `start`; its mark stands at its end. */
static struct view_number_column place_column(const struct view_matrix *m, int col, int start,
                                              const struct view_matrix_options *options,
                                              enum unit_system unit) {
    int whole = 0, rest = 0;
    for (int row = 0; row < m->row_count; row++) {
        char text[CELL_MAX];
        struct writer w;
        writer_start(&w, text, sizeof text);
        view_matrix_cell_write(&w, &m->cells[row][col], unit, options->ascii);
        measure(text, &options->rules, &whole, &rest);
    }
    int heading = width_text(m->cols[col].key, &options->rules);
    int width = whole + rest > heading ? whole + rest : heading;
    return (struct view_number_column){.end = start + width, .point = start + width - rest};
}

static int label_columns(const struct view_matrix *m, const struct words *words,
                         const struct width_rules *rules) {
    int widest = LABEL_MIN;
    for (int row = 0; row < m->row_count; row++) {
        int cols = width_text(words_get(words, m->rows[row].label), rules);
        widest = cols > widest ? cols : widest;
    }
    return widest;
}

/* Places columns from plan->first on, as many as there is room for and at least one. */
static void place_columns(const struct view_matrix *m, const struct view_matrix_options *options,
                          enum unit_system unit, int gap, struct view_matrix_plan *plan) {
    int at = plan->label_col + plan->label_cols;
    plan->count = 0;
    plan->end = at;
    for (int col = plan->first; col < m->col_count; col++) {
        plan->cols[col] = place_column(m, col, at + gap, options, unit);
        at = plan->cols[col].end + MARK;
        if (at > options->cols && plan->count > 0) {
            return;
        }
        plan->count++;
        plan->end = at;
    }
}

struct view_matrix_plan view_matrix_plan(const struct view_matrix *m, const struct words *words,
                                         const struct view_matrix_options *options) {
    struct view_matrix_plan plan = {.label_col = options->indent,
                                    .label_cols = label_columns(m, words, &options->rules),
                                    .first = options->first};
    int third = options->cols / 3; /* a narrow table keeps room for numbers: labels are cut */
    plan.label_cols = plan.label_cols > third && third > LABEL_MIN ? third : plan.label_cols;
    for (int gap = GAP_WIDE; gap > GAP; gap--) {
        place_columns(m, options, words->unit, gap, &plan);
        if (plan.first + plan.count == m->col_count && plan.end <= options->cols) {
            return plan;
        }
    }
    place_columns(m, options, words->unit, GAP, &plan);
    while (options->focus >= plan.first + plan.count) {
        plan.first++;
        place_columns(m, options, words->unit, GAP, &plan);
    }
    return plan;
}

bool view_matrix_sentence(struct writer *w, const struct view_matrix *m, int col,
                          const struct words *words) {
    bool any = false;
    for (int i = 0; i < m->remark_count; i++) {
        if (m->remarks[i].col != col) {
            continue;
        }
        writer_text(w, !any ? "" : words->chinese ? "；" : "; ");
        words_write(w, words, &m->remarks[i].text);
        any = true;
    }
    writer_text(w, !any ? "" : words->chinese ? "。" : ".");
    return any;
}

void view_matrix_legend(struct writer *w, const struct view_matrix *m, const struct words *words,
                        bool ascii) {
    const struct view_cell marked = {.differs = true};
    struct message legend;
    if (m->reference < 0) {
        return;
    }
    message_start(&legend, "view.matrix.legend");
    message_add_text(&legend, view_matrix_mark(&marked, ascii));
    message_add_text(&legend, m->cols[m->reference].key);
    words_write(w, words, &legend);
}
