/* Charts: cells never hide the highest column, heights follow the scale, the capacity's line stands where it belongs
 * and goes when it is far away; plain text and JSON of a small one. */
#include <check.h>
#include <stdio.h>

#include "shardlab/view/read.h"
#include "shardlab/view/shape.h"
#include "support/sample_view.h"

static struct view view;
static char buffer[16384];

static struct view_chart *chart_of(int columns, uint64_t capacity) {
    view_start(&view);
    struct view_chart *chart = &view_add(&view, VIEW_KIND_CHART)->chart;
    message_start(&chart->title, "s.gpu");
    chart->column_count = columns;
    for (int i = 0; i < columns; i++) {
        chart->bytes[i] = (uint64_t)(i < columns / 2 ? i + 1 : columns - i) * UINT64_C(1000000000);
    }
    chart->peak = columns / 2;
    chart->marks[0] = 'F';
    chart->marks[columns / 2] = 'B';
    chart->marks[columns - 1] = 'S';
    chart->has_capacity = capacity != 0;
    chart->capacity_bytes = capacity;
    message_start(&chart->remark, "s.count");
    message_add_bytes(&chart->remark, chart->bytes[chart->peak]);
    return chart;
}

START_TEST(no_width_hides_the_peak) {
    for (int columns = 3; columns <= VIEW_CHART_MAX; columns += 5) {
        struct view_chart *chart = chart_of(columns, 0);
        for (int cells = 1; cells <= 200; cells++) {
            struct view_chart_plot plot;
            view_chart_plot(chart, cells, &plot);
            uint64_t most = 0;
            for (int i = 0; i < plot.cells; i++) {
                most = plot.bytes[i] > most ? plot.bytes[i] : most;
            }
            if (most != chart->bytes[chart->peak] || plot.bytes[plot.peak] != most ||
                plot.cells > cells || plot.top != most) {
                ck_abort_msg("%d columns in %d cells", columns, cells);
            }
        }
    }
}
END_TEST

/* The capacity against a peak of 4 GB: the row of its line, and the top of the scale. */
static const struct {
    uint64_t capacity;
    int row;
    uint64_t top;
} limits[] = {
    {UINT64_C(4000000000), 0, UINT64_C(4000000000)},
    {UINT64_C(8000000000), 0, UINT64_C(8000000000)},
    {UINT64_C(2000000000), 3, UINT64_C(4000000000)},
    {UINT64_C(1), 5, UINT64_C(4000000000)},
    {UINT64_C(80000000000), -1, UINT64_C(4000000000)}, /* far above: the curve would be flat */
    {0, -1, UINT64_C(4000000000)},
};

START_TEST(the_line_stands_where_the_capacity_is) {
    struct view_chart_plot plot;
    view_chart_plot(chart_of(8, limits[_i].capacity), 8, &plot);
    ck_assert_int_eq(plot.limit_row, limits[_i].row);
    ck_assert_uint_eq(plot.top, limits[_i].top);
}
END_TEST

static const char *text_of(bool ascii) {
    struct words words = sample_book(false);
    struct view_text_options options = {.width = 40, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

START_TEST(plain_text_draws_it_with_blocks_and_with_ascii) {
    (void)chart_of(8, UINT64_C(6000000000));
    ck_assert_str_eq(text_of(false), "One GPU\n"
                                     "    6.00 │╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌\n"
                                     "         │\n"
                                     "         │         ██████\n"
                                     "         │      ████████████\n"
                                     "         │   ██████████████████\n"
                                     "         │████████████████████████\n"
                                     "          F           ●B       S\n"
                                     "4.00 GB\n");
    ck_assert_str_eq(text_of(true), "One GPU\n"
                                    "    6.00 |------------------------\n"
                                    "         |\n"
                                    "         |         ######\n"
                                    "         |      ############\n"
                                    "         |   ##################\n"
                                    "         |########################\n"
                                    "          F           *B       S\n"
                                    "4.00 GB\n");
}
END_TEST

START_TEST(json_has_every_column_and_null_for_what_is_not) {
    struct writer w;
    struct json j;
    (void)chart_of(4, 0);
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert_ptr_nonnull(strstr(buffer, "\"kind\":\"chart\""));
    ck_assert_ptr_nonnull(
        strstr(buffer, "\"bytes\":[1000000000,2000000000,2000000000,1000000000],"
                       "\"marks\":[\"F\",null,\"B\",\"S\"],\"peak\":2,\"capacity_bytes\":null"));
}
END_TEST

START_TEST(a_chart_without_columns_is_a_title_and_a_remark) {
    struct view_chart *chart = chart_of(8, 0);
    chart->column_count = 0;
    chart->peak = -1;
    ck_assert_str_eq(text_of(false), "One GPU\n4.00 GB\n");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("chart");
    TCase *t = tcase_create("chart");
    tcase_add_test(t, no_width_hides_the_peak);
    tcase_add_loop_test(t, the_line_stands_where_the_capacity_is, 0,
                        (int)(sizeof limits / sizeof limits[0]));
    tcase_add_test(t, plain_text_draws_it_with_blocks_and_with_ascii);
    tcase_add_test(t, json_has_every_column_and_null_for_what_is_not);
    tcase_add_test(t, a_chart_without_columns_is_a_title_and_a_remark);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
