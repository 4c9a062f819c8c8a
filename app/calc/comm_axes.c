/* What pipeline, context and expert parallelism send. Pipeline: a micro-batch's activations to the next stage and
 * their gradients back, for every chunk (Narayanan et al., arXiv:2104.04473 section 3; without scatter/gather, so that
 * every tensor rank sends all, a part with sequence parallelism). Context: ring attention (arXiv:2310.01889): keys and
 * values of the others pass through. Experts: tokens to the ranks of their experts and back (GShard, arXiv:2006.16668),
 * routing uniform, nothing dropped. Pure; part of calc_comm_on_stage. Proof: tests/unit/calc/test_comm_axes.c. */
#include "comm_private.h"

static const char source_pipeline[] = "Narayanan et al., arXiv:2104.04473, section 3";
static const char source_tied[] = "Megatron-LM, core/distributed/finalize_model_grads.py";
static const char source_ring[] = "Ring Attention, arXiv:2310.01889, section 3";
static const char source_experts[] = "GShard, arXiv:2006.16668, section 3; routing uniform";

/* --- Pipeline ----------------------------------------------------------------------------------------------------- */

/* The copies of a tied embedding, on the first and on the last stage, sum their gradients; from ZeRO 2 on a rank has
 * only its share of them. */
static void add_tied(struct comm_build *b) {
    const struct scenario *s = b->s;
    if (!s->model.tied || (!b->first && !b->last)) {
        return;
    }
    struct comm_call call = {.axis = CALC_AXIS_PP,
                             .collective = CALC_ALL_REDUCE,
                             .id = "gradients.embedding",
                             .group = CALC_GROUP_PP,
                             .pair = true,
                             .passes = 1,
                             .units = {{1, 0}},
                             .elem_bytes = comm_gradient_bytes(s),
                             .formula = s->layout.zero >= 2 ? "2R(g·vh/N)" : "2R(g·vh)",
                             .source = source_tied};
    uint64_t table = comm_times(b, call.id, b->rank.vocab, s->model.hidden);
    bool shared = s->layout.zero >= 2;
    call.units[0].elements =
        shared ? checked_div_up(table, comm_ranks_of(b, comm_shard_group(s))) : table;
    comm_add(b, &call);
}

void comm_pipeline_add(struct comm_build *b) {
    const struct scenario *s = b->s;
    const struct calc_layout *l = &s->layout;
    if (l->pp == 1) {
        return;
    }
    uint64_t micro = s->batch.micro_batches, chunks = l->chunks;
    struct comm_call call = {.axis = CALC_AXIS_PP,
                             .collective = CALC_SEND,
                             .id = "activations",
                             .group = CALC_GROUP_PP,
                             .pair = true,
                             .units = {{1, 0}},
                             .elem_bytes = b->element,
                             .hide = CALC_HIDE_STEADY,
                             .formula = chunks == 1 ? "A·M" : "A·V·M",
                             .source = source_pipeline};
    call.units[0].elements = comm_times(b, call.id, b->whole_tokens, s->model.hidden);
    /* the last chunk of the last stage has no next one, the first of the first none before */
    call.passes = comm_times(b, call.id, micro, b->last ? chunks - 1 : chunks);
    comm_add(b, &call);
    call.id = "activation.gradients";
    call.passes = comm_times(b, call.id, micro, b->first ? chunks - 1 : chunks);
    comm_add(b, &call);
    add_tied(b);
}

/* --- Context ------------------------------------------------------------------------------------------------------ */

/* In N − 1 steps every block but one passes through this rank. */
static void add_ring(struct comm_build *b, struct comm_call *call, uint64_t rows) {
    const struct scenario *s = b->s;
    uint64_t steps = s->layout.cp - 1;
    uint64_t sent = comm_times(b, call->id, rows, call->elem_bytes);
    uint64_t block = comm_times(b, call->id, b->rows, call->elem_bytes);
    struct calc_comm_row *row = comm_add_counted(b, call, steps, block, sent);
    if (b->texts) {
        comm_write_numbers(row, call, s->batch.seq, s->batch.seq - rows);
    }
}

void comm_context_add(struct comm_build *b) {
    const struct scenario *s = b->s;
    const struct calc_layout *l = &s->layout;
    if (l->cp == 1) {
        return;
    }
    uint64_t micro = s->batch.micro_batches;
    uint64_t forwards = b->passes - 1; /* once more with full recompute */
    struct comm_call call = {.axis = CALC_AXIS_CP,
                             .collective = CALC_SEND,
                             .id = "keys.forward",
                             .group = CALC_GROUP_CP,
                             .hide = CALC_HIDE_ATTENTION,
                             .formula = forwards == 2 ? "A·2L·(c−1)·KV" : "A·L·(c−1)·KV",
                             .source = source_ring};
    uint64_t width = comm_plus(b, call.id, b->rank.kv_width, b->rank.v_width);
    uint64_t layers = comm_times(b, call.id, b->layers, micro);
    call.elem_bytes = comm_times(b, call.id, width, b->element);
    call.elem_bytes = comm_times(b, call.id, call.elem_bytes, s->batch.micro_batch);
    call.passes = comm_times(b, call.id, layers, forwards);
    call.windows = comm_times(b, call.id, micro, forwards);
    /* as in a gather, and a reduce-scatter, of rows of the sequence */
    uint64_t seen = comm_sent_elements(CALC_ALL_GATHER, s->batch.seq, l->cp);
    uint64_t summed = comm_sent_elements(CALC_REDUCE_SCATTER, s->batch.seq, l->cp);
    add_ring(b, &call, seen);
    call.id = "keys.backward";
    call.formula = "A·L·(c−1)·KV";
    call.hide = CALC_HIDE_ATTENTION_BACKWARD;
    call.passes = layers;
    call.windows = micro;
    add_ring(b, &call, seen);
    call.id = "keys.gradients";
    add_ring(b, &call, summed);
}

/* --- Experts ------------------------------------------------------------------------------------------------------ */

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
                             .formula = b->passes == 3 ? "A·Le·3R(KM)" : "A·Le·2R(KM)",
                             .source = source_experts};
    uint64_t layers = comm_times(b, call.id, b->sparse, s->batch.micro_batches);
    call.passes = comm_times(b, call.id, layers, b->passes);
    call.units[0].elements = comm_times(b, call.id, b->whole_tokens, s->model.experts_active);
    call.elem_bytes = comm_times(b, call.id, s->model.hidden, b->element);
    comm_add(b, &call);
    call.id = "combine";
    comm_add(b, &call);
}
