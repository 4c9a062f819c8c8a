/* Every row of vectors_pipeline.csv for a schedule that can be built: makespan, busy, idle, inner idle, bubbles, peaks
 * and sends, all exact. Rows of other schedules are listed in not_expressed.csv with the reason. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "pipe_support.h"
#include "support/csv.h"
#include "support/reference.h"

/* Most rows that may wait. Lower it with the list, never raise it. */
enum { PIPELINE_LISTED_MAX = 24 };

static struct csv rows;

static uint64_t number(int row, const char *column) {
    return strtoull(csv_get(&rows, row, column), NULL, 10);
}

static const char *id(int row) {
    return csv_get(&rows, row, "id");
}

/* The table's names say which program an order was taken from; the schedule is ours. */
static int schedule_of(const struct csv *table, int row) {
    const char *name = csv_get(table, row, "schedule");
    bool interleaved = strncmp(name, "interleaved-1f1b", strlen("interleaved-1f1b")) == 0;
    return pipe_schedule_find(interleaved ? "interleaved" : name);
}

static bool expressed(const struct csv *table, int row) {
    return schedule_of(table, row) >= 0;
}

static void class_of(const struct csv *table, int row, char *name, size_t capacity) {
    ck_assert_int_lt(snprintf(name, capacity, "%s", csv_get(table, row, "schedule")),
                     (int)capacity);
}

static struct pipe_request request_of(int row) {
    const char *group = strstr(csv_get(&rows, row, "schedule"), "G=");
    return (struct pipe_request){
        .schedule = (enum pipe_schedule)schedule_of(&rows, row),
        .ranks = (uint32_t)number(row, "p"),
        .micro_batches = (uint32_t)number(row, "m"),
        .chunks = (uint32_t)number(row, "v"),
        .group = group == NULL ? 0 : (uint32_t)strtoul(group + 2, NULL, 10),
    };
}

/* "24;24;24" against what `part` says of each rank. */
static void expect_ranks(int row, const char *column, const struct lab *lab,
                         uint64_t (*part)(const struct pipe_rank_run *rank)) {
    const char *text = csv_get(&rows, row, column);
    char *end = NULL;
    for (uint32_t r = 0; r < lab->shape.ranks; r++) {
        uint64_t wanted = strtoull(text, &end, 10), got = part(&lab->run->ranks[r]);
        ck_assert_msg(end != text, "%s: %s: no figure for rank %u", id(row), column, r);
        ck_assert_msg(got == wanted, "%s: %s of rank %u: %ju, not %ju", id(row), column, r,
                      (uintmax_t)got, (uintmax_t)wanted);
        text = end + (*end == ';' ? 1 : 0);
    }
    ck_assert_msg(*text == '\0', "%s: %s: more ranks than ours", id(row), column);
}

static void expect_fraction(int row, const char *column, struct pipe_fraction got) {
    char text[64];
    (void)snprintf(text, sizeof text, got.over == 0 ? "0" : "%ju/%ju", (uintmax_t)got.over,
                   (uintmax_t)got.under);
    const char *wanted = csv_get(&rows, row, column);
    ck_assert_msg(strcmp(text, wanted) == 0, "%s: %s: %s, not %s", id(row), column, text, wanted);
}

static uint64_t busy(const struct pipe_rank_run *rank) {
    return rank->busy;
}

static uint64_t idle(const struct pipe_rank_run *rank) {
    return rank->idle;
}

static uint64_t inner_idle(const struct pipe_rank_run *rank) {
    return rank->inner_idle;
}

static uint64_t until_b(const struct pipe_rank_run *rank) {
    return rank->peak_until_b;
}

static uint64_t until_w(const struct pipe_rank_run *rank) {
    return rank->peak_until_w;
}

static uint64_t sends(const struct pipe_rank_run *rank) {
    return rank->sends;
}

START_TEST(every_row_of_an_owed_schedule_is_reproduced_exactly) {
    struct lab lab;
    struct lab_times t = {
        .f = number(_i, "op_tF"), .b = number(_i, "op_tB"), .w = number(_i, "op_tW")};
    if (!expressed(&rows, _i)) {
        return;
    }
    struct pipe_request request = request_of(_i);
    ck_assert_msg(lab_build(&lab, &request), "%s: refused: %s", id(_i), lab.why.id);
    t.times.has_overlapped = csv_get(&rows, _i, "op_tOV")[0] != '\0';
    t.times.overlapped = number(_i, "op_tOV");
    t.times.latency = number(_i, "comm_latency");
    enum status ok = lab_simulate(&lab, lab_times(&t));
    ck_assert_msg(ok == STATUS_OK, "%s: %s", id(_i), lab.why.id);
    ck_assert_msg(lab.run->makespan == number(_i, "makespan"), "%s: makespan %ju", id(_i),
                  (uintmax_t)lab.run->makespan);
    ck_assert_msg(lab.run->sends == number(_i, "p2p_sends_total"), "%s: sends %ju", id(_i),
                  (uintmax_t)lab.run->sends);
    expect_ranks(_i, "busy_per_rank", &lab, busy);
    expect_ranks(_i, "idle_per_rank", &lab, idle);
    expect_ranks(_i, "inner_idle_per_rank", &lab, inner_idle);
    expect_ranks(_i, "peak_F_until_B_per_rank", &lab, until_b);
    expect_ranks(_i, "peak_F_until_W_per_rank", &lab, until_w);
    expect_ranks(_i, "p2p_sends_per_rank", &lab, sends);
    expect_fraction(_i, "bubble_makespan_exact", lab.run->bubble);
    expect_fraction(_i, "bubble_span_exact", lab.run->bubble_span);
    lab_close(&lab);
}
END_TEST

START_TEST(every_row_is_expressed_or_listed) {
    const struct reference reference = {"vectors_pipeline.csv", &rows, class_of, expressed,
                                        PIPELINE_LISTED_MAX};
    reference_check(&reference);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pipeline_vectors");
    TCase *t = tcase_create("pipeline_vectors");
    rows = csv_read("vectors_pipeline.csv");
    tcase_add_loop_test(t, every_row_of_an_owed_schedule_is_reproduced_exactly, 0, rows.rows);
    tcase_add_test(t, every_row_is_expressed_or_listed);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
