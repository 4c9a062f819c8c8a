/* A number as its bits: boxes where they fit and rows where they do not, the line between the neighbours, what is left
 * out when it is not there; plain text and JSON. */
#include <check.h>

#include "shardlab/view/read.h"
#include "support/sample_numbers.h"

static struct view view;
static char buffer[16384];

static const char *text_of(int width, bool ascii, bool chinese) {
    struct words words = sample_number_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

START_TEST(fields_stand_in_boxes_and_the_number_between_its_neighbours) {
    view_start(&view);
    (void)sample_bits(&view);
    ck_assert_str_eq(text_of(80, false, false),
                     "0.1 in fp16: 0x2e66\n"
                     "sign │ exponent │ mantissa\n"
                     "0    │ 01011    │ 1001100110\n"
                     "+    │ 2^-4     │ 1.599609375\n"
                     "0.09991455078125 ├───────────────●─────○────────┤ 0.10003662109375\n"
                     "error -2.44e-05, 0.40 of a step\n");
    ck_assert_str_eq(text_of(80, true, false),
                     "0.1 in fp16: 0x2e66\n"
                     "sign | exponent | mantissa\n"
                     "0    | 01011    | 1001100110\n"
                     "+    | 2^-4     | 1.599609375\n"
                     "0.09991455078125 |---------------*-----o--------| 0.10003662109375\n"
                     "error -2.44e-05, 0.40 of a step\n");
}
END_TEST

START_TEST(chinese_labels_take_two_columns_a_character) {
    view_start(&view);
    (void)sample_bits(&view);
    const char *text = text_of(80, false, true);
    ck_assert_ptr_nonnull(strstr(text, "符号 │ 指数  │ 尾数\n"
                                       "0    │ 01011 │ 1001100110\n"));
}
END_TEST

START_TEST(few_columns_make_rows_of_the_boxes_and_of_the_neighbours) {
    view_start(&view);
    (void)sample_wide_bits(&view);
    ck_assert_str_eq(text_of(40, false, false), "0.1 in fp16: 0x2e66\n"
                                                "sign      0\n"
                                                "exponent  00001011\n"
                                                "mantissa  1001100110\n"
                                                "unused    0000000000000\n"
                                                "next below  -1.1754943508222875e-38\n"
                                                "value       0\n"
                                                "next above  1.1754943508222875e-38\n"
                                                "error -2.44e-05, 0.40 of a step\n");
}
END_TEST

START_TEST(what_is_not_there_is_left_out) {
    view_start(&view);
    struct view_bits *bits = sample_bits(&view);
    bits->above = (double)INFINITY;
    bits->below = 65472;
    bits->value = 65504;
    ck_assert_ptr_nonnull(strstr(text_of(80, false, false), "next below  65472\n"
                                                            "value       65504\n"
                                                            "next above  inf\n"));
    bits->above = (double)NAN;
    ck_assert_ptr_null(strstr(text_of(80, false, false), "above"));
    bits->known = false;
    bits->field_count = 0;
    bits->value = bits->below = (double)NAN;
    ck_assert_str_eq(text_of(80, false, false),
                     "0.1 in fp16: 0x2e66\nerror -2.44e-05, 0.40 of a step\n");
}
END_TEST

/* An input outside its neighbours (it saturated) has no place on the line. */
START_TEST(the_line_shows_the_input_only_where_it_lies) {
    view_start(&view);
    struct view_bits *bits = sample_bits(&view);
    bits->input = 5;
    ck_assert_ptr_null(strstr(text_of(80, false, false), "○"));
    bits->input = bits->value;
    ck_assert_ptr_null(strstr(text_of(80, false, false), "○"));
    ck_assert_ptr_nonnull(strstr(buffer, "●"));
}
END_TEST

static const char *json_of(void) {
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert(!w.overflow);
    return buffer;
}

START_TEST(json_has_the_fields_and_null_for_what_is_not_there) {
    view_start(&view);
    struct view_bits *bits = sample_bits(&view);
    bits->above = (double)INFINITY;
    ck_assert_ptr_nonnull(
        strstr(json_of(), "{\"kind\":\"bits\",\"title\":{\"id\":\"n.title\",\"args\":[\"0x2e66\"]},"
                          "\"code\":11878,\"fields\":[{\"field\":\"sign\",\"bits\":1,\"pattern\":0,"
                          "\"meaning\":\"+\"},{\"field\":\"exponent\",\"bits\":5,\"pattern\":11,"
                          "\"meaning\":\"2^-4\"},{\"field\":\"mantissa\",\"bits\":10,\"pattern\":"
                          "614,\"meaning\":\"1.599609375\"}],\"input\":0.1,\"value\":"
                          "0.0999755859375,\"below\":0.09991455078125,\"above\":null,"));
    bits->known = false;
    bits->field_count = 0;
    ck_assert_ptr_nonnull(strstr(json_of(), "\"code\":null,\"fields\":[],"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("bits");
    TCase *t = tcase_create("bits");
    tcase_add_test(t, fields_stand_in_boxes_and_the_number_between_its_neighbours);
    tcase_add_test(t, chinese_labels_take_two_columns_a_character);
    tcase_add_test(t, few_columns_make_rows_of_the_boxes_and_of_the_neighbours);
    tcase_add_test(t, what_is_not_there_is_left_out);
    tcase_add_test(t, the_line_shows_the_input_only_where_it_lies);
    tcase_add_test(t, json_has_the_fields_and_null_for_what_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
