/* However the program ends, the shell gets a usable terminal back and learns how it ended
 * (reference tui 4.6); and it can be stopped, resized meanwhile, and go on. Job control is a
 * real shell's. */
#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tty/probe.h"

static const struct {
    const char *name;
    int signal;
} endings[] = {
    {"TERM", SIGTERM}, {"INT", SIGINT},   {"HUP", SIGHUP},   {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV},
    {"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE},   {"ILL", SIGILL},   {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"XCPU", SIGXCPU},
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

START_TEST(every_deadly_signal_restores_the_terminal) {
    struct pty *p = probe_start(NULL, NULL);
    ck_assert_msg(!pty_cooked(p), "%s: was not raw", endings[_i].name);
    pty_signal(p, endings[_i].signal);
    pty_expect_killed(p, endings[_i].signal);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

/* The same, hidden cursor and many frames under way: keys are held down. */
START_TEST(a_signal_in_the_middle_of_drawing_restores_the_terminal) {
    struct pty *p = probe_start(NULL, NULL);
    for (int i = 0; i < 40; i++) {
        pty_keys(p, "xxxxxxxx" PTY_CTRL_L);
    }
    pty_pass(p, 3);
    pty_signal(p, endings[_i].signal);
    pty_expect_killed(p, endings[_i].signal);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static const struct {
    const char *key;
    int signal;
    const char *says; /* on the error stream, NULL: nothing */
} faults[] = {
    {"s", SIGSEGV, NULL},
    {"a", SIGABRT, "Assertion"},
    {"o", SIGSEGV, NULL},    /* the stack is used up: the handler needs its own */
    {"\034", SIGQUIT, NULL}, /* Ctrl-\ */
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

START_TEST(a_fault_of_our_own_restores_the_terminal_and_is_told) {
    struct pty *p =
        probe_start(NULL, &(struct pty_options){.cols = 300}); /* one line for a long path */
    pty_keys(p, faults[_i].key);
    pty_expect_killed(p, faults[_i].signal);
    pty_expect_restored(p);
    if (faults[_i].says != NULL) {
        pty_expect(p, faults[_i].says);
    }
    pty_end(p);
}
END_TEST

START_TEST(a_closed_window_ends_the_program) {
    struct pty *p = probe_start(NULL, NULL);
    int status = 0;
    pty_hang_up(p);
    ck_assert_msg(pty_wait_exit(p, 2000, &status), "still running after 2 s");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGHUP);
    pty_end(p);
}
END_TEST

/* nohup: the signal is ignored, but the terminal is gone all the same. */
START_TEST(a_closed_window_ends_the_program_that_ignores_the_signal) {
    char command[512];
    snprintf(command, sizeof command, "trap '' HUP; exec \"%s\"", getenv("TERM_PROBE_BIN"));
    struct pty *p = pty_start((const char *const[]){"/bin/sh", "-c", command, NULL}, NULL);
    pty_expect(p, "keys 0");
    int status = 0;
    pty_hang_up(p);
    ck_assert_msg(pty_wait_exit(p, 2000, &status), "still running after 2 s");
    pty_end(p);
}
END_TEST

/* --- Stop and go on --- */

/* The border has reached the last cell: the frame is complete at this size. */
static void expect_corner(struct pty *p) {
    int row = pty_rows(p) - 1, col = pty_cols(p) - 1;
    if (pty_cell(p, row, col).code_point != '|') {
        pty_dump(p);
        ck_abort_msg("no border in the last cell");
    }
}

START_TEST(a_resize_while_stopped_is_seen) {
    static const int stops[] = {SIGSTOP, SIGTSTP};
    struct pty *p = probe_start(NULL, NULL);
    pty_signal(p,
               stops[_i]); /* a session's first process has no job control: TSTP does not stop it */
    pty_pass(p, 200);
    pty_resize(p, 30, 100);
    pty_pass(p, 100);
    pty_signal(p, SIGCONT);
    pty_expect(p, "probe 30x100");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    expect_corner(p);
    ck_assert(pty_alternate_screen(p));
    ck_assert(!pty_cooked(p));
    pty_keys(p, "x");
    pty_expect(p, "keys 1");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static struct pty *shell_start(void) {
    static const char *const environment[] = {"PS1=ready> ", "ENV", NULL};
    struct pty *p = pty_start((const char *const[]){"/bin/sh", "-i", NULL},
                              &(struct pty_options){.environment = environment});
    pty_expect(p, "ready>");
    return p;
}

static void shell_run(struct pty *p, const char *command) {
    pty_mark(p);
    pty_keys(p, command);
    pty_keys(p, "\r");
}

/* The shell asks for a command again after the mark. The screen cannot tell: an earlier prompt is still on it, and what
 * is typed while the program ends is thrown away with its terminal modes. */
static void expect_prompt(struct pty *p) {
    for (int waited = 0; waited < PTY_PATIENCE_MS; waited += 20) {
        if (pty_output_has(p, "ready> ")) {
            return;
        }
        pty_pass(p, 20);
    }
    pty_dump(p);
    ck_abort_msg("no new prompt");
}

START_TEST(control_z_gives_the_shell_back_and_fg_the_screen) {
    struct pty *p = shell_start();
    shell_run(p, "\"$TERM_PROBE_BIN\"");
    pty_expect(p, "keys 0");
    for (int turn = 0; turn < 3; turn++) {
        static const int sizes[3][2] = {{30, 100}, {12, 50}, {24, 80}};
        char expected[32];
        pty_keys(p, PTY_CTRL_Z);
        pty_expect_gone(p, "keys");
        pty_expect(p, "Stopped");
        ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
        pty_expect_restored(p);
        pty_resize(p, sizes[turn][0], sizes[turn][1]);
        pty_pass(p, 50);
        shell_run(p, "fg");
        snprintf(expected, sizeof expected, "probe %dx%d", sizes[turn][0], sizes[turn][1]);
        pty_expect(p, expected);
        ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
        ck_assert(pty_alternate_screen(p));
        expect_corner(p);
        /* a later shrink must be painted as well */
        pty_resize(p, 10, 40);
        pty_expect(p, "probe 10x40");
        ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
        expect_corner(p);
    }
    pty_mark(p);
    pty_keys(p, "q");
    expect_prompt(p);
    shell_run(p, "echo status=$?");
    pty_expect(p, "status=0");
    pty_end(p);
}
END_TEST

START_TEST(a_stopped_program_that_is_killed_leaves_the_shell_alone) {
    struct pty *p = shell_start();
    shell_run(p, "\"$TERM_PROBE_BIN\"");
    pty_expect(p, "keys 0");
    pty_keys(p, PTY_CTRL_Z);
    pty_expect(p, "Stopped");
    shell_run(p, "kill %1; sleep 0.3; wait; echo ended=$?");
    pty_expect(p, "ended=");
    ck_assert(pty_wait_quiet(p, 300, PTY_PATIENCE_MS));
    ck_assert_msg(!pty_output_has(p, "1049"), "it switched screens under the shell");
    shell_run(p, "echo st''ill=$?");
    pty_expect(p, "still=0");
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("signals");
    TCase *end = tcase_create("end"), *stop = tcase_create("stop");
    tcase_set_timeout(end, 60);
    tcase_set_timeout(stop, 60);
    tcase_add_loop_test(end, every_deadly_signal_restores_the_terminal, 0, ENDINGS);
    tcase_add_loop_test(end, a_signal_in_the_middle_of_drawing_restores_the_terminal, 0, ENDINGS);
    tcase_add_loop_test(end, a_fault_of_our_own_restores_the_terminal_and_is_told, 0, FAULTS);
    tcase_add_test(end, a_closed_window_ends_the_program);
    tcase_add_test(end, a_closed_window_ends_the_program_that_ignores_the_signal);
    tcase_add_loop_test(stop, a_resize_while_stopped_is_seen, 0, 2);
    tcase_add_test(stop, control_z_gives_the_shell_back_and_fg_the_screen);
    tcase_add_test(stop, a_stopped_program_that_is_killed_leaves_the_shell_alone);
    suite_add_tcase(s, end);
    suite_add_tcase(s, stop);
    return s;
}

#include "support/check_main.h"
