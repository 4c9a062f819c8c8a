/* When to ask a card again: FSRS-6, the scheduler of spaced repetition with 21 weights (the FSRS project and MaiMemo's
 * papers). A card's memory is two numbers; a review changes them, and an interval follows from the stability and from
 * the recall that is wanted. No learning steps and no fuzz. Hard is a pass. Days are counted by learn/day.h, whoever
 * calls keeps the log of reviews.
 *
 *     struct fsrs_memory m = fsrs_first(&fsrs_weights, FSRS_GOOD);
 *     m = fsrs_next(&fsrs_weights, m, FSRS_HARD, 3);
 *     days = fsrs_interval_days(&fsrs_weights, m.stability_days, 0.9, FSRS_DAYS_MAX);
 *
 * Proof: tests/unit/learn/test_fsrs.c, every row of tests/vectors/vectors_fsrs.csv. */
#ifndef LEARN_FSRS_H
#define LEARN_FSRS_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum { FSRS_WEIGHTS = 21, FSRS_DAYS_MAX = 36500 };

enum fsrs_rating { FSRS_AGAIN = 1, FSRS_HARD, FSRS_GOOD, FSRS_EASY };

struct fsrs {
    double w[FSRS_WEIGHTS];
    /* False: no pass lowers the stability. True: Hard within the day may, as in py-fsrs up to 6.3.1. */
    bool hard_may_lower;
};
extern const struct fsrs fsrs_weights; /* the published defaults */

struct fsrs_memory {
    double stability_days; /* until recall falls to 0.9; 0.001 … FSRS_DAYS_MAX */
    double difficulty;     /* 1 … 10 */
};

/* Every weight lies in the range that the optimisers of FSRS keep to, within which all results are finite.
 * STATUS_USAGE names the first that does not, counted from 0, and its range. The functions below rely on it. */
MUST_USE enum status fsrs_check(const struct fsrs *f, struct message *why);

/* After the first answer. */
struct fsrs_memory fsrs_first(const struct fsrs *f, enum fsrs_rating rating);

/* After a later answer, elapsed_days after the one before; 0: within the same day. */
struct fsrs_memory fsrs_next(const struct fsrs *f, struct fsrs_memory before,
                             enum fsrs_rating rating, uint64_t elapsed_days);

/* The probability of recall after so many days: 1 at once, 0.9 after stability_days. */
double fsrs_recall(const struct fsrs *f, double stability_days, double elapsed_days);

/* Days until recall has fallen to `retention`, between 0 and 1 exclusive, to the nearest day: 1 … max_days (>= 1). */
uint64_t fsrs_interval_days(const struct fsrs *f, double stability_days, double retention,
                            uint64_t max_days);

#endif
