/* OpenCL 1.2 as far as it is used here: types, constants and prototypes of its C interface, which is stable, so that no
 * foreign header is needed to build (Khronos OpenCL Specification 1.2). Handles are pointers to what only the driver
 * knows. app/gpu only. */
#ifndef OPENCL_PRIVATE_H
#define OPENCL_PRIVATE_H

#include "gpu_private.h"

typedef struct opencl_platform *opencl_platform;
typedef struct opencl_device *opencl_device;
typedef struct opencl_context *opencl_context;
typedef struct opencl_queue *opencl_queue;
typedef struct opencl_buffer *opencl_buffer;
typedef struct opencl_program *opencl_program;
typedef struct opencl_kernel *opencl_kernel;
typedef struct opencl_event *opencl_event;
typedef void opencl_told(const char *text, const void *more, size_t more_bytes, void *context);
typedef void opencl_built(opencl_program program, void *context);

enum {
    CL_SUCCESS = 0,
};
enum {
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_PARTITION_EQUALLY = 0x1086,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_CONTEXT_PLATFORM = 0x1084,
    CL_MEM_READ_WRITE = 1,
};
#define CL_DEVICE_TYPE_GPU (UINT64_C(1) << 2)
#define CL_DEVICE_TYPE_ALL UINT64_C(0xFFFFFFFF)

/* X(result, name without "cl", parameters) */
#define OPENCL_FUNCTIONS(X)                                                                        \
    X(int32_t, GetPlatformIDs, (uint32_t, opencl_platform *, uint32_t *))                          \
    X(int32_t, GetPlatformInfo, (opencl_platform, uint32_t, size_t, void *, size_t *))             \
    X(int32_t, GetDeviceIDs, (opencl_platform, uint64_t, uint32_t, opencl_device *, uint32_t *))   \
    X(int32_t, GetDeviceInfo, (opencl_device, uint32_t, size_t, void *, size_t *))                 \
    X(int32_t, CreateSubDevices,                                                                   \
      (opencl_device, const intptr_t *, uint32_t, opencl_device *, uint32_t *))                    \
    X(int32_t, ReleaseDevice, (opencl_device))                                                     \
    X(opencl_context, CreateContext,                                                               \
      (const intptr_t *, uint32_t, const opencl_device *, opencl_told *, void *, int32_t *))       \
    X(int32_t, ReleaseContext, (opencl_context))                                                   \
    X(opencl_queue, CreateCommandQueue, (opencl_context, opencl_device, uint64_t, int32_t *))      \
    X(int32_t, ReleaseCommandQueue, (opencl_queue))                                                \
    X(opencl_buffer, CreateBuffer, (opencl_context, uint64_t, size_t, void *, int32_t *))          \
    X(int32_t, ReleaseMemObject, (opencl_buffer))                                                  \
    X(opencl_program, CreateProgramWithSource,                                                     \
      (opencl_context, uint32_t, const char **, const size_t *, int32_t *))                        \
    X(opencl_program, CreateProgramWithBinary,                                                     \
      (opencl_context, uint32_t, const opencl_device *, const size_t *, const unsigned char **,    \
       int32_t *, int32_t *))                                                                      \
    X(int32_t, BuildProgram,                                                                       \
      (opencl_program, uint32_t, const opencl_device *, const char *, opencl_built *, void *))     \
    X(int32_t, GetProgramInfo, (opencl_program, uint32_t, size_t, void *, size_t *))               \
    X(int32_t, GetProgramBuildInfo,                                                                \
      (opencl_program, opencl_device, uint32_t, size_t, void *, size_t *))                         \
    X(int32_t, ReleaseProgram, (opencl_program))                                                   \
    X(opencl_kernel, CreateKernel, (opencl_program, const char *, int32_t *))                      \
    X(int32_t, ReleaseKernel, (opencl_kernel))                                                     \
    X(int32_t, SetKernelArg, (opencl_kernel, uint32_t, size_t, const void *))                      \
    X(int32_t, EnqueueNDRangeKernel,                                                               \
      (opencl_queue, opencl_kernel, uint32_t, const size_t *, const size_t *, const size_t *,      \
       uint32_t, const opencl_event *, opencl_event *))                                            \
    X(int32_t, EnqueueWriteBuffer,                                                                 \
      (opencl_queue, opencl_buffer, uint32_t, size_t, size_t, const void *, uint32_t,              \
       const opencl_event *, opencl_event *))                                                      \
    X(int32_t, EnqueueReadBuffer,                                                                  \
      (opencl_queue, opencl_buffer, uint32_t, size_t, size_t, void *, uint32_t,                    \
       const opencl_event *, opencl_event *))                                                      \
    X(int32_t, EnqueueCopyBuffer,                                                                  \
      (opencl_queue, opencl_buffer, opencl_buffer, size_t, size_t, size_t, uint32_t,               \
       const opencl_event *, opencl_event *))                                                      \
    X(int32_t, Finish, (opencl_queue))

struct opencl_api {
    void *library;
#define OPENCL_MEMBER(result, name, parameters)                                                    \
    result(*name) parameters; /* NOLINT(bugprone-macro-parentheses) */
    OPENCL_FUNCTIONS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
};

/* STATUS_FAILED: it is not installed, or lacks a function. The library stays loaded until the program ends: drivers
 * have threads that must not lose their code. */
MUST_USE enum status opencl_load(struct opencl_api *api, struct message *why);

/* --- opencl_devices.c --- */

struct opencl_found {
    opencl_platform platform;
    opencl_device device;
    struct gpu_facts facts;
};
/* All devices of all platforms, at most GPU_LISTED_MAX. */
MUST_USE enum status opencl_find(const struct opencl_api *api, struct opencl_found *out, int *count,
                                 struct message *why);

/* What an opened gpu->own is. */
struct opencl {
    struct opencl_api api;
    opencl_platform platform;
    opencl_device device[GPU_LISTED_MAX]; /* gpu->devices of them */
    uint32_t parts;                       /* those that are parts of a device and are released */
    opencl_context context;
    opencl_queue *queue; /* [ranks] */
    opencl_program program;
    opencl_kernel kernel[GPU_KERNELS];
    size_t group; /* work-items of a group */
};
/* Chooses devices: all GPUs of the first platform that has one; else the first device, in parts of one unit where it can be
 * divided. Fills in device, parts, platform, and of gpu: devices, facts. */
MUST_USE enum status opencl_choose(struct gpu *gpu, struct opencl *own, struct message *why);

/* --- opencl_program.c --- */
/* Builds own->program for all devices, or takes it from the cache. */
MUST_USE enum status opencl_build(struct gpu *gpu, struct opencl *own, struct message *why);

#endif
