/* The list from which a model or a card is taken: every preset a row, typing narrows it, Enter takes. Every letter
 * is text here, so its keys are those that no text holds. What validation refuses stays in the list, marked, and
 * says why when it is chosen. Opened by the lesson screen on a picker knob. Proof: tests/journeys/picker.txt,
 * tests/golden/shell/. */
#include <string.h>

#include "app_private.h"
#include "shardlab/base/glossary.h"
#include "shardlab/base/record.h"
#include "shardlab/base/units.h"
#include "shardlab/view/width.h"

enum { PICKER_ROWS_MAX = 256, ROW_TEXT_MAX = 192, SIZE_TEXT_MAX = 64, NAME_COL = 4, GAP = 2 };

/* The rows that match what is typed, as stops of the knob. */
struct list {
    const struct record *rows;
    int total;
    int stops[PICKER_ROWS_MAX];
    int count;
};

static const char *field_text(const struct record *row, const char *key) {
    const struct field *f = record_find(row, key);
    return f != NULL && f->kind == FIELD_TEXT ? f->text : "";
}

/* Whose it is: models name a family, cards a vendor. */
static const char *maker_of(const struct record *row) {
    const char *family = field_text(row, "family");
    return family[0] != '\0' ? family : field_text(row, "vendor");
}

/* Every typed word stands somewhere in the row's names, whatever the case. */
static bool row_matches(const struct record *row, const char *typed) {
    char text[ROW_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, field_text(row, "id"));
    writer_char(&w, ' ');
    writer_text(&w, maker_of(row));
    writer_char(&w, ' ');
    writer_text(&w, field_text(row, "name"));
    return glossary_text_has(text, typed);
}

static void find_rows(const struct app *app, struct list *list) {
    list->rows = app_knob_rows(app, app->picker.option, &list->total);
    list->count = 0;
    for (int i = 0; i < list->total && list->count < PICKER_ROWS_MAX; i++) {
        if (row_matches(&list->rows[i], app->picker.list.typed.text)) {
            list->stops[list->count++] = i;
        }
    }
}

void app_picker_open(struct app *app, int option) {
    struct app_stops stops = app_knob_stops(app, option);
    app->picker = (struct app_picker){.option = option};
    app->picker.list.at = stops.current > 0 ? stops.current : 0;
    app->refused.option = -1;
    app->status.id = NULL;
    app->screen = APP_SCREEN_PICKER;
}

static unsigned leave(struct app *app) {
    app->screen = APP_SCREEN_LESSON;
    return APP_EFFECT_VIEW;
}

static unsigned take_row(struct app *app, const struct list *list) {
    struct app_picker *p = &app->picker;
    if (list->count == 0) {
        app_status_set(app, "status.no_match");
        return APP_EFFECT_VIEW;
    }
    int stop = list->stops[p->list.at];
    if (stop == app_knob_stops(app, p->option).current) {
        return leave(app);
    }
    unsigned effects = app_knob_set(app, p->option, stop);
    if (app->refused.option >= 0) { /* the sentence stands, the list stays */
        app->refused.option = -1;
        return effects;
    }
    return effects | leave(app);
}

unsigned app_picker_action(struct app *app, enum ui_action action) {
    struct list list;
    unsigned effects = 0;
    find_rows(app, &list);
    if (app_list_action(&app->picker.list, action, list.count, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_OPEN:
        return take_row(app, &list);
    case UI_ACTION_BACK:
        return leave(app);
    default:
        return 0;
    }
}

/* --- drawing --- */

/* "6.74B" of a model; of a card what it offers to a program, or what its label says, and which of the two. */
static void write_size(const struct app *app, const struct record *row, struct writer *w) {
    uint64_t size = 0;
    struct message m;
    const struct field *params = record_find(row, "computed_params");
    if (params != NULL && field_count(params, &size)) {
        units_write_short_count(w, size);
        return;
    }
    const struct field *usable = record_find(row, "usable_bytes");
    const struct field *listed = record_find(row, "memory_bytes");
    if (usable != NULL && field_count(usable, &size)) {
        message_start(&m, "home.card_size");
    } else if (listed != NULL && field_count(listed, &size)) {
        message_start(&m, "home.card_listed");
    } else {
        message_start(&m, "home.card_unknown");
    }
    if (size != 0) {
        message_add_bytes(&m, size);
    }
    words_write(w, app->look.words, &m);
}

/* Columns that hold for all rows, whatever is typed, so that nothing jumps. */
struct columns {
    int name, maker; /* widths; maker 0: no room */
    int size;
};

static int larger(int a, int b) {
    return a > b ? a : b;
}

static struct columns measure(const struct app *app, const struct list *list, const struct grid *g,
                              int cols) {
    struct columns c = {0, 0, 0};
    for (int i = 0; i < list->total; i++) {
        char size[SIZE_TEXT_MAX];
        struct writer w;
        writer_start(&w, size, sizeof size);
        write_size(app, &list->rows[i], &w);
        c.name = larger(c.name, width_text(field_text(&list->rows[i], "id"), &g->rules));
        c.maker = larger(c.maker, width_text(maker_of(&list->rows[i]), &g->rules));
        c.size = larger(c.size, width_text(size, &g->rules));
    }
    int room = cols - NAME_COL - GAP - c.size;
    c.name = c.name < room ? c.name : room;
    c.maker = c.name + GAP + c.maker <= room ? c.maker : 0;
    return c;
}

/* One row of the list where it stands on the screen. */
struct place {
    struct rect area;
    int row;
    struct columns columns;
};

static void draw_row(struct app *app, struct grid *g, const struct place *at, int stop) {
    int total = 0;
    const struct record *row = &app_knob_rows(app, app->picker.option, &total)[stop];
    struct message why;
    char size[SIZE_TEXT_MAX];
    struct writer w;
    int col = at->area.col + NAME_COL;
    bool current = app_knob_stops(app, app->picker.option).current == stop;
    bool legal = app_knob_stop_legal(app, app->picker.option, stop, &why);
    enum ui_role role = legal ? UI_ROLE_TEXT : UI_ROLE_DIM;
    if (current || !legal) {
        enum ui_glyph mark = legal ? UI_GLYPH_KNOB : UI_GLYPH_KNOB_HOLLOW;
        grid_put(g, at->area, at->row, col - 2, ui_glyph(&app->look, mark),
                 legal ? UI_ROLE_ACCENT : UI_ROLE_DIM);
    }
    grid_put_cut(g, at->area, at->row, col, field_text(row, "id"), role, at->columns.name);
    if (at->columns.maker > 0) {
        grid_put_cut(g, at->area, at->row, col + at->columns.name + GAP, maker_of(row), UI_ROLE_DIM,
                     at->columns.maker);
    }
    writer_start(&w, size, sizeof size);
    write_size(app, row, &w);
    int right = at->columns.name + (at->columns.maker > 0 ? GAP + at->columns.maker : 0);
    grid_put_right(g, at->area, at->row, col + right + GAP + at->columns.size, size, role);
}

static void draw_list(struct app *app, struct grid *g, struct rect area, const struct list *list) {
    struct app_list *p = &app->picker.list;
    struct place at = {area, area.row, measure(app, list, g, area.cols)};
    p->visible = area.rows;
    p->at = p->at < list->count ? p->at : larger(list->count - 1, 0);
    p->scroll = ui_scroll_follow(p->scroll, area.rows, list->count, p->at);
    for (int i = 0; i < area.rows && p->scroll + i < list->count; i++) {
        at.row = area.row + i;
        draw_row(app, g, &at, list->stops[p->scroll + i]);
        ui_hit_add(g, area, (struct rect){at.row, area.col, 1, area.cols}, UI_HIT_ITEM,
                   p->scroll + i);
        if (p->scroll + i == p->at) {
            grid_put(g, area, at.row, area.col, ui_glyph(&app->look, UI_GLYPH_POINTER),
                     UI_ROLE_ACCENT);
            grid_paint(g, area, at.row, area.col + NAME_COL, at.columns.name, UI_ROLE_CURSOR);
        }
    }
    if (list->count == 0) {
        ui_text_draw(g, area, area.row, words_get(app->look.words, "status.no_match"), UI_ROLE_DIM,
                     &app->look);
    }
}

void app_picker_draw(struct app *app, struct grid *g) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    struct list list;
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    find_rows(app, &list);
    app_header_draw(app, g, l.header,
                    app_option_label(app, calc_option_at(app->picker.option)->name));
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 2 : 1;
    struct rect area = {l.body.row, l.body.col + margin, l.body.rows, l.body.cols - 2 * margin};
    struct app_list_counts counts = {list.count, list.total, "home.filter_empty"};
    app_list_typed_draw(app, g, area, &app->picker.list, &counts);
    area.row++;
    area.rows--;
    draw_list(app, g, area, &list);
    app_status_draw(app, g, l.status);
    ui_hints_draw(g, l.hints, &(struct ui_keys){.where = UI_WHERE_PICKER}, &app->look);
}
