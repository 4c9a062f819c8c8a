/* Schedules of the 1F1B family: a warm-up of forwards, then one forward and one backward in turn, then the backwards
 * that are left. What differs is the length of the warm-up, how far W stays behind B, and the sequence of units (a
 * unit is one micro-batch in one chunk). With several chunks, units come in groups of G micro-batches: inside a
 * group chunk 0 for all of them, then chunk 1, …; backward the same with chunks reversed.
 * Called by schedule.c. Sources stand at each rule. Proof: tests/unit/pipe/test_schedule_orders.c. */
#include "schedule_private.h"

struct rule {
    uint64_t warm_up; /* forwards before the first backward, less the one that comes with it */
    uint64_t lag;     /* how many B a W waits after its own */
    bool split;       /* B and W apart */
};

/* The `at`-th unit of a rank. */
static void unit(const struct build *b, uint64_t at, bool backward, uint32_t *micro,
                 uint32_t *chunk) {
    uint64_t m = b->shape->micro_batches, v = b->shape->chunks;
    uint64_t group = b->request->group;
    uint64_t base = at / (group * v) * group;
    uint64_t size = m - base < group ? m - base : group; /* the last one may be smaller */
    uint64_t inside = at - base * v;
    *micro = (uint32_t)(base + inside % size);
    *chunk = (uint32_t)(backward ? v - 1 - inside / size : inside / size);
}

static void add(const struct build *b, enum pipe_kind kind, uint64_t at) {
    uint32_t micro = 0, chunk = 0;
    unit(b, at, kind != PIPE_F, &micro, &chunk);
    pipe_order_add(b->order, kind, micro, chunk);
}

static void follow(const struct build *b, struct rule rule) {
    uint64_t units = (uint64_t)b->shape->micro_batches * b->shape->chunks;
    uint64_t forward = 0, weights = 0;
    while (forward < rule.warm_up && forward < units) {
        add(b, PIPE_F, forward++);
    }
    for (uint64_t backward = 0; backward < units; backward++) {
        if (forward < units) {
            add(b, PIPE_F, forward++);
        }
        add(b, rule.split ? PIPE_B : PIPE_BW, backward);
        if (rule.split && backward >= rule.lag) {
            add(b, PIPE_W, weights++);
        }
    }
    while (rule.split && weights < units) {
        add(b, PIPE_W, weights++);
    }
}

/* Narayanan et al., arXiv:2006.09503 (PipeDream-flush): the same list in Megatron-LM, DeepSpeed, torch. */
void schedule_1f1b(const struct build *b, uint32_t rank) {
    follow(b, (struct rule){.warm_up = b->shape->ranks - 1 - rank});
}

/* Narayanan et al., arXiv:2104.04473; Megatron-LM. Twice the distance hides the latency of messages. */
void schedule_interleaved(const struct build *b, uint32_t rank) {
    uint64_t behind = b->shape->ranks - 1 - rank;
    uint64_t loops = b->shape->chunks - 1;
    follow(b, (struct rule){.warm_up = 2 * behind + loops * b->request->group});
}

/* Qi et al., arXiv:2401.10241: memory of 1F1B, W fills the gaps. */
void schedule_zb_h1(const struct build *b, uint32_t rank) {
    follow(b, (struct rule){b->shape->ranks - 1 - rank, rank, true});
}

/* Qi et al., arXiv:2401.10241: twice the memory, no gap inside a rank's span when times are equal. */
void schedule_zb_h2(const struct build *b, uint32_t rank) {
    uint64_t behind = b->shape->ranks - 1 - rank;
    follow(b, (struct rule){2 * behind, (uint64_t)2 * rank, true});
}

/* torch ScheduleInterleavedZeroBubble: ZB-H1 over groups; the distance counts once. */
void schedule_zb_interleaved(const struct build *b, uint32_t rank) {
    uint64_t behind = b->shape->ranks - 1 - rank;
    uint64_t loops = b->shape->chunks - 1;
    follow(b, (struct rule){behind + loops * b->request->group, rank, true});
}

uint32_t schedule_torch_group(uint32_t ranks, uint32_t micro_batches) {
    uint32_t rounds = micro_batches / ranks;
    rounds = rounds == 0 ? 1 : rounds;
    return micro_batches % rounds == 0 ? micro_batches / rounds : 0;
}
