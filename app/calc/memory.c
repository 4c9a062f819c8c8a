/* Assembles the memory of one GPU from states, activations and buffers, and finds the stage that needs most.
 * Called by cli and lessons. Pure; the caller owns the result. With --params alone only the states are known.
 * Proof: tests/unit/calc/test_memory.c. */
#include "shardlab/calc/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/schedule.h"

const char *calc_part_name(enum calc_part part) {
    static const char *const names[] = {
        [CALC_PART_WEIGHTS] = "weights",     [CALC_PART_GRADIENTS] = "gradients",
        [CALC_PART_OPTIMIZER] = "optimizer", [CALC_PART_ACTIVATIONS] = "activations",
        [CALC_PART_BUFFERS] = "buffers",
    };
    assert(part < CALC_PARTS);
    return names[part];
}

struct calc_term *memory_term_add(struct calc_derivation *d, const char *id, enum calc_part part,
                                  uint64_t bytes, const char *source) {
    assert(d->count < CALC_TERMS_MAX);
    struct calc_term *t = &d->terms[d->count++];
    t->id = id;
    t->part = part;
    t->bytes = bytes;
    t->source = source;
    t->formula[0] = t->substituted[0] = '\0';
    return t;
}

void memory_term_formula(const struct calc_derivation *d, struct calc_term *t, const char *format,
                         ...) {
    va_list values;
    if (d->figures_only) {
        return;
    }
    va_start(values, format);
    (void)vsnprintf(t->formula, sizeof t->formula, format, values);
    va_end(values);
}

void memory_term_substituted(const struct calc_derivation *d, struct calc_term *t,
                             const char *format, ...) {
    va_list values;
    if (d->figures_only) {
        return;
    }
    va_start(values, format);
    (void)vsnprintf(t->substituted, sizeof t->substituted, format, values);
    va_end(values);
}

static enum status sum_parts(struct calc_memory *m, struct message *why) {
    struct calc_guard g = {false};
    for (int i = 0; i < m->derivation.count; i++) {
        const struct calc_term *t = &m->derivation.terms[i];
        m->part_bytes[t->part] = calc_plus(&g, m->part_bytes[t->part], t->bytes);
        m->total_bytes = calc_plus(&g, m->total_bytes, t->bytes);
    }
    return g.overflow ? calc_overflow(why, "total") : STATUS_OK;
}

/* The derivation says whether it wants texts. */
static enum status on_stage(const struct scenario *s, uint64_t stage, struct calc_memory *out,
                            struct message *why) {
    assert(stage < s->layout.pp);
    memset(out, 0, offsetof(struct calc_memory, derivation));
    out->derivation.count = 0;
    out->stage = stage;
    out->phases = s->convention == CALC_CONVENTION_HF;
    out->activations_known = !scenario_params_only(s) && !out->phases;
    out->buffers_known =
        out->activations_known || (!memory_buffers_exist(s) && !memory_gathered_needs_shapes(s));
    uint64_t experts = 0;
    enum status ok = calc_params_on_stage(s, stage, &out->params, why);
    if (ok == STATUS_OK) {
        ok = calc_expert_params_on_stage(s, stage, &experts, why);
    }
    if (ok == STATUS_OK) {
        ok = calc_in_flight(s, stage, &out->in_flight, why);
    }
    if (ok == STATUS_OK && !scenario_params_only(s)) {
        out->layers = calc_layers_on_stage(s, stage);
    }
    if (ok == STATUS_OK && out->phases) {
        return memory_phases_add(s, out->params, &out->derivation, &out->total_bytes, why);
    }
    if (ok == STATUS_OK) {
        struct memory_params params = {out->params, experts};
        ok = memory_states_add(s, stage, params, &out->derivation, why);
    }
    if (ok == STATUS_OK && s->layout.offload != CALC_OFFLOAD_NONE) {
        out->offloaded_per_node = memory_offload_per_node(s);
        ok = memory_offload_move(s, &out->derivation, &out->offloaded, why);
    }
    if (ok == STATUS_OK && out->activations_known) {
        ok = memory_activations_add(s, stage, &out->derivation, why);
    }
    if (ok == STATUS_OK && out->activations_known) {
        ok = memory_buffers_add(s, stage, &out->derivation, why);
    }
    if (ok == STATUS_OK) {
        ok = memory_gathered_add(s, stage, out->params, &out->derivation, why);
    }
    return ok == STATUS_OK ? sum_parts(out, why) : ok;
}

enum status calc_memory_on_stage(const struct scenario *s, uint64_t stage, struct calc_memory *out,
                                 struct message *why) {
    out->derivation.figures_only = false;
    return on_stage(s, stage, out, why);
}

/* True when `stage` cannot need more than the stage before it: no end of the model, no more layers of either kind, and
 * nothing more in flight. With --params alone all stages are equal. */
static bool needs_no_more(const struct scenario *s, uint64_t stage) {
    struct message unused;
    uint64_t held = 0, held_before = 0;
    if (scenario_params_only(s)) {
        return true;
    }
    if (calc_has_head(s, stage) || calc_has_embedding(s, stage) ||
        calc_in_flight(s, stage, &held, &unused) != STATUS_OK ||
        calc_in_flight(s, stage - 1, &held_before, &unused) != STATUS_OK) {
        return false;
    }
    uint64_t layers = calc_layers_on_stage(s, stage), before = calc_layers_on_stage(s, stage - 1);
    uint64_t dense = calc_dense_layers_on_stage(s, stage);
    uint64_t dense_before = calc_dense_layers_on_stage(s, stage - 1);
    return held <= held_before && layers <= before && dense <= dense_before &&
           layers - dense <= before - dense_before;
}

/* A copy of as many terms as there are. */
static void take(struct calc_memory *out, const struct calc_memory *other) {
    size_t terms = (size_t)other->derivation.count * sizeof other->derivation.terms[0];
    memcpy(out, other, offsetof(struct calc_memory, derivation));
    out->derivation.count = other->derivation.count;
    memcpy(out->derivation.terms, other->derivation.terms, terms);
}

static enum status worst(const struct scenario *s, bool figures_only, struct calc_memory *out,
                         struct message *why) {
    struct calc_memory other;
    out->derivation.figures_only = other.derivation.figures_only = figures_only;
    enum status ok = on_stage(s, 0, out, why);
    for (uint64_t stage = 1; ok == STATUS_OK && stage < s->layout.pp;
         stage = calc_stage_unlike(s, stage)) {
        if (needs_no_more(s, stage)) {
            continue;
        }
        ok = on_stage(s, stage, &other, why);
        if (ok == STATUS_OK && other.total_bytes > out->total_bytes) {
            take(out, &other);
        }
    }
    return ok;
}

enum status calc_memory_worst(const struct scenario *s, struct calc_memory *out,
                              struct message *why) {
    return worst(s, false, out, why);
}

enum status calc_memory_worst_figures(const struct scenario *s, struct calc_memory *out,
                                      struct message *why) {
    return worst(s, true, out, why);
}
