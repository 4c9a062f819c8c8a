/* What the makers of step lists share: a list that is filled, and runs of chunks. app/coll only. */
#ifndef STEPS_PRIVATE_H
#define STEPS_PRIVATE_H

#include "shardlab/coll/steps.h"

/* The list of one rank while it is made. Steps beyond the capacity are counted, not written. */
struct steps {
    const struct coll_job *job;
    uint32_t rank;
    struct coll_step *out;
    uint32_t capacity, count;
    uint32_t round; /* of the steps that are added next */
};

/* A run of elements. */
struct span {
    uint64_t first, count;
};
struct span steps_chunk(const struct coll_job *job, uint32_t c);
struct span steps_all(const struct coll_job *job);
/* Chunks [c, end). */
struct span steps_chunks(const struct coll_job *job, uint32_t c, uint32_t end);

/* Both sides of a message hold the elements at the same place. */
void steps_add(struct steps *s, enum coll_step_kind kind, uint32_t peer, struct span span);
/* All-to-all: `span` of one side is at `to_first` of the output. */
void steps_add_moved(struct steps *s, enum coll_step_kind kind, uint32_t peer, struct span span,
                     uint64_t to_first);

void steps_naive(struct steps *s);
void steps_ring(struct steps *s);
void steps_tree(struct steps *s);
void steps_halving_doubling(struct steps *s);
void steps_direct(struct steps *s);

#endif
