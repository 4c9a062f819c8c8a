/* The order list: what each rank of a pipeline runs, one operation after the other. It is the one structure that
 * the schedules, the simulator and the chart share: whoever makes one (a schedule's rule, a file) and whoever reads
 * it need not know each other. Plain data over memory that the caller passes; nothing here allocates.
 * Stages of the model are spread over ranks by a placement; micro-batches run down the stages (F) and up again
 * (B, W). Symbols of the literature: p ranks, m micro-batches, v chunks. Proof: tests/unit/pipe/test_order.c. */
#ifndef PIPE_ORDER_H
#define PIPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum { PIPE_RANKS_MAX = 1024, PIPE_CHUNKS_MAX = 64, PIPE_MICRO_BATCHES_MAX = 1 << 20 };

enum pipe_kind {
    PIPE_F,  /* forward of one chunk */
    PIPE_B,  /* backward with respect to the input only */
    PIPE_W,  /* backward with respect to the weights only */
    PIPE_BW, /* both together */
};

/* One operation, 8 bytes: a schedule of millions of them is an array of these. */
struct pipe_op {
    uint32_t micro_batch; /* 0-based */
    uint16_t chunk;       /* of its rank: which of the rank's model stages */
    uint8_t kind;         /* enum pipe_kind */
    uint8_t
        overlapped; /* 1: the first of a pair that the rank runs at the same time as the operation after it:
                             a forward and a full backward */
};

/* Where model stage g of `stages` lives. */
enum pipe_placement {
    PIPE_LOOP, /* rank g mod p, chunk g div p */
    PIPE_V, /* chunk 0 of rank g on the way down, chunk 1 of rank 2p−1−g on the way back; v = 2 */
    PIPE_BOTH, /* two copies of the model: chunk 0 of rank g for the first half of the micro-batches, chunk 1 of rank
                  p−1−g for the second half, which enters at the other end */
};

/* What an order is about. `chunks` is how many model stages a rank holds: v, and 2 for PIPE_V and PIPE_BOTH. */
struct pipe_shape {
    uint32_t ranks;
    uint32_t micro_batches;
    uint32_t chunks;
    int placement; /* enum pipe_placement */
};

/* Ranks' operations one after the other in `ops`: rank r has ops[first[r]] … ops[first[r + 1] − 1]. */
struct pipe_order {
    struct pipe_shape shape;
    struct pipe_op *ops; /* the caller's */
    uint64_t capacity;   /* of ops */
    uint32_t started;    /* ranks that were begun, while the order is being made */
    uint64_t first[PIPE_RANKS_MAX + 1];
};

/* Model stages that a micro-batch passes: p·v, but p for PIPE_BOTH. */
uint32_t pipe_stages(const struct pipe_shape *shape);
/* The stage that `chunk` of `rank` is, counted along the direction in which its micro-batches travel. */
uint32_t pipe_stage_at(const struct pipe_shape *shape, uint32_t rank, uint32_t chunk);
/* Rank and chunk of stage `stage` for `micro_batch` (which decides only with PIPE_BOTH). */
void pipe_home(const struct pipe_shape *shape, uint32_t micro_batch, uint32_t stage, uint32_t *rank,
               uint32_t *chunk);
/* True if `chunk` works on `micro_batch`: always, but for PIPE_BOTH only on its half (m even). */
bool pipe_works_on(const struct pipe_shape *shape, uint32_t chunk, uint32_t micro_batch);

/* How many operations an order of this shape has at most: three a micro-batch and stage. */
uint64_t pipe_order_capacity(const struct pipe_shape *shape);
/* How many it has now. */
uint64_t pipe_order_count(const struct pipe_order *order);
/* The rank that runs operation `op`, one of those that it has. */
uint32_t pipe_rank_of(const struct pipe_order *order, uint64_t op);

/* Empties `order` over the caller's `ops`; then operations are added rank by rank, in ascending order of ranks:
 * pipe_order_rank starts the next rank, pipe_order_add appends to it. Beyond the capacity is a programmer's error. */
void pipe_order_start(struct pipe_order *order, const struct pipe_shape *shape, struct pipe_op *ops,
                      uint64_t capacity);
void pipe_order_rank(struct pipe_order *order);
void pipe_order_add(struct pipe_order *order, enum pipe_kind kind, uint32_t micro_batch,
                    uint32_t chunk);
/* The operation added last runs at the same time as the one that is added next. */
void pipe_order_overlap(struct pipe_order *order);
/* After the last rank. */
void pipe_order_end(struct pipe_order *order);

/* Every forward once, every backward once (BW, or B and W), no chunk or micro-batch that is not there, pairs of one
 * forward and one full backward of another micro-batch or stage. STATUS_USAGE names rank and operation. Says nothing
 * of deadlock: that is the simulator's. `seen` is scratch of pipe_order_capacity bytes. */
MUST_USE enum status pipe_order_check(const struct pipe_order *order, uint8_t *seen,
                                      struct message *why);

#endif
