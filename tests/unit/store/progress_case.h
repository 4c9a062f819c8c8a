/* What the tests of the log of progress share: a folder of one test, events, logs that must open, and the bytes of files
 * before and after. Header-only; needs _XOPEN_SOURCE 700. */
#ifndef UNIT_STORE_PROGRESS_CASE_H
#define UNIT_STORE_PROGRESS_CASE_H

#include <check.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/store/progress.h"
#include "support/run.h"

struct progress_case {
    char folder[RUN_PATH_MAX];
    char path[RUN_PATH_MAX]; /* progress.db in it */
};

static inline void case_make(struct progress_case *c) {
    folder_make(c->folder, TEST_BINARY_DIR);
    (void)folder_path(c->path, c->folder, "progress.db");
}

/* With all that a test has made in it. */
static inline int case_remove_one(const char *path, const struct stat *info, int kind,
                                  struct FTW *at) {
    (void)info, (void)kind, (void)at;
    return remove(path);
}
static inline void case_remove(const struct progress_case *c) {
    (void)nftw(c->folder, case_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A log there, which must be readable. */
static inline struct progress *case_open(const struct progress_case *c) {
    struct progress *p = NULL;
    struct message why = {0};
    ck_assert_msg(progress_open(c->path, &p, &why) == STATUS_OK, "%s", why.id);
    ck_assert_ptr_nonnull(p);
    return p;
}

/* An answer; `i` tells it from others. */
static inline struct progress_event case_event(int i) {
    struct progress_event e = {.utc_s = 1700000000 + i,
                               .offset_s = 28800,
                               .kind = PROGRESS_ANSWER,
                               .seed = UINT64_MAX - (uint64_t)i,
                               .rating = 1 + i % 4,
                               .right = i % 2 == 0,
                               .hints = i % 3,
                               .took_ms = 1500 + i,
                               .sitting = UINT64_C(0x8000000000000001) + (uint64_t)i,
                               .scheduler = 6};
    (void)snprintf(e.item, sizeof e.item, "memory.bytes.%d", i);
    (void)snprintf(e.text, sizeof e.text, "%d GB 字节", i);
    return e;
}

static inline bool case_same(const struct progress_event *a, const struct progress_event *b) {
    return a->id == b->id && a->utc_s == b->utc_s && a->offset_s == b->offset_s &&
           a->kind == b->kind && strcmp(a->item, b->item) == 0 && a->seed == b->seed &&
           a->rating == b->rating && a->right == b->right && a->hints == b->hints &&
           a->took_ms == b->took_ms && a->about == b->about && a->sitting == b->sitting &&
           a->scheduler == b->scheduler && strcmp(a->text, b->text) == 0;
}

/* Appends event `i`, which must be saved; returns its id. */
static inline int64_t case_append(struct progress *p, int i) {
    struct progress_event e = case_event(i);
    struct message why = {0};
    ck_assert_msg(progress_append(p, &e, &why) == STATUS_OK, "%s", why.id);
    return e.id;
}

static inline int case_count(const struct progress *p) {
    int count = -1;
    (void)progress_events(p, &count);
    return count;
}

/* The bytes of a file, to be freed. */
struct case_bytes {
    char *bytes;
    size_t length;
};

static inline struct case_bytes case_bytes_read(const char *path) {
    struct case_bytes b = {malloc(1 << 22), 0};
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(b.bytes);
    b.length = fread(b.bytes, 1, 1 << 22, file);
    ck_assert_int_eq(fclose(file), 0);
    return b;
}

/* The file has these bytes still; frees them. */
static inline void case_bytes_same(const char *path, struct case_bytes before) {
    struct case_bytes after = case_bytes_read(path);
    ck_assert_uint_eq(before.length, after.length);
    ck_assert_int_eq(memcmp(before.bytes, after.bytes, before.length), 0);
    free(before.bytes);
    free(after.bytes);
}

/* What SQLite may have left beside the log. */
static inline void case_beside_remove(const struct progress_case *c) {
    static const char *const names[] = {"progress.db-wal", "progress.db-shm",
                                        "progress.db-journal"};
    char path[RUN_PATH_MAX];
    for (int i = 0; i < 3; i++) {
        (void)remove(folder_path(path, c->folder, names[i]));
    }
}

/* SQLite finds nothing wrong with the file. */
static inline void case_intact(const struct progress_case *c) {
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    ck_assert_int_eq(sqlite3_open(c->path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &row, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(row, 0), "ok");
    ck_assert_int_eq(sqlite3_finalize(row), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* What went wrong has this id and names the path. */
static inline void case_says(const struct message *why, const char *id, const char *path) {
    ck_assert_ptr_nonnull(why->id);
    ck_assert_msg(strcmp(why->id, id) == 0, "%s %d not %s", why->id, (int)why->args[1].count, id);
    ck_assert_int_ge(why->arg_count, 1);
    struct message named;
    message_start(&named, NULL);
    message_add_text(&named, path);
    ck_assert_str_eq(why->args[0].text, named.args[0].text);
}

#endif
