/* What FSDP gathers (PyTorch FSDP, arXiv:2304.11277 section 3): between its uses a parameter lies divided over the
 * data ranks in fp32; to compute, a rank gathers whole units in the compute type. Units are the decoder layers and a
 * root unit of embedding, final norm and head. At stage 3 a unit is freed after its use, and the next ones are
 * gathered ahead: the most at one time are the largest 1 + prefetch neighbours. Without reshard all units stay.
 * Pure; part of calc_memory_on_stage. Left out: the flat copies that a collective reads from and writes to.
 * Proof: tests/unit/calc/test_fsdp.c. */
#include "memory_private.h"

static const char source_fsdp[] = "PyTorch FSDP, arXiv:2304.11277, section 3";

static bool gathers(const struct scenario *s) {
    return s->convention == CALC_CONVENTION_FSDP && s->layout.zero == 3;
}

bool memory_gathered_needs_shapes(const struct scenario *s) {
    return gathers(s) && s->layout.reshard;
}

/* The largest 1 + prefetch adjacent units of root, layer, layer, …, root again. */
struct window {
    bool root;
    uint64_t layers, elements;
};

/* `count` neighbours of the layers, from one of their ends: the first are dense, the last have experts. */
static struct window layers_from_end(const struct calc_stage_split *split, uint64_t count,
                                     bool last, struct calc_guard *g) {
    uint64_t near = last ? split->expert_layers : split->dense_layers;
    uint64_t far = last ? split->dense_layers : split->expert_layers;
    uint64_t of_near = count < near ? count : near;
    uint64_t of_far = count - of_near < far ? count - of_near : far;
    uint64_t elements = calc_times(g, of_near, last ? split->expert_layer : split->dense_layer);
    elements = calc_plus(g, elements,
                         calc_times(g, of_far, last ? split->dense_layer : split->expert_layer));
    return (struct window){false, of_near + of_far, elements};
}

static void take_larger(struct window *largest, struct window other) {
    *largest = other.elements > largest->elements ? other : *largest;
}

static struct window largest_window(const struct scenario *s, const struct calc_stage_split *split,
                                    struct calc_guard *g) {
    uint64_t layers = split->dense_layers + split->expert_layers, ahead = s->layout.prefetch;
    uint64_t beside_root = ahead < layers ? ahead : layers;
    uint64_t without_root = ahead < layers ? ahead + 1 : layers;
    struct window largest = {true, 0, split->root};
    for (int last = 0; last <= 1; last++) {
        struct window with = layers_from_end(split, beside_root, last == 1, g);
        with.root = true;
        with.elements = calc_plus(g, with.elements, split->root);
        take_larger(&largest, with);
        take_larger(&largest, layers_from_end(split, without_root, last == 1, g));
    }
    return largest;
}

enum status memory_gathered_add(const struct scenario *s, uint64_t stage, uint64_t params,
                                struct calc_derivation *d, struct message *why) {
    bool all = !s->layout.reshard;
    if (!gathers(s) || (!all && scenario_params_only(s))) {
        return STATUS_OK;
    }
    struct calc_guard g = {false};
    struct calc_stage_split split = {0};
    enum status ok = all ? STATUS_OK : calc_params_split(s, stage, &split, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t each = memory_compute_bytes(s);
    struct window window = {false, 0, params};
    if (!all) {
        window = largest_window(s, &split, &g);
    }
    uint64_t bytes = calc_times(&g, each, window.elements);
    if (g.overflow) {
        return calc_overflow(why, "buffers.gathered");
    }
    struct calc_term *t =
        memory_term_add(d, "buffers.gathered", CALC_PART_BUFFERS, bytes, source_fsdp);
    if (all) {
        memory_term_formula(d, t, "%lluΨ", (unsigned long long)each);
    } else {
        memory_term_formula(d, t,
                            window.root ? "%llu × (root + %llu layers)" : "%llu × %llu layers",
                            (unsigned long long)each, (unsigned long long)window.layers);
    }
    memory_term_substituted(d, t, "%llu × %llu", (unsigned long long)each,
                            (unsigned long long)window.elements);
    return STATUS_OK;
}
