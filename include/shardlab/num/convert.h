/* Arrays of float to codes and back, for experiments: to nearest even, with the results of num_encode and num_decode
 * for every input (tests/unit/num/test_convert.c), but without a loop over bits. A float is read as it is; rounding a
 * double to float first would round twice. The floating-point environment must round to nearest and keep subnormals,
 * which is what a program starts with. */
#ifndef NUM_CONVERT_H
#define NUM_CONVERT_H

#include "shardlab/num/format.h"

uint16_t num_fp16_of_float(float value);
float num_float_of_fp16(uint16_t code);
uint16_t num_bf16_of_float(float value);
float num_float_of_bf16(uint16_t code);

/* Any type of at most 16 bits but e8m0; codes are right-aligned. */
void num_pack(enum num_type type, enum num_overflow overflow, const float *values, uint16_t *codes,
              size_t count);
void num_unpack(enum num_type type, const uint16_t *codes, float *values, size_t count);

/* The same into bytes: any type of at most 8 bits but e8m0. */
void num_pack_bytes(enum num_type type, enum num_overflow overflow, const float *values,
                    uint8_t *codes, size_t count);
void num_unpack_bytes(enum num_type type, const uint8_t *codes, float *values, size_t count);

/* --- By a path of choice, for tests and benchmarks: every path gives the same codes and values --- */

/* Loops for any processor, and for those of one family that can do more; taken at run time. */
enum num_path { NUM_PATH_BEST, NUM_PATH_PLAIN, NUM_PATH_AVX2, NUM_PATH_AVX512, NUM_PATHS };

/* Whether this processor, and this build, have it. The functions below are called only where it does. */
bool num_path_has(enum num_path path);
enum num_path num_path_best(void); /* what NUM_PATH_BEST stands for here */
const char *num_path_name(enum num_path path);

struct num_packing {
    enum num_type type;
    enum num_overflow overflow;
};
void num_pack_on(enum num_path path, const struct num_packing *as, const float *values,
                 uint16_t *codes, size_t count);
void num_pack_bytes_on(enum num_path path, const struct num_packing *as, const float *values,
                       uint8_t *codes, size_t count);
void num_unpack_on(enum num_path path, enum num_type type, const uint16_t *codes, float *values,
                   size_t count);
void num_unpack_bytes_on(enum num_path path, enum num_type type, const uint8_t *codes,
                         float *values, size_t count);

#endif
