/* What the files of FLOP counting share. Only for app/calc. */
#ifndef FLOPS_PRIVATE_H
#define FLOPS_PRIVATE_H

#include "calc_private.h"

/* Columns of all heads that attention multiplies with each position: keys and values, a·(d + dv). */
uint64_t calc_attention_width(const struct calc_model *m, struct calc_guard *g);

#endif
