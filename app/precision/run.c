/* Runs an experiment on its ranks, each with a place of its own in shared memory for what it found, and compares ranks
 * and repetitions. Called by the command `overflow`. Owns nothing after it returns.
 * Proof: tests/unit/precision/test_experiments.c, test_allreduce.c. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "precision_private.h"

static const char *const names[PRECISION_EXPERIMENTS] = {
    "sum",      "range",      "gradients",  "loss-scale", "softmax",
    "adam-eps", "stagnation", "stochastic", "fp8-scale",  "allreduce"};

const char *precision_name(enum precision_experiment experiment) {
    return names[experiment];
}

int precision_find(const char *name) {
    for (int i = 0; i < PRECISION_EXPERIMENTS; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool precision_defined(enum precision_experiment experiment, enum num_type type) {
    bool bits_8 = type == NUM_E4M3 || type == NUM_E5M2;
    bool bits_16 = type == NUM_FP16 || type == NUM_BF16;
    return experiment == PRECISION_FP8_SCALE   ? bits_8
           : experiment == PRECISION_ALLREDUCE ? bits_16
                                               : bits_8 || bits_16;
}

static enum status measure(const struct precision_options *o, struct ranks_endpoint *e,
                           struct facts *out) {
    facts_start(out);
    switch (o->experiment) {
    case PRECISION_SUM:
        measure_sum(o, out);
        break;
    case PRECISION_RANGE:
        measure_range(o, out);
        break;
    case PRECISION_GRADIENTS:
        measure_gradients(o, out);
        break;
    case PRECISION_LOSS_SCALE:
        measure_loss_scale(o, out);
        break;
    case PRECISION_SOFTMAX:
        measure_softmax(o, out);
        break;
    case PRECISION_ADAM_EPS:
        measure_adam(o, out);
        break;
    case PRECISION_STAGNATION:
        measure_stagnation(o, out);
        break;
    case PRECISION_STOCHASTIC:
        return measure_stochastic(o, out);
    case PRECISION_FP8_SCALE:
        return measure_fp8_scale(o, out);
    case PRECISION_ALLREDUCE:
    case PRECISION_EXPERIMENTS:
        return measure_allreduce(o, e, out);
    }
    return STATUS_OK;
}

struct once {
    const struct precision_options *options;
    struct precision_result *result;
    uint64_t repeat;
};

static enum status body(struct ranks_endpoint *e, void *context) {
    const struct once *once = context;
    struct facts *all = ranks_shared(e);
    return measure(once->options, e, &all[ranks_self(e)]);
}

static void finish(void *shared, void *context) {
    const struct once *once = context;
    const struct facts *all = shared;
    struct precision_result *out = once->result;
    if (once->repeat == 0) {
        out->facts = all[0];
    }
    for (uint32_t rank = 0; rank < once->options->job.ranks; rank++) {
        bool same = facts_agree(&out->facts, &all[rank]);
        out->same_each_time = out->same_each_time && same;
    }
}

static double clock_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum status precision_run(const struct precision_options *options, struct precision_result *out,
                          struct message *why) {
    const struct ranks_options transport = {
        .backend = options->backend,
        .ranks = options->job.ranks,
        .timeout_s = options->timeout_s,
        .mailbox_bytes = 4096,
        .shared_bytes = options->job.ranks * sizeof(struct facts),
        .labels = 1,
    };
    struct ranks_report report;
    struct once once = {options, out, 0};
    const struct ranks_body run = {body, finish, &once};
    facts_start(&out->facts);
    out->same_each_time = true;
    for (; once.repeat < options->repeat; once.repeat++) {
        memset(&report, 0, sizeof report);
        double begin = clock_s();
        enum status ok = ranks_run(&transport, &run, &report, why);
        double time_s = clock_s() - begin;
        if (ok != STATUS_OK) {
            return ok;
        }
        out->least_s = once.repeat == 0 || time_s < out->least_s ? time_s : out->least_s;
        if (options->tell != NULL) {
            options->tell(options->tell_context, once.repeat, time_s);
        }
    }
    return STATUS_OK;
}
