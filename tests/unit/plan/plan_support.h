/* What the tests of planning share: a request written as a command line, with a card of round numbers. */
#ifndef UNIT_PLAN_PLAN_SUPPORT_H
#define UNIT_PLAN_PLAN_SUPPORT_H

#include <stdlib.h>

#include "../calc/calc_support.h"
#include "shardlab/plan/plan.h"

/* A card that multiplies 100 TFLOP/s at best, in a node of four. */
#define CARD " --gpus-per-node 4 --link-gb-per-s 100 --net-gb-per-s 10 --mfu 0.5"

static inline struct scenario applied_of(const char *line) {
    struct scenario s = given_of(line);
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 100;
    s.cluster.peak_tflops[CALC_PRECISION_FP8] = 200;
    s.cluster.peak_tflops[CALC_PRECISION_FP32] = 50;
    return s;
}

/* The memory for pipelines that are run; a test ends before it is ever given back. */
static inline const struct plan_space *lent_space(void) {
    static struct plan_space space;
    if (space.bytes == NULL) {
        space = (struct plan_space){malloc(plan_space_bytes()), plan_space_bytes()};
        ck_assert_ptr_nonnull(space.bytes);
    }
    return &space;
}

static inline struct plan_summary search_of(const struct plan_request *r,
                                            const struct plan_layout *mark,
                                            struct plan_layout *best, int k) {
    struct plan_summary found;
    struct message why;
    struct plan_list list = {best, k, mark};
    must_hold(plan_search_in(r, &list, lent_space(), &found, &why) == STATUS_OK, "%s",
              message_line(&why));
    return found;
}

static inline void show(const struct plan_layout *l, char *text, size_t capacity) {
    (void)snprintf(text, capacity,
                   "dp %ju tp %ju pp %ju cp %ju ep %ju V %ju zero %ju recompute %d b %ju m %ju: "
                   "%ju bytes, %.12g s",
                   (uintmax_t)l->dp, (uintmax_t)l->tp, (uintmax_t)l->pp, (uintmax_t)l->cp,
                   (uintmax_t)l->ep, (uintmax_t)l->chunks, (uintmax_t)l->zero, l->recompute,
                   (uintmax_t)l->micro_batch, (uintmax_t)l->micro_batches,
                   (uintmax_t)l->total_bytes, l->step_s);
}

#endif
