/* What the loops of the search (enumerate.c) and the work on one group (search.c) share. Only for app/plan. */
#ifndef SEARCH_PRIVATE_H
#define SEARCH_PRIVATE_H

#include "plan_private.h"

enum {
    PLAN_MICRO_BATCH_MAX = 1024, /* sequences */
    PLAN_CHUNKS_MAX = 16,
    PLAN_SIZES_MAX = PLAN_MICRO_BATCH_MAX,
    PLAN_DIVISORS_MAX = 256, /* of numbers up to 2^20: 720720 has 240 */
    PLAN_CP_TOKENS = 1024,   /* a context rank holds at least so many of a sequence */
};

struct plan_search_state {
    const struct plan_request *request;
    const struct plan_list *list;
    struct plan_summary *out;
    struct scenario s; /* resolved; the loops write their values into it */
    uint64_t capacity;
    double ideal_s;
    bool refused;         /* some layout was not legal */
    bool group_too_large; /* the model states of this group passed the capacity */
};

/* Micro-batches of a pipeline's share of the global batch, ascending. */
struct plan_sizes {
    uint64_t sequences;
    int count;
    uint64_t size[PLAN_SIZES_MAX];
};

/* Counts, prices and keeps the layouts that differ in their micro-batch only. *states_fit is false when the model states
 * of every one of them are too large. */
MUST_USE enum status plan_search_group(struct plan_search_state *p, const struct plan_sizes *sizes,
                                       bool *states_fit, struct message *why);

MUST_USE enum status plan_search_all(struct plan_search_state *p, struct message *why);

#endif
