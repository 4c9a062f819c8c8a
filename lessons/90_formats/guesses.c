/* What the lesson *formats* asks before it shows: each choice is a number or a rule that somebody believes in, the right
 * one is what calc computes for the knobs. Writes into the caller's guess. Proof: tests/unit/lessons/test_formats.c. */
#include <math.h>

#include "formats_private.h"

static struct message *question(struct lesson_guess *g, const char *id, const char *type) {
    message_start(&g->question, id);
    message_add_text(&g->question, type);
    return &g->question;
}

/* All digits of it: neighbours in fp32 differ in the seventh. */
static const char *digits(char out[ROUNDING_TEXT_MAX], double x) {
    struct writer w;
    writer_start(&w, out, ROUNDING_TEXT_MAX);
    writer_real(&w, x);
    return out;
}

/* The numbers of the type on both sides of x > 0. Past max there is one. */
static void neighbours(const struct calc_rounding *r, double x, double *below, double *above) {
    double max = calc_format_max(&r->format), near = calc_round(r, x);
    near = !isfinite(near) || near > max ? max : near;
    if (near < x) {
        *below = near;
    } else {
        *below = near > calc_format_tiny(&r->format) ? calc_format_below(&r->format, near) : 0;
    }
    double from = near > x ? *below : near;
    *above = from + calc_format_step(&r->format, from);
}

/* Which number stands for the input: the one below, the input itself, the one above, none. */
static bool ask_number(const struct lesson_input *in, struct lesson_guess *out) {
    char text[ROUNDING_TEXT_MAX];
    struct calc_rounding r = rounding_of(formats_type(in));
    double x = rounding_stop_value(formats_stop(in, FORMATS_KNOB_VALUE)), below, above;
    double max = calc_format_max(&r.format), stored = calc_round(&r, x);
    neighbours(&r, x, &below, &above);
    message_add_text(question(out, "lesson.formats.guess.number", formats_type(in)),
                     formats_stop(in, FORMATS_KNOB_VALUE));
    rounding_choose_text(out, digits(text, below), "lesson.formats.why.down");
    rounding_choose_text(out, digits(text, x), "lesson.formats.why.exact");
    if (above <= max) {
        rounding_choose_text(out, digits(text, above), "lesson.formats.why.up");
    }
    rounding_choose(out, &(struct rounding_choice){
                             "lesson.formats.guess.none", "lesson.formats.why.none", 1, {max}});
    if (isfinite(stored)) {
        bool exact = !(stored < x) && !(stored > x);
        return rounding_settle_text(out, digits(text, stored),
                                    exact ? "lesson.formats.right.exact"
                                          : "lesson.formats.right.nearest");
    }
    out->right = out->choice_count - 1;
    message_start(&out->why[out->right], "lesson.formats.right.overflow");
    rounding_add_number(&out->why[out->right], max);
    return true;
}

/* --- Range --- */

static bool ask_range(const struct lesson_input *in, struct lesson_guess *out) {
    enum { STAYS, EXACT, NONE, WRAPS };
    struct calc_trial t = formats_trial(in, NULL);
    double max = calc_format_max(&t.type.format), step = calc_format_step(&t.type.format, max);
    bool passes = calc_format_passes(&t.type.format, max + t.value);
    struct message *m = question(out, "lesson.formats.guess.range", formats_type(in));
    rounding_add_number(m, max);
    rounding_add_number(m, t.value);
    const struct rounding_choice choices[] = {
        {"lesson.formats.guess.stays", "lesson.formats.why.stays", 2, {max, step / 2}},
        {"lesson.formats.guess.exact", "lesson.formats.why.range_exact", 2, {t.value, step}},
        {"lesson.formats.guess.none", "lesson.formats.why.range_none", 2, {t.value, step / 2}},
        {"lesson.formats.guess.wraps", "lesson.formats.why.wraps", 0, {0}}};
    for (int i = 0; i < 4; i++) {
        rounding_choose(out, &choices[i]);
    }
    out->right = passes && !t.type.saturates ? NONE : STAYS;
    message_start(&out->why[out->right], !passes               ? "lesson.formats.right.stays"
                                         : out->right == STAYS ? "lesson.formats.right.saturates"
                                                               : "lesson.formats.right.none");
    rounding_add_number(&out->why[out->right], t.value);
    rounding_add_number(&out->why[out->right], step / 2);
    return true;
}

/* --- Sums --- */

static bool ask_sum(const struct lesson_input *in, struct lesson_guess *out) {
    struct calc_trial t = formats_trial(in, NULL);
    struct calc_sum sum = calc_running_sum(&t.type, 0, t.value, t.count);
    double max = calc_format_max(&t.type.format);
    struct message *m = question(out, "lesson.formats.guess.sum", formats_type(in));
    rounding_add_number(m, (double)t.count);
    rounding_add_number(m, t.value);
    rounding_choose_number(out, sum.last, NULL);
    rounding_choose_number(out, t.value * (double)t.count, "lesson.formats.why.sum_exact");
    rounding_choose_number(out, max, "lesson.formats.why.sum_max");
    rounding_choose(out, &(struct rounding_choice){
                             "lesson.formats.guess.none", "lesson.formats.why.sum_none", 1, {max}});
    return rounding_settle(out, sum.last, "lesson.formats.right.sum");
}

/* --- Eight bits --- */

static bool ask_fp8(const struct lesson_input *in, struct lesson_guess *out) {
    enum { NONE, TENSOR, BLOCK, WAYS };
    static const char *const keys[WAYS] = {"none_mean_error", "tensor_mean_error", "mx_mean_error"};
    static const char *const zeros[WAYS] = {"none_zero", "tensor_zero", "mx_zero"};
    static const char *const ids[WAYS] = {"lesson.formats.way.none", "lesson.formats.way.tensor",
                                          "lesson.formats.way.mx"};
    static const char *const whys[WAYS] = {"lesson.formats.why.no_scale",
                                           "lesson.formats.why.tensor_scale",
                                           "lesson.formats.why.block_scale"};
    double numbers[FORMATS_NUMBERS], error[WAYS];
    struct facts facts;
    struct calc_trial t = formats_trial(in, numbers);
    facts_start(&facts);
    calc_predict_block_scale(&t, &facts);
    struct message *m = question(out, "lesson.formats.guess.fp8", formats_type(in));
    rounding_add_power(m, formats_stop(in, FORMATS_KNOB_CENTER));
    for (int i = 0; i < WAYS; i++) {
        error[i] = rounding_fact(&facts, keys[i])->real;
        double zero = (double)rounding_fact(&facts, zeros[i])->count;
        rounding_choose(out, &(struct rounding_choice){ids[i], whys[i], 2, {zero, error[i]}});
        out->right = error[i] < error[out->right] ? i : out->right;
    }
    rounding_choose(out, &(struct rounding_choice){"lesson.formats.guess.same",
                                                   "lesson.formats.why.same",
                                                   2,
                                                   {error[NONE], error[BLOCK]}});
    int equal = 0;
    for (int i = 0; i < WAYS; i++) {
        equal += error[i] <= error[out->right] ? 1 : 0;
    }
    out->why[out->right].id = "lesson.formats.right.fp8";
    return equal == 1;
}

/* --- All-reduce --- */

static bool ask_reduce(const struct lesson_input *in, struct lesson_guess *out) {
    struct calc_trial t = formats_trial(in, NULL);
    struct facts facts;
    facts_start(&facts);
    calc_predict_accumulation(&t, &facts);
    double least = rounding_fact(&facts, "least_in_type")->real;
    double exact = rounding_fact(&facts, "exact_sum")->real;
    struct message *m = question(out, "lesson.formats.guess.reduce", formats_type(in));
    message_add_text(m, formats_stop(in, FORMATS_KNOB_ALGORITHM));
    rounding_add_number(m, t.value);
    rounding_add_number(m, (double)(t.ranks - 1));
    rounding_choose_number(out, t.value, "lesson.formats.why.all_lost");
    rounding_choose_number(out, exact, "lesson.formats.why.reduce_exact");
    rounding_choose_number(out, calc_round(&t.type, exact), "lesson.formats.why.reduce_rounded");
    rounding_choose_number(out, least, NULL);
    return rounding_settle(
        out, least, least > t.value ? "lesson.formats.right.order" : "lesson.formats.right.lost");
}

bool formats_ask(const struct lesson_input *in, struct lesson_guess *out) {
    static bool (*const asks[FORMATS_PAGES])(const struct lesson_input *, struct lesson_guess *) = {
        ask_number, ask_range, ask_sum, ask_fp8, ask_reduce};
    return asks[in->page](in, out);
}
