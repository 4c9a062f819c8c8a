/* Questions as they are written down: plain data that `store` reads from lessons/NN_name/quiz.json and owns. What the
 * numbers in them are is computed by the lesson's makers (learn/instance.h), how one is asked and judged is learn/attempt.h.
 * Text is [0] English, [1] Chinese, and may hold {{name}}: a figure that the maker computes. Which item asks for what is
 * checked when the file is read, so that whoever holds a question need not. */
#ifndef BASE_QUESTION_H
#define BASE_QUESTION_H

#include <stdbool.h>

enum question_kind {
    QUESTION_CHOICE, /* one of three or four options */
    QUESTION_NUMBER, /* a number with its unit; the maker's first key says which */
    QUESTION_ORDER,  /* things to be put into their order */
    QUESTION_DERIVE, /* lines of a derivation with a number left out in each */
    QUESTION_RECALL, /* said aloud or typed, then compared with a list of facts */
    QUESTION_KINDS
};

enum {
    QUESTION_PARTS_MAX = 8,
    QUESTION_HINTS_MAX = 3,
    QUESTION_FOLLOW_MAX = 8,
    QUESTION_LEVEL_MAX = 3
};

/* choice: an option, why it is right or what whoever takes it has in mind. order: a thing, listed in the right order; why
 * it stands there. derive: a line with {{?}} where a number is left out, the maker's key of the same index is that number;
 * why, shown with it. recall: a fact to tick. number: a known way to a wrong number, `id` names the maker's path, `text` says what
 * the mistake is. */
struct question_part {
    const char *id;      /* number: required; else NULL */
    const char *text[2]; /* never NULL */
    const char *why[2];  /* NULL: nothing to say; a choice always has one */
    bool right;          /* choice: exactly one */
};

struct question {
    const char *
        id; /* "memory.sixteen-bytes": the lesson's id, a point, a name; never reused, survives edits */
    enum question_kind kind;
    const char *lesson; /* the id of the lesson whose folder it stands in */
    int page;           /* of that lesson, 1-based */
    int level;          /* 1 … QUESTION_LEVEL_MAX */
    const char *topic;  /* "MA-01": of the list of topics */
    const char
        *family; /* items of one family give each other away: not on one day; NULL: of none */
    const char *stem[2];
    int part_count;
    struct question_part parts[QUESTION_PARTS_MAX];
    int hint_count;
    const char *hints[QUESTION_HINTS_MAX][2];
    /* The careful answer, shown after every kind; NULL: none beyond parts and derivation (only of number and derive). */
    const char *explain[2];
    /* As the source text answers it, shown before the careful answer and its limit; NULL: it does not. */
    const char *said[2];
    /* What an interviewer asks next, harder step by step: ids of questions of any lesson. */
    int follow_count;
    const char *follow[QUESTION_FOLLOW_MAX];
    /* The first of a chain of an interview: not itself a follow-up. */
    bool opens;
};

/* "choice", "number", "order", "derive", "recall": as quiz.json and JSON name it. */
const char *question_kind_name(enum question_kind kind);

#endif
