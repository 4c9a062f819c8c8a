/* `shardlab bench collectives`: all-reduce of fp32 from 4 B to 64 MiB on 2 and 4 ranks, each way beside the limit that this
 * machine has for it (every input copied to its output by as many workers: as many bytes read and written) and beside
 * MPI_Allreduce. Warm and touched, both, as medians of the slowest rank. Buffers are ours and touched before; what is reduced
 * are zeros, so that no number of repetitions makes them grow. The ways are checked by tests, not here.
 * Proof: tests/cli/test_bench.c. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_collectives_private.h"
#include "shardlab/ranks/fused.h"
#include "shardlab/ranks/workers.h"

const uint64_t bench_sizes[BENCH_SIZES] = {4,       1 << 10, 16 << 10, 64 << 10, 256 << 10,
                                           1 << 20, 4 << 20, 16 << 20, 64 << 20};
static const uint32_t rank_counts[BENCH_RANKS] = {2, 4};

enum kind { KIND_FUSED, KIND_WORKERS, KIND_RANKS };
static const struct way {
    const char *name;
    enum kind kind;
    enum coll_algorithm algorithm;
} ways[BENCH_WAYS] = {
    {"fused", KIND_FUSED, COLL_DIRECT},        {"workers direct", KIND_WORKERS, COLL_DIRECT},
    {"workers ring", KIND_WORKERS, COLL_RING}, {"ranks direct", KIND_RANKS, COLL_DIRECT},
    {"ranks ring", KIND_RANKS, COLL_RING},
};

struct bench_effort bench_effort(uint64_t bytes, int runs) {
    bool small = bytes <= 64 << 10;
    return (struct bench_effort){small ? 20 * runs : runs, small ? 20 : bytes <= 1 << 20 ? 3 : 1};
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One size on so many ranks. */
struct bed {
    uint32_t ranks;
    uint64_t bytes;
    struct bench_effort effort;
    float *inputs[8], *outputs[8]; /* room for more than rank_counts has */
    struct ranks_fused *fused;
    struct ranks_fused_job job;
    struct coll_job list_job;
    struct coll_step *steps; /* of all ranks, steps_max each */
    uint32_t steps_max;
    struct ranks_call calls[8];
    struct ranks_passed passed[8];
    struct ranks_workers *workers;
    double samples[BENCH_SAMPLES_MAX];
    double rank_s[8]; /* blocking ranks: of the sample that runs */
    bool touched;
    struct message *why;
    enum status status;
};

static void touch(uint32_t rank, void *context) {
    const struct bed *bed = context;
    uint64_t count = bed->bytes / sizeof(float);
    volatile float *send = bed->inputs[rank];
    const volatile float *receive = bed->outputs[rank];
    for (uint64_t i = 0; i < count; i++) {
        send[i] = 0;
        (void)receive[i];
    }
}

static double median(struct bed *bed) {
    size_t count = (size_t)bed->effort.samples;
    qsort(bed->samples, count, sizeof bed->samples[0], compare);
    return bed->samples[count / 2];
}

/* --- Ways that one thread calls --- */

static void call_fused(struct bed *bed) {
    (void)ranks_fused_all_reduce(bed->fused, &bed->job);
}

static void call_copy(struct bed *bed) {
    ranks_fused_copy(bed->fused, &bed->job);
}

static void call_workers(struct bed *bed) {
    if (bed->status == STATUS_OK) {
        bed->status = ranks_workers_run(bed->workers, bed->passed, bed->why);
    }
}

static double measure(struct bed *bed, void (*call)(struct bed *), bool touched) {
    int calls = touched ? 1 : bed->effort.calls;
    for (int i = -1; i < bed->effort.samples; i++) { /* the first warms up */
        if (touched && bed->workers != NULL) {
            ranks_workers_each(bed->workers, touch, bed);
        } else if (touched) {
            ranks_fused_each(bed->fused, bed->ranks, touch, bed);
        }
        double begin = now();
        for (int k = 0; k < calls; k++) {
            call(bed);
        }
        if (i >= 0) {
            bed->samples[i] = (now() - begin) / calls;
        }
    }
    return median(bed);
}

static struct bench_times both(struct bed *bed, void (*call)(struct bed *)) {
    double warm = measure(bed, call, false);
    return (struct bench_times){warm, measure(bed, call, true)};
}

/* --- Ways that take steps --- */

static bool make_lists(struct bed *bed, enum coll_algorithm algorithm) {
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

static struct bench_times on_workers(struct bed *bed, struct bench_figure *figure) {
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

/* One blocking rank; rank 0 keeps the samples. */
static enum status be_rank(struct ranks_endpoint *e, void *context) {
    struct bed *bed = context;
    uint32_t self = ranks_self(e);
    struct ranks_passed passed;
    int calls = bed->touched ? 1 : bed->effort.calls;
    enum status ok = STATUS_OK;
    for (int i = -1; ok == STATUS_OK && i < bed->effort.samples; i++) {
        if (bed->touched) {
            touch(self, bed);
        }
        ok = ranks_barrier(e);
        double begin = now(), slowest = 0;
        for (int k = 0; ok == STATUS_OK && k < calls; k++) {
            ok = ranks_collective_run(e, &bed->calls[self], &passed);
        }
        bed->rank_s[self] = (now() - begin) / calls;
        ok = ok == STATUS_OK ? ranks_barrier(e) : ok;
        for (uint32_t r = 0; self == 0 && r < bed->ranks; r++) {
            slowest = bed->rank_s[r] > slowest ? bed->rank_s[r] : slowest;
        }
        if (self == 0 && i >= 0) {
            bed->samples[i] = slowest;
        }
        ok = ok == STATUS_OK ? ranks_barrier(e) : ok; /* rank_s is read */
    }
    return ok;
}

static double on_ranks(struct bed *bed, bool touched) {
    struct ranks_report report;
    const struct ranks_options options = {
        .ranks = bed->ranks, .timeout_s = 30, .mailbox_bytes = 64 << 10, .labels = 1};
    const struct ranks_body body = {be_rank, NULL, bed};
    memset(&report, 0, sizeof report);
    bed->touched = touched;
    if (bed->status == STATUS_OK) {
        bed->status = ranks_run(&options, &body, &report, bed->why);
    }
    return bed->status == STATUS_OK ? median(bed) : 0;
}

static void measure_way(struct bed *bed, const struct way *way, struct bench_figure *figure) {
    figure->way = way->name;
    if (way->kind == KIND_FUSED) {
        figure->workers = ranks_fused_workers(bed->fused);
        figure->time = both(bed, call_fused);
        return;
    }
    if (!make_lists(bed, way->algorithm)) {
        message_start(bed->why, "error.memory");
        bed->status = STATUS_FAILED;
    } else if (way->kind == KIND_WORKERS) {
        figure->time = on_workers(bed, figure);
    } else {
        figure->time.warm_s = on_ranks(bed, false);
        figure->time.touched_s = on_ranks(bed, true);
    }
    free(bed->steps);
}

/* --- Sizes --- */

static bool lay_bed(struct bed *bed, struct ranks_fused *fused, uint32_t ranks, uint64_t bytes) {
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

static void clear_bed(struct bed *bed) {
    for (uint32_t r = 0; r < bed->ranks; r++) {
        ranks_buffer_free(bed->inputs[r], (size_t)bed->bytes);
        ranks_buffer_free(bed->outputs[r], (size_t)bed->bytes);
    }
}

static void measure_size(struct bed *bed, struct bench_collectives *all,
                         const struct bench_times *peer) {
    struct bench_times limit = both(bed, call_copy);
    for (int i = 0; bed->status == STATUS_OK && i < BENCH_WAYS; i++) {
        struct bench_figure *figure = &all->figures[all->count++];
        *figure = (struct bench_figure){
            .ranks = bed->ranks, .bytes = bed->bytes, .limit = limit, .peer = *peer};
        measure_way(bed, &ways[i], figure);
    }
}

static enum status measure_sizes(struct bed *bed, struct bench_collectives *all,
                                 struct ranks_fused *fused, struct bench_asked *asked,
                                 struct message *why) {
    struct bench_times peer[BENCH_SIZES];
    enum status ok = STATUS_OK;
    for (int n = 0; ok == STATUS_OK && n < BENCH_RANKS; n++) {
        asked->ranks = rank_counts[n];
        bench_peer_measure(&all->peer, asked, peer);
        for (int i = 0; ok == STATUS_OK && i < asked->sizes; i++) {
            bool memory = lay_bed(bed, fused, rank_counts[n], bench_sizes[i]);
            bed->effort = bench_effort(bench_sizes[i], asked->runs);
            bed->why = why;
            if (memory) {
                measure_size(bed, all, &peer[i]);
            } else {
                message_start(why, "error.memory");
            }
            clear_bed(bed);
            ok = memory ? bed->status : STATUS_FAILED;
        }
    }
    return ok;
}

enum status cli_bench_collectives(struct bench_collectives *all, int runs, uint64_t largest,
                                  struct message *why) {
    struct bench_asked asked = {0, runs, 0};
    struct ranks_fused *fused;
    struct bed *bed = malloc(sizeof *bed);
    enum status ok = ranks_fused_open(0, &fused, why);
    if (bed == NULL) {
        message_start(why, "error.memory");
        ok = STATUS_FAILED;
    }
    if (ok == STATUS_OK) {
        while (asked.sizes < BENCH_SIZES && bench_sizes[asked.sizes] <= largest) {
            asked.sizes++;
        }
        ok = measure_sizes(bed, all, fused, &asked, why);
    }
    ranks_fused_close(fused);
    free(bed);
    return ok;
}
