/* What expert parallelism sends: tokens to the ranks of their experts and back (GShard, arXiv:2006.16668), routing
 * uniform, nothing dropped. Where the experts of a token are kept to a few nodes (--expert-nodes), it crosses the network
 * once for each node, to the rank that stands there where the sender stands in its own, and goes on from there inside
 * the node (DeepSeek-V3, arXiv:2412.19437, section 3.2.2). Where inputs of matrices are kept in fp8 (--input-bytes 1)
 * they travel so too, and so do the gradients on the same way; what comes back does not (section 3.3.3). Schedules
 * that run a forward beside a backward hide one's traffic behind the other's computation (section 3.2.1).
 * Pure; part of calc_comm_on_stage. Proof: tests/unit/calc/test_comm_experts.c. */
#include "comm_private.h"
#include "shardlab/calc/schedule.h"

static const char source_experts[] = "GShard, arXiv:2006.16668, section 3; routing uniform";
static const char source_nodes[] = "DeepSeek-V3, arXiv:2412.19437, section 3.2.2; routing uniform";

/* Ranks of a group of experts inside one node, and the nodes that it lies on. */
struct spread {
    uint64_t inside, nodes;
};

static struct spread spread_of(const struct comm_build *b) {
    struct calc_rank_group group = calc_rank_group_of(&b->ranks, CALC_GROUP_EP, 0);
    uint64_t inside = checked_div_up(b->ranks.gpus_per_node, group.stride);
    inside = inside < group.size ? inside : group.size;
    return (struct spread){inside, checked_div_up(group.size, inside)};
}

static bool sends_fp8(const struct scenario *s) {
    return s->recipe.precision == CALC_PRECISION_FP8 && s->recipe.input_bytes == 1;
}

/* Bytes of a token as it travels to an expert. */
static uint64_t token_bytes(struct comm_build *b, bool to_experts) {
    enum { TILE = 128, SCALE_BYTES = 4 };
    uint64_t hidden = b->s->model.hidden;
    if (to_experts && sends_fp8(b->s)) {
        return hidden + SCALE_BYTES * checked_div_up(hidden, TILE); /* hidden is at most 2^40 */
    }
    return comm_times(b, "dispatch", hidden, b->element);
}

static const char *formula_of(const struct comm_build *b, bool fp8, bool by_nodes) {
    static const char *const formulas[2][2][2] = {
        /* as computed, in fp8; a copy an expert, a copy a node; forward once, and once more */
        {{"A·Le·2R(KM)", "A·Le·3R(KM)"}, {"A·Le·2R(nM)", "A·Le·3R(nM)"}},
        {{"A·Le·2R(K·sb(h + 4h/128))", "A·Le·3R(K·sb(h + 4h/128))"},
         {"A·Le·2R(n·sb(h + 4h/128))", "A·Le·3R(n·sb(h + 4h/128))"}},
    };
    return formulas[fp8][by_nodes][b->passes == 3];
}

static void add_way(struct comm_build *b, struct comm_call *call, bool to_experts, bool by_nodes) {
    bool fp8 = to_experts && sends_fp8(b->s);
    call->elem_bytes = token_bytes(b, to_experts);
    call->formula = formula_of(b, fp8, by_nodes);
    comm_add(b, call);
}

/* Over the network a copy for each node, inside the nodes a copy for each expert. */
static void add_by_nodes(struct comm_build *b, struct comm_call *call, struct spread spread) {
    const struct scenario *s = b->s;
    uint64_t copies = s->model.experts_active;
    uint64_t most = s->layout.expert_nodes < spread.nodes ? s->layout.expert_nodes : spread.nodes;
    copies = copies < most ? copies : most;
    call->source = source_nodes;
    for (int to_experts = 1; to_experts >= 0; to_experts--) {
        call->id = to_experts == 1 ? "dispatch" : "combine";
        call->ranks = spread.nodes;
        call->inside = false;
        call->units[0].elements = comm_times(b, call->id, b->whole_tokens, copies);
        add_way(b, call, to_experts == 1, true);
        call->id = to_experts == 1 ? "dispatch.inside" : "combine.inside";
        call->ranks = spread.inside;
        call->inside = true;
        call->units[0].elements = comm_times(b, call->id, b->whole_tokens, s->model.experts_active);
        add_way(b, call, to_experts == 1, false);
    }
}

void comm_experts_add(struct comm_build *b) {
    const struct scenario *s = b->s;
    const struct calc_layout *l = &s->layout;
    if (b->sparse == 0 || l->ep == 1) {
        return;
    }
    struct comm_call call = {.axis = CALC_AXIS_EP,
                             .collective = CALC_ALL_TO_ALL,
                             .id = "dispatch",
                             .group = CALC_GROUP_EP,
                             .units = {{1, 0}},
                             .windows = s->batch.micro_batches,
                             .source = source_experts};
    call.paired = calc_schedule_paired(s, b->out->stage);
    call.hide = call.paired > 0 ? CALC_HIDE_PAIR : CALC_HIDE_NOTHING;
    uint64_t layers = comm_times(b, call.id, b->sparse, b->micro);
    call.passes = comm_times(b, call.id, layers, b->passes);
    struct spread spread = spread_of(b);
    if (l->expert_nodes != 0 && spread.nodes > 1) {
        add_by_nodes(b, &call, spread);
        return;
    }
    call.units[0].elements = comm_times(b, call.id, b->whole_tokens, s->model.experts_active);
    add_way(b, &call, true, false);
    call.id = "combine";
    add_way(b, &call, false, false);
}
