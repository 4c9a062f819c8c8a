/* The loops for processors with AVX-512 (F, BW, DQ, VL). CMake compiles this file for them, and convert.c calls it only on one. Its own
 * conversion of fp16 keeps the payload of a nan, which ours does not: nans are put right. Empty where the program is built
 * for another family of processors. Proof: tests/unit/num/test_convert.c. */
#include "convert_private.h"

#if defined(__x86_64__) && defined(__AVX512BW__)

#include <immintrin.h>

#include "loops_private.h"

enum { STEP = 16 }; /* numbers at once */

static void loop_fp16(const float *values, uint16_t *codes, size_t count) {
    const __m256i quiet = _mm256_set1_epi16(0x7E00), sign = _mm256_set1_epi16((short)0x8000);
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        __m512 v = _mm512_loadu_ps(values + i);
        __m256i c = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        __m256i right = _mm256_or_si256(quiet, _mm256_and_si256(c, sign));
        _mm256_storeu_si256((void *)(codes + i), _mm256_mask_mov_epi16(c, nan, right));
    }
    for (; i < count; i++) {
        codes[i] = fp16_of(values[i]);
    }
}

static void loop_bf16_wide(const float *values, uint16_t *codes, size_t count) {
    const __m512i half = _mm512_set1_epi32(0x7FFF), one = _mm512_set1_epi32(1);
    const __m512i quiet = _mm512_set1_epi32(0x7FC0), sign = _mm512_set1_epi32(0x8000);
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        __m512 v = _mm512_loadu_ps(values + i);
        __m512i bits = _mm512_castps_si512(v), top = _mm512_srli_epi32(bits, 16);
        __m512i odd = _mm512_and_si512(top, one);
        __m512i c = _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(bits, half), odd), 16);
        __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
        c = _mm512_mask_or_epi32(c, nan, _mm512_and_si512(top, sign), quiet);
        _mm256_storeu_si256((void *)(codes + i), _mm512_cvtepi32_epi16(c));
    }
    loop_bf16(values + i, codes + i, count - i);
}

/* `encode` of loops_private.h, sixteen at once. */
static __m512i encode_wide(const struct num_fast *f, __m512 v) {
    const __m512i one = _mm512_set1_epi32(1), magic = _mm512_set1_epi32((int)f->magic);
    const __m128i shift = _mm_cvtsi32_si128(f->shift);
    __m512i bits = _mm512_and_si512(_mm512_castps_si512(v), _mm512_set1_epi32(0x7FFFFFFF));
    uint32_t up = f->rebias + (UINT32_C(1) << (f->shift - 1)) - 1;
    __m512i odd = _mm512_and_si512(_mm512_srl_epi32(bits, shift), one);
    __m512i moved = _mm512_add_epi32(bits, _mm512_set1_epi32((int)up));
    __m512i code = _mm512_srl_epi32(_mm512_add_epi32(moved, odd), shift);
    __m512 small = _mm512_add_ps(_mm512_castsi512_ps(bits), _mm512_castsi512_ps(magic));
    __mmask16 tiny = _mm512_cmplt_epu32_mask(bits, _mm512_set1_epi32((int)f->lowest));
    __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    code = _mm512_mask_sub_epi32(code, tiny, _mm512_castps_si512(small), magic);
    __mmask16 over = _mm512_cmpgt_epu32_mask(code, _mm512_set1_epi32((int)f->max));
    code = _mm512_mask_mov_epi32(code, over, _mm512_set1_epi32((int)f->too_large));
    code = _mm512_mask_mov_epi32(code, nan, _mm512_set1_epi32((int)f->nan));
    __mmask16 negative = _mm512_movepi32_mask(_mm512_castps_si512(v));
    __mmask16 plain = (__mmask16)((f->overflow_is_nan ? over : 0) | nan);
    negative &= (__mmask16)(f->nan_unsigned ? ~plain : 0xFFFF);
    return _mm512_mask_or_epi32(code, negative, code, _mm512_set1_epi32((int)f->sign));
}

static void loop_bytes_wide(const struct num_fast *f, const float *values, uint8_t *codes,
                            size_t count) {
    const struct num_fast here = *f; /* what is written cannot change it */
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        __m512i code = encode_wide(&here, _mm512_loadu_ps(values + i));
        _mm_storeu_si128((void *)(codes + i), _mm512_cvtepi32_epi8(code));
    }
    loop_bytes(f, values + i, codes + i, count - i);
}

static __m512 widen(__m256i codes) {
    __m512 v = _mm512_cvtph_ps(codes);
    __m512i bits = _mm512_castps_si512(v);
    __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    __m512i sign = _mm512_and_si512(bits, _mm512_set1_epi32((int)float_sign));
    bits = _mm512_mask_or_epi32(bits, nan, sign, _mm512_set1_epi32(0x7FC00000));
    return _mm512_castsi512_ps(bits);
}

static void loop_of_fp16(const uint16_t *codes, float *values, size_t count) {
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        _mm512_storeu_ps(values + i, widen(_mm256_loadu_si256((const void *)(codes + i))));
    }
    for (; i < count; i++) {
        values[i] = of_fp16(codes[i]);
    }
}

/* Moved into fp16 it is 2^8 too small, and its largest pattern is no number. */
static void loop_of_e4m3(const uint8_t *codes, float *values, size_t count) {
    const __m256i most = _mm256_set1_epi16(0x7F), sign = _mm256_set1_epi16((short)0x8000);
    const __m256i infinity = _mm256_set1_epi16(0x7E00);
    for (size_t i = 0; i < count; i += STEP) {
        __m256i c = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(codes + i)));
        __m256i magnitude = _mm256_and_si256(c, most);
        __m256i bits = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(c, 8), sign),
                                       _mm256_slli_epi16(magnitude, 7));
        bits =
            _mm256_or_si256(bits, _mm256_and_si256(_mm256_cmpeq_epi16(magnitude, most), infinity));
        _mm512_storeu_ps(values + i, _mm512_mul_ps(widen(bits), _mm512_set1_ps(256)));
    }
}

/* It is the upper half of an fp16. */
static void loop_of_e5m2(const uint8_t *codes, float *values, size_t count) {
    for (size_t i = 0; i < count; i += STEP) {
        __m256i c = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(codes + i)));
        _mm512_storeu_ps(values + i, widen(_mm256_slli_epi16(c, 8)));
    }
}

static void stream(void *to, const void *from, size_t bytes) {
    char *out = to;
    const char *in = from;
    for (size_t i = 0; i < bytes; i += NUM_LINE) {
        _mm512_stream_si512((void *)(out + i), _mm512_loadu_si512(in + i));
    }
}

static const struct num_loops loops = {
    .fp16 = loop_fp16,
    .bf16 = loop_bf16_wide,
    .words = loop_words,
    .bytes = loop_bytes_wide,
    .of_fp16 = loop_of_fp16,
    .of_bf16 = loop_of_bf16,
    .of_e4m3 = loop_of_e4m3,
    .of_e5m2 = loop_of_e5m2,
    .stream = stream,
};

const struct num_loops *const num_loops_avx512 = &loops;

#else

const struct num_loops *const num_loops_avx512 = NULL;

#endif
