/* The CUDA driver: the primary context of every device, the kernels as PTX that the driver translates for the card (and keeps in
 * a cache of its own), a stream a rank; rank r is on device r mod devices, and copies between devices go from peer to peer.
 * All calls come from one thread. Owned by a struct gpu. It has run against a stand-in for the driver library only
 * (tests/unit/gpu/test_cuda.c), which checks order and arguments of the calls. */
#include "cuda_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 256 };

static struct cuda *own_of(const struct gpu *gpu) {
    return gpu->own;
}

static enum status check(struct gpu *gpu, int error, const char *call) {
    if (error == CUDA_OK) {
        return STATUS_OK;
    }
    gpu->error = error;
    gpu->call = call;
    return STATUS_FAILED;
}

/* Makes the device of a rank the one that calls mean. */
static enum status turn_to(struct gpu *gpu, uint32_t rank) {
    struct cuda *own = own_of(gpu);
    return check(gpu, own->api.CtxSetCurrent(own->context[rank % gpu->devices]), "cuCtxSetCurrent");
}

static enum status cuda_list(struct gpu_facts *out, int *count, struct message *why) {
    struct cuda_api api;
    enum status ok = cuda_load(&api, why);
    return ok == STATUS_OK ? cuda_find(&api, out, count, why) : ok;
}

/* --- Opening --- */

static enum status open_device(struct gpu *gpu, uint32_t d) {
    struct cuda *own = own_of(gpu);
    const struct cuda_api *api = &own->api;
    enum status ok = check(gpu, api->DeviceGet(&own->device[d], (int)d), "cuDeviceGet");
    if (ok == STATUS_OK) {
        ok = check(gpu, api->DevicePrimaryCtxRetain(&own->context[d], own->device[d]),
                   "cuDevicePrimaryCtxRetain");
    }
    ok = ok == STATUS_OK ? turn_to(gpu, d) : ok;
    if (ok == STATUS_OK) {
        ok = check(gpu, api->ModuleLoadData(&own->module[d], gpu_ptx), "cuModuleLoadData");
    }
    for (int k = 0; ok == STATUS_OK && k < GPU_KERNELS; k++) {
        ok = check(
            gpu, api->ModuleGetFunction(&own->function[d][k], own->module[d], gpu_kernel_names[k]),
            "cuModuleGetFunction");
    }
    return ok;
}

static enum status open_streams(struct gpu *gpu) {
    struct cuda *own = own_of(gpu);
    enum status ok = STATUS_OK;
    for (uint32_t r = 0; ok == STATUS_OK && r < gpu->ranks; r++) {
        ok = turn_to(gpu, r);
        ok = ok == STATUS_OK
                 ? check(gpu, own->api.StreamCreate(&own->stream[r], 0), "cuStreamCreate")
                 : ok;
    }
    return ok;
}

static enum status cuda_open(struct gpu *gpu, struct message *why) {
    struct cuda *own = calloc(1, sizeof *own);
    int count = 0;
    gpu->own = own;
    if (own != NULL) {
        own->stream = calloc(gpu->ranks, sizeof(cuda_stream));
    }
    if (own == NULL || own->stream == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = cuda_load(&own->api, why);
    ok = ok == STATUS_OK ? cuda_find(&own->api, gpu->facts, &count, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    /* more devices than ranks are left alone */
    gpu->devices = (uint32_t)count < gpu->ranks ? (uint32_t)count : gpu->ranks;
    gpu->has_doubles = true;
    assert(gpu->devices > 0);
    for (uint32_t d = 0; ok == STATUS_OK && d < gpu->devices; d++) {
        ok = open_device(gpu, d);
    }
    ok = ok == STATUS_OK ? open_streams(gpu) : ok;
    return ok == STATUS_OK ? ok : gpu_failed(gpu, why);
}

static void cuda_close(struct gpu *gpu) {
    struct cuda *own = own_of(gpu);
    if (own == NULL) {
        return;
    }
    for (uint32_t r = 0; own->stream != NULL && r < gpu->ranks; r++) {
        if (own->stream[r] != NULL && turn_to(gpu, r) == STATUS_OK) {
            (void)own->api.StreamDestroy(own->stream[r]);
        }
    }
    for (uint32_t d = 0; d < gpu->devices; d++) {
        if (own->module[d] != NULL && turn_to(gpu, d) == STATUS_OK) {
            (void)own->api.ModuleUnload(own->module[d]);
        }
        if (own->context[d] != NULL) {
            (void)own->api.DevicePrimaryCtxRelease(own->device[d]);
        }
    }
    free(own->stream);
    free(own);
}

/* --- Work --- */

static enum status cuda_make(struct gpu *gpu, uint32_t rank, uint64_t bytes, gpu_memory *out,
                             struct message *why) {
    const struct gpu_facts *facts = gpu_facts_of(gpu, rank);
    *out = 0;
    if (bytes > facts->largest_buffer_bytes) {
        message_start(why, "error.gpu.buffer");
        message_add_bytes(why, bytes);
        message_add_text(why, facts->name);
        message_add_bytes(why, facts->largest_buffer_bytes);
        return STATUS_FAILED;
    }
    enum status ok = turn_to(gpu, rank);
    if (ok == STATUS_OK) {
        size_t count = (size_t)(bytes > 0 ? bytes : 1);
        ok = check(gpu, own_of(gpu)->api.MemAlloc(out, count), "cuMemAlloc");
    }
    return ok == STATUS_OK ? ok : gpu_failed(gpu, why);
}

static void cuda_drop(struct gpu *gpu, uint32_t rank, gpu_memory memory) {
    if (memory != 0 && turn_to(gpu, rank) == STATUS_OK) {
        (void)own_of(gpu)->api.MemFree(memory);
    }
}

static enum status cuda_finish(struct gpu *gpu, uint32_t rank) {
    struct cuda *own = own_of(gpu);
    enum status ok = turn_to(gpu, rank);
    return ok == STATUS_OK
               ? check(gpu, own->api.StreamSynchronize(own->stream[rank]), "cuStreamSynchronize")
               : ok;
}

static enum status cuda_write(struct gpu *gpu, uint32_t rank, gpu_memory to, const void *bytes,
                              uint64_t count) {
    struct cuda *own = own_of(gpu);
    enum status ok = turn_to(gpu, rank);
    if (ok == STATUS_OK && count > 0) {
        ok = check(gpu, own->api.MemcpyHtoDAsync(to, bytes, (size_t)count, own->stream[rank]),
                   "cuMemcpyHtoDAsync");
    }
    return ok == STATUS_OK ? cuda_finish(gpu, rank) : ok;
}

static enum status cuda_read(struct gpu *gpu, uint32_t rank, gpu_memory from, void *bytes,
                             uint64_t count) {
    struct cuda *own = own_of(gpu);
    enum status ok = turn_to(gpu, rank);
    if (ok == STATUS_OK && count > 0) {
        ok = check(gpu, own->api.MemcpyDtoHAsync(bytes, from, (size_t)count, own->stream[rank]),
                   "cuMemcpyDtoHAsync");
    }
    return ok == STATUS_OK ? cuda_finish(gpu, rank) : ok;
}

static enum status cuda_copy(struct gpu *gpu, uint32_t rank, const struct gpu_copy *c) {
    struct cuda *own = own_of(gpu);
    uint32_t here = rank % gpu->devices, there = c->to_rank % gpu->devices;
    gpu_memory to = c->to + c->to_at, from = c->from + c->from_at;
    enum status ok = turn_to(gpu, rank);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (here == there) {
        return check(gpu, own->api.MemcpyDtoDAsync(to, from, (size_t)c->bytes, own->stream[rank]),
                     "cuMemcpyDtoDAsync");
    }
    return check(gpu,
                 own->api.MemcpyPeerAsync(to, own->context[there], from, own->context[here],
                                          (size_t)c->bytes, own->stream[rank]),
                 "cuMemcpyPeerAsync");
}

static enum status cuda_launch(struct gpu *gpu, uint32_t rank, const struct gpu_launch *l) {
    struct cuda *own = own_of(gpu);
    const uint64_t most = UINT64_C(0x7FFFFFFF);
    uint64_t groups = (l->items + GROUP - 1) / GROUP;
    uint64_t wide[GPU_ARGS_MAX];
    uint32_t narrow[GPU_ARGS_MAX];
    void *args[GPU_ARGS_MAX];
    for (int i = 0; i < l->args; i++) {
        wide[i] = l->arg[i].size == 0 ? l->arg[i].memory : l->arg[i].number;
        narrow[i] = (uint32_t)l->arg[i].number;
        args[i] = l->arg[i].size == sizeof narrow[i] ? (void *)&narrow[i] : (void *)&wide[i];
    }
    enum status ok = turn_to(gpu, rank);
    if (ok == STATUS_OK && groups > most) {
        ok = check(gpu, (int)most, "cuLaunchKernel, groups past");
    }
    return ok == STATUS_OK
               ? check(gpu,
                       own->api.LaunchKernel(own->function[rank % gpu->devices][l->kernel],
                                             (unsigned)groups, 1, 1, GROUP, 1, 1, 0,
                                             own->stream[rank], args, NULL),
                       "cuLaunchKernel")
               : ok;
}

const struct gpu_driver gpu_cuda = {
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .make = cuda_make,
    .drop = cuda_drop,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .launch = cuda_launch,
    .finish = cuda_finish,
};
