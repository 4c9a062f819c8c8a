/* `shardlab allreduce` on real ranks: for every collective, algorithm and backend what was sent is what was predicted, to
 * the byte; the options; the events; and a rank that is killed or stopped. All combinations with ranks and sizes are
 * test_allreduce_grid.c, which starts no program for each. */
#define _DEFAULT_SOURCE
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/expect.h"
#include "support/sanitized.h"

static const char *const pairs[] = {
    "all-reduce --algorithm naive",      "all-reduce --algorithm ring",
    "all-reduce --algorithm tree",       "all-reduce --algorithm halving-doubling",
    "all-reduce --algorithm direct",     "reduce-scatter --algorithm naive",
    "reduce-scatter --algorithm ring",   "reduce-scatter --algorithm halving-doubling",
    "reduce-scatter --algorithm direct", "all-gather --algorithm naive",
    "all-gather --algorithm ring",       "all-gather --algorithm halving-doubling",
    "all-gather --algorithm direct",     "broadcast --algorithm naive",
    "broadcast --algorithm tree",        "broadcast --algorithm direct",
    "all-to-all --algorithm direct",
};
enum {
    PAIRS = sizeof pairs / sizeof pairs[0],
    ALL_TO_ALL = PAIRS - 1,
    JOINS = 9
}; /* the first join elements */

static const char *const backends[] = {"threads", "processes"};

static void expect_match(const char *line) {
    struct run r;
    expect_json(&r, line, NULL);
    ck_assert_msg(json_is(json_at(r.out, "match"), "true"), "%s: %s", line, r.out);
    ck_assert_msg(json_is(json_at(r.out, "within_bound"), "true"), "%s: %s", line, r.out);
    ck_assert_uint_eq(json_digits(r.out, "predicted.steps"), json_digits(r.out, "measured.steps"));
    int ranks = json_count(json_at(r.out, "measured.sent_bytes_per_rank"));
    ck_assert_int_eq(ranks, (int)json_digits(r.out, "ranks"));
    for (int i = 0; i < ranks; i++) {
        char predicted[64], measured[64];
        (void)snprintf(predicted, sizeof predicted, "predicted.sent_bytes_per_rank[%d]", i);
        (void)snprintf(measured, sizeof measured, "measured.sent_bytes_per_rank[%d]", i);
        ck_assert_msg(json_digits(r.out, predicted) == json_digits(r.out, measured),
                      "%s: rank %d: %s", line, i, r.out);
    }
    run_free(&r);
}

/* Loops over pairs and backends; each number of ranks with one of the sizes (all of them: test_allreduce_grid.c). */
START_TEST(predicted_is_measured_for_awkward_sizes) {
    static const unsigned ranks[] = {1, 2, 3, 5, 8, 16};
    const size_t each = SANITIZED ? 2 : 1; /* then the rest is with the next pair */
    for (size_t k = (size_t)_i % each; k < sizeof ranks / sizeof ranks[0]; k += each) {
        unsigned n = ranks[k];
        const unsigned sizes[] = {0, 1, n - 1, n + 1}, multiples[] = {0, n, 3 * n, 7 * n};
        size_t s = (k + (size_t)_i) % 4;
        char line[256];
        (void)snprintf(line, sizeof line,
                       "allreduce --collective %s --ranks %u --elems %u --backend %s "
                       "--repeat 2 --json",
                       pairs[_i / 2], n, _i / 2 == ALL_TO_ALL ? multiples[s] : sizes[s],
                       backends[_i % 2]);
        expect_match(line);
    }
}
END_TEST

START_TEST(predicted_is_measured_for_a_million_elements) {
    char line[256];
    (void)snprintf(line, sizeof line,
                   "allreduce --collective %s --ranks 4 --elems %s --backend %s --repeat 1 --json",
                   pairs[_i / 2], _i / 2 == ALL_TO_ALL ? "1000000" : "1000003", backends[_i % 2]);
    expect_match(line);
}
END_TEST

START_TEST(types_and_operations_match) {
    static const char *const variants[] = {"fp16 --op sum --accumulate type", "bf16 --op sum",
                                           "fp32 --op max", "fp16 --op max"};
    static const char *const types[] = {"fp16", "bf16", "fp32", "fp16"};
    char line[256];
    (void)snprintf(line, sizeof line,
                   "allreduce --collective %s --ranks 5 --elems %s --repeat 2 --json --type %s",
                   pairs[_i], _i == ALL_TO_ALL ? "1000" : "1003",
                   _i < JOINS ? variants[_i % 4] : types[_i % 4]);
    expect_match(line);
}
END_TEST

START_TEST(workers_send_what_is_predicted) {
    char line[256];
    (void)snprintf(line, sizeof line,
                   "allreduce --collective %s --ranks 7 --elems %s --executor workers --json",
                   pairs[_i], _i == ALL_TO_ALL ? "70000" : "70003");
    expect_match(line);
}
END_TEST

START_TEST(the_executor_is_named) {
    struct run r;
    expect_json(&r, "allreduce --ranks 64 --elems 100 --executor workers --json", NULL);
    ck_assert(json_is(json_at(r.out, "executor"), "\"workers\""));
    ck_assert_uint_eq(json_digits(r.out, "workers"), 1);
    run_free(&r);
    expect_json(&r, "allreduce --ranks 2 --elems 100 --json", NULL);
    ck_assert(json_is(json_at(r.out, "executor"), "\"ranks\""));
    ck_assert(json_is(json_at(r.out, "workers"), "null"));
    run_free(&r);
    expect_good(&r, "allreduce --ranks 64 --elems 100 --executor workers --lang en", NULL);
    expect_names(r.out, "workers|1");
    run_free(&r);
}
END_TEST

START_TEST(a_ring_of_four_sends_what_the_formula_says) {
    struct run r;
    expect_json(&r, "allreduce --ranks 4 --elems 1000003 --algorithm ring --json", NULL);
    ck_assert(json_is(json_at(r.out, "command"), "\"allreduce\""));
    ck_assert_uint_eq(json_digits(r.out, "message_bytes"), 4000012);
    /* 2·4000012 less the own chunk and the next one's; chunks of 250001, 250001, 250001, 250000 elements */
    ck_assert_uint_eq(json_digits(r.out, "measured.sent_bytes_per_rank[0]"), 6000016);
    ck_assert_uint_eq(json_digits(r.out, "measured.sent_bytes_per_rank[2]"), 6000020);
    ck_assert_uint_eq(json_digits(r.out, "measured.steps"), 6);
    static const char *const numbers[] = {"time_s.median",     "time_s.min",        "time_s.max",
                                          "algbw_bytes_per_s", "busbw_bytes_per_s", "max_abs_error",
                                          "error_bound"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        ck_assert_msg(json_at(r.out, numbers[i]).kind == JSON_KIND_NUMBER, "%s", numbers[i]);
    }
    run_free(&r);
}
END_TEST

START_TEST(every_column_says_whether_it_is_predicted) {
    struct run r;
    expect_good(&r, "allreduce --ranks 4 --elems 1000 --algorithm ring --repeat 1 --lang en", NULL);
    expect_names(r.out, "all-reduce, ring; ranks: 4 (threads); bytes: 4,000 (fp32)|"
                        "bytes: predicted|messages: predicted|predicted 6, measured 6");
    run_free(&r);
    expect_good(&r, "allreduce --ranks 4 --elems 1000 --algorithm ring --repeat 1 --lang zh", NULL);
    expect_names(r.out, "全归约，ring：4 个 rank|发送字节：预测|消息数：预测|预测 6，实测 6|（≤ ");
    run_free(&r);
}
END_TEST

/* A rate keeps digits however small it is, and one rank has none. */
START_TEST(rates_are_said_in_a_unit_that_fits) {
    struct run r;
    expect_good(&r, "allreduce --ranks 2 --elems 1 --repeat 1 --lang en", NULL);
    ck_assert_msg(strstr(r.out, "0.000 GB/s") == NULL, "%s", r.out);
    expect_names(r.out, "B/s");
    run_free(&r);
    expect_json(&r, "allreduce --ranks 1 --json --lang en", NULL);
    ck_assert(json_is(json_at(r.out, "algbw_bytes_per_s"), "null"));
    ck_assert(json_is(json_at(r.out, "busbw_bytes_per_s"), "null"));
    ck_assert_int_eq(json_count(json_at(r.out, "notes")), 1);
    expect_names(r.out, "no rate");
    run_free(&r);
    expect_good(&r, "allreduce --ranks 1 --lang en", NULL);
    expect_names(r.out, "bus bandwidth         –|no rate");
    ck_assert_ptr_null(strstr(r.out, "B/s"));
    run_free(&r);
}
END_TEST

START_TEST(a_trace_lists_every_message) {
    struct run r;
    expect_json(&r, "allreduce --ranks 3 --elems 7 --algorithm ring --trace --json", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "trace")), 12);
    ck_assert_uint_eq(json_digits(r.out, "trace[0].step"), 0);
    ck_assert_uint_eq(json_digits(r.out, "trace[0].from"), 0);
    ck_assert_uint_eq(json_digits(r.out, "trace[0].to"), 1);
    ck_assert_uint_eq(json_digits(r.out, "trace[0].chunk"), 2);
    ck_assert_uint_eq(json_digits(r.out, "trace[0].bytes"), 8);
    run_free(&r);
    expect_good(&r, "allreduce --ranks 3 --elems 7 --algorithm tree --trace --lang en", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "0..2"));
    run_free(&r);
}
END_TEST

START_TEST(text_says_both_numbers_in_both_languages) {
    struct run r;
    expect_good(&r, "allreduce --ranks 4 --elems 1000003 --algorithm ring --lang en", NULL);
    expect_names(r.out, "all-reduce, ring|4,000,012|6,000,016|6,000,020|predicted = measured|yes");
    run_free(&r);
    expect_good(&r, "allreduce --ranks 2 --elems 8 --lang zh", NULL);
    expect_names(r.out, "预测|实测|预测 = 实测");
    run_free(&r);
    expect_good(&r, "allreduce --help --lang en", NULL);
    expect_names(r.out,
                 "--ranks N|--elems N|--algorithm auto|--backend threads|--events|--timeout");
    run_free(&r);
}
END_TEST

START_TEST(more_ranks_than_cores_work) {
    expect_match("allreduce --ranks 64 --elems 10000 --algorithm ring --repeat 2 --json");
    expect_match("allreduce --ranks 64 --elems 10000 --algorithm direct --repeat 2 --json");
    expect_match("allreduce --ranks 64 --elems 100 --backend processes --algorithm tree --json");
}
END_TEST

/* --- Wrong usage and what is not there --- */

static const struct {
    const char *line, *names;
    int status;
} bad[] = {
    {"allreduce --ranks 0", "--ranks 0|1 to 1024", 2},
    {"allreduce --ranks 1025", "--ranks 1025", 2},
    {"allreduce --ranks many", "--ranks many", 2},
    {"allreduce --type fp64", "fp64|fp32|fp16|bf16", 2},
    {"allreduce --type fp", "--type fp:", 2},
    {"allreduce --op min", "min|sum|max", 2},
    {"allreduce --algorithm circle", "circle|halving-doubling", 2},
    {"allreduce --collective broadcast --algorithm ring", "ring|broadcast|naive, tree, direct", 2},
    {"allreduce --collective all-to-all --elems 10 --ranks 4", "10|4|8", 2},
    {"allreduce --collective all-gather --op sum", "--op|all-gather|all-reduce, reduce-scatter", 2},
    {"allreduce --collective broadcast --accumulate fp32", "--accumulate|broadcast", 2},
    {"allreduce --collective all-to-all --elems 8 --op max", "--op|all-to-all", 2},
    {"allreduce --elems 4 --bytes 16", "--elems|--bytes", 2},
    {"allreduce --bytes 15", "--bytes 15|nearest: 12, 16", 2},
    {"allreduce --bytes 3", "--bytes 3|nearest: 0, 4", 2},
    {"allreduce --seed -1", "--seed -1|from 0 to 18446744073709551615", 2},
    {"allreduce --bytes much", "--bytes much", 2},
    {"allreduce --executor crew", "crew|ranks|workers", 2},
    {"allreduce --executor workers --backend processes", "--executor workers|processes", 2},
    {"allreduce --executor workers --backend opencl", "--executor workers|opencl", 2},
    {"allreduce --timeout 0", "--timeout 0", 2},
    {"allreduce --timeout nan", "--timeout nan", 2},
    {"allreduce --repeat 0", "--repeat 0", 2},
    {"allreduce --repeat", "--repeat needs a value", 2},
    {"allreduce --events=yes", "--events takes no value", 2},
    {"allreduce --zero 1", "--zero", 2},
    {"allreduce 4", "4", 2},
    {"allreduce --elems 18446744073709551615", "18,446,744,073,709,551,615", 2},
    {"allreduce --elems 1000000T --ranks 2", "8000000000.00 GB", 1},
    {"allreduce --elems 10T --ranks 2", "80000.00 GB", 1},
    {"allreduce --backend mpi", "MPI", 1},
};

START_TEST(what_cannot_be_is_refused_with_the_value) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, bad[_i].line), bad[_i].status, "shardlab: allreduce: ");
    expect_names(r.err, bad[_i].names);
    run_free(&r);
}
END_TEST

/* --- While it runs --- */

/* The program with its outputs as pipes, to be read as it runs. */
struct live {
    pid_t pid;
    FILE *out, *err;
    char line[8192];
};

static void live_start(struct live *l, const char *line) {
    struct expect_words words;
    int out[2], err[2];
    const char *const *arguments = expect_split(&words, line);
    ck_assert(pipe(out) == 0 && pipe(err) == 0);
    l->pid = fork();
    ck_assert_int_ge(l->pid, 0);
    if (l->pid == 0) {
        const char *argv[32] = {getenv("SHARDLAB_BIN")};
        for (int i = 0; i < 30 && arguments[i] != NULL; i++) {
            argv[i + 1] = arguments[i];
        }
        (void)dup2(out[1], STDOUT_FILENO);
        (void)dup2(err[1], STDERR_FILENO);
        (void)close(out[0]);
        (void)close(err[0]);
        (void)signal(SIGTERM, SIG_DFL);
        execv(argv[0], (char *const *)(void *)argv);
        _exit(127);
    }
    (void)close(out[1]);
    (void)close(err[1]);
    l->out = fdopen(out[0], "r");
    l->err = fdopen(err[0], "r");
    ck_assert(l->out != NULL && l->err != NULL);
}

static bool live_line(struct live *l) {
    return fgets(l->line, sizeof l->line, l->out) != NULL;
}

static void live_close(struct live *l) {
    (void)fclose(l->out);
    (void)fclose(l->err);
}

/* Reads the processes of all ranks, and on until the first repetition has been run. */
static void live_ranks(struct live *l, pid_t *pids, int ranks) {
    int seen = 0;
    while (live_line(l) && strstr(l->line, "\"event\":\"repeat\"") == NULL) {
        size_t where;
        ck_assert_msg(json_answer_fault(l->line, strlen(l->line), &where) == NULL, "%s", l->line);
        uint64_t rank = json_digits(l->line, "rank");
        ck_assert_uint_lt(rank, (uint64_t)ranks);
        pids[rank] = (pid_t)json_digits(l->line, "process");
        seen++;
    }
    ck_assert_int_eq(seen, ranks);
}

static void expect_gone(const pid_t *pids, int ranks) {
    for (int tries = 0, i = 0; i < ranks;) {
        if (kill(pids[i], 0) == -1 && errno == ESRCH) {
            i++;
            continue;
        }
        struct timespec t = {0, 20000000};
        (void)nanosleep(&t, NULL);
        ck_assert_msg(++tries < 250, "rank %d is still there", i);
    }
}

#define ENDLESS                                                                                    \
    "allreduce --ranks 4 --elems 1000 --backend processes --repeat 1000000 --events --lang en "

START_TEST(a_killed_rank_ends_the_run_with_status_1_and_its_name) {
    struct live l;
    pid_t pids[4];
    int status = 0;
    bool ended = false;
    live_start(&l, ENDLESS "--timeout 60");
    live_ranks(&l, pids, 4);
    ck_assert_int_eq(kill(pids[2], SIGKILL), 0);
    while (live_line(&l)) {
        ended = strstr(l.line, "\"event\":\"ended\",\"end\":\"dead\",\"rank\":2") != NULL;
    }
    ck_assert_msg(ended, "the last event: %s", l.line);
    ck_assert_int_eq(waitpid(l.pid, &status, 0), l.pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", (unsigned)status);
    ck_assert_ptr_nonnull(fgets(l.line, sizeof l.line, l.err));
    ck_assert_msg(strstr(l.line, "shardlab: allreduce: rank 2 (process ") == l.line, "%s", l.line);
    ck_assert_ptr_null(fgets(l.line, sizeof l.line, l.err));
    expect_gone(pids, 4);
    live_close(&l);
}
END_TEST

START_TEST(a_stopped_rank_is_waited_for_as_long_as_asked) {
    struct live l;
    pid_t pids[4];
    int status = 0;
    live_start(&l, ENDLESS "--timeout 0.3");
    live_ranks(&l, pids, 4);
    ck_assert_int_eq(kill(pids[1], SIGSTOP), 0);
    while (live_line(&l)) {
    }
    ck_assert_int_eq(waitpid(l.pid, &status, 0), l.pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ck_assert_ptr_nonnull(fgets(l.line, sizeof l.line, l.err));
    expect_names(l.line, "waited for 0.3 s|raise --timeout|rank");
    expect_gone(pids, 4);
    live_close(&l);
}
END_TEST

static const int ends[] = {SIGTERM, SIGKILL};

START_TEST(no_rank_outlives_the_program) {
    struct live l;
    pid_t pids[4];
    live_start(&l, ENDLESS);
    live_ranks(&l, pids, 4);
    ck_assert_int_eq(kill(l.pid, ends[_i]), 0);
    ck_assert_int_eq(waitpid(l.pid, NULL, 0), l.pid);
    expect_gone(pids, 4);
    live_close(&l);
}
END_TEST

START_TEST(events_are_lines_of_json_and_the_result_is_the_last) {
    struct live l;
    int repeats = 0, lines = 0, status = 0;
    char line[128], last[8192] = "";
    (void)snprintf(line, sizeof line,
                   "allreduce --ranks 3 --elems 10 --repeat 7 --events --backend %s", backends[_i]);
    live_start(&l, line);
    while (live_line(&l)) {
        size_t where;
        ck_assert_msg(json_answer_fault(l.line, strlen(l.line), &where) == NULL, "%s", l.line);
        repeats += strstr(l.line, "\"event\":\"repeat\"") != NULL ? 1 : 0;
        lines++;
        strcpy(last, l.line);
    }
    ck_assert_int_eq(waitpid(l.pid, &status, 0), l.pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(repeats, 7);
    ck_assert_int_eq(lines, 3 + 7 + 1);
    ck_assert(json_is(json_at(last, "match"), "true"));
    live_close(&l);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("allreduce");
    TCase *t = tcase_create("allreduce");
    tcase_add_loop_test(t, predicted_is_measured_for_awkward_sizes, 0, 2 * PAIRS);
    tcase_add_loop_test(t, predicted_is_measured_for_a_million_elements, 0, 2 * PAIRS);
    tcase_add_loop_test(t, types_and_operations_match, 0, PAIRS);
    tcase_add_loop_test(t, workers_send_what_is_predicted, 0, PAIRS);
    tcase_add_test(t, the_executor_is_named);
    tcase_add_test(t, a_ring_of_four_sends_what_the_formula_says);
    tcase_add_test(t, a_trace_lists_every_message);
    tcase_add_test(t, every_column_says_whether_it_is_predicted);
    tcase_add_test(t, rates_are_said_in_a_unit_that_fits);
    tcase_add_test(t, text_says_both_numbers_in_both_languages);
    tcase_add_test(t, more_ranks_than_cores_work);
    tcase_add_loop_test(t, what_cannot_be_is_refused_with_the_value, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, a_killed_rank_ends_the_run_with_status_1_and_its_name);
    tcase_add_test(t, a_stopped_rank_is_waited_for_as_long_as_asked);
    tcase_add_loop_test(t, no_rank_outlives_the_program, 0, 2);
    tcase_add_loop_test(t, events_are_lines_of_json_and_the_result_is_the_last, 0, 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
