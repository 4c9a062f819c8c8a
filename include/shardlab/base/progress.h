/* What a learner did, as an append-only log: `store` keeps it in SQLite and reads it back in order, `learn` derives every
 * state from it. An event is never changed; what it undoes or rates anew is another event. Plain data. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_kind {
    PROGRESS_ANSWER,  /* a question was answered and its feedback shown */
    PROGRESS_RATING,  /* the rating of the answer `about` became `rating` */
    PROGRESS_UNDO,    /* the answer `about` counts as if it had not been given */
    PROGRESS_SKIP,    /* a question was put off for today */
    PROGRESS_SUSPEND, /* a question is not to be asked again; rating 0: it is again */
    PROGRESS_FLAG,    /* a learner says that something is wrong with it; text: what */
    PROGRESS_SETTING, /* item: name; text: value, "" unset: "interview" 2026-12-24, "budget-cards" 20, "rollover-hour" 4 */
    PROGRESS_GUESS,   /* a guess on a lesson's page: item "guess.zero#2"; right */
    PROGRESS_MOCK,    /* the end of a mock interview; text: its result in short, "7/10" */
    PROGRESS_KINDS
};

enum { PROGRESS_ITEM_MAX = 96, PROGRESS_TEXT_MAX = 512 };

struct progress_event {
    int64_t id;       /* given by the log, ascending; 0 before that */
    int64_t utc_s;    /* seconds since 1970 */
    int32_t offset_s; /* local time minus UTC at that moment */
    enum progress_kind kind;
    char item[PROGRESS_ITEM_MAX]; /* the question's id, the setting's name */
    uint64_t seed;                /* of its numbers */
    int rating;                   /* 1 … 4, 0 none */
    bool right;
    int hints;
    int64_t took_ms;              /* 0: not measured */
    int64_t about;                /* id of the event it is about, 0 none */
    uint64_t sitting;             /* events of one sitting share it */
    int scheduler;                /* version of the scheduler that was in use: 6 */
    char text[PROGRESS_TEXT_MAX]; /* what was answered, or the value */
};

#endif
