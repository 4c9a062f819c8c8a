/* A chart on the screen: columns of blocks on a scale from 0, the capacity as a line with its amount, what begins
 * where below, the peak marked, and a sentence about it. What stands above the capacity is drawn as a warning.
 * Cells and rows are view/shape.h's, as in plain text. Proof: tests/unit/ui/test_chart.c, tests/golden/. */
#include "flow_private.h"
#include "item_private.h"
#include "shardlab/view/shape.h"

enum { LABEL_COLS = 10, CELLS_MIN = 8 };

static void draw_label(const struct canvas *c, struct spot end, uint64_t bytes) {
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    view_write_amount(&w, bytes, c->look->words->unit);
    canvas_put_right(c, end, text, UI_ROLE_DIM);
}

static void draw_row(const struct canvas *c, struct spot at, const struct view_chart_plot *plot,
                     int row) {
    bool plain = ui_look_plain(c->look);
    at.col = canvas_glyph(c, at, UI_GLYPH_VERTICAL, UI_ROLE_LINE);
    for (int i = 0; i < plot->cells; i++) {
        const char *glyph = view_chart_glyph(plot, row, i, plain);
        enum view_chart_cell cell = view_chart_cell(plot, row, i);
        bool filled = cell == VIEW_CHART_FILLED;
        enum ui_role role = cell == VIEW_CHART_LIMIT          ? UI_ROLE_LINE
                            : filled && row < plot->limit_row ? UI_ROLE_WARNING
                            : filled && i == plot->peak       ? UI_ROLE_STRONG
                                                              : UI_ROLE_TEXT;
        at.col = canvas_put(c, at, glyph, role);
    }
}

static void draw_marks(const struct canvas *c, struct spot at, const struct view_chart_plot *plot) {
    for (int i = 0; i < plot->cells; i++) {
        char mark[2] = {plot->marks[i], '\0'};
        struct spot cell = {at.row, at.col + 1 + i};
        if (i == plot->peak) {
            canvas_glyph(c, cell, UI_GLYPH_KNOB, UI_ROLE_ACCENT);
        } else {
            canvas_put(c, cell, mark, UI_ROLE_DIM);
        }
    }
}

int item_chart_draw(const struct canvas *c, int row, const struct view_chart *chart) {
    struct view_chart_plot plot;
    int first = row, right = c->area.cols - ITEM_MARGIN;
    int axis = ITEM_LEFT + (right - ITEM_LEFT >= LABEL_COLS + CELLS_MIN ? LABEL_COLS : 0);
    view_chart_plot(chart, right - axis - 1, &plot);
    row += item_title_draw(c, row, &chart->title);
    if (plot.cells > 0) {
        for (int i = 0; i < VIEW_CHART_ROWS; i++, row++) {
            if (axis > ITEM_LEFT && (i == 0 || i == plot.limit_row)) {
                draw_label(c, (struct spot){row, axis - 1},
                           i == plot.limit_row ? chart->capacity_bytes : plot.top);
            }
            draw_row(c, (struct spot){row, axis}, &plot, i);
        }
        draw_marks(c, (struct spot){row++, axis}, &plot);
    }
    if (chart->remark.id == NULL) {
        return row - first;
    }
    char remark[CANVAS_SENTENCE_MAX];
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, right};
    return row + flow_draw_text(c, box, canvas_sentence(c, &chart->remark, remark), UI_ROLE_TEXT) -
           first;
}
