/* What the files of this lesson share: the pieces of its pages that nobody else needs. */
#ifndef LESSONS_MEMORY_PRIVATE_H
#define LESSONS_MEMORY_PRIVATE_H

#include "shardlab/lesson/lesson.h"
#include "shardlab/lesson/memory_view.h"

/* What a parameter costs under each convention with the learner's precision and optimizer. */
void memory_cost_add(struct view *out, const struct scenario *s);

/* How many times smaller ZeRO makes the states, against the number of data ranks. */
void memory_saving_add(struct view *out, const struct scenario *s);

/* The stage that decides: layers, micro-batches in flight, GPUs. */
void memory_stage_add(struct view *out, const struct scenario *s, const struct calc_memory *now);

/* "2 + 2 + 12 = 16": weights, gradients and optimizer bytes of one parameter, nothing sharded, under
 * `convention` with the precision and optimizer of `s`. False when it cannot be computed. */
bool memory_split_write(struct writer *w, const struct scenario *s, int convention);

/* What the page on one parameter asks; false: nothing in this scenario. `out` comes zeroed. */
bool memory_parameter_guess(const struct scenario *s, struct lesson_guess *out);

/* The name and the colour of a part. */
void memory_part_look(int part, const char **label, enum view_role *role);

/* The short formula of a part, "12Ψ/8", with the learner's own number of ranks; "" when there is nothing of it. */
void memory_part_formula(const struct scenario *s, const struct calc_memory *m, int part,
                         char out[VIEW_FORMULA_MAX]);

/* Ranks that share out the model states of `s` if it had `dp` data ranks. */
uint64_t memory_sharding_ranks(const struct scenario *s, uint64_t dp);

/* A real with up to `decimals` digits, without trailing zeros: 4, 2.91. */
void memory_real_write(struct writer *w, double value, int decimals);

/* Makers of the numbers in quiz.json. */
enum { MEMORY_MAKERS = 7 };
extern const struct instance_entry memory_makers[MEMORY_MAKERS];

bool memory_figure(const struct lesson_input *in, const char *name, struct writer *out);

#endif
