/* `shardlab overflow`: an experiment in low precision that really runs, beside what the calculator predicts of it from the
 * format's bits (CONTRACT, "Experiments"). This file runs both and compares; options are overflow_options.c, readers
 * overflow_json.c and overflow_text.c. Predicted ≠ measured is status 1 with the whole answer printed.
 * Proof: tests/cli/test_overflow.c. */
#include <stdlib.h>
#include <string.h>

#include "overflow_private.h"

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

static enum status run(struct cli_context *c, const struct cli_args *args, struct overflow *o,
                       struct message *why) {
    enum status ok = overflow_read(&args->experiment, o, why);
    ok = ok == STATUS_OK ? make_values(o, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    o->options.tell = args->experiment.events ? overflow_event : NULL;
    predict(o);
    ok = precision_run(&o->options, &o->measured, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    o->match = o->measured.same_each_time && facts_agree(&o->predicted, &o->measured.facts);
    if (args->json || args->experiment.events) {
        overflow_json(c, o);
    } else {
        overflow_text(c, o);
    }
    return o->match ? STATUS_OK : STATUS_FAILED;
}

enum status cli_overflow(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct overflow *o = calloc(1, sizeof *o);
    if (o == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = run(c, args, o, why);
    free(o->values);
    free(o);
    return ok;
}
