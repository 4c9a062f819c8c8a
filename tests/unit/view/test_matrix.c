/* Matrices: amounts stand on their points, columns that do not fit make another block or follow the focus, what
 * differs has a sign of its own; whole texts and JSON of a small one. */
#include <check.h>

#include "shardlab/view/read.h"
#include "shardlab/view/shape.h"
#include "support/sample_view.h"

static struct view view;
static char buffer[16384];

static void setup(void) {
    view_start(&view);
    sample_matrix(&view);
}

static const char *text_of(bool chinese, int width, bool ascii) {
    struct words words = sample_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

START_TEST(english_text_is_a_table_with_sentences) {
    ck_assert_str_eq(text_of(false, 60, false), "One GPU\n"
                                                "GB             paper      megatron      none\n"
                                                "weights        13.48         13.48         —\n"
                                                "gradients      13.48         26.95≠        —\n"
                                                "─────────────────────────────────────────────\n"
                                                "total          26.96         40.43≠        —\n"
                                                "layers        0-3          0, 1            0\n"
                                                "optimizer      16            18   ≠        —\n"
                                                "\n"
                                                "≠ differs from paper\n"
                                                "megatron: limit 4×; 7.\n"
                                                "none: limit 4×.\n");
}
END_TEST

START_TEST(chinese_sentences_have_full_width_stops) {
    const char *text = text_of(true, 60, true);
    ck_assert_ptr_nonnull(strstr(text, "* 表示与 paper 不同\n"));
    ck_assert_ptr_nonnull(strstr(text, "megatron：极限 4×；7。\n"));
    ck_assert_ptr_nonnull(strstr(text, "梯度"));
    ck_assert_ptr_nonnull(strstr(text, "26.95*"));
    ck_assert_ptr_nonnull(strstr(text, "--"));
}
END_TEST

/* 40 columns hold two of the three; the third stands below with its own labels. */
START_TEST(what_does_not_fit_makes_a_second_block) {
    view.items[0].matrix.cells[0][0].bytes = UINT64_C(1234567890123456789);
    const char *text = text_of(false, 40, false);
    const char *second = strstr(text, "\n\nGB ");
    ck_assert_msg(second != NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(second, "none"));
    ck_assert_ptr_nonnull(strstr(second, "weights"));
    ck_assert_ptr_null(strstr(second, "13.48"));
}
END_TEST

START_TEST(every_column_is_shown_once_at_every_width) {
    struct words words = sample_book(false);
    const struct view_matrix *m = &view.items[0].matrix;
    for (int cols = 1; cols <= 100; cols++) {
        for (int first = 0; first < m->col_count;) {
            struct view_matrix_options options = {.cols = cols, .first = first, .focus = -1};
            struct view_matrix_plan plan = view_matrix_plan(m, &words, &options);
            ck_assert_int_eq(plan.first, first);
            ck_assert_int_ge(plan.count, 1);
            ck_assert_msg(plan.count == 1 || plan.end <= cols, "%d columns of %d", plan.end, cols);
            first += plan.count;
            ck_assert_int_le(first, m->col_count);
        }
    }
}
END_TEST

START_TEST(the_focus_is_always_in_sight) {
    struct words words = sample_book(false);
    const struct view_matrix *m = &view.items[0].matrix;
    for (int cols = 1; cols <= 100; cols++) {
        for (int focus = 0; focus < m->col_count; focus++) {
            struct view_matrix_options options = {.cols = cols, .focus = focus};
            struct view_matrix_plan plan = view_matrix_plan(m, &words, &options);
            ck_assert_msg(plan.first <= focus && focus < plan.first + plan.count,
                          "column %d is out of sight in %d columns", focus, cols);
        }
    }
}
END_TEST

START_TEST(points_stand_under_each_other) {
    struct words words = sample_book(false);
    struct view_matrix_options options = {.cols = 80, .focus = -1};
    struct view_matrix *m = &view.items[0].matrix;
    m->cells[0][0].bytes = UINT64_C(1234567890123);
    struct view_matrix_plan plan = view_matrix_plan(m, &words, &options);
    const struct width_rules rules = {false};
    ck_assert_int_eq(view_number_col(&plan.cols[0], "1234.57", &rules) + 4, plan.cols[0].point);
    ck_assert_int_eq(view_number_col(&plan.cols[0], "13.48", &rules) + 2, plan.cols[0].point);
    ck_assert_int_eq(view_number_col(&plan.cols[0], "16", &rules) + 2, plan.cols[0].point);
}
END_TEST

START_TEST(json_has_columns_rows_and_exact_cells) {
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert(!w.overflow);
    ck_assert_ptr_nonnull(strstr(buffer, "\"kind\":\"matrix\""));
    ck_assert_ptr_nonnull(strstr(buffer, "\"reference\":\"paper\""));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"key\":\"none\",\"defined\":false,\"remarks\":[{\"id\":"
                                         "\"s.limit\",\"args\":[]}]}"));
    ck_assert_ptr_nonnull(
        strstr(buffer, "{\"key\":\"gradients\",\"cells\":[{\"bytes\":13476831232,\"differs\":false}"
                       ",{\"bytes\":26953662464,\"differs\":true},{\"bytes\":null,\"differs\":"
                       "false}]}"));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"text\":\"0, 1\",\"differs\":false}"));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"value\":18,\"differs\":true}"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("matrix");
    TCase *c = tcase_create("matrix");
    tcase_add_checked_fixture(c, setup, NULL);
    tcase_add_test(c, english_text_is_a_table_with_sentences);
    tcase_add_test(c, chinese_sentences_have_full_width_stops);
    tcase_add_test(c, what_does_not_fit_makes_a_second_block);
    tcase_add_test(c, every_column_is_shown_once_at_every_width);
    tcase_add_test(c, the_focus_is_always_in_sight);
    tcase_add_test(c, points_stand_under_each_other);
    tcase_add_test(c, json_has_columns_rows_and_exact_cells);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
