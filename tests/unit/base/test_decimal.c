/* Exact decimals: what is read, what is refused, and that writing gives the number back. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/base/decimal.h"

static const struct {
    const char *text;
    enum decimal_fault fault;
    uint64_t units;
    int places;
    const char *written;
} cases[] = {
    {"1", DECIMAL_GOOD, 1, 0, "1"},
    {"0", DECIMAL_GOOD, 0, 0, "0"},
    {"0.000", DECIMAL_GOOD, 0, 0, "0"},
    {"0.5", DECIMAL_GOOD, 5, 1, "0.5"},
    {".5", DECIMAL_GOOD, 5, 1, "0.5"},
    {"2.", DECIMAL_GOOD, 2, 0, "2"},
    {"1.250", DECIMAL_GOOD, 125, 2, "1.25"},
    {"1.05", DECIMAL_GOOD, 105, 2, "1.05"},
    {"100", DECIMAL_GOOD, 100, 0, "100"},
    {"15e-1", DECIMAL_GOOD, 15, 1, "1.5"},
    {"1.5e3", DECIMAL_GOOD, 1500, 0, "1500"},
    {"1E2", DECIMAL_GOOD, 100, 0, "100"},
    {"100e-2", DECIMAL_GOOD, 1, 0, "1"},
    {"0e999999999999", DECIMAL_GOOD, 0, 0, "0"},
    {"18446744073709551615", DECIMAL_GOOD, UINT64_MAX, 0, "18446744073709551615"},
    {"0.000000000000000001", DECIMAL_GOOD, 1, 18, "0.000000000000000001"},
    {"1.000000000000000000000000000000", DECIMAL_GOOD, 1, 0, "1"},
    {"２．５", DECIMAL_GOOD, 25, 1, "2.5"},
    {"18446744073709551616", DECIMAL_TOO_LONG, 0, 0, NULL},
    {"0.0000000000000000001", DECIMAL_TOO_LONG, 0, 0, NULL},
    {"1e20", DECIMAL_TOO_LONG, 0, 0, NULL},
    {"1e999999999999", DECIMAL_TOO_LONG, 0, 0, NULL},
    {"", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {".", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"-1", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"+1", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"1,5", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"1.2.3", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"1e", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"1e-", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"nan", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"inf", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {"1ms", DECIMAL_NO_NUMBER, 0, 0, NULL},
    {" 1", DECIMAL_NO_NUMBER, 0, 0, NULL},
};

START_TEST(text_is_read_exactly_or_refused) {
    struct decimal d = {77, 7};
    enum decimal_fault fault = decimal_parse(cases[_i].text, &d);
    ck_assert_msg(fault == cases[_i].fault, "\"%s\": fault %d", cases[_i].text, (int)fault);
    if (fault != DECIMAL_GOOD) {
        ck_assert_uint_eq(d.units, 77);
        return;
    }
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_uint_eq(d.units, cases[_i].units);
    ck_assert_int_eq(d.places, cases[_i].places);
    decimal_write(&w, d.units, d.places);
    ck_assert_str_eq(text, cases[_i].written);
}
END_TEST

START_TEST(a_hundred_digits_are_too_long_and_not_cut) {
    char text[201];
    struct decimal d;
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq((int)decimal_parse(text, &d), DECIMAL_TOO_LONG);
}
END_TEST

START_TEST(a_finer_unit_multiplies_or_says_that_it_cannot) {
    struct decimal d = {25, 1};
    uint64_t units = 0;
    ck_assert(decimal_units_at(&d, 1, &units) && units == 25);
    ck_assert(decimal_units_at(&d, 4, &units) && units == 25000);
    d = (struct decimal){UINT64_MAX, 0};
    ck_assert(!decimal_units_at(&d, 1, &units));
    ck_assert_uint_eq(units, 25000);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("decimal");
    TCase *t = tcase_create("decimal");
    tcase_add_loop_test(t, text_is_read_exactly_or_refused, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(t, a_hundred_digits_are_too_long_and_not_cut);
    tcase_add_test(t, a_finer_unit_multiplies_or_says_that_it_cannot);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
