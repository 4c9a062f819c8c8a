/* The mouse in a real terminal: not asked for until somebody wants it, given back after every exit, on Ctrl-Z and on
 * a deadly signal; columns beyond the 223 of the old protocol; reports that nobody asked for do nothing. And the
 * screens that take text, with the keys of a real terminal. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tty/lesson_keys.h"
#include "tty/probe.h"

static struct pty *start_program(void) {
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", "en", NULL};
    const struct pty_options options = {40, 300, NULL, 0};
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "Lessons");
    return p;
}

/* Any switch of any mouse mode. */
static bool mouse_was_named(struct pty *p) {
    return pty_output_has(p, "\033[?1000") || pty_output_has(p, "\033[?1002") ||
           pty_output_has(p, "\033[?1003") || pty_output_has(p, "\033[?1006");
}

START_TEST(off_means_not_asked_for) {
    struct pty *p = start_program();
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    pty_keys(p, "\033[<0;20;5M\033[<0;20;5m"); /* nobody asked: swallowed */
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    ck_assert(!mouse_was_named(p));
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(m_asks_for_it_and_gives_it_back) {
    struct pty *p = start_program();
    lesson_keys(p, "memory");
    pty_keys(p, "m");
    pty_expect(p, "mouse on");
    ck_assert(pty_output_has(p, "\033[?1006h"));
    pty_mark(p);
    pty_keys(p, "m");
    pty_expect(p, "mouse off");
    ck_assert(pty_output_has(p, "\033[?1002l"));
    pty_keys(p, "m");
    pty_expect(p, "mouse on");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static const int deadly[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};

START_TEST(a_signal_switches_it_off) {
    struct pty *p = start_program();
    pty_keys(p, "m");
    pty_expect(p, "mouse on");
    pty_signal(p, deadly[_i]);
    pty_expect_killed(p, deadly[_i]);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

/* Presses on the first cell of a text. */
static void click(struct pty *p, const char *text) {
    char report[64];
    pty_expect(p, text);
    int row = pty_find(p, text);
    for (int col = 0; col < pty_cols(p); col++) {
        bool here = true;
        for (int i = 0; text[i] != '\0' && here; i++) {
            here = pty_cell(p, row, col + i).code_point == (uint32_t)(unsigned char)text[i];
        }
        if (here) {
            snprintf(report, sizeof report, "\033[<0;%d;%dM\033[<0;%d;%dm", col + 1, row + 1,
                     col + 1, row + 1);
            pty_keys(p, report);
            return;
        }
    }
    ck_abort_msg("%s is not in row %d", text, row);
}

START_TEST(a_click_reaches_the_program) {
    struct pty *p = start_program();
    lesson_keys(p, "memory");
    pty_keys(p, "m");
    pty_expect(p, "mouse on");
    click(p, "16   32");
    pty_expect(p, "5.05");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_end(p);
}
END_TEST

static const struct {
    const char *id, *bytes, *note;
} reports[] = {
    {"press", "\033[<0;5;3M", "mouse 0 row 2 col 4"},
    {"drag", "\033[<32;5;3M", "mouse 1 row 2 col 4"},
    {"release", "\033[<0;5;3m", "mouse 2 row 2 col 4"},
    {"wheel up", "\033[<64;1;1M", "mouse 3 row 0 col 0"},
    {"wheel down", "\033[<65;1;1M", "mouse 4 row 0 col 0"},
    {"with shift", "\033[<4;5;3M", "mouse 0 row 2 col 4"},
    {"beyond column 223", "\033[<0;300;24M", "mouse 0 row 23 col 299"},
    {"far beyond", "\033[<0;2000;1M", "mouse 0 row 0 col 1999"},
};

START_TEST(a_report_is_decoded) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "m");
    pty_expect(p, "keys 1");
    pty_keys(p, reports[_i].bytes);
    pty_expect(p, reports[_i].note);
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static const char *const noise[] = {
    "\033[<2;5;3M", "\033[<66;5;3M",  "\033[<0;5M",   "\033[<;;M",
    "\033[<M",      "\033[<0;5;3;9M", "\033[<0;0;0M", "\033[<0;99999999999999999999;3x",
};

START_TEST(what_is_no_report_does_nothing) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "m");
    pty_expect(p, "keys 1");
    pty_keys(p, noise[_i]);
    pty_keys(p, "x");
    pty_expect(p, "keys 2"); /* the letter and nothing else */
    ck_assert(!pty_has(p, "mouse "));
    pty_end(p);
}
END_TEST

START_TEST(ctrl_z_gives_it_back_and_takes_it_again) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "m");
    pty_expect(p, "keys 1");
    pty_mark(p);
    pty_keys(p, PTY_CTRL_Z);
    pty_wait_quiet(p, 100, 3000);
    ck_assert(pty_output_has(p, "\033[?1002l"));
    pty_mark(p);
    pty_signal(p, SIGCONT);
    pty_wait_quiet(p, 100, 3000);
    ck_assert(pty_output_has(p, "\033[?1002h"));
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(a_model_is_typed_and_taken) {
    struct pty *p = start_program();
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    pty_keys(p, PTY_ENTER);
    pty_expect(p, "filter:");
    pty_keys(p, "qx" PTY_BACKSPACE "\xef\xbd\x97"
                "en" PTY_DOWN PTY_ENTER); /* a full-width w */
    pty_expect(p, "qwen2.5-1.5b");
    pty_keys(p, "/GRADIENT" PTY_ENTER);
    pty_expect(p, "/GRADIENT  match 1 of");
    pty_keys(p, "n");
    pty_expect(p, "match 2 of");
    pty_keys(p, PTY_ESCAPE);
    pty_expect_gone(p, "match 2 of");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("mouse");
    TCase *c = tcase_create("mouse");
    tcase_add_test(c, off_means_not_asked_for);
    tcase_add_test(c, m_asks_for_it_and_gives_it_back);
    tcase_add_loop_test(c, a_signal_switches_it_off, 0, sizeof deadly / sizeof deadly[0]);
    tcase_add_test(c, a_click_reaches_the_program);
    tcase_add_loop_test(c, a_report_is_decoded, 0, sizeof reports / sizeof reports[0]);
    tcase_add_loop_test(c, what_is_no_report_does_nothing, 0, sizeof noise / sizeof noise[0]);
    tcase_add_test(c, ctrl_z_gives_it_back_and_takes_it_again);
    tcase_add_test(c, a_model_is_typed_and_taken);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
