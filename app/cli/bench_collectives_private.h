/* What the parts of `shardlab bench collectives` share: figures, and the peer. app/cli/bench*.c only. */
#ifndef BENCH_COLLECTIVES_PRIVATE_H
#define BENCH_COLLECTIVES_PRIVATE_H

#include "cli_private.h"
#include "shardlab/ranks/fused.h"
#include "shardlab/ranks/workers.h"

enum {
    BENCH_SIZES = 9,
    BENCH_WAYS = 12,
    BENCH_RANKS = 2,
    BENCH_RANKS_MAX = 8, /* that a bed has room for */
    BENCH_FIGURES = BENCH_SIZES * BENCH_WAYS * BENCH_RANKS,
    BENCH_SAMPLES_MAX = 2000,
};

/* Seconds a call: calls one after the other, or after every rank has rewritten its input and read its output. */
struct bench_times {
    double warm_s, touched_s;
};

/* What the kernel had to do in all warm calls that were timed: pages given, and threads or processes put to sleep. */
struct bench_kernel {
    uint64_t calls, faults, sleeps;
};

/* What a way takes, and the same number of ranks and bytes by the limit and by the peer. */
struct bench_figure {
    uint32_t ranks, workers; /* workers 0: a thread or process a rank */
    uint64_t bytes;
    const char *way; /* "fused", "workers ring", … */
    struct bench_times time, limit, peer;
    struct bench_kernel kernel; /* calls 0: not counted */
};

struct bench_peer {
    bool installed, measured;
    char name[96]; /* "Open MPI v4.1.4" */
    int status;    /* of mpirun, when it failed */
};

struct bench_collectives {
    struct bench_figure figures[BENCH_FIGURES];
    int count;
    struct bench_peer peer;
    bool elsewhere; /* of cli_bench_mpi: rank 0 has the figures */
    int mpi_status; /* of mpirun with our own program; 0: its figures are there */
    bool opencl;    /* its figures are there; else why */
    struct message opencl_why;
};

/* How often a size is measured: samples, each of so many calls when warm. */
struct bench_effort {
    int samples, calls;
};

/* One size on so many ranks. */
struct bench_bed {
    uint32_t ranks;
    uint64_t bytes;
    struct bench_effort effort;
    float *inputs[BENCH_RANKS_MAX], *outputs[BENCH_RANKS_MAX];
    struct ranks_fused *fused;
    struct ranks_fused_job job;
    struct coll_job list_job;
    struct coll_step *steps; /* of all ranks, steps_max each */
    uint32_t steps_max;
    struct ranks_call calls[BENCH_RANKS_MAX];
    struct ranks_passed passed[BENCH_RANKS_MAX];
    struct ranks_workers *workers;
    double samples[BENCH_SAMPLES_MAX];
    bool touched, meets; /* meets: ranks_fused_meet, not the lists */
    struct bench_kernel kernel;
    struct message *why;
    enum status status;
};

struct bench_effort bench_effort(uint64_t bytes, int runs);
extern const uint64_t bench_sizes[BENCH_SIZES];
int bench_sizes_to(uint64_t largest); /* how many there are up to it */
double bench_now_s(void);
/* Sorts them. */
double bench_median(double *samples, int count);
/* Writes the input of a rank and reads its output. */
void bench_touch(uint32_t rank, void *bed);
/* False: no memory. Lists and calls for `bed`, to be freed by the caller of either. */
bool bench_lists(struct bench_bed *bed, enum coll_algorithm algorithm);

/* Runs everything; `runs` scales the samples, `largest` is the last size that is measured. */
MUST_USE enum status cli_bench_collectives(struct bench_collectives *all, int runs,
                                           uint64_t largest, struct message *why);

/* --- bench_peer.c: times[sizes] of MPI_Allreduce; peer->measured says whether they were had --- */
struct bench_asked {
    uint32_t ranks;
    int runs, sizes; /* the first so many of bench_sizes */
};
void bench_peer_measure(struct bench_peer *peer, const struct bench_asked *asked,
                        struct bench_times *times);

/* --- bench_ranks.c: a thread, process or MPI process a rank; in which process rank 0 is, it has the result --- */
struct bench_times bench_on_ranks(struct bench_bed *bed, enum ranks_backend backend);
/* The same among processes; buffers are others than the bed's, which all of them see. */
struct bench_times bench_on_processes(struct bench_bed *bed);

/* --- bench_mpi.c: fused, direct and ring over MPI, by starting this program --- */
enum { BENCH_MPI_WAYS = 3 };
/* This process is one of those that mpirun started. */
MUST_USE enum status cli_bench_mpi(struct bench_collectives *all, int runs, uint64_t largest,
                                   struct message *why);
int bench_mpi_measure(const struct bench_asked *asked,
                      struct bench_times (*times)[BENCH_MPI_WAYS]); /* status of mpirun */

/* --- bench_opencl.c: direct, on OpenCL's devices --- */
void bench_opencl_measure(struct bench_collectives *all, int runs);

/* --- bench_collectives_write.c --- */
struct json;
void cli_bench_collectives_json(struct json *j, const struct bench_collectives *all);
void cli_bench_collectives_text(struct cli_context *c, const struct bench_collectives *all);
void cli_bench_collectives_notes(struct cli_context *c, struct json *j,
                                 const struct bench_collectives *all);

#endif
