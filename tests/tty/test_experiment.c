/* Experiments with a real child behind a real terminal: what it says is seen, nothing of it smears the screen, keys work
 * while it runs, and however the program ends, nothing that it started is left. */
#define _XOPEN_SOURCE 700

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/pty.h"

enum { STEP_MS = 10, GONE_MS = 10000 };

/* The lesson on its fourth page, whose experiment is `line`; "" stays on the first. */
static struct pty *start(const char *line) {
    static char given[128];
    const char *const argv[] = {getenv("EXPERIMENT_PROBE_BIN"), NULL};
    ck_assert_ptr_nonnull(argv[0]);
    snprintf(given, sizeof given, "EXPERIMENT_LINE=%s", line);
    const char *const environment[] = {"LC_ALL=C.UTF-8", given, NULL};
    struct pty_options options = {40, 120, environment, 0};
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "Memory · 1/6");
    if (line[0] != '\0') {
        pty_keys(p, "   ");
        pty_expect(p, "Memory · 4/6");
        pty_expect(p, "r runs for real: shardlab");
    }
    return p;
}

/* The number behind `mark` on the screen, once it is there and not `other`. */
static pid_t number_on(struct pty *p, const char *mark, pid_t other) {
    for (int waited = 0; waited < PTY_PATIENCE_MS; waited += STEP_MS) {
        const char *at = strstr(pty_text(p), mark);
        pid_t pid = at != NULL ? (pid_t)strtol(at + strlen(mark), NULL, 10) : 0;
        if (pid > 1 && pid != other) {
            return pid;
        }
        pty_pass(p, STEP_MS);
    }
    pty_dump(p);
    ck_abort_msg("no process is told");
    return 0;
}

static pid_t process_on(struct pty *p, pid_t other) {
    return number_on(p, "pid  process ", other);
}

static pid_t grandchild_on(struct pty *p, pid_t other) {
    return number_on(p, "grandchild ", other);
}

static bool runs(pid_t pid) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    const char *state = strrchr(text, ')'); /* a zombie that init has not taken yet runs no more */
    return state != NULL && state[2] != 'Z' && state[2] != 'X';
}

static void expect_process_gone(struct pty *p, pid_t pid) {
    for (int waited = 0; runs(pid); waited += STEP_MS) {
        ck_assert_msg(waited < GONE_MS, "process %ld is left over", (long)pid);
        pty_pass(p, STEP_MS);
    }
}

static void quit(struct pty *p) {
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}

START_TEST(the_real_all_reduce_is_as_predicted) {
    struct pty *p = start("");
    pty_expect(p, "r runs for real: shardlab allreduce --ranks 4");
    pty_keys(p, "r");
    pty_expect(p, "✓ measured as predicted");
    pty_expect(p, "rank 3 sends");
    pty_expect(p, "time ");
    pty_keys(p, "l"); /* eight ranks: another experiment */
    pty_expect(p, "the last result is for other settings");
    pty_keys(p, "r");
    pty_expect(p, "rank 7 sends");
    pty_expect(p, "✓ measured as predicted");
    quit(p);
}
END_TEST

START_TEST(the_real_overflow_is_infinite_as_predicted) {
    struct pty *p = start("");
    pty_keys(p, "    r");
    pty_expect(p, "✓ measured as predicted");
    pty_expect(p, "plus half a step        inf        inf  ✓ equal");
    quit(p);
}
END_TEST

START_TEST(an_answer_is_shown_and_the_error_output_is_not) {
    struct pty *p = start("answer");
    pty_keys(p, "r");
    pty_expect(p, "✓ measured as predicted");
    ck_assert(!pty_has(p, "a driver says"));
    pty_keys(p, "r");
    pty_wait_quiet(p, 200, PTY_PATIENCE_MS);
    pty_expect(p, "✓ measured as predicted");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    ck_assert(!pty_output_has(p, "a driver says"));
    pty_end(p);
}
END_TEST

START_TEST(a_refusal_is_told_in_its_own_words) {
    struct pty *p = start("something");
    pty_keys(p, "r");
    pty_expect(p, "shardlab: something: not an experiment");
    pty_expect(p, "ended with status 2 and without a result");
    ck_assert(!pty_has(p, "a driver says"));
    quit(p);
}
END_TEST

START_TEST(a_crash_is_told_and_the_screen_stays) {
    struct pty *p = start("crash");
    pty_keys(p, "r");
    pty_expect(p, "was ended by signal 11");
    ck_assert(pty_alternate_screen(p));
    quit(p);
}
END_TEST

START_TEST(a_cancelled_experiment_is_gone_and_the_next_one_runs) {
    struct pty *p = start("sleep");
    pty_keys(p, "r");
    pid_t first = process_on(p, 0);
    ck_assert(runs(first));
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    expect_process_gone(p, first);
    pty_keys(p, "r");
    pid_t second = process_on(p, first);
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    expect_process_gone(p, second);
    quit(p);
}
END_TEST

START_TEST(who_does_not_listen_is_killed_with_its_children) {
    struct pty *p = start("family");
    pty_keys(p, "r");
    pid_t child = process_on(p, 0), grandchild = grandchild_on(p, 0);
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    expect_process_gone(p, child);
    expect_process_gone(p, grandchild);
    pty_keys(p, "r"); /* and again, over one that may not be quite gone */
    child = process_on(p, child);
    grandchild = grandchild_on(p, grandchild);
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    pty_keys(p, "r");
    pid_t next = process_on(p, child);
    expect_process_gone(p, child);
    expect_process_gone(p, grandchild);
    quit(p);
    ck_assert(!runs(next));
}
END_TEST

/* How many processes have these words in their command line. */
static int processes_with(const char *words) {
    int count = 0;
    DIR *folder = opendir("/proc");
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        char path[300], text[1024];
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) {
            continue;
        }
        size_t got = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        for (size_t i = 0; i < got; i++) {
            text[i] = text[i] == '\0' ? ' ' : text[i];
        }
        text[got] = '\0';
        count += strstr(text, words) != NULL;
    }
    closedir(folder);
    return count;
}

START_TEST(ranks_that_are_processes_go_with_a_cancelled_experiment) {
    char mark[32], line[128];
    snprintf(mark, sizeof mark, "--seed %ld", (long)getpid()); /* nobody else's */
    snprintf(line, sizeof line,
             "allreduce --ranks 3 --elems 1000000 --backend processes --repeat 100000 %s", mark);
    struct pty *p = start(line);
    pty_keys(p, "r");
    pty_expect(p, "the last: repeat");
    ck_assert_int_ge(processes_with(mark), 4);
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    for (int waited = 0; processes_with(mark) > 0; waited += STEP_MS) {
        ck_assert_msg(waited < GONE_MS, "%d processes are left over", processes_with(mark));
        pty_pass(p, STEP_MS);
    }
    quit(p);
}
END_TEST

START_TEST(quitting_while_it_runs_leaves_no_process) {
    struct pty *p = start("family");
    pty_keys(p, "r");
    pid_t child = process_on(p, 0), grandchild = grandchild_on(p, 0);
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    ck_assert(!runs(child));
    expect_process_gone(p, grandchild);
    pty_end(p);
}
END_TEST

static const int fates[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGKILL};

START_TEST(however_the_program_dies_its_experiment_dies_too) {
    struct pty *p = start("sleep");
    pty_keys(p, "r");
    pid_t child = process_on(p, 0);
    pty_signal(p, fates[_i]);
    pty_expect_killed(p, fates[_i]);
    expect_process_gone(p, child);
    if (fates[_i] != SIGKILL) {
        pty_expect_restored(p);
    }
    pty_end(p);
}
END_TEST

START_TEST(a_closed_window_takes_the_experiment_along) {
    struct pty *p = start("sleep");
    int status = 0;
    pty_keys(p, "r");
    pid_t child = process_on(p, 0);
    pty_hang_up(p);
    ck_assert(pty_wait_exit(p, PTY_PATIENCE_MS, &status));
    for (int waited = 0; runs(child); waited += STEP_MS) {
        ck_assert_int_lt(waited, GONE_MS);
        struct timespec step = {0, STEP_MS * 1000000L};
        nanosleep(&step, NULL);
    }
    pty_end(p);
}
END_TEST

START_TEST(keys_work_while_it_talks_without_pause) {
    struct pty *p = start("talk");
    pty_keys(p, "r");
    pty_expect(p, "the last: word  number");
    pty_keys(p, "L");
    pty_expect(p, "最近一个：word");
    pty_keys(p, "b");
    pty_expect(p, "仍在运行：shardlab talk");
    pty_keys(p, "L" PTY_ESCAPE);
    pty_expect(p, "cancelled; r runs it again");
    quit(p);
}
END_TEST

START_TEST(waiting_for_a_silent_experiment_makes_no_wake_ups) {
    struct pty *p = start("sleep");
    size_t length = 1;
    pty_keys(p, "r");
    (void)process_on(p, 0);
    pty_wait_quiet(p, 300, 5000);
    pty_mark(p);
    long before = pty_switches(p);
    pty_pass(p, 1500);
    (void)pty_output(p, &length);
    ck_assert_uint_eq(length, 0);
    ck_assert_int_eq(pty_switches(p) - before, 0);
    pty_keys(p, PTY_ESCAPE); /* and none after it is gone */
    pty_expect(p, "cancelled; r runs it again");
    pty_wait_quiet(p, 600, 5000);
    before = pty_switches(p);
    pty_pass(p, 1500);
    ck_assert_int_eq(pty_switches(p) - before, 0);
    quit(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("tty.experiment");
    TCase *c = tcase_create("experiment");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, the_real_all_reduce_is_as_predicted);
    tcase_add_test(c, the_real_overflow_is_infinite_as_predicted);
    tcase_add_test(c, an_answer_is_shown_and_the_error_output_is_not);
    tcase_add_test(c, a_refusal_is_told_in_its_own_words);
    tcase_add_test(c, a_crash_is_told_and_the_screen_stays);
    tcase_add_test(c, a_cancelled_experiment_is_gone_and_the_next_one_runs);
    tcase_add_test(c, who_does_not_listen_is_killed_with_its_children);
    tcase_add_test(c, ranks_that_are_processes_go_with_a_cancelled_experiment);
    tcase_add_test(c, quitting_while_it_runs_leaves_no_process);
    tcase_add_loop_test(c, however_the_program_dies_its_experiment_dies_too, 0,
                        (int)(sizeof fates / sizeof fates[0]));
    tcase_add_test(c, a_closed_window_takes_the_experiment_along);
    tcase_add_test(c, keys_work_while_it_talks_without_pause);
    tcase_add_test(c, waiting_for_a_silent_experiment_makes_no_wake_ups);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
