/* Loads the OpenCL loader (libOpenCL.so.1) when it is asked for, and looks its functions up. Whoever installs a GPU's driver
 * has it; without it the sentence says what to install. Proof: tests/unit/gpu/test_look.c, with a stand-in;
 * tests/cli/test_gpu_missing.c. */
#include <dlfcn.h>
#include <string.h>

#include "opencl_private.h"

static enum status missing(struct message *why, const char *id) {
    const char *said = dlerror();
    message_start(why, id);
    message_add_text(why, said == NULL ? "-" : said);
    return STATUS_FAILED;
}

/* ISO C has no cast from an object pointer to a function pointer; POSIX says that the bits are the same. */
static bool look_up(void *library, const char *name, void *into, size_t bytes) {
    void *symbol = dlsym(library, name);
    if (symbol != NULL && bytes == sizeof symbol) {
        memcpy(into, &symbol, bytes);
    }
    return symbol != NULL;
}

enum status opencl_load(struct opencl_api *api, struct message *why) {
    memset(api, 0, sizeof *api);
    api->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (api->library == NULL) {
        return missing(why, "error.opencl.library");
    }
#define OPENCL_LOOK_UP(result, name, parameters)                                                   \
    if (!look_up(api->library, "cl" #name, &api->name, sizeof api->name)) {                        \
        return missing(why, "error.opencl.function");                                              \
    }
    OPENCL_FUNCTIONS(OPENCL_LOOK_UP)
#undef OPENCL_LOOK_UP
    return STATUS_OK;
}
