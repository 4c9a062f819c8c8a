/* A lesson is a value: words (Markdown in its folder), knobs (options of the scenario, or its own), and a pure
 * function from these to view, and experiments. It knows no terminal, no files, no processes. Adding one: a folder with lesson.c,
 * zh.md, en.md, and a line in lessons/registry.c. Message ids: lesson.<id>.title, lesson.<id>.summary. */
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "shardlab/base/record.h"
#include "shardlab/base/writer.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/learn/instance.h"
#include "shardlab/view/view.h"

struct lesson_input {
    const struct scenario *now;    /* resolved and legal */
    const struct scenario *before; /* before the last move; NULL: none */
    int page;                      /* 0-based */
    /* The stop at which each of the lesson's own knobs stands; NULL: where they start. */
    const int *own;
    int frame; /* how far a picture that moves has gone, 0 … its last */
    /* What the page's experiment answered, for as long as knobs and page are those it was started with; NULL: nothing.
     * `experiment`, `guess` and `frames` do not get it: what is asked must not depend on what was answered. */
    const struct record *answer;
};

enum { LESSON_KNOBS_MAX = 8, LESSON_GROUPS_MAX = 5 };

/* Knobs shown together; Tab goes to the next group. NULL ends the list. */
struct lesson_knobs {
    const char *label;                         /* message id: "group.page", "group.layout", … */
    const char *options[LESSON_KNOBS_MAX + 1]; /* option names of calc/option.h */
};

/* A knob that no scenario has: the ranks of one collective, its algorithm. It rests on texts as a command line takes them;
 * a knob group names it like an option, and its words are option.<name>.label. */
struct lesson_knob {
    const char *name;         /* not a name of calc/option.h */
    const char *const *stops; /* NULL ends them; at most LESSON_STOPS_MAX */
    int start;
};

enum { LESSON_OWN_MAX = 12, LESSON_STOPS_MAX = 32 };

enum { LESSON_LINE_MAX = 176, LESSON_VALUES_MAX = 8, LESSON_FACTS_MAX = 4, LESSON_CHOICES_MAX = 4 };

enum lesson_unit {
    LESSON_UNIT_NONE, /* whole numbers exact and grouped, others in six digits, words as they stand */
    LESSON_UNIT_SECONDS, /* as s, ms or µs */
    LESSON_UNIT_RATE,    /* bytes a second, as GB/s */
};

/* A value of what an experiment answers, and its name on the screen. */
struct lesson_value {
    /* A literal. Of a row: a key of both `predicted` and `measured`, "steps"; a list becomes a row an element. Of a
     * fact: a path from the top of the answer, "time_s.median". */
    const char *key;
    /* Message id. Of a row, {0} is the element's number, or name, where the key is a list; of a fact, {0} is the value. */
    const char *label;
    enum lesson_unit unit;
};

/* A question before a result, with its answer from a calculator. Everything in it is computed from the scenario: no
 * choice is a number that stands in the code. */
struct lesson_guess {
    struct message question;
    int choice_count; /* 0: nothing is asked */
    struct message choices[LESSON_CHOICES_MAX];
    /* What whoever takes the choice has in mind, and where it ends: "that is the limit for many ranks". Of the right
     * one: why it is so. An id of NULL says nothing. */
    struct message why[LESSON_CHOICES_MAX];
    int right; /* index of the right choice */
};

/* A command of the program that really runs (CONTRACT, "Experiments"): it predicts and measures the same keys. */
struct lesson_experiment {
    const char *title; /* message id: what runs */
    /* Short enough for a sentence to quote it (base/message.h). Command and options as a person would type them behind the program's name, words between single blanks, nothing
     * quoted: "allreduce --ranks 4 --elems 1000003 --algorithm ring". The screen adds --events and --lang. An answer
     * belongs to this line: when knobs make it another, the answer is marked as old. */
    char line[LESSON_LINE_MAX];
    /* Key of the answer's list of texts that names the elements of the rows' lists; NULL: they have numbers. */
    const char *names;
    int value_count, fact_count;
    struct lesson_value values[LESSON_VALUES_MAX]; /* predicted beside measured, in this order */
    struct lesson_value facts[LESSON_FACTS_MAX];   /* only measured, on a line below: time, rate */
    struct lesson_guess guess;                     /* what to guess before it runs */
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
    /* Knobs of the lesson's own; NULL: none. */
    const struct lesson_knob *own;
    int own_count;
    /* Whether they may stand as in `in`; STATUS_USAGE says what is not defined. NULL: always. */
    enum status (*own_check)(const struct lesson_input *in, struct message *why);
    /* The last frame of the page's picture, 0: it does not move; *start is where a page that is opened begins. NULL: no
     * picture moves. */
    int (*frames)(const struct lesson_input *in, int *start);
    /* The command line of the page, without the program's name: "allreduce --ranks 4"; NULL: "mem" and the options. */
    void (*command)(const struct lesson_input *in, struct writer *out);
    /* What a page asks before it shows its picture, which is out of sight until the learner answers or skips; the answer
     * stays beside it. `out` comes zeroed. False: the page asks nothing. NULL: no page does. */
    bool (*guess)(const struct lesson_input *in, struct lesson_guess *out);
    /* The experiment of a page with this scenario; `out` comes zeroed. False: the page has none. NULL: the lesson has
     * none. Called often, so it only writes the line and names. */
    bool (*experiment)(const struct lesson_input *in, struct lesson_experiment *out);
    /* The makers of the numbers of the questions in its quiz.json (questions.c); NULL: it has none. */
    const struct instance_entry *makers;
    int maker_count;
};

int lesson_count(void);
const struct lesson *lesson_at(int index);
const struct lesson *lesson_find(const char *id); /* NULL: none */

/* The maker of a question's numbers; NULL: it has no numbers. */
const struct instance_entry *lesson_maker_find(const char *question);

/* Where a link in the words leads: "lesson:zero", to its first page, or "lesson:zero#2", to its second; *page is 0-based.
 * False: there is no such lesson or page. */
bool lesson_link_find(const char *target, const struct lesson **lesson, int *page);

#endif
