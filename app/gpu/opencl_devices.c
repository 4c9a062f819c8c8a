/* Which OpenCL devices there are, and which an experiment takes. A processor is divided into parts of one unit, so that two
 * ranks run side by side on it as they would on two GPUs. Proof: tests/unit/gpu/test_convert.c. */
#include <stdio.h>
#include <string.h>

#include "opencl_private.h"

enum { PLATFORMS_MAX = 16 };

static void device_text(const struct opencl_api *api, opencl_device device, uint32_t what,
                        char out[GPU_TEXT_MAX]) {
    char text[1024] = "";
    if (api->GetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS) {
        text[0] = '\0';
    }
    (void)snprintf(out, GPU_TEXT_MAX, "%.*s", GPU_TEXT_MAX - 1, text);
}

static uint64_t device_number(const struct opencl_api *api, opencl_device device, uint32_t what,
                              size_t bytes) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    void *into = bytes == sizeof narrow ? (void *)&narrow : (void *)&wide;
    if (api->GetDeviceInfo(device, what, bytes, into, NULL) != CL_SUCCESS) {
        return 0;
    }
    return bytes == sizeof narrow ? narrow : wide;
}

static void describe(const struct opencl_api *api, struct opencl_found *found) {
    char name[512] = "", version[512] = "";
    struct gpu_facts *f = &found->facts;
    opencl_device d = found->device;
    (void)api->GetPlatformInfo(found->platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    (void)api->GetPlatformInfo(found->platform, CL_PLATFORM_VERSION, sizeof version - 1, version,
                               NULL);
    (void)snprintf(f->platform, sizeof f->platform, "%.48s, %.70s", name, version);
    device_text(api, d, CL_DEVICE_NAME, f->name);
    device_text(api, d, CL_DRIVER_VERSION, f->driver);
    f->units = (uint32_t)device_number(api, d, CL_DEVICE_MAX_COMPUTE_UNITS, 4);
    f->memory_bytes = device_number(api, d, CL_DEVICE_GLOBAL_MEM_SIZE, 8);
    f->largest_buffer_bytes = device_number(api, d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8);
    f->is_gpu = (device_number(api, d, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_GPU) != 0;
}

enum status opencl_find(const struct opencl_api *api, struct opencl_found *out, int *count,
                        struct message *why) {
    opencl_platform platforms[PLATFORMS_MAX];
    uint32_t there = 0;
    *count = 0;
    if (api->GetPlatformIDs(PLATFORMS_MAX, platforms, &there) != CL_SUCCESS) {
        there = 0; /* CL_PLATFORM_NOT_FOUND_KHR where no driver is installed */
    }
    for (uint32_t p = 0; p < there && p < PLATFORMS_MAX; p++) {
        opencl_device devices[GPU_LISTED_MAX];
        uint32_t found = 0;
        if (api->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, GPU_LISTED_MAX, devices, &found) !=
            CL_SUCCESS) {
            continue;
        }
        for (uint32_t d = 0; d < found && d < GPU_LISTED_MAX && *count < GPU_LISTED_MAX; d++) {
            out[*count] = (struct opencl_found){.platform = platforms[p], .device = devices[d]};
            describe(api, &out[*count]);
            ++*count;
        }
    }
    if (*count == 0) {
        message_start(why, "error.opencl.device");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Parts of one unit each; false: the device cannot be divided. */
static bool divide(struct gpu *gpu, struct opencl *own, const struct opencl_found *whole) {
    const intptr_t how[3] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    uint32_t parts = 0;
    if (whole->facts.units < 2 || whole->facts.units > GPU_LISTED_MAX || gpu->ranks < 2 ||
        own->api.CreateSubDevices(whole->device, how, GPU_LISTED_MAX, own->device, &parts) !=
            CL_SUCCESS ||
        parts == 0 || parts > GPU_LISTED_MAX) {
        return false;
    }
    own->parts = parts;
    gpu->devices = parts;
    for (uint32_t d = 0; d < parts; d++) {
        gpu->facts[d] = whole->facts;
        gpu->facts[d].units = 1;
    }
    return true;
}

enum status opencl_choose(struct gpu *gpu, struct opencl *own, struct message *why) {
    struct opencl_found found[GPU_LISTED_MAX];
    int count = 0, first = 0;
    enum status ok = opencl_find(&own->api, found, &count, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    while (first < count && !found[first].facts.is_gpu) {
        first++;
    }
    bool gpus = first < count;
    first = gpus ? first : 0;
    own->platform = found[first].platform;
    if (!gpus && divide(gpu, own, &found[0])) {
        return STATUS_OK;
    }
    for (int i = first; i < count; i++) {
        if (i == first || (gpus && found[i].facts.is_gpu && found[i].platform == own->platform)) {
            own->device[gpu->devices] = found[i].device;
            gpu->facts[gpu->devices++] = found[i].facts;
        }
    }
    return STATUS_OK;
}
