/* Search in the words of a lesson: a line is typed in the status row, every page of the language that is read is
 * looked through, n and N go from match to match, Esc ends it. What a figure shows is found as it stands. Matches
 * are counted anew at each step (microseconds), because figures move with the sliders. Called by the lesson
 * screen. Proof: tests/journeys/search.txt. */
#include "app_private.h"

static bool write_figure(void *context, const char *name, struct writer *out) {
    const struct app *app = context;
    if (app_guess_open(app)) { /* they would give the answer away */
        writer_char(out, '?');
        return true;
    }
    struct lesson_input in = app_input(app);
    return app->lesson->figure(&in, name, out);
}

struct ui_expand app_words(struct app *app, int page) {
    const struct app_search *s = &app->search;
    return (struct ui_expand){.write = write_figure,
                              .context = app,
                              .find = s->active ? s->typed.text : NULL,
                              .found = s->page == page ? s->match : -1};
}

/* How many matches a page has; the width does not matter. */
static int count_on_page(struct app *app, int page) {
    enum { ANY_COLS = 60 };
    struct ui_expand expand = app_words(app, page);
    expand.find = app->search.typed.text;
    const struct document *doc = app->documents[app->language];
    for (expand.found = 0; ui_page_match_row(ANY_COLS, doc, page, &expand, &app->look) >= 0;) {
        expand.found++;
    }
    return expand.found;
}

void app_search_open(struct app *app) {
    app->search = (struct app_search){.prompting = true};
    app->refused.option = -1;
    app->status.id = NULL;
}

void app_search_end(struct app *app) {
    app->search = (struct app_search){.prompting = false};
}

unsigned app_search_type(struct app *app, uint32_t key) {
    return app_typed_add(&app->search.typed, key) ? APP_EFFECT_VIEW : 0;
}

static unsigned go(struct app *app, int page, int match) {
    if (page != app->page) {
        (void)app_page_go(app, page); /* the page is one of the lesson's */
    }
    app->search.page = page;
    app->search.match = match;
    app->search.follow = true;
    return APP_EFFECT_VIEW;
}

unsigned app_search_step(struct app *app, int step) {
    struct app_search *s = &app->search;
    int pages = app->lesson->page_count;
    bool here = s->page == app->page;
    int count = count_on_page(app, app->page);
    int match = here ? s->match + step : step > 0 ? 0 : count - 1;
    if (match >= 0 && match < count) {
        return go(app, app->page, match);
    }
    for (int away = 1; away <= pages; away++) {
        int page = (app->page + step * away + pages * away) % pages;
        count = count_on_page(app, page);
        if (count > 0) {
            return go(app, page, step > 0 ? 0 : count - 1);
        }
    }
    return 0;
}

/* From the page in sight on, and round to it again. */
static unsigned run(struct app *app) {
    struct app_search *s = &app->search;
    s->prompting = false;
    if (s->typed.length == 0) {
        return APP_EFFECT_VIEW;
    }
    s->page = app->page;
    s->match = -1;
    if (app_search_step(app, 1) == 0) {
        message_start(&app->status, "status.not_found");
        message_add_text(&app->status, s->typed.text);
        return APP_EFFECT_VIEW;
    }
    s->active = true;
    return APP_EFFECT_VIEW;
}

unsigned app_search_action(struct app *app, enum ui_action action) {
    switch (action) {
    case UI_ACTION_OPEN:
        return run(app);
    case UI_ACTION_BACK:
        app_search_end(app);
        return APP_EFFECT_VIEW;
    case UI_ACTION_ERASE:
        return app_typed_erase(&app->search.typed) ? APP_EFFECT_VIEW : 0;
    case UI_ACTION_CLEAR:
        app_typed_clear(&app->search.typed);
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}

/* Which match of how many, counted over the lesson. */
static void write_place(struct app *app, struct message *m) {
    int before = 0, all = 0;
    for (int page = 0; page < app->lesson->page_count; page++) {
        int count = count_on_page(app, page);
        before += page < app->search.page ? count : 0;
        all += count;
    }
    message_start(m, "status.found");
    message_add_text(m, app->search.typed.text);
    message_add_plain(m, (uint64_t)before + (uint64_t)app->search.match + 1);
    message_add_plain(m, (uint64_t)all);
}

bool app_search_draw(struct app *app, struct grid *g, struct rect area) {
    char text[APP_TYPED_MAX * 2];
    if (app->search.prompting && area.rows > 0) {
        int col = grid_put(g, area, area.row, area.col + 1, "/", UI_ROLE_KEY);
        g->cursor_col = grid_put(g, area, area.row, col, app->search.typed.text, UI_ROLE_TEXT);
        g->cursor_row = area.row;
        return true;
    }
    if (!app->search.active || app->status.id != NULL || area.rows == 0) {
        return false;
    }
    struct message place;
    write_place(app, &place);
    app_say(app, &place, text, sizeof text);
    grid_put_cut(g, area, area.row, area.col + 1, text, UI_ROLE_DIM, area.cols - 2);
    return true;
}
