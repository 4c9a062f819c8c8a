/* What the files of `shardlab quiz` share: all questions of all lessons, and one that stands before somebody. Only for
 * app/cli. */
#ifndef CLI_QUIZ_PRIVATE_H
#define CLI_QUIZ_PRIVATE_H

#include "cli_private.h"
#include "shardlab/learn/attempt.h"
#include "shardlab/lesson/lesson.h"

/* A question that stands before somebody: its numbers, and its parts in the order of a seed. */
struct quiz_asked {
    const struct question *q;
    struct attempt attempt;
    int language; /* 0 English, 1 Chinese */
};

enum { QUIZ_SEED_USUAL = 1 };

/* What a command of `quiz` is given. */
struct quiz_call {
    struct cli_context *c;
    const struct cli_args *args;
    struct quiz_bank *bank; /* all there are */
    uint64_t seed;          /* --seed, else the usual one */
    struct message *why;
};
enum status cli_quiz_show(const struct quiz_call *call);     /* quiz_show.c */
enum status cli_quiz_generate(const struct quiz_call *call); /* quiz_show.c */
enum status cli_quiz_answer(const struct quiz_call *call);   /* quiz_answer.c */
enum status cli_quiz_stats(const struct quiz_call *call);    /* quiz_stats.c */
enum status cli_quiz_export(const struct quiz_call *call);   /* quiz_export.c */

/* --- quiz_bank.c --- */

/* Questions in the order of lessons and files; what they point to belongs to the store. */
struct quiz_bank {
    struct question *all;
    int count;
};
MUST_USE enum status cli_quiz_bank_load(struct cli_context *c, struct quiz_bank *out,
                                        struct message *why);
void cli_quiz_bank_free(struct quiz_bank *bank);
/* STATUS_USAGE names the id and the nearest there is. */
MUST_USE enum status cli_quiz_bank_find(const struct quiz_bank *bank, const char *id,
                                        const struct question **out, struct message *why);

/* The questions that --lesson and --kind leave, in a bank of its own. STATUS_USAGE: they name nothing. */
MUST_USE enum status cli_quiz_bank_filter(const struct quiz_bank *bank, const struct cli_args *args,
                                          struct quiz_bank *out, struct message *why);

/* True where other seeds give other numbers. */
bool cli_quiz_varies(const struct question *q);
/* Its numbers for a seed; without a maker it has none. STATUS_FAILED where a calculator fails. */
MUST_USE enum status cli_quiz_numbers(const struct question *q, uint64_t seed, struct instance *out,
                                      struct message *why);

/* Puts it before somebody. */
MUST_USE enum status cli_quiz_ask(const struct question *q, uint64_t seed, struct quiz_asked *out,
                                  struct message *why);

/* --- quiz_words.c: for people --- */

/* `text` with its figures, in memory of its own that the caller frees; NULL: there is none. */
char *cli_quiz_text(const struct quiz_asked *a, const char *text, const char *blank);
/* The number of a line of a derivation as its blank takes it: without the unit where that stands behind the blank. */
void cli_quiz_blank_write(struct writer *w, const struct quiz_asked *a, int part, const char *text);
/* What names a known mistake in a language; NULL: nothing does. */
const char *cli_quiz_mistake_text(const struct cli_context *c, const struct quiz_asked *a,
                                  const char *id);
void cli_quiz_write_head(struct cli_context *c, const struct quiz_asked *a);
void cli_quiz_write_stem(struct cli_context *c, const struct quiz_asked *a);
/* What there is to choose from or to fill in, or what is wanted; not the answer. */
void cli_quiz_write_choices(struct cli_context *c, const struct quiz_asked *a);
/* What is right and why: parts, number, steps, mistakes, the careful answer, the calculator's line. */
void cli_quiz_write_solution(struct cli_context *c, const struct quiz_asked *a);
/* Hints, and what an interviewer asks next. */
void cli_quiz_write_rest(struct cli_context *c, const struct quiz_asked *a);

/* --- quiz_json.c --- */

struct json;
struct quiz_json {
    struct cli_context *c;
    struct json *j;
    bool both;    /* texts are objects of both languages */
    bool answers; /* what is right, too */
};
/* The members of an open object. */
void cli_quiz_json_question(const struct quiz_json *o, const struct quiz_asked *a);
void cli_quiz_json_text(const struct quiz_json *o, const struct quiz_asked *a, const char *key,
                        const char *const text[2]);

/* --- quiz_anki.c, quiz_markdown.c: an export; `language` 0, 1 --- */
void cli_quiz_anki_head(struct cli_context *c);
enum status cli_quiz_anki_note(struct cli_context *c, const struct quiz_asked *a);
void cli_quiz_markdown_head(struct cli_context *c, uint64_t seed);
enum status cli_quiz_markdown_question(struct cli_context *c, const struct quiz_asked *a);

#endif
