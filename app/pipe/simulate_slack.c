/* How much later each operation could end without a longer makespan: the simulation once more, from the last operation
 * of every rank to the first. An operation may end as late as the next one of its rank may start, and as late as lets
 * its result reach the neighbouring stage in time; what its own rank needs of it comes later on that rank anyway. Called
 * by pipe_simulate after a run that came to its end. Proof: tests/unit/pipe/test_simulate.c. */
#include "simulate_private.h"

static uint64_t latest_start(const struct pipe_run_op *op) {
    return op->start + op->slack;
}

/* Lowers *latest to what the operation at `at` owes its neighbour. False: the neighbour is not known yet. */
static bool serve_neighbour(struct pipe_sim *sim, uint32_t rank, uint64_t at, uint64_t *latest) {
    const struct pipe_op *op = &sim->order->ops[at];
    struct pipe_need gift = pipe_gift(sim, rank, op);
    if (gift.rank == PIPE_NO_RANK || gift.rank == rank) {
        return true;
    }
    const struct pipe_lane *lane = pipe_lane_of(sim, rank, op);
    bool backward = op->kind != PIPE_F;
    uint32_t stage = backward ? lane->stage - 1 : lane->stage + 1;
    uint64_t taker = sim->slots[pipe_slot(sim, backward, stage, op->micro_batch)];
    if (taker == PIPE_NO_SLOT) {
        return true;
    }
    if (sim->ops[taker].slack == PIPE_SLACK_UNKNOWN) {
        sim->waits[rank] = taker;
        return false;
    }
    uint64_t limit = latest_start(&sim->ops[taker]) - sim->times->latency;
    *latest = limit < *latest ? limit : *latest;
    return true;
}

/* The rank whose operation feeds the one at `at`; it may stand waiting to know its slack. */
static void call_feeder(struct pipe_sim *sim, uint32_t rank, uint64_t at) {
    struct pipe_need need = pipe_need_of(sim, rank, &sim->order->ops[at]);
    if (need.slot != PIPE_NO_SLOT && need.rank != rank && sim->waits[need.rank] == at) {
        pipe_ready_push(sim, need.rank);
    }
}

/* Slack of the operation, or pair, before at[rank]. */
static bool step_back(struct pipe_sim *sim, uint32_t rank, uint64_t makespan) {
    const struct pipe_order *order = sim->order;
    uint64_t behind = sim->at[rank], first = order->first[rank];
    bool pair = behind - first >= 2 && pipe_is_pair(order, rank, behind - 2);
    uint64_t at = behind - (pair ? 2 : 1);
    uint64_t latest = behind < order->first[rank + 1] ? latest_start(&sim->ops[behind]) : makespan;
    for (uint64_t i = at; i < behind; i++) {
        if (!serve_neighbour(sim, rank, i, &latest)) {
            return false;
        }
    }
    for (uint64_t i = at; i < behind; i++) {
        sim->ops[i].slack = latest - sim->ops[i].end;
    }
    for (uint64_t i = at; i < behind; i++) {
        call_feeder(sim, rank, i);
    }
    sim->at[rank] = at;
    return true;
}

void pipe_slack_compute(struct pipe_sim *sim, uint64_t makespan) {
    pipe_ready_all(sim, true);
    while (sim->ready_count > 0) {
        uint32_t rank = sim->ready[--sim->ready_count];
        bool known = true;
        while (known && sim->at[rank] > sim->order->first[rank]) {
            known = step_back(sim, rank, makespan);
        }
    }
}
