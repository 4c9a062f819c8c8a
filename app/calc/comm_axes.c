/* What pipeline and context parallelism send. Pipeline: a micro-batch's activations to the next stage and
 * their gradients back, for every chunk (Narayanan et al., arXiv:2104.04473 section 3; without scatter/gather, so that
 * every tensor rank sends all, a part with sequence parallelism). Context: ring attention (arXiv:2310.01889): keys and
 * values of the others pass through. Pure; part of calc_comm_on_stage. Proof: tests/unit/calc/test_comm_axes.c. */
#include "comm_private.h"
#include "shardlab/calc/schedule.h"

static const char source_pipeline[] = "Narayanan et al., arXiv:2104.04473, section 3";
static const char source_tied[] = "Megatron-LM, core/distributed/finalize_model_grads.py";
static const char source_copies[] =
    "DeepSeek-V3, arXiv:2412.19437, section 3.2.1; Chimera, arXiv:2107.06925, section 3";
static const char source_ring[] = "Ring Attention, arXiv:2310.01889, section 3";

/* --- Pipeline ----------------------------------------------------------------------------------------------------- */

/* Elements of which the ranks of `group` hold a share each from ZeRO 2 on. */
static uint64_t own_share(const struct comm_build *b, enum calc_group group, uint64_t elements) {
    bool shared = b->s->layout.zero >= 2;
    return shared ? checked_div_up(elements, comm_ranks_of(b, group)) : elements;
}

/* Two ranks of a pipeline sum gradients of the same weights, once a step. */
static struct comm_call pair_call(const struct comm_build *b, const char *id) {
    return (struct comm_call){.axis = CALC_AXIS_PP,
                              .collective = CALC_ALL_REDUCE,
                              .id = id,
                              .group = CALC_GROUP_PP,
                              .pair = true,
                              .passes = 1,
                              .elem_bytes = comm_gradient_bytes(b->s)};
}

/* The copies of a tied embedding, on the first and on the last stage, sum their gradients. Where the pipeline folds
 * back both ends are one table on one rank; where it runs both ways the table is among what add_copies sums. */
static void add_tied(struct comm_build *b) {
    const struct scenario *s = b->s;
    if (!s->model.tied || b->embedding == b->head) {
        return;
    }
    struct comm_call call = pair_call(b, "gradients.embedding");
    uint64_t table = comm_times(b, call.id, b->rank.vocab, s->model.hidden);
    call.units[0].times = 1;
    call.units[0].elements = own_share(b, comm_shard_group(s), table);
    call.formula = s->layout.zero >= 2 ? "2R(g·vh/N)" : "2R(g·vh)";
    call.source = source_tied;
    comm_add(b, &call);
}

/* dualpipe, chimera: ranks r and p − 1 − r hold the same two stages, each for one half of the micro-batches. */
static void add_copies(struct comm_build *b) {
    if (calc_model_copies(b->s) == 1) {
        return;
    }
    struct comm_call call = pair_call(b, "gradients.copies");
    call.units[0].times = call.units[1].times = 1;
    call.units[0].elements = own_share(b, comm_shard_group(b->s), b->params);
    call.units[1].elements = own_share(b, CALC_GROUP_EDP, b->experts);
    call.formula = b->s->layout.zero >= 2 ? "2R(gΨ/N)" : "2R(gΨ)";
    call.source = source_copies;
    comm_add(b, &call);
}

/* Chunks of which the stage has a next one, forwards: along a loop all but the last chunk of the last stage; where the
 * pipeline folds back or runs both ways, one towards each neighbour. Backwards the same, seen from the other end. */
static uint64_t chunks_to_next(const struct comm_build *b, bool backward) {
    const struct calc_layout *l = &b->s->layout;
    bool first = b->out->stage == 0, last = b->out->stage == l->pp - 1;
    if (calc_is_folded(b->s) || calc_model_copies(b->s) == 2) {
        return first || last ? 1 : 2;
    }
    return (backward ? first : last) ? l->chunks - 1 : l->chunks;
}

static const char *message_formula(const struct comm_build *b, uint64_t chunks) {
    uint64_t all = b->s->layout.chunks;
    if (calc_model_copies(b->s) == 2) {
        return chunks == 2 ? "A·M" : "A/2·M";
    }
    return chunks == 1 ? "A·M" : chunks == all ? "A·V·M" : "A·(V−1)·M";
}

void comm_pipeline_add(struct comm_build *b) {
    const struct scenario *s = b->s;
    if (s->layout.pp == 1) {
        return;
    }
    for (int backward = 0; backward < 2; backward++) {
        uint64_t chunks = chunks_to_next(b, backward == 1);
        struct comm_call call = {.axis = CALC_AXIS_PP,
                                 .collective = CALC_SEND,
                                 .id = backward == 1 ? "activation.gradients" : "activations",
                                 .group = CALC_GROUP_PP,
                                 .pair = true,
                                 .units = {{1, 0}},
                                 .elem_bytes = b->element,
                                 .hide = CALC_HIDE_STEADY,
                                 .formula = message_formula(b, chunks),
                                 .source = source_pipeline};
        call.units[0].elements = comm_times(b, call.id, b->whole_tokens, s->model.hidden);
        call.passes = comm_times(b, call.id, b->micro, chunks);
        comm_add(b, &call);
    }
    add_tied(b);
    add_copies(b);
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
    uint64_t layers = comm_times(b, call.id, b->layers, b->micro);
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
