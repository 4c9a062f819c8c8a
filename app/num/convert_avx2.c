/* The loops for processors with AVX2 and F16C. CMake compiles this file for them, and convert.c calls it only on one. Its own
 * conversion of fp16 keeps the payload of a nan, which ours does not: nans are put right. Empty where the program is built
 * for another family of processors. Proof: tests/unit/num/test_convert.c. */
#include "convert_private.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include <immintrin.h>

#include "loops_private.h"

enum { STEP = 8 }; /* numbers at once */

static void loop_fp16(const float *values, uint16_t *codes, size_t count) {
    const __m128i quiet = _mm_set1_epi16(0x7E00), sign = _mm_set1_epi16((short)0x8000);
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        __m256 v = _mm256_loadu_ps(values + i);
        __m128i c = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
        __m256i wide = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        __m128i nan =
            _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
        __m128i right = _mm_or_si128(quiet, _mm_and_si128(c, sign));
        _mm_storeu_si128((void *)(codes + i), _mm_blendv_epi8(c, right, nan));
    }
    for (; i < count; i++) {
        codes[i] = fp16_of(values[i]);
    }
}

static __m256 widen(__m128i codes) {
    __m256 v = _mm256_cvtph_ps(codes);
    __m256 nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
    __m256 sign = _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32((int)float_sign)));
    __m256 quiet = _mm256_or_ps(sign, _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000)));
    return _mm256_blendv_ps(v, quiet, nan);
}

static void loop_of_fp16(const uint16_t *codes, float *values, size_t count) {
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        _mm256_storeu_ps(values + i, widen(_mm_loadu_si128((const void *)(codes + i))));
    }
    for (; i < count; i++) {
        values[i] = of_fp16(codes[i]);
    }
}

/* Moved into fp16 it is 2^8 too small, and its largest pattern is no number. */
static void loop_of_e4m3(const uint8_t *codes, float *values, size_t count) {
    const __m128i most = _mm_set1_epi16(0x7F), sign = _mm_set1_epi16((short)0x8000);
    const __m128i infinity = _mm_set1_epi16(0x7E00);
    for (size_t i = 0; i < count; i += STEP) {
        __m128i c = _mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)(codes + i)));
        __m128i magnitude = _mm_and_si128(c, most);
        __m128i bits =
            _mm_or_si128(_mm_and_si128(_mm_slli_epi16(c, 8), sign), _mm_slli_epi16(magnitude, 7));
        bits = _mm_or_si128(bits, _mm_and_si128(_mm_cmpeq_epi16(magnitude, most), infinity));
        _mm256_storeu_ps(values + i, _mm256_mul_ps(widen(bits), _mm256_set1_ps(256)));
    }
}

/* It is the upper half of an fp16. */
static void loop_of_e5m2(const uint8_t *codes, float *values, size_t count) {
    for (size_t i = 0; i < count; i += STEP) {
        __m128i c = _mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)(codes + i)));
        _mm256_storeu_ps(values + i, widen(_mm_slli_epi16(c, 8)));
    }
}

static void stream(void *to, const void *from, size_t bytes) {
    char *out = to;
    const char *in = from;
    for (size_t i = 0; i < bytes; i += sizeof(__m256i)) {
        _mm256_stream_si256((void *)(out + i), _mm256_loadu_si256((const void *)(in + i)));
    }
}

static const struct num_loops loops = {
    .fp16 = loop_fp16,
    .bf16 = loop_bf16,
    .words = loop_words,
    .bytes = loop_bytes,
    .of_fp16 = loop_of_fp16,
    .of_bf16 = loop_of_bf16,
    .of_e4m3 = loop_of_e4m3,
    .of_e5m2 = loop_of_e5m2,
    .stream = stream,
};

const struct num_loops *const num_loops_avx2 = &loops;

#else

const struct num_loops *const num_loops_avx2 = NULL;

#endif
