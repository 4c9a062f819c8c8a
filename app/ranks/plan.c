/* What each step of a job waits for, found once from the step lists: messages of a pair of ranks arrive in the order of
 * their sends, so the k-th receive from a rank is its k-th send. A receiving step waits for its sender to have come so far;
 * and, since it writes, for those who still have to read what this rank sent from the same place. A send that is waited for
 * once is waited for by all that follows. Called by workers.c; owns its arrays. Proof: tests/unit/ranks/test_workers.c. */
#include <stdlib.h>
#include <string.h>

#include "workers_private.h"

/* While the plan is made. */
struct maker {
    struct plan *plan;
    const struct ranks_call *calls;
    uint32_t ranks;
    uint32_t *sends;   /* places in the lists: by rank, then receiver, then order */
    uint64_t *begins;  /* [from][to]: the first of the pair in `sends` that is not matched yet */
    uint32_t *readers; /* like plan.steps: a send is read when its receiver has passed so many */
};

static bool is_send(const struct coll_step *s) {
    return s->kind == COLL_SEND && s->count > 0;
}

static bool is_receive(const struct coll_step *s) {
    return (s->kind == COLL_COPY || s->kind == COLL_REDUCE) && s->count > 0;
}

/* Counts, then places: the sends of one rank sorted by receiver. */
static void sort_sends(struct maker *m, uint32_t rank) {
    const struct ranks_call *call = &m->calls[rank];
    uint64_t *begins = m->begins + (size_t)rank * m->ranks, at = m->plan->first[rank];
    for (uint32_t i = 0; i < call->step_count; i++) {
        begins[call->steps[i].peer] += is_send(&call->steps[i]) ? 1 : 0;
    }
    for (uint32_t to = 0; to < m->ranks; to++) {
        uint64_t count = begins[to];
        begins[to] = at;
        at += count;
    }
    for (uint32_t i = 0; i < call->step_count; i++) {
        if (is_send(&call->steps[i])) {
            m->sends[begins[call->steps[i].peer]++] = i;
        }
    }
    for (uint32_t i = 0; i < call->step_count; i++) { /* back to the first of each pair */
        begins[call->steps[i].peer] -= is_send(&call->steps[i]) ? 1 : 0;
    }
}

static void match_receives(struct maker *m, uint32_t rank) {
    const struct ranks_call *call = &m->calls[rank];
    for (uint32_t i = 0; i < call->step_count; i++) {
        const struct coll_step *s = &call->steps[i];
        if (is_receive(s)) {
            uint32_t sent = m->sends[m->begins[(size_t)s->peer * m->ranks + rank]++];
            m->plan->steps[m->plan->first[rank] + i].passed = sent + 1;
            m->readers[m->plan->first[s->peer] + sent] = i + 1;
            m->plan->moved_bytes += s->count * ranks_type_bytes(call->type);
        }
    }
}

static bool add_wait(struct plan *plan, uint32_t rank, uint32_t passed) {
    if (plan->waits_count == plan->waits_room) {
        uint64_t room = 2 * plan->waits_room + 64;
        struct plan_wait *more = realloc(plan->waits, (size_t)room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        plan->waits = more;
        plan->waits_room = room;
    }
    plan->waits[plan->waits_count++] = (struct plan_wait){rank, passed};
    return true;
}

static bool overlap(const struct coll_step *sent, const struct coll_step *written) {
    return sent->first < written->to_first + written->count &&
           written->to_first < sent->first + sent->count;
}

/* Takes out of `open` the sends whose place step i writes, and waits for their readers. */
static bool wait_for_readers(struct maker *m, uint32_t rank, uint32_t i, uint32_t *open,
                             uint32_t *open_count) {
    const struct coll_step *steps = m->calls[rank].steps;
    struct plan_step *step = &m->plan->steps[m->plan->first[rank] + i];
    uint32_t kept = 0;
    step->waits = (uint32_t)m->plan->waits_count;
    for (uint32_t k = 0; k < *open_count; k++) {
        if (!overlap(&steps[open[k]], &steps[i])) {
            open[kept++] = open[k];
        } else if (!add_wait(m->plan, steps[open[k]].peer,
                             m->readers[m->plan->first[rank] + open[k]])) {
            return false;
        }
    }
    *open_count = kept;
    step->waits_count = (uint32_t)m->plan->waits_count - step->waits;
    return true;
}

/* `open`: room for all steps of a rank. */
static bool find_waits(struct maker *m, uint32_t rank, uint32_t *open) {
    const struct ranks_call *call = &m->calls[rank];
    uint32_t open_count = 0;
    if (call->input != call->output) {
        return true; /* what is sent is never written */
    }
    for (uint32_t i = 0; i < call->step_count; i++) {
        if (is_send(&call->steps[i])) {
            open[open_count++] = i;
        } else if (is_receive(&call->steps[i]) &&
                   !wait_for_readers(m, rank, i, open, &open_count)) {
            return false;
        }
    }
    return true;
}

static bool make(struct maker *m, uint32_t *open) {
    for (uint32_t r = 0; r < m->ranks; r++) {
        sort_sends(m, r);
    }
    for (uint32_t r = 0; r < m->ranks; r++) {
        match_receives(m, r);
    }
    for (uint32_t r = 0; r < m->ranks; r++) {
        if (!find_waits(m, r, open)) {
            return false;
        }
    }
    return true;
}

bool plan_make(struct plan *plan, const struct ranks_call *calls, uint32_t ranks) {
    uint64_t total = 0, longest = 0;
    memset(plan, 0, sizeof *plan);
    plan->first = calloc((size_t)ranks + 1, sizeof *plan->first);
    if (plan->first == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        total += calls[r].step_count;
        longest = calls[r].step_count > longest ? calls[r].step_count : longest;
        plan->first[r + 1] = total;
    }
    struct maker m = {.plan = plan, .calls = calls, .ranks = ranks};
    uint32_t *open = calloc((size_t)longest + 1, sizeof *open);
    plan->steps = calloc((size_t)total + 1, sizeof *plan->steps);
    m.sends = calloc((size_t)total + 1, sizeof *m.sends);
    m.readers = calloc((size_t)total + 1, sizeof *m.readers);
    m.begins = calloc((size_t)ranks * ranks + 1, sizeof *m.begins);
    bool ok = open != NULL && plan->steps != NULL && m.sends != NULL && m.readers != NULL &&
              m.begins != NULL && make(&m, open);
    free(open);
    free(m.sends);
    free(m.readers);
    free(m.begins);
    return ok;
}

void plan_free(struct plan *plan) {
    free(plan->steps);
    free(plan->first);
    free(plan->waits);
}
