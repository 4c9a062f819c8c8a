/* Assembles the communication of one step from its axes and finds the stage that sends most. Called by cli and plan.
 * Pure; the caller owns the result. What each axis sends: comm_data.c, comm_tensor.c, comm_axes.c,
 * comm_offload.c; how long it takes: comm_time.c. Proof: tests/unit/calc/test_comm.c. */
#include "shardlab/calc/comm.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "comm_private.h"
#include "shardlab/calc/collective.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/schedule.h"

const char *calc_axis_name(enum calc_axis axis) {
    static const char *const names[] = {
        [CALC_AXIS_DP] = "dp", [CALC_AXIS_TP] = "tp", [CALC_AXIS_PP] = "pp",
        [CALC_AXIS_CP] = "cp", [CALC_AXIS_EP] = "ep", [CALC_AXIS_OFFLOAD] = "offload",
    };
    assert(axis < CALC_AXES);
    return names[axis];
}

const char *calc_collective_name(enum calc_collective collective) {
    static const char *const names[] = {
        [CALC_ALL_REDUCE] = "all-reduce",
        [CALC_REDUCE_SCATTER] = "reduce-scatter",
        [CALC_ALL_GATHER] = "all-gather",
        [CALC_ALL_TO_ALL] = "all-to-all",
        [CALC_SEND] = "send",
        [CALC_WRITE] = "write",
        [CALC_READ] = "read",
    };
    return names[collective];
}

const char *calc_link_name(enum calc_link link) {
    static const char *const names[] = {
        [CALC_LINK_NODE] = "node",
        [CALC_LINK_NETWORK] = "network",
        [CALC_LINK_PCIE] = "pcie",
        [CALC_LINK_NVME] = "nvme",
    };
    return names[link];
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

uint64_t comm_times(struct comm_build *b, const char *id, uint64_t a, uint64_t c) {
    uint64_t product = 0;
    if (!checked_mul(a, c, &product) && b->overflow == NULL) {
        b->overflow = id;
    }
    return product;
}

uint64_t comm_plus(struct comm_build *b, const char *id, uint64_t a, uint64_t c) {
    uint64_t sum = 0;
    if (!checked_add(a, c, &sum) && b->overflow == NULL) {
        b->overflow = id;
    }
    return sum;
}

uint64_t comm_ranks_of(const struct comm_build *b, enum calc_group group) {
    return b->group_ranks[group];
}

static uint64_t talking(const struct comm_build *b, const struct comm_call *call) {
    if (call->axis == CALC_AXIS_OFFLOAD) {
        return 1;
    }
    return call->pair ? 2 : call->ranks != 0 ? call->ranks : comm_ranks_of(b, call->group);
}

/* The slowest group sets the pace: it is the network's as soon as any group of the kind crosses nodes. */
static enum calc_link link_of(const struct comm_build *b, const struct comm_call *call) {
    if (call->axis == CALC_AXIS_OFFLOAD) {
        return call->disk ? CALC_LINK_NVME : CALC_LINK_PCIE;
    }
    if (call->inside) {
        return CALC_LINK_NODE;
    }
    return b->group_crosses[call->group] ? CALC_LINK_NETWORK : CALC_LINK_NODE;
}

struct calc_comm_row *comm_add_counted(struct comm_build *b, const struct comm_call *call,
                                       uint64_t calls, uint64_t message, uint64_t sent) {
    assert(b->out->row_count < CALC_COMM_ROWS_MAX);
    struct calc_comm_row *row = &b->out->rows[b->out->row_count++];
    row->axis = call->axis;
    row->collective = call->collective;
    row->id = call->id;
    row->count = comm_times(b, call->id, call->passes, calls);
    row->message_bytes = message;
    row->sent_bytes = comm_times(b, call->id, call->passes, sent);
    row->ranks = talking(b, call);
    row->link = link_of(b, call);
    row->hide = call->hide;
    row->windows = call->windows;
    row->least = call->least;
    row->paired = call->paired;
    row->source = call->source;
    row->formula[0] = row->substituted[0] = '\0';
    if (b->texts) {
        (void)snprintf(row->formula, sizeof row->formula, "%s", call->formula);
    }
    return row;
}

uint64_t comm_sent_elements(enum calc_collective collective, uint64_t elements, uint64_t ranks) {
    static const enum calc_exchange_kind kinds[] = {
        [CALC_ALL_REDUCE] = CALC_EXCHANGE_ALL_REDUCE,
        [CALC_REDUCE_SCATTER] = CALC_EXCHANGE_REDUCE_SCATTER,
        [CALC_ALL_GATHER] = CALC_EXCHANGE_ALL_GATHER,
        [CALC_ALL_TO_ALL] = CALC_EXCHANGE_ALL_TO_ALL,
    };
    if (collective > CALC_ALL_TO_ALL) {
        return elements;
    }
    bool direct = collective == CALC_ALL_TO_ALL;
    const struct calc_exchange x = {kinds[collective],
                                    direct ? CALC_ALGORITHM_DIRECT : CALC_ALGORITHM_RING, elements,
                                    1, (uint32_t)ranks};
    struct calc_exchange_cost cost;
    struct message ignored; /* elements are at most 2^62: twice as many fit */
    return calc_exchange_rank(&x, 0, &cost, &ignored) == STATUS_OK ? cost.sent_bytes : 0;
}

void comm_write_numbers(struct calc_comm_row *row, const struct comm_call *call, uint64_t elements,
                        uint64_t kept) {
    unsigned long long passes = call->passes, each = call->elem_bytes, n = elements, c = kept,
                       sent = row->sent_bytes;
    const char *format = call->collective == CALC_ALL_REDUCE
                             ? "%llu × %llu × (2 × %llu − %llu) = %llu"
                         : kept != 0 ? "%llu × %llu × (%llu − %llu) = %llu"
                                     : "%llu × %llu × %llu = %llu";
    if (kept == 0 && call->collective != CALC_ALL_REDUCE) {
        (void)snprintf(row->substituted, sizeof row->substituted, format, passes, each, n, sent);
    } else {
        (void)snprintf(row->substituted, sizeof row->substituted, format, passes, each, n, c, sent);
    }
}

void comm_add(struct comm_build *b, const struct comm_call *call) {
    uint64_t all = 0, moved = 0, calls = 0, largest = 0;
    uint64_t ranks = talking(b, call);
    bool alone = call->axis != CALC_AXIS_OFFLOAD && ranks < 2;
    if (alone || call->passes == 0 || call->elem_bytes == 0) {
        return;
    }
    for (int i = 0; i < COMM_UNITS_MAX; i++) {
        uint64_t times = call->units[i].times, elements = call->units[i].elements;
        if (times == 0 || elements == 0) {
            continue;
        }
        if (elements > UINT64_MAX / 4) {
            b->overflow = b->overflow == NULL ? call->id : b->overflow;
            return;
        }
        uint64_t sent = comm_sent_elements(call->collective, elements, ranks);
        all = comm_plus(b, call->id, all, comm_times(b, call->id, times, elements));
        moved = comm_plus(b, call->id, moved, comm_times(b, call->id, times, sent));
        calls = comm_plus(b, call->id, calls, times);
        largest = elements > largest ? elements : largest;
    }
    if (calls == 0) {
        return;
    }
    struct calc_comm_row *row =
        comm_add_counted(b, call, calls, comm_times(b, call->id, largest, call->elem_bytes),
                         comm_times(b, call->id, moved, call->elem_bytes));
    if (b->texts) {
        uint64_t whole = call->collective == CALC_ALL_REDUCE ? 2 * all : all;
        comm_write_numbers(row, call, all, whole > moved ? whole - moved : 0);
    }
}

/* --- A stage ------------------------------------------------------------------------------------------------------ */

/* Elements of the stage, and of its routed experts. */
static enum status measure_params(struct comm_build *b, uint64_t stage, struct message *why) {
    const struct scenario *s = b->s;
    struct calc_guard g = {false};
    if (scenario_params_only(s)) {
        return calc_params_on_stage(s, stage, &b->params, why);
    }
    enum status ok = calc_params_split(s, stage, &b->parts, why);
    ok = ok == STATUS_OK ? calc_expert_params_on_stage(s, stage, &b->experts, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t all = calc_times(&g, b->parts.dense_layers, b->parts.dense_layer);
    all = calc_plus(&g, all, calc_times(&g, b->parts.expert_layers, b->parts.expert_layer));
    all = calc_plus(&g, all, b->parts.root);
    b->params = all - b->experts;
    return g.overflow ? calc_overflow(why, "params") : STATUS_OK;
}

static enum status measure(struct comm_build *b, uint64_t stage, struct message *why) {
    const struct scenario *s = b->s;
    const struct calc_layout *l = &s->layout;
    enum status ok = measure_params(b, stage, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    b->embedding = calc_has_embedding(s, stage);
    b->head = calc_has_head(s, stage);
    b->micro = s->batch.micro_batches / calc_model_copies(s); /* even where there are two */
    b->split = l->sequence_parallel && l->tp > 1;
    b->passes = s->recipe.recompute == CALC_RECOMPUTE_FULL ? 3 : 2;
    if (scenario_params_only(s)) {
        return STATUS_OK;
    }
    b->dense = b->parts.dense_layers;
    b->sparse = b->parts.expert_layers;
    b->layers = b->dense + b->sparse;
    b->element = s->recipe.precision == CALC_PRECISION_FP32 ? 4 : 2;
    b->rows = checked_div_up(s->batch.seq, l->cp);
    uint64_t whole = b->split ? checked_div_up(b->rows, l->tp) : b->rows;
    b->tokens = comm_times(b, "tokens", b->rows, s->batch.micro_batch);
    b->whole_tokens = comm_times(b, "tokens", whole, s->batch.micro_batch);
    comm_last_units(b);
    return calc_shape_of_rank(s, &b->rank, why);
}

static void measure_groups(struct comm_build *b) {
    for (int group = 0; group < CALC_GROUPS; group++) {
        b->group_ranks[group] = calc_rank_group_of(&b->ranks, (enum calc_group)group, 0).size;
        b->group_crosses[group] = calc_group_crosses(&b->ranks, (enum calc_group)group);
    }
    b->group_ranks[CALC_GROUPS] = b->world;
    b->group_crosses[CALC_GROUPS] = b->world > b->ranks.gpus_per_node;
}

/* The world, if its ranks have numbers of 32 bits. */
static enum status number_ranks(struct comm_build *b, struct message *why) {
    const struct calc_layout *l = &b->s->layout;
    uint64_t stage = l->tp * l->dp; /* each at most 2^20 */
    bool fits = checked_mul(stage, l->pp, &b->world) && checked_mul(b->world, l->cp, &b->world);
    b->ranks = calc_ranks_of(b->s);
    if (fits && b->world <= UINT32_MAX) {
        measure_groups(b);
        return STATUS_OK;
    }
    message_start(why, "error.comm.crowd");
    message_add_count(why, fits ? b->world : UINT64_MAX);
    message_add_count(why, UINT32_MAX);
    return STATUS_USAGE;
}

/* With --params alone only what depends on Ψ is known. */
static void mark_unknown(struct comm_build *b) {
    const struct calc_layout *l = &b->s->layout;
    struct calc_comm *c = b->out;
    bool only = scenario_params_only(b->s);
    c->axis_known[CALC_AXIS_DP] = c->axis_known[CALC_AXIS_OFFLOAD] = true;
    c->axis_known[CALC_AXIS_EP] = true; /* a model of which only Ψ is known has no experts */
    c->axis_known[CALC_AXIS_TP] = !only || l->tp == 1;
    c->axis_known[CALC_AXIS_PP] = !only || l->pp == 1;
    c->axis_known[CALC_AXIS_CP] = !only || l->cp == 1;
    c->total_known =
        c->axis_known[CALC_AXIS_TP] && c->axis_known[CALC_AXIS_PP] && c->axis_known[CALC_AXIS_CP];
}

/* What all stages have in common is in `common`. */
static enum status build(const struct comm_build *common, uint64_t stage, struct calc_comm *out,
                         struct message *why) {
    struct comm_build b = *common;
    const struct scenario *s = b.s;
    b.out = out;
    out->stage = stage;
    out->row_count = 0;
    out->total_sent_bytes = out->next_sent_bytes = 0;
    enum status ok = measure(&b, stage, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    mark_unknown(&b);
    comm_data_add(&b);
    if (!scenario_params_only(s)) {
        comm_tensor_add(&b);
        comm_pipeline_add(&b);
        comm_context_add(&b);
        comm_experts_add(&b);
    }
    for (int i = 0; i < out->row_count; i++) {
        out->total_sent_bytes =
            comm_plus(&b, "total", out->total_sent_bytes, out->rows[i].sent_bytes);
    }
    if (b.overflow == NULL && s->layout.offload != CALC_OFFLOAD_NONE) {
        ok = comm_offload_add(&b, why);
    }
    if (ok == STATUS_OK && b.overflow != NULL) {
        message_start(why, "error.calc.overflow");
        message_add_text(why, b.overflow);
        return STATUS_USAGE;
    }
    return ok;
}

static enum status on_stage(const struct scenario *s, uint64_t stage, bool texts,
                            struct calc_comm *out, struct message *why) {
    struct comm_build common = {.s = s, .texts = texts};
    assert(stage < s->layout.pp);
    enum status ok = number_ranks(&common, why);
    ok = ok == STATUS_OK ? build(&common, stage, out, why) : ok;
    return ok == STATUS_OK ? comm_time_all(s, out, why) : ok;
}

enum status calc_comm_on_stage(const struct scenario *s, uint64_t stage, struct calc_comm *out,
                               struct message *why) {
    return on_stage(s, stage, true, out, why);
}

enum status calc_comm_on_stage_figures(const struct scenario *s, uint64_t stage,
                                       struct calc_comm *out, struct message *why) {
    return on_stage(s, stage, false, out, why);
}

/* True when a GPU of `stage` sends what one of the stage before does: no end of the pipeline or of the model, and the same
 * layers. */
static bool sends_the_same(const struct scenario *s, uint64_t stage) {
    return stage > 1 && stage + 1 < s->layout.pp && !calc_has_head(s, stage - 1) &&
           (scenario_params_only(s) ||
            (calc_layers_on_stage(s, stage) == calc_layers_on_stage(s, stage - 1) &&
             calc_dense_layers_on_stage(s, stage) == calc_dense_layers_on_stage(s, stage - 1)));
}

/* The stage that sends most: the first of equals. */
static enum status step(const struct scenario *s, bool texts, struct calc_comm *out,
                        struct message *why) {
    struct comm_build common = {.s = s};
    uint64_t most = 0, next = 0, of_stage = 0;
    enum status ok = number_ranks(&common, why);
    for (uint64_t stage = 0; s->layout.pp > 1 && stage < s->layout.pp && ok == STATUS_OK;
         stage = calc_stage_unlike(s, stage)) {
        if (sends_the_same(s, stage)) {
            continue;
        }
        ok = build(&common, stage, out, why);
        if (ok == STATUS_OK && out->total_sent_bytes > most) {
            next = most;
            most = out->total_sent_bytes;
            of_stage = stage;
        } else if (ok == STATUS_OK && out->total_sent_bytes > next) {
            next = out->total_sent_bytes;
        }
    }
    common.texts = texts;
    if (ok == STATUS_OK) {
        ok = build(&common, of_stage, out, why);
        out->next_sent_bytes = next;
    }
    return ok == STATUS_OK ? comm_time_all(s, out, why) : ok;
}

enum status calc_comm_step(const struct scenario *s, struct calc_comm *out, struct message *why) {
    return step(s, true, out, why);
}

enum status calc_comm_step_figures(const struct scenario *s, struct calc_comm *out,
                                   struct message *why) {
    return step(s, false, out, why);
}
