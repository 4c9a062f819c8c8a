/* How a rank waits: a few looks, a few yields, then sleep. A core is never burnt on waiting when there are more ranks than
 * cores, and a waker enters the kernel only for one who sleeps. The order is what makes it safe: the sleeper says that it
 * sleeps and then looks again; the waker makes its change and then looks for a sleeper; all four are sequentially
 * consistent, so one of the two sees the other. Proof: tests/unit/ranks/test_run.c. */
#define _GNU_SOURCE
#include <sched.h>

#include "run_private.h"

void rank_wake(struct world *w, uint32_t rank) {
    struct rank_state *r = &w->ranks[rank];
    if (atomic_load(&r->sleeping) != 0) {
        (void)atomic_fetch_add(&r->event, 1);
        wake_sleeper(&r->event);
    }
}

bool world_ending(const struct world *w) {
    return atomic_load(&w->verdict_state) != VERDICT_NONE;
}

bool world_end(struct world *w, const struct verdict *v) {
    uint32_t none = VERDICT_NONE;
    if (!atomic_compare_exchange_strong(&w->verdict_state, &none, VERDICT_CLAIMED)) {
        return false;
    }
    w->verdict = *v;
    atomic_store(&w->verdict_state, VERDICT_WRITTEN);
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        rank_wake(w, r);
    }
    return true;
}

static bool look(struct ranks_endpoint *e, const struct waiting *what) {
    posts_pump(e);
    return what->ready(e, what);
}

void wait_timed_out(struct ranks_endpoint *e, const struct waiting *what) {
    struct verdict v = {.end = RANKS_END_TIMEOUT, .rank = e->self, .peer = what->peer};
    v.step = atomic_load(&e->world->ranks[e->self].step);
    v.a = what->wait;
    (void)world_end(e->world, &v);
}

/* Sleeps until ready; false: the run is ending. */
static bool sleep_until(struct ranks_endpoint *e, const struct waiting *what) {
    struct world *w = e->world;
    struct rank_state *self = &w->ranks[e->self];
    double deadline = clock_s() + w->options.timeout_s;
    bool ready = false;
    while (!world_ending(w)) {
        uint32_t seen = atomic_load(&self->event);
        atomic_store(&self->sleeping, 1);
        ready = look(e, what);
        if (ready || world_ending(w)) {
            break;
        }
        cycle_look(e);
        double left = deadline - clock_s();
        if (left <= 0) {
            wait_timed_out(e, what);
        }
        if (!world_ending(w)) {
            sleep_on(&self->event, seen, left);
        }
    }
    atomic_store(&self->sleeping, 0);
    return ready;
}

enum status wait_until(struct ranks_endpoint *e, const struct waiting *what) {
    struct world *w = e->world;
    if (w->door != NULL) {
        return door_wait(e, what);
    }
    struct rank_state *self = &w->ranks[e->self];
    for (int i = 0; i < w->spins + w->yields; i++) {
        if (look(e, what)) {
            return STATUS_OK;
        }
        if (world_ending(w)) {
            break;
        }
        if (i < w->spins) {
            cpu_pause();
        } else {
            (void)sched_yield();
        }
    }
    atomic_store(&self->peer, what->peer);
    atomic_store(&self->wait, (uint32_t)what->wait);
    (void)atomic_fetch_add(&self->epoch, 1);
    if (!sleep_until(e, what)) {
        return STATUS_FAILED; /* what it was waiting for stays, for the report */
    }
    (void)atomic_fetch_add(&self->epoch, 1);
    atomic_store(&self->wait, RANKS_RUNNING);
    return STATUS_OK;
}

static bool all_came(struct ranks_endpoint *e, const struct waiting *what) {
    return atomic_load(&e->world->barriers) != (uint32_t)what->value;
}

enum status ranks_barrier(struct ranks_endpoint *e) {
    struct world *w = e->world;
    if (w->door != NULL) {
        return door_barrier(e);
    }
    struct waiting others = {RANKS_MEETING, e->self, all_came, atomic_load(&w->barriers)};
    (void)atomic_fetch_add(&w->ranks[e->self].barriers, 1);
    if (atomic_fetch_add(&w->arrived, 1) + 1 < w->options.ranks) {
        return wait_until(e, &others);
    }
    atomic_store(&w->arrived, 0);
    (void)atomic_fetch_add(&w->barriers, 1);
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        rank_wake(w, r);
    }
    return world_ending(w) ? STATUS_FAILED : STATUS_OK;
}

uint32_t ranks_self(const struct ranks_endpoint *e) {
    return e->self;
}

uint32_t ranks_count(const struct ranks_endpoint *e) {
    return e->world->options.ranks;
}

void *ranks_shared(struct ranks_endpoint *e) {
    return e->world->shared;
}

void ranks_at_step(struct ranks_endpoint *e, uint64_t step) {
    atomic_store_explicit(&e->world->ranks[e->self].step, step, memory_order_relaxed);
}
