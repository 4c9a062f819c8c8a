/* The pieces of the timeline of one step. Only for app/calc. */
#ifndef TIMELINE_PRIVATE_H
#define TIMELINE_PRIVATE_H

#include "shardlab/calc/timeline.h"

/* One forward or backward of one chunk. */
struct operation {
    bool backward;
    uint64_t number;    /* which forward, or which backward, from 0 */
    uint64_t in_flight; /* chunks held before a forward, or with the backward's own */
    uint64_t micro_batch, chunk;
    uint64_t layers; /* of this chunk */
};

/* The operation at a place, below t->operations, of the stage's order. */
struct operation timeline_operation_at(const struct calc_timeline *t, uint64_t index);

/* Micro-batches that a chunk runs before the next one; 1 when there is one chunk. */
uint64_t timeline_group(const struct calc_timeline *t);

#endif
