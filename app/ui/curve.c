/* A curve as one line: the scale of its values from the lowest to the limit, the learner's point on
 * it, and as many of the other points' values as have room: 1──2──2.91●──────── limit 4×. The stops
 * themselves are the knob's; here one sees how much is left to gain. Proof:
 * tests/unit/ui/test_view.c. */
#include <math.h>

#include "flow_private.h"
#include "item_private.h"
#include "shardlab/view/shape.h"

enum { SCALE_MIN = 20, SCALE_MAX = 48, SCALE_WANTED = 28, GAP = 3, NUMBER_MAX = 32 };

struct scale {
    const struct canvas *canvas;
    const struct view_curve *curve;
    struct spot at; /* its first cell */
    int cells;
    double low, high;
};

static const char *number(double value, char text[NUMBER_MAX]) {
    struct writer w;
    writer_start(&w, text, NUMBER_MAX);
    view_write_real(&w, value);
    return text;
}

static int cell_of(const struct scale *s, double value) {
    return view_curve_cell(value, s->low, s->high, s->cells);
}

/* Cells taken by texts: first … end − 1 with one rail cell kept free on either side. */
struct taken {
    int first[VIEW_POINTS_MAX + 2], end[VIEW_POINTS_MAX + 2];
    int count;
};

static bool take(struct taken *t, int first, int end) {
    for (int i = 0; i < t->count; i++) {
        if (first < t->end[i] + 2 && end > t->first[i] - 2) {
            return false;
        }
    }
    t->first[t->count] = first;
    t->end[t->count++] = end;
    return true;
}

/* The learner's value beside its mark: before it where there is room, else behind. */
static void draw_current(const struct scale *s, struct taken *taken) {
    const struct view_curve *curve = s->curve;
    if (curve->current < 0 || curve->current >= curve->point_count ||
        !isfinite(curve->y[curve->current])) {
        return;
    }
    char text[NUMBER_MAX];
    (void)number(curve->y[curve->current], text);
    int cols = canvas_width(s->canvas, text);
    int cell = cell_of(s, curve->y[curve->current]);
    int col = cell >= cols ? cell - cols : cell + 1;
    int first = col < cell ? col : cell;
    (void)take(taken, first, first + cols + 1);
    canvas_put(s->canvas, (struct spot){s->at.row, s->at.col + col}, text, UI_ROLE_STRONG);
    canvas_glyph(s->canvas, (struct spot){s->at.row, s->at.col + cell}, UI_GLYPH_KNOB,
                 UI_ROLE_ACCENT);
}

static void draw_point(const struct scale *s, double value, struct taken *taken) {
    char text[NUMBER_MAX];
    (void)number(value, text);
    int cols = canvas_width(s->canvas, text);
    int first = cell_of(s, value) - cols / 2;
    first = first + cols > s->cells ? s->cells - cols : first;
    first = first < 0 ? 0 : first;
    if (cols <= s->cells && take(taken, first, first + cols)) {
        canvas_put(s->canvas, (struct spot){s->at.row, s->at.col + first}, text, UI_ROLE_DIM);
    }
}

static void draw_scale(const struct scale *s) {
    const struct view_curve *curve = s->curve;
    struct taken taken = {.count = 0};
    canvas_fill(s->canvas, s->at, s->cells, ui_glyph(s->canvas->look, UI_GLYPH_HORIZONTAL),
                UI_ROLE_LINE);
    draw_current(s, &taken);
    draw_point(s, s->low, &taken);
    for (int i = 0; i < curve->point_count; i++) {
        bool far_from_limit = !curve->has_limit || cell_of(s, curve->y[i]) * 4 < s->cells * 3;
        if (isfinite(curve->y[i]) && far_from_limit) {
            draw_point(s, curve->y[i], &taken);
        }
    }
    if (!curve->has_limit || curve->remark.id == NULL) {
        draw_point(s, s->high, &taken);
    }
}

int item_curve_draw(const struct canvas *c, int row, const struct view_curve *curve) {
    char title[CANVAS_SENTENCE_MAX];
    char remark[CANVAS_SENTENCE_MAX];
    (void)canvas_sentence(c, &curve->title, title);
    (void)canvas_sentence(c, &curve->remark, remark);
    struct scale s = {.canvas = c, .curve = curve};
    if (!view_curve_range(curve, &s.low, &s.high)) {
        return 0;
    }
    int first = row;
    int right = c->area.cols - ITEM_MARGIN;
    int title_cols = curve->title.id != NULL ? canvas_width(c, title) + GAP : 0;
    int remark_cols = curve->remark.id != NULL ? canvas_width(c, remark) + 1 : 0;
    int col = ITEM_LEFT;
    if (title_cols > 0) {
        bool one_row = col + title_cols + SCALE_WANTED + remark_cols <= right;
        struct flow_box box = {row, col, col, right};
        int rows = flow_draw_text(c, box, title, UI_ROLE_TEXT);
        row += one_row ? 0 : rows;
        col += one_row ? title_cols : 0;
    }
    int room = right - col;
    bool beside = remark_cols > 0 && room - remark_cols >= SCALE_MIN;
    s.cells = beside ? room - remark_cols : room;
    s.cells = s.cells > SCALE_MAX ? SCALE_MAX : s.cells < 0 ? 0 : s.cells;
    s.at = (struct spot){row, col};
    draw_scale(&s);
    if (remark_cols == 0) {
        return row + 1 - first;
    }
    struct flow_box box = {beside ? row : row + 1, ITEM_LEFT, ITEM_LEFT, right};
    box.first_col = beside ? col + s.cells + 1 : ITEM_LEFT;
    return box.row + flow_draw_text(c, box, remark, UI_ROLE_DIM) - first;
}
