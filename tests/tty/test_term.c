/* The room `term` opens on what can show a full screen, says why on what cannot, and picks the
 * colours that the terminal and the person allow. Expected sentences are message ids, which the
 * probe prints with their values. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tty/probe.h"

static const struct {
    const char *id;
    const char *environment[3];
    unsigned not_tty;
    const char *says;
} refusals[] = {
    {"unset", {"TERM"}, 0, "error.term.unset"},
    {"empty", {"TERM="}, 0, "error.term.unset"},
    {"unknown", {"TERM=no-such-terminal"}, 0, "error.term.unknown no-such-terminal"},
    {"path", {"TERM=../../etc/passwd"}, 0, "error.term.unknown ../../etc/passwd"},
    {"generic", {"TERM=unknown"}, 0, "error.term.unknown unknown"},
    {"dumb", {"TERM=dumb"}, 0, "error.term.dumb dumb"},
    {"no stdin", {NULL}, PTY_STDIN, "error.term.no_tty stdin"},
    {"no stdout", {NULL}, PTY_STDOUT, "error.term.no_tty stdout"},
    {"nothing", {NULL}, PTY_STDIN | PTY_STDOUT | PTY_STDERR, "error.term.no_tty stdin"},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

START_TEST(what_cannot_show_a_screen_is_refused_with_a_sentence) {
    const struct pty_options options = {.environment = refusals[_i].environment,
                                        .not_tty = refusals[_i].not_tty};
    struct pty *p = probe_launch(NULL, &options);
    int status = 0;
    ck_assert_msg(pty_wait_exit(p, PTY_PATIENCE_MS, &status), "%s: hangs", refusals[_i].id);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s: status %d", refusals[_i].id,
                  status);
    bool piped = (refusals[_i].not_tty & PTY_STDERR) != 0;
    const char *said = piped ? pty_piped(p) : pty_output(p, NULL);
    ck_assert_msg(strstr(said, refusals[_i].says) != NULL, "%s: it said: %s", refusals[_i].id,
                  said);
    ck_assert_msg(!pty_output_has(p, "\033"), "%s: escape codes on the terminal", refusals[_i].id);
    ck_assert_msg(strchr(pty_piped(p), '\033') == NULL, "%s: escape codes in the pipe",
                  refusals[_i].id);
    ck_assert(pty_cooked(p));
    pty_end(p);
}
END_TEST

static const struct {
    const char *term, *argument, *tier;
    bool colours;
} tiers[] = {
    {"TERM=xterm-256color", NULL, "256", true},
    {"TERM=xterm", NULL, "8", true},
    {"TERM=linux", NULL, "8", true},
    {"TERM=screen", NULL, "8", true},
    {"TERM=tmux-256color", NULL, "256", true},
    {"TERM=vt100", NULL, "mono", false},
    {"TERM=xterm-256color", "--no-colour", "mono", false},
};
enum { TIERS = sizeof tiers / sizeof tiers[0] };

START_TEST(colours_are_those_of_the_terminal_and_of_the_option) {
    const char *const environment[] = {tiers[_i].term, NULL};
    char expected[32];
    snprintf(expected, sizeof expected, "24x80 %s", tiers[_i].tier);
    struct pty *p =
        probe_start(tiers[_i].argument, &(struct pty_options){.environment = environment});
    pty_expect(p, expected);
    pty_keys(p, "x");
    pty_expect(p, "keys 1");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    int codes = pty_colour_codes(p);
    ck_assert_msg((codes > 0) == tiers[_i].colours, "%s %s: %d colour codes", tiers[_i].term,
                  expected, codes);
    pty_end(p);
}
END_TEST

START_TEST(the_background_stays_the_terminals_own) {
    struct pty *p = probe_start(NULL, NULL);
    for (int row = 0; row < pty_rows(p); row++) {
        for (int col = 0; col < pty_cols(p); col++) {
            ck_assert_msg(pty_cell(p, row, col).background == -1, "%d,%d has a background", row,
                          col);
        }
    }
    pty_end(p);
}
END_TEST

static const char *const locales[][3] = {
    /* LC_ALL, what the probe says */
    {"LC_ALL=C.UTF-8", "utf8"},
    {"LC_ALL=C", "utf8"},
    {"LC_ALL=no_SUCH.UTF-8", "utf8"},
    {"LC_ALL=", "utf8"},
};
enum { LOCALES = sizeof locales / sizeof locales[0] };

START_TEST(a_locale_without_utf8_is_no_obstacle) {
    const char *const environment[] = {locales[_i][0], "LANG=C", NULL};
    struct pty *p = probe_start(NULL, &(struct pty_options){.environment = environment});
    pty_expect(p, locales[_i][1]);
    pty_expect(p, "显存 GPU memory");
    pty_end(p);
}
END_TEST

START_TEST(quitting_restores_the_terminal) {
    struct pty *p = probe_start(NULL, NULL);
    ck_assert(pty_alternate_screen(p));
    ck_assert(!pty_cooked(p));
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(stray_words_wait_for_the_end) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "e");
    pty_expect(p, "keys 1");
    pty_pass(p, 100);
    ck_assert(!pty_output_has(p, "stray words"));
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    ck_assert(pty_output_has(p, "stray words of a driver"));
    pty_expect(p, "stray words of a driver"); /* on the main screen, where it can be read */
    pty_end(p);
}
END_TEST

START_TEST(an_error_stream_that_is_a_file_stays_one) {
    struct pty *p = probe_start(NULL, &(struct pty_options){.not_tty = PTY_STDERR});
    pty_keys(p, "e");
    pty_expect(p, "keys 1");
    pty_pass(p, 100);
    ck_assert_str_eq(pty_piped(p), "stray words of a driver\n");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    ck_assert(!pty_output_has(p, "stray words"));
    pty_end(p);
}
END_TEST

START_TEST(a_copy_goes_to_the_terminals_clipboard) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "y");
    pty_expect(p, "keys 1");
    ck_assert(pty_output_has(p, "\033]52;c;MTbOqCA9IOaYvuWtmA==\a"));
    pty_end(p);
}
END_TEST

START_TEST(the_callers_pipe_wakes_the_wait) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "p");
    pty_expect(p, "pipe ready");
    pty_end(p);
}
END_TEST

START_TEST(a_wait_ends_when_its_time_is_over) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "t");
    pty_expect(p, "timeout");
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("term");
    TCase *open = tcase_create("open");
    tcase_set_timeout(open, 60);
    tcase_add_loop_test(open, what_cannot_show_a_screen_is_refused_with_a_sentence, 0, REFUSALS);
    tcase_add_loop_test(open, colours_are_those_of_the_terminal_and_of_the_option, 0, TIERS);
    tcase_add_loop_test(open, a_locale_without_utf8_is_no_obstacle, 0, LOCALES);
    tcase_add_test(open, the_background_stays_the_terminals_own);
    tcase_add_test(open, quitting_restores_the_terminal);
    tcase_add_test(open, stray_words_wait_for_the_end);
    tcase_add_test(open, an_error_stream_that_is_a_file_stays_one);
    tcase_add_test(open, a_copy_goes_to_the_terminals_clipboard);
    tcase_add_test(open, the_callers_pipe_wakes_the_wait);
    tcase_add_test(open, a_wait_ends_when_its_time_is_over);
    suite_add_tcase(s, open);
    return s;
}

#include "support/check_main.h"
