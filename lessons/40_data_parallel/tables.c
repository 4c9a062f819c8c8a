/* The tables of the lesson on data parallelism: what is copied, what a GPU sends over ranks, over micro-batches, and how
 * much of it backward hides. Every cell is a calculator's; a row that the scenario does not allow stays unknown. Appends
 * to the caller's view. Proof: tests/unit/lessons/test_data_parallel.c. */
#include <math.h>

#include "../table_stops_private.h"
#include "../value_private.h"
#include "../what_if_private.h"
#include "data_parallel_private.h"

#include "shardlab/base/checked.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"

static void add_columns(struct view_table *t, const struct view_table_col *cols, size_t count) {
    for (size_t i = 0; i < count; i++) {
        (void)view_table_col(t, &cols[i]);
    }
}

/* --- Copied and split --- */

static void copies_row(struct view_table *t, const char *part, uint64_t bytes, uint64_t ranks,
                       const char *how) {
    enum { PART, ONE, ALL, HOW };
    int row = view_table_row(t);
    uint64_t all = 0;
    view_table_set_text(t, row, PART, part);
    view_table_set_count(t, row, ONE, bytes);
    if (checked_mul(bytes, ranks, &all)) {
        view_table_set_count(t, row, ALL, all);
    }
    view_table_set_text(t, row, HOW, how);
}

static void note_batch(struct view_table *t, const struct scenario *s) {
    uint64_t sequences = 0, tokens = 0;
    if (checked_mul(s->batch.micro_batch, s->batch.micro_batches, &sequences) &&
        checked_mul(sequences, s->layout.dp, &sequences) &&
        checked_mul(sequences, s->batch.seq, &tokens)) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "lesson.data-parallel.batch");
        message_add_plain(note, s->batch.micro_batch);
        message_add_plain(note, s->batch.micro_batches);
        message_add_plain(note, s->layout.dp);
        message_add_count(note, sequences);
        message_add_count(note, tokens);
    }
}

void data_copies_add(struct view *out, const struct scenario *s) {
    static const struct view_table_col cols[] = {
        {"part", "lesson.data-parallel.part", VIEW_TABLE_NAME, 0, "part."},
        {"one_bytes", "lesson.data-parallel.one", VIEW_TABLE_BYTES, 0, NULL},
        {"all_bytes", "lesson.data-parallel.all", VIEW_TABLE_BYTES, 0, NULL},
        {"how", "lesson.data-parallel.how", VIEW_TABLE_NAME, 1, "lesson.data-parallel.how."},
    };
    struct calc_memory memory;
    struct message why;
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.data-parallel.copies");
    message_add_plain(&t->title, s->layout.dp);
    add_columns(t, cols, sizeof cols / sizeof cols[0]);
    bool known = calc_memory_worst(s, &memory, &why) == STATUS_OK && !memory.phases;
    for (int part = 0; known && part <= CALC_PART_OPTIMIZER; part++) {
        bool shared = s->layout.zero + (uint64_t)part > CALC_PART_OPTIMIZER;
        copies_row(t, calc_part_name((enum calc_part)part), memory.part_bytes[part], s->layout.dp,
                   shared ? "shared" : "copied");
    }
    if (known && memory.activations_known) {
        copies_row(t, calc_part_name(CALC_PART_ACTIVATIONS),
                   memory.part_bytes[CALC_PART_ACTIVATIONS], s->layout.dp, "own");
    }
    note_batch(t, s);
}

/* --- Over ranks --- */

bool data_message_bytes(const struct scenario *s, uint64_t *out) {
    struct calc_comm comm;
    struct message why;
    struct scenario other = *s;
    if (!what_if_count(&other, "zero", 0) || !what_if_count(&other, "dp", 2) ||
        !what_if_settle(&other) || calc_comm_step(&other, &comm, &why) != STATUS_OK ||
        comm.row_count == 0) {
        return false;
    }
    *out = comm.rows[0].message_bytes;
    return true;
}

void data_ranks_add(struct view *out, const struct scenario *s) {
    enum { RANKS, SENT, OF_LIMIT, LINK, TIME };
    static const uint64_t ranks[] = {2, 4, 8, 16, 64, 256, 1024};
    static const struct view_table_col cols[] = {
        [RANKS] = {"dp", "option.dp.label", VIEW_TABLE_COUNT, 0, NULL},
        [SENT] = {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 0, NULL},
        [OF_LIMIT] = {"of_limit", "lesson.data-parallel.of_limit", VIEW_TABLE_SHARE, 1, NULL},
        [LINK] = {"link", "view.comm.link", VIEW_TABLE_NAME, 2, "comm.link."},
        [TIME] = {"time_s", "view.comm.time", VIEW_TABLE_SECONDS, 0, NULL},
    };
    struct table_stops stops =
        table_stops_with(ranks, sizeof ranks / sizeof ranks[0], s->layout.dp);
    uint64_t message = 0;
    struct scenario once = *s;
    bool known =
        what_if_set(&once, "reduce", "boundary") && data_message_bytes(s, &message) && message > 0;
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.data-parallel.ranks");
    add_columns(t, cols, sizeof cols / sizeof cols[0]);
    for (int i = 0; i < stops.count; i++) {
        struct data_traffic traffic;
        int row = view_table_row(t);
        view_table_set_count(t, row, RANKS, stops.values[i]);
        if (!known || !data_traffic_at(&once, 0, stops.values[i], &traffic)) {
            continue;
        }
        view_table_set_count(t, row, SENT, traffic.total_bytes);
        view_table_set_real(t, row, OF_LIMIT, (double)traffic.total_bytes / (2 * (double)message));
        view_table_set_text(t, row, LINK, calc_link_name(traffic.link));
        if (traffic.time_known) {
            view_table_set_real(t, row, TIME, traffic.time_s);
        }
    }
    t->current = stops.own;
}

/* --- Over micro-batches --- */

static bool accumulated(const struct scenario *s, uint64_t micro_batches, const char *reduce,
                        struct data_traffic *out) {
    struct scenario other = *s;
    return what_if_set(&other, "reduce", reduce) &&
           what_if_count(&other, "micro-batches", micro_batches) &&
           data_traffic_at(&other, 0, 0, out);
}

void data_accumulation_add(struct view *out, const struct scenario *s) {
    enum { MICRO_BATCHES, ONCE, EVERY, ONCE_EXPOSED, EVERY_EXPOSED };
    static const uint64_t micro_batches[] = {1, 2, 4, 8, 16, 64};
    static const struct view_table_col cols[] = {
        [MICRO_BATCHES] = {"micro_batches", "option.micro-batches.label", VIEW_TABLE_COUNT, 0,
                           NULL},
        [ONCE] = {"boundary_bytes", "lesson.data-parallel.once", VIEW_TABLE_BYTES, 0, NULL},
        [EVERY] = {"every_bytes", "lesson.data-parallel.every", VIEW_TABLE_BYTES, 0, NULL},
        [ONCE_EXPOSED] = {"boundary_exposed_s", "lesson.data-parallel.once.exposed",
                          VIEW_TABLE_SECONDS, 1, NULL},
        [EVERY_EXPOSED] = {"every_exposed_s", "lesson.data-parallel.every.exposed",
                           VIEW_TABLE_SECONDS, 1, NULL},
    };
    static const char *const when[] = {"boundary", "every"};
    struct table_stops stops = table_stops_with(
        micro_batches, sizeof micro_batches / sizeof micro_batches[0], s->batch.micro_batches);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.data-parallel.accumulation");
    add_columns(t, cols, sizeof cols / sizeof cols[0]);
    for (int i = 0; i < stops.count; i++) {
        int row = view_table_row(t);
        view_table_set_count(t, row, MICRO_BATCHES, stops.values[i]);
        for (int k = 0; k < 2; k++) {
            struct data_traffic traffic;
            if (!accumulated(s, stops.values[i], when[k], &traffic)) {
                continue;
            }
            view_table_set_count(t, row, ONCE + k, traffic.total_bytes);
            if (traffic.exposed_known) {
                view_table_set_real(t, row, ONCE_EXPOSED + k, traffic.exposed_s);
            }
        }
    }
    t->current = stops.own;
}

/* --- Behind backward --- */

bool data_backward_s(const struct scenario *s, double *out) {
    struct calc_flops_stage flops;
    struct message why;
    double rate = scenario_flops_per_s(s);
    if (rate <= 0 || calc_flops_on_stage(s, 0, &flops, &why) != STATUS_OK) {
        return false;
    }
    *out = (flops.input_grad + flops.weight_grad + flops.recompute) / rate;
    return true;
}

/* Once a step, so behind the backward of the last micro-batch alone. */
static bool once_among(const struct scenario *s, uint64_t ranks, struct data_traffic *out) {
    struct scenario once = *s;
    return what_if_set(&once, "reduce", "boundary") && data_traffic_at(&once, 0, ranks, out);
}

bool data_tokens_to_hide(const struct scenario *s, uint64_t ranks, double *out) {
    struct data_traffic traffic;
    double backward = 0;
    if (!once_among(s, ranks, &traffic) || !traffic.time_known || !data_backward_s(s, &backward) ||
        backward <= 0) {
        return false;
    }
    *out = (double)s->batch.seq * (double)s->batch.micro_batch * traffic.time_s / backward;
    return true;
}

static void hiding_row(struct view_table *t, const struct scenario *s, uint64_t ranks) {
    enum { RANKS, LINK, SUM, TOKENS, EXPOSED };
    struct data_traffic traffic;
    double tokens = 0;
    int row = view_table_row(t);
    view_table_set_count(t, row, RANKS, ranks);
    if (!once_among(s, ranks, &traffic)) {
        return;
    }
    view_table_set_text(t, row, LINK, calc_link_name(traffic.link));
    if (traffic.time_known) {
        view_table_set_real(t, row, SUM, traffic.time_s);
    }
    if (data_tokens_to_hide(s, ranks, &tokens)) {
        view_table_set_count(t, row, TOKENS, (uint64_t)ceil(tokens));
    }
    if (traffic.exposed_known) {
        view_table_set_real(t, row, EXPOSED, traffic.exposed_s);
    }
}

static void note_backward(struct view_table *t, const struct scenario *s) {
    char text[40];
    double backward = 0;
    uint64_t tokens = 0;
    struct writer w;
    if (!data_backward_s(s, &backward) ||
        !checked_mul(s->batch.seq, s->batch.micro_batch, &tokens)) {
        return;
    }
    writer_start(&w, text, sizeof text);
    value_seconds(&w, backward);
    struct message *note = view_table_add_note(t, -1);
    message_start(note, "lesson.data-parallel.hiding.backward");
    message_add_count(note, tokens);
    message_add_text(note, text);
}

void data_hiding_add(struct view *out, const struct scenario *s) {
    static const uint64_t ranks[] = {2, 4, 8, 16, 64, 256, 1024};
    static const struct view_table_col cols[] = {
        {"dp", "option.dp.label", VIEW_TABLE_COUNT, 0, NULL},
        {"link", "view.comm.link", VIEW_TABLE_NAME, 2, "comm.link."},
        {"reduce_s", "lesson.data-parallel.reduce", VIEW_TABLE_SECONDS, 0, NULL},
        {"tokens_to_hide", "lesson.data-parallel.to_hide", VIEW_TABLE_COUNT, 1, NULL},
        {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 0, NULL},
    };
    struct table_stops stops =
        table_stops_with(ranks, sizeof ranks / sizeof ranks[0], s->layout.dp);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.data-parallel.hiding");
    add_columns(t, cols, sizeof cols / sizeof cols[0]);
    for (int i = 0; i < stops.count; i++) {
        hiding_row(t, s, stops.values[i]);
    }
    note_backward(t, s);
    t->current = stops.own;
}
