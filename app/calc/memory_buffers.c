/* Working buffers that a framework keeps beside states and activations: Transformer Engine's 2-byte weight
 * gradient per distinct weight shape when gradients accumulate in fp32 (Megatron), and the one module that
 * DeepSpeed's stage-3 estimator holds gathered. Pure; part of calc_memory_on_stage.
 * Proof: tests/unit/calc/test_memory.c, and test_tools.c (peaks measured on 8x B200). */
#include "memory_private.h"

struct shape {
    uint64_t in, out;  /* of the whole matrix: what makes two shapes the same */
    uint64_t elements; /* of the rank's share */
};

enum { SHAPES_MAX = 13 };

struct shapes {
    int count;
    struct shape list[SHAPES_MAX];
    struct calc_guard g;
};

/* A matrix of which the rank holds `rank_in` × `rank_out`. */
static void add_shape(struct shapes *all, uint64_t in, uint64_t out, uint64_t rank_in,
                      uint64_t rank_out) {
    all->list[all->count++] = (struct shape){in, out, calc_times(&all->g, rank_in, rank_out)};
}

static void add_attention(const struct calc_model *m, const struct calc_rank_shape *r,
                          struct shapes *all) {
    uint64_t q = calc_times(&all->g, m->heads, m->head_dim);
    if (m->kv_rank == 0) {
        uint64_t qkv = calc_plus(&all->g, q, calc_times3(&all->g, 2, m->kv_heads, m->head_dim));
        uint64_t rank_qkv = calc_plus(&all->g, r->q_width, calc_times(&all->g, 2, r->kv_width));
        add_shape(all, m->hidden, qkv, m->hidden, rank_qkv);
        add_shape(all, q, m->hidden, r->q_width, m->hidden);
        return;
    }
    uint64_t values = calc_times(&all->g, m->heads, m->v_head);
    uint64_t keys = calc_plus(&all->g, calc_times(&all->g, m->heads, m->qk_nope), values);
    uint64_t rank_nope = r->kv_width / m->head_dim * m->qk_nope; /* no larger than kv_width */
    if (m->q_rank == 0) {
        add_shape(all, m->hidden, q, m->hidden, r->q_width);
    } else {
        add_shape(all, m->hidden, m->q_rank, m->hidden, r->q_latent);
        add_shape(all, m->q_rank, q, m->q_rank, r->q_width);
    }
    add_shape(all, m->hidden, calc_plus(&all->g, m->kv_rank, m->qk_rope), m->hidden, r->kv_latent);
    add_shape(all, m->kv_rank, keys, m->kv_rank, calc_plus(&all->g, rank_nope, r->v_width));
    add_shape(all, values, m->hidden, r->out_width, m->hidden);
}

/* fc1, with gate and up fused, and fc2 of an FFN of which the rank holds `columns`. */
static void add_mlp(const struct calc_model *m, uint64_t width, uint64_t columns,
                    struct shapes *all) {
    uint64_t fused = m->gated ? 2 : 1;
    add_shape(all, m->hidden, calc_times(&all->g, width, fused), m->hidden,
              calc_times(&all->g, columns, fused));
    add_shape(all, width, m->hidden, columns, m->hidden);
}

/* The experts of a rank have one shape, so they share one buffer. */
static void add_layers(const struct scenario *s, uint64_t stage, const struct calc_rank_shape *r,
                       struct shapes *all) {
    const struct calc_model *m = &s->model;
    uint64_t dense = calc_dense_layers_on_stage(s, stage);
    add_attention(m, r, all);
    if (dense > 0) {
        add_mlp(m, m->ffn, r->ffn, all);
    }
    if (calc_layers_on_stage(s, stage) > dense) {
        add_mlp(m, m->moe_ffn, checked_div_up(m->moe_ffn, s->layout.etp), all);
        if (m->experts_shared > 0) {
            add_mlp(m, calc_shared_width(m, 1, &all->g),
                    calc_shared_width(m, s->layout.tp, &all->g), all);
        }
    }
}

static enum status add_framework(const struct scenario *s, uint64_t stage,
                                 const struct calc_rank_shape *r, struct calc_derivation *d,
                                 struct message *why) {
    const struct calc_model *m = &s->model;
    struct shapes all = {0};
    uint64_t vocab = 0;
    enum status ok = calc_vocab_padded(s, &vocab, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    add_layers(s, stage, r, &all);
    if (calc_has_head(s, stage)) {
        add_shape(&all, m->hidden, vocab, m->hidden, r->vocab);
    }
    struct calc_guard g = all.g;
    const struct shape *shapes = all.list;
    uint64_t elements = 0;
    for (int i = 0; i < all.count; i++) {
        bool seen = false;
        for (int k = 0; k < i; k++) {
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
    memory_term_formula(d, t, "2 × Σ in·out / t");
    memory_term_substituted(d, t, "2 × %llu", (unsigned long long)elements);
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
    if (!scenario_has_latents(s) || m->q_rank == 0) {
        take_larger(&largest, calc_times(&g, r->q_width, m->hidden));
    }
    take_larger(&largest, calc_times(&g, r->ffn, m->hidden));
    if (scenario_has_experts(s)) {
        uint64_t columns = checked_div_up(m->moe_ffn, s->layout.etp);
        take_larger(&largest, calc_times(&g, columns, m->hidden));
        take_larger(&largest, calc_times(&g, calc_shared_width(m, s->layout.tp, &g), m->hidden));
        take_larger(&largest, calc_times(&g, m->experts, m->hidden));
    }
    if (scenario_has_latents(s)) {
        uint64_t nope = r->kv_width / m->head_dim * m->qk_nope; /* no larger than kv_width */
        take_larger(&largest, calc_times(&g, r->out_width, m->hidden));
        take_larger(&largest, calc_times(&g, r->kv_latent, m->hidden));
        take_larger(&largest, calc_times(&g, m->kv_rank, calc_plus(&g, nope, r->v_width)));
        take_larger(&largest, calc_times(&g, r->q_latent, m->hidden));
        take_larger(&largest, calc_times(&g, m->q_rank, r->q_width));
    }
    uint64_t bytes = calc_times(&g, 4, largest);
    if (g.overflow) {
        return calc_overflow(why, "buffers.largest_module");
    }
    struct calc_term *t = memory_term_add(d, "buffers.largest_module", CALC_PART_BUFFERS, bytes,
                                          "DeepSpeed, runtime/zero/stage3.py memory estimator");
    memory_term_formula(d, t, "4 × l");
    memory_term_substituted(d, t, "4 × %llu", (unsigned long long)largest);
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
