/* The hint bar and the help: both are the action table, shown. Proof: tests/unit/ui/test_hints.c.
 */
#include <string.h>

#include "flow_private.h"
#include "shardlab/ui/draw.h"

enum { HINT_GAP = 3, HINT_LEFT = 1, ID_MAX = 64, KEYS_TEXT_MAX = 64, RANGE = sizeof "a-d" };

/* Where hints are drawn, and what is offered there. */
struct hint_bar {
    struct canvas canvas;
    const struct ui_keys *keys;
};

/* "action.<name>.<part>" looked up. */
static const char *label_of(const struct hint_bar *b, const struct ui_action_row *row,
                            const char *part, char id[ID_MAX]) {
    bool renamed = b->keys->named != UI_ACTION_NONE && b->keys->named == row->action;
    struct writer w;
    writer_start(&w, id, ID_MAX);
    writer_text(&w, "action.");
    writer_text(&w, renamed ? b->keys->name : row->name);
    writer_char(&w, '.');
    writer_text(&w, part);
    return words_get(b->canvas.look->words, id);
}

static const char *key_of(const struct canvas *c, const struct ui_action_row *row) {
    return ui_look_plain(c->look) ? row->key_label_ascii : row->key_label;
}

static int hint_cols(const struct hint_bar *b, const struct ui_action_row *row) {
    const struct canvas *c = &b->canvas;
    char id[ID_MAX];
    return canvas_width(c, key_of(c, row)) + 1 + canvas_width(c, label_of(b, row, "short", id));
}

/* "a-d", keys of actions in a row, ends with the last of them that does something here; other labels are as they are. */
static const char *key_here(const struct hint_bar *b, const struct ui_action_row *row,
                            char range[RANGE]) {
    const char *key = key_of(&b->canvas, row);
    if (strlen(key) != RANGE - 1 || key[1] != '-') {
        return key;
    }
    memcpy(range, key, RANGE);
    while (range[2] > range[0] &&
           ui_keys_idle(b->keys, (enum ui_action)((int)row->action + range[2] - range[0]))) {
        range[2]--;
    }
    return range;
}

/* The action that shares a hint with another; NONE: it has one of its own. */
static enum ui_action twin_of(enum ui_action action) {
    switch (action) {
    case UI_ACTION_LEFT:
        return UI_ACTION_RIGHT;
    case UI_ACTION_UP:
        return UI_ACTION_DOWN;
    case UI_ACTION_FRAME_BACK:
        return UI_ACTION_FRAME_NEXT;
    case UI_ACTION_MATCH_NEXT:
        return UI_ACTION_MATCH_BEFORE;
    default:
        return UI_ACTION_NONE;
    }
}

static int draw_hint(const struct hint_bar *b, int col, const struct ui_action_row *row) {
    const struct canvas *c = &b->canvas;
    char id[ID_MAX], range[RANGE];
    struct spot at = {0, col};
    at.col = canvas_put(c, at, key_here(b, row, range), UI_ROLE_KEY) + 1;
    int end = canvas_put(c, at, label_of(b, row, "short", id), UI_ROLE_DIM);
    canvas_hit(c, (struct spot){0, col}, end - col, UI_HIT_ACTION, (int)row->action);
    enum ui_action twin = twin_of(row->action);
    if (twin != UI_ACTION_NONE) { /* "←→": the second half of the keys is the other one */
        int half = canvas_width(c, key_of(c, row)) / 2;
        canvas_hit(c, (struct spot){0, at.col - 1 - half}, half, UI_HIT_ACTION, (int)twin);
    }
    return end;
}

/* The row's key does what the row says: valid here, and no row before it takes the key for something else. */
static bool is_valid(const struct ui_action_row *row, const struct ui_keys *keys) {
    return (row->where & (unsigned)keys->where) != 0 && !ui_keys_idle(keys, row->action) &&
           ui_action_find(row->keys[0], keys->where) == row->action;
}

/* `row` comes behind `after` in the hint bar: by priority, then as in the table. */
static bool is_behind(const struct ui_action_row *row, const struct ui_action_row *after) {
    return after == NULL || row->priority > after->priority ||
           (row->priority == after->priority && row > after);
}

/* The first row of this screen behind `after` (NULL: of all); NULL: none left. */
static const struct ui_action_row *next_hint(const struct ui_action_row *after,
                                             const struct ui_keys *keys) {
    const struct ui_action_row *best = NULL;
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        bool candidate = row->priority > 0 && is_behind(row, after) && is_valid(row, keys) &&
                         row->action != UI_ACTION_HELP;
        if (candidate && (best == NULL || row->priority < best->priority)) {
            best = row;
        }
    }
    return best;
}

static const struct ui_action_row *help_row(enum ui_where where) {
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        if (row->action == UI_ACTION_HELP && (row->where & (unsigned)where) != 0) {
            return row;
        }
    }
    return NULL;
}

void ui_hints_draw(struct grid *g, struct rect area, const struct ui_keys *keys,
                   const struct look *look) {
    struct hint_bar bar = {{g, area, look}, keys};
    const struct ui_action_row *help = help_row(keys->where);
    int kept = help != NULL ? hint_cols(&bar, help) + HINT_GAP : 0;
    int end = area.cols - kept;
    int col = HINT_LEFT;
    for (const struct ui_action_row *row = next_hint(NULL, keys); row != NULL;
         row = next_hint(row, keys)) {
        if (col + hint_cols(&bar, row) > end) {
            break;
        }
        col = draw_hint(&bar, col, row) + HINT_GAP;
    }
    if (help != NULL) {
        (void)draw_hint(&bar, col, help);
    }
}

struct help_pen {
    const struct hint_bar *bar;
    int row;
    int keys_cols;
};

static void draw_help_row(struct help_pen *p, const struct ui_action_row *row) {
    const struct canvas *c = &p->bar->canvas;
    char keys[KEYS_TEXT_MAX];
    struct writer w;
    writer_start(&w, keys, sizeof keys);
    ui_action_write_keys(&w, row, ui_look_plain(c->look));
    canvas_put_cut(c, (struct spot){p->row, 0}, keys, UI_ROLE_KEY, p->keys_cols);
    char id[ID_MAX];
    int col = p->keys_cols + 2;
    struct flow_box box = {p->row, col, col, c->area.cols};
    int rows = flow_draw_text(c, box, label_of(p->bar, row, "long", id), UI_ROLE_TEXT);
    p->row += rows > 0 ? rows : 1;
}

static void draw_help_part(struct help_pen *p, bool valid, const char *title) {
    bool any = false;
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        if (is_valid(row, p->bar->keys) != valid) {
            continue;
        }
        if (!any) {
            struct flow_box box = {p->row, 0, 0, p->bar->canvas.area.cols};
            p->row += flow_draw_text(&p->bar->canvas, box,
                                     words_get(p->bar->canvas.look->words, title), UI_ROLE_TITLE);
        }
        any = true;
        draw_help_row(p, row);
    }
    p->row += any ? 1 : 0;
}

static int widest_keys(const struct canvas *c) {
    int widest = 0;
    for (int i = 0; i < ui_action_count(); i++) {
        char keys[KEYS_TEXT_MAX];
        struct writer w;
        writer_start(&w, keys, sizeof keys);
        ui_action_write_keys(&w, ui_action_at(i), ui_look_plain(c->look));
        int cols = canvas_width(c, keys);
        widest = cols > widest ? cols : widest;
    }
    return widest;
}

int ui_help_draw(struct grid *g, struct rect area, const struct ui_keys *keys, int scroll,
                 const struct look *look) {
    struct hint_bar bar = {{g, area, look}, keys};
    struct help_pen pen = {.bar = &bar, .row = -scroll};
    pen.keys_cols = widest_keys(&bar.canvas);
    int third = area.cols / 3;
    pen.keys_cols = pen.keys_cols > third ? third : pen.keys_cols;
    draw_help_part(&pen, true, "view.help.here");
    draw_help_part(&pen, false, "view.help.elsewhere");
    return pen.row - 1 + scroll;
}
