/* The derivation of a row: formula, the learner's numbers, bytes, meaning, source; sums and unknown
 * values. */
#include "shardlab/ui/draw.h"
#include "support/sample_view.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int row, int scroll, bool chinese) {
    struct words words = sample_book(chinese);
    struct look look = screen_look(&words, false, false);
    screen_start(&screen, 12, 70, false);
    return ui_why_draw(&screen.grid, screen_whole(&screen), &view.items[0].ledger, row, scroll,
                       &look);
}

static void setup(void) {
    sample_view(&view, UINT64_C(80000000000));
}

START_TEST(a_row_explains_itself) {
    ck_assert_int_eq(draw(2, 0, false), 7);
    ck_assert_str_eq(screen_text(&screen), "optimizer  12Ψ/8\n"
                                           "10.11 GB = 10,107,623,424 bytes\n"
                                           "\n"
                                           "master weights  12Ψ/N\n"
                                           "  12 × 6,738,415,616 / 8 = 10,107,623,424 bytes\n"
                                           "  Small updates would vanish in 16 bits.\n"
                                           "  ZeRO, arXiv:1910.02054, section 3.1\n"
                                           "\n\n\n\n\n");
}
END_TEST

START_TEST(a_row_explains_itself_in_chinese) {
    draw(2, 0, true);
    ck_assert_str_eq(screen_row(&screen, 0), "优化器状态  12Ψ/8");
    ck_assert_str_eq(screen_row(&screen, 4), "  12 × 6,738,415,616 / 8 = 10,107,623,424 字节");
    ck_assert_str_eq(screen_row(&screen, 5), "  更新量太小，16 位放不下。");
}
END_TEST

START_TEST(the_total_is_a_sum_and_an_unknown_value_says_so) {
    draw(5, 0, false);
    ck_assert_int_ge(screen_find(&screen, "The sum of the rows above it."), 0);
    view.items[0].ledger.rows[3].known = false;
    draw(3, 0, false);
    ck_assert_str_eq(screen_row(&screen, 1), "—");
    ck_assert_str_eq(screen_row(&screen, 2), "Not known.");
}
END_TEST

START_TEST(scrolling_keeps_the_length) {
    ck_assert_int_eq(draw(2, 3, false), 7);
    ck_assert_str_eq(screen_row(&screen, 0), "master weights  12Ψ/N");
    ck_assert_int_eq(draw(9, 0, false), 0);
    ck_assert_int_eq(draw(-1, 0, false), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("why");
    TCase *t = tcase_create("drawing");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, a_row_explains_itself);
    tcase_add_test(t, a_row_explains_itself_in_chinese);
    tcase_add_test(t, the_total_is_a_sum_and_an_unknown_value_says_so);
    tcase_add_test(t, scrolling_keeps_the_length);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
