/* Children that do what children do: print, print without end, crash, hang, leave children of their own, lose their
 * parent. Shell scripts stand for experiments. Waiting is bounded by patience that a good run never uses up; nothing here
 * measures time. */
#define _XOPEN_SOURCE 700

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shardlab/lab/lab.h"

enum { PATIENCE_MS = 20000, STEP_MS = 5, LINES_MAX = 16 };

/* What was heard of an experiment. */
struct heard {
    int lines;
    char first[LINES_MAX][256];
    size_t lengths[LINES_MAX];
    bool ended;
    struct lab_end end;
};

static struct lab *lab;
static struct heard heard;

static void start(const char *script) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct lab_command command = {"/bin/sh", argv};
    struct message why;
    memset(&heard, 0, sizeof heard);
    ck_assert_int_eq(lab_start(&lab, &command, &why), STATUS_OK);
}

static void listen(void) {
    for (struct lab_news news = lab_next(lab); news.event != LAB_EVENT_NONE; news = lab_next(lab)) {
        if (news.event == LAB_EVENT_ENDED) {
            ck_assert_msg(!heard.ended, "the end was told twice");
            heard.ended = true;
            heard.end = news.end;
            continue;
        }
        ck_assert_msg(!heard.ended, "a line after the end: %s", news.line);
        ck_assert_uint_eq(strlen(news.line), news.length);
        if (heard.lines < LINES_MAX) {
            snprintf(heard.first[heard.lines], sizeof heard.first[0], "%.255s", news.line);
            heard.lengths[heard.lines] = news.length;
        }
        heard.lines++;
    }
}

/* As the loop does: sleeps in poll, listens, until so many lines came or it has ended. */
static void wait_for(int lines) {
    for (int waited = 0; !heard.ended && heard.lines < lines; waited += STEP_MS) {
        struct pollfd fds[LAB_FDS_MAX];
        int count = lab_fds(lab, fds);
        int limit = lab_timeout_ms(lab);
        ck_assert_msg(count > 0 || limit >= 0, "nothing would ever wake the caller");
        ck_assert_msg(waited < PATIENCE_MS, "nothing more is heard after %d lines", heard.lines);
        if (poll(fds, (nfds_t)count, limit < 0 || limit > STEP_MS ? STEP_MS : limit) != 0) {
            waited -= STEP_MS; /* only empty waits count */
        }
        listen();
    }
}

static void wait_for_end(void) {
    wait_for(1 << 30);
    ck_assert(heard.ended);
}

static bool runs(pid_t pid) {
    if (kill(pid, 0) != 0) {
        return false;
    }
    char path[64], text[256] = "";
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

static void expect_gone(pid_t pid) {
    ck_assert_int_gt(pid, 1);
    for (int waited = 0; runs(pid); waited += STEP_MS) {
        ck_assert_msg(waited < PATIENCE_MS, "process %ld still runs", (long)pid);
        (void)poll(NULL, 0, STEP_MS);
    }
}

static pid_t pid_in(const char *line) {
    return (pid_t)strtol(line, NULL, 10);
}

START_TEST(lines_come_whole_and_in_order_and_then_the_end) {
    start("echo one; printf tw; sleep 0.05; echo o; echo; printf last; exit 3");
    wait_for_end();
    ck_assert_int_eq(heard.lines, 4);
    ck_assert_str_eq(heard.first[0], "one");
    ck_assert_str_eq(heard.first[1], "two");
    ck_assert_str_eq(heard.first[2], "");
    ck_assert_str_eq(heard.first[3], "last");
    ck_assert_int_eq(heard.end.kind, LAB_END_EXIT);
    ck_assert_int_eq(heard.end.value, 3);
    ck_assert_str_eq(heard.end.error, "");
    struct pollfd fds[LAB_FDS_MAX];
    ck_assert_int_eq(lab_fds(lab, fds), 0);
    ck_assert_int_eq(lab_timeout_ms(lab), -1);
    ck_assert_int_eq(lab_next(lab).event, LAB_EVENT_NONE);
    lab_close(lab);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(many_lines_lose_none) {
    start("i=0; while [ $i -lt 5000 ]; do echo \"line $i\"; i=$((i+1)); done");
    wait_for_end();
    ck_assert_int_eq(heard.lines, 5000);
    ck_assert_str_eq(heard.first[15], "line 15");
    lab_close(lab);
}
END_TEST

START_TEST(who_has_not_taken_all_lines_is_not_sent_to_sleep) {
    start("printf 'one\\ntwo\\n'; exec sleep 1000"); /* one write, so both come together */
    struct lab_news news = {.event = LAB_EVENT_NONE};
    while (news.event == LAB_EVENT_NONE) {
        (void)poll(NULL, 0, STEP_MS);
        news = lab_next(lab);
    }
    ck_assert_str_eq(news.line, "one");
    ck_assert_int_eq(lab_timeout_ms(lab), 0);
    ck_assert_str_eq(lab_next(lab).line, "two");
    ck_assert_int_eq(lab_next(lab).event, LAB_EVENT_NONE);
    ck_assert_int_ne(lab_timeout_ms(lab), 0);
    lab_close(lab);
}
END_TEST

START_TEST(a_line_of_the_largest_length_is_a_line) {
    char script[128];
    snprintf(script, sizeof script, "head -c %d /dev/zero | tr '\\0' x; echo; echo after",
             LAB_LINE_MAX);
    start(script);
    wait_for_end();
    ck_assert_int_eq(heard.lines, 2);
    ck_assert_uint_eq(heard.lengths[0], LAB_LINE_MAX);
    ck_assert_str_eq(heard.first[1], "after");
    ck_assert_int_eq(heard.end.kind, LAB_END_EXIT);
    lab_close(lab);
}
END_TEST

START_TEST(a_longer_line_ends_the_experiment) {
    char script[128];
    snprintf(script, sizeof script, "head -c %d /dev/zero | tr '\\0' x; echo; sleep 100",
             LAB_LINE_MAX + 1);
    start(script);
    wait_for_end();
    ck_assert_int_eq(heard.lines, 0);
    ck_assert_int_eq(heard.end.kind, LAB_END_LONG_LINE);
    lab_close(lab);
}
END_TEST

START_TEST(the_last_line_of_the_error_output_is_kept) {
    start("echo a warning >&2; echo 'shardlab: --ranks 0: at least 1' >&2; echo '  ' >&2; exit 2");
    wait_for_end();
    ck_assert_str_eq(heard.end.error, "shardlab: --ranks 0: at least 1");
    ck_assert_int_eq(heard.end.value, 2);
    lab_close(lab);
    start("printf 'no newline' >&2; head -c 100000 /dev/zero >&2; exit 1");
    wait_for_end();
    ck_assert_str_eq(heard.end.error, "no newline");
    lab_close(lab);
    start("head -c 2000 /dev/zero | tr '\\0' y >&2");
    wait_for_end();
    ck_assert_uint_eq(strlen(heard.end.error), LAB_ERROR_MAX - 1);
    lab_close(lab);
}
END_TEST

START_TEST(a_crash_is_told_by_its_signal) {
    start("echo before; kill -SEGV $$");
    wait_for_end();
    ck_assert_int_eq(heard.lines, 1);
    ck_assert_int_eq(heard.end.kind, LAB_END_SIGNAL);
    ck_assert_int_eq(heard.end.value, SIGSEGV);
    lab_close(lab);
}
END_TEST

START_TEST(a_cancelled_sleeper_ends) {
    start("echo $$; exec sleep 1000");
    wait_for(1);
    pid_t pid = pid_in(heard.first[0]);
    struct pollfd
        fds[LAB_FDS_MAX]; /* all of them: the kernel tells of the end, nobody has to look */
    ck_assert(lab_fds(lab, fds) < LAB_FDS_MAX || lab_timeout_ms(lab) == -1);
    lab_cancel(lab);
    ck_assert_int_ge(lab_timeout_ms(lab), 0);
    ck_assert_int_le(lab_timeout_ms(lab), LAB_GRACE_MS);
    wait_for_end();
    ck_assert_int_eq(heard.end.kind, LAB_END_CANCELLED);
    expect_gone(pid);
    lab_cancel(lab);
    lab_close(lab);
}
END_TEST

START_TEST(who_does_not_listen_to_a_request_is_killed_after_the_grace) {
    start("trap '' TERM; echo $$; while :; do sleep 0.01; done");
    wait_for(1);
    lab_cancel(lab);
    wait_for_end();
    ck_assert_int_eq(heard.end.kind, LAB_END_CANCELLED);
    expect_gone(pid_in(heard.first[0]));
    lab_close(lab);
}
END_TEST

START_TEST(grandchildren_are_killed_with_the_group) {
    start("(trap '' TERM; while :; do sleep 0.01; done) & echo $!; wait");
    wait_for(1);
    pid_t grandchild = pid_in(heard.first[0]);
    ck_assert(runs(grandchild));
    lab_cancel(lab);
    wait_for_end();
    expect_gone(grandchild);
    lab_close(lab);
}
END_TEST

START_TEST(a_grandchild_that_keeps_the_pipe_does_not_delay_the_end) {
    start("sleep 1000 & echo $!; exit 0");
    wait_for_end();
    ck_assert_int_eq(heard.lines, 1);
    ck_assert_int_eq(heard.end.kind, LAB_END_EXIT);
    expect_gone(pid_in(heard.first[0]));
    lab_close(lab);
}
END_TEST

START_TEST(closing_leaves_no_process) {
    start("trap '' TERM; sleep 1000 & echo $!; echo $$; wait; while :; do sleep 1; done");
    wait_for(2);
    pid_t pids[] = {pid_in(heard.first[0]), pid_in(heard.first[1])};
    lab_close(lab);
    expect_gone(pids[0]);
    expect_gone(pids[1]);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(the_child_has_a_clean_world) {
    int spare = open("/dev/null", O_RDONLY); /* not closed on exec, as a library's may be */
    sigset_t some, before;
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigprocmask(SIG_BLOCK, &some, &before);
    signal(SIGHUP, SIG_IGN);
    start("cat; ls /proc/self/fd | wc -l; ps -o pgid=,sid= -p $$ | tr -s ' ' | sed 's/^ //'; "
          "echo \"$$ $$\"; "
          "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\t\\n'");
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    wait_for_end();
    close(spare);
    ck_assert_int_eq(heard.lines, 4);      /* cat has read nothing and ended */
    ck_assert_str_eq(heard.first[0], "4"); /* 0, 1, 2 and the folder itself */
    ck_assert_str_eq(heard.first[1], heard.first[2]);
    ck_assert_str_eq(heard.first[3], "SigBlk:0000000000000000SigIgn:0000000000000000");
    lab_close(lab);
}
END_TEST

START_TEST(the_end_is_told_also_where_children_were_ignored) {
    signal(SIGCHLD, SIG_IGN);
    start("echo one; exit 3");
    wait_for_end();
    ck_assert_int_eq(heard.lines, 1);
    ck_assert_int_eq(heard.end.kind, LAB_END_EXIT);
    ck_assert_int_eq(heard.end.value, 3);
    lab_close(lab);
}
END_TEST

START_TEST(what_cannot_be_run_is_refused_and_leaves_nothing) {
    const char *const argv[] = {"nothing", NULL};
    struct lab_command command = {"/nonexistent/program", argv};
    struct message why;
    lab = NULL;
    ck_assert_int_eq(lab_start(&lab, &command, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.lab.start");
    ck_assert_str_eq(why.args[0].text, "/nonexistent/program");
    ck_assert_ptr_null(lab);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    lab_close(NULL);
}
END_TEST

START_TEST(descriptors_are_given_back) {
    int before = open("/dev/null", O_RDONLY);
    close(before);
    for (int i = 0; i < 20; i++) {
        start("echo x; exit 1");
        if (i % 2 == 0) {
            wait_for_end();
        }
        lab_close(lab);
    }
    int after = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(after, before);
    close(after);
}
END_TEST

/* A program in its own process that starts an experiment and then waits for its fate; the experiment's number comes
 * over the pipe. */
static pid_t program_with_an_experiment(int answer) {
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)signal(SIGTERM, SIG_DFL); /* not Check's, which would end the test too */
        start("echo $$; exec sleep 1000");
        wait_for(1);
        pid_t child = pid_in(heard.first[0]);
        ssize_t written = write(answer, &child, sizeof child);
        _exit(written == (ssize_t)sizeof child && pause() != 0 ? 0 : 1);
    }
    return pid;
}

static const int fates[] = {SIGKILL, SIGTERM, SIGABRT, SIGSEGV};

START_TEST(a_killed_program_takes_its_experiment_along) {
    int answer[2];
    pid_t child = 0;
    ck_assert_int_eq(pipe(answer), 0);
    pid_t program = program_with_an_experiment(answer[1]);
    ck_assert_int_eq(read(answer[0], &child, sizeof child), (ssize_t)sizeof child);
    ck_assert(runs(child));
    ck_assert_int_eq(kill(program, fates[_i]), 0);
    ck_assert_int_eq(waitpid(program, NULL, 0), program);
    expect_gone(child);
    close(answer[0]);
    close(answer[1]);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("lab");
    TCase *t = tcase_create("children");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, lines_come_whole_and_in_order_and_then_the_end);
    tcase_add_test(t, many_lines_lose_none);
    tcase_add_test(t, who_has_not_taken_all_lines_is_not_sent_to_sleep);
    tcase_add_test(t, a_line_of_the_largest_length_is_a_line);
    tcase_add_test(t, a_longer_line_ends_the_experiment);
    tcase_add_test(t, the_last_line_of_the_error_output_is_kept);
    tcase_add_test(t, a_crash_is_told_by_its_signal);
    tcase_add_test(t, a_cancelled_sleeper_ends);
    tcase_add_test(t, who_does_not_listen_to_a_request_is_killed_after_the_grace);
    tcase_add_test(t, grandchildren_are_killed_with_the_group);
    tcase_add_test(t, a_grandchild_that_keeps_the_pipe_does_not_delay_the_end);
    tcase_add_test(t, closing_leaves_no_process);
    tcase_add_test(t, the_child_has_a_clean_world);
    tcase_add_test(t, the_end_is_told_also_where_children_were_ignored);
    tcase_add_test(t, what_cannot_be_run_is_refused_and_leaves_nothing);
    tcase_add_test(t, descriptors_are_given_back);
    tcase_add_loop_test(t, a_killed_program_takes_its_experiment_along, 0,
                        (int)(sizeof fates / sizeof fates[0]));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
