/* What the files of the command `lesson` share. Only for app/cli. */
#ifndef LESSON_PRIVATE_H
#define LESSON_PRIVATE_H

#include "cli_private.h"
#include "shardlab/lesson/lesson.h"

/* The question of a page, its choices, the answer and why. */
void cli_lesson_guess_write(struct cli_context *c, const struct lesson_guess *g);

#endif
