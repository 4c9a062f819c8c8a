/* What the files of this lesson share: its knobs by number, and the trial that they mean. */
#ifndef LESSONS_MIXED_PRIVATE_H
#define LESSONS_MIXED_PRIVATE_H

#include "../rounding_private.h"

enum mixed_page {
    MIXED_KEEPS,
    MIXED_SCALE,
    MIXED_UPDATES,
    MIXED_OPERATIONS,
    MIXED_CHOICE,
    MIXED_PAGES
};

/* The order of the lesson's own knobs. */
enum mixed_knob {
    MIXED_KNOB_TYPE,
    MIXED_KNOB_CENTER,
    MIXED_KNOB_SCALING,
    MIXED_KNOB_SCALE,
    MIXED_KNOB_ROUNDING,
    MIXED_KNOB_UPDATE, /* of the step at 1 */
    MIXED_KNOB_OPERATION,
    MIXED_KNOB_LOGIT,
    MIXED_KNOB_EPSILON,
    MIXED_KNOBS
};

/* Of the experiments that a page has, the one that its knob selects. */
enum mixed_run {
    MIXED_RUN_NONE,
    MIXED_RUN_GRADIENTS,
    MIXED_RUN_LOSS_SCALE,
    MIXED_RUN_STAGNATION,
    MIXED_RUN_STOCHASTIC,
    MIXED_RUN_SOFTMAX,
    MIXED_RUN_ADAM,
    MIXED_RUNS
};
enum mixed_run mixed_run_of(const struct lesson_input *in);

const char *mixed_stop(const struct lesson_input *in, enum mixed_knob knob);
/* The loss scale that the page looks at. */
const char *mixed_scale(const struct lesson_input *in);
const char *mixed_type(const struct lesson_input *in);

/* Gradients of one step that counts them, and of every step of a dynamic scale; weights rounded stochastically. */
enum {
    MIXED_GRADIENTS = 4096,
    MIXED_STEPS = 120,
    MIXED_STEP_GRADIENTS = 100,
    MIXED_GROWTH = 20,
    MIXED_FIRST_SCALE_LOG2 = 24,
    MIXED_TRIALS = 20,
    MIXED_VALUES_MAX = MIXED_STEPS * MIXED_STEP_GRADIENTS
};

/* The question of the run, as `shardlab overflow` asks it. `values`: room for MIXED_VALUES_MAX, used where gradients are
 * drawn; NULL: they are not looked at. */
struct calc_trial mixed_trial(const struct lesson_input *in, enum mixed_run run, double *values);
/* What becomes of the page's gradients in a type, at a scale of 2^scale_log2. */
void mixed_gradients(const struct lesson_input *in, const char *type, int scale_log2,
                     struct facts *out);

/* The scenario in another precision, and what it holds; false: it does not go there. */
bool mixed_in_precision(const struct scenario *s, int precision, struct scenario *out);

enum status mixed_memory(const struct lesson_input *in, struct view *out, struct message *why);
void mixed_picture(const struct lesson_input *in, struct view *out);
bool mixed_figure(const struct lesson_input *in, const char *name, struct writer *out);
/* Every page asks before its picture; of an experiment, what it will measure. False: the answers would not differ here. */
bool mixed_ask(const struct lesson_input *in, struct lesson_guess *out);

/* The makers of the questions that have numbers. */
enum { MIXED_MAKERS = 18 };
extern const struct instance_entry mixed_makers[MIXED_MAKERS];

#endif
