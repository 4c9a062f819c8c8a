/* Fast paths from and to binary32. One integer addition rounds a normal number (half a step, less one unless the kept
 * part is odd); one float addition rounds a subnormal: a power of two is added whose own last place is the format's
 * smallest step. Callers are experiments with arrays; arrays are theirs. Left out: stochastic rounding and e8m0, which
 * encode.c does. Proof: tests/unit/num/test_convert.c, and the CPU's own conversion where it has one. */
#include "shardlab/num/convert.h"

#include <assert.h>
#include <string.h>

#include "num_private.h"

enum { FLOAT_MANTISSA = 23, FLOAT_BIAS = 127 };

static const uint32_t float_sign = UINT32_C(0x80000000);
static const uint32_t float_inf = UINT32_C(0x7F800000);

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

/* What the loops need of a format, worked out once. */
struct fast {
    int shift;       /* mantissa bits that are cut from a float */
    uint32_t rebias; /* added to a float's bits, modulo 2^32, to move to the format's exponent */
    uint32_t lowest; /* bits of the smallest normal number, as a float */
    uint32_t magic;  /* bits of the power of two that rounds subnormals */
    uint32_t max;    /* magnitude of the largest number */
    uint32_t too_large, nan; /* magnitudes of what stands for more, and for no number */
    uint32_t sign;           /* the sign's bit in a code */
    bool nan_unsigned;       /* there is no nan, and what stands for it is positive */
    bool overflow_is_nan;
};

static struct fast fast_of(enum num_type type, enum num_overflow overflow) {
    const struct num_format *f = num_format(type);
    bool none = f->specials == NUM_SPECIALS_NONE;
    bool saturates = overflow == NUM_OVERFLOW_SATURATE;
    struct fast fast = {.shift = FLOAT_MANTISSA - f->mantissa_bits};
    fast.rebias = (uint32_t)(f->bias - FLOAT_BIAS) << FLOAT_MANTISSA;
    fast.lowest = (uint32_t)(1 - f->bias + FLOAT_BIAS) << FLOAT_MANTISSA;
    fast.magic = (uint32_t)(1 - f->bias + fast.shift + FLOAT_BIAS) << FLOAT_MANTISSA;
    fast.max = num_magnitude_max(f);
    fast.nan = none ? fast.max : num_magnitude_nan(f);
    fast.overflow_is_nan = !saturates && f->specials != NUM_SPECIALS_IEEE;
    fast.too_large = saturates ? fast.max : fast.overflow_is_nan ? fast.nan : fast.max + 1;
    fast.sign = UINT32_C(1) << num_magnitude_bits(f);
    fast.nan_unsigned = none;
    return fast;
}

/* Without a branch: on mixed data a mispredicted one costs more than both results. */
static uint32_t choose(bool first, uint32_t a, uint32_t b) {
    uint32_t mask = 0U - (uint32_t)first;
    return (a & mask) | (b & ~mask);
}

static uint32_t encode(const struct fast *f, float value) {
    uint32_t sign = choose(bits_of(value) >= float_sign, f->sign, 0);
    uint32_t bits = bits_of(value) & ~float_sign;
    uint32_t half = UINT32_C(1) << (f->shift - 1);
    uint32_t small = bits_of(float_of(bits) + float_of(f->magic)) - f->magic;
    uint32_t large = (bits + f->rebias + half - 1 + (bits >> f->shift & 1U)) >> f->shift;
    bool is_nan = bits > float_inf;
    uint32_t magnitude = choose(bits < f->lowest, small, large);
    bool over = magnitude > f->max || is_nan;
    magnitude = choose(over, choose(is_nan, f->nan, f->too_large), magnitude);
    bool drops_sign = f->nan_unsigned & (is_nan | (over & f->overflow_is_nan));
    return magnitude | choose(drops_sign, 0, sign);
}

uint16_t num_fp16_of_float(float value) {
    uint32_t sign = bits_of(value) >> 16 & 0x8000U;
    uint32_t bits = bits_of(value) & ~float_sign;
    /* below 2^-14 one half is added, whose last place is 2^-24; above, the exponent moves by 112 */
    uint32_t small = bits_of(float_of(bits) + 0.5F) - bits_of(0.5F);
    uint32_t large = (bits + UINT32_C(0xC8000000) + 0xFFFU + (bits >> 13 & 1U)) >> 13;
    uint32_t special = choose(bits > float_inf, 0x7E00U, 0x7C00U);
    uint32_t finite = choose(bits < UINT32_C(0x38800000), small, large);
    return (uint16_t)(sign | choose(bits >= UINT32_C(0x47800000), special, finite)); /* 65536 */
}

float num_float_of_fp16(uint16_t code) {
    uint32_t sign = (uint32_t)(code & 0x8000U) << 16;
    uint32_t magnitude = code & 0x7FFFU;
    uint32_t special = float_inf | choose(magnitude > 0x7C00U, 0x400000U, 0); /* a nan is quiet */
    uint32_t small = bits_of((float)magnitude * float_of(UINT32_C(0x33800000))); /* × 2^-24 */
    uint32_t large = (magnitude << 13) + UINT32_C(0x38000000);
    uint32_t finite = choose(magnitude < 0x400U, small, large);
    return float_of(sign | choose(magnitude >= 0x7C00U, special, finite));
}

uint16_t num_bf16_of_float(float value) {
    uint32_t bits = bits_of(value);
    if ((bits & ~float_sign) > float_inf) {
        return (uint16_t)((bits >> 16 & 0x8000U) | 0x7FC0U);
    }
    return (uint16_t)((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

float num_float_of_bf16(uint16_t code) {
    return float_of((uint32_t)code << 16);
}

void num_pack(enum num_type type, enum num_overflow overflow, const float *values, uint16_t *codes,
              size_t count) {
    assert(num_format(type)->bits <= 16 && type != NUM_E8M0);
    if (overflow == NUM_OVERFLOW_INF && type == NUM_FP16) {
        for (size_t i = 0; i < count; i++) {
            codes[i] = num_fp16_of_float(values[i]);
        }
        return;
    }
    if (overflow == NUM_OVERFLOW_INF && type == NUM_BF16) {
        for (size_t i = 0; i < count; i++) {
            codes[i] = num_bf16_of_float(values[i]);
        }
        return;
    }
    const struct fast f = fast_of(type, overflow);
    for (size_t i = 0; i < count; i++) {
        codes[i] = (uint16_t)encode(&f, values[i]);
    }
}

void num_pack_bytes(enum num_type type, enum num_overflow overflow, const float *values,
                    uint8_t *codes, size_t count) {
    assert(num_format(type)->bits <= 8 && type != NUM_E8M0);
    const struct fast f = fast_of(type, overflow);
    for (size_t i = 0; i < count; i++) {
        codes[i] = (uint8_t)encode(&f, values[i]);
    }
}

enum { BYTE_CODES = 256 };

/* The values of all patterns of a type of at most 8 bits. */
static void fill_table(enum num_type type, float table[BYTE_CODES]) {
    for (uint32_t code = 0; code < BYTE_CODES; code++) {
        table[code] = (float)num_decode(type, code);
    }
}

void num_unpack(enum num_type type, const uint16_t *codes, float *values, size_t count) {
    assert(num_format(type)->bits <= 16 && type != NUM_E8M0);
    float table[BYTE_CODES];
    if (num_format(type)->bits <= 8) {
        fill_table(type, table);
    }
    for (size_t i = 0; i < count && type == NUM_FP16; i++) {
        values[i] = num_float_of_fp16(codes[i]);
    }
    for (size_t i = 0; i < count && type == NUM_BF16; i++) {
        values[i] = num_float_of_bf16(codes[i]);
    }
    for (size_t i = 0; i < count && num_format(type)->bits <= 8; i++) {
        values[i] = table[codes[i] & (BYTE_CODES - 1)];
    }
}

void num_unpack_bytes(enum num_type type, const uint8_t *codes, float *values, size_t count) {
    assert(num_format(type)->bits <= 8 && type != NUM_E8M0);
    float table[BYTE_CODES];
    fill_table(type, table);
    for (size_t i = 0; i < count; i++) {
        values[i] = table[codes[i]];
    }
}
