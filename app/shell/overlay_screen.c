/* The screens that lie over another: help (from the action table), why (the derivation of a ledger row with the
 * learner's own numbers) and the command line of `y`. Esc, q, or the key that opened them, go back. Proof: tests/golden/test_screens.c,
 * tests/journeys/. */
#include "transcript_private.h"

static unsigned leave(struct app *app) {
    app->screen = app->beneath;
    app->scroll = 0;
    return APP_EFFECT_VIEW | app_transcript_leave(app);
}

static unsigned scroll_by(struct app *app, int step) {
    int last = app->page_rows - app->page_visible;
    int next = app->scroll + step;
    next = next > last ? last : next;
    next = next < 0 ? 0 : next;
    if (next == app->scroll) {
        return 0;
    }
    app->scroll = next;
    return APP_EFFECT_VIEW;
}

/* In `why`, left and right go through the ledger's rows: the next question is one key away. */
static unsigned other_row(struct app *app, int step) {
    const struct view_ledger *ledger = app_view_ledger(app);
    int next = app->row + step;
    if (app->screen != APP_SCREEN_WHY || ledger == NULL || next < 0 || next >= ledger->row_count) {
        return 0;
    }
    app->row = next;
    app->scroll = 0;
    return APP_EFFECT_VIEW;
}

bool app_overlay_move(struct app *app, enum ui_action action, unsigned *effects) {
    switch (action) {
    case UI_ACTION_UP:
        *effects = scroll_by(app, -1);
        return true;
    case UI_ACTION_DOWN:
        *effects = scroll_by(app, 1);
        return true;
    case UI_ACTION_FIRST:
        *effects = scroll_by(app, -app->page_rows);
        return true;
    case UI_ACTION_LAST:
        *effects = scroll_by(app, app->page_rows);
        return true;
    case UI_ACTION_PAGE_UP:
        *effects = scroll_by(app, -(app->page_visible - 1));
        return true;
    case UI_ACTION_PAGE_DOWN:
    case UI_ACTION_NEXT:
        *effects = scroll_by(app, app->page_visible - 1);
        return true;
    default:
        return false;
    }
}

unsigned app_overlay_action(struct app *app, enum ui_action action) {
    unsigned effects = 0;
    if (app_overlay_move(app, action, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_BACK:
    case UI_ACTION_QUIT:
        return leave(app);
    case UI_ACTION_WHY:
        return app->screen == APP_SCREEN_WHY ? leave(app) : 0;
    case UI_ACTION_LEFT:
        return other_row(app, -1);
    case UI_ACTION_RIGHT:
        return other_row(app, 1);
    default:
        return 0;
    }
}

/* The command line in full, wrapped: to be read, selected or typed again; and what it prints, where it was started. */
static int draw_line(struct app *app, struct grid *g, struct rect area) {
    int first = area.row - app->scroll, row = first;
    row += ui_text_draw(g, area, row, words_get(app->look.words, "home.line_intro"), UI_ROLE_TEXT,
                        &app->look);
    row += 1 + ui_text_draw(g, area, row + 1, app->copied, UI_ROLE_STRONG, &app->look);
    row += app->printed ? 1 : 0;
    row += app_transcript_draw(app, g, area, row);
    return row - first;
}

static const char *title_of(const struct app *app) {
    const char *id = app->screen == APP_SCREEN_HELP  ? "home.help"
                     : app->screen == APP_SCREEN_WHY ? "home.why"
                                                     : "home.line";
    return words_get(app->look.words, id);
}

void app_overlay_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    app_header_draw(app, g, l.header, title_of(app));
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 2 : 1;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows, l.body.cols - 2 * margin};
    struct ui_keys beneath = app_keys(app, app->beneath);
    const struct view_ledger *ledger = app_view_ledger(app);
    app->page_visible = area.rows;
    if (app->screen == APP_SCREEN_HELP) {
        app->page_rows = ui_help_draw(g, area, &beneath, app->scroll, &app->look);
    } else if (app->screen == APP_SCREEN_LINE) {
        app->page_rows = draw_line(app, g, area);
    } else if (ledger != NULL) {
        app->page_rows = ui_why_draw(g, area, ledger, app->row, app->scroll, &app->look);
    }
    app_status_draw(app, g, l.status);
    struct ui_keys keys = app_keys(app, app->screen);
    ui_hints_draw(g, l.hints, &keys, &app->look);
}
