/* What a screen that is too small says: what is needed and what there is, in the middle, as much as
 * fits. Keys stay alive behind it. Proof: tests/unit/ui/test_hints.c. */
#include "flow_private.h"
#include "shardlab/ui/draw.h"

void ui_notice_draw(struct grid *g, struct rect area, const struct look *look) {
    struct canvas canvas = {g, area, look};
    struct message m;
    message_start(&m, "view.notice.size");
    message_add_plain(&m, UI_COLS_MIN);
    message_add_plain(&m, UI_ROWS_MIN);
    message_add_plain(&m, (uint64_t)(g->cols > 0 ? g->cols : 0));
    message_add_plain(&m, (uint64_t)(g->rows > 0 ? g->rows : 0));
    char text[CANVAS_SENTENCE_MAX];
    (void)canvas_sentence(&canvas, &m, text);
    int cols = canvas_width(&canvas, text);
    int left = cols < area.cols ? (area.cols - cols) / 2 : 0;

    struct grid nothing;
    struct canvas measure = canvas_measure(&nothing, area.cols, look);
    nothing.rules = g->rules;
    struct flow_box box = {0, left, left, area.cols};
    int rows = flow_draw_text(&measure, box, text, UI_ROLE_TEXT);
    box.row = rows < area.rows ? (area.rows - rows) / 2 : 0;
    flow_draw_text(&canvas, box, text, UI_ROLE_TEXT);
}
