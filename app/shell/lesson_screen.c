/* The lesson screen: words left, knobs and view right. Turns actions into moves of the scenario or of the focus,
 * and draws from state alone. Called by app.c. Proof: tests/golden/, tests/journeys/. */
#include <assert.h>
#include <string.h>

#include "app_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/view/width.h"

enum { COARSE_STEPS = 3 };

void app_view_refresh(struct app *app) {
    struct lesson_input in = {&app->scenario.resolved,
                              app->scenario.has_before ? &app->scenario.before : NULL, app->page};
    struct message why;
    app->group_count = app->lesson->knobs(app->page, app->groups);
    if (app->lesson->view(&in, &app->view, &why) != STATUS_OK) {
        app->status = why;
    }
    const struct view_ledger *ledger = app_view_ledger(app);
    int rows = ledger == NULL ? 0 : ledger->row_count;
    app->row = app->row < rows ? app->row : rows - 1;
    if (app->row < 0) {
        app->row = 0;
    }
}

const struct view_ledger *app_view_ledger(const struct app *app) {
    for (int i = 0; i < app->view.item_count; i++) {
        if (app->view.items[i].kind == VIEW_KIND_LEDGER) {
            return &app->view.items[i].ledger;
        }
    }
    return NULL;
}

enum status app_lesson_open(struct app *app, const struct lesson *lesson, struct message *why) {
    for (int language = 0; language < 2; language++) {
        enum status ok =
            store_lesson(app->store, lesson->folder, language == 1, &app->documents[language], why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    bool again = app->lesson == lesson;
    app->lesson = lesson;
    if (!again) { /* coming back keeps page, scenario and undo */
        app->page = 0;
        enum status ok = app_scenario_begin(app, lesson->start, why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    app->pane = app->knob = app->scroll = 0;
    app->row = 2; /* the optimizer: the row that the first pages speak of */
    app->link = -1;
    app->screen = APP_SCREEN_LESSON;
    app_view_refresh(app);
    return STATUS_OK;
}

int app_pane_count(const struct app *app) {
    bool links = ui_page_link_count(app->documents[app->language], app->page) > 0;
    return app->group_count + 1 + (links ? 1 : 0);
}

static int knob_count(const struct lesson_knobs *group) {
    int count = 0;
    while (count < LESSON_KNOBS_MAX && group->options[count] != NULL) {
        count++;
    }
    return count;
}

static bool on_knobs(const struct app *app) {
    return app->pane < app->group_count;
}

static bool on_view(const struct app *app) {
    return app->pane == app->group_count;
}

/* The knobs in sight: those of the focused group, else the page's own. */
static const struct lesson_knobs *visible_group(const struct app *app) {
    return &app->groups[on_knobs(app) ? app->pane : 0];
}

int app_knob_option(const struct app *app) {
    if (!on_knobs(app)) {
        return -1;
    }
    return calc_option_index(app->groups[app->pane].options[app->knob]);
}

/* --- actions --- */

static void forget_refusal(struct app *app) {
    if (app->refused.option >= 0) {
        app->refused.option = -1;
        app->status.id = NULL;
    }
}

static unsigned go_to_page(struct app *app, int page) {
    if (page < 0 || page >= app->lesson->page_count) {
        app_status_set(app, page < 0 ? "status.first_page" : "status.last_page");
        return APP_EFFECT_VIEW;
    }
    app->page = page;
    app->pane = app->knob = app->scroll = 0;
    app->link = -1;
    app->status.id = NULL;
    forget_refusal(app);
    app_view_refresh(app);
    return APP_EFFECT_VIEW;
}

static unsigned change_pane(struct app *app, int step) {
    int panes = app_pane_count(app);
    forget_refusal(app);
    app->pane = (app->pane + step + panes) % panes;
    app->knob = 0;
    app->link = app->pane == app->group_count + 1 ? 0 : -1;
    return APP_EFFECT_VIEW;
}

static unsigned move_focus(struct app *app, int step) {
    int *index = &app->link;
    int count = ui_page_link_count(app->documents[app->language], app->page);
    forget_refusal(app);
    if (on_knobs(app)) {
        index = &app->knob;
        count = knob_count(&app->groups[app->pane]);
    } else if (on_view(app)) {
        const struct view_ledger *ledger = app_view_ledger(app);
        index = &app->row;
        count = ledger == NULL ? 0 : ledger->row_count;
    }
    int next = *index + step;
    if (next < 0 || next >= count) {
        return 0;
    }
    *index = next;
    return APP_EFFECT_VIEW;
}

static unsigned scroll_words(struct app *app, int direction) {
    int step = app->page_visible > 2 ? app->page_visible - 1 : 1;
    int last = app->page_rows - app->page_visible;
    int next = app->scroll + direction * step;
    next = next > last ? last : next;
    next = next < 0 ? 0 : next;
    if (next == app->scroll) {
        return 0;
    }
    app->scroll = next;
    return APP_EFFECT_VIEW;
}

static unsigned copy_line(struct app *app) {
    struct writer w;
    writer_start(&w, app->copied, sizeof app->copied);
    writer_text(&w, "shardlab mem");
    scenario_write_options(&w, &app->scenario.given);
    message_start(&app->status, "status.copied");
    message_add_text(&app->status, app->copied);
    return APP_EFFECT_VIEW | APP_EFFECT_COPY;
}

static unsigned open_why(struct app *app) {
    if (app_view_ledger(app) == NULL) {
        app_status_set(app, "status.no_why");
        return APP_EFFECT_VIEW;
    }
    app->beneath = APP_SCREEN_LESSON;
    app->screen = APP_SCREEN_WHY;
    app->scroll = 0;
    return APP_EFFECT_VIEW;
}

static unsigned follow_link(struct app *app) {
    const struct span *link =
        ui_page_link(app->documents[app->language], app->page, app->link < 0 ? 0 : app->link);
    if (link == NULL || link->target == NULL || strncmp(link->target, "lesson:", 7) != 0) {
        return on_view(app) ? open_why(app) : 0;
    }
    const struct lesson *lesson = lesson_find(link->target + 7);
    struct message why;
    if (lesson == NULL || app_lesson_open(app, lesson, &why) != STATUS_OK) {
        app_status_set(app, "status.no_lesson");
    }
    return APP_EFFECT_VIEW;
}

static unsigned move_knob(struct app *app, enum ui_action action) {
    int option = app_knob_option(app);
    if (option < 0) {
        app_status_set(app, "status.no_knob");
        return APP_EFFECT_VIEW;
    }
    switch (action) {
    case UI_ACTION_LEFT: return app_knob_move(app, option, -1, false);
    case UI_ACTION_RIGHT: return app_knob_move(app, option, 1, false);
    case UI_ACTION_COARSE_LEFT: return app_knob_move(app, option, -COARSE_STEPS, false);
    case UI_ACTION_COARSE_RIGHT: return app_knob_move(app, option, COARSE_STEPS, false);
    case UI_ACTION_FIRST: return app_knob_to_end(app, option, false);
    case UI_ACTION_LAST: return app_knob_to_end(app, option, true);
    default: return app_knob_reset(app, option);
    }
}

unsigned app_lesson_action(struct app *app, enum ui_action action) {
    switch (action) {
    case UI_ACTION_LEFT:
    case UI_ACTION_RIGHT:
    case UI_ACTION_COARSE_LEFT:
    case UI_ACTION_COARSE_RIGHT:
    case UI_ACTION_FIRST:
    case UI_ACTION_LAST:
    case UI_ACTION_RESET: return move_knob(app, action);
    case UI_ACTION_UP: return move_focus(app, -1);
    case UI_ACTION_DOWN: return move_focus(app, 1);
    case UI_ACTION_PAGE_UP: return scroll_words(app, -1);
    case UI_ACTION_PAGE_DOWN: return scroll_words(app, 1);
    case UI_ACTION_NEXT_PANE: return change_pane(app, 1);
    case UI_ACTION_PREV_PANE: return change_pane(app, -1);
    case UI_ACTION_OPEN: return follow_link(app);
    case UI_ACTION_NEXT: return go_to_page(app, app->page + 1);
    case UI_ACTION_PREVIOUS: return go_to_page(app, app->page - 1);
    case UI_ACTION_WHY: return open_why(app);
    case UI_ACTION_CONVENTION:
        return app_knob_move(app, calc_option_index("convention"), 1, true);
    case UI_ACTION_UNDO: return app_undo(app);
    case UI_ACTION_COPY: return copy_line(app);
    case UI_ACTION_BACK: app->screen = APP_SCREEN_HOME; return APP_EFFECT_VIEW;
    default: return 0;
    }
}

/* --- drawing --- */

static const char *label_of(const struct app *app, const char *option) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "option.");
    writer_text(&w, option);
    writer_text(&w, ".label");
    return words_get(app->look.words, id);
}

/* Texts of one knob's stops; ui_knob borrows them while it is drawn. */
struct knob_texts {
    char value[CALC_NAME_MAX];
    char stops[UI_KNOB_STOPS_MAX][24];
};

static void fill_stops(const struct app *app, int option, struct ui_knob *knob, struct knob_texts *texts) {
    for (int i = 0; i < knob->stop_count; i++) {
        struct writer w;
        struct message why;
        writer_start(&w, texts->stops[i], sizeof texts->stops[i]);
        app_knob_stop_text(app, option, i, &w);
        knob->stops[i] = texts->stops[i];
        knob->hollow[i] = !knob->picker && !app_knob_stop_legal(app, option, i, &why);
    }
}

/* Beside a name what it stands for: "6.74B", "85.09 GB". */
static void write_size(const struct app *app, int option, struct writer *w) {
    const struct scenario *s = &app->scenario.resolved;
    struct calc_params params;
    struct message size, unused;
    if (calc_option_at(option)->group != CALC_GROUP_MODEL) {
        message_start(&size, "home.card_size");
        message_add_bytes(&size, scenario_capacity_bytes(s));
    } else if (calc_params_count(s, &params, &unused) == STATUS_OK) {
        char count[32];
        struct writer digits;
        writer_start(&digits, count, sizeof count);
        units_write_short_count(&digits, params.total);
        message_start(&size, "home.model_size");
        message_add_text(&size, count);
    } else {
        return;
    }
    words_write(w, app->look.words, &size);
}

static void fill_knob(const struct app *app, int option, struct ui_knob *knob, struct knob_texts *texts) {
    const struct calc_option *o = calc_option_at(option);
    struct app_stops stops = app_knob_stops(app, option);
    struct writer w;
    memset(knob, 0, sizeof *knob);
    knob->label = label_of(app, o->name);
    knob->picker = o->kind == CALC_OPTION_NAME;
    knob->stop_count = stops.count < UI_KNOB_STOPS_MAX ? stops.count : UI_KNOB_STOPS_MAX;
    knob->current = stops.current;
    writer_start(&w, texts->value, sizeof texts->value);
    if (knob->picker && app->refused.option != option) {
        write_size(app, option, &w);
    } else if (app->refused.option == option) {
        app_knob_stop_text(app, option, stops.current, &w);
    } else {
        calc_option_write(&w, &app->scenario.resolved, option);
    }
    knob->value = texts->value;
    fill_stops(app, option, knob, texts);
}

static int label_columns(const struct app *app, const struct lesson_knobs *group,
                         const struct width_rules *rules) {
    int widest = 0;
    for (int i = 0; i < knob_count(group); i++) {
        int columns = width_text(label_of(app, group->options[i]), rules);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* "more: Tab layout · recipe": the other groups, so that nobody has to guess that they are there. */
static void draw_more(const struct app *app, struct grid *g, struct rect area, int row) {
    char text[256];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, words_get(app->look.words, "home.more_knobs"));
    int shown = on_knobs(app) ? app->pane : 0;
    for (int i = 1; i < app->group_count; i++) {
        int group = (shown + i) % app->group_count;
        writer_text(&w, i == 1 ? "" : app->look.ascii ? " | " : " · ");
        writer_text(&w, words_get(app->look.words, app->groups[group].label));
    }
    grid_put_cut(g, area, row, area.col + 2, text, UI_ROLE_DIM, area.cols - 3);
}

static void draw_knobs(struct app *app, struct grid *g, struct rect area) {
    const struct lesson_knobs *group = visible_group(app);
    int count = knob_count(group), columns = label_columns(app, group, &g->rules);
    int first = app->knob >= area.rows && area.rows > 0 ? app->knob - area.rows + 1 : 0;
    for (int i = first; i < count && i - first < area.rows; i++) {
        struct ui_knob knob;
        struct knob_texts texts;
        fill_knob(app, calc_option_index(group->options[i]), &knob, &texts);
        knob.focused = on_knobs(app) && i == app->knob;
        ui_knob_draw(g, area, area.row + i - first, &knob, columns, &app->look);
        if (knob.focused) {
            g->cursor_row = area.row + i - first;
            g->cursor_col = area.col;
        }
    }
    if (count - first < area.rows) {
        draw_more(app, g, area, area.row + count - first);
    }
}

static bool write_figure(void *context, const char *name, struct writer *out) {
    const struct app *app = context;
    struct lesson_input in = {&app->scenario.resolved, NULL, app->page};
    return app->lesson->figure(&in, name, out);
}

static void draw_words(struct app *app, struct grid *g, struct rect area) {
    struct ui_expand expand = {write_figure, app};
    struct rect inner = {area.row, area.col + 2, area.rows, area.cols > 4 ? area.cols - 4 : 0};
    const struct document *doc = app->documents[app->language];
    struct grid nowhere = {.rules = g->rules};
    struct rect unbounded = {0, 0, 0, inner.cols};
    app->page_rows = ui_page_draw(&nowhere, unbounded, doc, app->page, 0, -1, &expand, &app->look);
    if (app->page_rows > inner.rows && inner.rows > 1) {
        inner.rows--; /* the last row tells that there is more */
    }
    app->page_visible = inner.rows;
    int last = app->page_rows - inner.rows;
    app->scroll = app->scroll < last ? app->scroll : last > 0 ? last : 0;
    ui_page_draw(g, inner, doc, app->page, app->scroll, app->link, &expand, &app->look);
    if (last > 0) {
        const char *hint = app->scroll < last ? "status.more_below" : "status.more_above";
        grid_put_right(g, area, area.row + area.rows - 1, area.col + area.cols - 1,
                       words_get(app->look.words, hint), UI_ROLE_DIM);
    }
}

static void draw_split(struct app *app, struct grid *g, const struct ui_lesson_layout *l) {
    size_t at = 0;
    if (l->split.cols == 0) {
        return;
    }
    uint32_t bar = width_decode(ui_glyph(&app->look, UI_GLYPH_VERTICAL), &at);
    for (int row = 0; row < l->split.rows; row++) {
        grid_fill(g, l->split, l->split.row + row, l->split.col, 1, bar, UI_ROLE_LINE);
    }
    const struct rect whole = {0, 0, g->rows, g->cols};
    int above = l->split.row - 1, below = l->split.row + l->split.rows;
    grid_put(g, whole, above, l->split.col, ui_glyph(&app->look, UI_GLYPH_TEE_DOWN), UI_ROLE_LINE);
    grid_put(g, whole, below, l->split.col, ui_glyph(&app->look, UI_GLYPH_TEE_UP), UI_ROLE_LINE);
    if (l->rule_mid.rows > 0) {
        grid_put(g, whole, l->rule_mid.row, l->split.col, ui_glyph(&app->look, UI_GLYPH_TEE_RIGHT),
                 UI_ROLE_LINE);
    }
}

static void write_title(const struct app *app, struct writer *w) {
    char id[64];
    struct writer name;
    writer_start(&name, id, sizeof id);
    writer_text(&name, "lesson.");
    writer_text(&name, app->lesson->id);
    writer_text(&name, ".title");
    writer_text(w, words_get(app->look.words, id));
    writer_text(w, app->look.ascii ? " - " : " · ");
    writer_u64(w, (uint64_t)app->page + 1);
    writer_char(w, '/');
    writer_u64(w, (uint64_t)app->lesson->page_count);
}

void app_lesson_draw(struct app *app, struct grid *g) {
    char title[128];
    struct writer w;
    int wide = g->cols > UI_COLS_SPLIT ? g->cols * 3 / 5 : g->cols;
    struct ui_lesson_layout l =
        ui_lesson_layout(g->rows, g->cols, knob_count(visible_group(app)) + 1,
                         ui_view_rows(&app->view, wide, &app->look));
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    writer_start(&w, title, sizeof title);
    write_title(app, &w);
    app_header_draw(app, g, l.header, title);
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_mid);
    app_rule_draw(app, g, l.rule_bottom);
    draw_split(app, g, &l);
    draw_words(app, g, l.words);
    draw_knobs(app, g, l.knobs);
    ui_view_draw(g, l.view, &app->view, app->row, on_view(app), &app->look);
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, UI_WHERE_LESSON, &app->look);
}
