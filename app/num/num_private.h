/* A pattern without its sign and unused bits: its magnitude. Magnitudes of one type are ordered as the values are,
 * which is what makes rounding up a plain + 1 that carries into the exponent. app/num only. */
#ifndef NUM_PRIVATE_H
#define NUM_PRIVATE_H

#include "shardlab/num/format.h"

int num_magnitude_bits(const struct num_format *f);
uint32_t
num_magnitude_max(const struct num_format *f); /* of the largest number; + 1 is inf, if any */
uint32_t
num_magnitude_nan(const struct num_format *f); /* quiet; meaningless for NUM_SPECIALS_NONE */
uint32_t num_join(const struct num_format *f, bool negative, uint32_t magnitude);

#endif
