/* One experiment: its lines, its end, and the end of everything that it started. The child is left a zombie until the rest
 * of its group was killed, so that the number of the group cannot mean somebody else by then. A process that has left the
 * group on its own account is out of reach; ranks that are processes die with the one that started them
 * (app/ranks/processes.c). The buffer and the descriptors belong to struct lab. Called by the shell's loop.
 * Proof: tests/unit/lab/test_lab.c. */
#define _XOPEN_SOURCE 700

#include "lab_private.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Without a descriptor that tells of the end the caller looks again and again: kernels before 5.3. */
enum { LOOK_AGAIN_MS = 50, ROOM = LAB_LINE_MAX + 1 };

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_fd(int *fd) {
    if (*fd != -1) {
        close(*fd);
        *fd = -1;
    }
}

static void kill_group(const struct lab *lab, int signal) {
    if (lab->pid > 0) {
        (void)kill(-lab->pid, signal);
    }
}

enum status lab_start(struct lab **out, const struct lab_command *command, struct message *why) {
    struct lab *lab = calloc(1, sizeof *lab);
    char *bytes = malloc(ROOM + 1);
    if (lab == NULL || bytes == NULL) {
        free(bytes);
        free(lab);
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    lab->bytes = bytes;
    lab->out = lab->error = lab->life = -1;
    enum status ok = lab_process_start(lab, command, why);
    if (ok != STATUS_OK) {
        lab_close(lab);
        return ok;
    }
    *out = lab;
    return STATUS_OK;
}

/* Takes the child's status, which ends the zombie. */
static int reap(struct lab *lab) {
    int status = 0;
    while (waitpid(lab->pid, &status, 0) == -1 && errno == EINTR) {
    }
    lab->pid = 0;
    return status;
}

void lab_close(struct lab *lab) {
    if (lab == NULL) {
        return;
    }
    if (lab->pid > 0) {
        kill_group(lab, SIGKILL);
        (void)reap(lab);
    }
    close_fd(&lab->out);
    close_fd(&lab->error);
    close_fd(&lab->life);
    free(lab->bytes);
    free(lab);
}

int lab_fds(const struct lab *lab, struct pollfd fds[LAB_FDS_MAX]) {
    const int all[LAB_FDS_MAX] = {lab->out, lab->error, lab->life};
    int count = 0;
    for (int i = 0; i < LAB_FDS_MAX; i++) {
        if (all[i] != -1) {
            fds[count++] = (struct pollfd){.fd = all[i], .events = POLLIN};
        }
    }
    return count;
}

int lab_timeout_ms(const struct lab *lab) {
    if (lab->scanned < lab->length) {
        return 0; /* the caller has not taken all that was read */
    }
    int wait_ms = lab->life == -1 && !lab->told ? LOOK_AGAIN_MS : -1;
    if (lab->cancelled && !lab->forced && !lab->told) {
        int64_t left = lab->kill_at - now_ms();
        int left_ms = left > 0 ? (int)left : 0;
        return wait_ms == -1 || left_ms < wait_ms ? left_ms : wait_ms;
    }
    return wait_ms;
}

void lab_cancel(struct lab *lab) {
    if (!lab->cancelled && !lab->told) {
        lab->cancelled = true;
        lab->kill_at = now_ms() + LAB_GRACE_MS;
        kill_group(lab, SIGTERM);
    }
}

/* --- The error output --- */

/* The line that was being read is whole; blank ones do not count. */
static void keep_error_line(struct lab *lab) {
    lab->now[lab->now_length] = '\0';
    if (lab->now[strspn(lab->now, " \t\r")] != '\0') {
        memcpy(lab->last, lab->now, lab->now_length + 1);
    }
    lab->now_length = 0;
}

static void read_errors(struct lab *lab) {
    char block[4096];
    ssize_t got = 1;
    while (lab->error != -1 && (got = read(lab->error, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (block[i] == '\n') {
                keep_error_line(lab);
            } else if (lab->now_length + 1 < sizeof lab->now && block[i] != '\0') {
                lab->now[lab->now_length++] = block[i];
            }
        }
    }
    if (got == 0 || (got == -1 && errno != EAGAIN && errno != EINTR)) {
        close_fd(&lab->error);
    }
}

/* --- The output --- */

/* A line that is there; false: there is no whole one. */
static bool take_line(struct lab *lab, struct lab_news *news) {
    char *from = lab->bytes + lab->start;
    char *end = memchr(lab->bytes + lab->scanned, '\n', lab->length - lab->scanned);
    if (end == NULL) {
        lab->scanned = lab->length;
        return false;
    }
    *end = '\0';
    *news =
        (struct lab_news){.event = LAB_EVENT_LINE, .line = from, .length = (size_t)(end - from)};
    lab->start = lab->scanned = (size_t)(end - lab->bytes) + 1;
    return true;
}

static void end_by_force(struct lab *lab) {
    kill_group(lab, SIGKILL);
    lab->forced = true;
}

/* Moves what is not told yet to the front, and reads behind it. False: nothing came. */
static bool read_output(struct lab *lab) {
    if (lab->out == -1) {
        return false;
    }
    memmove(lab->bytes, lab->bytes + lab->start, lab->length - lab->start);
    lab->scanned -= lab->start;
    lab->length -= lab->start;
    lab->start = 0;
    if (lab->length == ROOM) {
        lab->long_line = true;
        lab->length = lab->scanned = 0;
        close_fd(&lab->out);
        end_by_force(lab);
        return false;
    }
    ssize_t got = read(lab->out, lab->bytes + lab->length, ROOM - lab->length);
    if (got > 0) {
        lab->length += (size_t)got;
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_fd(&lab->out);
    }
    return false;
}

/* A last line that has no newline. */
static bool take_rest(struct lab *lab, struct lab_news *news) {
    if (lab->length == lab->start) {
        return false;
    }
    lab->bytes[lab->length] = '\0';
    *news = (struct lab_news){.event = LAB_EVENT_LINE,
                              .line = lab->bytes + lab->start,
                              .length = lab->length - lab->start};
    lab->start = lab->scanned = lab->length;
    return true;
}

/* --- The end --- */

/* True once the child has ended; then the rest of its group is killed, the child itself is not taken yet. */
static bool has_ended(struct lab *lab) {
    siginfo_t info = {.si_pid = 0};
    if (lab->swept) {
        return true;
    }
    if (waitid(P_PID, (id_t)lab->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    kill_group(lab, SIGKILL);
    lab->swept = true;
    return true;
}

static void end_of(const struct lab *lab, int status, struct lab_end *end) {
    bool signalled = WIFSIGNALED(status);
    *end = (struct lab_end){.kind = signalled ? LAB_END_SIGNAL : LAB_END_EXIT,
                            .value = signalled ? WTERMSIG(status) : WEXITSTATUS(status)};
    memcpy(end->error, lab->last, sizeof end->error);
    if (lab->long_line) {
        end->kind = LAB_END_LONG_LINE;
    } else if (lab->cancelled) {
        end->kind = LAB_END_CANCELLED;
    }
}

static void tell_end(struct lab *lab, struct lab_news *news) {
    read_errors(lab);
    keep_error_line(lab);
    end_of(lab, reap(lab), &news->end);
    news->event = LAB_EVENT_ENDED;
    lab->told = true;
    close_fd(&lab->out);
    close_fd(&lab->error);
    close_fd(&lab->life);
}

struct lab_news lab_next(struct lab *lab) {
    struct lab_news news = {.event = LAB_EVENT_NONE};
    if (lab->told) {
        return news;
    }
    if (lab->cancelled && !lab->forced && now_ms() >= lab->kill_at) {
        end_by_force(lab);
    }
    read_errors(lab);
    for (;;) {
        if (take_line(lab, &news)) {
            return news;
        }
        bool ended =
            has_ended(lab); /* asked before reading: what it has written is in the pipe then */
        if (read_output(lab)) {
            continue;
        }
        if (ended && !take_rest(lab, &news)) {
            tell_end(lab, &news);
        }
        return news;
    }
}
