/* The schedules that people run, as order lists, and which combinations are legal. Rules and sources are named at
 * each builder; the orders were compared token by token with what the named frameworks produce
 * (tests/unit/pipe/test_schedule_orders.c). */
#ifndef PIPE_SCHEDULE_H
#define PIPE_SCHEDULE_H

#include "shardlab/pipe/order.h"

enum pipe_schedule {
    PIPE_GPIPE,
    PIPE_1F1B,
    PIPE_INTERLEAVED,
    PIPE_LOOPED_BFS,
    PIPE_ZB_H1,
    PIPE_ZB_H2,
    PIPE_ZB_INTERLEAVED,
    PIPE_ZB_V,
    PIPE_DUALPIPE,
    PIPE_DUALPIPEV,
    PIPE_SCHEDULES
};

/* The name on the command line: "zb-h1". */
const char *pipe_schedule_name(enum pipe_schedule schedule);
/* The schedule called `name`, or -1. */
int pipe_schedule_find(const char *name);

struct pipe_request {
    enum pipe_schedule schedule;
    uint32_t ranks, micro_batches;
    uint32_t
        chunks; /* chunks a rank and direction; 0: what the schedule asks for (1 or 2; 2 for interleaved) */
    uint32_t
        group; /* interleaved: micro-batches that a chunk runs before the next chunk; 0: by the rules of Megatron,
                        and where m is ragged of torch */
};

/* Fills in what was left open and says whether the combination is legal: STATUS_USAGE names the rule that is broken,
 * the value, what would be right, and the framework that refuses it. */
MUST_USE enum status pipe_request_settle(const struct pipe_request *in, struct pipe_request *out,
                                         struct pipe_shape *shape, struct message *why);

/* What a legal, settled combination meets elsewhere: one message for every framework that has this schedule and would
 * refuse it, with its rule. Returns how many there are; the first `capacity` are written. */
int pipe_request_notes(const struct pipe_request *settled, struct message *out, int capacity);

/* Builds the order of a settled request into `order`, whose ops hold pipe_order_capacity(shape) at least. Linear in the
 * number of operations. */
void pipe_schedule_build(const struct pipe_request *settled, const struct pipe_shape *shape,
                         struct pipe_op *ops, uint64_t capacity, struct pipe_order *order);

/* True if the schedule runs backward in two parts (B and W may be apart); else both together. */
bool pipe_schedule_splits(enum pipe_schedule schedule);

#endif
