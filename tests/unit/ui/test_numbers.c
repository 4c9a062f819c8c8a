/* Bits and ranges on the grid: the same picture as in text, roles that mark sign, exponent and the focused format, and
 * every width from very narrow to 200 columns in both languages, both glyph sets and both width rules, where what is
 * measured is what is drawn and nothing leaves the pane. */
#include "shardlab/ui/draw.h"
#include "support/sample_numbers.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int rows, int cols, bool ascii) {
    struct words words = sample_number_book(false);
    struct look look = screen_look(&words, ascii, false);
    screen_start(&screen, rows, cols, false);
    int used = ui_view_draw(&screen.grid, screen_whole(&screen), &view, -1, true, &look);
    screen_check_halves(&screen);
    return used;
}

START_TEST(bits_are_boxes_with_the_number_between_its_neighbours) {
    view_start(&view);
    (void)sample_bits(&view);
    ck_assert_int_eq(draw(6, 76, false), 6);
    ck_assert_str_eq(screen_text(&screen),
                     "  0.1 in fp16: 0x2e66\n"
                     "  sign │ exponent │ mantissa\n"
                     "  0    │ 01011    │ 1001100110\n"
                     "  +    │ 2^-4     │ 1.599609375\n"
                     "  0.09991455078125 ├───────────────●─────○────────┤ 0.10003662109375\n"
                     "  error -2.44e-05, 0.40 of a step\n");
    const char *roles = screen_roles(&screen);
    for (int line = 0; line < 2; line++) {
        roles = strchr(roles, '\n') + 1;
    }
    ck_assert_int_eq(strncmp(roles, "..a....l.sssss....l...........", 20), 0);
}
END_TEST

START_TEST(the_format_that_is_looked_at_stands_out) {
    view_start(&view);
    (void)sample_ranges(&view);
    draw(12, 60, false);
    int row = screen_find(&screen, "e4m3");
    ck_assert_int_eq(row, 2);
    const char *roles = screen_roles(&screen);
    for (int line = 0; line < row; line++) {
        roles = strchr(roles, '\n') + 1;
    }
    ck_assert_int_eq(strncmp(roles, "..aaaa", 6), 0);
    ck_assert_ptr_nonnull(strchr(roles, 's'));
}
END_TEST

START_TEST(forty_four_columns_are_enough_for_every_box) {
    view_start(&view);
    (void)sample_bits(&view);
    (void)sample_ranges(&view);
    draw(30, 44, true);
    ck_assert_int_ge(screen_find(&screen, "sign | exponent | mantissa"), 0);
    ck_assert_int_ge(screen_find(&screen, "next above  0.10003662109375"), 0);
    ck_assert_int_ge(screen_find(&screen, "a one   b tiny"), 0);
    for (const char *at = screen_text(&screen); *at != '\0'; at++) {
        ck_assert_int_lt((unsigned char)*at, 0x80);
    }
}
END_TEST

/* Everything that is drawn fits the columns that there are: a wider grid would show no more of it. */
static void check_width(int cols, bool chinese, bool ascii, bool wide) {
    struct words words = sample_number_book(chinese);
    struct look look = screen_look(&words, ascii, wide);
    struct rect area = {0, 0, 80, cols};
    screen_start(&screen, 80, SCREEN_COLS_MAX, wide);
    int used = ui_view_draw(&screen.grid, area, &view, -1, true, &look);
    if (used != ui_view_rows(&view, cols, &look)) {
        ck_abort_msg("%d columns: %d rows drawn, %d measured", cols, used,
                     ui_view_rows(&view, cols, &look));
    }
    for (int row = 0; row < 80; row++) {
        for (int col = cols - 1; col < SCREEN_COLS_MAX; col++) {
            uint32_t c = screen.cells[row * SCREEN_COLS_MAX + col].code_point;
            if (cols >= 44 && c != ' ') {
                ck_abort_msg("%d columns: row %d reaches column %d", cols, row, col);
            }
        }
    }
    screen_check_halves(&screen);
}

START_TEST(every_width_has_room_for_what_is_drawn) {
    view_start(&view);
    (void)(_i == 0 ? sample_bits(&view) : sample_wide_bits(&view));
    (void)sample_ranges(&view);
    for (int cols = 1; cols <= 200; cols++) {
        for (int way = 0; way < 8; way++) {
            check_width(cols, (way & 1) != 0, (way & 2) != 0, (way & 4) != 0);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("numbers");
    TCase *t = tcase_create("drawing");
    tcase_add_test(t, bits_are_boxes_with_the_number_between_its_neighbours);
    tcase_add_test(t, the_format_that_is_looked_at_stands_out);
    tcase_add_test(t, forty_four_columns_are_enough_for_every_box);
    tcase_add_loop_test(t, every_width_has_room_for_what_is_drawn, 0, 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
