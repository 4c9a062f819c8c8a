/* The picture of a layout: which nodes are shown, that every cell's groups are calc/ranks.h's, and that the counts of
 * what is left out add up, for layouts small and large. */
#define _POSIX_C_SOURCE 200809L

#include "unit/calc/calc_support.h"

#include "shardlab/lesson/cluster_view.h"

#define BIG "--layers 126 --hidden 16384 --heads 128 --kv-heads 8 --ffn 53248 --vocab 128256"

static struct view view;

static const struct view_cluster *show(const char *line, uint64_t chosen) {
    struct scenario s = resolved_of(line);
    view_start(&view);
    cluster_view_add(&view, &s, chosen);
    return &view.items[0].cluster;
}

static const struct row {
    const char *line;
    uint64_t chosen, gpus, nodes;
} layouts[] = {
    {BIG " --tp 8 --pp 16 --dp 128", 9, 16384, 2048},
    {BIG " --tp 8 --pp 16 --dp 128", 16383, 16384, 2048},
    {BIG " --tp 8 --pp 16 --cp 16 --dp 8 --seq 131072", 777, 16384, 2048},
    {BIG " --tp 4 --dp 2", 5, 8, 1},
    {BIG " --dp 1", 0, 1, 1},
    {BIG " --tp 2 --dp 6 --pp 3", 35, 36, 5},
    {BIG " --tp 8 --dp 36 --gpus-per-node 72", 71, 288, 4},
    {BIG " --tp 8 --dp 9 --gpus-per-node 1", 3, 72, 72},
};

START_TEST(nodes_shown_and_left_out_add_up_and_hold_the_chosen_gpu) {
    const struct row *row = &layouts[_i];
    const struct view_cluster *c = show(row->line, row->chosen);
    uint64_t nodes = c->skipped_at_end, cells = 0;
    bool chosen = false;
    ck_assert_uint_eq(c->gpus, row->gpus);
    ck_assert_uint_eq(c->nodes, row->nodes);
    for (int i = 0; i < c->node_count; i++) {
        nodes += c->node[i].skipped + 1;
        ck_assert(c->node[i].first_cell == (int)cells);
        cells += (uint64_t)c->node[i].cell_count;
        uint64_t first = c->node[i].index * c->gpus_per_node;
        uint64_t here = c->gpus - first < c->gpus_per_node ? c->gpus - first : c->gpus_per_node;
        ck_assert_uint_eq((uint64_t)c->node[i].cell_count + c->node[i].more, here);
    }
    ck_assert_uint_eq(nodes, row->nodes);
    for (int i = 0; i < c->cell_count; i++) {
        chosen = chosen || c->cells[i].rank == row->chosen;
    }
    ck_assert_int_eq(c->cell_count, (int)cells);
    ck_assert(chosen);
}
END_TEST

START_TEST(cells_are_in_the_groups_that_ranks_say) {
    const struct row *row = &layouts[_i];
    const struct view_cluster *c = show(row->line, row->chosen);
    struct scenario s = resolved_of(row->line);
    struct calc_ranks r = calc_ranks_of(&s);
    static const enum calc_group kinds[] = {CALC_GROUP_TP, CALC_GROUP_CP, CALC_GROUP_DP,
                                            CALC_GROUP_PP, CALC_GROUP_EP};
    static const char *const keys[] = {"tp", "cp", "dp", "pp", "ep"};
    for (int i = 0; i < c->group_count; i++) {
        int kind = 0;
        while (strcmp(keys[kind], c->groups[i].key) != 0) {
            kind++;
        }
        struct calc_rank_group g = calc_rank_group_of(&r, kinds[kind], row->chosen);
        ck_assert(c->groups[i].crosses == calc_rank_group_crosses(&r, &g));
        ck_assert(g.size > 1 && c->groups[i].size == g.size);
        for (int k = 0; k < c->cell_count; k++) {
            bool member = (c->cells[k].groups >> i & 1) != 0;
            ck_assert(member == calc_rank_group_holds(&g, c->cells[k].rank));
        }
    }
}
END_TEST

START_TEST(neighbours_of_the_chosen_gpu_are_in_sight) {
    const struct view_cluster *c = show(layouts[0].line, 9);
    static const uint64_t nodes[] = {0, 1, 2, 129};
    ck_assert_int_eq(c->node_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(c->node[i].index, nodes[i]);
    }
    ck_assert_int_eq(c->axis_count, 3);
    ck_assert_str_eq(c->axes[2], "pp");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cluster_view");
    TCase *t = tcase_create("layouts");
    tcase_add_loop_test(t, nodes_shown_and_left_out_add_up_and_hold_the_chosen_gpu, 0,
                        ROWS(layouts));
    tcase_add_loop_test(t, cells_are_in_the_groups_that_ranks_say, 0, ROWS(layouts));
    tcase_add_test(t, neighbours_of_the_chosen_gpu_are_in_sight);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
