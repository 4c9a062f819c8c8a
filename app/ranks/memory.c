/* The memory of a run: one anonymous shared mapping with the state of the ranks, the rings of all pairs, the counters and
 * what the body asked for. Pages that nobody touches cost nothing, so rings of pairs that never speak are free. It has no
 * name in any file system: when the last process is gone, however it went, it is gone. Proof: tests/unit/ranks/. */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run_private.h"
#include "shardlab/base/checked.h"

enum { PAGE = 4096, RING_MIN = 2 * UNIT_BYTES, RENDEZVOUS_RING = 64 * 1024 };

uint32_t cores_here(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static uint64_t ring_bytes_of(uint64_t mailbox) {
    uint64_t whole = mailbox / UNIT_BYTES * UNIT_BYTES;
    if (mailbox == 0) {
        return RENDEZVOUS_RING;
    }
    return whole < RING_MIN ? RING_MIN : whole;
}

/* Adds count · size to *total, rounded up to whole pages, and says in *at where it begins. */
static bool place(uint64_t *total, uint64_t count, uint64_t size, uint64_t *at) {
    uint64_t bytes;
    *at = *total;
    return checked_mul(count, size, &bytes) && checked_add(bytes, PAGE - 1, &bytes) &&
           checked_add(*total, bytes / PAGE * PAGE, total);
}

struct parts {
    uint64_t world, ranks, channels, rings, posts, bytes, messages, shared, total;
};

static bool lay_out(const struct ranks_options *o, struct parts *p) {
    uint64_t n = o->ranks, pairs = n * n, counters;
    memset(p, 0, sizeof *p);
    return checked_mul(pairs, (uint64_t)o->labels, &counters) &&
           place(&p->total, 1, sizeof(struct world), &p->world) &&
           place(&p->total, n, sizeof(struct rank_state), &p->ranks) &&
           place(&p->total, pairs, sizeof(struct channel), &p->channels) &&
           place(&p->total, pairs, ring_bytes_of(o->mailbox_bytes), &p->rings) &&
           place(&p->total, n * (2 * n + 2), sizeof(struct post), &p->posts) &&
           place(&p->total, counters, sizeof(uint64_t), &p->bytes) &&
           place(&p->total, counters, sizeof(uint64_t), &p->messages) &&
           place(&p->total, 1, o->shared_bytes, &p->shared) && p->total <= SIZE_MAX;
}

/* Pages are given when they are touched, so what can never be there is better refused before. */
bool machine_has(uint64_t bytes) {
    long pages = sysconf(_SC_PHYS_PAGES);
    return pages <= 0 || bytes / PAGE <= (uint64_t)pages;
}

struct world *world_open(const struct ranks_options *options) {
    struct parts p;
    if (!lay_out(options, &p) || !machine_has(options->shared_bytes)) {
        return NULL;
    }
    unsigned char *at = mmap(NULL, (size_t)p.total, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    bool crowded = options->ranks > cores_here();
    struct world *w = (struct world *)(void *)at;
    w->options = *options;
    w->ring_bytes = ring_bytes_of(options->mailbox_bytes);
    w->spins = crowded ? 10 : 100; /* a core that is idle on paper may be busy with others */
    w->yields = 40;
    w->one_memory = options->backend == RANKS_THREADS;
    w->ranks = (struct rank_state *)(void *)(at + p.ranks);
    w->channels = (struct channel *)(void *)(at + p.channels);
    w->rings = at + p.rings;
    w->posts = (struct post *)(void *)(at + p.posts);
    w->bytes = (uint64_t *)(void *)(at + p.bytes);
    w->messages = (uint64_t *)(void *)(at + p.messages);
    w->shared = at + p.shared;
    w->mapped = (size_t)p.total;
    return w;
}

void world_close(struct world *w) {
    (void)munmap(w, w->mapped);
}
