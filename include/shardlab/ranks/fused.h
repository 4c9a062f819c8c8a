/* All-reduce where all ranks are on one machine and their buffers are seen by everybody: no messages. Each of a few workers
 * owns a span of elements, reads it once from every rank's input, in rank order, and stores the result into every rank's
 * output: every input byte is read once and every output byte written once, which is the least there is. This is what a
 * library does on one machine; what it moves are reads and writes of memory, not bytes sent, so it stands beside the
 * algorithms of coll/steps.h and not among them, with a count of its own. fp32. Nothing is allocated by a call.
 * Source: the shape of NCCL's RSxLD_AGxST kernel for symmetric memory. Proof: tests/unit/ranks/test_fused.c. */
#ifndef RANKS_FUSED_H
#define RANKS_FUSED_H

#include "shardlab/ranks/collective.h"

struct ranks_fused; /* opaque; owns its threads */

/* Of one call: what was read from inputs and written to outputs, over all ranks. */
struct ranks_traffic {
    uint64_t read_bytes, written_bytes;
};

struct ranks_fused_job {
    const float *const *inputs; /* [ranks], each of `elements`; at multiples of 64 bytes */
    float *const *outputs;      /* the same, or other buffers; likewise */
    uint32_t ranks;
    uint64_t elements;
    enum ranks_op op;
};

/* What a call must read and write: ranks · elements · 4 each. */
struct ranks_traffic ranks_fused_predicted(const struct ranks_fused_job *job);

/* `workers` 0: one a core. STATUS_FAILED: no memory or no threads. */
MUST_USE enum status ranks_fused_open(uint32_t workers, struct ranks_fused **out,
                                      struct message *why);
void ranks_fused_close(struct ranks_fused *f); /* NULL is well */
uint32_t ranks_fused_workers(const struct ranks_fused *f);

/* The result is the same bits on all ranks, in every run, whatever the number of workers. */
struct ranks_traffic ranks_fused_all_reduce(struct ranks_fused *f,
                                            const struct ranks_fused_job *job);
/* The limit that the same machine has for it: every input copied to its output, by the same workers, with as many bytes read
 * and written. */
void ranks_fused_copy(struct ranks_fused *f, const struct ranks_fused_job *job);

/* Calls each(rank, context) for ranks 0 … ranks − 1, spread over the workers; returns when all are done. */
void ranks_fused_each(struct ranks_fused *f, uint32_t ranks,
                      void (*each)(uint32_t rank, void *context), void *context);

/* The same by the ranks of a run, each of which calls it with the same job and owns a span: for forked processes, on buffers
 * that all of them see; over MPI on those of ranks_mpi_share. They meet before the first read and after the last write. *moved is what this rank read and wrote. Fails only when the run is ending. */
MUST_USE enum status ranks_fused_meet(struct ranks_endpoint *e, const struct ranks_fused_job *job,
                                      struct ranks_traffic *moved);

/* A buffer of at least `bytes`, zeroed and touched, on huge pages where the machine gives them. NULL: no memory. */
void *ranks_buffer_new(size_t bytes);
/* One that processes which are forked later see too. */
void *ranks_buffer_shared(size_t bytes);
void ranks_buffer_free(void *buffer, size_t bytes);

#endif
