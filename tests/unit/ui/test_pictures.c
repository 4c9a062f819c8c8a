/* Gantt, table and cluster on the grid: the same signs as in text, tones as roles, the hardware cursor on what is asked
 * about, rows measured as drawn, and no cell outside the area, at all sizes. */
#include "shardlab/ui/draw.h"
#include "support/sample_pictures.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int rows, int cols, bool ascii, bool chinese) {
    struct words words = picture_book(chinese);
    struct look look = screen_look(&words, ascii, false);
    screen_start(&screen, rows, cols, false);
    int used = ui_view_draw(&screen.grid, screen_whole(&screen), &view, -1, true, &look);
    screen_check_halves(&screen);
    return used;
}

static void setup(void) {
    view_start(&view);
}

START_TEST(a_gantt_has_a_role_for_each_kind_and_the_cursor_on_one_operation) {
    struct view_gantt *g = sample_gantt(&view);
    g->spans[3].kind = VIEW_GANTT_W;
    g->cursor_row = 0;
    g->cursor_span = 2;
    g->strip = true;
    draw(8, 44, false, true);
    ck_assert_str_eq(screen_row(&screen, 1), "  0 │F0F1    BW0·  W1++│ 2");
    const char *roles = screen_roles(&screen);
    roles = strchr(roles, '\n') + 1;
    ck_assert_int_eq(strncmp(roles, "..a.lffff....cccc..wwwwl", 24), 0);
    ck_assert_int_eq(screen.grid.cursor_row, 1);
    ck_assert_int_eq(screen.grid.cursor_col, 13);
    roles = strchr(roles, '\n') + 1;
    ck_assert_int_eq(strncmp(roles, ".....AAAA", 9), 0);
}
END_TEST

START_TEST(a_row_of_a_table_that_is_looked_at_is_the_cursor) {
    sample_table(&view)->current = 1;
    draw(8, 80, true, false);
    ck_assert_str_eq(screen_row(&screen, 3),
                     "  2  1,024  interleaved  tree         6.50     3.50    5.0  --");
    const char *roles = screen_roles(&screen);
    for (int i = 0; i < 3; i++) {
        roles = strchr(roles, '\n') + 1;
    }
    ck_assert_int_eq(strncmp(roles, "..c..ccccc..", 12), 0);
}
END_TEST

START_TEST(the_chosen_gpu_and_its_groups_stand_out) {
    sample_cluster(&view);
    draw(8, 80, false, false);
    ck_assert_str_eq(screen_row(&screen, 2), "  │ 0 T  1 ●     │ 2    3 D");
    const char *roles = screen_roles(&screen);
    roles = strchr(strchr(roles, '\n') + 1, '\n') + 1;
    ck_assert_int_eq(strncmp(roles, "..l.aaa..ccc.....l......aaa", 26), 0);
}
END_TEST

START_TEST(a_low_pane_scrolls_with_the_cursor) {
    struct words words = picture_book(false);
    struct look look = screen_look(&words, true, false);
    sample_gantt(&view)->strip = true; /* seven rows */
    for (int cursor = -1; cursor < 9; cursor++) {
        screen_start(&screen, 4, 80, false);
        ck_assert_int_eq(
            ui_view_draw(&screen.grid, screen_whole(&screen), &view, cursor, true, &look), 7);
        int first = cursor < 0 ? 0 : cursor > 3 ? 3 : cursor; /* the last screenful stays */
        ck_assert_int_eq(screen_find(&screen, "stage 1 |"), 3 - first);
    }
}
END_TEST

START_TEST(the_measured_rows_are_the_drawn_rows) {
    sample_gantt(&view)->strip = true;
    sample_table(&view);
    sample_cluster(&view);
    for (int cols = 8; cols <= 220; cols++) {
        for (int mode = 0; mode < 4; mode++) {
            struct words words = picture_book(mode > 1);
            struct look look = screen_look(&words, mode % 2 != 0, false);
            int wanted = ui_view_rows(&view, cols, &look);
            if (wanted != draw(100, cols, mode % 2 != 0, mode > 1)) {
                ck_abort_msg("%d columns, mode %d", cols, mode);
            }
        }
    }
}
END_TEST

START_TEST(nothing_is_drawn_outside_the_area) {
    enum { CANARY = 0x2E2E };
    sample_gantt(&view)->marks_critical = true;
    sample_table(&view);
    sample_cluster(&view);
    for (int cols = 0; cols <= 100; cols++) {
        struct words words = picture_book(cols % 3 == 0);
        struct look look = screen_look(&words, cols % 2 == 0, cols % 5 == 0);
        struct rect area = {3, 7, 5 + cols % 20, cols};
        screen_start(&screen, 40, 120, cols % 5 == 0);
        for (int i = 0; i < 40 * 120; i++) {
            screen.cells[i].code_point = CANARY;
        }
        ui_view_draw(&screen.grid, area, &view, -1, true, &look);
        for (int i = 0; i < 40 * 120; i++) {
            int row = i / 120, col = i % 120;
            bool inside = row >= 3 && row < 3 + area.rows && col >= 7 && col < 7 + cols;
            if (!inside && screen.cells[i].code_point != CANARY) {
                ck_abort_msg("%d columns: row %d, column %d", cols, row, col);
            }
        }
    }
}
END_TEST

START_TEST(ascii_signs_are_ascii) {
    sample_gantt(&view)->strip = true;
    view.items[0].gantt.marks_critical = true;
    sample_table(&view);
    sample_cluster(&view);
    draw(40, 120, true, false);
    for (const char *at = screen_text(&screen); *at != '\0'; at++) {
        ck_assert_int_lt((unsigned char)*at, 0x80);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pictures");
    TCase *t = tcase_create("cells");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, a_gantt_has_a_role_for_each_kind_and_the_cursor_on_one_operation);
    tcase_add_test(t, a_row_of_a_table_that_is_looked_at_is_the_cursor);
    tcase_add_test(t, the_chosen_gpu_and_its_groups_stand_out);
    tcase_add_test(t, a_low_pane_scrolls_with_the_cursor);
    tcase_add_test(t, the_measured_rows_are_the_drawn_rows);
    tcase_add_test(t, nothing_is_drawn_outside_the_area);
    tcase_add_test(t, ascii_signs_are_ascii);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
