/* The writer: what fits, what does not, and how numbers look. Reals are compared as text, because
 * the text is the product; that the shortest text reads back is tried on many doubles. */
#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/writer.h"

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

START_TEST(text_is_appended_and_terminated) {
    char buffer[32] = "old";
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    ck_assert_str_eq(w.bytes, "");
    writer_text(&w, "dp");
    writer_char(&w, ' ');
    writer_text_n(&w, "8 and more", 1);
    writer_repeat(&w, '-', 3);
    writer_repeat(&w, '+', 0);
    writer_repeat(&w, '+', -5);
    writer_text(&w, "");
    ck_assert_str_eq(w.bytes, "dp 8---");
    ck_assert_uint_eq(w.length, 7);
    ck_assert(!w.overflow);
}
END_TEST

START_TEST(a_text_that_just_fits_is_no_overflow) {
    char buffer[5];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_text(&w, "1234");
    ck_assert_str_eq(w.bytes, "1234");
    ck_assert(!w.overflow);
    writer_text(&w, "");
    ck_assert(!w.overflow);
    writer_char(&w, '5');
    ck_assert(w.overflow);
    ck_assert_str_eq(w.bytes, "1234");
}
END_TEST

START_TEST(after_an_overflow_everything_is_ignored) {
    char buffer[8];
    struct writer w;
    memset(buffer, '#', sizeof buffer);
    writer_start(&w, buffer, 6);
    writer_text(&w, "123456789");
    ck_assert(w.overflow);
    ck_assert_str_eq(w.bytes, "12345");
    writer_char(&w, 'x');
    writer_u64(&w, 7);
    writer_fixed(&w, 1.5, 1);
    ck_assert_str_eq(w.bytes, "12345");
    ck_assert_uint_eq(w.length, 5);
    ck_assert_msg(buffer[6] == '#' && buffer[7] == '#', "wrote past its capacity");
}
END_TEST

START_TEST(a_short_text_after_an_overflow_does_not_slip_in) {
    char buffer[4];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_text(&w, "ab");
    writer_text(&w, "显存");
    writer_char(&w, 'c');
    ck_assert_str_eq(w.bytes, "ab");
    ck_assert(w.overflow);
}
END_TEST

START_TEST(a_cut_never_falls_inside_a_code_point) {
    char buffer[16];
    struct writer w;
    writer_start(&w, buffer, (size_t)_i);
    writer_text(&w, "a显é𝄞");
    const size_t ends[] = {0, 1, 4, 6, 10};
    size_t expected = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        expected = ends[i] < (size_t)_i ? ends[i] : expected;
    }
    ck_assert_msg(w.length == expected, "capacity %d kept %zu bytes", _i, w.length);
    ck_assert(w.bytes[w.length] == '\0');
    ck_assert(w.overflow == (_i < 11));
}
END_TEST

START_TEST(one_byte_of_capacity_holds_the_empty_text) {
    char buffer[1];
    struct writer w;
    writer_start(&w, buffer, 1);
    writer_char(&w, 'a');
    ck_assert_str_eq(w.bytes, "");
    ck_assert(w.overflow);
}
END_TEST

static char grown[64];

static bool grow_to_64(struct writer *w, size_t need) {
    if (need > sizeof grown) {
        return false;
    }
    memcpy(grown, w->bytes, w->length + 1);
    w->bytes = grown;
    w->capacity = sizeof grown;
    return true;
}

START_TEST(a_grow_hook_makes_room_until_it_cannot) {
    char buffer[4];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    w.grow = grow_to_64;
    writer_text(&w, "abc");
    ck_assert_ptr_eq(w.bytes, buffer);
    writer_text(&w, "defgh");
    ck_assert_ptr_eq(w.bytes, grown);
    ck_assert_str_eq(w.bytes, "abcdefgh");
    writer_repeat(&w, '.', 55);
    ck_assert_uint_eq(w.length, 63);
    ck_assert(!w.overflow);
    writer_char(&w, '!');
    ck_assert(w.overflow);
    ck_assert_uint_eq(w.length, 63);
}
END_TEST

struct code_point {
    uint32_t value;
    const char *bytes;
};

static const struct code_point code_points[] = {
    {0x41, "A"},
    {0x7F, "\x7F"},
    {0x80, "\xC2\x80"},
    {0x7FF, "\xDF\xBF"},
    {0x800, "\xE0\xA0\x80"},
    {0x663E, "显"},
    {0xD7FF, "\xED\x9F\xBF"},
    {0xD800, "\xEF\xBF\xBD"},
    {0xDFFF, "\xEF\xBF\xBD"},
    {0xE000, "\xEE\x80\x80"},
    {0xFFFF, "\xEF\xBF\xBF"},
    {0x10000, "\xF0\x90\x80\x80"},
    {0x10FFFF, "\xF4\x8F\xBF\xBF"},
    {0x110000, "\xEF\xBF\xBD"},
    {UINT32_MAX, "\xEF\xBF\xBD"},
};

START_TEST(code_points_become_utf8_and_invalid_ones_the_replacement) {
    const struct code_point *row = &code_points[_i];
    char buffer[8];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_code_point(&w, row->value);
    ck_assert_msg(strcmp(w.bytes, row->bytes) == 0, "U+%04X", (unsigned)row->value);
}
END_TEST

struct whole {
    uint64_t value;
    const char *plain, *grouped;
};

static const struct whole wholes[] = {
    {0, "0", "0"},
    {9, "9", "9"},
    {10, "10", "10"},
    {999, "999", "999"},
    {1000, "1000", "1,000"},
    {100000, "100000", "100,000"},
    {1000000, "1000000", "1,000,000"},
    {UINT64_C(6738415616), "6738415616", "6,738,415,616"},
    {UINT64_MAX, "18446744073709551615", "18,446,744,073,709,551,615"},
};

START_TEST(whole_numbers_are_exact) {
    const struct whole *row = &wholes[_i];
    char buffer[32];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_u64(&w, row->value);
    ck_assert_str_eq(w.bytes, row->plain);
    writer_start(&w, buffer, sizeof buffer);
    writer_u64_grouped(&w, row->value);
    ck_assert_str_eq(w.bytes, row->grouped);
}
END_TEST

struct fixed {
    double value;
    int decimals;
    const char *text;
};

static const struct fixed fixeds[] = {
    {2.914, 2, "2.91"},
    {0.0, 0, "0"},
    {0.0, 2, "0.00"},
    {-0.0, 2, "0.00"},
    {-0.001, 2, "0.00"},
    {-0.006, 2, "-0.01"},
    {0.5, 0, "1"},
    {1.5, 0, "2"},
    {2.5, 0, "3"},
    {-0.5, 0, "-1"},
    {-2.5, 0, "-3"},
    {0.125, 2, "0.13"},
    {0.375, 2, "0.38"},
    {-0.125, 2, "-0.13"},
    {0.25, 1, "0.3"},
    {0.0009765625, 9, "0.000976563"}, /* 2^-10: a tie at the ninth place */
    {2.675, 2, "2.67"},               /* the double lies below the tie */
    {1.005, 2, "1.00"},
    {9.995, 2, "9.99"},
    {99.999, 2, "100.00"},
    {0.1, 9, "0.100000000"},
    {0.95, 1, "0.9"},
    {9.5, 0, "10"},
    {-99.5, 0, "-100"},
    {9.96875, 4, "9.9688"},
    {999.9375, 3, "999.938"},
    {4503599627370494.5, 0, "4503599627370495"},
    {2251799813685247.75, 1, "2251799813685247.8"},
    {4398046511104.0009765625, 9, "4398046511104.000976563"},
    {9007199254740993.0, 0, "9007199254740992"},
    {1e22, 1, "10000000000000000000000.0"},
};

START_TEST(fixed_rounds_half_away_from_zero) {
    const struct fixed *row = &fixeds[_i];
    char buffer[64];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_fixed(&w, row->value, row->decimals);
    ck_assert_msg(strcmp(w.bytes, row->text) == 0, "%.17g to %d places gave %s, not %s", row->value,
                  row->decimals, w.bytes, row->text);
}
END_TEST

START_TEST(the_largest_double_fits) {
    char buffer[512];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_fixed(&w, -DBL_MAX, 9);
    ck_assert_uint_eq(w.length, 1 + 309 + 1 + 9);
}
END_TEST

struct real {
    double value;
    const char *text;
};

static const struct real reals[] = {
    {0.0, "0"},
    {1.0, "1"},
    {-1.5, "-1.5"},
    {0.1, "0.1"},
    {0.1 + 0.2, "0.30000000000000004"},
    {0.4, "0.4"},
    {1e-8, "1e-08"},
    {1.0 / 3.0, "0.3333333333333333"},
    {65504.0, "65504"},
    {448.0, "448"},
    {6738415616.0, "6738415616"},
    {5e-324, "5e-324"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {9007199254740992.0, "9007199254740992"},
};

START_TEST(reals_are_the_shortest_text) {
    const struct real *row = &reals[_i];
    char buffer[64];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_real(&w, row->value);
    ck_assert_msg(strcmp(w.bytes, row->text) == 0, "gave %s, not %s", w.bytes, row->text);
}
END_TEST

START_TEST(every_real_reads_back) {
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        double value = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char buffer[64];
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        writer_real(&w, value);
        double back = strtod(w.bytes, NULL);
        ck_assert_msg(memcmp(&back, &value, sizeof back) == 0, "%s reads as %.17g", w.bytes, back);
    }
}
END_TEST

START_TEST(what_is_not_finite_is_still_a_word) {
    char buffer[32];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    writer_fixed(&w, (double)NAN, 2);
    writer_char(&w, ' ');
    writer_fixed(&w, (double)INFINITY, 2);
    writer_char(&w, ' ');
    writer_real(&w, (double)-INFINITY);
    ck_assert_str_eq(w.bytes, "nan inf -inf");
}
END_TEST

/* Tells nothing on a machine without a locale that has another point; the suite runs where there is
 * one too. */
START_TEST(the_point_is_a_point_in_every_locale) {
    const char *const names[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "ps_AF"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i]) == NULL) {
            continue;
        }
        char buffer[64];
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        writer_fixed(&w, 1234.5, 1);
        writer_char(&w, ' ');
        writer_real(&w, 0.1);
        setlocale(LC_NUMERIC, "C");
        ck_assert_msg(strcmp(buffer, "1234.5 0.1") == 0, "%s: %s", names[i], buffer);
    }
}
END_TEST

START_TEST(a_scientific_number_keeps_its_digits_at_both_ends) {
    static const struct {
        double value;
        const char *text;
    } rows[] = {{3.1428e23, "3.143e23"}, {9.9996e5, "1.000e6"}, {1e300, "1.000e300"},
                {1e-300, "1.000e-300"},  {0.0, "0.000e0"},      {-2.5e-7, "-2.500e-7"},
                {HUGE_VAL, "inf"},       {-HUGE_VAL, "-inf"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char buffer[64];
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        writer_scientific(&w, rows[i].value, 3);
        ck_assert_str_eq(buffer, rows[i].text);
    }
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void) {
    Suite *s = suite_create("writer");
    TCase *room = tcase_create("room");
    tcase_add_test(room, text_is_appended_and_terminated);
    tcase_add_test(room, a_text_that_just_fits_is_no_overflow);
    tcase_add_test(room, after_an_overflow_everything_is_ignored);
    tcase_add_test(room, a_short_text_after_an_overflow_does_not_slip_in);
    tcase_add_loop_test(room, a_cut_never_falls_inside_a_code_point, 1, 14);
    tcase_add_test(room, one_byte_of_capacity_holds_the_empty_text);
    tcase_add_test(room, a_grow_hook_makes_room_until_it_cannot);
    suite_add_tcase(s, room);
    TCase *numbers = tcase_create("numbers");
    tcase_add_loop_test(numbers, code_points_become_utf8_and_invalid_ones_the_replacement, 0,
                        ROWS(code_points));
    tcase_add_loop_test(numbers, whole_numbers_are_exact, 0, ROWS(wholes));
    tcase_add_loop_test(numbers, fixed_rounds_half_away_from_zero, 0, ROWS(fixeds));
    tcase_add_test(numbers, the_largest_double_fits);
    tcase_add_loop_test(numbers, reals_are_the_shortest_text, 0, ROWS(reals));
    tcase_add_test(numbers, every_real_reads_back);
    tcase_add_test(numbers, what_is_not_finite_is_still_a_word);
    tcase_add_test(numbers, a_scientific_number_keeps_its_digits_at_both_ends);
    tcase_add_test(numbers, the_point_is_a_point_in_every_locale);
    suite_add_tcase(s, numbers);
    return s;
}

#include "support/check_main.h"
