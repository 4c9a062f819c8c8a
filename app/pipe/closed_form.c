/* Closed forms of the pipeline schedules. A learner can check them by hand, and they show at once what a time or a
 * count does to the bubble; the simulation shows that they are right, and where they end. Called by the command `pipe` and
 * the planner. Nothing is owned. Left out: unequal stages, and latency except for gpipe and 1f1b. Proof:
 * tests/unit/pipe/test_closed_forms.c.
 * Symbols: p ranks, m micro-batches, v chunks; f, b, w, o, c the times of a forward, of a backward w.r.t. input and
 * weights, of an overlapped pair, and the latency. */
#include "shardlab/pipe/closed_form.h"

#include "shardlab/base/checked.h"

/* A sum of products that remembers whether one of them overflowed. */
struct sum {
    uint64_t ticks;
    bool bad;
};

static void add(struct sum *s, uint64_t count, uint64_t ticks) {
    uint64_t product = 0;
    s->bad |= !checked_mul(count, ticks, &product) || !checked_add(s->ticks, product, &s->ticks);
}

static bool done(const struct sum *s, uint64_t *out) {
    if (!s->bad) {
        *out = s->ticks;
    }
    return !s->bad;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

/* a + b + c; false when it overflows. */
static bool plus(uint64_t a, uint64_t b, uint64_t c, uint64_t *sum) {
    return checked_add(a, b, sum) && checked_add(*sum, c, sum);
}

/* GPipe (arXiv:1811.06965): (p−1)(f+b+w), with latency and 2(p−1)c. */
static bool gpipe_idle(const struct pipe_request *r, const struct pipe_equal_times *t,
                       uint64_t *out) {
    struct sum s = {0, false};
    add(&s, r->ranks - 1, t->f);
    add(&s, r->ranks - 1, t->b);
    add(&s, r->ranks - 1, t->w);
    add(&s, 2 * (uint64_t)(r->ranks - 1), t->latency);
    return done(&s, out);
}

/* 1F1B pays the way there and back again for every round of p micro-batches; known for p | m. */
static bool one_idle(const struct pipe_request *r, const struct pipe_equal_times *t,
                     uint64_t *out) {
    uint64_t p = r->ranks, m = r->micro_batches;
    struct sum s = {0, false};
    if (!gpipe_idle(r, t, &s.ticks)) {
        return false;
    }
    if (t->latency > 0 && p > 1) {
        if (m % p != 0) {
            return false;
        }
        add(&s, 2 * (p - 2), t->latency);
        add(&s, 2 * (p - 1) * (m / p - 1), t->latency);
    }
    return done(&s, out);
}

/* Zero bubble (arXiv:2401.10241), without the assumption that all times are equal. */
static bool zero_bubble_idle(const struct pipe_request *r, const struct pipe_equal_times *t,
                             uint64_t *out) {
    uint64_t each = 0, p = r->ranks, m = r->micro_batches, both = 0;
    if (!plus(t->f, t->b, 0, &both)) {
        return false;
    }
    switch (r->schedule) {
    case PIPE_ZB_H1:
        if (m < p) {
            return false;
        }
        each = larger(larger(t->f, t->b), less(both, t->w));
        break;
    case PIPE_ZB_H2:
        each = larger(larger(t->f, less(t->b, t->f)), less(less(both, t->w), t->w));
        break;
    case PIPE_ZB_V:
        if (t->f > t->b || t->w > t->f || m < 2 * p - 1 ||
            !plus(t->b - t->w, t->b - t->w, 0, &each)) {
            return false;
        }
        each = larger(t->b, each);
        break;
    default: /* PIPE_ZB_INTERLEAVED */
        if (t->w > t->f || t->w > t->b || m % p != 0) {
            return false;
        }
        each = both - t->w;
        break;
    }
    struct sum s = {0, false};
    add(&s, p - 1, each);
    return done(&s, out);
}

/* DualPipe (arXiv:2412.19437) and its half: (p/2−1)(o+f−2w) and (p−1)(o+f−2w) for f = b ≥ w. */
static bool dual_idle(const struct pipe_request *r, const struct pipe_equal_times *t,
                      uint64_t *out) {
    uint64_t half = r->schedule == PIPE_DUALPIPE ? r->ranks / 2 : r->ranks;
    uint64_t both = 0, pair_and_forward = 0;
    if (!plus(t->f, t->b, t->w, &both) || !plus(t->overlapped, t->f, 0, &pair_and_forward)) {
        return false;
    }
    uint64_t longest = larger(t->f, both - t->f);
    if (t->f != t->b || t->w > t->f || t->overlapped > both || t->overlapped < longest) {
        return false;
    }
    struct sum s = {0, false};
    add(&s, half - 1, less(less(pair_and_forward, t->w), t->w));
    return done(&s, out);
}

/* Chimera (arXiv:2107.06925, section 3) in blocks of p micro-batches: between two blocks, p − 2 times the difference of
 * a forward and a backward. */
static bool chimera_idle(const struct pipe_request *r, const struct pipe_equal_times *t,
                         uint64_t *out) {
    uint64_t back = 0, p = r->ranks;
    if (!plus(t->b, t->w, 0, &back)) {
        return false;
    }
    uint64_t longer = larger(t->f, back);
    uint64_t apart = longer - (t->f < back ? t->f : back);
    struct sum s = {0, false};
    add(&s, p - 2, longer);
    add(&s, (p - 2) * (r->micro_batches / p - 1), apart);
    return done(&s, out);
}

bool pipe_closed_idle(const struct pipe_request *settled, const struct pipe_equal_times *times,
                      uint64_t *ticks) {
    bool at_once = times->latency == 0;
    uint64_t p = settled->ranks, m = settled->micro_batches;
    switch (settled->schedule) {
    case PIPE_GPIPE:
        return gpipe_idle(settled, times, ticks);
    case PIPE_1F1B:
        return one_idle(settled, times, ticks);
    case PIPE_INTERLEAVED:
        return at_once && settled->group == p && m % p == 0 && gpipe_idle(settled, times, ticks);
    case PIPE_LOOPED_BFS:
        return at_once && m >= p && gpipe_idle(settled, times, ticks);
    case PIPE_ZB_H1:
    case PIPE_ZB_H2:
    case PIPE_ZB_INTERLEAVED:
    case PIPE_ZB_V:
        return at_once && zero_bubble_idle(settled, times, ticks);
    case PIPE_DUALPIPE:
    case PIPE_DUALPIPEV:
        return at_once && dual_idle(settled, times, ticks);
    case PIPE_CHIMERA:
        return at_once && chimera_idle(settled, times, ticks);
    case PIPE_SCHEDULES:
        break;
    }
    return false;
}

/* DualPipeV, where ranks are busy for different times: 3p·f + (2m−p−2)o + (2p−1)b + w + 2(b+w). */
static bool dual_makespan(const struct pipe_request *r, const struct pipe_equal_times *t,
                          uint64_t *ticks) {
    uint64_t p = r->schedule == PIPE_DUALPIPE ? r->ranks / 2 : r->ranks;
    uint64_t m = r->schedule == PIPE_DUALPIPE ? r->micro_batches / 2 : r->micro_batches;
    uint64_t idle = 0;
    struct sum s = {0, false};
    if (!pipe_closed_idle(r, t, &idle)) {
        return false;
    }
    add(&s, 3 * p, t->f);
    add(&s, 2 * m - p - 2, t->overlapped);
    add(&s, 2 * p + 1, t->b);
    add(&s, 3, t->w);
    return done(&s, ticks);
}

bool pipe_closed_makespan(const struct pipe_request *settled, const struct pipe_equal_times *times,
                          uint64_t *ticks) {
    if (settled->schedule == PIPE_DUALPIPE || settled->schedule == PIPE_DUALPIPEV) {
        return dual_makespan(settled, times, ticks);
    }
    uint64_t work = (uint64_t)settled->micro_batches * settled->chunks;
    struct sum s = {0, false};
    if (!pipe_closed_idle(settled, times, &s.ticks)) {
        return false;
    }
    add(&s, work, times->f);
    add(&s, work, times->b);
    add(&s, work, times->w);
    return done(&s, ticks);
}

bool pipe_closed_in_flight(const struct pipe_request *settled, uint32_t rank, bool until_w,
                           uint64_t *chunks) {
    uint64_t p = settled->ranks, m = settled->micro_batches, v = settled->chunks;
    uint64_t after = p - 1 - rank, limit = m * v;
    switch (settled->schedule) {
    case PIPE_GPIPE:
    case PIPE_LOOPED_BFS:
        break;
    case PIPE_1F1B:
        limit = after + 1;
        break;
    case PIPE_INTERLEAVED:
        limit = 2 * after + (v - 1) * settled->group + 1;
        break;
    case PIPE_ZB_H1:
        limit = until_w ? p : after + 1;
        break;
    case PIPE_ZB_H2:
        limit = until_w ? 2 * p - 1 : 2 * after + 1;
        break;
    case PIPE_ZB_INTERLEAVED:
        if (!until_w || m % p != 0) {
            return false;
        }
        limit = p * v;
        break;
    case PIPE_ZB_V:
        if (m < 2 * p - 1) {
            return false;
        }
        limit = 2 * p;
        break;
    case PIPE_DUALPIPE:
        limit = p + 1;
        break;
    case PIPE_DUALPIPEV:
        limit = 2 * p + 1;
        break;
    case PIPE_CHIMERA:
        limit = p / 2 + 1 + (rank < after ? rank : after);
        break;
    case PIPE_SCHEDULES:
        return false;
    }
    *chunks = limit < m * v ? limit : m * v;
    return true;
}

uint64_t pipe_closed_sends(const struct pipe_shape *shape) {
    uint64_t p = shape->ranks, m = shape->micro_batches;
    switch ((enum pipe_placement)shape->placement) {
    case PIPE_V:
        return 4 * m * (p - 1); /* none where the way turns: both stages live on one rank */
    case PIPE_BOTH:
        return 2 * m * (p - 1);
    case PIPE_LOOP:
        break;
    }
    return p == 1 ? 0 : 2 * m * (p * shape->chunks - 1);
}

const char *pipe_closed_idle_formula(enum pipe_schedule schedule, bool latency) {
    static const char *const formulas[PIPE_SCHEDULES] = {
        [PIPE_GPIPE] = "(p−1)(tF+tB+tW)",
        [PIPE_1F1B] = "(p−1)(tF+tB+tW)",
        [PIPE_INTERLEAVED] = "(p−1)(tF+tB+tW)",
        [PIPE_LOOPED_BFS] = "(p−1)(tF+tB+tW)",
        [PIPE_ZB_H1] = "(p−1)·max(tF, tB, tF+tB−tW)",
        [PIPE_ZB_H2] = "(p−1)·max(tF, tB−tF, tF+tB−2tW)",
        [PIPE_ZB_INTERLEAVED] = "(p−1)(tF+tB−tW)",
        [PIPE_ZB_V] = "(p−1)·max(tB, 2(tB−tW))",
        [PIPE_DUALPIPE] = "(p/2−1)(tOV+tF−2tW)",
        [PIPE_DUALPIPEV] = "(p−1)(tOV+tF−2tW)",
        [PIPE_CHIMERA] = "(p−2)(max(tF, tB+tW) + (m/p−1)·|tB+tW−tF|)",
    };
    if (latency && schedule == PIPE_GPIPE) {
        return "(p−1)(tF+tB+tW+2c)";
    }
    if (latency && schedule == PIPE_1F1B) {
        return "(p−1)(tF+tB+tW) + 2c((p−1)m/p + p−2)";
    }
    return formulas[schedule];
}
