/* The operators of a layer and what each keeps: what memory_activations.c shares with activations_experts.c.
 * Only for app/calc. */
#ifndef ACTIVATIONS_PRIVATE_H
#define ACTIVATIONS_PRIVATE_H

#include "memory_private.h"

/* Everything that the operators' formulas multiply. */
struct sizes {
    uint64_t e;      /* bytes of one element */
    uint64_t tokens; /* of a micro-batch on this rank: s/cp × b */
    uint64_t
        whole_tokens; /* of what TP leaves whole: as tokens, divided by tp with sequence parallel */
    uint64_t input;   /* bytes of one element that is kept as the input of a matrix */
    bool norms, latents, activation; /* their outputs are computed again */
    bool gated;                      /* the model's FFNs */
    uint64_t scores;                 /* elements of one a·s² matrix on this rank */
    uint64_t heads;                  /* query heads on this rank */
    uint64_t routed; /* tokens that this rank's experts work on, all experts together */
    struct calc_rank_shape rank;
};

enum operators {
    OP_NORM_INPUTS,
    OP_MATRIX_INPUTS,
    OP_LATENTS,
    OP_ROTARY_KEY,
    OP_QKV,
    OP_QK_NORM,
    OP_ATTENTION_OUTPUT,
    OP_SCORES,
    OP_STATISTICS,
    OP_FFN,
    OP_ROUTER,
    OP_EXPERT_INPUTS,
    OP_EXPERTS,
    OP_SHARED_EXPERTS,
    OP_DROPOUT_MASKS,
    OPERATORS
};

/* The layers that have an operator. */
enum layers { LAYERS_ALL, LAYERS_DENSE, LAYERS_EXPERTS, LAYERS_KINDS };

struct operator{
    const char *id;
    const char *factor;  /* the formula's beginning where it depends on the recipe, else "" */
    const char *formula; /* per layer and micro-batch, e as 2 */
    const char *source;
    uint64_t bytes; /* per layer and micro-batch; 0: this model or recipe has none */
    enum layers layers;
    uint64_t again; /* bytes of what is not kept, but computed again in backward */
};

/* An FFN, an expert or all experts: what goes into the activation function and what comes out, on `tokens` tokens and
 * `width` columns. Fills factor, bytes and again. */
void activations_mlp(const struct sizes *z, uint64_t tokens, uint64_t width, struct calc_guard *g,
                     struct operator* op);
/* Bytes of `copies` tensors of tokens × width that are kept as inputs of matrices: in fp8 with the scales of their tiles. */
uint64_t activations_inputs(const struct sizes *z, uint64_t copies, uint64_t tokens, uint64_t width,
                            struct calc_guard *g);

/* Tokens that rank 0's routed experts work on, routing balanced and nothing dropped. */
uint64_t activations_routed_tokens(const struct scenario *s, const struct sizes *z,
                                   struct calc_guard *g);
/* Router, routed and shared experts. */
void activations_expert_operators(const struct scenario *s, const struct sizes *z,
                                  struct calc_guard *g, struct operator* ops);
/* Latents, and what latent attention computes from them. */
void activations_latent_operators(const struct scenario *s, const struct sizes *z,
                                  struct calc_guard *g, struct operator* ops);

#endif
