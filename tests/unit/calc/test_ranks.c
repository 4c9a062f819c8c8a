/* Ranks and coordinates against plain enumeration: four nested loops number the ranks, groups are found by comparing
 * coordinates, and crossing by looking at every member's node. Also groups that Megatron's documentation lists. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

#include "shardlab/calc/ranks.h"

enum { WORLD_MAX = 512 };

static const uint64_t sizes[] = {1, 2, 3, 4};
static const uint64_t nodes[] = {1, 3, 4, 8, 16};

/* All coordinates of a world, by counting up. */
static struct calc_coordinates table[WORLD_MAX];

static uint64_t enumerate(const struct calc_ranks *r) {
    uint64_t rank = 0;
    for (uint64_t pp = 0; pp < r->pp; pp++) {
        uint64_t etp = 0, ep = 0, edp = 0;
        for (uint64_t dp = 0; dp < r->dp; dp++) {
            for (uint64_t cp = 0; cp < r->cp; cp++) {
                for (uint64_t tp = 0; tp < r->tp; tp++) {
                    table[rank++] = (struct calc_coordinates){tp, cp, dp, pp, etp, ep, edp};
                    if (++etp == r->etp) {
                        etp = 0;
                        ep = ep + 1 == r->ep ? 0 : ep + 1;
                        edp += ep == 0 ? 1 : 0;
                    }
                }
            }
        }
    }
    return rank;
}

static bool same_group(enum calc_group group, const struct calc_coordinates *a,
                       const struct calc_coordinates *b) {
    bool tp = a->tp == b->tp, cp = a->cp == b->cp, dp = a->dp == b->dp, pp = a->pp == b->pp;
    bool etp = a->etp == b->etp, ep = a->ep == b->ep, edp = a->edp == b->edp;
    switch (group) {
    case CALC_GROUP_TP:
        return cp && dp && pp;
    case CALC_GROUP_CP:
        return tp && dp && pp;
    case CALC_GROUP_DP:
        return tp && cp && pp;
    case CALC_GROUP_DP_CP:
        return tp && pp;
    case CALC_GROUP_PP:
        return tp && cp && dp;
    case CALC_GROUP_ETP:
        return ep && edp && pp;
    case CALC_GROUP_EP:
        return etp && edp && pp;
    case CALC_GROUP_EDP:
        return etp && ep && pp;
    case CALC_GROUPS:
        break;
    }
    return false;
}

static bool same_place(const struct calc_coordinates *a, const struct calc_coordinates *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* One group of one rank against the table; returns whether it crosses nodes. */
static bool check_group(const struct calc_ranks *r, uint64_t world, enum calc_group group,
                        uint64_t rank) {
    struct calc_rank_group g = calc_rank_group_of(r, group, rank);
    uint64_t seen = 0;
    bool crosses = false;
    for (uint64_t other = 0; other < world; other++) {
        bool inside = same_group(group, &table[rank], &table[other]);
        must_hold(inside == calc_rank_group_holds(&g, other), "group %d: rank %ju and %ju", group,
                  (uintmax_t)rank, (uintmax_t)other);
        must_hold(!inside || other == g.first + seen * g.stride, "group %d: order", group);
        must_hold(other != rank || seen == g.index, "group %d: index", group);
        seen += inside ? 1 : 0;
        crosses = crosses || (inside && other / r->gpus_per_node != rank / r->gpus_per_node);
    }
    must_hold(seen == g.size, "group %d: size", group);
    must_hold(crosses == calc_rank_group_crosses(r, &g), "group %d: crossing", group);
    return crosses;
}

static void check_world(const struct calc_ranks *r) {
    uint64_t world = enumerate(r);
    must_hold(world == calc_ranks_world(r), "world of %ju", (uintmax_t)world);
    must_hold(calc_ranks_nodes(r) == (world + r->gpus_per_node - 1) / r->gpus_per_node, "nodes");
    for (uint64_t rank = 0; rank < world; rank++) {
        struct calc_coordinates at = calc_rank_coordinates(r, rank);
        must_hold(same_place(&at, &table[rank]), "coordinates of %ju", (uintmax_t)rank);
        must_hold(calc_rank_at(r, &at) == rank, "rank of the coordinates of %ju", (uintmax_t)rank);
    }
    for (int group = 0; group < CALC_GROUPS; group++) {
        bool any = false;
        for (uint64_t rank = 0; rank < world; rank++) {
            any = check_group(r, world, (enum calc_group)group, rank) || any;
        }
        must_hold(any == calc_group_crosses(r, (enum calc_group)group),
                  "group %d of tp %ju cp %ju dp %ju pp %ju in nodes of %ju", group,
                  (uintmax_t)r->tp, (uintmax_t)r->cp, (uintmax_t)r->dp, (uintmax_t)r->pp,
                  (uintmax_t)r->gpus_per_node);
    }
}

START_TEST(every_small_world_agrees_with_enumeration) {
    for (int i = 0; i < ROWS(sizes) * ROWS(sizes) * ROWS(sizes); i++) {
        struct calc_ranks r = {.tp = sizes[i % 4],
                               .cp = i / 16 % 2 == 0 ? 1 : 2,
                               .dp = sizes[i / 4 % 4],
                               .pp = i / 16 == 3 ? 3 : sizes[i / 16 % 4],
                               .etp = 1,
                               .ep = 1,
                               .gpus_per_node = nodes[_i]};
        check_world(&r);
        r.ep = r.dp;
        check_world(&r);
        r.etp = r.tp;
        check_world(&r);
    }
}
END_TEST

/* The examples of Megatron's initialize_model_parallel: 16 GPUs, tp 2, pp 4. */
START_TEST(sixteen_gpus_group_as_megatron_says) {
    struct calc_ranks r = {
        .tp = 2, .cp = 1, .dp = 2, .pp = 4, .etp = 1, .ep = 1, .gpus_per_node = 8};
    struct calc_rank_group dp = calc_rank_group_of(&r, CALC_GROUP_DP, 7);
    struct calc_rank_group tp = calc_rank_group_of(&r, CALC_GROUP_TP, 7);
    struct calc_rank_group pp = calc_rank_group_of(&r, CALC_GROUP_PP, 7);
    ck_assert(dp.first == 5 && dp.stride == 2 && dp.size == 2); /* [g5, g7] */
    ck_assert(tp.first == 6 && tp.stride == 1 && tp.size == 2); /* [g6, g7] */
    ck_assert(pp.first == 3 && pp.stride == 4 && pp.size == 4); /* [g3, g7, g11, g15] */
    ck_assert(!calc_group_crosses(&r, CALC_GROUP_DP) && !calc_group_crosses(&r, CALC_GROUP_TP));
    ck_assert(calc_group_crosses(&r, CALC_GROUP_PP));
}
END_TEST

START_TEST(a_scenario_gives_its_ranks) {
    struct scenario s = resolved_of(LLAMA_7B " --tp 4 --dp 6 --pp 2 --gpus-per-node 4");
    struct calc_ranks r = calc_ranks_of(&s);
    ck_assert_uint_eq(calc_ranks_world(&r), 48);
    ck_assert_uint_eq(calc_ranks_nodes(&r), 12);
    ck_assert_uint_eq(r.gpus_per_node, 4);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("ranks");
    TCase *t = tcase_create("ranks");
    tcase_add_loop_test(t, every_small_world_agrees_with_enumeration, 0, ROWS(nodes));
    tcase_add_test(t, sixteen_gpus_group_as_megatron_says);
    tcase_add_test(t, a_scenario_gives_its_ranks);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
