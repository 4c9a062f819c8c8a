/* Ranks as MPI processes: the launcher starts this program once a rank, so a run is this process' own rank and nothing else.
 * No memory is shared; what rank 0 is to see is gathered (ranks_gather), and only rank 0 finishes the run. Messages go through
 * the door (shardlab/ranks/door.h), which is loaded here and not before it is asked for. While it waits a rank looks, yields
 * and then naps: MPI itself would spin. A rank that waits too long, or fails, ends all others when its process exits; a circle
 * of waiting ranks is only seen by its timeout, since no rank sees the others. Proof: tests/cli/mpi.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_private.h"
#include "workers_private.h"

enum { PAGE = 4096 };

/* MPI is joined once a process, and left when it exits. */
static struct {
    const struct ranks_door *door;
    uint32_t self, ranks;
} joined;

/* What Open MPI, MPICH and their relatives give to the processes that they start. */
static bool was_launched(void) {
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                        "PMIX_RANK"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (getenv(marks[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool mpi_ready(struct message *why) {
    char path[2048];
    if (!ranks_beside_program(RANKS_DOOR_FILE, path, sizeof path)) {
        message_start(why, "error.ranks.mpi");
        return false;
    }
    if (!was_launched()) {
        message_start(why, "error.ranks.mpi_launcher");
        return false;
    }
    return true;
}

static enum status no_module(const char *what, struct message *why) {
    message_start(why, "error.ranks.mpi_module");
    message_add_text(why, what);
    return STATUS_FAILED;
}

enum status ranks_mpi_join(uint32_t *self, uint32_t *ranks, struct message *why) {
    char path[2048];
    if (joined.door == NULL) {
        if (!mpi_ready(why) || !ranks_beside_program(RANKS_DOOR_FILE, path, sizeof path)) {
            return STATUS_FAILED;
        }
        void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (module == NULL) {
            return no_module(dlerror(), why);
        }
        ranks_door_of *of = NULL;
        *(void **)&of = dlsym(module, RANKS_DOOR_SYMBOL);
        const struct ranks_door *door = of != NULL ? of() : NULL;
        if (door == NULL || !door->open(&joined.self, &joined.ranks)) {
            return no_module(path, why);
        }
        joined.door = door;
    }
    *self = joined.self;
    *ranks = joined.ranks;
    return STATUS_OK;
}

/* MPI promises no multiple of anything; pages are mapped whole, so all processes round up to the same byte. */
void *ranks_mpi_share(size_t bytes, void **at) {
    size_t pages = (bytes + UNIT_BYTES + PAGE - 1) / PAGE;
    void *shared = joined.door != NULL && bytes > 0 ? joined.door->share(pages * PAGE, at) : NULL;
    for (uint32_t r = 0; shared != NULL && r < joined.ranks; r++) {
        size_t past = (uintptr_t)at[r] % UNIT_BYTES;
        at[r] = (unsigned char *)at[r] + (past == 0 ? 0 : UNIT_BYTES - past);
    }
    return shared;
}

void ranks_mpi_release(void *shared) {
    if (shared != NULL) {
        joined.door->release(shared);
    }
}

/* --- One rank's messages --- */

enum status door_wait(struct ranks_endpoint *e, const struct waiting *what) {
    struct world *w = e->world;
    struct rank_state *self = &w->ranks[e->self];
    double deadline = 0;
    for (uint32_t tries = 0; !what->ready(e, what);) {
        if (world_ending(w)) {
            return STATUS_FAILED;
        }
        crew_pause(&tries);
        if (tries % 64 == 0) {
            atomic_store(&self->peer, what->peer);
            atomic_store(&self->wait, (uint32_t)what->wait);
            deadline = deadline > 0 ? deadline : clock_s() + w->options.timeout_s;
            if (clock_s() > deadline) {
                wait_timed_out(e, what);
            }
        }
    }
    atomic_store(&self->wait, RANKS_RUNNING);
    return STATUS_OK;
}

static bool request_done(struct ranks_endpoint *e, const struct waiting *what) {
    (void)what;
    if (e->request != NULL && e->world->door->done(e->request)) {
        e->request = NULL;
    }
    return e->request == NULL;
}

static enum status wait_request(struct ranks_endpoint *e, void *request, enum ranks_wait wait,
                                uint32_t peer) {
    struct waiting done = {wait, peer, request_done, 0};
    if (request == NULL) {
        return STATUS_FAILED;
    }
    e->request = request;
    return door_wait(e, &done);
}

static bool message_arrived(struct ranks_endpoint *e, const struct waiting *what) {
    return e->world->door->arrived((enum ranks_door_kind)what->value, what->peer, &e->label,
                                   &e->count);
}

static bool scratch_for(struct ranks_endpoint *e, size_t count) {
    if (count > e->scratch_bytes) {
        free(e->scratch);
        e->scratch = malloc(count);
        e->scratch_bytes = e->scratch != NULL ? count : 0;
    }
    return count <= e->scratch_bytes;
}

enum status door_receive(struct ranks_endpoint *e, uint32_t from, int label, size_t count,
                         const struct ranks_sink *sink) {
    struct waiting message = {RANKS_RECEIVING, from, message_arrived, RANKS_DOOR_MESSAGE};
    enum status ok = door_wait(e, &message);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (e->count != count) {
        return receive_refused(e, RANKS_END_SIZES, from, count, e->count);
    }
    if (e->label != label) {
        return receive_refused(e, RANKS_END_LABELS, from, (uint64_t)label, (uint64_t)e->label);
    }
    if (!scratch_for(e, count)) {
        return STATUS_FAILED;
    }
    ok = wait_request(e, e->world->door->receive(e->scratch, count), RANKS_RECEIVING, from);
    if (ok == STATUS_OK) {
        sink->take(sink->context, 0, e->scratch, count);
    }
    return ok;
}

enum status door_barrier(struct ranks_endpoint *e) {
    return wait_request(e, e->world->door->barrier(), RANKS_MEETING, e->self);
}

/* Slices of `stride` bytes, that of rank r at base + r · stride. */
static enum status gather(struct ranks_endpoint *e, unsigned char *base, size_t stride) {
    const struct ranks_door *door = e->world->door;
    enum status ok = STATUS_OK;
    if (e->self != 0) {
        const unsigned char *mine = base + e->self * stride;
        ok = wait_request(e, door->send(RANKS_DOOR_ASIDE, 0, 0, mine, stride), RANKS_SENDING, 0);
    }
    for (uint32_t r = 1; ok == STATUS_OK && e->self == 0 && r < e->world->options.ranks; r++) {
        struct waiting slice = {RANKS_RECEIVING, r, message_arrived, RANKS_DOOR_ASIDE};
        ok = door_wait(e, &slice);
        if (ok == STATUS_OK) {
            ok = wait_request(e, door->receive(base + r * stride, stride), RANKS_RECEIVING, r);
        }
    }
    return ok;
}

enum status ranks_gather(struct ranks_endpoint *e, size_t at, size_t stride) {
    if (e->world->door != NULL && stride > 0) {
        enum status ok = gather(e, e->world->shared + at, stride);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return ranks_barrier(e);
}

/* --- A run --- */

struct counted_body {
    const struct ranks_body *body;
};

/* The body, and then the counters of each rank's own messages. */
static enum status run_counted(struct ranks_endpoint *e, void *context) {
    const struct counted_body *counted = context;
    struct world *w = e->world;
    size_t row = w->options.ranks * (size_t)w->options.labels * sizeof(uint64_t);
    enum status ok = counted->body->run(e, counted->body->context);
    ok = ok == STATUS_OK ? ranks_settle(e) : ok;
    ok = ok == STATUS_OK ? gather(e, (unsigned char *)w->bytes, row) : ok;
    ok = ok == STATUS_OK ? gather(e, (unsigned char *)w->messages, row) : ok;
    free(e->scratch);
    e->scratch = NULL;
    return ok == STATUS_OK ? door_barrier(e) : ok;
}

enum status mpi_check(const struct ranks_options *o, struct message *why) {
    uint32_t self, ranks;
    enum status ok = ranks_mpi_join(&self, &ranks, why);
    if (ok == STATUS_OK && ranks != o->ranks) {
        message_start(why, "error.ranks.mpi_ranks");
        message_add_plain(why, o->ranks);
        message_add_plain(why, ranks);
        return STATUS_USAGE;
    }
    return ok;
}

void mpi_run(struct world *w, const struct ranks_body *body) {
    struct counted_body counted = {body};
    const struct ranks_body whole = {run_counted, NULL, &counted};
    w->door = joined.door;
    atomic_store(&w->ranks[joined.self].process, (int32_t)getpid());
    if (rank_live(w, joined.self, &whole) != STATUS_OK) {
        w->door->fail();
    }
}

bool mpi_is_elsewhere(void) {
    return joined.door != NULL && joined.self != 0;
}
