/* A lesson is a value: words (Markdown in its folder), knobs (options of the scenario), and a pure function from
 * scenario to view. It knows no terminal, no files. Adding one: a folder with lesson.c, zh.md, en.md, and a line
 * in lessons/registry.c. Message ids: lesson.<id>.title, lesson.<id>.summary. */
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "shardlab/base/writer.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/view/view.h"

struct lesson_input {
    const struct scenario *now;    /* resolved and legal */
    const struct scenario *before; /* before the last move; NULL: none */
    int page;                      /* 0-based */
};

enum { LESSON_KNOBS_MAX = 8, LESSON_GROUPS_MAX = 5 };

/* Knobs shown together; Tab goes to the next group. NULL ends the list. */
struct lesson_knobs {
    const char *label;                         /* message id: "group.page", "group.layout", … */
    const char *options[LESSON_KNOBS_MAX + 1]; /* option names of calc/option.h */
};

struct lesson {
    const char *id;     /* "memory": name in links and on the command line; never reused */
    const char *folder; /* "10_memory" */
    int page_count;     /* pages of zh.md and en.md; a test compares */
    /* The scenario a learner starts with, as a command line: "--model llama-2-7b --dp 8 …". */
    const char *start;
    /* Knob groups of a page; returns how many, at most LESSON_GROUPS_MAX. The first belongs to the page. */
    int (*knobs)(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]);
    /* The view of a page. Fails only where a calculator does (overflow). */
    enum status (*view)(const struct lesson_input *in, struct view *out, struct message *why);
    /* A figure for {{name}} in the words, in the words' own unit ("112 GB", "2.91"). False: unknown name. */
    bool (*figure)(const struct lesson_input *in, const char *name, struct writer *out);
};

int lesson_count(void);
const struct lesson *lesson_at(int index);
const struct lesson *lesson_find(const char *id); /* NULL: none */

#endif
