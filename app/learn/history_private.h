/* A walk over the log: one event after another, without those that do not count, each with its day and its last rating.
 * A walk lies on its user's stack (about 50 kB) and borrows the input. Proof: tests/unit/learn/test_history.c. */
#ifndef HISTORY_PRIVATE_H
#define HISTORY_PRIVATE_H

#include <stdint.h>

#include "shardlab/learn/history.h"

enum { WALK_EVENTS = 16384, WALK_SLOTS = 2 * HISTORY_QUESTIONS_MAX };

struct walk {
    const struct history_input *in;
    int rollover_hour;
    int64_t today;
    int64_t believed; /* the day of the last event whose moment can be true */
    int at;           /* the next event */
    /* Of the events from `first` on: what history_rating says. Looked up for so many at a time, since what undoes an
     * answer stands behind it and nothing is allocated here. */
    int first;
    short ratings[WALK_EVENTS];
    /* Questions by the hash of their id; 0: none, else index + 1. */
    uint16_t slots[WALK_SLOTS];
};

/* An answer that counts, a question put off or suspended, or that an answer to it was undone. */
struct step {
    const struct progress_event *event;
    int question;
    int64_t day; /* at most today */
    int rating;  /* of an answer: 1 … 4 */
};

void walk_start(struct walk *w, const struct history_input *in,
                const struct study_settings *settings);
bool walk_next(struct walk *w, struct step *out); /* false: the log ends */

#endif
