/* Block scaling: many numbers share a scale, so that few bits are enough for each.
 *   MX      32 numbers, scale 2^(floor(log2 max|v|) − emax) as e8m0; elements e4m3, e5m2, e2m1, e2m3, e3m2
 *           (OCP Microscaling Formats 1.0, section 6.3; emax is the exponent of the element's largest number)
 *   NVFP4   16 numbers, elements e2m1, scale e4m3(max|v| / 6 / t), t = fp32(max of all |v| / (6 · 448)) for the tensor
 *           (NVIDIA TransformerEngine)
 *   tensor  one fp32 scale fp32(max|v| / max) for all numbers
 * value = element × scale (× t). Elements are rounded to nearest even and saturate. What is divided by a scale that is
 * no power of two has been rounded to binary64 before. A block (NVFP4 and tensor: an array) with an inf or a nan has a
 * nan scale and only nan values. Proof: tests/unit/num/test_block.c. */
#ifndef NUM_BLOCK_H
#define NUM_BLOCK_H

#include "shardlab/num/format.h"

enum num_block_kind { NUM_BLOCK_MX, NUM_BLOCK_NVFP4, NUM_BLOCK_TENSOR, NUM_BLOCK_KINDS };

const char *num_block_name(enum num_block_kind kind); /* "mx", "nvfp4", "tensor" */
/* Whether elements of this type go with it. */
bool num_block_takes(enum num_block_kind kind, enum num_type element);

/* Numbers that share a scale: 32, 16; 0 for all of them. */
size_t num_block_size(enum num_block_kind kind);
/* Scales of `count` > 0 numbers; the last block may be shorter. */
size_t num_block_count(enum num_block_kind kind, size_t count);
/* The type in which the scale of a block is stored. */
enum num_type num_block_scale_type(enum num_block_kind kind);
/* Bits a number takes with its share of the scale: 8.25, 4.25, 4.5; a tensor's scale is not counted. */
double num_block_bits(enum num_block_kind kind, enum num_type element);

struct num_block {
    enum num_block_kind kind;
    enum num_type element;
    /* Arrays of the caller, each may be NULL: one entry a number … */
    uint32_t *codes;
    double *values;  /* what is read back */
    bool *saturated; /* the element passed the largest one after it was divided by the scale */
    /* … and one entry a block. */
    uint32_t *scale_codes;
    double *scales;
    /* Filled in: */
    double tensor_scale;  /* NVFP4's t; 1 otherwise */
    double max_abs_error; /* of value − input; nan when something was not finite */
    double rms_error;
};

/* Encodes `count` > 0 numbers; num_block_takes(kind, element). */
void num_block_encode(struct num_block *block, const double *values, size_t count);

#endif
