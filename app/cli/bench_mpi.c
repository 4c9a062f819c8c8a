/* The collectives' bench over MPI, from both sides. `mpirun -n N shardlab bench mpi [LARGEST]` measures our fused way, direct and ring on
 * the ranks that the launcher started, on one machine or several; rank 0 answers. `bench collectives` starts just that, on
 * this machine, beside the same library's MPI_Allreduce, and takes the times out of the answer. Nothing is started where
 * the program has no MPI module. Proof: tests/cli/test_bench.c, tests/cli/mpi.sh. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_collectives_private.h"
#include "bench_private.h"
#include "shardlab/ranks/door.h"

static const struct {
    const char *name;
    enum coll_algorithm algorithm;
} ways[BENCH_MPI_WAYS] = {
    {"mpi fused", COLL_DIRECT}, {"mpi direct", COLL_DIRECT}, {"mpi ring", COLL_RING}};
enum { FUSED }; /* the first */

/* --- One of the processes --- */

/* Whether all ranks really see each other's memory: rank r gives r + 1 everywhere. Inputs are zero again after it. */
static enum status add_once(struct ranks_endpoint *e, void *context) {
    struct bench_bed *bed = context;
    struct ranks_traffic moved;
    uint32_t self = ranks_self(e);
    const uint32_t whole = bed->ranks * (bed->ranks + 1) / 2;
    float sum = (float)whole;
    for (uint64_t i = 0; i < bed->job.elements; i++) {
        bed->inputs[self][i] = (float)(self + 1);
    }
    enum status ok = ranks_fused_meet(e, &bed->job, &moved);
    for (uint64_t i = 0; ok == STATUS_OK && i < bed->job.elements; i++) {
        ok = bed->outputs[self][i] == sum ? STATUS_OK : STATUS_FAILED;
    }
    memset(bed->inputs[self], 0, (size_t)bed->bytes);
    return ok;
}

static void try_fused(struct bench_bed *bed) {
    struct ranks_report report;
    const struct ranks_options options = {.backend = RANKS_MPI,
                                          .ranks = bed->ranks,
                                          .timeout_s = 30,
                                          .mailbox_bytes = 4096,
                                          .labels = 1};
    const struct ranks_body body = {add_once, NULL, bed};
    memset(&report, 0, sizeof report);
    bed->status = ranks_run(&options, &body, &report, bed->why);
}

/* Where ranks are on one machine; elsewhere it stays unmeasured. */
static void measure_fused(struct bench_bed *bed, struct bench_figure *figure) {
    void *at[BENCH_RANKS_MAX];
    float *inputs[BENCH_RANKS_MAX], *outputs[BENCH_RANKS_MAX];
    size_t line = 64, bytes = ((size_t)bed->bytes + line - 1) / line * line;
    void *shared = ranks_mpi_share(2 * bytes, at);
    if (shared == NULL) {
        return;
    }
    memcpy(inputs, bed->inputs, sizeof inputs);
    memcpy(outputs, bed->outputs, sizeof outputs);
    for (uint32_t r = 0; r < bed->ranks; r++) {
        bed->inputs[r] = at[r];
        bed->outputs[r] = bed->inputs[r] + bytes / sizeof(float);
    }
    bed->job = (struct ranks_fused_job){(const float *const *)bed->inputs, bed->outputs, bed->ranks,
                                        bed->bytes / sizeof(float), RANKS_OP_SUM};
    bed->meets = true;
    try_fused(bed);
    figure->time = bench_on_ranks(bed, RANKS_MPI);
    figure->kernel = bed->kernel;
    bed->meets = false;
    memcpy(bed->inputs, inputs, sizeof inputs);
    memcpy(bed->outputs, outputs, sizeof outputs);
    ranks_mpi_release(shared);
}

static void measure_size(struct bench_bed *bed, struct bench_collectives *all) {
    for (int i = 0; bed->status == STATUS_OK && i < BENCH_MPI_WAYS; i++) {
        struct bench_figure *figure = &all->figures[all->count++];
        *figure =
            (struct bench_figure){.ranks = bed->ranks, .bytes = bed->bytes, .way = ways[i].name};
        memset(&bed->kernel, 0, sizeof bed->kernel);
        if (i == FUSED) {
            measure_fused(bed, figure);
        } else if (bench_lists(bed, ways[i].algorithm)) {
            figure->time = bench_on_ranks(bed, RANKS_MPI);
            figure->kernel = bed->kernel;
        } else {
            message_start(bed->why, "error.memory");
            bed->status = STATUS_FAILED;
        }
        free(bed->steps);
        bed->steps = NULL;
    }
}

static enum status measure_sizes(struct bench_bed *bed, struct bench_collectives *all,
                                 const struct bench_asked *asked, uint32_t self) {
    for (int i = 0; bed->status == STATUS_OK && i < asked->sizes; i++) {
        bed->bytes = bench_sizes[i];
        bed->effort = bench_effort(bed->bytes, asked->runs);
        bed->inputs[self] = ranks_buffer_new((size_t)bed->bytes);
        bed->outputs[self] = ranks_buffer_new((size_t)bed->bytes);
        if (bed->inputs[self] != NULL && bed->outputs[self] != NULL) {
            measure_size(bed, all);
        } else {
            message_start(bed->why, "error.memory");
            bed->status = STATUS_FAILED;
        }
        ranks_buffer_free(bed->inputs[self], (size_t)bed->bytes);
        ranks_buffer_free(bed->outputs[self], (size_t)bed->bytes);
    }
    return bed->status;
}

enum status cli_bench_mpi(struct bench_collectives *all, int runs, uint64_t largest,
                          struct message *why) {
    struct bench_asked asked = {0, runs, bench_sizes_to(largest)};
    uint32_t self;
    if (!ranks_backend_ready(RANKS_MPI, why)) {
        return STATUS_FAILED;
    }
    enum status ok = ranks_mpi_join(&self, &asked.ranks, why);
    if (ok == STATUS_OK && asked.ranks > BENCH_RANKS_MAX) {
        message_start(why, "error.bench.mpi_ranks");
        message_add_plain(why, asked.ranks);
        message_add_plain(why, BENCH_RANKS_MAX);
        return STATUS_USAGE;
    }
    struct bench_bed *bed = ok == STATUS_OK ? calloc(1, sizeof *bed) : NULL;
    if (bed != NULL) {
        bed->ranks = asked.ranks;
        bed->why = why;
        ok = measure_sizes(bed, all, &asked, self);
        all->elsewhere = self != 0;
    } else if (ok == STATUS_OK) {
        message_start(why, "error.memory");
        ok = STATUS_FAILED;
    }
    free(bed);
    return ok;
}

/* --- Who starts them --- */

/* A number after its name, or null; NULL: neither. */
static const char *read_number(const char *text, const char *name, double *out) {
    char *end = NULL;
    *out = 0;
    if (text == NULL || strncmp(text, name, strlen(name)) != 0) {
        return NULL;
    }
    text += strlen(name);
    if (strncmp(text, "null", 4) == 0) {
        return text + 4;
    }
    *out = strtod(text, &end);
    return end != text ? end : NULL;
}

/* The times stand in the answer size by size, way by way. */
static bool parse(const char *text, int sizes, struct bench_times (*times)[BENCH_MPI_WAYS]) {
    static const char mark[] = "\"time_s\":{";
    for (int i = 0; i < sizes * BENCH_MPI_WAYS; i++) {
        struct bench_times *t = &times[i / BENCH_MPI_WAYS][i % BENCH_MPI_WAYS];
        text = strstr(text, mark);
        text = read_number(text != NULL ? text + strlen(mark) : NULL, "\"warm_s\":", &t->warm_s);
        text = read_number(text, ",\"touched_s\":", &t->touched_s);
        if (text == NULL) {
            return false;
        }
    }
    return true;
}

int bench_mpi_measure(const struct bench_asked *asked,
                      struct bench_times (*times)[BENCH_MPI_WAYS]) {
    enum { ROOM = 64 << 10 };
    char program[2048], module[2048], count[24], largest[24], runs[24];
    char launcher[] = "mpirun", option[] = "-n", bench[] = "bench", mpi[] = "mpi";
    char repeat[] = "--repeat", json[] = "--json";
    char *words[] = {launcher, option, count, program, bench, mpi,
                     largest,  repeat, runs,  json,    NULL};
    struct writer w;
    memset(times, 0, BENCH_SIZES * sizeof *times);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *text = malloc(ROOM);
    if (text == NULL || length < 0 || asked->sizes == 0 ||
        !ranks_beside_program(RANKS_DOOR_FILE, module, sizeof module)) {
        free(text);
        return -1;
    }
    program[length] = '\0';
    writer_start(&w, count, sizeof count);
    writer_u64(&w, asked->ranks);
    writer_start(&w, largest, sizeof largest);
    writer_u64(&w, bench_sizes[asked->sizes - 1]);
    writer_start(&w, runs, sizeof runs);
    writer_u64(&w, (uint64_t)asked->runs);
    int status = cli_bench_ask(words, text, ROOM);
    if (status == 0 && !parse(text, asked->sizes, times)) {
        memset(times, 0, BENCH_SIZES * sizeof *times);
        status = -1;
    }
    free(text);
    return status;
}
