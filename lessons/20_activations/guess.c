/* What this lesson asks before it shows a picture: by what factor activations grow with the sequence (page 1), and how
 * many FLOPs full recomputation adds (page 3). Choices are calculated; each wrong one is what follows from a
 * misconception. Fills the caller's struct. Proof: tests/unit/lessons/test_activations.c. */
#include <math.h>

#include "activations_private.h"
#include "shardlab/calc/flops.h"

/* Choices that read alike are none. */
enum { READ_ALIKE_PER_MILLE = 5 };

static void add(struct lesson_guess *out, const char *choice, const char *why, double value) {
    int at = out->choice_count++;
    message_start(&out->choices[at], choice);
    message_add_real(&out->choices[at], value);
    message_start(&out->why[at], why);
}

static bool alike(double a, double b) {
    return fabs(a - b) * 1000 <= READ_ALIKE_PER_MILLE * 2;
}

static bool ask_growth(const struct scenario *s, struct lesson_guess *out) {
    const double linear = 2, quadratic = linear * linear;
    struct scenario standard = *s;
    double times, crossing;
    standard.recipe.attention = CALC_ATTENTION_STANDARD;
    standard.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (!activations_growth(&standard, true, &times) ||
        !activations_crossing(&standard, &crossing) || alike(times, linear) ||
        alike(times, quadratic)) {
        return false;
    }
    message_start(&out->question, "lesson.activations.guess.growth");
    message_add_count(&out->question, s->batch.seq);
    message_add_count(&out->question, 2 * s->batch.seq);
    add(out, "lesson.activations.guess.times", "lesson.activations.guess.growth.linear", linear);
    add(out, "lesson.activations.guess.times", "lesson.activations.guess.growth.both", times);
    add(out, "lesson.activations.guess.times", "lesson.activations.guess.growth.quadratic",
        quadratic);
    message_add_count(&out->why[1], (uint64_t)(crossing + 0.5));
    out->right = 1;
    return true;
}

/* Forward and backward of the layers are F and B. The truth is F/(F + B); who takes backward for as long as forward gets
 * F/(F + F); who takes everything to run again, all of it; who counts the extra forward against backward, F/B. */
static bool ask_flops(const struct scenario *s, struct lesson_guess *out) {
    struct calc_flops_stage work;
    struct scenario plain = *s;
    struct message unused;
    double truth;
    plain.recipe.recompute = CALC_RECOMPUTE_FULL;
    if (calc_flops_on_stage(&plain, 0, &work, &unused) != STATUS_OK || work.layers_forward <= 0 ||
        !activations_more_flops(s, CALC_RECOMPUTE_FULL, true, &truth)) {
        return false;
    }
    double forward = work.layers_forward;
    message_start(&out->question, "lesson.activations.guess.flops");
    add(out, "lesson.activations.guess.percent", "lesson.activations.guess.flops.third",
        100 * truth);
    add(out, "lesson.activations.guess.percent", "lesson.activations.guess.flops.half",
        100 * forward / (forward + forward));
    add(out, "lesson.activations.guess.percent", "lesson.activations.guess.flops.twice",
        100 * forward / forward);
    out->right = 0;
    return true;
}

bool activations_guess(const struct lesson_input *in, struct lesson_guess *out) {
    switch (in->page) {
    case ACTIVATIONS_WHY:
        return ask_growth(in->now, out);
    case ACTIVATIONS_RECOMPUTE:
        return ask_flops(in->now, out);
    default:
        return false;
    }
}
