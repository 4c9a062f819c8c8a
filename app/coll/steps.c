/* Step lists of collectives: names, chunks, the check of a job and the way to the maker of each algorithm. Called by
 * every executor and by the screen that goes through a collective step by step. Pure arithmetic on rank, ranks and
 * elements; the list is the caller's. What it leaves out: types, values, and how long anything takes.
 * Proof: tests/unit/coll/test_steps.c runs all lists in lock step. */
#include "shardlab/coll/steps.h"

#include <string.h>

#include "shardlab/base/writer.h"
#include "steps_private.h"

static const char *const collectives[COLL_COLLECTIVES] = {"all-reduce", "reduce-scatter",
                                                          "all-gather", "broadcast", "all-to-all"};
static const char *const algorithms[COLL_ALGORITHMS] = {"naive", "ring", "tree", "halving-doubling",
                                                        "direct"};

const char *coll_collective_name(enum coll_collective collective) {
    return collectives[collective];
}

const char *coll_algorithm_name(enum coll_algorithm algorithm) {
    return algorithms[algorithm];
}

static int find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int coll_collective_find(const char *name) {
    return find(name, collectives, COLL_COLLECTIVES);
}

int coll_algorithm_find(const char *name) {
    return find(name, algorithms, COLL_ALGORITHMS);
}

bool coll_defines(enum coll_collective collective, enum coll_algorithm algorithm) {
    /* Rows: algorithms; columns: collectives. */
    static const bool defined[COLL_ALGORITHMS][COLL_COLLECTIVES] = {
        [COLL_NAIVE] = {true, true, true, true, false},
        [COLL_RING] = {true, true, true, false, false},
        [COLL_TREE] = {true, false, false, true, false},
        [COLL_HALVING_DOUBLING] = {true, true, true, false, false},
        [COLL_DIRECT] = {true, true, true, true, true},
    };
    return defined[algorithm][collective];
}

struct span steps_chunks(const struct coll_job *job, uint32_t c, uint32_t end) {
    uint64_t each = job->elements / job->ranks, longer = job->elements % job->ranks;
    uint64_t first = c * each + (c < longer ? c : longer);
    uint64_t past = end * each + (end < longer ? end : longer);
    return (struct span){first, past - first};
}

struct span steps_chunk(const struct coll_job *job, uint32_t c) {
    return steps_chunks(job, c, c + 1);
}

struct span steps_all(const struct coll_job *job) {
    return (struct span){0, job->elements};
}

void coll_chunk(const struct coll_job *job, uint32_t c, uint64_t *first, uint64_t *count) {
    struct span span = steps_chunk(job, c);
    *first = span.first;
    *count = span.count;
}

uint32_t coll_power_below(uint32_t n) {
    uint32_t power = 1;
    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

uint32_t coll_log_up(uint32_t n) {
    uint32_t log = 0;
    while ((UINT64_C(1) << log) < n) {
        log++;
    }
    return log;
}

void steps_add_moved(struct steps *s, enum coll_step_kind kind, uint32_t peer, struct span span,
                     uint64_t to_first) {
    if (s->count < s->capacity) {
        s->out[s->count] = (struct coll_step){
            s->round, peer, span.first, span.count, to_first, (uint8_t)kind,
        };
    }
    s->count++;
}

void steps_add(struct steps *s, enum coll_step_kind kind, uint32_t peer, struct span span) {
    steps_add_moved(s, kind, peer, span, span.first);
}

uint32_t coll_steps(const struct coll_job *job, uint32_t rank, struct coll_step *out,
                    uint32_t capacity) {
    static void (*const make[COLL_ALGORITHMS])(struct steps *) = {
        [COLL_NAIVE] = steps_naive,   [COLL_RING] = steps_ring,
        [COLL_TREE] = steps_tree,     [COLL_HALVING_DOUBLING] = steps_halving_doubling,
        [COLL_DIRECT] = steps_direct,
    };
    struct steps s = {job, rank, out, capacity, 0, 0};
    make[job->algorithm](&s);
    return s.count;
}

uint32_t coll_steps_max(const struct coll_job *job) {
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        uint32_t count = coll_steps(job, rank, NULL, 0);
        most = count > most ? count : most;
    }
    return most;
}

static enum status refuse_pair(const struct coll_job *job, struct message *why) {
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, names, sizeof names);
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        if (coll_defines(job->collective, (enum coll_algorithm)a)) {
            writer_text(&w, w.length == 0 ? "" : ", ");
            writer_text(&w, algorithms[a]);
        }
    }
    message_start(why, "error.ranks.undefined");
    message_add_text(why, coll_algorithm_name(job->algorithm));
    message_add_text(why, coll_collective_name(job->collective));
    message_add_text(why, names);
    return STATUS_USAGE;
}

enum status coll_job_check(const struct coll_job *job, struct message *why) {
    if (job->ranks < 1 || job->ranks > COLL_RANKS_MAX) {
        message_start(why, "error.ranks.count");
        message_add_plain(why, job->ranks);
        message_add_plain(why, COLL_RANKS_MAX);
        return STATUS_USAGE;
    }
    if (!coll_defines(job->collective, job->algorithm)) {
        return refuse_pair(job, why);
    }
    uint64_t rest = job->elements % job->ranks;
    if (job->collective == COLL_ALL_TO_ALL && rest != 0) {
        message_start(why, "error.ranks.all_to_all");
        message_add_plain(why, job->elements);
        message_add_plain(why, job->ranks);
        message_add_plain(why, job->elements - rest);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}
