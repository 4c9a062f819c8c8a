/* Where the layers with experts stand and what of them one GPU holds. A mixture-of-experts layer has a router
 * (whole on every rank), shared experts (divided like a dense FFN) and routed experts: those are divided by ep
 * (whole experts) and etp (columns of each), never by tp, and what is left of dp·cp·tp are the ranks that hold
 * the same experts. Called by params.c and memory*.c. Pure; nothing is owned. A share is rounded up: rank 0 is
 * shown. Proof: tests/unit/calc/test_experts.c. */
#include "shardlab/calc/params.h"

#include <assert.h>

#include "calc_private.h"

/* Layers that the first `chunks` chunks of a stage with `layers` layers hold: the first (layers mod V) chunks hold
 * one layer more. */
static uint64_t layers_of_chunks(const struct scenario *s, uint64_t layers, uint64_t chunks) {
    uint64_t v = s->layout.chunks;
    assert(v > 0); /* resolved */
    if (chunks == v) {
        return layers;
    }
    uint64_t more = layers % v;
    return chunks * (layers / v) + (chunks < more ? chunks : more); /* at most `layers` */
}

/* Stages of `s` that hold one layer more than the others, unless --layers-per-stage. */
static uint64_t larger_stages(const struct scenario *s) {
    return s->model.layers % s->layout.pp;
}

/* Layers of the first `rows` chunks of the stages from `first` up to, not including, `end`. Even stages are of two sizes,
 * and none needs a visit. */
static uint64_t layers_of_rows(const struct scenario *s, uint64_t rows, uint64_t first,
                               uint64_t end) {
    uint64_t sum = 0; /* at most all layers */
    if (s->layout.layers_per_stage_count == 0) {
        uint64_t small = s->model.layers / s->layout.pp, larger = larger_stages(s);
        uint64_t past = (end < larger ? end : larger) - (first < larger ? first : larger);
        return past * layers_of_chunks(s, small + 1, rows) +
               (end - first - past) * layers_of_chunks(s, small, rows);
    }
    for (uint64_t q = first; q < end; q++) {
        sum += layers_of_chunks(s, calc_layers_of_copy(s, q), rows);
    }
    return sum;
}

/* Layers before the chunk `chunk` of stage `stage`, in the order in which a token meets them. */
static uint64_t layers_before(const struct scenario *s, uint64_t chunk, uint64_t stage) {
    uint64_t pp = s->layout.pp;
    if (calc_is_folded(s) && chunk == 1) { /* from the last stage to the first */
        return layers_of_rows(s, 1, 0, stage + 1) + layers_of_rows(s, 2, stage + 1, pp);
    }
    return layers_of_rows(s, chunk + 1, 0, stage) + layers_of_rows(s, chunk, stage, pp);
}

/* The first D layers are dense: whole rows of chunks, found by halving, and a part of the next row. */
static uint64_t dense_layers_of_copy(const struct scenario *s, uint64_t stage) {
    uint64_t here = calc_layers_of_copy(s, stage);
    uint64_t dense = s->model.dense_layers;
    if (!scenario_has_experts(s)) {
        return here;
    }
    if (dense == 0) {
        return 0;
    }
    if (s->layout.chunks == 1) {
        uint64_t before = layers_of_rows(s, 1, 0, stage);
        uint64_t left = dense > before ? dense - before : 0;
        return left < here ? left : here;
    }
    uint64_t low = 0;
    uint64_t high = s->layout.chunks;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (layers_of_rows(s, middle, 0, s->layout.pp) <= dense) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    uint64_t count = layers_of_chunks(s, here, low);
    if (low < s->layout.chunks) {
        uint64_t row = layers_of_chunks(s, here, low + 1) - count;
        uint64_t before = layers_before(s, low, stage);
        uint64_t left = dense > before ? dense - before : 0;
        count += left < row ? left : row;
    }
    return count;
}

uint64_t calc_dense_layers_on_stage(const struct scenario *s, uint64_t stage) {
    uint64_t other = s->layout.pp - 1 - stage;
    return dense_layers_of_copy(s, stage) +
           (calc_model_copies(s) == 2 ? dense_layers_of_copy(s, other) : 0);
}

uint64_t calc_stage_unlike(const struct scenario *s, uint64_t stage) {
    uint64_t pp = s->layout.pp, larger = 0, last = pp - 1;
    bool loop = !calc_is_folded(s) && calc_model_copies(s) == 1;
    bool known = loop && !scenario_params_only(s) && s->layout.layers_per_stage_count == 0;
    /* the first stages have the dense layers: where there is none, there is none on the stages behind */
    if (!known || stage == 0 || stage + 1 >= last ||
        (scenario_has_experts(s) && calc_dense_layers_on_stage(s, stage) != 0)) {
        return stage + 1;
    }
    larger = larger_stages(s);
    return stage < larger && larger < last ? larger : last;
}

uint64_t calc_expert_ranks(const struct scenario *s) {
    const struct calc_layout *l = &s->layout;
    return l->dp * l->cp * l->tp / (l->ep * l->etp); /* each at most 2^20 */
}

uint64_t calc_mlp_params(const struct calc_model *m, uint64_t width, struct calc_guard *g) {
    uint64_t fc1 = calc_times(g, width, m->gated ? 2 : 1);
    uint64_t count = calc_times(g, m->hidden, calc_plus(g, fc1, width));
    return m->bias == CALC_BIAS_ALL ? calc_plus(g, count, calc_plus(g, fc1, m->hidden)) : count;
}

uint64_t calc_router_params(const struct calc_model *m, struct calc_guard *g) {
    uint64_t count = calc_times(g, m->hidden, m->experts);
    return m->shared_gate && m->experts_shared != 0 ? calc_plus(g, count, m->hidden) : count;
}

uint64_t calc_shared_width(const struct calc_model *m, uint64_t tp, struct calc_guard *g) {
    return checked_div_up(calc_times(g, m->experts_shared, m->moe_ffn), tp);
}

uint64_t calc_shared_params(const struct calc_model *m, uint64_t tp, struct calc_guard *g) {
    return m->experts_shared == 0 ? 0 : calc_mlp_params(m, calc_shared_width(m, tp, g), g);
}

enum status calc_expert_params_on_stage(const struct scenario *s, uint64_t stage, uint64_t *out,
                                        struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    *out = 0;
    if (scenario_params_only(s) || !scenario_has_experts(s)) {
        return STATUS_OK;
    }
    uint64_t layers = calc_layers_on_stage(s, stage) - calc_dense_layers_on_stage(s, stage);
    uint64_t one = calc_mlp_params(m, checked_div_up(m->moe_ffn, s->layout.etp), &g);
    *out = calc_times3(&g, layers, checked_div_up(m->experts, s->layout.ep), one);
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}
