/* Cells: clipping at every edge, the repair of wide characters (each case in which a terminal would
 * go wrong), combining marks, filling, painting, reading back. What is taken on faith: the width
 * tables. */
#include "support/screen.h"

static struct screen screen;

static const char *put(int col, const char *text) {
    grid_put(&screen.grid, screen_whole(&screen), 0, col, text, UI_ROLE_TEXT);
    screen_check_halves(&screen);
    return screen_row(&screen, 0);
}

static void setup(void) {
    screen_start(&screen, 2, 8, false);
}

START_TEST(a_wide_character_at_the_last_column_is_left_out) {
    ck_assert_str_eq(put(7, "优"), "");
    ck_assert_str_eq(screen_row(&screen, 1), "");
}
END_TEST

START_TEST(the_third_wide_character_does_not_enter_five_columns) {
    struct rect area = {0, 0, 1, 5};
    int end = grid_put(&screen.grid, area, 0, 0, "权重梯", UI_ROLE_TEXT);
    ck_assert_int_eq(end, 5);
    ck_assert_str_eq(screen_row(&screen, 0), "权重");
    screen_check_halves(&screen);
}
END_TEST

START_TEST(writing_on_a_right_half_blanks_the_left) {
    put(0, "权重");
    ck_assert_str_eq(put(1, "x"), " x重");
}
END_TEST

START_TEST(writing_on_a_left_half_blanks_the_right) {
    put(0, "权重");
    ck_assert_str_eq(put(2, "x"), "权x");
    put(0, "权重");
    ck_assert_str_eq(put(0, "x"), "x 重");
}
END_TEST

START_TEST(a_wide_character_across_two_others_blanks_both_remains) {
    put(0, "权重");
    ck_assert_str_eq(put(1, "梯"), " 梯");
}
END_TEST

START_TEST(a_text_that_starts_left_of_the_area_shows_its_rest) {
    ck_assert_str_eq(put(-2, "abcd"), "cd");
    screen_start(&screen, 2, 8, false);
    ck_assert_str_eq(put(-1, "权x"), " x");
}
END_TEST

START_TEST(an_area_that_starts_inside_a_wide_character_shows_a_blank) {
    struct rect area = {0, 1, 1, 6};
    grid_put(&screen.grid, area, 0, 0, "权重", UI_ROLE_TEXT);
    screen_check_halves(&screen);
    ck_assert_str_eq(screen_row(&screen, 0), "  重");
}
END_TEST

START_TEST(rows_outside_are_ignored) {
    grid_put(&screen.grid, screen_whole(&screen), -1, 0, "abc", UI_ROLE_TEXT);
    grid_put(&screen.grid, screen_whole(&screen), 2, 0, "abc", UI_ROLE_TEXT);
    ck_assert_str_eq(screen_text(&screen), "\n\n");
}
END_TEST

START_TEST(the_returned_column_is_behind_what_was_written) {
    struct rect whole = screen_whole(&screen);
    ck_assert_int_eq(grid_put(&screen.grid, whole, 0, 1, "ab", UI_ROLE_TEXT), 3);
    ck_assert_int_eq(grid_put(&screen.grid, whole, 0, 3, "权", UI_ROLE_TEXT), 5);
    ck_assert_int_eq(grid_put(&screen.grid, whole, 0, 5, "abcdef", UI_ROLE_TEXT), 8);
}
END_TEST

START_TEST(a_mark_sits_on_its_character) {
    put(0, "e\xCC\x81x");
    ck_assert_uint_eq(screen.cells[0].mark, 0x301);
    ck_assert_str_eq(screen_row(&screen, 0), "e\xCC\x81x");
    ck_assert_int_eq(screen.cells[1].code_point, 'x');
    put(0, "\xCC\x81y"); /* nothing to sit on */
    ck_assert_uint_eq(screen.cells[0].mark, 0);
    ck_assert_int_eq(screen.cells[0].code_point, 'y');
}
END_TEST

START_TEST(control_characters_become_question_marks) {
    ck_assert_str_eq(put(0, "a\x1B[2Jb"), "a?[2Jb");
    ck_assert_str_eq(put(0, "\x7Fx\tyz   "), "?x?yz");
}
END_TEST

START_TEST(a_no_break_space_is_a_blank) {
    put(0, "a\xC2\xA0"
           "b");
    ck_assert_int_eq(screen.cells[1].code_point, ' ');
}
END_TEST

struct cut {
    const char *text;
    int columns;
    const char *unicode, *ascii;
};

static const struct cut cuts[] = {
    {"abc", 5, "abc", "abc"},
    {"abcdef", 5, "abcd…", "ab..."},
    {"权重梯度", 6, "权重…", "权..."},
    {"权重梯度", 5, "权重…", "权..."},
    {"abcdef", 3, "ab…", "abc"},
    {"abcdef", 0, "", ""},
    {"abcdefghijk", 99, "abcdefg…", "abcde..."},
};

START_TEST(a_long_text_is_cut_and_says_so) {
    const struct cut *c = &cuts[_i];
    for (int ascii = 0; ascii < 2; ascii++) {
        screen_start(&screen, 1, 8, false);
        screen.grid.ascii = ascii != 0;
        grid_put_cut(&screen.grid, screen_whole(&screen), 0, 0, c->text, UI_ROLE_TEXT, c->columns);
        screen_check_halves(&screen);
        ck_assert_str_eq(screen_row(&screen, 0), ascii ? c->ascii : c->unicode);
    }
}
END_TEST

START_TEST(right_aligned_text_ends_at_its_column) {
    grid_put_right(&screen.grid, screen_whole(&screen), 0, 7, "权b", UI_ROLE_TEXT);
    ck_assert_str_eq(screen_row(&screen, 0), "    权b");
    grid_put_right(&screen.grid, screen_whole(&screen), 1, 8, "abcdefghij", UI_ROLE_TEXT);
    ck_assert_str_eq(screen_row(&screen, 1), "abcdefg…");
}
END_TEST

START_TEST(filling_is_clipped_and_repairs_too) {
    put(0, "权重梯度");
    struct rect area = {0, 1, 1, 4};
    grid_fill(&screen.grid, area, 0, 0, 99, '-', UI_ROLE_LINE);
    screen_check_halves(&screen);
    ck_assert_str_eq(screen_row(&screen, 0), " ---- 度");
    grid_fill(&screen.grid, area, 1, 3, -5, '-', UI_ROLE_LINE);
    ck_assert_str_eq(screen_row(&screen, 1), "");
}
END_TEST

START_TEST(painting_changes_roles_only) {
    put(0, "abcd");
    struct rect area = {0, 1, 1, 2};
    grid_paint(&screen.grid, area, 0, 0, 8, UI_ROLE_CURSOR);
    ck_assert_str_eq(screen_row(&screen, 0), "abcd");
    ck_assert_str_eq(screen_roles(&screen), ".cc.\n\n");
}
END_TEST

START_TEST(role_letters_stand_under_their_columns) {
    struct rect whole = screen_whole(&screen);
    grid_put(&screen.grid, whole, 0, 0, "权", UI_ROLE_WEIGHTS);
    grid_put(&screen.grid, whole, 0, 2, "x", UI_ROLE_KEY);
    grid_fill(&screen.grid, whole, 1, 0, 3, ' ', UI_ROLE_CURSOR);
    ck_assert_str_eq(screen_roles(&screen), "WWk\nccc\n");
}
END_TEST

START_TEST(rows_are_compared_by_every_field) {
    static struct ui_cell cells[16];
    struct grid other;
    grid_start(&other, 2, 8, cells, screen.grid.rules);
    ck_assert(grid_row_equal(&screen.grid, &other, 0));
    grid_paint(&other, (struct rect){0, 0, 2, 8}, 0, 3, 1, UI_ROLE_DIM);
    ck_assert(!grid_row_equal(&screen.grid, &other, 0));
    ck_assert(grid_row_equal(&screen.grid, &other, 1));
    grid_put(&other, (struct rect){0, 0, 2, 8}, 1, 0, "x", UI_ROLE_TEXT);
    ck_assert(!grid_row_equal(&screen.grid, &other, 1));
    ck_assert(!grid_row_equal(&screen.grid, &other, 2));
}
END_TEST

START_TEST(wide_lines_take_two_columns_under_the_wide_rule) {
    screen_start(&screen, 1, 5, true);
    struct rect whole = screen_whole(&screen);
    grid_fill(&screen.grid, whole, 0, 0, 5, 0x2500, UI_ROLE_LINE);
    screen_check_halves(&screen);
    ck_assert_str_eq(screen_row(&screen, 0), "──");
}
END_TEST

START_TEST(random_writing_never_leaves_half_a_character) {
    static const char *const texts[] = {"权", "重a", "ab", "x梯度y", "\xCC\x81", "Ψ", "→权", " "};
    unsigned state = 12345;
    screen_start(&screen, 2, 8, false);
    for (int i = 0; i < 20000; i++) {
        state = state * 1103515245U + 12345U;
        int col = (int)(state >> 16) % 12 - 2;
        struct rect area = {0, (int)(state >> 8) % 4, 2, (int)(state >> 20) % 9};
        grid_put(&screen.grid, area, (int)(state >> 24) % 2, col, texts[state % 8], UI_ROLE_TEXT);
        screen_check_halves(&screen);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("grid");
    TCase *t = tcase_create("cells");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, a_wide_character_at_the_last_column_is_left_out);
    tcase_add_test(t, the_third_wide_character_does_not_enter_five_columns);
    tcase_add_test(t, writing_on_a_right_half_blanks_the_left);
    tcase_add_test(t, writing_on_a_left_half_blanks_the_right);
    tcase_add_test(t, a_wide_character_across_two_others_blanks_both_remains);
    tcase_add_test(t, a_text_that_starts_left_of_the_area_shows_its_rest);
    tcase_add_test(t, an_area_that_starts_inside_a_wide_character_shows_a_blank);
    tcase_add_test(t, rows_outside_are_ignored);
    tcase_add_test(t, the_returned_column_is_behind_what_was_written);
    tcase_add_test(t, a_mark_sits_on_its_character);
    tcase_add_test(t, control_characters_become_question_marks);
    tcase_add_test(t, a_no_break_space_is_a_blank);
    tcase_add_loop_test(t, a_long_text_is_cut_and_says_so, 0, (int)(sizeof cuts / sizeof cuts[0]));
    tcase_add_test(t, right_aligned_text_ends_at_its_column);
    tcase_add_test(t, filling_is_clipped_and_repairs_too);
    tcase_add_test(t, painting_changes_roles_only);
    tcase_add_test(t, role_letters_stand_under_their_columns);
    tcase_add_test(t, rows_are_compared_by_every_field);
    tcase_add_test(t, wide_lines_take_two_columns_under_the_wide_rule);
    tcase_add_test(t, random_writing_never_leaves_half_a_character);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
