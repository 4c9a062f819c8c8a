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

static struct window largest_window(const struct scenario *s, const struct calc_stage_split *split,
                                    struct calc_guard *g) {
    uint64_t layers = split->layers, ahead = s->layout.prefetch;
    struct window with = {true, ahead < layers ? ahead : layers, 0};
    struct window without = {false, ahead < layers ? ahead + 1 : layers, 0};
    with.elements = calc_plus(g, split->root, calc_times(g, with.layers, split->layer));
    without.elements = calc_times(g, without.layers, split->layer);
    return with.elements > without.elements ? with : without;
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
        memory_term_formula(t, "%lluΨ", (unsigned long long)each);
    } else {
        memory_term_formula(t, window.root ? "%llu × (root + %llu layers)" : "%llu × %llu layers",
                            (unsigned long long)each, (unsigned long long)window.layers);
    }
    memory_term_substituted(t, "%llu × %llu", (unsigned long long)each,
                            (unsigned long long)window.elements);
    return STATUS_OK;
}
