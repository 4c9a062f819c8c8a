/* Knobs at several widths: stops as texts, as a window, as a rail; hollow and refused stops;
 * pickers. */
#include "shardlab/ui/draw.h"
#include "support/screen.h"

static struct screen screen;
static const struct words english = {.unit = UNIT_GB};
static struct ui_knob knob;

static const char *const ranks[] = {"1",  "2",   "4",   "8",   "16",  "32",
                                    "64", "128", "256", "512", "1024"};

static const char *draw_as(int cols, bool ascii) {
    struct look look = screen_look(&english, ascii, false);
    screen_start(&screen, 3, cols, false);
    ui_knob_draw(&screen.grid, screen_whole(&screen), 1, &knob, 11, &look);
    screen_check_halves(&screen);
    ck_assert_str_eq(screen_row(&screen, 0), "");
    ck_assert_str_eq(screen_row(&screen, 2), "");
    return screen_row(&screen, 1);
}

static const char *draw(int cols) {
    return draw_as(cols, false);
}

static void setup(void) {
    memset(&knob, 0, sizeof knob);
    knob.label = "Data ranks";
    knob.value = "8";
    knob.stop_count = 11;
    for (int i = 0; i < 11; i++) {
        knob.stops[i] = ranks[i];
    }
    knob.current = 3;
}

START_TEST(stops_are_texts_when_they_fit) {
    ck_assert_str_eq(draw(76),
                     "  Data ranks    1   2   4  ●8   16   32   64   128   256   512   1024");
    knob.focused = true;
    ck_assert_str_eq(draw(76),
                     "› Data ranks    1   2   4  ●8   16   32   64   128   256   512   1024");
    ck_assert_int_eq(screen.grid.cursor_row, 1);
    ck_assert_int_eq(screen.grid.cursor_col, 27);
    ck_assert_str_eq(draw_as(76, true),
                     "> Data ranks    1   2   4  *8   16   32   64   128   256   512   1024");
}
END_TEST

START_TEST(a_window_around_the_current_stop_keeps_both_ends) {
    ck_assert_str_eq(draw(56), "  Data ranks    1   2   4  ●8   16   32   64   …   1024");
    knob.current = 10;
    knob.value = "1024";
    ck_assert_str_eq(draw(56), "  Data ranks    1   …   64   128   256   512  ●1024");
    knob.current = 6;
    knob.value = "64";
    ck_assert_str_eq(draw(56), "  Data ranks    1   …   32  ●64   128   256   …   1024");
}
END_TEST

START_TEST(a_rail_shows_where_texts_do_not_fit) {
    ck_assert_str_eq(draw(36), "  Data ranks   ───●────────       8");
    for (int i = 0; i < 11; i++) {
        knob.stops[i] = NULL;
    }
    knob.value = "4096";
    ck_assert_str_eq(draw(60), "  Data ranks   ───────────●────────────────────────    4096");
}
END_TEST

START_TEST(between_stops_the_rail_has_no_mark_and_the_value_says_it) {
    knob.current = -1;
    knob.value = "7";
    const char *row = draw(76);
    ck_assert_ptr_null(strstr(row, "●"));
    ck_assert_ptr_nonnull(strstr(row, "7"));
}
END_TEST

START_TEST(refused_stops_are_hollow) {
    knob.hollow[2] = knob.hollow[10] = true;
    ck_assert_str_eq(draw(76),
                     "  Data ranks    1   2  ○4  ●8   16   32   64   128   256   512  ○1024");
    ck_assert_ptr_nonnull(strstr(screen_roles(&screen), "dd..aa"));
}
END_TEST

START_TEST(a_refused_current_stop_says_so_without_colour) {
    knob.hollow[3] = true;
    ck_assert_ptr_nonnull(strstr(draw(76), "4  ○8!   16"));
    ck_assert_ptr_nonnull(strstr(screen_roles(&screen), "!!!"));
}
END_TEST

START_TEST(a_picker_shows_one_name) {
    static const char *const models[] = {"llama-2-7b", "qwen2.5-7b"};
    knob.label = "Model";
    knob.picker = true;
    knob.stop_count = 2;
    knob.stops[0] = models[0];
    knob.stops[1] = models[1];
    knob.current = 0;
    knob.value = "6.74B params";
    ck_assert_str_eq(draw(60), "  Model        ‹ llama-2-7b ›                  6.74B params");
    ck_assert_str_eq(draw(36), "  Model        ‹ llama-2-7b ›");
    ck_assert_str_eq(draw_as(36, true), "  Model        < llama-2-7b >");
    knob.stops[0] = NULL;
    knob.value = "my-config";
    ck_assert_str_eq(draw(60), "  Model        ‹ my-config ›");
}
END_TEST

START_TEST(a_value_beside_texts_is_shown_when_no_stop_says_it) {
    knob.value = "8 per node";
    ck_assert_str_eq(
        draw(84),
        "  Data ranks    1   2   4  ●8   16   32   64   128   256   512   1024    8 per node");
}
END_TEST

START_TEST(every_width_shows_the_current_stop_or_the_value) {
    knob.focused = true;
    for (int cols = 1; cols <= 120; cols++) {
        for (int current = 0; current < 11; current++) {
            knob.current = current;
            knob.value = ranks[current];
            const char *row = draw(cols);
            bool shown = strstr(row, "●") != NULL || strstr(row, ranks[current]) != NULL;
            ck_assert_msg(shown || cols < 20, "%d columns, stop %d: %s", cols, current, row);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("knob");
    TCase *t = tcase_create("drawing");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, stops_are_texts_when_they_fit);
    tcase_add_test(t, a_window_around_the_current_stop_keeps_both_ends);
    tcase_add_test(t, a_rail_shows_where_texts_do_not_fit);
    tcase_add_test(t, between_stops_the_rail_has_no_mark_and_the_value_says_it);
    tcase_add_test(t, refused_stops_are_hollow);
    tcase_add_test(t, a_refused_current_stop_says_so_without_colour);
    tcase_add_test(t, a_picker_shows_one_name);
    tcase_add_test(t, a_value_beside_texts_is_shown_when_no_stop_says_it);
    tcase_add_test(t, every_width_shows_the_current_stop_or_the_value);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
