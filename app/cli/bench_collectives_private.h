/* What the parts of `shardlab bench collectives` share: figures, and the peer. app/cli/bench*.c only. */
#ifndef BENCH_COLLECTIVES_PRIVATE_H
#define BENCH_COLLECTIVES_PRIVATE_H

#include "cli_private.h"

enum {
    BENCH_SIZES = 9,
    BENCH_WAYS = 5,
    BENCH_RANKS = 2,
    BENCH_FIGURES = BENCH_SIZES * BENCH_WAYS * BENCH_RANKS,
    BENCH_SAMPLES_MAX = 2000,
};

/* Seconds a call: calls one after the other, or after every rank has rewritten its input and read its output. */
struct bench_times {
    double warm_s, touched_s;
};

/* What a way takes, and the same number of ranks and bytes by the limit and by the peer. */
struct bench_figure {
    uint32_t ranks, workers; /* workers 0: a thread a rank */
    uint64_t bytes;
    const char *way; /* "fused", "workers ring", … */
    struct bench_times time, limit, peer;
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
};

/* How often a size is measured: samples, each of so many calls when warm. */
struct bench_effort {
    int samples, calls;
};
struct bench_effort bench_effort(uint64_t bytes, int runs);
extern const uint64_t bench_sizes[BENCH_SIZES];

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

/* --- bench_collectives_write.c --- */
struct json;
void cli_bench_collectives_json(struct json *j, const struct bench_collectives *all);
void cli_bench_collectives_text(struct cli_context *c, const struct bench_collectives *all);
void cli_bench_collectives_notes(struct cli_context *c, struct json *j,
                                 const struct bench_collectives *all);

#endif
