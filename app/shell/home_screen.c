/* Home: what can be opened from here. One list; Enter opens. The lessons stand in the middle, as items from 0 on; above
 * them what is open and the questions of the day, below them the interview and the figures. Where there is room every
 * lesson has its summary below its title; else a lesson is one line, what is cut of the summary in focus stands in the
 * status row, and a list that is longer than the screen scrolls. Called by app.c through its table of screens.
 * Proof: tests/golden/test_screens.c, tests/journeys/. */
#include "quiz_private.h"

enum {
    ITEM_TEXT_MAX = 512,
    SUMMARY_COLS_MIN = 24,
    PAGES_COLS = 3,
    MEASURE = 76,
    LINE_MEASURE = 112
};

enum home_item { HOME_CONTINUE = -2, HOME_DUE = -1 };

static int item_count(void) {
    return lesson_count();
}

static int interview_item(void) {
    return item_count();
}

static int first_item(const struct app *app) {
    int page = 0;
    return app_quiz_home_lesson(app, &page) != NULL ? HOME_CONTINUE : HOME_DUE;
}

static int last_item(void) {
    return interview_item() + 1; /* the figures */
}

static unsigned move_to(struct app *app, int item) {
    item = item < first_item(app) ? first_item(app) : item > last_item() ? last_item() : item;
    if (item == app->home_item) {
        return 0;
    }
    app->home_item = item;
    return APP_EFFECT_VIEW;
}

/* To the first or last lesson, and from there to the end of everything. */
static unsigned move_to_end(struct app *app, bool last) {
    int lesson = last ? item_count() - 1 : 0;
    bool beyond = last ? app->home_item >= lesson : app->home_item <= lesson;
    return move_to(app, !beyond ? lesson : last ? last_item() : first_item(app));
}

static unsigned open_item(struct app *app) {
    struct message why;
    int item = app->home_item;
    app->status.id = NULL;
    if (item == HOME_DUE) {
        return app_quiz_begin(app);
    }
    if (item >= interview_item()) {
        return item == interview_item() ? app_form_open(app, true) : app_stats_open(app);
    }
    int page = 0;
    const struct lesson *last = app_quiz_home_lesson(app, &page);
    enum status ok = item == HOME_CONTINUE && app->lesson == NULL && last != NULL
                         ? app_lesson_show(app, last, page, NULL, &why)
                         : app_lesson_open(app, item >= 0 ? lesson_at(item) : app->lesson, &why);
    if (ok != STATUS_OK) {
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
        return move_to_end(app, false);
    case UI_ACTION_LAST:
        return move_to_end(app, true);
    case UI_ACTION_PRACTISE:
        return app_quiz_begin(app);
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
    if (app->lesson != NULL && app->lesson == l) {
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

/* --- What is no lesson --- */

static const char *extra_label(const struct app *app, int item) {
    const char *id = item == HOME_CONTINUE      ? "home.continue"
                     : item == HOME_DUE         ? "home.questions"
                     : item == interview_item() ? "home.interview"
                                                : "home.statistics";
    return words_get(app->look.words, id);
}

static int widest_title(const struct app *app, const struct width_rules *rules) {
    int widest = 0;
    for (int i = HOME_CONTINUE; i < 0; i++) {
        int cols = width_text(extra_label(app, i), rules);
        widest = cols > widest ? cols : widest;
    }
    for (int i = 0; i < item_count(); i++) {
        int cols = width_text(lesson_words(app, lesson_at(i), ".title"), rules);
        widest = cols > widest ? cols : widest;
    }
    return widest;
}

static void write_extra(const struct app *app, int item, struct writer *w) {
    if (item == HOME_CONTINUE) {
        struct message m;
        int page = 0;
        const struct lesson *last = app_quiz_home_lesson(app, &page);
        message_start(&m, "home.continue_page");
        message_add_text(&m, last != NULL ? lesson_words(app, last, ".title") : "");
        message_add_plain(&m, (uint64_t)page + 1);
        words_write(w, app->look.words, &m);
    } else if (item == HOME_DUE) {
        app_quiz_home_write(app, w);
    } else if (item == interview_item()) {
        app_quiz_home_interview_write(app, w);
    } else {
        app_quiz_home_figures_write(app, w);
    }
}

/* Label and what it says; true: that is cut. */
static bool draw_extra(struct app *app, struct grid *g, struct rect row, int item, int title_cols) {
    char text[ITEM_TEXT_MAX];
    struct writer w;
    bool here = item == app->home_item;
    if (here) {
        grid_put(g, row, row.row, row.col, ui_glyph(&app->look, UI_GLYPH_POINTER), UI_ROLE_ACCENT);
        g->cursor_row = row.row;
        g->cursor_col = row.col;
    }
    grid_put_cut(g, row, row.row, row.col + 2, extra_label(app, item),
                 here ? UI_ROLE_CURSOR : UI_ROLE_STRONG, row.cols - 2);
    writer_start(&w, text, sizeof text);
    write_extra(app, item, &w);
    int col = 2 + title_cols + 2;
    if (row.cols > col) {
        grid_put_cut(g, row, row.row, row.col + col, text, UI_ROLE_TEXT, row.cols - col);
    }
    ui_hit_add(g, row, row, UI_HIT_ITEM, item);
    return width_text(text, &g->rules) > row.cols - col;
}

/* Items from `first` to before `end`, one a row; returns the row behind them. */
static int draw_extras(struct app *app, struct grid *g, struct rect area, int row, int first) {
    int end = first < 0 ? 0 : last_item() + 1;
    int cols = widest_title(app, &g->rules);
    for (int item = first; item < end; item++) {
        (void)draw_extra(app, g, (struct rect){row, area.col, 1, area.cols}, item, cols);
        row++;
    }
    return row;
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
    char text[ITEM_TEXT_MAX];
    struct writer w;
    int item = app->home_item;
    if (app->status.id != NULL || !cut || area.rows == 0) {
        return;
    }
    writer_start(&w, text, sizeof text);
    if (item < 0 || item >= item_count()) {
        write_extra(app, item, &w);
    } else {
        writer_text(&w, lesson_words(app, lesson_at(item), ".summary"));
    }
    grid_put_cut(g, area, area.row, area.col + 1, text, UI_ROLE_DIM, area.cols - 2);
}

/* One item on a row; true: its summary is cut. */
static bool draw_row(struct app *app, struct grid *g, struct rect row, int item, int title_cols) {
    if (item < 0 || item >= item_count()) {
        return draw_extra(app, g, row, item, title_cols);
    }
    struct rect room = draw_title(app, g, row, item, title_cols);
    const char *summary = lesson_words(app, lesson_at(item), ".summary");
    if (room.cols >= SUMMARY_COLS_MIN) {
        grid_put_cut(g, room, room.row, room.col, summary, UI_ROLE_TEXT, room.cols);
    }
    ui_hit_add(g, row, row, UI_HIT_ITEM, item);
    return room.cols < SUMMARY_COLS_MIN || width_text(summary, &g->rules) > room.cols;
}

/* Items from `first` on, as many as there are rows from `scroll` on; true: the summary in focus is cut. */
static bool draw_rows(struct app *app, struct grid *g, struct rect area, int first, int count) {
    int title_cols = widest_title(app, &g->rules);
    bool cut = false;
    for (int i = 0; i < count && i < area.rows; i++) {
        struct rect row = {area.row + i, area.col, 1, area.cols};
        bool this_cut = draw_row(app, g, row, first + i, title_cols);
        cut = cut || (first + i == app->home_item && this_cut);
    }
    return cut;
}

/* --- Around the list --- */

static const char *const command_lines[] = {
    "shardlab mem --model llama-2-7b --zero 1 --dp 8 --gpu a100-sxm-80gb",
    "shardlab params --model qwen2.5-7b",
    "shardlab --help",
};
enum { LINES = sizeof command_lines / sizeof command_lines[0] };

/* The command line, for whoever wants one number; only the last of `rows` lines where there are few. */
static void draw_commands(struct app *app, struct grid *g, struct rect area, int row, int rows) {
    int shown = rows - 1 < LINES ? rows - 1 : LINES;
    if (shown < 1) {
        return;
    }
    grid_put(g, area, row, area.col, words_get(app->look.words, "home.commands"), UI_ROLE_TITLE);
    for (int i = 0; i < shown; i++) {
        grid_put_cut(g, area, row + 1 + i, area.col + 2, command_lines[LINES - shown + i],
                     UI_ROLE_TEXT, area.cols - 2);
    }
}

/* The same in one row. */
static void draw_command(struct app *app, struct grid *g, struct rect area, int row) {
    int col = grid_put(g, area, row, area.col, words_get(app->look.words, "home.commands"),
                       UI_ROLE_TITLE);
    grid_put(g, area, row, col + 2, command_lines[LINES - 1], UI_ROLE_TEXT);
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
    int extras = last_item() - item_count() + 1 - first_item(app);
    int top = area.rows > 10 ? 1 : 0;
    if (top + welcome + 1 + 1 + list + extras + 2 > area.rows) {
        return false;
    }
    int row = area.row + top;
    row += draw_welcome(app, g, area, row) + 1;
    row = draw_extras(app, g, area, row, first_item(app)) + 1;
    draw_heading(app, g, area, row);
    row = draw_spread(app, g, area, row + 1) + 1;
    row = draw_extras(app, g, area, row, interview_item()) + 1;
    draw_commands(app, g, area, row, area.row + area.rows - row);
    app->page_visible = item_count();
    app->scroll = 0;
    return true;
}

/* Nothing but items, a line each, scrolled with the focus. */
static bool draw_scrolled(struct app *app, struct grid *g, struct rect area, int count) {
    int first = first_item(app);
    app->scroll = ui_scroll_follow(app->scroll, area.rows, count, app->home_item - first);
    app->page_visible = area.rows;
    if (app->scroll + area.rows < count) { /* said on the rule below */
        struct rect rule = {area.row + area.rows, 0, 1, g->cols};
        grid_put_right(g, rule, rule.row, rule.cols - 1,
                       words_get(app->look.words, "status.view_more_here"), UI_ROLE_DIM);
    }
    return draw_rows(app, g, area, first + app->scroll, count - app->scroll);
}

/* A line an item; welcome and command line as far as the list leaves them room. True: the summary in focus is cut. */
static bool draw_dense(struct app *app, struct grid *g, struct rect area) {
    enum { COMMANDS_MIN = 3 }; /* a blank row, the heading, a line */
    struct grid nowhere = {.rules = g->rules};
    int welcome = draw_welcome(app, &nowhere, (struct rect){0, 0, 0, area.cols}, 0);
    int count = last_item() - first_item(app) + 1;
    int left = area.rows - 1 - count;
    int row = area.row;
    if (left < 0) {
        return draw_scrolled(app, g, area, count);
    }
    if (left >= welcome) {
        left -= welcome;
        int blank = left > COMMANDS_MIN ? 1 : 0;
        row += draw_welcome(app, g, area, row + blank) + 2 * blank;
        left -= 2 * blank;
    }
    row = draw_extras(app, g, area, row, first_item(app));
    draw_heading(app, g, area, row);
    struct rect list = {row + 1, area.col, item_count(), area.cols};
    bool cut = draw_rows(app, g, list, 0, item_count());
    row = draw_extras(app, g, area, list.row + list.rows, interview_item());
    app->page_visible = count;
    app->scroll = 0;
    if (left >= COMMANDS_MIN) {
        draw_commands(app, g, area, row + 1, left - 1);
    } else if (left > 0) {
        draw_command(app, g, area, row + left - 1);
    }
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
    }
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, &(struct ui_keys){.where = UI_WHERE_HOME}, &app->look);
}
