/* The kinds of view that are drawn with a pen (view/paint.h) on the screen: a pen that fills cells, and the roles that
 * its tones become. Proof: tests/unit/ui/test_numbers.c. */
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
    case VIEW_TONE_LINE:
        return UI_ROLE_LINE;
    case VIEW_TONE_TEXT:
        break;
    }
    return UI_ROLE_TEXT;
}

static void put(void *context, int row, int col, const char *text, enum view_tone tone) {
    (void)canvas_put(context, (struct spot){row, ITEM_LEFT + col}, text, role_of(tone));
}

static int say(void *context, int row, const char *text, enum view_tone tone) {
    const struct canvas *c = context;
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, c->area.cols - ITEM_MARGIN};
    return flow_draw_text(c, box, text, role_of(tone));
}

int item_picture_draw(const struct canvas *c, int row, const struct view_item *item) {
    struct canvas own = *c;
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
    default:
        return 0;
    }
}
