/* The numbers of this lesson's question: how many cards the model states alone fill. Proof:
 * tests/unit/lessons/test_questions.c. */
#include "../question_memory_private.h"
#include "start_private.h"

#include <math.h>

static const char *const cards[] = {"23.5GiB", "39.5GiB", "47.5GiB", "64GiB", "79.25GiB", "140GiB"};
static const char *const sizes[] = {"13B", "14B",  "32B",  "34B",  "65B",  "70B",
                                    "72B", "110B", "123B", "175B", "236B", "405B"};

static enum status least(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = QUESTION_PICK(&dice, sizes), *card = QUESTION_PICK(&dice, cards);
    struct scenario s;
    struct calc_memory memory;
    question_line(out, "mem --params %s --memory %s", params, card);
    if (question_memory(out, &s, &memory, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double states = question_states(&memory), capacity = (double)scenario_capacity_bytes(&s);
    double weights = question_part(&memory, CALC_PART_WEIGHTS);
    double decimal =
        capacity / answer_unit_factor(ANSWER_BYTES, "GiB") * answer_unit_factor(ANSWER_BYTES, "GB");
    instance_figure_text(out, "params", params);
    instance_figure_value(out, "capacity", ANSWER_BYTES, "GiB", capacity);
    struct instance_key *key =
        instance_key_add(out, ANSWER_COUNT, "", ceil(states / capacity), 0.0);
    instance_path_add(key, "weights-only", ceil(weights / capacity));
    instance_path_add(key, "no-weights",
                      ceil(question_part(&memory, CALC_PART_OPTIMIZER) / capacity));
    instance_path_add(key, "not-converted", ceil(states / decimal));
    question_said(instance_step_add(out, ANSWER_BYTES, "GiB", states), "16Ψ", "16 × %s", params);
    question_said(question_answer_step(out), "⌈16Ψ / C⌉", "⌈%.2f⌉", states / capacity);
    return STATUS_OK;
}

const struct instance_entry start_makers[START_MAKERS] = {{"start.cards.least", least, true}};
