/* The numbers of this lesson's questions: model states by what is kept, the room that is left on a card, optimizers, files of a
 * training run, the four models of PPO. A parameter's bytes are calc's in every one of them, and a mistake is the same sum
 * with a term too few or too many. Proof: tests/unit/lessons/test_questions.c. */
#include <stdio.h>

#include "../question_memory_private.h"
#include "memory_private.h"

/* GB, and a part in a hundred. */
static struct instance_key *gb(struct instance *out, double bytes) {
    return instance_key_add(out, ANSWER_BYTES, "GB", bytes, 0.01);
}

static struct instance_step *gb_step(struct instance *out, double bytes) {
    return instance_step_add(out, ANSWER_BYTES, "GB", bytes);
}

/* The master weights of the scenario: what an optimizer without moments keeps. */
static enum status master_bytes(const struct scenario *s, double *bytes, struct message *why) {
    struct calc_memory plain;
    enum status ok = question_memory_if(s, "optimizer", "sgd", &plain, why);
    *bytes = ok == STATUS_OK ? question_part(&plain, CALC_PART_OPTIMIZER) : 0.0;
    return ok;
}

/* How gradients are kept, and the option that says so. */
static const struct {
    const char *bytes, *name;
} gradients[] = {{"2", "BF16"}, {"4", "FP32"}, {"6", "BF16 + FP32"}};

struct states {
    struct scenario s;
    struct calc_memory memory;
    double master, moments;
    double psi;
};

static enum status states_of(const struct instance *out, struct states *st, struct message *why) {
    enum status ok = question_memory(out, &st->s, &st->memory, why);
    if (ok == STATUS_OK) {
        ok = master_bytes(&st->s, &st->master, why);
    }
    st->moments = question_part(&st->memory, CALC_PART_OPTIMIZER) - st->master;
    st->psi = (double)st->memory.params;
    return ok;
}

/* --- Bytes of a parameter --- */

static enum status parts(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct states st;
    const char *params = question_params(&dice);
    int kept = instance_pick(&dice, 2);
    question_line(out, "mem --params %s --grad-bytes %s", params, gradients[kept].bytes);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_text(out, "params", params);
    instance_figure_text(out, "gradients", gradients[kept].name);
    (void)gb(out, question_part(&st.memory, CALC_PART_WEIGHTS));
    (void)gb(out, question_part(&st.memory, CALC_PART_GRADIENTS));
    (void)gb(out, st.master);
    (void)gb(out, st.moments);
    (void)gb(out, question_states(&st.memory));
    return STATUS_OK;
}

/* A line of the solution: "W = 2Ψ". */
static void say(struct instance *out, const char *symbol, double bytes, double psi) {
    char formula[48];
    (void)snprintf(formula, sizeof formula, "%s = %.0fΨ", symbol, bytes / psi);
    question_said(gb_step(out, bytes), formula, "%.0f × %.0f", bytes / psi, psi);
}

/* W weights, G gradients, M master weights, m and v moments. */
static void say_sum(struct instance *out, const struct states *st) {
    say(out, "W", question_part(&st->memory, CALC_PART_WEIGHTS), st->psi);
    say(out, "G", question_part(&st->memory, CALC_PART_GRADIENTS), st->psi);
    say(out, "M", st->master, st->psi);
    const char *sum = "W + G + M";
    if (st->moments > 0) {
        bool one = st->s.recipe.optimizer == CALC_OPTIMIZER_MOMENTUM;
        say(out, one ? "m" : "m + v", st->moments, st->psi);
        sum = one ? "W + G + M + m" : "W + G + M + m + v";
    }
    double all = question_states(&st->memory);
    question_said(question_answer_step(out), sum, "%.0f × %.0f", all / st->psi, st->psi);
}

static enum status total(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct states st;
    const char *params = question_params(&dice);
    int kept = instance_pick(&dice, 3);
    question_line(out, "mem --params %s --grad-bytes %s", params, gradients[kept].bytes);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double all = question_states(&st.memory);
    instance_figure_text(out, "params", params);
    instance_figure_text(out, "gradients", gradients[kept].name);
    struct instance_key *key = gb(out, all);
    instance_path_add(key, "weights-only", question_part(&st.memory, CALC_PART_WEIGHTS));
    instance_path_add(key, "no-master", all - st.master);
    instance_path_add(key, "copies-twice", all + 2 * st.master);
    struct calc_memory paper;
    if (question_memory_if(&st.s, "grad-bytes", gradients[0].bytes, &paper, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_path_add(key, "half-gradients", question_states(&paper));
    say_sum(out, &st);
    return STATUS_OK;
}

/* --- GB and GiB --- */

static const struct {
    const char *option, *gib;
} cards[] = {{"24GiB", "24"},       {"39.5GiB", "39.5"}, {"47.5GiB", "47.5"}, {"64GiB", "64"},
             {"79.25GiB", "79.25"}, {"95.5GiB", "95.5"}, {"140GiB", "140"}};

/* Data ranks from which on ZeRO-3 leaves a fifth of the card. */
static enum status fitting(const char *params, const char *memory, struct instance *out,
                           struct message *why) {
    struct scenario s;
    struct calc_memory m;
    for (int ranks = 1; ranks <= 1024; ranks *= 2) {
        question_line(out, "mem --params %s --zero 3 --dp %d --memory %s", params, ranks, memory);
        if (question_memory(out, &s, &m, why) != STATUS_OK) {
            return STATUS_FAILED;
        }
        if (question_states(&m) <= 0.8 * (double)scenario_capacity_bytes(&s)) {
            return STATUS_OK;
        }
    }
    return STATUS_FAILED;
}

static enum status left(uint64_t seed, struct instance *out, struct message *why) {
    const double gib = answer_unit_factor(ANSWER_BYTES, "GiB");
    const double decimal = answer_unit_factor(ANSWER_BYTES, "GB");
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int card = instance_pick(&dice, (int)(sizeof cards / sizeof cards[0]));
    struct scenario s;
    struct calc_memory m;
    if (fitting(params, cards[card].option, out, why) != STATUS_OK ||
        question_memory(out, &s, &m, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double capacity = (double)scenario_capacity_bytes(&s), states = question_states(&m);
    instance_figure_value(out, "capacity", ANSWER_BYTES, "GiB", capacity);
    instance_figure_value(out, "states", ANSWER_BYTES, "GB", states);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GiB", capacity - states, 0.01);
    instance_path_add(key, "not-converted", (capacity / gib - states / decimal) * gib);
    instance_path_add(key, "card-shrunk", capacity / gib * decimal - states);
    question_said(instance_step_add(out, ANSWER_BYTES, "GiB", states), "S = 10⁹·s / 2³⁰",
                  "%.4g × 10⁹ / 2³⁰", states / decimal);
    question_said(question_answer_step(out), "C − S", "%s − %.4g", cards[card].gib, states / gib);
    return STATUS_OK;
}

/* --- What changes the sum --- */

static enum status mixed(uint64_t seed, struct instance *out, struct message *why) {
    struct states half;
    struct calc_memory full;
    (void)seed;
    question_line(out, "mem --params 1B");
    if (states_of(out, &half, why) != STATUS_OK ||
        question_memory_if(&half.s, "precision", "fp32", &full, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double per = question_states(&full) / half.psi;
    instance_figure_real(out, "full", per, 0);
    instance_figure_real(out, "mixed", question_states(&half.memory) / half.psi, 0);
    instance_figure_real(out, "half", per / 2, 0);
    instance_figure_real(out, "no_master", per - half.master / half.psi, 0);
    instance_figure_real(out, "copies", per + 2 * half.master / half.psi, 0);
    return STATUS_OK;
}

static const struct {
    const char *option, *name;
} optimizers[] = {{"adam8bit", "8-bit Adam"}, {"momentum", "SGD momentum"}, {"sgd", "SGD"}};

static enum status optimizer(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct states st;
    struct calc_memory adam;
    const char *params = question_params(&dice);
    int which = instance_pick(&dice, (int)(sizeof optimizers / sizeof optimizers[0]));
    question_line(out, "mem --params %s --optimizer %s", params, optimizers[which].option);
    if (states_of(out, &st, why) != STATUS_OK ||
        question_memory_if(&st.s, "optimizer", "adam", &adam, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double all = question_states(&st.memory);
    instance_figure_text(out, "params", params);
    instance_figure_text(out, "optimizer", optimizers[which].name);
    struct instance_key *key = gb(out, all);
    instance_path_add(key, "adam", question_states(&adam));
    instance_path_add(key, "no-master", all - st.master);
    if (st.s.recipe.optimizer == CALC_OPTIMIZER_ADAM8BIT) {
        instance_path_add(key, "all-halved", question_states(&adam) / 2);
    }
    say_sum(out, &st);
    return STATUS_OK;
}

/* --- Files and other trainings --- */

static enum status file(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct states st;
    const char *params = question_params(&dice);
    question_line(out, "mem --params %s", params);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double weights = question_part(&st.memory, CALC_PART_WEIGHTS);
    double kept = question_part(&st.memory, CALC_PART_OPTIMIZER);
    instance_figure_text(out, "params", params);
    struct instance_key *key = gb(out, weights + kept);
    instance_path_add(key, "gradients-too", question_states(&st.memory));
    instance_path_add(key, "weights-only", weights);
    instance_path_add(key, "without-weights", kept);
    instance_path_add(key, "without-moments", weights + st.master);
    say(out, "W", weights, st.psi);
    say(out, "M + m + v", kept, st.psi);
    question_said(question_answer_step(out), "W + M + m + v", "%.0f × %.0f",
                  (weights + kept) / st.psi, st.psi);
    return STATUS_OK;
}

static enum status ppo(uint64_t seed, struct instance *out, struct message *why) {
    enum { TRAINED = 2, FROZEN = 2 };
    uint64_t dice = instance_dice(seed);
    struct states st;
    const char *params = question_params(&dice);
    question_line(out, "mem --params %s", params);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double one = question_states(&st.memory);
    double frozen = question_part(&st.memory, CALC_PART_WEIGHTS);
    double all = TRAINED * one + FROZEN * frozen;
    instance_figure_text(out, "params", params);
    struct instance_key *key = gb(out, all);
    instance_path_add(key, "all-trained", (TRAINED + FROZEN) * one);
    instance_path_add(key, "one-trained", one + (TRAINED + FROZEN - 1) * frozen);
    instance_path_add(key, "frozen-forgotten", TRAINED * one);
    instance_path_add(key, "one-model", one);
    question_said(gb_step(out, TRAINED * one), "2 × (W + G + M + m + v)", "%d × %.0f × %.0f",
                  TRAINED, one / st.psi, st.psi);
    question_said(gb_step(out, FROZEN * frozen), "2 × W", "%d × %.0f × %.0f", FROZEN,
                  frozen / st.psi, st.psi);
    question_said(question_answer_step(out), "2 × (W + G + M + m + v) + 2 × W", "%.0f × %.0f",
                  all / st.psi, st.psi);
    return STATUS_OK;
}

const struct instance_entry memory_makers[MEMORY_MAKERS] = {
    {"memory.states.parts", parts, true},
    {"memory.states.total", total, true},
    {"memory.units.left", left, true},
    {"memory.mixed.saves", mixed, false},
    {"memory.optimizer.states", optimizer, true},
    {"memory.checkpoint.file", file, true},
    {"memory.rlhf.ppo", ppo, true},
};
