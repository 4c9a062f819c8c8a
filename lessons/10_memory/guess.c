/* What the page on the cost of a parameter asks before it shows its table: how much the model states of the learner's
 * model take, nothing divided. The wrong choices are what people say: the weights alone, the weights and gradients, and
 * the FP32 copies counted twice. All are sums of the calculator's parts. Pure.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "memory_private.h"

#include <string.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"

enum { CHOICE_WEIGHTS, CHOICE_GRADIENTS, CHOICE_STATES, CHOICE_TWICE, CHOICES };
_Static_assert((int)CHOICES <= (int)LESSON_CHOICES_MAX, "the question has room for its choices");

/* One parameter, nothing divided, kept as the learner's scenario keeps numbers. False also where its convention takes a
 * maximum and not a sum. */
static bool split(const struct scenario *s, uint64_t part[CALC_PARTS]) {
    static const char *const kept[] = {"convention", "precision", "optimizer", "grad-bytes"};
    struct scenario one;
    struct calc_memory memory;
    struct message why;
    scenario_start(&one);
    bool ok = calc_option_set(&one, calc_option_index("params"), "1", &why) == STATUS_OK;
    for (size_t i = 0; ok && i < sizeof kept / sizeof kept[0]; i++) {
        char text[CALC_NAME_MAX];
        struct writer w;
        writer_start(&w, text, sizeof text);
        calc_option_write(&w, s, calc_option_index(kept[i]));
        ok = calc_option_set(&one, calc_option_index(kept[i]), text, &why) == STATUS_OK;
    }
    if (!ok || scenario_resolve(&one, &one, &why) != STATUS_OK ||
        calc_memory_on_stage(&one, 0, &memory, &why) != STATUS_OK || memory.phases) {
        return false;
    }
    memcpy(part, memory.part_bytes, sizeof memory.part_bytes);
    return true;
}

/* Bytes of one parameter as each choice has it; false: two of them would be alike, or none is right. */
static bool costs(const struct scenario *s, uint64_t bytes[CHOICES]) {
    const uint64_t fp32_bytes = 4;
    uint64_t part[CALC_PARTS];
    if (s->recipe.precision == CALC_PRECISION_FP32 || /* there are no copies to count twice */
        !split(s, part)) {
        return false;
    }
    bytes[CHOICE_WEIGHTS] = part[CALC_PART_WEIGHTS];
    bytes[CHOICE_GRADIENTS] = bytes[CHOICE_WEIGHTS] + part[CALC_PART_GRADIENTS];
    bytes[CHOICE_STATES] = bytes[CHOICE_GRADIENTS] + part[CALC_PART_OPTIMIZER];
    bytes[CHOICE_TWICE] = bytes[CHOICE_STATES] + 2 * fp32_bytes;
    /* with muon and adafactor a parameter's bytes depend on its matrix, and no product would be exact */
    double average = calc_state_bytes_average(s);
    return part[CALC_PART_GRADIENTS] > 0 && part[CALC_PART_OPTIMIZER] > 0 &&
           average <= (double)bytes[CHOICE_STATES] && average >= (double)bytes[CHOICE_STATES];
}

static void add_option(struct message *m, const struct scenario *s, const char *option) {
    char text[CALC_NAME_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    calc_option_write(&w, s, calc_option_index(option));
    message_add_text(m, text);
}

static void ask(const struct scenario *s, uint64_t params, struct lesson_guess *out) {
    char count[32];
    struct writer w;
    writer_start(&w, count, sizeof count);
    units_write_short_count(&w, params);
    message_start(&out->question, "lesson.memory.guess.question");
    message_add_text(&out->question, count);
    add_option(&out->question, s, "optimizer");
    add_option(&out->question, s, "precision");
    add_option(&out->question, s, "convention");
}

static void explain(const uint64_t bytes[CHOICES], struct lesson_guess *out) {
    char sum[64];
    struct writer w;
    message_start(&out->why[CHOICE_WEIGHTS], "lesson.memory.guess.weights");
    message_start(&out->why[CHOICE_GRADIENTS], "lesson.memory.guess.gradients");
    message_add_plain(&out->why[CHOICE_GRADIENTS], bytes[CHOICE_STATES] - bytes[CHOICE_GRADIENTS]);
    writer_start(&w, sum, sizeof sum);
    for (int i = 0; i < CHOICE_TWICE; i++) { /* each choice has one part more than the one before */
        writer_text(&w, i == 0 ? "" : " + ");
        writer_u64(&w, i == 0 ? bytes[i] : bytes[i] - bytes[i - 1]);
    }
    writer_text(&w, " = ");
    writer_u64(&w, bytes[CHOICE_STATES]);
    message_start(&out->why[CHOICE_STATES], "lesson.memory.guess.states");
    message_add_text(&out->why[CHOICE_STATES], sum);
    message_start(&out->why[CHOICE_TWICE], "lesson.memory.guess.twice");
    message_add_plain(&out->why[CHOICE_TWICE], bytes[CHOICE_TWICE]);
}

bool memory_parameter_guess(const struct scenario *s, struct lesson_guess *out) {
    struct calc_params params;
    struct message unused;
    uint64_t bytes[CHOICES];
    if (!costs(s, bytes) || calc_params_count(s, &params, &unused) != STATUS_OK) {
        return false;
    }
    ask(s, params.total, out);
    for (int i = 0; i < CHOICES; i++) {
        uint64_t all = 0;
        if (!checked_mul(bytes[i], params.total, &all)) {
            return false;
        }
        message_start(&out->choices[i], "lesson.memory.guess.bytes");
        message_add_bytes(&out->choices[i], all);
    }
    explain(bytes, out);
    out->choice_count = CHOICES;
    out->right = CHOICE_STATES;
    return true;
}
