/* What `shardlab schedule` was asked, as it was read from standard input. app/cli/schedule*.c only. */
#ifndef CLI_SCHEDULE_PRIVATE_H
#define CLI_SCHEDULE_PRIVATE_H

#include <stddef.h>

#include "cli_private.h"
#include "shardlab/learn/fsrs.h"

struct schedule_review {
    enum fsrs_rating rating;
    uint64_t elapsed_days;
    bool rated, dated; /* each of the two was given */
};

struct schedule_asked {
    struct fsrs f;
    double retention;  /* between 0 and 1; 0: not given */
    uint64_t max_days; /* 0: not given */
    struct schedule_review *reviews;
    size_t count, capacity;
    int weights; /* given; -1: none, and those of `f` are the published ones */
    bool listed; /* reviews were given, perhaps none */
};

/* Reads standard input to its end. STATUS_FAILED says what is wrong with it and where; *out is to be freed in any
 * case. */
MUST_USE enum status schedule_read(struct schedule_asked *out, struct message *why);
void schedule_free(struct schedule_asked *asked);

#endif
