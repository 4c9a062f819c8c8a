/* What a rank's run comes to: busy and idle time, how many activations it holds at most, what it sends, and the three
 * bubbles. One walk over the operations of a run that came to its end. Called by pipe_simulate. Proof:
 * tests/unit/pipe/test_pipeline_vectors.c. */
#include "shardlab/base/checked.h"
#include "simulate_private.h"

/* Activations held by a rank, in chunks. */
struct held {
    uint64_t until_b, until_w;
};

static void take(const struct pipe_op *op, struct held *held, struct pipe_rank_run *rank) {
    if (op->kind == PIPE_F) {
        held->until_b++;
        held->until_w++;
        rank->peak_until_b =
            held->until_b > rank->peak_until_b ? held->until_b : rank->peak_until_b;
        rank->peak_until_w =
            held->until_w > rank->peak_until_w ? held->until_w : rank->peak_until_w;
    }
}

static void release(const struct pipe_op *op, struct held *held) {
    held->until_b -= op->kind == PIPE_B || op->kind == PIPE_BW ? 1 : 0;
    held->until_w -= op->kind == PIPE_W || op->kind == PIPE_BW ? 1 : 0;
}

static void sum_rank(const struct pipe_sim *sim, uint32_t r, uint64_t makespan,
                     struct pipe_rank_run *rank) {
    const struct pipe_order *order = sim->order;
    struct held held = {0, 0};
    uint64_t first = order->first[r], behind = order->first[r + 1];
    *rank = (struct pipe_rank_run){0};
    for (uint64_t at = first; at < behind;) {
        uint64_t after = at + (pipe_is_pair(order, r, at) ? 2 : 1);
        rank->busy += sim->ops[at].end - sim->ops[at].start;
        for (uint64_t i = at; i < after; i++) {
            take(&order->ops[i], &held, rank); /* both of a pair start before either ends */
        }
        for (uint64_t i = at; i < after; i++) {
            uint32_t to = pipe_gift(sim, r, &order->ops[i]).rank;
            rank->sends += to != PIPE_NO_RANK && to != r ? 1 : 0;
            release(&order->ops[i], &held);
        }
        at = after;
    }
    rank->idle = makespan - rank->busy;
    rank->inner_idle =
        behind > first ? sim->ops[behind - 1].end - sim->ops[first].start - rank->busy : 0;
}

static struct pipe_fraction fraction(uint64_t over, uint64_t under) {
    uint64_t a = over, b = under;
    if (over == 0 || under == 0) {
        return (struct pipe_fraction){over == 0 ? 0 : 1, over == 0 ? 1 : 0};
    }
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (struct pipe_fraction){over / a, under / a};
}

bool pipe_run_sum(const struct pipe_sim *sim, struct pipe_run *run) {
    uint32_t ranks = sim->order->shape.ranks;
    uint64_t all = 0, busy = 0, span = 0, span_idle = 0;
    if (!checked_mul(run->makespan, ranks, &all)) {
        return false;
    }
    run->sends = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        struct pipe_rank_run *rank = &run->ranks[r];
        sum_rank(sim, r, run->makespan, rank);
        busy += rank->busy;
        run->sends += rank->sends;
        if (rank->busy + rank->inner_idle > span) {
            span = rank->busy + rank->inner_idle;
            span_idle = rank->inner_idle;
        }
    }
    run->bubble = fraction(all - busy, all);
    run->bubble_over_ideal = fraction(all - busy, busy);
    run->bubble_span = fraction(span_idle, span);
    return true;
}
