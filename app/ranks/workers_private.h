/* What the parts of the workers share: the plan, which says what each step waits for, and the crew, which are the threads.
 * app/ranks only. */
#ifndef WORKERS_PRIVATE_H
#define WORKERS_PRIVATE_H

#include "run_private.h"
#include "shardlab/ranks/workers.h"

/* --- plan.c: what a step waits for, from the lists alone --- */

/* `rank` must have taken its first `passed` steps. */
struct plan_wait {
    uint32_t rank, passed;
};

struct plan_step {
    uint32_t passed;             /* a receiving step: how far its sender must be */
    uint32_t waits, waits_count; /* in plan.waits: who must have read first what is written here */
};

struct plan {
    struct plan_step *steps; /* of rank r from first[r] on */
    uint64_t *first;         /* [ranks + 1] */
    struct plan_wait *waits;
    uint64_t waits_count, waits_room;
    uint64_t moved_bytes; /* by all messages together */
};

bool plan_make(struct plan *plan, const struct ranks_call *calls,
               uint32_t ranks); /* false: no memory */
void plan_free(struct plan *plan);

/* --- crew.c: threads that do one task together, again and again --- */

struct crew;
/* `workers` of them, of which the caller is number 0. NULL: no memory or no thread. */
struct crew *crew_open(uint32_t workers);
void crew_close(struct crew *crew);
/* Calls work(worker, context) once a worker and returns when all have returned. */
void crew_run(struct crew *crew, void (*work)(uint32_t worker, void *context), void *context);

/* So few bytes of work that one worker is done before the others would have begun: from what it costs to give the crew a
 * task, which is measured when it is opened, since it is 0.6 µs between idle cores and 10 µs between busy ones. */
uint64_t crew_alone_bytes(const struct crew *crew);

/* Waiting for others without a kernel call a time: looks, then yields, then short naps. Starts at 0. */
void crew_pause(uint32_t *tries);

#endif
