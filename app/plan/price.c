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
    for (uint64_t stage = 0, next = 0; stage < s->layout.pp; stage = next) {
        struct calc_flops_stage f;
        next = calc_stage_unlike(s, stage);
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
        out->compute_s += (double)(next - stage) * compute / pp;
        out->recompute_s += (double)(next - stage) * again / pp;
    }
    return STATUS_OK;
}

bool plan_price_pace(const struct scenario *s, const struct plan_space *space,
                     const struct plan_pace *pace, struct plan_layout *out) {
    double sequences = (double)s->batch.micro_batches * (double)s->batch.micro_batch;
    if (!plan_pipeline_idle(space, s, pace, &out->idle)) {
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

/* How much longer messages make a step whose pipeline is run, instead of what the communication calculator counts. */
static bool run_messages(const struct scenario *s, const struct plan_group_facts *facts,
                         const struct calc_comm_row *row, double *out_s) {
    double micro_batch_s = (double)s->batch.micro_batch * facts->pace->slowest_s;
    struct plan_pace with_messages = *facts->pace;
    double alone = 0, delayed = 0;
    with_messages.latency = row->time_s / (double)row->count / micro_batch_s;
    if (!plan_pipeline_idle(facts->space, s, facts->pace, &alone) ||
        !plan_pipeline_idle(facts->space, s, &with_messages, &delayed)) {
        return false;
    }
    *out_s = delayed > alone ? (delayed - alone) * micro_batch_s : 0;
    return true;
}

static enum status no_time(const struct scenario *s, struct message *why) {
    message_start(why, "error.plan.regime");
    message_add_text(why,
                     calc_option_at(calc_option_index("schedule"))->choices[s->layout.schedule]);
    message_add_plain(why, s->batch.micro_batches);
    message_add_plain(why, s->layout.pp);
    return STATUS_USAGE;
}

/* The exposed times of the rows, term by term. */
static enum status add_rows(const struct scenario *s, const struct plan_group_facts *facts,
                            const struct calc_comm *comm, struct plan_layout *out,
                            struct message *why) {
    static const enum plan_term term_of[] = {
        [CALC_AXIS_DP] = PLAN_DP, [CALC_AXIS_TP] = PLAN_TP, [CALC_AXIS_PP] = PLAN_PP,
        [CALC_AXIS_CP] = PLAN_CP, [CALC_AXIS_EP] = PLAN_EP, [CALC_AXIS_OFFLOAD] = PLAN_OFFLOAD,
    };
    bool pipeline_done = !plan_is_run(s->layout.schedule);
    for (int i = 0; i < comm->row_count; i++) {
        const struct calc_comm_row *row = &comm->rows[i];
        bool of_pipeline = row->hide == CALC_HIDE_STEADY && plan_is_run(s->layout.schedule);
        double exposed_s = row->exposed_s;
        if (!row->exposed_known) {
            message_start(why, "error.plan.link");
            message_add_text(why, calc_link_name(row->link));
            return STATUS_USAGE;
        }
        if (of_pipeline && pipeline_done) {
            continue; /* both ways were in the one order */
        }
        if (of_pipeline && !run_messages(s, facts, row, &exposed_s)) {
            return no_time(s, why);
        }
        pipeline_done = pipeline_done || of_pipeline;
        out->term_s[term_of[row->axis]] += exposed_s;
    }
    return STATUS_OK;
}

enum status plan_price_rest(const struct scenario *s, const struct plan_group_facts *facts,
                            struct plan_layout *out, struct plan_inside *waits,
                            struct message *why) {
    struct calc_comm comm;
    enum status ok = calc_comm_step_figures(s, &comm, why);
    ok = ok == STATUS_OK ? add_rows(s, facts, &comm, out, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    /* what every micro-batch waits for stretches the bubble too */
    double inside = out->term_s[PLAN_TP] + out->term_s[PLAN_CP] + out->term_s[PLAN_EP];
    double clear_bytes = (1 - PLAN_ROUNDING) * (double)comm.total_sent_bytes;
    *waits = (struct plan_inside){.s = inside,
                                  .micro_batch = s->batch.micro_batch,
                                  .clear = (double)comm.next_sent_bytes < clear_bytes};
    out->term_s[PLAN_BUBBLE] += out->idle * inside / (double)s->batch.micro_batches;
    out->step_s = 0;
    for (int i = 0; i < PLAN_TERMS; i++) {
        out->step_s += out->term_s[i];
    }
    out->mfu = facts->ideal_s / out->step_s;
    return STATUS_OK;
}

enum status plan_inside_least(const struct scenario *s, struct plan_inside *out,
                              struct message *why) {
    enum status ok = STATUS_OK;
    *out = (struct plan_inside){.s = INFINITY, .micro_batch = s->batch.micro_batch, .clear = true};
    for (uint64_t stage = 0; stage < s->layout.pp && ok == STATUS_OK;
         stage = calc_stage_unlike(s, stage)) {
        struct calc_comm comm;
        double inside = 0;
        ok = calc_comm_on_stage_figures(s, stage, &comm, why);
        for (int i = 0; ok == STATUS_OK && i < comm.row_count; i++) {
            const struct calc_comm_row *row = &comm.rows[i];
            bool waits =
                row->axis == CALC_AXIS_TP || row->axis == CALC_AXIS_CP || row->axis == CALC_AXIS_EP;
            inside += waits ? row->exposed_s : 0;
        }
        out->s = inside < out->s ? inside : out->s;
    }
    return ok;
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

enum status plan_price_in(const struct scenario *s, const struct plan_space *space,
                          struct plan_layout *out, struct message *why) {
    struct calc_memory worst;
    struct plan_pace pace;
    struct plan_group_facts facts = {.space = space, .pace = &pace};
    struct plan_inside unused;
    struct scenario one = *s;
    plan_read(s, out);
    one.batch.micro_batch = 1;
    plan_space_start(space);
    enum status ok = plan_check_schedule(s, space, why);
    if (ok == STATUS_OK) {
        ok = calc_memory_worst_figures(s, &worst, why);
    }
    if (ok == STATUS_OK) {
        out->total_bytes = worst.total_bytes;
        ok = plan_pace_of(&one, &pace, why);
    }
    if (ok == STATUS_OK) {
        ok = plan_ideal_s(s, &facts.ideal_s, why);
    }
    if (ok == STATUS_OK) {
        ok = plan_price_pace(s, space, &pace, out) ? plan_price_rest(s, &facts, out, &unused, why)
                                                   : no_time(s, why);
    }
    return ok;
}

enum status plan_price(const struct scenario *s, struct plan_layout *out, struct message *why) {
    return plan_price_in(s, NULL, out, why);
}
