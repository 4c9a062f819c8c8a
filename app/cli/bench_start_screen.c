/* Starts this program on a terminal of its own, as a learner does, and takes the time until its first frame is drawn: until
 * the last byte before it falls silent. What it has loaded then stands in its memory map, and shows that no library of
 * MPI, OpenCL or CUDA is touched at the start. Called by bench_start.c. Proof: tests/cli/test_bench.c. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_collectives_private.h"
#include "bench_start_private.h"

enum { FIRST_MS = 5000, SILENCE_MS = 60 };

static _Noreturn void become_screen(const char *terminal) {
    const struct winsize size = {.ws_row = 24, .ws_col = 80};
    (void)setsid();
    int end = open(terminal, O_RDWR); /* and so it is ours */
    (void)ioctl(end, TIOCSWINSZ, &size);
    (void)dup2(end, STDIN_FILENO);
    (void)dup2(end, STDOUT_FILENO);
    (void)dup2(end, STDERR_FILENO);
    (void)setenv("TERM", "xterm-256color", 1);
    (void)execl("/proc/self/exe", "shardlab", (char *)NULL);
    _exit(127);
}

/* The moment of the last byte; 0: there was none. */
static double read_frame(int terminal) {
    char bytes[4096];
    double last = 0;
    for (;;) {
        struct pollfd wait = {terminal, POLLIN, 0};
        if (poll(&wait, 1, last > 0 ? SILENCE_MS : FIRST_MS) <= 0 ||
            read(terminal, bytes, sizeof bytes) <= 0) {
            return last;
        }
        last = bench_now_s();
    }
}

static void look_at_map(pid_t pid, char *loaded, size_t room) {
    static const char *const libraries[] = {"libOpenCL", "libcuda", "libmpi", "libshardlab_mpi"};
    char path[64], line[1024];
    bool found[4] = {false};
    struct writer w;
    writer_start(&w, loaded, room);
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *map = fopen(path, "r");
    while (map != NULL && fgets(line, sizeof line, map) != NULL) {
        for (int i = 0; i < 4; i++) {
            if (!found[i] && strstr(line, libraries[i]) != NULL) {
                found[i] = true;
                writer_text(&w, w.length > 0 ? ", " : "");
                writer_text(&w, libraries[i]);
            }
        }
    }
    if (map != NULL) {
        (void)fclose(map);
    }
}

static double seconds(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double cpu_of(const struct rusage *use) {
    return seconds(use->ru_utime) + seconds(use->ru_stime);
}

/* Ends it; the processor's time that it took. */
static double end(pid_t pid) {
    struct rusage use;
    memset(&use, 0, sizeof use);
    (void)kill(pid, SIGTERM);
    for (int tries = 0; tries < 200; tries++) {
        struct timespec grace = {0, 5000000};
        if (wait4(pid, NULL, WNOHANG, &use) == pid) {
            return cpu_of(&use);
        }
        (void)nanosleep(&grace, NULL);
    }
    (void)kill(pid, SIGKILL);
    (void)wait4(pid, NULL, 0, &use);
    return cpu_of(&use);
}

static struct bench_start_run run_on(int terminal, const char *name, char *loaded, size_t room) {
    struct bench_start_run run = {0, 0};
    double begin = bench_now_s();
    pid_t pid = fork();
    if (pid == 0) {
        become_screen(name);
    }
    if (pid > 0) {
        double last = read_frame(terminal);
        run.wall_s = last > 0 ? last - begin : 0;
        look_at_map(pid, loaded, room);
        run.cpu_s = end(pid);
    }
    return run;
}

struct bench_start_run bench_start_screen(char *loaded, size_t room) {
    char name[128];
    struct bench_start_run run = {0, 0};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
        ptsname_r(terminal, name, sizeof name) == 0) {
        run = run_on(terminal, name, loaded, room);
    }
    if (terminal >= 0) {
        (void)close(terminal);
    }
    return run;
}

struct bench_start_run bench_start_bare(void) {
    struct bench_start_run run = {0, 0};
    struct rusage use;
    int status = 0;
    double begin = bench_now_s();
    pid_t pid = fork();
    if (pid == 0) {
        (void)execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    if (pid > 0 && wait4(pid, &status, 0, &use) == pid && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0) {
        run.wall_s = bench_now_s() - begin;
        run.cpu_s = cpu_of(&use);
    }
    return run;
}
