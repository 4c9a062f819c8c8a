/* A sitting driven by keys in a test: the program on 24 × 80 with a bank, a log and a clock of the test's own, and what its screen
 * says in the language of the run. Static, because each test program is one file; include it once. Called by
 * tests/journeys/test_quiz.c and test_quiz_interview.c. */
#ifndef SUPPORT_QUIZ_DRIVE_H
#define SUPPORT_QUIZ_DRIVE_H

#include <check.h>

#include "support/drive.h"
#include "support/quiz_solve.h"

static struct drive d;
static struct solve s;
static char path[BANK_PATH_MAX];
static struct words words;

static void start_program(bool chinese) {
    struct app_options options = {
        .chinese = chinese, .progress = path, .clock = bank_clock, .clock_context = NULL};
    struct message why;
    ck_assert(drive_open(&d, 24, 80, &options));
    ck_assert_int_eq(store_words(s.store, chinese, &words, &why), STATUS_OK);
}

static void open_at(const char *name, bool chinese) {
    bank_open(name);
    bank_log(name, path);
    solve_open(&s, path);
    start_program(chinese);
}

static void shut(void) {
    drive_close(&d);
    solve_close(&s);
}

static void keys(const char *names) {
    ck_assert(drive_keys(&d, names));
}

static void see(const char *text) {
    ck_assert_msg(drive_shows(&d, text), "not there: %s\n%s", text, d.text);
}

static void see_id(const char *id) {
    see(words_get(&words, id));
}

#endif
