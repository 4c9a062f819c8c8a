/* What a pipeline schedule means for memory: the chunks of the model that a rank holds, where its ends are, how much is
 * in flight at most, and which combinations are legal. The schedules are those of `shardlab pipe`
 * (pipe/schedule.h), which runs them; here stand the closed forms of what it would count on the worst moment of a
 * step, so that the calculators need no simulation. In flight means forwards of one chunk whose weight gradients
 * (W, or a full backward) have not ended. Proof: tests/unit/calc/test_schedule.c against numbers,
 * tests/unit/plan/test_in_flight.c against the schedules' own order lists. */
#ifndef CALC_SCHEDULE_H
#define CALC_SCHEDULE_H

#include "shardlab/calc/scenario.h"

/* Chunks a rank and direction when nobody says how many: 1 or 2. */
uint64_t calc_chunks_default(int schedule);

/* Chunks that a rank holds, the unit of what is in flight: --chunks, but 2 for dualpipe and chimera (one of each direction). */
uint64_t calc_chunks_held(const struct scenario *s);

/* Copies of the model that all ranks together hold: 2 for dualpipe and chimera, else 1. */
uint64_t calc_model_copies(const struct scenario *s);

/* Whether rank `stage` of the pipeline holds the embedding, or the final norm and the head: the first and the last,
 * the first both where the pipeline folds back (zb-v, dualpipev), the outer two both with dualpipe and
 * chimera. */
bool calc_has_embedding(const struct scenario *s, uint64_t stage);
bool calc_has_head(const struct scenario *s, uint64_t stage);

/* Chunks in flight at most on a stage. Where a schedule keeps micro-batches in groups (interleaved, zb-interleaved),
 * those of the scenario's own micro-batches. Fails on overflow. */
MUST_USE enum status calc_in_flight(const struct scenario *s, uint64_t stage, uint64_t *out,
                                    struct message *why);

/* Of them, chunks that end in the head, on a rank that holds one. */
uint64_t calc_heads_in_flight(const struct scenario *s);

/* Micro-batches that a chunk runs before the next chunk has its turn, in the schedules whose ranks run forwards, then
 * one forward and one backward in turn, then backwards. */
uint64_t calc_schedule_group(const struct scenario *s);

/* True where micro-batches make no equal rounds, so that no framework runs interleaved chunks unless it is told a
 * group: interleaved is then counted in groups of p with a smaller last one, zb-interleaved is refused. */
bool calc_group_is_ragged(const struct scenario *s);

/* The next stage after `stage` that may differ from it: those between hold the same layers of each kind, no end of the
 * model, and nothing more in flight. At least stage + 1. */
uint64_t calc_stage_unlike(const struct scenario *s, uint64_t stage);

/* The part of a stage's forwards that run together with a backward, 0..1: 0 but for dualpipe and dualpipev. */
double calc_schedule_paired(const struct scenario *s, uint64_t stage);

#endif
