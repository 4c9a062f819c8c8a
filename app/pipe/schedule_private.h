/* The builders of schedules, one a family: each writes the operations of one rank of a settled request, which was
 * started with pipe_order_rank. Contracts and sources stand at the definitions. */
#ifndef PIPE_SCHEDULE_PRIVATE_H
#define PIPE_SCHEDULE_PRIVATE_H

#include "shardlab/pipe/schedule.h"

/* What a builder works on. */
struct build {
    const struct pipe_request *request;
    const struct pipe_shape *shape;
    struct pipe_order *order;
};

void schedule_gpipe(const struct build *b, uint32_t rank);
void schedule_looped_bfs(const struct build *b, uint32_t rank);
void schedule_1f1b(const struct build *b, uint32_t rank);
void schedule_interleaved(const struct build *b, uint32_t rank);
void schedule_zb_h1(const struct build *b, uint32_t rank);
void schedule_zb_h2(const struct build *b, uint32_t rank);
void schedule_zb_interleaved(const struct build *b, uint32_t rank);
void schedule_zb_v(const struct build *b, uint32_t rank);
void schedule_dualpipe(const struct build *b, uint32_t rank);
void schedule_dualpipev(const struct build *b, uint32_t rank);

/* Micro-batches that torch's interleaved schedules put into one group: m / max(1, m div p); 0 if that is not whole. */
uint32_t schedule_torch_group(uint32_t ranks, uint32_t micro_batches);

#endif
