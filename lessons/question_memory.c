/* Memory for the makers of questions: a line's, and the same with one option changed. All of it is calc's; nothing is
 * computed here but sums. Proof: tests/unit/lessons/test_questions.c. */
#include "question_memory_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "what_if_private.h"

const char *question_params(uint64_t *dice) {
    static const char *const sizes[] = {"0.5B", "1B",   "1.5B", "3B",   "4B",  "6B",  "7B",
                                        "8B",   "9B",   "13B",  "14B",  "20B", "27B", "30B",
                                        "32B",  "34B",  "40B",  "65B",  "70B", "72B", "110B",
                                        "123B", "175B", "180B", "236B", "405B"};
    return QUESTION_PICK(dice, sizes);
}

static enum status memory_of(const struct scenario *s, struct calc_memory *memory,
                             struct message *why) {
    return calc_memory_worst(s, memory, why) == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

enum status question_memory(const struct instance *out, struct scenario *s,
                            struct calc_memory *memory, struct message *why) {
    enum status ok = question_scenario(out, s, why);
    return ok == STATUS_OK ? memory_of(s, memory, why) : ok;
}

enum status question_memory_if(const struct scenario *s, const char *option, const char *value,
                               struct calc_memory *memory, struct message *why) {
    struct scenario other = *s;
    if (calc_option_set(&other, calc_option_index(option), value, why) != STATUS_OK ||
        !what_if_settle(&other)) {
        return STATUS_FAILED;
    }
    return memory_of(&other, memory, why);
}

void question_line_unit(struct instance *out, const char *unit) {
    size_t length = strlen(out->line);
    int added = snprintf(out->line + length, sizeof out->line - length, " --unit %s", unit);
    assert(added > 0 && length + (size_t)added < sizeof out->line);
    (void)added;
}

double question_part(const struct calc_memory *memory, enum calc_part part) {
    return (double)memory->part_bytes[part];
}

double question_states(const struct calc_memory *memory) {
    return question_part(memory, CALC_PART_WEIGHTS) + question_part(memory, CALC_PART_GRADIENTS) +
           question_part(memory, CALC_PART_OPTIMIZER);
}

double question_term(const struct calc_memory *memory, const char *id) {
    for (int i = 0; i < memory->derivation.count; i++) {
        if (strcmp(memory->derivation.terms[i].id, id) == 0) {
            return (double)memory->derivation.terms[i].bytes;
        }
    }
    return 0.0;
}
