/* The weight matrices of a pipeline stage as rank 0 of tensor parallelism holds them, for what treats matrices apart:
 * Muon orthogonalises the layers' matrices and leaves tables, norms and biases to Adam; Adafactor keeps a row and a
 * column of each matrix; fp8 has a scale for each. Query, key, value, gate and up count as matrices of their own,
 * however a framework fuses them. Pure; called by memory_states.c. Proof: tests/unit/calc/test_optimizers.c. */
#include <string.h>

#include "calc_private.h"
#include "shardlab/calc/params.h"

struct matrix {
    uint64_t rows, columns;
    uint64_t copies;
    bool of_layer; /* else a table: embedding, positions, head */
};

static void add(struct calc_matrices *out, struct calc_guard *g, const struct matrix *m) {
    uint64_t elements = calc_times3(g, m->copies, m->rows, m->columns);
    uint64_t sides = calc_times(g, m->copies, calc_plus(g, m->rows, m->columns));
    if (elements == 0) {
        return;
    }
    out->count = calc_plus(g, out->count, m->copies);
    out->elements = calc_plus(g, out->elements, elements);
    out->sides = calc_plus(g, out->sides, sides);
    out->layer_elements = calc_plus(g, out->layer_elements, m->of_layer ? elements : 0);
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
    uint64_t layers = calc_layers_on_stage(s, stage), last = s->layout.pp - 1;
    bool own_head = stage == last && (!m->tied || last > 0); /* tied over stages: a second copy */
    const struct matrix matrices[] = {
        {m->hidden, r.q_width, calc_times(&g, 2, layers), true}, /* query and output */
        {m->hidden, r.kv_width, calc_times(&g, 2, layers), true},
        {m->hidden, r.ffn, calc_times(&g, m->gated ? 3 : 2, layers), true},
        {r.vocab, m->hidden, stage == 0 ? 1 : 0, false},
        {m->position_rows, m->hidden, stage == 0 ? 1 : 0, false},
        {r.vocab, m->hidden, own_head ? 1 : 0, false},
    };
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        add(out, &g, &matrices[i]);
    }
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}
