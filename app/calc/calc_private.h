/* Products and sums that remember an overflow, so that formulas read like formulas: compute everything, ask
 * once. Only for app/calc. */
#ifndef CALC_PRIVATE_H
#define CALC_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/calc/schedule.h"

struct calc_guard {
    bool overflow;
};

static inline uint64_t calc_times(struct calc_guard *g, uint64_t a, uint64_t b) {
    uint64_t product = 0;
    if (!checked_mul(a, b, &product)) {
        g->overflow = true;
    }
    return product;
}

static inline uint64_t calc_plus(struct calc_guard *g, uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    if (!checked_add(a, b, &sum)) {
        g->overflow = true;
    }
    return sum;
}

static inline uint64_t calc_times3(struct calc_guard *g, uint64_t a, uint64_t b, uint64_t c) {
    return calc_times(g, calc_times(g, a, b), c);
}

/* STATUS_USAGE that names the quantity (a literal such as "activations.ffn") whose value passes 2^64-1. */
static inline enum status calc_overflow(struct message *why, const char *quantity) {
    message_start(why, "error.calc.overflow");
    message_add_text(why, quantity);
    return STATUS_USAGE;
}

/* The widths of one decoder layer as rank 0 of tensor parallelism holds them. */
struct calc_rank_shape {
    uint64_t q_width; /* query heads on the rank × head size */
    uint64_t
        kv_width;   /* key heads on the rank × head size; heads are copied when tp exceeds them */
    uint64_t ffn;   /* FFN columns, rounded up */
    uint64_t fc1;   /* ffn, twice when gated */
    uint64_t vocab; /* padded vocabulary rows, rounded up */
    uint64_t v_width; /* value heads on the rank × their size: kv_width but for latent attention */
    uint64_t out_width; /* what the output projection reads: q_width but for latent attention */
    uint64_t q_latent,
        kv_latent; /* latent attention: columns of the two down-projections; the second with the
                                     shared rotary key. 0 without */
};

/* True for the schedules that go down the ranks and back up (zb-v, dualpipev). */
bool calc_is_folded(const struct scenario *s);
/* Layers of one copy of pipeline stage `stage`; a rank of dualpipe holds two of these. */
uint64_t calc_layers_of_copy(const struct scenario *s, uint64_t stage);

/* Elements of one FFN of inner width `width`: gate, up and down, or two matrices; and their biases. */
uint64_t calc_mlp_params(const struct calc_model *m, uint64_t width, struct calc_guard *g);
/* Of one layer with experts: the router with the gate of the shared experts; the width of the shared experts on a
 * rank and their elements. */
uint64_t calc_router_params(const struct calc_model *m, struct calc_guard *g);
uint64_t calc_shared_width(const struct calc_model *m, uint64_t tp, struct calc_guard *g);
uint64_t calc_shared_params(const struct calc_model *m, uint64_t tp, struct calc_guard *g);

/* True for the options that describe a model, from its layers on: all of their group but its name, its file and Ψ. */
bool calc_is_dimension(int option);

/* The scenario as if one GPU held all of it, its vocabulary not padded. */
void calc_undivided(const struct scenario *s, struct scenario *out);

MUST_USE enum status calc_shape_of_rank(const struct scenario *s, struct calc_rank_shape *out,
                                        struct message *why);

#endif
