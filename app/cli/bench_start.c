/* `shardlab bench start`: what stands between a learner and the first thing to see. The first frame, beside a program that
 * does nothing; and kernels that are ready on OpenCL's devices, whose compiled form comes from our cache from the second
 * time on, beside asking the library for its devices, which any program that uses it must do. Each time in a process of
 * its own. Proof: tests/cli/test_bench.c. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_collectives_private.h"
#include "bench_start_private.h"
#include "shardlab/gpu/gpu.h"

enum { RANKS = 2, LIMIT_S = 60 };

static struct bench_start_spread spread_of(double *samples, int count) {
    struct bench_start_spread s = {bench_median(samples, count), 0, 0};
    s.least = samples[0];
    s.most = samples[count - 1];
    return s;
}

static bool measure_screen(struct bench_start *all, int runs) {
    struct bench_start_figure *figure = &all->figures[all->count++];
    double ours[BENCH_START_RUNS_MAX], bare[BENCH_START_RUNS_MAX];
    double ours_cpu[BENCH_START_RUNS_MAX], bare_cpu[BENCH_START_RUNS_MAX];
    bool well = true;
    *figure = (struct bench_start_figure){.id = "first frame", .limit_name = "true"};
    for (int i = -1; well && i < runs; i++) { /* the first brings the files into memory */
        struct bench_start_run program = bench_start_bare();
        struct bench_start_run screen = bench_start_screen(all->loaded, sizeof all->loaded);
        well = program.wall_s > 0 && screen.wall_s > 0;
        if (i >= 0) {
            bare[i] = program.wall_s;
            ours[i] = screen.wall_s;
            bare_cpu[i] = program.cpu_s;
            ours_cpu[i] = screen.cpu_s;
        }
    }
    if (well) {
        figure->time = spread_of(ours, runs);
        figure->limit = spread_of(bare, runs);
        figure->cpu_s = bench_median(ours_cpu, runs);
        figure->limit_cpu_s = bench_median(bare_cpu, runs);
    }
    return well;
}

/* One answer of a process that opened the devices. */
struct opened {
    enum status status;
    bool from_cache;
    double devices_s, ready_s;
    struct message why;
};

static void open_devices(struct opened *out) {
    struct gpu_facts facts[GPU_LISTED_MAX];
    struct gpu *gpu = NULL;
    int count = 0;
    double begin = bench_now_s();
    message_start(&out->why, NULL);
    out->status = gpu_list(GPU_OPENCL, facts, &count, &out->why);
    double listed = bench_now_s();
    if (out->status == STATUS_OK) {
        out->status = gpu_open(GPU_OPENCL, RANKS, &gpu, &out->why);
        out->devices_s = listed - begin;
        out->ready_s = bench_now_s() - listed;
    }
    out->from_cache = gpu != NULL && gpu_from_cache(gpu);
}

/* False: it died or took too long. */
static bool ask_process(struct opened *out) {
    int ends[2], status = 0;
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(LIMIT_S);
        memset(out, 0, sizeof *out);
        open_devices(out);
        _exit(write(ends[1], out, sizeof *out) == (ssize_t)sizeof *out ? 0 : 1);
    }
    (void)close(ends[1]);
    bool got = pid > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    (void)close(ends[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && got;
}

static void measure_opencl(struct bench_start *all, int runs) {
    struct bench_start_figure *figure = &all->figures[all->count++];
    double ready[BENCH_START_RUNS_MAX], devices[BENCH_START_RUNS_MAX];
    struct opened opened = {0};
    *figure = (struct bench_start_figure){.id = "opencl program", .limit_name = "list devices"};
    message_start(&all->opencl_why, "error.bench.opencl");
    for (int i = -1; i < runs; i++) { /* the first fills the cache */
        if (!ask_process(&opened)) {
            return;
        }
        if (opened.status != STATUS_OK) {
            all->opencl_why = opened.why;
            return;
        }
        if (i >= 0) {
            ready[i] = opened.ready_s;
            devices[i] = opened.devices_s;
        }
    }
    all->opencl = true;
    all->from_cache = opened.from_cache;
    figure->time = spread_of(ready, runs);
    figure->limit = spread_of(devices, runs);
}

enum status cli_bench_start(struct bench_start *all, int runs, struct message *why) {
    if (!measure_screen(all, runs)) {
        message_start(why, "error.bench.screen");
        return STATUS_FAILED;
    }
    measure_opencl(all, runs);
    return STATUS_OK;
}
