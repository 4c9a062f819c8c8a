/* What the makers of questions about number formats share: formats by label, numbers as text, the command line that shows
 * them. */
#ifndef LESSONS_FORMAT_QUESTION_PRIVATE_H
#define LESSONS_FORMAT_QUESTION_PRIVATE_H

#include "rounding_private.h"
#include "shardlab/num/format.h"

/* A format as people name it, as calc counts its bits, as num knows its patterns. */
struct format_asked {
    const char *label, *name; /* "BF16", "bf16" */
    enum num_type type;
    struct calc_rounding rounding;
};
/* fp32, fp16, bf16, e4m3, e5m2. */
struct format_asked format_asked(enum num_type type);

/* `value` as the format stores it. */
double format_stored(enum num_type type, double value, enum num_mode mode);
/* The step at a number of the format. */
double format_ulp(enum num_type type, double value);

/* Figures: a number in six digits; one with all its digits; a power of two as "2^−24". */
void format_figure_number(struct instance *out, const char *name, double x);
void format_figure_exact(struct instance *out, const char *name, double x);
void format_figure_power(struct instance *out, const char *name, double x);

/* "format --type bf16 257 258", as far as there are values. */
void format_line(struct instance *out, enum num_type type, const double *values, int count);

/* A step of the solution whose value is a number of no unit. */
void format_step(struct instance *out, const char *formula, const char *substituted, double value);
/* `pattern` with each # replaced by the next of `values`, in six digits: "# / #". */
void format_step_of(struct instance *out, const char *formula, const char *pattern,
                    const double *values, double value);

/* One of a list of numbers. */
double format_pick(uint64_t *dice, const double *list, int count);

#endif
