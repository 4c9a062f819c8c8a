/* A scenario with other options, for what a lesson puts beside the learner's own: the next ZeRO stage, more ranks, no
 * convention but FSDP's. Works on the caller's copy of a resolved scenario and keeps nothing; what the options imply is
 * scenario_resolve's business. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "what_if_private.h"

#include "shardlab/base/writer.h"
#include "shardlab/calc/option.h"

enum { DIGITS_MAX = 24 };

bool what_if_set(struct scenario *s, const char *option, const char *value) {
    struct message why;
    return calc_option_set(s, calc_option_index(option), value, &why) == STATUS_OK;
}

bool what_if_count(struct scenario *s, const char *option, uint64_t value) {
    char digits[DIGITS_MAX];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_u64(&w, value);
    return what_if_set(s, option, digits);
}

static bool given(const struct scenario *s, const char *option) {
    return calc_option_given(s, calc_option_index(option));
}

bool what_if_settle(struct scenario *s) {
    struct message why;
    if (!given(
            s,
            "grad-bytes")) { /* both are kept when they have a value, and follow the convention */
        s->recipe.grad_bytes = 0;
    }
    if (!given(s, "pad-vocab")) {
        s->recipe.pad_vocab = 0;
    }
    return scenario_resolve(s, s, &why) == STATUS_OK && scenario_violations(s, &why, 1) == 0;
}
