/* Schedules that run all forwards first: GPipe (fill and drain) and its looped form, breadth-first pipelines. They keep
 * every micro-batch in flight. No rank waits for a backward before all its forwards are through, so any number of
 * micro-batches is legal. Called by schedule.c. Proof: tests/unit/pipe/test_schedule_orders.c. */
#include "schedule_private.h"

/* Huang et al., arXiv:1811.06965; torch ScheduleGPipe: backward in the order of forward. */
void schedule_gpipe(const struct build *b, uint32_t rank) {
    (void)rank;
    for (uint32_t i = 0; i < b->shape->micro_batches; i++) {
        pipe_order_add(b->order, PIPE_F, i, 0);
    }
    for (uint32_t i = 0; i < b->shape->micro_batches; i++) {
        pipe_order_add(b->order, PIPE_BW, i, 0);
    }
}

/* Lamy-Poirier, arXiv:2211.05953; torch ScheduleLoopedBFS: chunk after chunk, backward all of it reversed. */
void schedule_looped_bfs(const struct build *b, uint32_t rank) {
    (void)rank;
    uint32_t m = b->shape->micro_batches, v = b->shape->chunks;
    for (uint32_t chunk = 0; chunk < v; chunk++) {
        for (uint32_t i = 0; i < m; i++) {
            pipe_order_add(b->order, PIPE_F, i, chunk);
        }
    }
    for (uint32_t chunk = v; chunk-- > 0;) {
        for (uint32_t i = m; i-- > 0;) {
            pipe_order_add(b->order, PIPE_BW, i, chunk);
        }
    }
}
