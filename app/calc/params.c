/* Parameter counts of the whole model and of one GPU. Called by memory*.c, cli and lessons. Pure; nothing is
 * owned. What experts add is in experts.c. Proof: tests/unit/calc/test_params.c, test_experts.c. */
#include "shardlab/calc/params.h"

#include <string.h>

#include "calc_private.h"

/* Elements of one norm: gain, and with LayerNorm a shift. */
static uint64_t norm_width(const struct calc_model *m, uint64_t width) {
    return m->norm == CALC_NORM_LAYER ? 2 * width : width; /* width <= 2^40 */
}

enum status calc_vocab_padded(const struct scenario *s, uint64_t *out, struct message *why) {
    struct calc_guard g = {false};
    uint64_t multiple = s->recipe.pad_vocab;
    uint64_t padded = calc_times(&g, checked_div_up(s->model.vocab, multiple), multiple);
    if (g.overflow) {
        return calc_overflow(why, "vocab");
    }
    *out = padded;
    return STATUS_OK;
}

/* The shape without tensor parallelism is the shape at tp 1. */
static void shape(const struct calc_model *m, uint64_t tp, uint64_t vocab, struct calc_guard *g,
                  struct calc_rank_shape *out) {
    uint64_t kv_heads = checked_div_up(m->kv_heads, tp); /* copied where tp exceeds them: 1 */
    out->q_width = calc_times(g, m->heads / tp, m->head_dim);
    out->kv_width = calc_times(g, kv_heads, m->head_dim);
    out->v_width = out->kv_width;
    out->out_width = out->q_width;
    out->q_latent = out->kv_latent = 0;
    if (m->kv_rank != 0) {
        out->v_width = out->out_width = calc_times(g, m->heads / tp, m->v_head);
        out->q_latent = checked_div_up(m->q_rank, tp);
        out->kv_latent = checked_div_up(calc_plus(g, m->kv_rank, m->qk_rope), tp);
    }
    out->ffn = checked_div_up(m->ffn, tp);
    out->fc1 = calc_times(g, out->ffn, m->gated ? 2 : 1);
    out->vocab = checked_div_up(vocab, tp);
}

enum status calc_shape_of_rank(const struct scenario *s, struct calc_rank_shape *out,
                               struct message *why) {
    struct calc_guard g = {false};
    uint64_t vocab = 0;
    enum status ok = calc_vocab_padded(s, &vocab, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    shape(&s->model, s->layout.tp, vocab, &g, out);
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}

/* Latent attention: down to the latents and up again to queries, keys without their rotary part and values
 * (Megatron-LM: q_r(h + a(d_n+d_r)) + k_r(h + a(d_n+d_v)) + h·d_r + a·d_v·h; the latents' norms are norms). */
static uint64_t latent_params(const struct calc_model *m, const struct calc_rank_shape *r,
                              struct calc_guard *g) {
    uint64_t queries = calc_times(g, m->hidden, r->q_width);
    if (m->q_rank != 0) {
        queries = calc_plus(g, calc_times(g, m->hidden, r->q_latent),
                            calc_times(g, m->q_rank, r->q_width));
    }
    uint64_t nope = r->kv_width / m->head_dim * m->qk_nope; /* no larger than kv_width */
    uint64_t up = calc_times(g, m->kv_rank, calc_plus(g, nope, r->v_width));
    uint64_t keys = calc_plus(g, calc_times(g, m->hidden, r->kv_latent), up);
    return calc_plus(g, calc_plus(g, queries, keys), calc_times(g, r->out_width, m->hidden));
}

/* q and out projections, keys and values; column-parallel biases divided, the row-parallel one whole. */
static uint64_t attention_params(const struct calc_model *m, const struct calc_rank_shape *r,
                                 struct calc_guard *g) {
    if (m->kv_rank != 0) {
        return latent_params(m, r, g);
    }
    uint64_t widths = calc_times(g, 2, calc_plus(g, r->q_width, r->kv_width));
    uint64_t count = calc_times(g, m->hidden, widths);
    if (m->bias != CALC_BIAS_NONE) {
        uint64_t qkv = calc_plus(g, r->q_width, calc_times(g, 2, r->kv_width));
        count = calc_plus(g, count, qkv);
    }
    return m->bias == CALC_BIAS_ALL ? calc_plus(g, count, m->hidden) : count;
}

static uint64_t layer_norm_params(const struct calc_model *m, struct calc_guard *g) {
    uint64_t count = calc_times(g, m->norms, norm_width(m, m->hidden));
    if (m->kv_rank != 0) {
        uint64_t latents = calc_plus(g, norm_width(m, m->q_rank), norm_width(m, m->kv_rank));
        count = calc_plus(g, count, latents);
    }
    return m->qk_norm ? calc_plus(g, count, 2 * norm_width(m, m->head_dim)) : count;
}

static void add_group(struct calc_params *p, struct calc_guard *g, const char *name,
                      uint64_t count) {
    if (count == 0) {
        return;
    }
    p->groups[p->group_count++] = (struct calc_params_group){name, count};
    p->total = calc_plus(g, p->total, count);
}

/* The FFNs of all layers; `*idle` counts the experts that a token does not go through. */
static void add_ffn_groups(const struct calc_model *m, struct calc_params *p, struct calc_guard *g,
                           uint64_t *idle) {
    uint64_t dense = m->experts != 0 ? m->dense_layers : m->layers;
    add_group(p, g, "ffn", calc_times(g, dense, calc_mlp_params(m, m->ffn, g)));
    if (m->experts == 0) {
        return;
    }
    uint64_t layers = m->layers - dense;
    uint64_t one = calc_times(g, layers, calc_mlp_params(m, m->moe_ffn, g));
    add_group(p, g, "router", calc_times(g, layers, calc_router_params(m, g)));
    add_group(p, g, "experts", calc_times(g, m->experts, one));
    add_group(p, g, "shared_experts", calc_times(g, layers, calc_shared_params(m, 1, g)));
    *idle = calc_times(g, m->experts - m->experts_active, one);
}

enum status calc_params_count(const struct scenario *s, struct calc_params *out,
                              struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    memset(out, 0, sizeof *out);
    if (scenario_params_only(s)) {
        out->total = out->active = m->params;
        return STATUS_OK;
    }
    struct calc_rank_shape whole;
    uint64_t idle = 0;
    shape(m, 1, m->vocab, &g, &whole);
    uint64_t table = calc_times(&g, m->vocab, m->hidden);
    uint64_t norms = calc_times(&g, m->layers, layer_norm_params(m, &g));
    norms = calc_plus(&g, norms, norm_width(m, m->hidden)); /* the final norm */
    if (m->embedding_norm) {
        norms = calc_plus(&g, norms, norm_width(m, m->hidden));
    }
    add_group(out, &g, "embedding", table);
    add_group(out, &g, "position", calc_times(&g, m->position_rows, m->hidden));
    add_group(out, &g, "attention", calc_times(&g, m->layers, attention_params(m, &whole, &g)));
    add_ffn_groups(m, out, &g, &idle);
    add_group(out, &g, "norms", norms);
    add_group(out, &g, "head", m->tied ? 0 : table);
    out->active = out->total - idle;
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}

void calc_undivided(const struct scenario *s, struct scenario *out) {
    *out = *s;
    struct calc_layout *l = &out->layout;
    l->dp = l->tp = l->pp = l->cp = l->ep = l->etp = l->chunks = 1;
    l->schedule = CALC_SCHEDULE_1F1B; /* one copy */
    l->layers_per_stage_count = 0;
    out->recipe.pad_vocab = 1;
}

uint64_t calc_layers_of_copy(const struct scenario *s, uint64_t stage) {
    const struct calc_layout *l = &s->layout;
    if (l->layers_per_stage_count != 0) {
        return l->layers_per_stage[stage];
    }
    return s->model.layers / l->pp + (stage < s->model.layers % l->pp ? 1 : 0);
}

uint64_t calc_layers_on_stage(const struct scenario *s, uint64_t stage) {
    uint64_t other = s->layout.pp - 1 - stage;
    return calc_layers_of_copy(s, stage) +
           (calc_model_copies(s) == 2 ? calc_layers_of_copy(s, other) : 0);
}

/* Embedding side of the first stage, head side of the last; where both are on one rank, a tied table is one. */
static uint64_t end_params(const struct scenario *s, const struct calc_rank_shape *r,
                           uint64_t stage, struct calc_guard *g) {
    const struct calc_model *m = &s->model;
    uint64_t table = calc_times(g, r->vocab, m->hidden);
    uint64_t count = 0;
    if (calc_has_embedding(s, stage)) {
        count = calc_plus(g, table, calc_times(g, m->position_rows, m->hidden));
        count = calc_plus(g, count, m->embedding_norm ? norm_width(m, m->hidden) : 0);
    }
    if (calc_has_head(s, stage)) {
        count = calc_plus(g, count, norm_width(m, m->hidden));
        bool own_head = !m->tied || !calc_has_embedding(s, stage); /* tied over stages: a copy */
        count = calc_plus(g, count, own_head ? table : 0);
    }
    return count;
}

enum status calc_params_split(const struct scenario *s, uint64_t stage,
                              struct calc_stage_split *out, struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    struct calc_rank_shape rank;
    uint64_t experts = 0;
    enum status ok = calc_shape_of_rank(s, &rank, why);
    if (ok == STATUS_OK) {
        ok = calc_expert_params_on_stage(s, stage, &experts, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t layer = calc_plus(&g, attention_params(m, &rank, &g), layer_norm_params(m, &g));
    uint64_t with_experts = calc_layers_on_stage(s, stage) - calc_dense_layers_on_stage(s, stage);
    *out = (struct calc_stage_split){.dense_layers = calc_dense_layers_on_stage(s, stage),
                                     .expert_layers = with_experts};
    if (out->dense_layers > 0) {
        out->dense_layer = calc_plus(&g, layer, calc_mlp_params(m, rank.ffn, &g));
    }
    if (with_experts > 0) {
        uint64_t beside =
            calc_plus(&g, calc_router_params(m, &g), calc_shared_params(m, s->layout.tp, &g));
        out->expert_layer = calc_plus(&g, calc_plus(&g, layer, beside), experts / with_experts);
    }
    out->root = end_params(s, &rank, stage, &g);
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}

enum status calc_params_on_stage(const struct scenario *s, uint64_t stage, uint64_t *out,
                                 struct message *why) {
    if (scenario_params_only(s)) {
        /* at most 2^30 ranks, and 2^60 parameters */
        *out = checked_div_up(calc_model_copies(s) * s->model.params, s->layout.tp * s->layout.pp);
        return STATUS_OK;
    }
    struct calc_stage_split split;
    enum status ok = calc_params_split(s, stage, &split, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct calc_guard g = {false};
    uint64_t count = calc_times(&g, split.dense_layers, split.dense_layer);
    count = calc_plus(&g, count, calc_times(&g, split.expert_layers, split.expert_layer));
    *out = calc_plus(&g, count, split.root);
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}
