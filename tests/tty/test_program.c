/* The real program in a real terminal emulator: the main journey in both languages, and what a terminal program owes
 * its terminal: it restores it after every exit and signal, survives every size, says plainly where it cannot run,
 * asks for no colour when told so, and does nothing while nothing happens (reference tui 3.2, 4.6). */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/calc/memory.h"
#include "shardlab/cli/cli.h"
#include "support/pty.h"
#include "tty/lesson_keys.h"

static const char *const chinese[] = {"LC_ALL=C.UTF-8", NULL};

static struct pty *start(const char *language, int rows, int cols) {
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", language, NULL};
    struct pty_options options = {rows, cols, chinese, 0};
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "shardlab");
    return p;
}

/* "10.11": the optimizer's bytes of llama-2-7b, ZeRO-1, as the calculator gives them. */
static void optimizer_text(const char *dp, char *text, size_t capacity) {
    struct scenario given, resolved;
    struct calc_memory memory;
    struct message why;
    struct store *store = NULL;
    struct writer w;
    char line[128];
    snprintf(line, sizeof line, "--model llama-2-7b --zero 1 --dp %s", dp);
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_parse_line(line, &given, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_load(store, &given, NULL, &resolved, NULL, &why), STATUS_OK);
    ck_assert_int_eq(calc_memory_worst(&resolved, &memory, &why), STATUS_OK);
    writer_start(&w, text, capacity);
    units_write_bytes(&w, memory.part_bytes[CALC_PART_OPTIMIZER], UNIT_GB, 2);
    store_close(store);
}

START_TEST(the_main_journey_from_start_to_quit) {
    char at8[32], at16[32];
    optimizer_text("8", at8, sizeof at8);
    optimizer_text("16", at16, sizeof at16);
    struct pty *p = start("en", 40, 120);
    pty_expect(p, "Lessons");
    lesson_keys(p, "memory");
    pty_expect(p, at8);
    pty_expect(p, "optimizer");
    pty_keys(p, PTY_DOWN PTY_DOWN PTY_RIGHT); /* model, card, data ranks */
    pty_expect(p, at16);
    pty_keys(p, "L");
    pty_expect(p, "优化器");
    pty_expect(p, at16);
    pty_resize(p, 5, 20);
    pty_expect_gone(p, at16); /* the notice */
    pty_resize(p, 40, 120);
    pty_expect(p, at16);
    pty_keys(p, "L");
    pty_expect(p, "optimizer");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(the_same_journey_begun_in_chinese) {
    char at16[32];
    optimizer_text("16", at16, sizeof at16);
    struct pty *p = start("zh", 24, 80);
    pty_expect(p, "课程");
    lesson_keys(p, "memory");
    pty_keys(p, "jjl");
    pty_expect(p, at16);
    pty_keys(p, "\xef\xbd\x91"); /* a full-width q from an input method */
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE};

START_TEST(a_signal_leaves_the_terminal_as_it_was) {
    struct pty *p = start("en", 24, 80);
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    pty_signal(p, signals[_i]);
    pty_expect_killed(p, signals[_i]);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(a_closed_window_ends_the_program) {
    struct pty *p = start("en", 24, 80);
    int status = 0;
    pty_hang_up(p);
    ck_assert_msg(pty_wait_exit(p, 2000, &status), "still running 2 s after the window closed");
    pty_end(p);
}
END_TEST

static const struct {
    int rows, cols;
} sizes[] = {{1, 1}, {2, 2}, {3, 10}, {5, 20}, {11, 39}, {12, 40}, {23, 79}, {15, 50}, {200, 500}};

START_TEST(every_size_works_and_can_be_left) {
    struct pty *p = start("en", 24, 80);
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    pty_resize(p, sizes[_i].rows, sizes[_i].cols);
    pty_wait_quiet(p, 100, 3000);
    pty_keys(p, "?" PTY_ESCAPE);
    pty_wait_quiet(p, 100, 3000);
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

START_TEST(a_storm_of_sizes_is_survived) {
    struct pty *p = start("zh", 24, 80);
    uint32_t seed = 7;
    lesson_keys(p, "memory");
    for (int i = 0; i < 200; i++) {
        seed = seed * 1664525u + 1013904223u;
        pty_resize(p, 1 + (int)(seed >> 16) % 60, 1 + (int)(seed >> 8) % 200);
        if (i % 10 == 0) {
            pty_pass(p, 5);
        }
    }
    pty_resize(p, 24, 80);
    pty_expect(p, "10.11");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_end(p);
}
END_TEST

static void expect_refusal(const char *const *environment, unsigned not_tty, const char *sentence) {
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", "en", NULL};
    struct pty_options options = {24, 160, environment, not_tty}; /* a sentence on one row */
    struct pty *p = pty_start(argv, &options);
    pty_expect_exit(p, 1);
    const char *said = (not_tty & PTY_STDERR) != 0 ? pty_piped(p) : pty_text(p);
    ck_assert_msg(strstr(said, sentence) != NULL, "not said: %s, but: %s", sentence, said);
    ck_assert_msg(!pty_output_has(p, "\033["), "escape codes in a place that is no terminal");
    pty_end(p);
}

START_TEST(where_it_cannot_run_it_says_so) {
    expect_refusal((const char *const[]){"TERM=dumb", NULL}, 0, "TERM=xterm-256color");
    expect_refusal((const char *const[]){"TERM", NULL}, 0, "TERM=xterm-256color");
    expect_refusal((const char *const[]){"TERM=no-such-terminal", NULL}, 0, "no-such-terminal");
    expect_refusal(NULL, PTY_STDOUT | PTY_STDERR, "terminal");
    expect_refusal(NULL, PTY_STDIN | PTY_STDERR, "terminal");
}
END_TEST

START_TEST(no_colour_is_asked_for_when_told_so) {
    static const char *const plain[] = {"NO_COLOR=1", "LC_ALL=C.UTF-8", NULL};
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", "en", NULL};
    struct pty_options options = {24, 80, plain, 0};
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "Lessons");
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    ck_assert_int_eq(pty_colour_codes(p), 0);
    pty_end(p);
    p = start("en", 24, 80); /* and the counter counts: with colour there are some */
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    ck_assert_int_gt(pty_colour_codes(p), 0);
    pty_end(p);
}
END_TEST

START_TEST(an_idle_screen_makes_no_bytes_and_no_wake_ups) {
    struct pty *p = start("en", 40, 120);
    size_t length = 1;
    lesson_keys(p, "memory");
    pty_expect(p, "10.11");
    pty_wait_quiet(p, 300, 5000);
    pty_mark(p);
    long before = pty_switches(p);
    pty_pass(p, 2000);
    (void)pty_output(p, &length);
    ck_assert_uint_eq(length, 0);
    ck_assert_int_eq(pty_switches(p) - before, 0);
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("tty.program");
    TCase *c = tcase_create("program");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_main_journey_from_start_to_quit);
    tcase_add_test(c, the_same_journey_begun_in_chinese);
    tcase_add_loop_test(c, a_signal_leaves_the_terminal_as_it_was, 0,
                        (int)(sizeof signals / sizeof signals[0]));
    tcase_add_test(c, a_closed_window_ends_the_program);
    tcase_add_loop_test(c, every_size_works_and_can_be_left, 0,
                        (int)(sizeof sizes / sizeof sizes[0]));
    tcase_add_test(c, a_storm_of_sizes_is_survived);
    tcase_add_test(c, where_it_cannot_run_it_says_so);
    tcase_add_test(c, no_colour_is_asked_for_when_told_so);
    tcase_add_test(c, an_idle_screen_makes_no_bytes_and_no_wake_ups);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
