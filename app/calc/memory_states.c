/* Model states: weights, gradients and optimizer states per parameter, and who holds them under each ZeRO stage
 * (ZeRO, arXiv:1910.02054 section 5; Megatron-LM distributed optimizer; DeepSpeed's estimators). A share is
 * rounded up: rank 0 is shown. Pure; part of calc_memory_on_stage. Proof: tests/unit/calc/test_states.c. */
#include "memory_private.h"

static const char source_zero[] = "ZeRO, arXiv:1910.02054, section 5";
static const char source_megatron[] = "Megatron-LM, distributed optimizer documentation";
static const char source_deepspeed[] = "DeepSpeed, runtime/zero memory estimators";

static const char *source_of(const struct scenario *s) {
    switch ((enum calc_convention)s->convention) {
    case CALC_CONVENTION_ZERO_PAPER:
        return source_zero;
    case CALC_CONVENTION_MEGATRON:
        return source_megatron;
    case CALC_CONVENTION_DEEPSPEED:
        return source_deepspeed;
    }
    return source_zero;
}

bool calc_convention_defines(int convention, uint64_t zero) {
    return zero <= (convention == CALC_CONVENTION_MEGATRON ? 1u : 3u);
}

static uint64_t optimizer_bytes(const struct scenario *s) {
    static const uint64_t mixed[] = {
        [CALC_OPTIMIZER_ADAM] = 12, [CALC_OPTIMIZER_ADAM8BIT] = 6, [CALC_OPTIMIZER_MOMENTUM] = 8,
        [CALC_OPTIMIZER_SGD] = 4,   [CALC_OPTIMIZER_NONE] = 0,
    };
    static const uint64_t fp32[] = {
        [CALC_OPTIMIZER_ADAM] = 8, [CALC_OPTIMIZER_ADAM8BIT] = 2, [CALC_OPTIMIZER_MOMENTUM] = 4,
        [CALC_OPTIMIZER_SGD] = 0,  [CALC_OPTIMIZER_NONE] = 0,
    };
    return s->recipe.precision == CALC_PRECISION_FP32 ? fp32[s->recipe.optimizer]
                                                      : mixed[s->recipe.optimizer];
}

struct memory_state_bytes memory_state_bytes_of(const struct scenario *s, uint64_t zero) {
    bool two_copies = s->recipe.grad_bytes == 6;
    struct memory_state_bytes b = {
        .weight = s->recipe.precision == CALC_PRECISION_FP32 ? 4 : 2,
        .gradient = two_copies ? 2 : s->recipe.grad_bytes,
        .fp32_copy = two_copies ? 4 : 0,
        .optimizer = optimizer_bytes(s),
    };
    /* DeepSpeed's stage-3 estimator counts the fp32 gradient only: 18, not 20. */
    if (s->convention == CALC_CONVENTION_DEEPSPEED && zero == 3 && two_copies) {
        b.gradient = 0;
    }
    return b;
}

uint64_t calc_state_bytes_per_param(const struct scenario *s) {
    struct memory_state_bytes b = memory_state_bytes_of(s, 0);
    return b.weight + b.gradient + b.fp32_copy + b.optimizer;
}

/* Bytes per parameter as a real number when `ranks` share: the shape 4 + 12/N. */
static double real_bytes(const struct scenario *s, uint64_t zero, double ranks) {
    struct memory_state_bytes b = memory_state_bytes_of(s, zero);
    double weight = (double)b.weight, gradient = (double)b.gradient;
    double last = (double)(b.fp32_copy + b.optimizer);
    return (zero >= 3 ? weight / ranks : weight) + (zero >= 2 ? gradient / ranks : gradient) +
           (zero >= 1 ? last / ranks : last);
}

double calc_zero_saving(const struct scenario *s, uint64_t stage, uint64_t ranks) {
    return real_bytes(s, 0, 1.0) / real_bytes(s, stage, (double)ranks);
}

double calc_zero_saving_limit(const struct scenario *s, uint64_t stage) {
    struct memory_state_bytes b = memory_state_bytes_of(s, stage);
    double whole = real_bytes(s, 0, 1.0);
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

/* One kind of state: `each` bytes for every parameter, or for a share of them. */
struct state {
    const char *id, *experts_id; /* of routed experts it is a term of its own */
    enum calc_part part;
    uint64_t each;
    uint64_t shared_from; /* the ZeRO stage from which it is divided */
};

/* Parameters that the same ranks share: all but the routed experts, or those. */
struct share {
    uint64_t params, ranks;
    bool experts;
};

static enum status add_share(const struct scenario *s, const struct state *one,
                             const struct share *share, struct calc_derivation *d,
                             struct message *why) {
    struct calc_guard g = {false};
    bool shared = s->layout.zero >= one->shared_from;
    uint64_t params = share->params, ranks = share->ranks;
    uint64_t elements = shared ? checked_div_up(params, ranks) : params;
    uint64_t bytes = calc_times(&g, one->each, elements);
    const char *id = share->experts ? one->experts_id : one->id;
    if (g.overflow) {
        return calc_overflow(why, id);
    }
    struct calc_term *t = memory_term_add(d, id, one->part, bytes, source_of(s));
    unsigned long long each = one->each, psi = params, n = ranks;
    if (shared) {
        memory_term_formula(t, share->experts ? "%lluΨe/Ne" : "%lluΨ/N", each);
        memory_term_substituted(
            t, params % ranks == 0 ? "%llu × %llu / %llu" : "%llu × ⌈%llu / %llu⌉", each, psi, n);
    } else {
        memory_term_formula(t, share->experts ? "%lluΨe" : "%lluΨ", each);
        memory_term_substituted(t, "%llu × %llu", each, psi);
    }
    return STATUS_OK;
}

enum status memory_states_add(const struct scenario *s, uint64_t params, uint64_t experts,
                              struct calc_derivation *d, struct message *why) {
    struct memory_state_bytes b = memory_state_bytes_of(s, s->layout.zero);
    const struct state states[] = {
        {"weights", "weights.experts", CALC_PART_WEIGHTS, b.weight, 3},
        {"gradients", "gradients.experts", CALC_PART_GRADIENTS, b.gradient, 2},
        {"gradients.fp32_copy", "gradients.fp32_copy.experts", CALC_PART_GRADIENTS, b.fp32_copy, 1},
        {"optimizer", "optimizer.experts", CALC_PART_OPTIMIZER, b.optimizer, 1},
    };
    uint64_t ranks = s->layout.dp; /* at most 2^20, as cp */
    if (s->convention == CALC_CONVENTION_MEGATRON) {
        ranks *= s->layout.cp; /* its optimizer is sharded over dp·cp */
    }
    const struct share others = {params - experts, ranks, false};
    const struct share routed = {experts, calc_expert_ranks(s), true};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (states[i].each == 0) {
            continue;
        }
        enum status ok = add_share(s, &states[i], &others, d, why);
        if (ok == STATUS_OK && experts != 0) {
            ok = add_share(s, &states[i], &routed, d, why);
        }
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return STATUS_OK;
}
