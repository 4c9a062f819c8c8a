/* What a learner sees, as data: a lesson makes a view from a scenario; the terminal (`ui`), plain text and JSON
 * (`view/read.h`) are its readers. A view owns everything it holds (fixed capacities, no pointers into others
 * but literals), so it can be copied, compared, printed and tested without a terminal.
 * A new kind needs one case in every reader; -Wswitch names the missing one. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"
#include "shardlab/view/cluster.h"
#include "shardlab/view/frames.h"
#include "shardlab/view/gantt.h"
#include "shardlab/view/numbers.h"
#include "shardlab/view/plot.h"
#include "shardlab/view/table.h"

enum {
    VIEW_ITEMS_MAX = 6,
    VIEW_ROWS_MAX = 16,
    VIEW_LINES_MAX = 10,
    VIEW_POINTS_MAX = 24,
    VIEW_CHART_MAX = 128,
    VIEW_MATRIX_COLS_MAX = 6,
    VIEW_REMARKS_MAX = 24,
    VIEW_CELL_TEXT_MAX = 16,
    VIEW_FORMULA_MAX = 96,
    VIEW_SUBSTITUTED_MAX = 160
};

/* A quantity's meaning; themes give each one a colour and a pattern that never change. */
enum view_role {
    VIEW_ROLE_PLAIN,
    VIEW_ROLE_WEIGHTS,
    VIEW_ROLE_GRADIENTS,
    VIEW_ROLE_OPTIMIZER,
    VIEW_ROLE_ACTIVATIONS,
    VIEW_ROLE_BUFFERS,
    VIEW_ROLE_TOTAL,
};

/* One step of a derivation: 12 × 6738415616 / 8 = 10107623424. Several may stand under one ledger row. */
struct view_line {
    const char *id; /* message id of the term's name, a literal; "<id>.why" explains it */
    char formula[VIEW_FORMULA_MAX];
    char substituted[VIEW_SUBSTITUTED_MAX];
    uint64_t bytes;
    const char *source; /* a literal */
};

struct view_row {
    const char *key;   /* JSON key and identity of the row: "optimizer"; a literal */
    const char *label; /* message id, a literal */
    enum view_role role;
    char formula[VIEW_FORMULA_MAX]; /* short: "12Ψ/8"; "" none */
    bool known;                     /* false: the value is unknown (shown as —) */
    uint64_t bytes;
    bool has_before; /* a value before the last move exists and is known */
    uint64_t before;
    int first_line, line_count; /* its derivation in the ledger's lines */
};

enum { VIEW_LEDGER_LINES_MAX = 40 };

/* A table of byte amounts that sum to its last row; where they cannot be added, the last row is the largest. */
struct view_ledger {
    struct message title; /* "One GPU" */
    int row_count;
    struct view_row rows[VIEW_ROWS_MAX]; /* the last one is the total */
    int line_count;
    struct view_line lines[VIEW_LEDGER_LINES_MAX];
};

struct view_segment {
    const char *key;
    const char *label; /* message id */
    enum view_role role;
    uint64_t bytes;
};

/* Stacked amounts against a capacity. */
struct view_bar {
    struct message title;
    int segment_count;
    struct view_segment segments[VIEW_ROWS_MAX];
    uint64_t total_bytes;
    bool has_capacity;
    uint64_t capacity_bytes;
    char capacity_name[96]; /* "A100 SXM 80GB", "" when only --memory was given */
    struct message verdict; /* "fits, 31 GB free" */
};

/* A value as a function of a stop: saving against data ranks. One line on screen, x and y in JSON. */
struct view_curve {
    struct message title;        /* "saving against plain data parallel" */
    const char *x_name, *y_name; /* JSON names, literals: "dp", "saving" */
    int point_count;
    uint64_t x[VIEW_POINTS_MAX];
    double y[VIEW_POINTS_MAX];
    int current; /* the learner's point, -1: none */
    bool has_limit;
    double limit;
    struct message remark; /* "limit 4× for many ranks" */
};

/* Bytes as they grow and fall, several rows high, against a capacity. Each column is the most of a stretch of
 * events, so the peak is never averaged away. */
struct view_chart {
    struct message title; /* also says what the marks are */
    int column_count;
    uint64_t bytes[VIEW_CHART_MAX];
    char marks[VIEW_CHART_MAX]; /* what begins in this column: 'F', 'B', 'S'; ' ' nothing */
    int peak;                   /* the first column with the most bytes, -1: no columns */
    bool has_capacity;
    uint64_t capacity_bytes;
    struct message remark; /* "peak 42.10 GB: end of the forward of micro-batch 1" */
};

enum view_cell_kind { VIEW_CELL_UNKNOWN, VIEW_CELL_BYTES, VIEW_CELL_REAL, VIEW_CELL_TEXT };

struct view_cell {
    enum view_cell_kind kind;
    bool differs; /* from the reference column's; marked by a sign, not only by colour */
    uint64_t bytes;
    double real;
    char text[VIEW_CELL_TEXT_MAX]; /* language-free: "0-3" */
};

struct view_matrix_row {
    const char *key;   /* JSON key: "optimizer"; a literal */
    const char *label; /* message id, a literal */
    enum view_role role;
    bool ruled; /* a rule stands above it */
};

struct view_matrix_col {
    const char *key; /* JSON key and heading, the same in every language: "megatron"; a literal */
    bool defined;    /* false: no cell of it is known, its remarks say why */
};

/* A part of the sentence about a column; parts are joined by the reader. */
struct view_remark {
    int col;
    struct message text;
};

/* One quantity a row, one way of counting it a column: amounts beside each other, with a sentence a column. */
struct view_matrix {
    struct message title;
    int row_count, col_count;
    struct view_matrix_row rows[VIEW_ROWS_MAX];
    struct view_matrix_col cols[VIEW_MATRIX_COLS_MAX];
    struct view_cell cells[VIEW_ROWS_MAX][VIEW_MATRIX_COLS_MAX];
    int reference; /* the column that the others are compared with, -1: none */
    int remark_count;
    struct view_remark remarks[VIEW_REMARKS_MAX];
};

struct view_fact {
    const char *key;   /* JSON key */
    const char *label; /* message id */
    struct message value;
};

/* Names and values, one a line. */
struct view_facts {
    struct message title;
    int fact_count;
    struct view_fact facts[VIEW_ROWS_MAX];
};

/* Sentences under or above the others: notes, limits. */
struct view_text {
    int line_count;
    struct message lines[VIEW_LINES_MAX];
};

enum view_kind {
    VIEW_KIND_TEXT,
    VIEW_KIND_FACTS,
    VIEW_KIND_LEDGER,
    VIEW_KIND_BAR,
    VIEW_KIND_CURVE,
    VIEW_KIND_CHART,
    VIEW_KIND_GANTT,
    VIEW_KIND_TABLE,
    VIEW_KIND_CLUSTER,
    VIEW_KIND_MATRIX,
    VIEW_KIND_BITS,
    VIEW_KIND_RANGES,
    VIEW_KIND_FRAMES,
    VIEW_KIND_PLOT
};

struct view_item {
    enum view_kind kind;
    union {
        struct view_text text;
        struct view_facts facts;
        struct view_ledger ledger;
        struct view_bar bar;
        struct view_curve curve;
        struct view_chart chart;
        struct view_gantt gantt;
        struct view_table table;
        struct view_cluster cluster;
        struct view_matrix matrix;
        struct view_bits bits;
        struct view_ranges ranges;
        struct view_frames frames;
        struct view_plot plot;
    };
};

struct view {
    int item_count;
    struct view_item items[VIEW_ITEMS_MAX];
};

/* Empties the view. */
void view_start(struct view *v);
/* Appends an empty item of this kind and returns it; asserts that there is room. */
struct view_item *view_add(struct view *v, enum view_kind kind);

#endif
