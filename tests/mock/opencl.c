/* A stand-in for libOpenCL.so.1 that is broken in the way that MOCK_OPENCL asks for: it crashes or hangs while it is loaded;
 * otherwise it lacks the functions that a loader of OpenCL 1.2 has. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int32_t clGetPlatformIDs(uint32_t count, void **out, uint32_t *there);

int32_t clGetPlatformIDs(uint32_t count, void **out, uint32_t *there) {
    (void)count;
    (void)out;
    *there = 0;
    return 0;
}

__attribute__((constructor)) static void loaded(void) {
    const char *how = getenv("MOCK_OPENCL");
    if (how != NULL && strcmp(how, "crash") == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    while (how != NULL && strcmp(how, "hang") == 0) {
        (void)pause();
    }
}
