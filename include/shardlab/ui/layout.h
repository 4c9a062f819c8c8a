/* Geometry is arithmetic: from rows × columns to rectangles, nothing else. Works from 1×1; below 40×12 only the
 * notice is shown (reference tui 2.2: never a dead end, keys stay alive). Proof: tests/unit/ui/test_layout.c
 * over every size 1…300 × 1…100. */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "shardlab/ui/grid.h"

enum { UI_COLS_MIN = 40, UI_ROWS_MIN = 12, UI_COLS_SPLIT = 76 };

/* A lesson: header row, rule, words left and knobs + view right (side by side from UI_COLS_SPLIT columns, else
 * stacked: knobs, view, rule, words), rule, status row, hint row. Each pane scrolls by itself. */
struct ui_lesson_layout {
    bool too_small; /* only `notice` is meaningful */
    bool stacked;   /* words below instead of left; split is empty, rule_mid lies above the words */
    struct rect notice;
    struct rect header, rule_top, words, split, knobs, rule_mid, view, rule_bottom, status, hints;
};
/* `knob_rows` and `view_rows` are what the contents would like to have. */
struct ui_lesson_layout ui_lesson_layout(int rows, int cols, int knob_rows, int view_rows);

/* Home, help and pickers: header, rule, body, rule, status, hints. */
struct ui_page_layout {
    bool too_small;
    struct rect notice;
    struct rect header, rule_top, body, rule_bottom, status, hints;
};
struct ui_page_layout ui_page_layout(int rows, int cols);

/* The scroll, nearest to the present one, at which row `focus` of `total` shows in a pane of `rows`, and no
 * more than one screenful is left after it. `focus` < 0: only keeps the scroll within the contents. */
int ui_scroll_follow(int scroll, int rows, int total, int focus);

#endif
