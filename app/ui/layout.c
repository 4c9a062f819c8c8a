/* Where things stand on a screen of rows × columns. Pure arithmetic on sizes: no contents, no
 * cells. The shell asks before every frame. Below 40×12 only the notice has room; every rectangle
 * is then empty but that one. Proof: tests/unit/ui/test_layout.c. */
#include "shardlab/ui/layout.h"

enum {
    FRAME_ROWS = 5, /* header, rule, rule, status, hints */
    WORDS_COLS_MIN = 30,
    WORDS_COLS_MAX = 64, /* longer lines are hard to read */
    RIGHT_COLS_MIN = 44, /* a ledger with Δ */
    VIEW_ROWS_MIN = 3,   /* title, a row, the next one */
    WORDS_ROWS_MIN = 3,
};

static int min(int a, int b) {
    return a < b ? a : b;
}

static int max(int a, int b) {
    return a > b ? a : b;
}

static bool is_too_small(int rows, int cols) {
    return rows < UI_ROWS_MIN || cols < UI_COLS_MIN;
}

/* Rows for the knobs when knobs and view share `rows`: what they want if both fit, else at most
 * half. */
static int knob_share(int rows, int knob_rows, int view_rows) {
    int wanted = max(knob_rows, 1);
    if (wanted + view_rows <= rows) {
        return wanted;
    }
    return max(min(wanted, max(rows / 2, rows - view_rows)), 1);
}

static void split_side_by_side(struct ui_lesson_layout *l, struct rect body, int knob_rows,
                               int view_rows) {
    int words = max(body.cols * 38 / 100, WORDS_COLS_MIN);
    words = min(words, min(WORDS_COLS_MAX, body.cols - 1 - RIGHT_COLS_MIN));
    int right = words + 1;
    int right_cols = body.cols - right;
    int knobs = knob_share(body.rows - 1, knob_rows, view_rows);
    l->words = (struct rect){body.row, 0, body.rows, words};
    l->split = (struct rect){body.row, words, body.rows, 1};
    l->knobs = (struct rect){body.row, right, knobs, right_cols};
    l->rule_mid = (struct rect){body.row + knobs, right, 1, right_cols};
    l->view = (struct rect){body.row + knobs + 1, right, body.rows - knobs - 1, right_cols};
}

static void split_stacked(struct ui_lesson_layout *l, struct rect body, int knob_rows,
                          int view_rows) {
    int words = max((body.rows - 1) / 3, WORDS_ROWS_MIN);
    int above = body.rows - 1 - words;
    int knobs = min(knob_share(above, knob_rows, view_rows), max(above - VIEW_ROWS_MIN, 1));
    int view = min(above - knobs, max(view_rows, 1));
    int at = body.row;
    l->stacked = true;
    l->knobs = (struct rect){at, 0, knobs, body.cols};
    at += knobs;
    l->view = (struct rect){at, 0, view, body.cols};
    at += view;
    l->rule_mid = (struct rect){at, 0, 1, body.cols};
    at += 1;
    l->words = (struct rect){at, 0, body.row + body.rows - at, body.cols};
}

struct ui_page_layout ui_page_layout(int rows, int cols) {
    struct ui_page_layout l = {.too_small = is_too_small(rows, cols)};
    if (l.too_small) {
        l.notice = (struct rect){0, 0, max(rows, 0), max(cols, 0)};
        return l;
    }
    l.header = (struct rect){0, 0, 1, cols};
    l.rule_top = (struct rect){1, 0, 1, cols};
    l.body = (struct rect){2, 0, rows - FRAME_ROWS, cols};
    l.rule_bottom = (struct rect){rows - 3, 0, 1, cols};
    l.status = (struct rect){rows - 2, 0, 1, cols};
    l.hints = (struct rect){rows - 1, 0, 1, cols};
    return l;
}

struct ui_lesson_layout ui_lesson_layout(int rows, int cols, int knob_rows, int view_rows) {
    struct ui_page_layout frame = ui_page_layout(rows, cols);
    struct ui_lesson_layout l = {.too_small = frame.too_small,
                                 .notice = frame.notice,
                                 .header = frame.header,
                                 .rule_top = frame.rule_top,
                                 .rule_bottom = frame.rule_bottom,
                                 .status = frame.status,
                                 .hints = frame.hints};
    if (frame.too_small) {
        return l;
    }
    if (cols >= UI_COLS_SPLIT) {
        split_side_by_side(&l, frame.body, knob_rows, view_rows);
    } else {
        split_stacked(&l, frame.body, knob_rows, view_rows);
    }
    return l;
}

int ui_scroll_follow(int scroll, int rows, int total, int focus) {
    if (focus >= 0 && focus < scroll) {
        scroll = focus;
    }
    if (focus >= 0 && focus >= scroll + rows) {
        scroll = focus - rows + 1;
    }
    return max(min(scroll, total - rows), 0);
}
