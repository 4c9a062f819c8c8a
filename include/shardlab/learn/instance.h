/* The numbers of one question: figures in its words, what is right, which mistakes lead where, how the answer comes about,
 * and the command line that opens the calculator with the same inputs. A lesson's makers (questions.c in its folder) compute
 * them from a seed with the calculators: the same seed gives the same numbers for ever, so that a log needs only the seed.
 * Plain data, nothing is allocated. Proof: tests/unit/learn/test_instance.c, tests/unit/lessons/test_questions.c. */
#ifndef LEARN_INSTANCE_H
#define LEARN_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/calc/derivation.h"
#include "shardlab/learn/answer.h"

enum {
    INSTANCE_FIGURES_MAX = 32,
    INSTANCE_KEYS_MAX = 8,
    INSTANCE_PATHS_MAX = 6,
    INSTANCE_STEPS_MAX = 10,
    INSTANCE_NAME_MAX = 32,
    INSTANCE_TEXT_MAX = 96,
    INSTANCE_LINE_MAX = 240
};

/* What {{name}} stands for, the same in every language: "13.48 GB", "llama-2-7b", "2.91". */
struct instance_figure {
    char name[INSTANCE_NAME_MAX];
    char text[INSTANCE_TEXT_MAX];
};

/* A number that is asked for. */
struct instance_key {
    enum answer_kind kind;
    const char
        *unit;    /* what is asked for, one of the kind's: "GB", "ms", "%", "" for one; a literal */
    double right; /* base units */
    double tolerance; /* part of it; 0: exact */
    int path_count;
    struct answer_path
        paths[INSTANCE_PATHS_MAX]; /* id: of a part of the question (number), a literal */
};

/* A line of the worked solution. */
struct instance_step {
    char formula[96];      /* "12Ψ/N" */
    char substituted[160]; /* "12 × 6738415616 / 64" */
    enum answer_kind kind;
    const char *unit;   /* in which the value is written, a literal */
    double value;       /* base units */
    const char *source; /* paper and section, a literal; NULL: arithmetic */
};

struct instance {
    uint64_t seed;
    int figure_count, key_count, step_count;
    struct instance_figure figures[INSTANCE_FIGURES_MAX];
    struct instance_key keys[INSTANCE_KEYS_MAX]; /* number: one; derive: one a part */
    struct instance_step
        steps[INSTANCE_STEPS_MAX]; /* of a number question the last ends in the answer */
    /* What `o` opens and `quiz show` prints: "mem --model llama-2-7b --dp 8 --zero 1"; "": there is no calculator. */
    char line[INSTANCE_LINE_MAX];
};

/* Fills in *out, which comes started. STATUS_FAILED only where a calculator fails. */
typedef enum status (*instance_maker)(uint64_t seed, struct instance *out, struct message *why);

/* A row of a lesson's table of makers. Questions without numbers have none. */
struct instance_entry {
    const char *question; /* id */
    instance_maker make;
    bool varies; /* other seeds, other numbers: a generator */
};

void instance_start(struct instance *out, uint64_t seed);

/* --- For makers --- */

/* A number below `count` (> 0), and the next state: a maker starts with `uint64_t dice = instance_dice(seed)`. */
uint64_t instance_dice(uint64_t seed);
int instance_pick(uint64_t *dice, int count);

/* Figures: text, a whole number grouped (6,738,415,616) or plain (4096), a real with so many decimals, a value of a kind in a
 * unit as a person writes it ("13.48 GB", "27.3 %"). Too many figures or too long a name is a programmer's error (assert). */
void instance_figure_text(struct instance *out, const char *name, const char *text);
void instance_figure_count(struct instance *out, const char *name, uint64_t count);
void instance_figure_plain(struct instance *out, const char *name, uint64_t count);
void instance_figure_real(struct instance *out, const char *name, double value, int decimals);
void instance_figure_value(struct instance *out, const char *name, enum answer_kind kind,
                           const char *unit, double value);

/* The next number that is asked for; returned so that paths can be added. */
struct instance_key *instance_key_add(struct instance *out, enum answer_kind kind, const char *unit,
                                      double right, double tolerance);
/* A mistake and where it leads; left out where it leads to what is right or to where another does. */
void instance_path_add(struct instance_key *key, const char *id, double value);

/* A step of the solution, printf-like parts already written; and one from a calculator's term. */
struct instance_step *instance_step_add(struct instance *out, enum answer_kind kind,
                                        const char *unit, double value);
void instance_step_term(struct instance *out, const struct calc_term *term);

/* --- For readers --- */

/* NULL: there is no such figure. */
const char *instance_figure(const struct instance *in, const char *name);
struct writer;
/* `text` with its figures put in; an unknown {{name}} stays as it stands, {{?}} becomes `blank`. */
void instance_expand(struct writer *w, const struct instance *in, const char *text,
                     const char *blank);
/* A value of a kind in a unit, as figures are written: 4 significant digits, counts exact and grouped. */
void instance_value_write(struct writer *w, enum answer_kind kind, const char *unit, double value);

#endif
