/* The collectives' bench over MPI, from both sides. `mpirun -n N shardlab bench mpi [LARGEST]` measures our direct and ring on
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
} ways[BENCH_MPI_WAYS] = {{"mpi direct", COLL_DIRECT}, {"mpi ring", COLL_RING}};

/* --- One of the processes --- */

static void measure_size(struct bench_bed *bed, struct bench_collectives *all) {
    for (int i = 0; bed->status == STATUS_OK && i < BENCH_MPI_WAYS; i++) {
        struct bench_figure *figure = &all->figures[all->count++];
        *figure =
            (struct bench_figure){.ranks = bed->ranks, .bytes = bed->bytes, .way = ways[i].name};
        memset(&bed->kernel, 0, sizeof bed->kernel);
        if (bench_lists(bed, ways[i].algorithm)) {
            figure->time = bench_on_ranks(bed, RANKS_MPI);
            figure->kernel = bed->kernel;
        } else {
            message_start(bed->why, "error.memory");
            bed->status = STATUS_FAILED;
        }
        free(bed->steps);
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

/* The times stand in the answer size by size, way by way. */
static bool parse(const char *text, int sizes, struct bench_times (*times)[BENCH_MPI_WAYS]) {
    static const char mark[] = "\"time_s\":{\"warm_s\":", next[] = ",\"touched_s\":";
    for (int i = 0; i < sizes * BENCH_MPI_WAYS; i++) {
        struct bench_times *t = &times[i / BENCH_MPI_WAYS][i % BENCH_MPI_WAYS];
        char *end = NULL;
        text = strstr(text, mark);
        if (text == NULL) {
            return false;
        }
        t->warm_s = strtod(text + strlen(mark), &end);
        if (strncmp(end, next, strlen(next)) != 0) {
            return false;
        }
        t->touched_s = strtod(end + strlen(next), &end);
        text = end;
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
