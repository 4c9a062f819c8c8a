/* A few threads that wait for work: a standing crew, because starting a thread costs a hundred times what a small collective
 * does. A worker without work looks for a while, then sleeps in the kernel until the next task. The caller of crew_run is
 * worker 0. Called by workers.c and fused.c. Proof: tests/unit/ranks/test_workers.c, also under the thread sanitizer. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "workers_private.h"

enum { LOOKS = 200, YIELDS = 2000, NAP_NS = 100000 };

struct member {
    _Alignas(LINE_BYTES) _Atomic uint32_t done; /* the last task that it has ended */
    struct crew *crew;
    pthread_t thread;
    uint32_t number;
};

struct crew {
    _Alignas(LINE_BYTES) _Atomic uint32_t task; /* goes up with each; sleepers sleep on it */
    _Atomic uint32_t sleepers;
    _Atomic bool leave;
    void (*work)(uint32_t worker, void *context);
    void *context;
    uint32_t workers, started;
    uint64_t alone_bytes;
    struct member members[RANKS_WORKERS_MAX];
};

void crew_pause(uint32_t *tries) {
    uint32_t now = (*tries)++;
    if (now < LOOKS) {
        cpu_pause();
    } else if (now < LOOKS + YIELDS) {
        (void)sched_yield();
    } else {
        struct timespec nap = {0, NAP_NS};
        (void)nanosleep(&nap, NULL);
    }
}

/* As in wait.c: the sleeper says so and looks again; who changes the word looks for sleepers. */
static void wait_for_task(struct crew *crew, uint32_t last) {
    uint32_t tries = 0;
    while (atomic_load(&crew->task) == last) {
        if (tries < LOOKS + YIELDS) {
            crew_pause(&tries);
            continue;
        }
        (void)atomic_fetch_add(&crew->sleepers, 1);
        if (atomic_load(&crew->task) == last) {
            sleep_on(&crew->task, last, 3600);
        }
        (void)atomic_fetch_sub(&crew->sleepers, 1);
    }
}

static void *live(void *argument) {
    struct member *m = argument;
    struct crew *crew = m->crew;
    for (uint32_t task = 0;;) {
        wait_for_task(crew, task);
        task++;
        if (atomic_load(&crew->leave)) {
            return NULL;
        }
        crew->work(m->number, crew->context);
        atomic_store(&m->done, task);
    }
}

static void next_task(struct crew *crew) {
    (void)atomic_fetch_add(&crew->task, 1);
    for (uint32_t i = atomic_load(&crew->sleepers); i > 0; i--) {
        wake_sleeper(&crew->task);
    }
}

void crew_close(struct crew *crew) {
    if (crew == NULL) {
        return;
    }
    atomic_store(&crew->leave, true);
    next_task(crew);
    for (uint32_t i = 1; i < crew->started; i++) {
        (void)pthread_join(crew->members[i].thread, NULL);
    }
    free(crew);
}

void crew_run(struct crew *crew, void (*work)(uint32_t worker, void *context), void *context) {
    crew->work = work;
    crew->context = context;
    if (crew->workers > 1) {
        next_task(crew);
    }
    work(0, context);
    uint32_t task = atomic_load(&crew->task);
    for (uint32_t i = 1; i < crew->workers; i++) {
        uint32_t tries = 0;
        while (atomic_load(&crew->members[i].done) != task) {
            crew_pause(&tries);
        }
    }
}

static void nothing(uint32_t worker, void *context) {
    (void)worker;
    (void)context;
}

/* Two workers halve the work and cost a task: even where work / rate = work / rate / 2 + cost. */
static void measure_cost(struct crew *crew) {
    enum { TRIES = 15, LEAST = 64 * 1024, MOST = 1024 * 1024 };
    static const double rate =
        50e9; /* bytes that one core reads and writes in a second, in its caches */
    double seconds[TRIES];
    for (int i = 0; i < TRIES; i++) {
        double begin = clock_s();
        crew_run(crew, nothing, NULL);
        double took = clock_s() - begin;
        int k = i;
        for (; k > 0 && seconds[k - 1] > took; k--) {
            seconds[k] = seconds[k - 1];
        }
        seconds[k] = took;
    }
    double even = 2 * seconds[TRIES / 2] * rate;
    crew->alone_bytes = even < LEAST ? LEAST : even > MOST ? MOST : (uint64_t)even;
}

uint64_t crew_alone_bytes(const struct crew *crew) {
    return crew->alone_bytes;
}

struct crew *crew_open(uint32_t workers) {
    struct crew *crew = aligned_alloc(LINE_BYTES, sizeof *crew);
    if (crew == NULL) {
        return NULL;
    }
    *crew = (struct crew){.workers = workers, .started = 1};
    for (; crew->started < workers; crew->started++) {
        struct member *m = &crew->members[crew->started];
        *m = (struct member){.crew = crew, .number = crew->started};
        if (pthread_create(&m->thread, NULL, live, m) != 0) {
            crew_close(crew);
            return NULL;
        }
    }
    measure_cost(crew);
    return crew;
}
