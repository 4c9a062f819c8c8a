/* The lesson *formats*: what a number is when few bits hold it. Five pages: sign, exponent and mantissa; range against
 * step; sums that stall; 8 bits and their scales; sums over many ranks. Every page but the first runs an experiment of
 * `shardlab overflow`. A format, a number, an order of additions belong to no scenario, so they are knobs of the lesson's
 * own. Pictures are pictures.c's, questions guesses.c's, the numbers in the words figures.c's.
 * Proof: tests/unit/lessons/test_formats.c; beside what is measured: tests/cli/test_precision_lessons.c. */
#include "../registry_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "formats_private.h"

const char *const formats_names[FORMATS_COMPARED] = {"fp32", "fp16", "bf16", "e4m3", "e5m2"};

static const char *const type_stops[] = {"fp32", "fp16", "bf16", "e4m3", "e5m2", NULL};
static const char *const value_stops[] = {"1e-8", "0.001", "0.1",   "1",     "3.14159", "257",
                                          "300",  "2049",  "65504", "65520", "1e39",    NULL};
static const char *const addend_stops[] = {"1/32", "1/4", "1/2", "1", NULL};
static const char *const term_stops[] = {"0.1", "0.25", "1", "3", "16", NULL};
static const char *const type8_stops[] = {"e4m3", "e5m2", NULL};
static const char *const center_stops[] = {"-20", "-12", "-8", "-4", "0", "4", "8", NULL};
static const char *const type16_stops[] = {"fp16", "bf16", NULL};
static const char *const ranks_stops[] = {"3", "5", "16", "64", NULL};
static const char *const algorithm_stops[] = {"naive",  "ring", "tree", "halving-doubling",
                                              "direct", NULL};

static const struct lesson_knob own_knobs[FORMATS_KNOBS] = {
    [FORMATS_KNOB_TYPE] = {"type", type_stops, 1},
    [FORMATS_KNOB_VALUE] = {"value", value_stops, 2},
    [FORMATS_KNOB_ADDEND] = {"addend", addend_stops, 2},
    [FORMATS_KNOB_TERM] = {"term", term_stops, 2},
    [FORMATS_KNOB_TYPE8] = {"type8", type8_stops, 0},
    [FORMATS_KNOB_CENTER] = {"center", center_stops, 3},
    [FORMATS_KNOB_TYPE16] = {"type16", type16_stops, 0},
    [FORMATS_KNOB_RANKS] = {"ranks", ranks_stops, 2},
    [FORMATS_KNOB_ALGORITHM] = {"algorithm", algorithm_stops, 0},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[FORMATS_PAGES] = {
    [FORMATS_NUMBER] = {"group.page", {"value", "type"}},
    [FORMATS_RANGE] = {"group.page", {"type", "addend"}},
    [FORMATS_SUM] = {"group.page", {"type", "term"}},
    [FORMATS_FP8] = {"group.page", {"center", "type8", "gpu"}},
    [FORMATS_REDUCE] = {"group.page", {"algorithm", "ranks", "type16"}},
};

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < FORMATS_PAGES);
    out[0] = page_knobs[page];
    return 1;
}

/* --- What the knobs mean --- */

const char *formats_stop(const struct lesson_input *in, enum formats_knob knob) {
    const struct lesson_knob *k = &own_knobs[knob];
    return k->stops[in->own == NULL ? k->start : in->own[knob]];
}

const char *formats_type(const struct lesson_input *in) {
    return formats_stop(in, in->page == FORMATS_FP8      ? FORMATS_KNOB_TYPE8
                            : in->page == FORMATS_REDUCE ? FORMATS_KNOB_TYPE16
                                                         : FORMATS_KNOB_TYPE);
}

bool formats_runs(const struct lesson_input *in) {
    struct calc_rounding r = rounding_of(formats_type(in));
    return in->page != FORMATS_NUMBER && r.format.exponent_bits + r.format.mantissa_bits < 16;
}

struct calc_trial formats_trial_of(const struct lesson_input *in, const char *type) {
    struct calc_trial t = {.type = rounding_of(type), .narrow = true, .wide = true};
    const struct calc_format *f = &t.type.format;
    double max = calc_format_max(f);
    t.count = UINT64_C(1) << (f->mantissa_bits + 2);
    t.value =
        in->page == FORMATS_RANGE
            ? rounding_stop_value(formats_stop(in, FORMATS_KNOB_ADDEND)) * calc_format_step(f, max)
        : in->page == FORMATS_SUM
            ? calc_round(&t.type, rounding_stop_value(formats_stop(in, FORMATS_KNOB_TERM)))
            : ldexp(1, f->mantissa_bits + 1);
    t.update = 1;
    t.ranks = (uint32_t)rounding_stop_value(formats_stop(in, FORMATS_KNOB_RANKS));
    t.elements = t.ranks;
    int algorithm = calc_algorithm_find(formats_stop(in, FORMATS_KNOB_ALGORITHM));
    t.algorithm = (enum calc_algorithm)algorithm;
    return t;
}

struct calc_trial formats_trial(const struct lesson_input *in, double *numbers) {
    struct calc_trial t = formats_trial_of(in, formats_type(in));
    if (in->page == FORMATS_FP8) {
        double centre = rounding_stop_value(formats_stop(in, FORMATS_KNOB_CENTER));
        rounding_gradients(centre, 0, numbers, FORMATS_NUMBERS);
        t.values = numbers;
        t.count = FORMATS_NUMBERS;
    }
    return t;
}

static enum status view(const struct lesson_input *in, struct view *out, struct message *why) {
    (void)why;
    view_start(out);
    formats_picture(in, out);
    return STATUS_OK;
}

/* --- The same, really run --- */

static void write_option(struct writer *out, const char *name, const char *value) {
    writer_text(out, " --");
    writer_text(out, name);
    writer_char(out, ' ');
    writer_text(out, value);
}

static void write_run(const struct lesson_input *in, struct writer *out) {
    static const char *const names[FORMATS_PAGES] = {NULL, "range", "sum", "fp8-scale",
                                                     "allreduce"};
    writer_text(out, "overflow");
    write_option(out, "experiment", names[in->page]);
    write_option(out, "type", formats_type(in));
    if (in->page == FORMATS_RANGE) {
        write_option(out, "value", "");
        writer_real(out, formats_trial_of(in, formats_type(in)).value);
    } else if (in->page == FORMATS_SUM) {
        write_option(out, "value", formats_stop(in, FORMATS_KNOB_TERM));
    } else if (in->page == FORMATS_FP8) {
        write_option(out, "center", formats_stop(in, FORMATS_KNOB_CENTER));
    } else {
        write_option(out, "ranks", formats_stop(in, FORMATS_KNOB_RANKS));
        write_option(out, "algorithm", formats_stop(in, FORMATS_KNOB_ALGORITHM));
    }
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    if (formats_runs(in)) {
        write_run(in, out);
        return;
    }
    writer_text(out, "format");
    write_option(out, "type", formats_type(in));
    writer_char(out, ' ');
    writer_text(out,
                formats_stop(in, in->page == FORMATS_SUM ? FORMATS_KNOB_TERM : FORMATS_KNOB_VALUE));
}

static const struct lesson_value values[FORMATS_PAGES][LESSON_VALUES_MAX] = {
    [FORMATS_RANGE] = {{"max", "overflow.fact.max", LESSON_UNIT_NONE},
                       {"half_step", "overflow.fact.half_step", LESSON_UNIT_NONE},
                       {"addend", "overflow.fact.addend", LESSON_UNIT_NONE},
                       {"max_plus_addend", "overflow.fact.max_plus_addend", LESSON_UNIT_NONE},
                       {"max_plus_less_than_half", "overflow.fact.max_plus_less_than_half",
                        LESSON_UNIT_NONE},
                       {"max_plus_half", "overflow.fact.max_plus_half", LESSON_UNIT_NONE},
                       {"max_plus_step", "overflow.fact.max_plus_step", LESSON_UNIT_NONE},
                       {"largest_with_a_square", "overflow.fact.largest_with_a_square",
                        LESSON_UNIT_NONE}},
    [FORMATS_SUM] = {{"term", "overflow.fact.term", LESSON_UNIT_NONE},
                     {"additions", "overflow.fact.additions", LESSON_UNIT_NONE},
                     {"sum", "overflow.fact.sum", LESSON_UNIT_NONE},
                     {"additions_that_count", "overflow.fact.additions_that_count",
                      LESSON_UNIT_NONE},
                     {"exact_sum", "overflow.fact.exact_sum", LESSON_UNIT_NONE}},
    [FORMATS_FP8] = {{"none_zero", "overflow.fact.none_zero", LESSON_UNIT_NONE},
                     {"none_past_max", "overflow.fact.none_past_max", LESSON_UNIT_NONE},
                     {"none_mean_error", "overflow.fact.none_mean_error", LESSON_UNIT_NONE},
                     {"tensor_zero", "overflow.fact.tensor_zero", LESSON_UNIT_NONE},
                     {"tensor_mean_error", "overflow.fact.tensor_mean_error", LESSON_UNIT_NONE},
                     {"mx_zero", "overflow.fact.mx_zero", LESSON_UNIT_NONE},
                     {"mx_mean_error", "overflow.fact.mx_mean_error", LESSON_UNIT_NONE}},
    [FORMATS_REDUCE] = {{"exact_sum", "overflow.fact.exact_sum", LESSON_UNIT_NONE},
                        {"least_in_type", "overflow.fact.least_in_type", LESSON_UNIT_NONE},
                        {"most_in_type", "overflow.fact.most_in_type", LESSON_UNIT_NONE},
                        {"least_in_fp32", "overflow.fact.least_in_fp32", LESSON_UNIT_NONE},
                        {"most_in_fp32", "overflow.fact.most_in_fp32", LESSON_UNIT_NONE}},
};

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    struct writer w;
    int count = 0;
    if (!formats_runs(in)) {
        return false;
    }
    while (count < LESSON_VALUES_MAX && values[in->page][count].key != NULL) {
        count++;
    }
    rounding_values(out, values[in->page], count);
    writer_start(&w, out->line, sizeof out->line);
    write_run(in, &w);
    return true;
}

const struct lesson lesson_formats = {
    .id = "formats",
    .folder = "90_formats",
    .page_count = FORMATS_PAGES,
    .start = "--model llama-2-7b --precision fp8 --gpu h100-sxm-80gb",
    .knobs = groups,
    .view = view,
    .figure = formats_figure,
    .own = own_knobs,
    .own_count = FORMATS_KNOBS,
    .command = write_command,
    .guess = formats_ask,
    .experiment = experiment,
    .makers = formats_makers,
    .maker_count = FORMATS_MAKERS,
};
