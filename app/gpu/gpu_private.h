/* What a driver (OpenCL, CUDA) gives the rest of the room: memory, copies, launches, by rank. Everything that is enqueued
 * for one rank happens in that order; between ranks only `finish` orders. app/gpu only. */
#ifndef GPU_PRIVATE_H
#define GPU_PRIVATE_H

#include "shardlab/gpu/gpu.h"

/* Kernels by their place in gpu_kernel_names. */
enum gpu_kernel {
    GPU_PACK,
    GPU_UNPACK,
    GPU_COMBINE_FP32,
    GPU_COMBINE_LOW,
    GPU_ADD_WIDE,
    GPU_KERNELS_ALWAYS, /* those below need binary64, which a device may lack */
    GPU_ARITHMETIC = GPU_KERNELS_ALWAYS,
    GPU_RUNNING_SUM,
    GPU_STOCHASTIC_UPDATES,
    GPU_SOFTMAX,
    GPU_ADAM,
    GPU_SCALED_BLOCKS,
    GPU_KERNELS
};
extern const char *const gpu_kernel_names[GPU_KERNELS];

/* The texts that the build wrote from app/gpu/kernels; a zero follows the last byte. */
extern const unsigned char gpu_source[];
extern const size_t gpu_source_bytes;
extern const unsigned char gpu_ptx[];

typedef uint64_t gpu_memory; /* a driver's own name for device memory; 0: none */

enum { GPU_ARGS_MAX = 12 };
struct gpu_launch {
    enum gpu_kernel kernel;
    uint64_t items; /* work-items that are wanted; > 0 */
    int args;
    struct {
        size_t size; /* 0: memory */
        gpu_memory memory;
        uint64_t number; /* of `size` bytes, 4 or 8 */
    } arg[GPU_ARGS_MAX];
};
void gpu_launch_start(struct gpu_launch *l, enum gpu_kernel kernel, uint64_t items);
void gpu_arg_memory(struct gpu_launch *l, gpu_memory memory);
void gpu_arg_u32(struct gpu_launch *l, uint32_t number);
void gpu_arg_u64(struct gpu_launch *l, uint64_t number);
void gpu_arg_double(struct gpu_launch *l, double number);
/* The three arguments that tell a format. */
void gpu_arg_format(struct gpu_launch *l, enum num_type type, enum num_overflow overflow);

/* Bytes of two memories. */
struct gpu_copy {
    gpu_memory from, to;
    uint64_t from_at, to_at, bytes;
    uint32_t to_rank; /* where `to` lies */
};

struct gpu_driver {
    enum status (*list)(struct gpu_facts *out, int *count, struct message *why);
    /* Fills in gpu->devices, facts, from_cache. */
    enum status (*open)(struct gpu *gpu, struct message *why);
    void (*close)(struct gpu *gpu);
    enum status (*make)(struct gpu *gpu, uint32_t rank, uint64_t bytes, gpu_memory *out,
                        struct message *why);
    void (*drop)(struct gpu *gpu, uint32_t rank, gpu_memory memory);
    /* Blocking. */
    enum status (*write)(struct gpu *gpu, uint32_t rank, gpu_memory to, const void *bytes,
                         uint64_t count);
    enum status (*read)(struct gpu *gpu, uint32_t rank, gpu_memory from, void *bytes,
                        uint64_t count);
    /* Enqueued. STATUS_FAILED leaves the driver's error number in gpu->error. */
    enum status (*copy)(struct gpu *gpu, uint32_t rank, const struct gpu_copy *copy);
    enum status (*launch)(struct gpu *gpu, uint32_t rank, const struct gpu_launch *launch);
    enum status (*finish)(struct gpu *gpu, uint32_t rank);
};
extern const struct gpu_driver gpu_opencl, gpu_cuda;

struct gpu {
    enum gpu_backend backend;
    const struct gpu_driver *driver;
    void *own; /* the driver's */
    uint32_t ranks, devices;
    struct gpu_facts facts[GPU_LISTED_MAX]; /* of each device */
    bool from_cache;
    bool has_doubles; /* on all devices */
    int error;        /* the last error number of the driver */
    const char *call; /* and the function that gave it */
};

/* "call gave error number" as a sentence. */
enum status gpu_failed(const struct gpu *gpu, struct message *why);
/* Seconds of a clock that is never set back. */
double gpu_clock_s(void);

/* --- cache.c: what was compiled, by text and device --- */

/* `key` tells everything that a program depends on. False: there is nothing, or it is damaged. *bytes is malloc'd. */
MUST_USE bool cache_read(const char *key, unsigned char **bytes, size_t *count);
/* A folder that cannot be written is no error: nothing is kept. */
void cache_write(const char *key, const unsigned char *bytes, size_t count);
uint64_t cache_hash(const void *bytes, size_t count);

/* library.c: writes the address of a function of a loaded library to `into`, `bytes` large; false: there is none. And the
 * error `id` with what the loader says. */
bool gpu_library_symbol(void *library, const char *name, void *into, size_t bytes);
enum status gpu_library_missing(struct message *why, const char *id);

#endif
