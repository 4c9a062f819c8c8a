/* A matrix on the grid: the focus is marked by a pointer, what differs by a sign, and in a narrow pane the columns
 * around the focus are seen. */
#include "shardlab/ui/draw.h"
#include "support/sample_view.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int rows, int cols, struct ui_matrix_place place, bool ascii) {
    struct words words = sample_book(false);
    struct look look = screen_look(&words, ascii, false);
    screen_start(&screen, rows, cols, false);
    int used =
        ui_matrix_draw(&screen.grid, screen_whole(&screen), &view.items[0].matrix, &place, &look);
    screen_check_halves(&screen);
    return used;
}

static void setup(void) {
    view_start(&view);
    sample_matrix(&view);
}

START_TEST(the_table_stands_above_its_sentences) {
    ck_assert_int_eq(draw(11, 60, (struct ui_matrix_place){1, 0}, false), 11);
    ck_assert_str_eq(screen_text(&screen), "  One GPU\n"
                                           "  GB             paper     ›megatron      none\n"
                                           "  weights        13.48         13.48         —\n"
                                           "  gradients      13.48         26.95≠        —\n"
                                           "  ─────────────────────────────────────────────\n"
                                           "  total          26.96         40.43≠        —\n"
                                           "  layers        0-3          0, 1            0\n"
                                           "  optimizer      16            18   ≠        —\n"
                                           "  ≠ differs from paper\n"
                                           "  megatron  limit 4×; 7.\n"
                                           "  none  limit 4×.\n");
    ck_assert_int_eq(screen.grid.cursor_row, 1);
    ck_assert_int_eq(draw(12, 60, (struct ui_matrix_place){1, 0}, false), 12);
    ck_assert_str_eq(screen_row(&screen, 9), ""); /* where there is room */
}
END_TEST

START_TEST(a_narrow_pane_follows_the_focus) {
    draw(4, 30, (struct ui_matrix_place){0, 0}, true);
    ck_assert_str_eq(screen_row(&screen, 1), "  GB         >paper >");
    draw(4, 30, (struct ui_matrix_place){2, 0}, true);
    ck_assert_str_eq(screen_row(&screen, 1), "  GB       < megatron  >none");
    ck_assert_str_eq(screen_row(&screen, 3), "  gradients     26.95*    --");
}
END_TEST

START_TEST(rows_are_scrolled_and_counted_whole) {
    ck_assert_int_eq(draw(3, 60, (struct ui_matrix_place){0, 8}, false), 11);
    ck_assert_str_eq(screen_row(&screen, 0),
                     "  GB            ›paper      megatron      none"); /* stays */
    ck_assert_str_eq(screen_row(&screen, 1), "  megatron  limit 4×; 7.");
    ck_assert_int_eq(screen.grid.cursor_row, 0);
}
END_TEST

START_TEST(as_an_item_of_a_view_it_has_no_focus) {
    struct words words = sample_book(false);
    struct look look = screen_look(&words, false, false);
    screen_start(&screen, 12, 60, false);
    ck_assert_int_eq(ui_view_draw(&screen.grid, screen_whole(&screen), &view, 0, true, &look), 11);
    ck_assert_int_eq(ui_view_rows(&view, 60, &look), 11);
    ck_assert_int_eq(screen_find(&screen, "›"), -1);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("matrix");
    TCase *c = tcase_create("matrix");
    tcase_add_checked_fixture(c, setup, NULL);
    tcase_add_test(c, the_table_stands_above_its_sentences);
    tcase_add_test(c, a_narrow_pane_follows_the_focus);
    tcase_add_test(c, rows_are_scrolled_and_counted_whole);
    tcase_add_test(c, as_an_item_of_a_view_it_has_no_focus);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
