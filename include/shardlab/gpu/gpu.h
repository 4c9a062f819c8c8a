/* GPUs, and what else speaks OpenCL: devices, conversions between fp32 and the low formats. The libraries of OpenCL and
 * CUDA are loaded when a function here is called, never before; nothing of them is linked. An OpenCL device that is a
 * processor with several cores is divided into as many, so that ranks have devices of their own on any machine.
 * Kernels are one text (app/gpu/kernels). What was compiled is kept under XDG_CACHE_HOME/shardlab, or
 * ~/.cache/shardlab; without such a folder it is compiled each time. Proof: tests/unit/gpu/, on PoCL where there is no
 * GPU, and a stand-in for CUDA's driver library. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/num/format.h"

enum gpu_backend { GPU_OPENCL, GPU_CUDA, GPU_BACKENDS };
const char *gpu_backend_name(enum gpu_backend backend); /* "opencl" */
int gpu_backend_find(const char *name);                 /* -1: none */

enum { GPU_TEXT_MAX = 128, GPU_LISTED_MAX = 32 };

/* A device as its driver describes it. */
struct gpu_facts {
    char name[GPU_TEXT_MAX];
    char platform[GPU_TEXT_MAX]; /* name and version */
    char driver[GPU_TEXT_MAX];   /* version */
    uint32_t units;              /* compute units */
    uint64_t memory_bytes, largest_buffer_bytes;
    bool is_gpu;
};

/* Devices there are; at most GPU_LISTED_MAX. STATUS_FAILED: the library cannot be loaded, or has no device; *why says
 * what to install. A broken driver may end the process: who only wants to look does it in a child. */
MUST_USE enum status gpu_list(enum gpu_backend backend, struct gpu_facts *out, int *count,
                              struct message *why);

/* gpu_list in a process of its own, for who only looks: a driver that crashes or hangs ends that process alone. */
enum gpu_look { GPU_LOOK_FOUND, GPU_LOOK_NONE, GPU_LOOK_CRASHED, GPU_LOOK_HUNG };
struct gpu_looked {
    int count;
    struct gpu_facts facts[GPU_LISTED_MAX];
    struct message why; /* of GPU_LOOK_NONE */
    int signal;         /* of GPU_LOOK_CRASHED; 0: it ended itself */
};
enum gpu_look gpu_look(enum gpu_backend backend, double timeout_s, struct gpu_looked *out);

/* Devices that are ready for work. Rank r has a queue of its own on device r mod devices. */
struct gpu;
MUST_USE enum status gpu_open(enum gpu_backend backend, uint32_t ranks, struct gpu **out,
                              struct message *why);
void gpu_close(struct gpu *gpu); /* NULL is fine */

uint32_t gpu_devices(const struct gpu *gpu); /* that ranks are spread over; parts of one count */
const struct gpu_facts *gpu_facts_of(const struct gpu *gpu, uint32_t rank);
/* True if the compiled program came from the cache. */
bool gpu_from_cache(const struct gpu *gpu);

/* Conversions on rank 0's device, of fp16, bf16, e4m3 and e5m2: the bits that num_pack and num_unpack give. */
struct gpu_conversion {
    enum num_type type;
    enum num_overflow overflow; /* of packing */
    uint64_t count;
    float *values;
    uint16_t *codes;
};
MUST_USE enum status gpu_pack(struct gpu *gpu, const struct gpu_conversion *c, struct message *why);
MUST_USE enum status gpu_unpack(struct gpu *gpu, const struct gpu_conversion *c,
                                struct message *why);

#endif
