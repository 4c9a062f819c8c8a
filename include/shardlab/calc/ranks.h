/* Which GPU is which: from the number of a rank to its coordinates and back, who is in a group with whom, and whether
 * a group stays inside one node. Ranks are laid out as Megatron does by default ("tp-cp-ep-dp-pp", parallel_state.py,
 * RankGenerator): tp changes fastest, then cp, then dp, then pp; for the experts etp, then ep, then what is left of a
 * pipeline stage, then pp. So every group is an arithmetic progression of ranks. Ranks fill nodes in order.
 * Pure arithmetic on a legal scenario. Proof: tests/unit/calc/test_ranks.c against enumeration. */
#ifndef CALC_RANKS_H
#define CALC_RANKS_H

#include "shardlab/calc/scenario.h"

struct calc_ranks {
    uint64_t tp, cp, dp, pp; /* at least 1; their product is the world size */
    uint64_t etp, ep;        /* etp × ep divides tp × cp × dp */
    uint64_t gpus_per_node;  /* at least 1 */
};

struct calc_coordinates {
    uint64_t tp, cp, dp, pp;
    uint64_t etp, ep, edp; /* edp: which copy of the experts */
};

enum calc_group {
    CALC_GROUP_TP,
    CALC_GROUP_CP,
    CALC_GROUP_DP,    /* same tp, cp, pp: replicas of the batch */
    CALC_GROUP_DP_CP, /* same tp, pp: those who average gradients of what is not an expert */
    CALC_GROUP_PP,
    CALC_GROUP_ETP,
    CALC_GROUP_EP,
    CALC_GROUP_EDP, /* copies of the same experts */
    CALC_GROUPS
};

struct calc_ranks calc_ranks_of(const struct scenario *s);
uint64_t calc_ranks_world(const struct calc_ranks *r);

struct calc_coordinates calc_rank_coordinates(const struct calc_ranks *r, uint64_t rank);
/* From tp, cp, dp and pp alone; the coordinates of the experts follow from these. */
uint64_t calc_rank_at(const struct calc_ranks *r, const struct calc_coordinates *at);

/* The members of one group in their order: first, first + stride, … (size of them). */
struct calc_rank_group {
    uint64_t first, stride, size;
    uint64_t index; /* of the rank that was asked about */
};
struct calc_rank_group calc_rank_group_of(const struct calc_ranks *r, enum calc_group group,
                                          uint64_t rank);
bool calc_rank_group_holds(const struct calc_rank_group *group, uint64_t rank);

/* True when the ranks of this group are not all in one node: a ring over it then runs at the network's speed. */
bool calc_rank_group_crosses(const struct calc_ranks *r, const struct calc_rank_group *group);
/* True when any group of this kind crosses nodes. */
bool calc_group_crosses(const struct calc_ranks *r, enum calc_group group);
/* How many nodes there are; the last may be partly used. */
uint64_t calc_ranks_nodes(const struct calc_ranks *r);

#endif
