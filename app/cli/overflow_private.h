/* What the parts of `shardlab overflow` share: what is asked, what was predicted, what was measured. app/cli only. */
#ifndef OVERFLOW_PRIVATE_H
#define OVERFLOW_PRIVATE_H

#include "cli_private.h"
#include "shardlab/calc/precision.h"
#include "shardlab/precision/precision.h"

struct overflow {
    struct precision_options options;
    struct calc_trial trial; /* the same question, for the calculator */
    struct precision_source source;
    bool seeded;    /* the experiment draws random numbers */
    double *values; /* options.values; owned by cli_overflow */
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

void overflow_json(struct cli_context *c, const struct overflow *o);
void overflow_text(struct cli_context *c, const struct overflow *o);
/* One line on standard output after each repetition (--events). */
void overflow_event(void *context, uint64_t repeat, double time_s);

#endif
