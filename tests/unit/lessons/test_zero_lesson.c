/* The lesson on ZeRO without a terminal: words and figures agree, every knob can be moved to both ends and the pages keep
 * a picture, tables hold the calculators' numbers and the published ratios, guesses have distinct choices of which the
 * right one is computed, and the halves that r runs add up. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"
#include "page_support.h"

enum { DIVIDED, SENT, EVERY, TENSOR, FSDP, PAGES };
enum { STAGES = 4 };

#define CARD LLAMA " --memory 80GB --link-gb-per-s 300 --net-gb-per-s 25 --dp 8"

static const struct lesson *lesson(void) {
    const struct lesson *found = lesson_find("zero");
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(words_have_the_pages_and_figures_that_the_lesson_knows) {
    struct scenario s = scenario_with_peak(CARD " --zero 1");
    page_check_words(lesson(), PAGES, &s, page_languages[_i]);
}
END_TEST

static const struct {
    const char *scenario, *name, *text;
} figures[] = {
    /* rows 1 and 2 of the reference: 16/(4+12/N), 16/(2+14/N), nine tenths from 27 and 63 on */
    {CARD, "limit1", "4"},
    {CARD, "limit2", "8"},
    {CARD, "limit1_fp32", "2"},
    {CARD, "limit2_fp32", "4"},
    {CARD, "limit1_megatron", "3"},
    {CARD, "saving1", "2.91"},
    {CARD, "saving2", "4.27"},
    {CARD " --dp 64", "saving1", "3.82"},
    {CARD " --dp 64", "saving2", "7.21"},
    {CARD " --dp 64", "saving3", "64"},
    {CARD, "need1", "27"},
    {CARD, "need2", "63"},
    {CARD " --convention megatron", "saving2", "—"},
    /* rows 4, 5, 6 */
    {CARD, "sent0", "23.58 GB"},
    {CARD, "sent1", "23.58 GB"},
    {CARD, "sent3", "35.38 GB"},
    {CARD, "ratio3", "1.5"},
    {CARD, "less", "25"},
    {CARD, "times2", "2.5"},
    {CARD, "times3", "6"},
    {CARD " --micro-batches 16", "times3", "24"},
    {CARD " --micro-batches 16", "micro_batches", "16"},
    /* the words stay true when the ways out that they name are tried */
    {CARD " --grad-bytes 4", "said3", "1.5"},
    {CARD " --zero 3 --reshard no", "ratio3", "1.5"},
    {CARD " --zero 3 --reshard no", "times3", "6"},
    {CARD " --zero 3 --reduce boundary", "times2", "2.5"},
    {CARD " --reduce every", "every0", "23.58 GB"},
    /* row 23 */
    {CARD, "data_calls", "3"},
    {CARD " --reshard no", "data_calls", "2"},
    {CARD, "tensor_calls", "4"},
    {CARD, "tensor_calls_full", "6"},
    {CARD " --dp 64", "tensor_calls", "—"}, /* 32 heads */
    {"--params 7B --dp 8", "tensor_calls", "—"},
    /* row 21, and the floor */
    {CARD, "shard", "13.48 GB"},
    {CARD " --dp 64", "shard", "1.68 GB"},
    {CARD " --dp 64", "gathered", "0.93 GB"},
    {CARD, "gathered_all", "13.48 GB"},
    {CARD, "floor_ranks", "117"},
    {"--params 7B --dp 8", "floor_ranks", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = scenario_of(figures[_i].scenario);
    struct lesson_input in = {.now = &s};
    page_check_figure(lesson(), &in, figures[_i].name, figures[_i].text);
}
END_TEST

START_TEST(every_knob_at_both_ends_leaves_a_picture) {
    ck_assert_int_gt(page_walk_knobs(lesson(), _i, CARD " --zero 1"), 10);
}
END_TEST

/* Rows of parts: what a stage divides is an eighth, the rest whole; marked is what differs from data parallelism. */
START_TEST(each_stage_divides_one_part_more) {
    struct scenario s = scenario_of(CARD);
    const struct view_matrix *m = &page_item(lesson(), &s, DIVIDED, VIEW_KIND_MATRIX)->matrix;
    ck_assert_int_eq(m->col_count, STAGES);
    for (int stage = 0; stage < STAGES; stage++) {
        for (int part = 0; part < 3; part++) { /* weights, gradients, optimizer */
            bool divided = stage + part >= 3;
            uint64_t whole = m->cells[part][0].bytes;
            uint64_t expected = divided && stage > 0 ? whole / 8 : whole;
            ck_assert_uint_eq(m->cells[part][stage].bytes, expected);
            ck_assert_int_eq(m->cells[part][stage].differs, divided && stage > 0);
        }
    }
    ck_assert_double_eq_tol(m->cells[4][1].real, 16.0 / (4 + 12.0 / 8), 1e-12);
    ck_assert_int_eq(m->remark_count, 0);
}
END_TEST

START_TEST(a_stage_that_is_not_defined_says_so) {
    struct scenario s = scenario_of(CARD " --convention megatron");
    const struct view *view = page_view(lesson(), &s, DIVIDED);
    const struct view_matrix *m = &view->items[0].matrix;
    ck_assert(m->cols[1].defined && !m->cols[2].defined && !m->cols[3].defined);
    ck_assert_int_eq(m->remark_count, 2);
    ck_assert_int_eq(view->items[1].plot.series_count, 1);
}
END_TEST

START_TEST(the_curves_are_the_published_ratios) {
    struct scenario s = scenario_of(CARD);
    const struct view_plot *p = &page_item(lesson(), &s, DIVIDED, VIEW_KIND_PLOT)->plot;
    ck_assert_int_eq(p->series_count, 3);
    for (int i = 0; i < p->point_count; i++) {
        double n = p->x[i];
        ck_assert(i == 0 || n > p->x[i - 1]);
        ck_assert_double_eq_tol(p->series[0].y[i], n, 1e-9 * n);
        ck_assert_double_eq_tol(p->series[1].y[i], 16 / (2 + 14 / n), 1e-9);
        ck_assert_double_eq_tol(p->series[2].y[i], 16 / (4 + 12 / n), 1e-9);
    }
    ck_assert_double_eq(p->marks[0], 8);
}
END_TEST

/* With the same format the stages 1 and 2 send what data parallelism sends, to the byte, even where nothing divides. */
START_TEST(zero_1_and_2_send_what_data_parallelism_sends) {
    static const char *const ranks[] = {"2", "7", "8", "64", "1000"};
    char line[256];
    snprintf(line, sizeof line, "%s --dp %s", CARD, ranks[_i]);
    struct scenario s = scenario_of(line);
    const struct view_table *t = &page_item(lesson(), &s, SENT, VIEW_KIND_TABLE)->table;
    ck_assert_uint_eq(t->cells[1][3].count, t->cells[0][3].count);
    ck_assert_uint_eq(t->cells[2][3].count, t->cells[0][3].count);
    ck_assert_uint_eq(t->cells[1][1].count + t->cells[1][2].count, t->cells[1][3].count);
    ck_assert_double_eq_tol(t->cells[3][4].real, 1.5, 1e-6);
}
END_TEST

START_TEST(fp32_gradients_make_zero_1_the_cheaper_one) {
    struct scenario s = scenario_of(CARD " --grad-bytes 4");
    const struct view_table *t = &page_item(lesson(), &s, SENT, VIEW_KIND_TABLE)->table;
    ck_assert_double_eq_tol(t->cells[1][4].real, 0.75, 1e-9); /* 4 + 2 against 4 + 4 */
    ck_assert_double_eq_tol(t->cells[3][4].real, 1, 1e-9);    /* 4 + 2 + 2 */
}
END_TEST

/* M micro-batches: DP and ZeRO-1 2Ψ, ZeRO-2 (M+1)Ψ, ZeRO-3 3MΨ. */
START_TEST(accumulation_multiplies_what_cannot_wait) {
    struct scenario s = scenario_of(CARD " --micro-batches 5");
    const struct view_table *t = &page_item(lesson(), &s, EVERY, VIEW_KIND_TABLE)->table;
    uint64_t once = t->cells[0][1].count / 2;
    for (int row = 0; row < t->row_count; row++) {
        uint64_t m = t->cells[row][0].count;
        ck_assert_uint_eq(t->cells[row][1].count, 2 * once);
        ck_assert_uint_eq(t->cells[row][2].count, 2 * once);
        ck_assert_uint_eq(t->cells[row][3].count, (m + 1) * once);
        ck_assert_uint_eq(t->cells[row][4].count, 3 * m * once);
        ck_assert_double_eq_tol(t->cells[row][5].real, 1.5 * (double)m, 1e-9);
    }
    ck_assert_uint_eq(t->cells[t->current][0].count, 5);
}
END_TEST

/* The ways out: gradients that wait, 2M + 1; weights that stay, 2M; both, M + 1. */
START_TEST(waiting_and_keeping_make_zero_3_cheaper) {
    static const struct {
        const char *options;
        uint64_t shares;
    } ways[] = {
        {" --reduce boundary", 9}, {" --reshard no", 8}, {" --reduce boundary --reshard no", 5}};
    char line[256];
    snprintf(line, sizeof line, "%s --micro-batches 4%s", CARD, ways[_i].options);
    struct scenario s = scenario_of(line);
    const struct view_table *t = &page_item(lesson(), &s, EVERY, VIEW_KIND_TABLE)->table;
    ck_assert_uint_eq(t->cells[0][0].count, 1);
    uint64_t once = t->cells[0][1].count / 2;
    ck_assert_uint_eq(t->cells[2][4].count, ways[_i].shares * once);
}
END_TEST

START_TEST(tensor_parallelism_moves_activations_and_zero_3_weights) {
    enum { CALLS, STEP, TWICE, SAME, EXPOSED, STATES, ACTIVATIONS };
    struct scenario s = scenario_with_peak(CARD);
    const struct view_matrix *m = &page_item(lesson(), &s, TENSOR, VIEW_KIND_MATRIX)->matrix;
    ck_assert_uint_eq(m->cells[TWICE][0].bytes, m->cells[STEP][0].bytes);
    ck_assert_uint_gt(m->cells[TWICE][1].bytes, m->cells[STEP][1].bytes * 199 / 100);
    ck_assert_uint_eq(m->cells[SAME][0].bytes, m->cells[STEP][0].bytes);
    ck_assert_uint_eq(m->cells[SAME][1].bytes, 8 * m->cells[STEP][1].bytes);
    ck_assert_double_lt(m->cells[EXPOSED][0].real, m->cells[EXPOSED][1].real);
    ck_assert_uint_gt(m->cells[ACTIVATIONS][0].bytes, m->cells[ACTIVATIONS][1].bytes);
    struct scenario many = scenario_of(CARD " --dp 64");
    m = &page_item(lesson(), &many, TENSOR, VIEW_KIND_MATRIX)->matrix;
    ck_assert(m->cols[0].defined && !m->cols[1].defined);
    ck_assert_int_eq(m->remark_count, 1);
}
END_TEST

/* FULL_SHARD 3 parts, SHARD_GRAD_OP 2; hybrid: over the network an all-reduce of an eighth of the gradients. */
START_TEST(the_modes_of_fsdp_are_zero_3_zero_2_and_a_mixture) {
    enum { SHARD = 2, GATHERED, ALL, NETWORK };
    struct scenario s = scenario_of(CARD " --dp 64 --grad-bytes 2");
    const struct view_table *t = &page_item(lesson(), &s, FSDP, VIEW_KIND_TABLE)->table;
    ck_assert_uint_eq(t->cells[0][ALL].count / 3, t->cells[1][ALL].count / 2);
    ck_assert_uint_eq(t->cells[0][NETWORK].count, t->cells[0][ALL].count);
    ck_assert_uint_eq(t->cells[0][SHARD].count, t->cells[1][SHARD].count);
    ck_assert_uint_eq(t->cells[1][GATHERED].count, 2 * UINT64_C(6738415616));
    ck_assert_uint_eq(t->cells[2][SHARD].count, 8 * t->cells[0][SHARD].count);
    ck_assert_uint_eq(t->cells[2][NETWORK].count, 2 * UINT64_C(6738415616) * 2 / 8 * 7 / 8);
    struct scenario node = scenario_of(CARD);
    t = &page_item(lesson(), &node, FSDP, VIEW_KIND_TABLE)->table;
    ck_assert(!t->cells[2][ALL].known);
    ck_assert_uint_eq(t->cells[0][NETWORK].count, 0);
    ck_assert_int_eq(t->note_count, 2);
}
END_TEST

START_TEST(the_shard_falls_below_what_is_gathered_where_the_page_says) {
    struct scenario s = scenario_of(CARD);
    const struct view_plot *p = &page_item(lesson(), &s, FSDP, VIEW_KIND_PLOT)->plot;
    ck_assert_int_eq(p->mark_count, 1);
    for (int i = 0; i < p->point_count; i++) {
        ck_assert_int_eq(p->series[0].y[i] < p->series[1].y[i], p->x[i] >= p->marks[0]);
        ck_assert_double_eq(p->series[1].y[i], p->series[1].y[0]);
    }
}
END_TEST

/* 8 × what tensor parallelism sends for one micro-batch: 7/8 of two 2-byte copies of 4096 × 4096 activations in 4 sums of
 * each of 32 layers, one of the embedding and one of the head, and in three of the loss 4 bytes a token. */
#define TENSOR_SAME (UINT64_C(14) * ((4 * 32 + 2) * UINT64_C(2) * 4096 * 4096 + 3 * 4 * 4096))

static const struct {
    const char *scenario;
    int page, choices; /* 0: nothing is asked */
    const char *text;  /* of the right choice; "": its bytes are */
    uint64_t bytes;
} guesses[] = {
    {CARD, DIVIDED, 4, "2.91", 0},
    {CARD " --dp 4", DIVIDED, 3, "2.29", 0}, /* as many ranks as the limit */
    {CARD " --convention megatron", DIVIDED, 4, "2.4", 0},
    {CARD " --dp 1", DIVIDED, 0, NULL, 0},
    {CARD " --convention hf", DIVIDED, 0, NULL, 0},
    {CARD, SENT, 3, "", 23584454656},
    {CARD " --grad-bytes 4", SENT, 4, "", 35376681984},
    {CARD " --dp 1", SENT, 0, NULL, 0},
    {CARD, EVERY, 3, "2.5", 0},
    {CARD " --micro-batches 8", EVERY, 3, "4.5", 0},
    {CARD " --convention megatron", EVERY, 0, NULL, 0},
    {CARD, TENSOR, 4, "", TENSOR_SAME},
    {CARD " --dp 64", TENSOR, 0, NULL, 0},
    {CARD, FSDP, 0, NULL, 0},
};

START_TEST(a_guess_has_distinct_choices_and_the_right_one_is_computed) {
    struct scenario s = scenario_of(guesses[_i].scenario);
    struct lesson_input in = {.now = &s, .page = guesses[_i].page};
    struct lesson_guess guess = {0};
    bool asked = lesson()->guess(&in, &guess);
    ck_assert_int_eq(asked ? guess.choice_count : 0, guesses[_i].choices);
    if (!asked) {
        return;
    }
    page_check_guess(&guess);
    const struct message *right = &guess.choices[guess.right];
    if (guesses[_i].bytes > 0) {
        ck_assert_uint_eq(right->args[0].count, guesses[_i].bytes);
    } else {
        ck_assert_str_eq(right->args[0].text, guesses[_i].text);
    }
}
END_TEST

static const struct {
    const char *scenario;
    int stop;
    const char *line; /* NULL: nothing to run */
} lines[] = {
    {CARD, 0, "673841 --type bf16 --algorithm ring --collective all-reduce"},
    {CARD, 1, "673841 --type bf16 --algorithm ring --collective reduce-scatter"},
    {CARD, 2, "673841 --type bf16 --algorithm ring --collective all-gather"},
    {CARD " --grad-bytes 4", 1, "67384 --type fp32 --algorithm ring --collective reduce-scatter"},
    {CARD " --grad-bytes 4", 2, "673841 --type bf16 --algorithm ring --collective all-gather"},
    {CARD " --precision fp8", 2, NULL},
    {CARD " --dp 1", 1, NULL},
    {CARD " --dp 128", 1, NULL},
};

START_TEST(what_runs_are_the_halves_of_the_sum) {
    struct scenario s = scenario_of(lines[_i].scenario);
    int own[LESSON_OWN_MAX] = {lines[_i].stop};
    struct lesson_input in = {.now = &s, .page = SENT, .own = own};
    struct lesson_experiment e = {0};
    char line[LESSON_LINE_MAX];
    ck_assert_int_eq(lesson()->experiment(&in, &e), lines[_i].line != NULL);
    if (lines[_i].line != NULL) {
        snprintf(line, sizeof line, "allreduce --ranks 8 --elems %s", lines[_i].line);
        ck_assert_str_eq(e.line, line);
    }
    in.page = TENSOR;
    ck_assert(!lesson()->experiment(&in, &e));
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("zero lesson");
    TCase *t = tcase_create("lesson");
    tcase_add_loop_test(t, words_have_the_pages_and_figures_that_the_lesson_knows, 0, 2);
    tcase_add_loop_test(t, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_loop_test(t, every_knob_at_both_ends_leaves_a_picture, 0, PAGES);
    tcase_add_test(t, each_stage_divides_one_part_more);
    tcase_add_test(t, a_stage_that_is_not_defined_says_so);
    tcase_add_test(t, the_curves_are_the_published_ratios);
    tcase_add_loop_test(t, zero_1_and_2_send_what_data_parallelism_sends, 0, 5);
    tcase_add_test(t, fp32_gradients_make_zero_1_the_cheaper_one);
    tcase_add_test(t, accumulation_multiplies_what_cannot_wait);
    tcase_add_loop_test(t, waiting_and_keeping_make_zero_3_cheaper, 0, 3);
    tcase_add_test(t, tensor_parallelism_moves_activations_and_zero_3_weights);
    tcase_add_test(t, the_modes_of_fsdp_are_zero_3_zero_2_and_a_mixture);
    tcase_add_test(t, the_shard_falls_below_what_is_gathered_where_the_page_says);
    tcase_add_loop_test(t, a_guess_has_distinct_choices_and_the_right_one_is_computed, 0,
                        ROWS(guesses));
    tcase_add_loop_test(t, what_runs_are_the_halves_of_the_sum, 0, ROWS(lines));
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
