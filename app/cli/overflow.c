/* `shardlab overflow`: an experiment in low precision that really runs, beside what the calculator predicts of it from the
 * format's bits (CONTRACT, "Experiments"). This file runs both and compares; options are overflow_options.c, readers
 * overflow_json.c and overflow_text.c. Predicted ≠ measured is status 1 with the whole answer printed.
 * Proof: tests/cli/test_overflow.c. */
#include <stdlib.h>
#include <string.h>

#include "overflow_private.h"
#include "shardlab/gpu/precision.h"

static void predict(struct overflow *o) {
    static void (*const predictions[PRECISION_EXPERIMENTS])(const struct calc_trial *,
                                                            struct facts *) = {
        calc_predict_sum,         calc_predict_range,      calc_predict_gradients,
        calc_predict_loss_scale,  calc_predict_softmax,    calc_predict_adam,
        calc_predict_stagnation,  calc_predict_stochastic, calc_predict_block_scale,
        calc_predict_accumulation};
    facts_start(&o->predicted);
    predictions[o->options.experiment](&o->trial, &o->predicted);
}

static enum status make_values(struct overflow *o, struct message *why) {
    uint64_t count = o->options.count, steps = o->options.steps;
    if (!overflow_has_gradients(o->options.experiment)) {
        return STATUS_OK;
    }
    o->values = malloc((size_t)(count * steps) * sizeof *o->values);
    if (o->values == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    for (uint64_t step = 0; step < steps; step++) {
        precision_gradients(&o->source, step, o->values + step * count, count);
    }
    o->options.values = o->values;
    o->trial.values = o->values;
    return STATUS_OK;
}

bool overflow_matches(const struct facts *predicted, const struct precision_result *measured) {
    return measured->same_each_time && facts_agree(predicted, &measured->facts);
}

static enum status run_on_devices(struct overflow *o, struct message *why) {
    struct gpu *gpu = NULL;
    enum status ok = cli_device_open(o->backend, o->options.job.ranks, &gpu, &o->device, why);
    ok = ok == STATUS_OK ? gpu_precision_run(gpu, &o->options, &o->measured, why) : ok;
    gpu_close(gpu);
    return ok;
}

enum status overflow_run(struct overflow *o, struct message *why) {
    enum status ok = make_values(o, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    predict(o);
    ok = cli_device_named(o->backend) ? run_on_devices(o, why)
                                      : precision_run(&o->options, &o->measured, why);
    o->match = ok == STATUS_OK && overflow_matches(&o->predicted, &o->measured);
    free(o->values);
    o->values = NULL;
    return ok;
}

enum status cli_overflow(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct overflow *o = calloc(1, sizeof *o);
    if (o == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = overflow_read(&args->experiment, o, why);
    if (ok == STATUS_OK) {
        o->options.tell = args->experiment.events ? overflow_event : NULL;
        ok = overflow_run(o, why);
    }
    if (ok == STATUS_OK) {
        void (*const reader)(struct cli_context *, const struct overflow *) =
            args->json || args->experiment.events ? overflow_json : overflow_text;
        reader(c, o);
        ok = o->match ? STATUS_OK : STATUS_FAILED;
    }
    free(o);
    return ok;
}
