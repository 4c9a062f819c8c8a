/* The lesson *mixed-precision*: what 16 bits save and what they break. Five pages: what it keeps in memory; gradients that
 * become zero and the loss scale; updates below half a step, master weights and stochastic rounding; softmax and Adam's
 * ε; BF16 against FP16. Pages 2 to 5 run experiments of `shardlab overflow`, some two, between which a knob selects. Pictures
 * are memory.c's and pictures.c's, questions guesses.c's, the numbers in the words figures.c's.
 * Proof: tests/unit/lessons/test_mixed_precision.c; beside what is measured: tests/cli/test_precision_lessons.c. */
#include "../registry_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mixed_private.h"
#include "shardlab/calc/option.h"

static const char *const type_stops[] = {"fp16", "bf16", "e4m3", "e5m2", NULL};
static const char *const center_stops[] = {"-30", "-24", "-18", "-12", "-6", NULL};
static const char *const scaling_stops[] = {"static", "dynamic", NULL};
static const char *const scale_stops[] = {"1", "8", "128", "1024", "32768", "16777216", NULL};
static const char *const rounding_stops[] = {"nearest", "stochastic", NULL};
static const char *const update_stops[] = {"1/8", "1/4", "1/2", "3/4", "1", NULL};
static const char *const operation_stops[] = {"softmax", "adam", NULL};
static const char *const logit_stops[] = {"5", "10", "12", "88", "100", NULL};
static const char *const epsilon_stops[] = {"1e-8", "1e-7", "1e-6", "1e-4", NULL};

static const struct lesson_knob own_knobs[MIXED_KNOBS] = {
    [MIXED_KNOB_TYPE] = {"type", type_stops, 0},
    [MIXED_KNOB_CENTER] = {"center", center_stops, 1},
    [MIXED_KNOB_SCALING] = {"scaling", scaling_stops, 0},
    [MIXED_KNOB_SCALE] = {"scale", scale_stops, 0},
    [MIXED_KNOB_ROUNDING] = {"rounding", rounding_stops, 0},
    [MIXED_KNOB_UPDATE] = {"update", update_stops, 2},
    [MIXED_KNOB_OPERATION] = {"operation", operation_stops, 0},
    [MIXED_KNOB_LOGIT] = {"logit", logit_stops, 2},
    [MIXED_KNOB_EPSILON] = {"epsilon", epsilon_stops, 0},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[MIXED_PAGES] = {
    [MIXED_KEEPS] = {"group.page",
                     {"precision", "optimizer", "micro-batch", "seq", "grad-bytes", "model"}},
    [MIXED_SCALE] = {"group.page", {"scale", "center", "type", "scaling"}},
    [MIXED_UPDATES] = {"group.page", {"update", "type", "rounding"}},
    [MIXED_OPERATIONS] = {"group.page", {"operation", "logit", "epsilon", "type"}},
    [MIXED_CHOICE] = {"group.page", {"center", "type"}},
};
static const struct lesson_knobs recipe_knobs = {
    "group.recipe",
    {"precision", "grad-bytes", "optimizer", "recompute", "attention", "convention", "zero", "dp"}};

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < MIXED_PAGES);
    out[0] = page_knobs[page];
    out[1] = recipe_knobs;
    return page == MIXED_KEEPS ? 2 : 1;
}

/* --- What the knobs mean --- */

const char *mixed_stop(const struct lesson_input *in, enum mixed_knob knob) {
    const struct lesson_knob *k = &own_knobs[knob];
    return k->stops[in->own == NULL ? k->start : in->own[knob]];
}

const char *mixed_type(const struct lesson_input *in) {
    return mixed_stop(in, MIXED_KNOB_TYPE);
}

/* The last page looks at gradients as they are. */
const char *mixed_scale(const struct lesson_input *in) {
    return in->page == MIXED_CHOICE ? scale_stops[0] : mixed_stop(in, MIXED_KNOB_SCALE);
}

enum mixed_run mixed_run_of(const struct lesson_input *in) {
    static const struct {
        enum mixed_knob knob;
        enum mixed_run first, second;
    } runs[MIXED_PAGES] = {
        [MIXED_SCALE] = {MIXED_KNOB_SCALING, MIXED_RUN_GRADIENTS, MIXED_RUN_LOSS_SCALE},
        [MIXED_UPDATES] = {MIXED_KNOB_ROUNDING, MIXED_RUN_STAGNATION, MIXED_RUN_STOCHASTIC},
        [MIXED_OPERATIONS] = {MIXED_KNOB_OPERATION, MIXED_RUN_SOFTMAX, MIXED_RUN_ADAM},
        [MIXED_CHOICE] = {MIXED_KNOB_TYPE, MIXED_RUN_GRADIENTS, MIXED_RUN_GRADIENTS},
    };
    const char *first = own_knobs[runs[in->page].knob].stops[0];
    return strcmp(mixed_stop(in, runs[in->page].knob), first) == 0 ? runs[in->page].first
                                                                   : runs[in->page].second;
}

static void draw(const struct lesson_input *in, struct calc_trial *t, double *values) {
    double centre = rounding_stop_value(mixed_stop(in, MIXED_KNOB_CENTER));
    for (uint64_t step = 0; step < t->steps; step++) {
        rounding_gradients(centre, step, values + step * t->count, t->count);
    }
    t->values = values;
}

static struct calc_trial updates(const struct lesson_input *in, struct calc_trial t) {
    int m = t.type.format.mantissa_bits;
    t.value = 1;
    t.update = ldexp(rounding_stop_value(mixed_stop(in, MIXED_KNOB_UPDATE)), -m);
    t.count = UINT64_C(1) << (m + 2);
    t.trials = MIXED_TRIALS;
    t.seed = ROUNDING_SEED;
    return t;
}

struct calc_trial mixed_trial(const struct lesson_input *in, enum mixed_run run, double *values) {
    struct calc_trial t = {.type = rounding_of(mixed_type(in)), .steps = 1};
    t.scale_log2 = (int)lround(log2(rounding_stop_value(mixed_scale(in))));
    t.epsilon = rounding_stop_value(mixed_stop(in, MIXED_KNOB_EPSILON));
    if (run == MIXED_RUN_STAGNATION || run == MIXED_RUN_STOCHASTIC) {
        return updates(in, t);
    }
    if (run == MIXED_RUN_SOFTMAX) {
        t.count = 8;
        t.value = calc_round(&t.type, rounding_stop_value(mixed_stop(in, MIXED_KNOB_LOGIT)));
    } else if (run == MIXED_RUN_ADAM) {
        t.value = 1e-5;
    } else if (run == MIXED_RUN_LOSS_SCALE) {
        t.count = MIXED_STEP_GRADIENTS;
        t.steps = MIXED_STEPS;
        t.growth = MIXED_GROWTH;
        t.dynamic = true;
        t.scale_log2 = MIXED_FIRST_SCALE_LOG2;
    } else {
        t.count = MIXED_GRADIENTS;
    }
    if (values != NULL) {
        draw(in, &t, values);
    }
    return t;
}

static enum status view(const struct lesson_input *in, struct view *out, struct message *why) {
    view_start(out);
    if (in->page == MIXED_KEEPS) {
        return mixed_memory(in, out, why);
    }
    mixed_picture(in, out);
    return STATUS_OK;
}

/* --- The same, really run --- */

static void write_count(struct writer *out, const char *name, uint64_t count) {
    writer_text(out, name);
    writer_u64(out, count);
}

static void write_stop(struct writer *out, const char *name, const struct lesson_input *in,
                       enum mixed_knob knob) {
    writer_text(out, name);
    writer_text(out, mixed_stop(in, knob));
}

static void write_run(const struct lesson_input *in, enum mixed_run run, struct writer *out) {
    static const char *const names[MIXED_RUNS] = {
        NULL, "gradients", "loss-scale", "stagnation", "stochastic", "softmax", "adam-eps"};
    writer_text(out, "overflow --experiment ");
    writer_text(out, names[run]);
    write_stop(out, " --type ", in, MIXED_KNOB_TYPE);
    if (run == MIXED_RUN_GRADIENTS || run == MIXED_RUN_LOSS_SCALE) {
        write_stop(out, " --center ", in, MIXED_KNOB_CENTER);
    }
    if (run == MIXED_RUN_GRADIENTS) {
        write_count(out, " --count ", MIXED_GRADIENTS);
        writer_text(out, " --loss-scale static:");
        writer_text(out, mixed_scale(in));
    } else if (run == MIXED_RUN_LOSS_SCALE) {
        write_count(out, " --count ", MIXED_STEP_GRADIENTS);
        write_count(out, " --steps ", MIXED_STEPS);
    } else if (run == MIXED_RUN_STAGNATION || run == MIXED_RUN_STOCHASTIC) {
        writer_text(out, " --update ");
        writer_real(out, mixed_trial(in, run, NULL).update);
        if (run == MIXED_RUN_STOCHASTIC) {
            write_count(out, " --trials ", MIXED_TRIALS);
        }
    } else if (run == MIXED_RUN_SOFTMAX) {
        write_stop(out, " --value ", in, MIXED_KNOB_LOGIT);
    } else {
        write_stop(out, " --epsilon ", in, MIXED_KNOB_EPSILON);
    }
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    if (in->page == MIXED_KEEPS) {
        writer_text(out, "mem");
        scenario_write_options(out, in->now);
        return;
    }
    write_run(in, mixed_run_of(in), out);
}

#define ROW(key)                                                                                   \
    { #key, "overflow.fact." #key, LESSON_UNIT_NONE }
static const struct lesson_value values[MIXED_RUNS][LESSON_VALUES_MAX] = {
    [MIXED_RUN_GRADIENTS] = {ROW(scale), ROW(zero), ROW(subnormal), ROW(normal), ROW(past_max),
                             ROW(fraction_zero)},
    [MIXED_RUN_LOSS_SCALE] = {ROW(zero_without_scale), ROW(first_scale), ROW(skipped_steps),
                              ROW(doublings), ROW(final_scale), ROW(zero_in_steps_taken),
                              ROW(least_scale_that_keeps_all), ROW(largest_scale_that_fits)},
    [MIXED_RUN_STAGNATION] = {ROW(update), ROW(updates), ROW(largest_lost_upwards),
                              ROW(final_weight), ROW(updates_that_count), ROW(final_master),
                              ROW(final_weight_of_master), ROW(exact)},
    [MIXED_RUN_STOCHASTIC] = {ROW(update), ROW(updates), ROW(trials), ROW(nearest), ROW(exact),
                              ROW(mean), ROW(mean_off_exact)},
    [MIXED_RUN_SOFTMAX] = {ROW(first_logit_past_max), ROW(logit), ROW(exp), ROW(first), ROW(others),
                           ROW(first_less_max), ROW(others_less_max)},
    [MIXED_RUN_ADAM] = {ROW(epsilon_in_type), ROW(largest_epsilon_that_is_zero), ROW(gradient),
                        ROW(square), ROW(update_of_zero), ROW(update_of_zero_fp32), ROW(update),
                        ROW(update_fp32)},
};
#undef ROW

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    enum mixed_run run = mixed_run_of(in);
    struct writer w;
    int count = 0;
    if (run == MIXED_RUN_NONE) {
        return false;
    }
    while (count < LESSON_VALUES_MAX && values[run][count].key != NULL) {
        count++;
    }
    rounding_values(out, values[run], count);
    writer_start(&w, out->line, sizeof out->line);
    write_run(in, run, &w);
    return true;
}

const struct lesson lesson_mixed_precision = {
    .id = "mixed-precision",
    .folder = "95_mixed_precision",
    .page_count = MIXED_PAGES,
    .start = "--model llama-2-7b --precision bf16 --gpu a100-sxm-80gb --micro-batch 4",
    .knobs = groups,
    .view = view,
    .figure = mixed_figure,
    .own = own_knobs,
    .own_count = MIXED_KNOBS,
    .command = write_command,
    .guess = mixed_ask,
    .experiment = experiment,
    .makers = mixed_makers,
    .maker_count = MIXED_MAKERS,
};
