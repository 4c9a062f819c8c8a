/* Every legal combination of a range, run: no rank ever waits for itself through others. Deeper pipelines than the
 * orders' own test, and every group that interleaved chunks can have. */
#include "pipe_support.h"

#include <stdio.h>

enum { P_MAX = 16, M_MAX = 40, V_MAX = 4, GROUPS_P_MAX = 6, GROUPS_M_MAX = 18 };

static int run(const struct pipe_request *request) {
    struct lab lab;
    struct lab_times t = {.f = 1, .b = 1, .w = 1};
    if (!lab_build(&lab, request)) {
        return 0;
    }
    if (lab_simulate(&lab, lab_times(&t)) != STATUS_OK) {
        ck_abort_msg("%s p=%u m=%u v=%u G=%u: %s", pipe_schedule_name(request->schedule),
                     request->ranks, request->micro_batches, request->chunks, request->group,
                     lab.why.id);
    }
    lab_close(&lab);
    return 1;
}

START_TEST(no_legal_combination_stands_still) {
    int runs = 0;
    for (uint32_t i = 0; i < P_MAX * M_MAX * V_MAX; i++) {
        struct pipe_request r = {(enum pipe_schedule)_i, i % P_MAX + 1, i / P_MAX % M_MAX + 1,
                                 i / P_MAX / M_MAX + 1, 0};
        runs += run(&r);
    }
    ck_assert_int_gt(runs, 50);
}
END_TEST

START_TEST(no_legal_group_stands_still) {
    int runs = 0;
    for (uint32_t i = 0; i < GROUPS_P_MAX * GROUPS_M_MAX * 3; i++) {
        struct pipe_request r = {PIPE_INTERLEAVED, i % GROUPS_P_MAX + 1,
                                 i / GROUPS_P_MAX % GROUPS_M_MAX + 1,
                                 i / GROUPS_P_MAX / GROUPS_M_MAX + 2, 1};
        for (; r.group <= r.micro_batches; r.group++) {
            runs += run(&r);
        }
    }
    ck_assert_int_gt(runs, 500);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("schedule runs");
    TCase *runs = tcase_create("runs");
    tcase_add_loop_test(runs, no_legal_combination_stands_still, 0, PIPE_SCHEDULES);
    tcase_add_test(runs, no_legal_group_stands_still);
    suite_add_tcase(s, runs);
    return s;
}

#include "support/check_main.h"
