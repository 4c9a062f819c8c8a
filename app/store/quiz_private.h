/* A quiz file on its way to questions: where the reader stands in it, and what every level of it asks of its texts.
 * app/store/quiz_*.c and questions.c only. */
#ifndef STORE_QUIZ_PRIVATE_H
#define STORE_QUIZ_PRIVATE_H

#include "shardlab/base/writer.h"
#include "store_private.h"

struct cJSON;

enum { QUIZ_PATH_MAX = 128, QUIZ_ID_MAX = 64, QUIZ_QUESTIONS_MAX = 512, QUIZ_PAGE_MAX = 99 };

struct quiz_reading {
    struct store *s;
    const char *file;   /* stands in messages */
    const char *lesson; /* that the ids begin with; NULL: the first question says which */
    struct message *why;
    struct writer at; /* the path of what is being read: "questions[3].parts[1].why" */
    char path[QUIZ_PATH_MAX];
};

void store_quiz_start(struct quiz_reading *r);
/* Goes down to a key, or to an element of the list that a key names; returns what store_quiz_leave gets to come back. */
size_t store_quiz_enter(struct quiz_reading *r, const char *key);
size_t store_quiz_enter_at(struct quiz_reading *r, const char *key, int index);
void store_quiz_leave(struct quiz_reading *r, size_t before);

/* "FILE: KEY.PATH: …" for where the reader stands, and for a key below it; more arguments may follow. Always
 * STATUS_FAILED. */
enum status store_quiz_fail(const struct quiz_reading *r, const char *id);
enum status store_quiz_fail_key(struct quiz_reading *r, const char *id, const char *key);

/* An object that has no key twice and none but `keys` (NULL ends them). */
MUST_USE enum status store_quiz_keys(struct quiz_reading *r, const struct cJSON *object,
                                     const char *const *keys);
/* A list with so many entries; *out NULL and no entry where the key is absent and least is 0. */
MUST_USE enum status store_quiz_list(struct quiz_reading *r, const struct cJSON *object,
                                     const char *key, const int range[2], const struct cJSON **out);
MUST_USE enum status store_quiz_whole(struct quiz_reading *r, const struct cJSON *object,
                                      const char *key, const int range[2], int *out);
/* Absent: false. */
MUST_USE enum status store_quiz_switch(struct quiz_reading *r, const struct cJSON *object,
                                       const char *key, bool *out);
/* One text without figures, as it is written; borrowed from the tree. */
MUST_USE enum status store_quiz_word(struct quiz_reading *r, const struct cJSON *object,
                                     const char *key, const char **out);
/* The same, of small letters, digits, points between and hyphens; kept. */
MUST_USE enum status store_quiz_id(struct quiz_reading *r, const struct cJSON *item,
                                   const char **out);
/* en and zh of the object, kept; each holds {{?}} `blanks` times. */
MUST_USE enum status store_quiz_twins(struct quiz_reading *r, const struct cJSON *object,
                                      int blanks, const char *out[2]);
/* An object with just those below a key; absent: NULL twice, an error where it is required. */
MUST_USE enum status store_quiz_pair(struct quiz_reading *r, const struct cJSON *object,
                                     const char *key, bool required, const char *out[2]);

/* --- quiz_question.c --- */
MUST_USE enum status store_quiz_question(struct quiz_reading *r, const struct cJSON *item,
                                         struct question *out);

#endif
