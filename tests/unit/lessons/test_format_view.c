/* Views of number formats as they are made: fields multiply to the value, neighbours enclose it, and the sentence says
 * what rounding did, for every kind of outcome. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/lesson/format_view.h"

static struct view view;

static const struct view_bits *bits_of(enum num_type type, double input, const char *text,
                                       enum num_overflow overflow) {
    struct format_number n = {type, input, text, {NUM_MODE_NEAREST, overflow, 0}};
    view_start(&view);
    format_bits_add(&view, &n);
    return &view.items[0].bits;
}

/* An input and the id of the sentence that it gets. */
static const struct {
    enum num_type type;
    double input;
    enum num_overflow overflow;
    const char *remark;
} outcomes[] = {
    {NUM_FP16, 0.5, NUM_OVERFLOW_INF, "view.bits.exact"},
    {NUM_FP16, -0.0, NUM_OVERFLOW_INF, "view.bits.exact"},
    {NUM_FP16, 0x1p-24, NUM_OVERFLOW_INF, "view.bits.exact_subnormal"},
    {NUM_FP16, 0.1, NUM_OVERFLOW_INF, "view.bits.error"},
    {NUM_FP16, 1e-6, NUM_OVERFLOW_INF, "view.bits.error_subnormal"},
    {NUM_FP16, 1e-8, NUM_OVERFLOW_INF, "view.bits.underflow"},
    {NUM_FP16, 65520, NUM_OVERFLOW_INF, "view.bits.overflow_inf"},
    {NUM_FP16, 65520, NUM_OVERFLOW_SATURATE, "view.bits.saturated"},
    {NUM_FP16, INFINITY, NUM_OVERFLOW_SATURATE, "view.bits.saturated"},
    {NUM_FP16, -INFINITY, NUM_OVERFLOW_INF, "view.bits.inf"},
    {NUM_FP16, NAN, NUM_OVERFLOW_INF, "view.bits.nan"},
    {NUM_E4M3, 464, NUM_OVERFLOW_SATURATE, "view.bits.error"},
    {NUM_E4M3, 465, NUM_OVERFLOW_INF, "view.bits.overflow_nan"},
    {NUM_E4M3, INFINITY, NUM_OVERFLOW_INF, "view.bits.overflow_nan"},
    {NUM_E2M1, 9, NUM_OVERFLOW_INF, "view.bits.no_pattern"},
    {NUM_E2M1, NAN, NUM_OVERFLOW_SATURATE, "view.bits.no_pattern"},
    {NUM_E8M0, 0, NUM_OVERFLOW_SATURATE, "view.bits.no_zero"},
    {NUM_E8M0, -1, NUM_OVERFLOW_SATURATE, "view.bits.no_negative"},
    {NUM_E8M0, -INFINITY, NUM_OVERFLOW_SATURATE, "view.bits.no_negative"},
    {NUM_E8M0, 3, NUM_OVERFLOW_SATURATE, "view.bits.error"},
};
enum { OUTCOMES = sizeof outcomes / sizeof outcomes[0] };

START_TEST(the_sentence_says_what_rounding_did) {
    const struct view_bits *bits =
        bits_of(outcomes[_i].type, outcomes[_i].input, "x", outcomes[_i].overflow);
    ck_assert_str_eq(bits->remark.id, outcomes[_i].remark);
    bool none = strcmp(outcomes[_i].remark, "view.bits.no_pattern") == 0;
    ck_assert(bits->known == !none);
    ck_assert_str_eq(bits->title.id, none ? "view.bits.title_none" : "view.bits.title");
}
END_TEST

START_TEST(one_tenth_in_fp16_is_as_the_contract_says) {
    const struct view_bits *bits = bits_of(NUM_FP16, 0.1, "0.1", NUM_OVERFLOW_INF);
    ck_assert_str_eq(bits->title.args[0].text, "0.1");
    ck_assert_str_eq(bits->title.args[1].text, "fp16");
    ck_assert_str_eq(bits->title.args[2].text, "0x2e66");
    ck_assert_str_eq(bits->title.args[3].text, "0.0999755859375");
    ck_assert_int_eq(bits->field_count, 3);
    ck_assert_str_eq(bits->fields[0].meaning, "+");
    ck_assert_str_eq(bits->fields[1].meaning, "2^-4");
    ck_assert_str_eq(bits->fields[2].meaning, "1.599609375");
    ck_assert_double_eq(bits->below, 0.09991455078125);
    ck_assert_double_eq(bits->above, 0.10003662109375);
}
END_TEST

static double factor(const struct view_bits_field *field) {
    const char *text = field->meaning;
    if (field->role == VIEW_BITS_SIGN) {
        return text[0] == '-' ? -1 : 1;
    }
    return field->role == VIEW_BITS_EXPONENT ? ldexp(1.0, atoi(text + 2))
           : text[0] != '\0'                 ? strtod(text, NULL)
                                             : 1;
}

/* Every pattern that is a number, of the types of at most 16 bits: what stands under the boxes multiplies to it. */
START_TEST(the_meanings_of_the_fields_multiply_to_the_value) {
    enum num_type type = (enum num_type)_i;
    for (uint32_t code = 0; num_format(type)->bits <= 16 &&
                                    code<num_limits(type).codes; code += num_format(type)->bits> 8
                                ? 7
                                : 1) {
        double value = num_decode(type, code), product = 1;
        if (!isfinite(value)) {
            continue;
        }
        const struct view_bits *bits = bits_of(type, value, "x", NUM_OVERFLOW_INF);
        uint32_t pattern = 0;
        int width = 0;
        for (int i = 0; i < bits->field_count; i++) {
            product *= factor(&bits->fields[i]);
            pattern = pattern << bits->fields[i].bits | bits->fields[i].value;
            width += bits->fields[i].bits;
        }
        if (product < value || product > value || pattern != code ||
            width != num_format(type)->bits || !(bits->code == code) ||
            bits->below >= bits->value || bits->above <= bits->value) {
            ck_abort_msg("%s 0x%x: %.17g and %.17g", num_format(type)->name, (unsigned)code, value,
                         product);
        }
    }
}
END_TEST

START_TEST(special_patterns_are_named_by_their_last_field) {
    ck_assert_str_eq(bits_of(NUM_FP16, INFINITY, "x", NUM_OVERFLOW_INF)->fields[2].meaning, "inf");
    ck_assert_str_eq(bits_of(NUM_E4M3, NAN, "x", NUM_OVERFLOW_INF)->fields[2].meaning, "nan");
    ck_assert_str_eq(bits_of(NUM_E8M0, NAN, "x", NUM_OVERFLOW_INF)->fields[0].meaning, "nan");
    const struct view_bits *tf32 = bits_of(NUM_TF32, -0.1, "x", NUM_OVERFLOW_INF);
    ck_assert_int_eq(tf32->field_count, 4);
    ck_assert_str_eq(tf32->fields[3].key, "unused");
    ck_assert_int_eq(tf32->fields[3].bits, 13);
    ck_assert_str_eq(tf32->fields[0].meaning, "-");
}
END_TEST

START_TEST(ranges_hold_every_format_and_the_marks_that_have_a_place) {
    struct view_mark marks[VIEW_MARKS_MAX + 3] = {{0, "0"}, {(double)NAN, "nan"}, {1e300, "1e300"}};
    for (int i = 3; i < VIEW_MARKS_MAX + 3; i++) {
        marks[i] = (struct view_mark){i, "n"};
    }
    view_start(&view);
    format_ranges_add(&view, NUM_BF16, marks, VIEW_MARKS_MAX + 3);
    const struct view_ranges *ranges = &view.items[0].ranges;
    ck_assert_int_eq(ranges->row_count, NUM_TYPES);
    ck_assert_str_eq(ranges->rows[ranges->current].name, "bf16");
    ck_assert_int_eq(ranges->mark_count, VIEW_MARKS_MAX);
    ck_assert_double_eq(ranges->marks[0].value, 3);
    ck_assert_double_eq(ranges->rows[NUM_E4M3].max, 448);
    ck_assert_double_nan(ranges->rows[NUM_E8M0].min_subnormal);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("format view");
    TCase *t = tcase_create("views");
    tcase_add_loop_test(t, the_sentence_says_what_rounding_did, 0, OUTCOMES);
    tcase_add_test(t, one_tenth_in_fp16_is_as_the_contract_says);
    tcase_add_loop_test(t, the_meanings_of_the_fields_multiply_to_the_value, 0, NUM_TYPES);
    tcase_add_test(t, special_patterns_are_named_by_their_last_field);
    tcase_add_test(t, ranges_hold_every_format_and_the_marks_that_have_a_place);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
