/* Fast paths from and to binary32: which loops serve on this processor, and how large arrays get past the caches. The
 * arithmetic is loops_private.h's; the loops are compiled once for any processor and once for each kind that has more to
 * offer. Callers are experiments with arrays; arrays are theirs. Left out: stochastic rounding and e8m0, which encode.c
 * does. Proof: tests/unit/num/test_convert.c, and the CPU's own conversion where it has one. */
#include "shardlab/num/convert.h"

#include <assert.h>
#include <string.h>

#include "loops_private.h"
#include "num_private.h"

enum { FLOAT_MANTISSA = 23, FLOAT_BIAS = 127 };

static struct num_fast fast_of(enum num_type type, enum num_overflow overflow) {
    const struct num_format *f = num_format(type);
    bool none = f->specials == NUM_SPECIALS_NONE;
    bool saturates = overflow == NUM_OVERFLOW_SATURATE;
    struct num_fast fast = {.shift = FLOAT_MANTISSA - f->mantissa_bits};
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

uint16_t num_fp16_of_float(float value) {
    return fp16_of(value);
}

float num_float_of_fp16(uint16_t code) {
    return of_fp16(code);
}

uint16_t num_bf16_of_float(float value) {
    return bf16_of(value);
}

float num_float_of_bf16(uint16_t code) {
    return of_bf16(code);
}

/* --- Which loops --- */

#if defined(__x86_64__)
static bool has(enum num_path path) {
    return path == NUM_PATH_AVX2
               ? num_loops_avx2 != NULL && __builtin_cpu_supports("avx2")
               : num_loops_avx512 != NULL && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
static bool has(enum num_path path) {
    (void)path;
    return false;
}
#endif

bool num_path_has(enum num_path path) {
    return path == NUM_PATH_BEST || path == NUM_PATH_PLAIN || has(path);
}

const char *num_path_name(enum num_path path) {
    static const char *const names[] = {[NUM_PATH_BEST] = "best",
                                        [NUM_PATH_PLAIN] = "plain",
                                        [NUM_PATH_AVX2] = "avx2",
                                        [NUM_PATH_AVX512] = "avx512"};
    return names[path];
}

enum num_path num_path_best(void) {
    return has(NUM_PATH_AVX512) ? NUM_PATH_AVX512
           : has(NUM_PATH_AVX2) ? NUM_PATH_AVX2
                                : NUM_PATH_PLAIN;
}

static const struct num_loops *loops_of(enum num_path path) {
    enum num_path taken = path == NUM_PATH_BEST ? num_path_best() : path;
    return taken == NUM_PATH_AVX512 ? num_loops_avx512
           : taken == NUM_PATH_AVX2 ? num_loops_avx2
                                    : &num_loops_plain;
}

/* --- Arrays --- */

enum {
    BLOCK = 2048, /* numbers that are made in the first cache and then moved past all of them */
    STREAMED_BYTES = 4 << 20, /* what is read and written together; less stays in the caches */
    CODES = 256
};

/* One conversion of an array: what the loops need beside it. */
struct work {
    const struct num_loops *loops;
    struct num_fast fast;
    enum num_type type;
    bool known;         /* the loops know the type and its overflow by heart */
    const float *table; /* of a type of at most 8 bits: the values of all codes */
    size_t from_bytes, to_bytes;
};

typedef void some_fn(const struct work *w, const void *from, void *to, size_t count);

static void pack_some(const struct work *w, const void *from, void *to, size_t count) {
    if (w->to_bytes == 1) {
        w->loops->bytes(&w->fast, from, to, count);
    } else if (w->known && w->type == NUM_FP16) {
        w->loops->fp16(from, to, count);
    } else if (w->known && w->type == NUM_BF16) {
        w->loops->bf16(from, to, count);
    } else {
        w->loops->words(&w->fast, from, to, count);
    }
}

static void unpack_words(const struct work *w, const void *from, void *to, size_t count) {
    const uint16_t *codes = from;
    float *values = to;
    if (w->type == NUM_FP16) {
        w->loops->of_fp16(codes, values, count);
    } else if (w->type == NUM_BF16) {
        w->loops->of_bf16(codes, values, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            values[i] = w->table[codes[i] & (CODES - 1)];
        }
    }
}

typedef void byte_fn(const uint8_t *codes, float *values, size_t count);

/* NULL: the table serves. */
static byte_fn *byte_loop(const struct work *w) {
    return w->type == NUM_E4M3 ? w->loops->of_e4m3 : w->type == NUM_E5M2 ? w->loops->of_e5m2 : NULL;
}

static void unpack_bytes(const struct work *w, const void *from, void *to, size_t count) {
    byte_fn *loop = byte_loop(w);
    const uint8_t *codes = from;
    float *values = to;
    if (loop == NULL) {
        for (size_t i = 0; i < count; i++) {
            values[i] = w->table[codes[i]];
        }
        return;
    }
    size_t whole = count / NUM_STEP * NUM_STEP;
    uint8_t last[NUM_STEP] = {0};
    float wide[NUM_STEP];
    loop(codes, values, whole);
    memcpy(last, codes + whole, count - whole);
    loop(last, wide, NUM_STEP);
    memcpy(values + whole, wide, (count - whole) * sizeof wide[0]);
}

/* What does not fill a line of the caches, at both ends, goes the usual way. */
static void by_blocks(const struct work *w, some_fn *some, const void *from, void *to,
                      size_t count) {
    _Alignas(NUM_LINE) char block[BLOCK * sizeof(float)];
    const char *in = from;
    char *out = to;
    bool large = count > STREAMED_BYTES / (w->from_bytes + w->to_bytes);
    if (!large || w->loops->stream == NULL) {
        some(w, in, out, count);
        return;
    }
    size_t at = (NUM_LINE - (size_t)((uintptr_t)out % NUM_LINE)) % NUM_LINE / w->to_bytes;
    some(w, in, out, at);
    for (; at + BLOCK <= count; at += BLOCK) {
        some(w, in + at * w->from_bytes, block, BLOCK);
        w->loops->stream(out + at * w->to_bytes, block, BLOCK * w->to_bytes);
    }
    some(w, in + at * w->from_bytes, out + at * w->to_bytes, count - at);
}

static struct work work_of(enum num_path path, enum num_type type, size_t from, size_t to) {
    size_t stored = from < to ? from : to;
    assert(type != NUM_E8M0 && (size_t)num_format(type)->bits <= 8 * stored);
    return (struct work){.loops = loops_of(path), .type = type, .from_bytes = from, .to_bytes = to};
}

/* The values of all patterns of a type of at most 8 bits. */
static void fill_table(enum num_type type, float table[CODES]) {
    for (uint32_t code = 0; code < CODES && num_format(type)->bits <= 8; code++) {
        table[code] = (float)num_decode(type, code);
    }
}

void num_pack_on(enum num_path path, const struct num_packing *as, const float *values,
                 uint16_t *codes, size_t count) {
    struct work w = work_of(path, as->type, sizeof *values, sizeof *codes);
    w.known = as->overflow == NUM_OVERFLOW_INF;
    w.fast = fast_of(as->type, as->overflow);
    by_blocks(&w, pack_some, values, codes, count);
}

void num_pack_bytes_on(enum num_path path, const struct num_packing *as, const float *values,
                       uint8_t *codes, size_t count) {
    struct work w = work_of(path, as->type, sizeof *values, sizeof *codes);
    w.fast = fast_of(as->type, as->overflow);
    by_blocks(&w, pack_some, values, codes, count);
}

void num_unpack_on(enum num_path path, enum num_type type, const uint16_t *codes, float *values,
                   size_t count) {
    float table[CODES];
    struct work w = work_of(path, type, sizeof *codes, sizeof *values);
    fill_table(type, table);
    w.table = table;
    by_blocks(&w, unpack_words, codes, values, count);
}

void num_unpack_bytes_on(enum num_path path, enum num_type type, const uint8_t *codes,
                         float *values, size_t count) {
    float table[CODES];
    struct work w = work_of(path, type, sizeof *codes, sizeof *values);
    if (byte_loop(&w) == NULL) {
        fill_table(type, table);
    }
    w.table = table;
    by_blocks(&w, unpack_bytes, codes, values, count);
}

/* --- On the best path --- */

void num_pack(enum num_type type, enum num_overflow overflow, const float *values, uint16_t *codes,
              size_t count) {
    num_pack_on(NUM_PATH_BEST, &(struct num_packing){type, overflow}, values, codes, count);
}

void num_pack_bytes(enum num_type type, enum num_overflow overflow, const float *values,
                    uint8_t *codes, size_t count) {
    num_pack_bytes_on(NUM_PATH_BEST, &(struct num_packing){type, overflow}, values, codes, count);
}

void num_unpack(enum num_type type, const uint16_t *codes, float *values, size_t count) {
    num_unpack_on(NUM_PATH_BEST, type, codes, values, count);
}

void num_unpack_bytes(enum num_type type, const uint8_t *codes, float *values, size_t count) {
    num_unpack_bytes_on(NUM_PATH_BEST, type, codes, values, count);
}
