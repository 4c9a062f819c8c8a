/* Layouts that fit, best first, as a table: for the lessons on planning and for `shardlab plan`. Pure; appends to the
 * caller's view. */
#ifndef LESSON_PLAN_VIEW_H
#define LESSON_PLAN_VIEW_H

#include "shardlab/plan/plan.h"
#include "shardlab/view/view.h"

/* At most VIEW_TABLE_ROWS_MAX layouts, of which the first has the number `first_number` (0: they have none); `more` are
 * left out. */
struct plan_rows {
    const struct plan_layout *layouts;
    int count;
    uint64_t first_number, more;
};
void plan_table_add(struct view *out, const struct plan_rows *rows);

#endif
