/* Orders that cannot run: the circle in which the ranks stand, instead of a hang. */
#include "pipe_support.h"

/* "F0 BW0 | F1 …": one rank after the other; ".1" after a number names a chunk, "+" before an operation pairs it with
 * the next. */
static void lab_read(struct lab *lab, const struct pipe_shape *shape, const char *text) {
    memset(lab, 0, sizeof *lab);
    lab->shape = *shape;
    lab_open(lab);
    pipe_order_rank(&lab->order);
    for (const char *at = text; *at != '\0';) {
        at += strspn(at, " ");
        if (*at == '|') {
            pipe_order_rank(&lab->order);
            at++;
            continue;
        }
        bool pair = *at == '+';
        at += pair ? 1 : 0;
        enum pipe_kind kind = strncmp(at, "BW", 2) == 0 ? PIPE_BW
                              : *at == 'F'              ? PIPE_F
                              : *at == 'B'              ? PIPE_B
                                                        : PIPE_W;
        char *end = NULL;
        uint32_t micro = (uint32_t)strtoul(at + (kind == PIPE_BW ? 2 : 1), &end, 10), chunk = 0;
        if (*end == '.') {
            chunk = (uint32_t)strtoul(end + 1, &end, 10);
        }
        pipe_order_add(&lab->order, kind, micro, chunk);
        if (pair) {
            pipe_order_overlap(&lab->order);
        }
        at = end;
    }
    pipe_order_end(&lab->order);
}

static const struct {
    const char *name;
    struct pipe_shape shape;
    const char *order;
    int length;
    const char *ranks; /* of the circle, from any of them */
    const char *circle;
} stuck[] = {
    {"a backward before the forward that it needs",
     {1, 1, 1, PIPE_LOOP},
     "BW0 F0",
     1,
     "0",
     "0: BW0.s0 ⇐ F0.s0"},
    {"weights before the inputs", {1, 1, 1, PIPE_LOOP}, "F0 W0 B0", 1, "0", "0: W0.s0 ⇐ B0.s0"},
    {"two ranks that begin with different micro-batches",
     {2, 2, 1, PIPE_LOOP},
     "F0 BW0 F1 BW1 | F1 BW1 F0 BW0",
     2,
     "01",
     "0: BW0.s0 ⇐ BW0.s1; 1: F1.s1 ⇐ F1.s0"},
    {"three ranks, of which the first two stand in the circle",
     {3, 2, 1, PIPE_LOOP},
     "F0 BW0 F1 BW1 | F1 BW1 F0 BW0 | F0 F1 BW0 BW1",
     2,
     "01",
     "0: BW0.s0 ⇐ BW0.s1; 1: F1.s1 ⇐ F1.s0"},
    {"a pair whose backward comes too early",
     {2, 2, 1, PIPE_LOOP},
     "F0 +F1 BW0 BW1 | F0 F1 BW1 BW0",
     2,
     "01",
     "0: BW0.s0 ⇐ BW0.s1; 1: F1.s1 ⇐ F1.s0"},
    {"chunks that wait on one rank",
     {1, 1, 2, PIPE_LOOP},
     "F0.1 F0 BW0.1 BW0",
     1,
     "0",
     "0: F0.s1 ⇐ F0.s0"},
};

START_TEST(the_circle_is_shown) {
    struct lab lab;
    struct lab_times t = {1, 1, 1, {0}};
    lab_read(&lab, &stuck[_i].shape, stuck[_i].order);
    enum status ok = lab_simulate(&lab, lab_times(&t));
    const char *what = stuck[_i].name;
    ck_assert_msg(ok == STATUS_USAGE, "%s: status %d", what, (int)ok);
    ck_assert_str_eq(lab.why.id, "error.pipe.deadlock");
    ck_assert_msg(lab.run->deadlock.length == stuck[_i].length, "%s: %d ranks", what,
                  lab.run->deadlock.length);
    for (int i = 0; i < stuck[_i].length; i++) {
        uint32_t rank = lab.run->deadlock.ranks[i];
        uint64_t op = (uint64_t)lab.run->deadlock.ops[i];
        ck_assert_ptr_nonnull(strchr(stuck[_i].ranks, (char)('0' + rank)));
        ck_assert(op >= lab.order.first[rank] && op < lab.order.first[rank + 1]);
    }
    ck_assert_str_eq(lab.why.args[1].text, stuck[_i].circle);
    lab_close(&lab);
}
END_TEST

START_TEST(an_operation_that_nobody_runs_is_named) {
    struct lab lab;
    struct lab_times t = {1, 1, 1, {0}};
    const struct pipe_shape shape = {2, 1, 1, PIPE_LOOP};
    lab_read(&lab, &shape, "F0 BW0 | F0");
    ck_assert_int_eq((int)lab_simulate(&lab, lab_times(&t)), STATUS_USAGE);
    ck_assert_str_eq(lab.why.id, "error.pipe.missing");
    ck_assert_str_eq(lab.why.args[0].text, "0: BW0.s0 ⇐ B0.s1");
    ck_assert_int_eq(lab.run->deadlock.length, 0);
    lab_close(&lab);
}
END_TEST

/* --- The warm-up of interleaved 1F1B: min(factor·(p−1−r) + (v−1)p, mv) forwards before the first backward --- */

static void add_unit(struct lab *lab, enum pipe_kind kind, uint32_t unit) {
    uint32_t p = lab->shape.ranks, v = lab->shape.chunks;
    uint32_t chunk = unit / p % v, micro = unit / (p * v) * p + unit % p;
    pipe_order_add(&lab->order, kind, micro, kind == PIPE_F ? chunk : v - 1 - chunk);
}

static enum status run_with_warm_up(struct lab *lab, uint32_t factor) {
    struct lab_times t = {1, 1, 1, {0}};
    uint32_t p = lab->shape.ranks, units = lab->shape.micro_batches * lab->shape.chunks;
    lab_open(lab);
    for (uint32_t rank = 0; rank < p; rank++) {
        uint32_t warm_up = factor * (p - 1 - rank) + (lab->shape.chunks - 1) * p;
        warm_up = warm_up < units ? warm_up : units;
        pipe_order_rank(&lab->order);
        for (uint32_t i = 0; i < units + warm_up; i++) {
            if (i < units) {
                add_unit(lab, PIPE_F, i);
            }
            if (i >= warm_up) {
                add_unit(lab, PIPE_BW, i - warm_up);
            }
        }
    }
    pipe_order_end(&lab->order);
    return lab_simulate(lab, lab_times(&t));
}

START_TEST(a_threefold_warm_up_of_interleaved_deadlocks_and_a_twofold_does_not) {
    struct lab lab;
    for (uint32_t factor = 0; factor <= 3; factor++) {
        memset(&lab, 0, sizeof lab);
        lab.shape = (struct pipe_shape){4, 8, 2, PIPE_LOOP};
        enum status ok = run_with_warm_up(&lab, factor);
        ck_assert_msg((ok == STATUS_OK) == (factor < 3), "factor %u: status %d", factor, (int)ok);
        if (factor == 3) {
            ck_assert_int_ge(lab.run->deadlock.length, 2);
        } else {
            ck_assert_msg(factor == 0 || lab.run->makespan == 57, "factor %u: makespan %ju", factor,
                          (uintmax_t)lab.run->makespan);
        }
        ck_assert(factor != 1 || lab.run->ranks[0].peak_until_b == 8);
        ck_assert(factor != 2 || lab.run->ranks[0].peak_until_b == 11);
        lab_close(&lab);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("deadlock");
    TCase *t = tcase_create("deadlock");
    tcase_add_loop_test(t, the_circle_is_shown, 0, (int)(sizeof stuck / sizeof stuck[0]));
    tcase_add_test(t, an_operation_that_nobody_runs_is_named);
    tcase_add_test(t, a_threefold_warm_up_of_interleaved_deadlocks_and_a_twofold_does_not);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
