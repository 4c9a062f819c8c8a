/* How many forwards run as a pair with a backward: the calculator's closed form against the order lists. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "../calc/calc_support.h"
#include "shardlab/calc/schedule.h"
#include "shardlab/pipe/schedule.h"

/* Pairs over forwards of a rank. */
static double paired_on(const struct pipe_order *order, uint32_t rank) {
    uint64_t pairs = 0, forwards = 0;
    for (uint64_t i = order->first[rank]; i < order->first[rank + 1]; i++) {
        pairs += order->ops[i].overlapped;
        forwards += order->ops[i].kind == PIPE_F ? 1 : 0;
    }
    return (double)pairs / (double)forwards;
}

static int compare(enum pipe_schedule schedule, uint32_t p, uint32_t m) {
    static struct pipe_order order;
    struct pipe_request wanted = {.schedule = schedule, .ranks = p, .micro_batches = m}, r;
    struct pipe_shape shape;
    struct message why;
    if (pipe_request_settle(&wanted, &r, &shape, &why) != STATUS_OK) {
        return 0;
    }
    uint64_t capacity = pipe_order_capacity(&shape);
    struct pipe_op *ops = malloc(capacity * sizeof *ops);
    ck_assert(ops != NULL);
    pipe_schedule_build(&r, &shape, ops, capacity, &order);
    struct scenario s =
        legal_of("--layers 64 --hidden 64 --heads 8 --vocab 80 --seq 32 --schedule %s --pp %u "
                 "--micro-batches %u",
                 pipe_schedule_name(schedule), p, m);
    for (uint32_t rank = 0; rank < p; rank++) {
        double counted = paired_on(&order, rank), formula = calc_schedule_paired(&s, rank);
        must_hold(counted >= formula && counted <= formula, "%s p=%u m=%u rank %u: %g, not %g",
                  pipe_schedule_name(schedule), p, m, rank, formula, counted);
    }
    free(ops);
    return 1;
}

START_TEST(pairs_are_those_of_the_order_list) {
    static const enum pipe_schedule schedules[] = {PIPE_DUALPIPE, PIPE_DUALPIPEV, PIPE_1F1B,
                                                   PIPE_ZB_V, PIPE_CHIMERA};
    int compared = 0;
    for (uint32_t p = 1; p <= 12; p++) {
        for (uint32_t m = 1; m <= 30; m++) {
            compared += compare(schedules[_i], p, m);
        }
    }
    ck_assert_int_gt(compared, 20);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pairs");
    TCase *t = tcase_create("pairs");
    tcase_add_loop_test(t, pairs_are_those_of_the_order_list, 0, 5);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
