/* The first lesson without a terminal: every number in its words is the calculators', its table of remedies marks what the
 * knobs stand on, plain data parallelism changes no byte of one card, and its questions have one right answer. */
#define _POSIX_C_SOURCE 200809L

#include "words_support.h"

#include "shardlab/calc/params.h"
#include "shardlab/plan/plan.h"

enum { PAGES = 4, TOO_LARGE = 0, REMEDIES = 1, REST = 2, PLAN = 3 };

#define LARGE                                                                                      \
    "--layers 88 --hidden 12288 --heads 96 --kv-heads 8 --head-dim 128 --ffn 28672 --gated yes "   \
    "--vocab 32768 --seq 2048 --micro-batches 16 --memory 80GB --link-gb-per-s 300 "               \
    "--net-gb-per-s 25 --pcie-gb-per-s 31"

/* With the card's speed, which comes from the store. */
static struct scenario of(const char *more) {
    char line[512];
    snprintf(line, sizeof line, "%s%s%s", LARGE, more[0] != '\0' ? " " : "", more);
    struct scenario s = scenario_of(line);
    for (int i = 0; i < CALC_PRECISIONS; i++) {
        s.cluster.peak_tflops[i] = i == CALC_PRECISION_FP32 ? 19.5 : 312;
    }
    return s;
}

static const struct lesson *start(void) {
    const struct lesson *lesson = lesson_find("start");
    ck_assert_ptr_nonnull(lesson);
    return lesson;
}

static uint64_t bytes_of(const struct scenario *s, int part) {
    struct calc_memory m;
    struct message why;
    ck_assert_int_eq(calc_memory_worst(s, &m, &why), STATUS_OK);
    return part < 0 ? m.total_bytes : m.part_bytes[part];
}

START_TEST(it_is_the_first_lesson) {
    ck_assert_ptr_eq(lesson_at(0), start());
}
END_TEST

START_TEST(both_languages_have_its_pages_and_every_figure_has_a_value) {
    struct scenario s = of("--dp 8");
    snprintf(s.model.name, sizeof s.model.name, "mistral-large-2407");
    struct lesson_input in = {.now = &s};
    expect_pages(start(), words_languages[_i]);
    expect_figures(start(), &in, words_languages[_i], 15);
}
END_TEST

static const struct {
    const char *more, *name, *text;
} figures[] = {
    {"--dp 8", "hundred", "1600 GB"},
    {"--dp 8", "per_param", "16"},
    {"--dp 8", "states", "1961.8 GB"},
    {"--dp 64", "states", "1961.8 GB"},
    {"--dp 8", "times", "24.5"},
    {"--dp 8", "capacity", "80.0 GB"},
    {"--dp 8", "states_zero3", "245.2 GB"},
    {"--dp 8", "states_zero1", "674.4 GB"},
    {"--dp 8", "activations", "58.5 GB"},
    {"--dp 1024 --zero 3", "activations", "58.5 GB"},
    {"--dp 8", "recompute", "33.2 %"},
    {"--dp 8", "fewest_full", "27"},
    {"--dp 8 --seq 4096", "fewest", "—"},
    {"--dp 8", "model", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = of(figures[_i].more);
    struct lesson_input in = {.now = &s};
    ck_assert_str_eq(figure_text(start(), &in, figures[_i].name), figures[_i].text);
}
END_TEST

START_TEST(an_unknown_figure_is_refused) {
    char text[16];
    struct writer w;
    struct scenario s = of("");
    struct lesson_input in = {.now = &s};
    writer_start(&w, text, sizeof text);
    ck_assert(!start()->figure(&in, "no_such_figure", &w));
    ck_assert_uint_eq(w.length, 0);
}
END_TEST

START_TEST(knobs_are_options_or_the_lessons_own) {
    expect_knobs(start(), _i);
}
END_TEST

/* Row 13 of the claims: states stay 16Ψ on each card, for every N. */
START_TEST(plain_data_parallelism_changes_no_byte_of_a_card) {
    struct scenario s = of("--dp 8");
    struct lesson_input in = {.now = &s, .page = TOO_LARGE};
    const struct view_table *t = table_of(view_on(start(), &in), "cards");
    struct calc_params params;
    struct message why;
    ck_assert_int_eq(calc_params_count(&s, &params, &why), STATUS_OK);
    ck_assert_int_eq(t->row_count, 5);
    for (int row = 0; row < t->row_count; row++) {
        ck_assert_uint_eq(cell_of(t, row, "states_bytes")->count, 16 * params.total);
        ck_assert_uint_eq(cell_of(t, row, "total_bytes")->count, bytes_of(&s, -1));
    }
    ck_assert_uint_eq(cell_of(t, t->current, "cards")->count, 8);
}
END_TEST

START_TEST(the_learners_number_of_cards_has_its_place) {
    static const char *const own[] = {"--dp 1", "--dp 2", "--dp 1024"};
    static const uint64_t cards[] = {1, 2, 1024};
    struct scenario s = of(own[_i]);
    struct lesson_input in = {.now = &s, .page = TOO_LARGE};
    const struct view_table *t = table_of(view_on(start(), &in), "cards");
    ck_assert_uint_eq(cell_of(t, t->current, "cards")->count, cards[_i]);
    for (int row = 1; row < t->row_count; row++) {
        ck_assert_uint_lt(cell_of(t, row - 1, "cards")->count, cell_of(t, row, "cards")->count);
    }
}
END_TEST

static const struct {
    const char *more, *remedy, *moves;
} remedies[] = {
    {"--dp 8", "plain", ". . . ."},
    {"--dp 8 --zero 1", "zero1", ". . - ."},
    {"--dp 8 --zero 2", "zero2", ". - - ."},
    {"--dp 8 --zero 3", "zero3", "- - - ."},
    {"--dp 8 --tp 8", "tp", "- - - -"},
    {"--dp 2 --tp 4", "tp", "- - - -"},
    {"--dp 4 --pp 2", "pp", "- - - ."},
    {"--dp 8 --recompute full", "full", ". . . -"},
    {"--dp 8 --offload optimizer", "offload_optimizer", ". - - ."},
    {"--dp 8 --offload params", "offload_params", "- - - ."},
    {"--dp 8 --precision fp32", "fp32", "+ + - +"},
    {"--dp 8 --zero 3 --recompute full", "learners", "- - - -"},
};

START_TEST(the_remedy_that_the_knobs_stand_on_is_marked_with_its_bytes) {
    struct scenario s = of(remedies[_i].more);
    struct lesson_input in = {.now = &s, .page = REMEDIES};
    const struct view_table *t = table_of(view_on(start(), &in), "remedy");
    ck_assert_int_ge(t->current, 0);
    ck_assert_str_eq(cell_of(t, t->current, "remedy")->text, remedies[_i].remedy);
    ck_assert_str_eq(cell_of(t, t->current, "moves")->text, remedies[_i].moves);
    ck_assert_uint_eq(cell_of(t, t->current, "total_bytes")->count, bytes_of(&s, -1));
}
END_TEST

static const struct view_table *remedies_of(const struct scenario *s) {
    struct lesson_input in = {.now = s, .page = REMEDIES};
    return table_of(view_on(start(), &in), "remedy");
}

static int row_called(const struct view_table *t, const char *remedy) {
    for (int row = 0; row < t->row_count; row++) {
        if (strcmp(cell_of(t, row, "remedy")->text, remedy) == 0) {
            return row;
        }
    }
    ck_abort_msg("no row %s", remedy);
    return -1;
}

START_TEST(prices_are_the_planners) {
    struct scenario s = of("--dp 8");
    struct scenario again = of("--dp 8 --recompute full");
    const struct view_table *t = remedies_of(&s);
    struct plan_layout plain, recomputed;
    struct message why;
    ck_assert_int_eq(plan_price(&s, &plain, &why), STATUS_OK);
    ck_assert_int_eq(plan_price(&again, &recomputed, &why), STATUS_OK);
    int row = row_called(t, "full");
    double want = recomputed.step_s / plain.term_s[PLAN_COMPUTE] - 1;
    ck_assert_double_eq_tol(cell_of(t, row, "time_added")->real, want, 1e-9);
    ck_assert_str_eq(cell_of(t, row, "paid_with")->text, "recompute");
    ck_assert_str_eq(cell_of(t, row_called(t, "pp"), "paid_with")->text, "bubble");
    ck_assert_str_eq(cell_of(t, row_called(t, "tp"), "paid_with")->text, "tp");
    ck_assert_str_eq(cell_of(t, row_called(t, "offload_params"), "paid_with")->text, "offload");
    ck_assert_str_eq(cell_of(t, row_called(t, "fp32"), "paid_with")->text, "compute");
    ck_assert_double_eq_tol(cell_of(t, row_called(t, "fp32"), "time_added")->real, 312.0 / 19.5 - 1,
                            0.01);
}
END_TEST

START_TEST(what_a_convention_does_not_define_has_no_numbers) {
    struct scenario s = of("--dp 8 --convention megatron");
    const struct view_table *t = remedies_of(&s);
    ck_assert(cell_of(t, row_called(t, "zero1"), "total_bytes")->known);
    ck_assert(!cell_of(t, row_called(t, "zero2"), "total_bytes")->known);
    ck_assert(!cell_of(t, row_called(t, "zero3"), "total_bytes")->known);
}
END_TEST

START_TEST(without_a_card_there_are_bytes_and_no_times) {
    struct scenario s = scenario_of("--layers 2 --hidden 64 --heads 1 --vocab 64 --dp 8");
    const struct view_table *t = remedies_of(&s);
    ck_assert(cell_of(t, 0, "total_bytes")->known);
    ck_assert(!cell_of(t, 0, "time_added")->known);
}
END_TEST

START_TEST(with_zero3_states_shrink_and_activations_stay) {
    struct scenario s = of("--dp 64 --zero 3");
    struct lesson_input in = {.now = &s, .page = REST};
    const struct view_table *t = table_of(view_on(start(), &in), "cards");
    uint64_t activations = bytes_of(&s, CALC_PART_ACTIVATIONS);
    ck_assert_uint_eq(cell_of(t, t->current, "cards")->count, 64);
    for (int row = 0; row < t->row_count; row++) {
        ck_assert_uint_eq(cell_of(t, row, "total_bytes")->count -
                              cell_of(t, row, "states_bytes")->count,
                          activations);
    }
    ck_assert_str_eq(cell_of(t, 0, "fits")->text, "none");
    ck_assert_str_eq(cell_of(t, t->current, "fits")->text, "full");
    ck_assert_str_eq(cell_of(t, t->row_count - 1, "fits")->text, "both");
    struct scenario whole = of("--dp 64");
    in.now = &whole;
    ck_assert_int_eq(table_of(view_on(start(), &in), "cards")->current, -1);
}
END_TEST

START_TEST(the_last_page_is_the_planner_and_its_command) {
    struct scenario s = of("--dp 8");
    struct lesson_input in = {.now = &s, .page = PLAN};
    char line[512];
    struct writer w;
    writer_start(&w, line, sizeof line);
    (void)view_on(start(), &in);
    start()->command(&in, &w);
    ck_assert_int_eq(strncmp(line, "plan --layers 88", 16), 0);
    ck_assert_ptr_nonnull(strstr(line, "--gpus 64 --global-batch 256"));
    ck_assert_ptr_null(strstr(line, "--dp"));
    in.page = TOO_LARGE;
    writer_start(&w, line, sizeof line);
    start()->command(&in, &w);
    ck_assert_int_eq(strncmp(line, "mem --layers 88", 15), 0);
}
END_TEST

static bool ask(const struct scenario *s, int page, struct lesson_guess *out) {
    struct lesson_input in = {.now = s, .page = page};
    memset(out, 0, sizeof *out);
    return start()->guess(&in, out);
}

START_TEST(states_fill_the_cards_that_the_calculator_says) {
    struct scenario s = of("--dp 8");
    struct lesson_guess g;
    struct calc_params params;
    struct message why;
    static const uint64_t bytes[] = {2, 4, 16, 24}; /* of a parameter */
    ck_assert_int_eq(calc_params_count(&s, &params, &why), STATUS_OK);
    ck_assert(ask(&s, TOO_LARGE, &g));
    expect_question(&g);
    ck_assert_int_eq(g.choice_count, 4);
    for (int i = 0; i < 4; i++) {
        uint64_t cards = (bytes[i] * params.total + UINT64_C(79999999999)) / UINT64_C(80000000000);
        ck_assert_uint_eq(g.choices[i].args[0].count, cards);
    }
    ck_assert_int_eq(g.right, 2);
    struct scenario small = scenario_of(LLAMA " --memory 200GB");
    ck_assert(!ask(&small, TOO_LARGE, &g)); /* it fits: there is nothing to ask */
}
END_TEST

START_TEST(the_fewest_cards_fit_and_one_less_does_not) {
    struct scenario s = of("--dp 8");
    struct lesson_guess g;
    ck_assert(ask(&s, REST, &g));
    expect_question(&g);
    uint64_t cards = g.choices[g.right].args[0].count;
    for (uint64_t n = cards - 1; n <= cards; n++) {
        char more[48];
        snprintf(more, sizeof more, "--zero 3 --dp %d", (int)n);
        struct scenario there = of(more);
        bool fits = bytes_of(&there, -1) <= UINT64_C(80000000000);
        ck_assert(fits == (n == cards));
    }
    struct scenario longer = of("--dp 8 --seq 4096");
    ck_assert(!ask(&longer, REST, &g)); /* on no number of cards */
    ck_assert(!ask(&s, REMEDIES, &g));
}
END_TEST

START_TEST(every_stop_of_every_knob_has_a_view_and_choices_apart) {
    static const char *const ends[] = {"--dp 1",
                                       "--dp 1024",
                                       "--dp 8 --seq 512",
                                       "--dp 8 --seq 131072",
                                       "--dp 8 --micro-batch 32",
                                       "--dp 8 --tp 16",
                                       "--dp 8 --pp 64",
                                       "--dp 8 --tp 3",
                                       "--dp 8 --zero 1 --convention deepspeed",
                                       "--dp 8 --convention hf",
                                       "--dp 8 --convention fsdp",
                                       "--dp 8 --precision fp8",
                                       "--dp 8 --offload params --zero 3"};
    for (int i = 0; i < ROWS(ends); i++) {
        struct scenario s = of(ends[i]);
        struct lesson_guess g;
        struct lesson_input in = {.now = &s, .page = _i};
        (void)view_on(start(), &in);
        if (ask(&s, _i, &g)) {
            expect_question(&g);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("start lesson");
    TCase *words = tcase_create("words");
    tcase_add_test(words, it_is_the_first_lesson);
    tcase_add_loop_test(words, both_languages_have_its_pages_and_every_figure_has_a_value, 0, 2);
    tcase_add_loop_test(words, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_test(words, an_unknown_figure_is_refused);
    tcase_add_loop_test(words, knobs_are_options_or_the_lessons_own, 0, PAGES);
    suite_add_tcase(all, words);
    TCase *tables = tcase_create("tables");
    tcase_add_test(tables, plain_data_parallelism_changes_no_byte_of_a_card);
    tcase_add_loop_test(tables, the_learners_number_of_cards_has_its_place, 0, 3);
    tcase_add_loop_test(tables, the_remedy_that_the_knobs_stand_on_is_marked_with_its_bytes, 0,
                        ROWS(remedies));
    tcase_add_test(tables, prices_are_the_planners);
    tcase_add_test(tables, what_a_convention_does_not_define_has_no_numbers);
    tcase_add_test(tables, without_a_card_there_are_bytes_and_no_times);
    tcase_add_test(tables, with_zero3_states_shrink_and_activations_stay);
    tcase_add_test(tables, the_last_page_is_the_planner_and_its_command);
    tcase_add_loop_test(tables, every_stop_of_every_knob_has_a_view_and_choices_apart, 0, PAGES);
    suite_add_tcase(all, tables);
    TCase *questions = tcase_create("questions");
    tcase_add_test(questions, states_fill_the_cards_that_the_calculator_says);
    tcase_add_test(questions, the_fewest_cards_fit_and_one_less_does_not);
    suite_add_tcase(all, questions);
    return all;
}

#include "support/check_main.h"
