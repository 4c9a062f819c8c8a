/* Runs a program for a test: fork, exec, two pipes read together until both end, a limit on time. The environment is
 * changed in the child only. Files that a test makes stand in a folder of its own. Used by tests/cli; owns nothing
 * but what struct run holds. */
#define _POSIX_C_SOURCE 200809L
#include "support/run.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 110000, ARGUMENTS_MAX = 80, CANNOT_START = 127 };

/* One end of a pipe and what came out of it. */
struct stream {
    int file; /* -1: ended */
    char *bytes;
    size_t length, capacity;
};

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void apply_environment(const char *const *environment) {
    for (; environment != NULL && *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        char name[64];
        if (equals == NULL) {
            unsetenv(*environment);
            continue;
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - *environment), *environment);
        setenv(name, equals + 1, 1);
    }
}

/* In the child: never returns. */
static void become(const char *const *argv, const struct run_options *o, int out, int err) {
    int in = open(o->stdin_path != NULL ? o->stdin_path : "/dev/null", O_RDONLY);
    if (o->stdout_path != NULL) {
        out = open(o->stdout_path, O_WRONLY);
    }
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) {
        _exit(CANNOT_START);
    }
    signal(SIGPIPE, o->ignore_sigpipe ? SIG_IGN : SIG_DFL);
    apply_environment(o->environment);
    execv(argv[0], (char *const *)argv);
    _exit(CANNOT_START);
}

static void stream_read(struct stream *s) {
    if (s->capacity - s->length < 4097) {
        s->capacity = s->capacity * 2 + 8192;
        s->bytes = realloc(s->bytes, s->capacity);
        ck_assert_ptr_nonnull(s->bytes);
    }
    ssize_t got = read(s->file, s->bytes + s->length, 4096);
    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got <= 0) {
        close(s->file);
        s->file = -1;
        got = 0;
    }
    s->length += (size_t)got;
    s->bytes[s->length] = '\0';
}

/* Reads both until both ended; false when the time was over first. */
static bool read_both(struct stream streams[2]) {
    long end = now_ms() + LIMIT_MS;
    while (streams[0].file >= 0 || streams[1].file >= 0) {
        long left = end - now_ms();
        struct pollfd polled[2] = {{streams[0].file, POLLIN, 0}, {streams[1].file, POLLIN, 0}};
        if (left <= 0) {
            return false;
        }
        (void)poll(polled, 2, (int)left);
        for (int i = 0; i < 2; i++) {
            if (streams[i].file >= 0 && polled[i].revents != 0) {
                stream_read(&streams[i]);
            }
        }
    }
    return true;
}

static int wait_for(pid_t child) {
    int state = 0;
    while (waitpid(child, &state, 0) < 0) {
        ck_assert_int_eq(errno, EINTR);
    }
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

static void open_pipe(int ends[2]) {
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
    ck_assert_int_eq(fcntl(ends[1], F_SETFD, FD_CLOEXEC), 0);
}

void run_program(struct run *r, const char *const *argv, const struct run_options *options) {
    static const struct run_options nothing;
    const struct run_options *o = options != NULL ? options : &nothing;
    int out[2], err[2];
    open_pipe(out);
    open_pipe(err);
    if (o->closed_pipe) {
        close(out[0]);
        out[0] = -1;
    }
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        become(argv, o, out[1], err[1]);
    }
    close(out[1]);
    close(err[1]);
    struct stream streams[2] = {{.file = out[0]}, {.file = err[0]}};
    bool in_time = read_both(streams);
    if (!in_time) {
        kill(child, SIGKILL);
    }
    r->status = wait_for(child);
    ck_assert_msg(in_time, "%s %s: still running after %d ms", argv[0],
                  argv[1] != NULL ? argv[1] : "", LIMIT_MS);
    ck_assert_msg(r->status != CANNOT_START, "%s did not start", argv[0]);
    r->out = streams[0].bytes != NULL ? streams[0].bytes : calloc(1, 1);
    r->err = streams[1].bytes != NULL ? streams[1].bytes : calloc(1, 1);
    r->out_length = streams[0].length;
    r->err_length = streams[1].length;
    ck_assert(r->out != NULL && r->err != NULL);
}

void run_shardlab(struct run *r, const char *const *arguments, const struct run_options *options) {
    const char *argv[ARGUMENTS_MAX];
    int count = 0;
    argv[count++] = getenv("SHARDLAB_BIN");
    ck_assert_msg(argv[0] != NULL, "SHARDLAB_BIN names no program; run the tests with ctest");
    for (; *arguments != NULL; arguments++) {
        ck_assert_int_lt(count, ARGUMENTS_MAX - 1);
        argv[count++] = *arguments;
    }
    argv[count] = NULL;
    run_program(r, argv, options);
}

void run_free(struct run *r) {
    free(r->out);
    free(r->err);
    *r = (struct run){0};
}

void folder_make(char folder[RUN_PATH_MAX], const char *where) {
    (void)snprintf(folder, RUN_PATH_MAX, "%s/files-XXXXXX", where);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void folder_remove(const char *folder) {
    DIR *open = opendir(folder);
    ck_assert_ptr_nonnull(open);
    for (const struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
        char path[RUN_PATH_MAX];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)remove(folder_path(path, folder, entry->d_name));
        }
    }
    closedir(open);
    (void)rmdir(folder);
}

char *folder_path(char path[RUN_PATH_MAX], const char *folder, const char *name) {
    int length = snprintf(path, RUN_PATH_MAX, "%s/%s", folder, name);
    ck_assert_int_lt(length, RUN_PATH_MAX);
    return path;
}

void file_write(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}
