/* Drawing a cluster with a pen: nodes beside and below each other, their GPUs in rows of equal length, each with its
 * number, the letters of the groups it shares with the chosen one, and its coordinates; below, a line a group with its
 * members and the link it uses. The cluster is borrowed. Proof: tests/unit/view/test_cluster.c. */
#include <stdio.h>

#include "shardlab/view/paint.h"

enum { TEXT_MAX = 256, NODE_GAP = 3, CELL_GAP = 2, RULE_COLS = 2, GROUP_LETTER_COLS = 3 };

struct board {
    const struct view_pen *pen;
    const struct view_cluster *cluster;
    int cell_cols; /* of one GPU, with the gap behind it */
    int across;    /* GPUs beside each other in a node */
    int lines;     /* rows of GPUs in a node */
    int beside;    /* nodes beside each other */
};

static int cols_of(const struct board *b, const char *text) {
    return width_text(text, &b->pen->rules);
}

/* "12 TD": number and letters; the chosen one has a dot for a letter. */
static void write_cell(const struct board *b, const struct view_cluster_cell *cell,
                       char out[TEXT_MAX]) {
    const struct view_cluster *c = b->cluster;
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    writer_u64(&w, cell->rank);
    bool chosen = cell->rank == c->chosen;
    writer_text(&w, !chosen && cell->groups == 0 ? "" : " ");
    writer_text(&w, !chosen ? "" : b->pen->ascii ? "*" : "●");
    for (int i = 0; !chosen && i < c->group_count; i++) {
        if ((cell->groups >> i & 1) != 0) {
            writer_char(&w, c->groups[i].letter);
        }
    }
}

static void write_coordinates(const struct board *b, const struct view_cluster_cell *cell,
                              char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    for (int i = 0; i < b->cluster->axis_count; i++) {
        writer_text(&w, i == 0 ? "" : b->pen->ascii ? "." : "·");
        writer_u64(&w, cell->at[i]);
    }
}

/* How many GPUs beside each other: all of a node, or the most that divide it evenly. */
static int fit_across(int gpus, int room) {
    int best = 1;
    for (int n = 1; n <= room && n <= gpus; n++) {
        best = gpus % n == 0 ? n : best;
    }
    return best;
}

static void measure(struct board *b) {
    const struct view_cluster *c = b->cluster;
    int gpus = 1;
    for (int i = 0; i < c->cell_count; i++) {
        char text[TEXT_MAX];
        write_cell(b, &c->cells[i], text);
        int cols = cols_of(b, text);
        write_coordinates(b, &c->cells[i], text);
        cols = cols_of(b, text) > cols ? cols_of(b, text) : cols;
        b->cell_cols = cols + CELL_GAP > b->cell_cols ? cols + CELL_GAP : b->cell_cols;
    }
    for (int i = 0; i < c->node_count; i++) {
        gpus = c->node[i].cell_count > gpus ? c->node[i].cell_count : gpus;
    }
    b->across = fit_across(gpus, (b->pen->cols - RULE_COLS) / b->cell_cols);
    /* Half as wide where that puts nodes beside each other: a node is read as one block. */
    if (gpus > 2 && b->across == gpus && gpus % 2 == 0 && c->node_count > 1) {
        b->across = gpus / 2;
    }
    b->lines = (gpus - 1) / b->across + 1;
    int node_cols = RULE_COLS + b->across * b->cell_cols + NODE_GAP;
    b->beside = (b->pen->cols + NODE_GAP) / node_cols;
    b->beside = b->beside < 1 ? 1 : b->beside;
}

static void put(const struct board *b, int row, int col, const char *text, enum view_tone tone) {
    b->pen->put(b->pen->context, row, col, text, tone);
}

static void paint_head(const struct board *b, int row, int col,
                       const struct view_cluster_node *node) {
    char text[TEXT_MAX];
    struct writer w;
    struct message m;
    message_start(&m, "view.cluster.node");
    message_add_plain(&m, node->index);
    writer_start(&w, text, sizeof text);
    words_write(&w, b->pen->words, &m);
    put(b, row, col, text, VIEW_TONE_STRONG);
    if (node->more > 0) {
        col += cols_of(b, text) + 2;
        message_start(&m, "view.cluster.more_gpus");
        message_add_count(&m, node->more);
        writer_start(&w, text, sizeof text);
        words_write(&w, b->pen->words, &m);
        put(b, row, col, text, VIEW_TONE_DIM);
    }
}

/* One row of GPUs of a node: numbers and letters, or coordinates. */
static void paint_cells(const struct board *b, int row, int col,
                        const struct view_cluster_node *node, int line) {
    bool coordinates = line % 2 != 0;
    put(b, row, col, b->pen->ascii ? "|" : "│", VIEW_TONE_LINE);
    for (int i = 0; i < b->across; i++) {
        int index = line / 2 * b->across + i;
        if (index >= node->cell_count) {
            return;
        }
        const struct view_cluster_cell *cell = &b->cluster->cells[node->first_cell + index];
        char text[TEXT_MAX];
        bool chosen = cell->rank == b->cluster->chosen;
        enum view_tone tone = chosen              ? VIEW_TONE_CURSOR
                              : cell->groups != 0 ? VIEW_TONE_ACCENT
                                                  : VIEW_TONE_TEXT;
        if (coordinates) {
            write_coordinates(b, cell, text);
        } else {
            write_cell(b, cell, text);
        }
        put(b, row, col + RULE_COLS + i * b->cell_cols, text, coordinates ? VIEW_TONE_DIM : tone);
    }
}

static int say_skipped(const struct board *b, int row, uint64_t nodes) {
    struct message m;
    message_start(&m, nodes > 0 ? "view.cluster.more_nodes" : NULL);
    message_add_count(&m, nodes);
    return view_say(b->pen, row, &m, VIEW_TONE_DIM);
}

/* Nodes beside each other, from `first`; returns how many, none across a gap. */
static int band_of(const struct board *b, int first) {
    int count = 1;
    while (count < b->beside && first + count < b->cluster->node_count &&
           b->cluster->node[first + count].skipped == 0) {
        count++;
    }
    return count;
}

static int paint_nodes(const struct board *b, int row) {
    const struct view_cluster *c = b->cluster;
    int first_row = row, node_cols = RULE_COLS + b->across * b->cell_cols + NODE_GAP;
    int lines = b->lines * (c->axis_count > 0 ? 2 : 1);
    for (int first = 0; first < c->node_count;) {
        int count = band_of(b, first);
        row += say_skipped(b, row, c->node[first].skipped);
        for (int i = 0; i < count; i++) {
            paint_head(b, row, i * node_cols, &c->node[first + i]);
        }
        row++;
        for (int line = 0; line < lines; line++, row++) {
            for (int i = 0; i < count; i++) {
                paint_cells(b, row, i * node_cols, &c->node[first + i], line);
            }
        }
        first += count;
    }
    row += say_skipped(b, row, c->skipped_at_end);
    return row - first_row;
}

/* "0 4 8 … 60", the first members and the last. */
static void write_members(const struct board *b, const struct view_cluster_group *g,
                          char out[TEXT_MAX]) {
    enum { SHOWN = 4 };
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    for (uint64_t i = 0; i < g->size; i++) {
        if (g->size > SHOWN && i == SHOWN - 1) {
            writer_text(&w, b->pen->ascii ? " ..." : " …");
            i = g->size - 1;
        }
        writer_text(&w, i == 0 ? "" : " ");
        writer_u64(&w, g->first + i * g->stride);
    }
}

/* Widths of the lines about groups. */
struct group_cols {
    int label, size, members;
};

static struct group_cols measure_groups(const struct board *b) {
    struct group_cols out = {0, 0, 0};
    for (int i = 0; i < b->cluster->group_count; i++) {
        const struct view_cluster_group *g = &b->cluster->groups[i];
        char text[TEXT_MAX];
        int label = cols_of(b, words_get(b->pen->words, g->label));
        int size = snprintf(text, sizeof text, "%ju", (uintmax_t)g->size);
        write_members(b, g, text);
        int members = cols_of(b, text);
        out.label = label > out.label ? label : out.label;
        out.size = size > out.size ? size : out.size;
        out.members = members > out.members ? members : out.members;
    }
    return out;
}

static int paint_group(const struct board *b, int row, const struct view_cluster_group *g,
                       const struct group_cols *cols) {
    char text[TEXT_MAX];
    int first = row, col = GROUP_LETTER_COLS;
    bool narrow = col + cols->label + 2 + cols->size + 2 + cols->members + 3 + 12 > b->pen->cols;
    char letter[2] = {g->letter, '\0'};
    put(b, row, 0, letter, VIEW_TONE_ACCENT);
    put(b, row, col, words_get(b->pen->words, g->label), VIEW_TONE_TEXT);
    col += cols->label + 2;
    int digits = snprintf(text, sizeof text, "%ju", (uintmax_t)g->size);
    put(b, row, col + cols->size - digits, text, VIEW_TONE_TEXT);
    col += cols->size + 3;
    if (narrow) { /* the link behind the size, the members on a row of their own */
        put(b, row, col, words_get(b->pen->words, g->link),
            g->crosses ? VIEW_TONE_STRONG : VIEW_TONE_DIM);
        row++;
        col = GROUP_LETTER_COLS;
    }
    write_members(b, g, text);
    put(b, row, col, text, VIEW_TONE_DIM);
    if (!narrow) {
        put(b, row, col + cols->members + 3, words_get(b->pen->words, g->link),
            g->crosses ? VIEW_TONE_STRONG : VIEW_TONE_DIM);
    }
    return row + 1 - first;
}

/* "cells: rank, then tp·cp·dp·pp". */
static int say_order(const struct board *b, int row) {
    const struct view_cluster *c = b->cluster;
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    struct message m;
    writer_start(&w, names, sizeof names);
    for (int i = 0; i < c->axis_count; i++) {
        writer_text(&w, i == 0 ? "" : b->pen->ascii ? "." : "·");
        writer_text(&w, c->axes[i]);
    }
    message_start(&m, c->axis_count > 0 ? "view.cluster.order" : NULL);
    message_add_text(&m, names);
    return view_say(b->pen, row, &m, VIEW_TONE_DIM);
}

int view_cluster_paint(const struct view_pen *pen, int row, const struct view_cluster *c) {
    struct board b = {.pen = pen, .cluster = c, .cell_cols = 1};
    int first = row;
    measure(&b);
    row += view_say(pen, row, &c->title, VIEW_TONE_STRONG);
    row += paint_nodes(&b, row);
    row += say_order(&b, row);
    struct group_cols cols = measure_groups(&b);
    for (int i = 0; i < c->group_count; i++) {
        row += paint_group(&b, row, &c->groups[i], &cols);
    }
    row += view_say(pen, row, &c->remark, VIEW_TONE_TEXT);
    return row - first;
}
