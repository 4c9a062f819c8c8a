/* A small bank of questions of its own for tests of screens: every kind once, so that what a lesson's author writes changes
 * no test. The data folder is made of links to the program's own, but for the one file of questions; the log is a file
 * of the test. Include it once in a test file. */
#ifndef SUPPORT_QUIZ_BANK_H
#define SUPPORT_QUIZ_BANK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/shell/app.h"

enum { BANK_PATH_MAX = 512 };

static inline void bank_link(const char *from, const char *to) {
    (void)unlink(to);
    if (symlink(from, to) != 0) {
        perror(to);
        abort();
    }
}

/* Points SHARDLAB_DATA at the folder; `name` keeps tests that run at the same time apart. */
static inline void bank_open(const char *name) {
    char data[BANK_PATH_MAX], from[BANK_PATH_MAX], to[BANK_PATH_MAX + 64];
    static const char *const files[] = {"en.md", "zh.md"};
    (void)snprintf(data, sizeof data, "%s/bank_%s", TEST_BINARY_DIR, name);
    (void)mkdir(data, 0700);
    (void)snprintf(from, sizeof from, "%s/../assets", TEST_SOURCE_DIR);
    (void)snprintf(to, sizeof to, "%s/assets", data);
    bank_link(from, to);
    (void)snprintf(to, sizeof to, "%s/lessons", data);
    (void)mkdir(to, 0700);
    for (int i = 0; i < lesson_count(); i++) {
        const char *folder = lesson_at(i)->folder;
        (void)snprintf(to, sizeof to, "%s/lessons/%s", data, folder);
        (void)mkdir(to, 0700);
        for (size_t k = 0; k < 2; k++) {
            (void)snprintf(from, sizeof from, "%s/../lessons/%s/%s", TEST_SOURCE_DIR, folder,
                           files[k]);
            (void)snprintf(to, sizeof to, "%s/lessons/%s/%s", data, folder, files[k]);
            bank_link(from, to);
        }
    }
    (void)snprintf(from, sizeof from, "%s/journeys/quiz/quiz.json", TEST_SOURCE_DIR);
    (void)snprintf(to, sizeof to, "%s/lessons/30_collectives/quiz.json", data);
    bank_link(from, to);
    (void)setenv("SHARDLAB_DATA", data, 1);
}

/* A log that does not exist yet. */
static inline void bank_log(const char *name, char out[BANK_PATH_MAX]) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(out, BANK_PATH_MAX, "%s/bank_%s.db%s", TEST_BINARY_DIR, name, ends[i]);
        (void)unlink(out);
    }
    (void)snprintf(out, BANK_PATH_MAX, "%s/bank_%s.db", TEST_BINARY_DIR, name);
}

/* A clock that a test sets: 2026-11-30 12:00 UTC at the start. */
enum { BANK_NOON = 1796040000 };
static struct app_moment bank_now = {BANK_NOON, 0, 1000};

static inline struct app_moment bank_clock(void *context) {
    (void)context;
    return bank_now;
}

static inline void bank_pass(int64_t ms) {
    bank_now.ms += ms;
    bank_now.utc_s += ms / 1000;
}

#endif
