/* Order lists in PyTorch's CSV dialect, in and out. Files come from people, so everything about one may be wrong: every
 * refusal says where, and the size of what is read is bounded by the length of the text before anyone allocates.
 * Called by the command `pipe`. Left out: the CSV's idle slots, which are pictures and not times.
 * Proof: tests/unit/pipe/test_csv.c. */
#include "shardlab/pipe/csv.h"

#include <string.h>

#include "csv_private.h"

/* What a first look finds. */
struct extent {
    uint32_t ranks, stages, micro_batches;
    uint64_t operations;
    struct csv_cell last_stage, last_micro; /* where the largest numbers stand */
};

static enum status refuse_limit(const struct pipe_csv *csv, const struct csv_cell *cell,
                                const char *id, uint32_t most, struct message *why) {
    csv_error(why, id, csv, cell);
    message_add_plain(why, most);
    return STATUS_USAGE;
}

static enum status extend(const struct pipe_csv *csv, const struct csv_cell *cell, struct extent *e,
                          struct message *why) {
    if (cell->rank >= PIPE_RANKS_MAX) {
        return refuse_limit(csv, cell, "error.csv.ranks", PIPE_RANKS_MAX, why);
    }
    e->ranks = cell->rank + 1;
    for (int i = 0; i < cell->count; i++) {
        const struct csv_item *item = &cell->items[i];
        if (item->stage >= PIPE_RANKS_MAX * PIPE_CHUNKS_MAX) {
            return refuse_limit(csv, cell, "error.csv.stage", PIPE_RANKS_MAX * PIPE_CHUNKS_MAX - 1,
                                why);
        }
        if (item->micro_batch >= PIPE_MICRO_BATCHES_MAX) {
            return refuse_limit(csv, cell, "error.csv.micro_batch", PIPE_MICRO_BATCHES_MAX - 1,
                                why);
        }
        if (item->stage >= e->stages) {
            e->stages = item->stage + 1;
            e->last_stage = *cell;
        }
        if (item->micro_batch >= e->micro_batches) {
            e->micro_batches = item->micro_batch + 1;
            e->last_micro = *cell;
        }
    }
    e->operations += (uint64_t)cell->count;
    return STATUS_OK;
}

static enum status measure_extent(const struct pipe_csv *csv, struct extent *e,
                                  struct message *why) {
    struct csv_cursor c = {.csv = csv};
    struct csv_cell cell;
    enum status ok = STATUS_OK;
    while (ok == STATUS_OK && csv_next(&c, &cell, why)) {
        ok = extend(csv, &cell, e, why);
    }
    if (c.failed || ok != STATUS_OK) {
        return STATUS_USAGE;
    }
    if (e->ranks == 0) {
        message_start(why, "error.csv.empty");
        message_add_text(why, csv->file);
        return STATUS_USAGE;
    }
    /* Every stage runs at least a forward and a full backward of every micro-batch. */
    uint64_t least = (uint64_t)2 * e->stages * e->micro_batches;
    if (e->operations < least) {
        csv_error(why, "error.csv.incomplete", csv, &e->last_micro);
        message_add_plain(why, e->micro_batches);
        message_add_plain(why, e->stages);
        message_add_plain(why, least);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* The shapes that an order of this extent could have, by placement. */
static void possible_shapes(const struct extent *e, struct pipe_shape shapes[3], bool fits[3]) {
    for (int i = 0; i < 3; i++) {
        shapes[i] = (struct pipe_shape){e->ranks, e->micro_batches, 2, i};
    }
    shapes[PIPE_LOOP].chunks = e->stages / e->ranks;
    fits[PIPE_LOOP] = e->stages % e->ranks == 0 && e->stages / e->ranks <= PIPE_CHUNKS_MAX;
    fits[PIPE_V] = e->stages == 2 * e->ranks;
    fits[PIPE_BOTH] = e->stages == e->ranks && e->micro_batches % 2 == 0;
}

static bool at_home(const struct pipe_shape *shape, const struct csv_cell *cell) {
    for (int i = 0; i < cell->count; i++) {
        uint32_t rank = 0, chunk = 0;
        pipe_home(shape, cell->items[i].micro_batch, cell->items[i].stage, &rank, &chunk);
        if (rank != cell->rank) {
            return false;
        }
    }
    return true;
}

static enum status refuse_placement(const struct pipe_csv *csv, const struct csv_cell *cell,
                                    const struct extent *e, struct message *why) {
    csv_error(why, "error.csv.placement", csv, cell);
    message_add_plain(why, cell->items[0].stage);
    message_add_plain(why, cell->rank);
    message_add_plain(why, e->ranks);
    return STATUS_USAGE;
}

enum status pipe_csv_measure(const struct pipe_csv *csv, struct pipe_shape *shape,
                             struct message *why) {
    struct extent e = {0};
    struct pipe_shape shapes[3];
    bool fits[3];
    if (measure_extent(csv, &e, why) != STATUS_OK) {
        return STATUS_USAGE;
    }
    possible_shapes(&e, shapes, fits);
    if (!fits[PIPE_LOOP] && !fits[PIPE_V] && !fits[PIPE_BOTH]) {
        return refuse_placement(csv, &e.last_stage, &e, why);
    }
    struct csv_cursor c = {.csv = csv};
    struct csv_cell cell;
    while (csv_next(&c, &cell, why)) {
        for (int i = 0; i < 3; i++) {
            fits[i] = fits[i] && at_home(&shapes[i], &cell);
        }
        if (!fits[PIPE_LOOP] && !fits[PIPE_V] && !fits[PIPE_BOTH]) {
            return refuse_placement(csv, &cell, &e, why);
        }
    }
    *shape = shapes[fits[PIPE_LOOP] ? PIPE_LOOP : fits[PIPE_V] ? PIPE_V : PIPE_BOTH];
    return STATUS_OK;
}

/* Bits of `seen`, one byte a stage and micro-batch. */
enum { SEEN_F = 1, SEEN_B = 2, SEEN_W = 4, SEEN_ALL = 7, HAS_W = 8 };

static const uint8_t bits_of[] = {
    [PIPE_F] = SEEN_F, [PIPE_B] = SEEN_B, [PIPE_W] = SEEN_W, [PIPE_BW] = SEEN_B | SEEN_W};

static uint8_t *seen_of(uint8_t *seen, const struct pipe_shape *shape,
                        const struct csv_item *item) {
    return &seen[(uint64_t)item->stage * shape->micro_batches + item->micro_batch];
}

static void mark_weights(const struct pipe_csv *csv, uint8_t *seen,
                         const struct pipe_shape *shape) {
    struct csv_cursor c = {.csv = csv};
    struct csv_cell cell;
    struct message why;
    memset(seen, 0, (size_t)shape->micro_batches * pipe_stages(shape));
    while (csv_next(&c, &cell, &why)) {
        for (int i = 0; i < cell.count; i++) {
            if (cell.items[i].kind == CSV_W) {
                *seen_of(seen, shape, &cell.items[i]) = HAS_W;
            }
        }
    }
}

static enum pipe_kind kind_of(const struct csv_item *item, uint8_t seen) {
    switch (item->kind) {
    case CSV_F:
        return PIPE_F;
    case CSV_I:
        return PIPE_B;
    case CSV_W:
        return PIPE_W;
    case CSV_B:
        return (seen & HAS_W) != 0 ? PIPE_B : PIPE_BW;
    default:
        return PIPE_BW;
    }
}

static enum status refuse_item(const struct pipe_csv *csv, const char *id,
                               const struct csv_cell *cell, const struct csv_item *item,
                               struct message *why) {
    static const char *const names[] = {"F", "I", "W", "B", "BW"};
    csv_error(why, id, csv, cell);
    message_add_plain(why, item->stage);
    message_add_text(why, names[item->kind]);
    message_add_plain(why, item->micro_batch);
    return STATUS_USAGE;
}

static enum status add_cell(const struct pipe_csv *csv, const struct csv_cell *cell, uint8_t *seen,
                            struct pipe_order *order, struct message *why) {
    enum pipe_kind kinds[2] = {PIPE_F, PIPE_F};
    for (int i = 0; i < cell->count; i++) {
        const struct csv_item *item = &cell->items[i];
        uint8_t *bits = seen_of(seen, &order->shape, item);
        kinds[i] = kind_of(item, *bits);
        if ((*bits & bits_of[kinds[i]]) != 0) {
            return refuse_item(csv, "error.csv.twice", cell, item, why);
        }
        *bits |= bits_of[kinds[i]];
        uint32_t rank = 0, chunk = 0;
        pipe_home(&order->shape, item->micro_batch, item->stage, &rank, &chunk);
        pipe_order_add(order, kinds[i], item->micro_batch, chunk);
        if (i == 0 && cell->count == 2) {
            pipe_order_overlap(order);
        }
    }
    const struct csv_item *a = &cell->items[0], *b = &cell->items[1];
    bool other = a->stage != b->stage || a->micro_batch != b->micro_batch;
    bool kinds_fit =
        (kinds[0] == PIPE_F && kinds[1] == PIPE_BW) || (kinds[0] == PIPE_BW && kinds[1] == PIPE_F);
    if (cell->count == 2 && !(other && kinds_fit)) {
        return refuse_item(csv, "error.csv.pair", cell, a, why);
    }
    return STATUS_OK;
}

/* The first thing that a stage never does; its place is the line of the rank. */
static enum status check_whole(const struct pipe_csv *csv, const uint8_t *seen,
                               const struct pipe_shape *shape, struct message *why) {
    for (uint32_t stage = 0; stage < pipe_stages(shape); stage++) {
        for (uint32_t micro = 0; micro < shape->micro_batches; micro++) {
            uint8_t bits = seen[(uint64_t)stage * shape->micro_batches + micro];
            if ((bits & SEEN_ALL) == SEEN_ALL) {
                continue;
            }
            struct csv_cell line = {.column = 1};
            uint32_t chunk = 0;
            pipe_home(shape, micro, stage, &line.rank, &chunk);
            enum csv_kind kind = (bits & SEEN_F) == 0   ? CSV_F
                                 : (bits & SEEN_W) != 0 ? CSV_I
                                 : (bits & SEEN_B) != 0 ? CSV_W
                                                        : CSV_B;
            struct csv_item item = {kind, stage, micro};
            return refuse_item(csv, "error.csv.missing", &line, &item, why);
        }
    }
    return STATUS_OK;
}

enum status pipe_csv_read(const struct pipe_csv *csv, uint8_t *seen, struct pipe_order *order,
                          struct message *why) {
    struct csv_cursor c = {.csv = csv};
    struct csv_cell cell;
    enum status ok = STATUS_OK;
    mark_weights(csv, seen, &order->shape);
    while (ok == STATUS_OK && csv_next(&c, &cell, why)) {
        while (order->started <= cell.rank) {
            pipe_order_rank(order);
        }
        ok = add_cell(csv, &cell, seen, order, why);
    }
    pipe_order_end(order);
    return ok == STATUS_OK ? check_whole(csv, seen, &order->shape, why) : ok;
}

static void item_write(struct writer *w, const struct pipe_shape *shape, uint32_t rank,
                       struct pipe_op op) {
    static const char letters[] = {[PIPE_F] = 'F', [PIPE_B] = 'I', [PIPE_W] = 'W', [PIPE_BW] = 'B'};
    writer_u64(w, pipe_stage_at(shape, rank, op.chunk));
    writer_char(w, letters[op.kind]);
    writer_u64(w, op.micro_batch);
}

void pipe_csv_write(struct writer *w, const struct pipe_order *order) {
    for (uint32_t rank = 0; rank < order->shape.ranks; rank++) {
        bool second = false; /* of a pair */
        for (uint64_t i = order->first[rank]; i < order->first[rank + 1]; i++) {
            struct pipe_op op = order->ops[i];
            bool first = op.overlapped != 0;
            writer_text(w, second ? ";" : i == order->first[rank] ? "" : ",");
            writer_text(w, first ? "(" : "");
            item_write(w, &order->shape, rank, op);
            writer_text(w, second ? ")OVERLAP_F_B" : "");
            second = first;
        }
        writer_char(w, '\n');
    }
}
