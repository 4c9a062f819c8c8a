/* A number as people type it in answer to a question, and what it says about them: `112`, `112 GB`, `1.12e2 gb`,
 * `104.3 GiB`, `１１２ＧＢ`, `112,000 MB`, `3/11`, `27.3 %`, `1.12×10^2 GB`, `2^21`, `17 张`. What cannot be read is told
 * apart from what is wrong, since it must cost nothing; a wrong number that a known mistake leads to carries the name of
 * the mistake. Proof: tests/unit/learn/test_answer.c. */
#ifndef LEARN_ANSWER_H
#define LEARN_ANSWER_H

#include <stdbool.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

/* What is asked for, in its base unit. */
enum answer_kind {
    ANSWER_COUNT,   /* one: parameters, operations, micro-batches, a ratio */
    ANSWER_BYTES,   /* byte */
    ANSWER_RATE,    /* byte per second */
    ANSWER_SECONDS, /* second */
    ANSWER_SHARE,   /* the whole: 0.25 is 25 % */
};

struct answer_number {
    double value;   /* in base units; finite */
    double written; /* before its unit */
    double
        factor; /* base units in the unit that was written or, without one, that the question has */
    bool unit_given; /* false: the question's unit was taken */
};

/* Reads `text`; a number without a unit counts `unit`, one of the kind's ("GB", "ms", "%", "" for one). STATUS_USAGE says
 * what cannot be read, and the units there are; *out is then untouched. `unit` that is none of them is a programmer's
 * error (assert). In a rate Gb and Gbps are bits; in bytes, where no one means bits by it, gb in any case is GB. */
MUST_USE enum status answer_read(const char *text, enum answer_kind kind, const char *unit,
                                 struct answer_number *out, struct message *why);

/* Base units in a unit of the kind: 10^9 in "GB"; 0: the kind has no such unit. */
double answer_unit_factor(enum answer_kind kind, const char *unit);

/* A way to a wrong number: the other denominator, a link counted twice, a term forgotten. */
struct answer_path {
    const char *id; /* message id that names the mistake */
    double value;   /* base units */
};

struct answer_key {
    enum answer_kind kind;
    double right;     /* base units */
    double tolerance; /* part of it that an answer may be off: 0.01; 0: exact, to 1 part in 10^12 */
    const struct answer_path *paths;
    int path_count;
};

enum answer_verdict {
    ANSWER_RIGHT,
    ANSWER_MISTAKEN, /* wrong, and it is known how */
    ANSWER_WRONG,
};

/* Judges a number. When ANSWER_MISTAKEN, *id names the mistake: the nearest of the key's paths or, where none fits, GiB
 * written as GB ("answer.gib"), GB as GiB ("answer.gb"), bits for bytes ("answer.bits"), a prefix off by thousands
 * ("answer.prefix", not of exact counts); else NULL. A share without % may also be given as a fraction. */
enum answer_verdict answer_judge(const struct answer_key *key, const struct answer_number *number,
                                 const char **id);

#endif
