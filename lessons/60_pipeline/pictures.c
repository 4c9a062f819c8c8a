/* The pictures of the lesson on pipelines: the schedules of a page on one axis with what is held under each stage, the cell
 * that a frame explains, and tables of what the picture shows. Gantts are lesson/pipe_view.h's; numbers are the
 * simulator's and the calculators'. Appends to the caller's view. Where knobs make a schedule that is not legal, or too
 * many operations for a picture, the view says so. Proof: tests/unit/lessons/test_pipeline.c. */
#include <assert.h>
#include <string.h>

#include "pipeline_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"

static double fraction(struct pipe_fraction f) {
    return f.under > 0 ? (double)f.over / (double)f.under : 0;
}

/* The most that a rank holds, in whole stages. */
static double most_held(const struct pipeline_run *r, bool until_w) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->shape.ranks; i++) {
        const struct pipe_rank_run *rank = &r->run.ranks[i];
        uint64_t peak = until_w ? rank->peak_until_w : rank->peak_until_b;
        most = peak > most ? peak : most;
    }
    return (double)most / r->parts;
}

/* --- Tables --- */

/* What there is to compare of two schedules: three numbers that are all called bubble, and what they cost. */
static struct view_table *compare_start(struct view *out) {
    static const struct view_table_col cols[] = {
        {"schedule", "lesson.pipeline.column.schedule", VIEW_TABLE_TEXT, 0, NULL},
        {"makespan", "lesson.pipeline.column.makespan", VIEW_TABLE_REAL, 2, NULL},
        {"bubble", "lesson.pipeline.column.bubble", VIEW_TABLE_SHARE, 0, NULL},
        {"bubble_over_ideal", "lesson.pipeline.column.over_ideal", VIEW_TABLE_SHARE, 0, NULL},
        {"bubble_span", "lesson.pipeline.column.span", VIEW_TABLE_SHARE, 0, NULL},
        {"held", "lesson.pipeline.column.held", VIEW_TABLE_REAL, 0, NULL},
        {"sends", "lesson.pipeline.column.sends", VIEW_TABLE_COUNT, 1, NULL}};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.pipeline.compare");
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    return t;
}

static void compare_row(struct view_table *t, const struct pipeline_run *r, bool until_w) {
    int row = view_table_row(t), col = 0;
    view_table_set_text(t, row, col++, r->name);
    view_table_set_real(t, row, col++, (double)r->run.makespan / (double)r->ticks);
    view_table_set_real(t, row, col++, fraction(r->run.bubble));
    view_table_set_real(t, row, col++, fraction(r->run.bubble_over_ideal));
    view_table_set_real(t, row, col++, fraction(r->run.bubble_span));
    view_table_set_real(t, row, col++, most_held(r, until_w));
    view_table_set_count(t, row, col++, r->run.sends);
}

/* What every stage holds, by the calculator. */
static void stages_add(struct view *out, const struct scenario *s, const struct pipeline_run *r) {
    enum { STAGE, LAYERS, FORWARD, BUSY, FLIGHT, ACTIVATIONS, TOTAL, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [STAGE] = {"stage", "lesson.pipeline.column.stage", VIEW_TABLE_COUNT, 0, NULL},
        [LAYERS] = {"layers", "lesson.pipeline.column.layers", VIEW_TABLE_COUNT, 0, NULL},
        [FORWARD] = {"forward", "lesson.pipeline.column.forward", VIEW_TABLE_REAL, 2, NULL},
        [BUSY] = {"busy", "lesson.pipeline.column.busy", VIEW_TABLE_SHARE, 3, NULL},
        [FLIGHT] = {"in_flight", "lesson.pipeline.column.flight", VIEW_TABLE_COUNT, 0, NULL},
        [ACTIVATIONS] = {"activations_bytes", "lesson.pipeline.column.activations",
                         VIEW_TABLE_BYTES, 0, NULL},
        [TOTAL] = {"total_bytes", "lesson.pipeline.column.total", VIEW_TABLE_BYTES, 1, NULL}};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    double unit = 0;
    message_start(&t->title, "lesson.pipeline.stages");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (uint64_t stage = 0; stage < s->layout.pp && stage < VIEW_GANTT_ROWS_MAX; stage++) {
        struct calc_memory memory;
        struct calc_flops_stage flops;
        struct message unused;
        int row = view_table_row(t);
        view_table_set_count(t, row, STAGE, stage);
        if (calc_flops_on_stage(s, stage, &flops, &unused) == STATUS_OK && flops.forward > 0) {
            unit = stage == 0 ? flops.forward : unit;
            view_table_set_real(t, row, FORWARD, flops.forward / unit);
        }
        if (r != NULL && r->run.makespan > 0) {
            view_table_set_real(t, row, BUSY,
                                (double)r->run.ranks[stage].busy / (double)r->run.makespan);
        }
        if (calc_memory_on_stage(s, stage, &memory, &unused) != STATUS_OK) {
            continue;
        }
        if (!scenario_params_only(s)) {
            view_table_set_count(t, row, LAYERS, memory.layers);
        }
        view_table_set_count(t, row, FLIGHT, memory.in_flight);
        view_table_set_count(t, row, TOTAL, memory.total_bytes);
        if (memory.activations_known) {
            view_table_set_count(t, row, ACTIVATIONS, memory.part_bytes[CALC_PART_ACTIVATIONS]);
        }
    }
    t->more = s->layout.pp > VIEW_GANTT_ROWS_MAX ? s->layout.pp - VIEW_GANTT_ROWS_MAX : 0;
}

/* --- Schedules --- */

static struct message *note(struct view *out) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    return &text->lines[text->line_count++];
}

/* Bytes of one chunk and micro-batch on each rank; false: not known. */
static bool chunk_bytes(const struct scenario *s, const struct pipeline_run *r,
                        uint64_t out[PIPE_RANKS_MAX]) {
    for (uint32_t i = 0; i < r->shape.ranks; i++) {
        if (r->shape.placement == PIPE_V || !pipeline_micro_batch_bytes(s, i, &out[i])) {
            return false; /* folded back, a rank holds two ends of the model */
        }
        out[i] /= r->parts;
    }
    return true;
}

static struct pipe_picture picture_of(const struct pipeline_run *r) {
    return (struct pipe_picture){
        .name = r->name, .order = &r->order, .ops = r->ops, .run = &r->run};
}

/* The page's schedules on one axis, the cell that is asked about, and their numbers. */
static void schedules_add(const struct lesson_input *in, struct view *out,
                          const struct pipeline_run *runs, int count) {
    bool until_w = in->page == PIPELINE_ZERO;
    uint64_t bytes[PIPE_RANKS_MAX];
    struct pipe_picture pictures[VIEW_GANTT_GROUPS_MAX];
    struct pipe_window window = {
        .ticks_per_unit = runs[0].ticks,
        .strip = in->page != PIPELINE_BUBBLE && in->page != PIPELINE_BALANCE,
        .until_w = until_w,
        .critical = strcmp(pipeline_stop(in, PIPELINE_WALK), "critical") == 0};
    int steps = 0;
    for (int i = 0; i < count; i++) {
        pictures[i] = picture_of(&runs[i]);
    }
    if (in->page == PIPELINE_FLIGHT && chunk_bytes(in->now, &runs[0], bytes)) {
        pictures[0].chunk_bytes = bytes;
    }
    window.cursor = pipeline_walk(in, &runs[0], in->frame, &steps);
    /* Where cells have to be read, the schedule has the columns to itself; the other one is in the table. */
    bool alone = in->page == PIPELINE_INTERLEAVED || in->page == PIPELINE_ZERO;
    pipe_gantt_add(out, pictures, alone ? 1 : count, &window);
    struct view_gantt *g = &out->items[out->item_count - 1].gantt;
    for (int i = 0; alone && i < g->row_count; i++) {
        g->rows[i].parts = runs[0].parts; /* in whole stages, as the table has it */
    }
    if (in->page == PIPELINE_FLIGHT || in->page == PIPELINE_BALANCE) {
        return;
    }
    struct view_table *t = compare_start(out);
    for (int i = 0; i < count; i++) {
        compare_row(t, &runs[i], until_w);
    }
}

/* What goes over one boundary, by the calculator. */
static void boundary_add(const struct lesson_input *in, struct view *out) {
    struct calc_comm comm;
    struct message unused;
    if (calc_comm_on_stage(in->now, 0, &comm, &unused) != STATUS_OK) {
        return;
    }
    for (int i = 0; i < comm.row_count; i++) {
        if (comm.rows[i].axis == CALC_AXIS_PP && comm.rows[i].collective == CALC_SEND) {
            char text[32];
            struct writer w;
            writer_start(&w, text, sizeof text);
            parallel_write_bytes(&w, comm.rows[i].message_bytes);
            struct message *m = note(out);
            message_start(m, "lesson.pipeline.boundary");
            message_add_text(m, text);
            return;
        }
    }
}

enum status pipeline_view(const struct lesson_input *in, struct view *out, struct message *why) {
    struct pipeline_ask asks[VIEW_GANTT_GROUPS_MAX];
    struct pipeline_run runs[VIEW_GANTT_GROUPS_MAX];
    struct message refusal = {0};
    int count = pipeline_asked(in, asks), ran = 0;
    (void)why;
    view_start(out);
    for (int i = 0; i < count; i++) {
        ran += pipeline_simulate(&asks[i], &runs[ran], &refusal) == STATUS_OK ? 1 : 0;
    }
    if (ran < count) {
        *note(out) = refusal;
    }
    if (ran > 0) {
        schedules_add(in, out, runs, ran);
    }
    if (in->page == PIPELINE_FLIGHT || in->page == PIPELINE_BALANCE) {
        stages_add(out, in->now, ran > 0 ? &runs[0] : NULL);
    }
    if (in->page == PIPELINE_INTERLEAVED) {
        boundary_add(in, out);
    }
    parallel_predicted_only(out);
    return STATUS_OK;
}
