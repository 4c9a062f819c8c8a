/* The numbers inside the words of the lesson *hybrid*, and its two questions. Each is the calculators' answer for the
 * learner's scenario or for a published run of runs.c; what a scenario does not determine is a dash.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "hybrid_private.h"

#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/ranks.h"

enum { TP, PP, DP }; /* places in hybrid_axes */

static void write_bytes(struct writer *out, uint64_t bytes) {
    units_write_bytes(out, bytes, UNIT_GB, 1);
    writer_char(out, ' ');
    writer_text(out, units_name(UNIT_GB));
}

typedef bool figure_write(const struct lesson_input *in, int a, struct writer *out);

enum { COUNT_GPUS, COUNT_NODES, COUNT_NODE, COUNT_TP, COUNT_PP, COUNT_DP, COUNT_BATCHES };

static bool write_count(const struct lesson_input *in, int a, struct writer *out) {
    const struct calc_ranks r = calc_ranks_of(in->now);
    const uint64_t counts[] = {
        [COUNT_GPUS] = calc_ranks_world(&r),
        [COUNT_NODES] = calc_ranks_nodes(&r),
        [COUNT_NODE] = r.gpus_per_node,
        [COUNT_TP] = r.tp,
        [COUNT_PP] = r.pp,
        [COUNT_DP] = r.dp,
        [COUNT_BATCHES] = in->now->batch.micro_batches,
    };
    writer_u64_grouped(out, counts[a]);
    return true;
}

/* How many times faster the links inside a node are than those between nodes. */
static bool write_speed(const struct lesson_input *in, int a, struct writer *out) {
    const struct calc_cluster *c = &in->now->cluster;
    (void)a;
    if (c->link_gb_per_s <= 0 || c->net_gb_per_s <= 0) {
        return false;
    }
    double times = c->link_gb_per_s / c->net_gb_per_s;
    bool whole = times >= 10; /* 12 rather than 12.0 */
    writer_fixed(out, times, whole ? 0 : 1);
    return true;
}

static bool write_axis(const struct lesson_input *in, int a, struct writer *out) {
    struct hybrid_axis axes[HYBRID_AXES];
    if (!hybrid_axes_of(in->now, axes)) {
        return false;
    }
    write_bytes(out, axes[a].sent_bytes);
    return true;
}

static bool write_order(const struct lesson_input *in, int a, struct writer *out) {
    struct hybrid_axis axes[HYBRID_AXES];
    if (!hybrid_axes_of(in->now, axes)) {
        return false;
    }
    hybrid_order_write(out, axes, (enum hybrid_order)a);
    return out->length > 0;
}

/* TP as wide as a node and as two nodes, on the same GPUs with the same batch: one of them is the learner's. */
static bool narrow_and_wide(const struct scenario *s, struct scenario *narrow,
                            struct scenario *wide) {
    const struct calc_layout *l = &s->layout;
    uint64_t node = s->cluster.gpus_per_node, batches = s->batch.micro_batches;
    *narrow = *wide = *s;
    if (l->tp == node && l->dp % 2 == 0) {
        const struct hybrid_change change = {l->dp / 2, 2 * l->tp, 0, 2 * batches, -1};
        return hybrid_changed(s, &change, wide);
    }
    if (l->tp == 2 * node && batches % 2 == 0) {
        const struct hybrid_change change = {2 * l->dp, l->tp / 2, 0, batches / 2, -1};
        return hybrid_changed(s, &change, narrow);
    }
    return false;
}

/* Bytes over the network with TP inside a node or (a) over two. */
static bool write_network(const struct lesson_input *in, int a, struct writer *out) {
    struct scenario narrow, wide;
    uint64_t bytes;
    if (!narrow_and_wide(in->now, &narrow, &wide) ||
        !hybrid_network_bytes(a != 0 ? &wide : &narrow, &bytes)) {
        return false;
    }
    write_bytes(out, bytes);
    return true;
}

static bool write_tokens(const struct lesson_input *in, int a, struct writer *out) {
    uint64_t tokens = hybrid_tokens(in->now);
    if (a != 0 && !hybrid_tokens_equal(in->now, &tokens)) {
        return false;
    }
    writer_u64_grouped(out, tokens);
    return true;
}

static int find_run(const char *name) {
    int i = 0;
    while (i < hybrid_run_count() && strcmp(hybrid_run_name(i), name) != 0) {
        i++;
    }
    return i < hybrid_run_count() ? i : -1;
}

/* Of Megatron-Turing: GPUs of one replica, or of all (a). */
static bool write_turing(const struct lesson_input *in, int a, struct writer *out) {
    uint64_t dp, tp, pp;
    int run = find_run("mt-nlg-530b");
    (void)in;
    if (run < 0 || !hybrid_run_degrees(run, &dp, &tp, &pp)) {
        return false;
    }
    writer_u64_grouped(out, tp * pp * (a != 0 ? dp : 1));
    return true;
}

/* "8 × 35": the degrees inside one replica. */
static bool write_turing_product(const struct lesson_input *in, int a, struct writer *out) {
    uint64_t dp, tp, pp;
    int run = find_run("mt-nlg-530b");
    (void)in;
    (void)a;
    if (run < 0 || !hybrid_run_degrees(run, &dp, &tp, &pp)) {
        return false;
    }
    writer_u64(out, tp);
    writer_text(out, " × ");
    writer_u64(out, pp);
    return true;
}

static bool at_stage(const struct scenario *s, int zero, struct scenario *out) {
    const struct hybrid_change change = {.zero = zero};
    return hybrid_changed(s, &change, out);
}

static bool write_stage_memory(const struct lesson_input *in, int a, struct writer *out) {
    struct scenario other;
    struct calc_memory m;
    struct message unused;
    if (!at_stage(in->now, a, &other) || calc_memory_worst(&other, &m, &unused) != STATUS_OK) {
        return false;
    }
    write_bytes(out, m.total_bytes);
    return true;
}

static bool write_stage_sent(const struct lesson_input *in, int a, struct writer *out) {
    struct scenario other;
    struct hybrid_axis axes[HYBRID_AXES];
    if (!at_stage(in->now, a, &other) || !hybrid_axes_of(&other, axes)) {
        return false;
    }
    write_bytes(out, axes[DP].sent_bytes);
    return true;
}

static bool write_reductions(const struct lesson_input *in, int a, struct writer *out) {
    struct scenario other;
    if (!at_stage(in->now, a, &other)) {
        return false;
    }
    writer_u64_grouped(out, hybrid_reductions(&other));
    return true;
}

static bool write_own(const struct lesson_input *in, int a, struct writer *out) {
    writer_u64_grouped(out, hybrid_number(in, (enum hybrid_knob)a));
    return true;
}

static const struct figure_row {
    const char *name;
    figure_write *write; /* false: not defined here */
    int a;
} figures[] = {
    {"gpus", write_count, COUNT_GPUS},
    {"nodes", write_count, COUNT_NODES},
    {"node", write_count, COUNT_NODE},
    {"tp", write_count, COUNT_TP},
    {"pp", write_count, COUNT_PP},
    {"dp", write_count, COUNT_DP},
    {"micro_batches", write_count, COUNT_BATCHES},
    {"speed", write_speed, 0},
    {"tp_sent", write_axis, TP},
    {"pp_sent", write_axis, PP},
    {"dp_sent", write_axis, DP},
    {"order_bytes", write_order, HYBRID_BY_BYTES},
    {"order_time", write_order, HYBRID_BY_TIME},
    {"network", write_network, 0},
    {"network_wide", write_network, 1},
    {"tokens", write_tokens, 0},
    {"tokens_equal", write_tokens, 1},
    {"turing_product", write_turing_product, 0},
    {"turing_replica", write_turing, 0},
    {"turing_gpus", write_turing, 1},
    {"total_zero1", write_stage_memory, 1},
    {"total_zero2", write_stage_memory, 2},
    {"sent_zero1", write_stage_sent, 1},
    {"sent_zero2", write_stage_sent, 2},
    {"reductions_zero1", write_reductions, 1},
    {"reductions_zero2", write_reductions, 2},
    {"plan_gpus", write_own, HYBRID_GPUS},
    {"plan_batch", write_own, HYBRID_GLOBAL_BATCH},
};

bool hybrid_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) != 0) {
            continue;
        }
        char text[128];
        struct writer w;
        writer_start(&w, text, sizeof text);
        writer_text(out, figures[i].write(in, figures[i].a, &w) ? text : "—");
        return true;
    }
    return false;
}
