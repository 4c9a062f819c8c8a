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
    message_start(&out->question, "mixed.guess.states");
    rounding_add_number(&out->question, before);
    rounding_choose_number(out, before / 2, "mixed.why.half");
    rounding_choose_number(out, before, "mixed.why.same");
    rounding_choose_number(out, before + 2, "mixed.why.gradients_wide");
    rounding_choose_number(out, before + 4, "mixed.why.gradients_twice");
    return rounding_settle(out, after, after > before ? "mixed.right.more" : "mixed.right.states");
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
    (void)question(out, "mixed.guess.update", "bf16");
    rounding_choose_text(out, over(text, "bf16"), NULL);
    rounding_choose_text(out, over(text, "fp16"), "mixed.why.like_fp16");
    rounding_choose_text(out, over(text, "fp32"), "mixed.why.like_fp32");
    rounding_choose_number(out, calc_format_tiny(&f), "mixed.why.range");
    return rounding_settle_text(out, over(text, "bf16"), "mixed.right.update");
}

/* --- What an experiment will measure --- */

/* How many of the gradients become zero: none, a few, many, most. */
static bool ask_gradients(const struct lesson_input *in, struct lesson_guess *out) {
    enum { NOTHING, FEW, MANY, MOST, SHARES };
    static const char *const ids[SHARES] = {"mixed.guess.nothing", "mixed.guess.few",
                                            "mixed.guess.many", "mixed.guess.most"};
    static const char *const whys[SHARES] = {"mixed.why.nothing", "mixed.why.share",
                                             "mixed.why.share", "mixed.why.most"};
    struct calc_rounding r = rounding_of(mixed_type(in));
    struct facts facts;
    int scale = mixed_trial(in, MIXED_RUN_GRADIENTS, NULL).scale_log2;
    mixed_gradients(in, mixed_type(in), scale, &facts);
    double zero = count(&facts, "zero"), all = count(&facts, "gradients");
    const double numbers[] = {zero, ldexp(calc_format_tiny(&r.format) / 2, -scale),
                              ldexp(1, calc_format_least(&r.format) - scale)};
    struct message *m = question(out, "mixed.guess.gradients", mixed_type(in));
    message_add_text(m, mixed_stop(in, MIXED_KNOB_CENTER));
    message_add_text(m, mixed_scale(in));
    rounding_add_number(m, all);
    for (int i = 0; i < SHARES; i++) {
        rounding_choose(out, &(struct rounding_choice){
                                 ids[i], whys[i], 3, {numbers[0], numbers[1], numbers[2]}});
    }
    out->right = zero < 1 ? NOTHING : zero < all / 10 ? FEW : zero <= all / 2 ? MANY : MOST;
    out->why[out->right].id = "mixed.right.gradients";
    return true;
}

static bool ask_loss_scale(const struct lesson_input *in, struct lesson_guess *out) {
    double values[MIXED_VALUES_MAX];
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_LOSS_SCALE, values);
    facts_start(&facts);
    calc_predict_loss_scale(&t, &facts);
    double skipped = count(&facts, "skipped_steps");
    struct message *m = question(out, "mixed.guess.skipped", mixed_type(in));
    rounding_add_number(m, ldexp(1, MIXED_FIRST_SCALE_LOG2));
    rounding_add_number(m, MIXED_GROWTH);
    rounding_add_number(m, MIXED_STEPS);
    rounding_choose_number(out, skipped, NULL);
    rounding_choose_number(out, 0, "mixed.why.never_skips");
    rounding_choose_number(out, MIXED_STEPS / MIXED_GROWTH, "mixed.why.each_doubling");
    rounding_choose_number(out, MIXED_STEPS, "mixed.why.always_skips");
    return rounding_settle(out, skipped,
                           skipped > 0 ? "mixed.right.skipped" : "mixed.right.none_skipped");
}

/* What a weight of 1 becomes: it stays, the exact sum, a step for each update. */
static bool ask_updates(const struct lesson_input *in, struct lesson_guess *out) {
    bool stochastic = mixed_run_of(in) == MIXED_RUN_STOCHASTIC;
    struct calc_trial t = mixed_trial(in, mixed_run_of(in), NULL);
    double step = calc_format_step(&t.type.format, 1), exact = t.value + t.update * (double)t.count;
    double nearest = calc_running_sum(&t.type, t.value, t.update, t.count).last;
    double right = stochastic ? exact : nearest;
    struct message *m = question(out, stochastic ? "mixed.guess.stochastic" : "mixed.guess.updates",
                                 mixed_type(in));
    rounding_add_number(m, (double)t.count);
    rounding_add_number(m, t.update);
    rounding_add_number(m, step);
    rounding_choose_number(out, right, NULL);
    rounding_choose_number(out, t.value, stochastic ? "mixed.why.as_nearest" : "mixed.why.stays");
    rounding_choose_number(out, exact, "mixed.why.exact");
    rounding_choose_number(out, t.value + step * (double)t.count, "mixed.why.every_step");
    bool stuck = !(nearest > t.value);
    return rounding_settle(out, right,
                           stochastic ? "mixed.right.stochastic"
                           : stuck    ? "mixed.right.stuck"
                                      : "mixed.right.drifts");
}

/* The share of the largest logit: a number, nan, inf, nothing. */
static bool ask_softmax(const struct lesson_input *in, struct lesson_guess *out) {
    struct facts facts;
    struct calc_trial t = mixed_trial(in, MIXED_RUN_SOFTMAX, NULL);
    facts_start(&facts);
    calc_predict_softmax(&t, &facts);
    double first = real(&facts, "first"), exponential = real(&facts, "exp");
    double past = real(&facts, "first_logit_past_max");
    struct message *m = question(out, "mixed.guess.softmax", mixed_type(in));
    message_add_text(m, mixed_stop(in, MIXED_KNOB_LOGIT));
    rounding_add_number(m, (double)(t.count - 1));
    rounding_choose_number(
        out, isfinite(first) ? first : calc_round(&t.type, real(&facts, "first_exact")),
        "mixed.why.softmax_number");
    rounding_choose_number(out, 0, "mixed.why.softmax_zero");
    rounding_choose(out, &(struct rounding_choice){
                             "mixed.guess.nan", "mixed.why.softmax_nan", 2, {exponential, past}});
    rounding_choose(out, &(struct rounding_choice){
                             "mixed.guess.inf", "mixed.why.softmax_inf", 2, {exponential, past}});
    if (isfinite(first)) {
        return rounding_settle(out, first, "mixed.right.softmax");
    }
    out->right = out->choice_count - 2;
    out->why[out->right].id = "mixed.right.softmax_nan";
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
    static const char *const ids[] = {"mixed.guess.no_step", "mixed.guess.nan",
                                      "mixed.guess.whole_step", "mixed.guess.inf"};
    static const char *const whys[] = {"mixed.why.no_step", "mixed.why.adam_nan",
                                       "mixed.why.whole_step", "mixed.why.adam_inf"};
    message_add_text(question(out, "mixed.guess.adam", mixed_type(in)),
                     mixed_stop(in, MIXED_KNOB_EPSILON));
    for (int i = 0; i < 4; i++) {
        rounding_choose(out,
                        &(struct rounding_choice){ids[i], whys[i], 2, {numbers[0], numbers[1]}});
    }
    out->right = isnan(step) ? 1 : 0;
    out->why[out->right].id = isnan(step) ? "mixed.right.adam_nan" : "mixed.right.no_step";
    return isnan(step) || !(step > 0 || step < 0);
}

bool mixed_ask(const struct lesson_input *in, struct lesson_guess *out) {
    static bool (*const asks[MIXED_RUNS])(const struct lesson_input *, struct lesson_guess *) = {
        NULL, ask_gradients, ask_loss_scale, ask_updates, ask_updates, ask_softmax, ask_adam};
    return in->page == MIXED_KEEPS    ? ask_states(in, out)
           : in->page == MIXED_CHOICE ? ask_update(out)
                                      : asks[mixed_run_of(in)](in, out);
}
