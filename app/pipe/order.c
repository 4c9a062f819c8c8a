/* The order list of a pipeline: which rank holds which stage, lists that are filled rank by rank, and the check that
 * a list is whole. Schedules and files fill it, the simulator and the chart read it; the operations lie
 * in memory of the caller. Whether ranks can run their lists without waiting for each other in a circle is not
 * asked here but in simulate.c. Proof: tests/unit/pipe/test_order.c. */
#include "shardlab/pipe/order.h"

#include <assert.h>
#include <string.h>

uint32_t pipe_stages(const struct pipe_shape *shape) {
    return shape->placement == PIPE_BOTH ? shape->ranks : shape->ranks * shape->chunks;
}

uint32_t pipe_stage_at(const struct pipe_shape *shape, uint32_t rank, uint32_t chunk) {
    switch ((enum pipe_placement)shape->placement) {
    case PIPE_V:
        return chunk == 0 ? rank : 2 * shape->ranks - 1 - rank;
    case PIPE_BOTH:
        return chunk == 0 ? rank : shape->ranks - 1 - rank;
    case PIPE_LOOP:
        break;
    }
    return chunk * shape->ranks + rank;
}

void pipe_home(const struct pipe_shape *shape, uint32_t micro_batch, uint32_t stage, uint32_t *rank,
               uint32_t *chunk) {
    uint32_t p = shape->ranks;
    switch ((enum pipe_placement)shape->placement) {
    case PIPE_V:
        *chunk = stage < p ? 0 : 1;
        *rank = stage < p ? stage : 2 * p - 1 - stage;
        return;
    case PIPE_BOTH:
        *chunk = micro_batch < shape->micro_batches / 2 ? 0 : 1;
        *rank = *chunk == 0 ? stage : p - 1 - stage;
        return;
    case PIPE_LOOP:
        break;
    }
    *chunk = stage / p;
    *rank = stage % p;
}

bool pipe_works_on(const struct pipe_shape *shape, uint32_t chunk, uint32_t micro_batch) {
    if (shape->placement != PIPE_BOTH) {
        return true;
    }
    return (micro_batch < shape->micro_batches / 2) == (chunk == 0);
}

uint64_t pipe_order_capacity(const struct pipe_shape *shape) {
    return (uint64_t)3 * shape->micro_batches * pipe_stages(shape);
}

uint64_t pipe_order_count(const struct pipe_order *order) {
    return order->first[order->shape.ranks];
}

uint32_t pipe_rank_of(const struct pipe_order *order, uint64_t op) {
    uint32_t low = 0, high = order->shape.ranks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (order->first[middle] <= op) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void pipe_order_start(struct pipe_order *order, const struct pipe_shape *shape, struct pipe_op *ops,
                      uint64_t capacity) {
    assert(shape->ranks >= 1 && shape->ranks <= PIPE_RANKS_MAX);
    *order = (struct pipe_order){.shape = *shape, .ops = ops, .capacity = capacity};
}

/* While ranks are added, the first of the next rank is the count so far. */
void pipe_order_rank(struct pipe_order *order) {
    assert(order->started < order->shape.ranks);
    uint32_t rank = order->started++;
    order->first[rank + 1] = order->first[rank];
}

void pipe_order_add(struct pipe_order *order, enum pipe_kind kind, uint32_t micro_batch,
                    uint32_t chunk) {
    assert(order->started > 0);
    uint64_t *count = &order->first[order->started];
    assert(*count < order->capacity);
    order->ops[(*count)++] = (struct pipe_op){micro_batch, (uint16_t)chunk, (uint8_t)kind, 0};
}

void pipe_order_overlap(struct pipe_order *order) {
    assert(order->started > 0 && order->first[order->started] > order->first[order->started - 1]);
    order->ops[order->first[order->started] - 1].overlapped = 1;
}

void pipe_order_end(struct pipe_order *order) {
    while (order->started < order->shape.ranks) { /* ranks that run nothing */
        pipe_order_rank(order);
    }
}

/* Parts of the work on one micro-batch by one stage. */
enum { PART_F = 1, PART_B = 2, PART_W = 4, PARTS = 7 };

static const uint8_t parts_of[] = {
    [PIPE_F] = PART_F, [PIPE_B] = PART_B, [PIPE_W] = PART_W, [PIPE_BW] = PART_B | PART_W};
static const char *const kind_names[] = {
    [PIPE_F] = "F", [PIPE_B] = "B", [PIPE_W] = "W", [PIPE_BW] = "BW"};

/* "rank 3: F5 of chunk 1 …" */
static enum status refuse(struct message *why, const char *id, uint32_t rank, struct pipe_op op) {
    message_start(why, id);
    message_add_plain(why, rank);
    message_add_text(why, op.kind <= PIPE_BW ? kind_names[op.kind] : "?");
    message_add_plain(why, op.micro_batch);
    message_add_plain(why, op.chunk);
    return STATUS_USAGE;
}

/* A pair is one forward and one full backward, of the same rank, and of different work. */
static bool pair_holds(const struct pipe_order *order, uint32_t rank, uint64_t at) {
    if (at + 1 >= order->first[rank + 1]) {
        return false;
    }
    struct pipe_op a = order->ops[at], b = order->ops[at + 1];
    bool kinds = (a.kind == PIPE_F && b.kind == PIPE_BW) || (a.kind == PIPE_BW && b.kind == PIPE_F);
    return kinds && b.overlapped == 0 && (a.micro_batch != b.micro_batch || a.chunk != b.chunk);
}

static enum status check_rank(const struct pipe_order *order, uint32_t rank, uint8_t *seen,
                              struct message *why) {
    const struct pipe_shape *shape = &order->shape;
    for (uint64_t i = order->first[rank]; i < order->first[rank + 1]; i++) {
        struct pipe_op op = order->ops[i];
        if (op.kind > PIPE_BW || op.micro_batch >= shape->micro_batches ||
            op.chunk >= shape->chunks || !pipe_works_on(shape, op.chunk, op.micro_batch)) {
            return refuse(why, "error.order.unknown", rank, op);
        }
        uint64_t stage = pipe_stage_at(shape, rank, op.chunk);
        uint8_t *parts = &seen[stage * shape->micro_batches + op.micro_batch];
        if ((*parts & parts_of[op.kind]) != 0) {
            return refuse(why, "error.order.twice", rank, op);
        }
        *parts |= parts_of[op.kind];
        if (op.overlapped != 0 && !pair_holds(order, rank, i)) {
            return refuse(why, "error.order.pair", rank, op);
        }
    }
    return STATUS_OK;
}

static enum status check_whole(const struct pipe_shape *shape, const uint8_t *seen,
                               struct message *why) {
    for (uint32_t stage = 0; stage < pipe_stages(shape); stage++) {
        for (uint32_t micro = 0; micro < shape->micro_batches; micro++) {
            uint8_t parts = seen[(uint64_t)stage * shape->micro_batches + micro];
            if (parts == PARTS) {
                continue;
            }
            enum pipe_kind kind = (parts & PART_F) == 0              ? PIPE_F
                                  : (parts & (PART_B | PART_W)) == 0 ? PIPE_BW
                                  : (parts & PART_B) == 0            ? PIPE_B
                                                                     : PIPE_W;
            uint32_t rank = 0, chunk = 0;
            pipe_home(shape, micro, stage, &rank, &chunk);
            return refuse(why, "error.order.missing", rank,
                          (struct pipe_op){micro, (uint16_t)chunk, (uint8_t)kind, 0});
        }
    }
    return STATUS_OK;
}

enum status pipe_order_check(const struct pipe_order *order, uint8_t *seen, struct message *why) {
    memset(seen, 0, (size_t)order->shape.micro_batches * pipe_stages(&order->shape));
    enum status ok = STATUS_OK;
    for (uint32_t rank = 0; ok == STATUS_OK && rank < order->shape.ranks; rank++) {
        ok = check_rank(order, rank, seen, why);
    }
    return ok == STATUS_OK ? check_whole(&order->shape, seen, why) : ok;
}
