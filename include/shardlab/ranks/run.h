/* Ranks that really run and really send: a body runs once a rank and speaks to the others by ranks_send and
 * ranks_receive alone. Three backends carry the bytes: threads (mailboxes), processes (fork and shared memory; a rank
 * can be killed), MPI. Every byte is counted by (from, to, label); what waits sleeps, so more ranks than cores work well.
 * A timeout, a dead rank or a circle of waiting ranks ends the whole run within a second, and the report says which rank,
 * at which step, and what each rank was waiting for. This room measures; it knows no calculator.
 * Ownership: ranks_run owns threads, processes and shared memory and has released them all when it returns, whatever
 * happened. Proof: tests/unit/ranks/, tests/lab/. */
#ifndef RANKS_RUN_H
#define RANKS_RUN_H

#include <stddef.h>

#include "shardlab/ranks/steps.h"

enum ranks_backend { RANKS_THREADS, RANKS_PROCESSES, RANKS_MPI, RANKS_BACKENDS };
const char *ranks_backend_name(enum ranks_backend backend);
int ranks_backend_find(const char *name); /* -1: none */
/* True if it is built in and usable here; else *why says what to install. Initialises nothing. */
bool ranks_backend_ready(enum ranks_backend backend, struct message *why);

struct ranks_options {
    enum ranks_backend backend;
    uint32_t ranks;
    double timeout_s; /* a rank that waits longer ends the run */
    uint64_t
        mailbox_bytes; /* what a (from, to) pair holds before a send blocks; 0: rendezvous, a send waits for its
                               receive, so that a real deadlock can be shown */
    size_t
        shared_bytes; /* memory that all ranks see (results, buffers), zeroed; freed after `finish` */
    int labels;       /* byte counters are kept by label 0 … labels − 1 */
};

/* One rank inside a run. Opaque; the body's only door. */
struct ranks_endpoint;
uint32_t ranks_self(const struct ranks_endpoint *e);
uint32_t ranks_count(const struct ranks_endpoint *e);
void *ranks_shared(struct ranks_endpoint *e);

/* Blocking. Fails (STATUS_FAILED kind; *why in the report) only when the run is ending; the body then returns at once. `step`
 * is what the report names. Sizes of a send and its receive must agree: else the run ends and says both. */
MUST_USE enum status ranks_send(struct ranks_endpoint *e, uint32_t to, int label, const void *bytes,
                                size_t count);
MUST_USE enum status ranks_receive(struct ranks_endpoint *e, uint32_t from, int label, void *bytes,
                                   size_t count);
/* All ranks meet. Not counted. */
MUST_USE enum status ranks_barrier(struct ranks_endpoint *e);
/* What the report says this rank is doing. */
void ranks_at_step(struct ranks_endpoint *e, uint64_t step);

/* Counters of a finished run: bytes and messages of (from, to, label), and what each rank waited for at the end. */
struct ranks_report {
    uint32_t ranks;
    int labels;
    uint64_t *bytes,
        *messages; /* [from][to][label], the caller's, ranks·ranks·labels entries each */
    bool ended_early;
    struct message why; /* one sentence when it ended early */
    int cycle_length;   /* ranks that waited for each other in a circle; 0: none */
    uint32_t cycle[RANKS_MAX];
};

/* Runs body(endpoint, context) once a rank and waits for all. With processes, `context` is a copy made at the fork:
 * results go into ranks_shared. `finish` (may be NULL) sees the shared memory after all ranks ended well. */
MUST_USE enum status ranks_run(const struct ranks_options *options,
                               enum status (*body)(struct ranks_endpoint *, void *context),
                               void (*finish)(void *shared, void *context), void *context,
                               struct ranks_report *report, struct message *why);

#endif
