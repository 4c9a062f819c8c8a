/* Arithmetic on byte counts that refuses to wrap: each returns false when the result does not fit in 64
 * bits and then leaves *out untouched. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"

MUST_USE bool checked_add(uint64_t a, uint64_t b, uint64_t *out);
MUST_USE bool checked_sub(uint64_t a, uint64_t b, uint64_t *out); /* false also when b > a */
MUST_USE bool checked_mul(uint64_t a, uint64_t b, uint64_t *out);
/* a / b rounded up; b > 0. Never overflows: the largest share of a division, rank 0's. */
uint64_t checked_div_up(uint64_t a, uint64_t b);

#endif
