/* ZB-V: two chunks a rank, down the ranks and back up, so that the rank which makes the loss also starts its
 * backward, and every rank holds as much as 1F1B's first. Called by schedule.c. Left out: the variants with less
 * memory (V-Half, V-Min). Proof: tests/unit/pipe/test_schedule_orders.c. */
#include "schedule_private.h"

/* How far a rank is in each chunk. The rule is made for at least 2p − 1 micro-batches; of fewer, it runs those that
 * are there. */
struct progress {
    const struct build *build;
    uint32_t length;     /* micro-batches that the rule is made for */
    uint32_t next[2][3]; /* by chunk and kind */
};

static void step(struct progress *at, enum pipe_kind kind, uint32_t chunk) {
    uint32_t micro = at->next[chunk][kind]++;
    if (micro < at->build->shape->micro_batches) {
        pipe_order_add(at->build->order, kind, micro, chunk);
    }
}

static void triple(struct progress *at, uint32_t chunk) {
    step(at, PIPE_F, chunk);
    step(at, PIPE_B, chunk);
    step(at, PIPE_W, chunk);
}

static void warm_up(struct progress *at, uint32_t rank) {
    uint32_t p = at->build->shape->ranks;
    for (uint32_t i = 0; i < 2 * (p - rank) - 1; i++) {
        step(at, PIPE_F, 0);
    }
    for (uint32_t i = 0; i < rank; i++) {
        step(at, PIPE_F, 1);
        step(at, PIPE_F, 0);
    }
    for (uint32_t i = 0; i < p - rank; i++) {
        triple(at, 1);
    }
}

static void cool_down(struct progress *at, uint32_t rank) {
    for (uint32_t i = 0; i < rank; i++) {
        step(at, PIPE_B, 0);
        step(at, PIPE_B, 1);
    }
    for (uint32_t i = rank; i < at->build->shape->ranks; i++) {
        step(at, PIPE_B, 0);
        step(at, PIPE_W, 0);
    }
    for (uint32_t chunk = 2; chunk-- > 0;) {
        while (at->next[chunk][PIPE_W] < at->length) {
            step(at, PIPE_W, chunk);
        }
    }
}

/* Qi et al., arXiv:2405.15362; sail-sg's handcrafted list and torch ScheduleZBVZeroBubble. */
void schedule_zb_v(const struct build *b, uint32_t rank) {
    uint32_t least = 2 * b->shape->ranks - 1, m = b->shape->micro_batches;
    struct progress at = {.build = b, .length = m > least ? m : least};
    warm_up(&at, rank);
    while (at.next[1][PIPE_F] < at.length) {
        if (at.next[0][PIPE_F] < at.length) {
            step(&at, PIPE_F, 0);
        }
        step(&at, PIPE_B, 0);
        step(&at, PIPE_W, 0);
        triple(&at, 1);
    }
    cool_down(&at, rank);
}
