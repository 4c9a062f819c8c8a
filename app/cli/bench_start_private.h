/* What the parts of `shardlab bench start` share. app/cli/bench*.c only. */
#ifndef BENCH_START_PRIVATE_H
#define BENCH_START_PRIVATE_H

#include "cli_private.h"

enum { BENCH_START_MAX = 2, BENCH_START_RUNS_MAX = 99 };

struct bench_start_spread {
    double median, least, most; /* seconds; 0: not measured */
};
struct bench_start_figure {
    const char *id, *limit_name;
    struct bench_start_spread time, limit;
    double cpu_s,
        limit_cpu_s; /* medians, without what other programs took of the machine; 0: not measured */
};

struct bench_start {
    struct bench_start_figure figures[BENCH_START_MAX];
    int count;
    char loaded[128]; /* libraries of MPI, OpenCL and CUDA at the first frame; "": none */
    bool opencl, from_cache;
    struct message opencl_why;
};

MUST_USE enum status cli_bench_start(struct bench_start *all, int runs, struct message *why);

/* --- bench_start_screen.c. wall_s 0: it could not be run --- */
struct bench_start_run {
    double wall_s, cpu_s; /* cpu_s until its end */
};
/* The program on a terminal of its own, from its start to the last byte of its first frame. */
struct bench_start_run bench_start_screen(char *loaded, size_t room);
/* A program that does nothing, from its start to its end. */
struct bench_start_run bench_start_bare(void);

/* --- bench_start_write.c --- */
struct json;
void cli_bench_start_json(struct json *j, const struct bench_start *all);
void cli_bench_start_text(struct cli_context *c, const struct bench_start *all);
void cli_bench_start_notes(struct cli_context *c, struct json *j, const struct bench_start *all);

#endif
