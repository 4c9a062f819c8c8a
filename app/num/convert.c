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
    uint32_t max, too_large,
        nan;           /* magnitudes: the largest, what stands for more, and not a number */
    uint32_t sign;     /* the sign's bit in a code */
    bool nan_unsigned; /* there is no nan, and what stands for it is positive */
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

static uint32_t encode(const struct fast *f, float value) {
    uint32_t bits = bits_of(value);
    uint32_t sign = (bits & float_sign) != 0 ? f->sign : 0;
    bits &= ~float_sign;
    if (bits > float_inf) {
        return f->nan | (f->nan_unsigned ? 0 : sign);
    }
    uint32_t magnitude;
    if (bits < f->lowest) {
        magnitude = bits_of(float_of(bits) + float_of(f->magic)) - f->magic;
    } else {
        uint32_t half = UINT32_C(1) << (f->shift - 1);
        magnitude = (bits + f->rebias + half - 1 + (bits >> f->shift & 1U)) >> f->shift;
    }
    if (magnitude > f->max) {
        return f->too_large | (f->overflow_is_nan && f->nan_unsigned ? 0 : sign);
    }
    return magnitude | sign;
}

uint16_t num_fp16_of_float(float value) {
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000U;
    bits &= ~float_sign;
    if (bits >= UINT32_C(0x47800000)) { /* 65536 and more */
        return (uint16_t)(sign | (bits > float_inf ? 0x7E00U : 0x7C00U));
    }
    if (bits < UINT32_C(0x38800000)) { /* below 2^-14; one half has steps of 2^-24 */
        return (uint16_t)(sign | (bits_of(float_of(bits) + 0.5F) - bits_of(0.5F)));
    }
    bits += UINT32_C(0xC8000000) + 0xFFFU + (bits >> 13 & 1U); /* exponent − 112, and half a step */
    return (uint16_t)(sign | bits >> 13);
}

float num_float_of_fp16(uint16_t code) {
    uint32_t sign = (uint32_t)(code & 0x8000U) << 16;
    uint32_t magnitude = code & 0x7FFFU;
    if (magnitude >= 0x7C00U) { /* a nan is quiet */
        return float_of(sign | float_inf | (magnitude > 0x7C00U ? 0x400000U : 0));
    }
    if (magnitude < 0x400U) { /* magnitude × 2^-24 */
        return float_of(sign | bits_of((float)magnitude * float_of(UINT32_C(0x33800000))));
    }
    return float_of(sign | ((magnitude << 13) + UINT32_C(0x38000000)));
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
    for (size_t i = 0; i < count; i++) {
        values[i] = type == NUM_FP16   ? num_float_of_fp16(codes[i])
                    : type == NUM_BF16 ? num_float_of_bf16(codes[i])
                                       : table[codes[i] & (BYTE_CODES - 1)];
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
