/* The glossary: every term a row, in the language that is read and beside it in the other; typing narrows the list in
 * both. Opened over a lesson, the terms of the page in front come first and are marked. On wide screens the term with
 * the focus is explained beside the list; Enter opens it (term_screen.c). Proof: tests/journeys/glossary.txt,
 * tests/golden/shell/. */
#include <string.h>

#include "glossary_private.h"
#include "shardlab/view/width.h"

enum { NAME_COL = 4, GAP = 2, SPLIT_COLS = 76 };

/* The terms that match what is typed, in the order of the list. */
struct list {
    int terms[GLOSSARY_TERMS_MAX];
    int count;
};

/* Whether some name of the term begins with what is typed: those rows come first, so that a name and Enter are
 * enough. */
static bool begins(const struct glossary *g, int term, const char *typed) {
    for (int i = 0; i < g->form_count; i++) {
        const char *text = g->forms[i].text;
        if (g->forms[i].term == term && glossary_begins(text, typed)) {
            return true;
        }
    }
    return false;
}

/* Rows of the first part of the list, then the others. */
static void find_rows(const struct app *app, struct list *list) {
    const struct app_glossary *g = &app->glossary;
    const char *typed = g->list.typed.text;
    list->count = 0;
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < g->terms->count; i++) {
            bool first = typed[0] == '\0' ? g->here[i] : begins(g->terms, i, typed);
            if (first == (part == 0) && glossary_matches(&g->terms->terms[i], typed)) {
                list->terms[list->count++] = i;
            }
        }
    }
}

static void mark_here(struct app *app) {
    struct app_glossary *g = &app->glossary;
    memset(g->here, 0, sizeof g->here);
    if (g->from == APP_SCREEN_LESSON) {
        app_glossary_mark(g->terms, app->documents[app->language], app->page, g->here);
    }
    g->here_count = 0;
    for (int i = 0; i < g->terms->count; i++) {
        g->here_count += g->here[i] ? 1 : 0;
    }
}

unsigned app_glossary_open(struct app *app) {
    struct message why;
    if (app_glossary_read(app, &why) != STATUS_OK) {
        app->status = why;
        return APP_EFFECT_VIEW;
    }
    if (app->screen != APP_SCREEN_TERM) {
        app->glossary.from = app->screen;
    }
    app->glossary.list = (struct app_list){.at = 0};
    mark_here(app);
    app_refusal_forget(app);
    app->status.id = NULL;
    app->screen = APP_SCREEN_GLOSSARY;
    return APP_EFFECT_VIEW;
}

static unsigned leave(struct app *app) {
    app->screen = app->glossary.from;
    return APP_EFFECT_VIEW;
}

unsigned app_glossary_action(struct app *app, enum ui_action action) {
    struct app_list *l = &app->glossary.list;
    struct list list;
    unsigned effects = 0;
    if (action == UI_ACTION_ERASE && l->typed.length == 0) {
        return leave(app); /* nothing is left to erase: Backspace goes back, as in a lesson */
    }
    find_rows(app, &list);
    if (app_list_action(l, action, list.count, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_OPEN:
        if (list.count > 0) {
            return app_term_open(app, list.terms[l->at]);
        }
        app_status_set(app, "status.no_term");
        return APP_EFFECT_VIEW;
    case UI_ACTION_BACK:
        return leave(app);
    default:
        return 0;
    }
}

/* --- drawing --- */

static void draw_row(struct app *app, struct grid *g, struct rect row, int term) {
    const struct app_glossary *glossary = &app->glossary;
    const char *const *names = glossary->terms->terms[term].name;
    int room = row.cols - NAME_COL;
    int half = (room - GAP) / 2;
    bool both = half >= 24; /* below that one name is read, and the other seen when it is opened */
    if (glossary->here[term]) {
        grid_put(g, row, row.row, row.col + 2, ui_glyph(&app->look, UI_GLYPH_KNOB), UI_ROLE_ACCENT);
    }
    grid_put_cut(g, row, row.row, row.col + NAME_COL, names[app->language], UI_ROLE_TEXT,
                 both ? half : room);
    if (both) {
        grid_put_cut(g, row, row.row, row.col + NAME_COL + half + GAP, names[1 - app->language],
                     UI_ROLE_DIM, half);
    }
}

static void draw_list(struct app *app, struct grid *g, struct rect area, const struct list *list) {
    struct app_list *l = &app->glossary.list;
    l->visible = area.rows;
    l->at = l->at < list->count ? l->at : list->count > 0 ? list->count - 1 : 0;
    l->scroll = ui_scroll_follow(l->scroll, area.rows, list->count, l->at);
    for (int i = 0; i < area.rows && l->scroll + i < list->count; i++) {
        struct rect row = {area.row + i, area.col, 1, area.cols};
        draw_row(app, g, row, list->terms[l->scroll + i]);
        ui_hit_add(g, area, row, UI_HIT_ITEM, l->scroll + i);
        if (l->scroll + i == l->at) {
            grid_put(g, area, row.row, row.col, ui_glyph(&app->look, UI_GLYPH_POINTER),
                     UI_ROLE_ACCENT);
            grid_paint(g, area, row.row, row.col + NAME_COL, area.cols - NAME_COL, UI_ROLE_CURSOR);
        }
    }
    if (list->count == 0) {
        ui_text_draw(g, area, area.row, words_get(app->look.words, "status.no_term"), UI_ROLE_DIM,
                     &app->look);
    }
}

/* "● on this page", at the end of the rule below, where something is marked. */
static void draw_legend(struct app *app, struct grid *g, struct rect rule) {
    char text[64];
    struct writer w;
    if (app->glossary.here_count == 0) {
        return;
    }
    writer_start(&w, text, sizeof text);
    writer_char(&w, ' ');
    writer_text(&w, ui_glyph(&app->look, UI_GLYPH_KNOB));
    writer_char(&w, ' ');
    writer_text(&w, words_get(app->look.words, "home.glossary_here"));
    writer_char(&w, ' ');
    grid_put_right(g, rule, rule.row, rule.col + rule.cols - 1, text, UI_ROLE_DIM);
}

void app_glossary_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    struct list list;
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    find_rows(app, &list);
    app_header_draw(app, g, l.header, words_get(app->look.words, "home.glossary"));
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 2 : 1;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows, l.body.cols - 2 * margin};
    struct rect beside = {area.row + 2, area.col + area.cols / 2 + 1, area.rows - 2,
                          area.cols - area.cols / 2 - 1};
    struct app_list_counts counts = {list.count, app->glossary.terms->count, "home.glossary_empty"};
    app_list_typed_draw(app, g, area, &app->glossary.list, &counts);
    struct rect rows = {area.row + 1, area.col, area.rows - 1, area.cols};
    if (g->cols >= SPLIT_COLS) {
        rows.cols = area.cols / 2 - 1;
    }
    draw_list(app, g, rows, &list);
    if (g->cols >= SPLIT_COLS && list.count > 0) {
        struct ui_hits *hits = g->hits;
        int row = g->cursor_row;
        int col = g->cursor_col;
        g->hits = NULL; /* what is shown beside the list is not clicked: Enter opens it first */
        (void)app_term_write(app, g, beside, list.terms[app->glossary.list.at], -1);
        g->hits = hits;
        g->cursor_row = row;
        g->cursor_col = col;
    }
    draw_legend(app, g, l.rule_bottom);
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, &(struct ui_keys){.where = UI_WHERE_GLOSSARY}, &app->look);
}
