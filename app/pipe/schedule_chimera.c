/* Chimera: two 1F1B pipelines in opposite directions over the same ranks, so that one fills the other's bubbles; the
 * model is held twice. Blocks of p micro-batches, half of them in each direction, follow each other, and the near
 * stream's last backwards make room for its forwards of the next block. Called by schedule.c. Left out: the paper's
 * forward doubling and halved backward. Proof: tests/unit/pipe/test_schedule_orders.c (one block) and
 * test_pipeline_vectors.c (makespan, idle and peaks of two). */
#include "schedule_private.h"

/* The near stream enters at the end of the pipeline that is closer to the rank. */
struct chimera {
    const struct build *build;
    uint32_t chunk[2], base[2]; /* near, far: its chunk here, its first micro-batch */
    uint32_t next[2][2];        /* forwards and backwards so far */
};

static void step(struct chimera *c, bool backward, int which) {
    uint32_t micro = c->base[which] + c->next[which][backward ? 1 : 0]++;
    pipe_order_add(c->build->order, backward ? PIPE_BW : PIPE_F, micro, c->chunk[which]);
}

/* `a` then `b` micro-batches deep: the rank is `a` from the end, `b` from the middle of the pipeline. */
static void block(struct chimera *c, uint32_t a, uint32_t b, bool last) {
    for (uint32_t i = 0; i < a; i++) {
        step(c, false, 1);
        step(c, false, 0);
    }
    for (uint32_t i = 0; i < b; i++) {
        step(c, false, 1);
        step(c, true, 1);
    }
    for (uint32_t i = 0; i < a; i++) {
        step(c, true, 0);
        step(c, true, 1);
    }
    for (uint32_t i = 0; i < b; i++) {
        step(c, true, 0);
        if (!last) {
            step(c, false, 0);
        }
    }
}

/* Li and Hoefler, arXiv:2107.06925, as its public generator makes it. */
void schedule_chimera(const struct build *b, uint32_t rank) {
    uint32_t p = b->shape->ranks, blocks = b->shape->micro_batches / p;
    uint32_t half = b->shape->micro_batches / 2;
    uint32_t near = rank >= p / 2 ? 1 : 0;
    uint32_t from_end = near == 1 ? p - 1 - rank : rank;
    struct chimera c = {
        .build = b, .chunk = {near, 1 - near}, .base = {near * half, (1 - near) * half}};
    for (uint32_t i = from_end; i < p / 2; i++) {
        step(&c, false, 0);
    }
    for (uint32_t i = 0; i < blocks; i++) {
        block(&c, from_end, p / 2 - from_end, i + 1 == blocks);
    }
}
