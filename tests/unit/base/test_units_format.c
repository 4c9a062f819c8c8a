/* Bytes and counts as they are shown: rounding against 128-bit arithmetic, and that what is written
 * is read back as the same number. The grammar of reading is in test_units.c. */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/units.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

__extension__ typedef unsigned __int128 u128;

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Random in its length too, so that small numbers are as frequent as large ones. */
static uint64_t random_of_any_length(uint64_t *state) {
    uint64_t shift = next_random(state) % 64;
    return next_random(state) >> shift;
}

struct shown {
    uint64_t bytes;
    enum unit_system system;
    int decimals;
    const char *text;
};

static const struct shown showns[] = {
    {0, UNIT_GB, 2, "0.00"},
    {0, UNIT_GB, 0, "0"},
    {UINT64_C(13476831232), UNIT_GB, 2, "13.48"},
    {UINT64_C(13476831232), UNIT_GIB, 2, "12.55"},
    {UINT64_C(85899345920), UNIT_GIB, 2, "80.00"},
    {499999999, UNIT_GB, 0, "0"},
    {500000000, UNIT_GB, 0, "1"},
    {4999999, UNIT_GB, 2, "0.00"},
    {5000000, UNIT_GB, 2, "0.01"},
    {994999999, UNIT_GB, 2, "0.99"},
    {995000000, UNIT_GB, 2, "1.00"},
    {999999999, UNIT_GB, 9, "0.999999999"},
    {1, UNIT_GB, 9, "0.000000001"},
    {1, UNIT_GIB, 9, "0.000000001"},
    {(UINT64_C(1) << 29) - 1, UNIT_GIB, 0, "0"},
    {UINT64_C(1) << 29, UNIT_GIB, 0, "1"},
    {(UINT64_C(1) << 30) - 1, UNIT_GIB, 9, "0.999999999"},
    {UINT64_MAX, UNIT_GB, 0, "18446744074"},
    {UINT64_MAX, UNIT_GB, 2, "18446744073.71"},
    {UINT64_MAX, UNIT_GB, 9, "18446744073.709551615"},
    {UINT64_MAX, UNIT_GIB, 0, "17179869184"},
    {UINT64_MAX, UNIT_GIB, 9, "17179869183.999999999"},
    {UINT64_MAX, UNIT_GIB, 8, "17179869184.00000000"},
};

START_TEST(sizes_are_shown_exactly_rounded) {
    const struct shown *row = &showns[_i];
    char buffer[64];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    units_write_bytes(&w, row->bytes, row->system, row->decimals);
    ck_assert_msg(strcmp(buffer, row->text) == 0, "%ju in %s to %d places gave %s, not %s",
                  (uintmax_t)row->bytes, units_name(row->system), row->decimals, buffer, row->text);
}
END_TEST

/* The shown digits without their point, as a number. */
static u128 digits_of(const char *text) {
    u128 value = 0;
    for (; *text != '\0'; text++) {
        if (*text != '.') {
            value = value * 10 + (unsigned)(*text - '0');
        }
    }
    return value;
}

START_TEST(shown_sizes_agree_with_128_bit_arithmetic) {
    uint64_t state = UINT64_C(20240229);
    for (int i = 0; i < 20000; i++) {
        uint64_t bytes = random_of_any_length(&state);
        int decimals = (int)(next_random(&state) % 10);
        enum unit_system system = next_random(&state) % 2 == 0 ? UNIT_GB : UNIT_GIB;
        u128 unit = system == UNIT_GB ? 1000000000U : 1U << 30;
        u128 scaled = bytes;
        for (int place = 0; place < decimals; place++) {
            scaled *= 10;
        }
        char buffer[64];
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        units_write_bytes(&w, bytes, system, decimals);
        ck_assert_msg(digits_of(buffer) == (2 * scaled + unit) / (2 * unit), "%ju gave %s",
                      (uintmax_t)bytes, buffer);
        const char *point = strchr(buffer, '.');
        ck_assert((point == NULL ? 0 : strlen(point + 1)) == (size_t)decimals);
    }
}
END_TEST

START_TEST(units_have_their_names) {
    ck_assert_str_eq(units_name(UNIT_GB), "GB");
    ck_assert_str_eq(units_name(UNIT_GIB), "GiB");
}
END_TEST

struct brief {
    uint64_t count;
    const char *text;
};

static const struct brief briefs[] = {
    {0, "0"},
    {512, "512"},
    {4096, "4096"},
    {9999, "9999"},
    {10000, "10.0K"},
    {12345, "12.3K"},
    {12350, "12.4K"},
    {99949, "99.9K"},
    {99950, "100K"},
    {999499, "999K"},
    {999500, "1.00M"},
    {124439808, "124M"},
    {UINT64_C(6738415616), "6.74B"},
    {UINT64_C(9994999999), "9.99B"},
    {UINT64_C(9995000000), "10.0B"},
    {UINT64_C(999499999999), "999B"},
    {UINT64_C(999500000000), "1.00T"},
    {UINT64_C(1008000000000), "1.01T"},
    {UINT64_C(999500000000000), "1000T"},
    {UINT64_MAX, "18446744T"},
};

START_TEST(short_counts_keep_three_digits) {
    const struct brief *row = &briefs[_i];
    char buffer[32];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    units_write_short_count(&w, row->count);
    ck_assert_msg(strcmp(buffer, row->text) == 0, "%ju gave %s, not %s", (uintmax_t)row->count,
                  buffer, row->text);
}
END_TEST

static void check_reads_back(uint64_t n) {
    char plain[32];
    char grouped[32];
    struct writer w;
    writer_start(&w, plain, sizeof plain);
    writer_u64(&w, n);
    writer_start(&w, grouped, sizeof grouped);
    writer_u64_grouped(&w, n);
    uint64_t got = ~n;
    ck_assert_msg(units_parse_count(plain, 1000, &got) && got == n, "count %s", plain);
    got = ~n;
    ck_assert_msg(units_parse_count(grouped, 1024, &got) && got == n, "count %s", grouped);
    got = ~n;
    ck_assert_msg(units_parse_bytes(grouped, &got) && got == n, "bytes %s", grouped);
    char gb[64];
    writer_start(&w, gb, sizeof gb);
    units_write_bytes(&w, n, UNIT_GB, 9);
    writer_text(&w, units_name(UNIT_GB));
    got = ~n;
    ck_assert_msg(units_parse_bytes(gb, &got) && got == n, "bytes %s", gb);
}

START_TEST(every_number_that_is_written_is_read_back) {
    uint64_t state = UINT64_C(88172645463325252);
    for (int i = 0; i < 20000; i++) {
        check_reads_back(random_of_any_length(&state));
    }
    for (int bit = 0; bit < 64; bit++) {
        check_reads_back(UINT64_C(1) << bit);
        check_reads_back((UINT64_C(1) << bit) - 1);
        check_reads_back(UINT64_MAX - (UINT64_C(1) << bit));
    }
    check_reads_back(UINT64_MAX);
}
END_TEST

START_TEST(short_counts_are_near_what_they_stand_for) {
    uint64_t state = UINT64_C(362436069);
    for (int i = 0; i < 20000; i++) {
        uint64_t n = random_of_any_length(&state);
        char buffer[32];
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        units_write_short_count(&w, n);
        uint64_t back = 0;
        /* Near 2^64 a rounded count may no longer be one. */
        if (n < UINT64_C(18446744000000000000)) {
            ck_assert_msg(units_parse_count(buffer, 1000, &back), "%s", buffer);
            uint64_t off = back > n ? back - n : n - back;
            ck_assert_msg(off <= n / 200, "%ju is shown as %s", (uintmax_t)n, buffer);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("units_format");
    TCase *writing = tcase_create("writing");
    tcase_add_loop_test(writing, sizes_are_shown_exactly_rounded, 0, ROWS(showns));
    tcase_add_test(writing, shown_sizes_agree_with_128_bit_arithmetic);
    tcase_add_test(writing, units_have_their_names);
    tcase_add_loop_test(writing, short_counts_keep_three_digits, 0, ROWS(briefs));
    suite_add_tcase(s, writing);
    TCase *properties = tcase_create("properties");
    tcase_add_test(properties, every_number_that_is_written_is_read_back);
    tcase_add_test(properties, short_counts_are_near_what_they_stand_for);
    suite_add_tcase(s, properties);
    return s;
}

#include "support/check_main.h"
