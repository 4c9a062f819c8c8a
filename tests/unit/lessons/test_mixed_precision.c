/* The lesson on mixed precision without a terminal: both languages have its pages and every number in the words is
 * computed; what it says of memory is what the calculator holds; every position has a picture, a command line and
 * choices that differ; the right answer is the calculator's. */
#define _POSIX_C_SOURCE 200809L

#include "precision_support.h"

#include <math.h>

#include "shardlab/calc/precision.h"

enum { KEEPS, SCALE, UPDATES, OPERATIONS, CHOICE, PAGES };

static const struct lesson *mixed(void) {
    const struct lesson *lesson = lesson_find("mixed-precision");
    ck_assert_ptr_nonnull(lesson);
    ck_assert_int_eq(lesson->page_count, PAGES);
    return lesson;
}

START_TEST(every_figure_in_the_words_has_a_value_at_the_start) {
    struct scenario s = scenario_of(LLAMA);
    ck_assert_int_gt(expect_figures(mixed(), &s, languages[_i]), 20);
}
END_TEST

static const struct {
    int page;
    const char *stops, *name, *text;
} figures[] = {
    {KEEPS, "", "split_fp32", "4 + 4 + 8 = 16"}, /* claims_vs_truth 16 */
    {KEEPS, "", "split_mixed", "2 + 2 + 12 = 16"},
    {SCALE, "", "fp16_half_tiny", "2.98023e-8"}, /* topics NU-03 */
    {SCALE, "scale 1024", "scale", "1024"},
    {CHOICE, "scale 1024", "scale", "1"},
    {UPDATES, "type bf16", "update", "0.00390625"}, /* half a step at 1: topics NU-05 */
    {UPDATES, "type bf16", "updates", "512"},
    {UPDATES, "type bf16", "nearest", "1"},
    {UPDATES, "type bf16", "master", "3"},
    {UPDATES, "type bf16", "exact", "3"},
    {OPERATIONS, "", "past_logit", "11.0938"},
    {OPERATIONS, "type bf16", "past_logit", "89"},
    {CHOICE, "", "bf16_zero", "0"},
    {CHOICE, "", "bf16_step", "2^-7"},
    {CHOICE, "", "fp16_step", "2^-10"},
};

START_TEST(known_numbers_are_found) {
    struct scenario s = scenario_of(LLAMA);
    int own[LESSON_OWN_MAX];
    place(mixed(), figures[_i].stops, own);
    struct lesson_input in = {.now = &s, .own = own, .page = figures[_i].page};
    ck_assert_str_eq(figure_of(mixed(), &in, figures[_i].name), figures[_i].text);
}
END_TEST

START_TEST(unknown_figures_are_refused) {
    char text[64];
    struct writer w;
    struct scenario s = scenario_of("--params 7B");
    struct lesson_input in = {.now = &s, .page = KEEPS};
    writer_start(&w, text, sizeof text);
    ck_assert(!mixed()->figure(&in, "nothing", &w));
    ck_assert_str_eq(figure_of(mixed(), &in, "activations_mixed"), "—");
}
END_TEST

/* Each column of page 1 is what the memory calculator holds of the scenario in that precision. */
START_TEST(memory_by_precision_is_the_calculators) {
    static const char *const names[] = {"fp32", "fp16", "bf16", "fp8"};
    static const char *const lines[] = {LLAMA, LLAMA " --precision fp32", LLAMA " --optimizer sgd",
                                        LLAMA " --grad-bytes 4 --micro-batch 8"};
    static struct view view;
    struct scenario s = scenario_of(lines[_i]);
    struct lesson_input in = {.now = &s, .page = KEEPS};
    struct message why;
    ck_assert_int_eq(mixed()->view(&in, &view, &why), STATUS_OK);
    const struct view_matrix *m = &item_of(&view, VIEW_KIND_MATRIX)->matrix;
    for (int i = 0; i < 4; i++) {
        char line[256];
        struct calc_memory memory;
        bool gradients = _i == 3 && i > 0;
        snprintf(line, sizeof line, "%s%s --precision %s", LLAMA,
                 _i == 2   ? " --optimizer sgd"
                 : _i == 3 ? gradients ? " --grad-bytes 4 --micro-batch 8" : " --micro-batch 8"
                           : "",
                 names[i]);
        struct scenario other = scenario_of(line);
        ck_assert_int_eq(calc_memory_worst(&other, &memory, &why), STATUS_OK);
        ck_assert_str_eq(m->cols[i].key, names[i]);
        ck_assert_msg(m->cols[i].defined, "%s", line);
        ck_assert_uint_eq(m->cells[4][i].bytes, memory.part_bytes[CALC_PART_ACTIVATIONS]);
        ck_assert_uint_eq(m->cells[5][i].bytes, memory.total_bytes);
    }
    ck_assert_str_eq(item_of(&view, VIEW_KIND_TEXT)->text.lines[0].id, "lesson.predicted-only");
}
END_TEST

/* Adam: 16 and 16. The activations of 16 bits are half of fp32's. */
START_TEST(states_do_not_shrink_and_activations_do) {
    static struct view view;
    struct scenario s = scenario_of(LLAMA);
    struct lesson_input in = {.now = &s, .page = KEEPS};
    struct message why;
    ck_assert_int_eq(mixed()->view(&in, &view, &why), STATUS_OK);
    const struct view_matrix *m = &item_of(&view, VIEW_KIND_MATRIX)->matrix;
    ck_assert_uint_eq(m->cells[3][0].bytes, m->cells[3][2].bytes);
    ck_assert(!m->cells[3][2].differs && m->cells[0][2].differs);
    double ratio = (double)m->cells[4][0].bytes / (double)m->cells[4][2].bytes;
    ck_assert_double_gt(ratio, 1.9);
    ck_assert_double_le(ratio, 2);
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
    ck_assert_int_eq(l->experiment(in, &e), in->page != KEEPS);
    if (in->page != KEEPS) {
        ck_assert_str_eq(e.line, line);
        ck_assert_msg(e.value_count >= 6 && e.fact_count == 1 && e.title != NULL, "%s", where);
    }
}

START_TEST(every_position_has_a_picture_and_choices_that_differ) {
    struct scenario s = scenario_of(LLAMA);
    int own[LESSON_OWN_MAX];
    place(mixed(), "", own);
    struct lesson_input in = {.now = &s, .page = _i};
    static const int positions[PAGES] = {1, 240, 40, 160, 20};
    ck_assert_int_eq(each_position(mixed(), &in, own, expect_position), positions[_i]);
}
END_TEST

static const char *right_of(int page, const char *stops, const struct scenario *s) {
    static struct lesson_guess g;
    int own[LESSON_OWN_MAX];
    place(mixed(), stops, own);
    struct lesson_input in = {.now = s, .own = own, .page = page};
    memset(&g, 0, sizeof g);
    ck_assert_msg(mixed()->guess(&in, &g), "%s", stops);
    const struct message *right = &g.choices[g.right];
    return strcmp(right->id, "lesson.rounding.guess.number") == 0 ? right->args[0].text : right->id;
}

static const struct {
    int page;
    const char *stops, *right;
} answers[] = {
    {SCALE, "", "lesson.mixed-precision.guess.many"},
    {SCALE, "type bf16", "lesson.mixed-precision.guess.nothing"},
    {SCALE, "scale 32768", "lesson.mixed-precision.guess.nothing"},
    {SCALE, "center -30", "lesson.mixed-precision.guess.most"},
    {SCALE, "scaling dynamic type e4m3", "0"},
    {SCALE, "scaling dynamic type bf16", "0"},
    {UPDATES, "", "1"},
    {UPDATES, "type bf16 update 1", "2"}, /* from 2 on the update is half a step */
    {UPDATES, "rounding stochastic", "3"},
    {OPERATIONS, "", "lesson.mixed-precision.guess.nan"},
    {OPERATIONS, "logit 5", "0.955078"}, /* 148.375 / 155.375 */
    {OPERATIONS, "type bf16", "1"},
    {OPERATIONS, "operation adam", "lesson.mixed-precision.guess.nan"},
    {OPERATIONS, "operation adam epsilon 1e-6", "lesson.mixed-precision.guess.no_step"},
    {OPERATIONS, "operation adam type bf16", "lesson.mixed-precision.guess.no_step"},
};

START_TEST(the_right_answer_is_the_calculators) {
    struct scenario s = scenario_of(LLAMA);
    ck_assert_str_eq(right_of(answers[_i].page, answers[_i].stops, &s), answers[_i].right);
}
END_TEST

START_TEST(memory_and_formats_are_asked_about) {
    struct scenario paper = scenario_of(LLAMA),
                    megatron = scenario_of(LLAMA " --convention megatron");
    ck_assert_str_eq(right_of(KEEPS, "", &paper), "16");
    ck_assert_str_eq(right_of(KEEPS, "", &megatron), "18");
    ck_assert_str_eq(right_of(CHOICE, "", &paper), "1/256");
}
END_TEST

/* Whole numbers of gradients: a histogram's rows add up to what its note says, and letters follow the counts. */
START_TEST(a_histogram_adds_up) {
    static struct view view;
    struct scenario s = scenario_of(LLAMA);
    int own[LESSON_OWN_MAX];
    place(mixed(), _i == 0 ? "" : "scale 16777216 center -6", own);
    struct lesson_input in = {.now = &s, .own = own, .page = SCALE};
    struct message why;
    ck_assert_int_eq(mixed()->view(&in, &view, &why), STATUS_OK);
    const struct view_table *t = &view.items[0].table;
    uint64_t sum[5] = {0};
    for (int row = 0; row < t->row_count; row++) {
        const char *letters = t->cells[row][5].text;
        for (int c = 1; c < 5; c++) {
            sum[c] += t->cells[row][c].count;
        }
        uint64_t all = t->cells[row][1].count;
        ck_assert_msg(strchr(letters, 'z') == NULL || t->cells[row][2].count > 0, "%s", letters);
        ck_assert_msg(all == 0 || strlen(letters) > 0, "row %d", row);
        ck_assert_msg(t->cells[row][4].count < all || all == 0 ||
                          strspn(letters, "m") == strlen(letters),
                      "%s", letters);
    }
    char zero[32];
    snprintf(zero, sizeof zero, "%llu", (unsigned long long)sum[2]);
    ck_assert_uint_eq(sum[1], 4096);
    ck_assert_str_eq(t->notes[1].text.args[1].text, zero);
    ck_assert(_i == 0 ? sum[2] > 0 && sum[4] == 0 : sum[2] == 0 && sum[4] > 0);
}
END_TEST

static const struct {
    int page;
    const char *stops, *line;
} lines[] = {
    {SCALE, "scale 128",
     "overflow --experiment gradients --type fp16 --center -24 --count 4096 --loss-scale "
     "static:128"},
    {SCALE, "scaling dynamic",
     "overflow --experiment loss-scale --type fp16 --center -24 --count 100 --steps 120"},
    {UPDATES, "type bf16", "overflow --experiment stagnation --type bf16 --update 0.00390625"},
    {UPDATES, "type bf16 rounding stochastic",
     "overflow --experiment stochastic --type bf16 --update 0.00390625 --trials 20"},
    {OPERATIONS, "", "overflow --experiment softmax --type fp16 --value 12"},
    {OPERATIONS, "operation adam", "overflow --experiment adam-eps --type fp16 --epsilon 1e-8"},
    {CHOICE, "scale 128",
     "overflow --experiment gradients --type fp16 --center -24 --count 4096 --loss-scale static:1"},
};

START_TEST(the_command_line_is_the_pages) {
    struct scenario s = scenario_of(LLAMA);
    char text[LESSON_LINE_MAX];
    int own[LESSON_OWN_MAX];
    struct writer w;
    place(mixed(), lines[_i].stops, own);
    struct lesson_input in = {.now = &s, .own = own, .page = lines[_i].page};
    writer_start(&w, text, sizeof text);
    mixed()->command(&in, &w);
    ck_assert_str_eq(text, lines[_i].line);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("mixed precision lesson");
    TCase *t = tcase_create("lesson");
    tcase_set_timeout(t, 600); /* many positions, and the machine may be busy */
    tcase_add_loop_test(t, every_figure_in_the_words_has_a_value_at_the_start, 0, ROWS(languages));
    tcase_add_loop_test(t, known_numbers_are_found, 0, ROWS(figures));
    tcase_add_test(t, unknown_figures_are_refused);
    tcase_add_loop_test(t, memory_by_precision_is_the_calculators, 0, 4);
    tcase_add_test(t, states_do_not_shrink_and_activations_do);
    tcase_add_loop_test(t, every_position_has_a_picture_and_choices_that_differ, 0, PAGES);
    tcase_add_loop_test(t, the_right_answer_is_the_calculators, 0, ROWS(answers));
    tcase_add_test(t, memory_and_formats_are_asked_about);
    tcase_add_loop_test(t, a_histogram_adds_up, 0, 2);
    tcase_add_loop_test(t, the_command_line_is_the_pages, 0, ROWS(lines));
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
