/* How the lesson screen looks: words left, knobs and view right, from the application's state alone. The focus is
 * moved by lesson_screen.c. Proof: tests/golden/. */
#include <string.h>

#include "app_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/view/width.h"

/* The knobs in sight: those of the focused group, else the page's own. */
static const struct lesson_knobs *visible_group(const struct app *app) {
    return &app->groups[app_on_knobs(app) ? app->pane : 0];
}

const char *app_option_label(const struct app *app, const char *option) {
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

static void fill_stops(const struct app *app, int option, struct ui_knob *knob,
                       struct knob_texts *texts) {
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
        uint64_t bytes = scenario_capacity_bytes(s);
        bool sourced = s->cluster.memory != 0 || s->cluster.usable_bytes != 0;
        message_start(&size, bytes == 0 ? "home.card_unknown"
                             : sourced  ? "home.card_size"
                                        : "home.card_listed");
        if (bytes != 0) {
            message_add_bytes(&size, bytes);
        }
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

static void fill_knob(const struct app *app, int option, struct ui_knob *knob,
                      struct knob_texts *texts) {
    const struct lesson_knob *own = app_own(app, option);
    struct app_stops stops = app_knob_stops(app, option);
    struct writer w;
    memset(knob, 0, sizeof *knob);
    knob->label = app_option_label(app, own != NULL ? own->name : calc_option_at(option)->name);
    knob->picker = own == NULL && calc_option_at(option)->kind == CALC_OPTION_NAME;
    knob->stop_count = stops.count < UI_KNOB_STOPS_MAX ? stops.count : UI_KNOB_STOPS_MAX;
    knob->current = stops.current;
    writer_start(&w, texts->value, sizeof texts->value);
    if (knob->picker && app->refused.option != option) {
        write_size(app, option, &w);
    } else if (app->refused.option == option || own != NULL) {
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
    for (int i = 0; i < app_knob_count(group); i++) {
        int columns = width_text(app_option_label(app, group->options[i]), rules);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* "more: Tab layout · recipe": the other groups, so that nobody has to guess that they are there. */
static void draw_more(const struct app *app, struct grid *g, struct rect area, int row) {
    char text[256];
    struct writer w;
    if (app->group_count < 2) {
        return;
    }
    writer_start(&w, text, sizeof text);
    writer_text(&w, words_get(app->look.words, "home.more_knobs"));
    int shown = app_on_knobs(app) ? app->pane : 0;
    for (int i = 1; i < app->group_count; i++) {
        int group = (shown + i) % app->group_count;
        writer_text(&w, i == 1 ? "" : app->look.ascii ? " | " : " · ");
        writer_text(&w, words_get(app->look.words, app->groups[group].label));
    }
    grid_put_cut(g, area, row, area.col + 2, text, UI_ROLE_DIM, area.cols - 3);
}

static void draw_knobs(struct app *app, struct grid *g, struct rect area) {
    const struct lesson_knobs *group = visible_group(app);
    int count = app_knob_count(group), columns = label_columns(app, group, &g->rules);
    int first = app->knob >= area.rows && area.rows > 0 ? app->knob - area.rows + 1 : 0;
    for (int i = first; i < count && i - first < area.rows; i++) {
        struct ui_knob knob;
        struct knob_texts texts;
        fill_knob(app, app_knob_index(app, group->options[i]), &knob, &texts);
        knob.focused = app_on_knobs(app) && i == app->knob;
        if (g->hits != NULL) {
            g->hits->id = i;
        }
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

static void draw_words(struct app *app, struct grid *g, struct rect area) {
    struct ui_expand expand = app_words(app, app->page);
    ui_hit_add(g, area, area, UI_HIT_WORDS, 0);
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
    if (app->search.follow) {
        int row = ui_page_match_row(inner.cols, doc, app->page, &expand, &app->look);
        app->scroll = ui_scroll_follow(app->scroll, inner.rows, app->page_rows, row);
        app->search.follow = false;
    }
    if (app->link_follow) {
        int row = ui_page_link_row(inner.cols, doc, app->page, app->link, &expand, &app->look);
        int last_row = row + 1 < app->page_rows ? row + 1 : row; /* it may be broken once */
        app->scroll = ui_scroll_follow(app->scroll, inner.rows, app->page_rows, last_row);
        app->scroll = ui_scroll_follow(app->scroll, inner.rows, app->page_rows, row);
        app->link_follow = false;
    }
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

/* On the rule below a pane that goes on: how its rest is reached. */
static void draw_goes_on(struct app *app, struct grid *g, struct rect area) {
    struct rect rule = {area.row + area.rows, area.col, 1, area.cols};
    bool links = app_pane_count(app) > app->group_count + 1; /* they lie between */
    const char *how = app_on_view(app) ? "status.view_more_here"
                      : links          ? "status.view_more_links"
                                       : "status.view_more";
    grid_put_right(g, rule, rule.row, rule.col + rule.cols - 1, words_get(app->look.words, how),
                   UI_ROLE_DIM);
}

/* The experiment takes its rows from the top of the pane. False: it leaves none in which a view can be read. */
static bool draw_experiment(struct app *app, struct grid *g, struct rect *area) {
    enum { VIEW_ROWS_MIN = 3 };
    int taken = app_experiment_draw(app, g, *area);
    bool whole = app->experiment.rows <= area->rows;
    if (!whole && app->experiment.scroll < app->experiment.rows - area->rows) {
        draw_goes_on(app, g, *area);
    }
    if (taken > 0 && !app_guess_open(app) &&
        taken + ui_view_rows(&app->view, area->cols, &app->look) < area->rows) {
        taken++; /* a blank row, where there is room for one */
    }
    area->row += taken;
    area->rows -= taken;
    app->view_rows = app->view_visible = 0;
    return taken == 0 || area->rows >= VIEW_ROWS_MIN;
}

static void draw_view(struct app *app, struct grid *g, struct rect area) {
    const struct view_ledger *ledger = app_view_ledger(app);
    int cursor = app->beyond > 0 && ledger != NULL ? ledger->row_count - 1 + app->beyond : app->row;
    if (!draw_experiment(app, g, &area) || app_guess_open(app)) {
        return;
    }
    app->view_visible = area.rows;
    ui_hit_add(g, area, area, UI_HIT_VIEW, 0);
    app->view_rows = ui_view_draw(g, area, &app->view, cursor, app_on_view(app), &app->look);
    if (app->beyond < app->view_rows - app->view_visible) {
        draw_goes_on(app, g, area);
    }
}

/* While nothing else is to be said: how to stop a picture that is played, how to see one that is pushed out. */
static void draw_status(struct app *app, struct grid *g, struct rect area) {
    bool silent = app->status.id == NULL;
    if (silent && app->frames.playing) {
        app_status_set(app, "status.playing");
    } else if (silent && app->guesses.crowded) {
        app_status_set(app, "status.guess_full");
    }
    app_status_draw(app, g, area);
    if (silent) {
        app->status.id = NULL;
    }
}

/* The layout for what the pane of the view would like to hold; *fits: it can. */
static struct ui_lesson_layout layout_for(struct app *app, const struct grid *g, bool *fits) {
    int wide = g->cols > UI_COLS_SPLIT ? g->cols * 3 / 5 : g->cols;
    struct grid nowhere = {.rules = g->rules};
    struct rect unbounded = {0, 0, g->rows, wide};
    int rows = app_experiment_draw(app, &nowhere, unbounded);
    if (!app_guess_open(app)) {
        rows += ui_view_rows(&app->view, wide, &app->look);
    }
    struct ui_lesson_layout l =
        ui_lesson_layout(g->rows, g->cols, app_knob_count(visible_group(app)) + 1, rows);
    *fits = rows <= l.view.rows;
    return l;
}

/* What was said to the page's question is cut short where picture and answer do not fit together. */
static struct ui_lesson_layout layout_of(struct app *app, const struct grid *g) {
    bool fits;
    const struct app_guess *said = app_guess_said(app);
    app->guesses.brief = app->guesses.crowded = false;
    struct ui_lesson_layout l = layout_for(app, g, &fits);
    if (fits || said == NULL || said->choice < 0) {
        return l;
    }
    app->guesses.crowded = app->guesses.whole;
    app->guesses.brief = !app->guesses.whole;
    if (app->guesses.brief) {
        l = layout_for(app, g, &fits);
    }
    return l;
}

void app_lesson_draw(struct app *app, struct grid *g) {
    char title[128];
    struct writer w;
    struct ui_lesson_layout l = layout_of(app, g);
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
    draw_view(app, g, l.view);
    if (!app_search_draw(app, g, l.status)) {
        draw_status(app, g, l.status);
    }
    struct ui_keys keys = app_keys(app, APP_SCREEN_LESSON);
    ui_hints_draw(g, l.hints, &keys, &app->look);
}
