/* The schedules that people run, by name: a table of what each is, and the call of its builder rank by rank. Which
 * combinations are legal: schedule_legal.c; the rules: schedule_breadth.c, schedule_steady.c, schedule_v.c,
 * schedule_dual.c, schedule_chimera.c. Called by the commands `pipe` and `bench`; operations lie in memory of the
 * caller. Proof: tests/unit/pipe/test_schedule_orders.c. */
#include "shardlab/pipe/schedule.h"

#include <assert.h>
#include <string.h>

#include "schedule_private.h"

static const struct {
    const char *name;
    void (*rank)(const struct build *b, uint32_t rank);
    bool splits;
} schedules[PIPE_SCHEDULES] = {
    [PIPE_GPIPE] = {"gpipe", schedule_gpipe, false},
    [PIPE_1F1B] = {"1f1b", schedule_1f1b, false},
    [PIPE_INTERLEAVED] = {"interleaved", schedule_interleaved, false},
    [PIPE_LOOPED_BFS] = {"looped-bfs", schedule_looped_bfs, false},
    [PIPE_ZB_H1] = {"zb-h1", schedule_zb_h1, true},
    [PIPE_ZB_H2] = {"zb-h2", schedule_zb_h2, true},
    [PIPE_ZB_INTERLEAVED] = {"zb-interleaved", schedule_zb_interleaved, true},
    [PIPE_ZB_V] = {"zb-v", schedule_zb_v, true},
    [PIPE_DUALPIPE] = {"dualpipe", schedule_dualpipe, true},
    [PIPE_DUALPIPEV] = {"dualpipev", schedule_dualpipev, true},
    [PIPE_CHIMERA] = {"chimera", schedule_chimera, false},
};

const char *pipe_schedule_name(enum pipe_schedule schedule) {
    return schedules[schedule].name;
}

int pipe_schedule_find(const char *name) {
    for (int i = 0; i < PIPE_SCHEDULES; i++) {
        if (strcmp(schedules[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool pipe_schedule_splits(enum pipe_schedule schedule) {
    return schedules[schedule].splits;
}

void pipe_schedule_build(const struct pipe_request *settled, const struct pipe_shape *shape,
                         struct pipe_op *ops, uint64_t capacity, struct pipe_order *order) {
    assert(capacity >= pipe_order_capacity(shape));
    pipe_order_start(order, shape, ops, capacity);
    struct build b = {settled, shape, order};
    for (uint32_t rank = 0; rank < shape->ranks; rank++) {
        pipe_order_rank(order);
        schedules[settled->schedule].rank(&b, rank);
    }
    pipe_order_end(order);
}
