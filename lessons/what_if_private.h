/* A scenario as it would be with other options: what the tables and figures of a lesson compare. */
#ifndef LESSONS_WHAT_IF_PRIVATE_H
#define LESSONS_WHAT_IF_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/calc/scenario.h"

/* Gives one option of `s` another value; false: it takes no such value. */
bool what_if_set(struct scenario *s, const char *option, const char *value);
bool what_if_count(struct scenario *s, const char *option, uint64_t value);

/* Fills again what follows from the options that were given; false: the scenario is not legal. After the last change. */
bool what_if_settle(struct scenario *s);

#endif
