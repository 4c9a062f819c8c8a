/* Workers that run the step lists of all ranks (the header has the idea). A rank belongs to one worker. `progress` says how
 * many steps a rank has passed, in the run that its upper half names; it has one writer and a line of its own, and nothing
 * else passes between workers: to send is to pass the step, to receive is to read the sender's buffer and pass the step.
 * Called by trial_workers.c and the bench. Proof: tests/unit/ranks/test_workers.c, also under the thread sanitizer. */
#include <stdlib.h>

#include "walk_private.h"
#include "workers_private.h"

struct lane {
    _Alignas(LINE_BYTES) _Atomic uint64_t progress; /* run << 32 | steps passed */
    struct walk walk;
    uint32_t at;
};

struct ranks_workers {
    struct ranks_workers_options options;
    struct plan plan;
    struct lane *lanes;
    struct crew *crew;
    uint32_t workers;
    uint64_t run;
    _Atomic uint32_t late; /* 1 + a rank that waited too long */
    void (*each)(uint32_t rank, void *context);
    void *context;
};

static bool has_passed(const struct ranks_workers *w, uint32_t rank, uint32_t steps) {
    return atomic_load_explicit(&w->lanes[rank].progress, memory_order_acquire) >=
           (w->run << 32 | steps);
}

/* Whom the receiving step i of `rank` waits for; `rank` itself: nobody. */
static uint32_t held_by(const struct ranks_workers *w, uint32_t rank, uint32_t i) {
    const struct plan_step *p = &w->plan.steps[w->plan.first[rank] + i];
    const struct coll_step *s = &w->options.calls[rank].steps[i];
    if (!has_passed(w, s->peer, p->passed)) {
        return s->peer;
    }
    for (uint32_t k = 0; k < p->waits_count; k++) {
        const struct plan_wait *wait = &w->plan.waits[p->waits + k];
        if (!has_passed(w, wait->rank, wait->passed)) {
            return wait->rank;
        }
    }
    return rank;
}

static bool receives(const struct coll_step *s) {
    return s->count > 0 && (s->kind == COLL_COPY || s->kind == COLL_REDUCE);
}

static void send(struct ranks_workers *w, uint32_t rank, const struct coll_step *s) {
    const struct ranks_call *call = &w->options.calls[rank];
    size_t at = ((size_t)rank * w->options.ranks + s->peer) * (size_t)w->options.labels +
                (size_t)call->label;
    walk_close(&w->lanes[rank].walk);
    w->options.bytes[at] += s->count * ranks_type_bytes(call->type);
    w->options.messages[at]++;
}

static void receive(struct ranks_workers *w, uint32_t rank, const struct coll_step *s) {
    const struct ranks_call *call = &w->options.calls[rank], *from = &w->options.calls[s->peer];
    uint32_t sent = w->plan.steps[w->plan.first[rank] + w->lanes[rank].at].passed - 1;
    struct walk_target target;
    struct ranks_sink sink;
    walk_receive(&w->lanes[rank].walk, s, &target, &sink);
    sink.take(sink.context, 0, walk_element(from->input, from, from->steps[sent].first),
              (size_t)s->count * ranks_type_bytes(call->type));
}

static void take_step(struct ranks_workers *w, uint32_t rank, const struct coll_step *s) {
    struct walk *walk = &w->lanes[rank].walk;
    (void)walk_round(walk, s);
    if (s->count == 0) {
        return; /* an empty chunk is no message */
    }
    switch ((enum coll_step_kind)s->kind) {
    case COLL_SEND:
        send(w, rank, s);
        break;
    case COLL_KEEP:
        walk_keep(walk, s);
        break;
    default:
        receive(w, rank, s);
    }
}

/* As far as it goes; true if it went at all. */
static bool advance(struct ranks_workers *w, uint32_t rank) {
    struct lane *lane = &w->lanes[rank];
    const struct ranks_call *call = &w->options.calls[rank];
    uint32_t from = lane->at;
    while (lane->at < call->step_count) {
        const struct coll_step *s = &call->steps[lane->at];
        if (receives(s) && held_by(w, rank, lane->at) != rank) {
            break;
        }
        take_step(w, rank, s);
        lane->at++;
        if (lane->at == call->step_count) {
            walk_close(&lane->walk);
        }
        atomic_store_explicit(&lane->progress, w->run << 32 | lane->at, memory_order_release);
    }
    return lane->at > from;
}

static uint32_t first_of(const struct ranks_workers *w, uint32_t worker) {
    return (uint32_t)((uint64_t)w->options.ranks * worker / w->workers);
}

/* True while there is no reason to give up. */
static bool keep_waiting(struct ranks_workers *w, uint32_t rank, uint32_t *tries, double *since) {
    crew_pause(tries);
    if (*tries % 256 == 0) {
        double now = clock_s();
        *since = *since > 0 ? *since : now;
        if (now - *since > w->options.timeout_s) {
            atomic_store(&w->late, rank + 1);
        }
    }
    return atomic_load_explicit(&w->late, memory_order_relaxed) == 0;
}

static void work(uint32_t worker, void *context) {
    struct ranks_workers *w = context;
    uint32_t first = first_of(w, worker), end = first_of(w, worker + 1), tries = 0;
    double since = 0;
    for (;;) {
        uint32_t unfinished = end;
        bool moved = false;
        for (uint32_t r = first; r < end; r++) {
            moved = advance(w, r) || moved;
            if (w->lanes[r].at < w->options.calls[r].step_count) {
                unfinished = unfinished == end ? r : unfinished;
            }
        }
        if (unfinished == end) {
            return;
        }
        if (moved) {
            tries = 0;
            since = 0;
        } else if (!keep_waiting(w, unfinished, &tries, &since)) {
            return;
        }
    }
}

static enum status say_late(const struct ranks_workers *w, struct message *why) {
    uint32_t rank = atomic_load(&w->late) - 1, at = w->lanes[rank].at;
    const struct coll_step *s = &w->options.calls[rank].steps[at];
    message_start(why, "error.ranks.late");
    message_add_plain(why, rank);
    message_add_plain(why, s->round);
    message_add_plain(why, held_by(w, rank, at));
    message_add_real(why, w->options.timeout_s);
    return STATUS_FAILED;
}

enum status ranks_workers_run(struct ranks_workers *w, struct ranks_passed *passed,
                              struct message *why) {
    if (atomic_load(&w->late) != 0) {
        return say_late(w, why);
    }
    w->run++;
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        passed[r] = (struct ranks_passed){0, 0};
        w->lanes[r].at = 0;
        w->lanes[r].walk =
            (struct walk){.call = &w->options.calls[r], .passed = &passed[r], .self = r};
    }
    crew_run(w->crew, work, w);
    return atomic_load(&w->late) == 0 ? STATUS_OK : say_late(w, why);
}

static void each_work(uint32_t worker, void *context) {
    struct ranks_workers *w = context;
    for (uint32_t r = first_of(w, worker); r < first_of(w, worker + 1); r++) {
        w->each(r, w->context);
    }
}

void ranks_workers_each(struct ranks_workers *w, void (*each)(uint32_t rank, void *context),
                        void *context) {
    w->each = each;
    w->context = context;
    crew_run(w->crew, each_work, w);
}

static uint32_t workers_for(const struct ranks_workers *w) {
    uint32_t most = w->options.workers == 0 ? cores_here() : w->options.workers;
    most = most < RANKS_WORKERS_MAX ? most : RANKS_WORKERS_MAX;
    return most < w->options.ranks ? most : w->options.ranks;
}

static void open_crew(struct ranks_workers *w) {
    w->workers = workers_for(w);
    w->crew = crew_open(w->workers);
    if (w->crew != NULL && w->options.workers == 0 &&
        w->plan.moved_bytes <= crew_alone_bytes(w->crew)) {
        crew_close(w->crew);
        w->workers = 1;
        w->crew = crew_open(w->workers);
    }
}

enum status ranks_workers_open(const struct ranks_workers_options *options,
                               struct ranks_workers **out, struct message *why) {
    struct ranks_workers *w = calloc(1, sizeof *w);
    *out = w;
    if (w != NULL) {
        w->options = *options;
        w->lanes = aligned_alloc(LINE_BYTES, options->ranks * sizeof *w->lanes);
        for (uint32_t r = 0; w->lanes != NULL && r < options->ranks; r++) {
            w->lanes[r] = (struct lane){.at = 0};
        }
        if (w->lanes != NULL && plan_make(&w->plan, options->calls, options->ranks)) {
            open_crew(w);
        }
        if (w->crew != NULL) {
            return STATUS_OK;
        }
    }
    ranks_workers_close(w);
    *out = NULL;
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

void ranks_workers_close(struct ranks_workers *w) {
    if (w != NULL) {
        crew_close(w->crew);
        plan_free(&w->plan);
        free(w->lanes);
        free(w);
    }
}

uint32_t ranks_workers_count(const struct ranks_workers *w) {
    return w->workers;
}
