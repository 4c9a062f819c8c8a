/* What the files of `shardlab quiz` share: all questions of all lessons, and one that stands before somebody. Only for
 * app/cli. */
#ifndef CLI_QUIZ_PRIVATE_H
#define CLI_QUIZ_PRIVATE_H

#include "cli_private.h"
#include "shardlab/learn/attempt.h"
#include "shardlab/lesson/lesson.h"

/* --- quiz_bank.c --- */

/* Questions in the order of lessons and files; the pointers are borrowed from the store. */
struct quiz_bank {
    const struct question **all;
    int count;
};
MUST_USE enum status quiz_bank_load(struct cli_context *c, struct quiz_bank *out,
                                    struct message *why);
void quiz_bank_free(struct quiz_bank *bank);
/* STATUS_USAGE names the id and the nearest there is. */
MUST_USE enum status quiz_bank_find(const struct quiz_bank *bank, const char *id,
                                    const struct question **out, struct message *why);

/* The questions that --lesson and --kind leave, in a bank of its own. STATUS_USAGE: they name nothing. */
MUST_USE enum status quiz_bank_filter(const struct quiz_bank *bank, const struct cli_args *args,
                                      struct quiz_bank *out, struct message *why);

/* True where other seeds give other numbers. */
bool quiz_varies(const struct question *q);
/* Its numbers for a seed; without a maker it has none. STATUS_FAILED where a calculator fails. */
MUST_USE enum status quiz_numbers(const struct question *q, uint64_t seed, struct instance *out,
                                  struct message *why);

#endif
