/* The schedules' orders, token by token, against those that public programs produced (tests/vectors/
 * pipeline_orders.txt says which and how). Every rule is then tried over a range of shapes: what it makes is whole. */
#include "shardlab/pipe/schedule.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS_MAX = 64, RANKS_MAX = 8, TEXT_MAX = 4096, OPS_MAX = 1 << 16 };

struct expected {
    char id[8], schedule[32];
    unsigned ranks, micro_batches, chunks;
    char lines[RANKS_MAX][TEXT_MAX];
};

static struct expected expected[ORDERS_MAX];
static int expected_count;

static void orders_read(void) {
    static char line[TEXT_MAX];
    FILE *in = fopen(TEST_SOURCE_DIR "/vectors/pipeline_orders.txt", "r");
    if (in == NULL) {
        abort();
    }
    struct expected *now = NULL;
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        struct expected head = {0};
        unsigned rank = 0;
        int text = 0;
        char *p = strstr(line, " p=");
        if (line[0] == '[' && p != NULL && expected_count < ORDERS_MAX &&
            sscanf(line, "[%7s %31s", head.id, head.schedule) == 2 &&
            sscanf(p, " p=%u m=%u v=%u]", &head.ranks, &head.micro_batches, &head.chunks) == 3) {
            now = &expected[expected_count++];
            *now = head;
        } else if (now != NULL && sscanf(line, "r%u: %n", &rank, &text) == 1 && rank < RANKS_MAX) {
            (void)snprintf(now->lines[rank], sizeof now->lines[rank], "%s", line + text);
        }
    }
    (void)fclose(in);
}

/* "F0.s0", "(F3.s0|BW1.s3)": the tokens of the file, one space between. */
static void rank_write(const struct pipe_order *order, uint32_t rank, char *out, size_t capacity) {
    static const char *const kinds[] = {"F", "B", "W", "BW"};
    const struct pipe_shape *shape = &order->shape;
    size_t used = 0;
    bool second = false;
    for (uint64_t i = order->first[rank]; i < order->first[rank + 1]; i++) {
        struct pipe_op op = order->ops[i];
        char stage[16] = "";
        if (shape->chunks > 1) {
            (void)snprintf(stage, sizeof stage, ".s%u", pipe_stage_at(shape, rank, op.chunk));
        }
        const char *gap = i == order->first[rank] || second ? "" : " ";
        int length = snprintf(out + used, capacity - used, "%s%s%s%u%s%s", gap,
                              op.overlapped != 0 ? "(" : "", kinds[op.kind], op.micro_batch, stage,
                              op.overlapped != 0 ? "|"
                              : second           ? ")"
                                                 : "");
        used += (size_t)length;
        ck_assert_uint_lt(used, capacity);
        second = op.overlapped != 0;
    }
}

static int schedule_of(const struct expected *e) {
    return pipe_schedule_find(strcmp(e->schedule, "interleaved-1f1b") == 0 ? "interleaved"
                                                                           : e->schedule);
}

START_TEST(orders_are_those_of_the_public_programs) {
    static struct pipe_op ops[OPS_MAX];
    static struct pipe_order order;
    const struct expected *e = &expected[_i];
    int schedule = schedule_of(e);
    if (schedule < 0) {
        return; /* counted below */
    }
    struct pipe_request request = {.schedule = (enum pipe_schedule)schedule,
                                   .ranks = e->ranks,
                                   .micro_batches = e->micro_batches,
                                   .chunks = e->chunks};
    struct pipe_shape shape;
    struct message why;
    ck_assert_msg(pipe_request_settle(&request, &request, &shape, &why) == STATUS_OK, "%s", e->id);
    pipe_schedule_build(&request, &shape, ops, OPS_MAX, &order);
    for (uint32_t rank = 0; rank < e->ranks; rank++) {
        char line[TEXT_MAX] = "";
        rank_write(&order, rank, line, sizeof line);
        ck_assert_msg(strcmp(line, e->lines[rank]) == 0, "%s rank %u\n%s\n%s", e->id, rank, line,
                      e->lines[rank]);
    }
}
END_TEST

START_TEST(every_owed_schedule_has_an_order_and_few_orders_have_no_schedule) {
    int without = 0, of[PIPE_SCHEDULES] = {0};
    for (int i = 0; i < expected_count; i++) {
        int schedule = schedule_of(&expected[i]);
        without += schedule < 0 ? 1 : 0;
        if (schedule >= 0) {
            of[schedule]++;
        }
    }
    ck_assert_int_eq(expected_count, 33);
    ck_assert_int_le(without, 4); /* v-half, v-min, 1f1b-v, chimera */
    for (int i = 0; i < PIPE_SCHEDULES; i++) {
        ck_assert_msg(of[i] > 0 || i == PIPE_LOOPED_BFS, "%s", pipe_schedule_name(i));
    }
}
END_TEST

/* torch's rule for loops as its class says it; no reference order exists. */
START_TEST(looped_bfs_runs_chunk_after_chunk) {
    struct pipe_op ops[64];
    static struct pipe_order order;
    struct pipe_request request = {.schedule = PIPE_LOOPED_BFS, .ranks = 2, .micro_batches = 2};
    struct pipe_shape shape;
    struct message why;
    ck_assert_int_eq(pipe_request_settle(&request, &request, &shape, &why), STATUS_OK);
    pipe_schedule_build(&request, &shape, ops, 64, &order);
    char line[256] = "";
    rank_write(&order, 1, line, sizeof line);
    ck_assert_str_eq(line, "F0.s1 F1.s1 F0.s3 F1.s3 BW1.s3 BW0.s3 BW1.s1 BW0.s1");
}
END_TEST

enum { RANGE_P = 9, RANGE_M = 28, RANGE_V = 4 };

/* How many legal combinations of the range a schedule has, each built and checked. */
static int try_range(enum pipe_schedule schedule) {
    static struct pipe_op ops[OPS_MAX];
    static uint8_t seen[OPS_MAX];
    static struct pipe_order order;
    int legal = 0;
    for (int i = 0; i < RANGE_P * RANGE_M * RANGE_V; i++) {
        struct pipe_request in = {.schedule = schedule,
                                  .ranks = (uint32_t)(i % RANGE_P + 1),
                                  .micro_batches = (uint32_t)(i / RANGE_P % RANGE_M + 1),
                                  .chunks = (uint32_t)(i / RANGE_P / RANGE_M + 1)};
        struct pipe_shape shape;
        struct message why;
        if (pipe_request_settle(&in, &in, &shape, &why) != STATUS_OK) {
            continue;
        }
        pipe_schedule_build(&in, &shape, ops, OPS_MAX, &order);
        ck_assert_msg(pipe_order_check(&order, seen, &why) == STATUS_OK, "%s p=%u m=%u v=%u: %s",
                      pipe_schedule_name(schedule), in.ranks, in.micro_batches, in.chunks, why.id);
        legal++;
    }
    return legal;
}

START_TEST(every_legal_combination_makes_a_whole_order) {
    ck_assert_int_gt(try_range((enum pipe_schedule)_i), 30);
}
END_TEST

static Suite *suite(void) {
    orders_read();
    Suite *s = suite_create("schedule orders");
    TCase *orders = tcase_create("orders");
    tcase_add_loop_test(orders, orders_are_those_of_the_public_programs, 0, expected_count);
    tcase_add_test(orders, every_owed_schedule_has_an_order_and_few_orders_have_no_schedule);
    tcase_add_test(orders, looped_bfs_runs_chunk_after_chunk);
    tcase_add_loop_test(orders, every_legal_combination_makes_a_whole_order, 0, PIPE_SCHEDULES);
    suite_add_tcase(s, orders);
    return s;
}

#include "support/check_main.h"
