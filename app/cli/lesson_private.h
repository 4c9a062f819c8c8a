/* What the files of the command `lesson` share. Only for app/cli. */
#ifndef LESSON_PRIVATE_H
#define LESSON_PRIVATE_H

#include "cli_private.h"
#include "shardlab/lesson/lesson.h"

/* The question of a page, its choices, the answer and why. */
void cli_lesson_guess_write(struct cli_context *c, const struct lesson_guess *g);

/* The lesson whose id is most like what somebody wrote; the first where they wrote nothing. */
const struct lesson *cli_lesson_nearest(const char *id, size_t length);

/* Every link of the file's document leads to a lesson and page that exist; else FILE:LINE:COLUMN. */
enum status cli_lesson_links_check(struct cli_context *c, const char *path,
                                   const struct document *doc, struct message *why);

/* --- lesson_check.c --- */
struct lesson_good {
    int pages, questions; /* one of them is 0: a lesson's words, or a quiz */
};
/* One file of `lesson check`: what is in it, or what is wrong and where. */
MUST_USE enum status cli_lesson_check(struct cli_context *c, const char *path,
                                      struct lesson_good *good, struct message *why);
/* The lesson in whose folder a file lies; NULL: in none. */
const struct lesson *cli_lesson_of_folder(const char *path);

/* --- lesson_quiz.c --- */
MUST_USE enum status cli_lesson_quiz_check(struct cli_context *c, const char *path, int *questions,
                                           struct message *why);

#endif
