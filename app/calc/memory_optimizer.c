/* What an optimizer keeps where it does not treat all parameters alike: Muon one moment for the layers' matrices and
 * Adam's two elsewhere; Adafactor no first moment, and of the second a row and a column of each matrix, with the whole
 * of it for vectors. Pure; part of memory_states_add. Proof: tests/unit/calc/test_optimizers.c. */
#include "memory_private.h"

static const char source_muon[] = "Muon is Scalable for LLM Training, arXiv:2502.16982, section 2";
static const char source_adafactor[] = "Adafactor, arXiv:1804.04235, sections 3 and 5";

bool memory_optimizer_by_shape(const struct scenario *s) {
    return s->recipe.optimizer == CALC_OPTIMIZER_MUON ||
           s->recipe.optimizer == CALC_OPTIMIZER_ADAFACTOR;
}

enum status memory_optimizer_split(const struct scenario *s, uint64_t stage,
                                   struct memory_params params, struct memory_optimizer *out,
                                   struct message *why) {
    *out = (struct memory_optimizer){
        .main = params.all - params.experts, .main_experts = params.experts, .main_symbol = "Ψ"};
    if (!memory_optimizer_by_shape(s) || scenario_params_only(s)) {
        return STATUS_OK; /* with Ψ alone as if all were matrices without sides: a violation, and one parameter */
    }
    struct calc_matrices matrices;
    enum status ok = calc_params_matrices(s, stage, &matrices, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t own = memory_state_bytes_of(s, s->layout.zero).optimizer;
    if (s->recipe.optimizer == CALC_OPTIMIZER_MUON) {
        out->main = matrices.layer_elements;
        out->main_symbol = " × matrices";
        out->main_experts = matrices.routed_elements;
        out->rest = params.all - params.experts - matrices.layer_elements;
        out->rest_experts = params.experts - matrices.routed_elements;
        out->rest_bytes = own + 4;
        out->rest_symbol = " × others";
        out->rest_id = "optimizer.elsewhere";
        out->rest_experts_id = "optimizer.elsewhere.experts";
        out->source = source_muon;
    } else {
        struct calc_guard g = {false};
        uint64_t others = matrices.elements - matrices.routed_elements;
        out->rest = calc_plus(&g, matrices.sides, params.all - params.experts - others);
        out->rest_experts =
            calc_plus(&g, matrices.routed_sides, params.experts - matrices.routed_elements);
        out->rest_bytes = 4;
        out->rest_symbol = " × (rows + columns)";
        out->rest_id = "optimizer.factored";
        out->rest_experts_id = "optimizer.factored.experts";
        out->source = source_adafactor;
        return g.overflow ? calc_overflow(why, out->rest_id) : STATUS_OK;
    }
    return STATUS_OK;
}

enum status memory_optimizer_whole(const struct scenario *s, uint64_t *bytes, struct message *why) {
    struct scenario whole;
    struct memory_optimizer o;
    struct calc_params params;
    struct calc_guard g = {false};
    calc_undivided(s, &whole);
    uint64_t experts = 0;
    enum status ok = calc_params_count(&whole, &params, why);
    if (ok == STATUS_OK) {
        ok = calc_expert_params_on_stage(&whole, 0, &experts, why);
    }
    if (ok == STATUS_OK) {
        struct memory_params all = {params.total, experts};
        ok = memory_optimizer_split(&whole, 0, all, &o, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t own = memory_state_bytes_of(s, s->layout.zero).optimizer;
    uint64_t main = calc_plus(&g, o.main, o.main_experts);
    uint64_t rest = calc_plus(&g, o.rest, o.rest_experts);
    *bytes = calc_plus(&g, calc_times(&g, own, main), calc_times(&g, o.rest_bytes, rest));
    return g.overflow ? calc_overflow(why, "optimizer") : STATUS_OK;
}
