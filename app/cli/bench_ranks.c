/* The collectives' bench where each rank has a thread, a forked process or an MPI process of its own. A rank times itself, and
 * rank 0, to which all times are gathered, keeps those of the slowest. Processes reduce on buffers that all of them see;
 * what the kernel did for a rank is counted by the rank. Proof: tests/cli/test_bench.c, tests/cli/mpi.sh. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/resource.h>

#include "bench_collectives_private.h"

/* In the memory of a run. */
struct seen {
    double rank_s[BENCH_RANKS_MAX]; /* of the sample that runs */
    struct bench_kernel kernels[BENCH_RANKS_MAX];
    double samples[BENCH_SAMPLES_MAX]; /* by rank 0 */
};

static struct bench_kernel kernel_of_rank(void) {
    struct rusage use;
    (void)getrusage(RUSAGE_THREAD, &use);
    return (struct bench_kernel){0, (uint64_t)use.ru_minflt, (uint64_t)use.ru_nvcsw};
}

static enum status call_once(struct ranks_endpoint *e, struct bench_bed *bed) {
    struct ranks_traffic moved;
    struct ranks_passed passed;
    return bed->meets ? ranks_fused_meet(e, &bed->job, &moved)
                      : ranks_collective_run(e, &bed->calls[ranks_self(e)], &passed);
}

/* One sample: this rank's time and what the kernel did. */
static enum status take_sample(struct ranks_endpoint *e, struct bench_bed *bed, bool counts) {
    struct seen *seen = ranks_shared(e);
    uint32_t self = ranks_self(e);
    uint64_t calls = bed->touched ? 1 : (uint64_t)bed->effort.calls;
    if (bed->touched) {
        bench_touch(self, bed);
    }
    enum status ok = ranks_barrier(e);
    struct bench_kernel before = kernel_of_rank();
    double begin = bench_now_s();
    for (uint64_t k = 0; ok == STATUS_OK && k < calls; k++) {
        ok = call_once(e, bed);
    }
    seen->rank_s[self] = (bench_now_s() - begin) / (double)calls;
    struct bench_kernel after = kernel_of_rank(), *sum = &seen->kernels[self];
    if (counts && !bed->touched) {
        sum->calls += calls;
        sum->faults += after.faults - before.faults;
        sum->sleeps += after.sleeps - before.sleeps;
    }
    return ok;
}

static enum status be_rank(struct ranks_endpoint *e, void *context) {
    struct bench_bed *bed = context;
    struct seen *seen = ranks_shared(e);
    enum status ok = STATUS_OK;
    for (int i = -1; ok == STATUS_OK && i < bed->effort.samples; i++) { /* the first warms up */
        double slowest = 0;
        ok = take_sample(e, bed, i >= 0);
        ok = ok == STATUS_OK ? ranks_gather(e, offsetof(struct seen, rank_s), sizeof(double)) : ok;
        for (uint32_t r = 0; r < bed->ranks; r++) {
            slowest = seen->rank_s[r] > slowest ? seen->rank_s[r] : slowest;
        }
        if (ranks_self(e) == 0 && i >= 0) {
            seen->samples[i] = slowest;
        }
        ok = ok == STATUS_OK ? ranks_barrier(e) : ok; /* rank_s is read */
    }
    return ok == STATUS_OK
               ? ranks_gather(e, offsetof(struct seen, kernels), sizeof(struct bench_kernel))
               : ok;
}

static void keep(void *shared, void *context) {
    struct bench_bed *bed = context;
    const struct seen *seen = shared;
    memcpy(bed->samples, seen->samples, sizeof bed->samples);
    if (!bed->touched) {
        bed->kernel.calls = seen->kernels[0].calls;
    }
    for (uint32_t r = 0; r < bed->ranks; r++) {
        bed->kernel.faults += seen->kernels[r].faults;
        bed->kernel.sleeps += seen->kernels[r].sleeps;
    }
}

static double measure(struct bench_bed *bed, enum ranks_backend backend, bool touched) {
    struct ranks_report report;
    const struct ranks_options options = {.backend = backend,
                                          .ranks = bed->ranks,
                                          .timeout_s = 30,
                                          .mailbox_bytes = 64 << 10,
                                          .shared_bytes = sizeof(struct seen),
                                          .labels = 1};
    const struct ranks_body body = {be_rank, keep, bed};
    memset(&report, 0, sizeof report);
    bed->touched = touched;
    if (bed->status == STATUS_OK) {
        bed->status = ranks_run(&options, &body, &report, bed->why);
    }
    return bed->status == STATUS_OK && !report.elsewhere
               ? bench_median(bed->samples, bed->effort.samples)
               : 0;
}

struct bench_times bench_on_ranks(struct bench_bed *bed, enum ranks_backend backend) {
    double warm = measure(bed, backend, false);
    return (struct bench_times){warm, measure(bed, backend, true)};
}

struct bench_times bench_on_processes(struct bench_bed *bed) {
    struct bench_times times = {0, 0};
    float *own_inputs[BENCH_RANKS_MAX], *own_outputs[BENCH_RANKS_MAX];
    size_t bytes = (size_t)bed->bytes;
    bool memory = true;
    memcpy(own_inputs, bed->inputs, sizeof own_inputs);
    memcpy(own_outputs, bed->outputs, sizeof own_outputs);
    for (uint32_t r = 0; r < bed->ranks; r++) {
        bed->inputs[r] = ranks_buffer_shared(bytes);
        bed->outputs[r] = ranks_buffer_shared(bytes);
        bed->calls[r].input = bed->calls[r].output = bed->inputs[r];
        memory = memory && bed->inputs[r] != NULL && bed->outputs[r] != NULL;
    }
    if (memory) {
        times = bench_on_ranks(bed, RANKS_PROCESSES);
    } else {
        message_start(bed->why, "error.memory");
        bed->status = STATUS_FAILED;
    }
    for (uint32_t r = 0; r < bed->ranks; r++) {
        ranks_buffer_free(bed->inputs[r], bytes);
        ranks_buffer_free(bed->outputs[r], bytes);
    }
    memcpy(bed->inputs, own_inputs, sizeof own_inputs);
    memcpy(bed->outputs, own_outputs, sizeof own_outputs);
    return times;
}
