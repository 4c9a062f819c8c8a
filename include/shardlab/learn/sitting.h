/* Twenty minutes of questions: which ones, in what order, what comes again and when, and taking an answer back. Pure; the
 * screen shows sitting_now, and appends to the log the events that it makes. Nothing is allocated, arrays are the caller's.
 * A screen calls sitting_today, and goes on where the learner left off, also when the program was killed in between.
 * Proof: tests/unit/learn/test_sitting.c, tests/unit/learn/test_sitting_random.c. */
#ifndef LEARN_SITTING_H
#define LEARN_SITTING_H

#include "shardlab/learn/attempt.h"
#include "shardlab/learn/history.h"

enum {
    SITTING_CARDS_MAX = 256,
    SITTING_FIRST_MAX = 192, /* so many at the start; the rest is room for what comes again */
    SITTING_UNDO_MAX = 20
};

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
    int requeued_at; /* where it was put again, -1 not */
    struct attempt
        attempt; /* as it was judged; its question is NULL when it was read from the log */
};

struct sitting {
    uint64_t id;                                  /* of its events; also the seed of shuffles */
    struct sitting_card queue[SITTING_CARDS_MAX]; /* before `at` what was answered, in that order */
    int count, at;                                /* at == count: over */
    struct sitting_done done[SITTING_UNDO_MAX];   /* a ring of the last */
    int done_count, done_next;
    int answered, right; /* so far, without what was undone */
};

/* What to ask on this day: overdue and due first, neighbours from different lessons where there are such (or lowest recall
 * first when the plan says so), then new ones in the order of the input, which is that of the syllabus; at most the budget
 * less the cards that were answered today, no two of a family on one day; of more due cards than that the ones with the lowest
 * recall. An interview date sets retention and cap. `only`: a lesson's id, NULL all. Everything follows from the input and
 * `id`. `cards` are those of history_cards. */
void sitting_start(struct sitting *s, const struct history_input *in, const struct card *cards,
                   const char *only, uint64_t id);
/* The same as the log was before the first event of this sitting, and then what the log says of it once more: quitting in the
 * middle of a question resumes at it, with its numbers. `cards` are filled in, as the whole log has them. */
void sitting_resume(struct sitting *s, const struct history_input *in, struct card *cards,
                    const char *only, uint64_t id);
/* The sitting of today, its id included: the last that was begun and, when it is over, the next one if there is anything to
 * ask in it. */
void sitting_today(struct sitting *s, const struct history_input *in, struct card *cards,
                   const char *only);
/* Once more without an effect on scheduling order: given questions, e.g. a chain or all that were missed. */
void sitting_start_with(struct sitting *s, const int *questions, int count, uint64_t id);

/* What is to come, the card in front included: of cards that were seen before, and of new ones. `cards` are of now. */
struct sitting_left {
    int again, new_cards;
};
struct sitting_left sitting_left_of(const struct sitting *s, const struct card *cards);

/* The card in front; NULL: over. */
const struct sitting_card *sitting_now(const struct sitting *s);

/* The answer was judged and its event saved (`event` 0: could not be). A card that was rated Again comes again 3 to 8 cards
 * later, or at the end where there are fewer, with other numbers. */
void sitting_take(struct sitting *s, const struct attempt *a, int64_t event);
/* Leaves the card in front out of the sitting, without an answer. */
void sitting_skip(struct sitting *s);
/* Takes the last answer back: its card is in front again, unanswered, *a as attempt_ask_again leaves it (its question NULL:
 * start it anew). False: there is none left to take back; *event is what the log must be told with PROGRESS_UNDO, 0 nothing. */
MUST_USE bool sitting_undo(struct sitting *s, int64_t *event, struct attempt *a);

#endif
