/* The ledger on the screen: a header, rows with numbers on their decimal points, the change of the
 * last move with sign and mark, a rule and the total. Where columns stand is decided in
 * view/shape.h, so that text output agrees. Proof: tests/unit/ui/test_view.c. */
#include "item_private.h"
#include "shardlab/view/shape.h"

int item_ledger_row(const struct view_ledger *ledger, int index) {
    bool below_rule = index > 0 && index == ledger->row_count - 1;
    return 1 + index + (below_rule ? 1 : 0);
}

static void draw_header(const struct canvas *c, int row, const struct view_ledger *ledger,
                        const struct view_ledger_plan *plan) {
    const struct words *words = c->look->words;
    char title[CANVAS_SENTENCE_MAX];
    canvas_put_cut(c, (struct spot){row, plan->label_col},
                   canvas_sentence(c, &ledger->title, title), UI_ROLE_STRONG, plan->label_cols);
    if (plan->formula_cols > 0) {
        canvas_put_cut(c, (struct spot){row, plan->formula_col},
                       words_get(words, "view.column.formula"), UI_ROLE_DIM, plan->formula_cols);
    }
    canvas_put_right(c, (struct spot){row, plan->value.end}, units_name(words->unit), UI_ROLE_DIM);
    if (plan->delta.end > 0) {
        canvas_put_right(c, (struct spot){row, plan->delta.end},
                         words_get(words, "view.column.delta"), UI_ROLE_DIM);
    }
}

static void draw_row(const struct canvas *c, int row, const struct view_row *data,
                     const struct view_ledger_plan *plan, enum ui_role label_role) {
    struct view_ledger_cells cells;
    view_ledger_cells(data, c->look->words->unit, ui_look_plain(c->look), &cells);
    const struct width_rules *rules = &c->grid->rules;
    canvas_put_cut(c, (struct spot){row, plan->label_col}, words_get(c->look->words, data->label),
                   label_role, plan->label_cols);
    if (plan->formula_cols > 0) {
        canvas_put_cut(c, (struct spot){row, plan->formula_col}, data->formula, UI_ROLE_DIM,
                       plan->formula_cols);
    }
    bool total = data->role == VIEW_ROLE_TOTAL;
    bool moved = cells.delta[0] != '\0';
    enum ui_role value_role = moved ? UI_ROLE_CHANGED : total ? UI_ROLE_STRONG : UI_ROLE_TEXT;
    canvas_put(c, (struct spot){row, view_number_col(&plan->value, cells.value, rules)},
               cells.value, value_role);
    if (moved && plan->delta.end > 0) {
        canvas_put(c, (struct spot){row, view_number_col(&plan->delta, cells.delta, rules)},
                   cells.delta, UI_ROLE_CHANGED);
        canvas_put(c, (struct spot){row, plan->delta.end + 1}, cells.mark, UI_ROLE_CHANGED);
    }
}

static struct view_ledger_plan plan_of(const struct canvas *c, const struct view_ledger *ledger) {
    struct view_ledger_options options = {.cols = c->area.cols - ITEM_MARGIN,
                                          .indent = ITEM_LEFT,
                                          .ascii = ui_look_plain(c->look),
                                          .delta = true,
                                          .rules = c->grid->rules};
    return view_ledger_plan(ledger, c->look->words, &options);
}

void item_ledger_header_draw(const struct canvas *c, int row, const struct view_ledger *ledger) {
    struct view_ledger_plan plan = plan_of(c, ledger);
    draw_header(c, row, ledger, &plan);
    canvas_hit(c, (struct spot){row, 0}, c->area.cols, UI_HIT_NONE, 0); /* rows may lie beneath */
}

int item_ledger_draw(const struct canvas *c, int row, const struct view_ledger *ledger,
                     struct item_focus focus) {
    struct view_ledger_plan plan = plan_of(c, ledger);
    draw_header(c, row, ledger, &plan);
    for (int i = 0; i < ledger->row_count; i++) {
        int at = row + item_ledger_row(ledger, i);
        bool here = i == focus.cursor;
        if (i > 0 && i == ledger->row_count - 1) {
            canvas_fill(c, (struct spot){at - 1, plan.label_col}, plan.end - plan.label_col,
                        ui_glyph(c->look, UI_GLYPH_HORIZONTAL), UI_ROLE_LINE);
        }
        enum ui_role role =
            here && focus.active ? UI_ROLE_CURSOR : canvas_role_of(ledger->rows[i].role);
        draw_row(c, at, &ledger->rows[i], &plan, role);
        canvas_hit(c, (struct spot){at, 0}, c->area.cols, UI_HIT_ROW, i);
        if (here) {
            canvas_glyph(c, (struct spot){at, 0}, UI_GLYPH_POINTER,
                         focus.active ? UI_ROLE_ACCENT : UI_ROLE_DIM);
        }
        if (here && focus.active) {
            canvas_rest(c, (struct spot){at, plan.label_col});
        }
    }
    return ledger->row_count > 0 ? item_ledger_row(ledger, ledger->row_count - 1) + 1 : 1;
}
