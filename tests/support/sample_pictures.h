/* A Gantt, a table and a cluster, small enough to check by eye, with the words that they need in both languages; and a
 * pen that notes what is put where. Header-only, so that a test links no more than its own room. */
#ifndef SUPPORT_SAMPLE_PICTURES_H
#define SUPPORT_SAMPLE_PICTURES_H

#include "shardlab/view/paint.h"
#include "support/sample_view.h"

static const struct sample_word picture_words[] = {
    {"view.value", "{0}", "{0}"},
    {"view.gantt.rank", "stage {0}", "阶段 {0}"},
    {"view.gantt.forward", "forward", "前向"},
    {"view.gantt.backward", "backward", "反向"},
    {"view.gantt.backward_inputs", "inputs", "输入梯度"},
    {"view.gantt.backward_weights", "weights", "权重梯度"},
    {"view.gantt.backward_both", "both", "完整反向"},
    {"view.gantt.pair", "together", "同时"},
    {"view.gantt.many", "no room", "放不下"},
    {"view.gantt.chunk", "chunks", "块"},
    {"view.gantt.critical", "critical", "关键路径"},
    {"view.gantt.held", "held", "在途"},
    {"view.gantt.idle", "blank: idle", "空白：空闲"},
    {"view.gantt.scale", "a column is {0}", "一列为 {0}"},
    {"view.gantt.window", "{0} to {1} of {2}", "{2} 中的 {0} 到 {1}"},
    {"view.gantt.more_ranks", "stages {0} to {1} of {2}", "{2} 个阶段中的 {0} 到 {1}"},
    {"view.table.left_out", "left out: {0}", "未显示：{0}"},
    {"view.table.more", "{0} more", "另有 {0} 行"},
    {"view.cluster.node", "node {0}", "节点 {0}"},
    {"view.cluster.more_gpus", "{0} more GPUs", "另有 {0} 张"},
    {"view.cluster.more_nodes", "{0} more nodes", "另有 {0} 个节点"},
    {"view.cluster.order", "cells: {0}", "坐标：{0}"},
    {"p.gantt", "1f1b", "1f1b"},
    {"p.explain", "F1 waits", "F1 在等待"},
    {"p.layout", "layout", "布局"},
    {"p.memory", "memory", "显存"},
    {"p.step", "step", "每步"},
    {"p.why", "the bubble is small", "气泡小"},
    {"p.kind.ring", "ring", "环"},
    {"p.kind.tree", "tree", "树"},
    {"p.tp", "tensor", "张量并行"},
    {"p.dp", "data", "数据并行"},
    {"p.inside", "inside", "节点内"},
    {"p.network", "network", "网络"},
};

static inline const char *picture_find(const void *book, const char *id) {
    for (size_t i = 0; i < sizeof picture_words / sizeof picture_words[0]; i++) {
        if (strcmp(picture_words[i].id, id) == 0) {
            return *(const int *)book != 0 ? picture_words[i].zh : picture_words[i].en;
        }
    }
    return sample_find(book, id);
}

static inline struct words picture_book(bool chinese) {
    struct words words = sample_book(chinese);
    words.find = picture_find;
    return words;
}

/* One operation: its ticks, what it is, and the chunks held during it and after it. */
struct picture_op {
    uint64_t start, end;
    int kind, micro_batch;
    uint32_t held, after;
    bool critical;
};

static inline void picture_row(struct view_gantt *g, uint64_t rank, const struct picture_op *ops,
                               int count) {
    struct view_gantt_row *row = &g->rows[g->row_count++];
    row->rank = rank;
    row->first_span = g->span_count;
    row->span_count = count;
    for (int i = 0; i < count; i++) {
        g->spans[g->span_count++] = (struct view_gantt_span){.start = ops[i].start,
                                                             .end = ops[i].end,
                                                             .kind = (uint8_t)ops[i].kind,
                                                             .micro_batch = ops[i].micro_batch,
                                                             .held = ops[i].held,
                                                             .held_after = ops[i].after,
                                                             .critical = ops[i].critical};
        row->peak = ops[i].held > row->peak ? ops[i].held : row->peak;
    }
}

/* 1F1B on two stages, two micro-batches: forward 1, backward 2, makespan 9. */
static inline struct view_gantt *sample_gantt(struct view *v) {
    enum { F = VIEW_GANTT_F, B = VIEW_GANTT_BW };
    static const struct picture_op first[] = {{0, 1, F, 0, 1, 1, true},
                                              {1, 2, F, 1, 2, 2, false},
                                              {4, 6, B, 0, 2, 1, false},
                                              {7, 9, B, 1, 1, 0, true}};
    static const struct picture_op second[] = {{1, 2, F, 0, 1, 1, true},
                                               {2, 4, B, 0, 1, 0, true},
                                               {4, 5, F, 1, 1, 1, true},
                                               {5, 7, B, 1, 1, 0, true}};
    struct view_gantt *g = &view_add(v, VIEW_KIND_GANTT)->gantt;
    g->group_count = 1;
    message_start(&g->groups[0].title, "p.gantt");
    g->groups[0].makespan = g->to = 9;
    g->groups[0].ranks = 2;
    g->groups[0].row_count = 2;
    g->chunks = 1;
    picture_row(g, 0, first, 4);
    picture_row(g, 1, second, 4);
    return g;
}

static inline struct view_table *sample_table(struct view *v) {
    static const struct view_table_col cols[] = {
        {"tp", NULL, VIEW_TABLE_COUNT, 0, NULL},
        {"schedule", "p.layout", VIEW_TABLE_TEXT, 0, NULL},
        {"kind", "s.layers", VIEW_TABLE_NAME, 2, "p.kind."},
        {"total_bytes", "p.memory", VIEW_TABLE_BYTES, 1, NULL},
        {"step_s", "p.step", VIEW_TABLE_SECONDS, 0, NULL},
        {"mfu", NULL, VIEW_TABLE_SHARE, 3, NULL},
        {"gain", NULL, VIEW_TABLE_REAL, 4, NULL}};
    struct view_table *t = &view_add(v, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "s.gpu");
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < 2; i++) {
        int row = view_table_row(t);
        view_table_set_count(t, row, 0, i == 0 ? 8 : 1024);
        view_table_set_text(t, row, 1, i == 0 ? "1f1b" : "interleaved");
        view_table_set_text(t, row, 2, i == 0 ? "ring" : "tree");
        view_table_set_count(t, row, 3, i == 0 ? UINT64_C(70870000000) : UINT64_C(6500000000));
        view_table_set_real(t, row, 4, i == 0 ? 0.25 : 0.0035);
        view_table_set_real(t, row, 5, i == 0 ? 0.4125 : 0.05);
    }
    view_table_set_real(t, 0, 6, 2.5);
    t->numbered = true;
    message_start(view_table_add_note(t, 0), "p.why");
    return t;
}

/* Two nodes of two GPUs, tp 2, dp 2; rank 1 is chosen. */
static inline struct view_cluster *sample_cluster(struct view *v) {
    struct view_cluster *c = &view_add(v, VIEW_KIND_CLUSTER)->cluster;
    message_start(&c->title, "s.gpu");
    c->gpus = 4;
    c->nodes = c->gpus_per_node = 2;
    c->axis_count = 2;
    c->axes[0] = "tp";
    c->axes[1] = "dp";
    c->chosen = 1;
    c->node_count = 2;
    c->cell_count = 4;
    for (int i = 0; i < 2; i++) {
        c->node[i] = (struct view_cluster_node){(uint64_t)i, 0, 2 * i, 2, 0};
    }
    static const uint8_t groups[] = {1, 3, 0, 2};
    for (uint32_t i = 0; i < 4; i++) {
        c->cells[i] = (struct view_cluster_cell){i, {i % 2, i / 2}, groups[i]};
    }
    c->group_count = 2;
    c->groups[0] = (struct view_cluster_group){"tp", "p.tp", 'T', 0, 1, 2, false, "p.inside"};
    c->groups[1] = (struct view_cluster_group){"dp", "p.dp", 'D', 1, 2, 2, true, "p.network"};
    return c;
}

#endif
