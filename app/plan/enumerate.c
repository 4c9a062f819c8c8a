/* The loops over layouts: which values each dimension takes (the rules of plan.h), pinned ones first. Calls
 * plan_search_group for everything but the micro-batch. Pure. Proof: tests/unit/plan/test_search.c. */
#include <string.h>

#include "search_private.h"
#include "shardlab/calc/option.h"

struct values {
    int count;
    uint64_t value[PLAN_DIVISORS_MAX];
};

static void add(struct values *list, uint64_t value) {
    if (list->count < PLAN_DIVISORS_MAX) {
        list->value[list->count++] = value;
    }
}

/* Divisors up to `most`, ascending. */
static void divisors(uint64_t number, uint64_t most, struct values *list) {
    list->count = 0;
    for (uint64_t d = 1; d <= most && d <= number; d++) {
        if (number % d == 0) {
            add(list, d);
        }
    }
}

static uint64_t given_value(const struct plan_search_state *p, const char *name) {
    return calc_option_value(p->request->applied, calc_option_index(name));
}

/* The pinned value alone if it divides `number`; false: there is no pin. */
static bool pinned(const struct plan_search_state *p, const char *name, uint64_t number,
                   struct values *list) {
    if (!plan_pinned(p->request->applied, name)) {
        return false;
    }
    uint64_t value = given_value(p, name);
    list->count = 0;
    if (value <= number && number % value == 0) {
        add(list, value);
    }
    return true;
}

static void tensor_ranks(const struct plan_search_state *p, struct values *list) {
    uint64_t gpus = p->request->gpus, node = p->s.cluster.gpus_per_node;
    if (!pinned(p, "tp", gpus, list)) {
        struct values all;
        list->count = 0;
        divisors(gpus, node, &all);
        for (int i = 0; i < all.count; i++) {
            if (node % all.value[i] == 0) {
                add(list, all.value[i]);
            }
        }
    }
}

static void pipeline_ranks(const struct plan_search_state *p, uint64_t ranks, struct values *list) {
    uint64_t layers = p->s.model.layers;
    if (!pinned(p, "pp", ranks, list)) {
        divisors(ranks, layers < CALC_STAGES_MAX ? layers : CALC_STAGES_MAX, list);
    }
}

static void context_ranks(const struct plan_search_state *p, uint64_t ranks, struct values *list) {
    uint64_t seq = p->s.batch.seq;
    if (!pinned(p, "cp", ranks, list)) {
        struct values all;
        divisors(ranks, seq / PLAN_CP_TOKENS > 1 ? seq / PLAN_CP_TOKENS : 1, &all);
        list->count = 0;
        for (int i = 0; i < all.count; i++) {
            if (all.value[i] == 1 || seq % (2 * all.value[i]) == 0) {
                add(list, all.value[i]);
            }
        }
    }
}

static void expert_ranks(const struct plan_search_state *p, struct values *list) {
    const struct calc_layout *l = &p->s.layout;
    uint64_t ranks = l->dp * l->cp * l->tp; /* at most the GPUs */
    uint64_t experts = scenario_has_experts(&p->s) ? p->s.model.experts : 1;
    if (pinned(p, "ep", ranks, list)) {
        return;
    }
    struct values all;
    divisors(experts, ranks, &all);
    list->count = 0;
    for (int i = 0; i < all.count; i++) {
        if (ranks % (all.value[i] * l->etp) == 0) {
            add(list, all.value[i]);
        }
    }
}

static void zero_stages(const struct plan_search_state *p, struct values *list) {
    list->count = 0;
    if (plan_pinned(p->request->applied, "zero")) {
        add(list, given_value(p, "zero"));
        return;
    }
    for (uint64_t zero = 0; zero <= 3; zero++) {
        add(list, zero); /* scenario_violations knows which the convention defines */
    }
}

/* Chunks a stage; 1 is no interleaving. */
static void chunk_counts(const struct plan_search_state *p, struct values *list) {
    uint64_t layers = p->s.model.layers, pp = p->s.layout.pp;
    bool by_schedule = plan_pinned(p->request->applied, "schedule");
    bool interleaved = given_value(p, "schedule") == CALC_SCHEDULE_INTERLEAVED;
    list->count = 0;
    if (plan_pinned(p->request->applied, "chunks")) {
        add(list, given_value(p, "chunks"));
        return;
    }
    if (!by_schedule || !interleaved) {
        add(list, 1);
    }
    if (pp == 1 || (by_schedule && !interleaved)) {
        return;
    }
    bool evenly = false;
    for (uint64_t v = 2; v <= PLAN_CHUNKS_MAX && v * pp <= layers; v++) {
        if (layers % (v * pp) == 0) {
            add(list, v);
            evenly = true;
        }
    }
    for (uint64_t v = 2; !evenly && v <= PLAN_CHUNKS_MAX && v * pp <= layers; v *= 2) {
        add(list, v);
    }
}

static void recomputations(const struct plan_search_state *p, struct values *list) {
    list->count = 0;
    if (plan_pinned(p->request->applied, "recompute")) {
        add(list, given_value(p, "recompute"));
        return;
    }
    add(list, CALC_RECOMPUTE_NONE);
    if (p->s.recipe.attention == CALC_ATTENTION_STANDARD) {
        add(list, CALC_RECOMPUTE_SELECTIVE);
    }
    add(list, CALC_RECOMPUTE_FULL);
}

static bool size_is_allowed(const struct plan_search_state *p, uint64_t sequences, uint64_t size) {
    const struct scenario *a = p->request->applied;
    bool count_pinned = plan_pinned(a, "micro-batches");
    return (!plan_pinned(a, "micro-batch") || given_value(p, "micro-batch") == size) &&
           (!count_pinned || given_value(p, "micro-batches") == sequences / size);
}

/* Micro-batches of a pipeline's `sequences`. */
static void micro_batches(const struct plan_search_state *p, uint64_t sequences,
                          struct plan_sizes *sizes) {
    const struct scenario *a = p->request->applied;
    uint64_t most = sequences < PLAN_MICRO_BATCH_MAX ? sequences : PLAN_MICRO_BATCH_MAX;
    uint64_t least = 1;
    if (plan_pinned(a, "micro-batch")) {
        least = most = given_value(p, "micro-batch");
    } else if (plan_pinned(a, "micro-batches")) {
        least = most = sequences / given_value(p, "micro-batches");
    }
    *sizes = (struct plan_sizes){.sequences = sequences};
    for (uint64_t size = least; size >= 1 && size <= most; size++) {
        if (sequences % size == 0 && size_is_allowed(p, sequences, size)) {
            sizes->size[sizes->count++] = size;
        }
    }
}

/* Of them, those whose number is a multiple of pp. */
static void whole_rounds(const struct plan_sizes *sizes, uint64_t pp, struct plan_sizes *out) {
    out->sequences = sizes->sequences;
    out->count = 0;
    for (int i = 0; i < sizes->count; i++) {
        if (sizes->sequences / sizes->size[i] % pp == 0) {
            out->size[out->count++] = sizes->size[i];
        }
    }
}

static enum status each_schedule(struct plan_search_state *p, const struct plan_sizes *sizes,
                                 struct message *why) {
    struct calc_layout *l = &p->s.layout;
    struct values chunks, recomputes;
    struct plan_sizes rounds;
    bool gpipe = plan_pinned(p->request->applied, "schedule") &&
                 given_value(p, "schedule") == CALC_SCHEDULE_GPIPE;
    enum status ok = STATUS_OK;
    chunk_counts(p, &chunks);
    recomputations(p, &recomputes);
    whole_rounds(sizes, l->pp, &rounds);
    p->group_too_large = false;
    for (int c = 0; c < chunks.count && ok == STATUS_OK; c++) {
        l->chunks = chunks.value[c];
        l->schedule = l->chunks > 1 ? CALC_SCHEDULE_INTERLEAVED
                      : gpipe       ? CALC_SCHEDULE_GPIPE
                                    : CALC_SCHEDULE_1F1B;
        /* chunks move dense layers between stages, and nothing else */
        p->group_too_large = p->group_too_large && !scenario_has_experts(&p->s);
        for (int r = 0; r < recomputes.count && ok == STATUS_OK; r++) {
            bool states_fit = true;
            p->s.recipe.recompute = (int)recomputes.value[r];
            ok = plan_search_group(p, l->chunks > 1 ? &rounds : sizes, &states_fit, why);
            p->group_too_large = p->group_too_large || !states_fit;
        }
    }
    return ok;
}

static enum status each_context(struct plan_search_state *p, uint64_t ranks, struct message *why) {
    struct calc_layout *l = &p->s.layout;
    struct values contexts, experts;
    enum status ok = STATUS_OK;
    context_ranks(p, ranks, &contexts);
    for (int c = 0; c < contexts.count && ok == STATUS_OK; c++) {
        struct plan_sizes sizes;
        l->cp = contexts.value[c];
        l->dp = ranks / l->cp;
        bool other = plan_pinned(p->request->applied, "dp") && given_value(p, "dp") != l->dp;
        if (other || p->request->global_batch % l->dp != 0) {
            continue;
        }
        micro_batches(p, p->request->global_batch / l->dp, &sizes);
        expert_ranks(p, &experts);
        for (int e = 0; e < experts.count && ok == STATUS_OK; e++) {
            l->ep = experts.value[e];
            ok = each_schedule(p, &sizes, why);
        }
    }
    return ok;
}

/* What depends on tp or the ZeRO stage is resolved anew: padding, how gradients are reduced. */
static enum status resolve_for(struct plan_search_state *p, uint64_t tp, uint64_t zero,
                               struct message *why) {
    struct plan_layout seed = {.dp = 1,
                               .tp = tp,
                               .pp = 1,
                               .cp = 1,
                               .ep = 1,
                               .chunks = 1,
                               .zero = zero,
                               .micro_batch = 1,
                               .micro_batches = 1};
    return plan_seed(p->request, &seed, &p->s, why);
}

enum status plan_search_all(struct plan_search_state *p, struct message *why) {
    struct values tensors, pipelines, zeros;
    uint64_t gpus = p->request->gpus;
    enum status ok = plan_ideal_s(&p->s, &p->ideal_s, why);
    /* of one GPU's own batch so far */
    double own =
        (double)p->s.batch.micro_batch * (double)p->s.batch.micro_batches * (double)p->s.layout.dp;
    double ranks = (double)p->s.layout.dp * (double)p->s.layout.tp * (double)p->s.layout.pp *
                   (double)p->s.layout.cp;
    p->ideal_s *= (double)p->request->global_batch / own * ranks / (double)gpus;
    tensor_ranks(p, &tensors);
    zero_stages(p, &zeros);
    for (int t = 0; t < tensors.count; t++) {
        for (int z = 0; z < zeros.count && ok == STATUS_OK; z++) {
            ok = resolve_for(p, tensors.value[t], zeros.value[z], why);
            uint64_t rest = gpus / tensors.value[t];
            pipeline_ranks(p, rest, &pipelines);
            for (int q = 0; q < pipelines.count && ok == STATUS_OK; q++) {
                p->s.layout.pp = pipelines.value[q];
                ok = each_context(p, rest / p->s.layout.pp, why);
            }
        }
    }
    return ok;
}
