/* What is done with the bytes that a rank receives. app/ranks only. */
#ifndef COMBINE_PRIVATE_H
#define COMBINE_PRIVATE_H

#include "shardlab/ranks/collective.h"

/* into[i] = into[i] op from[i], both of `type`; a 16-bit sum is rounded once, to nearest even. */
void combine(enum ranks_type type, enum ranks_op op, void *into, const void *from, size_t count);

/* sums[i] += from[i]; from, to fp32. Of a 16-bit type. */
void combine_wide(enum ranks_type type, float *sums, const void *from, size_t count);
void combine_widen(enum ranks_type type, const void *from, float *sums, size_t count);
void combine_round(enum ranks_type type, const float *sums, void *into, size_t count);

#endif
