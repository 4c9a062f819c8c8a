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

static void expect_same(int pair, const float *values, int count) {
    static uint16_t codes[1 << 19];
    static uint8_t bytes[1 << 19];
    enum num_type type = pairs[pair].type;
    struct num_rounding rounding = {NUM_MODE_NEAREST, pairs[pair].overflow, 0};
    num_pack(type, pairs[pair].overflow, values, codes, (size_t)count);
    if (num_format(type)->bits <= 8) {
        num_pack_bytes(type, pairs[pair].overflow, values, bytes, (size_t)count);
    }
    for (int i = 0; i < count; i++) {
        uint32_t expected = num_encode(type, (double)values[i], rounding).code;
        bool byte_differs = num_format(type)->bits <= 8 && bytes[i] != expected;
        if (codes[i] != expected || byte_differs) {
            ck_abort_msg("%s %.9g (0x%08x): 0x%x, the reference says 0x%x", num_format(type)->name,
                         (double)values[i], (unsigned)bits_of(values[i]), (unsigned)codes[i],
                         (unsigned)expected);
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
    const int rounds = test_rounds(40 * BATCH);
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

START_TEST(every_pattern_is_unpacked_and_packed_back) {
    static uint16_t codes[65536], back[65536];
    static float values[65536];
    enum num_type type = pairs[_i].type;
    uint32_t count = num_limits(type).codes;
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = (uint16_t)i;
    }
    num_unpack(type, codes, values, count);
    num_pack(type, pairs[_i].overflow, values, back, count);
    for (uint32_t i = 0; i < count; i++) {
        double value = num_decode(type, i);
        enum num_class class = num_class(type, i);
        bool kept = pairs[_i].overflow == NUM_OVERFLOW_INF || class != NUM_CLASS_INF;
        bool wrong = !same_float(values[i], value) || isnan(value) != isnan(values[i]);
        if (wrong || (class != NUM_CLASS_NAN && kept && back[i] != i) ||
            (class == NUM_CLASS_NAN && num_class(type, back[i]) != NUM_CLASS_NAN)) {
            ck_abort_msg("%s 0x%x: %.9g, packed back 0x%x", num_format(type)->name, (unsigned)i,
                         (double)values[i], (unsigned)back[i]);
        }
    }
    for (uint32_t i = 0; i < count && count <= 256; i++) {
        uint8_t byte = (uint8_t)i;
        float value;
        num_unpack_bytes(type, &byte, &value, 1);
        ck_assert(same_float(value, num_decode(type, i)));
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
    tcase_add_test(t, single_conversions_are_those_of_the_arrays);
    tcase_add_loop_test(t, every_pattern_is_unpacked_and_packed_back, 0, PAIRS);
    tcase_add_test(t, the_cpu_converts_fp16_as_we_do);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
