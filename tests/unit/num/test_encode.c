/* One rounding, to nearest even, against an oracle that shares nothing with it: between two neighbouring numbers a and
 * b the boundary is their midpoint, exact in binary64, and rounding is a step there. So every pair of neighbours of
 * every type, with the midpoint and the doubles beside it, settles all doubles; random ones are looked up by bisection.
 * Specials, overflow, rounding towards zero, and the average of stochastic rounding. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "dice.h"
#include "shardlab/num/format.h"
#include "support/rounds.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

static struct num_rounding nearest(enum num_overflow overflow) {
    return (struct num_rounding){NUM_MODE_NEAREST, overflow, 0};
}

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (!(a < b) && !(a > b) && !isnan(a) && !isnan(b));
}

/* --- The contract's own lines --- */

static const struct {
    enum num_type type;
    enum num_overflow overflow;
    double input;
    uint32_t code;
    enum num_class class;
    bool saturated;
} cases[] = {
    {NUM_FP16, NUM_OVERFLOW_INF, 65519, 0x7BFF, NUM_CLASS_NORMAL, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 65520, 0x7C00, NUM_CLASS_INF, false}, /* a tie, to even */
    {NUM_FP16, NUM_OVERFLOW_INF, -65520, 0xFC00, NUM_CLASS_INF, false},
    {NUM_FP16, NUM_OVERFLOW_SATURATE, 65519.9, 0x7BFF, NUM_CLASS_NORMAL, false},
    {NUM_FP16, NUM_OVERFLOW_SATURATE, 65520, 0x7BFF, NUM_CLASS_NORMAL, true},
    {NUM_FP16, NUM_OVERFLOW_SATURATE, -INFINITY, 0xFBFF, NUM_CLASS_NORMAL, true},
    {NUM_FP16, NUM_OVERFLOW_INF, 1e-8, 0x0000, NUM_CLASS_ZERO, false},
    {NUM_FP16, NUM_OVERFLOW_INF, -1e-8, 0x8000, NUM_CLASS_ZERO, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1p-25, 0x0000, NUM_CLASS_ZERO, false}, /* half the smallest */
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1.0000000000001p-25, 0x0001, NUM_CLASS_SUBNORMAL, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1.8p-24, 0x0002, NUM_CLASS_SUBNORMAL, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1.ffep-15, 0x0400, NUM_CLASS_NORMAL,
     false}, /* into the normals */
    {NUM_FP16, NUM_OVERFLOW_INF, 0.1, 0x2E66, NUM_CLASS_NORMAL, false},
    {NUM_FP16, NUM_OVERFLOW_INF, -0.0, 0x8000, NUM_CLASS_ZERO, false},
    {NUM_FP16, NUM_OVERFLOW_INF, INFINITY, 0x7C00, NUM_CLASS_INF, false},
    {NUM_FP16, NUM_OVERFLOW_INF, NAN, 0x7E00, NUM_CLASS_NAN, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1p-1074, 0x0000, NUM_CLASS_ZERO, false},
    {NUM_FP16, NUM_OVERFLOW_INF, 0x1.fffffffffffffp1023, 0x7C00, NUM_CLASS_INF, false},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, 448.1, 0x7E, NUM_CLASS_NORMAL, false},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, 464, 0x7E, NUM_CLASS_NORMAL, false}, /* a tie, 448 is even */
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, 0x1.d000000000001p8, 0x7E, NUM_CLASS_NORMAL, true},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, 465, 0x7E, NUM_CLASS_NORMAL, true},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, 1e9, 0x7E, NUM_CLASS_NORMAL, true},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, -1e9, 0xFE, NUM_CLASS_NORMAL, true},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, INFINITY, 0x7E, NUM_CLASS_NORMAL, true},
    {NUM_E4M3, NUM_OVERFLOW_INF, 464, 0x7E, NUM_CLASS_NORMAL, false},
    {NUM_E4M3, NUM_OVERFLOW_INF, 465, 0x7F, NUM_CLASS_NAN, false},
    {NUM_E4M3, NUM_OVERFLOW_INF, -INFINITY, 0xFF, NUM_CLASS_NAN, false},
    {NUM_E4M3, NUM_OVERFLOW_SATURATE, NAN, 0x7F, NUM_CLASS_NAN, false},
    {NUM_E5M2, NUM_OVERFLOW_INF, 61439, 0x7B, NUM_CLASS_NORMAL, false},
    {NUM_E5M2, NUM_OVERFLOW_INF, 61440, 0x7C, NUM_CLASS_INF, false},
    {NUM_E5M2, NUM_OVERFLOW_SATURATE, 61440, 0x7B, NUM_CLASS_NORMAL, true},
    {NUM_E5M2, NUM_OVERFLOW_INF, NAN, 0x7E, NUM_CLASS_NAN, false},
    {NUM_BF16, NUM_OVERFLOW_INF, 257, 0x4380, NUM_CLASS_NORMAL, false},
    {NUM_BF16, NUM_OVERFLOW_INF, 259, 0x4382, NUM_CLASS_NORMAL, false},
    {NUM_BF16, NUM_OVERFLOW_INF, 3.4e38, 0x7F80, NUM_CLASS_INF, false},
    {NUM_TF32, NUM_OVERFLOW_INF, 0.1, 0x3DCCC000, NUM_CLASS_NORMAL, false},
    {NUM_TF32, NUM_OVERFLOW_INF, NAN, 0x7FC00000, NUM_CLASS_NAN, false},
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, 5, 0x6, NUM_CLASS_NORMAL, false}, /* between 4 and 6 */
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, 0.25, 0x0, NUM_CLASS_ZERO, false},
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, 0.75, 0x2, NUM_CLASS_NORMAL, false},
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, 6.9, 0x7, NUM_CLASS_NORMAL, false},
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, 7, 0x7, NUM_CLASS_NORMAL,
     true}, /* a tie with 8, which is even */
    {NUM_E2M1, NUM_OVERFLOW_SATURATE, -INFINITY, 0xF, NUM_CLASS_NORMAL, true},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 1, 0x7F, NUM_CLASS_NORMAL, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 1.5, 0x80, NUM_CLASS_NORMAL,
     false}, /* 2 has the even pattern */
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 3, 0x80, NUM_CLASS_NORMAL, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 0, 0x00, NUM_CLASS_NORMAL, false}, /* it has no zero */
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, -0.0, 0x00, NUM_CLASS_NORMAL, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 1e-300, 0x00, NUM_CLASS_NORMAL, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, -1, 0xFF, NUM_CLASS_NAN, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 0x1.8p127, 0xFE, NUM_CLASS_NORMAL, false},
    {NUM_E8M0, NUM_OVERFLOW_SATURATE, 0x1.9p127, 0xFE, NUM_CLASS_NORMAL, true},
    {NUM_E8M0, NUM_OVERFLOW_INF, 0x1p128, 0xFF, NUM_CLASS_NAN, false},
};

START_TEST(a_known_input_gets_its_pattern) {
    struct num_encoded e = num_encode(cases[_i].type, cases[_i].input, nearest(cases[_i].overflow));
    ck_assert_msg(e.code == cases[_i].code && e.class == cases[_i].class &&
                      e.saturated == cases[_i].saturated && !e.no_pattern,
                  "%s %.17g: 0x%x, %s, %d", num_format(cases[_i].type)->name, cases[_i].input,
                  (unsigned)e.code, num_class_name(e.class), e.saturated);
}
END_TEST

START_TEST(where_there_is_no_pattern_the_answer_says_so) {
    static const enum num_type types[] = {NUM_E2M1, NUM_E2M3, NUM_E3M2};
    const double inputs[] = {(double)NAN, (double)INFINITY, -1e9};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            struct num_encoded e = num_encode(types[i], inputs[k], nearest(NUM_OVERFLOW_INF));
            ck_assert(e.no_pattern && e.class == NUM_CLASS_NAN && !e.saturated);
            ck_assert_uint_eq(e.code, num_limits(types[i]).max_code);
            ck_assert_double_nan(num_encoded_value(types[i], e));
        }
        ck_assert(!num_encode(types[i], 1e9, nearest(NUM_OVERFLOW_SATURATE)).no_pattern);
    }
}
END_TEST

/* --- Every rounding of every type --- */

/* Numbers of a type, ascending; +0 without -0. */
static double numbers[1 << 19];
static uint32_t codes[1 << 19];
static int number_count;

static void list_numbers(enum num_type type) {
    uint32_t code = 0, other = 0;
    number_count = 0;
    while (num_next_down(type, code, &other) && num_class(type, other) != NUM_CLASS_INF) {
        code = other;
    }
    for (;;) {
        codes[number_count] = code;
        numbers[number_count++] = num_decode(type, code);
        if (!num_next_up(type, code, &other) || num_class(type, other) == NUM_CLASS_INF) {
            return;
        }
        code = num_class(type, other) == NUM_CLASS_ZERO ? 0 : other;
    }
}

static void expect_number(enum num_type type, double input, double expected) {
    struct num_encoded e = num_encode(type, input, num_rounding_of(type));
    if (!same(num_encoded_value(type, e), expected) || e.saturated) {
        ck_abort_msg("%s: %.17g becomes %.17g, not %.17g", num_format(type)->name, input,
                     num_encoded_value(type, e), expected);
    }
}

static bool is_even(enum num_type type, uint32_t code) {
    return (code >> num_format(type)->unused_bits & 1U) == 0;
}

START_TEST(between_two_numbers_the_boundary_is_the_middle_and_a_tie_is_even) {
    enum num_type type = (enum num_type)_i;
    if (type == NUM_FP32) {
        return; /* fp32 is held to the compiler's own conversion below */
    }
    list_numbers(type);
    for (int i = 0; i + 1 < number_count; i++) {
        double low = numbers[i], high = numbers[i + 1], middle = low + (high - low) / 2;
        expect_number(type, low, low);
        expect_number(type, nextafter(low, high), low);
        expect_number(type, nextafter(middle, low), low);
        expect_number(type, middle, is_even(type, codes[i]) ? low : high);
        expect_number(type, nextafter(middle, high), high);
        expect_number(type, nextafter(high, low), high);
    }
    expect_number(type, numbers[number_count - 1], num_limits(type).max);
}
END_TEST

START_TEST(fp32_is_what_the_compiler_makes_of_a_double) {
    struct dice dice = {7};
    const int rounds = test_rounds(200000);
    for (int i = 0; i < rounds; i++) {
        double input = i % 4 == 0 ? dice_double(&dice) : dice_near(&dice, -155, 129);
        float narrow = (float)input, next = nextafterf(narrow, INFINITY);
        double middle = ((double)narrow + (double)next) / 2;
        const double inputs[] = {input, middle, nextafter(middle, 0), nextafter(middle, 1e300)};
        for (int k = 0; k < ROWS(inputs); k++) {
            struct num_encoded e = num_encode(NUM_FP32, inputs[k], nearest(NUM_OVERFLOW_INF));
            if (!same(num_decode(NUM_FP32, e.code), (double)(float)inputs[k])) {
                ck_abort_msg("%.17g: 0x%x", inputs[k], (unsigned)e.code);
            }
        }
    }
}
END_TEST

/* The nearest number by looking for it. */
static double look_up(enum num_type type, double input) {
    int low = 0, high = number_count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (numbers[middle] <= input) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double below = input - numbers[low], above = numbers[high] - input;
    bool lower = below < above || (!(below > above) && is_even(type, codes[low]));
    return lower ? numbers[low] : numbers[high];
}

START_TEST(random_doubles_go_to_the_nearest_number) {
    enum num_type type = (enum num_type)_i;
    struct num_limits l = num_limits(type);
    struct dice dice = {(uint64_t)_i + 1};
    if (type == NUM_FP32) {
        return;
    }
    list_numbers(type);
    int lowest = ilogb(numbers[number_count / 2 + 1]) - 3;
    const int rounds = test_rounds(20000);
    for (int i = 0; i < rounds; i++) {
        double input = dice_near(&dice, lowest, ilogb(l.max));
        bool inside = input <= l.max && input >= (type == NUM_E8M0 ? l.min_normal : -l.max);
        if (inside) {
            expect_number(type, input, look_up(type, input));
        }
    }
}
END_TEST

/* --- Other roundings --- */

START_TEST(towards_zero_never_grows_and_loses_less_than_a_step) {
    enum num_type type = (enum num_type)_i;
    struct num_rounding cut = {NUM_MODE_TOWARD_ZERO, NUM_OVERFLOW_SATURATE, 0};
    struct num_limits l = num_limits(type);
    struct dice dice = {99};
    for (int i = 0; i < 20000; i++) {
        double input = fabs(dice_near(&dice, ilogb(l.min_normal), ilogb(l.max) - 1));
        struct num_encoded e = num_encode(type, input, cut);
        double value = num_decode(type, e.code);
        if (value > input || input - value >= num_ulp(type, e.code) || e.saturated) {
            ck_abort_msg("%s: %.17g becomes %.17g", num_format(type)->name, input, value);
        }
    }
}
END_TEST

/* A value `eighths` of a step above a number: over 64 random words that are spread evenly, it goes up exactly
 * 8 × eighths times. */
START_TEST(stochastic_rounding_goes_up_in_exact_proportion) {
    enum num_type type = (enum num_type)_i;
    struct dice dice = {5};
    for (int trial = 0; trial < 200; trial++) {
        struct num_limits l = num_limits(type);
        double at = fabs(dice_near(&dice, ilogb(l.min_normal), ilogb(l.max) - 1));
        struct num_rounding cut = {NUM_MODE_TOWARD_ZERO, NUM_OVERFLOW_INF, 0};
        struct num_encoded low = num_encode(type, at, cut);
        double low_value = num_decode(type, low.code), step = num_ulp(type, low.code);
        for (int eighths = 0; eighths < 8; eighths++) {
            int ups = 0;
            for (uint64_t i = 0; i < 64; i++) {
                struct num_rounding r = {NUM_MODE_STOCHASTIC, NUM_OVERFLOW_INF, i << 58};
                double value =
                    num_decode(type, num_encode(type, low_value + step * eighths / 8, r).code);
                ck_assert(same(value, low_value) || same(value, low_value + step));
                ups += value > low_value ? 1 : 0;
            }
            ck_assert_int_eq(ups, 8 * eighths);
        }
    }
}
END_TEST

/* bf16 weights of 1 with updates of 2^-12: to nearest they never move, stochastically they arrive on average. */
START_TEST(tiny_updates_add_up_only_stochastically) {
    struct dice dice = {2024};
    double stuck = 1.0, sum = 0.0;
    const int steps = 4096, weights = 64;
    for (int w = 0; w < weights; w++) {
        double weight = 1.0;
        for (int i = 0; i < steps; i++) {
            struct num_rounding r = {NUM_MODE_STOCHASTIC, NUM_OVERFLOW_INF, dice_bits(&dice)};
            weight = num_decode(NUM_BF16, num_encode(NUM_BF16, weight + 0x1p-12, r).code);
        }
        sum += weight;
    }
    for (int i = 0; i < steps; i++) {
        struct num_encoded e = num_encode(NUM_BF16, stuck + 0x1p-12, num_rounding_of(NUM_BF16));
        stuck = num_decode(NUM_BF16, e.code);
    }
    ck_assert_double_eq(stuck, 1.0);
    /* the mean is 2; one weight's deviation is sqrt(4096 · (1/32)(31/32)) · 2^-7 = 0.087 */
    ck_assert_double_eq_tol(sum / weights, 2.0, 5 * 0.087 / 8);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("encode");
    TCase *t = tcase_create("rounding");
    tcase_add_loop_test(t, a_known_input_gets_its_pattern, 0, ROWS(cases));
    tcase_add_test(t, where_there_is_no_pattern_the_answer_says_so);
    tcase_add_loop_test(t, between_two_numbers_the_boundary_is_the_middle_and_a_tie_is_even, 0,
                        NUM_TYPES);
    tcase_add_test(t, fp32_is_what_the_compiler_makes_of_a_double);
    tcase_add_loop_test(t, random_doubles_go_to_the_nearest_number, 0, NUM_TYPES);
    tcase_add_loop_test(t, towards_zero_never_grows_and_loses_less_than_a_step, 0, NUM_TYPES);
    tcase_add_loop_test(t, stochastic_rounding_goes_up_in_exact_proportion, 0, NUM_TYPES);
    tcase_add_test(t, tiny_updates_add_up_only_stochastically);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
