/* The peer of `shardlab bench collectives`: MPI_Allreduce of the MPI that is installed, on the same numbers of ranks and bytes
 * and measured the same way, as a program of its own that the bench starts with mpirun. Arguments, one a size:
 * bytes:samples:calls. It prints the library's name, then for each size bytes and the medians in seconds, warm (calls one
 * after the other) and touched (before each call every rank rewrites what it sends and reads what it received). A sample
 * is that of the slowest rank. Buffers are as good as ours: huge pages, touched before. Proof: tests/cli/mpi.sh. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SAMPLES_MAX = 4096 };

struct buffers {
    float *send, *receive;
    size_t bytes;
};

static volatile float sink;

static void *buffer_new(size_t bytes) {
    void *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) {
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    (void)madvise(buffer, bytes, MADV_HUGEPAGE);
    memset(buffer, 0, bytes);
    return buffer;
}

static void touch(const struct buffers *b) {
    float sum = 0;
    for (size_t i = 0; i < b->bytes / sizeof(float); i++) {
        b->send[i] = 0;
        sum += b->receive[i];
    }
    sink = sum;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* The median of samples, each of `calls` calls or, touched, of one. */
static double measure(const struct buffers *b, int samples, int calls, bool touched) {
    static double seconds[SAMPLES_MAX];
    int count = (int)(b->bytes / sizeof(float));
    calls = touched ? 1 : calls;
    for (int i = -1; i < samples; i++) { /* the first warms up */
        if (touched) {
            touch(b);
        }
        (void)MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int k = 0; k < calls; k++) {
            (void)MPI_Allreduce(b->send, b->receive, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        }
        double took = (MPI_Wtime() - begin) / calls, slowest = 0;
        (void)MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i >= 0) {
            seconds[i] = slowest;
        }
    }
    qsort(seconds, (size_t)samples, sizeof *seconds, compare);
    return seconds[samples / 2];
}

static void print_library(void) {
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    (void)MPI_Get_library_version(name, &length);
    name[strcspn(name, ",\n")] = '\0';
    printf("%s\n", name);
}

static bool measure_size(const char *what, int rank) {
    char *end;
    unsigned long bytes = strtoul(what, &end, 10);
    long samples = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    long calls = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    if (bytes == 0 || samples < 1 || samples > SAMPLES_MAX || calls < 1 || calls > 1000000) {
        return false;
    }
    struct buffers b = {buffer_new(bytes), buffer_new(bytes), bytes};
    double warm = measure(&b, (int)samples, (int)calls, false);
    double touched = measure(&b, (int)samples, 1, true);
    (void)munmap(b.send, bytes);
    (void)munmap(b.receive, bytes);
    if (rank == 0) {
        printf("%lu %.9g %.9g\n", bytes, warm, touched);
        (void)fflush(stdout);
    }
    return true;
}

int main(int argc, char **argv) {
    int rank = 0;
    bool well = true;
    (void)MPI_Init(&argc, &argv);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        print_library();
    }
    for (int i = 1; well && i < argc; i++) {
        well = measure_size(argv[i], rank);
    }
    (void)MPI_Finalize();
    return well ? 0 : 2;
}
