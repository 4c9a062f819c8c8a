/* A rank that is about to sleep follows who waits for whom. When the way leads into a circle, or to a rank that has ended,
 * nobody in it can ever be woken, and the run ends at once instead of at its timeout.
 * The others do not stand still while it looks. So it goes the way twice: when no rank on it has begun or ended a wait in
 * between (epoch), all of them waited at the same moment, and what it saw in between held at that moment. A rank whose
 * wait changes looks for itself before it sleeps, so the last to fall asleep finds what there is.
 * Proof: tests/unit/ranks/test_deadlock.c. */
#include <assert.h>
#include <string.h>

#include "run_private.h"

static enum ranks_wait wait_of(const struct world *w, uint32_t rank) {
    return (enum ranks_wait)atomic_load(&w->ranks[rank].wait);
}

/* The lowest rank that `rank` waits for at its barrier; itself when all have come. */
static uint32_t missing_at_barrier(const struct world *w, uint32_t rank) {
    uint32_t came = atomic_load(&w->ranks[rank].barriers);
    for (uint32_t other = 0; other < w->options.ranks; other++) {
        if (atomic_load(&w->ranks[other].barriers) < came) {
            return other;
        }
    }
    return rank;
}

/* Whom `rank` waits for, when it does and nothing is on its way to it; false: it can go on. */
static bool waits_for(const struct world *w, uint32_t rank, uint32_t *peer) {
    *peer = atomic_load(&w->ranks[rank].peer);
    switch (wait_of(w, rank)) {
    case RANKS_RECEIVING: {
        const struct channel *c = channel_of(w, *peer, rank);
        return channel_filled(c) == 0 && atomic_load(&c->unsent) == 0;
    }
    case RANKS_SENDING: /* the other could be about to take it, unless it waits for something else */
        return channel_filled(channel_of(w, rank, *peer)) > 0 &&
               !(wait_of(w, *peer) == RANKS_RECEIVING &&
                 atomic_load(&w->ranks[*peer].peer) == rank);
    case RANKS_MEETING:
        *peer = missing_at_barrier(w, rank);
        return *peer != rank;
    default:
        return false;
    }
}

/* The way from one rank along its waits. */
struct way {
    uint32_t length;
    uint32_t ranks[COLL_RANKS_MAX];
    uint64_t epochs[COLL_RANKS_MAX];
    uint32_t end; /* what the last one waits for: a rank of the way, or one that has ended */
};

/* True when it ends in a circle or at a rank that has ended. */
static bool go(const struct world *w, uint32_t from, struct way *way) {
    bool seen[COLL_RANKS_MAX] = {false};
    uint32_t at = from;
    way->length = 0;
    while (!seen[at] && wait_of(w, at) != RANKS_ENDED) {
        uint64_t epoch = atomic_load(&w->ranks[at].epoch);
        uint32_t next;
        if (epoch % 2 == 0 || !waits_for(w, at, &next)) {
            return false;
        }
        seen[at] = true;
        way->ranks[way->length] = at;
        way->epochs[way->length++] = epoch;
        at = next;
    }
    way->end = at;
    return true;
}

/* A second look: the same ranks are in the same waits, and still nothing is on its way to them. */
static bool still(const struct world *w, const struct way *way) {
    for (uint32_t i = 0; i < way->length; i++) {
        uint32_t rank = way->ranks[i], peer;
        uint32_t next = i + 1 < way->length ? way->ranks[i + 1] : way->end;
        if (!waits_for(w, rank, &peer) || peer != next) {
            return false;
        }
    }
    for (uint32_t i = 0; i < way->length; i++) {
        if (atomic_load(&w->ranks[way->ranks[i]].epoch) != way->epochs[i]) {
            return false;
        }
    }
    return true;
}

void cycle_look(struct ranks_endpoint *e) {
    struct world *w = e->world;
    struct way way;
    if (!go(w, e->self, &way) || !still(w, &way)) {
        return;
    }
    assert(way.length > 0); /* a way has its own rank at least */
    uint32_t first = 0;
    while (first < way.length && way.ranks[first] != way.end) {
        first++;
    }
    struct verdict v;
    memset(&v, 0, sizeof v);
    v.rank = first < way.length ? way.end : way.ranks[way.length - 1];
    v.peer = way.end;
    v.step = atomic_load(&w->ranks[v.rank].step);
    v.end = first < way.length ? RANKS_END_CYCLE : RANKS_END_LEFT;
    for (uint32_t i = first; i < way.length; i++) {
        v.cycle[v.cycle_length++] = way.ranks[i];
    }
    (void)world_end(w, &v);
}
