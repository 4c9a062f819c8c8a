/* The lesson on data parallelism without a terminal: words and figures agree, every knob can be moved to both ends and
 * the pages keep a picture, tables hold the calculators' numbers, guesses have distinct choices of which the right one is
 * computed, and what r runs is what the page speaks of. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"
#include "page_support.h"

#include "shardlab/calc/comm.h"

enum { COPIES, SUM, ACCUMULATE, HIDE, EQUAL, PAGES };

#define CARD LLAMA " --memory 80GB --link-gb-per-s 300 --net-gb-per-s 25 --dp 8"

static const struct lesson *lesson(void) {
    const struct lesson *found = lesson_find("data-parallel");
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(words_have_the_pages_and_figures_that_the_lesson_knows) {
    struct scenario s = scenario_with_peak(CARD " --micro-batches 4");
    page_check_words(lesson(), PAGES, &s, page_languages[_i]);
}
END_TEST

static const struct {
    const char *scenario, *name, *text;
} figures[] = {
    {CARD, "states", "107.81 GB"},
    {CARD, "message", "13.48 GB"},
    {CARD, "sent", "23.58 GB"}, /* 2 · 7/8 · 13.48 */
    {CARD, "limit", "26.95 GB"},
    {CARD, "factor", "1.75"},
    {CARD, "factor_many", "1.969"},
    {CARD " --micro-batches 4", "once", "23.58 GB"},
    {CARD " --micro-batches 4", "every", "94.34 GB"},
    {CARD " --micro-batches 4 --reduce every", "once", "23.58 GB"},
    {CARD " --grad-bytes 4", "message", "26.95 GB"},
    {CARD, "reduce", "78.7 ms"},
    {CARD, "run_elements", "673,841"},
    {CARD, "run_divisor", "10,000"},
    {CARD, "short_tokens", "2,048"},
    {CARD, "full_tokens", "4,096"},
    /* 2048 + 7 · 4096 tokens in 8 ranks: 30720 / 8 / 2048, and / 4096 */
    {CARD, "short_weight", "1.88"},
    {CARD, "full_weight", "0.94"},
    {"--params 7B", "sent", "0.00 GB"},
    {"--params 7B", "backward", "—"},
    {"--params 7B", "tokens_to_hide", "—"},
    {"--params 7B", "run_elements", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = scenario_of(figures[_i].scenario);
    struct lesson_input in = {.now = &s};
    page_check_figure(lesson(), &in, figures[_i].name, figures[_i].text);
}
END_TEST

START_TEST(every_knob_at_both_ends_leaves_a_picture) {
    ck_assert_int_gt(page_walk_knobs(lesson(), _i, CARD), 10);
}
END_TEST

/* However many ranks: the same memory on one GPU, N times as much on all. */
START_TEST(more_ranks_move_no_part_of_one_gpu) {
    struct scenario few = scenario_of(CARD), many = scenario_of(LLAMA " --memory 80GB --dp 512");
    struct view_ledger one = page_item(lesson(), &few, COPIES, VIEW_KIND_LEDGER)->ledger;
    struct view_ledger *other = &page_item(lesson(), &many, COPIES, VIEW_KIND_LEDGER)->ledger;
    for (int i = 0; i < one.row_count; i++) {
        ck_assert_uint_eq(one.rows[i].bytes, other->rows[i].bytes);
    }
    struct view_table *t = &page_item(lesson(), &many, COPIES, VIEW_KIND_TABLE)->table;
    ck_assert_int_eq(t->row_count, 4);
    for (int row = 0; row < t->row_count; row++) {
        ck_assert_uint_eq(t->cells[row][2].count, 512 * t->cells[row][1].count);
        ck_assert_str_eq(t->cells[row][3].text, row < 3 ? "copied" : "own");
    }
}
END_TEST

static struct view_table *last_table(const struct scenario *s, int page) {
    struct view *view = page_view(lesson(), s, page);
    struct view_table *found = NULL;
    for (int i = 0; i < view->item_count; i++) {
        found = view->items[i].kind == VIEW_KIND_TABLE ? &view->items[i].table : found;
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(bytes_of_a_rank_near_twice_the_gradients_and_the_node_ends) {
    struct scenario s = scenario_of(CARD " --dp 24");
    const struct view_table *t = last_table(&s, SUM);
    ck_assert_int_eq(t->row_count, 8); /* 24 ranks have a row of their own */
    ck_assert_uint_eq(t->cells[t->current][0].count, 24);
    for (int row = 0; row < t->row_count; row++) {
        double ranks = (double)t->cells[row][0].count;
        ck_assert_double_eq_tol(t->cells[row][2].real, (ranks - 1) / ranks, 1e-6);
        ck_assert_str_eq(t->cells[row][3].text, ranks > 8 ? "network" : "node");
    }
}
END_TEST

START_TEST(once_a_step_stays_and_every_micro_batch_grows) {
    struct scenario s = scenario_of(CARD " --micro-batches 3");
    const struct view_table *t = last_table(&s, ACCUMULATE);
    for (int row = 0; row < t->row_count; row++) {
        ck_assert_uint_eq(t->cells[row][1].count, t->cells[0][1].count);
        ck_assert_uint_eq(t->cells[row][2].count, t->cells[row][0].count * t->cells[0][1].count);
    }
    ck_assert_uint_eq(t->cells[t->current][0].count, 3);
}
END_TEST

/* With as many tokens as the table says, backward lasts as long as the sum. */
START_TEST(the_tokens_that_hide_the_sum_do_so) {
    struct scenario s = scenario_with_peak(CARD);
    const struct view_table *t = last_table(&s, HIDE);
    ck_assert_int_eq(t->row_count, 7);
    double tokens = (double)t->cells[3][3].count, seconds = t->cells[3][2].real;
    ck_assert_str_eq(t->cells[3][1].text, "network");
    /* seconds of backward a token, from the page's own figures */
    struct lesson_input in = {.now = &s};
    double backward = strtod(page_figure(lesson(), &in, "backward"), NULL);
    ck_assert_double_eq_tol(tokens / 4096 * backward, seconds, 0.01 * seconds);
    for (int row = 1; row < t->row_count; row++) {
        ck_assert_uint_ge(t->cells[row][3].count, t->cells[row - 1][3].count);
        ck_assert(t->cells[row][4].known && t->cells[row][4].real < t->cells[row][2].real);
    }
}
END_TEST

START_TEST(without_a_card_no_second_is_made_up) {
    struct scenario s = scenario_of(LLAMA " --dp 8");
    const struct view_table *t = last_table(&s, HIDE);
    for (int row = 0; row < t->row_count; row++) {
        ck_assert(!t->cells[row][2].known && !t->cells[row][3].known && !t->cells[row][4].known);
    }
    ck_assert_int_eq(t->note_count, 0);
}
END_TEST

/* Σ over ranks of tokens × weight is the number of tokens: weights are shares of one mean. */
START_TEST(weights_of_tokens_add_up_to_all_tokens) {
    struct scenario s = scenario_of(CARD);
    int own[LESSON_OWN_MAX] = {_i};
    struct lesson_input in = {.now = &s, .page = EQUAL, .own = own};
    static struct view view;
    struct message why;
    ck_assert_int_eq(lesson()->view(&in, &view, &why), STATUS_OK);
    const struct view_table *t = &view.items[0].table;
    double few = (double)t->cells[0][1].count, full = (double)t->cells[1][1].count;
    ck_assert_double_eq_tol(few * t->cells[0][4].real + 7 * full * t->cells[1][4].real,
                            few + 7 * full, 1e-6 * full);
    ck_assert_double_eq_tol(t->cells[0][3].real + 7 * t->cells[1][3].real, 1, 1e-9);
    ck_assert(_i == 0 ? t->cells[0][4].real == t->cells[1][4].real
                      : t->cells[0][4].real > t->cells[1][4].real);
}
END_TEST

static const struct {
    const char *scenario;
    int page, choices; /* 0: nothing is asked */
    uint64_t bytes;    /* of the right choice; 0: it is a text */
} guesses[] = {
    /* 16 · 6738415616, and s·b·(12h + 4kd + 6f + 4a) a layer and 4sbh: the same for every N */
    {CARD, COPIES, 3, 125145513984},
    {CARD " --dp 1", COPIES, 3, 125145513984},
    {CARD " --zero 3 --convention fsdp", COPIES, 0, 0},
    {"--params 7B --dp 8", COPIES, 0, 0}, /* activations are not known */
    {CARD, SUM, 4, 26532511488},          /* 2 · 63/64 of the gradients */
    {CARD " --dp 1", SUM, 0, 0},
    {CARD " --reduce every --micro-batches 4", SUM, 4, 26532511488},
    {CARD, EQUAL, 3, 0},
    {CARD " --dp 1", EQUAL, 0, 0},
    {CARD, ACCUMULATE, 0, 0},
};

START_TEST(a_guess_has_distinct_choices_and_the_right_one_is_computed) {
    struct scenario s = scenario_of(guesses[_i].scenario);
    struct lesson_input in = {.now = &s, .page = guesses[_i].page};
    struct lesson_guess guess = {0};
    bool asked = lesson()->guess(&in, &guess);
    ck_assert_int_eq(asked ? guess.choice_count : 0, guesses[_i].choices);
    if (asked) {
        page_check_guess(&guess);
        const struct message_arg *right = &guess.choices[guess.right].args[0];
        if (guesses[_i].bytes > 0) {
            ck_assert_uint_eq(right->count, guesses[_i].bytes);
        } else {
            ck_assert_str_eq(right->text, "2"); /* half the tokens, twice the weight */
        }
    }
}
END_TEST

static const struct {
    const char *scenario;
    int page;
    const char *line; /* NULL: nothing to run */
} lines[] = {
    {CARD, SUM, "allreduce --ranks 8 --elems 673841 --type bf16 --algorithm ring"},
    {CARD " --grad-bytes 4", SUM, "allreduce --ranks 8 --elems 67384 --type fp32 --algorithm ring"},
    {CARD " --precision fp16", SUM,
     "allreduce --ranks 8 --elems 673841 --type fp16 --algorithm ring"},
    {CARD " --dp 1", SUM, NULL},
    {CARD " --dp 128", SUM, NULL},
    {CARD, EQUAL, "overflow --experiment allreduce --type bf16 --algorithm ring --ranks 8"},
    {CARD " --dp 1", EQUAL, NULL},
    {CARD, HIDE, NULL},
};

START_TEST(what_runs_is_what_the_page_speaks_of) {
    struct scenario s = scenario_of(lines[_i].scenario);
    struct lesson_input in = {.now = &s, .page = lines[_i].page};
    struct lesson_experiment e = {0};
    ck_assert_int_eq(lesson()->experiment(&in, &e), lines[_i].line != NULL);
    if (lines[_i].line != NULL) {
        ck_assert_str_eq(e.line, lines[_i].line);
        ck_assert_int_ge(e.value_count, 2);
    }
}
END_TEST

START_TEST(the_command_line_reproduces_the_page) {
    static const char *const starts[PAGES] = {"mem --layers 32", "comm --layers 32",
                                              "comm --layers 32", "comm --layers 32",
                                              "overflow --experiment allreduce"};
    struct scenario s = scenario_of(CARD);
    struct lesson_input in = {.now = &s, .page = _i};
    char text[512];
    struct writer w;
    writer_start(&w, text, sizeof text);
    lesson()->command(&in, &w);
    ck_assert_msg(strncmp(text, starts[_i], strlen(starts[_i])) == 0, "%s", text);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("data-parallel lesson");
    TCase *t = tcase_create("lesson");
    tcase_add_loop_test(t, words_have_the_pages_and_figures_that_the_lesson_knows, 0, 2);
    tcase_add_loop_test(t, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_loop_test(t, every_knob_at_both_ends_leaves_a_picture, 0, PAGES);
    tcase_add_test(t, more_ranks_move_no_part_of_one_gpu);
    tcase_add_test(t, bytes_of_a_rank_near_twice_the_gradients_and_the_node_ends);
    tcase_add_test(t, once_a_step_stays_and_every_micro_batch_grows);
    tcase_add_test(t, the_tokens_that_hide_the_sum_do_so);
    tcase_add_test(t, without_a_card_no_second_is_made_up);
    tcase_add_loop_test(t, weights_of_tokens_add_up_to_all_tokens, 0, 5);
    tcase_add_loop_test(t, a_guess_has_distinct_choices_and_the_right_one_is_computed, 0,
                        ROWS(guesses));
    tcase_add_loop_test(t, what_runs_is_what_the_page_speaks_of, 0, ROWS(lines));
    tcase_add_loop_test(t, the_command_line_reproduces_the_page, 0, PAGES);
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
