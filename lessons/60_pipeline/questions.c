/* The numbers of the questions of the lesson on pipelines: what is idle and of what it is a share, how many micro-batches keep
 * it small, how long a step takes, what is in flight, what is sent. Schedules really run (room pipe) or answer by their
 * closed form; bytes are the ledger's. Each wrong path is what a known mistake makes of the same inputs. Writes into the
 * caller's instance. Proof: tests/unit/lessons/test_questions.c, test_question_solutions.c. */
#include "pipeline_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "../question_line_private.h"
#include "shardlab/pipe/closed_form.h"

static const uint32_t stages_of[] = {2, 3, 4, 6, 8, 12, 16};

static double value_of(struct pipe_fraction f) {
    return (double)f.over / (double)f.under;
}

/* A schedule with stages as long as `f` and `b` (backward as a whole). */
static struct pipeline_ask ask_of(enum pipe_schedule schedule, uint32_t p, uint32_t m) {
    return (struct pipeline_ask){.schedule = schedule,
                                 .ranks = p,
                                 .micro_batches = m,
                                 .tf = 1,
                                 .tb = 1,
                                 .tw = 1,
                                 .ticks = 1};
}

static enum status run(const struct pipeline_ask *ask, struct pipeline_run *out,
                       struct message *why) {
    return pipeline_simulate(ask, out, why) == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static void say_shape(struct instance *out, uint32_t p, uint32_t m) {
    instance_figure_plain(out, "p", p);
    instance_figure_plain(out, "m", m);
}

/* --- The bubble and what it is a share of --- */

static void line_of(struct instance *out, const char *schedule, uint32_t p, uint32_t m) {
    question_line(out, "pipe --schedule %s --stages %u --micro-batches %u", schedule, p, m);
}

static enum status bubble_of(uint64_t seed, struct instance *out, struct pipeline_run *result,
                             struct message *why) {
    static const uint32_t micro_batches[] = {4, 6, 8, 12, 16, 24, 32};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, stages_of), m = QUESTION_PICK(&dice, micro_batches);
    struct pipeline_ask ask = ask_of(PIPE_1F1B, p, m);
    line_of(out, "1f1b", p, m);
    say_shape(out, p, m);
    return run(&ask, result, why);
}

static enum status share(uint64_t seed, struct instance *out, struct message *why) {
    struct pipeline_run r;
    enum status ok = bubble_of(seed, out, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    double p = r.shape.ranks, m = r.shape.micro_batches, right = value_of(r.run.bubble);
    struct instance_key *key = instance_key_add(out, ANSWER_SHARE, "%", right, 0.01);
    instance_path_add(key, "over-ideal", value_of(r.run.bubble_over_ideal));
    instance_path_add(key, "halved", (p - 1) / 2 / (m + (p - 1) / 2));
    instance_path_add(key, "all-stages", p / (m + p));
    question_said(question_answer_step(out), "(p−1) / (m+p−1)", "%.0f / (%.0f + %.0f)", p - 1, m,
                  p - 1);
    return STATUS_OK;
}

static enum status overhead(uint64_t seed, struct instance *out, struct message *why) {
    struct pipeline_run r;
    enum status ok = bubble_of(seed + 1000, out, &r, why); /* not the numbers of `share` */
    if (ok != STATUS_OK) {
        return ok;
    }
    double p = r.shape.ranks, m = r.shape.micro_batches;
    struct instance_key *key =
        instance_key_add(out, ANSWER_SHARE, "%", value_of(r.run.bubble_over_ideal), 0.01);
    instance_path_add(key, "of-total", value_of(r.run.bubble));
    instance_path_add(key, "halved", (p - 1) / 2 / m);
    instance_path_add(key, "all-stages", p / m);
    question_said(question_answer_step(out), "(p−1) / m", "%.0f / %.0f", p - 1, m);
    return STATUS_OK;
}

/* What the first question of the interview says in figures: one schedule, two shares. */
static enum status both_shares(uint64_t seed, struct instance *out, struct message *why) {
    enum { P = 4, M = 8 };
    static const enum pipe_schedule schedules[] = {PIPE_1F1B, PIPE_GPIPE};
    static const char *const names[] = {"held", "held_gpipe"};
    struct pipeline_run r;
    (void)seed;
    line_of(out, "1f1b", P, M);
    say_shape(out, P, M);
    for (int i = 0; i < 2; i++) {
        struct pipeline_ask ask = ask_of(schedules[i], P, M);
        if (run(&ask, &r, why) != STATUS_OK) {
            return STATUS_FAILED;
        }
        instance_figure_plain(out, names[i], r.run.ranks[0].peak_until_b);
    }
    instance_figure_value(out, "share", ANSWER_SHARE, "%", value_of(r.run.bubble));
    instance_figure_value(out, "overhead", ANSWER_SHARE, "%", value_of(r.run.bubble_over_ideal));
    return STATUS_OK;
}

/* The least number with idle ≤ percent of `of_total ? the step : the ideal time`, in whole numbers: no rounding. */
static bool enough(uint32_t p, uint32_t percent, bool of_total, uint32_t *out) {
    const struct pipe_equal_times times = {.f = 1, .b = 1, .w = 1};
    struct pipe_request request = {
        .schedule = PIPE_1F1B, .ranks = p, .micro_batches = 1, .chunks = 1};
    for (uint32_t m = 1; m <= PIPE_MICRO_BATCHES_MAX; m++) {
        uint64_t idle = 0, makespan = 0;
        request.micro_batches = m;
        if (!pipe_closed_idle(&request, &times, &idle) ||
            !pipe_closed_makespan(&request, &times, &makespan)) {
            return false;
        }
        if (idle * 100 <= percent * (of_total ? makespan : makespan - idle)) {
            *out = m;
            return true;
        }
    }
    return false;
}

static enum status micro_batches(uint64_t seed, struct instance *out, struct message *why) {
    static const uint32_t percents[] = {4, 5, 6, 8, 10, 12, 15, 20};
    static const uint32_t many[] = {4, 6, 8, 12, 16};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, many), percent = QUESTION_PICK(&dice, percents), m, other;
    (void)why;
    if (!enough(p, percent, true, &m) || !enough(p, percent, false, &other)) {
        return STATUS_FAILED;
    }
    line_of(out, "1f1b", p, m);
    instance_figure_plain(out, "p", p);
    instance_figure_value(out, "limit", ANSWER_SHARE, "%", percent / 100.0);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", m, 0);
    instance_path_add(key, "over-ideal", other);
    instance_path_add(key, "as-stages", p);
    instance_path_add(key, "below", m - 1);
    question_said(question_answer_step(out), "m ≥ (p−1)(1−ε) / ε", "⌈%u × (1 − %.2f) / %.2f⌉",
                  p - 1, percent / 100.0, percent / 100.0);
    return STATUS_OK;
}

/* One request has one micro-batch. */
static enum status one_request(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    uint32_t p = 2 + (uint32_t)instance_pick(&dice, 31);
    struct pipeline_ask ask = ask_of(PIPE_GPIPE, p, 1);
    struct pipeline_run r;
    enum status ok = run(&ask, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    line_of(out, "gpipe", p, 1);
    instance_figure_plain(out, "p", p);
    struct instance_key *key =
        instance_key_add(out, ANSWER_SHARE, "%", value_of(r.run.bubble), 0.005);
    instance_path_add(key, "busy", 1 - value_of(r.run.bubble));
    instance_path_add(key, "over-ideal", value_of(r.run.bubble_over_ideal));
    question_said(question_answer_step(out), "1 − 1/p", "1 − 1/%u", p);
    return STATUS_OK;
}

/* --- Time, and what is in flight --- */

static enum status makespan(uint64_t seed, struct instance *out, struct message *why) {
    static const uint64_t forwards[] = {4, 5, 6, 8, 10, 12}, ratios[] = {15, 20, 25}; /* tenths */
    static const uint32_t few[] = {2, 4, 6, 8}, counts[] = {4, 8, 12, 16};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, few), m = QUESTION_PICK(&dice, counts);
    bool gpipe = instance_pick(&dice, 2) == 0;
    struct pipeline_ask ask = ask_of(gpipe ? PIPE_GPIPE : PIPE_1F1B, p, m);
    struct pipeline_run r;
    ask.tf = QUESTION_PICK(&dice, forwards);
    ask.tb = ask.tf * QUESTION_PICK(&dice, ratios) / 10;
    ask.tw = 0;
    enum status ok = run(&ask, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    question_line(out, "pipe --schedule %s --stages %u --micro-batches %u --tf %d --tb %d --tw 0",
                  gpipe ? "gpipe" : "1f1b", p, m, (int)ask.tf, (int)ask.tb);
    say_shape(out, p, m);
    instance_figure_text(out, "schedule", gpipe ? "GPipe" : "1F1B");
    instance_figure_plain(out, "tf", ask.tf);
    instance_figure_plain(out, "tb", ask.tb);
    double both = (double)(ask.tf + ask.tb) * 1e-3;
    struct instance_key *key =
        instance_key_add(out, ANSWER_SECONDS, "ms", (double)r.run.makespan * 1e-3, 0.005);
    instance_path_add(key, "ideal", m * both);
    instance_path_add(key, "one-more", (m + p) * both);
    instance_path_add(key, "serial", m * p * both);
    instance_path_add(key, "halved", (m + (p - 1) / 2.0) * both);
    question_said(question_answer_step(out), "(m+p−1)(tF+tB)", "(%u + %u) × (%d + %d)", m, p - 1,
                  (int)ask.tf, (int)ask.tb);
    return STATUS_OK;
}

static enum status in_flight(uint64_t seed, struct instance *out, struct message *why) {
    static const uint32_t deep[] = {4, 6, 8, 12, 16, 24, 32}, counts[] = {8, 24, 48, 64};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, deep), m = QUESTION_PICK(&dice, counts);
    uint32_t stage = (uint32_t)instance_pick(&dice, (int)p - 1);
    struct pipeline_ask ask = ask_of(PIPE_1F1B, p, m);
    struct pipeline_run r;
    enum status ok = run(&ask, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    line_of(out, "1f1b", p, m);
    say_shape(out, p, m);
    instance_figure_plain(out, "stage", stage);
    double right = (double)r.run.ranks[stage].peak_until_b;
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "gpipe", m);
    instance_path_add(key, "first", p);
    instance_path_add(key, "warm-up", p - 1 - stage);
    instance_path_add(key, "from-one", p - stage + 1);
    question_said(question_answer_step(out), "min(m, p−q)", "min(%u, %u − %u)", m, p, stage);
    return STATUS_OK;
}

/* --- Schedules that shrink it --- */

static enum status interleaved(uint64_t seed, struct instance *out, struct message *why) {
    static const uint32_t few[] = {2, 4, 8}, times[] = {1, 2, 3, 4}, pieces[] = {2, 3, 4};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, few), m = p * QUESTION_PICK(&dice, times);
    uint32_t v = QUESTION_PICK(&dice, pieces);
    struct pipeline_ask ask = ask_of(PIPE_INTERLEAVED, p, m);
    struct pipeline_run r;
    ask.chunks = v;
    ask.ticks = v;
    enum status ok = run(&ask, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    question_line(out, "pipe --schedule interleaved --stages %u --micro-batches %u --chunks %u", p,
                  m, v);
    say_shape(out, p, m);
    instance_figure_plain(out, "v", v);
    struct instance_key *key =
        instance_key_add(out, ANSWER_SHARE, "%", value_of(r.run.bubble_over_ideal), 0.01);
    instance_path_add(key, "not-cut", (p - 1.0) / m);
    instance_path_add(key, "of-total", value_of(r.run.bubble));
    instance_path_add(key, "all-stages", (double)p / (v * m));
    question_said(question_answer_step(out), "(p−1) / (v·m)", "%u / (%u × %u)", p - 1, v, m);
    return STATUS_OK;
}

/* The letters as the zero-bubble paper has them: B is the input's gradient alone. */
static enum status zero_bubble(uint64_t seed, struct instance *out, struct message *why) {
    static const uint64_t units[] = {4, 5, 6, 7, 8, 10}, less[] = {0, 1, 2, 3};
    static const uint32_t deep[] = {4, 6, 8, 12, 16};
    uint64_t dice = instance_dice(seed);
    uint32_t p = QUESTION_PICK(&dice, deep);
    uint64_t f = QUESTION_PICK(&dice, units), b = f + QUESTION_PICK(&dice, less);
    uint64_t w = f - QUESTION_PICK(&dice, less), idle = 0;
    const struct pipe_equal_times times = {.f = f, .b = b, .w = w};
    const struct pipe_request request = {
        .schedule = PIPE_ZB_H1, .ranks = p, .micro_batches = 2 * p, .chunks = 1};
    (void)why;
    if (!pipe_closed_idle(&request, &times, &idle)) {
        return STATUS_FAILED;
    }
    question_line(out,
                  "pipe --schedule zb-h1 --stages %u --micro-batches %u --tf %d --tb %d --tw %d", p,
                  2 * p, (int)f, (int)b, (int)w);
    say_shape(out, p, 2 * p);
    instance_figure_plain(out, "f", f);
    instance_figure_plain(out, "b", b);
    instance_figure_plain(out, "w", w);
    double each = p - 1.0, df = (double)f, db = (double)b, dw = (double)w;
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", (double)idle * 1e-3, 0);
    instance_path_add(key, "unsplit", each * (df + db + dw) * 1e-3);
    instance_path_add(key, "second", each * (df + db - 2 * dw) * 1e-3);
    instance_path_add(key, "no-gap", each * (df + db) * 1e-3);
    question_said(question_answer_step(out), "(p−1)(F+B−W)", "%.0f × (%.0f + %.0f − %.0f)", each,
                  df, db, dw);
    out->steps[0].source = "Qi et al. 2024, arXiv:2401.10241";
    return STATUS_OK;
}

/* Formulas as figures: they hold digits, and an answer has to name them. */
static enum status letters(uint64_t seed, struct instance *out, struct message *why) {
    (void)seed;
    (void)why;
    question_line(out, "pipe --schedule zb-h1 --stages 4 --micro-batches 8");
    instance_figure_text(out, "one", "(p−1)(F+B−W)");
    instance_figure_text(out, "two", "(p−1)(F+B−2W)");
    return STATUS_OK;
}

/* --- Stages that differ --- */

enum { UNEQUAL_P = 4, UNEQUAL_M = 16, UNEQUAL_OPS = 3 * UNEQUAL_P * UNEQUAL_M };

static enum status unequal_run(const uint64_t forward[UNEQUAL_P], uint32_t m,
                               uint64_t *makespan_out, struct message *why) {
    const struct pipe_request request = {
        .schedule = PIPE_GPIPE, .ranks = UNEQUAL_P, .micro_batches = m, .chunks = 1};
    static const uint64_t none[UNEQUAL_P] = {0};
    struct pipe_request settled;
    struct pipe_shape shape;
    struct pipe_order order;
    struct pipe_op ops[UNEQUAL_OPS];
    struct pipe_run_op run_ops[UNEQUAL_OPS];
    uint64_t scratch[4 * UNEQUAL_OPS];
    struct pipe_run result;
    if (pipe_request_settle(&request, &settled, &shape, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    assert(pipe_simulate_scratch(&shape) <= sizeof scratch);
    pipe_schedule_build(&settled, &shape, ops, UNEQUAL_OPS, &order);
    uint64_t backward[UNEQUAL_P];
    for (int i = 0; i < UNEQUAL_P; i++) {
        backward[i] = 2 * forward[i];
    }
    const struct pipe_times times = {.f = forward, .b = backward, .w = none, .count = UNEQUAL_P};
    const struct pipe_space space = {scratch, run_ops};
    if (pipe_simulate(&order, &times, &space, &result, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    *makespan_out = result.makespan;
    return STATUS_OK;
}

static enum status unequal(uint64_t seed, struct instance *out, struct message *why) {
    static const uint64_t base[] = {4, 5, 6, 8, 10}, more[] = {1, 2, 3, 4};
    static const uint32_t counts[] = {4, 8, 12, 16};
    uint64_t dice = instance_dice(seed), f = QUESTION_PICK(&dice, base), makespan_ms = 0;
    uint64_t slow = f + QUESTION_PICK(&dice, more);
    uint32_t m = QUESTION_PICK(&dice, counts);
    const uint64_t forward[UNEQUAL_P] = {f, f, f, slow};
    enum status ok = unequal_run(forward, m, &makespan_ms, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    say_shape(out, UNEQUAL_P, m);
    instance_figure_plain(out, "f", f);
    instance_figure_plain(out, "slow", slow);
    double sum = 3.0 * (double)f + (double)slow, n = m + UNEQUAL_P - 1;
    struct instance_key *key =
        instance_key_add(out, ANSWER_SECONDS, "ms", (double)makespan_ms * 1e-3, 0.005);
    instance_path_add(key, "all-slow", 3 * n * (double)slow * 1e-3);
    instance_path_add(key, "mean", 3 * n * sum / UNEQUAL_P * 1e-3);
    instance_path_add(key, "fast", 3 * n * (double)f * 1e-3);
    instance_path_add(key, "forward", (double)makespan_ms / 3 * 1e-3);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", (double)makespan_ms / 3 * 1e-3),
                  "Σ tF + (m−1) · max tF", "%.0f + %u × %d", sum, m - 1, (int)slow);
    question_said(question_answer_step(out), "3 · (Σ tF + (m−1) · max tF)", "3 × %.0f",
                  (double)makespan_ms / 3);
    return STATUS_OK;
}

/* --- What is sent --- */

static enum status sent(uint64_t seed, struct instance *out, struct message *why) {
    static const uint32_t deep[] = {4, 8}, counts[] = {8, 12, 16, 20, 24, 32};
    static const uint32_t lengths[] = {1024, 2048, 4096};
    uint64_t dice = instance_dice(seed);
    const struct question_preset *model = question_model_at(instance_pick(&dice, 5));
    uint32_t p = QUESTION_PICK(&dice, deep), m = QUESTION_PICK(&dice, counts);
    uint32_t length = QUESTION_PICK(&dice, lengths);
    struct scenario s;
    struct calc_comm comm;
    question_line(out, "comm --model %s --pp %u --micro-batches %u --seq %u", model->name, p, m,
                  length);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        question_comm(out, 1, &comm, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    const struct calc_comm_row *down = question_row(&comm, CALC_AXIS_PP, "activations");
    const struct calc_comm_row *up = question_row(&comm, CALC_AXIS_PP, "activation.gradients");
    assert(down != NULL && up != NULL);
    double message = (double)down->message_bytes;
    double both = (double)(down->sent_bytes + up->sent_bytes);
    say_shape(out, p, m);
    instance_figure_text(out, "model", model->name);
    instance_figure_plain(out, "hidden", s.model.hidden);
    instance_figure_plain(out, "length", length);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", both, 0.01);
    instance_path_add(key, "one-way", both / 2);
    instance_path_add(key, "one-message", 2 * message);
    instance_path_add(key, "all-layers", both * (double)s.model.layers / p);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", message), "2 · b·s·h",
                  "2 × 1 × %u × %llu", length, (unsigned long long)s.model.hidden);
    question_said(question_answer_step(out), "2 · m · 2bsh", "2 × %u × %.4g MB", m, message / 1e6);
    return STATUS_OK;
}

const struct instance_entry pipeline_makers[PIPELINE_MAKERS] = {
    {"pipeline.bubble", both_shares, false},     {"pipeline.share", share, true},
    {"pipeline.overhead", overhead, true},       {"pipeline.micro-batches", micro_batches, true},
    {"pipeline.letters", letters, false},        {"pipeline.one-request", one_request, true},
    {"pipeline.makespan", makespan, true},       {"pipeline.in-flight", in_flight, true},
    {"pipeline.interleaved", interleaved, true}, {"pipeline.zero-bubble", zero_bubble, true},
    {"pipeline.unequal", unequal, true},         {"pipeline.sent", sent, true},
};
