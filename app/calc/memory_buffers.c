/* Working buffers that a framework keeps beside states and activations: Transformer Engine's 2-byte weight
 * gradient per distinct weight shape when gradients accumulate in fp32 (Megatron), and the one module that
 * DeepSpeed's stage-3 estimator holds gathered. Pure; part of calc_memory_on_stage.
 * Proof: tests/unit/calc/test_memory.c, and test_tools.c (peaks measured on 8x B200). */
#include "memory_private.h"

struct shape {
    uint64_t in, out;  /* of the whole matrix: what makes two shapes the same */
    uint64_t elements; /* of the rank's share */
};

static enum status add_framework(const struct scenario *s, uint64_t stage,
                                 const struct calc_rank_shape *r, struct calc_derivation *d,
                                 struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    uint64_t vocab = 0;
    enum status ok = calc_vocab_padded(s, &vocab, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t q = calc_times(&g, m->heads, m->head_dim);
    uint64_t qkv = calc_plus(&g, q, calc_times3(&g, 2, m->kv_heads, m->head_dim));
    uint64_t rank_qkv = calc_plus(&g, r->q_width, calc_times(&g, 2, r->kv_width));
    uint64_t fc1 = calc_times(&g, m->ffn, m->gated ? 2 : 1);
    const struct shape shapes[] = {
        {m->hidden, qkv, calc_times(&g, m->hidden, rank_qkv)},
        {q, m->hidden, calc_times(&g, r->q_width, m->hidden)},
        {m->hidden, fc1, calc_times(&g, m->hidden, r->fc1)},
        {m->ffn, m->hidden, calc_times(&g, r->ffn, m->hidden)},
        {m->hidden, vocab, calc_times(&g, m->hidden, r->vocab)},
    };
    size_t count = stage == s->layout.pp - 1 ? 5 : 4; /* the head lives on the last stage */
    uint64_t elements = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++) {
            seen = seen || (shapes[k].in == shapes[i].in && shapes[k].out == shapes[i].out);
        }
        elements = seen ? elements : calc_plus(&g, elements, shapes[i].elements);
    }
    uint64_t bytes = calc_times(&g, 2, elements);
    if (g.overflow) {
        return calc_overflow(why, "buffers.framework");
    }
    struct calc_term *t = memory_term_add(d, "buffers.framework", CALC_PART_BUFFERS, bytes,
                                          "Transformer Engine 2.11 as measured on 8x B200");
    memory_term_formula(t, "2 × Σ in·out / t");
    memory_term_substituted(t, "2 × %llu", (unsigned long long)elements);
    return STATUS_OK;
}

static void take_larger(uint64_t *largest, uint64_t candidate) {
    *largest = candidate > *largest ? candidate : *largest;
}

/* The largest single module of the model: one linear layer or one table. */
static enum status add_largest_module(const struct scenario *s, const struct calc_rank_shape *r,
                                      struct calc_derivation *d, struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    uint64_t largest = calc_times(&g, r->vocab, m->hidden);
    take_larger(&largest, calc_times(&g, m->position_rows, m->hidden));
    take_larger(&largest, calc_times(&g, r->q_width, m->hidden));
    take_larger(&largest, calc_times(&g, r->ffn, m->hidden));
    uint64_t bytes = calc_times(&g, 4, largest);
    if (g.overflow) {
        return calc_overflow(why, "buffers.largest_module");
    }
    struct calc_term *t = memory_term_add(d, "buffers.largest_module", CALC_PART_BUFFERS, bytes,
                                          "DeepSpeed, runtime/zero/stage3.py memory estimator");
    memory_term_formula(t, "4 × l");
    memory_term_substituted(t, "4 × %llu", (unsigned long long)largest);
    return STATUS_OK;
}

static bool gathers_module(const struct scenario *s) {
    return s->convention == CALC_CONVENTION_DEEPSPEED && s->layout.zero == 3;
}

bool memory_buffers_exist(const struct scenario *s) {
    return s->recipe.buffers == CALC_BUFFERS_FRAMEWORK || gathers_module(s);
}

enum status memory_buffers_add(const struct scenario *s, uint64_t stage, struct calc_derivation *d,
                               struct message *why) {
    struct calc_rank_shape rank;
    enum status ok = calc_shape_of_rank(s, &rank, why);
    if (ok == STATUS_OK && s->recipe.buffers == CALC_BUFFERS_FRAMEWORK) {
        ok = add_framework(s, stage, &rank, d, why);
    }
    if (ok == STATUS_OK && gathers_module(s)) {
        ok = add_largest_module(s, &rank, d, why);
    }
    return ok;
}
