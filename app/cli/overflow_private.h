/* What the parts of `shardlab overflow` share: what is asked, what was predicted, what was measured. app/cli only. */
#ifndef OVERFLOW_PRIVATE_H
#define OVERFLOW_PRIVATE_H

#include "device_private.h"
#include "shardlab/calc/precision.h"
#include "shardlab/precision/precision.h"

struct overflow {
    struct precision_options options;
    struct calc_trial trial; /* the same question, for the calculator */
    struct precision_source source;
    const char *backend; /* its name; options.backend counts where ranks are not on devices */
    struct cli_device device;
    bool seeded;    /* the experiment draws random numbers */
    double *values; /* options.values, while overflow_run runs */
    struct facts predicted;
    struct precision_result measured;
    bool match;
};

/* Options with their meaning, defaults and ranges. STATUS_USAGE names the value and what would be right; STATUS_FAILED: a
 * backend that is not there. */
MUST_USE enum status overflow_read(const struct cli_experiment *e, struct overflow *out,
                                   struct message *why);
/* True if the experiment takes the option. */
bool overflow_takes(enum precision_experiment experiment, const char *option);
/* True if it needs random numbers; and if these are gradients. */
bool overflow_is_seeded(enum precision_experiment experiment);
bool overflow_has_gradients(enum precision_experiment experiment);

/* Draws the numbers, predicts, runs and compares. Both are filled in when it could be run, whether they match or not. */
MUST_USE enum status overflow_run(struct overflow *o, struct message *why);
/* True if every rank and repetition found one result, and it is what was predicted. */
bool overflow_matches(const struct facts *predicted, const struct precision_result *measured);

void overflow_json(struct cli_context *c, const struct overflow *o);
void overflow_text(struct cli_context *c, const struct overflow *o);
/* One line on standard output after each repetition (--events). */
void overflow_event(void *context, uint64_t repeat, double time_s);

#endif
