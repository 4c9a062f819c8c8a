/* Block scaling: worked examples, the rule of the shared scale for every element type, bounds on the errors that
 * follow from the formats, zeros, inputs that are not finite, blocks that are cut short. */
#include <check.h>
#include <math.h>

#include "dice.h"
#include "shardlab/num/block.h"
#include "support/rounds.h"

enum { COUNT = 100 };

static double values[COUNT], back[COUNT];
static uint32_t codes[COUNT], scale_codes[COUNT];
static double scales[COUNT];
static bool saturated[COUNT];

static struct num_block encode(enum num_block_kind kind, enum num_type element, size_t count) {
    struct num_block block = {.kind = kind,
                              .element = element,
                              .codes = codes,
                              .values = back,
                              .saturated = saturated,
                              .scale_codes = scale_codes,
                              .scales = scales};
    num_block_encode(&block, values, count);
    return block;
}

static void fill(double first, double rest) {
    for (int i = 0; i < COUNT; i++) {
        values[i] = i == 0 ? first : rest;
    }
}

/* floor(log2 max) − emax, by hand. */
static const struct {
    enum num_type element;
    double max;
    double scale;
    double largest; /* what the largest number comes back as */
    bool saturated;
} shared[] = {
    {NUM_E4M3, 448, 1, 448, false},
    {NUM_E4M3, 500, 1, 448, true},
    {NUM_E4M3, 512, 2, 512, false},
    {NUM_E4M3, 1, 0x1p-8, 1, false},
    {NUM_E5M2, 57344, 1, 57344, false},
    {NUM_E5M2, 1, 0x1p-15, 1, false},
    {NUM_E2M1, 6, 1, 6, false},
    {NUM_E2M1, 7.9, 1, 6, true}, /* below 8 the exponent stays, above 6 there is nothing */
    {NUM_E2M1, 8, 2, 8, false},
    {NUM_E2M1, 0.1, 0x1p-6, 0.09375, false},
    {NUM_E2M3, 7.5, 1, 7.5, false},
    {NUM_E3M2, 28, 1, 28, false},
    {NUM_E3M2, 100, 4, 96, false},
    {NUM_E4M3, 1e300, 0x1p127, 448 * 0x1p127, true}, /* the largest scale there is */
    {NUM_E4M3, 0x1p-130, 0x1p-127, 0x1p-130, false}, /* and the smallest */
};
enum { SHARED = sizeof shared / sizeof shared[0] };

START_TEST(mx_shares_the_exponent_of_the_largest_number) {
    fill(-shared[_i].max, shared[_i].max / 4);
    struct num_block block = encode(NUM_BLOCK_MX, shared[_i].element, 32);
    ck_assert_double_eq(scales[0], shared[_i].scale);
    ck_assert_double_eq(num_decode(NUM_E8M0, scale_codes[0]), shared[_i].scale);
    ck_assert_double_eq(back[0], -shared[_i].largest);
    ck_assert(saturated[0] == shared[_i].saturated);
    ck_assert_double_eq(block.tensor_scale, 1);
    for (int i = 0; i < 32; i++) {
        ck_assert_double_eq(num_decode(shared[_i].element, codes[i]) * scales[0], back[i]);
    }
}
END_TEST

START_TEST(a_small_number_beside_a_large_one_is_lost_in_its_block_only) {
    fill(1000, 0.001);
    (void)encode(NUM_BLOCK_MX, NUM_E2M1, 40);
    ck_assert_double_eq(back[0], 768); /* 6 × 2^(9 − 2): 1000 saturates */
    ck_assert(saturated[0] && !saturated[1]);
    ck_assert_double_eq(back[31], 0);
    ck_assert_double_eq_tol(back[32], 0.001, 0.0001); /* the next block has its own scale */
    ck_assert_double_gt(scales[0], scales[1]);
}
END_TEST

/* 6 · 448 = 2688: a tensor of that range has the scale 1, and its first block the scale 448. */
START_TEST(nvfp4_scales_blocks_of_sixteen_under_a_tensor_scale) {
    fill(2688, 3);
    struct num_block block = encode(NUM_BLOCK_NVFP4, NUM_E2M1, 32);
    ck_assert_double_eq(block.tensor_scale, 1);
    ck_assert_double_eq(scales[0], 448);
    ck_assert_double_eq(scales[1], 0.5);
    ck_assert_double_eq(back[0], 2688);
    ck_assert_double_eq(back[1], 0); /* 3 beside 2688 */
    ck_assert_double_eq(back[16], 3);
    ck_assert_uint_eq(codes[16], 0x7);
    ck_assert_uint_eq(scale_codes[0], 0x7E);
    fill(1, 1);
    block = encode(NUM_BLOCK_NVFP4, NUM_E2M1, 16);
    ck_assert_double_eq(block.tensor_scale, (double)(float)(1.0 / 2688));
    ck_assert_double_eq_tol(back[0], 1, 1e-6);
}
END_TEST

START_TEST(a_tensor_scale_maps_the_largest_number_to_max) {
    fill(-0.25, 0.1);
    (void)encode(NUM_BLOCK_TENSOR, NUM_E4M3, COUNT);
    ck_assert_double_eq(scales[0], (double)(float)(0.25 / 448));
    ck_assert_uint_eq(codes[0], 0xFE);
    ck_assert_double_eq_tol(back[0], -0.25, 0.25 * 0x1p-24);
    ck_assert_double_eq_tol(back[1], 0.1, 0.1 / 16);
    ck_assert_uint_eq(num_block_count(NUM_BLOCK_TENSOR, COUNT), 1);
}
END_TEST

/* The relative error of a normal element is at most half an ulp, that of the largest one more when it saturates. */
START_TEST(errors_stay_within_what_the_formats_allow) {
    struct dice dice = {3};
    const int rounds = test_rounds(2000);
    for (int round = 0; round < rounds; round++) {
        enum num_type element = (enum num_type)(NUM_E4M3 + round % 5);
        enum num_block_kind kind = element == NUM_E2M1  ? (enum num_block_kind)(round / 5 % 3)
                                   : round / 5 % 2 == 0 ? NUM_BLOCK_MX
                                                        : NUM_BLOCK_TENSOR;
        int centre = (int)(dice_bits(&dice) % 180) - 90;
        double largest = 0, squares = 0;
        for (int i = 0; i < COUNT; i++) {
            values[i] = dice_near(&dice, centre - 6, centre + 3);
        }
        struct num_block block = encode(kind, element, COUNT);
        struct num_limits l = num_limits(element);
        for (int i = 0; i < COUNT; i++) {
            size_t size = num_block_size(kind) > 0 ? num_block_size(kind) : COUNT;
            double scale = scales[(size_t)i / size] * block.tensor_scale;
            double error = fabs(back[i] - values[i]);
            double allowed = saturated[i] ? l.max * scale / 3 * 1.0001
                                          : num_ulp(element, codes[i]) * scale / 2 * 1.0001;
            if (error > allowed || back[i] * values[i] < 0) {
                ck_abort_msg("%s %s: %.9g became %.9g", num_block_name(kind),
                             num_format(element)->name, values[i], back[i]);
            }
            largest = fmax(largest, error);
            squares += error * error;
        }
        ck_assert_double_eq(block.max_abs_error, largest);
        ck_assert_double_eq_tol(block.rms_error, sqrt(squares / COUNT), 1e-12 * largest);
    }
}
END_TEST

START_TEST(zeros_need_no_scale_and_keep_their_sign) {
    for (int kind = 0; kind < NUM_BLOCK_KINDS; kind++) {
        fill(-0.0, 0.0);
        struct num_block block = encode((enum num_block_kind)kind, NUM_E2M1, COUNT);
        ck_assert_uint_eq(codes[0], 0x8);
        ck_assert_uint_eq(codes[1], 0x0);
        ck_assert(signbit(back[0]) != 0 && signbit(back[1]) == 0);
        ck_assert(!isnan(scales[0]));
        ck_assert_double_eq(block.max_abs_error, 0);
        ck_assert_double_eq(block.rms_error, 0);
    }
}
END_TEST

START_TEST(what_is_not_finite_makes_a_nan_of_what_shares_its_scale) {
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        fill(bad[i], 1.0);
        struct num_block block = encode(NUM_BLOCK_MX, NUM_E4M3, 64);
        ck_assert_uint_eq(scale_codes[0], 0xFF);
        ck_assert(isnan(back[0]) && isnan(back[31]) && isnan(block.max_abs_error));
        ck_assert_double_eq(back[32], 1);
        (void)encode(NUM_BLOCK_NVFP4, NUM_E2M1, 64);
        ck_assert(isnan(back[0]) && isnan(back[63]));
        (void)encode(NUM_BLOCK_TENSOR, NUM_E5M2, 64);
        ck_assert(isnan(back[63]) && isnan(scales[0]));
    }
}
END_TEST

/* Extremes of binary64 give figures, not traps. */
START_TEST(extreme_numbers_come_back_finite) {
    const double extreme[] = {0x1.fffffffffffffp1023, 0x1p-1074, 1e-300, 1e300, 1};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            for (int kind = 0; kind < NUM_BLOCK_KINDS; kind++) {
                fill(extreme[i], -extreme[k]);
                (void)encode((enum num_block_kind)kind, NUM_E2M1, COUNT);
                for (int at = 0; at < COUNT; at++) {
                    ck_assert(isfinite(back[at]));
                }
            }
        }
    }
}
END_TEST

START_TEST(kinds_know_their_sizes_and_elements) {
    ck_assert_double_eq(num_block_bits(NUM_BLOCK_MX, NUM_E4M3), 8.25);
    ck_assert_double_eq(num_block_bits(NUM_BLOCK_NVFP4, NUM_E2M1), 4.5);
    ck_assert_double_eq(num_block_bits(NUM_BLOCK_TENSOR, NUM_E5M2), 8);
    ck_assert_uint_eq(num_block_count(NUM_BLOCK_MX, 33), 2);
    ck_assert_uint_eq(num_block_count(NUM_BLOCK_MX, 32), 1);
    ck_assert(num_block_takes(NUM_BLOCK_TENSOR, NUM_FP16));
    for (int type = 0; type < NUM_TYPES; type++) {
        enum num_type element = (enum num_type)type;
        bool mx = type >= NUM_E4M3 && type <= NUM_E3M2;
        ck_assert(num_block_takes(NUM_BLOCK_MX, element) == mx);
        ck_assert(num_block_takes(NUM_BLOCK_NVFP4, element) == (type == NUM_E2M1));
        ck_assert(num_block_takes(NUM_BLOCK_TENSOR, element) == (mx || type == NUM_FP16));
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("block");
    TCase *t = tcase_create("scaling");
    tcase_add_loop_test(t, mx_shares_the_exponent_of_the_largest_number, 0, SHARED);
    tcase_add_test(t, a_small_number_beside_a_large_one_is_lost_in_its_block_only);
    tcase_add_test(t, nvfp4_scales_blocks_of_sixteen_under_a_tensor_scale);
    tcase_add_test(t, a_tensor_scale_maps_the_largest_number_to_max);
    tcase_add_test(t, errors_stay_within_what_the_formats_allow);
    tcase_add_test(t, zeros_need_no_scale_and_keep_their_sign);
    tcase_add_test(t, what_is_not_finite_makes_a_nan_of_what_shares_its_scale);
    tcase_add_test(t, extreme_numbers_come_back_finite);
    tcase_add_test(t, kinds_know_their_sizes_and_elements);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
