/* The schedules of a pipeline as the memory calculators need them: closed forms instead of order lists. Called by
 * scenario*.c, params*.c, memory*.c and timeline*.c. Pure; nothing is owned. The forms of W that lags B hold where W
 * ends what B began: the tensors that B leaves to its W are taken to be as large as the activations they replace.
 * Sources: arXiv:2104.04473 (1F1B, interleaved), arXiv:2401.10241 (ZB-H1, ZB-H2), arXiv:2405.15362 (ZB-V),
 * arXiv:2412.19437 (DualPipe), arXiv:2107.06925 (Chimera). Proof: tests/unit/calc/test_schedule.c, tests/unit/plan/test_in_flight.c. */
#include "shardlab/calc/schedule.h"

#include "calc_private.h"

enum placement { IN_A_LOOP, FOLDED, BOTH_WAYS };

static const struct {
    enum placement placement;
    uint64_t chunks;
} schedules[] = {
    [CALC_SCHEDULE_1F1B] = {IN_A_LOOP, 1},           [CALC_SCHEDULE_GPIPE] = {IN_A_LOOP, 1},
    [CALC_SCHEDULE_INTERLEAVED] = {IN_A_LOOP, 2},    [CALC_SCHEDULE_LOOPED_BFS] = {IN_A_LOOP, 2},
    [CALC_SCHEDULE_ZB_H1] = {IN_A_LOOP, 1},          [CALC_SCHEDULE_ZB_H2] = {IN_A_LOOP, 1},
    [CALC_SCHEDULE_ZB_INTERLEAVED] = {IN_A_LOOP, 2}, [CALC_SCHEDULE_ZB_V] = {FOLDED, 2},
    [CALC_SCHEDULE_DUALPIPE] = {BOTH_WAYS, 1},       [CALC_SCHEDULE_DUALPIPEV] = {FOLDED, 2},
    [CALC_SCHEDULE_CHIMERA] = {BOTH_WAYS, 1},
};

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t calc_chunks_default(int schedule) {
    return schedules[schedule].chunks;
}

uint64_t calc_chunks_held(const struct scenario *s) {
    return calc_model_copies(s) * s->layout.chunks;
}

uint64_t calc_model_copies(const struct scenario *s) {
    return schedules[s->layout.schedule].placement == BOTH_WAYS ? 2 : 1;
}

bool calc_is_folded(const struct scenario *s) {
    return schedules[s->layout.schedule].placement == FOLDED;
}

bool calc_has_embedding(const struct scenario *s, uint64_t stage) {
    return stage == 0 || (stage == s->layout.pp - 1 && calc_model_copies(s) == 2);
}

bool calc_has_head(const struct scenario *s, uint64_t stage) {
    switch (schedules[s->layout.schedule].placement) {
    case FOLDED:
        return stage == 0;
    case BOTH_WAYS:
        return stage == 0 || stage == s->layout.pp - 1;
    case IN_A_LOOP:
        break;
    }
    return stage == s->layout.pp - 1;
}

/* As many as whole pipelines fit, and at least one. */
static uint64_t rounds(const struct scenario *s) {
    uint64_t whole = s->batch.micro_batches / s->layout.pp;
    return whole == 0 ? 1 : whole;
}

bool calc_group_is_ragged(const struct scenario *s) {
    return s->batch.micro_batches % rounds(s) != 0;
}

/* p where it divides m, as Megatron-LM has it; else as many as make rounds of equal length (torch); and where there are
 * none, p with a smaller last group. */
static uint64_t group_of_chunks(const struct scenario *s) {
    return calc_group_is_ragged(s) ? s->layout.pp : s->batch.micro_batches / rounds(s);
}

uint64_t calc_schedule_group(const struct scenario *s) {
    switch (s->layout.schedule) {
    case CALC_SCHEDULE_LOOPED_BFS:
        return s->batch.micro_batches;
    case CALC_SCHEDULE_INTERLEAVED:
    case CALC_SCHEDULE_ZB_INTERLEAVED:
        return group_of_chunks(s);
    default:
        return s->layout.pp;
    }
}

enum status calc_in_flight(const struct scenario *s, uint64_t stage, uint64_t *out,
                           struct message *why) {
    const struct calc_layout *l = &s->layout;
    uint64_t m = s->batch.micro_batches, p = l->pp, behind = p - 1 - stage;
    struct calc_guard g = {false};
    uint64_t all = calc_times(&g, m, l->chunks);
    switch ((enum calc_schedule)l->schedule) {
    case CALC_SCHEDULE_GPIPE:
    case CALC_SCHEDULE_LOOPED_BFS:
        *out = all;
        break;
    case CALC_SCHEDULE_1F1B:
        *out = least(m, behind + 1);
        break;
    case CALC_SCHEDULE_INTERLEAVED:
        *out = least(
            all, calc_plus(&g, 2 * behind + 1, calc_times(&g, l->chunks - 1, group_of_chunks(s))));
        break;
    case CALC_SCHEDULE_ZB_H1:
        *out = least(m, p);
        break;
    case CALC_SCHEDULE_ZB_H2:
        *out = least(m, 2 * p - 1);
        break;
    case CALC_SCHEDULE_ZB_INTERLEAVED:
        *out = least(all, calc_plus(&g, p, calc_times(&g, l->chunks - 1, group_of_chunks(s))));
        break;
    case CALC_SCHEDULE_ZB_V: /* 2p where m >= 2p − 1 */
        *out = least(m, p + behind) + least(m, stage + 1);
        break;
    case CALC_SCHEDULE_DUALPIPE:
        *out = p + 1;
        break;
    case CALC_SCHEDULE_DUALPIPEV:
        *out = 2 * p + 1;
        break;
    case CALC_SCHEDULE_CHIMERA:
        *out = p / 2 + 1 + least(stage, behind);
        break;
    }
    return g.overflow ? calc_overflow(why, "in_flight") : STATUS_OK;
}

uint64_t calc_heads_in_flight(const struct scenario *s) {
    uint64_t m = s->batch.micro_batches, p = s->layout.pp;
    switch ((enum calc_schedule)s->layout.schedule) {
    case CALC_SCHEDULE_GPIPE:
    case CALC_SCHEDULE_LOOPED_BFS:
        return m;
    case CALC_SCHEDULE_ZB_H1:
    case CALC_SCHEDULE_ZB_INTERLEAVED:
        return least(m, p);
    case CALC_SCHEDULE_ZB_H2:
        return least(m, 2 * p - 1);
    default: /* the backward of the head follows its forward at once, W and all */
        return 1;
    }
}

/* Of 2L forwards on a rank that is the r-th of the P that a stream passes before it turns: 2(L − 2P + r + 1) pairs while
 * both streams run, one less where the stream turns, and P − r − 1 while the near one drains. */
double calc_schedule_paired(const struct scenario *s, uint64_t stage) {
    bool both = s->layout.schedule == CALC_SCHEDULE_DUALPIPE;
    if (!both && s->layout.schedule != CALC_SCHEDULE_DUALPIPEV) {
        return 0;
    }
    uint64_t p = s->layout.pp, m = s->batch.micro_batches;
    uint64_t ranks = both ? p / 2 : p, length = both ? m / 2 : m;
    uint64_t rank = both ? least(stage, p - 1 - stage) : stage;
    uint64_t alone = rank + 1 == ranks ? 1 : 0;
    uint64_t pairs = 2 * length + rank + 1 - 3 * ranks - alone; /* length >= 2·ranks */
    return (double)pairs / (double)(2 * length);
}
