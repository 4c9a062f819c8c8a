/* The arithmetic of the fast paths, a number at a time and without a branch: on mixed data a mispredicted one costs more
 * than both results, and what has none, a compiler makes into vectors. One integer addition rounds a normal number (half a
 * step, less one unless the kept part is odd); one float addition rounds a subnormal: a power of two is added whose own
 * last place is the format's smallest step. Included by convert.c and once by each file of loops, which is compiled for
 * one kind of processor. Proof: tests/unit/num/test_convert.c. */
#ifndef NUM_LOOPS_PRIVATE_H
#define NUM_LOOPS_PRIVATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "convert_private.h"

static const uint32_t float_sign = UINT32_C(0x80000000);
static const uint32_t float_inf = UINT32_C(0x7F800000);

static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t choose(bool first, uint32_t a, uint32_t b) {
    uint32_t mask = 0U - (uint32_t)first;
    return (a & mask) | (b & ~mask);
}

static inline uint32_t encode(const struct num_fast *f, float value) {
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

static inline uint16_t fp16_of(float value) {
    uint32_t sign = bits_of(value) >> 16 & 0x8000U;
    uint32_t bits = bits_of(value) & ~float_sign;
    /* below 2^-14 one half is added, whose last place is 2^-24; above, the exponent moves by 112 */
    uint32_t small = bits_of(float_of(bits) + 0.5F) - bits_of(0.5F);
    uint32_t large = (bits + UINT32_C(0xC8000000) + 0xFFFU + (bits >> 13 & 1U)) >> 13;
    uint32_t special = choose(bits > float_inf, 0x7E00U, 0x7C00U);
    uint32_t finite = choose(bits < UINT32_C(0x38800000), small, large);
    return (uint16_t)(sign | choose(bits >= UINT32_C(0x47800000), special, finite)); /* 65536 */
}

static inline float of_fp16(uint16_t code) {
    uint32_t sign = (uint32_t)(code & 0x8000U) << 16;
    uint32_t magnitude = code & 0x7FFFU;
    uint32_t special = float_inf | choose(magnitude > 0x7C00U, 0x400000U, 0); /* a nan is quiet */
    uint32_t small =
        bits_of((float)(int32_t)magnitude * float_of(UINT32_C(0x33800000))); /* × 2^-24 */
    uint32_t large = (magnitude << 13) + UINT32_C(0x38000000);
    uint32_t finite = choose(magnitude < 0x400U, small, large);
    return float_of(sign | choose(magnitude >= 0x7C00U, special, finite));
}

static inline uint16_t bf16_of(float value) {
    uint32_t bits = bits_of(value);
    uint32_t nan = (bits >> 16 & 0x8000U) | 0x7FC0U;
    uint32_t rounded = (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
    return (uint16_t)choose((bits & ~float_sign) > float_inf, nan, rounded);
}

static inline float of_bf16(uint16_t code) {
    return float_of((uint32_t)code << 16);
}

static inline void loop_words(const struct num_fast *f, const float *values, uint16_t *codes,
                              size_t count) {
    const struct num_fast here = *f; /* what is written cannot change it */
    for (size_t i = 0; i < count; i++) {
        codes[i] = (uint16_t)encode(&here, values[i]);
    }
}

static inline void loop_bytes(const struct num_fast *f, const float *values, uint8_t *codes,
                              size_t count) {
    const struct num_fast here = *f;
    for (size_t i = 0; i < count; i++) {
        codes[i] = (uint8_t)encode(&here, values[i]);
    }
}

static inline void loop_bf16(const float *values, uint16_t *codes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        codes[i] = bf16_of(values[i]);
    }
}

static inline void loop_of_bf16(const uint16_t *codes, float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = of_bf16(codes[i]);
    }
}

#endif
