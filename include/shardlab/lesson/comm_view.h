/* The communication of one step as a table: a row an axis and collective, and their sum. Shared by the lessons and by
 * `shardlab comm`. Pure; appends to the caller's view. */
#ifndef LESSON_COMM_VIEW_H
#define LESSON_COMM_VIEW_H

#include "shardlab/calc/comm.h"
#include "shardlab/view/view.h"

void comm_table_add(struct view *out, const struct calc_comm *comm);

#endif
