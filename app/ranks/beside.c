/* Where the parts of an installed program are that are files of their own: MPI's module, and the peer of the bench. Beside
 * the program, as in a build tree, or in its library folder. Called by mpi.c and by the command `bench`. The path is written
 * to the caller's buffer. Proof: tests/cli/mpi.sh, which loads the module so, tests/cli/test_bench.c. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "shardlab/base/writer.h"
#include "shardlab/ranks/door.h"

#ifndef SHARDLAB_LIBRARIES
#define SHARDLAB_LIBRARIES "" /* the folder of an installed program's modules */
#endif

static bool is_in(const char *folder, size_t length, const char *file, struct writer *path) {
    path->length = 0;
    path->overflow = false;
    writer_text_n(path, folder, length);
    writer_char(path, '/');
    writer_text(path, file);
    return !path->overflow && access(path->bytes, R_OK) == 0;
}

bool ranks_beside_program(const char *file, char *path, size_t capacity) {
    char program[1024];
    struct writer w;
    writer_start(&w, path, capacity);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    return (slash != NULL && is_in(program, (size_t)(slash - program), file, &w)) ||
           is_in(SHARDLAB_LIBRARIES, strlen(SHARDLAB_LIBRARIES), file, &w);
}
