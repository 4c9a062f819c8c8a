/* Arithmetic of collectives on arrays: fp32 directly, 16-bit types through fp32. The sum of two numbers of a 16-bit type,
 * rounded to fp32 and then to the type, is the sum rounded once, because fp32 has more than twice their bits and two.
 * Proof: tests/unit/ranks/test_collective.c. */
#include "combine_private.h"

#include "shardlab/num/convert.h"

enum { BLOCK = 256, STRIP = 32 };

static enum num_type num_of(enum ranks_type type) {
    return type == RANKS_FP16 ? NUM_FP16 : NUM_BF16;
}

/* Inner loops of known length become vector instructions at -O2 too. */
static void add_floats(float *restrict into, const float *restrict from, size_t count) {
    size_t i = 0;
    for (; i + STRIP <= count; i += STRIP) {
        for (size_t k = 0; k < STRIP; k++) {
            into[i + k] += from[i + k];
        }
    }
    for (; i < count; i++) {
        into[i] += from[i];
    }
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

static void max_floats(float *restrict into, const float *restrict from, size_t count) {
    size_t i = 0;
    for (; i + STRIP <= count; i += STRIP) {
        for (size_t k = 0; k < STRIP; k++) {
            into[i + k] = larger(into[i + k], from[i + k]);
        }
    }
    for (; i < count; i++) {
        into[i] = larger(into[i], from[i]);
    }
}

void combine_widen(enum ranks_type type, const void *from, float *sums, size_t count) {
    num_unpack(num_of(type), from, sums, count);
}

void combine_round(enum ranks_type type, const float *sums, void *into, size_t count) {
    num_pack(num_of(type), NUM_OVERFLOW_INF, sums, into, count);
}

void combine_wide(enum ranks_type type, float *sums, const void *from, size_t count) {
    const uint16_t *codes = from;
    float values[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;
        combine_widen(type, codes + at, values, n);
        add_floats(sums + at, values, n);
    }
}

void combine(enum ranks_type type, enum ranks_op op, void *into, const void *from, size_t count) {
    void (*const apply)(float *restrict, const float *restrict, size_t) =
        op == RANKS_OP_SUM ? add_floats : max_floats;
    if (type == RANKS_FP32) {
        apply(into, from, count);
        return;
    }
    uint16_t *mine = into;
    const uint16_t *theirs = from;
    float a[BLOCK], b[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;
        combine_widen(type, mine + at, a, n);
        combine_widen(type, theirs + at, b, n);
        apply(a, b, n);
        combine_round(type, a, mine + at, n);
    }
}
