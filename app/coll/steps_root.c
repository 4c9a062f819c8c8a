/* The two algorithms that need no neighbours: naive, where rank 0 does everything, and direct, where every rank does
 * its own chunk. See coll/steps.h for the rounds. A rank's own values come first in a sum, then those of the
 * others by rank, so the result does not depend on who was quick. Proof: tests/unit/coll/test_steps.c. */
#include "steps_private.h"

static bool reduces(const struct coll_job *job) {
    return job->collective == COLL_ALL_REDUCE || job->collective == COLL_REDUCE_SCATTER;
}

/* What rank 0 tells `rank` in the end. */
static struct span naive_answer(const struct coll_job *job, uint32_t rank) {
    return job->collective == COLL_REDUCE_SCATTER ? steps_chunk(job, rank) : steps_all(job);
}

/* What `rank` gives rank 0 first. */
static struct span naive_gift(const struct coll_job *job, uint32_t rank) {
    return job->collective == COLL_ALL_GATHER ? steps_chunk(job, rank) : steps_all(job);
}

void steps_naive(struct steps *s) {
    const struct coll_job *job = s->job;
    enum coll_step_kind take = reduces(job) ? COLL_REDUCE : COLL_COPY;
    bool collects = job->collective != COLL_BROADCAST;
    for (uint32_t r = 1; collects && s->rank == 0 && r < job->ranks; r++) {
        steps_add(s, take, r, naive_gift(job, r));
    }
    if (collects && s->rank != 0) {
        steps_add(s, COLL_SEND, 0, naive_gift(job, s->rank));
    }
    s->round += collects ? 1 : 0;
    for (uint32_t r = 1; s->rank == 0 && r < job->ranks; r++) {
        steps_add(s, COLL_SEND, r, naive_answer(job, r));
    }
    if (s->rank != 0) {
        steps_add(s, COLL_COPY, 0, naive_answer(job, s->rank));
    }
}

/* Each chunk to its owner. Starting behind the own rank spreads the messages over the receivers. */
static void scatter(struct steps *s) {
    const struct coll_job *job = s->job;
    for (uint32_t i = 1; i < job->ranks; i++) {
        uint32_t to = (s->rank + i) % job->ranks;
        steps_add(s, COLL_SEND, to, steps_chunk(job, to));
    }
    for (uint32_t from = 0; from < job->ranks; from++) {
        if (from != s->rank) {
            steps_add(s, COLL_REDUCE, from, steps_chunk(job, s->rank));
        }
    }
    s->round++;
}

static void gather(struct steps *s) {
    const struct coll_job *job = s->job;
    for (uint32_t i = 1; i < job->ranks; i++) {
        steps_add(s, COLL_SEND, (s->rank + i) % job->ranks, steps_chunk(job, s->rank));
    }
    for (uint32_t from = 0; from < job->ranks; from++) {
        if (from != s->rank) {
            steps_add(s, COLL_COPY, from, steps_chunk(job, from));
        }
    }
}

static void exchange(struct steps *s) {
    const struct coll_job *job = s->job;
    struct span own = steps_chunk(job, s->rank);
    steps_add(s, COLL_KEEP, s->rank, own);
    for (uint32_t i = 1; i < job->ranks; i++) {
        uint32_t to = (s->rank + i) % job->ranks;
        steps_add_moved(s, COLL_SEND, to, steps_chunk(job, to), own.first);
    }
    for (uint32_t from = 0; from < job->ranks; from++) {
        if (from != s->rank) {
            steps_add_moved(s, COLL_COPY, from, own, steps_chunk(job, from).first);
        }
    }
}

void steps_direct(struct steps *s) {
    switch (s->job->collective) {
    case COLL_ALL_REDUCE:
        scatter(s);
        gather(s);
        break;
    case COLL_REDUCE_SCATTER:
        scatter(s);
        break;
    case COLL_ALL_GATHER:
        gather(s);
        break;
    case COLL_ALL_TO_ALL:
        exchange(s);
        break;
    default: /* broadcast: rank 0 mails all it has */
        steps_naive(s);
    }
}
