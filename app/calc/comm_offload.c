/* What offload moves between the GPU and its CPU's memory, and with NVMe on to disks (ZeRO-Offload, arXiv:2101.06840
 * section 4: 2Ψ gradients out and 2Ψ weights back a step; ZeRO-Infinity, arXiv:2104.07857 section 3). Gradients leave
 * after each reduction; the CPU steps the optimizer and the weights come back: once where they live on the GPU, for
 * every forward and backward where they do not. Disks hold what the CPU does not: optimizer states are read and
 * written once a step, gradients written and read back, weights read for every pass and written once.
 * Pure; part of calc_comm_on_stage. Left out: what the CPU's own step takes. Proof: tests/unit/calc/test_comm_offload.c. */
#include "comm_private.h"
#include "memory_private.h"

static const char source_offload[] = "ZeRO-Offload, arXiv:2101.06840, section 4";
static const char source_infinity[] = "ZeRO-Infinity, arXiv:2104.07857, section 3";

/* Elements whose gradients and optimizer states are this GPU's, and whose weights it keeps. */
struct shares {
    uint64_t update, update_experts, keep, keep_experts;
};

static struct shares shares_of(const struct comm_build *b) {
    uint64_t zero = b->s->layout.zero;
    uint64_t ranks = zero >= 1 ? comm_ranks_of(b, comm_shard_group(b->s)) : 1;
    uint64_t expert_ranks = zero >= 1 ? comm_ranks_of(b, CALC_GROUP_EDP) : 1;
    struct shares s = {checked_div_up(b->params, ranks), checked_div_up(b->experts, expert_ranks),
                       b->params, b->experts};
    if (zero == 3) {
        s.keep = s.update;
        s.keep_experts = s.update_experts;
    }
    return s;
}

/* One direction over one link. */
struct move {
    const char *id;
    bool write, disk;
    uint64_t passes, elements, elem_bytes;
    enum calc_hide hide;
    const char *formula;
    double least;
};

static void add_move(struct comm_build *b, const struct move *m) {
    const struct comm_call call = {.axis = CALC_AXIS_OFFLOAD,
                                   .collective = m->write ? CALC_WRITE : CALC_READ,
                                   .id = m->id,
                                   .passes = m->passes,
                                   .units = {{1, m->elements}},
                                   .elem_bytes = m->elem_bytes,
                                   .disk = m->disk,
                                   .hide = m->hide,
                                   .windows = m->passes,
                                   .least = m->least,
                                   .formula = m->formula,
                                   .source = m->disk ? source_infinity : source_offload};
    comm_add(b, &call);
}

/* Optimizer states, and an fp32 copy of the gradients, as mem counts them. */
static enum status state_bytes(const struct comm_build *b, uint64_t *out, struct message *why) {
    struct calc_derivation d = {.count = 0};
    struct memory_params params = {b->params + b->experts, b->experts}; /* their sum is a count */
    struct memory_state_bytes bytes = memory_state_bytes_of(b->s, b->s->layout.zero);
    struct shares own = shares_of(b);
    struct calc_guard g = {false};
    enum status ok = memory_states_add(b->s, b->out->stage, params, &d, why);
    *out = 0;
    for (int i = 0; ok == STATUS_OK && i < d.count; i++) {
        uint64_t of_term = d.terms[i].part == CALC_PART_OPTIMIZER ? d.terms[i].bytes : 0;
        *out = calc_plus(&g, *out, of_term);
    }
    uint64_t elements = calc_plus(&g, own.update, own.update_experts);
    *out = calc_plus(&g, *out, calc_times(&g, bytes.fp32_copy, elements));
    return ok == STATUS_OK && g.overflow ? calc_overflow(why, "optimizer") : ok;
}

/* What leaves after the last unit of backward, or must be there before the first of forward: part of all elements. */
static double one_unit(const struct comm_build *b) {
    double others = (double)b->params, experts = (double)b->experts;
    return (b->last_unit * others + b->last_experts * experts) / (others + experts);
}

static void add_gradients(struct comm_build *b, uint64_t elements, bool disks) {
    uint64_t each = comm_gradient_bytes(b->s), reductions = comm_reductions(b);
    double least = one_unit(b);
    const char *formula = reductions == 1 ? "gΨ/N" : "A·gΨ/N";
    const struct move moves[] = {
        {"gradients.out", true, false, reductions, elements, each, CALC_HIDE_BACKWARD, formula,
         least},
        {"gradients.out", true, true, reductions, elements, each, CALC_HIDE_BACKWARD, formula,
         least},
        {"gradients.back", false, true, 1, elements, each, CALC_HIDE_NOTHING, "gΨ/N", 0},
    };
    for (int i = 0; i < (disks ? 3 : 1); i++) {
        add_move(b, &moves[i]);
    }
}

/* Weights that live on the CPU or a disk come for each forward and, unless they stay, for each backward. */
static void add_weights(struct comm_build *b, const struct shares *own, bool disks) {
    const struct calc_layout *l = &b->s->layout;
    uint64_t each = comm_weight_bytes(b->s), micro = b->micro;
    uint64_t update = comm_plus(b, "weights.back", own->update, own->update_experts);
    uint64_t keep = comm_plus(b, "weights.in", own->keep, own->keep_experts);
    bool stays = l->zero == 3 && !l->reshard;
    bool hides = l->prefetch > 0;
    for (int disk = 0; disk <= (disks ? 1 : 0); disk++) {
        const struct move forward = {"weights.in",
                                     false,
                                     disk == 1,
                                     micro,
                                     keep,
                                     each,
                                     hides ? CALC_HIDE_FORWARD : CALC_HIDE_NOTHING,
                                     "A·wΨ/N",
                                     one_unit(b)};
        struct move backward = forward;
        backward.id = "weights.in.backward";
        backward.hide = hides ? CALC_HIDE_BACKWARD : CALC_HIDE_NOTHING;
        backward.passes = stays ? 0 : micro;
        add_move(b, &forward);
        add_move(b, &backward);
    }
    if (disks) { /* the CPU's step writes them */
        const struct move written = {"weights.back",    true,   true, 1, update, each,
                                     CALC_HIDE_NOTHING, "wΨ/N", 0};
        add_move(b, &written);
    }
    if (update != keep) { /* ZeRO 1 and 2: the GPUs gather the updated shares and put all back */
        const struct move up = {"weights.updated", false,  false, 1, update, each,
                                CALC_HIDE_NOTHING, "wΨ/N", 0};
        const struct move down = {"weights.updated", true, false, 1, keep, each,
                                  CALC_HIDE_NOTHING, "wΨ", 0};
        add_move(b, &up);
        add_move(b, &down);
    }
}

enum status comm_offload_add(struct comm_build *b, struct message *why) {
    const struct calc_layout *l = &b->s->layout;
    struct shares own = shares_of(b);
    bool disks = l->offload_to == CALC_OFFLOAD_TO_NVME;
    uint64_t update = comm_plus(b, "gradients.out", own.update, own.update_experts);
    uint64_t states = 0;
    enum status ok = disks ? state_bytes(b, &states, why) : STATUS_OK;
    if (ok != STATUS_OK) {
        return ok;
    }
    add_gradients(b, update, disks);
    if (l->offload == CALC_OFFLOAD_PARAMS) {
        add_weights(b, &own, disks);
    } else {
        const struct move back = {
            "weights.updated", false,  false, 1, update, comm_weight_bytes(b->s),
            CALC_HIDE_NOTHING, "wΨ/N", 0};
        add_move(b, &back);
    }
    const struct move read = {"optimizer", false, true, 1, states, 1, CALC_HIDE_NOTHING, "oΨ/N", 0};
    struct move write = read;
    write.write = true;
    add_move(b, &read);
    add_move(b, &write);
    return STATUS_OK;
}
