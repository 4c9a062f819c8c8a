/* One knob, one row: pointer, label, and its stops as texts when they fit ("1  2  4 ●8  16"), as a
 * window around the current one when only some do, else as a rail. What validation refuses is
 * hollow, and a refused stop that is the current one carries a '!', so that nothing depends on
 * colour. Texts are the caller's. Proof: tests/unit/ui/test_knob.c. */
#include <string.h>

#include "canvas_private.h"
#include "shardlab/ui/draw.h"

enum {
    LABEL_COL = 2, /* behind the pointer */
    GAP = 2,
    VALUE_COLS_MIN = 6, /* so that rails of neighbouring knobs end together */
    RAIL_MIN = 4,
    RAIL_MAX = 40,
    KNOB_COLS_MAX = 96, /* wider, and a value would lose sight of its name */
};

struct knob_pen {
    const struct canvas *canvas;
    const struct ui_knob *knob;
    int row;
    int left, right; /* of what stands behind the label */
};

static bool is_hollow(const struct ui_knob *knob, int stop) {
    return knob->hollow[stop];
}

static int stop_count(const struct ui_knob *knob) {
    return knob->stop_count < UI_KNOB_STOPS_MAX ? knob->stop_count : UI_KNOB_STOPS_MAX;
}

static bool has_texts(const struct ui_knob *knob) {
    int count = stop_count(knob);
    for (int i = 0; i < count; i++) {
        if (knob->stops[i] == NULL) {
            return false;
        }
    }
    return count > 0;
}

/* The value stands at the right unless a stop already says it. */
static const char *value_beside(const struct ui_knob *knob, bool texts_shown) {
    const char *value = knob->value != NULL ? knob->value : "";
    bool on_stop = knob->current >= 0 && knob->current < stop_count(knob);
    bool said = texts_shown && on_stop && strcmp(knob->stops[knob->current], value) == 0;
    return said ? "" : value;
}

static enum ui_role current_role(const struct ui_knob *knob) {
    if (is_hollow(knob, knob->current)) {
        return UI_ROLE_WARNING;
    }
    return knob->focused ? UI_ROLE_CURSOR : UI_ROLE_ACCENT;
}

/* Columns of one stop: its mark, its text, and '!' when it is the current one and refused. */
static int stop_cols(const struct knob_pen *p, int stop) {
    bool refused = stop == p->knob->current && is_hollow(p->knob, stop);
    return 1 + canvas_width(p->canvas, p->knob->stops[stop]) + (refused ? 1 : 0);
}

static int draw_stop(const struct knob_pen *p, int col, int stop) {
    const struct ui_knob *knob = p->knob;
    const struct canvas *c = p->canvas;
    bool current = stop == knob->current;
    bool hollow = is_hollow(knob, stop);
    enum ui_role role = current ? current_role(knob) : hollow ? UI_ROLE_DIM : UI_ROLE_TEXT;
    struct spot at = {p->row, col};
    if (current && knob->focused) {
        canvas_rest(c, at);
    }
    if (hollow) {
        canvas_glyph(c, at, UI_GLYPH_KNOB_HOLLOW, role);
    } else if (current) {
        canvas_glyph(c, at, UI_GLYPH_KNOB, role);
    }
    at.col++;
    at.col = canvas_put(c, at, knob->stops[stop], role);
    canvas_hit(c, (struct spot){p->row, col}, at.col - col, UI_HIT_STOP, stop);
    return current && hollow ? canvas_put(c, at, "!", role) : at.col;
}

/* The stops first … last around the current one, and always the two ends. */
struct window {
    int first, last;
};

static int more_cols(const struct knob_pen *p) {
    return 1 + canvas_width(p->canvas, ui_glyph(p->canvas->look, UI_GLYPH_MORE));
}

static int window_cols(const struct knob_pen *p, struct window w) {
    int end = stop_count(p->knob) - 1;
    int cols = 0;
    for (int i = w.first; i <= w.last; i++) {
        cols += stop_cols(p, i) + (i > w.first ? GAP : 0);
    }
    if (w.first > 0) {
        cols += stop_cols(p, 0) + GAP + (w.first > 1 ? more_cols(p) + GAP : 0);
    }
    if (w.last < end) {
        cols += stop_cols(p, end) + GAP + (w.last < end - 1 ? more_cols(p) + GAP : 0);
    }
    return cols;
}

/* The widest window that fits, grown on both sides in turn; false: not even the current stop fits.
 */
static bool find_window(const struct knob_pen *p, int cols, struct window *out) {
    int end = stop_count(p->knob) - 1;
    int current = p->knob->current >= 0 ? p->knob->current : 0;
    struct window w = {current, current};
    if (window_cols(p, w) > cols) {
        return false;
    }
    for (bool grown = true; grown;) {
        grown = false;
        struct window right = {w.first, w.last + 1};
        if (w.last < end && window_cols(p, right) <= cols) {
            w = right;
            grown = true;
        }
        struct window left = {w.first - 1, w.last};
        if (w.first > 0 && window_cols(p, left) <= cols) {
            w = left;
            grown = true;
        }
    }
    *out = w;
    return true;
}

static int draw_more(const struct knob_pen *p, int col) {
    return canvas_glyph(p->canvas, (struct spot){p->row, col + 1}, UI_GLYPH_MORE, UI_ROLE_DIM) +
           GAP;
}

static void draw_window(const struct knob_pen *p, struct window w) {
    int end = stop_count(p->knob) - 1;
    int col = p->left;
    if (w.first > 0) {
        col = draw_stop(p, col, 0) + GAP;
        col = w.first > 1 ? draw_more(p, col) : col;
    }
    for (int i = w.first; i <= w.last; i++) {
        col = draw_stop(p, col, i) + GAP;
    }
    if (w.last < end) {
        col = w.last < end - 1 ? draw_more(p, col) : col;
        draw_stop(p, col, end);
    }
}

static void draw_rail(const struct knob_pen *p, int cells) {
    const struct canvas *c = p->canvas;
    const struct ui_knob *knob = p->knob;
    canvas_fill(c, (struct spot){p->row, p->left}, cells, ui_glyph(c->look, UI_GLYPH_HORIZONTAL),
                UI_ROLE_LINE);
    canvas_hit(c, (struct spot){p->row, p->left}, cells, UI_HIT_RAIL, stop_count(knob));
    /* Hollow marks first: where stops share a cell, one that is allowed makes it a rail again. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < stop_count(knob); i++) {
            struct spot at = {p->row, p->left + ui_rail_cell(i, stop_count(knob), cells)};
            if (pass == 0 && is_hollow(knob, i)) {
                canvas_glyph(c, at, UI_GLYPH_KNOB_HOLLOW, UI_ROLE_DIM);
            } else if (pass == 1 && !is_hollow(knob, i)) {
                canvas_glyph(c, at, UI_GLYPH_HORIZONTAL, UI_ROLE_LINE);
            }
        }
    }
    if (knob->current < 0 || knob->current >= stop_count(knob)) {
        return;
    }
    struct spot at = {p->row, p->left + ui_rail_cell(knob->current, stop_count(knob), cells)};
    bool hollow = is_hollow(knob, knob->current);
    canvas_glyph(c, at, hollow ? UI_GLYPH_KNOB_HOLLOW : UI_GLYPH_KNOB, current_role(knob));
    if (knob->focused) {
        canvas_rest(c, at);
    }
}

static void draw_value(const struct knob_pen *p, const char *value) {
    const struct ui_knob *knob = p->knob;
    bool on_stop = knob->current >= 0 && knob->current < stop_count(knob);
    bool refused = on_stop && is_hollow(knob, knob->current);
    int cols = canvas_width(p->canvas, value);
    int room = p->right - p->left;
    struct spot at = {p->row, cols < room ? p->right - cols : p->left};
    canvas_put_cut(p->canvas, at, value, refused ? UI_ROLE_WARNING : UI_ROLE_TEXT, room);
}

/* ‹ name › with the value at the right. */
static void draw_picker(const struct knob_pen *p) {
    const struct canvas *c = p->canvas;
    const struct ui_knob *knob = p->knob;
    bool on_stop = knob->current >= 0 && knob->current < stop_count(knob);
    const char *stop = on_stop ? knob->stops[knob->current] : NULL;
    const char *value = knob->value != NULL ? knob->value : "";
    const char *name = stop != NULL ? stop : value;
    int room = p->right - p->left - 4;
    int name_cols = canvas_width(c, name);
    bool hollow = on_stop && is_hollow(knob, knob->current);
    enum ui_role role = hollow ? UI_ROLE_WARNING : knob->focused ? UI_ROLE_CURSOR : UI_ROLE_TEXT;
    struct spot at = {p->row, p->left};
    canvas_hit(c, at, 1, UI_HIT_STEP, -1);
    at.col = canvas_glyph(c, at, UI_GLYPH_PICK_LEFT, UI_ROLE_ACCENT) + 1;
    if (knob->focused) {
        canvas_rest(c, at);
    }
    int start = at.col;
    at.col = canvas_put_cut(c, at, name, role, room) + 1;
    canvas_hit(c, (struct spot){p->row, start}, at.col - 1 - start, UI_HIT_NAME, 0);
    canvas_hit(c, at, 1, UI_HIT_STEP, 1);
    canvas_glyph(c, at, UI_GLYPH_PICK_RIGHT, UI_ROLE_ACCENT);
    int value_cols = canvas_width(c, value);
    if (stop != NULL && strcmp(stop, value) != 0 && name_cols + GAP + value_cols <= room) {
        canvas_put_right(c, (struct spot){p->row, p->right}, value, UI_ROLE_DIM);
    }
}

static void draw_stops(const struct knob_pen *p) {
    int room = p->right - p->left;
    if (has_texts(p->knob)) {
        const char *value = value_beside(p->knob, true);
        int value_cols = canvas_width(p->canvas, value);
        int reserved = value_cols > 0 ? value_cols + GAP : 0;
        struct window all = {0, stop_count(p->knob) - 1};
        struct window window;
        if (window_cols(p, all) <= room - reserved) {
            draw_window(p, all);
            draw_value(p, value);
            return;
        }
        if (find_window(p, room - reserved, &window)) {
            draw_window(p, window);
            draw_value(p, value);
            return;
        }
    }
    const char *value = value_beside(p->knob, false);
    int value_cols = canvas_width(p->canvas, value);
    int cells = room - GAP - (value_cols > VALUE_COLS_MIN ? value_cols : VALUE_COLS_MIN);
    if (cells >= RAIL_MIN) {
        draw_rail(p, cells < RAIL_MAX ? cells : RAIL_MAX);
    }
    draw_value(p, value);
}

void ui_knob_draw(struct grid *g, struct rect area, int row, const struct ui_knob *knob,
                  int label_cols, const struct look *look) {
    struct canvas canvas = {g, area, look};
    int label_room = area.cols * 2 / 5;
    int label = label_cols < label_room ? label_cols : label_room;
    struct knob_pen pen = {.canvas = &canvas,
                           .knob = knob,
                           .row = row - area.row,
                           .left = LABEL_COL + label + GAP,
                           .right = area.cols - 1 < KNOB_COLS_MAX ? area.cols - 1 : KNOB_COLS_MAX};
    canvas_hit(&canvas, (struct spot){pen.row, 0}, area.cols, UI_HIT_KNOB, 0);
    if (knob->focused) {
        canvas_rest(&canvas, (struct spot){pen.row, 0});
        canvas_glyph(&canvas, (struct spot){pen.row, 0}, UI_GLYPH_POINTER, UI_ROLE_ACCENT);
    }
    canvas_put_cut(&canvas, (struct spot){pen.row, LABEL_COL}, knob->label,
                   knob->focused ? UI_ROLE_STRONG : UI_ROLE_TEXT, label);
    if (knob->picker) {
        draw_picker(&pen);
    } else {
        draw_stops(&pen);
    }
}
