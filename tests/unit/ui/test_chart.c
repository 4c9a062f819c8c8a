/* A chart on the grid: what is above the card is a warning, what stands above a ledger is seen until the pane is
 * entered, and nothing is drawn in cells that were not measured. */
#include "shardlab/ui/draw.h"
#include "support/sample_view.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int rows, int cols, bool active, bool ascii) {
    struct words words = sample_book(false);
    struct look look = screen_look(&words, ascii, false);
    screen_start(&screen, rows, cols, false);
    int used = ui_view_draw(&screen.grid, screen_whole(&screen), &view, 2, active, &look);
    screen_check_halves(&screen);
    return used;
}

static void setup(void) {
    view_start(&view);
    struct view_chart *chart = &view_add(&view, VIEW_KIND_CHART)->chart;
    message_start(&chart->title, "s.gpu");
    chart->column_count = 6;
    for (int i = 0; i < 6; i++) {
        chart->bytes[i] = (uint64_t)(i + 1) * UINT64_C(1000000000);
    }
    chart->peak = 5;
    chart->marks[0] = 'F';
    chart->has_capacity = true;
    chart->capacity_bytes = UINT64_C(4000000000);
    message_start(&chart->remark, "s.count");
    message_add_bytes(&chart->remark, chart->bytes[5]);
}

START_TEST(what_is_above_the_card_is_a_warning) {
    draw(9, 24, true, false);
    ck_assert_str_eq(screen_text(&screen), "  One GPU\n"
                                           "       6.00 │     █\n"
                                           "            │    ██\n"
                                           "       4.00 │╌╌╌███\n"
                                           "            │  ████\n"
                                           "            │ █████\n"
                                           "            │██████\n"
                                           "             F    ●\n"
                                           "  6.00 GB\n");
    int warnings = 0;
    for (const char *at = screen_roles(&screen); *at != '\0'; at++) {
        warnings += *at == '!' ? 1 : 0;
    }
    ck_assert_int_eq(warnings, 3);
}
END_TEST

START_TEST(ascii_has_no_blocks) {
    draw(9, 24, true, true);
    for (const char *at = screen_text(&screen); *at != '\0'; at++) {
        ck_assert_int_lt((unsigned char)*at, 0x80);
    }
}
END_TEST

START_TEST(the_chart_above_a_ledger_is_seen_until_the_pane_is_entered) {
    sample_ledger(&view);
    draw(9, 60, false, false);
    ck_assert_int_eq(screen_find(&screen, "●"), 7);
    draw(9, 60, true, false);
    ck_assert_int_ge(screen_find(&screen, "› optimizer"), 0);
    ck_assert_int_eq(screen_find(&screen, "formula"), screen_find(&screen, "weights") - 1);
}
END_TEST

START_TEST(the_measured_rows_are_the_drawn_rows) {
    for (int cols = 8; cols <= 150; cols++) {
        struct words words = sample_book(false);
        struct look look = screen_look(&words, false, false);
        ck_assert_int_eq(ui_view_rows(&view, cols, &look), draw(60, cols, true, false));
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("chart");
    TCase *t = tcase_create("drawing");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, what_is_above_the_card_is_a_warning);
    tcase_add_test(t, ascii_has_no_blocks);
    tcase_add_test(t, the_chart_above_a_ledger_is_seen_until_the_pane_is_entered);
    tcase_add_test(t, the_measured_rows_are_the_drawn_rows);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
