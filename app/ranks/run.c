/* The entry of a run: memory, backend, what is reported. Called by trial.c, the room precision and the bench. The sentence
 * about an early end is made here from the verdict; what each rank was doing is added in signs that need no language:
 * "0→1" rank 0 sends to 1, "0←1" receives from 1, "0‖" is at a barrier. Proof: tests/unit/ranks/. */
#include "shardlab/ranks/run.h"

#include <string.h>

#include "run_private.h"
#include "shardlab/base/writer.h"

static const char *const backends[RANKS_BACKENDS] = {"threads", "processes", "mpi"};

const char *ranks_backend_name(enum ranks_backend backend) {
    return backends[backend];
}

int ranks_backend_find(const char *name) {
    for (int i = 0; i < RANKS_BACKENDS; i++) {
        if (strcmp(backends[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool ranks_backend_ready(enum ranks_backend backend, struct message *why) {
    if (backend == RANKS_MPI) {
        return mpi_ready(why);
    }
    return true;
}

enum status rank_live(struct world *w, uint32_t rank, const struct ranks_body *body) {
    struct ranks_endpoint e = {
        .world = w, .self = rank, .posts = w->posts + (size_t)rank * posts_max(w)};
    enum status ok = body->run(&e, body->context);
    if (ok == STATUS_OK) {
        ok = ranks_settle(&e);
    }
    if (ok != STATUS_OK) {
        struct verdict v = {.end = RANKS_END_BODY, .rank = rank};
        v.step = atomic_load(&w->ranks[rank].step);
        (void)world_end(w, &v);
        return ok;
    }
    atomic_store(&w->ranks[rank].wait, RANKS_ENDED);
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        rank_wake(w, r); /* who waits for this one will wait for ever, and is to see it */
    }
    return STATUS_OK;
}

/* --- What is reported --- */

static void fill_report(const struct world *w, struct ranks_report *report) {
    size_t n = w->options.ranks, counters = n * n * (size_t)w->options.labels;
    if (report->bytes != NULL) {
        memcpy(report->bytes, w->bytes, counters * sizeof *w->bytes);
    }
    if (report->messages != NULL) {
        memcpy(report->messages, w->messages, counters * sizeof *w->messages);
    }
    for (uint32_t r = 0; report->doing != NULL && r < n; r++) {
        const struct rank_state *state = &w->ranks[r];
        report->doing[r] =
            (struct ranks_doing){(enum ranks_wait)atomic_load(&state->wait),
                                 atomic_load(&state->peer), atomic_load(&state->step)};
    }
    report->end = w->verdict.end;
    report->rank = w->verdict.rank;
    report->cycle_length = w->verdict.end == RANKS_END_CYCLE ? w->verdict.cycle_length : 0;
    memcpy(report->cycle, w->verdict.cycle, sizeof report->cycle);
}

static void add_writer(struct message *why, const struct writer *w) {
    message_add_text_n(why, w->bytes, w->length);
}

static void add_cycle(struct message *why, const struct verdict *v) {
    char text[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (uint32_t i = 0; i <= v->cycle_length; i++) {
        writer_text(&w, i == 0 ? "" : " → ");
        writer_u64(&w, v->cycle[i % v->cycle_length]);
    }
    add_writer(why, &w);
}

/* What every rank was doing, as many as there is room for. */
static void add_doing(struct message *why, const struct world *world) {
    static const char *const signs[] = {"", "→", "←", "‖", "∎"};
    char text[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (uint32_t r = 0; r < world->options.ranks && w.length < 120; r++) {
        enum ranks_wait wait = (enum ranks_wait)atomic_load(&world->ranks[r].wait);
        writer_text(&w, r == 0 ? "" : " ");
        writer_u64(&w, r);
        writer_text(&w, signs[wait]);
        if (wait == RANKS_SENDING || wait == RANKS_RECEIVING) {
            writer_u64(&w, atomic_load(&world->ranks[r].peer));
        }
    }
    writer_text(&w, w.length < 120 ? "" : " …");
    add_writer(why, &w);
}

static void say_timeout(const struct world *w, struct message *why) {
    static const char *const ids[] = {[RANKS_SENDING] = "error.ranks.timeout_send",
                                      [RANKS_RECEIVING] = "error.ranks.timeout_receive",
                                      [RANKS_MEETING] = "error.ranks.timeout_barrier"};
    const struct verdict *v = &w->verdict;
    message_start(why, ids[v->a]);
    message_add_plain(why, v->rank);
    message_add_plain(why, v->step);
    message_add_plain(why, v->peer);
    char seconds[32];
    struct writer text;
    writer_start(&text, seconds, sizeof seconds);
    writer_real(&text, w->options.timeout_s);
    message_add_text(why, seconds);
    add_doing(why, w);
}

/* Arguments 0 rank, 1 step, 2 peer and then what the kind of end needs. */
static void say(const struct world *w, const char *id, bool numbers, struct message *why) {
    const struct verdict *v = &w->verdict;
    message_start(why, id);
    message_add_plain(why, v->rank);
    message_add_plain(why, v->step);
    message_add_plain(why, v->peer);
    if (numbers) {
        message_add_plain(why, v->a);
        message_add_plain(why, v->b);
    }
    add_doing(why, w);
}

static void say_verdict(const struct world *w, struct message *why) {
    const struct verdict *v = &w->verdict;
    switch (v->end) {
    case RANKS_END_TIMEOUT:
        say_timeout(w, why);
        break;
    case RANKS_END_CYCLE:
        message_start(why, "error.ranks.cycle");
        add_cycle(why, v);
        message_add_plain(why, v->step);
        add_doing(why, w);
        break;
    case RANKS_END_DEAD:
        say(w, "error.ranks.dead", true, why);
        break;
    case RANKS_END_LEFT:
        say(w, "error.ranks.left", false, why);
        break;
    case RANKS_END_SIZES:
        say(w, "error.ranks.sizes", true, why);
        break;
    case RANKS_END_LABELS:
        say(w, "error.ranks.labels", true, why);
        break;
    case RANKS_END_START:
        say(w, "error.ranks.start", true, why);
        break;
    default:
        say(w, "error.ranks.body", false, why);
    }
}

static enum status check(const struct ranks_options *o, struct message *why) {
    if (o->ranks < 1 || o->ranks > COLL_RANKS_MAX) {
        message_start(why, "error.ranks.count");
        message_add_plain(why, o->ranks);
        message_add_plain(why, COLL_RANKS_MAX);
        return STATUS_USAGE;
    }
    return o->backend == RANKS_MPI ? mpi_check(o, why) : STATUS_OK;
}

enum status ranks_run(const struct ranks_options *options, const struct ranks_body *body,
                      struct ranks_report *report, struct message *why) {
    enum status ok = check(options, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct world *w = world_open(options);
    if (w == NULL) {
        message_start(why, "error.ranks.memory");
        message_add_plain(why, options->ranks);
        message_add_bytes(why, options->shared_bytes);
        return STATUS_FAILED;
    }
    if (options->backend == RANKS_PROCESSES) {
        processes_run(w, body);
    } else if (options->backend == RANKS_MPI) {
        mpi_run(w, body);
    } else {
        threads_run(w, body);
    }
    fill_report(w, report);
    report->elsewhere = options->backend == RANKS_MPI && mpi_is_elsewhere();
    if (world_ending(w)) {
        say_verdict(w, why);
        ok = STATUS_FAILED;
    } else if (body->finish != NULL && !report->elsewhere) {
        body->finish(w->shared, body->context);
    }
    world_close(w);
    return ok;
}
