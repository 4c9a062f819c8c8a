/* Loads NVIDIA's driver library (libcuda.so.1) when it is asked for, looks its functions up, and asks for devices. It comes
 * with the driver; the toolkit is not needed. Proof: tests/unit/gpu/test_cuda.c, with a stand-in; tests/cli/test_gpu_missing.c. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda_private.h"

enum status cuda_load(struct cuda_api *api, struct message *why) {
    memset(api, 0, sizeof *api);
    api->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (api->library == NULL) {
        return gpu_library_missing(why, "error.cuda.library");
    }
#define CUDA_LOOK_UP(name, symbol, parameters)                                                     \
    if (!gpu_library_symbol(api->library, symbol, &api->name, sizeof api->name)) {                 \
        return gpu_library_missing(why, "error.cuda.function");                                    \
    }
    CUDA_FUNCTIONS(CUDA_LOOK_UP)
#undef CUDA_LOOK_UP
    int error = api->Init(0);
    if (error != CUDA_OK) {
        message_start(why, "error.cuda.start");
        message_add_plain(why, (uint64_t)error);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static void describe(const struct cuda_api *api, int device, struct gpu_facts *f) {
    int version = 0, units = 0;
    size_t memory = 0;
    memset(f, 0, sizeof *f);
    (void)api->DriverGetVersion(&version);
    (void)api->DeviceGetName(f->name, (int)sizeof f->name - 1, device);
    (void)api->DeviceGetAttribute(&units, CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
    (void)api->DeviceTotalMem(&memory, device);
    (void)snprintf(f->platform, sizeof f->platform, "CUDA %d.%d", version / 1000,
                   version % 1000 / 10);
    (void)snprintf(f->driver, sizeof f->driver, "%d", version);
    f->units = (uint32_t)units;
    f->memory_bytes = memory;
    f->largest_buffer_bytes = memory;
    f->is_gpu = true;
}

enum status cuda_find(const struct cuda_api *api, struct gpu_facts *out, int *count,
                      struct message *why) {
    int there = 0;
    *count = 0;
    if (api->DeviceGetCount(&there) != CUDA_OK) {
        there = 0;
    }
    for (int i = 0; i < there && *count < GPU_LISTED_MAX; i++) {
        int device = 0;
        if (api->DeviceGet(&device, i) == CUDA_OK) {
            describe(api, device, &out[(*count)++]);
        }
    }
    if (*count == 0) {
        message_start(why, "error.cuda.device");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
