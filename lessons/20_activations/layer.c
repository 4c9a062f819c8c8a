/* Sizes that the pages of this lesson are made of: what one layer keeps, where the scores overtake the rest, what
 * recomputation adds. Everything is the calculators' (calc/memory.h, calc/flops.h); here only the scenario is varied and
 * terms are added up. The times of another's measurement stand here with their source. Pure; fills the caller's structs.
 * Proof: tests/unit/lessons/test_activations.c. */
#include <string.h>

#include "activations_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/option.h"

bool activations_on_stage(const struct scenario *s, uint64_t stage, struct calc_memory *out) {
    struct message unused;
    struct scenario other = *s;
    if (s->convention ==
        CALC_CONVENTION_HF) { /* it knows phases, and activations in none of them */
        other.convention = CALC_CONVENTION_ZERO_PAPER;
    }
    return calc_memory_on_stage(&other, stage, out, &unused) == STATUS_OK && out->activations_known;
}

bool activations_memory(const struct scenario *s, struct calc_memory *out) {
    struct message unused;
    struct scenario other = *s;
    if (s->convention == CALC_CONVENTION_HF) {
        other.convention = CALC_CONVENTION_ZERO_PAPER;
    }
    return calc_memory_worst(&other, out, &unused) == STATUS_OK && out->activations_known;
}

bool activations_of_layer(const struct calc_term *term) {
    return term->part == CALC_PART_ACTIVATIONS && strcmp(term->id, "activations.head") != 0 &&
           strcmp(term->id, "activations.logits") != 0;
}

uint64_t activations_term(const struct calc_memory *memory, const char *id) {
    const struct calc_derivation *d = &memory->derivation;
    uint64_t bytes = 0;
    for (int i = 0; i < d->count; i++) {
        bytes += strcmp(d->terms[i].id, id) == 0 ? d->terms[i].bytes : 0;
    }
    return bytes;
}

/* One layer and one micro-batch of it. */
static struct scenario single_layer(const struct scenario *s) {
    struct scenario one = *s;
    one.model.layers = 1;
    one.model.dense_layers = 0;
    one.layout.pp = 1;
    one.layout.chunks = 1;
    one.layout.schedule = CALC_SCHEDULE_1F1B;
    one.layout.layers_per_stage_count = 0;
    one.batch.micro_batches = 1;
    return one;
}

bool activations_layer(const struct scenario *s, struct activations_layer *out) {
    struct scenario one = single_layer(s);
    struct calc_memory memory;
    double unit = (double)s->batch.seq * (double)s->batch.micro_batch * (double)s->model.hidden;
    if (scenario_params_only(s) || !activations_on_stage(&one, 0, &memory)) {
        return false;
    }
    out->bytes = 0;
    for (int i = 0; i < memory.derivation.count; i++) {
        const struct calc_term *term = &memory.derivation.terms[i];
        out->bytes += activations_of_layer(term) ? term->bytes : 0;
    }
    out->scores = activations_term(&memory, "activations.scores");
    out->linear_sbh = (double)(out->bytes - out->scores) / unit;
    out->scores_sbh = (double)out->scores / unit;
    return true;
}

/* The scores grow with the square of the sequence and the rest with the sequence: their quotient with it too. */
bool activations_crossing(const struct scenario *s, double *tokens) {
    struct scenario standard = *s;
    struct activations_layer layer;
    standard.recipe.attention = CALC_ATTENTION_STANDARD;
    standard.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (!activations_layer(&standard, &layer) || layer.scores == 0) {
        return false;
    }
    *tokens = (double)s->batch.seq * layer.linear_sbh / layer.scores_sbh;
    return true;
}

static bool scenario_from(const char *const pairs[][2], int count, struct scenario *out) {
    struct message unused;
    scenario_start(out);
    for (int i = 0; i < count; i++) {
        if (calc_option_set(out, calc_option_index(pairs[i][0]), pairs[i][1], &unused) !=
            STATUS_OK) {
            return false;
        }
    }
    return scenario_resolve(out, out, &unused) == STATUS_OK;
}

bool activations_gpt(struct scenario *out) {
    static const char *const pairs[][2] = {
        {"layers", "96"},          {"hidden", "12288"}, {"heads", "96"},
        {"vocab", "50257"},        {"gated", "no"},     {"norm", "layer"},
        {"attention", "standard"}, {"seq", "2048"},     {"dropout", "yes"},
    };
    return scenario_from(pairs, sizeof pairs / sizeof pairs[0], out);
}

bool activations_timed_model(struct scenario *out) {
    static const char *const pairs[][2] = {
        {"layers", "48"},     {"hidden", "6144"}, {"heads", "64"},           {"vocab", "51200"},
        {"gated", "no"},      {"norm", "layer"},  {"attention", "standard"}, {"seq", "2048"},
        {"micro-batch", "4"}, {"tp", "8"},        {"dropout", "yes"},
    };
    return scenario_from(pairs, sizeof pairs / sizeof pairs[0], out);
}

bool activations_large_model(struct scenario *out) {
    static const char *const pairs[][2] = {
        {"layers", "105"}, {"hidden", "20480"}, {"heads", "128"},          {"vocab", "51200"},
        {"gated", "no"},   {"norm", "layer"},   {"attention", "standard"}, {"seq", "2048"},
    };
    return scenario_from(pairs, sizeof pairs / sizeof pairs[0], out);
}

double activations_measured_ms(int recompute) {
    static const double forward_and_backward[] = {
        [CALC_RECOMPUTE_NONE] = 7.7 + 11.9,
        [CALC_RECOMPUTE_SELECTIVE] = 7.7 + 13.2,
        [CALC_RECOMPUTE_FULL] = 7.7 + 19.5,
    };
    return forward_and_backward[recompute];
}

double activations_measured_least(void) {
    return 0.20;
}

bool activations_growth(const struct scenario *s, bool sequence, double *times) {
    struct scenario twice = *s;
    struct calc_memory now, then;
    struct message unused;
    twice.batch.seq *= sequence ? 2 : 1;
    twice.batch.micro_batch *= sequence ? 1 : 2;
    if (scenario_params_only(s) || scenario_violations(&twice, &unused, 1) > 0 ||
        !activations_on_stage(s, 0, &now) || !activations_on_stage(&twice, 0, &then) ||
        now.part_bytes[CALC_PART_ACTIVATIONS] == 0) {
        return false;
    }
    *times = (double)then.part_bytes[CALC_PART_ACTIVATIONS] /
             (double)now.part_bytes[CALC_PART_ACTIVATIONS];
    return true;
}

bool activations_more_flops(const struct scenario *s, int recompute, bool layers_only,
                            double *part) {
    struct scenario plain = *s, again = *s;
    struct calc_flops without, with;
    struct message unused;
    plain.recipe.recompute = CALC_RECOMPUTE_NONE;
    again.recipe.recompute = recompute;
    if (calc_flops_per_token(&plain, &without, &unused) != STATUS_OK ||
        calc_flops_per_token(&again, &with, &unused) != STATUS_OK || !with.hardware_known ||
        (layers_only && !with.parts_known)) {
        return false;
    }
    double whole = layers_only ? 3 * ((double)with.matrices + (double)with.attention)
                               : (double)without.hardware;
    *part = ((double)with.hardware - (double)without.hardware) / whole;
    return true;
}
