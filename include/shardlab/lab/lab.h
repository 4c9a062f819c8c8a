/* Experiments as child processes: starts one command, hands out the lines that it prints, ends it with everything that
 * it started. Nothing here waits: the caller polls the descriptors together with its own and then asks lab_next until
 * nothing is left. The room knows neither JSON nor screens; a line is text.
 *
 * The child has a session and so a process group of its own, no terminal, /dev/null as its input, pipes as its outputs,
 * no descriptor besides, default signals, and is killed by the kernel when the thread that started it dies. Its error
 * output is kept here and never reaches the terminal. Where SIGCHLD was ignored, starting one sets it to its default. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum {
    LAB_LINE_MAX = 1024 * 1024, /* bytes of one line; a longer one ends the experiment */
    LAB_ERROR_MAX = 512,        /* bytes kept of the last line of the error output */
    LAB_GRACE_MS = 300,         /* between the request to end and the end by force */
    LAB_FDS_MAX = 3
};

struct lab; /* opaque: one experiment */

/* What is started. */
struct lab_command {
    const char *path; /* the program's file; NULL: this program itself */
    const char *const
        *argv; /* its argument list, argv[0] first, NULL last; borrowed for the call */
};

/* How an experiment ended. */
enum lab_end_kind {
    LAB_END_EXIT,      /* .value: its exit status */
    LAB_END_SIGNAL,    /* .value: the signal that ended it, nobody here having asked for that */
    LAB_END_CANCELLED, /* after lab_cancel, whatever its status was */
    LAB_END_LONG_LINE, /* it was ended here, because a line was longer than LAB_LINE_MAX */
};
struct lab_end {
    enum lab_end_kind kind;
    int value;
    char error
        [LAB_ERROR_MAX]; /* the last line of its error output that is not blank, as it came; "" none */
};

/* What lab_next has found. */
enum lab_event {
    LAB_EVENT_NONE, /* nothing now: poll */
    LAB_EVENT_LINE, /* .line, .length */
    LAB_EVENT_ENDED /* .end; comes once, after the last line. Nothing of the experiment runs any more */
};
struct lab_news {
    enum lab_event event;
    const char *
        line; /* without its newline, NUL-terminated; valid until the next call for this experiment */
    size_t length; /* may count NUL bytes within */
    struct lab_end end;
};

/* Starts it. STATUS_FAILED: the program's file cannot be run, or the system has no process or descriptor left; nothing
 * is left behind then. *out is closed by the caller. */
MUST_USE enum status lab_start(struct lab **out, const struct lab_command *command,
                               struct message *why);

/* Ends the whole group at once and by force, waits for the child (which is then a matter of microseconds), frees. NULL is
 * fine. */
void lab_close(struct lab *lab);

/* The descriptors to poll, at most LAB_FDS_MAX; returns how many. None once the end was told. */
int lab_fds(const struct lab *lab, struct pollfd fds[LAB_FDS_MAX]);

/* How long the caller may sleep, in milliseconds; -1: until a descriptor is ready. A cancelled experiment gives the rest
 * of its grace; 0 while lines are there that lab_next was not asked for. */
int lab_timeout_ms(const struct lab *lab);

/* The next thing that happened. Ask again until LAB_EVENT_NONE, also after the time is over. A last line without a newline
 * is a line. When the child has ended, what is left of its group is killed; a grandchild that keeps the pipe open does
 * not delay the end. */
struct lab_news lab_next(struct lab *lab);

/* Asks the group to end (SIGTERM); what is still there after LAB_GRACE_MS is killed. Returns at once; lines may still
 * come, then the end. The second time changes nothing. */
void lab_cancel(struct lab *lab);

#endif
