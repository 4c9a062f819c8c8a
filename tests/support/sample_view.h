/* A view like that of a lesson, with the words it needs in both languages, for tests that look at
 * how views are shown. Header-only, so that a test links no more than its own room. */
#ifndef SUPPORT_SAMPLE_VIEW_H
#define SUPPORT_SAMPLE_VIEW_H

#include <stdio.h>
#include <string.h>

#include "shardlab/base/words.h"
#include "shardlab/view/view.h"

struct sample_word {
    const char *id, *en, *zh;
};

static const struct sample_word sample_words[] = {
    {"s.gpu", "One GPU", "单张 GPU"},
    {"s.weights", "weights", "权重"},
    {"s.gradients", "gradients", "梯度"},
    {"s.optimizer", "optimizer", "优化器状态"},
    {"s.activations", "activations", "激活值"},
    {"s.buffers", "buffers", "缓冲区"},
    {"s.total", "total", "合计"},
    {"s.saving", "saving against DP", "相对数据并行的节省"},
    {"s.limit", "limit 4×", "极限 4×"},
    {"s.fits", "fits, {0} free", "放得下，剩余 {0}"},
    {"s.over", "{0} too much", "超出 {0}"},
    {"s.note", "All of it is allocated memory, not what nvidia-smi shows.",
     "以上都是已分配显存，与 nvidia-smi 显示的不同。"},
    {"s.master", "master weights", "主权重"},
    {"s.master.why", "Small updates would vanish in 16 bits.", "更新量太小，16 位放不下。"},
    {"s.layers", "layers", "层数"},
    {"s.count", "{0}", "{0}"},
    {"view.matrix.legend", "{0} differs from {1}", "{0} 表示与 {1} 不同"},
    {"view.column.formula", "formula", "公式"},
    {"view.column.delta", "Δ", "变化"},
    {"view.why.equals", "= {0} bytes", "= {0} 字节"},
    {"view.why.sum", "The sum of the rows above it.", "以上各行之和。"},
    {"view.why.unknown", "Not known.", "未知。"},
    {"view.notice.size", "{0}×{1} needed, this is {2}×{3}",
     "需要 {0} 列 {1} 行，现为 {2} 列 {3} 行"},
};

static inline const char *sample_find(const void *book, const char *id) {
    for (size_t i = 0; i < sizeof sample_words / sizeof sample_words[0]; i++) {
        if (strcmp(sample_words[i].id, id) == 0) {
            return *(const int *)book != 0 ? sample_words[i].zh : sample_words[i].en;
        }
    }
    return NULL;
}

static inline struct words sample_book(bool chinese) {
    static const int books[] = {0, 1};
    return (struct words){
        .book = &books[chinese ? 1 : 0], .find = sample_find, .unit = UNIT_GB, .chinese = chinese};
}

static inline void sample_row(struct view_ledger *ledger, const char *key, enum view_role role,
                              const char *formula, uint64_t bytes) {
    static const char *const labels[] = {"s.weights",     "s.gradients", "s.optimizer",
                                         "s.activations", "s.buffers",   "s.total"};
    struct view_row *row = &ledger->rows[ledger->row_count];
    *row = (struct view_row){.key = key,
                             .label = labels[ledger->row_count],
                             .role = role,
                             .known = true,
                             .bytes = bytes,
                             .has_before = true,
                             .before = bytes};
    snprintf(row->formula, sizeof row->formula, "%s", formula);
    ledger->row_count++;
}

static inline void sample_ledger(struct view *v) {
    struct view_ledger *ledger = &view_add(v, VIEW_KIND_LEDGER)->ledger;
    message_start(&ledger->title, "s.gpu");
    sample_row(ledger, "weights", VIEW_ROLE_WEIGHTS, "2Ψ", UINT64_C(13476831232));
    sample_row(ledger, "gradients", VIEW_ROLE_GRADIENTS, "2Ψ", UINT64_C(13476831232));
    sample_row(ledger, "optimizer", VIEW_ROLE_OPTIMIZER, "12Ψ/8", UINT64_C(10107623424));
    sample_row(ledger, "activations", VIEW_ROLE_ACTIVATIONS, "L × (4sbh + 4sbh + 6f)",
               UINT64_C(17325000000));
    sample_row(ledger, "buffers", VIEW_ROLE_BUFFERS, "", 0);
    sample_row(ledger, "total", VIEW_ROLE_TOTAL, "", UINT64_C(54386285888));
    ledger->rows[2].before = UINT64_C(80860987392);
    ledger->rows[5].before = UINT64_C(125139649856);
    ledger->rows[2].line_count = 1;
    ledger->line_count = 1;
    ledger->lines[0] = (struct view_line){.id = "s.master",
                                          .formula = "12Ψ/N",
                                          .substituted = "12 × 6738415616 / 8",
                                          .bytes = UINT64_C(10107623424),
                                          .source = "ZeRO, arXiv:1910.02054, section 3.1"};
}

static inline void sample_bar(struct view *v, uint64_t capacity) {
    struct view_ledger *ledger = &v->items[0].ledger;
    struct view_bar *bar = &view_add(v, VIEW_KIND_BAR)->bar;
    bar->segment_count = 5;
    for (int i = 0; i < 5; i++) {
        bar->segments[i] = (struct view_segment){ledger->rows[i].key, ledger->rows[i].label,
                                                 ledger->rows[i].role, ledger->rows[i].bytes};
    }
    bar->total_bytes = ledger->rows[5].bytes;
    bar->has_capacity = true;
    bar->capacity_bytes = capacity;
    snprintf(bar->capacity_name, sizeof bar->capacity_name, "A100 80 GB");
    bool fits = bar->total_bytes <= capacity;
    message_start(&bar->verdict, fits ? "s.fits" : "s.over");
    message_add_bytes(&bar->verdict,
                      fits ? capacity - bar->total_bytes : bar->total_bytes - capacity);
}

static inline void sample_curve(struct view *v) {
    struct view_curve *curve = &view_add(v, VIEW_KIND_CURVE)->curve;
    message_start(&curve->title, "s.saving");
    curve->x_name = "dp";
    curve->y_name = "saving";
    curve->point_count = 5;
    for (int i = 0; i < 5; i++) {
        curve->x[i] = UINT64_C(1) << i;
        curve->y[i] = 16.0 / (4.0 + 12.0 / (double)curve->x[i]);
    }
    curve->current = 3;
    curve->has_limit = true;
    curve->limit = 4;
    message_start(&curve->remark, "s.limit");
}

/* Ledger, bar, curve, facts and a sentence: every kind of item. */
static inline void sample_view(struct view *v, uint64_t capacity) {
    view_start(v);
    sample_ledger(v);
    sample_bar(v, capacity);
    sample_curve(v);
    struct view_facts *facts = &view_add(v, VIEW_KIND_FACTS)->facts;
    facts->fact_count = 1;
    facts->facts[0].key = "layers";
    facts->facts[0].label = "s.layers";
    message_start(&facts->facts[0].value, "s.count");
    message_add_count(&facts->facts[0].value, 32);
    struct view_text *text = &view_add(v, VIEW_KIND_TEXT)->text;
    text->line_count = 1;
    message_start(&text->lines[0], "s.note");
}

static inline void sample_cell(struct view_cell *cell, uint64_t bytes, bool differs) {
    cell->kind = bytes == 0 ? VIEW_CELL_UNKNOWN : VIEW_CELL_BYTES;
    cell->bytes = bytes;
    cell->differs = differs;
}

/* Three ways of counting: the reference, one that differs, one that is not defined. */
static inline void sample_matrix(struct view *v) {
    static const struct view_matrix_row rows[] = {
        {"weights", "s.weights", VIEW_ROLE_WEIGHTS, false},
        {"gradients", "s.gradients", VIEW_ROLE_GRADIENTS, false},
        {"total", "s.total", VIEW_ROLE_TOTAL, true},
        {"stages", "s.layers", VIEW_ROLE_PLAIN, false},
        {"each", "s.optimizer", VIEW_ROLE_PLAIN, false},
    };
    static const struct view_matrix_col cols[] = {
        {"paper", true}, {"megatron", true}, {"none", false}};
    static const uint64_t bytes[3][2] = {{UINT64_C(13476831232), UINT64_C(13476831232)},
                                         {UINT64_C(13476831232), UINT64_C(26953662464)},
                                         {UINT64_C(26960000000), UINT64_C(40430000000)}};
    static const char *const stages[] = {"0-3", "0, 1", "0"};
    struct view_matrix *m = &view_add(v, VIEW_KIND_MATRIX)->matrix;
    message_start(&m->title, "s.gpu");
    m->row_count = 5;
    m->col_count = 3;
    m->reference = 0;
    memcpy(m->rows, rows, sizeof rows);
    memcpy(m->cols, cols, sizeof cols);
    for (int row = 0; row < 3; row++) {
        sample_cell(&m->cells[row][0], bytes[row][0], false);
        sample_cell(&m->cells[row][1], bytes[row][1], bytes[row][1] != bytes[row][0]);
    }
    for (int col = 0; col < 3; col++) {
        m->cells[3][col].kind = VIEW_CELL_TEXT;
        snprintf(m->cells[3][col].text, VIEW_CELL_TEXT_MAX, "%s", stages[col]);
    }
    m->cells[4][0] = (struct view_cell){.kind = VIEW_CELL_REAL, .real = 16};
    m->cells[4][1] = (struct view_cell){.kind = VIEW_CELL_REAL, .real = 18, .differs = true};
    m->remark_count = 3;
    m->remarks[0].col = m->remarks[1].col = 1;
    m->remarks[2].col = 2;
    message_start(&m->remarks[0].text, "s.limit");
    message_start(&m->remarks[1].text, "s.count");
    message_add_plain(&m->remarks[1].text, 7);
    message_start(&m->remarks[2].text, "s.limit");
}

#endif
