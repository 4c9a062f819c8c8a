/* Between start.c, which makes the process, and lab.c, which reads and ends it. Only for app/lab. */
#ifndef LAB_PRIVATE_H
#define LAB_PRIVATE_H

#include "shardlab/lab/lab.h"

#include <stdint.h>
#include <sys/types.h>

/* Descriptors are -1 when closed. */
struct lab {
    pid_t pid;       /* of the child, which leads the group; 0: there is none any more */
    int out, error;  /* the reading ends of its outputs, which do not block */
    int life;        /* readable when it has ended; -1: this kernel has no such descriptor */
    bool swept;      /* it has ended, and the rest of its group was killed */
    bool cancelled;  /* it was asked to end … */
    bool forced;     /* … and then killed */
    bool long_line;  /* it was killed for a line without end */
    bool told;       /* the caller knows that it has ended */
    int64_t kill_at; /* milliseconds on the monotonic clock, while cancelled and not forced */

    char *bytes;                   /* owned, LAB_LINE_MAX + 2 bytes: what was read of its output */
    size_t start, scanned, length; /* of them: told; without a newline; there */

    char last[LAB_ERROR_MAX], now[LAB_ERROR_MAX]; /* lines of its error output: whole, being read */
    size_t now_length;
};

/* Fills in pid, out, error and life. */
MUST_USE enum status lab_process_start(struct lab *lab, const struct lab_command *command,
                                       struct message *why);

#endif
