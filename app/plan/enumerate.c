/* The loops over layouts: which values each dimension takes (the rules of plan.h), pinned ones first. Calls
 * plan_search_group for everything but the micro-batch. Pure. Proof: tests/unit/plan/test_search.c. */
#include <string.h>

#include "search_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/schedule.h"

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

static void read_pins(struct plan_search_state *p) {
    static const char *const names[PLAN_PINS] = {
        [PLAN_PIN_DP] = "dp",
        [PLAN_PIN_TP] = "tp",
        [PLAN_PIN_PP] = "pp",
        [PLAN_PIN_CP] = "cp",
        [PLAN_PIN_EP] = "ep",
        [PLAN_PIN_CHUNKS] = "chunks",
        [PLAN_PIN_SCHEDULE] = "schedule",
        [PLAN_PIN_ZERO] = "zero",
        [PLAN_PIN_SEQUENCE_PARALLEL] = "sequence-parallel",
        [PLAN_PIN_RECOMPUTE] = "recompute",
        [PLAN_PIN_MICRO_BATCH] = "micro-batch",
        [PLAN_PIN_MICRO_BATCHES] = "micro-batches",
    };
    for (int i = 0; i < PLAN_PINS; i++) {
        int option = calc_option_index(names[i]);
        p->pins[i].given = calc_option_given(p->request->applied, option);
        p->pins[i].value = calc_option_value(p->request->applied, option);
    }
}

/* The pinned value alone if it divides `number`; false: there is no pin. */
static bool pinned(const struct plan_search_state *p, enum plan_pin pin, uint64_t number,
                   struct values *list) {
    uint64_t value = p->pins[pin].value;
    if (!p->pins[pin].given) {
        return false;
    }
    list->count = 0;
    if (value <= number && number % value == 0) {
        add(list, value);
    }
    return true;
}

static void tensor_ranks(const struct plan_search_state *p, struct values *list) {
    uint64_t gpus = p->request->gpus, node = p->s.cluster.gpus_per_node;
    if (!pinned(p, PLAN_PIN_TP, gpus, list)) {
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
    if (!pinned(p, PLAN_PIN_PP, ranks, list)) {
        divisors(ranks, layers < CALC_STAGES_MAX ? layers : CALC_STAGES_MAX, list);
    }
}

static void context_ranks(const struct plan_search_state *p, uint64_t ranks, struct values *list) {
    uint64_t seq = p->s.batch.seq;
    if (!pinned(p, PLAN_PIN_CP, ranks, list)) {
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
    if (pinned(p, PLAN_PIN_EP, ranks, list)) {
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
    if (p->pins[PLAN_PIN_ZERO].given) {
        add(list, p->pins[PLAN_PIN_ZERO].value);
        return;
    }
    for (uint64_t zero = 0; zero <= 3; zero++) {
        add(list, zero); /* scenario_violations knows which the convention defines */
    }
}

/* Without and with sequence parallelism, where there is something to divide. */
static void sequence_ways(const struct plan_search_state *p, uint64_t tp, struct values *list) {
    list->count = 0;
    for (uint64_t on = 0; on <= (tp > 1 ? 1 : 0); on++) {
        if (tp == 1 || !p->pins[PLAN_PIN_SEQUENCE_PARALLEL].given ||
            p->pins[PLAN_PIN_SEQUENCE_PARALLEL].value == on) {
            add(list, on);
        }
    }
}

/* Where no rank shares anything a ZeRO stage is another name for a lower one; but ZeRO 3 of DeepSpeed and FSDP gathers
 * unit by unit even then, so that it needs other buffers. */
static bool repeats_lower_zero(const struct plan_search_state *p) {
    const struct calc_layout *l = &p->s.layout;
    int convention = p->s.convention;
    bool by_units = l->zero == 3 &&
                    (convention == CALC_CONVENTION_DEEPSPEED || convention == CALC_CONVENTION_FSDP);
    uint64_t ranks = convention == CALC_CONVENTION_MEGATRON ? l->dp * l->cp : l->dp;
    uint64_t of_experts =
        scenario_has_experts(&p->s) ? l->dp * l->cp * l->tp / (l->ep * l->etp) : 1;
    bool lower = false;
    for (uint64_t zero = 0; zero < l->zero; zero++) {
        lower = lower || calc_convention_defines(convention, zero);
    }
    return lower && ranks == 1 && of_experts <= 1 && !by_units && !p->pins[PLAN_PIN_ZERO].given &&
           l->offload != CALC_OFFLOAD_PARAMS;
}

/* Schedules with their chunks a stage. */
struct ways {
    int count;
    struct {
        int schedule;
        uint64_t chunks;
    } way[PLAN_WAYS_MAX];
};

static void add_way(struct ways *ways, int schedule, uint64_t chunks) {
    if (ways->count < PLAN_WAYS_MAX) {
        ways->way[ways->count].schedule = schedule;
        ways->way[ways->count++].chunks = chunks;
    }
}

/* Chunks that cut the layers evenly, else powers of two; or the pinned number. */
static void add_chunked(const struct plan_search_state *p, int schedule, struct ways *ways) {
    uint64_t layers = p->s.model.layers, pp = p->s.layout.pp;
    bool evenly = false;
    if (p->pins[PLAN_PIN_CHUNKS].given) {
        add_way(ways, schedule, p->pins[PLAN_PIN_CHUNKS].value);
        return;
    }
    if (pp == 1) {
        return;
    }
    for (uint64_t v = 2; v <= PLAN_CHUNKS_MAX && v * pp <= layers; v++) {
        if (layers % (v * pp) == 0) {
            add_way(ways, schedule, v);
            evenly = true;
        }
    }
    for (uint64_t v = 2; !evenly && v <= PLAN_CHUNKS_MAX && v * pp <= layers; v *= 2) {
        add_way(ways, schedule, v);
    }
}

static void schedules(const struct plan_search_state *p, struct ways *ways) {
    static const int usual[] = {CALC_SCHEDULE_1F1B, CALC_SCHEDULE_ZB_H1, CALC_SCHEDULE_INTERLEAVED};
    bool by_schedule = p->pins[PLAN_PIN_SCHEDULE].given, by_chunks = p->pins[PLAN_PIN_CHUNKS].given;
    int pinned_one = (int)p->pins[PLAN_PIN_SCHEDULE].value;
    int count = by_schedule ? 1 : (int)(sizeof usual / sizeof usual[0]);
    ways->count = 0;
    for (int i = 0; i < count; i++) {
        int schedule = by_schedule ? pinned_one : usual[i];
        bool chunked = calc_chunks_default(schedule) > 1;
        bool needless = !by_schedule && schedule != CALC_SCHEDULE_1F1B && p->s.layout.pp == 1;
        bool other = !by_schedule && by_chunks && (p->pins[PLAN_PIN_CHUNKS].value > 1) != chunked;
        if (needless || other) {
            continue;
        }
        if (chunked && !plan_is_run(schedule)) {
            add_chunked(p, schedule, ways);
        } else {
            uint64_t chunks = calc_chunks_default(schedule);
            add_way(ways, schedule, by_chunks ? p->pins[PLAN_PIN_CHUNKS].value : chunks);
        }
    }
}

static void recomputations(const struct plan_search_state *p, struct values *list) {
    list->count = 0;
    if (p->pins[PLAN_PIN_RECOMPUTE].given) {
        add(list, p->pins[PLAN_PIN_RECOMPUTE].value);
        return;
    }
    add(list, CALC_RECOMPUTE_NONE);
    if (p->s.recipe.attention == CALC_ATTENTION_STANDARD) {
        add(list, CALC_RECOMPUTE_SELECTIVE);
    }
    add(list, CALC_RECOMPUTE_FULL);
}

static bool size_is_allowed(const struct plan_search_state *p, uint64_t sequences, uint64_t size) {
    bool count_pinned = p->pins[PLAN_PIN_MICRO_BATCHES].given;
    return (!p->pins[PLAN_PIN_MICRO_BATCH].given || p->pins[PLAN_PIN_MICRO_BATCH].value == size) &&
           (!count_pinned || p->pins[PLAN_PIN_MICRO_BATCHES].value == sequences / size);
}

/* Micro-batches of a pipeline's `sequences`. */
static void micro_batches(const struct plan_search_state *p, uint64_t sequences,
                          struct plan_sizes *sizes) {
    uint64_t most = sequences < PLAN_MICRO_BATCH_MAX ? sequences : PLAN_MICRO_BATCH_MAX;
    uint64_t least = 1;
    if (p->pins[PLAN_PIN_MICRO_BATCH].given) {
        least = most = p->pins[PLAN_PIN_MICRO_BATCH].value;
    } else if (p->pins[PLAN_PIN_MICRO_BATCHES].given) {
        least = most = sequences / p->pins[PLAN_PIN_MICRO_BATCHES].value;
    }
    *sizes = (struct plan_sizes){.sequences = sequences};
    for (uint64_t size = least; size >= 1 && size <= most; size++) {
        if (sequences % size == 0 && size_is_allowed(p, sequences, size)) {
            sizes->size[sizes->count++] = size;
        }
    }
}

static enum status each_schedule(struct plan_search_state *p, const struct plan_sizes *sizes,
                                 struct message *why) {
    struct calc_layout *l = &p->s.layout;
    struct values recomputes;
    struct ways ways;
    enum status ok = STATUS_OK;
    schedules(p, &ways);
    recomputations(p, &recomputes);
    p->group_too_large = false;
    p->inside_chunks = 0;
    for (int i = 0; i < ways.count && ok == STATUS_OK; i++) {
        l->chunks = ways.way[i].chunks;
        l->schedule = ways.way[i].schedule;
        if (l->chunks != p->inside_chunks) { /* other schedules of as many chunks send the same */
            memset(p->inside, 0, sizeof p->inside);
            memset(p->least, 0, sizeof p->least);
            p->inside_chunks = l->chunks;
        }
        /* chunks move dense layers between stages, and nothing else */
        p->group_too_large = p->group_too_large && !scenario_has_experts(&p->s);
        for (int r = 0; r < recomputes.count && ok == STATUS_OK; r++) {
            bool states_fit = true;
            p->s.recipe.recompute = (int)recomputes.value[r];
            p->expected = &p->guess[i][recomputes.value[r]];
            ok = plan_search_group(p, sizes, &states_fit, why);
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
        bool other = p->pins[PLAN_PIN_DP].given && p->pins[PLAN_PIN_DP].value != l->dp;
        if (other || p->request->global_batch % l->dp != 0) {
            continue;
        }
        micro_batches(p, p->request->global_batch / l->dp, &sizes);
        expert_ranks(p, &experts);
        for (int e = 0; e < experts.count && ok == STATUS_OK; e++) {
            l->ep = experts.value[e];
            ok = repeats_lower_zero(p) ? STATUS_OK : each_schedule(p, &sizes, why);
        }
    }
    return ok;
}

/* What depends on tp or the ZeRO stage is resolved anew: padding, how gradients are reduced. */
static enum status resolve_for(struct plan_search_state *p, uint64_t tp, uint64_t zero,
                               bool sequence_parallel, struct message *why) {
    struct plan_layout seed = {.dp = 1,
                               .tp = tp,
                               .pp = 1,
                               .cp = 1,
                               .ep = 1,
                               .chunks = 1,
                               .zero = zero,
                               .sequence_parallel = sequence_parallel,
                               .micro_batch = 1,
                               .micro_batches = 1};
    return plan_seed(p->request, &seed, &p->s, why);
}

/* One tp, ZeRO stage and way of sequence parallelism. */
static enum status each_pipeline(struct plan_search_state *p, uint64_t ranks, struct message *why) {
    struct values pipelines;
    enum status ok = STATUS_OK;
    pipeline_ranks(p, ranks, &pipelines);
    for (int q = 0; q < pipelines.count && ok == STATUS_OK; q++) {
        p->s.layout.pp = pipelines.value[q];
        ok = each_context(p, ranks / p->s.layout.pp, why);
    }
    return ok;
}

enum status plan_search_all(struct plan_search_state *p, struct message *why) {
    struct values tensors, zeros, ways;
    uint64_t gpus = p->request->gpus;
    enum status ok = plan_ideal_s(&p->s, &p->ideal_s, why);
    read_pins(p);
    /* of one GPU's own batch so far */
    double own =
        (double)p->s.batch.micro_batch * (double)p->s.batch.micro_batches * (double)p->s.layout.dp;
    double ranks = (double)p->s.layout.dp * (double)p->s.layout.tp * (double)p->s.layout.pp *
                   (double)p->s.layout.cp;
    p->ideal_s *= (double)p->request->global_batch / own * ranks / (double)gpus;
    tensor_ranks(p, &tensors);
    zero_stages(p, &zeros);
    for (int t = 0; t < tensors.count; t++) {
        uint64_t tp = tensors.value[t];
        sequence_ways(p, tp, &ways);
        for (int i = 0; i < zeros.count * ways.count && ok == STATUS_OK; i++) {
            bool on = ways.value[i % ways.count] == 1;
            ok = resolve_for(p, tp, zeros.value[i / ways.count], on, why);
            ok = ok == STATUS_OK ? each_pipeline(p, gpus / tp, why) : ok;
        }
    }
    return ok;
}
