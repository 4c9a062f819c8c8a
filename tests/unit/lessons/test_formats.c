/* The lesson on number formats without a terminal: both languages have its pages and every number in the words is
 * computed; knobs rest on stops that commands understand; every position has a picture, a command line and choices that
 * differ; the right answer is the calculator's, and known numbers are found. */
#define _POSIX_C_SOURCE 200809L

#include "precision_support.h"

#include <math.h>

#include "shardlab/calc/precision.h"

enum { NUMBER, RANGE, SUM, FP8, REDUCE, PAGES };

#define CARD LLAMA " --precision fp8"

static const struct lesson *formats(void) {
    const struct lesson *lesson = lesson_find("formats");
    ck_assert_ptr_nonnull(lesson);
    ck_assert_int_eq(lesson->page_count, PAGES);
    return lesson;
}

static struct scenario with_peaks(void) {
    struct scenario s = scenario_of(CARD);
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 989; /* a card comes from the store */
    s.cluster.peak_tflops[CALC_PRECISION_FP8] = 1979;
    return s;
}

START_TEST(every_figure_in_the_words_has_a_value_at_the_start) {
    struct scenario s = with_peaks();
    ck_assert_int_gt(expect_figures(formats(), &s, languages[_i]), 20);
}
END_TEST

static const struct {
    int page;
    const char *stops, *name, *text;
} figures[] = {
    {NUMBER, "", "fp32_mantissa_bits", "23"},
    {NUMBER, "", "bf16_exponent_bits", "8"},
    {RANGE, "", "fp16_max", "65504"},
    {RANGE, "", "fp16_edge", "65520"},
    {RANGE, "", "fp16_half", "16"},
    {RANGE, "", "fp16_root", "255.875"},
    {RANGE, "", "bf16_step", "2^-7"},
    {RANGE, "", "bf16_can", "1/256"},    /* claims_vs_truth 18: below 1/256 an update can vanish, */
    {RANGE, "", "bf16_always", "1/512"}, /* below 1/512 it always does */
    {RANGE, "type e4m3", "type_max", "448"},
    {SUM, "", "fp16_stall", "2048"},
    {SUM, "", "fp16_after_stall", "2050"},
    {SUM, "", "bf16_stall", "256"},
    {SUM, "", "fp32_stall", "16777216"},
    {FP8, "", "fp8_peak_ratio", "2"}, /* claims_vs_truth 20 */
    {FP8, "", "fp8_measured", "1.28–1.44"},
    {FP8, "", "bf16_states", "16"},
    {FP8, "", "fp8_states", "15"},
    {FP8, "", "block", "32"},
    {REDUCE, "", "big", "2048"},
    {REDUCE, "type16 bf16", "big", "256"},
};

START_TEST(known_numbers_are_found) {
    struct scenario s = with_peaks();
    int own[LESSON_OWN_MAX];
    place(formats(), figures[_i].stops, own);
    struct lesson_input in = {.now = &s, .own = own, .page = figures[_i].page};
    ck_assert_str_eq(figure_of(formats(), &in, figures[_i].name), figures[_i].text);
}
END_TEST

START_TEST(unknown_figures_are_refused_and_an_unknown_peak_is_a_dash) {
    static const char *const unknown[] = {"nothing", "fp16_nothing", "_max", "fp99_max"};
    char text[64];
    struct writer w;
    struct scenario s = scenario_of(LLAMA);
    struct lesson_input in = {.now = &s, .page = FP8};
    writer_start(&w, text, sizeof text);
    for (int i = 0; i < ROWS(unknown); i++) {
        ck_assert_msg(!formats()->figure(&in, unknown[i], &w), "%s", unknown[i]);
    }
    ck_assert_str_eq(figure_of(formats(), &in, "fp8_peak_ratio"), "—");
}
END_TEST

/* Of bf16, whose updates below 1/512 always vanish and above 1/256 never do, on all its numbers between 1 and 2. */
START_TEST(updates_vanish_where_the_words_say) {
    struct calc_rounding r = {.saturates = false};
    ck_assert(calc_format_find("bf16", &r.format));
    double step = calc_format_step(&r.format, 1), least = 1, most = 0;
    for (double w = 1; w < 2; w += step) {
        double half = calc_format_step(&r.format, w) / 2;
        double moves = calc_round(&r, w + half) > w ? half : half * (1 + 0x1p-20);
        ck_assert(!(calc_round(&r, w + half * (1 - 0x1p-20)) > w));
        ck_assert(calc_round(&r, w + half * (1 + 0x1p-20)) > w);
        least = moves / w < least ? moves / w : least;
        most = moves / w > most ? moves / w : most;
    }
    ck_assert_double_gt(least, 1.0 / 512);
    ck_assert_double_lt(least, 1.0 / 509);
    ck_assert_double_lt(most, 1.0 / 256 * (1 + 0x1p-19));
    ck_assert_double_ge(most, 1.0 / 256);
}
END_TEST

static void expect_position(const struct lesson *l, struct lesson_input *in) {
    static struct view view;
    struct lesson_experiment e = {0};
    struct lesson_guess g = {0};
    struct message why;
    char where[200], line[LESSON_LINE_MAX];
    struct writer w;
    writer_start(&w, line, sizeof line);
    l->command(in, &w);
    snprintf(where, sizeof where, "page %d, %s", in->page + 1, line);
    ck_assert_msg(!w.overflow && w.length > 0, "%s", where);
    ck_assert_int_eq(l->view(in, &view, &why), STATUS_OK);
    ck_assert_msg(view.item_count >= 1, "%s", where);
    ck_assert_msg(l->guess(in, &g), "%s", where);
    expect_guess(&g, where);
    if (l->experiment(in, &e)) {
        ck_assert_str_eq(e.line, line);
        ck_assert_msg(e.value_count >= 5 && e.fact_count == 1 && e.title != NULL, "%s", where);
    } else {
        ck_assert_msg(strncmp(line, "format --type ", 14) == 0, "%s", where);
    }
}

START_TEST(every_position_has_a_picture_and_choices_that_differ) {
    struct scenario s = with_peaks();
    int own[LESSON_OWN_MAX];
    place(formats(), "", own);
    struct lesson_input in = {.now = &s, .page = _i};
    static const int positions[PAGES] = {55, 20, 25, 14, 40};
    ck_assert_int_eq(each_position(formats(), &in, own, expect_position), positions[_i]);
}
END_TEST

/* The right choice by its first argument, or by its id where that is what it says. */
static const struct {
    int page;
    const char *stops, *right;
} answers[] = {
    {NUMBER, "", "0.0999755859375"},
    {NUMBER, "value 257 type bf16", "256"},
    {NUMBER, "value 257", "257"},
    {NUMBER, "value 2049", "2048"},
    {NUMBER, "value 65520", "lesson.formats.guess.none"},
    {NUMBER, "value 65520 type e4m3", "448"},
    {NUMBER, "value 1e-8", "0"},
    {NUMBER, "value 1e39 type fp32", "lesson.formats.guess.none"},
    {NUMBER, "value 1e39 type bf16", "lesson.formats.guess.none"},
    {RANGE, "", "lesson.formats.guess.none"},
    {RANGE, "addend 1/4", "lesson.formats.guess.stays"},
    {RANGE, "type bf16 addend 1/4", "lesson.formats.guess.stays"},
    {RANGE, "type e4m3 addend 1", "lesson.formats.guess.stays"},
    {RANGE, "type e5m2", "lesson.formats.guess.none"},
    {SUM, "", "2048"},
    {SUM, "type bf16", "256"},
    {SUM, "type e4m3", "16"},
    {SUM, "type bf16 term 16", "4096"},
    {FP8, "", "lesson.formats.way.mx"},
    {REDUCE, "", "2048"},
    {REDUCE, "algorithm tree", "2062"},
    {REDUCE, "type16 bf16 algorithm naive", "256"},
};

START_TEST(the_right_answer_is_the_calculators) {
    struct scenario s = with_peaks();
    int own[LESSON_OWN_MAX];
    place(formats(), answers[_i].stops, own);
    struct lesson_input in = {.now = &s, .own = own, .page = answers[_i].page};
    struct lesson_guess g = {0};
    ck_assert(formats()->guess(&in, &g));
    const struct message *right = &g.choices[g.right];
    bool number = strcmp(right->id, "lesson.rounding.guess.number") == 0;
    ck_assert_str_eq(number ? right->args[0].text : right->id, answers[_i].right);
}
END_TEST

static const struct {
    int page;
    const char *stops, *line;
} lines[] = {
    {NUMBER, "type fp32", "format --type fp32 0.1"},
    {RANGE, "", "overflow --experiment range --type fp16 --value 16"},
    {RANGE, "type fp32", "format --type fp32 0.1"},
    {SUM, "type bf16", "overflow --experiment sum --type bf16 --value 1"},
    {FP8, "type8 e5m2 center -20", "overflow --experiment fp8-scale --type e5m2 --center -20"},
    {REDUCE, "", "overflow --experiment allreduce --type fp16 --ranks 16 --algorithm naive"},
};

START_TEST(the_command_line_is_the_pages) {
    struct scenario s = with_peaks();
    char text[LESSON_LINE_MAX];
    int own[LESSON_OWN_MAX];
    struct writer w;
    place(formats(), lines[_i].stops, own);
    struct lesson_input in = {.now = &s, .own = own, .page = lines[_i].page};
    writer_start(&w, text, sizeof text);
    formats()->command(&in, &w);
    ck_assert_str_eq(text, lines[_i].line);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("formats lesson");
    TCase *t = tcase_create("lesson");
    tcase_set_timeout(t, 600); /* many positions, and the machine may be busy */
    tcase_add_loop_test(t, every_figure_in_the_words_has_a_value_at_the_start, 0, ROWS(languages));
    tcase_add_loop_test(t, known_numbers_are_found, 0, ROWS(figures));
    tcase_add_test(t, unknown_figures_are_refused_and_an_unknown_peak_is_a_dash);
    tcase_add_test(t, updates_vanish_where_the_words_say);
    tcase_add_loop_test(t, every_position_has_a_picture_and_choices_that_differ, 0, PAGES);
    tcase_add_loop_test(t, the_right_answer_is_the_calculators, 0, ROWS(answers));
    tcase_add_loop_test(t, the_command_line_is_the_pages, 0, ROWS(lines));
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
