/* The fast paths against the plain reference: all patterns both ways, and as floats every number, every middle between
 * two of them, the floats beside, powers of two over the whole range, and random bits. Where the CPU converts fp16
 * itself (F16C), it has to agree too; elsewhere that test says why it did not run. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "shardlab/num/convert.h"
#include "support/rounds.h"
#include "support/sanitized.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define HAS_F16C 1
#else
#define HAS_F16C 0
#endif

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- Inputs --- */

static float inputs[1 << 19];
static int input_count;

static void add(double value) {
    ck_assert(input_count < (int)(sizeof inputs / sizeof inputs[0]));
    inputs[input_count++] = (float)value;
}

/* Every number of the type with both middles, and the floats on either side of each. */
static void fill_inputs(enum num_type type) {
    struct num_limits l = num_limits(type);
    input_count = 0;
    for (uint32_t code = 0; code < l.codes / 2; code++) {
        enum num_class class = num_class(type, code);
        if (class == NUM_CLASS_NAN || class == NUM_CLASS_INF) {
            continue;
        }
        float here = (float)num_decode(type, code);
        float middle = (float)(num_decode(type, code) + num_ulp(type, code) / 2);
        add((double)here);
        add((double)nextafterf(here, INFINITY));
        add((double)middle);
        add((double)nextafterf(middle, 0));
        add((double)nextafterf(middle, INFINITY));
    }
    for (int exponent = -149; exponent <= 127; exponent++) {
        add(ldexp(1.0, exponent));
        add(ldexp(1.9999998807907104, exponent));
    }
    add((double)INFINITY);
    add((double)NAN);
}

static const struct {
    enum num_type type;
    enum num_overflow overflow;
} pairs[] = {
    {NUM_FP16, NUM_OVERFLOW_INF}, {NUM_FP16, NUM_OVERFLOW_SATURATE},
    {NUM_BF16, NUM_OVERFLOW_INF}, {NUM_BF16, NUM_OVERFLOW_SATURATE},
    {NUM_E4M3, NUM_OVERFLOW_INF}, {NUM_E4M3, NUM_OVERFLOW_SATURATE},
    {NUM_E5M2, NUM_OVERFLOW_INF}, {NUM_E5M2, NUM_OVERFLOW_SATURATE},
    {NUM_E2M1, NUM_OVERFLOW_INF}, {NUM_E2M1, NUM_OVERFLOW_SATURATE},
    {NUM_E2M3, NUM_OVERFLOW_INF}, {NUM_E2M3, NUM_OVERFLOW_SATURATE},
    {NUM_E3M2, NUM_OVERFLOW_INF}, {NUM_E3M2, NUM_OVERFLOW_SATURATE},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* By every path that this processor has. */
static void expect_same(int pair, const float *values, int count) {
    static uint16_t codes[NUM_PATHS][1 << 19];
    static uint8_t bytes[NUM_PATHS][1 << 19];
    const struct num_packing as = {pairs[pair].type, pairs[pair].overflow};
    struct num_rounding rounding = {NUM_MODE_NEAREST, as.overflow, 0};
    bool small = num_format(as.type)->bits <= 8;
    for (enum num_path path = 0; path < NUM_PATHS; path++) {
        if (num_path_has(path)) {
            num_pack_on(path, &as, values, codes[path], (size_t)count);
        }
        if (num_path_has(path) && small) {
            num_pack_bytes_on(path, &as, values, bytes[path], (size_t)count);
        }
    }
    for (int i = 0; i < count; i++) {
        uint32_t expected = num_encode(as.type, (double)values[i], rounding).code;
        for (enum num_path path = 0; path < NUM_PATHS; path++) {
            bool differs = codes[path][i] != expected || (small && bytes[path][i] != expected);
            if (num_path_has(path) && differs) {
                ck_abort_msg("%s, %s: %.9g (0x%08x): 0x%x, the reference says 0x%x",
                             num_format(as.type)->name, num_path_name(path), (double)values[i],
                             (unsigned)bits_of(values[i]), (unsigned)codes[path][i],
                             (unsigned)expected);
            }
        }
    }
}

START_TEST(every_number_and_middle_is_packed_as_the_reference_does) {
    fill_inputs(pairs[_i].type);
    expect_same(_i, inputs, input_count);
    for (int i = 0; i < input_count; i++) {
        inputs[i] = -inputs[i];
    }
    expect_same(_i, inputs, input_count);
}
END_TEST

START_TEST(random_floats_are_packed_as_the_reference_does) {
    enum { BATCH = 4096 };
    struct dice dice = {(uint64_t)_i + 40};
    const int rounds = test_rounds((SANITIZED ? 8 : 40) * BATCH);
    for (int done = 0; done < rounds; done += BATCH) {
        float values[BATCH];
        for (int i = 0; i < BATCH; i++) {
            uint32_t bits = (uint32_t)(dice_bits(&dice) >> 32);
            values[i] = float_of(bits);
        }
        expect_same(_i, values, BATCH);
    }
}
END_TEST

/* All floats in equal steps, from the smallest to the nans: every 65,537th, in the long run every 61st. */
START_TEST(floats_all_over_the_range_are_packed_as_the_reference_does) {
    enum { BATCH = 4096, USUAL = 65537 };
    const uint64_t step = test_rounds(USUAL) > USUAL ? 61 : SANITIZED ? 5 * USUAL : USUAL;
    float values[BATCH];
    int count = 0;
    for (uint64_t bits = 0; bits >> 32 == 0; bits += step) {
        values[count++] = float_of((uint32_t)bits);
        if (count == BATCH || (bits + step) >> 32 != 0) {
            expect_same(_i, values, count);
            count = 0;
        }
    }
}
END_TEST

START_TEST(single_conversions_are_those_of_the_arrays) {
    fill_inputs(NUM_FP16);
    for (int i = 0; i < input_count; i++) {
        struct num_rounding r = num_rounding_of(NUM_FP16);
        ck_assert(num_fp16_of_float(inputs[i]) == num_encode(NUM_FP16, (double)inputs[i], r).code);
        ck_assert(num_bf16_of_float(inputs[i]) == num_encode(NUM_BF16, (double)inputs[i], r).code);
    }
}
END_TEST

static bool same_float(float a, double b) {
    return (isnan(a) && isnan(b)) || (!((double)a < b) && !((double)a > b) && !isnan(a) &&
                                      (signbit(a) != 0) == (signbit(b) != 0));
}

/* Of type `pair` by `path`. */
static void expect_back(int pair, enum num_path path) {
    static uint16_t codes[65536], back[65536];
    static float values[65536];
    enum num_type type = pairs[pair].type;
    const struct num_packing as = {type, pairs[pair].overflow};
    uint32_t count = num_limits(type).codes;
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = (uint16_t)i;
    }
    num_unpack_on(path, type, codes, values, count);
    num_pack_on(path, &as, values, back, count);
    for (uint32_t i = 0; i < count; i++) {
        double value = num_decode(type, i);
        enum num_class class = num_class(type, i);
        bool kept = as.overflow == NUM_OVERFLOW_INF || class != NUM_CLASS_INF;
        bool wrong = !same_float(values[i], value) || isnan(value) != isnan(values[i]);
        if (wrong || (class != NUM_CLASS_NAN && kept && back[i] != i) ||
            (class == NUM_CLASS_NAN && num_class(type, back[i]) != NUM_CLASS_NAN)) {
            ck_abort_msg("%s, %s 0x%x: %.9g, packed back 0x%x", num_format(type)->name,
                         num_path_name(path), (unsigned)i, (double)values[i], (unsigned)back[i]);
        }
    }
}

START_TEST(every_pattern_is_unpacked_and_packed_back) {
    for (enum num_path path = 0; path < NUM_PATHS; path++) {
        if (num_path_has(path)) {
            expect_back(_i, path);
        }
    }
}
END_TEST

/* Alone, and among others, where loops of several at once take them. */
START_TEST(bytes_are_unpacked_as_the_reference_does) {
    enum { REPEATS = 3 };
    enum num_type type = pairs[_i].type;
    uint32_t count = num_format(type)->bits <= 8 ? num_limits(type).codes : 0;
    for (enum num_path path = 0; path < NUM_PATHS; path++) {
        uint8_t codes[REPEATS * 256 + 5];
        float values[REPEATS * 256 + 5], alone;
        size_t all = count > 0 && num_path_has(path) ? (size_t)REPEATS * count + 5 : 0;
        for (size_t i = 0; i < all; i++) {
            codes[i] = (uint8_t)(i % count);
        }
        if (all > 0) {
            num_unpack_bytes_on(path, type, codes, values, all);
        }
        for (size_t i = 0; i < all; i++) {
            num_unpack_bytes_on(path, type, &codes[i], &alone, 1);
            ck_assert_msg(same_float(values[i], num_decode(type, codes[i])) &&
                              same_float(alone, num_decode(type, codes[i])),
                          "%s, %s: 0x%x is %.9g and alone %.9g", num_format(type)->name,
                          num_path_name(path), codes[i], (double)values[i], (double)alone);
        }
    }
}
END_TEST

/* Arrays that do not stay in the caches are written past them, block by block: no element is left out, none beside the
 * array is touched, whatever line it begins in. */
START_TEST(large_arrays_are_what_small_ones_are) {
    enum { COUNT = 1500007, GUARD = 64 };
    static float values[COUNT], back[COUNT + 2 * GUARD];
    static uint16_t codes[COUNT + 2 * GUARD];
    struct dice dice = {77};
    for (int i = 0; i < COUNT; i++) {
        values[i] = float_of((uint32_t)(dice_bits(&dice) >> 32));
    }
    for (enum num_path path = 0; path < NUM_PATHS; path++) {
        const struct num_packing as = {NUM_FP16, NUM_OVERFLOW_INF};
        int shift = 1 + 7 * (int)path;
        if (!num_path_has(path)) {
            continue;
        }
        memset(codes, 0x55, sizeof codes);
        memset(back, 0x55, sizeof back);
        num_pack_on(path, &as, values, codes + shift, COUNT);
        num_unpack_on(path, NUM_FP16, codes + shift, back + shift, COUNT);
        ck_assert_uint_eq(codes[shift - 1], 0x5555);
        ck_assert_uint_eq(codes[shift + COUNT], 0x5555);
        ck_assert_uint_eq(bits_of(back[shift - 1]), 0x55555555);
        ck_assert_uint_eq(bits_of(back[shift + COUNT]), 0x55555555);
        for (int i = 0; i < COUNT; i++) {
            uint16_t code = num_fp16_of_float(values[i]);
            if (codes[shift + i] != code ||
                bits_of(back[shift + i]) != bits_of(num_float_of_fp16(code))) {
                ck_abort_msg("%s: element %d of %.9g", num_path_name(path), i, (double)values[i]);
            }
        }
    }
}
END_TEST

START_TEST(what_runs_is_named) {
    ck_assert(num_path_has(NUM_PATH_BEST) && num_path_has(NUM_PATH_PLAIN));
    ck_assert(num_path_best() != NUM_PATH_BEST && num_path_has(num_path_best()));
    for (enum num_path path = NUM_PATH_AVX2; path < NUM_PATHS; path++) {
        if (!num_path_has(path)) {
            printf("not run: this CPU, or this build, has no %s\n", num_path_name(path));
        }
    }
}
END_TEST

#if HAS_F16C

__attribute__((target("avx,f16c"))) static uint16_t hardware_code(float value) {
    __m128i codes = _mm_cvtps_ph(_mm_set1_ps(value), _MM_FROUND_TO_NEAREST_INT);
    return (uint16_t)_mm_extract_epi16(codes, 0);
}

__attribute__((target("avx,f16c"))) static float hardware_float(uint16_t code) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_set1_epi16((short)code)));
}

static bool has_f16c(void) {
    return __builtin_cpu_supports("avx2") != 0; /* no CPU has AVX2 without F16C; not every compiler
                                                   can ask for F16C by name */
}

#else

static uint16_t hardware_code(float value) {
    return num_fp16_of_float(value);
}

static float hardware_float(uint16_t code) {
    return num_float_of_fp16(code);
}

static bool has_f16c(void) {
    return false;
}

#endif

static void expect_hardware(float value) {
    uint16_t ours = num_fp16_of_float(value), theirs = hardware_code(value);
    bool both_nan = isnan(value) && num_class(NUM_FP16, theirs) == NUM_CLASS_NAN &&
                    (theirs & 0x8000U) == (ours & 0x8000U); /* its payload is the input's */
    if (ours != theirs && !both_nan) {
        ck_abort_msg("%.9g (0x%08x): 0x%04x, the CPU says 0x%04x", (double)value,
                     (unsigned)bits_of(value), ours, theirs);
    }
}

START_TEST(the_cpu_converts_fp16_as_we_do) {
    if (!has_f16c()) {
        puts("not run: this CPU has no F16C");
        return;
    }
    fill_inputs(NUM_FP16);
    for (int i = 0; i < input_count; i++) {
        expect_hardware(inputs[i]);
        expect_hardware(-inputs[i]);
    }
    struct dice dice = {16};
    const int rounds = test_rounds(500000);
    for (int i = 0; i < rounds; i++) {
        expect_hardware(float_of((uint32_t)(dice_bits(&dice) >> 32)));
    }
    for (uint32_t code = 0; code < 65536; code++) {
        float ours = num_float_of_fp16((uint16_t)code), theirs = hardware_float((uint16_t)code);
        if (bits_of(ours) != bits_of(theirs) && !(isnan(ours) && isnan(theirs))) {
            ck_abort_msg("0x%04x: %.9g, the CPU says %.9g", (unsigned)code, (double)ours,
                         (double)theirs);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("convert");
    TCase *t = tcase_create("fast paths");
    tcase_add_loop_test(t, every_number_and_middle_is_packed_as_the_reference_does, 0, PAIRS);
    tcase_add_loop_test(t, random_floats_are_packed_as_the_reference_does, 0, PAIRS);
    tcase_add_loop_test(t, floats_all_over_the_range_are_packed_as_the_reference_does, 0, PAIRS);
    tcase_add_test(t, single_conversions_are_those_of_the_arrays);
    tcase_add_loop_test(t, every_pattern_is_unpacked_and_packed_back, 0, PAIRS);
    tcase_add_loop_test(t, bytes_are_unpacked_as_the_reference_does, 0, PAIRS);
    tcase_add_test(t, large_arrays_are_what_small_ones_are);
    tcase_add_test(t, what_runs_is_named);
    tcase_add_test(t, the_cpu_converts_fp16_as_we_do);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
