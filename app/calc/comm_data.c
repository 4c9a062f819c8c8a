/* What data parallelism sends: gradients, and with ZeRO the weights that ranks do not hold (ZeRO, arXiv:1910.02054
 * section 7; FSDP, arXiv:2304.11277; no_sync: gradients that wait for the last micro-batch). Routed experts have
 * another group than the rest. Pure; part of calc_comm_on_stage. Proof: tests/unit/calc/test_comm_data.c. */
#include "comm_private.h"
#include "memory_private.h"
#include "shardlab/calc/params.h"

static const char source_zero[] = "ZeRO, arXiv:1910.02054, section 7";
static const char source_ring[] = "ring all-reduce = reduce-scatter + all-gather";
static const char source_fsdp[] = "PyTorch FSDP, arXiv:2304.11277, section 3";
static const char source_overflow[] = "mixed precision, arXiv:1710.03740, section 3.2";

enum calc_group comm_shard_group(const struct scenario *s) {
    bool megatron = s->convention == CALC_CONVENTION_MEGATRON; /* shares over contexts too */
    return megatron ? CALC_GROUP_DP_CP : CALC_GROUP_DP;
}

uint64_t comm_gradient_bytes(const struct scenario *s) {
    return s->recipe.grad_bytes == 6 ? 2 : s->recipe.grad_bytes;
}

uint64_t comm_weight_bytes(const struct scenario *s) {
    return memory_compute_bytes(s);
}

uint64_t comm_reductions(const struct comm_build *b) {
    return b->s->layout.reduce == CALC_REDUCE_EVERY ? b->micro : 1;
}

/* Elements that one group shares, cut into the units that are gathered and reduced one by one. */
struct family {
    enum calc_group group;   /* shares weights and optimizer */
    enum calc_group reduces; /* with ZeRO 0 all these sum their gradients */
    uint64_t times[COMM_UNITS_MAX], elements[COMM_UNITS_MAX];
    bool experts;
};

static const char *id_of(const struct family *f, const char *id, const char *of_experts) {
    return f->experts ? of_experts : id;
}

static struct comm_call call_of(const struct family *f, enum calc_collective collective) {
    struct comm_call call = {.axis = CALC_AXIS_DP, .collective = collective, .group = f->group};
    for (int i = 0; i < COMM_UNITS_MAX; i++) {
        call.units[i].times = f->times[i];
        call.units[i].elements = f->elements[i];
    }
    return call;
}

static void add_gradients(struct comm_build *b, const struct family *f) {
    const struct scenario *s = b->s;
    bool every = s->layout.reduce == CALC_REDUCE_EVERY;
    bool whole = s->layout.zero == 0;
    struct comm_call call = call_of(f, whole ? CALC_ALL_REDUCE : CALC_REDUCE_SCATTER);
    call.id = id_of(f, "gradients", "gradients.experts");
    call.group = whole ? f->reduces : f->group;
    call.passes = comm_reductions(b);
    call.elem_bytes = comm_gradient_bytes(s);
    call.hide = CALC_HIDE_BACKWARD;
    call.windows = every ? s->batch.micro_batches : 1;
    call.least = f->experts ? b->last_experts : b->last_unit;
    call.formula = whole ? (every ? "A·2R(gΨ)" : "2R(gΨ)") : (every ? "A·R(gΨ)" : "R(gΨ)");
    call.source = whole ? source_ring : source_zero;
    comm_add(b, &call);
    if (whole || f->reduces == f->group) {
        return;
    }
    /* the ranks of one context hold the same share: they sum it */
    uint64_t ranks = comm_ranks_of(b, f->group);
    for (int i = 0; i < COMM_UNITS_MAX; i++) {
        call.units[i].elements = checked_div_up(call.units[i].elements, ranks);
    }
    call.axis = CALC_AXIS_CP;
    call.collective = CALC_ALL_REDUCE;
    call.group = CALC_GROUP_CP;
    call.formula = every ? "A·2Rc(gΨ/N)" : "2Rc(gΨ/N)";
    comm_add(b, &call);
}

/* ZeRO 1 and 2: the updated shares, once. */
static void add_updated(struct comm_build *b, const struct family *f) {
    struct comm_call call = call_of(f, CALC_ALL_GATHER);
    call.id = id_of(f, "weights", "weights.experts");
    call.passes = 1;
    call.elem_bytes = comm_weight_bytes(b->s);
    call.hide = CALC_HIDE_NOTHING;
    call.formula = "R(wΨ)";
    call.source = source_zero;
    comm_add(b, &call);
}

/* Nothing computes before the first unit is there; units taken as equal. */
static double one_of_units(const struct family *f) {
    uint64_t units = 0;
    for (int i = 0; i < COMM_UNITS_MAX; i++) {
        units += f->elements[i] > 0 ? f->times[i] : 0; /* at most the layers and one */
    }
    return units > 1 ? 1.0 / (double)units : 0;
}

/* ZeRO 3: every forward, and every backward unless the weights stayed. */
static void add_gathers(struct comm_build *b, const struct family *f) {
    const struct calc_layout *l = &b->s->layout;
    struct comm_call call = call_of(f, CALC_ALL_GATHER);
    call.id = id_of(f, "weights.forward", "weights.forward.experts");
    call.passes = b->micro;
    call.windows = b->s->batch.micro_batches;
    call.elem_bytes = comm_weight_bytes(b->s);
    call.least = one_of_units(f);
    call.hide = l->prefetch > 0 ? CALC_HIDE_FORWARD : CALC_HIDE_NOTHING;
    call.formula = "A·R(wΨ)";
    call.source = source_fsdp;
    comm_add(b, &call);
    if (l->reshard) {
        call.id = id_of(f, "weights.backward", "weights.backward.experts");
        call.hide = l->prefetch > 0 ? CALC_HIDE_BACKWARD : CALC_HIDE_NOTHING;
        comm_add(b, &call);
    }
}

static void add_family(struct comm_build *b, const struct family *f) {
    uint64_t zero = b->s->layout.zero;
    if (zero == 3) {
        add_gathers(b, f);
    }
    add_gradients(b, f);
    if (zero == 1 || zero == 2) {
        add_updated(b, f);
    }
}

void comm_last_units(struct comm_build *b) {
    const struct calc_stage_split *split = &b->parts;
    double all = (double)b->params;
    uint64_t routed = split->expert_layers > 0 ? b->experts / split->expert_layers : 0;
    if (b->embedding) {
        b->last_unit = (double)split->root / all;
    } else if (split->dense_layers > 0) { /* they come before the layers with experts */
        b->last_unit = (double)split->dense_layer / all;
    } else if (split->expert_layers > 0) {
        b->last_unit = (double)(split->expert_layer - routed) / all;
        b->last_experts = 1.0 / (double)split->expert_layers;
    }
}

/* One buffer of everything, but unit by unit at ZeRO 3. */
static void cut(struct comm_build *b, struct family *f) {
    const struct calc_stage_split *split = &b->parts;
    if (b->s->layout.zero < 3 || scenario_params_only(b->s)) {
        f->times[0] = 1;
        f->elements[0] = f->experts ? b->experts : b->params;
        return;
    }
    uint64_t routed = b->sparse > 0 ? b->experts / b->sparse : 0;
    if (f->experts) {
        f->times[0] = b->sparse;
        f->elements[0] = routed;
        return;
    }
    f->times[0] = split->dense_layers;
    f->elements[0] = split->dense_layer;
    f->times[1] = split->expert_layers;
    f->elements[1] = split->expert_layers > 0 ? split->expert_layer - routed : 0;
    f->times[2] = 1;
    f->elements[2] = split->root;
}

void comm_data_add(struct comm_build *b) {
    const struct scenario *s = b->s;
    struct family others = {.group = comm_shard_group(s), .reduces = CALC_GROUP_DP_CP};
    cut(b, &others);
    add_family(b, &others);
    if (b->experts > 0) {
        struct family routed = {
            .group = CALC_GROUP_EDP, .reduces = CALC_GROUP_EDP, .experts = true};
        cut(b, &routed);
        add_family(b, &routed);
    }
    if (s->recipe.precision == CALC_PRECISION_FP16) {
        const struct comm_call check = {.axis = CALC_AXIS_DP,
                                        .collective = CALC_ALL_REDUCE,
                                        .id = "found_inf",
                                        .group = CALC_GROUPS,
                                        .passes = 1,
                                        .units = {{1, 1}},
                                        .elem_bytes = 4,
                                        .formula = "4",
                                        .source = source_overflow};
        comm_add(b, &check);
    }
}
