/* From what was given to a complete scenario: an option given wins, then the preset's value, then what the
 * convention sets, then the defaults of CONTRACT. Pure; called by cli and shell after presets were applied.
 * Whether the result is legal is scenario_check.c's question. Proof: tests/unit/calc/test_scenario.c. */
#include "shardlab/calc/scenario.h"

#include <string.h>

#include "calc_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/schedule.h"

void scenario_start(struct scenario *s) {
    memset(s, 0, sizeof *s);
}

bool scenario_params_only(const struct scenario *s) {
    return s->model.params != 0;
}

bool scenario_has_experts(const struct scenario *s) {
    return s->model.experts != 0;
}

bool scenario_has_latents(const struct scenario *s) {
    return s->model.kv_rank != 0;
}

static bool given(const struct scenario *s, const char *option) {
    return calc_option_given(s, calc_option_index(option));
}

bool calc_is_dimension(int option) {
    const struct calc_option *o = calc_option_at(option);
    return o->group == CALC_GROUP_MODEL && o->kind != CALC_OPTION_NAME &&
           o->kind != CALC_OPTION_PATH && option != calc_option_index("params");
}

/* Exactly one source of the model: a preset, a file, dimensions, or Ψ alone. */
static enum status check_source(const struct scenario *s, struct message *why) {
    static const char *const sources[] = {"model", "config", "params"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (!given(s, sources[i])) {
            continue;
        }
        if (first != NULL) {
            message_start(why, "error.model.two_sources");
            message_add_text(why, first);
            message_add_text(why, sources[i]);
            return STATUS_USAGE;
        }
        first = sources[i];
    }
    for (int i = 0; given(s, "params") && i < calc_option_count(); i++) {
        if (calc_option_given(s, i) && calc_is_dimension(i)) {
            message_start(why, "error.model.two_sources");
            message_add_text(why, "params");
            message_add_text(why, calc_option_at(i)->name);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static enum status check_dimensions(const struct scenario *s, struct message *why) {
    static const char *const needed[] = {"layers", "hidden", "heads", "vocab"};
    const char *missing = NULL;
    bool any = false;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        bool there = calc_option_value(s, calc_option_index(needed[i])) != 0;
        any = any || there;
        if (!there && missing == NULL) {
            missing = needed[i];
        }
    }
    if (missing == NULL) {
        return STATUS_OK;
    }
    for (int i = 0; i < calc_option_count(); i++) {
        any = any || (calc_option_given(s, i) && calc_is_dimension(i));
    }
    message_start(why, any ? "error.model.missing_dimension" : "error.model.missing");
    if (any) {
        message_add_text(why, missing);
    }
    return STATUS_USAGE;
}

/* Dimensions that only make sense together: where one of them stands, the first `needed` of them must. */
static enum status check_together(const struct scenario *s, const char *const names[], size_t count,
                                  size_t needed, struct message *why) {
    const char *there = NULL;
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        if (calc_option_value(s, calc_option_index(names[i])) != 0) {
            there = there == NULL ? names[i] : there;
        } else if (i < needed && missing == NULL) {
            missing = names[i];
        }
    }
    if (there == NULL || missing == NULL) {
        return STATUS_OK;
    }
    message_start(why, "error.model.missing_with");
    message_add_text(why, missing);
    message_add_text(why, there);
    return STATUS_USAGE;
}

static enum status check_parts(const struct scenario *s, struct message *why) {
    static const char *const experts[] = {"experts", "experts-active", "experts-shared", "moe-ffn",
                                          "dense-layers"};
    static const char *const latents[] = {"kv-rank", "qk-nope", "qk-rope", "v-head", "q-rank"};
    enum status ok = check_together(s, experts, 5, 2, why);
    return ok == STATUS_OK ? check_together(s, latents, 5, 4, why) : ok;
}

static uint64_t or_default(uint64_t value, uint64_t fallback) {
    return value != 0 ? value : fallback;
}

/* The model's own rules. A preset leaves nothing open but max-seq. */
static enum status resolve_model(struct scenario *s, struct message *why) {
    struct calc_model *m = &s->model;
    bool described = m->name[0] != '\0' || m->config[0] != '\0';
    m->kv_heads = or_default(m->kv_heads, m->heads);
    if (m->head_dim == 0 && scenario_has_latents(s)) {
        m->head_dim = m->qk_nope + m->qk_rope; /* each at most 2^40 */
    }
    if (m->head_dim == 0) {
        if (m->hidden % m->heads != 0) {
            message_start(why, "error.model.head_dim");
            message_add_plain(why, m->hidden);
            message_add_plain(why, m->heads);
            return STATUS_USAGE;
        }
        m->head_dim = m->hidden / m->heads;
    }
    if (!described && !given(s, "gated")) {
        m->gated = given(s, "ffn") || given(s, "moe-ffn");
    }
    bool all_experts = scenario_has_experts(s) && m->dense_layers == 0 && m->moe_ffn != 0;
    if (m->ffn == 0 && !all_experts) { /* where every layer has experts, nothing has this width */
        if (m->gated) {
            message_start(why, "error.model.gated_ffn");
            return STATUS_USAGE;
        }
        m->ffn = 4 * m->hidden; /* hidden is at most 2^40: cannot wrap */
    }
    if (scenario_has_experts(s)) {
        m->moe_ffn = or_default(m->moe_ffn, m->ffn);
    }
    m->norms = or_default(m->norms, 2);
    m->max_seq = or_default(m->max_seq, s->batch.seq);
    if (m->position == CALC_POSITION_LEARNED) {
        m->position_rows = or_default(m->position_rows, m->max_seq);
    } else {
        m->position_rows = 0;
    }
    return STATUS_OK;
}

static void resolve_layout(struct scenario *s) {
    struct calc_layout *l = &s->layout;
    l->dp = or_default(l->dp, 1);
    l->tp = or_default(l->tp, 1);
    l->pp = or_default(l->pp, 1);
    l->cp = or_default(l->cp, 1);
    l->ep = or_default(l->ep, 1);
    l->etp = or_default(l->etp, 1);
    if (!given(s, "schedule")) {
        l->schedule = l->chunks > 1 ? CALC_SCHEDULE_INTERLEAVED : CALC_SCHEDULE_1F1B;
    }
    l->chunks = or_default(l->chunks, calc_chunks_default(l->schedule));
    if (!given(s, "zero")) { /* FSDP is sharding: it has no stage without */
        l->zero = s->convention == CALC_CONVENTION_FSDP ? 3 : 0;
    }
    if (!given(s, "reshard")) {
        l->reshard = true;
    }
    if (!given(s, "prefetch")) {
        l->prefetch = 1;
    }
    if (!given(s, "reduce")) { /* from ZeRO 2 on nobody keeps whole gradients until the last */
        l->reduce = l->zero >= 2 ? CALC_REDUCE_EVERY : CALC_REDUCE_BOUNDARY;
    }
}

/* What --convention stands for (CONTRACT, "shorthand"). */
static void resolve_recipe(struct scenario *s) {
    struct calc_recipe *r = &s->recipe;
    bool megatron = s->convention == CALC_CONVENTION_MEGATRON;
    if (!given(s, "precision")) {
        r->precision = CALC_PRECISION_BF16;
    }
    if (!given(s, "attention")) {
        r->attention = CALC_ATTENTION_FLASH;
    }
    if (r->grad_bytes == 0) {
        static const uint64_t by_convention[] = {
            [CALC_CONVENTION_ZERO_PAPER] = 2, [CALC_CONVENTION_MEGATRON] = 4,
            [CALC_CONVENTION_DEEPSPEED] = 6,  [CALC_CONVENTION_FSDP] = 4,
            [CALC_CONVENTION_HF] = 2, /* as the weights */
        };
        r->grad_bytes = r->precision == CALC_PRECISION_FP32 ? 4 : by_convention[s->convention];
    }
    if (r->input_bytes == 0) {
        r->input_bytes = r->precision == CALC_PRECISION_FP32 ? 4 : 2;
    }
    if (!given(s, "logits")) {
        r->logits = megatron ? CALC_LOGITS_FUSED : CALC_LOGITS_NONE;
    }
    if (!given(s, "buffers")) {
        r->buffers = megatron ? CALC_BUFFERS_FRAMEWORK : CALC_BUFFERS_NONE;
    }
    if (r->pad_vocab == 0) {
        r->pad_vocab = megatron ? 128 * s->layout.tp : 1; /* tp is at most 2^20 */
    }
}

static void resolve_cluster(struct scenario *s) {
    struct calc_cluster *c = &s->cluster;
    c->gpus_per_node = or_default(c->gpus_per_node, 8);
    if (!given(s, "alpha-us")) {
        c->alpha_us = 5;
    }
    if (!given(s, "mfu")) {
        c->mfu = 0.40;
    }
}

/* 4096 tokens, but not more than a learned position table has rows: GPT-2 must not fail for what nobody asked. */
static uint64_t seq_default(const struct calc_model *m) {
    bool shorter = m->position == CALC_POSITION_LEARNED && m->max_seq != 0 && m->max_seq < 4096;
    return shorter ? m->max_seq : 4096;
}

/* Enough to fill every schedule's pipeline; a single rank needs none but dualpipev. */
static uint64_t micro_batches_default(const struct scenario *s) {
    uint64_t alone = s->layout.schedule == CALC_SCHEDULE_DUALPIPEV ? 2 : 1;
    return s->layout.pp > 1 ? 4 * s->layout.pp : alone;
}

enum status scenario_resolve(const struct scenario *in, struct scenario *out, struct message *why) {
    if (out != in) {
        *out = *in;
    }
    enum status ok = check_source(out, why);
    if (ok == STATUS_OK && !scenario_params_only(out)) {
        ok = check_dimensions(out, why);
    }
    if (ok == STATUS_OK && !scenario_params_only(out)) {
        ok = check_parts(out, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    resolve_layout(out);
    resolve_recipe(out);
    resolve_cluster(out);
    out->batch.seq = or_default(out->batch.seq, seq_default(&out->model));
    out->batch.micro_batch = or_default(out->batch.micro_batch, 1);
    out->batch.micro_batches = or_default(out->batch.micro_batches, micro_batches_default(out));
    return scenario_params_only(out) ? STATUS_OK : resolve_model(out, why);
}

double scenario_flops_per_s(const struct scenario *s) {
    const double *peaks = s->cluster.peak_tflops;
    double peak = peaks[s->recipe.precision];
    if (s->recipe.precision == CALC_PRECISION_FP8 && peak > 0) {
        peak = peaks[CALC_PRECISION_BF16] * CALC_FP8_SPEEDUP;
    }
    return peak * 1e12 * s->cluster.mfu;
}

uint64_t scenario_capacity_bytes(const struct scenario *s) {
    const struct calc_cluster *c = &s->cluster;
    uint64_t all = c->memory != 0         ? c->memory
                   : c->usable_bytes != 0 ? c->usable_bytes
                                          : c->listed_bytes;
    return all > c->reserve ? all - c->reserve : 0;
}
