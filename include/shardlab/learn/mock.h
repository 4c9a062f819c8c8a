/* A mock interview: so many minutes at a level, walking chains of follow-ups to the first miss, then a report. A chain is its
 * opener, then each of its follow-ups with the follow-ups of that one behind it; what is above the level, or was asked before
 * (a circle, a question of two chains), is left out. Pure; the clock is the caller's. Proof: tests/unit/learn/test_mock.c. */
#ifndef LEARN_MOCK_H
#define LEARN_MOCK_H

#include "shardlab/learn/attempt.h"
#include "shardlab/learn/history.h"

enum { MOCK_QUESTIONS_MAX = 64, MOCK_CHAINS_MAX = 16 };

struct mock_answer {
    int question; /* index */
    uint64_t seed;
    int chain, depth; /* which chain, how deep in it: 0 opens */
    bool right;
    int facts, facts_of; /* recall: ticked of how many; else 0 */
    int64_t took_ms;
};

struct mock {
    const struct question *const *questions;
    int question_count;
    int level; /* 1 … 3: hardest that is asked */
    int64_t length_ms;
    uint64_t id;
    int openers[MOCK_CHAINS_MAX], opener_count; /* in the order in which they will be asked */
    int chain, depth;                           /* where it stands */
    int now;                                    /* index of the question in front, -1: over */
    struct mock_answer answers[MOCK_QUESTIONS_MAX];
    int answer_count;
    int64_t spent_ms;
};

/* What was agreed on: else than these is a programmer's error (assert). */
struct mock_terms {
    int level;   /* 1 … 3 */
    int minutes; /* 5 … 60 */
    uint64_t id;
};
/* Openers are shuffled by id, those first of which least will be known in a week; cards NULL: no history. Suspended ones are
 * not asked. */
void mock_start(struct mock *m, const struct history_input *in, const struct card *cards,
                const struct mock_terms *terms);
/* The seed of the question in front. */
uint64_t mock_seed(const struct mock *m);
/* The answer to it, judged: right goes deeper in the chain, a miss or the end of the chain opens the next; over when the time or the
 * questions are. */
void mock_take(struct mock *m, const struct attempt *a, int64_t took_ms);

/* The report. A topic is strong when its chain was held to the end or to depth 2, a gap where it broke; both when it broke
 * deeper, neither when time was up before. */
struct mock_finding {
    int opener;      /* question index */
    int reached, of; /* questions answered right in the chain, and its length at this level */
    int broke_at;    /* question index of the miss, -1: held */
};
bool mock_is_strong(const struct mock_finding *finding);

struct mock_report {
    int asked, right;
    int finding_count;
    struct mock_finding findings[MOCK_CHAINS_MAX];
    int lesson_count; /* ids of the lessons of the gaps, worst first: where a chain broke soonest, then where more did */
    const char *lessons[MOCK_CHAINS_MAX];
};
void mock_report_make(const struct mock *m, struct mock_report *out);

#endif
