/* What the loops of the search (enumerate.c) and the work on one group (search.c) share. Only for app/plan. */
#ifndef SEARCH_PRIVATE_H
#define SEARCH_PRIVATE_H

#include "plan_private.h"

enum {
    PLAN_MICRO_BATCH_MAX = 1024, /* sequences */
    PLAN_CHUNKS_MAX = 16,
    PLAN_SIZES_MAX = PLAN_MICRO_BATCH_MAX,
    PLAN_WAYS_MAX = 32,      /* schedules with their chunks */
    PLAN_DIVISORS_MAX = 256, /* of numbers up to 2^20: 720720 has 240 */
    PLAN_CP_TOKENS = 1024,   /* a context rank holds at least so many of a sequence */
};

/* Options of a layout that can be pinned; looked up by name once. */
enum plan_pin {
    PLAN_PIN_DP,
    PLAN_PIN_TP,
    PLAN_PIN_PP,
    PLAN_PIN_CP,
    PLAN_PIN_EP,
    PLAN_PIN_CHUNKS,
    PLAN_PIN_SCHEDULE,
    PLAN_PIN_ZERO,
    PLAN_PIN_SEQUENCE_PARALLEL,
    PLAN_PIN_RECOMPUTE,
    PLAN_PIN_MICRO_BATCH,
    PLAN_PIN_MICRO_BATCHES,
    PLAN_PINS
};

struct plan_search_state {
    const struct plan_request *request;
    const struct plan_list *list;
    const struct plan_space *space; /* NULL: no schedule is run */
    struct plan_summary *out;
    struct {
        bool given;
        uint64_t value;
    } pins[PLAN_PINS];
    struct scenario s; /* resolved; the loops write their values into it */
    uint64_t capacity;
    double ideal_s;
    /* how many micro-batches fitted last, by schedule and recomputation: where the next search begins */
    int guess[PLAN_WAYS_MAX][CALC_RECOMPUTE_FULL + 1];
    int *expected; /* the one of the group at work */
    struct plan_inside
        inside[CALC_RECOMPUTE_FULL + 1]; /* by recomputation; of `inside_chunks` chunks */
    struct plan_inside least[CALC_RECOMPUTE_FULL + 1]; /* the same of any stage */
    uint64_t inside_chunks;
    struct plan_inside priced; /* of the layout priced last */
    bool refused;              /* some layout was not legal */
    bool group_too_large;      /* the model states of this group passed the capacity */
};

/* Micro-batches of a pipeline's share of the global batch, ascending. */
struct plan_sizes {
    uint64_t sequences;
    int count;
    uint64_t size[PLAN_SIZES_MAX];
};

/* What is known of the layouts that differ in their micro-batch only. */
struct plan_group {
    struct plan_sizes sizes; /* those that the schedule can take */
    struct plan_pace pace;
};

/* Counts, prices and keeps the layouts that differ in their micro-batch only. *states_fit is false when the model states
 * of every one of them are too large. */
MUST_USE enum status plan_search_group(struct plan_search_state *p, const struct plan_sizes *sizes,
                                       bool *states_fit, struct message *why);

MUST_USE enum status plan_search_all(struct plan_search_state *p, struct message *why);

#endif
