/* The words of a page: every kind of block and span, figures, links, scrolling. The wrapping itself
 * is test_flow.c's. */
#include "shardlab/ui/draw.h"
#include "support/sample_page.h"
#include "support/screen.h"

static struct screen screen;
static const struct words english = {.unit = UNIT_GB};

static int draw(int rows, int cols, int scroll, int link) {
    struct look look = screen_look(&english, false, false);
    screen_start(&screen, rows, cols, false);
    return ui_page_draw(&screen.grid, screen_whole(&screen), &sample_document, 0, scroll, link,
                        &sample_expand, &look);
}

START_TEST(a_page_is_drawn_block_by_block) {
    int rows = draw(30, 44, 0, -1);
    ck_assert_str_eq(screen_text(&screen), "Optimizer states\n"
                                           "\n"
                                           "Adam keeps three numbers: 12 bytes against\n"
                                           "{{unknown}}, see --zero 1.\n"
                                           "\n"
                                           "▸ Move Data ranks to 64. The optimizer\n"
                                           "  falls.\n"
                                           "▸ Look at the total.\n"
                                           "\n"
                                           "│ ZeRO-1 saves 4×, they say, whatever the\n"
                                           "│ number of ranks.\n"
                                           "\n"
                                           "In short\n"
                                           "\n"
                                           "  shardlab mem --zero 1\n"
                                           "    --dp 8\n"
                                           "\n"
                                           "→ ZeRO in full   → Where 16, 18 and 20 bytes\n"
                                           "come from\n"
                                           "\n\n\n\n\n\n\n\n\n\n\n");
    ck_assert_int_eq(rows, 19);
}
END_TEST

START_TEST(styles_are_roles) {
    draw(30, 44, 0, -1);
    const char *roles = screen_roles(&screen);
    ck_assert_int_eq(strncmp(roles, "tttttttttttttttt\n", 17), 0);
    ck_assert_ptr_nonnull(strstr(roles, "\n...........sssss..........................\n"));
    ck_assert_ptr_nonnull(strstr(roles, "\n.................xxxxxxxx.\n"));
    ck_assert_ptr_nonnull(strstr(roles, "\na.eeee..............\n"));
    ck_assert_ptr_nonnull(strstr(roles, "\nssssssss\n"));
    ck_assert_ptr_nonnull(strstr(roles, "\naaaaaaaaaaaaaa...aaaa"));
}
END_TEST

START_TEST(a_figure_and_a_short_option_stay_in_one_piece) {
    for (int cols = 20; cols <= 80; cols++) {
        draw(60, cols, 0, -1);
        ck_assert_msg(screen_find(&screen, "12 bytes") >= 0, "%d columns", cols);
        ck_assert_msg(screen_find(&screen, "--zero 1.") >= 0, "%d columns", cols);
    }
}
END_TEST

START_TEST(scrolling_moves_the_page_and_not_its_length) {
    int rows = draw(30, 44, 0, -1);
    ck_assert_int_eq(draw(10, 44, 5, -1), rows);
    ck_assert_str_eq(screen_row(&screen, 0), "▸ Move Data ranks to 64. The optimizer");
    ck_assert_int_eq(draw(10, 44, 400, -1), rows);
    ck_assert_int_eq(draw(0, 44, 0, -1), rows);
}
END_TEST

START_TEST(links_are_counted_found_and_followed) {
    ck_assert_int_eq(ui_page_link_count(&sample_document, 0), 2);
    ck_assert_int_eq(ui_page_link_count(&sample_document, 1), 0);
    ck_assert_int_eq(ui_page_link_count(&sample_document, 7), 0);
    ck_assert_str_eq(ui_page_link(&sample_document, 0, 1)->target, "lesson:bytes");
    ck_assert_ptr_null(ui_page_link(&sample_document, 0, 2));
    ck_assert_ptr_null(ui_page_link(&sample_document, 0, -1));
}
END_TEST

START_TEST(the_focused_link_has_the_cursor_and_a_known_row) {
    struct look look = screen_look(&english, false, false);
    draw(30, 44, 0, 1);
    ck_assert_ptr_nonnull(strstr(screen_roles(&screen), "aaaaaaaaaaaaaa...cccc"));
    int row = ui_page_link_row(44, &sample_document, 0, 1, &sample_expand, &look);
    ck_assert_int_eq(row, 17);
    ck_assert_int_eq(screen.grid.cursor_row, row);
    ck_assert_int_eq(ui_page_link_row(44, &sample_document, 0, 2, &sample_expand, &look), -1);
    draw(30, 44, 19, 1); /* scrolled out of sight */
    ck_assert_int_eq(screen.grid.cursor_row, -1);
    screen_start(&screen, 30, 44, false); /* below the area, though still on the screen */
    ui_page_draw(&screen.grid, (struct rect){0, 0, 10, 44}, &sample_document, 0, 0, 1,
                 &sample_expand, &look);
    ck_assert_int_eq(screen.grid.cursor_row, -1);
}
END_TEST

START_TEST(a_page_that_is_not_there_draws_nothing) {
    struct look look = screen_look(&english, false, false);
    screen_start(&screen, 4, 20, false);
    ck_assert_int_eq(
        ui_page_draw(&screen.grid, screen_whole(&screen), &sample_document, 2, 0, -1, NULL, &look),
        0);
    ck_assert_int_eq(
        ui_page_draw(&screen.grid, screen_whole(&screen), &sample_document, 1, 0, -1, NULL, &look),
        1);
    ck_assert_str_eq(screen_row(&screen, 0), "空白页");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("page");
    TCase *t = tcase_create("words");
    tcase_add_test(t, a_page_is_drawn_block_by_block);
    tcase_add_test(t, styles_are_roles);
    tcase_add_test(t, a_figure_and_a_short_option_stay_in_one_piece);
    tcase_add_test(t, scrolling_moves_the_page_and_not_its_length);
    tcase_add_test(t, links_are_counted_found_and_followed);
    tcase_add_test(t, the_focused_link_has_the_cursor_and_a_known_row);
    tcase_add_test(t, a_page_that_is_not_there_draws_nothing);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
