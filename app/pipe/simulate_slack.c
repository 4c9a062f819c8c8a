/* How much later each operation could end without a longer makespan: the simulation once more, from the last operation
 * of every rank to the first. An operation may end as late as the next one of its rank may start, and as late as lets
 * its result reach the neighbouring stage in time; what its own rank needs of it comes later on that rank anyway. Called
 * by pipe_simulate after a run that came to its end. Proof: tests/unit/pipe/test_simulate.c. */
#include "simulate_private.h"

/* A slot now holds when the operation that takes its result must start at the latest. */
static uint64_t latest_start(const struct pipe_run_op *op) {
    return op->start + op->slack;
}

/* Lowers *latest to what the operation at `at` owes its neighbour. False: the neighbour is not known yet. */
static bool serve_neighbour(struct pipe_sim *sim, uint32_t rank, uint64_t at, uint64_t *latest) {
    struct pipe_need gift = pipe_gift(sim, rank, &sim->order->ops[at]);
    if (gift.rank == PIPE_NO_RANK || gift.rank == rank) {
        return true;
    }
    uint64_t start = sim->slots[gift.slot];
    if (start == PIPE_NO_SLOT) {
        sim->waits[rank] = gift.slot;
        return false;
    }
    uint64_t limit = start - sim->times->latency;
    *latest = limit < *latest ? limit : *latest;
    return true;
}

/* Tells the rank that feeds the operation at `at`, which may stand waiting for it, when that must start. */
static void tell_feeder(struct pipe_sim *sim, uint32_t rank, uint64_t at) {
    struct pipe_need need = pipe_need_of(sim, rank, &sim->order->ops[at]);
    if (need.slot == PIPE_NO_SLOT || need.rank == rank) {
        return;
    }
    sim->slots[need.slot] = latest_start(&sim->ops[at]);
    if (sim->waits[need.rank] == need.slot) {
        pipe_ready_push(sim, need.rank);
    }
}

/* Slack of the operation, or pair, before at[rank]. */
static bool step_back(struct pipe_sim *sim, uint32_t rank, uint64_t makespan) {
    const struct pipe_order *order = sim->order;
    uint64_t behind = sim->at[rank], first = order->first[rank];
    if (behind >= first + PIPE_AHEAD) {
        pipe_fetch(sim, behind - PIPE_AHEAD);
    }
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
        tell_feeder(sim, rank, i);
    }
    sim->at[rank] = at;
    return true;
}

void pipe_slack_compute(struct pipe_sim *sim, uint64_t makespan) {
    pipe_slots_clear(sim);
    pipe_ready_all(sim, true);
    while (sim->ready_count > 0) {
        uint32_t rank = sim->ready[--sim->ready_count];
        bool known = true;
        while (known && sim->at[rank] > sim->order->first[rank]) {
            known = step_back(sim, rank, makespan);
        }
    }
}
