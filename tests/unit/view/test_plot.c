/* Plots: letters where the curves are, the lowest on top, marks on the axis, ASCII, little room, nothing to show, JSON. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <string.h>

#include "shardlab/view/read.h"
#include "shardlab/view/width.h"
#include "support/sample_view.h"

static struct view view;
static struct view_plot *plot;
static char buffer[1 << 15];

static const char *find(const void *book, const char *id) {
    return strcmp(id, "p.title") == 0 ? "time" : sample_find(book, id);
}

static const char *text_of(int width, bool ascii) {
    struct words words = sample_book(false);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    words.find = find;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

/* From 1 to 1000: one curve rises from 1 to 1000, the other stays at 31.6. */
static void setup(void) {
    view_start(&view);
    plot = &view_add(&view, VIEW_KIND_PLOT)->plot;
    message_start(&plot->title, "p.title");
    plot->x_name = "bytes";
    plot->y_name = "seconds";
    plot->point_count = 4;
    plot->series_count = 2;
    plot->series[0] =
        (struct view_plot_series){.name = "rising", .letter = 'r', .y = {1, 10, 100, 1000}};
    plot->series[1] =
        (struct view_plot_series){.name = "flat", .letter = 'f', .y = {31.6, 31.6, 31.6, 31.6}};
    for (int i = 0; i < 4; i++) {
        plot->x[i] = plot->series[0].y[i];
    }
    strcpy(plot->low_x, "1 B");
    strcpy(plot->high_x, "1 kB");
    strcpy(plot->low_y, "1 s");
    strcpy(plot->high_y, "1000 s");
    plot->mark_count = 1;
    plot->marks[0] = 31.6;
}

START_TEST(letters_stand_where_the_curves_are) {
    ck_assert_str_eq(text_of(40, true), "time\n"
                                        "1000 s |                              rr\n"
                                        "       |                          rrrr\n"
                                        "       |                       rrr\n"
                                        "       |                   rrrr\n"
                                        "       |                rrr\n"
                                        "       |fffffffffffffrrrffffffffffffffff\n"
                                        "       |         rrrr\n"
                                        "       |      rrr\n"
                                        "       |  rrrr\n"
                                        "   1 s |rr\n"
                                        "       +---------------+----------------\n"
                                        "        1 B                         1 kB\n"
                                        "r rising  f flat\n");
}
END_TEST

/* Measured beside the curve: a capital where it was measured, on top of every curve, and in JSON beside the series. */
START_TEST(what_was_measured_stands_in_capitals) {
    plot->series[1].dot_count = 2;
    plot->series[1].dot_x[0] = 1;
    plot->series[1].dot_y[0] = 1000;
    plot->series[1].dot_x[1] = 1000;
    plot->series[1].dot_y[1] = 1;
    const char *text = text_of(40, true);
    ck_assert_ptr_nonnull(strstr(text, "1000 s |F                             rr\n"));
    ck_assert_ptr_nonnull(strstr(text, "   1 s |rr                             F\n"));
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    view_write_json(&j, NULL, &view);
    ck_assert_ptr_nonnull(strstr(buffer, "\"measured\":{\"bytes\":[1,1000],\"seconds\":[1000,1]}"));
}
END_TEST

START_TEST(of_curves_in_one_cell_the_lowest_is_seen) {
    plot->series[1] = plot->series[0];
    plot->series[1].letter = 'x';
    plot->series[1].y[3] = 2000; /* equal, until it turns upwards */
    ck_assert_ptr_nonnull(strstr(text_of(40, false), "1 s │rr"));
    ck_assert_ptr_nonnull(strstr(buffer, "x\n"));
    ck_assert_ptr_nonnull(strstr(buffer, "r\n"));
}
END_TEST

START_TEST(what_has_no_curve_has_no_axes) {
    plot->series_count = 0;
    ck_assert_str_eq(text_of(60, false), "time\n");
}
END_TEST

START_TEST(one_height_is_a_line_at_the_bottom) {
    plot->series_count = 1;
    for (int i = 0; i < 4; i++) {
        plot->series[0].y[i] = 5;
    }
    ck_assert_ptr_nonnull(strstr(text_of(60, true), "   1 s |rrrrrr"));
}
END_TEST

START_TEST(no_line_is_wider_than_asked) {
    struct width_rules rules = {false};
    for (int width = 40; width <= 200; width++) {
        char *rest = NULL;
        (void)text_of(width, width % 2 == 0);
        for (char *line = strtok_r(buffer, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest)) {
            ck_assert_msg(width_text(line, &rules) <= width, "%d columns: %s", width, line);
        }
    }
}
END_TEST

START_TEST(json_has_every_point) {
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert_ptr_nonnull(strstr(buffer, "\"kind\":\"plot\""));
    ck_assert_ptr_nonnull(strstr(buffer, "\"bytes\":[1,10,100,1000]"));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"name\":\"rising\",\"seconds\":[1,10,100,1000]}"));
    ck_assert_ptr_nonnull(strstr(buffer, "\"marks\":[31.6"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("plot");
    TCase *t = tcase_create("plot");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, letters_stand_where_the_curves_are);
    tcase_add_test(t, what_was_measured_stands_in_capitals);
    tcase_add_test(t, of_curves_in_one_cell_the_lowest_is_seen);
    tcase_add_test(t, what_has_no_curve_has_no_axes);
    tcase_add_test(t, one_height_is_a_line_at_the_bottom);
    tcase_add_test(t, no_line_is_wider_than_asked);
    tcase_add_test(t, json_has_every_point);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
