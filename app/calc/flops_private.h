/* What the files of FLOP counting share. Only for app/calc. */
#ifndef FLOPS_PRIVATE_H
#define FLOPS_PRIVATE_H

#include "calc_private.h"

/* Columns of all heads that attention multiplies with each position: keys and values, a·(d + dv). */
uint64_t calc_attention_width(const struct calc_model *m, struct calc_guard *g);

/* Elements of the matrices that project the latents of latent attention up, heads of the given widths; 0 without. */
uint64_t calc_latent_up_elements(const struct calc_model *m, uint64_t q_width, uint64_t heads,
                                 uint64_t v_width, struct calc_guard *g);

#endif
