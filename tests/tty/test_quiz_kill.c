/* kill -9 while somebody answers questions: the real program in a real terminal is ended at a random moment, most often just
 * after the key that answers. Every answer whose feedback was on the screen is in the database, which opens clean. The long
 * run is the target `kill`, or TEST_ROUNDS=1000; below the program, tests/unit/store/test_progress_kill.c does the same. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shardlab/store/progress.h"
#include "support/mangle.h"
#include "support/pty.h"
#include "support/rounds.h"
#include "support/run.h"

enum {
    ROUNDS_USUAL = 50,
    ANSWERS_MAX = 4,   /* of one round, before the one that is cut short */
    ANSWERS_LOG = 10,  /* then a new log: a day's questions end */
    HURRY_MAX_MS = 24, /* from the key to the end */
};

static char folder[RUN_PATH_MAX], path[RUN_PATH_MAX], setting[2 * RUN_PATH_MAX];

static void here_make(void) {
    folder_make(folder, TEST_BINARY_DIR);
    (void)folder_path(path, folder, "progress.db");
    (void)snprintf(setting, sizeof setting, "SHARDLAB_PROGRESS=%s", path);
}

static void here_remove(void) {
    folder_remove(folder);
}

static void log_remove(void) {
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (int i = 0; i < 4; i++) {
        char name[RUN_PATH_MAX + 16];
        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)remove(name);
    }
}

/* Answers in the log, which must be readable. */
static int answers_read(void) {
    struct progress *p = NULL;
    struct message why = {0};
    int count = 0, answers = 0;
    ck_assert_msg(progress_open(path, &p, &why) == STATUS_OK, "%s", why.id);
    const struct progress_event *events = progress_events(p, &count);
    for (int i = 0; i < count; i++) {
        answers += events[i].kind == PROGRESS_ANSWER ? 1 : 0;
    }
    ck_assert_int_eq(progress_passed_over(p), 0);
    progress_close(p);
    return answers;
}

static void expect_intact(void) {
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &row, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(row, 0), "ok");
    ck_assert_int_eq(sqlite3_finalize(row), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* The last row says what keys do: whether a question is asked, or has its feedback. */
static const char asked[] = "not known", judged[] = "Enter next",
                  verdict[] = "Not answered; right is";

static void answer_press(struct pty *p) {
    pty_keys(p, pty_has(p, "Ctrl-X not known") ? "\x18" : "x"); /* also where letters are typed */
}

/* A learner's round up to its end; returns how often feedback was shown, and counts the keys that answer. */
static int round_run(uint64_t *seed, int *pressed) {
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", "en", NULL};
    const char *const environment[] = {"LC_ALL=C.UTF-8", setting, NULL};
    struct pty_options options = {30, 100, environment, 0};
    int shown = 0, answers = (int)(mangle_random(seed) % (ANSWERS_MAX + 1));
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "Lessons");
    pty_keys(p, "x");
    pty_expect(p, asked);
    for (int i = 0; i < answers; i++) {
        answer_press(p);
        pty_expect(p, judged);
        shown++;
        pty_keys(p, PTY_ENTER);
        pty_expect(p, asked);
    }
    answer_press(p);
    pty_pass(p, (int)(mangle_random(seed) % HURRY_MAX_MS));
    pty_signal(p, SIGKILL);
    pty_expect_killed(p, SIGKILL);
    shown += pty_has(p, judged) || pty_has(p, verdict) ? 1 : 0;
    *pressed += answers + 1;
    pty_end(p);
    return shown;
}

START_TEST(every_answer_whose_feedback_was_on_the_screen_survives) {
    uint64_t seed = (uint64_t)time(NULL);
    int rounds = test_rounds(ROUNDS_USUAL), before = 0;
    int pressed = 0, all = 0, unseen = 0;
    for (int round = 0; round < rounds; round++) {
        if (before >= ANSWERS_LOG) {
            log_remove();
            before = 0;
        }
        int shown = round_run(&seed, &pressed);
        int now = answers_read();
        ck_assert_msg(now >= before + shown, "round %d: %d shown, %d kept", round, shown,
                      now - before);
        ck_assert_int_le(now, before + shown + 1);
        if (now > 0) {
            expect_intact();
        }
        unseen += now - before - shown;
        all += shown;
        before = now;
    }
    (void)printf("%d processes killed: %d answers given, %d shown and all there, %d there but not "
                 "shown, %d came too late\n",
                 rounds, pressed, all, unseen, pressed - all - unseen);
    ck_assert_int_ge(all, rounds / 2);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("tty.quiz_kill");
    TCase *c = tcase_create("quiz_kill");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, every_answer_whose_feedback_was_on_the_screen_survives);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
