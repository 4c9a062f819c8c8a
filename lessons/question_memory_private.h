/* What makers of questions about memory share: the memory that a question's line means, and what it would be with another
 * option, which is where many mistakes lead. */
#ifndef LESSONS_QUESTION_MEMORY_PRIVATE_H
#define LESSONS_QUESTION_MEMORY_PRIVATE_H

#include "question_line_private.h"
#include "shardlab/calc/memory.h"

/* The parameters of a model as people say them, by the dice: "1.5B", "70B". */
const char *question_params(uint64_t *dice);

/* The scenario of the question's line, and the memory of the GPU that holds most. STATUS_FAILED: the line means none. */
MUST_USE enum status question_memory(const struct instance *out, struct scenario *s,
                                     struct calc_memory *memory, struct message *why);
/* The same with another value of one option. */
MUST_USE enum status question_memory_if(const struct scenario *s, const char *option,
                                        const char *value, struct calc_memory *memory,
                                        struct message *why);

/* Once the line was read: the calculator is to open in this unit, "gib". */
void question_line_unit(struct instance *out, const char *unit);

/* A part in bytes; weights, gradients and optimizer states together; the term of this id, 0 where there is none. */
double question_part(const struct calc_memory *memory, enum calc_part part);
double question_states(const struct calc_memory *memory);
double question_term(const struct calc_memory *memory, const char *id);

#endif
