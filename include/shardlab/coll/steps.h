/* A collective as a list of steps: what one rank sends, receives and adds, in order. Every executor runs the same
 * lists: blocking ranks (a thread, a forked process or an MPI process each), a few workers that run all ranks, and
 * the screen that goes through them one by one. Here nothing moves: lists are computed from rank, ranks and
 * elements alone. The calculator's predictions (calc) know nothing of these lists.
 * Elements are divided into one chunk a rank; rank r keeps chunk r; the first (elements mod ranks) chunks hold one
 * element more. Sources: ring and recursive halving-doubling: Thakur, Rabenseifner, Gropp 2005; tree: binomial.
 * Proof: tests/unit/coll/test_steps.c. */
#ifndef COLL_STEPS_H
#define COLL_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum { COLL_RANKS_MAX = 1024 };

enum coll_collective {
    COLL_ALL_REDUCE,
    COLL_REDUCE_SCATTER, /* rank r ends with chunk r of the sum, in place of its own chunk r */
    COLL_ALL_GATHER,     /* rank r starts with chunk r */
    COLL_BROADCAST,      /* from rank 0 */
    COLL_ALL_TO_ALL, /* chunk c of rank r goes to rank c, as its chunk r; elements are a multiple of ranks, else it is
                             an error */
    COLL_COLLECTIVES
};

/* P is the largest power of two ≤ ranks. Rounds for n > 1 ranks; one rank has none.
 *                    all-reduce              reduce-scatter       all-gather      broadcast    all-to-all
 * naive              2                       2 (sum, then chunks) 2 (to 0, from 0) 1            –
 * ring               2(n−1)                  n−1                  n−1             –            –
 * tree               2⌈log2 n⌉               –                    –               ⌈log2 n⌉     –
 * halving-doubling   2·log2 P, +2 if P < n   log2 P, +2 if P < n  log2 P, +2 …    –            –
 * direct             2                       1                    1               1            1
 * Ring: in round k of the reduce-scatter rank r sends chunk (r−1−k) mod n to rank r+1, so it never sends chunk r; in
 * round k of the all-gather chunk (r−k) mod n. Halving-doubling: rank r ≥ P first sends its whole buffer (all-gather:
 * its chunk) to rank r−P; among the first P ranks, the owner of chunk c is c mod P; halving starts at distance P/2, each
 * exchange sends the chunks whose owner lies in the partner's half (at most two runs of elements, one message a run);
 * doubling is its mirror; at the end rank r−P sends rank r the whole result (reduce-scatter: chunk r).
 * Tree: rank r sends to r − 2^j, j its lowest set bit, after it has received from r + 2^i, i < j, in ascending i. */
enum coll_algorithm {
    COLL_NAIVE, /* everything to rank 0, which adds in rank order and sends the result to each */
    COLL_RING,
    COLL_TREE, /* binomial tree up to rank 0 and down again */
    COLL_HALVING_DOUBLING,
    COLL_DIRECT, /* every rank mails each chunk to its owner, who adds to its own those of the others in rank order
                     and mails the sum to all */
    COLL_ALGORITHMS
};

const char *coll_collective_name(enum coll_collective collective); /* "all-reduce" */
const char *coll_algorithm_name(enum coll_algorithm algorithm);    /* "halving-doubling" */
int coll_collective_find(const char *name);                        /* -1: none */
int coll_algorithm_find(const char *name);
/* Which pairs exist: a ring has no broadcast, … */
bool coll_defines(enum coll_collective collective, enum coll_algorithm algorithm);

enum coll_step_kind {
    COLL_SEND,   /* elements [first, first + count) of the buffer to `peer` */
    COLL_COPY,   /* receive from `peer` into the buffer */
    COLL_REDUCE, /* receive from `peer` and combine with the buffer: buffer op received */
    COLL_KEEP,   /* all-to-all: the own chunk moves from the input to the output; no message */
};

struct coll_step {
    uint32_t
        round; /* 0-based; steps of equal round run at the same time on different ranks; the highest + 1 of all but
                       KEEP is the number of rounds, which the calculator predicts as "steps" */
    uint32_t peer;
    uint64_t first,
        count; /* elements of the sender's buffer; a count of 0 is a step without a message */
    uint64_t
        to_first; /* place in the receiver's buffer; differs from `first` only in all-to-all, where it
                          is one of the output buffer */
    uint8_t kind; /* enum coll_step_kind */
};

struct coll_job {
    enum coll_collective collective;
    enum coll_algorithm algorithm;
    uint32_t ranks;
    uint64_t elements;
};

/* First element and length of chunk c. */
void coll_chunk(const struct coll_job *job, uint32_t c, uint64_t *first, uint64_t *count);

/* The steps of `rank`, rounds ascending, within a round sends first and nothing written that is sent; returns how many;
 * the first `capacity` are written. coll_steps_max is enough for any rank. */
uint32_t coll_steps(const struct coll_job *job, uint32_t rank, struct coll_step *out,
                    uint32_t capacity);
uint32_t coll_steps_max(const struct coll_job *job);

/* STATUS_USAGE names what is not defined, with the value and what would be right. */
MUST_USE enum status coll_job_check(const struct coll_job *job, struct message *why);

/* The largest power of two ≤ n, and ⌈log2 n⌉; n ≥ 1. */
uint32_t coll_power_below(uint32_t n);
uint32_t coll_log_up(uint32_t n);

#endif
