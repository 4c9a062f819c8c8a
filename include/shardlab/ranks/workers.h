/* The other executor: the step lists of all ranks run by min(ranks, cores) workers of this process. A rank is a place in its
 * list; a worker takes each of its ranks as far as it can go and turns to the next, so nobody sleeps for a message and 64
 * ranks on two cores cost two threads. A message is a pointer into the sender's buffer. What is sent is counted at each
 * step, as the transport counts it, and results are the same bits as those of blocking ranks, because both take the same
 * steps in the same order (walk.c). Left out: other processes and machines, which only blocking ranks reach.
 * Proof: tests/unit/ranks/test_workers.c, also under the thread sanitizer. */
#ifndef RANKS_WORKERS_H
#define RANKS_WORKERS_H

#include "shardlab/ranks/collective.h"

enum { RANKS_WORKERS_MAX = 64 };

struct ranks_workers; /* opaque; owns its threads and the plan of one job */

struct ranks_workers_options {
    /* [ranks], the caller's, to live as long as the workers. Buffers of all ranks lie in this process; step lists must
     * be those of one job. `label` and `trace` may change between runs. */
    struct ranks_call *calls;
    uint32_t ranks;
    uint32_t
        workers; /* 0: min(ranks, cores); one where all that moves is so little that a second core costs more */
    double timeout_s;           /* a worker none of whose ranks can go on for longer ends the run */
    uint64_t *bytes, *messages; /* counters [from][to][label], as in ranks_report; not NULL */
    int labels;
};

/* STATUS_FAILED: no memory, or no threads. */
MUST_USE enum status ranks_workers_open(const struct ranks_workers_options *options,
                                        struct ranks_workers **out, struct message *why);
void ranks_workers_close(struct ranks_workers *w); /* NULL is well */
uint32_t ranks_workers_count(const struct ranks_workers *w);

/* Runs all lists once; passed[ranks] as of ranks_collective_run. Nothing is allocated. STATUS_FAILED: it took longer than
 * timeout_s; *why names rank, step and the rank that it waits for, and no further run is possible. */
MUST_USE enum status ranks_workers_run(struct ranks_workers *w, struct ranks_passed *passed,
                                       struct message *why);
/* Calls each(rank, context) for all ranks, each from the worker that runs the rank; returns when all are done. */
void ranks_workers_each(struct ranks_workers *w, void (*each)(uint32_t rank, void *context),
                        void *context);

#endif
