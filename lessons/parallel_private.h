/* What the lessons on tensor and on pipeline parallelism share: the learner's scenario with one option changed, and how
 * values are written inside words. */
#ifndef LESSONS_PARALLEL_PRIVATE_H
#define LESSONS_PARALLEL_PRIVATE_H

#include "shardlab/lesson/lesson.h"
#include "value_private.h"

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

/* "4.29 GB", below a gigabyte "234.9 MB": what one layer or one message is. */
void parallel_write_bytes(struct writer *w, uint64_t bytes);
/* A share 0 … 1 in percent, one digit behind the point. */
void parallel_write_percent(struct writer *w, double share);

/* Appends a fact and returns its value, which the caller fills. */
struct message *parallel_fact(struct view_facts *facts, const char *key, const char *label,
                              const char *value);
/* Appends the sentence that no run measures this yet. */
void parallel_predicted_only(struct view *out);

#endif
