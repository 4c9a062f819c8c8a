/* From a layout to the picture of its cluster. Coordinates and groups are calc/ranks.h's; here it is decided which
 * nodes are shown: the first two, the chosen GPU's and its neighbour, and those of the members next to it in each of
 * its groups. Writes into the caller's view; keeps nothing. Proof: tests/unit/lessons/test_cluster_view.c. */
#include "shardlab/lesson/cluster_view.h"

#include <assert.h>

enum { NODES_SHOWN = 8, GPUS_SHOWN = VIEW_CLUSTER_CELLS_MAX / NODES_SHOWN };

/* The groups that are shown when they have more than one member, in the order in which they are. */
static const struct kind {
    enum calc_group group;
    const char *key, *label;
    char letter;
} kinds[] = {{CALC_GROUP_TP, "tp", "view.cluster.tp", 'T'},
             {CALC_GROUP_CP, "cp", "view.cluster.cp", 'C'},
             {CALC_GROUP_DP, "dp", "view.cluster.dp", 'D'},
             {CALC_GROUP_PP, "pp", "view.cluster.pp", 'P'},
             {CALC_GROUP_EP, "ep", "view.cluster.ep", 'E'}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void add_groups(struct view_cluster *c, const struct calc_ranks *r) {
    for (int i = 0; i < KINDS; i++) {
        struct calc_rank_group g = calc_rank_group_of(r, kinds[i].group, c->chosen);
        if (g.size < 2) {
            continue;
        }
        bool crosses = calc_rank_group_crosses(r, &g);
        c->groups[c->group_count++] = (struct view_cluster_group){
            .key = kinds[i].key,
            .label = kinds[i].label,
            .letter = kinds[i].letter,
            .first = g.first,
            .stride = g.stride,
            .size = g.size,
            .crosses = crosses,
            .link = crosses ? "view.cluster.network" : "view.cluster.inside"};
    }
}

static void add_axes(struct view_cluster *c, const struct calc_ranks *r) {
    const uint64_t sizes[] = {r->tp, r->cp, r->dp, r->pp};
    static const char *const names[] = {"tp", "cp", "dp", "pp"};
    for (int i = 0; i < 4; i++) {
        if (sizes[i] > 1) {
            c->axes[c->axis_count++] = names[i];
        }
    }
}

static struct view_cluster_cell cell_of(const struct view_cluster *c, const struct calc_ranks *r,
                                        uint64_t rank) {
    struct view_cluster_cell cell = {.rank = rank};
    struct calc_coordinates at = calc_rank_coordinates(r, rank);
    const uint64_t sizes[] = {r->tp, r->cp, r->dp, r->pp};
    const uint64_t values[] = {at.tp, at.cp, at.dp, at.pp};
    for (int i = 0, axis = 0; i < 4; i++) {
        if (sizes[i] > 1) {
            cell.at[axis++] = (uint32_t)values[i];
        }
    }
    for (int i = 0; i < c->group_count; i++) {
        const struct view_cluster_group *g = &c->groups[i];
        const struct calc_rank_group group = {g->first, g->stride, g->size, 0};
        bool member = calc_rank_group_holds(&group, rank);
        cell.groups = (uint8_t)(cell.groups | (member ? 1U << i : 0U));
    }
    return cell;
}

/* Nodes to show, ascending and without repetition. */
struct choice {
    uint64_t nodes[NODES_SHOWN];
    int count;
};

static void choose(struct choice *choice, uint64_t node, uint64_t nodes) {
    int at = 0;
    if (node >= nodes || choice->count == NODES_SHOWN) {
        return;
    }
    while (at < choice->count && choice->nodes[at] < node) {
        at++;
    }
    if (at < choice->count && choice->nodes[at] == node) {
        return;
    }
    for (int i = choice->count; i > at; i--) {
        choice->nodes[i] = choice->nodes[i - 1];
    }
    choice->nodes[at] = node;
    choice->count++;
}

/* The node of the member `step` places away in a group; none: past the end. */
static uint64_t node_of_member(const struct view_cluster *c, const struct view_cluster_group *g,
                               int step) {
    uint64_t index = (c->chosen - g->first) / g->stride;
    if ((step < 0 && index == 0) || (step > 0 && index + 1 >= g->size)) {
        return UINT64_MAX;
    }
    uint64_t rank = step < 0 ? c->chosen - g->stride : c->chosen + g->stride;
    return rank / c->gpus_per_node;
}

static struct choice choose_nodes(const struct view_cluster *c) {
    struct choice choice = {.count = 0};
    if (c->nodes <= NODES_SHOWN) {
        for (uint64_t i = 0; i < c->nodes; i++) {
            choose(&choice, i, c->nodes);
        }
        return choice;
    }
    choose(&choice, c->chosen / c->gpus_per_node, c->nodes);
    choose(&choice, 0, c->nodes);
    for (int step = 1; step >= -1; step -= 2) {
        for (int i = 0; i < c->group_count && choice.count < NODES_SHOWN - 1; i++) {
            choose(&choice, node_of_member(c, &c->groups[i], step), c->nodes);
        }
    }
    choose(&choice, 1, c->nodes);
    return choice;
}

static void add_node(struct view_cluster *c, const struct calc_ranks *r, uint64_t index) {
    struct view_cluster_node *node = &c->node[c->node_count];
    uint64_t first = index * c->gpus_per_node;
    uint64_t gpus = c->gpus - first < c->gpus_per_node ? c->gpus - first : c->gpus_per_node;
    uint64_t shown = gpus < GPUS_SHOWN ? gpus : GPUS_SHOWN;
    uint64_t next = c->node_count > 0 ? c->node[c->node_count - 1].index + 1 : 0;
    *node = (struct view_cluster_node){.index = index,
                                       .skipped = index - next,
                                       .first_cell = c->cell_count,
                                       .cell_count = (int)shown,
                                       .more = gpus - shown};
    /* The chosen GPU is always among those shown of its node. */
    uint64_t from = first;
    if (c->chosen >= first + shown && c->chosen < first + gpus) {
        from = c->chosen - shown + 1;
    }
    for (uint64_t i = 0; i < shown; i++) {
        c->cells[c->cell_count++] = cell_of(c, r, from + i);
    }
    c->node_count++;
}

void cluster_view_add(struct view *out, const struct scenario *s, uint64_t chosen) {
    struct view_cluster *c = &view_add(out, VIEW_KIND_CLUSTER)->cluster;
    const struct calc_ranks r = calc_ranks_of(s);
    c->gpus = calc_ranks_world(&r);
    assert(chosen < c->gpus);
    c->nodes = calc_ranks_nodes(&r);
    c->gpus_per_node = r.gpus_per_node;
    c->chosen = chosen;
    add_axes(c, &r);
    add_groups(c, &r);
    struct choice choice = choose_nodes(c);
    for (int i = 0; i < choice.count; i++) {
        add_node(c, &r, choice.nodes[i]);
    }
    c->skipped_at_end = c->nodes - 1 - choice.nodes[choice.count - 1];
    message_start(&c->title, c->nodes == 1 ? "view.cluster.title_one" : "view.cluster.title");
    message_add_count(&c->title, c->gpus);
    message_add_count(&c->title, c->nodes);
    message_add_plain(&c->title, c->gpus_per_node);
    message_add_plain(&c->title, chosen);
}
