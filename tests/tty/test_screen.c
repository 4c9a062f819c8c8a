/* The grid arrives on the terminal as it is, at every size, with Chinese text and in colour;
 * only what changed is sent, and nothing at all while nothing happens. */
#define _DEFAULT_SOURCE

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tty/probe.h"

START_TEST(wide_characters_keep_the_border_in_its_column) {
    struct pty *p = probe_start(NULL, NULL);
    for (int row = 0; row < 24; row++) {
        ck_assert_msg(pty_cell(p, row, 79).code_point == '|', "row %d: %s", row, pty_row(p, row));
    }
    ck_assert_uint_eq(pty_cell(p, 1, 0).code_point, 0x663E); /* 显 */
    ck_assert_int_eq(pty_cell(p, 1, 0).width, 2);
    ck_assert_uint_eq(pty_cell(p, 1, 2).code_point, 0x5B58); /* 存 */
    ck_assert_uint_eq(pty_cell(p, 1, 5).code_point, 'G');
    ck_assert_uint_eq(pty_cell(p, 5, 1).code_point, 0x4E00); /* 一, after the narrow ● */
    pty_end(p);
}
END_TEST

/* The emulator draws '●' one column wide, so the bytes are looked at: what follows must be
 * addressed as if it were two, by blanks or by a cursor movement. */
START_TEST(ambiguous_characters_can_be_two_columns_wide) {
    struct pty *p = probe_start("--ambiguous-wide", NULL);
    const char *row = strstr(pty_output(p, NULL), "●一×二—三");
    ck_assert_msg(row != NULL, "the row was not sent whole");
    /* 12 columns are used: the border's column is reached from there, not from column 9 */
    ck_assert_msg(strncmp(row + strlen("●一×二—三"), "\033[80G", 5) == 0,
                  "after the row came %.12s", row + 18);
    pty_end(p);
}
END_TEST

static const struct {
    int rows, cols;
} sizes[] = {{1, 1},   {2, 2},   {10, 3},   {3, 10},  {5, 20},  {11, 39},  {12, 40},
             {23, 79}, {24, 80}, {40, 120}, {1, 200}, {100, 1}, {200, 500}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void check_border(struct pty *p, const char *when) {
    int rows = pty_rows(p), cols = pty_cols(p);
    for (int row = 0; row < rows; row++) {
        ck_assert_msg(pty_cell(p, row, cols - 1).code_point == '|', "%s %d×%d: no border in row %d",
                      when, rows, cols, row);
    }
}

START_TEST(every_size_is_filled_to_its_last_cell) {
    struct pty_options options = {.rows = sizes[_i].rows, .cols = sizes[_i].cols};
    struct pty *p = probe_launch(NULL, &options);
    ck_assert(pty_wait_quiet(p, 400, PTY_PATIENCE_MS));
    check_border(p, "start");
    pty_resize(p, 24, 80);
    pty_expect(p, "probe 24x80");
    pty_resize(p, sizes[_i].rows, sizes[_i].cols);
    ck_assert(pty_wait_quiet(p, 400, PTY_PATIENCE_MS));
    check_border(p, "resized");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

/* The same storm in every run: a small generator, not the clock. */
START_TEST(two_hundred_resizes_are_survived) {
    struct pty *p = probe_start(NULL, NULL);
    uint32_t state = 7;
    for (int i = 0; i < 200; i++) {
        state = state * 1664525 + 1013904223;
        int rows = 1 + (int)(state >> 16) % 60;
        state = state * 1664525 + 1013904223;
        int cols = 1 + (int)(state >> 16) % 200;
        pty_resize(p, rows, cols);
        if (i % 8 == 0) {
            pty_pass(p, 1);
        }
    }
    pty_resize(p, 30, 100);
    pty_expect(p, "probe 30x100");
    ck_assert(pty_wait_quiet(p, 200, PTY_PATIENCE_MS));
    check_border(p, "storm");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

/* Shrunk and grown again before anybody looked: the size is the old one, but the terminal has
 * cut its rows. */
START_TEST(a_size_that_came_back_is_painted_again) {
    struct pty *p = probe_start(NULL, NULL);
    pty_resize(p, 5, 20);
    pty_resize(p, 24, 80);
    pty_expect(p, "probe 24x80");
    ck_assert(pty_wait_quiet(p, 200, PTY_PATIENCE_MS));
    check_border(p, "back");
    pty_end(p);
}
END_TEST

START_TEST(a_redraw_mends_a_smeared_screen_and_looks_like_a_fresh_one) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, PTY_CTRL_L);
    pty_expect(p, "keys 1");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    char *before = strdup(pty_text(p));
    ck_assert_ptr_nonnull(before);
    size_t length = 0;
    pty_mark(p);
    pty_keys(p, PTY_CTRL_L);
    pty_expect(p, "keys 2");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    (void)pty_output(p, &length);
    ck_assert_msg(length > 400, "only %zu bytes: not everything was painted", length);
    char *digit = strstr(before, "keys 1");
    ck_assert_ptr_nonnull(digit);
    digit[5] = '2';
    ck_assert_str_eq(pty_text(p), before);
    free(before);
    pty_end(p);
}
END_TEST

START_TEST(a_key_sends_only_what_it_changes) {
    struct pty *p = probe_start(NULL, NULL);
    size_t length = 0;
    pty_keys(p, "x");
    pty_expect(p, "keys 1");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    pty_mark(p);
    pty_keys(p, "x");
    pty_expect(p, "keys 2");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    (void)pty_output(p, &length);
    ck_assert_msg(length < 40, "%zu bytes for one digit", length);
    ck_assert_msg(!pty_output_has(p, "\033[2J"), "the screen was cleared");
    pty_end(p);
}
END_TEST

START_TEST(idle_is_nothing_at_all) {
    struct pty *p = probe_start(NULL, NULL);
    pty_pass(p, 300);
    size_t length = 0;
    pty_mark(p);
    long before = pty_switches(p);
    pty_pass(p, 2000);
    (void)pty_output(p, &length);
    ck_assert_int_ge(before, 0);
    ck_assert_uint_eq(length, 0);
    ck_assert_int_eq(pty_switches(p) - before, 0);
    pty_end(p);
}
END_TEST

START_TEST(the_cursor_rests_on_the_focused_item) {
    struct pty *p = probe_start(NULL, NULL);
    int row = -1, col = -1;
    pty_cursor(p, &row, &col);
    ck_assert_int_eq(row, 2);
    ck_assert_int_eq(col, 0);
    ck_assert(pty_cursor_visible(p));
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("screen");
    TCase *show = tcase_create("show");
    tcase_set_timeout(show, 60);
    tcase_add_test(show, wide_characters_keep_the_border_in_its_column);
    tcase_add_test(show, ambiguous_characters_can_be_two_columns_wide);
    tcase_add_loop_test(show, every_size_is_filled_to_its_last_cell, 0, SIZES);
    tcase_add_test(show, two_hundred_resizes_are_survived);
    tcase_add_test(show, a_size_that_came_back_is_painted_again);
    tcase_add_test(show, a_redraw_mends_a_smeared_screen_and_looks_like_a_fresh_one);
    tcase_add_test(show, a_key_sends_only_what_it_changes);
    tcase_add_test(show, idle_is_nothing_at_all);
    tcase_add_test(show, the_cursor_rests_on_the_focused_item);
    suite_add_tcase(s, show);
    return s;
}

#include "support/check_main.h"
