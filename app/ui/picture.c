/* The kinds of view that are drawn with a pen (view/paint.h) on the screen: a pen that fills cells, and the roles that
 * its tones become. Proof: tests/unit/ui/test_pictures.c. */
#include "flow_private.h"
#include "item_private.h"
#include "shardlab/view/paint.h"

static enum ui_role role_of(enum view_tone tone) {
    switch (tone) {
    case VIEW_TONE_DIM:
        return UI_ROLE_DIM;
    case VIEW_TONE_STRONG:
        return UI_ROLE_STRONG;
    case VIEW_TONE_ACCENT:
        return UI_ROLE_ACCENT;
    case VIEW_TONE_CURSOR:
        return UI_ROLE_CURSOR;
    case VIEW_TONE_LINE:
        return UI_ROLE_LINE;
    case VIEW_TONE_WARNING:
        return UI_ROLE_WARNING;
    case VIEW_TONE_GOOD:
        return UI_ROLE_GOOD;
    case VIEW_TONE_FORWARD:
        return UI_ROLE_FORWARD;
    case VIEW_TONE_BACKWARD:
        return UI_ROLE_BACKWARD;
    case VIEW_TONE_WEIGHTS_GRADIENT:
        return UI_ROLE_WEIGHT_GRAD;
    case VIEW_TONE_HELD:
        return UI_ROLE_ACTIVATIONS;
    case VIEW_TONE_TEXT:
        break;
    }
    return UI_ROLE_TEXT;
}

struct screen_pen {
    struct canvas canvas;
    bool rested; /* the hardware cursor stands on the first cell that has the focus */
};

static void put(void *context, int row, int col, const char *text, enum view_tone tone) {
    struct screen_pen *p = context;
    struct spot at = {row, ITEM_LEFT + col};
    (void)canvas_put(&p->canvas, at, text, role_of(tone));
    if (tone == VIEW_TONE_CURSOR && !p->rested) {
        canvas_rest(&p->canvas, at);
        p->rested = true;
    }
}

static int say(void *context, int row, const char *text, enum view_tone tone) {
    const struct screen_pen *p = context;
    const struct canvas *c = &p->canvas;
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, c->area.cols - ITEM_MARGIN};
    return flow_draw_text(c, box, text, role_of(tone));
}

int item_picture_draw(const struct canvas *c, int row, const struct view_item *item) {
    struct screen_pen own = {.canvas = *c};
    struct view_pen pen = {.context = &own,
                           .words = c->look->words,
                           .rules = c->grid->rules,
                           .cols = c->area.cols - ITEM_LEFT - ITEM_MARGIN,
                           .ascii = ui_look_plain(c->look),
                           .put = put,
                           .say = say};
    switch (item->kind) {
    case VIEW_KIND_BITS:
        return view_bits_paint(&pen, row, &item->bits);
    case VIEW_KIND_RANGES:
        return view_ranges_paint(&pen, row, &item->ranges);
    case VIEW_KIND_GANTT:
        return view_gantt_paint(&pen, row, &item->gantt);
    case VIEW_KIND_TABLE:
        return view_table_paint(&pen, row, &item->table);
    case VIEW_KIND_CLUSTER:
        return view_cluster_paint(&pen, row, &item->cluster);
    case VIEW_KIND_FRAMES:
        return view_frames_paint(&pen, row, &item->frames);
    case VIEW_KIND_PLOT:
        return view_plot_paint(&pen, row, &item->plot);
    default:
        return 0;
    }
}
