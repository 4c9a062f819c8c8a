/* What tensor parallelism sends: the sums behind row-parallel matrices and before column-parallel ones (Megatron-LM,
 * arXiv:1909.08053 section 3), with sequence parallelism as gathers and reduce-scatters (Korthikanti et al.,
 * arXiv:2205.05198 section 4.2.2), the divided vocabulary, and experts divided by etp. Pure; part of
 * calc_comm_on_stage. Left out: gathers of the latents of latent attention. Proof: tests/unit/calc/test_comm_axes.c. */
#include "activations_private.h"
#include "comm_private.h"

static const char source_megatron[] = "Megatron-LM, arXiv:1909.08053, section 3";
static const char source_sequence[] = "Korthikanti et al., arXiv:2205.05198, section 4.2.2";
static const char source_norms[] = "Megatron-LM, core/distributed/finalize_model_grads.py";
static const char source_experts[] =
    "Megatron-LM, MoE token dispatcher with expert tensor parallel";

/* A gather for the weights' gradient: it runs beside the gradient of the input, which does not need it. */
static void hide_in_backward(const struct comm_build *b, struct comm_call *call) {
    call->hide = CALC_HIDE_BACKWARD;
    call->windows = b->s->batch.micro_batches;
}

/* All activations of a micro-batch, hidden wide: sums count elements, shards of the sequence whole rows. */
static struct comm_call hidden_call(struct comm_build *b, enum calc_collective collective,
                                    const char *id, uint64_t passes) {
    const struct scenario *s = b->s;
    bool sum = collective == CALC_ALL_REDUCE;
    struct comm_call call = {.axis = CALC_AXIS_TP,
                             .collective = collective,
                             .id = id,
                             .group = CALC_GROUP_TP,
                             .passes = passes,
                             .units = {{1, b->rows}},
                             .source = source_sequence};
    uint64_t sequences = comm_times(b, id, b->element, s->batch.micro_batch);
    call.elem_bytes = comm_times(b, id, sequences, s->model.hidden);
    if (sum) {
        call.units[0].elements = comm_times(b, id, b->tokens, s->model.hidden);
        call.elem_bytes = b->element;
        call.source = source_megatron;
    }
    return call;
}

/* Blocks that end in a row-parallel matrix: attention; the FFN of dense layers, the shared experts of others. */
static uint64_t blocks_of(const struct comm_build *b) {
    uint64_t shared = b->s->model.experts_shared != 0 ? b->sparse : 0;
    return b->layers + b->dense + shared; /* each at most 2^40 */
}

static void add_layers(struct comm_build *b) {
    uint64_t micro = b->micro;
    uint64_t blocks = comm_times(b, "layers", blocks_of(b), micro);
    uint64_t calls = comm_times(b, "layers", blocks, b->passes);
    if (!b->split) {
        struct comm_call sums = hidden_call(b, CALC_ALL_REDUCE, "layers", calls);
        sums.formula = b->passes == 3 ? "A·6L·2R(M)" : "A·4L·2R(M)";
        comm_add(b, &sums);
        return;
    }
    struct comm_call gathers = hidden_call(b, CALC_ALL_GATHER, "layers", calls);
    struct comm_call scatters = hidden_call(b, CALC_REDUCE_SCATTER, "layers", calls);
    struct comm_call again = hidden_call(b, CALC_ALL_GATHER, "layers.again", blocks);
    gathers.formula = scatters.formula = b->passes == 3 ? "A·6L·R(M)" : "A·4L·R(M)";
    again.formula = "A·2L·R(M)";
    hide_in_backward(b, &again);
    comm_add(b, &gathers);
    comm_add(b, &scatters);
    comm_add(b, &again);
}

/* Rows of the embedding live on different ranks: forward sums what each found. The head's columns: backward sums. */
static void add_vocabulary(struct comm_build *b) {
    uint64_t micro = b->micro;
    const struct {
        bool here;
        enum calc_collective collective;
        const char *id;
        bool again;
    } calls[] = {
        {b->embedding && !b->split, CALC_ALL_REDUCE, "embedding", false},
        {b->embedding && b->split, CALC_REDUCE_SCATTER, "embedding", false},
        {b->embedding && b->split, CALC_ALL_GATHER, "embedding", false},
        {b->head && !b->split, CALC_ALL_REDUCE, "head", false},
        {b->head && b->split, CALC_ALL_GATHER, "head", false},
        {b->head && b->split, CALC_ALL_GATHER, "head.again", true},
        {b->head && b->split, CALC_REDUCE_SCATTER, "head", false},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].here) {
            struct comm_call call = hidden_call(b, calls[i].collective, calls[i].id, micro);
            bool sum = calls[i].collective == CALC_ALL_REDUCE;
            call.formula = sum ? "A·2R(M)" : "A·R(M)";
            if (calls[i].again) {
                hide_in_backward(b, &call);
            }
            comm_add(b, &call);
        }
    }
    if (b->head) { /* the largest logit, the sum of exponentials and the right logit, in fp32 */
        const struct comm_call loss = {.axis = CALC_AXIS_TP,
                                       .collective = CALC_ALL_REDUCE,
                                       .id = "loss",
                                       .group = CALC_GROUP_TP,
                                       .passes = comm_times(b, "loss", 3, micro),
                                       .units = {{1, b->tokens}},
                                       .elem_bytes = 4,
                                       .formula = "A·3·2R(4sb)",
                                       .source = source_megatron};
        comm_add(b, &loss);
    }
}

static uint64_t norm_elements(const struct calc_model *m, uint64_t width) {
    return m->norm == CALC_NORM_LAYER ? 2 * width : width; /* width <= 2^40 */
}

/* Parameters that every rank holds whole and that saw only its tokens, or only its heads. */
static uint64_t partial_elements(struct comm_build *b) {
    static const char id[] = "norms";
    const struct calc_model *m = &b->s->model;
    uint64_t of_layer = m->qk_norm ? 2 * norm_elements(m, m->head_dim) : 0;
    if (!b->split) {
        return comm_times(b, id, b->layers, of_layer);
    }
    uint64_t bias = m->bias == CALC_BIAS_ALL ? m->hidden : 0;
    uint64_t norm = norm_elements(m, m->hidden);
    of_layer = comm_plus(b, id, of_layer, comm_times(b, id, m->norms, norm));
    if (scenario_has_latents(b->s)) {
        of_layer += norm_elements(m, m->q_rank) + norm_elements(m, m->kv_rank);
    }
    uint64_t all = comm_times(b, id, b->layers, of_layer);
    all = comm_plus(b, id, all, comm_times(b, id, blocks_of(b), bias));
    struct calc_guard g = {false};
    uint64_t routers = comm_times(b, id, b->sparse, calc_router_params(m, &g));
    all = comm_plus(b, id, all, b->sparse > 0 ? routers : 0);
    all = comm_plus(b, id, all, b->embedding && m->embedding_norm ? norm : 0);
    return comm_plus(b, id, all, b->head ? norm : 0);
}

static void add_norms(struct comm_build *b) {
    struct comm_call call = {.axis = CALC_AXIS_TP,
                             .collective = CALC_ALL_REDUCE,
                             .id = "norms",
                             .group = CALC_GROUP_TP,
                             .passes = 1,
                             .elem_bytes = comm_gradient_bytes(b->s),
                             .formula = "2R(g·n)",
                             .source = source_norms};
    call.units[0].times = 1;
    call.units[0].elements = partial_elements(b);
    comm_add(b, &call);
}

/* Ranks that share the columns of an expert gather its tokens and scatter the sums; where they hold the same tokens
 * anyway (tp without sequence parallelism) they only sum. */
static void add_expert_columns(struct comm_build *b) {
    const struct scenario *s = b->s;
    struct sizes z = {.tokens = b->tokens};
    struct calc_guard g = {false};
    bool same = !b->split && s->layout.etp <= s->layout.tp;
    struct comm_call call = {.axis = CALC_AXIS_TP,
                             .collective = same ? CALC_ALL_REDUCE : CALC_ALL_GATHER,
                             .id = "experts",
                             .group = CALC_GROUP_ETP,
                             .formula = same ? "A·Le·4R(KM)" : "A·Le·2R(KM)",
                             .source = source_experts};
    uint64_t passes = comm_times(b, call.id, b->sparse, b->micro);
    call.passes = comm_times(b, call.id, passes, b->passes);
    call.units[0].times = 1;
    call.units[0].elements = activations_routed_tokens(s, &z, &g);
    call.elem_bytes = comm_times(b, call.id, b->element, s->model.hidden);
    if (g.overflow && b->overflow == NULL) {
        b->overflow = call.id;
    }
    comm_add(b, &call);
    if (!same) {
        call.collective = CALC_REDUCE_SCATTER;
        comm_add(b, &call);
    }
}

void comm_tensor_add(struct comm_build *b) {
    if (b->s->layout.tp > 1) {
        add_layers(b);
        add_vocabulary(b);
        add_norms(b);
    }
    if (b->sparse > 0 && b->s->layout.etp > 1) {
        add_expert_columns(b);
    }
}
