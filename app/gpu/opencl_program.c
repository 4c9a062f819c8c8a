/* The kernels, compiled: from the cache when what was kept there fits text, device, driver and platform and the driver takes it;
 * else from the text, and then kept. One file a device model: parts of a device, and equal GPUs, share it.
 * Proof: tests/cli/test_allreduce_gpu.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_private.h"

static const char build_options[] = "-cl-std=CL1.2";
enum { KEY_BYTES = 3 * GPU_TEXT_MAX + 128 };

static void key_of(const struct gpu *gpu, uint32_t device, char key[KEY_BYTES]) {
    const struct gpu_facts *f = &gpu->facts[device];
    (void)snprintf(key, KEY_BYTES, "opencl %016" PRIx64 " %s | %s | %s | %s | %u",
                   cache_hash(gpu_source, gpu_source_bytes), build_options, f->name, f->driver,
                   f->platform, f->units);
}

/* The first device with the same key. */
static uint32_t twin_of(const struct gpu *gpu, uint32_t device) {
    char mine[KEY_BYTES], other[KEY_BYTES];
    key_of(gpu, device, mine);
    for (uint32_t d = 0; d < device; d++) {
        key_of(gpu, d, other);
        if (strcmp(mine, other) == 0) {
            return d;
        }
    }
    return device;
}

/* What clBuildProgram had to say, its first line. */
static enum status refused(struct gpu *gpu, const struct opencl *own, struct message *why) {
    char log[4096] = "";
    (void)own->api.GetProgramBuildInfo(own->program, own->device[0], CL_PROGRAM_BUILD_LOG,
                                       sizeof log - 1, log, NULL);
    log[strcspn(log, "\n")] = '\0';
    message_start(why, "error.opencl.build");
    message_add_text(why, gpu->facts[0].name);
    message_add_text(why, log);
    return STATUS_FAILED;
}

static bool build(const struct gpu *gpu, const struct opencl *own) {
    return own->api.BuildProgram(own->program, gpu->devices, own->device, build_options, NULL,
                                 NULL) == CL_SUCCESS;
}

/* --- From the cache --- */

struct binaries {
    unsigned char *bytes[GPU_LISTED_MAX]; /* of twins: the same pointer */
    size_t count[GPU_LISTED_MAX];
};

static void binaries_free(const struct gpu *gpu, struct binaries *b) {
    for (uint32_t d = 0; d < gpu->devices; d++) {
        if (twin_of(gpu, d) == d) {
            free(b->bytes[d]);
        }
    }
}

static bool read_binaries(const struct gpu *gpu, struct binaries *b) {
    char key[KEY_BYTES];
    for (uint32_t d = 0; d < gpu->devices; d++) {
        uint32_t twin = twin_of(gpu, d);
        key_of(gpu, d, key);
        if (twin == d && !cache_read(key, &b->bytes[d], &b->count[d])) {
            return false;
        }
        b->bytes[d] = b->bytes[twin];
        b->count[d] = b->count[twin];
    }
    return true;
}

static bool from_binaries(const struct gpu *gpu, struct opencl *own, const struct binaries *b) {
    const unsigned char *bytes[GPU_LISTED_MAX];
    int32_t each[GPU_LISTED_MAX], error = 0;
    for (uint32_t d = 0; d < gpu->devices; d++) {
        bytes[d] = b->bytes[d];
    }
    own->program = own->api.CreateProgramWithBinary(own->context, gpu->devices, own->device,
                                                    b->count, bytes, each, &error);
    if (own->program != NULL && error == CL_SUCCESS && build(gpu, own)) {
        return true;
    }
    if (own->program != NULL) {
        (void)own->api.ReleaseProgram(own->program);
        own->program = NULL;
    }
    return false;
}

static bool from_cache(struct gpu *gpu, struct opencl *own) {
    struct binaries b;
    memset(&b, 0, sizeof b);
    bool done = read_binaries(gpu, &b) && from_binaries(gpu, own, &b);
    binaries_free(gpu, &b);
    return done;
}

/* --- Into the cache --- */

static void keep(const struct gpu *gpu, const struct opencl *own) {
    struct binaries b;
    char key[KEY_BYTES];
    memset(&b, 0, sizeof b);
    if (own->api.GetProgramInfo(own->program, CL_PROGRAM_BINARY_SIZES, sizeof b.count, b.count,
                                NULL) != CL_SUCCESS) {
        return;
    }
    bool room = true;
    for (uint32_t d = 0; d < gpu->devices; d++) {
        b.bytes[d] = malloc(b.count[d] + 1);
        room = room && b.bytes[d] != NULL;
    }
    if (room && own->api.GetProgramInfo(own->program, CL_PROGRAM_BINARIES, sizeof b.bytes, b.bytes,
                                        NULL) == CL_SUCCESS) {
        for (uint32_t d = 0; d < gpu->devices; d++) {
            key_of(gpu, d, key);
            if (twin_of(gpu, d) == d) {
                cache_write(key, b.bytes[d], b.count[d]);
            }
        }
    }
    for (uint32_t d = 0; d < gpu->devices; d++) {
        free(b.bytes[d]);
    }
}

enum status opencl_build(struct gpu *gpu, struct opencl *own, struct message *why) {
    if (from_cache(gpu, own)) {
        gpu->from_cache = true;
        return STATUS_OK;
    }
    const char *text = (const char *)gpu_source;
    int32_t error = 0;
    own->program =
        own->api.CreateProgramWithSource(own->context, 1, &text, &gpu_source_bytes, &error);
    if (own->program == NULL || error != CL_SUCCESS) {
        gpu->error = error;
        gpu->call = "clCreateProgramWithSource";
        return gpu_failed(gpu, why);
    }
    if (!build(gpu, own)) {
        return refused(gpu, own, why);
    }
    keep(gpu, own);
    return STATUS_OK;
}
