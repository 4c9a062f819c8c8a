/* Options of `shardlab overflow`: which belong to which experiment, their defaults by type, and the ranges in which an
 * experiment means something. What a prediction needs is filled from the same numbers, never from the other room's
 * tables. Proof: tests/cli/test_overflow.c. */
#include <math.h>
#include <string.h>

#include "overflow_private.h"
#include "shardlab/base/units.h"

/* Blanks around each, so that a name is found whole. */
static const char *const takes[PRECISION_EXPERIMENTS] = {
    " overflow count value ",
    " overflow value ",
    " overflow count center spread loss-scale ",
    " overflow count center spread loss-scale steps growth ",
    " overflow count value ",
    " overflow value epsilon ",
    " overflow count value update ",
    " overflow count value update trials ",
    " count center spread ",
    " value update elems accumulate algorithm ",
};
/* What every experiment has: --seed too, which is said to change nothing where nothing is drawn. */
static const char common[] = " experiment type ranks backend repeat seed timeout events ";

static bool lists(const char *names, const char *name) {
    char padded[32];
    struct writer w;
    writer_start(&w, padded, sizeof padded);
    writer_char(&w, ' ');
    writer_text(&w, name);
    writer_char(&w, ' ');
    return strstr(names, padded) != NULL;
}

bool overflow_takes(enum precision_experiment experiment, const char *option) {
    return lists(common, option) || lists(takes[experiment], option);
}

bool overflow_has_gradients(enum precision_experiment experiment) {
    return overflow_takes(experiment, "center");
}

bool overflow_is_seeded(enum precision_experiment experiment) {
    return overflow_has_gradients(experiment) || experiment == PRECISION_STOCHASTIC;
}

static enum status refuse(struct message *why, const char *id, const char *option) {
    message_start(why, id);
    message_add_text(why, option);
    return STATUS_USAGE;
}

static void add_number(struct message *why, double x) {
    char text[40];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, x);
    message_add_text(why, text);
}

/* "--NAME X: needs LEAST to MOST" */
static enum status within(const char *name, double x, double least, double most,
                          struct message *why) {
    if (x >= least && x <= most) {
        return STATUS_OK;
    }
    (void)refuse(why, "error.overflow.range", name);
    add_number(why, x);
    add_number(why, least);
    add_number(why, most);
    return STATUS_USAGE;
}

static enum status check_given(const struct cli_experiment *e, enum precision_experiment experiment,
                               struct message *why) {
    int at = 0;
    for (const char *name; (name = cli_experiment_next_given(e, &at)) != NULL;) {
        if (overflow_takes(experiment, name)) {
            continue;
        }
        char all[160];
        struct writer w;
        writer_start(&w, all, sizeof all);
        for (int i = 0; i < PRECISION_EXPERIMENTS; i++) {
            if (lists(takes[i], name)) {
                writer_text(&w, w.length > 0 ? ", " : "");
                writer_text(&w, precision_name((enum precision_experiment)i));
            }
        }
        (void)refuse(why, "error.overflow.option", name);
        message_add_text(why, precision_name(experiment));
        message_add_text(why, all);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* --- Numbers --- */

/* A positive number that the type has; rounded to it. */
static enum status number_of(const struct overflow *o, const char *name, double *x,
                             struct message *why) {
    const struct calc_format *f = &o->trial.type.format;
    double rounded = calc_round(&o->trial.type, *x);
    if (*x > 0 && rounded > 0 && !calc_format_passes(f, *x)) {
        *x = rounded;
        return STATUS_OK;
    }
    (void)refuse(why, "error.overflow.number", name);
    add_number(why, *x);
    message_add_text(why, num_format(o->options.type)->name);
    add_number(why, calc_format_tiny(f));
    add_number(why, calc_format_max(f));
    return STATUS_USAGE;
}

/* A weight that can be updated so often without leaving the numbers in which the experiment is about steps. */
static enum status check_weight(const struct precision_options *o, const struct calc_format *f,
                                struct message *why) {
    enum { RATIO_LOG2 = 20 };
    enum status ok = within("update", o->update, ldexp(o->value, -RATIO_LOG2), o->value, why);
    double reach = o->value + o->update * (double)o->count, limit = calc_format_max(f) / 4;
    if (ok == STATUS_OK && reach > limit) {
        (void)refuse(why, "error.overflow.reach", num_format(o->type)->name);
        message_add_count(why, o->count);
        add_number(why, reach);
        add_number(why, limit);
        return STATUS_USAGE;
    }
    return ok;
}

static enum status read_numbers(const struct cli_experiment *e, struct overflow *o,
                                struct message *why) {
    struct precision_options *p = &o->options;
    const struct calc_format *f = &o->trial.type.format;
    int m = f->mantissa_bits;
    bool adam = p->experiment == PRECISION_ADAM_EPS;
    double value = p->experiment == PRECISION_RANGE       ? 16
                   : p->experiment == PRECISION_SOFTMAX   ? calc_overflow_logit(f)
                   : p->experiment == PRECISION_ALLREDUCE ? ldexp(1, m + 1)
                   : adam                                 ? 1e-5
                                                          : 1;
    bool speak = p->experiment == PRECISION_ALLREDUCE;
    p->value = cli_experiment_given(e, "value") ? e->value : value;
    p->update = cli_experiment_given(e, "update") ? e->update : speak ? 1 : ldexp(p->value, -m - 2);
    p->epsilon = cli_experiment_given(e, "epsilon") ? e->epsilon : 1e-8;
    enum status ok = adam ? within("value", p->value, 1e-30, calc_format_max(f), why)
                          : number_of(o, "value", &p->value, why);
    ok = ok == STATUS_OK ? within("epsilon", p->epsilon, 1e-30, 1, why) : ok;
    if (ok == STATUS_OK && overflow_takes(p->experiment, "update")) {
        ok = number_of(o, "update", &p->update, why);
        if (ok == STATUS_OK && !speak) {
            ok = check_weight(p, f, why);
        }
    }
    return ok;
}

/* --- Counts --- */

static enum status check_work(const char *a, const char *b, uint64_t product, uint64_t most,
                              struct message *why) {
    if (product <= most) {
        return STATUS_OK;
    }
    (void)refuse(why, "error.overflow.work", a);
    message_add_text(why, b);
    message_add_count(why, product);
    message_add_count(why, most);
    return STATUS_USAGE;
}

static enum status read_counts(const struct cli_experiment *e, struct overflow *o,
                               struct message *why) {
    struct precision_options *p = &o->options;
    uint64_t steps_to_stall = UINT64_C(1) << (o->trial.type.format.mantissa_bits + 2);
    static const uint64_t counts[PRECISION_EXPERIMENTS] = {[PRECISION_GRADIENTS] = 100000,
                                                           [PRECISION_LOSS_SCALE] = 1000,
                                                           [PRECISION_SOFTMAX] = 8,
                                                           [PRECISION_FP8_SCALE] = 4096};
    uint64_t usual = counts[p->experiment] > 0 ? counts[p->experiment] : steps_to_stall;
    bool scaled = p->experiment == PRECISION_LOSS_SCALE;
    p->count = cli_experiment_given(e, "count") ? e->count : usual;
    p->trials = cli_experiment_given(e, "trials") ? e->trials : 100;
    p->growth = cli_experiment_given(e, "growth") ? e->growth : 20;
    p->steps = !scaled ? 1 : cli_experiment_given(e, "steps") ? e->steps : 200;
    enum { WORK_MAX = 10000000, LOGITS_MAX = 100000 };
    enum status ok = STATUS_OK;
    if (overflow_has_gradients(p->experiment)) {
        ok = check_work("count", scaled ? "steps" : "count", p->count * p->steps,
                        PRECISION_VALUES_MAX, why);
    } else if (p->experiment == PRECISION_STOCHASTIC) {
        ok = check_work("count", "trials", p->count * p->trials, WORK_MAX, why);
    } else if (p->experiment == PRECISION_SOFTMAX) {
        ok = within("count", (double)p->count, 1, LOGITS_MAX, why);
    }
    return ok;
}

/* --- The loss scale --- */

static enum status bad_scale(const char *text, struct message *why) {
    message_start(why, "error.overflow.loss_scale");
    message_add_text(why, text);
    return STATUS_USAGE;
}

static enum status read_scale(const struct cli_experiment *e, struct precision_options *p,
                              struct message *why) {
    enum { FIRST_LOG2 = 24 };
    bool steps = p->experiment == PRECISION_LOSS_SCALE;
    const char *text = cli_experiment_given(e, "loss-scale") ? e->loss_scale
                       : steps                               ? "dynamic"
                                                             : "none";
    const char *colon = strchr(text, ':');
    size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    bool is_static = length == 6 && memcmp(text, "static", length) == 0;
    bool none = length == 4 && memcmp(text, "none", length) == 0;
    p->dynamic = length == 7 && memcmp(text, "dynamic", length) == 0;
    p->scale_log2 = p->dynamic ? FIRST_LOG2 : 0;
    if ((p->dynamic && !steps) || !(p->dynamic || is_static || none) ||
        is_static != (is_static && colon != NULL) || (none && colon != NULL)) {
        return bad_scale(text, why);
    }
    if (colon != NULL) {
        double scale = 0;
        int exponent = 0;
        bool power = units_parse_real(colon + 1, &scale) && scale > 0 &&
                     frexp(scale, &exponent) <= 0.5 && exponent > -126 && exponent <= 128;
        p->scale_log2 = exponent - 1;
        return power ? STATUS_OK : bad_scale(text, why);
    }
    return STATUS_OK;
}

static enum status read_source(const struct cli_experiment *e, struct overflow *o,
                               struct message *why) {
    bool blocks = o->options.experiment == PRECISION_FP8_SCALE;
    o->source.seed = e->seed;
    o->source.centre = cli_experiment_given(e, "center") ? e->center : blocks ? -4 : -18;
    o->source.spread = cli_experiment_given(e, "spread") ? e->spread : 4;
    enum status ok = within("center", o->source.centre, -60, 60, why);
    return ok == STATUS_OK ? within("spread", o->source.spread, 0, 8, why) : ok;
}

/* --- Ranks --- */

static enum status read_job(const struct cli_experiment *e, struct overflow *o,
                            struct message *why) {
    struct precision_options *p = &o->options;
    enum { RANKS = 16, WORK_MAX = 100000000 };
    bool speak = p->experiment == PRECISION_ALLREDUCE;
    int backend = 0;
    p->job.collective = COLL_ALL_REDUCE;
    p->job.algorithm = cli_experiment_given(e, "algorithm")
                           ? (enum coll_algorithm)coll_algorithm_find(e->algorithm)
                           : COLL_NAIVE;
    p->job.ranks = cli_experiment_given(e, "ranks") ? (uint32_t)e->ranks : speak ? RANKS : 1;
    p->job.elements = cli_experiment_given(e, "elems") ? e->elems : p->job.ranks;
    bool one = cli_experiment_given(e, "accumulate"), in_fp32 = strcmp(e->accumulate, "fp32") == 0;
    p->narrow = !one || !in_fp32;
    p->wide = !one || in_fp32;
    p->timeout_s = e->timeout_s;
    p->repeat = cli_experiment_given(e, "repeat") ? e->repeat : 1;
    if (strcmp(e->backend, "mpi") == 0) {
        message_start(why, "error.overflow.mpi");
        return STATUS_FAILED;
    }
    o->backend = e->backend;
    enum status ok = cli_device_named(e->backend)
                         ? STATUS_OK
                         : cli_experiment_backend(e->backend, &backend, why);
    p->backend = (enum ranks_backend)backend;
    if (ok == STATUS_OK) {
        ok = within("repeat", (double)p->repeat, 1, PRECISION_REPEAT_MAX, why);
    }
    return ok == STATUS_OK && speak
               ? check_work("ranks", "elems", p->job.ranks * p->job.elements, WORK_MAX, why)
               : ok;
}

/* --- All of it --- */

static void ask_calculator(struct overflow *o) {
    const struct precision_options *p = &o->options;
    struct calc_trial *t = &o->trial;
    t->count = p->count;
    t->value = p->value;
    t->update = p->update;
    t->epsilon = p->epsilon;
    t->trials = p->trials;
    t->steps = p->steps;
    t->growth = p->growth;
    t->scale_log2 = p->scale_log2;
    t->dynamic = p->dynamic;
    t->seed = p->seed;
    t->ranks = p->job.ranks;
    t->algorithm = (enum calc_algorithm)calc_algorithm_find(coll_algorithm_name(p->job.algorithm));
    t->elements = p->job.elements;
    t->narrow = p->narrow;
    t->wide = p->wide;
}

static enum status read_type(const struct cli_experiment *e, struct overflow *o,
                             struct message *why) {
    struct precision_options *p = &o->options;
    bool blocks = p->experiment == PRECISION_FP8_SCALE;
    const char *name = cli_experiment_given(e, "type") ? e->type : blocks ? "e4m3" : "fp16";
    if (!num_type_find(name, &p->type) || !calc_format_find(name, &o->trial.type.format) ||
        !precision_defined(p->experiment, p->type)) {
        (void)refuse(why, "error.overflow.type", name);
        message_add_text(why, precision_name(p->experiment));
        message_add_text(why, blocks ? "e4m3, e5m2" : "fp16, bf16");
        return STATUS_USAGE;
    }
    p->overflow = num_format(p->type)->overflow;
    if (cli_experiment_given(e, "overflow")) {
        p->overflow = strcmp(e->overflow, "inf") == 0 ? NUM_OVERFLOW_INF : NUM_OVERFLOW_SATURATE;
    }
    o->trial.type.saturates = p->overflow == NUM_OVERFLOW_SATURATE;
    return STATUS_OK;
}

enum status overflow_read(const struct cli_experiment *e, struct overflow *o, struct message *why) {
    if (!cli_experiment_given(e, "experiment")) {
        message_start(why, "error.overflow.experiment");
        return STATUS_USAGE;
    }
    enum precision_experiment experiment = (enum precision_experiment)precision_find(e->experiment);
    o->options.experiment = experiment;
    o->options.seed = e->seed;
    o->seeded = overflow_is_seeded(experiment);
    static enum status (*const parts[])(const struct cli_experiment *, struct overflow *,
                                        struct message *) = {read_type, read_counts, read_numbers,
                                                             read_source, read_job};
    enum status ok = check_given(e, experiment, why);
    for (size_t i = 0; ok == STATUS_OK && i < sizeof parts / sizeof parts[0]; i++) {
        ok = parts[i](e, o, why);
    }
    ok = ok == STATUS_OK ? read_scale(e, &o->options, why) : ok;
    ask_calculator(o);
    return ok;
}
