/* A matrix on the screen: headings, amounts on their decimal points, a sign behind each that differs, and below the
 * table one sentence a column. In a narrow pane the columns around the focus are in sight. Where columns stand is
 * decided in view/shape.h, so that text output agrees. Proof: tests/unit/ui/test_matrix.c. */
#include "flow_private.h"
#include "item_private.h"
#include "shardlab/ui/draw.h"
#include "shardlab/view/shape.h"

/* The sign that the table goes on beyond an edge. */
static void draw_more(const struct canvas *c, int row, const struct view_matrix *m,
                      const struct view_matrix_plan *plan) {
    if (plan->first > 0) {
        canvas_glyph(c, (struct spot){row, plan->label_col + plan->label_cols}, UI_GLYPH_PICK_LEFT,
                     UI_ROLE_DIM);
    }
    if (plan->first + plan->count < m->col_count) {
        canvas_glyph(c, (struct spot){row, plan->end}, UI_GLYPH_PICK_RIGHT, UI_ROLE_DIM);
    }
}

static void draw_headings(const struct canvas *c, int row, const struct view_matrix *m,
                          const struct view_matrix_plan *plan, int focus) {
    canvas_put_cut(c, (struct spot){row, plan->label_col}, units_name(c->look->words->unit),
                   UI_ROLE_DIM, plan->label_cols);
    for (int col = plan->first; col < plan->first + plan->count; col++) {
        struct spot end = {row, plan->cols[col].end};
        int start = end.col - canvas_width(c, m->cols[col].key);
        bool here = col == focus;
        canvas_put_right(c, end, m->cols[col].key,
                         here                   ? UI_ROLE_CURSOR
                         : m->cols[col].defined ? UI_ROLE_STRONG
                                                : UI_ROLE_DIM);
        canvas_hit(c, (struct spot){row, start}, end.col - start, UI_HIT_ITEM, col);
        if (here) {
            canvas_glyph(c, (struct spot){row, start - 1}, UI_GLYPH_POINTER, UI_ROLE_ACCENT);
            canvas_rest(c, (struct spot){row, start});
        }
    }
    draw_more(c, row, m, plan);
}

static void draw_cells(const struct canvas *c, int row, const struct view_matrix *m, int index,
                       const struct view_matrix_plan *plan) {
    const struct view_matrix_row *data = &m->rows[index];
    bool plain = ui_look_plain(c->look);
    canvas_put_cut(c, (struct spot){row, plan->label_col}, words_get(c->look->words, data->label),
                   canvas_role_of(data->role), plan->label_cols);
    for (int col = plan->first; col < plan->first + plan->count; col++) {
        const struct view_cell *cell = &m->cells[index][col];
        char text[64];
        struct writer w;
        writer_start(&w, text, sizeof text);
        view_matrix_cell_write(&w, cell, c->look->words->unit, plain);
        int start = view_number_col(&plan->cols[col], text, &c->grid->rules);
        enum ui_role role = cell->differs                     ? UI_ROLE_CHANGED
                            : cell->kind == VIEW_CELL_UNKNOWN ? UI_ROLE_DIM
                            : data->role == VIEW_ROLE_TOTAL   ? UI_ROLE_STRONG
                                                              : UI_ROLE_TEXT;
        canvas_put(c, (struct spot){row, start}, text, role);
        canvas_put(c, (struct spot){row, plan->cols[col].end}, view_matrix_mark(cell, plain), role);
    }
}

static struct view_matrix_plan plan_of(const struct canvas *c, const struct view_matrix *m,
                                       int focus) {
    struct view_matrix_options options = {.cols = c->area.cols - ITEM_MARGIN,
                                          .indent = ITEM_LEFT,
                                          .focus = focus,
                                          .ascii = ui_look_plain(c->look),
                                          .rules = c->grid->rules};
    return view_matrix_plan(m, c->look->words, &options);
}

/* The rows of the table itself. */
static int draw_table(const struct canvas *c, int row, const struct view_matrix *m, int focus) {
    int first = row;
    struct view_matrix_plan plan = plan_of(c, m, focus);
    draw_headings(c, row++, m, &plan, focus);
    for (int i = 0; i < m->row_count; i++) {
        if (m->rows[i].ruled) {
            canvas_fill(c, (struct spot){row++, plan.label_col}, plan.end - plan.label_col,
                        ui_glyph(c->look, UI_GLYPH_HORIZONTAL), UI_ROLE_LINE);
        }
        draw_cells(c, row++, m, i, &plan);
    }
    return row - first;
}

/* "megatron  gradients 4Ψ, not 2Ψ; …": returns the rows used. */
static int draw_sentence(const struct canvas *c, int row, const struct view_matrix *m, int col,
                         bool here) {
    char text[CANVAS_SENTENCE_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (!view_matrix_sentence(&w, m, col, c->look->words)) {
        return 0;
    }
    struct flow f;
    flow_start(&f);
    flow_add_whole(&f, m->cols[col].key, here ? UI_ROLE_CURSOR : UI_ROLE_STRONG);
    flow_add(&f, "  ", UI_ROLE_TEXT);
    flow_add(&f, text, UI_ROLE_TEXT);
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT + 2, c->area.cols - ITEM_MARGIN};
    return flow_draw(&f, c, box);
}

/* `gap`: blank rows between the table and its sentences. */
static int draw_matrix(const struct canvas *c, int row, const struct view_matrix *m, int focus,
                       int gap) {
    char text[CANVAS_SENTENCE_MAX];
    struct writer w;
    int first = row;
    row += item_title_draw(c, row, &m->title);
    row += draw_table(c, row, m, focus);
    writer_start(&w, text, sizeof text);
    view_matrix_legend(&w, m, c->look->words, ui_look_plain(c->look));
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, c->area.cols - ITEM_MARGIN};
    row += flow_draw_text(c, box, text, UI_ROLE_DIM) + gap;
    for (int col = 0; col < m->col_count; col++) {
        row += draw_sentence(c, row, m, col, col == focus);
    }
    return row - first;
}

int item_matrix_draw(const struct canvas *c, int row, const struct view_matrix *m, int focus) {
    return draw_matrix(c, row, m, focus, 0);
}

int ui_matrix_draw(struct grid *g, struct rect area, const struct view_matrix *m,
                   const struct ui_matrix_place *place, const struct look *look) {
    struct canvas canvas = {g, area, look};
    struct grid nothing;
    struct canvas measure = canvas_measure(&nothing, area.cols, look);
    int gap = item_matrix_draw(&measure, 0, m, place->col) < area.rows ? 1 : 0;
    if (place->scroll <= item_title_draw(&measure, 0, &m->title) || area.rows < 2) {
        return draw_matrix(&canvas, -place->scroll, m, place->col, gap);
    }
    struct canvas below = canvas; /* the headings stay above rows that are scrolled */
    below.area.row++;
    below.area.rows--;
    int rows = draw_matrix(&below, -place->scroll - 1, m, place->col, gap);
    struct view_matrix_plan plan = plan_of(&canvas, m, place->col);
    draw_headings(&canvas, 0, m, &plan, place->col);
    return rows;
}
