/* What the lesson *mixed-precision* asks before it shows: each choice is what somebody believes of low precision, the right
 * one is what calc computes for the knobs. Writes into the caller's guess. Proof:
 * tests/unit/lessons/test_mixed_precision.c. */
#include <math.h>

#include "mixed_private.h"
#include "shardlab/calc/memory.h"

static struct message *question(struct lesson_guess *g, const char *id, const char *type) {
    message_start(&g->question, id);
    message_add_text(&g->question, type);
    return &g->question;
}

static double real(const struct facts *f, const char *key) {
    return rounding_fact(f, key)->real;
}

static double count(const struct facts *f, const char *key) {
    return (double)rounding_fact(f, key)->count;
}

/* --- Memory, and the choice of a format --- */

/* Bytes of states a parameter: half, the same, and with gradients in fp32 instead, or beside. */
static bool ask_states(const struct lesson_input *in, struct lesson_guess *out) {
    struct scenario full, mixed;
    if (!mixed_in_precision(in->now, CALC_PRECISION_FP32, &full) ||
        !mixed_in_precision(in->now, CALC_PRECISION_BF16, &mixed)) {
        return false;
    }
    double before = (double)calc_state_bytes_per_param(&full);
    double after = (double)calc_state_bytes_per_param(&mixed);
    message_start(&out->question, "lesson.mixed-precision.guess.states");
    rounding_add_number(&out->question, before);
    rounding_choose_number(out, before / 2, "lesson.mixed-precision.why.half");
    rounding_choose_number(out, before, "lesson.mixed-precision.why.same");
    rounding_choose_number(out, before + 2, "lesson.mixed-precision.why.gradients_wide");
    rounding_choose_number(out, before + 4, "lesson.mixed-precision.why.gradients_twice");
    return rounding_settle(out, after,
                           after > before ? "lesson.mixed-precision.right.more"
                                          : "lesson.mixed-precision.right.states");
}

/* The largest update that leaves a weight of 1 where it is, as one over a whole number. */
static const char *over(char out[ROUNDING_TEXT_MAX], const char *type) {
    struct calc_format f = rounding_of(type).format;
    struct writer w;
    writer_start(&w, out, ROUNDING_TEXT_MAX);
    writer_text(&w, "1/");
    rounding_number_write(&w, 2 / calc_format_step(&f, 1));
    return out;
}

/* Of bf16: who takes its range for its precision, or its exponent's bits for fp32's mantissa. */
static bool ask_update(struct lesson_guess *out) {
    struct calc_format f = rounding_of("bf16").format;
    char text[ROUNDING_TEXT_MAX];
    (void)question(out, "lesson.mixed-precision.guess.update", "bf16");
    rounding_choose_text(out, over(text, "bf16"), NULL);
    rounding_choose_text(out, over(text, "fp16"), "lesson.mixed-precision.why.like_fp16");
    rounding_choose_text(out, over(text, "fp32"), "lesson.mixed-precision.why.like_fp32");
    rounding_choose_number(out, calc_format_tiny(&f), "lesson.mixed-precision.why.range");
    return rounding_settle_text(out, over(text, "bf16"), "lesson.mixed-precision.right.update");
}

/* --- What an experiment will measure --- */

/* How many of the gradients become zero: none, a few, many, most. */
static bool ask_gradients(const struct lesson_input *in, struct lesson_guess *out) {
    enum { NOTHING, FEW, MANY, MOST, SHARES };
    static const char *const ids[SHARES] = {
        "lesson.mixed-precision.guess.nothing", "lesson.mixed-precision.guess.few",
        "lesson.mixed-precision.guess.many", "lesson.mixed-precision.guess.most"};
    static const char *const whys[SHARES] = {
        "lesson.mixed-precision.why.nothing", "lesson.mixed-precision.why.share",
        "lesson.mixed-precision.why.share", "lesson.mixed-precision.why.most"};
    struct calc_rounding r = rounding_of(mixed_type(in));
    struct facts facts;
    int scale = mixed_trial(in, MIXED_RUN_GRADIENTS, NULL).scale_log2;
    mixed_gradients(in, mixed_type(in), scale, &facts);
    double zero = count(&facts, "zero"), all = count(&facts, "gradients");
    const double numbers[] = {zero, ldexp(calc_format_tiny(&r.format) / 2, -scale),
                              ldexp(1, calc_format_least(&r.format) - scale)};
    struct message *m = question(out, "lesson.mixed-precision.guess.gradients", mixed_type(in));
    rounding_add_power(m, mixed_stop(in, MIXED_KNOB_CENTER));
    message_add_text(m, mixed_scale(in));
    rounding_add_number(m, all);
    for (int i = 0; i < SHARES; i++) {
        rounding_choose(out, &(struct rounding_choice){
                                 ids[i], whys[i], 3, {numbers[0], numbers[1], numbers[2]}});
    }
    out->right = zero < 1 ? NOTHING : zero < all / 10 ? FEW : zero <= all / 2 ? MANY : MOST;
    out->why[out->right].id = "lesson.mixed-precision.right.gradients";
    return true;
}

static bool ask_loss_scale(const struct lesson_input *in, struct lesson_guess *out) {
    double values[MIXED_VALUES_MAX];
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_LOSS_SCALE, values);
    facts_start(&facts);
    calc_predict_loss_scale(&t, &facts);
    double skipped = count(&facts, "skipped_steps");
    struct message *m = question(out, "lesson.mixed-precision.guess.skipped", mixed_type(in));
    rounding_add_number(m, ldexp(1, MIXED_FIRST_SCALE_LOG2));
    rounding_add_number(m, MIXED_GROWTH);
    rounding_add_number(m, MIXED_STEPS);
    rounding_choose_number(out, skipped, NULL);
    rounding_choose_number(out, 0, "lesson.mixed-precision.why.never_skips");
    const int doublings = MIXED_STEPS / MIXED_GROWTH;
    rounding_choose_number(out, doublings, "lesson.mixed-precision.why.each_doubling");
    rounding_choose_number(out, MIXED_STEPS, "lesson.mixed-precision.why.always_skips");
    return rounding_settle(out, skipped,
                           skipped > 0 ? "lesson.mixed-precision.right.skipped"
                                       : "lesson.mixed-precision.right.none_skipped");
}

/* What a weight of 1 becomes: it stays, the exact sum, a step for each update. */
static bool ask_updates(const struct lesson_input *in, struct lesson_guess *out) {
    bool stochastic = mixed_run_of(in) == MIXED_RUN_STOCHASTIC;
    struct calc_trial t = mixed_trial(in, mixed_run_of(in), NULL);
    double step = calc_format_step(&t.type.format, 1), exact = t.value + t.update * (double)t.count;
    double nearest = calc_running_sum(&t.type, t.value, t.update, t.count).last;
    double right = stochastic ? exact : nearest;
    struct message *m = question(out,
                                 stochastic ? "lesson.mixed-precision.guess.stochastic"
                                            : "lesson.mixed-precision.guess.updates",
                                 mixed_type(in));
    rounding_add_number(m, (double)t.count);
    rounding_add_number(m, t.update);
    rounding_add_number(m, step);
    rounding_choose_number(out, right, NULL);
    rounding_choose_number(out, t.value,
                           stochastic ? "lesson.mixed-precision.why.as_nearest"
                                      : "lesson.mixed-precision.why.stays");
    rounding_choose_number(out, exact, "lesson.mixed-precision.why.exact");
    rounding_choose_number(out, t.value + step * (double)t.count,
                           "lesson.mixed-precision.why.every_step");
    bool stuck = !(nearest > t.value);
    return rounding_settle(out, right,
                           stochastic ? "lesson.mixed-precision.right.stochastic"
                           : stuck    ? "lesson.mixed-precision.right.stuck"
                                      : "lesson.mixed-precision.right.drifts");
}

/* The share of the largest logit: a number, nan, inf, nothing. */
static bool ask_softmax(const struct lesson_input *in, struct lesson_guess *out) {
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_SOFTMAX, NULL);
    facts_start(&facts);
    calc_predict_softmax(&t, &facts);
    double first = real(&facts, "first"), exponential = real(&facts, "exp");
    double past = real(&facts, "first_logit_past_max");
    struct message *m = question(out, "lesson.mixed-precision.guess.softmax", mixed_type(in));
    message_add_text(m, mixed_stop(in, MIXED_KNOB_LOGIT));
    rounding_add_number(m, (double)(t.count - 1));
    rounding_choose_number(
        out, isfinite(first) ? first : calc_round(&t.type, real(&facts, "first_exact")),
        "lesson.mixed-precision.why.softmax_number");
    rounding_choose_number(out, 0, "lesson.mixed-precision.why.softmax_zero");
    rounding_choose(out, &(struct rounding_choice){"lesson.mixed-precision.guess.nan",
                                                   "lesson.mixed-precision.why.softmax_nan",
                                                   2,
                                                   {exponential, past}});
    rounding_choose(out, &(struct rounding_choice){"lesson.mixed-precision.guess.inf",
                                                   "lesson.mixed-precision.why.softmax_inf",
                                                   2,
                                                   {exponential, past}});
    if (isfinite(first)) {
        return rounding_settle(out, first, "lesson.mixed-precision.right.softmax");
    }
    out->right = out->choice_count - 2;
    out->why[out->right].id = "lesson.mixed-precision.right.softmax_nan";
    return true;
}

/* Adam's step for a gradient of zero: nothing, nan, a whole learning rate, inf. */
static bool ask_adam(const struct lesson_input *in, struct lesson_guess *out) {
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_ADAM, NULL);
    facts_start(&facts);
    calc_predict_adam(&t, &facts);
    double step = real(&facts, "update_of_zero"),
           limit = real(&facts, "largest_epsilon_that_is_zero");
    const double numbers[] = {t.epsilon, limit};
    static const char *const ids[] = {
        "lesson.mixed-precision.guess.no_step", "lesson.mixed-precision.guess.nan",
        "lesson.mixed-precision.guess.whole_step", "lesson.mixed-precision.guess.inf"};
    static const char *const whys[] = {
        "lesson.mixed-precision.why.no_step", "lesson.mixed-precision.why.adam_nan",
        "lesson.mixed-precision.why.whole_step", "lesson.mixed-precision.why.adam_inf"};
    message_add_text(question(out, "lesson.mixed-precision.guess.adam", mixed_type(in)),
                     mixed_stop(in, MIXED_KNOB_EPSILON));
    for (int i = 0; i < 4; i++) {
        rounding_choose(out,
                        &(struct rounding_choice){ids[i], whys[i], 2, {numbers[0], numbers[1]}});
    }
    out->right = isnan(step) ? 1 : 0;
    out->why[out->right].id = isnan(step) ? "lesson.mixed-precision.right.adam_nan"
                                          : "lesson.mixed-precision.right.no_step";
    return isnan(step) || !(step > 0 || step < 0);
}

bool mixed_ask(const struct lesson_input *in, struct lesson_guess *out) {
    static bool (*const asks[MIXED_RUNS])(const struct lesson_input *, struct lesson_guess *) = {
        NULL, ask_gradients, ask_loss_scale, ask_updates, ask_updates, ask_softmax, ask_adam};
    return in->page == MIXED_KEEPS    ? ask_states(in, out)
           : in->page == MIXED_CHOICE ? ask_update(out)
                                      : asks[mixed_run_of(in)](in, out);
}
