/* Geometry at every size 1…300 × 1…100 and for several wishes of knobs and view: rectangles lie
 * inside the screen, none overlaps another, every pane has room for what has the focus, and a
 * scroll keeps the focus in sight. */
#include <check.h>

#include "shardlab/ui/layout.h"

/* Columns in one test of the sweeps over 1 … 300. */
enum { COLS_A_TEST = 30 };

struct wish {
    int knob_rows, view_rows;
};

static const struct wish wishes[] = {{0, 0}, {1, 1}, {4, 12}, {6, 16}, {9, 30}, {40, 3}, {3, 90}};

static bool overlap(struct rect a, struct rect b) {
    return a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols &&
           b.col < a.col + a.cols;
}

static void check_rects(const struct rect *rects, int count, int rows, int cols) {
    for (int i = 0; i < count; i++) {
        struct rect r = rects[i];
        bool inside = r.row >= 0 && r.col >= 0 && r.rows >= 0 && r.cols >= 0 &&
                      r.row + r.rows <= rows && r.col + r.cols <= cols;
        if (!inside) {
            ck_abort_msg("%dx%d: rectangle %d is outside", cols, rows, i);
        }
        for (int k = 0; k < i; k++) {
            bool both = r.rows > 0 && r.cols > 0 && rects[k].rows > 0 && rects[k].cols > 0;
            if (both && overlap(r, rects[k])) {
                ck_abort_msg("%dx%d: %d overlaps %d", cols, rows, i, k);
            }
        }
    }
}

static int area(struct rect r) {
    return r.rows * r.cols;
}

/* What is wrong with the panes of a lesson, in words; NULL: nothing. */
static const char *lesson_fault(const struct ui_lesson_layout *l, int rows, int cols,
                                struct wish w) {
    bool all_fits = !l->stacked && w.knob_rows + w.view_rows + 1 <= rows - 5;
    if (l->stacked != (cols < UI_COLS_SPLIT) || l->split.cols != (l->stacked ? 0 : 1)) {
        return "panes are not beside or above each other as they should be";
    }
    if (l->knobs.rows < 1 || l->view.rows < 1 || l->words.rows < 3) {
        return "a pane has no room for what has the focus";
    }
    if (l->words.cols < 30 || l->view.cols < 40) {
        return "a pane is too narrow to read";
    }
    if (all_fits && (l->knobs.rows < w.knob_rows || l->view.rows < w.view_rows)) {
        return "there is room, but a pane did not get what it wanted";
    }
    return NULL;
}

static void check_lesson(int rows, int cols, struct wish wish) {
    struct ui_lesson_layout l = ui_lesson_layout(rows, cols, wish.knob_rows, wish.view_rows);
    const struct rect rects[] = {l.notice,   l.header, l.rule_top, l.words,       l.split, l.knobs,
                                 l.rule_mid, l.view,   l.status,   l.rule_bottom, l.hints};
    check_rects(rects, 11, rows, cols);
    bool small = rows < UI_ROWS_MIN || cols < UI_COLS_MIN;
    int covered = 0;
    for (int i = 0; i < 11; i++) {
        covered += area(rects[i]);
    }
    if (l.too_small != small || covered != rows * cols) {
        ck_abort_msg("%dx%d: small %d, %d cells covered", cols, rows, l.too_small, covered);
    }
    const char *fault = small ? NULL : lesson_fault(&l, rows, cols, wish);
    if (fault != NULL) {
        ck_abort_msg("%dx%d, wish %d+%d: %s", cols, rows, wish.knob_rows, wish.view_rows, fault);
    }
}

START_TEST(a_lesson_fits_every_width) {
    for (int i = 0; i < 100 * COLS_A_TEST; i++) {
        int rows = 1 + i % 100;
        int cols = 1 + _i * COLS_A_TEST + i / 100;
        for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++) {
            check_lesson(rows, cols, wishes[w]);
        }
    }
}
END_TEST

START_TEST(a_page_fits_every_width) {
    for (int i = 0; i < 100 * COLS_A_TEST; i++) {
        int rows = 1 + i % 100;
        int cols = 1 + _i * COLS_A_TEST + i / 100;
        struct ui_page_layout l = ui_page_layout(rows, cols);
        const struct rect rects[] = {l.notice,      l.header, l.rule_top, l.body,
                                     l.rule_bottom, l.status, l.hints};
        check_rects(rects, 7, rows, cols);
        if (!l.too_small && l.body.rows != rows - 5) {
            ck_abort_msg("%dx%d: a body of %d rows", cols, rows, l.body.rows);
        }
    }
}
END_TEST

START_TEST(a_followed_row_is_always_in_sight) {
    for (int rows = 1; rows <= 12; rows++) {
        for (int total = 1; total <= 30; total++) {
            for (int focus = 0; focus < total; focus++) {
                for (int scroll = -3; scroll <= 33; scroll += 3) {
                    int next = ui_scroll_follow(scroll, rows, total, focus);
                    bool seen = next <= focus && focus < next + rows;
                    bool filled = next >= 0 && (next == 0 || next + rows <= total);
                    if (!seen || !filled) {
                        ck_abort_msg("%d rows of %d, focus %d: scroll %d", rows, total, focus,
                                     next);
                    }
                }
            }
        }
    }
    ck_assert_int_eq(ui_scroll_follow(4, 5, 20, 6), 4); /* in sight: nothing moves */
    ck_assert_int_eq(ui_scroll_follow(18, 5, 20, -1), 15);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("layout");
    TCase *t = tcase_create("sizes");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_lesson_fits_every_width, 0, 300 / COLS_A_TEST);
    tcase_add_loop_test(t, a_page_fits_every_width, 0, 300 / COLS_A_TEST);
    tcase_add_test(t, a_followed_row_is_always_in_sight);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
