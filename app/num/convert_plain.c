/* The loops for any processor: what its compiler makes of plain C. Called by convert.c.
 * Proof: tests/unit/num/test_convert.c. */
#include "loops_private.h"

static void loop_fp16(const float *values, uint16_t *codes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        codes[i] = fp16_of(values[i]);
    }
}

static void loop_of_fp16(const uint16_t *codes, float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = of_fp16(codes[i]);
    }
}

const struct num_loops num_loops_plain = {
    .fp16 = loop_fp16,
    .bf16 = loop_bf16,
    .words = loop_words,
    .bytes = loop_bytes,
    .of_fp16 = loop_of_fp16,
    .of_bf16 = loop_of_bf16,
};
