/* One term: its names in both languages, what it is, and the pages that name it, from which Enter goes there. Opened
 * from the list (glossary_screen.c) or by a link in a lesson; Esc and Backspace go back there. What does not fit is
 * reached with the same keys: past the last page that is in sight the text moves on. Proof: tests/journeys/glossary.txt,
 * tests/golden/shell/. */
#include <string.h>

#include "glossary_private.h"

enum { PLACE_COL = 2, TEXT_MAX = 256 };

#define FULL_WIDTH_COLON "\xEF\xBC\x9A"

static const char *lesson_title(const struct app *app, const struct lesson *l) {
    char id[96];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "lesson.");
    writer_text(&w, l->id);
    writer_text(&w, ".title");
    return words_get(app->look.words, id);
}

unsigned app_term_open(struct app *app, int term) {
    app->glossary.term = term;
    app->glossary.place = app->glossary.scroll = 0;
    app->glossary.alone = false;
    app->status.id = NULL;
    app->screen = APP_SCREEN_TERM;
    return APP_EFFECT_VIEW;
}

bool app_term_follow(struct app *app, const char *target) {
    static const char scheme[] = "glossary:";
    struct message why;
    if (target == NULL || strncmp(target, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    if (app_glossary_read(app, &why) != STATUS_OK) {
        app->status = why;
        return true;
    }
    int term = glossary_find(app->glossary.terms, target + sizeof scheme - 1);
    if (term < 0) {
        app_status_set(app, "status.no_term");
        return true;
    }
    app->glossary.from = app->screen;
    (void)app_term_open(app, term);
    app->glossary.alone = true;
    return true;
}

static unsigned leave(struct app *app) {
    app->screen = app->glossary.alone ? app->glossary.from : APP_SCREEN_GLOSSARY;
    return APP_EFFECT_VIEW;
}

static unsigned go(struct app *app) {
    struct app_page at = app_term_place(app, app->glossary.term, app->glossary.place);
    struct message why;
    if (at.lesson < 0) {
        app_status_set(app, "status.no_page_of_term");
        return APP_EFFECT_VIEW;
    }
    if (app->glossary.from == APP_SCREEN_LESSON) {
        return app_travel(app, lesson_at(at.lesson), at.page);
    }
    if (app_lesson_open(app, lesson_at(at.lesson), &why) != STATUS_OK) {
        app->status = why;
        return APP_EFFECT_VIEW;
    }
    return app_page_go(app, at.page);
}

static unsigned scroll_by(struct app_glossary *g, int step) {
    int last = g->rows > g->visible ? g->rows - g->visible : 0;
    int next = g->scroll + step;
    next = next > last ? last : next;
    next = next < 0 ? 0 : next;
    unsigned effects = next == g->scroll ? 0 : APP_EFFECT_VIEW;
    g->scroll = next;
    return effects;
}

/* The focus moves among the pages; where it does not, the text does. */
static unsigned move(struct app *app, int step) {
    struct app_glossary *g = &app->glossary;
    int count = app_term_places(app, g->term);
    int first_row = g->rows - count; /* the pages are the last rows */
    int row = first_row + g->place;
    bool seen = row >= g->scroll && row < g->scroll + g->visible;
    int next = g->place + step;
    if (next < 0 || next >= count || (step > 0 && !seen)) {
        return scroll_by(g, step);
    }
    g->place = next;
    g->scroll = ui_scroll_follow(g->scroll, g->visible, g->rows, first_row + next);
    return APP_EFFECT_VIEW;
}

static unsigned move_to_end(struct app *app, bool last) {
    struct app_glossary *g = &app->glossary;
    int count = app_term_places(app, g->term);
    g->place = last && count > 0 ? count - 1 : 0;
    return scroll_by(g, last ? g->rows : -g->rows) | APP_EFFECT_VIEW;
}

unsigned app_term_action(struct app *app, enum ui_action action) {
    struct app_glossary *g = &app->glossary;
    switch (action) {
    case UI_ACTION_UP:
        return move(app, -1);
    case UI_ACTION_DOWN:
        return move(app, 1);
    case UI_ACTION_FIRST:
    case UI_ACTION_LAST:
        return move_to_end(app, action == UI_ACTION_LAST);
    case UI_ACTION_PAGE_UP:
        return scroll_by(g, -(g->visible - 1));
    case UI_ACTION_PAGE_DOWN:
        return scroll_by(g, g->visible - 1);
    case UI_ACTION_OPEN:
        return go(app);
    case UI_ACTION_BACK:
    case UI_ACTION_QUIT:
        return leave(app);
    default:
        return 0;
    }
}

/* "Memory 2  What one parameter costs" */
static void write_place(struct app *app, struct app_page at, struct writer *w) {
    const struct lesson *lesson = lesson_at(at.lesson);
    const struct document *doc = NULL;
    struct message why;
    const char *title = lesson_title(app, lesson);
    const char *colon = strstr(title, app->language == 1 ? FULL_WIDTH_COLON : ":");
    /* "Start: too large for one card" by its first part: the page's title needs the room */
    writer_text_n(w, title, colon != NULL ? (size_t)(colon - title) : strlen(title));
    writer_char(w, ' ');
    writer_u64(w, (uint64_t)at.page + 1);
    if (store_lesson(app->store, lesson->folder, app->language == 1, &doc, &why) == STATUS_OK) {
        writer_text(w, app->look.ascii ? " - " : " · ");
        writer_text(w, doc->pages[at.page].title);
    }
}

static int draw_places(struct app *app, struct grid *g, struct rect area, int row, int focus) {
    int count = app_term_places(app, app->glossary.term);
    for (int i = 0; i < count; i++, row++) {
        char text[TEXT_MAX];
        struct writer w;
        writer_start(&w, text, sizeof text);
        write_place(app, app_term_place(app, app->glossary.term, i), &w);
        bool here = i == focus;
        if (here) {
            grid_put(g, area, row, area.col, ui_glyph(&app->look, UI_GLYPH_POINTER),
                     UI_ROLE_ACCENT);
        }
        grid_put_cut(g, area, row, area.col + PLACE_COL, text, here ? UI_ROLE_CURSOR : UI_ROLE_TEXT,
                     area.cols - PLACE_COL);
        ui_hit_add(g, area, (struct rect){row, area.col, 1, area.cols}, UI_HIT_ITEM, i);
        if (here && row >= area.row && row < area.row + area.rows) {
            g->cursor_row = row;
            g->cursor_col = area.col;
        }
    }
    return row;
}

/* From `row` on, which may lie above the area. Returns the row behind the last. */
static int draw_term(struct app *app, struct grid *g, struct rect area, int row, int focus) {
    const struct glossary_term *t = &app->glossary.terms->terms[app->glossary.term];
    int language = app->language;
    bool none = app_term_places(app, app->glossary.term) == 0;
    row += ui_text_draw(g, area, row, t->name[language], UI_ROLE_TITLE, &app->look);
    row += ui_text_draw(g, area, row, t->name[1 - language], UI_ROLE_DIM, &app->look);
    row += 1 + ui_text_draw(g, area, row + 1, t->means[language], UI_ROLE_TEXT, &app->look);
    row += 1 + ui_text_draw(g, area, row + 1,
                            words_get(app->look.words,
                                      none ? "status.no_page_of_term" : "home.glossary_pages"),
                            none ? UI_ROLE_DIM : UI_ROLE_STRONG, &app->look);
    return draw_places(app, g, area, row, focus);
}

int app_term_write(struct app *app, struct grid *g, struct rect area, int term, int focus) {
    app->glossary.term = term;
    return draw_term(app, g, area, area.row, focus) - area.row;
}

void app_term_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    struct app_glossary *glossary = &app->glossary;
    struct message why;
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    if (app_glossary_read(app, &why) != STATUS_OK) { /* the language may have changed */
        app->status = why;
    }
    app_header_draw(app, g, l.header, words_get(app->look.words, "home.glossary"));
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 2 : 1;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows, l.body.cols - 2 * margin};
    int count = app_term_places(app, glossary->term);
    glossary->place = glossary->place < count ? glossary->place : count > 0 ? count - 1 : 0;
    glossary->visible = area.rows;
    glossary->rows = draw_term(app, g, area, area.row - glossary->scroll, glossary->place) -
                     area.row + glossary->scroll;
    if (glossary->scroll + area.rows < glossary->rows) {
        grid_put_right(g, l.rule_bottom, l.rule_bottom.row, l.rule_bottom.cols - 1,
                       words_get(app->look.words, "status.view_more_here"), UI_ROLE_DIM);
    }
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, &(struct ui_keys){.where = UI_WHERE_TERM}, &app->look);
}
