/* `shardlab bench collectives`: all-reduce of fp32 from 4 B to 64 MiB on 2 and 4 ranks, each way beside the limit that this
 * machine has for it (every input copied to its output by as many workers: as many bytes read and written) and beside
 * MPI_Allreduce. Warm and touched, both, as medians of the slowest rank. Buffers are ours and touched before; what is reduced
 * are zeros, so that no number of repetitions makes them grow. The ways are checked by tests, not here.
 * Proof: tests/cli/test_bench.c. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench_collectives_private.h"

const uint64_t bench_sizes[BENCH_SIZES] = {4,       1 << 10, 16 << 10, 64 << 10, 256 << 10,
                                           1 << 20, 4 << 20, 16 << 20, 64 << 20};
static const uint32_t rank_counts[BENCH_RANKS] = {2, 4};

/* The last two are measured beside, not size by size. */
enum kind { KIND_FUSED, KIND_WORKERS, KIND_RANKS, KIND_MPI, KIND_OPENCL };
static const struct way {
    const char *name;
    enum kind kind;
    enum coll_algorithm algorithm;
    enum ranks_backend backend; /* of KIND_RANKS */
} ways[BENCH_WAYS] = {
    {"fused", KIND_FUSED, COLL_DIRECT, RANKS_THREADS},
    {"workers direct", KIND_WORKERS, COLL_DIRECT, RANKS_THREADS},
    {"workers ring", KIND_WORKERS, COLL_RING, RANKS_THREADS},
    {"ranks direct", KIND_RANKS, COLL_DIRECT, RANKS_THREADS},
    {"ranks ring", KIND_RANKS, COLL_RING, RANKS_THREADS},
    {"processes fused", KIND_FUSED, COLL_DIRECT, RANKS_PROCESSES},
    {"processes direct", KIND_RANKS, COLL_DIRECT, RANKS_PROCESSES},
    {"processes ring", KIND_RANKS, COLL_RING, RANKS_PROCESSES},
    {"mpi fused", KIND_MPI, COLL_DIRECT, RANKS_MPI},
    {"mpi direct", KIND_MPI, COLL_DIRECT, RANKS_MPI},
    {"mpi ring", KIND_MPI, COLL_RING, RANKS_MPI},
    {"opencl direct", KIND_OPENCL, COLL_DIRECT, RANKS_THREADS},
};

struct bench_effort bench_effort(uint64_t bytes, int runs) {
    bool small = bytes <= 64 << 10;
    return (struct bench_effort){small ? 20 * runs : runs, small ? 20 : bytes <= 1 << 20 ? 3 : 1};
}

double bench_now_s(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_touch(uint32_t rank, void *context) {
    const struct bench_bed *bed = context;
    uint64_t count = bed->bytes / sizeof(float);
    volatile float *send = bed->inputs[rank];
    const volatile float *receive = bed->outputs[rank];
    for (uint64_t i = 0; i < count; i++) {
        send[i] = 0;
        (void)receive[i];
    }
}

double bench_median(double *samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, compare);
    return samples[count / 2];
}

/* --- Ways that one thread calls --- */

static void call_fused(struct bench_bed *bed) {
    (void)ranks_fused_all_reduce(bed->fused, &bed->job);
}

static void call_copy(struct bench_bed *bed) {
    ranks_fused_copy(bed->fused, &bed->job);
}

static void call_workers(struct bench_bed *bed) {
    if (bed->status == STATUS_OK) {
        bed->status = ranks_workers_run(bed->workers, bed->passed, bed->why);
    }
}

/* Of this whole process. */
static struct bench_kernel kernel_so_far(void) {
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    return (struct bench_kernel){0, (uint64_t)use.ru_minflt, (uint64_t)use.ru_nvcsw};
}

static double measure(struct bench_bed *bed, void (*call)(struct bench_bed *), bool touched) {
    int calls = touched ? 1 : bed->effort.calls;
    for (int i = -1; i < bed->effort.samples; i++) { /* the first warms up */
        if (touched && bed->workers != NULL) {
            ranks_workers_each(bed->workers, bench_touch, bed);
        } else if (touched) {
            ranks_fused_each(bed->fused, bed->ranks, bench_touch, bed);
        }
        struct bench_kernel before = kernel_so_far();
        double begin = bench_now_s();
        for (int k = 0; k < calls; k++) {
            call(bed);
        }
        double took = (bench_now_s() - begin) / calls;
        struct bench_kernel after = kernel_so_far();
        if (i >= 0) {
            bed->samples[i] = took;
        }
        if (i >= 0 && !touched) {
            bed->kernel.calls += (uint64_t)calls;
            bed->kernel.faults += after.faults - before.faults;
            bed->kernel.sleeps += after.sleeps - before.sleeps;
        }
    }
    return bench_median(bed->samples, bed->effort.samples);
}

static struct bench_times both(struct bench_bed *bed, void (*call)(struct bench_bed *)) {
    double warm = measure(bed, call, false);
    return (struct bench_times){warm, measure(bed, call, true)};
}

/* --- Ways that take steps --- */

bool bench_lists(struct bench_bed *bed, enum coll_algorithm algorithm) {
    bed->list_job =
        (struct coll_job){COLL_ALL_REDUCE, algorithm, bed->ranks, bed->bytes / sizeof(float)};
    bed->steps_max = coll_steps_max(&bed->list_job) + 1;
    bed->steps = calloc((size_t)bed->ranks * bed->steps_max, sizeof *bed->steps);
    for (uint32_t r = 0; bed->steps != NULL && r < bed->ranks; r++) {
        struct coll_step *steps = bed->steps + (size_t)r * bed->steps_max;
        bed->calls[r] = (struct ranks_call){.job = &bed->list_job, .steps = steps};
        bed->calls[r].step_count = coll_steps(&bed->list_job, r, steps, bed->steps_max);
        bed->calls[r].input = bed->calls[r].output = bed->inputs[r];
    }
    return bed->steps != NULL;
}

static struct bench_times on_workers(struct bench_bed *bed, struct bench_figure *figure) {
    uint64_t bytes[64] = {0}, messages[64] = {0}; /* nobody looks at them here */
    struct bench_times times = {0, 0};
    const struct ranks_workers_options options = {bed->calls, bed->ranks, 0, 30,
                                                  bytes,      messages,   1};
    bed->status = ranks_workers_open(&options, &bed->workers, bed->why);
    if (bed->status == STATUS_OK) {
        figure->workers = ranks_workers_count(bed->workers);
        times = both(bed, call_workers);
    }
    ranks_workers_close(bed->workers);
    bed->workers = NULL;
    return times;
}

static void measure_way(struct bench_bed *bed, const struct way *way, struct bench_figure *figure) {
    bool processes = way->backend == RANKS_PROCESSES;
    figure->way = way->name;
    memset(&bed->kernel, 0, sizeof bed->kernel);
    bed->meets = processes && way->kind == KIND_FUSED;
    if (way->kind == KIND_FUSED && !processes) {
        figure->workers = ranks_fused_workers(bed->fused);
        figure->time = both(bed, call_fused);
    } else if (way->kind == KIND_MPI || way->kind == KIND_OPENCL) {
        return;
    } else if (!bench_lists(bed, way->algorithm)) {
        message_start(bed->why, "error.memory");
        bed->status = STATUS_FAILED;
    } else if (way->kind == KIND_WORKERS) {
        figure->time = on_workers(bed, figure);
    } else {
        figure->time = processes ? bench_on_processes(bed) : bench_on_ranks(bed, way->backend);
    }
    figure->kernel = bed->kernel;
    free(bed->steps);
    bed->steps = NULL;
}

/* --- Sizes --- */

static bool lay_bed(struct bench_bed *bed, struct ranks_fused *fused, uint32_t ranks,
                    uint64_t bytes) {
    bool memory = true;
    memset(bed, 0, sizeof *bed);
    bed->ranks = ranks;
    bed->bytes = bytes;
    bed->fused = fused;
    for (uint32_t r = 0; r < ranks; r++) {
        bed->inputs[r] = ranks_buffer_new((size_t)bytes);
        bed->outputs[r] = ranks_buffer_new((size_t)bytes);
        memory = memory && bed->inputs[r] != NULL && bed->outputs[r] != NULL;
    }
    bed->job = (struct ranks_fused_job){(const float *const *)bed->inputs, bed->outputs, ranks,
                                        bytes / sizeof(float), RANKS_OP_SUM};
    return memory;
}

static void clear_bed(struct bench_bed *bed) {
    for (uint32_t r = 0; r < bed->ranks; r++) {
        ranks_buffer_free(bed->inputs[r], (size_t)bed->bytes);
        ranks_buffer_free(bed->outputs[r], (size_t)bed->bytes);
    }
}

static void measure_size(struct bench_bed *bed, struct bench_collectives *all,
                         const struct bench_times *peer, const struct bench_times *mpi) {
    struct bench_times limit = both(bed, call_copy);
    int over_mpi = 0;
    for (int i = 0; bed->status == STATUS_OK && i < BENCH_WAYS; i++) {
        struct bench_figure *figure = &all->figures[all->count++];
        *figure = (struct bench_figure){
            .ranks = bed->ranks, .bytes = bed->bytes, .limit = limit, .peer = *peer};
        measure_way(bed, &ways[i], figure);
        if (ways[i].kind == KIND_MPI) {
            figure->time = mpi[over_mpi++];
        }
    }
}

static enum status measure_sizes(struct bench_bed *bed, struct bench_collectives *all,
                                 struct ranks_fused *fused, struct bench_asked *asked,
                                 struct message *why) {
    struct bench_times peer[BENCH_SIZES], mpi[BENCH_SIZES][BENCH_MPI_WAYS];
    enum status ok = STATUS_OK;
    for (int n = 0; ok == STATUS_OK && n < BENCH_RANKS; n++) {
        asked->ranks = rank_counts[n];
        bench_peer_measure(&all->peer, asked, peer);
        all->mpi_status = bench_mpi_measure(asked, mpi);
        for (int i = 0; ok == STATUS_OK && i < asked->sizes; i++) {
            bool memory = lay_bed(bed, fused, rank_counts[n], bench_sizes[i]);
            bed->effort = bench_effort(bench_sizes[i], asked->runs);
            bed->why = why;
            if (memory) {
                measure_size(bed, all, &peer[i], mpi[i]);
            } else {
                message_start(why, "error.memory");
            }
            clear_bed(bed);
            ok = memory ? bed->status : STATUS_FAILED;
        }
    }
    return ok;
}

int bench_sizes_to(uint64_t largest) {
    int sizes = 0;
    while (sizes < BENCH_SIZES && bench_sizes[sizes] <= largest) {
        sizes++;
    }
    return sizes;
}

enum status cli_bench_collectives(struct bench_collectives *all, int runs, uint64_t largest,
                                  struct message *why) {
    struct bench_asked asked = {0, runs, bench_sizes_to(largest)};
    struct ranks_fused *fused;
    struct bench_bed *bed = malloc(sizeof *bed);
    enum status ok = ranks_fused_open(0, &fused, why);
    if (bed == NULL) {
        message_start(why, "error.memory");
        ok = STATUS_FAILED;
    }
    if (ok == STATUS_OK) {
        ok = measure_sizes(bed, all, fused, &asked, why);
    }
    ranks_fused_close(fused);
    free(bed);
    if (ok == STATUS_OK) {
        bench_opencl_measure(all, runs);
    }
    return ok;
}
