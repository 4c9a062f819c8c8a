/* Files that the program ships and reads: presets, texts, lessons; and JSON files that a user names. The only
 * room that knows cJSON and md4c. Everything read lives in the store until store_close; errors carry
 * FILE:LINE:COLUMN for syntax and FILE: KEY.PATH for a wrong value (CONTRACT, "Exit status"). */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/document.h"
#include "shardlab/base/glossary.h"
#include "shardlab/base/message.h"
#include "shardlab/base/question.h"
#include "shardlab/base/record.h"
#include "shardlab/base/status.h"
#include "shardlab/base/words.h"

struct store; /* opaque */

/* Finds the data folders (build tree, installed, or SHARDLAB_DATA in the environment) without reading them:
 * files are read on first use. *out is owned by the caller. STATUS_FAILED names the folder looked for. */
MUST_USE enum status store_open(struct store **out, struct message *why);
void store_close(struct store *s); /* NULL is fine */

/* assets/strings.json in one language. words->find is valid until store_close. */
MUST_USE enum status store_words(struct store *s, bool chinese, struct words *out,
                                 struct message *why);

/* Rows of assets/models.json and gpus.json in file order. */
MUST_USE enum status store_models(struct store *s, const struct record **rows, int *count,
                                  struct message *why);
MUST_USE enum status store_gpus(struct store *s, const struct record **rows, int *count,
                                struct message *why);

/* assets/glossary.json in file order; valid until store_close. */
MUST_USE enum status store_glossary(struct store *s, const struct glossary **out,
                                    struct message *why);

/* A row whose "id" is `id` (ASCII case ignored), or NULL; and the nearest id to a misspelt one, or NULL. */
const struct record *store_row_find(const struct record *rows, int count, const char *id);
const char *store_row_nearest(const struct record *rows, int count, const char *id);

/* A user's JSON file as a record. Refuses directories, empty files, files over 16 MiB, invalid UTF-8, deep
 * nesting, a root that is not an object. The record lives until store_close. */
MUST_USE enum status store_json_file(struct store *s, const char *path, const struct record **out,
                                     struct message *why);

/* A user's text file, refused in the same cases but for what JSON asks. NUL-terminated, without a NUL before that;
 * lives until store_close. */
MUST_USE enum status store_text_file(struct store *s, const char *path, const char **out,
                                     struct message *why);

/* A line of JSON that a program wrote, as a record with memory of its own: elements of lists are fields too
 * ("measured.sent_bytes_per_rank[0]", "points[3].sum"), and the text of a number is its digits as they stand there, so
 * that integers beyond 2^53 stay exact. Refused like a file; also more than STORE_ANSWER_FIELDS_MAX fields. */
enum { STORE_ANSWER_FIELDS_MAX = 200000 };
struct store_answer; /* opaque */
MUST_USE enum status store_answer_read(const char *text, size_t length, struct store_answer **out,
                                       struct message *why);
const struct record *store_answer_record(const struct store_answer *answer); /* borrowed */
void store_answer_free(struct store_answer *answer);                         /* NULL is fine */

/* lessons/<folder>/<zh|en>.md as pages. */
MUST_USE enum status store_lesson(struct store *s, const char *folder, bool chinese,
                                  const struct document **out, struct message *why);

/* lessons/<folder>/quiz.json in file order; `lesson` is the id that its questions get. Checked: what base/question.h asks of each
 * kind, ids unique within the file; errors name FILE: KEY.PATH. A lesson without the file has none (*count 0). */
struct store_quiz {
    const char *folder, *lesson;
};
MUST_USE enum status store_questions(struct store *s, const struct store_quiz *quiz,
                                     const struct question **out, int *count, struct message *why);
/* A quiz file that a user names (`lesson check`). */
MUST_USE enum status store_quiz_file(struct store *s, const char *path, const struct question **out,
                                     int *count, struct message *why);

/* A Markdown file that a user names, as pages (`lesson check`). */
MUST_USE enum status store_markdown_file(struct store *s, const char *path,
                                         const struct document **out, struct message *why);

/* Markdown in memory, borrowed; `name` stands in messages. */
struct store_markdown_source {
    const char *name;
    const char *text;
    size_t length;
};

/* Markdown in memory as pages. For tests and fuzzing. */
MUST_USE enum status store_markdown(struct store *s, const struct store_markdown_source *source,
                                    const struct document **out, struct message *why);

#endif
