/* What the fast paths share: a format worked out for them, and the loops that one kind of processor has. app/num only. */
#ifndef NUM_CONVERT_PRIVATE_H
#define NUM_CONVERT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the loops need of a format. */
struct num_fast {
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

/* Loops for one kind of processor; all give the same codes and values. */
struct num_loops {
    void (*fp16)(const float *values, uint16_t *codes, size_t count);
    void (*bf16)(const float *values, uint16_t *codes, size_t count);
    void (*words)(const struct num_fast *f, const float *values, uint16_t *codes, size_t count);
    void (*bytes)(const struct num_fast *f, const float *values, uint8_t *codes, size_t count);
    void (*of_fp16)(const uint16_t *codes, float *values, size_t count);
    void (*of_bf16)(const uint16_t *codes, float *values, size_t count);
    /* `count` is a multiple of NUM_STEP. NULL: a table of all codes serves. */
    void (*of_e4m3)(const uint8_t *codes, float *values, size_t count);
    void (*of_e5m2)(const uint8_t *codes, float *values, size_t count);
    /* Copies past the caches, for what is larger than they are: `to` and `bytes` are multiples of NUM_LINE. NULL: none. */
    void (*stream)(void *to, const void *from, size_t bytes);
};

enum { NUM_LINE = 64, NUM_STEP = 16 };

extern const struct num_loops num_loops_plain;
/* NULL: the program was built for another family of processors. */
extern const struct num_loops *const num_loops_avx2;
extern const struct num_loops *const num_loops_avx512;

#endif
