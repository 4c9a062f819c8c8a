/* Looks for devices in a child process: it alone loads the driver, sends what it found through a pipe, and is ended when it
 * takes too long. The child is a copy of this process, so a message's id means the same in both. Nothing is left when it
 * returns. Proof: tests/unit/gpu/test_look.c. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu_private.h"

/* In the child. Drivers may print; nobody asked. */
static _Noreturn void look_and_tell(enum gpu_backend backend, int pipe_end,
                                    struct gpu_looked *out) {
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    if (gpu_list(backend, out->facts, &out->count, &out->why) != STATUS_OK) {
        out->count = 0;
    }
    const unsigned char *at = (const unsigned char *)out;
    size_t left = sizeof *out;
    while (left > 0) {
        ssize_t put = write(pipe_end, at, left);
        if (put <= 0) {
            _exit(1);
        }
        at += put;
        left -= (size_t)put;
    }
    _exit(0);
}

/* What the child sends; false: it ended, or took too long (*hung). */
static bool hear(int pipe_end, double timeout_s, struct gpu_looked *out, bool *hung) {
    unsigned char *at = (unsigned char *)out;
    size_t left = sizeof *out;
    double until = gpu_clock_s() + timeout_s;
    *hung = false;
    while (left > 0) {
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        double rest = until - gpu_clock_s();
        int ready = rest > 0 ? poll(&wait, 1, (int)(rest * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            *hung = true;
            return false;
        }
        ssize_t got = read(pipe_end, at, left);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        left -= (size_t)got;
    }
    return true;
}

enum gpu_look gpu_look(enum gpu_backend backend, double timeout_s, struct gpu_looked *out) {
    int ends[2], status = 0;
    bool hung = false;
    memset(out, 0, sizeof *out);
    pid_t child = pipe(ends) == 0 ? fork() : -2;
    if (child == 0) {
        (void)close(ends[0]);
        look_and_tell(backend, ends[1], out);
    }
    if (child < 0) {
        if (child == -1) {
            (void)close(ends[0]);
            (void)close(ends[1]);
        }
        message_start(&out->why, "error.memory");
        return GPU_LOOK_NONE;
    }
    (void)close(ends[1]);
    bool heard = hear(ends[0], timeout_s, out, &hung);
    (void)close(ends[0]);
    if (hung) {
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!heard) {
        memset(out, 0, sizeof *out);
        out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return hung ? GPU_LOOK_HUNG : GPU_LOOK_CRASHED;
    }
    return out->count > 0 ? GPU_LOOK_FOUND : GPU_LOOK_NONE;
}
