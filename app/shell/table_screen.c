/* The table of conventions over a lesson: the scenario as each of them counts it. Left and right go from column to
 * column, Enter takes the convention, c or Esc leaves things as they were. Called by app.c; the figures are the
 * lesson's (lesson/memory_view.h). Proof: tests/journeys/conventions.txt, tests/golden/. */
#include "app_private.h"
#include "shardlab/lesson/memory_view.h"

static const struct view_matrix *matrix(const struct app *app) {
    return &app->table.view.items[0].matrix;
}

void app_table_open(struct app *app) {
    view_start(&app->table.view);
    memory_conventions_add(&app->table.view, &app->scenario.applied, NULL);
    app->table.col = matrix(app)->reference;
    app->beneath = APP_SCREEN_LESSON;
    app->screen = APP_SCREEN_TABLE;
    app->scroll = 0;
    app->refused.option = -1;
}

static unsigned leave(struct app *app) {
    app->screen = app->beneath;
    app->scroll = 0;
    return APP_EFFECT_VIEW;
}

/* A convention that is refused is not left standing on its slider: the table already says what it does not define. */
static unsigned take(struct app *app) {
    if (app->table.col == matrix(app)->reference) {
        return leave(app);
    }
    unsigned effects =
        app_knob_set(app, calc_option_index("convention"), app->table.col) | APP_EFFECT_VIEW;
    if (app->refused.option >= 0) {
        app->refused.option = -1;
        return effects;
    }
    return effects | leave(app);
}

static unsigned move(struct app *app, int step) {
    int next = app->table.col + step;
    if (next < 0 || next >= matrix(app)->col_count) {
        return 0;
    }
    app->table.col = next;
    return APP_EFFECT_VIEW;
}

unsigned app_table_press(struct app *app, int col) {
    return app->table.col == col ? take(app) : move(app, col - app->table.col);
}

unsigned app_table_action(struct app *app, enum ui_action action) {
    unsigned effects = 0;
    if (app_overlay_move(app, action, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_LEFT:
        return move(app, -1);
    case UI_ACTION_RIGHT:
        return move(app, 1);
    case UI_ACTION_OPEN:
        return take(app);
    case UI_ACTION_BACK:
    case UI_ACTION_QUIT:
    case UI_ACTION_CONVENTION:
        return leave(app);
    default:
        return 0;
    }
}

void app_table_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    app_header_draw(app, g, l.header, words_get(app->look.words, "home.conventions"));
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    struct ui_matrix_place place = {app->table.col, app->scroll};
    app->page_visible = l.body.rows;
    app->page_rows = ui_matrix_draw(g, l.body, matrix(app), &place, &app->look);
    if (app->scroll < app->page_rows - app->page_visible) { /* said on the rule below */
        grid_put_right(g, l.rule_bottom, l.rule_bottom.row, l.rule_bottom.cols - 1,
                       words_get(app->look.words, "status.view_more_here"), UI_ROLE_DIM);
    }
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, &(struct ui_keys){.where = UI_WHERE_TABLE}, &app->look);
}
