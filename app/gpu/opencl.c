/* The OpenCL driver: one context for all devices of a run, a queue a rank, memory, copies and launches. All calls come from
 * one thread. Owned by a struct gpu. Proof: tests/unit/gpu/. */
#include "opencl_private.h"

#include <stdlib.h>
#include <string.h>

static struct opencl *own_of(const struct gpu *gpu) {
    return gpu->own;
}

/* Keeps the error of a call. */
static enum status check(struct gpu *gpu, int32_t error, const char *call) {
    if (error == CL_SUCCESS) {
        return STATUS_OK;
    }
    gpu->error = error;
    gpu->call = call;
    return STATUS_FAILED;
}

static opencl_buffer buffer_of(gpu_memory memory) {
    return (opencl_buffer)(uintptr_t)memory; /* NOLINT(performance-no-int-to-ptr) */
}

static enum status opencl_list(struct gpu_facts *out, int *count, struct message *why) {
    struct opencl_api api;
    struct opencl_found found[GPU_LISTED_MAX];
    enum status ok = opencl_load(&api, why);
    ok = ok == STATUS_OK ? opencl_find(&api, found, count, why) : ok;
    for (int i = 0; ok == STATUS_OK && i < *count; i++) {
        out[i] = found[i].facts;
    }
    return ok;
}

/* --- Opening --- */

static enum status make_context(struct gpu *gpu, struct opencl *own, struct message *why) {
    const intptr_t properties[3] = {CL_CONTEXT_PLATFORM, (intptr_t)own->platform, 0};
    int32_t error = 0;
    own->queue = calloc(gpu->ranks, sizeof(opencl_queue));
    if (own->queue == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    own->context =
        own->api.CreateContext(properties, gpu->devices, own->device, NULL, NULL, &error);
    enum status ok = check(gpu, error, "clCreateContext");
    for (uint32_t r = 0; ok == STATUS_OK && r < gpu->ranks; r++) {
        opencl_device device = own->device[r % gpu->devices];
        own->queue[r] = own->api.CreateCommandQueue(own->context, device, 0, &error);
        ok = check(gpu, error, "clCreateCommandQueue");
    }
    return ok == STATUS_OK ? ok : gpu_failed(gpu, why);
}

static enum status make_kernels(struct gpu *gpu, struct opencl *own) {
    gpu->has_doubles = true;
    for (int k = 0; k < GPU_KERNELS; k++) {
        int32_t error = 0;
        own->kernel[k] = own->api.CreateKernel(own->program, gpu_kernel_names[k], &error);
        bool made = own->kernel[k] != NULL && error == CL_SUCCESS;
        gpu->has_doubles = gpu->has_doubles && (made || k < GPU_KERNELS_ALWAYS);
        if (!made && k < GPU_KERNELS_ALWAYS) {
            return check(gpu, error, gpu_kernel_names[k]);
        }
    }
    return STATUS_OK;
}

/* At most 256: groups of one size, since some drivers compile a kernel anew for each. */
static size_t group_size(const struct gpu *gpu, const struct opencl *own) {
    size_t group = 256;
    for (uint32_t d = 0; d < gpu->devices; d++) {
        size_t most = 0;
        if (own->api.GetDeviceInfo(own->device[d], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most,
                                   &most, NULL) == CL_SUCCESS &&
            most > 0 && most < group) {
            group = most;
        }
    }
    return group;
}

static enum status opencl_open(struct gpu *gpu, struct message *why) {
    struct opencl *own = calloc(1, sizeof *own);
    gpu->own = own;
    if (own == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = opencl_load(&own->api, why);
    ok = ok == STATUS_OK ? opencl_choose(gpu, own, why) : ok;
    ok = ok == STATUS_OK ? make_context(gpu, own, why) : ok;
    ok = ok == STATUS_OK ? opencl_build(gpu, own, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    if (make_kernels(gpu, own) != STATUS_OK) {
        return gpu_failed(gpu, why);
    }
    own->group = group_size(gpu, own);
    return STATUS_OK;
}

static void opencl_close(struct gpu *gpu) {
    struct opencl *own = own_of(gpu);
    if (own == NULL) {
        return;
    }
    for (int k = 0; k < GPU_KERNELS; k++) {
        if (own->kernel[k] != NULL) {
            (void)own->api.ReleaseKernel(own->kernel[k]);
        }
    }
    if (own->program != NULL) {
        (void)own->api.ReleaseProgram(own->program);
    }
    for (uint32_t r = 0; own->queue != NULL && r < gpu->ranks; r++) {
        if (own->queue[r] != NULL) {
            (void)own->api.ReleaseCommandQueue(own->queue[r]);
        }
    }
    if (own->context != NULL) {
        (void)own->api.ReleaseContext(own->context);
    }
    for (uint32_t d = 0; d < own->parts; d++) {
        (void)own->api.ReleaseDevice(own->device[d]);
    }
    free(own->queue);
    free(own);
}

/* --- Work --- */

static enum status opencl_make(struct gpu *gpu, uint32_t rank, uint64_t bytes, gpu_memory *out,
                               struct message *why) {
    struct opencl *own = own_of(gpu);
    const struct gpu_facts *facts = gpu_facts_of(gpu, rank);
    int32_t error = 0;
    *out = 0;
    if (facts->largest_buffer_bytes > 0 && bytes > facts->largest_buffer_bytes) {
        message_start(why, "error.gpu.buffer");
        message_add_bytes(why, bytes);
        message_add_text(why, facts->name);
        message_add_bytes(why, facts->largest_buffer_bytes);
        return STATUS_FAILED;
    }
    opencl_buffer buffer = own->api.CreateBuffer(own->context, CL_MEM_READ_WRITE,
                                                 (size_t)(bytes > 0 ? bytes : 1), NULL, &error);
    if (check(gpu, error, "clCreateBuffer") != STATUS_OK) {
        return gpu_failed(gpu, why);
    }
    *out = (gpu_memory)(uintptr_t)buffer;
    return STATUS_OK;
}

static void opencl_drop(struct gpu *gpu, uint32_t rank, gpu_memory memory) {
    (void)rank;
    if (memory != 0) {
        (void)own_of(gpu)->api.ReleaseMemObject(buffer_of(memory));
    }
}

static enum status opencl_write(struct gpu *gpu, uint32_t rank, gpu_memory to, const void *bytes,
                                uint64_t count) {
    struct opencl *own = own_of(gpu);
    int32_t error = count == 0 ? CL_SUCCESS
                               : own->api.EnqueueWriteBuffer(own->queue[rank], buffer_of(to), 1, 0,
                                                             (size_t)count, bytes, 0, NULL, NULL);
    return check(gpu, error, "clEnqueueWriteBuffer");
}

static enum status opencl_read(struct gpu *gpu, uint32_t rank, gpu_memory from, void *bytes,
                               uint64_t count) {
    struct opencl *own = own_of(gpu);
    int32_t error = count == 0 ? CL_SUCCESS
                               : own->api.EnqueueReadBuffer(own->queue[rank], buffer_of(from), 1, 0,
                                                            (size_t)count, bytes, 0, NULL, NULL);
    return check(gpu, error, "clEnqueueReadBuffer");
}

static enum status opencl_copy(struct gpu *gpu, uint32_t rank, const struct gpu_copy *c) {
    struct opencl *own = own_of(gpu);
    int32_t error = own->api.EnqueueCopyBuffer(own->queue[rank], buffer_of(c->from),
                                               buffer_of(c->to), (size_t)c->from_at,
                                               (size_t)c->to_at, (size_t)c->bytes, 0, NULL, NULL);
    return check(gpu, error, "clEnqueueCopyBuffer");
}

static int32_t set_arg(const struct opencl *own, const struct gpu_launch *l, int i) {
    opencl_kernel kernel = own->kernel[l->kernel];
    opencl_buffer buffer = buffer_of(l->arg[i].memory);
    uint32_t narrow = (uint32_t)l->arg[i].number;
    switch (l->arg[i].size) {
    case 0:
        return own->api.SetKernelArg(kernel, (uint32_t)i, sizeof(void *), &buffer);
    case sizeof narrow:
        return own->api.SetKernelArg(kernel, (uint32_t)i, sizeof narrow, &narrow);
    default:
        return own->api.SetKernelArg(kernel, (uint32_t)i, sizeof l->arg[i].number,
                                     &l->arg[i].number);
    }
}

static enum status opencl_launch(struct gpu *gpu, uint32_t rank, const struct gpu_launch *l) {
    struct opencl *own = own_of(gpu);
    enum status ok = STATUS_OK;
    for (int i = 0; ok == STATUS_OK && i < l->args; i++) {
        ok = check(gpu, set_arg(own, l, i), "clSetKernelArg");
    }
    size_t items = ((size_t)l->items + own->group - 1) / own->group * own->group;
    return ok == STATUS_OK
               ? check(gpu,
                       own->api.EnqueueNDRangeKernel(own->queue[rank], own->kernel[l->kernel], 1,
                                                     NULL, &items, &own->group, 0, NULL, NULL),
                       "clEnqueueNDRangeKernel")
               : ok;
}

static enum status opencl_finish(struct gpu *gpu, uint32_t rank) {
    struct opencl *own = own_of(gpu);
    return check(gpu, own->api.Finish(own->queue[rank]), "clFinish");
}

const struct gpu_driver gpu_opencl = {
    .list = opencl_list,
    .open = opencl_open,
    .close = opencl_close,
    .make = opencl_make,
    .drop = opencl_drop,
    .write = opencl_write,
    .read = opencl_read,
    .copy = opencl_copy,
    .launch = opencl_launch,
    .finish = opencl_finish,
};
