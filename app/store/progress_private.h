/* What the parts of the log of progress share: where it is (progress_place.c), the file through SQLite (progress_file.c),
 * rows on their way to events and back (progress_rows.c). SQLite stays inside this room, and of this room only these
 * files know it. */
#ifndef STORE_PROGRESS_PRIVATE_H
#define STORE_PROGRESS_PRIVATE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "shardlab/store/progress.h"
#include "store_private.h"

/* Ids in the file are below this; ids from here on are of events that no file holds yet. */
#define PROGRESS_ID_UNSAVED (INT64_C(1) << 62)

/* --- Events in memory, in order of ids. --- */
struct progress_list {
    struct progress_event *events;
    int count, capacity;
};
MUST_USE bool progress_list_add(struct progress_list *list, const struct progress_event *event);

/* --- Where the log is. --- */

/* `given`, or where the environment wants it. */
MUST_USE enum status progress_place(const char *given, char out[STORE_PATH_MAX],
                                    struct message *why);

enum progress_there {
    PROGRESS_ABSENT, /* no file */
    PROGRESS_EMPTY,  /* a file without a byte: one whose making was cut short */
    PROGRESS_FILE    /* a regular file */
};
struct progress_found {
    enum progress_there there;
    dev_t device;
    ino_t inode;
};
/* Looks without opening: a pipe would wait, and closing a file lets go of every lock that this process has on it. */
MUST_USE enum status progress_look(const char *path, struct progress_found *out,
                                   struct message *why);
/* Makes the folders and an empty file, for its owner alone. */
MUST_USE enum status progress_make(const char *path, struct message *why);
/* Whether a file there could be made or written, as far as permissions and free space tell. */
MUST_USE enum status progress_room(const char *path, bool exists, struct message *why);
/* STATUS_FAILED with the sentence for a system error. */
enum status progress_fail_errno(struct message *why, const char *path, int error);

/* --- The file. --- */
struct progress_file {
    sqlite3 *db; /* NULL: not open */
    sqlite3_stmt *insert, *after;
    bool writable;
    bool fixed;      /* open as a file that nobody changes: what others add is not seen */
    int newer;       /* the version of a file that a later program wrote; 0: ours */
    int64_t last_id; /* read so far */
    int passed_over; /* rows that are no events */
    dev_t device;
    ino_t inode;
};

/* Opens a file that is there for reading, without a change to it; f->db stays NULL when there is nothing in it yet. */
MUST_USE enum status progress_file_open(struct progress_file *f, const char *path,
                                        struct message *why);
/* Opens it for writing; makes its tables where it has none. */
MUST_USE enum status progress_file_open_write(struct progress_file *f, const char *path,
                                              struct message *why);
void progress_file_close(struct progress_file *f);
/* The same when another file has its name by now: what lies beside it may be that one's, and is not touched. */
void progress_file_abandon(struct progress_file *f);
/* Adds the events after f->last_id; what was read before an error stays in the list. */
MUST_USE enum status progress_file_read(struct progress_file *f, const char *path,
                                        struct progress_list *out, struct message *why);
/* A transaction that writes, unless a later program has meanwhile made the file its own. */
MUST_USE enum status progress_file_begin(struct progress_file *f, const char *path,
                                         struct message *why);
MUST_USE enum status progress_file_insert(struct progress_file *f, const char *path,
                                          const struct progress_event *event, struct message *why);
MUST_USE enum status progress_file_commit(struct progress_file *f, const char *path,
                                          struct message *why);
void progress_file_rollback(struct progress_file *f);
/* STATUS_FAILED: f->newer is its version. */
enum status progress_fail_newer(const struct progress_file *f, const char *path,
                                struct message *why);

/* --- Rows. --- */

extern const char progress_columns[]; /* in the order that the functions below count */
extern const char progress_insert[];
/* The row as an event; false: it is none, and *out is not to be used. Only what may stand in an event gets there. */
MUST_USE bool progress_row_read(sqlite3_stmt *row, struct progress_event *out);
/* SQLITE_OK or why not. */
MUST_USE int progress_row_bind(sqlite3_stmt *insert, const struct progress_event *event);
/* The same rules on an event of this program; text is made fit. */
MUST_USE bool progress_event_fit(struct progress_event *event);

#endif
