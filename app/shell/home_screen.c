/* Home: what can be opened from here. One list; Enter opens. Called by app.c through its table of screens.
 * Proof: tests/golden/test_screens.c, tests/journeys/. */
#include "app_private.h"

static int item_count(void) {
    return lesson_count();
}

unsigned app_home_action(struct app *app, enum ui_action action) {
    struct message why;
    switch (action) {
    case UI_ACTION_UP:
    case UI_ACTION_DOWN: {
        int next = app->home_item + (action == UI_ACTION_DOWN ? 1 : -1);
        if (next < 0 || next >= item_count()) {
            return 0;
        }
        app->home_item = next;
        return APP_EFFECT_VIEW;
    }
    case UI_ACTION_OPEN:
    case UI_ACTION_RIGHT:
    case UI_ACTION_NEXT:
        app->status.id = NULL;
        if (app_lesson_open(app, lesson_at(app->home_item), &why) != STATUS_OK) {
            app->status = why;
        }
        return APP_EFFECT_VIEW;
    case UI_ACTION_BACK:
        app_status_set(app, "status.quit_with_q");
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}

static const char *lesson_words(const struct app *app, const struct lesson *l, const char *what) {
    char id[96];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "lesson.");
    writer_text(&w, l->id);
    writer_text(&w, what);
    return words_get(app->look.words, id);
}

static int draw_lessons(struct app *app, struct grid *g, struct rect area, int row) {
    for (int i = 0; i < lesson_count(); i++) {
        const struct lesson *l = lesson_at(i);
        bool here = i == app->home_item;
        if (here) {
            grid_put(g, area, row, area.col, ui_glyph(&app->look, UI_GLYPH_POINTER),
                     UI_ROLE_ACCENT);
            g->cursor_row = row;
            g->cursor_col = area.col;
        }
        grid_put(g, area, row, area.col + 2, lesson_words(app, l, ".title"),
                 here ? UI_ROLE_CURSOR : UI_ROLE_STRONG);
        struct message pages;
        char text[64];
        message_start(&pages, "home.pages");
        message_add_plain(&pages, (uint64_t)l->page_count);
        app_say(app, &pages, text, sizeof text);
        grid_put_right(g, area, row, area.col + area.cols, text, UI_ROLE_DIM);
        struct rect under = {area.row, area.col + 2, area.rows, area.cols - 2};
        int first = row;
        row += 1 + ui_text_draw(g, under, row + 1, lesson_words(app, l, ".summary"), UI_ROLE_TEXT,
                                &app->look);
        ui_hit_add(g, area, (struct rect){first, area.col, row - first, area.cols}, UI_HIT_ITEM, i);
    }
    return row;
}

/* The command line, for whoever wants one number. */
static void draw_commands(struct app *app, struct grid *g, struct rect area, int row) {
    static const char *const lines[] = {
        "shardlab mem --model llama-2-7b --zero 1 --dp 8 --gpu a100-sxm-80gb",
        "shardlab params --model qwen2.5-7b",
        "shardlab --help",
    };
    grid_put(g, area, row++, area.col, words_get(app->look.words, "home.commands"), UI_ROLE_TITLE);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        grid_put_cut(g, area, row++, area.col + 2, lines[i], UI_ROLE_TEXT, area.cols - 2);
    }
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
    int width = l.body.cols - 2 * margin < 76 ? l.body.cols - 2 * margin : 76;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows, width};
    int row = area.row + (area.rows > 10 ? 1 : 0);
    row += ui_text_draw(g, area, row, words_get(app->look.words, "home.welcome"), UI_ROLE_TEXT,
                        &app->look);
    row++;
    grid_put(g, area, row, area.col, words_get(app->look.words, "home.lessons"), UI_ROLE_TITLE);
    row = draw_lessons(app, g, area, row + 1) + 1;
    draw_commands(app, g, area, row);
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, UI_WHERE_HOME, &app->look);
}
