/* Activations of layers with experts and of latent attention, by operator. Assumed, and said in the sources of the
 * terms: routing is balanced, no token is dropped and none is padded; every token meets K experts. Expert
 * parallelism moves tokens between ranks and does not remove them (Megatron-LM, issue 1784): a rank sends away as
 * many as it receives. Ranks of one tensor-parallel expert (etp) all see its tokens, each a part of its columns.
 * The router reads the input that the first matrix of the FFN keeps anyway; its probabilities are fp32. The
 * weighting of an expert's output is folded into its activation function, so that the output itself is not kept.
 * Pure; part of memory_activations_add. Left out: indices and permutation maps of the dispatcher.
 * Proof: tests/unit/calc/test_experts.c; deviations from measured runs: tests/unit/calc/test_tools.c. */
#include "activations_private.h"

static const char source_balanced[] =
    "balanced routing, nothing dropped; EP moves tokens, it removes none (Megatron-LM issue 1784)";
static const char source_router[] = "router in fp32 (GShard, arXiv:2006.16668, section 2.2)";
static const char source_shared[] = "DeepSeekMoE, arXiv:2401.06066, section 3.2";
static const char source_latents[] = "DeepSeek-V2, arXiv:2405.04434, section 2.1";
static const char source_flash[] = "FlashAttention-2, arXiv:2307.08691, section 3";

uint64_t activations_routed_tokens(const struct scenario *s, const struct sizes *z,
                                   struct calc_guard *g) {
    const struct calc_model *m = &s->model;
    const struct calc_layout *l = &s->layout;
    if (!scenario_has_experts(s)) {
        return 0;
    }
    /* Without sequence parallelism the tp ranks hold the same tokens: only etp beyond tp gathers others. */
    bool split = l->sequence_parallel && l->tp > 1;
    uint64_t gathered = split || l->etp > l->tp ? l->etp : l->tp;
    uint64_t copies = calc_times3(g, z->tokens, m->experts_active, gathered);
    uint64_t here = checked_div_up(copies, l->tp);
    /* of the experts that ep·E/ep makes, this rank has ⌈E/ep⌉ */
    uint64_t local = l->ep * checked_div_up(m->experts, l->ep);
    if (local == m->experts) {
        return here;
    }
    return checked_div_up(calc_times(g, here, local), m->experts);
}

void activations_expert_operators(const struct scenario *s, const struct sizes *z,
                                  struct calc_guard *g, struct operator* ops) {
    const struct calc_model *m = &s->model;
    bool tiles = z->input == 1;
    uint64_t columns = checked_div_up(m->moe_ffn, s->layout.etp);
    uint64_t shared = calc_shared_width(m, s->layout.tp, g);
    ops[OP_ROUTER] = (struct operator){"activations.router",
                                       "",
                                       "4sb·E",
                                       source_router,
                                       calc_times3(g, 4, z->whole_tokens, m->experts),
                                       LAYERS_EXPERTS,
                                       0};
    ops[OP_EXPERT_INPUTS] = (struct operator){"activations.expert_inputs",
                                              tiles ? "(1 + 4/128)" : "2",
                                              "K·sbh",
                                              source_balanced,
                                              activations_inputs(z, 1, z->routed, m->hidden, g),
                                              LAYERS_EXPERTS,
                                              0};
    ops[OP_EXPERTS] = (struct operator){.id = "activations.experts",
                                        .formula = "K·sb·fe",
                                        .source = source_balanced,
                                        .layers = LAYERS_EXPERTS};
    activations_mlp(z, z->routed, columns, g, &ops[OP_EXPERTS]);
    ops[OP_SHARED_EXPERTS] = (struct operator){.id = "activations.shared_experts",
                                               .formula = "sb·fs",
                                               .source = source_shared,
                                               .layers = LAYERS_EXPERTS};
    activations_mlp(z, z->tokens, shared, g, &ops[OP_SHARED_EXPERTS]);
}

/* Each latent before its norm, and after it as the input of the projection up. */
static void latents(const struct scenario *s, const struct sizes *z, struct calc_guard *g,
                    struct operator* op) {
    const struct calc_model *m = &s->model;
    uint64_t width = calc_plus(g, m->q_rank, m->kv_rank);
    uint64_t before = calc_times3(g, z->e, z->whole_tokens, width);
    *op = (struct operator){.id = "activations.latents",
                            .factor = z->norms        ? "2"
                                      : z->input == 1 ? "(3 + 4/128)"
                                                      : "4",
                            .formula = "sb(rq + rkv)",
                            .source = source_latents,
                            .bytes = before,
                            .layers = LAYERS_ALL};
    if (z->norms) {
        op->again = before;
        return;
    }
    op->bytes = calc_plus(g, op->bytes, activations_inputs(z, 1, z->whole_tokens, m->q_rank, g));
    op->bytes = calc_plus(g, op->bytes, activations_inputs(z, 1, z->whole_tokens, m->kv_rank, g));
}

/* Queries, keys and values of all heads. Computed again, they are projected up from the latents; queries without a latent
 * stay, and so does the rotary part of the keys, which all heads share. */
static void latent_heads(const struct scenario *s, const struct sizes *z, struct calc_guard *g,
                         struct operator* ops) {
    const struct calc_model *m = &s->model;
    uint64_t queries = calc_times3(g, z->e, z->tokens, z->rank.q_width);
    uint64_t values = calc_times3(g, z->e, z->tokens, z->rank.v_width);
    uint64_t up = calc_plus(g, queries, values); /* keys are as wide as queries */
    struct operator* heads = & ops[OP_QKV];
    *heads = (struct operator){.id = "activations.latent_heads",
                               .factor = "",
                               .formula = "sb·a(4dqk + 2dv)",
                               .source = source_latents,
                               .bytes = calc_plus(g, queries, up),
                               .layers = LAYERS_ALL};
    if (!z->latents) {
        return;
    }
    heads->again = m->q_rank != 0 ? calc_plus(g, queries, up) : up;
    heads->bytes = m->q_rank != 0 ? 0 : queries;
    heads->formula = "2sb·a·dqk";
    ops[OP_ROTARY_KEY] = (struct operator){.id = "activations.rotary_key",
                                           .factor = "",
                                           .formula = "2sb·dr",
                                           .source = source_latents,
                                           .bytes = calc_times3(g, z->e, z->tokens, m->qk_rope),
                                           .layers = LAYERS_ALL};
}

void activations_latent_operators(const struct scenario *s, const struct sizes *z,
                                  struct calc_guard *g, struct operator* ops) {
    latents(s, z, g, &ops[OP_LATENTS]);
    latent_heads(s, z, g, ops);
    ops[OP_ATTENTION_OUTPUT] = (struct operator){"activations.attention_output",
                                                 "",
                                                 "2sb·a·dv",
                                                 source_latents,
                                                 calc_times3(g, z->e, z->tokens, z->rank.out_width),
                                                 LAYERS_ALL,
                                                 0};
    if (s->recipe.attention == CALC_ATTENTION_FLASH) {
        ops[OP_STATISTICS] = (struct operator){"activations.statistics",
                                               "",
                                               "4sb·a",
                                               source_flash,
                                               calc_times3(g, 4, z->tokens, z->heads),
                                               LAYERS_ALL,
                                               0};
    }
}
