/* Starts the peer of the collectives' bench: mpirun with the program that was built beside ours, as a process group of its own
 * with a limit of time, and reads its answer. Nothing is started where MPI was not built or there is no mpirun. glibc is
 * told not to give freed memory back, which makes the peer several times faster on large messages, and Open MPI that there
 * may be more ranks than cores. Proof: tests/cli/test_bench.c, tests/cli/mpi.sh. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_collectives_private.h"
#include "bench_private.h"
#include "shardlab/ranks/door.h"

#define PEER_FILE "shardlab-mpi-peer"
enum { LIMIT_MS = 60000, ARGS = BENCH_SIZES + 5 };

static bool has_launcher(void) {
    char path[1024];
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        struct writer w;
        writer_start(&w, path, sizeof path);
        writer_text_n(&w, at, length);
        writer_text(&w, "/mpirun");
        if (access(path, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

static _Noreturn void become(char **words, int out) {
    int nothing = open("/dev/null", O_RDWR);
    (void)setpgid(0, 0);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(nothing, STDERR_FILENO);
    (void)setenv("GLIBC_TUNABLES",
                 "glibc.malloc.mmap_threshold=536870912:glibc.malloc.trim_threshold=1073741824", 1);
    (void)setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    (void)execvp(words[0], words);
    _exit(127);
}

/* Reads until the end; false: the time was over before it. */
static bool read_all(int in, char *text, size_t room) {
    size_t length = 0;
    struct timespec begin, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        struct pollfd wait = {in, POLLIN, 0};
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        long left = LIMIT_MS - (now.tv_sec - begin.tv_sec) * 1000;
        if (left <= 0 || poll(&wait, 1, (int)left) <= 0) {
            text[length] = '\0';
            return false;
        }
        if (length + 1 >= room) {
            break;
        }
        ssize_t got = read(in, text + length, room - 1 - length);
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    text[length] = '\0';
    return true;
}

/* Its status. mpirun ends its ranks when it is asked to end; only then is it killed. */
static int end_of(pid_t pid) {
    static const int signals[] = {0, SIGTERM, SIGKILL};
    int status = 0;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)kill(pid, signals[i]);
        for (int tries = 0; tries < 20; tries++) {
            struct timespec grace = {0, 100000000};
            if (waitpid(pid, &status, WNOHANG) == pid) {
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
            (void)nanosleep(&grace, NULL);
        }
    }
    return -1;
}

int cli_bench_ask(char **words, char *text, size_t room) {
    int ends[2], status = -1;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(words, ends[1]);
    }
    (void)close(ends[1]);
    if (pid > 0) {
        bool in_time = read_all(ends[0], text, room);
        int ended = end_of(pid);
        status = in_time ? ended : CLI_BENCH_TOO_LONG;
    }
    (void)close(ends[0]);
    return status;
}

static bool parse(const char *text, struct bench_peer *peer, int count, struct bench_times *times) {
    size_t length = strcspn(text, "\n");
    struct writer w;
    writer_start(&w, peer->name, sizeof peer->name);
    writer_text_n(&w, text, length);
    const char *at = text + length;
    for (int i = 0; i < count; i++) {
        char *end;
        unsigned long long bytes = strtoull(at, &end, 10);
        times[i].warm_s = strtod(end, &end);
        times[i].touched_s = strtod(end, &end);
        if (bytes != bench_sizes[i] || !(times[i].warm_s > 0) || !(times[i].touched_s > 0)) {
            return false;
        }
        at = end;
    }
    return true;
}

void bench_peer_measure(struct bench_peer *peer, const struct bench_asked *asked,
                        struct bench_times *times) {
    char program[2048], count[16], sizes[BENCH_SIZES][48], text[4096];
    char launcher[] = "mpirun", option[] = "-n";
    char *words[ARGS] = {launcher, option, count, program};
    struct writer w;
    memset(times, 0, BENCH_SIZES * sizeof *times);
    peer->installed = ranks_beside_program(PEER_FILE, program, sizeof program) && has_launcher();
    peer->measured = false;
    if (!peer->installed) {
        return;
    }
    writer_start(&w, count, sizeof count);
    writer_u64(&w, asked->ranks);
    for (int i = 0; i < asked->sizes; i++) {
        struct bench_effort effort = bench_effort(bench_sizes[i], asked->runs);
        writer_start(&w, sizes[i], sizeof sizes[i]);
        writer_u64(&w, bench_sizes[i]);
        writer_char(&w, ':');
        writer_u64(&w, (uint64_t)effort.samples);
        writer_char(&w, ':');
        writer_u64(&w, (uint64_t)effort.calls);
        words[4 + i] = sizes[i];
    }
    peer->status = cli_bench_ask(words, text, sizeof text);
    peer->measured = peer->status == 0 && parse(text, peer, asked->sizes, times);
}
