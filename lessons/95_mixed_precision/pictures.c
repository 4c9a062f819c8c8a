/* The pictures of pages 2 to 5 of the lesson *mixed-precision*: gradients by exponent under a loss scale, the steps of a
 * dynamic one, a weight under small updates, softmax and Adam beside each other, FP16 beside BF16. Everything is calc's
 * prediction for the knobs. Proof: tests/unit/lessons/test_mixed_precision.c. */
#include "../registry_private.h"

#include <math.h>
#include <string.h>

#include "mixed_private.h"

static struct view_table *add_table(struct view *out, const char *title, const char *type) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, title);
    message_add_text(&t->title, type);
    return t;
}

static double real(const struct facts *f, const char *key) {
    return rounding_fact(f, key)->real;
}

static double count(const struct facts *f, const char *key) {
    return (double)rounding_fact(f, key)->count;
}

void mixed_gradients(const struct lesson_input *in, const char *type, int scale_log2,
                     struct facts *out) {
    double values[MIXED_VALUES_MAX];
    struct calc_trial t = mixed_trial(in, MIXED_RUN_GRADIENTS, values);
    t.type = rounding_of(type);
    t.scale_log2 = scale_log2;
    facts_start(out);
    calc_predict_gradients(&t, out);
}

/* --- Gradients and the loss scale --- */

static void gradients_picture(const struct lesson_input *in, struct view *out) {
    static const char *const labels[] = {NULL, "overflow.column.count", "overflow.column.zero",
                                         "overflow.column.subnormal", "overflow.column.past_max"};
    static const struct rounding_histogram histogram = {"lesson.mixed-precision.histogram", NULL,
                                                        labels, true};
    struct rounding_histogram h = histogram;
    struct facts scaled, plain;
    int scale = mixed_trial(in, MIXED_RUN_GRADIENTS, NULL).scale_log2;
    mixed_gradients(in, mixed_type(in), scale, &scaled);
    mixed_gradients(in, mixed_type(in), 0, &plain);
    h.type = mixed_type(in);
    rounding_histogram_add(out, &scaled, &h);
    struct view_table *t = &out->items[out->item_count - 1].table;
    message_start(view_table_add_note(t, -1), "lesson.mixed-precision.letters");
    struct message *m = view_table_add_note(t, -1);
    message_start(m, "lesson.mixed-precision.zeros");
    message_add_text(m, mixed_scale(in));
    rounding_add_number(m, count(&scaled, "zero"));
    rounding_add_number(m, count(&scaled, "gradients"));
    rounding_add_number(m, count(&scaled, "past_max"));
    rounding_add_number(m, count(&plain, "zero"));
}

/* The steps at which something happens: the first, those that are skipped or begin with another scale, the last. */
static void dynamic_picture(const struct lesson_input *in, struct view *out) {
    enum { STEP, SCALE, LARGEST, SKIPPED, ZERO, EVENTS_MAX = 40 };
    double values[MIXED_VALUES_MAX];
    struct facts facts;
    struct calc_trial trial = mixed_trial(in, MIXED_RUN_LOSS_SCALE, values);
    facts_start(&facts);
    calc_predict_loss_scale(&trial, &facts);
    struct view_table *t = add_table(out, "lesson.mixed-precision.dynamic", mixed_type(in));
    rounding_col(t, "step", "overflow.column.step", 0);
    rounding_col(t, "scale", "overflow.column.scale", 0);
    rounding_col(t, "largest", "overflow.column.largest", 1);
    (void)view_table_col(t, &(struct view_table_col){"event", "lesson.mixed-precision.column.event",
                                                     VIEW_TABLE_NAME, 0,
                                                     "lesson.mixed-precision.event."});
    rounding_col(t, "zero", "overflow.column.zero", 0);
    for (int i = 0; i < facts.points && t->row_count < EVENTS_MAX; i++) {
        const double *p = facts.point[i];
        bool skipped = p[SKIPPED] > 0, grown = i > 0 && p[SCALE] > facts.point[i - 1][SCALE];
        if (i > 0 && i < facts.points - 1 && !skipped && !grown) {
            continue;
        }
        int row = view_table_row(t);
        rounding_cell(t, row, STEP, p[STEP]);
        rounding_cell(t, row, SCALE, p[SCALE]);
        rounding_cell(t, row, LARGEST, p[LARGEST]);
        view_table_set_text(t, row, SKIPPED, skipped ? "skipped" : grown ? "grown" : "taken");
        rounding_cell(t, row, ZERO, p[ZERO]);
    }
    struct message *m = view_table_add_note(t, -1);
    message_start(m, "lesson.mixed-precision.dynamic.note");
    rounding_add_number(m, count(&facts, "skipped_steps"));
    rounding_add_number(m, count(&facts, "steps"));
    rounding_add_number(m, count(&facts, "zero_in_steps_taken"));
    rounding_add_number(m, count(&facts, "zero_without_scale"));
}

/* --- Updates --- */

static void add_end(struct view_table *t, const char *name, double weight, double exact) {
    int row = view_table_row(t);
    view_table_set_text(t, row, 0, name);
    rounding_cell(t, row, 1, weight);
    rounding_cell(t, row, 2, weight - exact);
}

static void updates_picture(const struct lesson_input *in, struct view *out) {
    struct facts nearest, random;
    bool stochastic = mixed_run_of(in) == MIXED_RUN_STOCHASTIC;
    struct calc_trial trial = mixed_trial(in, MIXED_RUN_STAGNATION, NULL);
    const struct rounding_curves curves[] = {
        {"lesson.mixed-precision.weight",
         "updates",
         "weight",
         3,
         {'n', 'm', 'e'},
         {mixed_type(in), "fp32", "1+n*u"}},
        {"lesson.mixed-precision.weight_mean",
         "updates",
         "weight",
         3,
         {'s', 'n', 'e'},
         {"SR", mixed_type(in), "1+n*u"}},
    };
    facts_start(&nearest);
    facts_start(&random);
    calc_predict_stagnation(&trial, &nearest);
    calc_predict_stochastic(&trial, &random);
    (void)rounding_curves_add(out, stochastic ? &random : &nearest, &curves[stochastic ? 1 : 0]);
    double exact = real(&nearest, "exact");
    struct view_table *t = add_table(out, "lesson.mixed-precision.ends", mixed_type(in));
    rounding_add_number(&t->title, (double)trial.count);
    rounding_add_number(&t->title, trial.update);
    (void)view_table_col(
        t, &(struct view_table_col){"rounding", "lesson.mixed-precision.column.way",
                                    VIEW_TABLE_NAME, 0, "lesson.mixed-precision.way."});
    rounding_col(t, "weight", "overflow.column.weight", 0);
    rounding_col(t, "off_exact", "lesson.mixed-precision.column.off", 0);
    add_end(t, "nearest", real(&nearest, "final_weight"), exact);
    add_end(t, "master", real(&nearest, "final_weight_of_master"), exact);
    add_end(t, "stochastic", real(&random, "mean"), exact);
    add_end(t, "exact", exact, exact);
    struct message *m = view_table_add_note(t, -1);
    message_start(m, "lesson.mixed-precision.lost");
    rounding_add_number(m, real(&nearest, "largest_lost_upwards"));
    rounding_add_number(m, real(&nearest, "largest_lost_downwards"));
    t->current = stochastic ? 2 : 0;
}

/* --- Softmax and Adam --- */

static void softmax_picture(const struct lesson_input *in, struct view *out) {
    static const char *const keys[] = {"logit",          "exp",        "sum", "first",
                                       "first_less_max", "first_exact"};
    static const char *const labels[] = {
        "overflow.column.logit", "lesson.mixed-precision.column.exp", "overflow.column.sum",
        "overflow.column.first", "overflow.column.first_less_max",    "overflow.column.exact"};
    enum { COLS = 6 };
    struct calc_trial trial = mixed_trial(in, MIXED_RUN_SOFTMAX, NULL);
    double past = calc_overflow_logit(&trial.type.format), own = trial.value;
    double before = calc_format_below(&trial.type.format, past);
    double logits[] = {own / 4, own / 2, own, before, past};
    enum { LOGITS = 5 };
    for (int i = 2; i + 1 < LOGITS && logits[i] > logits[i + 1]; i++) { /* own to its place */
        logits[i] = logits[i + 1];
        logits[i + 1] = own;
    }
    struct view_table *t = add_table(out, "lesson.mixed-precision.softmax", mixed_type(in));
    message_add_plain(&t->title, trial.count - 1);
    for (int c = 0; c < COLS; c++) {
        rounding_col(t, keys[c], labels[c], c == 2 ? 1 : 0);
    }
    for (int i = 0; i < LOGITS; i++) {
        struct facts facts;
        int row = view_table_row(t);
        trial.value = calc_round(&trial.type, logits[i]);
        t->current = trial.value < own || trial.value > own ? t->current : row;
        facts_start(&facts);
        calc_predict_softmax(&trial, &facts);
        for (int c = 0; c < COLS; c++) {
            rounding_cell(t, row, c, real(&facts, keys[c]));
        }
    }
    struct message *m = view_table_add_note(t, -1);
    message_start(m, "lesson.mixed-precision.softmax.note");
    rounding_add_number(m, past);
}

static void adam_picture(const struct lesson_input *in, struct view *out) {
    static const char *const keys[] = {"epsilon",        "epsilon_in_type",
                                       "update_of_zero", "update_of_zero_fp32",
                                       "update",         "update_fp32"};
    static const char *const labels[] = {"lesson.mixed-precision.column.epsilon",
                                         "lesson.mixed-precision.column.in_type",
                                         "lesson.mixed-precision.column.of_zero",
                                         "lesson.mixed-precision.column.of_zero_fp32",
                                         "overflow.column.update",
                                         "overflow.column.update_fp32"};
    const char *const *epsilons = lesson_mixed_precision.own[MIXED_KNOB_EPSILON].stops;
    enum { COLS = 6 };
    struct facts facts;
    struct calc_trial trial = mixed_trial(in, MIXED_RUN_ADAM, NULL);
    const char *own = mixed_stop(in, MIXED_KNOB_EPSILON);
    struct view_table *t = add_table(out, "lesson.mixed-precision.adam", mixed_type(in));
    rounding_add_number(&t->title, trial.value);
    for (int c = 0; c < COLS; c++) {
        rounding_col(t, keys[c], labels[c], c == 3 ? 2 : c == 5 ? 1 : 0);
    }
    for (int i = 0; epsilons[i] != NULL; i++) {
        int row = view_table_row(t);
        trial.epsilon = rounding_stop_value(epsilons[i]);
        t->current = strcmp(epsilons[i], own) == 0 ? row : t->current;
        facts_start(&facts);
        calc_predict_adam(&trial, &facts);
        for (int c = 0; c < COLS; c++) {
            rounding_cell(t, row, c, real(&facts, keys[c]));
        }
    }
    struct message *m = view_table_add_note(t, -1);
    message_start(m, "lesson.mixed-precision.adam.note");
    rounding_add_number(m, real(&facts, "largest_epsilon_that_is_zero"));
    rounding_add_number(m, real(&facts, "least_gradient_with_a_square"));
}

/* --- FP16 beside BF16 --- */

static void add_property(struct view_table *t, const char *name, const double *of_type) {
    int row = view_table_row(t);
    view_table_set_text(t, row, 0, name);
    for (int i = 0; i < 2; i++) {
        rounding_cell(t, row, 1 + i, of_type[i]);
    }
}

static void choice_picture(const struct lesson_input *in, struct view *out) {
    static const char *const types[] = {"fp16", "bf16"};
    enum { BYTES, MAX, NORMAL, TINY, STEP, ZERO, PAST, SCALE, PROPERTIES };
    static const char *const names[PROPERTIES] = {"bytes", "max",  "normal", "tiny",
                                                  "step",  "zero", "past",   "scale"};
    double of[PROPERTIES][2], values[MIXED_VALUES_MAX];
    for (int i = 0; i < 2; i++) {
        struct facts counted, scales;
        struct calc_trial trial = mixed_trial(in, MIXED_RUN_GRADIENTS, values);
        trial.type = rounding_of(types[i]);
        trial.scale_log2 = 0;
        const struct calc_format *f = &trial.type.format;
        facts_start(&counted);
        facts_start(&scales);
        calc_predict_gradients(&trial, &counted);
        calc_predict_loss_scale(&trial, &scales);
        of[BYTES][i] = (1 + f->exponent_bits + f->mantissa_bits) / 8.0;
        of[MAX][i] = calc_format_max(f);
        of[NORMAL][i] = ldexp(1, calc_format_least(f));
        of[TINY][i] = calc_format_tiny(f);
        of[STEP][i] = calc_format_step(f, 1);
        of[ZERO][i] = count(&counted, "zero");
        of[PAST][i] = count(&counted, "past_max");
        of[SCALE][i] = fmax(1, real(&scales, "least_scale_that_keeps_all"));
    }
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.mixed-precision.compare");
    message_add_count(&t->title, MIXED_GRADIENTS);
    rounding_add_power(&t->title, mixed_stop(in, MIXED_KNOB_CENTER));
    (void)view_table_col(
        t, &(struct view_table_col){"property", "lesson.mixed-precision.column.property",
                                    VIEW_TABLE_NAME, 0, "lesson.mixed-precision.property."});
    rounding_col(t, "fp16", NULL, 0);
    rounding_col(t, "bf16", NULL, 0);
    for (int i = 0; i < PROPERTIES; i++) {
        add_property(t, names[i], of[i]);
    }
    message_start(view_table_add_note(t, -1), "lesson.mixed-precision.compare.note");
}

void mixed_picture(const struct lesson_input *in, struct view *out) {
    static void (*const pictures[MIXED_RUNS])(const struct lesson_input *, struct view *) = {
        [MIXED_RUN_GRADIENTS] = gradients_picture, [MIXED_RUN_LOSS_SCALE] = dynamic_picture,
        [MIXED_RUN_STAGNATION] = updates_picture,  [MIXED_RUN_STOCHASTIC] = updates_picture,
        [MIXED_RUN_SOFTMAX] = softmax_picture,     [MIXED_RUN_ADAM] = adam_picture};
    if (in->page == MIXED_CHOICE) {
        choice_picture(in, out);
    } else {
        pictures[mixed_run_of(in)](in, out);
    }
}
