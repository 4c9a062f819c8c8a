/* The lesson on activations without a terminal: sizes of a layer against the published coefficients, the figures of the
 * words, the pictures' rows against the calculators, and the questions with their choices. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "../../../lessons/20_activations/activations_private.h"
#include "lesson_support.h"
#include "shardlab/calc/comm.h"

#define LLAMA3 "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 128256"
#define GPT                                                                                        \
    "--layers 96 --hidden 12288 --heads 96 --vocab 50257 --gated no --norm layer --dropout yes"    \
    " --seq 2048"

static const struct lesson *lesson(void) {
    const struct lesson *l = lesson_find("activations");
    ck_assert_ptr_nonnull(l);
    return l;
}

static struct view *picture(const struct scenario *s, const struct scenario *before, int page) {
    static struct view view;
    struct message why;
    struct lesson_input in = {.now = s, .before = before, .page = page};
    ck_assert_int_eq(lesson()->view(&in, &view, &why), STATUS_OK);
    return &view;
}

/* Korthikanti et al., table 2: coefficients of s·b·h on one tensor rank. */
static const struct {
    const char *options;
    double linear, scores;
} coefficients[] = {
    {GPT " --attention standard", 34, 80},
    {GPT " --attention standard --dropout no", 32, 32},
    {GPT " --attention standard --recompute selective", 34, 0},
    {GPT " --attention standard --tp 8", 10 + 24.0 / 8, 80.0 / 8},
    {GPT " --attention standard --tp 8 --sequence-parallel yes", 34.0 / 8, 80.0 / 8},
    {GPT " --attention standard --pp 8 --micro-batches 64", 34, 80},
};

START_TEST(a_layer_has_the_published_coefficients) {
    struct scenario s = scenario_of(coefficients[_i].options);
    struct activations_layer layer;
    ck_assert(activations_layer(&s, &layer));
    ck_assert_double_eq_tol(layer.linear_sbh, coefficients[_i].linear, 1e-9);
    ck_assert_double_eq_tol(layer.scores_sbh, coefficients[_i].scores, 1e-9);
}
END_TEST

START_TEST(scores_overtake_the_rest_of_a_gpt_layer_at_34_fifths_of_a_head) {
    struct scenario s = scenario_of(GPT);
    double tokens;
    ck_assert(activations_crossing(&s, &tokens));
    ck_assert_double_eq_tol(tokens, 34.0 / 5 * 12288 / 96, 1e-9);
    s.batch.seq = 4096; /* wherever the learner stands */
    ck_assert(activations_crossing(&s, &tokens));
    ck_assert_double_eq_tol(tokens, 34.0 / 5 * 12288 / 96, 1e-9);
}
END_TEST

START_TEST(doubling_the_batch_doubles_and_doubling_the_sequence_does_more_only_without_flash) {
    struct scenario s = scenario_of(LLAMA3 " --attention standard");
    double times;
    ck_assert(activations_growth(&s, false, &times));
    ck_assert_double_eq_tol(times, 2, 1e-12);
    ck_assert(activations_growth(&s, true, &times));
    ck_assert_double_gt(times, 3);
    ck_assert_double_lt(times, 4);
    s = scenario_of(LLAMA3 " --attention flash");
    ck_assert(activations_growth(&s, true, &times));
    ck_assert_double_eq_tol(times, 2, 1e-12);
    s = scenario_of(GPT " --position learned --max-seq 2048");
    ck_assert_msg(!activations_growth(&s, true, &times), "there are no positions for it");
}
END_TEST

/* Claim 10: exactly a third of the layers' work; GPT-3 2.7 % and 530B 1.6 % for selective. */
START_TEST(recomputation_adds_the_published_flops) {
    struct scenario s = scenario_of(LLAMA3), gpt, large;
    double part;
    ck_assert(activations_more_flops(&s, CALC_RECOMPUTE_FULL, true, &part));
    ck_assert_double_eq_tol(part, 1.0 / 3, 1e-12);
    ck_assert(activations_more_flops(&s, CALC_RECOMPUTE_FULL, false, &part));
    ck_assert_double_lt(part, 1.0 / 3); /* the head does not run again */
    ck_assert(activations_gpt(&gpt) && activations_large_model(&large));
    ck_assert(activations_more_flops(&gpt, CALC_RECOMPUTE_SELECTIVE, false, &part));
    ck_assert_double_eq_tol(part, 0.027, 0.0005);
    ck_assert(activations_more_flops(&large, CALC_RECOMPUTE_SELECTIVE, false, &part));
    ck_assert_double_eq_tol(part, 0.016, 0.0005);
}
END_TEST

#define START LLAMA3 " --dp 8 --zero 1 --attention standard --memory 80GB"

static const struct {
    const char *scenario, *name, *text;
} figures[] = {
    {START, "crossing", "2,176"},
    {START, "gpt_crossing", "870"},
    {START, "gpt_linear", "34"},
    {START, "gpt_scores", "5"},
    {START, "gpt_whole", "10"},
    {START, "gpt_divided", "24"},
    {START, "gpt_now", "114"},
    {START, "gpt_share", "70 %"},
    {START, "layer", "1.64 GB"},
    {START, "kept", "52.68 GB"},
    {START, "kept_none", "52.68 GB"},
    {START, "kept_full", "2.79 GB"},
    {START, "working", "1.64 GB"},
    {START, "flops_layers", "33.3 %"},
    {START, "flops_model", "31.3 %"},
    {START, "flops_selective", "2.7 %"},
    {START, "flops_selective_large", "1.6 %"},
    {START, "time_low", "20 %"},
    {START, "time_full", "39 %"},
    {START, "time_selective", "7 %"},
    {START, "hfu", "1.31"},
    {START " --pp 4 --micro-batches 16", "first_stage", "52.61 GB"},
    {START " --pp 4 --micro-batches 16", "one_stage", "52.68 GB"},
    {START, "vocab", "128,256"},
    {START, "logits_fp32", "2.10 GB"},
    {START, "logits_worst", "5.25 GB"},
    {START, "logits_worth", "1.3"},
    {START " --convention hf --zero 0", "kept", "52.68 GB"},
    {"--params 7B", "crossing", "—"},
    {"--params 7B", "kept_full", "—"},
    {"--params 7B", "vocab", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = scenario_of(figures[_i].scenario);
    struct lesson_input in = {.now = &s};
    char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(lesson()->figure(&in, figures[_i].name, &w), "{{%s}}", figures[_i].name);
    ck_assert_msg(strcmp(text, figures[_i].text) == 0, "{{%s}} is %s, not %s", figures[_i].name,
                  text, figures[_i].text);
}
END_TEST

START_TEST(an_unknown_figure_is_refused) {
    struct scenario s = scenario_of(LLAMA3);
    struct lesson_input in = {.now = &s};
    char text[16];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert(!lesson()->figure(&in, "no_such_figure", &w));
    ck_assert_uint_eq(w.length, 0);
}
END_TEST

START_TEST(the_plot_is_the_calculators_and_marks_where_scores_overtake) {
    struct scenario s = scenario_of(START);
    struct view_item *item = item_of(picture(&s, NULL, ACTIVATIONS_WHY), VIEW_KIND_PLOT);
    ck_assert_ptr_nonnull(item);
    const struct view_plot *plot = &item->plot;
    ck_assert_int_eq(plot->series_count, 2);
    ck_assert_int_eq(plot->mark_count, 1);
    int at = 0;
    while (fabs(plot->x[at] - 4096) > 0.5) {
        at++;
        ck_assert_int_lt(at, plot->point_count);
    }
    struct calc_memory memory;
    ck_assert(activations_on_stage(&s, 0, &memory));
    ck_assert_double_eq(plot->series[0].y[at], (double)memory.part_bytes[CALC_PART_ACTIVATIONS]);
    ck_assert_double_gt(plot->series[0].y[at], plot->series[1].y[at]);
}
END_TEST

START_TEST(rows_of_the_ledger_sum_to_its_total) {
    static const char *const scenarios[] = {
        START, START " --recompute full --logits fp32x3", START " --pp 4 --micro-batches 8",
        "--layers 4 --hidden 512 --heads 8 --vocab 1000 --ffn 2048 --experts 8 --experts-active 2 "
        "--moe-ffn 256 --dense-layers 1 --experts-shared 1 --attention standard --dropout yes "
        "--logits fp32 --kv-rank 64 --qk-nope 32 --qk-rope 16 --v-head 32 --q-rank 96"};
    struct scenario s = scenario_of(scenarios[_i]), before = scenario_of(START);
    struct view_item *item = item_of(picture(&s, &before, ACTIVATIONS_OPERATORS), VIEW_KIND_LEDGER);
    ck_assert_ptr_nonnull(item);
    const struct view_ledger *l = &item->ledger;
    uint64_t sum = 0;
    for (int i = 0; i < l->row_count - 1; i++) {
        ck_assert_int_eq(l->rows[i].line_count, 1);
        ck_assert_uint_eq(l->lines[l->rows[i].first_line].bytes, l->rows[i].bytes);
        ck_assert_msg(strncmp(l->rows[i].label, "term.activations.", 17) == 0, "%s",
                      l->rows[i].label);
        sum += l->rows[i].bytes;
    }
    struct calc_memory memory;
    ck_assert(activations_memory(&s, &memory));
    ck_assert_uint_eq(sum, l->rows[l->row_count - 1].bytes);
    ck_assert_uint_eq(sum, memory.part_bytes[CALC_PART_ACTIVATIONS]);
}
END_TEST

START_TEST(recomputation_is_compared_as_the_calculators_have_it) {
    struct scenario s = scenario_of(START);
    struct view *view = picture(&s, NULL, ACTIVATIONS_RECOMPUTE);
    const struct view_table *t = &view->items[0].table;
    ck_assert_int_eq(t->row_count, 3);
    ck_assert_int_eq(t->current, CALC_RECOMPUTE_NONE);
    for (int r = 0; r < t->row_count; r++) {
        struct scenario other = s;
        struct calc_memory memory;
        other.recipe.recompute = r;
        ck_assert(activations_memory(&other, &memory));
        ck_assert_uint_eq(t->cells[r][1].count, memory.part_bytes[CALC_PART_ACTIVATIONS]);
        ck_assert_uint_eq(t->cells[r][2].count, memory.total_bytes);
    }
    const struct view_table *m = &view->items[1].table;
    ck_assert_double_eq_tol(m->cells[2][1].real, 1.0 / 3, 1e-12);
    ck_assert_double_gt(m->cells[2][3].real, m->cells[2][1].real); /* time exceeds FLOPs */
}
END_TEST

START_TEST(the_first_stage_holds_what_one_stage_would) {
    struct scenario s = scenario_of(START " --pp 8 --micro-batches 32");
    struct view *view = picture(&s, NULL, ACTIVATIONS_RANKS);
    const struct view_table *stages = &view->items[1].table;
    ck_assert_int_eq(stages->row_count, 8);
    struct scenario one = scenario_of(START);
    struct calc_memory memory;
    ck_assert(activations_on_stage(&one, 0, &memory));
    uint64_t layers =
        memory.part_bytes[CALC_PART_ACTIVATIONS] - activations_term(&memory, "activations.head");
    ck_assert_uint_eq(stages->cells[0][3].count, layers);
    ck_assert_uint_lt(stages->cells[7][3].count, layers / 4);
}
END_TEST

START_TEST(every_page_has_a_picture_in_every_scenario) {
    static const char *const scenarios[] = {
        START,
        START " --pp 32 --micro-batches 4",
        START " --pp 4 --schedule dualpipe --micro-batches 8",
        START " --convention hf --zero 0",
        START " --tp 8 --sequence-parallel yes --cp 16 --seq 512",
        "--params 7B",
        GPT " --position learned --max-seq 2048 --attention standard",
    };
    struct scenario s = scenario_of(scenarios[_i]);
    for (int page = 0; page < ACTIVATIONS_PAGES; page++) {
        const struct view *view = picture(&s, NULL, page);
        ck_assert_msg(view->item_count > 0, "page %d", page + 1);
    }
}
END_TEST

/* --- Questions --- */

static bool reads_alike(const struct message *a, const struct message *b) {
    return strcmp(a->id, b->id) == 0 &&
           llround(a->args[0].real * 100) == llround(b->args[0].real * 100);
}

static const char *const asked[] = {
    START,
    START " --seq 512",
    START " --seq 131072 --micro-batch 32",
    START " --attention flash --recompute full",
    START " --tp 8 --sequence-parallel yes",
    START " --pp 4",
    GPT,
};

START_TEST(choices_differ_and_the_right_one_is_the_calculators) {
    struct scenario s = scenario_of(asked[_i]), standard = s;
    double growth, part;
    standard.recipe.attention = CALC_ATTENTION_STANDARD;
    standard.recipe.recompute = CALC_RECOMPUTE_NONE;
    ck_assert(activations_growth(&standard, true, &growth));
    ck_assert(activations_more_flops(&s, CALC_RECOMPUTE_FULL, true, &part));
    for (int page = 0; page < ACTIVATIONS_PAGES; page++) {
        struct lesson_input in = {.now = &s, .page = page};
        struct lesson_guess guess = {0};
        bool asks = page == ACTIVATIONS_WHY || page == ACTIVATIONS_RECOMPUTE;
        ck_assert_int_eq(lesson()->guess(&in, &guess), asks);
        ck_assert_int_eq(guess.choice_count, asks ? 3 : 0);
        for (int a = 0; a < guess.choice_count; a++) {
            ck_assert_ptr_nonnull(guess.why[a].id);
            for (int b = a + 1; b < guess.choice_count; b++) {
                ck_assert_msg(!reads_alike(&guess.choices[a], &guess.choices[b]), "page %d",
                              page + 1);
            }
        }
        if (asks) {
            ck_assert_double_eq(guess.choices[guess.right].args[0].real,
                                page == ACTIVATIONS_WHY ? growth : 100 * part);
        }
    }
}
END_TEST

START_TEST(what_cannot_be_told_apart_is_not_asked) {
    static const char *const scenarios[] = {"--params 7B", GPT " --position learned --max-seq 2048",
                                            LLAMA3 " --seq 4M"};
    struct scenario s = scenario_of(scenarios[_i]);
    struct lesson_input in = {.now = &s, .page = ACTIVATIONS_WHY};
    struct lesson_guess guess = {0};
    ck_assert(!lesson()->guess(&in, &guess));
    ck_assert_int_eq(guess.choice_count, 0);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("activations lesson");
    TCase *sizes = tcase_create("sizes");
    tcase_add_loop_test(sizes, a_layer_has_the_published_coefficients, 0, ROWS(coefficients));
    tcase_add_test(sizes, scores_overtake_the_rest_of_a_gpt_layer_at_34_fifths_of_a_head);
    tcase_add_test(
        sizes, doubling_the_batch_doubles_and_doubling_the_sequence_does_more_only_without_flash);
    tcase_add_test(sizes, recomputation_adds_the_published_flops);
    suite_add_tcase(all, sizes);
    TCase *words = tcase_create("words");
    tcase_add_loop_test(words, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_test(words, an_unknown_figure_is_refused);
    suite_add_tcase(all, words);
    TCase *pictures = tcase_create("pictures");
    tcase_add_test(pictures, the_plot_is_the_calculators_and_marks_where_scores_overtake);
    tcase_add_loop_test(pictures, rows_of_the_ledger_sum_to_its_total, 0, 4);
    tcase_add_test(pictures, recomputation_is_compared_as_the_calculators_have_it);
    tcase_add_test(pictures, the_first_stage_holds_what_one_stage_would);
    tcase_add_loop_test(pictures, every_page_has_a_picture_in_every_scenario, 0, 7);
    suite_add_tcase(all, pictures);
    TCase *questions = tcase_create("questions");
    tcase_add_loop_test(questions, choices_differ_and_the_right_one_is_the_calculators, 0,
                        ROWS(asked));
    tcase_add_loop_test(questions, what_cannot_be_told_apart_is_not_asked, 0, 3);
    suite_add_tcase(all, questions);
    return all;
}

#include "support/check_main.h"
