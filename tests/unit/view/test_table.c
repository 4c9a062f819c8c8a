/* The table of mixed columns: text to the character, what a narrow width leaves out and that it says so, units of
 * seconds, exact JSON, every width from 24 on with both languages. */
#include <check.h>
#include <math.h>

#include "shardlab/view/read.h"
#include "support/json_text.h"
#include "support/sample_pictures.h"

static struct view view;
static struct view_table *table;
static char buffer[1 << 16];

static const char *text_of(int width, bool ascii, bool chinese) {
    struct words words = picture_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

static void setup(void) {
    view_start(&view);
    table = sample_table(&view);
}

START_TEST(columns_stand_on_their_points_and_headings_over_them) {
    ck_assert_str_eq(text_of(80, false, false),
                     "One GPU\n"
                     "      tp  layout       layers  memory GB  step ms  mfu %  gain\n"
                     "1      8  1f1b         ring        70.87   250.00   41.3   2.5\n"
                     "2  1,024  interleaved  tree         6.50     3.50    5.0   —\n"
                     "1: the bubble is small\n");
}
END_TEST

START_TEST(a_narrow_width_leaves_out_the_least_and_names_it) {
    ck_assert_str_eq(text_of(40, true, true), "单张 GPU\n"
                                              "      tp  布局         显存 GB  每步 ms\n"
                                              "1      8  1f1b           70.87   250.00\n"
                                              "2  1,024  interleaved     6.50     3.50\n"
                                              "未显示：层数、mfu、gain\n"
                                              "1：气泡小\n");
}
END_TEST

START_TEST(a_total_stands_below_a_rule_and_says_nothing_about_names) {
    table->has_total = true;
    table->numbered = false;
    table->cells[1][1].known = false;
    table->more = 1200;
    const char *text = text_of(80, true, false);
    ck_assert_ptr_nonnull(strstr(text, "-\n1,024          tree"));
    ck_assert_ptr_nonnull(strstr(text, "\n1,200 more\n"));
}
END_TEST

START_TEST(seconds_have_one_unit_a_column) {
    view_table_set_real(table, 0, 4, 12.5);
    ck_assert_ptr_nonnull(strstr(text_of(80, true, false), "step s"));
    view_table_set_real(table, 0, 4, 0.0000125);
    view_table_set_real(table, 1, 4, INFINITY); /* unknown */
    ck_assert_ptr_nonnull(strstr(text_of(80, false, false), "step µs"));
    ck_assert_ptr_nonnull(strstr(text_of(80, true, false), "step us"));
    ck_assert_ptr_nonnull(strstr(text_of(80, true, false), "12.50"));
}
END_TEST

START_TEST(no_line_is_wider_than_the_width) {
    struct width_rules rules = {false};
    for (int width = 40; width <= 200; width++) {
        for (int mode = 0; mode < 4; mode++) {
            char line[1024];
            const char *text = text_of(width, mode % 2 != 0, mode > 1);
            while (*text != '\0') {
                size_t length = strcspn(text, "\n");
                memcpy(line, text, length);
                line[length] = '\0';
                if (width_text(line, &rules) > width) {
                    ck_abort_msg("width %d: %s", width, line);
                }
                text += length + 1;
            }
        }
    }
}
END_TEST

START_TEST(json_has_exact_numbers_and_null_for_the_unknown) {
    struct writer w;
    struct json j;
    size_t where = 0;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    writer_char(&w, '\n');
    ck_assert_ptr_null(json_answer_fault(buffer, w.length, &where));
    ck_assert(json_is(json_at(buffer, "view[0].kind"), "\"table\""));
    ck_assert(json_is(json_at(buffer, "view[0].rows[1].kind"), "\"tree\""));
    ck_assert_uint_eq(json_digits(buffer, "view[0].rows[0].total_bytes"), UINT64_C(70870000000));
    ck_assert(json_is(json_at(buffer, "view[0].rows[0].mfu"), "0.4125"));
    ck_assert(json_is(json_at(buffer, "view[0].rows[1].gain"), "null"));
    ck_assert_uint_eq(json_digits(buffer, "view[0].notes[0].row"), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("table");
    TCase *t = tcase_create("readers");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, columns_stand_on_their_points_and_headings_over_them);
    tcase_add_test(t, a_narrow_width_leaves_out_the_least_and_names_it);
    tcase_add_test(t, a_total_stands_below_a_rule_and_says_nothing_about_names);
    tcase_add_test(t, seconds_have_one_unit_a_column);
    tcase_add_test(t, no_line_is_wider_than_the_width);
    tcase_add_test(t, json_has_exact_numbers_and_null_for_the_unknown);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
