/* Ring, tree and halving-doubling: algorithms in which partial results travel from neighbour to neighbour. See
 * coll/steps.h for the rounds and the sources. Proof: tests/unit/coll/test_steps.c. */
#include "steps_private.h"

void steps_ring(struct steps *s) {
    const struct coll_job *job = s->job;
    uint32_t n = job->ranks, next = (s->rank + 1) % n, last = (s->rank + n - 1) % n;
    for (uint32_t k = 0; job->collective != COLL_ALL_GATHER && k + 1 < n; k++) {
        steps_add(s, COLL_SEND, next, steps_chunk(job, (s->rank + 2 * n - 1 - k) % n));
        steps_add(s, COLL_REDUCE, last, steps_chunk(job, (s->rank + 2 * n - 2 - k) % n));
        s->round++;
    }
    for (uint32_t k = 0; job->collective != COLL_REDUCE_SCATTER && k + 1 < n; k++) {
        steps_add(s, COLL_SEND, next, steps_chunk(job, (s->rank + n - k) % n));
        steps_add(s, COLL_COPY, last, steps_chunk(job, (s->rank + 2 * n - 1 - k) % n));
        s->round++;
    }
}

/* --- Tree --- */

static void tree_up(struct steps *s) {
    const struct coll_job *job = s->job;
    for (uint32_t bit = 1; bit < job->ranks; bit *= 2) {
        if ((s->rank & bit) != 0) {
            steps_add(s, COLL_SEND, s->rank - bit, steps_all(job));
            return;
        }
        if (s->rank + bit < job->ranks) {
            steps_add(s, COLL_REDUCE, s->rank + bit, steps_all(job));
        }
        s->round++;
    }
}

/* From the highest bit down: a rank hears from the one without its lowest bit, then tells those below that bit. */
static void tree_down(struct steps *s, uint32_t first_round) {
    const struct coll_job *job = s->job;
    uint32_t rounds = coll_log_up(job->ranks);
    for (uint32_t k = 0; k < rounds; k++) {
        uint32_t bit = UINT32_C(1) << (rounds - 1 - k);
        uint32_t below = s->rank & (2 * bit - 1);
        s->round = first_round + k;
        if (below == bit) {
            steps_add(s, COLL_COPY, s->rank - bit, steps_all(job));
        } else if (below == 0 && s->rank + bit < job->ranks) {
            steps_add(s, COLL_SEND, s->rank + bit, steps_all(job));
        }
    }
}

void steps_tree(struct steps *s) {
    bool reduces = s->job->collective == COLL_ALL_REDUCE;
    if (reduces) {
        tree_up(s);
    }
    tree_down(s, reduces ? coll_log_up(s->job->ranks) : 0);
}

/* --- Halving and doubling --- */

/* The chunks whose owner is one of `width` owners from `owner` on: one run below P, perhaps one above. */
static void add_block(struct steps *s, enum coll_step_kind kind, uint32_t peer, uint32_t owner,
                      uint32_t width) {
    uint32_t n = s->job->ranks, power = coll_power_below(n);
    for (uint32_t first = owner; first < n; first += power) {
        uint32_t end = first + width < n ? first + width : n;
        steps_add(s, kind, peer, steps_chunks(s->job, first, end));
    }
}

/* The first owner of the group of `width` that `rank` is in. */
static uint32_t group_of(uint32_t rank, uint32_t width) {
    return rank & ~(width - 1);
}

static void halve(struct steps *s) {
    for (uint32_t width = coll_power_below(s->job->ranks) / 2; width > 0; width /= 2) {
        uint32_t partner = s->rank ^ width;
        add_block(s, COLL_SEND, partner, group_of(partner, width), width);
        add_block(s, COLL_REDUCE, partner, group_of(s->rank, width), width);
        s->round++;
    }
}

static void unite(struct steps *s) {
    for (uint32_t width = 1; width < coll_power_below(s->job->ranks); width *= 2) {
        uint32_t partner = s->rank ^ width;
        add_block(s, COLL_SEND, partner, group_of(s->rank, width), width);
        add_block(s, COLL_COPY, partner, group_of(partner, width), width);
        s->round++;
    }
}

/* Rounds between the first and the last when ranks beyond P take part through a partner. */
static uint32_t inner_rounds(const struct coll_job *job) {
    uint32_t log = coll_log_up(coll_power_below(job->ranks));
    return job->collective == COLL_ALL_REDUCE ? 2 * log : log;
}

void steps_halving_doubling(struct steps *s) {
    const struct coll_job *job = s->job;
    bool scatters = job->collective != COLL_ALL_GATHER;
    bool gathers = job->collective != COLL_REDUCE_SCATTER;
    uint32_t power = coll_power_below(job->ranks);
    bool beyond = s->rank >= power, folds = power < job->ranks;
    uint32_t other = beyond ? s->rank - power : s->rank + power;
    uint32_t theirs = beyond ? s->rank : other; /* the rank ≥ P of the two */
    if (folds && other < job->ranks) {
        enum coll_step_kind take = scatters ? COLL_REDUCE : COLL_COPY;
        steps_add(s, beyond ? COLL_SEND : take, other,
                  scatters ? steps_all(job) : steps_chunk(job, theirs));
    }
    s->round += folds ? 1 : 0;
    if (!beyond && scatters) {
        halve(s);
    }
    if (!beyond && gathers) {
        unite(s);
    }
    s->round = (folds ? 1 : 0) + inner_rounds(job);
    if (folds && other < job->ranks) {
        steps_add(s, beyond ? COLL_COPY : COLL_SEND, other,
                  gathers ? steps_all(job) : steps_chunk(job, theirs));
    }
}
