/* What the makers of the lessons *formats* and *mixed-precision* have in common: a format under its three names, numbers as
 * a stem, a solution and a command line write them. Everything goes into the instance that the caller passes.
 * Proof: tests/unit/lessons/test_questions.c. */
#include "format_question_private.h"
#include "question_line_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct format_asked format_asked(enum num_type type) {
    static const char *const labels[NUM_TYPES] = {
        [NUM_FP32] = "FP32", [NUM_FP16] = "FP16", [NUM_BF16] = "BF16",
        [NUM_E4M3] = "E4M3", [NUM_E5M2] = "E5M2",
    };
    const char *name = num_format(type)->name;
    assert(labels[type] != NULL);
    return (struct format_asked){labels[type], name, type, rounding_of(name)};
}

double format_stored(enum num_type type, double value, enum num_mode mode) {
    struct num_rounding r = num_rounding_of(type);
    r.mode = mode;
    return num_encoded_value(type, num_encode(type, value, r));
}

double format_ulp(enum num_type type, double value) {
    return num_ulp(type, num_encode(type, value, num_rounding_of(type)).code);
}

void format_figure_number(struct instance *out, const char *name, double x) {
    char text[ROUNDING_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    rounding_number_write(&w, x);
    instance_figure_text(out, name, text);
}

void format_figure_exact(struct instance *out, const char *name, double x) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, x);
    instance_figure_text(out, name, text);
}

void format_figure_power(struct instance *out, const char *name, double x) {
    char text[ROUNDING_TEXT_MAX];
    int exponent = (int)lround(log2(x));
    (void)snprintf(text, sizeof text, "2^%s%d", exponent < 0 ? "−" : "", abs(exponent));
    instance_figure_text(out, name, text);
}

void format_line(struct instance *out, enum num_type type, const double *values, int count) {
    struct writer w;
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "format --type ");
    writer_text(&w, num_format(type)->name);
    for (int i = 0; i < count; i++) {
        writer_char(&w, ' ');
        writer_real(&w, values[i]);
    }
}

void format_step(struct instance *out, const char *formula, const char *substituted, double value) {
    struct instance_step *step = instance_step_add(out, ANSWER_COUNT, "", value);
    (void)snprintf(step->formula, sizeof step->formula, "%s", formula);
    (void)snprintf(step->substituted, sizeof step->substituted, "%s", substituted);
    question_shorten(step->substituted, sizeof step->substituted);
}

void format_step_of(struct instance *out, const char *formula, const char *pattern,
                    const double *values, double value) {
    char text[sizeof((struct instance_step *)0)->substituted];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '#') {
            rounding_number_write(&w, *values++);
        } else {
            writer_char(&w, *pattern);
        }
    }
    format_step(out, formula, text, value);
}

double format_pick(uint64_t *dice, const double *list, int count) {
    return list[instance_pick(dice, count)];
}
