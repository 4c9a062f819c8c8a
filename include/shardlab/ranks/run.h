/* Ranks that really run and really send: a body runs once a rank and speaks to the others by messages alone. Backends
 * carry the bytes: threads, processes (fork and shared memory; a rank can be killed), MPI. Every byte is counted by
 * (from, to, label); what waits sleeps, so more ranks than cores work well. A timeout, a dead rank or a circle of waiting
 * ranks ends the whole run within a second, and the report says which rank, at which step, and what each rank was waiting
 * for. This room measures; it knows no calculator.
 * Ownership: ranks_run owns threads, processes and shared memory and has released them all when it returns, whatever
 * happened; only a thread whose body never speaks again cannot be ended. Proof: tests/unit/ranks/. */
#ifndef RANKS_RUN_H
#define RANKS_RUN_H

#include <stddef.h>

#include "shardlab/coll/steps.h"

enum ranks_backend { RANKS_THREADS, RANKS_PROCESSES, RANKS_MPI, RANKS_BACKENDS };
const char *ranks_backend_name(enum ranks_backend backend);
int ranks_backend_find(const char *name); /* -1: none */
/* MPI: a launcher (mpirun) starts this program once a rank. Joins the others; *self is this process' rank. STATUS_FAILED: not
 * built in, or not started by a launcher; *why says how. */
MUST_USE enum status ranks_mpi_join(uint32_t *self, uint32_t *ranks, struct message *why);
/* After joining: memory of `bytes` of every rank that all ranks see, zeroed; at[r] is where this process sees those of rank r,
 * at a multiple of 64. All ranks call both. NULL: they are not on one machine, or it has not the memory. */
void *ranks_mpi_share(size_t bytes, void **at);
void ranks_mpi_release(void *shared); /* NULL is well */
/* True if it is built in and usable here; else *why says what to install. Initialises nothing. */
bool ranks_backend_ready(enum ranks_backend backend, struct message *why);

struct ranks_options {
    enum ranks_backend backend;
    uint32_t ranks;   /* 1 … COLL_RANKS_MAX */
    double timeout_s; /* a rank that waits longer ends the run; > 0 */
    /* What a (from, to) pair holds before ranks_send blocks; a message takes its bytes rounded up to 64, and 64 more.
     * 0: rendezvous, a send waits for its receive, so that a real deadlock can be shown. */
    uint64_t mailbox_bytes;
    size_t
        shared_bytes; /* memory that all ranks see (results, buffers), zeroed; freed after `finish` */
    int labels;       /* ≥ 1; counters are kept by label 0 … labels − 1 */
};

/* One rank inside a run. Opaque; the body's only door. */
struct ranks_endpoint;
uint32_t ranks_self(const struct ranks_endpoint *e);
uint32_t ranks_count(const struct ranks_endpoint *e);
/* At a multiple of 4096. Over MPI each rank has its own: what others are to see is gathered. */
void *ranks_shared(struct ranks_endpoint *e);
/* All ranks meet, and rank 0 sees what each rank r wrote into the shared memory at [at + r·stride, at + (r+1)·stride). Not
 * counted. */
MUST_USE enum status ranks_gather(struct ranks_endpoint *e, size_t at, size_t stride);

/* Blocking. They fail (STATUS_FAILED) only when the run is ending; the body then returns at once. Messages of a pair
 * arrive in the order of their sends; sizes and labels of a send and its receive must agree, else the run ends and
 * says both. */
MUST_USE enum status ranks_send(struct ranks_endpoint *e, uint32_t to, int label, const void *bytes,
                                size_t count);
MUST_USE enum status ranks_receive(struct ranks_endpoint *e, uint32_t from, int label, void *bytes,
                                   size_t count);
/* Begins a send and returns; the bytes must stay as they are until ranks_settle, which waits for all of them (as does
 * ranks_send, whose turn comes after them). What several ranks send each other at the same time is posted, so that large messages cannot block each other. */
MUST_USE enum status ranks_post(struct ranks_endpoint *e, uint32_t to, int label, const void *bytes,
                                size_t count);
MUST_USE enum status ranks_settle(struct ranks_endpoint *e);
/* Waits only for posts of these bytes, which may then be written. */
MUST_USE enum status ranks_settle_range(struct ranks_endpoint *e, const void *bytes, size_t count);
/* A receive that looks at the bytes where they lie: `take` is called for pieces in order, each but the last a multiple
 * of 64 bytes; `offset` is of the piece in the message. */
struct ranks_sink {
    void (*take)(void *context, size_t offset, const void *bytes, size_t count);
    void *context;
};
MUST_USE enum status ranks_receive_into(struct ranks_endpoint *e, uint32_t from, int label,
                                        size_t count, const struct ranks_sink *sink);
/* All ranks meet. Not counted. */
MUST_USE enum status ranks_barrier(struct ranks_endpoint *e);
/* What the report says this rank is doing. */
void ranks_at_step(struct ranks_endpoint *e, uint64_t step);

/* What a rank was doing when the run ended. */
enum ranks_wait {
    RANKS_RUNNING,
    RANKS_SENDING,   /* to peer */
    RANKS_RECEIVING, /* from peer */
    RANKS_MEETING,   /* at a barrier */
    RANKS_ENDED,     /* its body had returned */
};
struct ranks_doing {
    enum ranks_wait wait;
    uint32_t peer;
    uint64_t step;
};

enum ranks_end {
    RANKS_END_WELL,
    RANKS_END_TIMEOUT, /* `rank` waited for longer than timeout_s */
    RANKS_END_CYCLE,   /* ranks wait for each other in a circle */
    RANKS_END_DEAD,    /* the process of `rank` was ended by a signal, or ended itself */
    RANKS_END_LEFT,    /* `rank` waits for one that has ended */
    RANKS_END_SIZES,   /* `rank` receives another size than was sent */
    RANKS_END_LABELS,  /* the same for labels */
    RANKS_END_BODY,    /* the body of `rank` returned a failure of its own */
    RANKS_END_START,   /* `rank` could not be started */
};

/* What is known of a finished run. The arrays are the caller's; each may be NULL. */
struct ranks_report {
    uint64_t *bytes, *messages; /* [from][to][label]: ranks · ranks · labels entries */
    struct ranks_doing *doing;  /* [ranks]; meaningful when it ended early */
    enum ranks_end end;
    bool elsewhere; /* MPI: rank 0 is another process; it alone has the counters and finishes */
    uint32_t rank;  /* of `end` */
    uint32_t
        cycle_length; /* of RANKS_END_CYCLE; cycle[i] waits for cycle[i + 1], the last for the first */
    uint32_t cycle[COLL_RANKS_MAX];
};

/* Runs body(endpoint, context) once a rank and waits for all. With processes, `context` is a copy made at the fork:
 * results go into ranks_shared. With MPI the body runs once, for the rank of this process. `finish` (may be NULL) sees the shared memory after all ranks ended well. STATUS_FAILED:
 * it ended early, *why says it in one sentence. */
struct ranks_body {
    enum status (*run)(struct ranks_endpoint *e, void *context);
    void (*finish)(void *shared, void *context);
    void *context;
};
MUST_USE enum status ranks_run(const struct ranks_options *options, const struct ranks_body *body,
                               struct ranks_report *report, struct message *why);

#endif
