/* When every operation of an order runs. Ranks are taken one after the other: each runs as far as what it needs has
 * been run, then stands until the rank that makes what it needs comes by. So every operation is looked at once when it
 * runs and at most once a need before that, and no list is ever sorted: the cost is linear in the operations, whatever
 * the times are. Called by the commands `pipe` and `bench`; the planner's closed forms are held to it by tests. All memory
 * is the caller's. Left out: links that are shared, and sends that block. Proof: tests/unit/pipe/test_simulate.c,
 * test_pipeline_vectors.c, test_closed_forms.c. */
#include <assert.h>
#include <string.h>

#include "shardlab/base/checked.h"
#include "simulate_private.h"

static uint64_t lanes_count(const struct pipe_shape *shape) {
    return (uint64_t)shape->ranks * shape->chunks;
}

size_t pipe_simulate_scratch(const struct pipe_shape *shape) {
    uint64_t slots = 0, bytes = 0;
    uint64_t lanes = lanes_count(shape) * sizeof(struct pipe_lane) + sizeof(uint64_t);
    uint64_t rows = 2 * (uint64_t)pipe_stages(shape);
    if (!checked_mul(rows, shape->micro_batches, &slots) ||
        !checked_mul(slots, sizeof(uint64_t), &bytes) || !checked_add(bytes, lanes, &bytes) ||
        bytes > SIZE_MAX) {
        return 0;
    }
    return (size_t)bytes;
}

/* A micro-batch that `chunk` works on: with two directions the second half is chunk 1's. */
static uint32_t sample_micro_batch(const struct pipe_shape *shape, uint32_t chunk) {
    return shape->placement == PIPE_BOTH && chunk == 1 ? shape->micro_batches / 2 : 0;
}

static void lane_start(struct pipe_sim *sim, uint32_t rank, uint32_t chunk) {
    const struct pipe_shape *shape = &sim->order->shape;
    struct pipe_lane *lane = &sim->lanes[(size_t)rank * shape->chunks + chunk];
    uint32_t other = 0, micro_batch = sample_micro_batch(shape, chunk);
    *lane = (struct pipe_lane){pipe_stage_at(shape, rank, chunk), PIPE_NO_RANK, PIPE_NO_RANK};
    if (lane->stage > 0) {
        pipe_home(shape, micro_batch, lane->stage - 1, &lane->before, &other);
    }
    if (lane->stage + 1 < sim->stages) {
        pipe_home(shape, micro_batch, lane->stage + 1, &lane->after, &other);
    }
}

void pipe_slots_clear(struct pipe_sim *sim) {
    size_t slots = 2 * (size_t)sim->stages * sim->order->shape.micro_batches;
    memset(sim->slots, 0xff, slots * sizeof sim->slots[0]);
}

/* Lays slots and lanes over the scratch. */
static void sim_start(struct pipe_sim *sim, void *scratch) {
    const struct pipe_shape *shape = &sim->order->shape;
    sim->stages = pipe_stages(shape);
    size_t slots = 2 * (size_t)sim->stages * shape->micro_batches;
    sim->slots = scratch;
    sim->lanes = (struct pipe_lane *)(void *)(sim->slots + slots);
    pipe_slots_clear(sim);
    for (uint32_t rank = 0; rank < shape->ranks; rank++) {
        for (uint32_t chunk = 0; chunk < shape->chunks; chunk++) {
            lane_start(sim, rank, chunk);
        }
    }
}

void pipe_ready_all(struct pipe_sim *sim, bool from_the_end) {
    sim->ready_count = 0;
    for (uint32_t rank = sim->order->shape.ranks; rank-- > 0;) {
        sim->at[rank] = sim->order->first[from_the_end ? rank + 1 : rank];
        pipe_ready_push(sim, rank);
    }
}

static bool add_time(uint64_t *sum, uint64_t ticks) {
    *sum += ticks;
    return *sum >= ticks;
}

/* Ticks of one operation alone. */
static bool time_of(const struct pipe_sim *sim, uint32_t rank, const struct pipe_op *op,
                    uint64_t *ticks) {
    const struct pipe_times *t = sim->times;
    uint32_t entry = t->count == 1 ? 0 : pipe_lane_of(sim, rank, op)->stage;
    switch ((enum pipe_kind)op->kind) {
    case PIPE_F:
        *ticks = t->f[entry];
        return true;
    case PIPE_B:
        *ticks = t->b[entry];
        return true;
    case PIPE_W:
        *ticks = t->w[entry];
        return true;
    case PIPE_BW:
        break;
    }
    *ticks = t->b[entry];
    return add_time(ticks, t->w[entry]);
}

/* Ticks of the one or two operations that begin at `at`. */
static bool duration(const struct pipe_sim *sim, uint32_t rank, uint64_t at, uint64_t *ticks) {
    const struct pipe_op *op = &sim->order->ops[at];
    if (!pipe_is_pair(sim->order, rank, at)) {
        return time_of(sim, rank, op, ticks);
    }
    if (sim->times->has_overlapped) {
        *ticks = sim->times->overlapped;
        return true;
    }
    uint64_t second = 0;
    return time_of(sim, rank, op, ticks) && time_of(sim, rank, op + 1, &second) &&
           add_time(ticks, second);
}

/* Lets `when` wait for what `op` needs. Met: it has run. */
enum met { MET, NOT_MET, TOO_LATE };
static enum met wait_for_data(struct pipe_sim *sim, uint32_t rank, const struct pipe_op *op,
                              struct pipe_run_op *when) {
    struct pipe_need need = pipe_need_of(sim, rank, op);
    if (need.slot == PIPE_NO_SLOT) {
        return MET;
    }
    uint64_t maker = sim->slots[need.slot];
    if (maker == PIPE_NO_SLOT) {
        sim->waits[rank] = need.slot;
        return NOT_MET;
    }
    uint64_t arrives = sim->ops[maker].end;
    if (need.rank != rank && !add_time(&arrives, sim->times->latency)) {
        return TOO_LATE;
    }
    bool decides = arrives > when->start ||
                   (arrives == when->start && arrives > 0 && when->wait != PIPE_WAIT_DATA);
    if (decides) {
        when->start = arrives;
        when->waits_for = (int64_t)maker;
        when->wait = PIPE_WAIT_DATA;
    }
    return MET;
}

/* Says that the operation at `at` has run, and calls the rank that stood waiting for it. */
static void finish(struct pipe_sim *sim, uint32_t rank, uint64_t at) {
    struct pipe_need gift = pipe_gift(sim, rank, &sim->order->ops[at]);
    if (gift.slot == PIPE_NO_SLOT) {
        return;
    }
    sim->slots[gift.slot] = at;
    if (gift.rank != PIPE_NO_RANK && gift.rank != rank && sim->waits[gift.rank] == gift.slot) {
        pipe_ready_push(sim, gift.rank);
    }
}

/* Runs the operation, or the pair, that `rank` stands before. */
static enum met run_next(struct pipe_sim *sim, uint32_t rank) {
    const struct pipe_order *order = sim->order;
    uint64_t at = sim->at[rank], ticks = 0;
    if (at + PIPE_AHEAD < order->first[rank + 1]) {
        pipe_fetch(sim, at + PIPE_AHEAD);
    }
    struct pipe_run_op when = {0, 0, PIPE_SLACK_UNKNOWN, PIPE_NONE, PIPE_WAIT_NOTHING};
    if (at > order->first[rank] && sim->ops[at - 1].end > 0) {
        when.start = sim->ops[at - 1].end;
        when.waits_for = (int64_t)(at - 1);
        when.wait = PIPE_WAIT_RANK;
    }
    int width = pipe_is_pair(order, rank, at) ? 2 : 1;
    for (int i = 0; i < width; i++) {
        enum met met = wait_for_data(sim, rank, &order->ops[at + (uint64_t)i], &when);
        if (met != MET) {
            return met;
        }
    }
    when.end = when.start;
    if (!duration(sim, rank, at, &ticks) || !add_time(&when.end, ticks)) {
        return TOO_LATE;
    }
    for (int i = 0; i < width; i++) {
        sim->ops[at + (uint64_t)i] = when;
    }
    for (int i = 0; i < width; i++) {
        finish(sim, rank, at + (uint64_t)i);
    }
    sim->at[rank] += (uint64_t)width;
    return MET;
}

static enum status refuse_time(const struct pipe_sim *sim, uint32_t rank, struct message *why) {
    const struct pipe_op *op = &sim->order->ops[sim->at[rank]];
    char text[48];
    struct writer w;
    writer_start(&w, text, sizeof text);
    pipe_op_write(&w, (enum pipe_kind)op->kind, op->micro_batch,
                  pipe_lane_of(sim, rank, op)->stage);
    message_start(why, "error.pipe.time");
    message_add_text(why, text);
    message_add_plain(why, rank);
    return STATUS_USAGE;
}

static enum status run_all(struct pipe_sim *sim, struct message *why) {
    pipe_ready_all(sim, false);
    while (sim->ready_count > 0) {
        uint32_t rank = sim->ready[--sim->ready_count];
        enum met met = MET;
        while (met == MET && sim->at[rank] < sim->order->first[rank + 1]) {
            met = run_next(sim, rank);
        }
        if (met == TOO_LATE) {
            return refuse_time(sim, rank, why);
        }
    }
    return STATUS_OK;
}

static bool all_ran(const struct pipe_sim *sim) {
    for (uint32_t rank = 0; rank < sim->order->shape.ranks; rank++) {
        if (sim->at[rank] < sim->order->first[rank + 1]) {
            return false;
        }
    }
    return true;
}

int64_t pipe_run_last(const struct pipe_order *order, const struct pipe_run_op *ops) {
    int64_t last = PIPE_NONE;
    for (uint32_t rank = 0; rank < order->shape.ranks; rank++) {
        uint64_t behind = order->first[rank + 1];
        bool any = behind > order->first[rank];
        if (any && (last == PIPE_NONE || ops[behind - 1].end > ops[last].end)) {
            last = (int64_t)behind - 1;
        }
    }
    return last;
}

enum status pipe_simulate(const struct pipe_order *order, const struct pipe_times *times,
                          const struct pipe_space *space, struct pipe_run *run,
                          struct message *why) {
    struct pipe_sim sim = {.order = order, .times = times, .ops = space->ops};
    run->deadlock.length = 0;
    sim_start(&sim, space->scratch);
    assert(times->count == 1 || times->count == sim.stages);
    enum status ok = run_all(&sim, why);
    if (ok == STATUS_OK && !all_ran(&sim)) {
        ok = pipe_deadlock_explain(&sim, &run->deadlock, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    int64_t last = pipe_run_last(order, space->ops);
    run->makespan = last == PIPE_NONE ? 0 : space->ops[last].end;
    if (!pipe_run_sum(&sim, run)) {
        message_start(why, "error.pipe.time_total");
        message_add_plain(why, run->makespan);
        message_add_plain(why, order->shape.ranks);
        return STATUS_USAGE;
    }
    pipe_slack_compute(&sim, run->makespan);
    return STATUS_OK;
}
