/* What the lessons on tensor and on pipeline parallelism share: the learner's scenario with one option changed, and how
 * values are written inside words. */
#ifndef LESSONS_PARALLEL_PRIVATE_H
#define LESSONS_PARALLEL_PRIVATE_H

#include "shardlab/lesson/lesson.h"

/* Gives one option of a resolved scenario another value, as a command line would. */
struct parallel_change {
    const char *option, *value;
};
/* `s` with `count` options changed, resolved again; false: that is not legal. */
MUST_USE bool parallel_variant(const struct scenario *s, const struct parallel_change *changes,
                               int count, struct scenario *out);
/* The same with one option that is a count. */
MUST_USE bool parallel_with_count(const struct scenario *s, const char *option, uint64_t value,
                                  struct scenario *out);

/* "4.29 GB", and MB or KB below a hundred of the larger. */
void parallel_write_bytes(struct writer *w, uint64_t bytes);
/* Up to `decimals` digits behind the point, no zeros at the end. */
void parallel_write_real(struct writer *w, double value, int decimals);
/* A share 0 … 1 in percent, one digit behind the point. */
void parallel_write_percent(struct writer *w, double share);

/* A figure that words name. */
struct parallel_figure {
    const char *name;
    bool (*write)(const struct lesson_input *in, int a,
                  struct writer *out); /* false: not defined */
    int a;
};
/* Writes the row of this name, a dash where it is not defined; false: there is none. */
bool parallel_figure_write(const struct parallel_figure *rows, int count,
                           const struct lesson_input *in, const char *name, struct writer *out);

/* Appends a fact and returns its value, which the caller fills. */
struct message *parallel_fact(struct view_facts *facts, const char *key, const char *label,
                              const char *value);
/* Appends the sentence that no run measures this yet. */
void parallel_predicted_only(struct view *out);

#endif
