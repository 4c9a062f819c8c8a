/* What can be wrong with a drawn screen of a lesson, whatever stands on it. Each function returns NULL when all is well,
 * else a sentence that names the row; it reads cells only, so a test can plant a fault in them. Header-only. */
#ifndef SUPPORT_FAULTS_H
#define SUPPORT_FAULTS_H

#include <stdio.h>
#include <string.h>

#include "shardlab/ui/grid.h"
#include "shardlab/ui/layout.h"
#include "shardlab/ui/theme.h"
#include "support/cjk.h"

enum { FAULT_TEXT_MAX = 256 };

static inline const struct ui_cell *fault_cell(const struct grid *g, int row, int col) {
    return &g->cells[row * g->cols + col];
}

static inline const char *fault_say(char out[FAULT_TEXT_MAX], const char *what, int row, int col) {
    (void)snprintf(out, FAULT_TEXT_MAX, "%s at row %d, column %d", what, row, col);
    return out;
}

/* A wide character without its other half, or half of one. */
static inline const char *fault_halves(const struct grid *g, char out[FAULT_TEXT_MAX]) {
    for (int row = 0; row < g->rows; row++) {
        for (int col = 0; col < g->cols; col++) {
            bool wide = fault_cell(g, row, col)->columns == 2;
            bool half = col + 1 < g->cols && fault_cell(g, row, col + 1)->columns == 0;
            if (wide != half || (col == 0 && fault_cell(g, row, col)->columns == 0)) {
                return fault_say(out, "a half of a wide character", row, col);
            }
        }
    }
    return NULL;
}

/* A role that no colour mode knows, or that is told by colour alone. */
static inline const char *fault_roles(const struct grid *g, char out[FAULT_TEXT_MAX]) {
    for (int row = 0; row < g->rows; row++) {
        for (int col = 0; col < g->cols; col++) {
            int role = fault_cell(g, row, col)->role;
            if (role < 0 || role >= UI_ROLES) {
                return fault_say(out, "a role that is none", row, col);
            }
            bool marks = role == UI_ROLE_CURSOR || role == UI_ROLE_WARNING ||
                         role == UI_ROLE_ACCENT || role == UI_ROLE_CHANGED;
            if (marks && ui_theme_style((enum ui_role)role, UI_TIER_MONO).attributes == 0) {
                return fault_say(out, "a mark that mono does not show", row, col);
            }
        }
    }
    return NULL;
}

static inline bool fault_is_line(const struct grid *g, int row, int col) {
    return fault_cell(g, row, col)->role == UI_ROLE_LINE;
}

/* How many cells of a part of a row are drawn as a line. */
static inline int fault_lines(const struct grid *g, int row, int from, int to) {
    int count = 0;
    for (int col = from; col < to; col++) {
        count += fault_is_line(g, row, col) ? 1 : 0;
    }
    return count;
}

static inline bool fault_blank(const struct grid *g, int row, int col) {
    uint32_t c = fault_cell(g, row, col)->code_point;
    return fault_cell(g, row, col)->columns == 1 && (c == ' ' || c == 0);
}

static inline bool fault_row_blank(const struct grid *g, int row, int from, int to) {
    for (int col = from; col < to; col++) {
        if (!fault_blank(g, row, col)) {
            return false;
        }
    }
    return true;
}

/* The column of the line between words and view; -1: the panes lie above each other. */
static inline int fault_split(const struct grid *g) {
    for (int col = 1; g->cols >= UI_COLS_SPLIT && col < g->cols; col++) {
        int count = 0;
        for (int row = 2; row < g->rows - 3; row++) {
            count += fault_is_line(g, row, col) ? 1 : 0;
        }
        if (count == g->rows - 5) {
            return col;
        }
    }
    return -1;
}

/* The row of the rule in the middle: right of the split, or across; 0: there is none. */
static inline int fault_middle(const struct grid *g, int split) {
    for (int row = 2; row < g->rows - 3; row++) {
        enum { BEGINNING = 4 }; /* a hint may stand on the rest of it */
        if (fault_lines(g, row, split + 1, split + 1 + BEGINNING) == BEGINNING &&
            fault_is_line(g, row, g->cols - 1)) {
            return row;
        }
    }
    return 0;
}

/* Something stands on what frames the screen: the rules, the line between the panes, the blank beside it. A hint may end
 * a rule, but must leave it its beginning. */
static inline const char *fault_frame(const struct grid *g, char out[FAULT_TEXT_MAX]) {
    int split = fault_split(g);
    if (g->cols >= UI_COLS_SPLIT && split < 0) {
        return fault_say(out, "the line between the panes is broken", 2, 0);
    }
    if (fault_lines(g, 1, 0, g->cols) != g->cols) {
        return fault_say(out, "something on the upper rule", 1, 0);
    }
    if (fault_lines(g, g->rows - 3, 0, g->cols / 3) != g->cols / 3) {
        return fault_say(out, "something on the lower rule", g->rows - 3, 0);
    }
    for (int row = 2; split > 0 && row < g->rows - 3; row++) {
        if (!fault_blank(g, row, split - 1)) {
            return fault_say(out, "words touch the line between the panes", row, split - 1);
        }
    }
    return fault_middle(g, split) > 0 ? NULL : fault_say(out, "no rule in the middle", 2, 0);
}

static inline bool fault_row_has(const struct grid *g, int row, const char *text) {
    char line[2048];
    struct writer w;
    writer_start(&w, line, sizeof line);
    for (int col = 0; col < g->cols; col++) {
        if (fault_cell(g, row, col)->columns > 0) {
            uint32_t c = fault_cell(g, row, col)->code_point;
            writer_code_point(&w, c == 0 ? ' ' : c);
        }
    }
    return strstr(line, text) != NULL;
}

/* Rows of the view that show something. Beside the words it lies below the rule in the middle; above them it lies above
 * that rule, under the knobs, whose rows hold one of `labels` (NULL ends them). */
static inline int fault_view_rows(const struct grid *g, const char *const *labels) {
    int split = fault_split(g);
    int middle = fault_middle(g, split);
    int from = split > 0 ? middle + 1 : 2;
    int to = split > 0 ? g->rows - 3 : middle;
    int count = 0;
    for (int row = from; row < to; row++) {
        bool knob = false;
        for (int i = 0; split < 0 && labels[i] != NULL; i++) {
            knob = knob || fault_row_has(g, row, labels[i]);
        }
        count += knob || fault_row_blank(g, row, split + 1, g->cols) ? 0 : 1;
    }
    return count;
}

static inline const char *fault_view(const struct grid *g, const char *const *labels,
                                     char out[FAULT_TEXT_MAX]) {
    return fault_view_rows(g, labels) > 0
               ? NULL
               : fault_say(out, "an empty view", fault_middle(g, fault_split(g)), 0);
}

/* Chinese on an English screen; the last row names the other language. */
static inline const char *fault_language(const struct grid *g, char out[FAULT_TEXT_MAX]) {
    for (int row = 0; row < g->rows - 1; row++) {
        for (int col = 0; col < g->cols; col++) {
            if (is_cjk(fault_cell(g, row, col)->code_point)) {
                return fault_say(out, "Chinese on an English screen", row, col);
            }
        }
    }
    return NULL;
}

#endif
