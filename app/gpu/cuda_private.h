/* NVIDIA's CUDA driver interface as far as it is used here: prototypes of our own for what libcuda.so.1 exports, which is
 * stable, so that no toolkit is needed to build (CUDA Driver API reference). app/gpu only. */
#ifndef CUDA_PRIVATE_H
#define CUDA_PRIVATE_H

#include "gpu_private.h"

typedef struct cuda_context *cuda_context;
typedef struct cuda_module *cuda_module;
typedef struct cuda_function *cuda_function;
typedef struct cuda_stream *cuda_stream;

enum { CUDA_OK = 0, CUDA_ATTRIBUTE_MULTIPROCESSORS = 16 };

/* X(name without "cu", symbol, parameters); all return an error number. */
#define CUDA_FUNCTIONS(X)                                                                          \
    X(Init, "cuInit", (unsigned))                                                                  \
    X(DriverGetVersion, "cuDriverGetVersion", (int *))                                             \
    X(DeviceGetCount, "cuDeviceGetCount", (int *))                                                 \
    X(DeviceGet, "cuDeviceGet", (int *, int))                                                      \
    X(DeviceGetName, "cuDeviceGetName", (char *, int, int))                                        \
    X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, int))                                      \
    X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                               \
    X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (cuda_context *, int))                   \
    X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int))                              \
    X(CtxSetCurrent, "cuCtxSetCurrent", (cuda_context))                                            \
    X(ModuleLoadData, "cuModuleLoadData", (cuda_module *, const void *))                           \
    X(ModuleUnload, "cuModuleUnload", (cuda_module))                                               \
    X(ModuleGetFunction, "cuModuleGetFunction", (cuda_function *, cuda_module, const char *))      \
    X(MemAlloc, "cuMemAlloc_v2", (gpu_memory *, size_t))                                           \
    X(MemFree, "cuMemFree_v2", (gpu_memory))                                                       \
    X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (gpu_memory, const void *, size_t, cuda_stream))    \
    X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, gpu_memory, size_t, cuda_stream))          \
    X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (gpu_memory, gpu_memory, size_t, cuda_stream))      \
    X(MemcpyPeerAsync, "cuMemcpyPeerAsync",                                                        \
      (gpu_memory, cuda_context, gpu_memory, cuda_context, size_t, cuda_stream))                   \
    X(StreamCreate, "cuStreamCreate", (cuda_stream *, unsigned))                                   \
    X(StreamDestroy, "cuStreamDestroy_v2", (cuda_stream))                                          \
    X(StreamSynchronize, "cuStreamSynchronize", (cuda_stream))                                     \
    X(LaunchKernel, "cuLaunchKernel",                                                              \
      (cuda_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
       cuda_stream, void **, void **))

struct cuda_api {
    void *library;
#define CUDA_MEMBER(name, symbol, parameters)                                                      \
    int(*name) parameters; /* NOLINT(bugprone-macro-parentheses) */
    CUDA_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
};

/* What an opened gpu->own is. */
struct cuda {
    struct cuda_api api;
    int device[GPU_LISTED_MAX];
    cuda_context context[GPU_LISTED_MAX]; /* the primary ones, retained */
    cuda_module module[GPU_LISTED_MAX];
    cuda_function function[GPU_LISTED_MAX][GPU_KERNELS];
    cuda_stream *stream; /* [ranks] */
};

/* Loads the library and starts the driver. STATUS_FAILED: it is not installed, or does not start. */
MUST_USE enum status cuda_load(struct cuda_api *api, struct message *why);
/* Devices by the driver's numbers, at most GPU_LISTED_MAX. */
MUST_USE enum status cuda_find(const struct cuda_api *api, struct gpu_facts *out, int *count,
                               struct message *why);

#endif
