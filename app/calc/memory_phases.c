/* The convention hf: what accelerate's estimate-memory prints for training with Adam. It looks at four phases of a
 * step, one after the other, and answers with the largest; it does not add them up, and knows neither activations
 * nor sharding. Bytes per parameter: the model 4; gradients 4, with a 2-byte copy in mixed precision; the optimizer
 * 8; the step 16 in fp32 and 8 else. Pure; part of calc_memory_on_stage. Proof: tests/unit/calc/test_phases.c. */
#include "memory_private.h"

static const char source_accelerate[] = "accelerate, commands/estimate.py, estimate_training_usage";

struct phase {
    const char *id;
    uint64_t fp32, mixed; /* bytes per parameter */
};

static const struct phase phases[] = {
    {"phase.model", 4, 4},
    {"phase.gradients", 4, 6},
    {"phase.optimizer", 8, 8},
    {"phase.step", 16, 8},
};

enum { PHASES = sizeof phases / sizeof phases[0] };

static uint64_t each_of(const struct scenario *s, int phase) {
    return s->recipe.precision == CALC_PRECISION_FP32 ? phases[phase].fp32 : phases[phase].mixed;
}

uint64_t memory_phases_bytes_per_param(const struct scenario *s) {
    uint64_t most = 0;
    for (int i = 0; i < PHASES; i++) {
        most = each_of(s, i) > most ? each_of(s, i) : most;
    }
    return most;
}

enum status memory_phases_add(const struct scenario *s, uint64_t params, struct calc_derivation *d,
                              uint64_t *most, struct message *why) {
    *most = 0;
    for (int i = 0; i < PHASES; i++) {
        struct calc_guard g = {false};
        uint64_t bytes = calc_times(&g, each_of(s, i), params);
        if (g.overflow) {
            return calc_overflow(why, phases[i].id);
        }
        struct calc_term *t =
            memory_term_add(d, phases[i].id, CALC_PART_NONE, bytes, source_accelerate);
        memory_term_formula(d, t, "%lluΨ", (unsigned long long)each_of(s, i));
        memory_term_substituted(d, t, "%llu × %llu", (unsigned long long)each_of(s, i),
                                (unsigned long long)params);
        *most = bytes > *most ? bytes : *most;
    }
    return STATUS_OK;
}
