/* The pictures of the lesson *formats*: a number as bits and in every format; ranges and steps; a sum that stalls; three
 * ways to scale 8 bits; an all-reduce in every order. Writes into the view that the caller passes; keeps nothing.
 * Proof: tests/unit/lessons/test_formats.c. */
#include <math.h>
#include <string.h>

#include "formats_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/lesson/format_view.h"

static struct view_table *add_table(struct view *out, const char *title) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, title);
    return t;
}

/* A row a format, named in the first column; the learner's is the one that is looked at. */
static int add_format(struct view_table *t, const struct lesson_input *in, int format) {
    int row = view_table_row(t);
    view_table_set_text(t, row, 0, formats_names[format]);
    t->current = strcmp(formats_names[format], formats_type(in)) == 0 ? row : t->current;
    return row;
}

/* "1/512": a share as one over a whole number. */
static void set_one_over(struct view_table *t, int row, int col, double below) {
    char text[ROUNDING_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, "1/");
    rounding_number_write(&w, below);
    view_table_set_text(t, row, col, text);
}

/* --- A number --- */

static void number_picture(const struct lesson_input *in, struct view *out) {
    enum { NAME, STORED, ERROR, STEP };
    const char *text = formats_stop(in, FORMATS_KNOB_VALUE);
    struct format_number n = {.input = rounding_stop_value(text), .text = text};
    bool found = num_type_find(formats_type(in), &n.type);
    n.rounding = num_rounding_of(n.type);
    if (found) {
        format_bits_add(out, &n);
    }
    struct view_table *t = add_table(out, "lesson.formats.all");
    message_add_text(&t->title, text);
    rounding_col(t, "type", "lesson.rounding.column.type", 0);
    rounding_col(t, "stored", "lesson.rounding.column.stored", 0);
    rounding_col(t, "relative_error", "lesson.rounding.column.relative_error", 0);
    rounding_col(t, "step", "lesson.rounding.column.step", 1);
    for (int i = 0; i < FORMATS_COMPARED; i++) {
        struct calc_rounding r = rounding_of(formats_names[i]);
        double stored = calc_round(&r, n.input);
        int row = add_format(t, in, i);
        rounding_cell(t, row, STORED, stored);
        if (isfinite(stored)) {
            rounding_cell(t, row, ERROR, (stored - n.input) / n.input);
            rounding_cell(t, row, STEP, calc_format_step(&r.format, stored));
        }
    }
}

/* --- Range and step --- */

static void add_mark(struct view_mark *mark, double value) {
    struct writer w;
    mark->value = value;
    writer_start(&w, mark->text, sizeof mark->text);
    rounding_number_write(&w, value);
}

static void range_picture(const struct lesson_input *in, struct view *out) {
    enum { NAME, MAX, ADDEND, SUM, CAN, ALWAYS };
    struct view_mark marks[2];
    enum num_type type = NUM_FP16;
    struct calc_format f = rounding_of(formats_type(in)).format;
    add_mark(&marks[0], calc_format_tiny(&f));
    add_mark(&marks[1], calc_format_max(&f));
    if (num_type_find(formats_type(in), &type)) {
        format_ranges_add(out, type, marks, 2);
    }
    struct view_table *t = add_table(out, "lesson.formats.steps");
    rounding_col(t, "type", "lesson.rounding.column.type", 0);
    rounding_col(t, "max", "lesson.rounding.column.max", 0);
    rounding_col(t, "addend", "lesson.rounding.column.addend", 1);
    rounding_col(t, "max_plus_addend", "lesson.rounding.column.max_plus_addend", 0);
    rounding_col(t, "can_vanish_below", "lesson.rounding.column.can_vanish", 0);
    rounding_col(t, "always_vanishes_below", "lesson.rounding.column.always_vanishes", 0);
    for (int i = 0; i < FORMATS_COMPARED; i++) {
        struct facts facts;
        struct calc_trial trial = formats_trial_of(in, formats_names[i]);
        int row = add_format(t, in, i);
        double half = calc_format_step(&trial.type.format, 1) / 2;
        facts_start(&facts);
        calc_predict_range(&trial, &facts);
        rounding_cell(t, row, MAX, rounding_fact(&facts, "max")->real);
        rounding_cell(t, row, ADDEND, trial.value);
        rounding_cell(t, row, SUM, rounding_fact(&facts, "max_plus_addend")->real);
        set_one_over(t, row, CAN, 1 / half);
        set_one_over(t, row, ALWAYS, 2 / half);
    }
    message_start(view_table_add_note(t, -1), "lesson.formats.steps.note");
}

/* --- Sums --- */

static void sum_picture(const struct lesson_input *in, struct view *out) {
    enum { NAME, COUNT, SUM, EXACT, CHANGED };
    struct facts facts;
    struct calc_trial own = formats_trial(in, NULL);
    const struct rounding_curves curves = {
        "lesson.formats.sum.curve", "additions", "sum", 2, {'s', 'e'}, {formats_type(in), "n*v"}};
    facts_start(&facts);
    calc_predict_sum(&own, &facts);
    (void)rounding_curves_add(out, &facts, &curves);
    struct view_table *t = add_table(out, "lesson.formats.sum");
    rounding_add_number(&t->title, rounding_stop_value(formats_stop(in, FORMATS_KNOB_TERM)));
    rounding_col(t, "type", "lesson.rounding.column.type", 0);
    rounding_col(t, "additions", "overflow.column.additions", 1);
    rounding_col(t, "sum", "overflow.column.sum", 0);
    rounding_col(t, "exact", "overflow.column.exact", 0);
    rounding_col(t, "additions_that_count", "lesson.rounding.column.changed", 0);
    for (int i = 0; i < FORMATS_COMPARED; i++) {
        struct calc_trial trial = formats_trial_of(in, formats_names[i]);
        struct calc_sum sum = calc_running_sum(&trial.type, 0, trial.value, trial.count);
        int row = add_format(t, in, i);
        rounding_cell(t, row, COUNT, (double)trial.count);
        rounding_cell(t, row, SUM, sum.last);
        rounding_cell(t, row, EXACT, trial.value * (double)trial.count);
        rounding_cell(t, row, CHANGED, (double)sum.changed);
    }
    if (!formats_runs(in)) {
        message_start(view_table_add_note(t, -1), "lesson.formats.not_run");
    }
}

/* --- Eight bits --- */

static void add_way(struct view_table *t, const struct facts *facts, const char *label,
                    const char *const keys[4]) {
    int row = view_table_row(t);
    view_table_set_text(t, row, 0, label);
    for (int i = 0; i < 2; i++) {
        rounding_cell(t, row, 1 + i, (double)rounding_fact(facts, keys[i])->count);
    }
    for (int i = 2; i < 4; i++) {
        rounding_cell(t, row, 1 + i, rounding_fact(facts, keys[i])->real);
    }
}

static void note_speed(struct view_table *t, const struct lesson_input *in) {
    const double *peak = in->now->cluster.peak_tflops;
    struct message *m = view_table_add_note(t, -1);
    if (!(peak[CALC_PRECISION_FP8] > 0) || !(peak[CALC_PRECISION_BF16] > 0)) {
        message_start(m, "lesson.formats.fp8.no_peak");
        return;
    }
    message_start(m, "lesson.formats.fp8.peak");
    rounding_add_number(m, peak[CALC_PRECISION_FP8]);
    rounding_add_number(m, peak[CALC_PRECISION_BF16]);
    message_add_real(m, peak[CALC_PRECISION_FP8] / peak[CALC_PRECISION_BF16]);
    message_add_real(m, CALC_FP8_SPEEDUP_LEAST);
    message_add_real(m, CALC_FP8_SPEEDUP_MOST);
}

static void fp8_picture(const struct lesson_input *in, struct view *out) {
    static const char *const keys[3][4] = {
        {"none_zero", "none_past_max", "none_mean_error", "none_largest_error"},
        {"tensor_zero", "tensor_past_max", "tensor_mean_error", "tensor_largest_error"},
        {"mx_zero", "mx_past_max", "mx_mean_error", "mx_largest_error"}};
    static const char *const ways[] = {"none", "tensor", "mx"};
    static const char *const labels[] = {NULL, "overflow.column.count", "overflow.column.none_zero",
                                         "overflow.column.tensor_zero", "overflow.column.mx_zero"};
    double numbers[FORMATS_NUMBERS];
    struct facts facts;
    struct calc_trial trial = formats_trial(in, numbers);
    facts_start(&facts);
    calc_predict_block_scale(&trial, &facts);
    struct view_table *t = add_table(out, "lesson.formats.fp8");
    message_add_text(&t->title, formats_type(in));
    message_add_count(&t->title, trial.count);
    rounding_add_power(&t->title, formats_stop(in, FORMATS_KNOB_CENTER));
    (void)view_table_col(t, &(struct view_table_col){"scale", "lesson.rounding.column.scaled",
                                                     VIEW_TABLE_NAME, 0, "lesson.formats.way."});
    rounding_col(t, "zero", "overflow.column.zero", 0);
    rounding_col(t, "past_max", "lesson.rounding.column.held", 1);
    rounding_col(t, "mean_error", "lesson.rounding.column.mean_error", 0);
    rounding_col(t, "largest_error", "lesson.rounding.column.largest_error", 2);
    for (int way = 0; way < 3; way++) {
        add_way(t, &facts, ways[way], keys[way]);
    }
    note_speed(t, in);
    rounding_histogram_add(out, &facts,
                           &(struct rounding_histogram){"lesson.formats.fp8.histogram",
                                                        formats_type(in), labels, false});
}

/* --- All-reduce --- */

static void reduce_picture(const struct lesson_input *in, struct view *out) {
    enum { NAME, LEAST, MOST, WIDE_LEAST, WIDE_MOST, EXACT };
    static const char *const names[CALC_ALGORITHMS] = {"naive", "ring", "tree", "halving-doubling",
                                                       "direct"};
    struct calc_trial trial = formats_trial(in, NULL);
    struct view_table *t = add_table(out, "lesson.formats.reduce");
    message_add_text(&t->title, formats_type(in));
    message_add_plain(&t->title, trial.ranks);
    rounding_add_number(&t->title, trial.value);
    rounding_add_number(&t->title, trial.update);
    rounding_col(t, "algorithm", "option.algorithm.label", 0);
    rounding_col(t, "least_in_type", "lesson.rounding.column.least_in_type", 0);
    rounding_col(t, "most_in_type", "lesson.rounding.column.most_in_type", 0);
    rounding_col(t, "least_in_fp32", "lesson.rounding.column.least_in_fp32", 0);
    rounding_col(t, "most_in_fp32", "lesson.rounding.column.most_in_fp32", 2);
    rounding_col(t, "exact", "overflow.column.exact", 1);
    for (int a = 0; a < CALC_ALGORITHMS; a++) {
        struct facts facts;
        int row = view_table_row(t);
        t->current = a == (int)trial.algorithm ? row : t->current;
        struct calc_trial other = trial;
        other.algorithm = (enum calc_algorithm)a;
        facts_start(&facts);
        calc_predict_accumulation(&other, &facts);
        view_table_set_text(t, row, NAME, names[a]);
        rounding_cell(t, row, LEAST, rounding_fact(&facts, "least_in_type")->real);
        rounding_cell(t, row, MOST, rounding_fact(&facts, "most_in_type")->real);
        rounding_cell(t, row, WIDE_LEAST, rounding_fact(&facts, "least_in_fp32")->real);
        rounding_cell(t, row, WIDE_MOST, rounding_fact(&facts, "most_in_fp32")->real);
        rounding_cell(t, row, EXACT, rounding_fact(&facts, "exact_sum")->real);
    }
    message_start(view_table_add_note(t, -1), "lesson.formats.reduce.note");
}

void formats_picture(const struct lesson_input *in, struct view *out) {
    static void (*const pictures[FORMATS_PAGES])(const struct lesson_input *, struct view *) = {
        number_picture, range_picture, sum_picture, fp8_picture, reduce_picture};
    pictures[in->page](in, out);
}
