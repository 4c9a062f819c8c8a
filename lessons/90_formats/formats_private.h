/* What the files of this lesson share: its knobs by number, and the trial that they mean. */
#ifndef LESSONS_FORMATS_PRIVATE_H
#define LESSONS_FORMATS_PRIVATE_H

#include "../rounding_private.h"

enum formats_page {
    FORMATS_NUMBER,
    FORMATS_RANGE,
    FORMATS_SUM,
    FORMATS_FP8,
    FORMATS_REDUCE,
    FORMATS_PAGES
};

/* The order of the lesson's own knobs. */
enum formats_knob {
    FORMATS_KNOB_TYPE,
    FORMATS_KNOB_VALUE,
    FORMATS_KNOB_ADDEND, /* of the step at the largest number */
    FORMATS_KNOB_TERM,
    FORMATS_KNOB_TYPE8,
    FORMATS_KNOB_CENTER,
    FORMATS_KNOB_TYPE16,
    FORMATS_KNOB_RANKS,
    FORMATS_KNOB_ALGORITHM,
    FORMATS_KNOBS
};

const char *formats_stop(const struct lesson_input *in, enum formats_knob knob);
/* The type that the page looks at: of 8 bits, of 16, or any. */
const char *formats_type(const struct lesson_input *in);
/* False: this type is wider than those that the experiments round to, so that the page has none. */
bool formats_runs(const struct lesson_input *in);

/* Five formats, the learner's among them, in the order in which tables list them. */
enum { FORMATS_COMPARED = 5 };
extern const char *const formats_names[FORMATS_COMPARED];

/* Numbers that page 4 draws. */
enum { FORMATS_NUMBERS = 4096 };

/* The question of the page, as `shardlab overflow` asks it. Page 4: the caller gives room for FORMATS_NUMBERS. */
struct calc_trial formats_trial(const struct lesson_input *in, double *numbers);
/* The same on another type (pages 2 and 3). */
struct calc_trial formats_trial_of(const struct lesson_input *in, const char *type);

void formats_picture(const struct lesson_input *in, struct view *out);
bool formats_figure(const struct lesson_input *in, const char *name, struct writer *out);
/* Every page asks before its picture; of an experiment, what it will measure. False: the answers would not differ here. */
bool formats_ask(const struct lesson_input *in, struct lesson_guess *out);

/* The makers of the questions that have numbers. */
enum { FORMATS_MAKERS = 12 };
extern const struct instance_entry formats_makers[FORMATS_MAKERS];

#endif
