/* Model states: weights, gradients and optimizer states per parameter, and who holds them under each ZeRO stage
 * (ZeRO, arXiv:1910.02054 section 5; Megatron-LM distributed optimizer; DeepSpeed's estimators). A share is
 * rounded up: rank 0 is shown. Pure; part of calc_memory_on_stage. Proof: tests/unit/calc/test_states.c. */
#include "memory_private.h"

static const char source_zero[] = "ZeRO, arXiv:1910.02054, section 5";
static const char source_fp8[] = "FP8 formats for deep learning, arXiv:2209.05433, section 3";
static const char source_megatron[] = "Megatron-LM, distributed optimizer documentation";
static const char source_fsdp[] = "PyTorch FSDP, arXiv:2304.11277, section 3";
static const char source_deepspeed[] = "DeepSpeed, runtime/zero memory estimators";

static const char *source_of(const struct scenario *s) {
    switch ((enum calc_convention)s->convention) {
    case CALC_CONVENTION_ZERO_PAPER:
        return source_zero;
    case CALC_CONVENTION_MEGATRON:
        return source_megatron;
    case CALC_CONVENTION_DEEPSPEED:
        return source_deepspeed;
    case CALC_CONVENTION_FSDP:
        return source_fsdp;
    case CALC_CONVENTION_HF: /* has phases instead of states */
        break;
    }
    return source_zero;
}

bool calc_convention_defines(int convention, uint64_t zero) {
    static const struct {
        uint64_t lowest, highest;
    } stages[] = {
        [CALC_CONVENTION_ZERO_PAPER] = {0, 3}, [CALC_CONVENTION_MEGATRON] = {0, 1},
        [CALC_CONVENTION_DEEPSPEED] = {0, 3},  [CALC_CONVENTION_FSDP] = {2, 3},
        [CALC_CONVENTION_HF] = {0, 0},
    };
    return stages[convention].lowest <= zero && zero <= stages[convention].highest;
}

/* What the optimizer itself remembers. */
static uint64_t moment_bytes(const struct scenario *s) {
    static const uint64_t bytes[] = {
        [CALC_OPTIMIZER_ADAM] = 8, [CALC_OPTIMIZER_ADAM8BIT] = 2,  [CALC_OPTIMIZER_MOMENTUM] = 4,
        [CALC_OPTIMIZER_SGD] = 0,  [CALC_OPTIMIZER_ADAFACTOR] = 0, /* factored: by shape */
        [CALC_OPTIMIZER_MUON] = 4,                                 /* of the layers' matrices */
        [CALC_OPTIMIZER_NONE] = 0, [CALC_OPTIMIZER_ADAM16BIT] = 4,
    };
    return bytes[s->recipe.optimizer];
}

/* With the fp32 master weight that mixed precision needs for an update. */
static uint64_t optimizer_bytes(const struct scenario *s) {
    bool master =
        s->recipe.precision != CALC_PRECISION_FP32 && s->recipe.optimizer != CALC_OPTIMIZER_NONE;
    return moment_bytes(s) + (master ? 4 : 0);
}

uint64_t memory_compute_bytes(const struct scenario *s) {
    static const uint64_t bytes[] = {
        [CALC_PRECISION_FP32] = 4,
        [CALC_PRECISION_FP16] = 2,
        [CALC_PRECISION_BF16] = 2,
        [CALC_PRECISION_FP8] = 1,
    };
    return bytes[s->recipe.precision];
}

struct memory_state_bytes memory_state_bytes_of(const struct scenario *s, uint64_t zero) {
    bool two_copies = s->recipe.grad_bytes == 6;
    struct memory_state_bytes b = {
        .weight = memory_compute_bytes(s),
        .gradient = two_copies ? 2 : s->recipe.grad_bytes,
        .fp32_copy = two_copies ? 4 : 0,
        .optimizer = optimizer_bytes(s),
    };
    /* DeepSpeed's stage-3 estimator counts the fp32 gradient only: 18, not 20. */
    if (s->convention == CALC_CONVENTION_DEEPSPEED && zero == 3 && two_copies) {
        b.gradient = 0;
    }
    if (s->convention == CALC_CONVENTION_FSDP) {
        b.gathered = zero == 2 ? b.weight : 0; /* at stage 3 a buffer: memory_fsdp.c */
        b.weight = 4;
        b.optimizer = moment_bytes(s);
    }
    return b;
}

/* The stage at which nothing is sharded; FSDP always shards, and its stages differ in what they keep. */
static uint64_t whole_stage(const struct scenario *s, uint64_t zero) {
    return s->convention == CALC_CONVENTION_FSDP ? zero : 0;
}

uint64_t calc_state_bytes_per_param(const struct scenario *s) {
    if (s->convention == CALC_CONVENTION_HF) {
        return memory_phases_bytes_per_param(s);
    }
    struct memory_state_bytes b = memory_state_bytes_of(s, whole_stage(s, s->layout.zero));
    return b.weight + b.gathered + b.gradient + b.fp32_copy + b.optimizer;
}

/* Mean bytes per parameter that memory_state_bytes.optimizer does not know, because they depend on shapes. */
static double by_shape_excess(const struct scenario *s) {
    struct message unused;
    struct calc_params params;
    uint64_t bytes = 0;
    if (!memory_optimizer_by_shape(s) || scenario_params_only(s) ||
        calc_params_count(s, &params, &unused) != STATUS_OK ||
        memory_optimizer_whole(s, &bytes, &unused) != STATUS_OK) {
        return 0.0;
    }
    uint64_t own = memory_state_bytes_of(s, s->layout.zero).optimizer;
    return (double)bytes / (double)params.total - (double)own;
}

double calc_state_bytes_average(const struct scenario *s) {
    return (double)calc_state_bytes_per_param(s) + by_shape_excess(s);
}

/* Bytes per parameter as a real number when `ranks` share: the shape 4 + 12/N. */
static double real_bytes(const struct scenario *s, uint64_t zero, double ranks) {
    struct memory_state_bytes b = memory_state_bytes_of(s, zero);
    double weight = (double)b.weight, gradient = (double)b.gradient;
    double last = (double)(b.fp32_copy + b.optimizer) + by_shape_excess(s);
    if (s->convention == CALC_CONVENTION_FSDP) {
        return (double)b.gathered + (weight + gradient + last) / ranks;
    }
    return (zero >= 3 ? weight / ranks : weight) + (zero >= 2 ? gradient / ranks : gradient) +
           (zero >= 1 ? last / ranks : last);
}

double calc_zero_saving(const struct scenario *s, uint64_t stage, uint64_t ranks) {
    return real_bytes(s, whole_stage(s, stage), 1.0) / real_bytes(s, stage, (double)ranks);
}

double calc_zero_saving_limit(const struct scenario *s, uint64_t stage) {
    struct memory_state_bytes b = memory_state_bytes_of(s, stage);
    double whole = real_bytes(s, whole_stage(s, stage), 1.0);
    if (s->convention == CALC_CONVENTION_FSDP) {
        return b.gathered != 0 ? whole / (double)b.gathered : 0.0;
    }
    switch (stage) {
    case 0:
        return 1.0;
    case 1:
        return whole / (double)(b.weight + b.gradient);
    case 2:
        return whole / (double)b.weight;
    default:
        return 0.0;
    }
}

/* One kind of state: `each` bytes for every element, or for a share of them. */
struct state {
    const char *id, *experts_id; /* of routed experts it is a term of its own */
    enum calc_part part;
    uint64_t each, elements, experts; /* elements: all but those of routed experts */
    const char *symbol;               /* of the elements, behind `each`: "Ψ" */
    uint64_t shared_from;             /* the ZeRO stage from which it is divided; 4: never */
    const char *source;
};

/* Elements that the same ranks share: all but those of routed experts, or those. */
struct share {
    uint64_t elements, ranks;
    bool experts;
};

static enum status add_share(const struct scenario *s, const struct state *one,
                             const struct share *share, struct calc_derivation *d,
                             struct message *why) {
    struct calc_guard g = {false};
    bool shared = s->layout.zero >= one->shared_from;
    uint64_t all = share->elements, ranks = share->ranks;
    uint64_t elements = shared ? checked_div_up(all, ranks) : all;
    uint64_t bytes = calc_times(&g, one->each, elements);
    const char *id = share->experts ? one->experts_id : one->id;
    if (g.overflow) {
        return calc_overflow(why, id);
    }
    struct calc_term *t = memory_term_add(d, id, one->part, bytes, one->source);
    unsigned long long each = one->each, psi = all, n = ranks;
    const char *symbol = share->experts ? "Ψe" : one->symbol;
    if (shared) {
        memory_term_formula(d, t, "%llu%s/%s", each, symbol, share->experts ? "Ne" : "N");
        memory_term_substituted(
            d, t, all % ranks == 0 ? "%llu × %llu / %llu" : "%llu × ⌈%llu / %llu⌉", each, psi, n);
    } else {
        memory_term_formula(d, t, "%llu%s", each, symbol);
        memory_term_substituted(d, t, "%llu × %llu", each, psi);
    }
    return STATUS_OK;
}

static enum status add_state(const struct scenario *s, const struct state *one,
                             struct calc_derivation *d, struct message *why) {
    uint64_t ranks = s->layout.dp; /* at most 2^20, as cp */
    if (s->convention == CALC_CONVENTION_MEGATRON) {
        ranks *= s->layout.cp; /* its optimizer is sharded over dp·cp */
    }
    const struct share others = {one->elements, ranks, false};
    const struct share routed = {one->experts, calc_expert_ranks(s), true};
    enum status ok = add_share(s, one, &others, d, why);
    return ok == STATUS_OK && one->experts != 0 ? add_share(s, one, &routed, d, why) : ok;
}

/* Gradients that wait for the last micro-batch (no_sync) are whole until then, whatever the stage. */
static uint64_t gradients_from(const struct scenario *s) {
    bool wait = s->layout.reduce == CALC_REDUCE_BOUNDARY && s->batch.micro_batches > 1;
    return wait ? 4 : 2;
}

enum status memory_states_add(const struct scenario *s, uint64_t stage, struct memory_params params,
                              struct calc_derivation *d, struct message *why) {
    struct memory_state_bytes b = memory_state_bytes_of(s, s->layout.zero);
    struct memory_optimizer o;
    enum status ok = memory_optimizer_split(s, stage, params, &o, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct calc_matrices matrices = {0};
    bool scales = s->recipe.precision == CALC_PRECISION_FP8 && !scenario_params_only(s);
    ok = scales ? calc_params_matrices(s, stage, &matrices, why) : STATUS_OK;
    const char *source = source_of(s);
    uint64_t weights_from = s->convention == CALC_CONVENTION_FSDP ? 2 : 3;
    uint64_t all = params.all, e = params.experts, p = all - e;
    const struct state states[] = {
        {"weights", "weights.experts", CALC_PART_WEIGHTS, b.weight, p, e, "Ψ", weights_from,
         source},
        {"weights.gathered", NULL, CALC_PART_WEIGHTS, b.gathered, all, 0, "Ψ", 4, source},
        {"weights.scales", NULL, CALC_PART_WEIGHTS, scales ? 4 : 0, matrices.count, 0,
         " × matrices", 4, source_fp8},
        {"gradients", "gradients.experts", CALC_PART_GRADIENTS, b.gradient, p, e, "Ψ",
         gradients_from(s), source},
        {"gradients.fp32_copy", "gradients.fp32_copy.experts", CALC_PART_GRADIENTS, b.fp32_copy, p,
         e, "Ψ", 1, source},
        {"optimizer", "optimizer.experts", CALC_PART_OPTIMIZER, b.optimizer, o.main, o.main_experts,
         o.main_symbol, 1, source},
        {o.rest_id, o.rest_experts_id, CALC_PART_OPTIMIZER, o.rest_bytes, o.rest, o.rest_experts,
         o.rest_symbol, 1, o.source},
    };
    for (size_t i = 0; ok == STATUS_OK && i < sizeof states / sizeof states[0]; i++) {
        if (states[i].each != 0) {
            ok = add_state(s, &states[i], d, why);
        }
    }
    return ok;
}
