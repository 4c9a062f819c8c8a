/* Activations by operator: what each one keeps for the backward pass, per layer and micro-batch, times the
 * layers in flight (Korthikanti et al., arXiv:2205.05198 section 4.1; gated FFN, GQA and FlashAttention from the
 * same accounting). e is the element size (2, or 4 in fp32); masks take 1 byte, softmax statistics 4.
 * Tensor parallelism divides what lies between column- and row-parallel matrices; sequence parallelism also the
 * rest. Context parallelism divides the sequence. Shares of the sequence are rounded up: rank 0 is shown. What
 * experts and latent attention keep: activations_experts.c.
 * What a recipe computes again (--recompute-norms, -latents, -activation) is not kept, and exists for one layer at a
 * time. Inputs of matrices can be kept in fp8 (--input-bytes 1), in tiles of 128 elements with a scale; attention's own
 * operands, and what norms and activation functions need, stay as computed; except that where an activation function is
 * computed again, its operands are what is kept for the matrix, in the matrix's type (DeepSeek-V3, section 3.3.3).
 * Pure; part of calc_memory_on_stage. Left out: the embedding's dropout mask, transient buffers of one operator.
 * Proof: tests/unit/calc/test_activations.c. */
#include <stdio.h>

#include "activations_private.h"

static const char source_korthikanti[] = "Korthikanti et al., arXiv:2205.05198, section 4";
static const char source_flash[] = "FlashAttention-2, arXiv:2307.08691, section 3";
static const char source_tiles[] = "DeepSeek-V3, arXiv:2412.19437, section 3.3";
static const char source_head[] = "Korthikanti et al., arXiv:2205.05198, section 4.3";

static enum status measure(const struct scenario *s, struct sizes *z, struct message *why) {
    struct calc_guard g = {false};
    uint64_t share = checked_div_up(s->batch.seq, s->layout.cp);
    uint64_t b = s->batch.micro_batch;
    bool split = s->layout.sequence_parallel && s->layout.tp > 1;
    z->e = s->recipe.precision == CALC_PRECISION_FP32 ? 4 : 2;
    bool parts = s->recipe.recompute != CALC_RECOMPUTE_FULL; /* which includes them */
    z->gated = s->model.gated;
    z->input = s->recipe.input_bytes;
    z->norms = parts && s->recipe.recompute_norms;
    z->latents = parts && s->recipe.recompute_latents;
    z->activation = parts && s->recipe.recompute_activation;
    z->tokens = calc_times(&g, share, b);
    z->whole_tokens = calc_times(&g, split ? checked_div_up(share, s->layout.tp) : share, b);
    z->heads = s->model.heads / s->layout.tp;
    if (s->recipe.attention == CALC_ATTENTION_STANDARD) { /* else the matrix never exists */
        z->scores = calc_times(&g, calc_times(&g, z->tokens, s->batch.seq), z->heads);
    }
    z->routed = activations_routed_tokens(s, z, &g);
    return g.overflow ? calc_overflow(why, "activations.tokens")
                      : calc_shape_of_rank(s, &z->rank, why);
}

uint64_t activations_inputs(const struct sizes *z, uint64_t copies, uint64_t tokens, uint64_t width,
                            struct calc_guard *g) {
    enum { TILE = 128, SCALE_BYTES = 4 };
    uint64_t row = z->input == 1 ? calc_plus(g, width, SCALE_BYTES * checked_div_up(width, TILE))
                                 : calc_times(g, z->e, width);
    return calc_times3(g, copies, tokens, row);
}

void activations_mlp(const struct sizes *z, uint64_t tokens, uint64_t width, struct calc_guard *g,
                     struct operator* op) {
    static const char *const factors[2][2][2] = {
        /* plain, gated; as computed, in fp8; kept, computed again */
        {{"4", "2"}, {"(3 + 4/128)", "(1 + 4/128)"}},
        {{"6", "4"}, {"(5 + 4/128)", "2(1 + 4/128)"}},
    };
    uint64_t into = z->gated ? 2 : 1, out = calc_times3(g, z->e, tokens, width);
    op->factor = factors[z->gated][z->input == 1][z->activation];
    if (z->activation) {
        op->bytes = activations_inputs(z, into, tokens, width, g);
        op->again = out;
    } else {
        op->bytes =
            calc_plus(g, calc_times(g, into, out), activations_inputs(z, 1, tokens, width, g));
    }
}

/* One a·s² matrix after softmax; with dropout also its mask and its output. */
static void score_operators(const struct scenario *s, const struct sizes *z, struct calc_guard *g,
                            struct operator* ops) {
    if (s->recipe.attention == CALC_ATTENTION_FLASH ||
        s->recipe.recompute == CALC_RECOMPUTE_SELECTIVE) {
        return;
    }
    uint64_t each = s->recipe.dropout ? 2 * z->e + 1 : z->e;
    ops[OP_SCORES] = (struct operator){"activations.scores",
                                       "",
                                       s->recipe.dropout ? "5b·as²" : "2b·as²",
                                       source_korthikanti,
                                       calc_times(g, each, z->scores),
                                       LAYERS_ALL,
                                       0};
}

static void attention_operators(const struct scenario *s, const struct sizes *z,
                                struct calc_guard *g, struct operator* ops) {
    uint64_t qk = calc_plus(g, z->rank.q_width, z->rank.kv_width);
    uint64_t qkv = calc_plus(g, qk, z->rank.kv_width);
    bool only_values = s->model.qk_norm && z->norms; /* queries and keys are outputs of norms */
    ops[OP_QKV] =
        (struct operator){"activations.qkv",
                          "",
                          only_values ? "2sb·kd" : "sb(2ad + 4kd)",
                          source_korthikanti,
                          calc_times3(g, z->e, z->tokens, only_values ? z->rank.kv_width : qkv),
                          LAYERS_ALL,
                          only_values ? calc_times3(g, z->e, z->tokens, qk) : 0};
    if (s->model.qk_norm) {
        ops[OP_QK_NORM] = (struct operator){"activations.qk_norm",
                                            "",
                                            "sb(2ad + 2kd)",
                                            source_korthikanti,
                                            calc_times3(g, z->e, z->tokens, qk),
                                            LAYERS_ALL,
                                            0};
    }
    ops[OP_ATTENTION_OUTPUT] = (struct operator){"activations.attention_output",
                                                 "",
                                                 "2sb·ad",
                                                 source_korthikanti,
                                                 calc_times3(g, z->e, z->tokens, z->rank.q_width),
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

/* The norms' inputs, and what the first matrices of attention and FFN read: outputs of norms. */
static void norm_operators(const struct scenario *s, const struct sizes *z, struct calc_guard *g,
                           struct operator* ops) {
    const struct calc_model *m = &s->model;
    uint64_t h_whole = calc_times(g, z->whole_tokens, m->hidden);
    bool tiles = z->input == 1;
    ops[OP_NORM_INPUTS] = (struct operator){"activations.norm_inputs",
                                            "",
                                            m->norms == 4 ? "8sbh" : "4sbh",
                                            source_korthikanti,
                                            calc_times3(g, z->e, m->norms, h_whole),
                                            LAYERS_ALL,
                                            0};
    ops[OP_MATRIX_INPUTS] =
        (struct operator){"activations.matrix_inputs",
                          tiles ? "2(1 + 4/128)" : "4",
                          "sbh",
                          tiles ? source_tiles : source_korthikanti,
                          z->norms ? 0 : activations_inputs(z, 2, z->whole_tokens, m->hidden, g),
                          LAYERS_ALL,
                          z->norms ? calc_times3(g, z->e, 2, h_whole) : 0};
}

/* What one layer keeps of one micro-batch, operator by operator. */
static void layer_operators(const struct scenario *s, const struct sizes *z, struct calc_guard *g,
                            struct operator* ops) {
    const struct calc_model *m = &s->model;
    norm_operators(s, z, g, ops);
    if (scenario_has_latents(s)) {
        activations_latent_operators(s, z, g, ops);
    } else {
        attention_operators(s, z, g, ops);
    }
    score_operators(s, z, g, ops);
    ops[OP_FFN] = (struct operator){.id = "activations.ffn",
                                    .formula = "sb·f",
                                    .source = source_korthikanti,
                                    .layers = LAYERS_DENSE};
    activations_mlp(z, z->tokens, z->rank.ffn, g, &ops[OP_FFN]);
    if (scenario_has_experts(s)) {
        activations_expert_operators(s, z, g, ops);
    }
    if (s->recipe.dropout) {
        ops[OP_DROPOUT_MASKS] = (struct operator){"activations.dropout_masks",
                                                  "",
                                                  "2sbh",
                                                  source_korthikanti,
                                                  calc_times3(g, 2, z->whole_tokens, m->hidden),
                                                  LAYERS_ALL,
                                                  0};
    }
}

/* Layers whose activations a stage holds at once, counted once a micro-batch, and how that comes about: L layers, m
 * micro-batches in flight; with several chunks a rank, c chunks in flight of L/V layers each. In a mixture of experts Ld of the
 * L layers are dense and Le have experts. */
struct held {
    uint64_t layers, all; /* held; on the stage */
    bool whole;
    char formula[16];     /* "L", "m·L", "c·L/V" */
    char substituted[72]; /* "32", "4 × 8", "15 × 8 / 3" */
};

/* Where V does not divide c·L the chunks in flight are counted at the stage's average and rounded up. */
static struct held layers_held(const struct scenario *s, uint64_t layers, uint64_t in_flight,
                               struct calc_guard *g) {
    uint64_t chunks = calc_chunks_held(s), product = calc_times(g, in_flight, layers);
    return (struct held){.all = layers,
                         .layers = chunks > 1 ? checked_div_up(product, chunks) : product,
                         .whole = product % chunks == 0};
}

static void write_held(const struct scenario *s, const char *name, uint64_t in_flight,
                       struct held *held) {
    uint64_t chunks = calc_chunks_held(s);
    unsigned long long c = in_flight, l = held->all, v = chunks;
    const char *formula = in_flight == 1 ? "%s" : "m·%s";
    if (chunks > 1) {
        formula = held->whole ? "c·%s/V" : "⌈c·%s/V⌉";
        (void)snprintf(held->substituted, sizeof held->substituted,
                       held->whole ? "%llu × %llu / %llu" : "⌈%llu × %llu / %llu⌉", c, l, v);
    } else if (in_flight == 1) {
        (void)snprintf(held->substituted, sizeof held->substituted, "%llu", l);
    } else {
        (void)snprintf(held->substituted, sizeof held->substituted, "%llu × %llu", c, l);
    }
    (void)snprintf(held->formula, sizeof held->formula, formula, name);
}

/* The same for each kind of layer on the stage. */
static void kinds_held(const struct scenario *s, uint64_t stage, uint64_t in_flight,
                       struct held held[LAYERS_KINDS], struct calc_guard *g) {
    uint64_t all = calc_layers_on_stage(s, stage), dense = calc_dense_layers_on_stage(s, stage);
    held[LAYERS_ALL] = layers_held(s, all, in_flight, g);
    held[LAYERS_DENSE] = layers_held(s, dense, in_flight, g);
    held[LAYERS_EXPERTS] = layers_held(s, all - dense, in_flight, g);
}

static void write_kinds(const struct scenario *s, uint64_t in_flight,
                        struct held held[LAYERS_KINDS]) {
    write_held(s, "L", in_flight, &held[LAYERS_ALL]);
    write_held(s, scenario_has_experts(s) ? "Ld" : "L", in_flight, &held[LAYERS_DENSE]);
    write_held(s, "Le", in_flight, &held[LAYERS_EXPERTS]);
}

static enum status add_layers(const struct operator* ops, const struct held held[LAYERS_KINDS],
                              struct calc_derivation *d, struct message *why) {
    for (int i = 0; i < OPERATORS; i++) {
        struct calc_guard g = {false};
        const struct held *layers = &held[ops[i].layers];
        if (ops[i].bytes == 0 || layers->layers == 0) {
            continue;
        }
        uint64_t bytes = calc_times(&g, ops[i].bytes, layers->layers);
        if (g.overflow) {
            return calc_overflow(why, ops[i].id);
        }
        struct calc_term *t =
            memory_term_add(d, ops[i].id, CALC_PART_ACTIVATIONS, bytes, ops[i].source);
        memory_term_formula(d, t, "%s × %s%s", layers->formula, ops[i].factor, ops[i].formula);
        memory_term_substituted(d, t, "%s × %llu", layers->substituted,
                                (unsigned long long)ops[i].bytes);
    }
    return STATUS_OK;
}

/* Bytes of one layer of each kind: what it keeps, or what of it is computed again. The larger kind of those on the
 * stage. */
static uint64_t larger_layer(const struct operator* ops, const struct held held[LAYERS_KINDS],
                             bool again, struct calc_guard *g) {
    uint64_t most = 0;
    for (int kind = LAYERS_DENSE; kind < LAYERS_KINDS; kind++) {
        uint64_t sum = 0;
        for (int i = 0; i < OPERATORS && held[kind].layers != 0; i++) {
            bool has = ops[i].layers == LAYERS_ALL || ops[i].layers == (enum layers)kind;
            sum = has ? calc_plus(g, sum, again ? ops[i].again : ops[i].bytes) : sum;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* One layer at a time is computed again, or a part of it. */
static enum status add_working_layer(const struct operator* ops,
                                     const struct held held[LAYERS_KINDS], bool again,
                                     struct calc_derivation *d, struct message *why) {
    struct calc_guard g = {false};
    uint64_t working = larger_layer(ops, held, again, &g);
    if (g.overflow) {
        return calc_overflow(why, "activations.working_layer");
    }
    if (working == 0 && again) {
        return STATUS_OK;
    }
    struct calc_term *t = memory_term_add(d, "activations.working_layer", CALC_PART_ACTIVATIONS,
                                          working, source_korthikanti);
    memory_term_formula(d, t, "1 × sb(…)");
    memory_term_substituted(d, t, "1 × %llu", (unsigned long long)working);
    return STATUS_OK;
}

/* Full recompute keeps each layer's input (`input` bytes), and rebuilds one whole layer at a time in backward. */
static enum status add_checkpoints(uint64_t input, const struct operator* ops,
                                   const struct held held[LAYERS_KINDS], struct calc_derivation *d,
                                   struct message *why) {
    struct calc_guard g = {false};
    uint64_t kept = calc_times(&g, held[LAYERS_ALL].layers, input);
    if (g.overflow) {
        return calc_overflow(why, "activations.checkpoints");
    }
    struct calc_term *t = memory_term_add(d, "activations.checkpoints", CALC_PART_ACTIVATIONS, kept,
                                          source_korthikanti);
    memory_term_formula(d, t, "%s × 2sbh", held[LAYERS_ALL].formula);
    memory_term_substituted(d, t, "%s × %llu", held[LAYERS_ALL].substituted,
                            (unsigned long long)input);
    return add_working_layer(ops, held, false, d, why);
}

/* The rank with the head: inputs of the final norm and of the head, and the logits. */
static enum status add_head(const struct scenario *s, const struct sizes *z,
                            struct calc_derivation *d, struct message *why) {
    static const uint64_t entry_bytes[] = {
        [CALC_LOGITS_NONE] = 0,    [CALC_LOGITS_BF16] = 2,  [CALC_LOGITS_FP32] = 4,
        [CALC_LOGITS_FP32X3] = 10, [CALC_LOGITS_FUSED] = 4,
    };
    struct calc_guard g = {false};
    uint64_t micro = calc_heads_in_flight(s);
    uint64_t inputs = calc_times(&g, calc_times3(&g, z->e, 2, z->whole_tokens), s->model.hidden);
    uint64_t entries = calc_times(&g, z->tokens, z->rank.vocab);
    uint64_t logits = calc_times(&g, entry_bytes[s->recipe.logits], entries);
    uint64_t kept_inputs = calc_times(&g, micro, inputs);
    uint64_t kept_logits = calc_times(&g, micro, logits);
    if (g.overflow) {
        return calc_overflow(why, "activations.head");
    }
    struct calc_term *t =
        memory_term_add(d, "activations.head", CALC_PART_ACTIVATIONS, kept_inputs, source_head);
    memory_term_formula(d, t, "4sbh");
    memory_term_substituted(d, t, "%llu × %llu", (unsigned long long)micro,
                            (unsigned long long)inputs);
    if (logits != 0) {
        t = memory_term_add(d, "activations.logits", CALC_PART_ACTIVATIONS, kept_logits,
                            source_head);
        memory_term_formula(d, t, "%llusb·v", (unsigned long long)entry_bytes[s->recipe.logits]);
        memory_term_substituted(d, t, "%llu × %llu × %llu", (unsigned long long)micro,
                                (unsigned long long)entry_bytes[s->recipe.logits],
                                (unsigned long long)entries);
    }
    return STATUS_OK;
}

enum status memory_activations_add(const struct scenario *s, uint64_t stage,
                                   struct calc_derivation *d, struct message *why) {
    struct sizes z = {0};
    struct operator ops[OPERATORS] = {0};
    struct held held[LAYERS_KINDS];
    struct calc_guard g = {false};
    uint64_t in_flight = 0;
    enum status ok = measure(s, &z, why);
    if (ok == STATUS_OK) {
        ok = calc_in_flight(s, stage, &in_flight, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    layer_operators(s, &z, &g, ops);
    kinds_held(s, stage, in_flight, held, &g);
    if (!d->figures_only) {
        write_kinds(s, in_flight, held);
    }
    if (g.overflow) {
        return calc_overflow(why, "activations");
    }
    if (s->recipe.recompute == CALC_RECOMPUTE_FULL) {
        /* no larger than the norm inputs, whose product was guarded above */
        uint64_t input = z.e * z.whole_tokens * s->model.hidden;
        ok = add_checkpoints(input, ops, held, d, why);
    } else {
        ok = add_layers(ops, held, d, why);
        ok = ok == STATUS_OK ? add_working_layer(ops, held, true, d, why) : ok;
    }
    if (ok == STATUS_OK && calc_has_head(s, stage)) {
        ok = add_head(s, &z, d, why);
    }
    return ok;
}
