/* A stand-in for NVIDIA's libcuda.so.1: it writes every call and what matters of its arguments as a line into the file
 * MOCK_CUDA_LOG, keeps device memory in the host's, and does the work of the kernel combine_fp32 itself, so that an all-reduce goes
 * through with real numbers. It is no GPU: that the PTX does the same on one is not shown here. MOCK_CUDA_DEVICES devices
 * (2); MOCK_CUDA_INIT is what cuInit returns (0). */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { INVALID = 1, CONTEXTS = 8 };

struct function {
    char name[32];
};
static struct context { int device, retained; } contexts[CONTEXTS];
static struct context *current;
static struct function functions[32];
static int function_count;

static int number(const char *setting, int otherwise) {
    const char *text = getenv(setting);
    return text == NULL ? otherwise : atoi(text);
}

static int told(const char *call, uint64_t a, uint64_t b) {
    const char *path = getenv("MOCK_CUDA_LOG");
    FILE *log = path == NULL ? NULL : fopen(path, "a");
    if (log != NULL) {
        (void)fprintf(log, "%s %llu %llu device %d\n", call, (unsigned long long)a,
                      (unsigned long long)b, current == NULL ? -1 : current->device);
        (void)fclose(log);
    }
    return 0;
}

EXPORTED int cuInit(unsigned flags);
EXPORTED int cuDriverGetVersion(int *version);
EXPORTED int cuDeviceGetCount(int *count);
EXPORTED int cuDeviceGet(int *device, int ordinal);
EXPORTED int cuDeviceGetName(char *name, int length, int device);
EXPORTED int cuDeviceTotalMem_v2(size_t *bytes, int device);
EXPORTED int cuDeviceGetAttribute(int *value, int attribute, int device);
EXPORTED int cuDevicePrimaryCtxRetain(struct context **context, int device);
EXPORTED int cuDevicePrimaryCtxRelease_v2(int device);
EXPORTED int cuCtxSetCurrent(struct context *context);
EXPORTED int cuModuleLoadData(void **module, const void *image);
EXPORTED int cuModuleUnload(void *module);
EXPORTED int cuModuleGetFunction(struct function **function, void *module, const char *name);
EXPORTED int cuMemAlloc_v2(uint64_t *memory, size_t bytes);
EXPORTED int cuMemFree_v2(uint64_t memory);
EXPORTED int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
EXPORTED int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
EXPORTED int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream);
EXPORTED int cuMemcpyPeerAsync(uint64_t to, struct context *to_context, uint64_t from,
                               struct context *from_context, size_t bytes, void *stream);
EXPORTED int cuStreamCreate(void **stream, unsigned flags);
EXPORTED int cuStreamDestroy_v2(void *stream);
EXPORTED int cuStreamSynchronize(void *stream);
EXPORTED int cuLaunchKernel(struct function *function, unsigned groups, unsigned groups_y,
                            unsigned groups_z, unsigned size, unsigned size_y, unsigned size_z,
                            unsigned shared, void *stream, void **args, void **extra);

int cuInit(unsigned flags) {
    (void)told("cuInit", flags, 0);
    return number("MOCK_CUDA_INIT", 0);
}

int cuDriverGetVersion(int *version) {
    *version = 12040;
    return 0;
}

int cuDeviceGetCount(int *count) {
    *count = number("MOCK_CUDA_DEVICES", 2);
    return 0;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
    (void)snprintf(name, (size_t)length, "stand-in %d", device);
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == 16 ? 7 : 0;
    return attribute == 16 ? 0 : INVALID;
}

int cuDevicePrimaryCtxRetain(struct context **context, int device) {
    contexts[device].device = device;
    contexts[device].retained++;
    *context = &contexts[device];
    return told("cuDevicePrimaryCtxRetain", (uint64_t)device, 0);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    contexts[device].retained--;
    return told("cuDevicePrimaryCtxRelease", (uint64_t)device, 0);
}

int cuCtxSetCurrent(struct context *context) {
    current = context;
    return context == NULL || context->retained < 1 ? INVALID : 0;
}

/* A driver wants a text that names its version and ends with a zero. */
int cuModuleLoadData(void **module, const void *image) {
    const char *text = image;
    *module = current;
    (void)told("cuModuleLoadData", strlen(text) > 0 ? 1 : 0, 0);
    return strstr(text, ".version 6.0") != NULL && strstr(text, ".target sm_50") != NULL ? 0
                                                                                         : INVALID;
}

int cuModuleUnload(void *module) {
    (void)module;
    return told("cuModuleUnload", 0, 0);
}

int cuModuleGetFunction(struct function **function, void *module, const char *name) {
    (void)module;
    *function = &functions[function_count++ % 32];
    (void)snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    return 0;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
    *memory = (uint64_t)(uintptr_t)malloc(bytes);
    (void)told("cuMemAlloc", bytes, 0);
    return *memory == 0 ? INVALID : 0;
}

int cuMemFree_v2(uint64_t memory) {
    free((void *)(uintptr_t)memory);
    return told("cuMemFree", 0, 0);
}

static int moved(const char *call, void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return told(call, bytes, 0);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    return moved("cuMemcpyHtoDAsync", (void *)(uintptr_t)to, from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    return moved("cuMemcpyDtoHAsync", to, (void *)(uintptr_t)from, bytes);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    return moved("cuMemcpyDtoDAsync", (void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
}

int cuMemcpyPeerAsync(uint64_t to, struct context *to_context, uint64_t from,
                      struct context *from_context, size_t bytes, void *stream) {
    (void)stream;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    (void)told("cuMemcpyPeerAsync", bytes, (uint64_t)to_context->device);
    return to_context == from_context ? INVALID : 0;
}

int cuStreamCreate(void **stream, unsigned flags) {
    *stream = current;
    return told("cuStreamCreate", flags, 0);
}

int cuStreamDestroy_v2(void *stream) {
    return told("cuStreamDestroy", stream == current ? 0 : 1, 0);
}

/* A stream belongs to the device on which it was made. */
int cuStreamSynchronize(void *stream) {
    (void)told("cuStreamSynchronize", 0, 0);
    return stream == current ? 0 : INVALID;
}

static uint64_t argument(void **args, int i) {
    uint64_t value;
    memcpy(&value, args[i], sizeof value);
    return value;
}

static void add_fp32(void **args) {
    float *into = (float *)(uintptr_t)argument(args, 0) + argument(args, 1);
    const float *from = (const float *)(uintptr_t)argument(args, 2) + argument(args, 3);
    uint32_t op;
    memcpy(&op, args[5], sizeof op);
    for (uint64_t i = 0; i < argument(args, 4); i++) {
        into[i] = op == 0 ? into[i] + from[i] : into[i] > from[i] ? into[i] : from[i];
    }
}

int cuLaunchKernel(struct function *function, unsigned groups, unsigned groups_y, unsigned groups_z,
                   unsigned size, unsigned size_y, unsigned size_z, unsigned shared, void *stream,
                   void **args, void **extra) {
    char call[64];
    (void)snprintf(call, sizeof call, "cuLaunchKernel %s", function->name);
    (void)told(call, groups, size);
    if (strcmp(function->name, "combine_fp32") == 0) {
        add_fp32(args);
    }
    return groups < 1 || groups_y != 1 || groups_z != 1 || size_y != 1 || size_z != 1 ||
                   shared != 0 || extra != NULL || stream != current
               ? INVALID
               : 0;
}
