/* What loading a driver's library takes, for OpenCL and CUDA alike: a function by its name, and the sentence of the loader
 * when something is missing. Called by opencl_load.c and cuda_load.c. Proof: tests/unit/gpu/test_look.c, tests/cli/test_gpu_missing.c. */
#include <dlfcn.h>
#include <string.h>

#include "gpu_private.h"

enum status gpu_library_missing(struct message *why, const char *id) {
    const char *said = dlerror();
    message_start(why, id);
    message_add_text(why, said == NULL ? "-" : said);
    return STATUS_FAILED;
}

/* ISO C has no cast from an object pointer to a function pointer; POSIX says that the bits are the same. */
bool gpu_library_symbol(void *library, const char *name, void *into, size_t bytes) {
    void *symbol = dlsym(library, name);
    if (symbol != NULL && bytes == sizeof symbol) {
        memcpy(into, &symbol, bytes);
    }
    return symbol != NULL;
}
