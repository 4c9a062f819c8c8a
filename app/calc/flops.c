/* Operations that one token costs, with their derivation. Called by `shardlab flops`, by the communication calculator
 * for the time that computation hides, and by plan. Pure; nothing is owned. The counts are whole numbers and checked;
 * what a GPU does in a micro-batch (flops_stage.c) is a mean over ranks and therefore real. Left out: everything that is
 * no matrix product. Proof: tests/unit/calc/test_flops.c. */
#include "shardlab/calc/flops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flops_private.h"
#include "shardlab/calc/params.h"

static const char narayanan[] = "Narayanan et al., arXiv:2104.04473, section 5.1";
static const char deepseek[] = "DeepSeek-V3, arXiv:2412.19437, section 3.2.3";
static const char korthikanti[] = "Korthikanti et al., arXiv:2205.05198, appendix A";

uint64_t calc_attention_width(const struct calc_model *m, struct calc_guard *g) {
    uint64_t value = m->kv_rank != 0 ? m->v_head : m->head_dim;
    return calc_times(g, m->heads, calc_plus(g, m->head_dim, value));
}

uint64_t calc_latent_up_elements(const struct calc_model *m, uint64_t q_width, uint64_t heads,
                                 uint64_t v_width, struct calc_guard *g) {
    uint64_t keys = calc_plus(g, calc_times(g, heads, m->qk_nope), v_width);
    return calc_plus(g, calc_times(g, m->q_rank, q_width), calc_times(g, m->kv_rank, keys));
}

static void describe(char *text, size_t capacity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void describe(char *text, size_t capacity, const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, capacity, format, values);
    va_end(values);
}

static struct calc_flops_term *add(struct calc_flops *f, const char *id, bool of_model,
                                   uint64_t flops, const char *source) {
    struct calc_flops_term *t = &f->terms[f->term_count++];
    *t = (struct calc_flops_term){.id = id, .of_model = of_model, .flops = flops, .source = source};
    return t;
}

#define FORMULA(t, ...) describe((t)->formula, sizeof(t)->formula, __VA_ARGS__)
#define NUMBERS(t, ...) describe((t)->substituted, sizeof(t)->substituted, __VA_ARGS__)

/* Elements of the matrices that a token passes: of the routed experts only those that it is sent to. */
static enum status passed_elements(const struct scenario *s, uint64_t *out, struct message *why) {
    struct scenario whole;
    struct calc_matrices m;
    struct calc_guard g = {false};
    calc_undivided(s, &whole);
    enum status ok = calc_params_matrices(&whole, 0, &m, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t one = s->model.experts != 0 ? m.routed_elements / s->model.experts : 0;
    *out = calc_plus(&g, m.layer_elements, calc_times(&g, one, s->model.experts_active));
    return g.overflow ? calc_overflow(why, "flops.matrices") : STATUS_OK;
}

static void add_model_terms(const struct scenario *s, struct calc_flops *f, struct calc_guard *g) {
    const struct calc_model *m = &s->model;
    struct calc_flops_term *t =
        add(f, "flops.matrices", true, calc_times(g, 3, f->matrices), narayanan);
    FORMULA(t, "6·Ψm");
    NUMBERS(t, "6 × %ju", (uintmax_t)(f->matrices / 2));
    t = add(f, "flops.attention", true, calc_times(g, 3, f->attention), narayanan);
    if (m->kv_rank != 0) {
        FORMULA(t, "6·L·s·a·(d + dv)");
        NUMBERS(t, "6 × %ju × %ju × %ju × (%ju + %ju)", (uintmax_t)m->layers,
                (uintmax_t)s->batch.seq, (uintmax_t)m->heads, (uintmax_t)m->head_dim,
                (uintmax_t)m->v_head);
    } else {
        FORMULA(t, "12·L·s·a·d");
        NUMBERS(t, "12 × %ju × %ju × %ju × %ju", (uintmax_t)m->layers, (uintmax_t)s->batch.seq,
                (uintmax_t)m->heads, (uintmax_t)m->head_dim);
    }
    t = add(f, "flops.head", true, calc_times(g, 3, f->head), narayanan);
    FORMULA(t, "6·h·V");
    NUMBERS(t, "6 × %ju × %ju", (uintmax_t)m->hidden, (uintmax_t)m->vocab);
}

/* Full: the layers' forward once more (the head's is not). Selective: Korthikanti turns s/6h into s/3h, which counts
 * attention with its backward again; its forward alone is a third of that. With flash attention nothing is kept that
 * selective recomputation would drop. */
static void add_recomputed(const struct scenario *s, struct calc_flops *f, struct calc_guard *g) {
    if (s->recipe.recompute == CALC_RECOMPUTE_FULL) {
        uint64_t again = calc_plus(g, f->matrices, f->attention);
        struct calc_flops_term *t = add(f, "flops.recompute", false, again, narayanan);
        FORMULA(t, s->model.kv_rank != 0 ? "2·Ψm + 2·L·s·a·(d + dv)" : "2·Ψm + 4·L·s·a·d");
        NUMBERS(t, "2 × %ju + %ju", (uintmax_t)(f->matrices / 2), (uintmax_t)f->attention);
    } else if (s->recipe.recompute == CALC_RECOMPUTE_SELECTIVE &&
               s->recipe.attention == CALC_ATTENTION_STANDARD) {
        uint64_t again = calc_times(g, 3, f->attention);
        struct calc_flops_term *t = add(f, "flops.recompute_attention", false, again, korthikanti);
        FORMULA(t, "s/6h → s/3h");
        NUMBERS(t, "3 × %ju", (uintmax_t)f->attention);
        f->forward_only = f->attention;
    }
}

/* Projections up from the latents, forward once more. Norms and activation functions are no matrix products. */
static void add_latents(const struct scenario *s, struct calc_flops *f, struct calc_guard *g) {
    const struct calc_model *m = &s->model;
    if (!s->recipe.recompute_latents || s->recipe.recompute == CALC_RECOMPUTE_FULL ||
        m->kv_rank == 0) {
        return;
    }
    uint64_t up = calc_latent_up_elements(m, calc_times(g, m->heads, m->head_dim), m->heads,
                                          calc_times(g, m->heads, m->v_head), g);
    struct calc_flops_term *t =
        add(f, "flops.recompute_latents", false, calc_times3(g, 2, m->layers, up), deepseek);
    FORMULA(t, "2·L·a(rq·dqk + rkv(dn + dv))");
    NUMBERS(t, "2 × %ju × %ju", (uintmax_t)m->layers, (uintmax_t)up);
}

static enum status add_padding(const struct scenario *s, struct calc_flops *f, struct calc_guard *g,
                               struct message *why) {
    uint64_t padded = 0;
    enum status ok = calc_vocab_padded(s, &padded, why);
    if (ok == STATUS_OK && padded > s->model.vocab) {
        uint64_t more = padded - s->model.vocab;
        struct calc_flops_term *t =
            add(f, "flops.padding", false, calc_times3(g, 6, s->model.hidden, more), narayanan);
        FORMULA(t, "6·h·(V' − V)");
        NUMBERS(t, "6 × %ju × %ju", (uintmax_t)s->model.hidden, (uintmax_t)more);
    }
    return ok;
}

static void sum_terms(struct calc_flops *f, struct calc_guard *g) {
    for (int i = 0; i < f->term_count; i++) {
        const struct calc_flops_term *t = &f->terms[i];
        f->model = calc_plus(g, f->model, t->of_model ? t->flops : 0);
        f->hardware = calc_plus(g, f->hardware, t->flops);
    }
    f->causal = f->model - (3 * f->attention + 1) / 2; /* a part of model: cannot wrap */
}

/* The rule of thumb: no more is known of Ψ parameters. */
static enum status of_params(const struct scenario *s, struct calc_flops *f, struct calc_guard *g) {
    struct calc_flops_term *t =
        add(f, "flops.params", true, f->six_psi, "Kaplan et al., arXiv:2001.08361, section 2.1");
    FORMULA(t, "6Ψ");
    NUMBERS(t, "6 × %ju", (uintmax_t)s->model.params);
    if (s->recipe.recompute == CALC_RECOMPUTE_FULL) {
        t = add(f, "flops.recompute", false, f->six_psi / 3, narayanan);
        FORMULA(t, "2Ψ");
        NUMBERS(t, "2 × %ju", (uintmax_t)s->model.params);
    }
    sum_terms(f, g);
    f->hardware_known = s->recipe.recompute != CALC_RECOMPUTE_SELECTIVE ||
                        s->recipe.attention == CALC_ATTENTION_FLASH;
    return STATUS_OK;
}

enum status calc_flops_per_token(const struct scenario *s, struct calc_flops *out,
                                 struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    struct calc_params params;
    uint64_t elements = 0;
    memset(out, 0, sizeof *out);
    enum status ok = calc_params_count(s, &params, why);
    if (ok == STATUS_OK && !scenario_params_only(s)) {
        ok = passed_elements(s, &elements, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    out->six_psi = calc_times(&g, 6, params.active);
    if (scenario_params_only(s)) {
        ok = of_params(s, out, &g);
        return g.overflow ? calc_overflow(why, "flops.params") : ok;
    }
    uint64_t width = calc_attention_width(m, &g);
    out->parts_known = out->hardware_known = true;
    out->matrices = calc_times(&g, 2, elements);
    out->attention = calc_times(&g, calc_times3(&g, 2, m->layers, s->batch.seq), width);
    out->head = calc_times3(&g, 2, m->hidden, m->vocab);
    add_model_terms(s, out, &g);
    add_recomputed(s, out, &g);
    add_latents(s, out, &g);
    ok = add_padding(s, out, &g, why);
    if (ok == STATUS_OK && !g.overflow) {
        sum_terms(out, &g);
    }
    return g.overflow ? calc_overflow(why, "flops") : ok;
}
