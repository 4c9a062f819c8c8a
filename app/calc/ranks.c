/* Coordinates of ranks, groups and nodes. One idea carries it: with the axes from the fastest to the slowest, the
 * group along one of them has as its stride the product of the faster ones. Callers are the communication ledger,
 * which wants to know which link a group uses, and the picture of the cluster. Values in, values out; nothing is
 * owned. Proof: tests/unit/calc/test_ranks.c. */
#include "shardlab/calc/ranks.h"

struct calc_ranks calc_ranks_of(const struct scenario *s) {
    const struct calc_layout *l = &s->layout;
    return (struct calc_ranks){.tp = l->tp,
                               .cp = l->cp,
                               .dp = l->dp,
                               .pp = l->pp,
                               .etp = l->etp,
                               .ep = l->ep,
                               .gpus_per_node = s->cluster.gpus_per_node};
}

/* Ranks of one pipeline stage. */
static uint64_t stage_ranks(const struct calc_ranks *r) {
    return r->tp * r->cp * r->dp;
}

uint64_t calc_ranks_world(const struct calc_ranks *r) {
    return stage_ranks(r) * r->pp;
}

struct calc_coordinates calc_rank_coordinates(const struct calc_ranks *r, uint64_t rank) {
    uint64_t in_stage = rank % stage_ranks(r);
    return (struct calc_coordinates){.tp = rank % r->tp,
                                     .cp = rank / r->tp % r->cp,
                                     .dp = in_stage / (r->tp * r->cp),
                                     .pp = rank / stage_ranks(r),
                                     .etp = in_stage % r->etp,
                                     .ep = in_stage / r->etp % r->ep,
                                     .edp = in_stage / (r->etp * r->ep)};
}

uint64_t calc_rank_at(const struct calc_ranks *r, const struct calc_coordinates *at) {
    return at->tp + r->tp * (at->cp + r->cp * (at->dp + r->dp * at->pp));
}

/* Size and stride of the groups of one kind. */
static struct calc_rank_group shape_of(const struct calc_ranks *r, enum calc_group group) {
    uint64_t experts = r->etp * r->ep;
    switch (group) {
    case CALC_GROUP_TP:
        return (struct calc_rank_group){.stride = 1, .size = r->tp};
    case CALC_GROUP_CP:
        return (struct calc_rank_group){.stride = r->tp, .size = r->cp};
    case CALC_GROUP_DP:
        return (struct calc_rank_group){.stride = r->tp * r->cp, .size = r->dp};
    case CALC_GROUP_DP_CP:
        return (struct calc_rank_group){.stride = r->tp, .size = r->cp * r->dp};
    case CALC_GROUP_PP:
        return (struct calc_rank_group){.stride = stage_ranks(r), .size = r->pp};
    case CALC_GROUP_ETP:
        return (struct calc_rank_group){.stride = 1, .size = r->etp};
    case CALC_GROUP_EP:
        return (struct calc_rank_group){.stride = r->etp, .size = r->ep};
    case CALC_GROUP_EDP:
        return (struct calc_rank_group){.stride = experts, .size = stage_ranks(r) / experts};
    case CALC_GROUPS:
        break;
    }
    return (struct calc_rank_group){.stride = 1, .size = 1};
}

struct calc_rank_group calc_rank_group_of(const struct calc_ranks *r, enum calc_group group,
                                          uint64_t rank) {
    struct calc_rank_group g = shape_of(r, group);
    g.index = rank / g.stride % g.size;
    g.first = rank - g.index * g.stride;
    return g;
}

bool calc_rank_group_holds(const struct calc_rank_group *group, uint64_t rank) {
    return rank >= group->first && (rank - group->first) % group->stride == 0 &&
           (rank - group->first) / group->stride < group->size;
}

bool calc_rank_group_crosses(const struct calc_ranks *r, const struct calc_rank_group *group) {
    uint64_t last = group->first + (group->size - 1) * group->stride;
    return group->first / r->gpus_per_node != last / r->gpus_per_node;
}

/* The groups of one kind tile the ranks in blocks of size × stride. Where such blocks do not tile a node, an edge of
 * a node lies inside a block, and then the block's first or last group has members on both sides of it. */
bool calc_group_crosses(const struct calc_ranks *r, enum calc_group group) {
    struct calc_rank_group g = shape_of(r, group);
    return g.size > 1 && calc_ranks_world(r) > r->gpus_per_node &&
           r->gpus_per_node % (g.size * g.stride) != 0;
}

uint64_t calc_ranks_nodes(const struct calc_ranks *r) {
    return (calc_ranks_world(r) - 1) / r->gpus_per_node + 1;
}
