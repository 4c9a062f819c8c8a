/* How long the rows of calc_comm take and what of it computation does not hide, by the rules in comm.h. The α–β model:
 * every call of a ring has N − 1 messages (an all-reduce twice as many), every message costs α, bytes go at the link's
 * rate. Pure; part of calc_comm_on_stage. Proof: tests/unit/calc/test_comm_time.c. */
#include "comm_private.h"
#include "shardlab/calc/collective.h"
#include "shardlab/calc/flops.h"

/* Seconds of one micro-batch on the stage; all 0 when unknown. */
struct compute {
    bool known;
    double forward, backward, attention;
};

static enum status compute_of(const struct scenario *s, uint64_t stage, struct compute *out,
                              struct message *why) {
    double rate = scenario_flops_per_s(s);
    struct calc_flops_stage f;
    *out = (struct compute){.known = rate > 0};
    if (!out->known) {
        return STATUS_OK;
    }
    enum status ok = calc_flops_on_stage(s, stage, &f, why);
    if (ok == STATUS_OK) {
        out->forward = f.forward / rate;
        out->backward = (f.input_grad + f.weight_grad + f.recompute) / rate;
        out->attention = f.attention / rate;
    }
    return ok;
}

static double rate_of(const struct scenario *s, enum calc_link link) {
    const struct calc_cluster *c = &s->cluster;
    const double rates[] = {
        [CALC_LINK_NODE] = c->link_gb_per_s,
        [CALC_LINK_NETWORK] = c->net_gb_per_s,
        [CALC_LINK_PCIE] = c->pcie_gb_per_s,
        [CALC_LINK_NVME] = c->nvme_gb_per_s,
    };
    return rates[link] * 1e9;
}

/* Messages of one call that follow each other; an all-to-all goes pair by pair. */
static double messages_of(const struct calc_comm_row *row) {
    struct calc_exchange x = {.kind = CALC_EXCHANGE_ALL_GATHER,
                              .algorithm = CALC_ALGORITHM_RING,
                              .element_bytes = 1,
                              .ranks = (uint32_t)row->ranks};
    switch (row->collective) {
    case CALC_ALL_REDUCE:
        x.kind = CALC_EXCHANGE_ALL_REDUCE;
        return calc_exchange_rounds(&x);
    case CALC_REDUCE_SCATTER:
    case CALC_ALL_GATHER:
    case CALC_ALL_TO_ALL:
        return calc_exchange_rounds(&x);
    case CALC_SEND:
    case CALC_WRITE:
    case CALC_READ:
        break;
    }
    return 1;
}

/* What hides a row, once. */
static double window_of(const struct compute *c, enum calc_hide hide) {
    switch (hide) {
    case CALC_HIDE_FORWARD:
        return c->forward;
    case CALC_HIDE_BACKWARD:
        return c->backward;
    case CALC_HIDE_ATTENTION:
        return c->attention;
    case CALC_HIDE_ATTENTION_BACKWARD:
        return 2 * c->attention;
    case CALC_HIDE_PAIR:
        return c->forward + c->backward;
    case CALC_HIDE_NOTHING:
    case CALC_HIDE_STEADY:
        break;
    }
    return 0;
}

enum { HIDES = CALC_HIDE_STEADY + 1 };

/* Time that earlier rows on the same link took of a window; PCIe carries both directions at once. */
struct used {
    double s[HIDES][CALC_LINKS], out_of_gpu[HIDES];
};

static double *taken_of(struct used *used, const struct calc_comm_row *row) {
    bool out = row->link == CALC_LINK_PCIE && row->collective == CALC_WRITE;
    return out ? &used->out_of_gpu[row->hide] : &used->s[row->hide][row->link];
}

uint64_t calc_pipeline_messages(const struct scenario *s) {
    const struct calc_layout *l = &s->layout;
    uint64_t p = l->pp, links = p - 1;
    if (p == 1) {
        return 0;
    }
    switch ((enum calc_schedule)l->schedule) {
    case CALC_SCHEDULE_1F1B: /* there and back again for every round of p micro-batches */
        return 2 * links + 2 * (links - 1) +
               2 * links * (checked_div_up(s->batch.micro_batches, p) - 1);
    case CALC_SCHEDULE_ZB_H1:
    case CALC_SCHEDULE_ZB_V:
    case CALC_SCHEDULE_DUALPIPEV:
        return 4 * links;
    case CALC_SCHEDULE_LOOPED_BFS: /* a second round of micro-batches covers the way to the next chunk */
        return 2 * (p * (s->batch.micro_batches < 2 * p ? l->chunks : 1) - 1);
    case CALC_SCHEDULE_INTERLEAVED:
    case CALC_SCHEDULE_ZB_INTERLEAVED: /* through every chunk and back, once */
        return 2 * (p * l->chunks - 1);
    default:
        return 2 * links;
    }
}

/* The rows of a stage share what the step waits for: half of it each way, all of it where a stage sends one way. */
static void expose_pipeline(const struct scenario *s, const struct calc_comm *c,
                            struct calc_comm_row *row) {
    int ways = 0;
    for (int i = 0; i < c->row_count; i++) {
        ways += c->rows[i].hide == CALC_HIDE_STEADY ? 1 : 0;
    }
    double message = row->time_s / (double)row->count;
    row->exposed_s = message * (double)calc_pipeline_messages(s) / ways;
}

static void expose(const struct compute *c, struct used *used, struct calc_comm_row *row) {
    row->exposed_known = row->time_known;
    row->exposed_s = row->time_known ? row->time_s : 0;
    if (!row->time_known || row->hide == CALC_HIDE_NOTHING || row->hide == CALC_HIDE_STEADY) {
        return;
    }
    if (!c->known) {
        row->exposed_known = false;
        row->exposed_s = 0;
        return;
    }
    double windows = (double)row->windows;
    double once = row->time_s / windows;
    double *taken = taken_of(used, row);
    double room = window_of(c, row->hide) - *taken;
    double over = once - (room > 0 ? room : 0);
    double least = row->least * once;
    over = over > least ? over : least;
    *taken += once;
    if (row->hide == CALC_HIDE_PAIR) { /* the others run where no backward is beside them */
        over = row->paired * over + (1 - row->paired) * once;
    }
    row->exposed_s = windows * over;
}

enum status comm_time_all(const struct scenario *s, struct calc_comm *out, struct message *why) {
    struct compute c;
    struct used used = {.out_of_gpu = {0}};
    enum status ok = compute_of(s, out->stage, &c, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    out->compute_known = c.known;
    out->compute_s = (double)s->batch.micro_batches * (c.forward + c.backward);
    out->exposed_s = 0;
    out->exposed_known = out->total_known;
    for (int i = 0; i < out->row_count; i++) {
        struct calc_comm_row *row = &out->rows[i];
        double rate = rate_of(s, row->link);
        row->time_known = rate > 0;
        row->time_s = 0;
        if (row->time_known) {
            row->time_s = (double)row->count * messages_of(row) * s->cluster.alpha_us * 1e-6 +
                          (double)row->sent_bytes / rate;
        }
        expose(&c, &used, row);
        if (row->hide == CALC_HIDE_STEADY && row->time_known) {
            expose_pipeline(s, out, row);
        }
        out->exposed_s += row->exposed_s;
        out->exposed_known = out->exposed_known && row->exposed_known;
    }
    return STATUS_OK;
}
