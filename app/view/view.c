/* Making a view: emptying it and appending items. A view is plain data that its maker owns; lessons
 * fill the items, readers (read.h, room ui) show them. Proof: tests/unit/view/test_shape.c. */
#include "shardlab/view/view.h"

#include <assert.h>
#include <string.h>

void view_start(struct view *v) {
    v->item_count = 0;
}

struct view_item *view_add(struct view *v, enum view_kind kind) {
    assert(v->item_count < VIEW_ITEMS_MAX);
    struct view_item *item = &v->items[v->item_count++];
    memset(item, 0, sizeof *item);
    item->kind = kind;
    if (kind == VIEW_KIND_CURVE) {
        item->curve.current = -1;
    } else if (kind == VIEW_KIND_MATRIX) {
        item->matrix.reference = -1;
    } else if (kind == VIEW_KIND_CHART) {
        item->chart.peak = -1;
        memset(item->chart.marks, ' ', sizeof item->chart.marks);
    } else if (kind == VIEW_KIND_RANGES) {
        item->ranges.current = -1;
    } else if (kind == VIEW_KIND_GANTT) {
        item->gantt.cursor_row = item->gantt.cursor_span = -1;
        item->gantt.step = item->gantt.ticks_per_unit = 1;
    } else if (kind == VIEW_KIND_TABLE) {
        item->table.current = -1;
        item->table.first_number = 1;
    }
    return item;
}
