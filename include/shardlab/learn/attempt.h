/* One question while it is before a learner, whatever shows it: asked, hinted at, answered, compared, rated. Pure: keys of
 * a screen and words of a command line both become these calls. A call out of turn changes nothing and says so. Borrowed:
 * the question; copied: its numbers. Proof: tests/unit/learn/test_attempt.c. */
#ifndef LEARN_ATTEMPT_H
#define LEARN_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/question.h"
#include "shardlab/learn/fsrs.h"
#include "shardlab/learn/instance.h"

enum { ATTEMPT_TYPED_MAX = 128 };

enum attempt_state {
    ATTEMPT_ASKED,    /* nothing is given away but hints */
    ATTEMPT_REVEALED, /* recall: the facts are shown and can be ticked */
    ATTEMPT_JUDGED,   /* verdict, reasons and rating stand; the rating may still be changed */
};

struct attempt {
    const struct question *question;
    struct instance numbers;
    enum attempt_state state;
    /* choice and order: shown[i] is the part that stands in place i; shuffled by `shuffle` and the question's id, the same
     * within a sitting; things never start in their right order. */
    int shown[QUESTION_PARTS_MAX];
    int started
        [QUESTION_PARTS_MAX]; /* shown, as it was at the start: a thing's letter is its place there */
    int mark;   /* the place (choice, order, recall) or blank (derive) with the focus */
    bool held;  /* order: the thing with the focus moves along */
    int chosen; /* choice: the place that was taken, -1 none */
    bool ticked[QUESTION_PARTS_MAX]; /* recall */
    /* number: [0]; derive: one a blank; recall: [0], the learner's own words, may stay empty. UTF-8. */
    char typed[QUESTION_PARTS_MAX][ATTEMPT_TYPED_MAX];
    int first_blank; /* derive: lines before it are filled in already (faded example) */
    int hints;       /* so many were taken */
    /* Once judged: */
    bool right;                          /* recall: at least half of the facts were ticked */
    bool given_up;                       /* "I do not know" */
    bool part_right[QUESTION_PARTS_MAX]; /* order: of the thing in place i; derive: of each line */
    const char
        *mistake; /* message id, or id of the question's part, of a known mistake; NULL none */
    enum fsrs_rating rating;
};

/* `blanks`: derive, how many lines from the end are left out, 1 … all. */
void attempt_start(struct attempt *a, const struct question *question,
                   const struct instance *numbers, uint64_t shuffle, int blanks);

/* Moves the focus as far as there are places; order with `held`: the thing too. False: it did not move. */
bool attempt_move(struct attempt *a, int steps);
/* The same, to a place. False: there is none, or it is out of turn. */
bool attempt_mark(struct attempt *a, int place);
bool attempt_hold(struct attempt *a); /* order: takes the thing up, or puts it down */
bool attempt_tick(struct attempt *a); /* recall, revealed: the fact with the focus */
bool attempt_hint(struct attempt *a); /* shows one more; false: there is none, or it is too late */

/* Takes the answer. STATUS_USAGE: it cannot be read or is not complete, *why says so, nothing was lost, and the focus is on
 * the blank that it is about; else the state is ATTEMPT_JUDGED, or for a recall that was asked ATTEMPT_REVEALED. The rating:
 * wrong Again, right Good, right after a hint Hard; recall by its ticks: all Good (after a hint Hard), at least half Hard,
 * else Again. */
MUST_USE enum status attempt_commit(struct attempt *a, struct message *why);
/* "I do not know": judged as wrong. */
bool attempt_give_up(struct attempt *a);
/* Another rating, once judged. */
bool attempt_rate(struct attempt *a, enum fsrs_rating rating);

/* As it was asked, with what was typed, moved, ticked and hinted, but no verdict: an answer that was taken back. */
void attempt_ask_again(struct attempt *a);

/* What was answered as one line for the log, and back into an attempt that was just started (`quiz answer`), which then
 * waits for attempt_commit; a recall is revealed by it. A choice's letter as shown "B"; numbers separated by ";" (read
 * without it, too, where each word is one); an order as the letters that its things had at the start, "C A B"; ticks "1 3",
 * none "0"; "?" given up, which is judged when it is read. Digits stand for letters, and letters for digits; case and width
 * are as you like. STATUS_USAGE: it means nothing here, and the attempt is as it was. */
void attempt_write(struct writer *w, const struct attempt *a);
MUST_USE enum status attempt_read(struct attempt *a, const char *const *words, int count,
                                  struct message *why);

#endif
