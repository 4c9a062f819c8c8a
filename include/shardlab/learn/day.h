/* Which day it is for a learner, and what a date ahead asks for. Days are local and begin at a roll-over hour, so that
 * an evening that runs past midnight stays one day; seconds, offset and hour are given, no clock is asked. A day is a
 * number: days since 1970-01-01. Proof: tests/unit/learn/test_day.c. */
#ifndef LEARN_DAY_H
#define LEARN_DAY_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/base/writer.h"

enum { DAY_ROLLOVER_USUAL = 4, DAY_SECONDS = 86400 };

/* How a place counts its days at the moment in question: a log keeps seconds of UTC and the offset beside them. */
struct day_rule {
    int32_t offset_s;  /* local time minus UTC; less than a day either way */
    int rollover_hour; /* 0..23: the hour at which a day begins */
};

/* STATUS_USAGE names what is outside its range. The functions below rely on it. */
MUST_USE enum status day_check(const struct day_rule *rule, struct message *why);

/* The day of a moment in seconds since 1970-01-01T00:00Z. */
int64_t day_of(const struct day_rule *rule, int64_t utc_s);

/* The moment at which a day begins; for days of the years that dates have. */
int64_t day_begin(const struct day_rule *rule, int64_t day);

/* Days from one review to the next; 0 also when a clock was set back between them. */
uint64_t day_elapsed(int64_t before, int64_t now);

/* "2026-12-24", full-width too, of the years 1970 to 9999 and no other way. False: not such a date. */
MUST_USE bool day_parse(const char *text, int64_t *day);
void day_write(struct writer *w, int64_t day); /* the same, for a day of those years */

/* An interview's date as it was typed: STATUS_USAGE when it is none, or before today. */
MUST_USE enum status day_parse_interview(const char *text, int64_t today, int64_t *day,
                                         struct message *why);

/* How to schedule on a day. */
struct day_plan {
    double retention;   /* recall that is wanted when a card is due */
    uint64_t max_days;  /* longest interval */
    bool lowest_recall; /* ask first what is known worst; else in a mixed order */
};

/* Without an interview, or after it: 0.90, no shorter interval than memory allows. Before it: 0.97 within two weeks,
 * 0.95 within three, no interval longer than half of the days left, and in the last three days the worst known first. */
struct day_plan day_plan_make(int64_t today, const int64_t *interview);

#endif
