/* The room's door: backends by name, devices, conversions. What differs between OpenCL and CUDA stands in their drivers;
 * here is what does not. A struct gpu is the caller's until gpu_close. Proof: tests/unit/gpu/. */
#define _POSIX_C_SOURCE 200809L
#include "shardlab/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu_private.h"

const char *const gpu_kernel_names[GPU_KERNELS] = {
    "pack",     "unpack",     "combine_fp32", "combine_low",
    "add_wide", "arithmetic", "running_sum",  "stochastic_updates",
    "softmax",  "adam",       "scaled_blocks"};

static const char *const names[GPU_BACKENDS] = {"opencl", "cuda"};

const char *gpu_backend_name(enum gpu_backend backend) {
    return names[backend];
}

int gpu_backend_find(const char *name) {
    for (int i = 0; i < GPU_BACKENDS; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static const struct gpu_driver *driver_of(enum gpu_backend backend) {
    static const struct gpu_driver *const drivers[GPU_BACKENDS] = {&gpu_opencl, &gpu_cuda};
    return drivers[backend];
}

enum status gpu_list(enum gpu_backend backend, struct gpu_facts *out, int *count,
                     struct message *why) {
    *count = 0;
    return driver_of(backend)->list(out, count, why);
}

enum status gpu_open(enum gpu_backend backend, uint32_t ranks, struct gpu **out,
                     struct message *why) {
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (gpu == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    gpu->backend = backend;
    gpu->driver = driver_of(backend);
    gpu->ranks = ranks;
    enum status ok = gpu->driver->open(gpu, why);
    if (ok != STATUS_OK) {
        gpu_close(gpu);
        return ok;
    }
    *out = gpu;
    return STATUS_OK;
}

void gpu_close(struct gpu *gpu) {
    if (gpu != NULL) {
        gpu->driver->close(gpu);
        free(gpu);
    }
}

uint32_t gpu_devices(const struct gpu *gpu) {
    return gpu->devices;
}

const struct gpu_facts *gpu_facts_of(const struct gpu *gpu, uint32_t rank) {
    return &gpu->facts[rank % gpu->devices];
}

bool gpu_from_cache(const struct gpu *gpu) {
    return gpu->from_cache;
}

enum status gpu_failed(const struct gpu *gpu, struct message *why) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", gpu->error);
    message_start(why, "error.gpu.call");
    message_add_text(why, names[gpu->backend]);
    message_add_text(why, gpu->call);
    message_add_text(why, number);
    return STATUS_FAILED;
}

double gpu_clock_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- Launches --- */

void gpu_launch_start(struct gpu_launch *l, enum gpu_kernel kernel, uint64_t items) {
    memset(l, 0, sizeof *l);
    l->kernel = kernel;
    l->items = items;
}

static void arg(struct gpu_launch *l, size_t size, uint64_t number) {
    l->arg[l->args].size = size;
    l->arg[l->args].number = number;
    l->args++;
}

void gpu_arg_memory(struct gpu_launch *l, gpu_memory memory) {
    l->arg[l->args].memory = memory;
    l->args++;
}

void gpu_arg_u32(struct gpu_launch *l, uint32_t number) {
    arg(l, sizeof number, number);
}

void gpu_arg_u64(struct gpu_launch *l, uint64_t number) {
    arg(l, sizeof number, number);
}

void gpu_arg_double(struct gpu_launch *l, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    gpu_arg_u64(l, bits);
}

void gpu_arg_format(struct gpu_launch *l, enum num_type type, enum num_overflow overflow) {
    enum { HAS_INF = 1, SATURATES = 2 }; /* as in kernels/shardlab.cl */
    const struct num_format *f = num_format(type);
    gpu_arg_u32(l, (uint32_t)f->exponent_bits);
    gpu_arg_u32(l, (uint32_t)f->mantissa_bits);
    gpu_arg_u32(l, (f->specials == NUM_SPECIALS_IEEE ? HAS_INF : 0) |
                       (overflow == NUM_OVERFLOW_SATURATE ? SATURATES : 0));
}

/* --- Conversions --- */

/* Both directions: what goes in, what comes out. */
struct conversion {
    enum gpu_kernel kernel;
    const void *in;
    void *out;
    uint64_t in_bytes, out_bytes;
};

static enum status run(struct gpu *gpu, const struct gpu_conversion *c, const struct conversion *v,
                       const gpu_memory memory[2]) {
    struct gpu_launch l;
    gpu_launch_start(&l, v->kernel, c->count);
    gpu_arg_memory(&l, memory[0]);
    gpu_arg_u64(&l, 0);
    gpu_arg_memory(&l, memory[1]);
    gpu_arg_u64(&l, 0);
    gpu_arg_u64(&l, c->count);
    gpu_arg_format(&l, c->type, c->overflow);
    enum status ok = gpu->driver->write(gpu, 0, memory[0], v->in, v->in_bytes);
    ok = ok == STATUS_OK ? gpu->driver->launch(gpu, 0, &l) : ok;
    return ok == STATUS_OK ? gpu->driver->read(gpu, 0, memory[1], v->out, v->out_bytes) : ok;
}

static enum status convert(struct gpu *gpu, const struct gpu_conversion *c,
                           const struct conversion *v, struct message *why) {
    gpu_memory memory[2] = {0, 0};
    if (c->count == 0) {
        return STATUS_OK;
    }
    enum status ok = gpu->driver->make(gpu, 0, v->in_bytes, &memory[0], why);
    ok = ok == STATUS_OK ? gpu->driver->make(gpu, 0, v->out_bytes, &memory[1], why) : ok;
    if (ok == STATUS_OK && run(gpu, c, v, memory) != STATUS_OK) {
        ok = gpu_failed(gpu, why);
    }
    gpu->driver->drop(gpu, 0, memory[0]);
    gpu->driver->drop(gpu, 0, memory[1]);
    return ok;
}

enum status gpu_pack(struct gpu *gpu, const struct gpu_conversion *c, struct message *why) {
    struct conversion v = {GPU_PACK, c->values, c->codes, 4 * c->count, 2 * c->count};
    return convert(gpu, c, &v, why);
}

enum status gpu_unpack(struct gpu *gpu, const struct gpu_conversion *c, struct message *why) {
    struct conversion v = {GPU_UNPACK, c->codes, c->values, 2 * c->count, 4 * c->count};
    return convert(gpu, c, &v, why);
}
