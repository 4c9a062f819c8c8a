/* The pictures of this lesson: where bytes are under each way to offload, what moves over which link, and what a step
 * then takes. Everything is step.c's and the memory calculator's. Appends to the caller's view.
 * Proof: tests/unit/lessons/test_offload_lesson.c. */
#include "offload_private.h"

static const char way_prefix[] = "lesson.offload.way.";

static void start_table(struct view_table *t, const char *title, const struct view_table_col *cols,
                        int count) {
    message_start(&t->title, title);
    for (int i = 0; i < count; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    t->current = -1;
}

void offload_places_add(struct view *out, const struct scenario *s) {
    enum column { WAY, STATES, ACTIVATIONS, TOTAL, ELSEWHERE, FITS, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [WAY] = {"offload", "lesson.offload.column.way", VIEW_TABLE_NAME, 0, way_prefix},
        [STATES] = {"states_bytes", "lesson.offload.column.states", VIEW_TABLE_BYTES, 3, NULL},
        [ACTIVATIONS] = {"activations_bytes", "part.activations", VIEW_TABLE_BYTES, 4, NULL},
        [TOTAL] = {"total_bytes", "lesson.offload.column.gpu", VIEW_TABLE_BYTES, 0, NULL},
        [ELSEWHERE] = {"offloaded_bytes", "lesson.offload.column.elsewhere", VIEW_TABLE_BYTES, 0,
                       NULL},
        [FITS] = {"fits", "lesson.offload.column.fits", VIEW_TABLE_NAME, 1, "lesson.offload.fits."},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    uint64_t capacity = scenario_capacity_bytes(s);
    start_table(t, "lesson.offload.places", cols, COLUMNS);
    for (int way = 0; way < OFFLOAD_WAYS; way++) {
        struct scenario other;
        struct calc_memory memory;
        struct message unused;
        int row = view_table_row(t);
        view_table_set_text(t, row, WAY, offload_way_name((enum offload_way)way));
        if (!offload_with(s, (enum offload_way)way, &other) ||
            calc_memory_worst(&other, &memory, &unused) != STATUS_OK) {
            continue;
        }
        if (memory.activations_known) {
            uint64_t activations = memory.part_bytes[CALC_PART_ACTIVATIONS];
            view_table_set_count(t, row, STATES, memory.total_bytes - activations);
            view_table_set_count(t, row, ACTIVATIONS, activations);
        }
        view_table_set_count(t, row, TOTAL, memory.total_bytes);
        view_table_set_count(t, row, ELSEWHERE, memory.offloaded.bytes);
        if (capacity > 0) {
            view_table_set_text(t, row, FITS, memory.total_bytes <= capacity ? "yes" : "no");
        }
    }
    t->current = (int)offload_way_of(s);
}

void offload_moves_add(struct view *out, const struct scenario *s) {
    enum column { MOVE, PER_PARAMETER, BYTES, TIME, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [MOVE] = {"move", "lesson.offload.column.move", VIEW_TABLE_NAME, 0, "lesson.offload.move."},
        [PER_PARAMETER] = {"bytes_per_parameter", "lesson.offload.column.per_parameter",
                           VIEW_TABLE_REAL, 0, NULL},
        [BYTES] = {"moved_bytes", "lesson.offload.column.moved", VIEW_TABLE_BYTES, 0, NULL},
        [TIME] = {"time_s", "view.comm.time", VIEW_TABLE_SECONDS, 1, NULL},
    };
    static const char *const names[OFFLOAD_MOVES] = {"pcie-out", "pcie-in", "nvme-written",
                                                     "nvme-read"};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct offload_step step;
    start_table(t, "lesson.offload.moves", cols, COLUMNS);
    if (!offload_step(s, &step) || step.parameters <= 0) {
        return;
    }
    for (int move = 0; move < OFFLOAD_MOVES; move++) {
        int row = view_table_row(t);
        view_table_set_text(t, row, MOVE, names[move]);
        view_table_set_real(t, row, PER_PARAMETER, (double)step.bytes[move] / step.parameters);
        view_table_set_count(t, row, BYTES, step.bytes[move]);
        if (step.links_known) {
            view_table_set_real(t, row, TIME, step.seconds[move]);
        }
    }
}

void offload_times_add(struct view *out, const struct scenario *s) {
    enum column { WAY, PCIE, NVME, COMPUTE, EXPOSED, STEP, TIMES, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [WAY] = {"offload", "lesson.offload.column.way", VIEW_TABLE_NAME, 0, way_prefix},
        [PCIE] = {"pcie_s", "comm.link.pcie", VIEW_TABLE_SECONDS, 2, NULL},
        [NVME] = {"nvme_s", "comm.link.nvme", VIEW_TABLE_SECONDS, 2, NULL},
        [COMPUTE] = {"compute_s", "lesson.offload.column.compute", VIEW_TABLE_SECONDS, 3, NULL},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 1, NULL},
        [STEP] = {"step_s", "lesson.offload.column.step", VIEW_TABLE_SECONDS, 0, NULL},
        [TIMES] = {"slowdown", "lesson.offload.column.times", VIEW_TABLE_REAL, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    start_table(t, "lesson.offload.times", cols, COLUMNS);
    for (int way = 0; way < OFFLOAD_WAYS; way++) {
        struct scenario other;
        struct offload_step step;
        int row = view_table_row(t);
        view_table_set_text(t, row, WAY, offload_way_name((enum offload_way)way));
        if (!offload_with(s, (enum offload_way)way, &other) || !offload_step(&other, &step) ||
            !step.known) {
            continue;
        }
        view_table_set_real(t, row, PCIE, step.seconds[OFFLOAD_OUT] + step.seconds[OFFLOAD_IN]);
        view_table_set_real(t, row, NVME,
                            step.seconds[OFFLOAD_WRITTEN] + step.seconds[OFFLOAD_READ]);
        view_table_set_real(t, row, COMPUTE, step.compute_s);
        view_table_set_real(t, row, EXPOSED, step.exposed_s);
        view_table_set_real(t, row, STEP, step.step_s);
        if (step.compute_s > 0) {
            view_table_set_real(t, row, TIMES, step.step_s / step.compute_s);
        }
    }
    t->current = (int)offload_way_of(s);
    message_start(view_table_add_note(t, -1), "lesson.offload.times.adam");
}

void offload_largest_add(struct view *out, const struct scenario *s) {
    enum column { WAY, RECOMPUTE, LARGEST, EXPOSED, RATE, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [WAY] = {"offload", "lesson.offload.column.way", VIEW_TABLE_NAME, 0, way_prefix},
        [RECOMPUTE] = {"recompute", "option.recompute.label", VIEW_TABLE_NAME, 0,
                       "option.recompute."},
        [LARGEST] = {"micro_batch", "lesson.offload.column.largest", VIEW_TABLE_COUNT, 0, NULL},
        [EXPOSED] = {"slowdown", "lesson.offload.column.times", VIEW_TABLE_REAL, 2, NULL},
        [RATE] = {"tokens_per_s", "lesson.offload.column.rate", VIEW_TABLE_COUNT, 0, NULL},
    };
    static const enum offload_way ways[] = {OFFLOAD_WAY_NONE, OFFLOAD_WAY_OPTIMIZER_CPU};
    static const int recomputes[] = {CALC_RECOMPUTE_NONE, CALC_RECOMPUTE_FULL};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    double best = 0;
    start_table(t, "lesson.offload.largest", cols, COLUMNS);
    message_add_plain(&t->title, s->batch.micro_batches);
    for (int i = 0; i < 4; i++) {
        struct scenario other;
        uint64_t largest = 0;
        double rate = 0, times = 0;
        int row = view_table_row(t);
        view_table_set_text(t, row, WAY, offload_way_name(ways[i / 2]));
        view_table_set_text(t, row, RECOMPUTE, i % 2 == 0 ? "none" : "full");
        if (!offload_with(s, ways[i / 2], &other)) {
            continue;
        }
        other.recipe.recompute = recomputes[i % 2];
        bool known = offload_rate_at_largest(&other, &largest, &rate);
        view_table_set_count(t, row, LARGEST, largest);
        other.batch.micro_batch = largest;
        if (known && offload_slowdown(&other, &times)) {
            view_table_set_real(t, row, EXPOSED, times);
            view_table_set_count(t, row, RATE, (uint64_t)(rate + 0.5));
            t->current = rate > best ? row : t->current;
            best = rate > best ? rate : best;
        }
    }
    message_start(view_table_add_note(t, -1), "lesson.offload.largest.mfu");
    message_add_real(&t->notes[0].text, s->cluster.mfu);
}
