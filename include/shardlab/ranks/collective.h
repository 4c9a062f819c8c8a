/* A collective that runs: the step list of one rank carried out over the transport, on the caller's buffers. Results are
 * the same bits in every run: a rank adds what it receives to what it has, in the order of its list, never in the order
 * of arrival. Proof: tests/unit/ranks/test_collective.c. */
#ifndef RANKS_COLLECTIVE_H
#define RANKS_COLLECTIVE_H

#include "shardlab/ranks/run.h"

enum ranks_type { RANKS_FP32, RANKS_FP16, RANKS_BF16, RANKS_TYPES };
enum ranks_op { RANKS_OP_SUM, RANKS_OP_MAX, RANKS_OPS };
const char *ranks_type_name(enum ranks_type type); /* "fp32" */
int ranks_type_find(const char *name);             /* -1: none */
size_t ranks_type_bytes(enum ranks_type type);
/* Whether sums are kept in fp32 when `wide` is asked for: those of a 16-bit type. */
bool ranks_keeps_sums(bool wide, enum ranks_type type, enum ranks_op op);
const char *ranks_op_name(enum ranks_op op); /* "sum" */
int ranks_op_find(const char *name);

/* What --algorithm auto takes; the job's own algorithm is not looked at:
 *   all-reduce   direct; halving-doubling for at most 16 KiB on more than 4 ranks, where 2(n−1) messages a rank cost more
 *                than the bytes
 *   broadcast    direct; tree on more than 4 ranks, where rank 0 alone would send n−1 times
 *   the others   direct */
enum coll_algorithm ranks_algorithm_auto(const struct coll_job *job, enum ranks_type type);

/* One message as it was received. */
struct ranks_trace {
    uint32_t round, from, to;
    uint64_t first, count; /* elements of the receiver's buffer */
};

struct ranks_call {
    const struct coll_job *job;
    enum ranks_type type;
    enum ranks_op op;
    /* 16-bit types: what a rank adds up from several messages in a row it keeps in fp32 and rounds once, before it is sent
     * or done. A ring or halving rounds at every step all the same, since partial sums travel in `type`. */
    bool wide;
    int label;
    const struct coll_step *steps; /* of this rank */
    uint32_t step_count;
    void *input;               /* job->elements of type */
    void *output;              /* all-to-all: another buffer of that size; else the same */
    float *sums;               /* ranks_keeps_sums: room for job->elements; else NULL */
    struct ranks_trace *trace; /* room for step_count, or NULL */
};

/* How it went: rounds passed, and messages written into the trace. */
struct ranks_passed {
    uint32_t rounds, traced;
};
/* Runs the steps; fails only when the run is ending. The buffers belong to the call until it returns. */
MUST_USE enum status ranks_collective_run(struct ranks_endpoint *e, const struct ranks_call *call,
                                          struct ranks_passed *passed);

#endif
