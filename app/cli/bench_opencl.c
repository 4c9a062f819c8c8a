/* The collectives' bench on OpenCL's devices: direct, with a device, or a part of one, a rank. In a process of its own: a driver
 * that crashes or hangs ends that process alone, and its threads are gone with it. The time is from when all ranks have
 * their input where they work, which was filled anew, so it counts as touched. Proof: tests/cli/test_bench.c. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_collectives_private.h"
#include "shardlab/gpu/trial.h"

enum { LIMIT_S = 300 };

/* What both processes see. */
struct seen {
    bool well;
    double times_s[BENCH_FIGURES];
    struct message why;
};

static enum status measure(struct gpu *gpu, const struct bench_figure *figure, int runs,
                           struct seen *seen, double *time_s) {
    struct bench_effort effort = bench_effort(figure->bytes, runs);
    struct ranks_trial trial;
    struct ranks_trial_options o = {.type = RANKS_FP32, .op = RANKS_OP_SUM, .timeout_s = 30};
    o.job = (struct coll_job){COLL_ALL_REDUCE, COLL_DIRECT, figure->ranks,
                              figure->bytes / sizeof(float)};
    o.repeat = (uint32_t)effort.samples;
    o.seed = 1;
    enum status ok = gpu_trial_run(gpu, &o, &trial, &seen->why);
    *time_s = ok == STATUS_OK ? trial.times_s[o.repeat / 2] : 0;
    ranks_trial_free(&trial);
    return ok;
}

static bool is_ours(const struct bench_figure *figure) {
    return strcmp(figure->way, "opencl direct") == 0;
}

static void measure_all(const struct bench_collectives *all, int runs, struct seen *seen) {
    enum status ok = STATUS_OK;
    struct gpu *gpu = NULL;
    uint32_t ranks = 0;
    for (int i = 0; ok == STATUS_OK && i < all->count; i++) {
        const struct bench_figure *figure = &all->figures[i];
        if (!is_ours(figure)) {
            continue;
        }
        if (figure->ranks != ranks) {
            gpu_close(gpu);
            gpu = NULL;
            ranks = figure->ranks;
            ok = gpu_open(GPU_OPENCL, ranks, &gpu, &seen->why);
        }
        if (ok == STATUS_OK) {
            ok = measure(gpu, figure, runs, seen, &seen->times_s[i]);
        }
    }
    gpu_close(gpu);
    seen->well = ok == STATUS_OK;
}

void bench_opencl_measure(struct bench_collectives *all, int runs) {
    struct seen *seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    message_start(&all->opencl_why, "error.bench.opencl");
    if (seen == MAP_FAILED) {
        return;
    }
    message_start(&seen->why, "error.bench.opencl");
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(LIMIT_S);
        measure_all(all, runs, seen);
        _exit(0);
    }
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
        all->opencl = seen->well;
        all->opencl_why = seen->why;
    }
    for (int i = 0; i < all->count; i++) {
        if (is_ours(&all->figures[i])) {
            all->figures[i].time.touched_s = seen->times_s[i];
        }
    }
    (void)munmap(seen, sizeof *seen);
}
