/* The log of progress as an SQLite database: opening it without doing it harm, its tables and their versions, reading on
 * and adding. A file is first opened for reading only, and no handle that can write is ever held on one that is another
 * program's, damaged, or of a later version. A transaction is on the disk when it has ended: write-ahead log, and every
 * end synced. What the schema of a strange file says (triggers, views, functions) is not carried out. Called by progress.c,
 * which owns struct progress_file. Proof: tests/unit/store/test_progress*.c. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress_private.h"

enum {
    APPLICATION = 0x53684C62, /* "ShLb": in the file's head, so that others can tell what it is */
    BUSY_TRIES = 1800,        /* about two seconds */
};

/* A version: what makes it of the one before, and how a file that has stayed at it is read, column by column as
 * progress_columns (a later version writes a value there for a column that the older one lacks). Entries are never
 * changed, only added. */
struct version {
    const char *change, *columns;
};
static const struct version versions[] = {
    {"CREATE TABLE event("
     " id INTEGER PRIMARY KEY,"
     " utc_s INTEGER NOT NULL,"    /* seconds since 1970 */
     " offset_s INTEGER NOT NULL," /* local time minus UTC */
     " kind TEXT NOT NULL,"        /* answer, rating, undo, … */
     " item TEXT NOT NULL,"        /* the question, the setting */
     " seed INTEGER NOT NULL,"     /* of its numbers */
     " rating INTEGER NOT NULL,"   /* 1 again, 2 hard, 3 good, 4 easy, 0 none */
     " is_right INTEGER NOT NULL,"
     " hints INTEGER NOT NULL,"
     " took_ms INTEGER NOT NULL,"
     " about INTEGER NOT NULL," /* the id of another event */
     " sitting INTEGER NOT NULL,"
     " scheduler INTEGER NOT NULL,"
     " text TEXT NOT NULL"
     ") STRICT",
     progress_columns},
};
enum { VERSION = sizeof versions / sizeof versions[0] };

/* --- What went wrong. --- */

static enum status fail_number(struct message *why, const char *id, const char *path, int number) {
    (void)store_fail(why, id, path);
    message_add_plain(why, (uint64_t)number);
    return STATUS_FAILED;
}

enum status progress_fail_newer(const struct progress_file *f, const char *path,
                                struct message *why) {
    return fail_number(why, "progress.newer", path, f->newer);
}

static enum status fail_code(sqlite3 *db, int code, const char *path, struct message *why) {
    int last = errno; /* SQLite remembers the error of an opening, not that of a write */
    int error = db != NULL ? sqlite3_system_errno(db) : 0;
    error = error != 0 ? error : last;
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return store_fail(why, "progress.locked", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return store_fail(why, "progress.readonly", path);
    case SQLITE_FULL:
        return store_fail(why, "progress.full", path);
    case SQLITE_NOMEM:
        return store_fail_memory(why);
    case SQLITE_CANTOPEN:
        return progress_fail_errno(why, path, error != 0 && error != ENOENT ? error : EACCES);
    case SQLITE_IOERR:
        return progress_fail_errno(why, path, error != 0 ? error : EIO);
    default:
        return fail_number(why, "progress.damaged", path, code);
    }
}

/* --- Opening. --- */

static int run(sqlite3 *db, const char *sql) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int number_ask(sqlite3 *db, const char *sql, int64_t *out) {
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(row);
        *out = rc == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
        rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
    }
    int end = sqlite3_finalize(row);
    return rc == SQLITE_OK ? end : rc;
}

/* SQLite's own waiting sleeps longer and longer, and starves beside a program that writes all the time. */
static int busy_wait(void *none, int tries) {
    (void)none;
    (void)sqlite3_sleep(1);
    return tries < BUSY_TRIES;
}

/* Nothing that the schema of the file says is carried out. */
static void handle_harden(sqlite3 *db) {
    (void)sqlite3_extended_result_codes(db, 1);
    (void)sqlite3_busy_handler(db, busy_wait, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

static int handle_open(sqlite3 **db, const char *name, int flags) {
    int rc = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (*db != NULL) {
        handle_harden(*db);
    }
    if (rc == SQLITE_OK) {
        rc = run(*db, "PRAGMA cell_size_check = ON");
    }
    return rc;
}

/* "file:PATH?immutable=1" with what has a meaning there written as %XX. */
static bool immutable_name(char *out, size_t room, const char *path) {
    struct writer w;
    static const char digits[] = "0123456789ABCDEF";
    writer_start(&w, out, room);
    writer_text(&w, "file:");
    for (const char *at = path; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (strchr("%?#", byte) != NULL) {
            writer_char(&w, '%');
            writer_char(&w, digits[byte >> 4]);
            writer_char(&w, digits[byte & 15]);
        } else {
            writer_char(&w, *at);
        }
    }
    writer_text(&w, "?immutable=1");
    return !w.overflow;
}

/* Whose file it is. */
static int identity_ask(sqlite3 *db, int64_t *application, int64_t *version) {
    int rc = number_ask(db, "PRAGMA application_id", application);
    return rc == SQLITE_OK ? number_ask(db, "PRAGMA user_version", version) : rc;
}

/* A process was ended amid a transaction without the write-ahead log: only a handle that can write takes it back. */
static int journal_recover(const char *path) {
    sqlite3 *db = NULL;
    int64_t version = 0;
    int rc = handle_open(&db, path, SQLITE_OPEN_READWRITE);
    rc = rc == SQLITE_OK ? number_ask(db, "PRAGMA user_version", &version) : rc;
    (void)sqlite3_close(db);
    return rc;
}

struct identity {
    int64_t application, version;
};

static int immutable_open(sqlite3 **db, const char *path) {
    char name[3 * STORE_PATH_MAX];
    return immutable_name(name, sizeof name, path)
               ? handle_open(db, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
               : SQLITE_CANTOPEN;
}

/* Whether the newest events are not in the file yet, but beside it. */
static bool has_newer_part(const char *path) {
    char beside[STORE_PATH_MAX];
    struct stat info;
    (void)snprintf(beside, sizeof beside, "%s-wal", path);
    return stat(beside, &info) == 0 && info.st_size > 0;
}

static int handle_close(sqlite3 **db, int rc) {
    (void)sqlite3_close(*db);
    *db = NULL;
    return rc;
}

static int reader_try(sqlite3 **db, const char *path, bool immutable, struct identity *who) {
    int rc = immutable ? immutable_open(db, path) : handle_open(db, path, SQLITE_OPEN_READONLY);
    return rc == SQLITE_OK ? identity_ask(*db, &who->application, &who->version) : rc;
}

/* A handle for reading. Where nothing may be written, SQLite's usual way of reading, which makes files beside it, either
 * cannot be gone or leaves files that may not be written later: there the file is read as one that nobody changes, if all of
 * it is in the file. */
static int reader_open(struct progress_file *f, const char *path, struct identity *who) {
    bool whole = !has_newer_part(path);
    sqlite3 **db = &f->db;
    f->fixed = whole && access(path, W_OK) != 0;
    int rc = reader_try(db, path, f->fixed, who);
    if (rc == SQLITE_READONLY_ROLLBACK) {
        rc = handle_close(db, journal_recover(path));
        return rc != SQLITE_OK ? rc : reader_try(db, path, false, who);
    }
    bool hindered = (rc & 0xFF) == SQLITE_CANTOPEN || (rc & 0xFF) == SQLITE_READONLY;
    if (hindered && whole && !f->fixed) {
        (void)handle_close(db, rc);
        f->fixed = true;
        rc = reader_try(db, path, true, who);
    }
    return rc;
}

static enum status identity_judge(const struct identity *who, const char *path, int *newer,
                                  struct message *why) {
    *newer = 0;
    if (who->application != APPLICATION) {
        return store_fail(why, "progress.foreign", path);
    }
    if (who->version < 1) {
        return fail_number(why, "progress.damaged", path, SQLITE_NOTADB);
    }
    *newer = who->version > VERSION ? (int)who->version : 0;
    return STATUS_OK;
}

static int after_prepare(struct progress_file *f, int64_t version) {
    char sql[1024];
    int at = version > VERSION ? VERSION : (int)version;
    (void)snprintf(sql, sizeof sql, "SELECT %s FROM event WHERE id > ?1 AND id < %lld ORDER BY id",
                   versions[at - 1].columns, (long long)PROGRESS_ID_UNSAVED);
    return sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &f->after, NULL);
}

void progress_file_abandon(struct progress_file *f) {
    if (f->db != NULL) {
        (void)sqlite3_db_config(f->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    }
    progress_file_close(f);
}

void progress_file_close(struct progress_file *f) {
    (void)sqlite3_finalize(f->insert);
    (void)sqlite3_finalize(f->after);
    (void)sqlite3_close(f->db);
    f->insert = f->after = NULL;
    f->db = NULL;
    f->writable = false;
    f->fixed = false;
}

static enum status fail_close(struct progress_file *f, int rc, const char *path,
                              struct message *why) {
    enum status status = fail_code(f->db, rc, path, why);
    progress_file_close(f);
    return status;
}

/* The making of the file was broken off and has been taken back: it has not a byte. */
static bool is_blank(const char *path, const struct identity *who) {
    struct stat info;
    return who->application == 0 && who->version == 0 && stat(path, &info) == 0 &&
           info.st_size == 0;
}

enum status progress_file_open(struct progress_file *f, const char *path, struct message *why) {
    struct identity who = {0, 0};
    int rc = reader_open(f, path, &who);
    if ((rc & 0xFF) == SQLITE_CANTOPEN) {
        progress_file_close(f);
        return store_fail(why, "progress.permission", path);
    }
    if (rc != SQLITE_OK) {
        return fail_close(f, rc, path, why);
    }
    if (is_blank(path, &who)) {
        progress_file_close(f);
        return STATUS_OK;
    }
    enum status status = identity_judge(&who, path, &f->newer, why);
    if (status != STATUS_OK) {
        progress_file_close(f);
        return status;
    }
    rc = after_prepare(f, who.version);
    return rc == SQLITE_OK ? STATUS_OK : fail_close(f, rc, path, why);
}

/* --- Tables. --- */

static int version_set(sqlite3 *db) {
    char sql[96];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d; PRAGMA application_id = %d", VERSION,
                   APPLICATION);
    return run(db, sql);
}

/* Brings the file to this version; within a transaction, so that of several programs one does it. */
static enum status versions_apply(struct progress_file *f, const char *path, struct message *why) {
    struct identity who = {0, 0};
    int64_t tables = 0;
    int rc = identity_ask(f->db, &who.application, &who.version);
    rc = rc == SQLITE_OK ? number_ask(f->db, "SELECT count(*) FROM sqlite_schema", &tables) : rc;
    if (rc != SQLITE_OK) {
        return fail_code(f->db, rc, path, why);
    }
    bool blank = who.application == 0 && who.version == 0 && tables == 0;
    enum status status = blank ? STATUS_OK : identity_judge(&who, path, &f->newer, why);
    if (status == STATUS_OK && f->newer != 0) {
        status = progress_fail_newer(f, path, why);
    }
    if (status != STATUS_OK || who.version == VERSION) {
        return status;
    }
    for (int64_t at = who.version; rc == SQLITE_OK && at < VERSION; at++) {
        rc = run(f->db, versions[at].change);
    }
    rc = rc == SQLITE_OK ? version_set(f->db) : rc;
    return rc == SQLITE_OK ? STATUS_OK : fail_code(f->db, rc, path, why);
}

static enum status tables_make(struct progress_file *f, const char *path, struct message *why) {
    int rc = run(f->db, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK) {
        return fail_code(f->db, rc, path, why);
    }
    enum status status = versions_apply(f, path, why);
    if (status == STATUS_OK && (rc = run(f->db, "COMMIT")) != SQLITE_OK) {
        status = fail_code(f->db, rc, path, why);
    }
    if (status != STATUS_OK) {
        progress_file_rollback(f);
    }
    return status;
}

enum status progress_file_open_write(struct progress_file *f, const char *path,
                                     struct message *why) {
    int rc = handle_open(&f->db, path, SQLITE_OPEN_READWRITE);
    if (rc == SQLITE_OK && sqlite3_db_readonly(f->db, "main") == 1) {
        rc = SQLITE_READONLY;
    }
    /* More than FULL only where there is no write-ahead log, as on a network's disk. */
    rc = rc == SQLITE_OK ? run(f->db, "PRAGMA synchronous = EXTRA") : rc;
    if (rc != SQLITE_OK) {
        return fail_close(f, rc, path, why);
    }
    enum status status = tables_make(f, path, why);
    if (status != STATUS_OK) {
        progress_file_close(f);
        return status;
    }
    /* Where it cannot be, or not while another program reads, the log is as safe, only slower. */
    (void)run(f->db, "PRAGMA journal_mode = WAL");
    rc = after_prepare(f, VERSION);
    if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v3(f->db, progress_insert, -1, SQLITE_PREPARE_PERSISTENT, &f->insert,
                                NULL);
    }
    f->writable = rc == SQLITE_OK;
    return rc == SQLITE_OK ? STATUS_OK : fail_close(f, rc, path, why);
}

/* --- Reading on, and adding. --- */

enum status progress_file_read(struct progress_file *f, const char *path, struct progress_list *out,
                               struct message *why) {
    struct progress_event event;
    bool memory = true;
    int rc = sqlite3_bind_int64(f->after, 1, f->last_id);
    while (rc == SQLITE_OK && memory && (rc = sqlite3_step(f->after)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(f->after, 0);
        bool good = id > f->last_id && progress_row_read(f->after, &event);
        memory = !good || progress_list_add(out, &event);
        f->passed_over += good ? 0 : 1;
        f->last_id = memory && id > f->last_id ? id : f->last_id;
        rc = SQLITE_OK;
    }
    enum status status = STATUS_OK;
    if (!memory) {
        status = store_fail_memory(why);
    } else if (rc != SQLITE_DONE) {
        status = fail_code(f->db, rc, path, why);
    }
    (void)sqlite3_reset(f->after);
    return status;
}

enum status progress_file_begin(struct progress_file *f, const char *path, struct message *why) {
    int64_t version = 0;
    int rc = run(f->db, "BEGIN IMMEDIATE");
    rc = rc == SQLITE_OK ? number_ask(f->db, "PRAGMA user_version", &version) : rc;
    if (rc != SQLITE_OK) {
        return fail_code(f->db, rc, path, why);
    }
    f->newer = version > VERSION ? (int)version : 0;
    return f->newer == 0 ? STATUS_OK : progress_fail_newer(f, path, why);
}

enum status progress_file_insert(struct progress_file *f, const char *path,
                                 const struct progress_event *event, struct message *why) {
    int rc = progress_row_bind(f->insert, event);
    rc = rc == SQLITE_OK ? sqlite3_step(f->insert) : rc;
    enum status status = rc == SQLITE_DONE ? STATUS_OK : fail_code(f->db, rc, path, why);
    (void)sqlite3_reset(f->insert);
    (void)sqlite3_clear_bindings(f->insert);
    return status;
}

enum status progress_file_commit(struct progress_file *f, const char *path, struct message *why) {
    int rc = run(f->db, "COMMIT");
    return rc == SQLITE_OK ? STATUS_OK : fail_code(f->db, rc, path, why);
}

void progress_file_rollback(struct progress_file *f) {
    if (f->db != NULL && sqlite3_get_autocommit(f->db) == 0) {
        (void)run(f->db, "ROLLBACK");
    }
}
