/* Why a run stands still: each rank that has not come to its end needs the result of one operation, so following the
 * needs from any of them leads into a circle, or to a rank that came to its end without running what is needed (an order
 * that pipe_order_check refuses). Called by pipe_simulate when no rank can go on. Proof:
 * tests/unit/pipe/test_deadlock.c. */
#include <assert.h>
#include <string.h>

#include "simulate_private.h"

void pipe_op_write(struct writer *w, enum pipe_kind kind, uint32_t micro_batch, uint32_t stage) {
    static const char *const names[] = {"F", "B", "W", "BW"};
    writer_text(w, names[kind]);
    writer_u64(w, micro_batch);
    writer_text(w, ".s");
    writer_u64(w, stage);
}

/* The operation before which `rank` stands and what it needs: of a pair, the half whose need is not met. */
static struct pipe_need standing(const struct pipe_sim *sim, uint32_t rank, uint64_t *op) {
    *op = sim->at[rank];
    struct pipe_need need = pipe_need_of(sim, rank, &sim->order->ops[*op]);
    bool met = need.slot == PIPE_NO_SLOT || sim->slots[need.slot] != PIPE_NO_SLOT;
    if (met && pipe_is_pair(sim->order, rank, *op)) {
        (*op)++;
        need = pipe_need_of(sim, rank, &sim->order->ops[*op]);
    }
    return need;
}

/* What a slot holds, as a name. */
static void slot_write(struct writer *w, const struct pipe_sim *sim, uint64_t slot, bool split) {
    uint32_t m = sim->order->shape.micro_batches;
    uint64_t row = slot / m;
    bool backward = row >= sim->stages;
    enum pipe_kind kind = !backward ? PIPE_F : split ? PIPE_B : PIPE_BW;
    pipe_op_write(w, kind, (uint32_t)(slot % m), (uint32_t)(row % sim->stages));
}

static bool splits(const struct pipe_order *order, uint32_t rank) {
    for (uint64_t i = order->first[rank]; i < order->first[rank + 1]; i++) {
        if (order->ops[i].kind == PIPE_BW) {
            return false;
        }
    }
    return true;
}

/* "0: F3.s4 ⇐ F3.s3" */
static void standing_write(struct writer *w, const struct pipe_sim *sim, uint32_t rank) {
    uint64_t at = 0;
    struct pipe_need need = standing(sim, rank, &at);
    const struct pipe_op *op = &sim->order->ops[at];
    writer_u64(w, rank);
    writer_text(w, ": ");
    pipe_op_write(w, (enum pipe_kind)op->kind, op->micro_batch, pipe_lane_of(sim, rank, op)->stage);
    writer_text(w, " ⇐ ");
    slot_write(w, sim, need.slot, splits(sim->order, need.rank));
}

static enum status refuse(const struct pipe_sim *sim, const struct pipe_deadlock *d,
                          struct message *why) {
    char text[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int i = 0; i < d->length && w.length < MESSAGE_TEXT_MAX - 64; i++) {
        writer_text(&w, i > 0 ? "; " : "");
        standing_write(&w, sim, d->ranks[i]);
        if (i + 1 < d->length && w.length >= MESSAGE_TEXT_MAX - 64) {
            writer_text(&w, "; …");
        }
    }
    message_start(why, "error.pipe.deadlock");
    message_add_plain(why, (uint64_t)d->length);
    message_add_text(why, text);
    return STATUS_USAGE;
}

static enum status refuse_missing(const struct pipe_sim *sim, uint32_t rank, uint32_t maker,
                                  struct message *why) {
    char text[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    standing_write(&w, sim, rank);
    message_start(why, "error.pipe.missing");
    message_add_text(why, text);
    message_add_plain(why, maker);
    return STATUS_USAGE;
}

enum status pipe_deadlock_explain(const struct pipe_sim *sim, struct pipe_deadlock *deadlock,
                                  struct message *why) {
    int32_t place[PIPE_RANKS_MAX]; /* of a rank on the walk; -1: not on it */
    memset(place, 0xff, sizeof place);
    uint32_t rank = 0;
    while (sim->at[rank] == sim->order->first[rank + 1]) {
        rank++;
    }
    int length = 0;
    while (place[rank] < 0) {
        uint64_t op = 0;
        struct pipe_need need = standing(sim, rank, &op);
        if (sim->at[need.rank] == sim->order->first[need.rank + 1]) {
            return refuse_missing(sim, rank, need.rank, why);
        }
        place[rank] = length;
        deadlock->ranks[length] = rank;
        deadlock->ops[length++] = (int64_t)op;
        rank = need.rank;
    }
    int skip = place[rank]; /* what led to the circle is not part of it */
    deadlock->length = length - skip;
    memmove(deadlock->ranks, deadlock->ranks + skip,
            (size_t)deadlock->length * sizeof deadlock->ranks[0]);
    memmove(deadlock->ops, deadlock->ops + skip,
            (size_t)deadlock->length * sizeof deadlock->ops[0]);
    return refuse(sim, deadlock, why);
}
