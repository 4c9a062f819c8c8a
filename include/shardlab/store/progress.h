/* The log of what a learner did, in SQLite under XDG_DATA_HOME (or SHARDLAB_PROGRESS in the environment). What append has
 * returned for survives kill -9; several programs may have it open at once. Where it cannot be written (a full or read-only
 * disk, a lock that is not given back, a damaged file) the program goes on without saving, says so, and what is in the file
 * stays there: nothing is ever deleted or overwritten. Proof: tests/unit/store/test_progress.c, tests/cli/progress_kill.sh. */
#ifndef STORE_PROGRESS_H
#define STORE_PROGRESS_H

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/progress.h"
#include "shardlab/base/status.h"

struct progress; /* opaque */

/* Opens the log at `path`, NULL: where it belongs, and reads it. Folders and the file are made on the first append, not
 * before. *out is owned by the caller. STATUS_FAILED: why it cannot be read; the caller goes on without. */
MUST_USE enum status progress_open(const char *path, struct progress **out, struct message *why);
void progress_close(struct progress *p); /* NULL is fine */

/* Everything so far in order of ids, this program's and other's that were there at the last refresh; borrowed until the next
 * append or refresh. */
const struct progress_event *progress_events(const struct progress *p, int *count);
/* Reads what other programs have added; cheap when nothing was. */
MUST_USE enum status progress_refresh(struct progress *p, struct message *why);

/* Adds an event, and gives it its id. When it returns STATUS_OK the event is on the disk. */
MUST_USE enum status progress_append(struct progress *p, struct progress_event *event,
                                     struct message *why);

const char *progress_path(const struct progress *p);

#endif
