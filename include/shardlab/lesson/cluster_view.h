/* A layout as a picture of the cluster: the nodes near one chosen GPU, its groups, and the link that each group uses.
 * Shared by the lessons and the command line. Pure; appends to the caller's view. */
#ifndef LESSON_CLUSTER_VIEW_H
#define LESSON_CLUSTER_VIEW_H

#include "shardlab/calc/ranks.h"
#include "shardlab/view/view.h"

/* `chosen` is a rank of the world. Shows its node, the first nodes, and those with the nearest members of its groups,
 * as far as a view holds them; says how many are left out. */
void cluster_view_add(struct view *out, const struct scenario *s, uint64_t chosen);

#endif
