/* A cluster as nodes of GPUs, with the groups of one chosen GPU: who talks to whom, over which link. A large cluster is
 * shown by a few nodes; how many lie between them is said. The coordinates come from calc/ranks.h through whoever
 * fills this. */
#ifndef VIEW_CLUSTER_H
#define VIEW_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"

enum {
    VIEW_CLUSTER_CELLS_MAX = 256,
    VIEW_CLUSTER_NODES_MAX = 32,
    VIEW_CLUSTER_GROUPS_MAX = 8,
    VIEW_CLUSTER_AXES_MAX = 5
};

/* A group that the chosen GPU belongs to: the ranks first, first + stride, … */
struct view_cluster_group {
    const char *key;   /* JSON: "tp"; a literal */
    const char *label; /* message id, a literal */
    char letter;       /* its sign in the cells */
    uint64_t first, stride, size;
    bool crosses;     /* leaves the node: goes over the network */
    const char *link; /* message id of the link, a literal */
};

struct view_cluster_cell {
    uint64_t rank;
    uint32_t at[VIEW_CLUSTER_AXES_MAX]; /* coordinates, in the order of the axes */
    uint8_t groups;                     /* bit i: in groups[i] of the chosen GPU */
};

struct view_cluster_node {
    uint64_t index;
    uint64_t skipped; /* nodes between the one before and this one */
    int first_cell, cell_count;
    uint64_t more; /* GPUs of it that are not here */
};

struct view_cluster {
    struct message title;
    uint64_t gpus, nodes, gpus_per_node;
    int axis_count;
    const char *axes[VIEW_CLUSTER_AXES_MAX]; /* "tp", the fastest first; literals */
    uint64_t chosen;                         /* rank */
    int node_count;
    struct view_cluster_node node[VIEW_CLUSTER_NODES_MAX];
    uint64_t skipped_at_end; /* nodes after the last one */
    int cell_count;
    struct view_cluster_cell cells[VIEW_CLUSTER_CELLS_MAX];
    int group_count;
    struct view_cluster_group groups[VIEW_CLUSTER_GROUPS_MAX];
    struct message remark;
};

#endif
