/* A view as aligned text, for the command line and for people who read the screen by ear: the items
 * one below another, no colour, columns counted with CJK as two. The numbers are the screen's
 * (shape.h). The writer is the caller's; words come through struct words. What the reader cannot
 * ask here with a key (the derivations) stands under the rows when `explain` is set. Proof:
 * tests/unit/view/test_text.c. */
#include <string.h>

#include "lines_private.h"
#include "shardlab/view/read.h"
#include "shardlab/view/shape.h"
#include "text_pen_private.h"

enum { SENTENCE_MAX = 1536, WIDTH_MIN = 40, EXPLAIN_INDENT = 4, CHART_LABEL = 9 };

struct reader {
    struct lines lines;
    const struct words *words;
    const struct view_text_options *options;
};

/* A message as one sentence in the caller's buffer. */
static const char *sentence(const struct reader *r, const struct message *m,
                            char buffer[SENTENCE_MAX]) {
    struct writer w;
    writer_start(&w, buffer, SENTENCE_MAX);
    words_write(&w, r->words, m);
    return buffer;
}

static void put_wrapped_message(struct reader *r, const struct message *m) {
    char text[SENTENCE_MAX];
    if (m->id != NULL) {
        lines_put_wrapped(&r->lines, 0, sentence(r, m, text));
    }
}

static void write_text_item(struct reader *r, const struct view_text *text) {
    for (int i = 0; i < text->line_count; i++) {
        put_wrapped_message(r, &text->lines[i]);
    }
}

static void write_facts(struct reader *r, const struct view_facts *facts) {
    put_wrapped_message(r, &facts->title);
    int label_cols = 0;
    for (int i = 0; i < facts->fact_count; i++) {
        int cols = width_text(words_get(r->words, facts->facts[i].label), &r->lines.rules);
        label_cols = cols > label_cols ? cols : label_cols;
    }
    for (int i = 0; i < facts->fact_count; i++) {
        char text[SENTENCE_MAX];
        lines_put(&r->lines, 2, words_get(r->words, facts->facts[i].label));
        lines_put_wrapped(&r->lines, label_cols + 4, sentence(r, &facts->facts[i].value, text));
    }
}

/* "    master weights  4Ψ/N = 4 × 6,738,415,616 / 64 = 421,150,976 bytes" and where it is from. */
static void explain_line(struct reader *r, const struct view_line *line) {
    char text[SENTENCE_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, words_get(r->words, line->id));
    writer_text(&w, "  ");
    writer_text(&w, line->formula);
    if (line->substituted[0] != '\0') {
        writer_text(&w, line->formula[0] != '\0' ? " = " : "");
        view_write_grouped(&w, line->substituted);
    }
    struct message amount;
    message_start(&amount, "view.why.equals");
    message_add_count(&amount, line->bytes);
    writer_char(&w, ' ');
    words_write(&w, r->words, &amount);
    lines_put_wrapped(&r->lines, EXPLAIN_INDENT, text);
    if (line->source != NULL) {
        lines_put_wrapped(&r->lines, EXPLAIN_INDENT + 2, line->source);
    }
}

static void write_ledger_row(struct reader *r, const struct view_ledger *ledger, int index,
                             const struct view_ledger_plan *plan) {
    const struct view_row *row = &ledger->rows[index];
    struct lines *l = &r->lines;
    struct view_ledger_cells cells;
    view_ledger_cells(row, r->words->unit, r->options->ascii, &cells);
    lines_put_cut(l, plan->label_col, words_get(r->words, row->label), plan->label_cols);
    if (plan->formula_cols > 0) {
        lines_put_cut(l, plan->formula_col, row->formula, plan->formula_cols);
    }
    lines_put(l, view_number_col(&plan->value, cells.value, &l->rules), cells.value);
    if (plan->delta.end > 0 && cells.delta[0] != '\0') {
        lines_put(l, view_number_col(&plan->delta, cells.delta, &l->rules), cells.delta);
        lines_put(l, plan->delta.end + 1, cells.mark);
    }
    lines_end(l);
    for (int i = 0; r->options->explain && i < row->line_count; i++) {
        explain_line(r, &ledger->lines[row->first_line + i]);
    }
}

static void put_ending_at(struct lines *l, int end, const char *text) {
    lines_put(l, end - width_text(text, &l->rules), text);
}

static void write_ledger(struct reader *r, const struct view_ledger *ledger) {
    bool moved = false;
    for (int i = 0; i < ledger->row_count; i++) {
        moved = moved || ledger->rows[i].has_before;
    }
    struct view_ledger_options options = {.cols = r->lines.width,
                                          .indent = 0,
                                          .ascii = r->options->ascii,
                                          .delta = moved,
                                          .rules = r->lines.rules};
    struct view_ledger_plan plan = view_ledger_plan(ledger, r->words, &options);
    char title[SENTENCE_MAX];
    lines_put_cut(&r->lines, 0, sentence(r, &ledger->title, title), plan.label_cols);
    if (plan.formula_cols > 0) {
        lines_put(&r->lines, plan.formula_col, words_get(r->words, "view.column.formula"));
    }
    put_ending_at(&r->lines, plan.value.end, units_name(r->words->unit));
    if (plan.delta.end > 0) {
        put_ending_at(&r->lines, plan.delta.end, words_get(r->words, "view.column.delta"));
    }
    lines_end(&r->lines);
    for (int i = 0; i < ledger->row_count; i++) {
        if (i > 0 && i == ledger->row_count - 1) {
            lines_fill(&r->lines, r->options->ascii ? "-" : "─", plan.end);
            lines_end(&r->lines);
        }
        write_ledger_row(r, ledger, i, &plan);
    }
}

static void write_bar_cells(struct reader *r, const struct view_bar *bar, int width) {
    bool ascii = r->options->ascii;
    struct view_bar_cells cells;
    view_bar_cells(bar, width, &cells);
    const char *capacity_mark = ascii ? "|" : "┊";
    int at = 0;
    for (int part = 0; part <= bar->segment_count + 1; part++) {
        bool segment = part < bar->segment_count;
        int count = segment                      ? cells.segments[part]
                    : part == bar->segment_count ? cells.other
                                                 : cells.free;
        const char *glyph =
            part > bar->segment_count
                ? " "
                : view_pattern(segment ? bar->segments[part].role : VIEW_ROLE_PLAIN, ascii);
        for (int i = 0; i < count; i++, at++) {
            if (at == cells.capacity) {
                lines_fill(&r->lines, capacity_mark, 1);
            }
            lines_fill(&r->lines, glyph, 1);
        }
    }
    if (cells.capacity == width) {
        lines_fill(&r->lines, capacity_mark, 1);
    }
}

static void write_bar(struct reader *r, const struct view_bar *bar) {
    enum { BAR_MAX = 60 };
    struct lines *l = &r->lines;
    put_wrapped_message(r, &bar->title);
    int width = l->width - 1 < BAR_MAX ? l->width - 1 : BAR_MAX;
    write_bar_cells(r, bar, width);
    if (bar->capacity_name[0] != '\0') {
        if (l->col + 1 + width_text(bar->capacity_name, &l->rules) > l->width) {
            lines_end(l);
        }
        lines_put(l, l->col + 1, bar->capacity_name);
    }
    lines_end(l);
    for (int i = 0; i < bar->segment_count; i++) {
        if (bar->segments[i].bytes == 0) {
            continue;
        }
        const char *label = words_get(r->words, bar->segments[i].label);
        if (l->col > 0 && l->col + 4 + width_text(label, &l->rules) > l->width) {
            lines_end(l);
        }
        lines_put(l, l->col > 0 ? l->col + 2 : 0,
                  view_pattern(bar->segments[i].role, r->options->ascii));
        lines_put(l, l->col + 1, label);
    }
    if (l->col > 0) {
        lines_end(l);
    }
    put_wrapped_message(r, &bar->verdict);
}

/* A table of two lines: the stops above, the values below, the learner's point in brackets. */
static void write_curve(struct reader *r, const struct view_curve *curve) {
    struct lines *l = &r->lines;
    put_wrapped_message(r, &curve->title);
    for (int i = 0; i < curve->point_count; i++) {
        char text[80];
        struct writer w;
        writer_start(&w, text, sizeof text);
        bool here = i == curve->current;
        writer_text(&w, here ? "[" : "");
        writer_u64(&w, curve->x[i]);
        writer_text(&w, ": ");
        view_write_real(&w, curve->y[i]);
        writer_text(&w, here ? "]" : "");
        if (l->col > 0 && l->col + 3 + width_text(text, &l->rules) > l->width) {
            lines_end(l);
        }
        lines_put(l, l->col > 0 ? l->col + 3 : 0, text);
    }
    if (l->col > 0) {
        lines_end(l);
    }
    put_wrapped_message(r, &curve->remark);
}

/* The label of a row: its amount on the scale's upper edge and on the capacity's line. */
static void put_chart_label(struct reader *r, const struct view_chart *chart,
                            const struct view_chart_plot *plot, int row) {
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    view_write_amount(&w, row == plot->limit_row ? chart->capacity_bytes : plot->top,
                      r->words->unit);
    if (row == 0 || row == plot->limit_row) {
        lines_put(&r->lines, CHART_LABEL - 1 - width_text(text, &r->lines.rules), text);
    }
}

/* The cells of a row up to the last that is not empty. */
static int last_seen(const struct view_chart_plot *plot, int row) {
    int count = plot->cells;
    while (count > 0 && view_chart_cell(plot, row, count - 1) == VIEW_CHART_EMPTY) {
        count--;
    }
    return count;
}

static void write_chart(struct reader *r, const struct view_chart *chart) {
    struct lines *l = &r->lines;
    struct view_chart_plot plot;
    bool ascii = r->options->ascii;
    view_chart_plot(chart, l->width - CHART_LABEL - 1, &plot);
    put_wrapped_message(r, &chart->title);
    for (int row = 0; row < VIEW_CHART_ROWS && plot.cells > 0; row++) {
        put_chart_label(r, chart, &plot, row);
        lines_put(l, CHART_LABEL, ascii ? "|" : "│");
        for (int i = 0; i < last_seen(&plot, row); i++) {
            lines_fill(l, view_chart_glyph(&plot, row, i, ascii), 1);
        }
        lines_end(l);
    }
    for (int i = 0, blanks = CHART_LABEL + 1; i < plot.cells; i++, blanks++) {
        char mark[2] = {plot.marks[i], '\0'};
        if (i == plot.peak || mark[0] != ' ') {
            lines_fill(l, " ", blanks);
            lines_fill(l, i != plot.peak ? mark : ascii ? "*" : "●", 1);
            blanks = -1;
        }
    }
    if (l->col > 0) {
        lines_end(l);
    }
    put_wrapped_message(r, &chart->remark);
}

/* The kinds that are drawn with a pen. */
static void write_picture(struct reader *r, const struct view_item *item) {
    struct text_pen text = {.lines = &r->lines};
    struct view_pen pen = text_pen_of(&text, r->words, r->options->ascii);
    if (item->kind == VIEW_KIND_GANTT) {
        (void)view_gantt_paint(&pen, 0, &item->gantt);
    } else if (item->kind == VIEW_KIND_TABLE) {
        (void)view_table_paint(&pen, 0, &item->table);
    } else if (item->kind == VIEW_KIND_CLUSTER) {
        (void)view_cluster_paint(&pen, 0, &item->cluster);
    } else if (item->kind == VIEW_KIND_BITS) {
        (void)view_bits_paint(&pen, 0, &item->bits);
    } else if (item->kind == VIEW_KIND_RANGES) {
        (void)view_ranges_paint(&pen, 0, &item->ranges);
    } else if (item->kind == VIEW_KIND_FRAMES) {
        (void)view_frames_paint(&pen, 0, &item->frames);
    } else if (item->kind == VIEW_KIND_PLOT) {
        (void)view_plot_paint(&pen, 0, &item->plot);
    }
    text_pen_end(&text);
}

static void write_matrix_row(struct reader *r, const struct view_matrix *m, int row,
                             const struct view_matrix_plan *plan) {
    struct lines *l = &r->lines;
    if (m->rows[row].ruled) {
        lines_fill(l, r->options->ascii ? "-" : "─", plan->end);
        lines_end(l);
    }
    lines_put_cut(l, plan->label_col, words_get(r->words, m->rows[row].label), plan->label_cols);
    for (int col = plan->first; col < plan->first + plan->count; col++) {
        const struct view_cell *cell = &m->cells[row][col];
        char text[64];
        struct writer w;
        writer_start(&w, text, sizeof text);
        view_matrix_cell_write(&w, cell, r->words->unit, r->options->ascii);
        lines_put(l, view_number_col(&plan->cols[col], text, &l->rules), text);
        if (cell->differs) { /* clings to its number */
            lines_fill(l, " ", plan->cols[col].end - l->col);
            lines_fill(l, view_matrix_mark(cell, r->options->ascii), 1);
        }
    }
    lines_end(l);
}

/* As many columns beside each other as the width holds, the others in blocks below. */
static void write_matrix(struct reader *r, const struct view_matrix *m) {
    char text[SENTENCE_MAX];
    struct writer w;
    put_wrapped_message(r, &m->title);
    struct view_matrix_plan plan = {.first = 0};
    for (int first = 0; first < m->col_count; first += plan.count) {
        struct view_matrix_options options = {.cols = r->lines.width,
                                              .first = first,
                                              .focus = -1,
                                              .ascii = r->options->ascii,
                                              .rules = r->lines.rules};
        plan = view_matrix_plan(m, r->words, &options);
        lines_put_cut(&r->lines, plan.label_col, units_name(r->words->unit), plan.label_cols);
        for (int col = first; col < first + plan.count; col++) {
            put_ending_at(&r->lines, plan.cols[col].end, m->cols[col].key);
        }
        lines_end(&r->lines);
        for (int row = 0; row < m->row_count; row++) {
            write_matrix_row(r, m, row, &plan);
        }
        lines_end(&r->lines);
    }
    writer_start(&w, text, sizeof text);
    view_matrix_legend(&w, m, r->words, r->options->ascii);
    if (w.length > 0) {
        lines_put_wrapped(&r->lines, 0, text);
    }
    for (int col = 0; col < m->col_count; col++) {
        writer_start(&w, text, sizeof text);
        writer_text(&w, m->cols[col].key);
        writer_text(&w, r->words->chinese ? "：" : ": ");
        if (view_matrix_sentence(&w, m, col, r->words)) {
            lines_put_wrapped(&r->lines, 0, text);
        }
    }
}

void view_write_text(struct writer *out, const struct view *v, const struct words *words,
                     const struct view_text_options *options) {
    struct reader r = {
        .lines = {.out = out, .width = options->width < WIDTH_MIN ? WIDTH_MIN : options->width},
        .words = words,
        .options = options};
    for (int i = 0; i < v->item_count; i++) {
        const struct view_item *item = &v->items[i];
        if (i > 0) {
            lines_end(&r.lines);
        }
        switch (item->kind) {
        case VIEW_KIND_TEXT:
            write_text_item(&r, &item->text);
            break;
        case VIEW_KIND_FACTS:
            write_facts(&r, &item->facts);
            break;
        case VIEW_KIND_LEDGER:
            write_ledger(&r, &item->ledger);
            break;
        case VIEW_KIND_BAR:
            write_bar(&r, &item->bar);
            break;
        case VIEW_KIND_CURVE:
            write_curve(&r, &item->curve);
            break;
        case VIEW_KIND_CHART:
            write_chart(&r, &item->chart);
            break;
        case VIEW_KIND_GANTT:
        case VIEW_KIND_TABLE:
        case VIEW_KIND_CLUSTER:
        case VIEW_KIND_BITS:
        case VIEW_KIND_RANGES:
        case VIEW_KIND_FRAMES:
        case VIEW_KIND_PLOT:
            write_picture(&r, item);
            break;
        case VIEW_KIND_MATRIX:
            write_matrix(&r, &item->matrix);
            break;
        }
    }
}
