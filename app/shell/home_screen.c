/* Home: what can be opened from here. One list; Enter opens. Where there is room every lesson has its summary below its
 * title; else a lesson is one line, what is cut of the summary in focus stands in the status row, and a list that is
 * longer than the screen scrolls. Called by app.c through its table of screens.
 * Proof: tests/golden/test_screens.c, tests/journeys/. */
#include "app_private.h"

enum {
    ITEM_TEXT_MAX = 512,
    SUMMARY_COLS_MIN = 24,
    PAGES_COLS = 3,
    MEASURE = 76,
    LINE_MEASURE = 112
};

static int item_count(void) {
    return lesson_count();
}

static unsigned move_to(struct app *app, int item) {
    item = item < 0 ? 0 : item >= item_count() ? item_count() - 1 : item;
    if (item == app->home_item) {
        return 0;
    }
    app->home_item = item;
    return APP_EFFECT_VIEW;
}

static unsigned open_item(struct app *app) {
    struct message why;
    app->status.id = NULL;
    if (app_lesson_open(app, lesson_at(app->home_item), &why) != STATUS_OK) {
        app->status = why;
    }
    return APP_EFFECT_VIEW;
}

unsigned app_home_action(struct app *app, enum ui_action action) {
    int screenful = app->page_visible > 1 ? app->page_visible - 1 : 1;
    switch (action) {
    case UI_ACTION_UP:
        return move_to(app, app->home_item - 1);
    case UI_ACTION_DOWN:
        return move_to(app, app->home_item + 1);
    case UI_ACTION_PAGE_UP:
        return move_to(app, app->home_item - screenful);
    case UI_ACTION_PAGE_DOWN:
        return move_to(app, app->home_item + screenful);
    case UI_ACTION_FIRST:
        return move_to(app, 0);
    case UI_ACTION_LAST:
        return move_to(app, item_count() - 1);
    case UI_ACTION_OPEN:
    case UI_ACTION_RIGHT:
    case UI_ACTION_NEXT:
        return open_item(app);
    case UI_ACTION_BACK:
        app_status_set(app, "status.quit_with_q");
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}

/* --- One lesson --- */

static const char *lesson_words(const struct app *app, const struct lesson *l, const char *what) {
    char id[96];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "lesson.");
    writer_text(&w, l->id);
    writer_text(&w, what);
    return words_get(app->look.words, id);
}

/* "6", or "3/6" of the lesson that is open; what is counted stands above. */
static void write_pages(const struct app *app, const struct lesson *l, char *text) {
    struct writer w;
    writer_start(&w, text, ITEM_TEXT_MAX);
    if (app->lesson == l) {
        writer_u64(&w, (uint64_t)app->page + 1);
        writer_char(&w, '/');
    }
    writer_u64(&w, (uint64_t)l->page_count);
}

/* Title and pages on a row; returns the columns that are left between them. */
static struct rect draw_title(struct app *app, struct grid *g, struct rect row, int item,
                              int title_cols) {
    const struct lesson *l = lesson_at(item);
    bool here = item == app->home_item;
    char pages[ITEM_TEXT_MAX];
    if (here) {
        grid_put(g, row, row.row, row.col, ui_glyph(&app->look, UI_GLYPH_POINTER), UI_ROLE_ACCENT);
        g->cursor_row = row.row;
        g->cursor_col = row.col;
    }
    write_pages(app, l, pages);
    int pages_cols = width_text(pages, &g->rules);
    int room = row.cols - pages_cols - 4;
    grid_put_cut(g, row, row.row, row.col + 2, lesson_words(app, l, ".title"),
                 here ? UI_ROLE_CURSOR : UI_ROLE_STRONG, room > 0 ? room : 0);
    grid_put_right(g, row, row.row, row.col + row.cols, pages, UI_ROLE_DIM);
    int start = 2 + title_cols + 2;
    int cols = row.cols - start - PAGES_COLS - 2;
    return (struct rect){row.row, row.col + start, 1, cols > 0 ? cols : 0};
}

static int widest_title(const struct app *app, const struct width_rules *rules) {
    int widest = 0;
    for (int i = 0; i < item_count(); i++) {
        int cols = width_text(lesson_words(app, lesson_at(i), ".title"), rules);
        widest = cols > widest ? cols : widest;
    }
    return widest;
}

/* --- The list --- */

/* Summaries below titles; returns the row behind the list. On a grid without rows it measures. */
static int draw_spread(struct app *app, struct grid *g, struct rect area, int row) {
    for (int i = 0; i < item_count(); i++) {
        int first = row;
        (void)draw_title(app, g, (struct rect){row, area.col, 1, area.cols}, i, 0);
        struct rect under = {area.row, area.col + 2, area.rows, area.cols - 2};
        row += 1 + ui_text_draw(g, under, row + 1, lesson_words(app, lesson_at(i), ".summary"),
                                UI_ROLE_TEXT, &app->look);
        ui_hit_add(g, area, (struct rect){first, area.col, row - first, area.cols}, UI_HIT_ITEM, i);
    }
    return row;
}

/* The summary in focus, for the status row. */
static void say_summary(struct app *app, struct grid *g, struct rect area, bool cut) {
    if (app->status.id != NULL || !cut || area.rows == 0) {
        return;
    }
    grid_put_cut(g, area, area.row, area.col + 1,
                 lesson_words(app, lesson_at(app->home_item), ".summary"), UI_ROLE_DIM,
                 area.cols - 2);
}

/* A lesson a row, as many as there are rows; true: the summary in focus is cut. */
static bool draw_rows(struct app *app, struct grid *g, struct rect area) {
    int title_cols = widest_title(app, &g->rules);
    bool cut = true;
    app->scroll = ui_scroll_follow(app->scroll, area.rows, item_count(), app->home_item);
    for (int i = app->scroll; i < item_count() && i - app->scroll < area.rows; i++) {
        struct rect row = {area.row + i - app->scroll, area.col, 1, area.cols};
        struct rect room = draw_title(app, g, row, i, title_cols);
        const char *summary = lesson_words(app, lesson_at(i), ".summary");
        if (room.cols >= SUMMARY_COLS_MIN) {
            grid_put_cut(g, room, room.row, room.col, summary, UI_ROLE_TEXT, room.cols);
        }
        if (i == app->home_item) {
            cut = room.cols < SUMMARY_COLS_MIN || width_text(summary, &g->rules) > room.cols;
        }
        ui_hit_add(g, area, row, UI_HIT_ITEM, i);
    }
    return cut;
}

/* --- Around the list --- */

/* The command line, for whoever wants one number; only the last of `rows` lines where there are few. */
static void draw_commands(struct app *app, struct grid *g, struct rect area, int row, int rows) {
    static const char *const lines[] = {
        "shardlab mem --model llama-2-7b --zero 1 --dp 8 --gpu a100-sxm-80gb",
        "shardlab params --model qwen2.5-7b",
        "shardlab --help",
    };
    enum { LINES = sizeof lines / sizeof lines[0] };
    int shown = rows - 1 < LINES ? rows - 1 : LINES;
    if (shown < 1) {
        return;
    }
    grid_put(g, area, row, area.col, words_get(app->look.words, "home.commands"), UI_ROLE_TITLE);
    for (int i = 0; i < shown; i++) {
        grid_put_cut(g, area, row + 1 + i, area.col + 2, lines[LINES - shown + i], UI_ROLE_TEXT,
                     area.cols - 2);
    }
}

static int draw_welcome(struct app *app, struct grid *g, struct rect area, int row) {
    return ui_text_draw(g, area, row, words_get(app->look.words, "home.welcome"), UI_ROLE_TEXT,
                        &app->look);
}

static void draw_heading(struct app *app, struct grid *g, struct rect area, int row) {
    grid_put(g, area, row, area.col, words_get(app->look.words, "home.lessons"), UI_ROLE_TITLE);
    grid_put_right(g, area, row, area.col + area.cols, words_get(app->look.words, "home.pages"),
                   UI_ROLE_DIM);
}

/* Everything, with summaries below titles; false: there is no room for that. */
static bool draw_roomy(struct app *app, struct grid *g, struct rect area) {
    struct grid nowhere = {.rules = g->rules};
    struct rect measure = {0, 0, 0, area.cols};
    int welcome = draw_welcome(app, &nowhere, measure, 0);
    int list = draw_spread(app, &nowhere, measure, 0);
    int top = area.rows > 10 ? 1 : 0;
    if (top + welcome + 1 + 1 + list > area.rows) {
        return false;
    }
    int row = area.row + top;
    row += draw_welcome(app, g, area, row) + 1;
    draw_heading(app, g, area, row);
    row = draw_spread(app, g, area, row + 1) + 1;
    draw_commands(app, g, area, row, area.row + area.rows - row);
    app->page_visible = item_count();
    return true;
}

/* A line a lesson; welcome and command line as far as the list leaves them room. True: the summary in focus is cut. */
static bool draw_dense(struct app *app, struct grid *g, struct rect area) {
    enum { COMMANDS_MIN = 3 }; /* a blank row, the heading, a line */
    struct grid nowhere = {.rules = g->rules};
    int welcome = draw_welcome(app, &nowhere, (struct rect){0, 0, 0, area.cols}, 0) + 1;
    int left = area.rows - 1 - item_count();
    int row = area.row;
    if (left >= welcome) {
        left -= welcome;
        row += left > COMMANDS_MIN ? 1 : 0;
        left -= left > COMMANDS_MIN ? 1 : 0;
        row += draw_welcome(app, g, area, row) + 1;
    }
    draw_heading(app, g, area, row);
    int below = left >= COMMANDS_MIN ? left : 0;
    struct rect list = {row + 1, area.col, area.row + area.rows - row - 1 - below, area.cols};
    bool cut = draw_rows(app, g, list);
    app->page_visible = list.rows;
    draw_commands(app, g, area, list.row + list.rows + 1, below - 1);
    return cut;
}

void app_home_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    app_header_draw(app, g, l.header, "");
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 4 : 1;
    int width = l.body.cols - 2 * margin;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows,
                        width < LINE_MEASURE ? width : LINE_MEASURE};
    struct rect narrow = area;
    narrow.cols = width < MEASURE ? width : MEASURE;
    if (!draw_roomy(app, g, narrow) && !draw_roomy(app, g, area)) {
        say_summary(app, g, l.status, draw_dense(app, g, area));
        if (app->scroll + app->page_visible < item_count()) { /* said on the rule below */
            grid_put_right(g, l.rule_bottom, l.rule_bottom.row, l.rule_bottom.cols - 1,
                           words_get(app->look.words, "status.view_more_here"), UI_ROLE_DIM);
        }
    }
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, UI_WHERE_HOME, &app->look);
}
