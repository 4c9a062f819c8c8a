/* The shared-memory all-reduce (the header has the idea). A worker goes through its span in blocks that stay in the nearest
 * cache: sum a block over all inputs, store it to all outputs. Above STREAM_BYTES of traffic the stores go past the caches,
 * because what is written will have left them before it is read (measured on two cores: even at 16 MiB of traffic, about
 * twice as fast from 64 MiB; two or three times as slow below 1 MiB). Small work the caller does alone (crew.c). Called by the
 * bench. Proof: tests/unit/ranks/test_fused.c. */
#define _DEFAULT_SOURCE
#include "shardlab/ranks/fused.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "combine_private.h"
#include "workers_private.h"

enum { BLOCK = 1024, STREAM_BYTES = 16 * 1024 * 1024, SPAN = 16 };

/* What one worker moved in one call; a line of its own. */
struct share {
    _Alignas(LINE_BYTES) struct ranks_traffic traffic;
};

/* One call as who takes part in it sees it. */
struct task {
    const struct ranks_fused_job *job;
    uint32_t used; /* that many share the elements */
    bool stream;
};

struct ranks_fused {
    struct crew *crew;
    uint32_t workers;
    struct task task;
    uint32_t ranks; /* of ranks_fused_each */
    void (*each)(uint32_t rank, void *context);
    void *context;
    struct share shares[RANKS_WORKERS_MAX];
};

struct ranks_traffic ranks_fused_predicted(const struct ranks_fused_job *job) {
    uint64_t bytes = job->ranks * job->elements * sizeof(float);
    return (struct ranks_traffic){bytes, bytes};
}

enum status ranks_fused_open(uint32_t workers, struct ranks_fused **out, struct message *why) {
    struct ranks_fused *f = aligned_alloc(LINE_BYTES, sizeof *f);
    uint32_t count = workers == 0 ? cores_here() : workers;
    *out = f;
    if (f != NULL) {
        *f = (struct ranks_fused){.workers = count < RANKS_WORKERS_MAX ? count : RANKS_WORKERS_MAX};
        f->crew = crew_open(f->workers);
        if (f->crew != NULL) {
            return STATUS_OK;
        }
    }
    free(f);
    *out = NULL;
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

void ranks_fused_close(struct ranks_fused *f) {
    if (f != NULL) {
        crew_close(f->crew);
        free(f);
    }
}

uint32_t ranks_fused_workers(const struct ranks_fused *f) {
    return f->workers;
}

/* `into` at a multiple of 16 bytes. */
static void store_past_caches(float *into, const float *from, size_t count) {
    size_t i = 0;
#if defined(__SSE2__)
    for (; i + 4 <= count; i += 4) {
        _mm_stream_ps(into + i, _mm_loadu_ps(from + i));
    }
#endif
    memcpy(into + i, from + i, (count - i) * sizeof *into);
}

static void end_of_streaming(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static void store(const struct task *t, float *into, const float *from, size_t count) {
    if (t->stream) {
        store_past_caches(into, from, count);
    } else {
        memcpy(into, from, count * sizeof *into);
    }
}

/* The elements of a worker: spans begin at whole lines, so that no two workers write one. */
static uint64_t begin_of(const struct task *t, uint32_t worker) {
    uint64_t elements = t->job->elements, lines = (elements + SPAN - 1) / SPAN;
    uint64_t at = lines * worker / t->used * SPAN;
    return at < elements ? at : elements;
}

static struct ranks_traffic reduce_span(const struct task *t, uint32_t worker) {
    const struct ranks_fused_job *job = t->job;
    struct ranks_traffic moved = {0, 0};
    float sum[BLOCK];
    if (worker >= t->used) {
        return moved;
    }
    uint64_t end = begin_of(t, worker + 1);
    for (uint64_t at = begin_of(t, worker); at < end; at += BLOCK) {
        size_t count = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        memcpy(sum, job->inputs[0] + at, count * sizeof *sum);
        for (uint32_t r = 1; r < job->ranks; r++) {
            combine(RANKS_FP32, job->op, sum, job->inputs[r] + at, count);
        }
        for (uint32_t r = 0; r < job->ranks; r++) {
            store(t, job->outputs[r] + at, sum, count);
        }
        moved.read_bytes += job->ranks * count * sizeof *sum;
        moved.written_bytes += job->ranks * count * sizeof *sum;
    }
    end_of_streaming();
    return moved;
}

static void reduce_share(uint32_t worker, void *context) {
    struct ranks_fused *f = context;
    f->shares[worker].traffic = reduce_span(&f->task, worker);
}

static void copy_share(uint32_t worker, void *context) {
    const struct ranks_fused *f = context;
    const struct task *t = &f->task;
    if (worker >= t->used) {
        return;
    }
    uint64_t first = begin_of(t, worker), end = begin_of(t, worker + 1);
    for (uint32_t r = 0; r < t->job->ranks; r++) {
        store(t, t->job->outputs[r] + first, t->job->inputs[r] + first, (size_t)(end - first));
    }
    end_of_streaming();
}

static uint64_t bytes_of(const struct ranks_fused_job *job) {
    return 2 * job->ranks * job->elements * sizeof(float);
}

static void run(struct ranks_fused *f, const struct ranks_fused_job *job,
                void (*work)(uint32_t worker, void *context)) {
    uint64_t bytes = bytes_of(job);
    bool alone = bytes <= crew_alone_bytes(f->crew);
    f->task = (struct task){job, alone ? 1 : f->workers, bytes > STREAM_BYTES};
    if (f->task.used == 1) {
        work(0, f);
    } else {
        crew_run(f->crew, work, f);
    }
}

struct ranks_traffic ranks_fused_all_reduce(struct ranks_fused *f,
                                            const struct ranks_fused_job *job) {
    struct ranks_traffic all = {0, 0};
    run(f, job, reduce_share);
    for (uint32_t i = 0; i < f->task.used; i++) {
        all.read_bytes += f->shares[i].traffic.read_bytes;
        all.written_bytes += f->shares[i].traffic.written_bytes;
    }
    return all;
}

enum status ranks_fused_meet(struct ranks_endpoint *e, const struct ranks_fused_job *job,
                             struct ranks_traffic *moved) {
    const struct task task = {job, ranks_count(e), bytes_of(job) > STREAM_BYTES};
    *moved = (struct ranks_traffic){0, 0};
    enum status ok = ranks_barrier(e);
    if (ok == STATUS_OK) {
        *moved = reduce_span(&task, ranks_self(e));
        ok = ranks_barrier(e);
    }
    return ok;
}

void ranks_fused_copy(struct ranks_fused *f, const struct ranks_fused_job *job) {
    run(f, job, copy_share);
}

static void each_share(uint32_t worker, void *context) {
    const struct ranks_fused *f = context;
    for (uint32_t r = worker; r < f->ranks; r += f->workers) {
        f->each(r, f->context);
    }
}

void ranks_fused_each(struct ranks_fused *f, uint32_t ranks,
                      void (*each)(uint32_t rank, void *context), void *context) {
    f->ranks = ranks;
    f->each = each;
    f->context = context;
    crew_run(f->crew, each_share, f);
}

static void *map(size_t bytes, int sharing) {
    void *buffer =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == 0 || buffer == MAP_FAILED) {
        return NULL;
    }
    (void)madvise(buffer, bytes, MADV_HUGEPAGE);
    memset(buffer, 0, bytes);
    return buffer;
}

void *ranks_buffer_new(size_t bytes) {
    return map(bytes, MAP_PRIVATE);
}

void *ranks_buffer_shared(size_t bytes) {
    return map(bytes, MAP_SHARED);
}

void ranks_buffer_free(void *buffer, size_t bytes) {
    if (buffer != NULL) {
        (void)munmap(buffer, bytes);
    }
}
