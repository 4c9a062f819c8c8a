/* The arithmetic that refuses to wrap: every edge of 64 bits, and that a refusal leaves the result
 * alone. What it takes on faith: plain uint64_t division. */
#include <check.h>
#include <stdint.h>

#include "shardlab/base/checked.h"

static const uint64_t untouched = 4711;

struct row {
    const char *id;
    bool (*operate)(uint64_t a, uint64_t b, uint64_t *out);
    uint64_t a, b;
    bool fits;
    uint64_t result;
};

static const struct row rows[] = {
    {"add: small", checked_add, 2, 3, true, 5},
    {"add: zero and maximum", checked_add, 0, UINT64_MAX, true, UINT64_MAX},
    {"add: maximum and zero", checked_add, UINT64_MAX, 0, true, UINT64_MAX},
    {"add: to the maximum", checked_add, UINT64_MAX - 1, 1, true, UINT64_MAX},
    {"add: one past", checked_add, UINT64_MAX, 1, false, 0},
    {"add: twice the maximum", checked_add, UINT64_MAX, UINT64_MAX, false, 0},
    {"add: two halves", checked_add, UINT64_C(1) << 63, UINT64_C(1) << 63, false, 0},
    {"sub: small", checked_sub, 5, 3, true, 2},
    {"sub: to zero", checked_sub, UINT64_MAX, UINT64_MAX, true, 0},
    {"sub: below zero", checked_sub, 3, 4, false, 0},
    {"sub: zero less maximum", checked_sub, 0, UINT64_MAX, false, 0},
    {"mul: small", checked_mul, 6, 7, true, 42},
    {"mul: zero left", checked_mul, 0, UINT64_MAX, true, 0},
    {"mul: zero right", checked_mul, UINT64_MAX, 0, true, 0},
    {"mul: one", checked_mul, UINT64_MAX, 1, true, UINT64_MAX},
    {"mul: 2^32 - 1 by 2^32 + 1 is the maximum", checked_mul, UINT64_C(4294967295),
     UINT64_C(4294967297), true, UINT64_MAX},
    {"mul: 2^32 squared", checked_mul, UINT64_C(1) << 32, UINT64_C(1) << 32, false, 0},
    {"mul: maximum by two", checked_mul, UINT64_MAX, 2, false, 0},
    {"mul: wraps to a believable number", checked_mul, UINT64_C(6074001001), UINT64_C(6074001001),
     false, 0},
};

START_TEST(operations_give_the_result_or_leave_it_alone) {
    const struct row *row = &rows[_i];
    uint64_t out = untouched;
    bool fits = row->operate(row->a, row->b, &out);
    ck_assert_msg(fits == row->fits, "%s: fits %d", row->id, fits);
    uint64_t expected = row->fits ? row->result : untouched;
    ck_assert_msg(out == expected, "%s: got %ju, not %ju", row->id, (uintmax_t)out,
                  (uintmax_t)expected);
}
END_TEST

struct division {
    uint64_t a, b, result;
};

static const struct division divisions[] = {
    {0, 1, 0},
    {0, UINT64_MAX, 0},
    {1, 1, 1},
    {1, 2, 1},
    {63, 64, 1},
    {64, 64, 1},
    {65, 64, 2},
    {UINT64_MAX, 1, UINT64_MAX},
    {UINT64_MAX, 2, UINT64_C(1) << 63},
    {UINT64_MAX, UINT64_MAX, 1},
    {UINT64_MAX - 1, UINT64_MAX, 1},
    {UINT64_C(6738415616), 64, UINT64_C(105287744)},
};

START_TEST(division_rounds_up_and_never_wraps) {
    const struct division *row = &divisions[_i];
    uint64_t got = checked_div_up(row->a, row->b);
    ck_assert_msg(got == row->result, "%ju / %ju gave %ju", (uintmax_t)row->a, (uintmax_t)row->b,
                  (uintmax_t)got);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("checked");
    TCase *edges = tcase_create("edges");
    tcase_add_loop_test(edges, operations_give_the_result_or_leave_it_alone, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    tcase_add_loop_test(edges, division_rounds_up_and_never_wraps, 0,
                        (int)(sizeof divisions / sizeof divisions[0]));
    suite_add_tcase(s, edges);
    return s;
}

#include "support/check_main.h"
