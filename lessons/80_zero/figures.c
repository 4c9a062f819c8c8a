/* The numbers inside the words of the lesson on ZeRO: {{saving1}}, {{floor_ranks}}. All from the calculators, with the
 * learner's scenario or, for what the ZeRO paper says, with the paper's own. What is not determined is a dash. Writes
 * into the caller's writer. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include <math.h>

#include "../value_private.h"
#include "../what_if_private.h"
#include "shardlab/calc/memory.h"
#include "zero_private.h"

/* --- What is divided --- */

/* 7B parameters by the paper's count, or with one thing changed. */
enum scheme { PAPER, PAPER_FP32, MEGATRON };

static bool scheme_of(int scheme, struct scenario *out) {
    scenario_start(out);
    return what_if_set(out, "params", "7B") &&
           what_if_set(out, "convention", scheme == MEGATRON ? "megatron" : "zero-paper") &&
           what_if_set(out, "precision", scheme == PAPER_FP32 ? "fp32" : "bf16") &&
           what_if_settle(out);
}

enum { STAGE_BITS = 4 };
#define OF(scheme, stage) ((scheme) << STAGE_BITS | (stage))

static bool write_limit(const struct lesson_input *in, int a, struct writer *w) {
    struct scenario s;
    (void)in;
    if (!scheme_of(a >> STAGE_BITS, &s)) {
        return false;
    }
    value_real(w, calc_zero_saving_limit(&s, (uint64_t)a & ((1U << STAGE_BITS) - 1)), 2);
    return true;
}

static bool write_saving(const struct lesson_input *in, int stage, struct writer *w) {
    const struct scenario *s = in->now;
    if (!calc_convention_defines(s->convention, (uint64_t)stage)) {
        return false;
    }
    value_real(w, calc_zero_saving(s, (uint64_t)stage, zero_sharding_ranks(s, s->layout.dp)), 2);
    return true;
}

/* Fewest ranks with which the paper's count saves nine tenths of its limit. */
static bool write_need(const struct lesson_input *in, int stage, struct writer *w) {
    const double enough = 0.9;
    const uint64_t most = UINT64_C(1) << 12;
    struct scenario s;
    (void)in;
    if (!scheme_of(PAPER, &s)) {
        return false;
    }
    double limit = calc_zero_saving_limit(&s, (uint64_t)stage);
    for (uint64_t ranks = 1; ranks < most; ranks++) {
        if (calc_zero_saving(&s, (uint64_t)stage, ranks) >= enough * limit * (1 - 1e-12)) {
            writer_u64(w, ranks);
            return true;
        }
    }
    return false;
}

static bool write_ranks(const struct lesson_input *in, int a, struct writer *w) {
    (void)a;
    writer_u64(w, in->now->layout.dp);
    return true;
}

/* --- What is sent --- */

enum { EXAMPLE = 4 };

/* Micro-batches of the words on accumulation: the learner's, or an example where there is only one. */
static uint64_t micro_batches_of(const struct scenario *s) {
    return s->batch.micro_batches > 1 ? s->batch.micro_batches : EXAMPLE;
}

static bool write_micro_batches(const struct lesson_input *in, int a, struct writer *w) {
    (void)a;
    writer_u64(w, micro_batches_of(in->now));
    return true;
}

/* What the words tell of a stage, whatever the knobs for the ways out stand at: weights freed after use, and whole
 * gradients kept until the last micro-batch only where the stage has room for them. */
static bool usual_traffic(const struct scenario *s, int stage, uint64_t micro_batches,
                          struct data_traffic *out) {
    struct scenario usual = *s;
    return what_if_set(&usual, "reshard", "yes") &&
           what_if_set(&usual, "reduce", stage >= 2 ? "every" : "boundary") &&
           zero_traffic(&usual, (uint64_t)stage, micro_batches, out);
}

static bool write_sent(const struct lesson_input *in, int stage, struct writer *w) {
    struct data_traffic traffic;
    if (!usual_traffic(in->now, stage, 1, &traffic)) {
        return false;
    }
    value_bytes(w, traffic.total_bytes);
    return true;
}

static bool write_every(const struct lesson_input *in, int stage, struct writer *w) {
    struct data_traffic traffic;
    if (!usual_traffic(in->now, stage, micro_batches_of(in->now), &traffic)) {
        return false;
    }
    value_bytes(w, traffic.total_bytes);
    return true;
}

/* Against plain data parallelism with as many micro-batches. */
static bool ratio_of(const struct scenario *s, int stage, uint64_t micro_batches, double *out) {
    struct data_traffic plain, traffic;
    if (!usual_traffic(s, 0, micro_batches, &plain) ||
        !usual_traffic(s, stage, micro_batches, &traffic) || plain.total_bytes == 0) {
        return false;
    }
    *out = (double)traffic.total_bytes / (double)plain.total_bytes;
    return true;
}

static bool write_ratio(const struct lesson_input *in, int stage, struct writer *w) {
    double ratio = 0;
    if (!ratio_of(in->now, stage, 1, &ratio)) {
        return false;
    }
    value_real(w, ratio, 2);
    return true;
}

/* As it is said: of the paper's formats. */
static bool write_said(const struct lesson_input *in, int stage, struct writer *w) {
    const uint64_t ranks = 8; /* the ratio is the same for any number */
    struct scenario s;
    double ratio = 0;
    (void)in;
    if (!scheme_of(PAPER, &s) || !what_if_count(&s, "dp", ranks) || !what_if_settle(&s) ||
        !ratio_of(&s, stage, 1, &ratio)) {
        return false;
    }
    value_real(w, ratio, 2);
    return true;
}

static bool write_ratio_every(const struct lesson_input *in, int stage, struct writer *w) {
    double ratio = 0;
    if (!ratio_of(in->now, stage, micro_batches_of(in->now), &ratio)) {
        return false;
    }
    value_real(w, ratio, 2);
    return true;
}

/* Percent that ZeRO-1 sends less than plain data parallelism when gradients are FP32. */
static bool write_less(const struct lesson_input *in, int a, struct writer *w) {
    struct scenario other = *in->now;
    double ratio = 0;
    (void)a;
    if (!what_if_set(&other, "grad-bytes", "4") || !what_if_settle(&other) ||
        !ratio_of(&other, 1, 1, &ratio)) {
        return false;
    }
    value_real(w, 100 * (1 - ratio), 0);
    return true;
}

static bool write_exposed(const struct lesson_input *in, int stage, struct writer *w) {
    struct data_traffic traffic;
    if (!zero_traffic(in->now, (uint64_t)stage, 1, &traffic) || !traffic.exposed_known) {
        return false;
    }
    value_seconds(w, traffic.exposed_s);
    return true;
}

/* --- Against tensor parallelism --- */

static bool write_way_calls(const struct lesson_input *in, int how, struct writer *w) {
    struct zero_way way;
    if (!zero_way_of(in->now, (enum zero_how)how, in->now->batch.micro_batch, &way)) {
        return false;
    }
    value_real(w, way.collectives, 1);
    return true;
}

static bool write_way_calls_full(const struct lesson_input *in, int how, struct writer *w) {
    struct scenario other = *in->now;
    struct zero_way way;
    if (!what_if_set(&other, "recompute", "full") || !what_if_settle(&other) ||
        !zero_way_of(&other, (enum zero_how)how, other.batch.micro_batch, &way)) {
        return false;
    }
    value_real(w, way.collectives, 1);
    return true;
}

static bool write_way_sent(const struct lesson_input *in, int how, struct writer *w) {
    struct zero_way way;
    if (!zero_way_of(in->now, (enum zero_how)how, in->now->batch.micro_batch, &way)) {
        return false;
    }
    value_bytes(w, way.sent_bytes);
    return true;
}

/* Tensor parallelism on as many sequences as the data ranks work on in a step. */
static bool write_way_same(const struct lesson_input *in, int a, struct writer *w) {
    struct zero_way way;
    (void)a;
    if (!zero_way_of(in->now, ZERO_BY_TENSOR, in->now->batch.micro_batch, &way)) {
        return false;
    }
    value_bytes(w, in->now->layout.dp * way.sent_bytes); /* ranks ≤ heads, far from 2^64 */
    return true;
}

/* --- FSDP --- */

enum part { SHARD, GATHERED };
enum { MODE_BITS = 4 };
#define PART(mode, part) ((mode) << MODE_BITS | (part))

static bool write_memory(const struct lesson_input *in, int a, struct writer *w) {
    struct zero_memory memory;
    if (!zero_memory_of(in->now, (enum zero_mode)(a >> MODE_BITS), 0, &memory)) {
        return false;
    }
    bool shard = (a & ((1 << MODE_BITS) - 1)) == SHARD;
    value_bytes(w, shard ? memory.shard_bytes : memory.gathered_bytes);
    return true;
}

static bool write_floor_ranks(const struct lesson_input *in, int a, struct writer *w) {
    uint64_t ranks = 0;
    (void)a;
    if (!zero_floor_ranks(in->now, &ranks)) {
        return false;
    }
    writer_u64(w, ranks);
    return true;
}

static const struct value_row rows[] = {
    {"ranks", write_ranks, 0},
    {"limit1", write_limit, OF(PAPER, 1)},
    {"limit2", write_limit, OF(PAPER, 2)},
    {"limit1_fp32", write_limit, OF(PAPER_FP32, 1)},
    {"limit2_fp32", write_limit, OF(PAPER_FP32, 2)},
    {"limit1_megatron", write_limit, OF(MEGATRON, 1)},
    {"saving1", write_saving, 1},
    {"saving2", write_saving, 2},
    {"saving3", write_saving, 3},
    {"need1", write_need, 1},
    {"need2", write_need, 2},
    {"sent0", write_sent, 0},
    {"sent1", write_sent, 1},
    {"sent3", write_sent, 3},
    {"ratio3", write_ratio, 3},
    {"said3", write_said, 3},
    {"less", write_less, 0},
    {"exposed0", write_exposed, 0},
    {"exposed1", write_exposed, 1},
    {"micro_batches", write_micro_batches, 0},
    {"every0", write_every, 0},
    {"every2", write_every, 2},
    {"every3", write_every, 3},
    {"times2", write_ratio_every, 2},
    {"times3", write_ratio_every, 3},
    {"data_calls", write_way_calls, ZERO_BY_DATA},
    {"tensor_calls", write_way_calls, ZERO_BY_TENSOR},
    {"tensor_calls_full", write_way_calls_full, ZERO_BY_TENSOR},
    {"data_sent", write_way_sent, ZERO_BY_DATA},
    {"tensor_sent", write_way_sent, ZERO_BY_TENSOR},
    {"tensor_same", write_way_same, 0},
    {"shard", write_memory, PART(ZERO_FULL, SHARD)},
    {"gathered", write_memory, PART(ZERO_FULL, GATHERED)},
    {"gathered_all", write_memory, PART(ZERO_GRADIENTS, GATHERED)},
    {"floor_ranks", write_floor_ranks, 0},
};

bool zero_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    return value_find(rows, sizeof rows / sizeof rows[0], in, name, out);
}
