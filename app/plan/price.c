/* What a layout costs: its memory by calc_memory_worst, the time of its step by computation, bubble and exposed
 * communication. Called by search.c for thousands of layouts and by `shardlab plan` for one. Pure; nothing is owned.
 * Proof: tests/unit/plan/test_price.c (the pipeline's simulation, and each term by itself). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/schedule.h"
#include "shardlab/pipe/closed_form.h"

const char *plan_term_name(enum plan_term term) {
    static const char *const names[] = {
        [PLAN_COMPUTE] = "compute",
        [PLAN_RECOMPUTE] = "recompute",
        [PLAN_IMBALANCE] = "imbalance",
        [PLAN_BUBBLE] = "bubble",
        [PLAN_TP] = "tp",
        [PLAN_CP] = "cp",
        [PLAN_EP] = "ep",
        [PLAN_PP] = "pp",
        [PLAN_DP] = "dp",
        [PLAN_OFFLOAD] = "offload",
    };
    assert(term < PLAN_TERMS);
    return names[term];
}

double plan_nanoseconds(double seconds) {
    return floor(seconds * 1e9 + 0.5);
}

void plan_read(const struct scenario *s, struct plan_layout *out) {
    memset(out, 0, sizeof *out);
    const struct calc_layout *l = &s->layout;
    out->dp = l->dp;
    out->tp = l->tp;
    out->pp = l->pp;
    out->cp = l->cp;
    out->ep = l->ep;
    out->chunks = l->chunks;
    out->zero = l->zero;
    out->sequence_parallel = l->sequence_parallel && l->tp > 1;
    out->schedule = l->schedule;
    out->recompute = s->recipe.recompute;
    out->micro_batch = s->batch.micro_batch;
    out->micro_batches = s->batch.micro_batches;
}

/* True if `stage` holds the same kinds of layers as the one before, and no head. */
static bool like_the_one_before(const struct scenario *s, uint64_t stage) {
    return stage > 0 && !calc_has_head(s, stage) && !calc_has_head(s, stage - 1) &&
           calc_layers_on_stage(s, stage) == calc_layers_on_stage(s, stage - 1) &&
           calc_dense_layers_on_stage(s, stage) == calc_dense_layers_on_stage(s, stage - 1);
}

enum status plan_pace_of(const struct scenario *s, struct plan_pace *out, struct message *why) {
    double speed = scenario_flops_per_s(s) * (double)s->batch.micro_batch;
    double pp = (double)s->layout.pp;
    double compute = 0, again = 0;
    *out = (struct plan_pace){0};
    for (uint64_t stage = 0; stage < s->layout.pp; stage++) {
        struct calc_flops_stage f;
        if (!like_the_one_before(s, stage)) {
            enum status ok = calc_flops_on_stage(s, stage, &f, why);
            if (ok != STATUS_OK) {
                return ok;
            }
            compute = (f.forward + f.input_grad + f.weight_grad) / speed;
            again = f.recompute / speed;
            if (compute + again > out->slowest_s) {
                out->slowest_s = compute + again;
                out->forward = f.forward / speed / out->slowest_s;
                out->input_grad = (f.input_grad + f.recompute) / speed / out->slowest_s;
            }
        }
        out->compute_s += compute / pp;
        out->recompute_s += again / pp;
    }
    return STATUS_OK;
}

/* Ticks of a forward and both backwards of one chunk together: enough that rounding does not show. */
#define TICKS (UINT64_C(1) << 40)

/* Idle time of a rank in micro-batches of its stage. False: no formula holds. */
static bool idle_of(const struct scenario *s, const struct plan_pace *pace, double *out) {
    static const enum pipe_schedule schedules[] = {
        [CALC_SCHEDULE_1F1B] = PIPE_1F1B,
        [CALC_SCHEDULE_GPIPE] = PIPE_GPIPE,
        [CALC_SCHEDULE_INTERLEAVED] = PIPE_INTERLEAVED,
        [CALC_SCHEDULE_LOOPED_BFS] = PIPE_LOOPED_BFS,
        [CALC_SCHEDULE_ZB_H1] = PIPE_ZB_H1,
        [CALC_SCHEDULE_ZB_H2] = PIPE_ZB_H2,
        [CALC_SCHEDULE_ZB_INTERLEAVED] = PIPE_ZB_INTERLEAVED,
        [CALC_SCHEDULE_ZB_V] = PIPE_ZB_V,
        [CALC_SCHEDULE_DUALPIPE] = PIPE_DUALPIPE,
        [CALC_SCHEDULE_DUALPIPEV] = PIPE_DUALPIPEV,
        [CALC_SCHEDULE_CHIMERA] = PIPE_CHIMERA,
    };
    if (s->layout.pp == 1) {
        *out = 0;
        return true;
    }
    if (s->batch.micro_batches > PIPE_MICRO_BATCHES_MAX || s->layout.chunks > PIPE_CHUNKS_MAX) {
        return false;
    }
    struct pipe_request in = {.schedule = schedules[s->layout.schedule],
                              .ranks = (uint32_t)s->layout.pp,
                              .micro_batches = (uint32_t)s->batch.micro_batches,
                              .chunks = (uint32_t)s->layout.chunks};
    struct pipe_request settled;
    struct pipe_shape shape;
    struct message unused;
    uint64_t ticks = 0;
    struct pipe_equal_times times = {.f = (uint64_t)(pace->forward * (double)TICKS),
                                     .b = (uint64_t)(pace->input_grad * (double)TICKS)};
    times.w = TICKS - times.f - times.b;
    if (pipe_request_settle(&in, &settled, &shape, &unused) != STATUS_OK ||
        !pipe_closed_idle(&settled, &times, &ticks)) {
        return false;
    }
    *out = (double)ticks / (double)TICKS / (double)s->layout.chunks;
    return true;
}

bool plan_price_pace(const struct scenario *s, const struct plan_pace *pace,
                     struct plan_layout *out) {
    double sequences = (double)s->batch.micro_batches * (double)s->batch.micro_batch;
    if (!idle_of(s, pace, &out->idle)) {
        return false;
    }
    out->term_s[PLAN_COMPUTE] = sequences * pace->compute_s;
    out->term_s[PLAN_RECOMPUTE] = sequences * pace->recompute_s;
    /* rounding of the mean must not make equal stages differ */
    double uneven = pace->slowest_s - pace->compute_s - pace->recompute_s;
    out->term_s[PLAN_IMBALANCE] = uneven > 1e-9 * pace->slowest_s ? sequences * uneven : 0;
    out->term_s[PLAN_BUBBLE] = out->idle * (double)s->batch.micro_batch * pace->slowest_s;
    out->bubble = out->idle / (out->idle + (double)s->batch.micro_batches);
    out->step_s = 0;
    for (int i = 0; i < PLAN_TERMS; i++) {
        out->step_s += out->term_s[i];
    }
    return true;
}

enum status plan_price_rest(const struct scenario *s, double ideal_s, struct plan_layout *out,
                            struct message *why) {
    static const enum plan_term term_of[] = {
        [CALC_AXIS_DP] = PLAN_DP, [CALC_AXIS_TP] = PLAN_TP, [CALC_AXIS_PP] = PLAN_PP,
        [CALC_AXIS_CP] = PLAN_CP, [CALC_AXIS_EP] = PLAN_EP, [CALC_AXIS_OFFLOAD] = PLAN_OFFLOAD,
    };
    struct calc_comm comm;
    enum status ok = calc_comm_step(s, &comm, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        if (!row->exposed_known) {
            message_start(why, "error.plan.link");
            message_add_text(why, calc_link_name(row->link));
            return STATUS_USAGE;
        }
        out->term_s[term_of[row->axis]] += row->exposed_s;
    }
    /* what every micro-batch waits for stretches the bubble too */
    double inside = out->term_s[PLAN_TP] + out->term_s[PLAN_CP] + out->term_s[PLAN_EP];
    out->term_s[PLAN_BUBBLE] += out->idle * inside / (double)s->batch.micro_batches;
    out->step_s = 0;
    for (int i = 0; i < PLAN_TERMS; i++) {
        out->step_s += out->term_s[i];
    }
    out->mfu = ideal_s / out->step_s;
    return STATUS_OK;
}

enum status plan_ideal_s(const struct scenario *s, double *out, struct message *why) {
    struct calc_flops f;
    const struct calc_layout *l = &s->layout;
    enum status ok = calc_flops_per_token(s, &f, why);
    double gpus = (double)l->dp * (double)l->tp * (double)l->pp * (double)l->cp;
    double tokens = (double)s->batch.seq * (double)s->batch.micro_batch *
                    (double)s->batch.micro_batches * (double)l->dp;
    *out = ok == STATUS_OK ? (double)f.model * tokens /
                                 (gpus * s->cluster.peak_tflops[s->recipe.precision] * 1e12)
                           : 0;
    return ok;
}

enum status plan_price(const struct scenario *s, struct plan_layout *out, struct message *why) {
    struct calc_memory worst;
    struct plan_pace pace;
    struct scenario one = *s;
    double ideal_s = 0;
    plan_read(s, out);
    one.batch.micro_batch = 1;
    enum status ok = calc_memory_worst(s, &worst, why);
    if (ok == STATUS_OK) {
        out->total_bytes = worst.total_bytes;
        ok = plan_pace_of(&one, &pace, why);
    }
    if (ok == STATUS_OK) {
        ok = plan_ideal_s(s, &ideal_s, why);
    }
    if (ok == STATUS_OK) {
        ok = STATUS_USAGE;
        if (plan_price_pace(s, &pace, out)) {
            ok = plan_price_rest(s, ideal_s, out, why);
        } else {
            message_start(why, "error.plan.regime");
            message_add_text(
                why, calc_option_at(calc_option_index("schedule"))->choices[s->layout.schedule]);
            message_add_plain(why, s->batch.micro_batches);
            message_add_plain(why, s->layout.pp);
        }
    }
    return ok;
}
