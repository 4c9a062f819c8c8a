/* Stacked amounts against a capacity: a row of patterned cells, the capacity's mark, a legend and
 * the verdict. Cells are shared out by view/shape.h, so the bar never lies about its numbers; what
 * overflows stands beyond the mark. Proof: tests/unit/ui/test_view.c. */
#include "flow_private.h"
#include "item_private.h"
#include "shardlab/view/shape.h"

enum { BAR_MAX = 80, NAME_GAP = 1, LEGEND_GAP = 2, BAR_MIN = 10 };

/* Draws the cells; returns the column after the last one and the mark. */
static int draw_cells(const struct canvas *c, struct spot at, const struct view_bar *bar,
                      int width) {
    struct view_bar_cells cells;
    view_bar_cells(bar, width, &cells);
    enum ui_role mark_role = view_bar_fits(bar) ? UI_ROLE_STRONG : UI_ROLE_WARNING;
    int drawn = 0;
    for (int part = 0; part <= bar->segment_count + 1; part++) {
        bool segment = part < bar->segment_count;
        bool other = part == bar->segment_count;
        enum ui_role role = segment ? canvas_role_of(bar->segments[part].role) : UI_ROLE_TEXT;
        int count = segment ? cells.segments[part] : other ? cells.other : cells.free;
        const char *pattern = segment || other ? ui_pattern(c->look, role) : " ";
        for (int i = 0; i < count; i++, drawn++) {
            if (drawn == cells.capacity) {
                at.col = canvas_glyph(c, at, UI_GLYPH_CAPACITY, mark_role);
            }
            at.col = canvas_put(c, at, pattern, role);
        }
    }
    return cells.capacity == width ? canvas_glyph(c, at, UI_GLYPH_CAPACITY, mark_role) : at.col;
}

/* Pattern and name of each part that is there, wrapped; returns the spot after the last. */
static struct spot draw_legend(const struct canvas *c, struct spot at, const struct view_bar *bar,
                               int right) {
    int left = at.col;
    for (int i = 0; i < bar->segment_count; i++) {
        if (bar->segments[i].bytes == 0) {
            continue;
        }
        enum ui_role role = canvas_role_of(bar->segments[i].role);
        const char *label = words_get(c->look->words, bar->segments[i].label);
        int cols = 2 + canvas_width(c, label);
        if (at.col > left && at.col + cols > right) {
            at = (struct spot){at.row + 1, left};
        }
        at.col = canvas_put(c, at, ui_pattern(c->look, role), role) + 1;
        at.col = canvas_put_cut(c, at, label, UI_ROLE_TEXT, right - at.col) + LEGEND_GAP;
    }
    return at;
}

int item_bar_draw(const struct canvas *c, int row, const struct view_bar *bar) {
    int first = row;
    row += item_title_draw(c, row, &bar->title);
    int right = c->area.cols - ITEM_MARGIN;
    int room = right - ITEM_LEFT - 1; /* one column for the mark */
    int name_cols = canvas_width(c, bar->capacity_name);
    bool beside = name_cols > 0 && room - NAME_GAP - name_cols >= room / 2 && room >= BAR_MIN;
    int width = beside ? room - NAME_GAP - name_cols : room;
    width = width > BAR_MAX ? BAR_MAX : width < 1 ? 1 : width;

    int end = draw_cells(c, (struct spot){row, ITEM_LEFT}, bar, width);
    if (beside) {
        canvas_put(c, (struct spot){row, end + NAME_GAP}, bar->capacity_name, UI_ROLE_DIM);
    } else if (name_cols > 0) {
        row++;
        int cut = name_cols < room ? name_cols : room;
        canvas_put_cut(c, (struct spot){row, right - cut}, bar->capacity_name, UI_ROLE_DIM, cut);
    }
    row++;
    struct spot at = draw_legend(c, (struct spot){row, ITEM_LEFT}, bar, right);
    if (bar->verdict.id == NULL) {
        return at.row + (at.col > ITEM_LEFT ? 1 : 0) - first;
    }
    char verdict[CANVAS_SENTENCE_MAX];
    (void)canvas_sentence(c, &bar->verdict, verdict);
    enum ui_role role = !bar->has_capacity   ? UI_ROLE_DIM
                        : view_bar_fits(bar) ? UI_ROLE_GOOD
                                             : UI_ROLE_WARNING;
    bool below = at.col > ITEM_LEFT && at.col + 1 + canvas_width(c, verdict) > right;
    int col = below || at.col == ITEM_LEFT ? ITEM_LEFT : at.col + 1;
    row = at.row + (below ? 1 : 0);
    struct flow_box box = {row, col, ITEM_LEFT, right};
    return row + flow_draw_text(c, box, verdict, role) - first;
}
