/* Ranges of formats on one scale: rows keep the order of the numbers at every width, marks stand where their value
 * lies, what has no place is not drawn; plain text and JSON. */
#include <check.h>

#include "shardlab/view/read.h"
#include "shardlab/view/width.h"
#include "support/sample_numbers.h"

static struct view view;
static char buffer[16384];

static const char *text_of(int width, bool ascii) {
    struct words words = sample_number_book(false);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

/* 41 cells for the powers of two from -24 to 16: a cell each. */
START_TEST(formats_lie_on_one_scale_with_marks_and_legend) {
    view_start(&view);
    (void)sample_ranges(&view);
    ck_assert_str_eq(text_of(46, false), "0.1 in fp16: ranges\n"
                                         "fp16 ░░░░░░░░░░███████████████████████████████\n"
                                         "e4m3     ┊          ░░░████████████████\n"
                                         "e8m0     ┊   █████████████████████████████████\n"
                                         "     2^-24                   1            2^16\n"
                                         "         b                   a\n"
                                         "░ subnormal   █ normal   a one   b tiny\n");
    ck_assert_str_eq(text_of(46, true), "0.1 in fp16: ranges\n"
                                        "fp16 ::::::::::###############################\n"
                                        "e4m3     !          :::################\n"
                                        "e8m0     !   #################################\n"
                                        "     2^-24                   1            2^16\n"
                                        "         b                   a\n"
                                        ": subnormal   # normal   a one   b tiny\n");
}
END_TEST

/* Cells of one row up to the largest number. */
static int length_of_row(const char *text, const char *name) {
    static const struct width_rules rules = {false};
    char row[512] = "";
    const char *at = strstr(text, name);
    ck_assert_ptr_nonnull(at);
    at++; /* the name stands behind a line end */
    size_t length = strcspn(at, "\n");
    ck_assert(length < sizeof row);
    memcpy(row, at, length);
    row[length] = '\0';
    char *end = strrchr(row, ' '); /* the largest number, where there is room for it */
    if (end != NULL && end[1] >= '0' && end[1] <= '9') {
        while (end > row && *end == ' ') {
            *end-- = '\0';
        }
    }
    return width_text(row, &rules);
}

START_TEST(a_larger_range_ends_further_right_at_every_width) {
    view_start(&view);
    (void)sample_ranges(&view);
    view.items[0].ranges.mark_count = 0;
    for (int width = 40; width <= 200; width++) {
        const char *text = text_of(width, true);
        ck_assert_int_lt(length_of_row(text, "\ne4m3 "), length_of_row(text, "\nfp16 "));
        ck_assert_int_eq(length_of_row(text, "\ne8m0 "), length_of_row(text, "\nfp16 "));
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
            ck_assert_uint_le(strcspn(line, "\n"), (size_t)width);
        }
    }
}
END_TEST

START_TEST(wide_readers_see_the_largest_number) {
    view_start(&view);
    (void)sample_ranges(&view);
    ck_assert_ptr_nonnull(strstr(text_of(80, true), " 65504\n"));
    ck_assert_ptr_nonnull(strstr(buffer, " largest\n"));
    ck_assert_ptr_null(strstr(text_of(50, true), "65504"));
}
END_TEST

START_TEST(what_has_no_place_on_the_scale_is_not_marked) {
    view_start(&view);
    struct view_ranges *ranges = sample_ranges(&view);
    const double nowhere[] = {0, (double)NAN, (double)INFINITY, 1e300, 1e-300};
    for (int i = 0; i < 5; i++) {
        ranges->mark_count = 1;
        ranges->marks[0].value = nowhere[i];
        ck_assert_ptr_null(strstr(text_of(60, true), "one"));
        ck_assert_ptr_null(strchr(buffer, '!'));
    }
    ranges->row_count = ranges->mark_count = 0;
    ranges->current = -1;
    ck_assert_str_eq(text_of(60, true), "0.1 in fp16: ranges\n");
}
END_TEST

START_TEST(json_has_the_numbers_and_null_for_what_is_not_there) {
    struct writer w;
    struct json j;
    view_start(&view);
    (void)sample_ranges(&view);
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert_ptr_nonnull(strstr(buffer, "\"kind\":\"ranges\""));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"name\":\"e4m3\",\"min_subnormal\":0.001953125,"
                                         "\"min_normal\":0.015625,\"max\":448}"));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"name\":\"e8m0\",\"min_subnormal\":null,"));
    ck_assert_ptr_nonnull(strstr(buffer, "\"marks\":[{\"text\":\"one\",\"value\":1},"));
    ck_assert_ptr_nonnull(strstr(buffer, "\"current\":1,"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("ranges");
    TCase *t = tcase_create("ranges");
    tcase_add_test(t, formats_lie_on_one_scale_with_marks_and_legend);
    tcase_add_test(t, a_larger_range_ends_further_right_at_every_width);
    tcase_add_test(t, wide_readers_see_the_largest_number);
    tcase_add_test(t, what_has_no_place_on_the_scale_is_not_marked);
    tcase_add_test(t, json_has_the_numbers_and_null_for_what_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
