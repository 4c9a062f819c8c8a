/* What the passes of the simulator share: the state of one run over the caller's scratch, and who needs whom.
 * app/pipe only. */
#ifndef PIPE_SIMULATE_PRIVATE_H
#define PIPE_SIMULATE_PRIVATE_H

#include "shardlab/base/writer.h"
#include "shardlab/pipe/simulate.h"

#define PIPE_NO_SLOT UINT64_MAX
#define PIPE_NO_RANK UINT32_MAX
#define PIPE_SLACK_UNKNOWN UINT64_MAX

/* One chunk of one rank: its stage, and the ranks of the stages before and after it (PIPE_NO_RANK at the ends). */
struct pipe_lane {
    uint32_t stage, before, after;
};

/* A slot is one result that another operation may need: the forward, or the backward w.r.t. the input, of a stage and
 * a micro-batch. slots[] says which operation makes it, PIPE_NO_SLOT as long as none has. */
struct pipe_need {
    uint64_t slot; /* PIPE_NO_SLOT: nothing is needed */
    uint32_t rank; /* where it is made */
};

struct pipe_sim {
    const struct pipe_order *order;
    const struct pipe_times *times;
    struct pipe_run_op *ops;
    struct pipe_lane *lanes; /* rank · chunks + chunk */
    uint64_t *slots;
    uint32_t stages;
    uint64_t at[PIPE_RANKS_MAX]; /* the operation that a rank is about to run */
    uint64_t
        waits[PIPE_RANKS_MAX]; /* the slot (or, backwards, operation) that a standing rank needs */
    uint32_t ready[PIPE_RANKS_MAX]; /* ranks to look at, the last first */
    uint32_t ready_count;
};

static inline const struct pipe_lane *pipe_lane_of(const struct pipe_sim *sim, uint32_t rank,
                                                   const struct pipe_op *op) {
    return &sim->lanes[(size_t)rank * sim->order->shape.chunks + op->chunk];
}

static inline uint64_t pipe_slot(const struct pipe_sim *sim, bool backward, uint32_t stage,
                                 uint32_t micro_batch) {
    uint64_t row = backward ? (uint64_t)sim->stages + stage : stage;
    return row * sim->order->shape.micro_batches + micro_batch;
}

/* What `op` of `rank` gives to the neighbouring stage: slot of its own result, and the rank that needs it
 * (PIPE_NO_RANK: nobody). W gives nothing. */
static inline struct pipe_need pipe_gift(const struct pipe_sim *sim, uint32_t rank,
                                         const struct pipe_op *op) {
    const struct pipe_lane *lane = pipe_lane_of(sim, rank, op);
    if (op->kind == PIPE_W) {
        return (struct pipe_need){PIPE_NO_SLOT, PIPE_NO_RANK};
    }
    bool backward = op->kind != PIPE_F;
    return (struct pipe_need){pipe_slot(sim, backward, lane->stage, op->micro_batch),
                              backward ? lane->before : lane->after};
}

/* What `op` of `rank` cannot start without. */
static inline struct pipe_need pipe_need_of(const struct pipe_sim *sim, uint32_t rank,
                                            const struct pipe_op *op) {
    const struct pipe_lane *lane = pipe_lane_of(sim, rank, op);
    uint32_t stage = lane->stage;
    if (op->kind == PIPE_F) {
        return stage == 0 ? (struct pipe_need){PIPE_NO_SLOT, PIPE_NO_RANK}
                          : (struct pipe_need){pipe_slot(sim, false, stage - 1, op->micro_batch),
                                               lane->before};
    }
    if (op->kind == PIPE_W) {
        return (struct pipe_need){pipe_slot(sim, true, stage, op->micro_batch), rank};
    }
    if (stage + 1 == sim->stages) {
        return (struct pipe_need){pipe_slot(sim, false, stage, op->micro_batch), rank};
    }
    return (struct pipe_need){pipe_slot(sim, true, stage + 1, op->micro_batch), lane->after};
}

static inline void pipe_ready_push(struct pipe_sim *sim, uint32_t rank) {
    sim->waits[rank] = PIPE_NO_SLOT;
    sim->ready[sim->ready_count++] = rank;
}

/* Makes every slot PIPE_NO_SLOT. */
void pipe_slots_clear(struct pipe_sim *sim);

/* Every rank is to be looked at, rank 0 first, from its first operation or from behind its last. */
void pipe_ready_all(struct pipe_sim *sim, bool from_the_end);

/* Hundreds of ranks are read and written side by side, more than a processor foresees by itself: asks for an operation
 * that comes soon. Halves the time of large schedules (`shardlab bench calculators`). */
enum { PIPE_AHEAD = 8 };
static inline void pipe_fetch(const struct pipe_sim *sim, uint64_t op) {
    __builtin_prefetch(&sim->ops[op], 1);
    __builtin_prefetch(&sim->order->ops[op], 0);
}

/* Two operations at once at `at`, which is not behind the rank's last. */
static inline bool pipe_is_pair(const struct pipe_order *order, uint32_t rank, uint64_t at) {
    return order->ops[at].overlapped != 0 && at + 1 < order->first[rank + 1];
}

/* The circle in which the ranks stand, or the operation that nobody runs. */
enum status pipe_deadlock_explain(const struct pipe_sim *sim, struct pipe_deadlock *deadlock,
                                  struct message *why);

/* Slack of every operation, backwards from the end of the run. */
void pipe_slack_compute(struct pipe_sim *sim, uint64_t makespan);

/* busy … sends of every rank and the fractions; false: ranks × makespan overflows. */
MUST_USE bool pipe_run_sum(const struct pipe_sim *sim, struct pipe_run *run);

/* "F3.s4": micro-batch 3 in stage 4. */
void pipe_op_write(struct writer *w, enum pipe_kind kind, uint32_t micro_batch, uint32_t stage);

#endif
