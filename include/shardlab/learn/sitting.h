/* Twenty minutes of questions: which ones, in what order, what comes again and when, and taking an answer back. Pure; the
 * screen shows sitting_now, and appends to the log the events that it makes. Nothing is allocated, arrays are the caller's.
 * Proof: tests/unit/learn/test_sitting.c. */
#ifndef LEARN_SITTING_H
#define LEARN_SITTING_H

#include "shardlab/learn/attempt.h"
#include "shardlab/learn/history.h"

enum { SITTING_CARDS_MAX = 256, SITTING_UNDO_MAX = 20 };

/* A place in the queue. */
struct sitting_card {
    int question; /* index into the input's questions */
    uint64_t seed;
    bool again; /* it was missed in this sitting */
};

/* What happened to a card, to be taken back. */
struct sitting_done {
    struct sitting_card card;
    int64_t event; /* its id in the log, 0: not saved */
    bool right;
    enum fsrs_rating rating;
    int requeued_at;        /* where it was put again, -1 not */
    struct attempt attempt; /* as it was judged: undo shows it again as asked */
};

struct sitting {
    uint64_t id; /* of its events; also the seed of shuffles */
    struct sitting_card queue[SITTING_CARDS_MAX];
    int count, at;                              /* at == count: over */
    struct sitting_done done[SITTING_UNDO_MAX]; /* a ring of the last */
    int done_count, done_next;
    int answered, right; /* so far, without what was undone */
};

/* What to ask on this day: overdue and due first in a mixed order over lessons (or lowest recall first when the plan says so),
 * then new ones in the order of the syllabus, at most the budget less what was answered today, no two of a family on one day. An
 * interview date sets retention and cap. `only`: a lesson's id, NULL all. Everything follows from the input and `id`: the
 * same again after a restart, so that quitting in the middle of a question resumes at it, with its numbers. */
void sitting_start(struct sitting *s, const struct history_input *in, const struct card *cards,
                   const char *only, uint64_t id);
/* Once more without an effect on scheduling order: given questions, e.g. a chain or all that were missed. */
void sitting_start_with(struct sitting *s, const int *questions, int count, uint64_t id);

/* The card in front; NULL: over. */
const struct sitting_card *sitting_now(const struct sitting *s);

/* The answer was judged and its event saved (`event` 0: could not be). A missed card comes again 3 to 8 cards later. */
void sitting_take(struct sitting *s, const struct attempt *a, int64_t event);
/* Goes past the card without an answer. */
void sitting_skip(struct sitting *s);
/* Takes the last answer back: its card is in front again, unanswered. False: there is none left to take back; *event is what the log must
 * be told with PROGRESS_UNDO, 0 nothing. */
MUST_USE bool sitting_undo(struct sitting *s, int64_t *event, struct attempt *a);

#endif
