/* A collective round by round, for the lessons: parts are sets of ranks (bit i: the part of rank i is inside), and a
 * round is what the step lists say that is received in it, from what the senders held before it. So the picture cannot
 * show what would not run, and nothing in it is drawn by hand. Bytes to expect are calc's; that both agree is what the
 * picture lets one see. Proof: tests/unit/lessons/test_collective_view.c. */
#include "shardlab/lesson/collective_view.h"

#include <assert.h>
#include <string.h>

#include "shardlab/calc/collective.h"

enum { RANKS = VIEW_FRAMES_RANKS_MAX, STEPS_MAX = 160, ROUNDS_MAX = 2 * RANKS };

/* --- Cost --- */

static struct calc_exchange exchange_of(const struct coll_job *job, uint64_t element_bytes) {
    return (struct calc_exchange){
        .kind = (enum calc_exchange_kind)calc_exchange_find(coll_collective_name(job->collective)),
        .algorithm = (enum calc_algorithm)calc_algorithm_find(coll_algorithm_name(job->algorithm)),
        .elements = job->elements,
        .element_bytes = element_bytes,
        .ranks = job->ranks,
    };
}

static enum status refuse(const struct calc_exchange *x, struct message *why) {
    message_start(why, "error.collective.overflow");
    message_add_count(why, x->elements);
    message_add_count(why, x->element_bytes);
    message_add_count(why, x->ranks);
    return STATUS_USAGE;
}

/* One direction of one rank, round by round. */
struct busy {
    uint64_t messages[ROUNDS_MAX], elements[ROUNDS_MAX];
};

static void at_least(uint64_t *most, uint64_t value) {
    *most = value > *most ? value : *most;
}

/* Bytes of the path are no more than those of all ranks together, which did not overflow. */
static void add_path(const struct coll_job *job, uint64_t element_bytes,
                     struct collective_cost *out) {
    struct coll_step steps[STEPS_MAX];
    struct busy most = {{0}, {0}};
    assert(job->ranks <= RANKS && out->rounds <= ROUNDS_MAX);
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        struct busy ways[2] = {{{0}, {0}}, {{0}, {0}}};
        uint32_t count = coll_steps(job, rank, steps, STEPS_MAX);
        assert(count <= STEPS_MAX);
        for (uint32_t i = 0; i < count; i++) {
            if (steps[i].count > 0 && steps[i].kind != COLL_KEEP) {
                struct busy *way = &ways[steps[i].kind == COLL_SEND ? 0 : 1];
                way->messages[steps[i].round]++;
                way->elements[steps[i].round] += steps[i].count;
            }
        }
        for (uint32_t round = 0; round < out->rounds; round++) {
            for (int way = 0; way < 2; way++) {
                at_least(&most.messages[round], ways[way].messages[round]);
                at_least(&most.elements[round], ways[way].elements[round]);
            }
        }
    }
    for (uint32_t round = 0; round < out->rounds; round++) {
        out->path_messages += most.messages[round];
        out->path_bytes += most.elements[round] * element_bytes;
    }
}

enum status collective_cost(const struct coll_job *job, uint64_t element_bytes,
                            struct collective_cost *out, struct message *why) {
    struct calc_exchange x = exchange_of(job, element_bytes);
    *out = (struct collective_cost){.rounds = calc_exchange_rounds(&x)};
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct calc_exchange_cost rank;
        enum status ok = calc_exchange_rank(&x, r, &rank, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        if (rank.sent_bytes > UINT64_MAX - out->total_bytes) {
            return refuse(&x, why);
        }
        out->total_bytes += rank.sent_bytes;
        at_least(&out->most_bytes, rank.sent_bytes);
        at_least(&out->most_messages, rank.messages);
    }
    add_path(job, element_bytes, out);
    return STATUS_OK;
}

double collective_seconds(const struct collective_cost *cost, double alpha_s, double bytes_per_s) {
    return calc_exchange_seconds((uint32_t)cost->path_messages, cost->path_bytes, alpha_s,
                                 bytes_per_s);
}

/* --- Parts --- */

struct parts {
    uint16_t of[RANKS][RANKS]; /* [rank][chunk] */
};

static uint16_t bit(uint32_t i) {
    return (uint16_t)(1U << i);
}

static struct parts parts_before(const struct coll_job *job) {
    struct parts p;
    memset(&p, 0, sizeof p);
    for (uint32_t r = 0; r < job->ranks; r++) {
        for (uint32_t c = 0; c < job->ranks; c++) {
            bool there = job->collective == COLL_BROADCAST    ? r == 0
                         : job->collective == COLL_ALL_GATHER ? r == c
                                                              : true;
            p.of[r][c] = there ? bit(r) : 0;
        }
    }
    return p;
}

/* What chunk c is in the end, where it is wanted. */
static uint16_t whole_of(const struct coll_job *job, uint32_t c) {
    switch (job->collective) {
    case COLL_BROADCAST:
        return bit(0);
    case COLL_ALL_GATHER:
    case COLL_ALL_TO_ALL:
        return bit(c);
    default:
        return (uint16_t)((1U << job->ranks) - 1);
    }
}

/* The chunks that a run of elements covers; chunks without elements do not count. */
struct run {
    uint32_t first, count;
};

static struct run chunks_of(const struct coll_job *job, uint64_t first, uint64_t count) {
    struct run run = {0, 0};
    for (uint32_t c = 0; c < job->ranks; c++) {
        uint64_t at, length;
        coll_chunk(job, c, &at, &length);
        if (length > 0 && at >= first && at < first + count) {
            run.first = run.count == 0 ? c : run.first;
            run.count++;
        }
    }
    return run;
}

/* One round on its way. */
struct walk {
    const struct coll_job *job;
    struct view_frames *frames;
    struct parts before, now;
};

static void receive(struct walk *w, const struct coll_step *s, uint32_t rank) {
    struct view_frames *f = w->frames;
    struct run from = chunks_of(w->job, s->first, s->count);
    struct run to = chunks_of(w->job, s->to_first, s->count);
    for (uint32_t i = 0; i < from.count; i++) {
        uint16_t part = w->before.of[s->peer][from.first + i];
        uint16_t *place = &w->now.of[rank][to.first + i];
        *place = s->kind == COLL_REDUCE ? (uint16_t)(*place | part) : part;
        f->received[rank] |= bit(to.first + i);
        f->sent[s->peer] |= bit(from.first + i);
    }
    assert(f->message_count < VIEW_FRAMES_MESSAGES_MAX);
    f->messages[f->message_count++] =
        (struct view_frames_message){.from = (uint16_t)s->peer,
                                     .to = (uint16_t)rank,
                                     .first_chunk = (uint16_t)from.first,
                                     .chunk_count = (uint16_t)from.count,
                                     .adds = s->kind == COLL_REDUCE,
                                     .bytes = s->count};
}

/* The round of all ranks, from what they held before it. */
static void go_on(struct walk *w, uint32_t round) {
    struct coll_step steps[STEPS_MAX];
    struct view_frames *f = w->frames;
    w->before = w->now;
    f->message_count = 0;
    memset(f->sent, 0, sizeof f->sent);
    memset(f->received, 0, sizeof f->received);
    for (uint32_t rank = 0; rank < w->job->ranks; rank++) {
        uint32_t count = coll_steps(w->job, rank, steps, STEPS_MAX);
        assert(count <= STEPS_MAX);
        for (uint32_t i = 0; i < count; i++) {
            const struct coll_step *s = &steps[i];
            if (s->round != round || s->count == 0 || s->kind == COLL_KEEP) {
                continue;
            }
            if (s->kind == COLL_SEND) {
                f->sent_bytes[rank] += s->count; /* elements until the end */
            } else {
                receive(w, s, rank);
            }
        }
    }
}

/* --- The frame --- */

static void say_phase(struct view_frames *f, const struct coll_job *job) {
    bool rooted = job->algorithm == COLL_NAIVE || job->algorithm == COLL_TREE;
    bool adds = f->message_count > 0 && f->messages[0].adds;
    if (f->message_count == 0) {
        return;
    }
    if (job->collective == COLL_ALL_TO_ALL) {
        message_start(&f->phase, "collective.phase.exchange");
    } else if (rooted) {
        bool up = f->messages[0].to == 0 || adds;
        message_start(&f->phase, adds ? "collective.phase.reduce"
                                 : up ? "collective.phase.gather"
                                      : "collective.phase.send");
    } else {
        message_start(&f->phase,
                      adds ? "collective.phase.reduce_scatter" : "collective.phase.all_gather");
    }
}

static void say_chunks(struct view_frames *f, const struct coll_job *job) {
    assert(job->ranks > 0);
    uint64_t longer = job->elements % job->ranks;
    if (longer == 0) {
        message_start(&f->remark, "collective.chunks.even");
        message_add_count(&f->remark, job->elements);
        message_add_count(&f->remark, job->elements / job->ranks);
        return;
    }
    message_start(&f->remark,
                  longer == 1 ? "collective.chunks.uneven_one" : "collective.chunks.uneven");
    message_add_count(&f->remark, job->elements);
    message_add_count(&f->remark, job->elements / job->ranks + 1);
    message_add_count(&f->remark, job->elements / job->ranks);
    message_add_plain(&f->remark, longer - 1);
}

enum status collective_frames_add(struct view *out, const struct coll_job *job,
                                  uint64_t element_bytes, int round, struct message *why) {
    struct calc_exchange x = exchange_of(job, element_bytes);
    struct collective_cost cost;
    assert(job->ranks >= 1 && job->ranks <= RANKS);
    enum status ok = collective_cost(job, element_bytes, &cost, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct view_frames *f = &view_add(out, VIEW_KIND_FRAMES)->frames;
    struct walk walk = {.job = job, .frames = f, .now = parts_before(job)};
    f->ranks = (int)job->ranks;
    f->rounds = (int)cost.rounds;
    f->round = round < f->rounds ? round : f->rounds;
    message_start(&f->title, "collective.title");
    message_add_text(&f->title, coll_collective_name(job->collective));
    message_add_text(&f->title, coll_algorithm_name(job->algorithm));
    for (int k = 0; k < f->round; k++) {
        go_on(&walk, (uint32_t)k);
    }
    memcpy(f->holds, walk.now.of, sizeof f->holds);
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct calc_exchange_cost rank;
        uint64_t first;
        coll_chunk(job, r, &first, &f->chunk_elements[r]);
        f->whole[r] = whole_of(job, r);
        f->sent_bytes[r] *= element_bytes; /* no more than what was predicted without overflow */
        ok = calc_exchange_rank(&x, r, &rank, why);
        f->predicted_bytes[r] = rank.sent_bytes;
    }
    for (int i = 0; i < f->message_count; i++) {
        f->messages[i].bytes *= element_bytes;
    }
    say_phase(f, job);
    say_chunks(f, job);
    return ok;
}
