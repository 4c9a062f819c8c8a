/* Parameter counts (Vaswani et al. 2017; GPT: 12Lh² + 13Lh + (V+s)h, arXiv:2104.04473 eq. 2, generalised to
 * GQA, gated FFN, RMSNorm, biases, learned or no position table, tied or untied head; experts and latent
 * attention as Megatron-LM counts them). Proof: tests/unit/calc/test_params.c, test_experts.c against the computed and published columns of the presets. */
#ifndef CALC_PARAMS_H
#define CALC_PARAMS_H

#include "shardlab/calc/scenario.h"

enum { CALC_GROUPS_MAX = 10 };

struct calc_params_group {
    /* "embedding", "position", "attention", "ffn", "router", "experts", "shared_experts", "norms", "head": a
     * literal */
    const char *name;
    uint64_t count;
};

struct calc_params {
    uint64_t total;  /* elements of the whole model, vocabulary not padded */
    uint64_t active; /* elements that one token uses; equal to total for dense models */
    int group_count; /* groups sum to total; with --params alone there are none */
    struct calc_params_group groups[CALC_GROUPS_MAX];
};

/* Counts a resolved scenario's model. STATUS_USAGE when a product passes 2^64-1. */
MUST_USE enum status calc_params_count(const struct scenario *s, struct calc_params *out,
                                       struct message *why);

/* Elements that rank 0 of tensor parallelism holds on pipeline stage `stage` (0-based). Sharded counts are
 * rounded up; norms, row-parallel biases and position tables are whole on every rank; a tied model with pp > 1
 * holds a second embedding on the last stage. With --params alone: Ψ/(tp·pp) rounded up. */
MUST_USE enum status calc_params_on_stage(const struct scenario *s, uint64_t stage, uint64_t *out,
                                          struct message *why);

/* The parts of a stage as FSDP cuts them, in elements of rank 0 of tensor parallelism: layers × layer, summed, + root is what
 * calc_params_on_stage says. Not with --params alone. */
struct calc_stage_split {
    uint64_t dense_layers, dense_layer;   /* decoder layers without experts, elements of one */
    uint64_t expert_layers, expert_layer; /* with experts */
    uint64_t root; /* embedding, final norm and head, as far as they are on this stage */
};
MUST_USE enum status calc_params_split(const struct scenario *s, uint64_t stage,
                                       struct calc_stage_split *out, struct message *why);

/* The weight matrices of a stage, as rank 0 of tensor parallelism holds them; biases and norms are none. */
struct calc_matrices {
    uint64_t count;
    uint64_t elements; /* of all of them, tables (embedding, positions, head) included */
    uint64_t
        layer_elements; /* of those in decoder layers, routed experts left out: what Muon updates */
    uint64_t sides;     /* rows + columns, summed, routed experts left out */
    uint64_t routed_elements, routed_sides; /* the same of routed experts */
};
MUST_USE enum status calc_params_matrices(const struct scenario *s, uint64_t stage,
                                          struct calc_matrices *out, struct message *why);

/* Decoder layers of a stage: the first (layers mod pp) stages hold one more, unless --layers-per-stage. With dualpipe or chimera a
 * rank holds those of the stage at the other end too. */
uint64_t calc_layers_on_stage(const struct scenario *s, uint64_t stage);

/* Of them, the dense ones: all of a dense model; of a mixture of experts the first --dense-layers of the model
 * that fall on this stage (with chunks, in the order in which a token meets them). */
uint64_t calc_dense_layers_on_stage(const struct scenario *s, uint64_t stage);

/* Elements of routed experts that rank 0 of the stage holds, a part of calc_params_on_stage: divided by ep and
 * etp, not by tp. 0 for a dense model and with --params alone. */
MUST_USE enum status calc_expert_params_on_stage(const struct scenario *s, uint64_t stage,
                                                 uint64_t *out, struct message *why);

/* The ranks that hold the same experts, dp·cp·tp/(ep·etp): the group that shares their states. */
uint64_t calc_expert_ranks(const struct scenario *s);

/* The vocabulary after padding (--pad-vocab; megatron pads to 128·tp). */
MUST_USE enum status calc_vocab_padded(const struct scenario *s, uint64_t *out,
                                       struct message *why);

#endif
