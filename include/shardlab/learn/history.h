/* What the log says about each question: memory, the day it is due, lapses; and what all of it says together. Derived from
 * the events alone, so that another scheduler could read the same log anew. Pure; the caller gives the arrays. Events come
 * in the order of their ids. One whose question no longer exists is passed over; the moment of one from the future (a clock
 * was set back since) is not believed: it counts for the day of the event before it. An answer that is undone takes with it
 * that its question was put off or suspended after it, since it is asked again. In time linear in the events.
 * Proof: tests/unit/learn/test_history.c, tests/unit/learn/test_history_summary.c. */
#ifndef LEARN_HISTORY_H
#define LEARN_HISTORY_H

#include "shardlab/base/progress.h"
#include "shardlab/base/question.h"
#include "shardlab/learn/day.h"
#include "shardlab/learn/fsrs.h"

/* More questions than this are a programmer's error (assert). */
enum { HISTORY_QUESTIONS_MAX = 4096 };

/* A question as a card. */
struct card {
    int reviews;       /* answers that count; 0: new */
    int right;         /* of them right */
    int lapses;        /* of them Again, after the first */
    int passes_in_row; /* since the last Again */
    struct fsrs_memory memory;
    int64_t last_day, due_day; /* of the last review; meaningless while reviews is 0 */
    enum fsrs_rating last;
    bool suspended;
    bool skipped_today;
    bool answered_today;
    bool new_today;    /* for the first time */
    int64_t put_aside; /* id of the event that put it off or suspended it last, 0 none */
    int64_t took_ms;   /* of the last answer */
    /* Answers on a later day than the one before: how many, how many of them passed, and the sum of the recall that was
     * expected of them. */
    int later_reviews, later_passes;
    double later_expected;
};

/* On a day: whether it is to be asked again, and the probability of recall. Of a card that was seen. */
bool card_is_due(const struct card *card, int64_t today);
double card_recall(const struct card *card, int64_t today);
/* How many lines of a derivation to leave out: one of a new card, one more after each pass, one again after a miss. */
int card_blanks(const struct card *card, int lines);

/* What the learner has set, in the log too. */
struct study_settings {
    int rollover_hour;
    bool has_interview;
    int64_t interview_day;
    int budget_cards; /* a day; 0: no limit */
    int new_cards;    /* of them new ones */
};
struct study_settings study_settings_usual(void); /* 4 am, no interview, 20 cards, 8 new ones */
/* As the log has them: "rollover-hour", "interview", "budget-cards", "new-cards"; values that cannot be read are passed
 * over, an empty one is the usual. */
struct study_settings study_settings_of(const struct progress_event *events, int count);

/* The event's part in the result: -1 undone, a later rating in place of its own; 0: it is no answer. Looks at the rest of
 * the log, so ask it for few events. */
int history_rating(const struct progress_event *events, int count, int at);
/* Whether the event at `at`, that a question was put off or suspended, still stands. Looks at the rest, too. */
bool history_stands(const struct progress_event *events, int count, int at);

/* Derives the card of each question (cards[i] of questions[i]) on a day. Same-day repeats after an Again count as the same day.
 * The intervals follow day_plan_make. Days begin at the hour that is set now, in the offset of each event. */
struct history_input {
    const struct progress_event *events;
    int event_count;
    const struct question *const *questions;
    int question_count;
    int64_t utc_s; /* now */
    int32_t offset_s;
};
void history_cards(const struct history_input *in, struct card *cards);
/* Today, by the settings in the log. */
int64_t history_today(const struct history_input *in);

/* Figures of the statistics screen. */
enum { HISTORY_DAYS_SHOWN = 30 };
struct history_summary {
    int answers, right; /* all that count */
    int today, today_right;
    int due_today, new_left,
        learned;     /* learned: seen at least once; put off and suspended are not due */
    int streak_days; /* days in a row with an answer, up to today or yesterday */
    int by_day[HISTORY_DAYS_SHOWN]; /* answers; [0] is today */
    int forecast
        [HISTORY_DAYS_SHOWN]; /* due; [0] is today with what is overdue, [1] with what was put off */
    int64_t median_ms;        /* of answers with a time (the lower of two); 0 none */
    double expected_recall;   /* mean of today's recall over learned cards; 0 without any */
    double
        measured_recall; /* share of reviews on a later day that passed; NaN-free: 0 without any */
    int measured_reviews;
    double predicted_recall; /* mean of what was expected of those reviews; 0 without any */
};
void history_summarize(const struct history_input *in, const struct card *cards,
                       struct history_summary *out);
/* A share from 0 to 1 in whole percent, to nearest: every place that names one names the same. */
int history_percent(double share);
/* Of all answers that count, those that were right; 0 without any. */
int history_right_percent(const struct history_summary *summary);
/* The sentence about an interview's date: how many days ahead, today, or past. Its {0} is `date`. */
void history_say_interview(int64_t today, int64_t interview, const char *date, struct message *out);

#endif
