/* Offload: which states leave the GPU for the CPU or NVMe, and how many bytes they take there (ZeRO-Offload,
 * arXiv:2101.06840; ZeRO-Infinity, arXiv:2104.07857). Everywhere gradients and optimizer states leave first, and with
 * `params` the weights too; gathered copies and buffers stay, since the GPU computes with them. A GPU's own bytes are
 * counted; only DeepSpeed's estimators, at stages 2 and 3, say what a whole node needs, with 1.5 times for buffers.
 * Pure; part of calc_memory_on_stage. Proof: tests/unit/calc/test_offload.c. */
#include <stdio.h>
#include <string.h>

#include "memory_private.h"

static const char source_offload[] = "ZeRO-Offload, arXiv:2101.06840, section 4";
static const char source_host[] = "DeepSpeed, runtime/zero memory estimators";

bool memory_part_leaves(const struct scenario *s, enum calc_part part) {
    switch ((enum calc_offload)s->layout.offload) {
    case CALC_OFFLOAD_NONE:
        return false;
    case CALC_OFFLOAD_OPTIMIZER:
        return part == CALC_PART_GRADIENTS || part == CALC_PART_OPTIMIZER;
    case CALC_OFFLOAD_PARAMS:
        return part == CALC_PART_WEIGHTS || part == CALC_PART_GRADIENTS ||
               part == CALC_PART_OPTIMIZER;
    }
    return false;
}

/* Joins two formulas as a sum, whole terms only: where the next one has no room, the sum ends in "…". */
static void join(char *to, size_t capacity, const char *more) {
    static const char rest[] = " + …";
    size_t length = strlen(to), end = sizeof rest - 1;
    if (length >= end && strcmp(to + length - end, rest) == 0) {
        return;
    }
    bool room = length + strlen(" + ") + strlen(more) + sizeof rest <= capacity;
    (void)snprintf(to + length, capacity - length, "%s%s", length > 0 && room ? " + " : "",
                   room ? more : rest);
}

static enum status take(struct calc_term *offloaded, const struct calc_term *t,
                        struct message *why) {
    struct calc_guard g = {false};
    offloaded->bytes = calc_plus(&g, offloaded->bytes, t->bytes);
    join(offloaded->formula, sizeof offloaded->formula, t->formula);
    join(offloaded->substituted, sizeof offloaded->substituted, t->substituted);
    return g.overflow ? calc_overflow(why, "offloaded") : STATUS_OK;
}

bool memory_offload_per_node(const struct scenario *s) {
    return s->layout.offload != CALC_OFFLOAD_NONE && s->convention == CALC_CONVENTION_DEEPSPEED &&
           s->layout.zero >= 2;
}

/* Three halves of a / b, rounded up. */
static uint64_t buffered_share(struct calc_guard *g, uint64_t a, uint64_t b) {
    return checked_div_up(calc_times(g, 3, a), 2 * b); /* b is at most 2^50 nodes */
}

/* What DeepSpeed's estimators want in the memory of one node. */
static enum status count_host(const struct scenario *s, const struct calc_derivation *d,
                              struct calc_term *t, struct message *why) {
    const struct calc_layout *l = &s->layout;
    struct calc_guard g = {false};
    struct calc_params params;
    enum status ok = calc_params_count(s, &params, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct memory_state_bytes b = memory_state_bytes_of(s, l->zero);
    unsigned long long psi = params.total;
    uint64_t world = calc_times(&g, calc_times3(&g, l->dp, l->tp, l->pp), l->cp);
    uint64_t per_node = s->cluster.gpus_per_node < world ? s->cluster.gpus_per_node : world;
    uint64_t nodes = checked_div_up(world, per_node);
    uint64_t gradient = b.fp32_copy != 0 ? b.fp32_copy : b.gradient;
    uint64_t each = gradient + b.optimizer, optimizer = 0;
    ok = memory_optimizer_whole(s, &optimizer, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    /* what depends on shapes comes on top: nothing for most optimizers */
    uint64_t all = calc_plus(&g, calc_times(&g, gradient, psi), optimizer);
    if (l->zero == 2) { /* each process has a whole gradient, or the node all states */
        uint64_t of_processes = calc_times(&g, gradient, per_node);
        of_processes = calc_times(&g, of_processes, psi);
        t->bytes = buffered_share(&g, of_processes > all ? of_processes : all, 1);
        memory_term_formula(d, t, "1.5 × Ψ × max(%llun, %llu)", (unsigned long long)gradient,
                            (unsigned long long)each);
        memory_term_substituted(d, t, "1.5 × %llu × max(%llu × %llu, %llu)", psi,
                                (unsigned long long)gradient, (unsigned long long)per_node,
                                (unsigned long long)each);
    } else {
        uint64_t weight = l->offload == CALC_OFFLOAD_PARAMS ? b.weight : 0;
        each += weight;
        t->bytes = buffered_share(&g, calc_plus(&g, all, calc_times(&g, weight, psi)), nodes);
        memory_term_formula(d, t, "1.5 × %lluΨ / nodes", (unsigned long long)each);
        memory_term_substituted(d, t, "1.5 × %llu × %llu / %llu", (unsigned long long)each, psi,
                                (unsigned long long)nodes);
    }
    t->source = source_host;
    return g.overflow ? calc_overflow(why, "offloaded") : STATUS_OK;
}

/* What the GPU computes with stays on it whatever leaves. */
static bool computed_with(const struct calc_term *t) {
    return strcmp(t->id, "weights.gathered") == 0;
}

enum status memory_offload_move(const struct scenario *s, struct calc_derivation *d,
                                struct calc_term *offloaded, struct message *why) {
    int kept = 0;
    enum status ok = STATUS_OK;
    *offloaded = (struct calc_term){.id = "offloaded", .part = CALC_PART_NONE, .bytes = 0};
    offloaded->source = source_offload;
    for (int i = 0; ok == STATUS_OK && i < d->count; i++) {
        const struct calc_term *t = &d->terms[i];
        if (memory_part_leaves(s, t->part) && !computed_with(t)) {
            ok = take(offloaded, t, why);
        } else {
            d->terms[kept] = *t;
            kept++;
        }
    }
    d->count = kept;
    return ok == STATUS_OK && memory_offload_per_node(s) ? count_host(s, d, offloaded, why) : ok;
}
