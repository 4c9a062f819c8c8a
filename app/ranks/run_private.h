/* What the parts of the transport share: the memory that all ranks of a run see, and one rank's own state. Nothing in
 * it is locked: each word has one writer, or is an atomic counter, so a rank that is killed leaves nothing held.
 * app/ranks only. */
#ifndef RUN_PRIVATE_H
#define RUN_PRIVATE_H

#include <stdatomic.h>

#include "shardlab/ranks/door.h"
#include "shardlab/ranks/run.h"

enum {
    LINE_BYTES = 128, /* two cache lines: neighbours are fetched in pairs */
    UNIT_BYTES = 64,  /* messages begin and end at multiples of it */
};

/* One rank, as the others see it. */
struct rank_state {
    _Alignas(
        LINE_BYTES) _Atomic uint32_t event; /* what the sleeper sleeps on; goes up at each wake */
    _Atomic uint32_t sleeping;              /* the others need not wake one who is awake */
    _Atomic uint64_t epoch;                 /* odd while it waits; goes up at each change */
    _Atomic uint32_t wait, peer;            /* enum ranks_wait */
    _Atomic uint64_t step;
    _Atomic uint32_t barriers; /* how many barriers it has come to */
    _Atomic int32_t process;   /* its process, 0 for threads */
};

/* Messages of one (from, to) pair: a ring of bytes with one writer and one reader. */
struct channel {
    _Alignas(LINE_BYTES) _Atomic uint64_t written; /* bytes ever put in, by the sender */
    _Atomic uint32_t unsent;                       /* posts that are not wholly put in yet */
    _Alignas(LINE_BYTES) _Atomic uint64_t taken;   /* bytes ever taken out, by the receiver */
};

/* Stands before each message in the ring. */
struct envelope {
    uint64_t count;
    const void
        *pointer; /* the bytes lie there, visible to the receiver; NULL: they follow in the ring */
    int label;
};

/* Why the run ends early. */
struct verdict {
    enum ranks_end end;
    uint32_t rank, peer;
    uint64_t step, a, b;
    uint32_t cycle_length;
    uint32_t cycle[COLL_RANKS_MAX];
};

enum { VERDICT_NONE, VERDICT_CLAIMED, VERDICT_WRITTEN };

/* A send that was begun. */
struct post {
    uint32_t to;
    const unsigned char *bytes;
    size_t count, put; /* put: bytes of the message that are in the ring */
    bool enveloped;    /* its envelope is in the ring */
    bool by_pointer;
    bool until_taken;  /* complete only when the receiver has it */
    uint64_t complete; /* `written` after its last byte, once `put` is all */
    void *request;     /* behind a door; NULL: done */
    int label;
};

struct world {
    struct ranks_options options;
    uint64_t ring_bytes;
    int spins, yields;             /* before a waiting rank sleeps */
    bool one_memory;               /* threads: every pointer is visible to all */
    const struct ranks_door *door; /* MPI: messages go through it; else NULL */
    struct rank_state *ranks;
    struct channel *channels; /* [from][to] */
    unsigned char *rings;
    struct post *posts; /* [rank][posts_max] */
    uint64_t *bytes, *messages;
    unsigned char *shared;
    size_t mapped; /* bytes of the whole mapping, which begins with this struct */
    _Atomic uint32_t verdict_state;
    struct verdict verdict;
    _Alignas(LINE_BYTES) _Atomic uint32_t arrived, barriers;
};

struct ranks_endpoint {
    struct world *world;
    uint32_t self;
    struct post *posts; /* in the order of their begin */
    uint32_t post_count, unput;
    /* Behind a door: what is waited for, the message that has come, room to receive. */
    void *request;
    int label;
    uint64_t count;
    unsigned char *scratch;
    size_t scratch_bytes;
};

/* --- memory.c: the mapping --- */
struct world *world_open(const struct ranks_options *options);
void world_close(struct world *w);
bool machine_has(uint64_t bytes); /* false: more than there is */
uint32_t cores_here(void);        /* that this process may use */

/* --- sleep.c --- */
double clock_s(void);
void cpu_pause(void);
/* Until *word is no longer `seen`, or somebody wakes it, or `seconds` are over. */
void sleep_on(_Atomic uint32_t *word, uint32_t seen, double seconds);
void wake_sleeper(_Atomic uint32_t *word);

/* --- channel.c --- */
struct channel *channel_of(const struct world *w, uint32_t from, uint32_t to);
/* Puts what fits of every post into its ring. */
void posts_pump(struct ranks_endpoint *e);
bool post_complete(const struct ranks_endpoint *e, struct post *p);
void posts_drop_complete(struct ranks_endpoint *e);
uint32_t posts_max(const struct world *w);
/* Ends the run because a receive and its send disagree. */
enum status receive_refused(struct ranks_endpoint *e, enum ranks_end end, uint32_t from, uint64_t a,
                            uint64_t b);
/* Bytes that are in the ring. */
uint64_t channel_filled(const struct channel *c);

/* --- wait.c --- */
void rank_wake(struct world *w, uint32_t rank);
bool world_ending(const struct world *w);
/* Claims the verdict and wakes everyone; false: another was first. */
bool world_end(struct world *w, const struct verdict *v);
struct waiting {
    enum ranks_wait wait;
    uint32_t peer;
    bool (*ready)(struct ranks_endpoint *e, const struct waiting *what);
    uint64_t value; /* what `ready` compares with */
};
void wait_timed_out(struct ranks_endpoint *e, const struct waiting *what);
enum status wait_until(struct ranks_endpoint *e, const struct waiting *what);

/* --- mpi.c --- */
bool mpi_ready(struct message *why);
/* Joins; STATUS_USAGE: another number of ranks than was started. */
enum status mpi_check(const struct ranks_options *options, struct message *why);
void mpi_run(struct world *w, const struct ranks_body *body);
bool mpi_is_elsewhere(void); /* joined, and not as rank 0 */
enum status door_wait(struct ranks_endpoint *e, const struct waiting *what);
enum status door_receive(struct ranks_endpoint *e, uint32_t from, int label, size_t count,
                         const struct ranks_sink *sink);
enum status door_barrier(struct ranks_endpoint *e);

/* --- cycle.c --- */
/* Called by a rank that is about to sleep: ends the run when it can never be woken. */
void cycle_look(struct ranks_endpoint *e);

/* --- threads.c, processes.c --- */
void threads_run(struct world *w, const struct ranks_body *body);
void processes_run(struct world *w, const struct ranks_body *body);
/* One rank's life: body, settling, the end. */
enum status rank_live(struct world *w, uint32_t rank, const struct ranks_body *body);

#endif
