/* The log of what a learner did, in SQLite under XDG_DATA_HOME (or SHARDLAB_PROGRESS in the environment). What append has
 * returned for survives kill -9; several programs may have it open at once. Where it cannot be written (a full or read-only
 * disk, a lock that is not given back, a damaged file, one of a later version) the program goes on without saving, says so,
 * and what is in the file stays there: nothing is ever deleted or overwritten. What could not be saved is kept in memory and
 * saved by the next append, or the close, that can. A NULL log is an empty one that cannot be saved.
 * Proof: tests/unit/store/test_progress*.c. */
#ifndef STORE_PROGRESS_H
#define STORE_PROGRESS_H

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/progress.h"
#include "shardlab/base/status.h"

struct progress; /* opaque */

/* Opens the log at `path`, NULL: where it belongs, and reads it. Folders and the file are made on the first append, not
 * before. STATUS_FAILED: why it cannot be read, or not to its end. *out is owned by the caller and can be used in both cases:
 * it has what could be read and takes events, each append tries anew (NULL only when there is no memory). */
MUST_USE enum status progress_open(const char *path, struct progress **out, struct message *why);
void progress_close(struct progress *p);

/* Everything so far in order of ids, this program's and other's that were there at the last refresh or append; borrowed until
 * the next append, refresh or progress_can_save. Events that are not saved yet come last; their ids are very large, and
 * remain good for `about` after they are saved and have got another. */
const struct progress_event *progress_events(const struct progress *p, int *count);
/* Reads what other programs have added; cheap when nothing was. */
MUST_USE enum status progress_refresh(struct progress *p, struct message *why);

/* Adds an event, and gives it its id. When it returns STATUS_OK the event is on the disk, with all that waited. STATUS_FAILED: why not;
 * the event is among the events all the same. STATUS_USAGE: no event, and not taken: an item that is not printable UTF-8, a
 * number out of its range. Text loses what controls a terminal, and is cut to fit. */
MUST_USE enum status progress_append(struct progress *p, struct progress_event *event,
                                     struct message *why);

/* Whether an append would be saved, as far as can be seen without writing: to be asked once after opening. STATUS_FAILED: why not,
 * and what to do. */
MUST_USE enum status progress_can_save(struct progress *p, struct message *why);
/* Events that wait to be saved. */
int progress_unsaved(const struct progress *p);
/* Rows of the file that are no events of this version: they stay there and do not count. */
int progress_passed_over(const struct progress *p);

const char *progress_path(const struct progress *p); /* "": there is no place for it */

#endif
