/* Loads the OpenCL loader (libOpenCL.so.1) when it is asked for, and looks its functions up. Whoever installs a GPU's driver
 * has it; without it the sentence says what to install. Proof: tests/unit/gpu/test_look.c, tests/cli/test_gpu_missing.c. */
#include <dlfcn.h>
#include <string.h>

#include "opencl_private.h"

enum status opencl_load(struct opencl_api *api, struct message *why) {
    memset(api, 0, sizeof *api);
    api->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (api->library == NULL) {
        return gpu_library_missing(why, "error.opencl.library");
    }
#define OPENCL_LOOK_UP(result, name, parameters)                                                   \
    if (!gpu_library_symbol(api->library, "cl" #name, &api->name, sizeof api->name)) {             \
        return gpu_library_missing(why, "error.opencl.function");                                  \
    }
    OPENCL_FUNCTIONS(OPENCL_LOOK_UP)
#undef OPENCL_LOOK_UP
    return STATUS_OK;
}
