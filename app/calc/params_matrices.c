/* The weight matrices of a pipeline stage as rank 0 of tensor parallelism holds them, for what treats matrices apart:
 * Muon orthogonalises the layers' matrices and leaves tables, norms and biases to Adam; Adafactor keeps a row and a
 * column of each matrix; fp8 has a scale for each. Query, key, value, gate and up count as matrices of their own,
 * however a framework fuses them. Pure; called by memory_states.c, memory_optimizer.c and flops*.c.
 * Proof: tests/unit/calc/test_optimizers.c. */
#include <string.h>

#include "calc_private.h"
#include "shardlab/calc/params.h"

struct matrix {
    uint64_t rows, columns;
    uint64_t copies;
    enum { TABLE, OF_LAYER, ROUTED } kind; /* tables: embedding, positions, head */
};

static void add(struct calc_matrices *out, struct calc_guard *g, const struct matrix *m) {
    uint64_t elements = calc_times3(g, m->copies, m->rows, m->columns);
    uint64_t sides = calc_times(g, m->copies, calc_plus(g, m->rows, m->columns));
    if (elements == 0) {
        return;
    }
    bool routed = m->kind == ROUTED;
    uint64_t *all_sides = routed ? &out->routed_sides : &out->sides;
    out->count = calc_plus(g, out->count, m->copies);
    out->elements = calc_plus(g, out->elements, elements);
    *all_sides = calc_plus(g, *all_sides, sides);
    if (routed) {
        out->routed_elements = calc_plus(g, out->routed_elements, elements);
    } else if (m->kind == OF_LAYER) {
        out->layer_elements = calc_plus(g, out->layer_elements, elements);
    }
}

static void add_attention(const struct calc_model *m, const struct calc_rank_shape *r,
                          uint64_t layers, struct calc_matrices *out, struct calc_guard *g) {
    uint64_t kv = calc_times(g, 2, layers);
    uint64_t heads = m->kv_rank != 0 ? r->kv_width / m->head_dim : 0;
    uint64_t up = m->kv_rank != 0 ? calc_plus(g, heads * m->qk_nope, r->v_width) : 0;
    bool latent_queries = m->kv_rank != 0 && m->q_rank != 0;
    const struct matrix matrices[] = {
        {m->hidden, r->q_width, latent_queries ? 0 : layers, OF_LAYER},
        {m->hidden, r->q_latent, latent_queries ? layers : 0, OF_LAYER},
        {m->q_rank, r->q_width, latent_queries ? layers : 0, OF_LAYER},
        {m->hidden, r->kv_width, m->kv_rank != 0 ? 0 : kv, OF_LAYER},
        {m->hidden, r->kv_latent, m->kv_rank != 0 ? layers : 0, OF_LAYER},
        {m->kv_rank, up, m->kv_rank != 0 ? layers : 0, OF_LAYER},
        {r->out_width, m->hidden, layers, OF_LAYER},
    };
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        add(out, g, &matrices[i]);
    }
}

enum status calc_params_matrices(const struct scenario *s, uint64_t stage,
                                 struct calc_matrices *out, struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    struct calc_rank_shape r;
    memset(out, 0, sizeof *out);
    enum status ok = calc_shape_of_rank(s, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t layers = calc_layers_on_stage(s, stage);
    uint64_t dense = calc_dense_layers_on_stage(s, stage), sparse = layers - dense;
    uint64_t ffn = m->gated ? 3 : 2;
    bool first = calc_has_embedding(s, stage);
    bool own_head = calc_has_head(s, stage) && (!m->tied || !first); /* tied over stages: a copy */
    const struct matrix matrices[] = {
        {m->hidden, r.ffn, calc_times(&g, ffn, dense), OF_LAYER},
        {m->hidden, m->experts, sparse, OF_LAYER}, /* the router */
        {m->hidden, 1, m->shared_gate && m->experts_shared != 0 ? sparse : 0, OF_LAYER},
        {m->hidden, calc_shared_width(m, s->layout.tp, &g), calc_times(&g, ffn, sparse), OF_LAYER},
        {m->hidden, checked_div_up(m->moe_ffn, s->layout.etp),
         calc_times3(&g, ffn, sparse, checked_div_up(m->experts, s->layout.ep)), ROUTED},
        {r.vocab, m->hidden, first ? 1 : 0, TABLE},
        {m->position_rows, m->hidden, first ? 1 : 0, TABLE},
        {r.vocab, m->hidden, own_head ? 1 : 0, TABLE},
    };
    add_attention(m, &r, layers, out, &g);
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        add(out, &g, &matrices[i]);
    }
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}
