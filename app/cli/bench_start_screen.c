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

static void end(pid_t pid) {
    (void)kill(pid, SIGTERM);
    for (int tries = 0; tries < 200; tries++) {
        struct timespec grace = {0, 5000000};
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            return;
        }
        (void)nanosleep(&grace, NULL);
    }
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

double bench_start_screen(char *loaded, size_t room) {
    char name[128];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    double took = 0;
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
        ptsname_r(terminal, name, sizeof name) == 0) {
        double begin = bench_now_s();
        pid_t pid = fork();
        if (pid == 0) {
            become_screen(name);
        }
        double last = pid > 0 ? read_frame(terminal) : 0;
        took = last > 0 ? last - begin : 0;
        if (pid > 0) {
            look_at_map(pid, loaded, room);
            end(pid);
        }
    }
    if (terminal >= 0) {
        (void)close(terminal);
    }
    return took;
}

double bench_start_bare(void) {
    int status = 0;
    double begin = bench_now_s();
    pid_t pid = fork();
    if (pid == 0) {
        (void)execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    bool well = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    return well && WEXITSTATUS(status) == 0 ? bench_now_s() - begin : 0;
}
