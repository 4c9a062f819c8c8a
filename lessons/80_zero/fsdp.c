/* FSDP's modes beside each other, and the floor of ZeRO-3: the shard of the states shrinks with every rank, the units
 * that are gathered beside it do not. FULL_SHARD is ZeRO-3, SHARD_GRAD_OP keeps the weights gathered between forward and
 * backward, HYBRID_SHARD shards inside a node and sums the gradients of a shard between nodes. Counted under FSDP's
 * convention, whatever the learner's. Appends to the caller's view. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "../what_if_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/calc/collective.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"
#include "zero_private.h"

static const char *const mode_names[ZERO_MODES] = {"FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD"};

/* The scenario as FSDP counts it, in the part of the GPUs that shard among them. */
static bool as_fsdp(const struct scenario *s, enum zero_mode mode, uint64_t ranks,
                    struct scenario *out) {
    uint64_t all = ranks > 0 ? ranks : s->layout.dp, node = s->cluster.gpus_per_node;
    if (mode == ZERO_HYBRID && (all <= node || all % node != 0)) {
        return false; /* one node: the same as FULL_SHARD */
    }
    *out = *s;
    return what_if_set(out, "convention", "fsdp") && what_if_count(out, "zero", 3) &&
           what_if_set(out, "reduce", "every") &&
           what_if_set(out, "reshard", mode == ZERO_GRADIENTS ? "no" : "yes") &&
           what_if_count(out, "dp", mode == ZERO_HYBRID ? node : all) && what_if_settle(out);
}

static bool memory_of(const struct scenario *fsdp, struct zero_memory *out) {
    struct calc_memory memory;
    struct message why;
    if (calc_memory_worst(fsdp, &memory, &why) != STATUS_OK || !memory.buffers_known) {
        return false;
    }
    out->shard_bytes = memory.part_bytes[CALC_PART_WEIGHTS] +
                       memory.part_bytes[CALC_PART_GRADIENTS] +
                       memory.part_bytes[CALC_PART_OPTIMIZER];
    out->gathered_bytes = memory.part_bytes[CALC_PART_BUFFERS];
    return true;
}

bool zero_memory_of(const struct scenario *s, enum zero_mode mode, uint64_t ranks,
                    struct zero_memory *out) {
    struct scenario fsdp;
    return as_fsdp(s, mode, ranks, &fsdp) && memory_of(&fsdp, out);
}

bool zero_floor_ranks(const struct scenario *s, uint64_t *out) {
    struct zero_memory one;
    if (!zero_memory_of(s, ZERO_FULL, 1, &one) || one.gathered_bytes == 0) {
        return false;
    }
    *out = one.shard_bytes / one.gathered_bytes + 1;
    return true;
}

/* --- Modes --- */

static uint64_t gradient_bytes(const struct scenario *s) {
    return s->recipe.grad_bytes == 6 ? 2 : s->recipe.grad_bytes;
}

/* Between nodes a rank sums its share of the gradients with the ranks that hold the same one. */
static bool between_nodes(const struct scenario *s, const struct scenario *fsdp, uint64_t *out) {
    struct calc_params params;
    struct calc_exchange_cost cost;
    struct message why;
    if (calc_params_count(fsdp, &params, &why) != STATUS_OK) {
        return false;
    }
    struct calc_exchange x = {
        .kind = CALC_EXCHANGE_ALL_REDUCE,
        .algorithm = CALC_ALGORITHM_RING,
        .elements = checked_div_up(params.total, fsdp->layout.dp),
        .element_bytes = gradient_bytes(fsdp),
        .ranks = (uint32_t)(s->layout.dp / fsdp->layout.dp), /* at most 2^20 */
    };
    return calc_exchange_rank(&x, 0, &cost, &why) == STATUS_OK &&
           checked_mul(cost.sent_bytes, fsdp->batch.micro_batches, out);
}

static void fill_mode(struct view_table *t, int row, const struct scenario *s,
                      enum zero_mode mode) {
    enum { NAME, LIKE, SHARD, GATHERED, SENT, NETWORK };
    struct scenario fsdp;
    struct zero_memory memory;
    struct data_traffic traffic;
    uint64_t network = 0;
    if (!as_fsdp(s, mode, 0, &fsdp)) {
        return;
    }
    if (memory_of(&fsdp, &memory)) {
        view_table_set_count(t, row, SHARD, memory.shard_bytes);
        view_table_set_count(t, row, GATHERED, memory.gathered_bytes);
    }
    if (!data_traffic_of(&fsdp, &traffic)) {
        return;
    }
    network = traffic.link == CALC_LINK_NETWORK ? traffic.total_bytes : 0;
    if (mode == ZERO_HYBRID && !between_nodes(s, &fsdp, &network)) {
        return;
    }
    view_table_set_count(t, row, SENT, traffic.total_bytes + (mode == ZERO_HYBRID ? network : 0));
    view_table_set_count(t, row, NETWORK, network);
}

/* What FSDP counts that the learner's convention may not, and why there is no hybrid. */
static void note_modes(struct view_table *t, const struct scenario *s) {
    struct scenario fsdp;
    if (as_fsdp(s, ZERO_FULL, 0, &fsdp)) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "lesson.zero.modes.bytes");
        message_add_plain(note, gradient_bytes(&fsdp));
    }
    if (!as_fsdp(s, ZERO_HYBRID, 0, &fsdp)) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "lesson.zero.modes.one_node");
        message_add_plain(note, s->cluster.gpus_per_node);
    }
}

void zero_modes_add(struct view *out, const struct scenario *s) {
    static const struct view_table_col cols[] = {
        {"mode", "lesson.zero.mode", VIEW_TABLE_TEXT, 0, NULL},
        {"like", "lesson.zero.like", VIEW_TABLE_TEXT, 4, NULL},
        {"shard_bytes", "lesson.zero.shard", VIEW_TABLE_BYTES, 0, NULL},
        {"gathered_bytes", "lesson.zero.gathered", VIEW_TABLE_BYTES, 0, NULL},
        {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 2, NULL},
        {"network_bytes", "lesson.zero.network", VIEW_TABLE_BYTES, 3, NULL},
    };
    static const char *const like[ZERO_MODES] = {"ZeRO-3", "ZeRO-2", "ZeRO-3 + DP"};
    enum { NAME, LIKE };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.zero.modes.title");
    message_add_plain(&t->title, s->layout.dp);
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int mode = 0; mode < ZERO_MODES; mode++) {
        int row = view_table_row(t);
        view_table_set_text(t, row, NAME, mode_names[mode]);
        view_table_set_text(t, row, LIKE, like[mode]);
        fill_mode(t, row, s, (enum zero_mode)mode);
    }
    note_modes(t, s);
}

/* --- The floor --- */

enum { POINTS = 11 }; /* 1, 2, 4 … 1024 */
_Static_assert((int)POINTS <= (int)VIEW_PLOT_POINTS_MAX, "a plot has room for the ranks");

static void write_bytes(char out[VIEW_PLOT_LABEL_MAX], double bytes) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_fixed(&w, bytes / 1e9, bytes < 1e10 ? 2 : 0);
    writer_text(&w, " GB");
}

static void write_count(char out[VIEW_PLOT_LABEL_MAX], double count) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_u64(&w, (uint64_t)count);
}

void zero_floor_add(struct view *out, const struct scenario *s) {
    double low = 0, high = 0;
    uint64_t crossing = 0;
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    struct view_plot_series *shard = &plot->series[0], *gathered = &plot->series[1];
    message_start(&plot->title, "lesson.zero.floor.title");
    plot->x_name = "dp";
    plot->y_name = "bytes";
    *shard = (struct view_plot_series){.name = "shard", .letter = 's'};
    *gathered = (struct view_plot_series){.name = "gathered", .letter = 'g'};
    for (int i = 0; i < POINTS; i++) {
        struct zero_memory memory;
        uint64_t ranks = UINT64_C(1) << i;
        if (zero_memory_of(s, ZERO_FULL, ranks, &memory) && memory.gathered_bytes > 0) {
            plot->x[plot->point_count] = (double)ranks;
            shard->y[plot->point_count] = (double)memory.shard_bytes;
            gathered->y[plot->point_count++] = (double)memory.gathered_bytes;
        }
    }
    plot->series_count = plot->point_count > 0 ? 2 : 0;
    if (plot->point_count > 0) {
        write_count(plot->low_x, plot->x[0]);
        write_count(plot->high_x, plot->x[plot->point_count - 1]);
    }
    if (view_plot_range(plot, &low, &high)) {
        write_bytes(plot->low_y, low);
        write_bytes(plot->high_y, high);
    }
    if (plot->point_count > 0 && zero_floor_ranks(s, &crossing) &&
        (double)crossing <= plot->x[plot->point_count - 1]) {
        plot->marks[plot->mark_count++] = (double)crossing;
        message_start(&plot->remark, "lesson.zero.floor.remark");
        message_add_count(&plot->remark, crossing);
    }
}
