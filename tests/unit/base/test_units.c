/* Numbers as people write them: the grammar, its edges near 2^64, and arbitrary bytes. What is
 * shown, and that it is read back, is in test_units_format.c. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/units.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const uint64_t untouched = 4711;

struct count {
    const char *text;
    uint64_t kilo;
    uint64_t value;
};

static const struct count counts[] = {
    {"0", 1000, 0},
    {"007", 1000, 7},
    {"4096", 1000, 4096},
    {"7B", 1000, UINT64_C(7000000000)},
    {"7b", 1000, UINT64_C(7000000000)},
    {"7G", 1000, UINT64_C(7000000000)},
    {"7g", 1000, UINT64_C(7000000000)},
    {"7.5B", 1000, UINT64_C(7500000000)},
    {"350M", 1000, 350000000},
    {"350m", 1000, 350000000},
    {"1.5T", 1000, UINT64_C(1500000000000)},
    {"16K", 1000, 16000},
    {"16K", 1024, 16384},
    {"16k", 1024, 16384},
    {"0.5K", 1024, 512},
    {".5K", 1000, 500},
    {"2.3125K", 1024, 2368},
    {"16M", 1024, 16000000},
    {"2851e6", 1000, UINT64_C(2851000000)},
    {"2851E6", 1000, UINT64_C(2851000000)},
    {"2851e+6", 1000, UINT64_C(2851000000)},
    {"2.851e9", 1000, UINT64_C(2851000000)},
    {"7000e-3", 1000, 7},
    {"7e-3K", 1000, 7},
    {"1e3K", 1000, 1000000},
    {"1.0", 1000, 1},
    {"0e999999999999999999999", 1000, 0},
    {"0.000e-99999999999", 1000, 0},
    {"1,000", 1000, 1000},
    {"12,345,678", 1000, 12345678},
    {"1,000.5K", 1000, 1000500},
    {"6,738,415,616", 1000, UINT64_C(6738415616)},
    {"1.000000000000000000000000000000K", 1000, 1000},
    {"0000000000000000000000000000000000000000001", 1000, 1},
    {"18446744073709551615", 1000, UINT64_MAX},
    {"18,446,744,073,709,551,615", 1000, UINT64_MAX},
    {"18446744073.709551615B", 1000, UINT64_MAX},
    {"18446744.073709551615T", 1000, UINT64_MAX},
    {"18446744073709551615000e-3", 1000, UINT64_MAX},
    {"1.8446744073709551615e19", 1000, UINT64_MAX},
    {"9007199254740993", 1000, UINT64_C(9007199254740993)},
    {"１１２", 1000, 112},
    {"７Ｂ", 1000, UINT64_C(7000000000)},
    {"７．５Ｂ", 1000, UINT64_C(7500000000)},
    {"１，０００", 1000, 1000},
    {"２８５１ｅ６", 1000, UINT64_C(2851000000)},
};

START_TEST(counts_are_read_exactly) {
    const struct count *row = &counts[_i];
    uint64_t got = untouched;
    ck_assert_msg(units_parse_count(row->text, row->kilo, &got), "%s was refused", row->text);
    ck_assert_msg(got == row->value, "%s gave %ju", row->text, (uintmax_t)got);
}
END_TEST

static const char *const not_counts[] = {
    "", " ", "7 B", " 7", "7 ", "-1", "+1", "-0", "7X", "7B8", "7BB", "7KB", "B", "K", ".", ".K",
    "5.", "5.K", "1.5", "7.5", "1.0000001K", "0.0001K", "1e-1", "1e", "1e+", "e6", "1e1.5", "1e6e6",
    "1..5", "1.5.5M", "nan", "NaN", "inf", "infinity", "0x10", "1_000", "1'000", ",", ",000", "1,",
    "1,00", "1,0000", "1000,000", "1,000,00", "1,,000", "1,000,", "1.000,000", "1e30", "1e30K",
    "1e999999999999999999999999", "18446744073709551616", "18446744073.709551616B",
    "18446744073.7095516155B", "18446744073709551615.5", "18446744073709551616e0", "20000000T",
    "99999999T", "36893488147419103232", "1e19999", "７Ｘ", "７　Ｂ", "七", "7\xFF", "\xEF\xBC",
    "Ⅶ", "²",
    /* longer than any number that a person writes */
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "000000"
    "00000000000000000000000000001"};

START_TEST(what_is_not_a_count_is_refused) {
    uint64_t got = untouched;
    ck_assert_msg(!units_parse_count(not_counts[_i], 1000, &got), "\"%s\" was read as %ju",
                  not_counts[_i], (uintmax_t)got);
    ck_assert_msg(got == untouched, "\"%s\" changed the result", not_counts[_i]);
}
END_TEST

struct size {
    const char *text;
    uint64_t value;
};

static const struct size sizes[] = {
    {"0", 0},
    {"1024", 1024},
    {"1024B", 1024},
    {"64KB", 64000},
    {"64MB", 64000000},
    {"80GB", UINT64_C(80000000000)},
    {"1TB", UINT64_C(1000000000000)},
    {"1KiB", 1024},
    {"64MiB", UINT64_C(67108864)},
    {"80GiB", UINT64_C(85899345920)},
    {"79.25GiB", UINT64_C(85094039552)},
    {"1TiB", UINT64_C(1) << 40},
    {"64mib", UINT64_C(67108864)},
    {"64gb", UINT64_C(64000000000)},
    {"2e9", UINT64_C(2000000000)},
    {"1,024KiB", 1048576},
    {"0.0009765625KiB", 1},
    /* 2^-40 TiB in full: forty decimals, one byte */
    {"0.0000000000009094947017729282379150390625TiB", 1},
    {"16777215.9999999999990905052982270717620849609375TiB", UINT64_MAX},
    {"18446744073709551615", UINT64_MAX},
    {"18446744073709551.615KB", UINT64_MAX},
    {"１１２ＧＢ", UINT64_C(112000000000)},
    {"６４ＭｉＢ", UINT64_C(67108864)},
};

START_TEST(sizes_are_read_exactly) {
    const struct size *row = &sizes[_i];
    uint64_t got = untouched;
    ck_assert_msg(units_parse_bytes(row->text, &got), "%s was refused", row->text);
    ck_assert_msg(got == row->value, "%s gave %ju", row->text, (uintmax_t)got);
}
END_TEST

static const char *const not_sizes[] = {
    "",
    "B",
    "GB",
    "-1",
    "-1GB",
    "80G",
    "80K",
    "80M",
    "80Gi",
    "80GiBs",
    "80 GB",
    "80GBB",
    "0.5",
    "0.5B",
    "1.0000001KiB",
    "0.00048828125KiB",
    "nan",
    "1,00KB",
    "16777216TiB",
    "18446744073709551616",
    "18446744073709551.616KB",
    "1e30",
    "1e3e3",
    "0.00000000000090949470177292823791503906251TiB",
};

START_TEST(what_is_not_a_size_is_refused) {
    uint64_t got = untouched;
    ck_assert_msg(!units_parse_bytes(not_sizes[_i], &got), "\"%s\" was read as %ju", not_sizes[_i],
                  (uintmax_t)got);
    ck_assert_msg(got == untouched, "\"%s\" changed the result", not_sizes[_i]);
}
END_TEST

struct real {
    const char *text;
    double value;
};

static const struct real reals[] = {
    {"0.40", 0.4},      {"1e-8", 1e-8},
    {"0", 0.0},         {"-1", -1.0},
    {"+2.5", 2.5},      {".4", 0.4},
    {"1E3", 1000.0},    {"0.1", 0.1},
    {"００７", 7.0},    {"－０．５", -0.5},
    {"1e308", 1e308},   {"1e-400", 0.0},
    {"5e-324", 5e-324}, {"0.30000000000000004", 0.1 + 0.2},
};

START_TEST(reals_are_read) {
    const struct real *row = &reals[_i];
    double got = 4711;
    ck_assert_msg(units_parse_real(row->text, &got), "%s was refused", row->text);
    ck_assert_msg(!(got < row->value) && !(got > row->value), "%s gave %.17g", row->text, got);
}
END_TEST

static const char *const not_reals[] = {
    "",      "-",        "+",     ".",      "5.",   "nan",  "NAN",   "-nan", "inf",
    "-inf",  "infinity", "1e309", "-1e309", "0.4x", "0.4 ", " 0.4",  "0,4",  "1,000",
    "0x1p3", "1e",       "--1",   "+-1",    "7B",   "1e5K", "0.4\n",
};

START_TEST(what_is_not_a_finite_real_is_refused) {
    double got = 4711;
    ck_assert_msg(!units_parse_real(not_reals[_i], &got), "\"%s\" was read as %g", not_reals[_i],
                  got);
    ck_assert_msg(got > 4710 && got < 4712, "\"%s\" changed the result", not_reals[_i]);
}
END_TEST

/* Tells nothing on a machine without a locale that has another point. */
START_TEST(reals_have_a_point_in_every_locale) {
    const char *const names[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "ps_AF"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i]) == NULL) {
            continue;
        }
        double got = 0;
        bool point = units_parse_real("0.75", &got);
        bool comma = units_parse_real("0,75", &(double){0});
        setlocale(LC_NUMERIC, "C");
        ck_assert_msg(point && got > 0.74 && got < 0.76, "%s: 0.75 gave %g", names[i], got);
        ck_assert_msg(!comma, "%s: 0,75 was read", names[i]);
    }
}
END_TEST

struct look {
    const char *text;
    bool numeric;
};

static const struct look looks[] = {
    {"-1", true},   {"1", true},        {"-1.5e-8", true}, {"-7B", true},    {"+16K", true},
    {"-.5", true},  {"80GiB", true},    {"-64mb", true},   {"1,000", true},  {"－１", true},
    {"-inf", true}, {"inf", true},      {"nan", true},     {"-NaN", true},   {"", false},
    {"-", false},   {"--", false},      {"--dp", false},   {"-v", false},    {"-7X", false},
    {"--1", false}, {"7dwarfs", false}, {"-i", false},     {"-info", false}, {"1,00", false},
    {"-e5", false}, {"-B", false},
};

START_TEST(values_are_told_from_options) {
    const struct look *row = &looks[_i];
    ck_assert_msg(units_looks_numeric(row->text) == row->numeric, "\"%s\"", row->text);
}
END_TEST

struct fold {
    const char *text, *folded;
};

static const struct fold folds[] = {
    {"", ""},
    {"plain ~!", "plain ~!"},
    {"１１２ＧＢ", "112GB"},
    {"！～", "!~"},
    {"ａ　ｂ", "a b"},
    {"７显Ｂ", "7显B"},
    {"\xEF\xBD\x9F", "\xEF\xBD\x9F"}, /* U+FF5F, one past the forms */
    {"\xEF\xBC\x80", "\xEF\xBC\x80"}, /* U+FF00, one before */
    {"７\xFF\xEF\xBC", "7\xFF\xEF\xBC"},
};

START_TEST(full_width_forms_fold_and_the_rest_stays) {
    const struct fold *row = &folds[_i];
    char out[64];
    size_t exact = strlen(row->folded) + 1;
    ck_assert(units_fold(row->text, out, sizeof out));
    ck_assert_str_eq(out, row->folded);
    ck_assert_msg(units_fold(row->text, out, exact), "%s does not fit exactly", row->text);
    ck_assert_msg(!units_fold(row->text, out, exact - 1), "%s fits in too little", row->text);
}
END_TEST

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Whatever the bytes: an answer, no crash, and no change on refusal. */
START_TEST(arbitrary_bytes_are_read_or_refused) {
    static const char alphabet[] = "0123456789.,eE+-KkMBbTGi \xEF\xBC\x97\x80";
    uint64_t state = UINT64_C(521288629);
    for (int i = 0; i < 50000; i++) {
        char text[160];
        size_t length = next_random(&state) % (i % 10 == 0 ? sizeof text : 8);
        for (size_t at = 0; at < length; at++) {
            text[at] = alphabet[next_random(&state) % (sizeof alphabet - 1)];
        }
        text[length] = '\0';
        uint64_t count = untouched;
        double real = 4711;
        ck_assert(units_parse_count(text, 1024, &count) || count == untouched);
        count = untouched;
        ck_assert(units_parse_bytes(text, &count) || count == untouched);
        ck_assert(units_parse_real(text, &real) ? isfinite(real) : real > 4710 && real < 4712);
        if (units_parse_count(text, 1000, &count) || units_parse_real(text, &real)) {
            ck_assert_msg(units_looks_numeric(text), "\"%s\"", text);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("units");
    TCase *reading = tcase_create("reading");
    tcase_add_loop_test(reading, counts_are_read_exactly, 0, ROWS(counts));
    tcase_add_loop_test(reading, what_is_not_a_count_is_refused, 0, ROWS(not_counts));
    tcase_add_loop_test(reading, sizes_are_read_exactly, 0, ROWS(sizes));
    tcase_add_loop_test(reading, what_is_not_a_size_is_refused, 0, ROWS(not_sizes));
    tcase_add_loop_test(reading, reals_are_read, 0, ROWS(reals));
    tcase_add_loop_test(reading, what_is_not_a_finite_real_is_refused, 0, ROWS(not_reals));
    tcase_add_test(reading, reals_have_a_point_in_every_locale);
    tcase_add_loop_test(reading, values_are_told_from_options, 0, ROWS(looks));
    tcase_add_loop_test(reading, full_width_forms_fold_and_the_rest_stays, 0, ROWS(folds));
    tcase_add_test(reading, arbitrary_bytes_are_read_or_refused);
    suite_add_tcase(s, reading);
    return s;
}

#include "support/check_main.h"
