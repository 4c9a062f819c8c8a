/* The lesson on hybrid parallelism without a terminal: sums by axis are the ledger's, orders and the tokens at which PP and
 * DP change places follow from them, published runs agree with the reference, the pipeline beside ZeRO reduces as often
 * as it says, and the questions have one right answer. */
#define _POSIX_C_SOURCE 200809L

#include "words_support.h"

#include "shardlab/calc/comm.h"
#include "shardlab/lesson/plan_search_view.h"

enum { PAGES = 5, WHO = 0, COST = 1, RUNS = 2, STACK = 3, CHOOSE = 4 };
enum { RANK, RUN, GPUS, GLOBAL_BATCH, OWN };

#define GPT3                                                                                       \
    "--layers 96 --hidden 12288 --heads 96 --vocab 50257 --seq 2048 --norm layer --bias all "      \
    "--tied yes --position learned --max-seq 2048 --memory 80GB --link-gb-per-s 300 "              \
    "--net-gb-per-s 25"
#define LAYOUT "--dp 8 --tp 8 --pp 8 --zero 1 --micro-batches 64"

static struct scenario of(const char *more) {
    char line[512];
    snprintf(line, sizeof line, "%s %s", GPT3, more);
    struct scenario s = scenario_of(line);
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 312;
    return s;
}

static const struct lesson *hybrid(void) {
    const struct lesson *lesson = lesson_find("hybrid");
    ck_assert_ptr_nonnull(lesson);
    ck_assert_int_eq(lesson->own_count, OWN);
    return lesson;
}

START_TEST(both_languages_have_its_pages_and_every_figure_has_a_value) {
    struct scenario s = of(LAYOUT);
    struct lesson_input in = {.now = &s};
    expect_pages(hybrid(), words_languages[_i]);
    expect_figures(hybrid(), &in, words_languages[_i], 20);
}
END_TEST

static const struct {
    const char *more, *name, *text;
} figures[] = {
    {LAYOUT, "gpus", "512"},
    {LAYOUT, "nodes", "64"},
    {LAYOUT, "node", "8"},
    {LAYOUT, "speed", "12"},
    {LAYOUT " --net-gb-per-s 100", "speed", "3.0"},
    {LAYOUT, "tp_sent", "270.6 GB"}, /* claims, section C2: 270.6 and 6.44 */
    {LAYOUT, "pp_sent", "6.4 GB"},
    {LAYOUT, "order_bytes", "TP > DP > PP"},
    {"--dp 8 --tp 8 --pp 8 --zero 1 --micro-batches 128", "order_bytes", "TP > PP > DP"},
    {"--dp 8 --zero 1", "order_bytes", "DP"},
    {"--tp 8", "order_bytes", "TP"},
    {"--dp 1", "order_bytes", "—"},
    {LAYOUT, "tokens", "131,072"},
    {LAYOUT, "reductions_zero1", "1"},
    {LAYOUT, "reductions_zero2", "64"},
    {LAYOUT, "turing_product", "8 × 35"},
    {LAYOUT, "turing_replica", "280"},
    {LAYOUT, "turing_gpus", "2,240"},
    {LAYOUT, "plan_gpus", "512"},
    {"--dp 8 --tp 4", "network_wide", "—"},
    {LAYOUT, "network", "16.0 GB"},
    {LAYOUT, "network_wide", "596.8 GB"},
    {"--dp 4 --tp 16 --pp 8 --zero 1 --micro-batches 128", "network", "16.0 GB"},
    {"--dp 4 --tp 16 --pp 8 --zero 1 --micro-batches 128", "network_wide", "596.8 GB"},
    {"--dp 8 --zero 2 --pp 2 --tp 8", "tokens_equal", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = of(figures[_i].more);
    struct lesson_input in = {.now = &s};
    ck_assert_str_eq(figure_text(hybrid(), &in, figures[_i].name), figures[_i].text);
}
END_TEST

START_TEST(knobs_are_options_or_the_lessons_own) {
    expect_knobs(hybrid(), _i);
}
END_TEST

static uint64_t sent_over(const struct calc_comm *comm, enum calc_axis axis) {
    uint64_t sum = 0;
    for (int i = 0; i < comm->row_count; i++) {
        sum += comm->rows[i].axis == axis ? comm->rows[i].sent_bytes : 0;
    }
    return sum;
}

START_TEST(axes_are_sums_of_the_ledger) {
    static const enum calc_axis axes[] = {CALC_AXIS_TP, CALC_AXIS_PP, CALC_AXIS_DP};
    struct scenario s = of(LAYOUT);
    struct lesson_input in = {.now = &s, .page = COST};
    const struct view_table *t = table_of(view_on(hybrid(), &in), "axis");
    struct calc_comm comm;
    struct message why;
    ck_assert_int_eq(calc_comm_on_stage(&s, 4, &comm, &why), STATUS_OK);
    for (int a = 0; a < 3; a++) {
        ck_assert_str_eq(cell_of(t, a, "axis")->text, calc_axis_name(axes[a]));
        ck_assert_uint_eq(cell_of(t, a, "sent_bytes")->count, sent_over(&comm, axes[a]));
        ck_assert(cell_of(t, a, "exposed_s")->known);
    }
    ck_assert_str_eq(cell_of(t, 0, "link")->text, "node");
    ck_assert_str_eq(cell_of(t, 1, "link")->text, "network");
}
END_TEST

/* Row 12 of the claims: TP is first; PP and DP have no fixed order, tokens decide. */
START_TEST(tokens_decide_between_pp_and_dp) {
    struct scenario s = of(LAYOUT);
    struct lesson_input in = {.now = &s, .page = COST};
    const struct view_table *t = table_of(view_on(hybrid(), &in), "micro_batches");
    const struct message *note = &t->notes[t->note_count - 1].text;
    ck_assert_str_eq(note->id, "lesson.hybrid.flip");
    uint64_t equal = note->args[0].count;
    int pp_first = 0;
    for (int row = 0; row < t->row_count; row++) {
        uint64_t tp = cell_of(t, row, "tp_sent_bytes")->count;
        uint64_t pp = cell_of(t, row, "pp_sent_bytes")->count;
        uint64_t dp = cell_of(t, row, "dp_sent_bytes")->count;
        uint64_t tokens = cell_of(t, row, "tokens")->count;
        bool pp_more = tokens > equal;
        ck_assert(pp_more == (pp > dp));
        ck_assert(tp > pp && tp > dp);
        ck_assert_str_eq(cell_of(t, row, "order")->text, pp_more ? "TP > PP > DP" : "TP > DP > PP");
        pp_first += pp_more;
    }
    ck_assert_int_gt(pp_first, 0);
    ck_assert_int_lt(pp_first, t->row_count);
    ck_assert_uint_eq(cell_of(t, t->current, "micro_batches")->count, 64);
}
END_TEST

/* The reference, claims C2, means over all stages in GB; a middle stage of BLOOM has 6 layers and not 70/12, one of Llama 3
 * 8 and not 126/16, so TP is compared times that. DP of BLOOM and Llama 3 depends on dtypes that the reference names. */
static const struct {
    const char *run, *order;
    uint64_t gpus;
    double tp, pp, dp, layers;
} published[] = {
    {"gpt-175b-megatron", "TP > DP > PP", 1536, 270.6, 6.44, 10.46, 1},
    {"mt-nlg-530b", "TP > PP > DP", 2240, 422.8, 40.27, 6.62, 1},
    {"bloom-176b", "TP > PP > DP", 384, 526.1, 30.06, 12.85, 6 / (70.0 / 12)},
    {"llama-3.1-405b", "TP > PP > DP", 8192, 473.5, 17.18, 12.46, 8 / (126.0 / 16)},
};

static int row_of_run(const struct view_table *t, const char *run) {
    for (int row = 0; row < t->row_count; row++) {
        if (strcmp(cell_of(t, row, "run")->text, run) == 0) {
            return row;
        }
    }
    ck_abort_msg("no run %s", run);
    return -1;
}

static const struct view_table *runs_with(int run) {
    static struct scenario s;
    int own[LESSON_OWN_MAX] = {[RUN] = run, [GPUS] = 0};
    s = of(LAYOUT);
    struct lesson_input in = {.now = &s, .page = RUNS, .own = own};
    return table_of(view_on(hybrid(), &in), "run");
}

START_TEST(published_runs_send_what_the_reference_says) {
    const struct view_table *t = runs_with(0);
    int row = row_of_run(t, published[_i].run);
    double tp = (double)cell_of(t, row, "tp_sent_bytes")->count / 1e9;
    double pp = (double)cell_of(t, row, "pp_sent_bytes")->count / 1e9;
    double dp = (double)cell_of(t, row, "dp_sent_bytes")->count / 1e9;
    ck_assert_uint_eq(cell_of(t, row, "gpus")->count, published[_i].gpus);
    ck_assert_double_eq_tol(tp, published[_i].tp * published[_i].layers, 0.002 * tp);
    ck_assert_double_eq_tol(pp, published[_i].pp, 0.002 * pp);
    /* the reference divides all parameters by the stages; a middle stage holds no embedding and no head */
    ck_assert_double_eq_tol(dp, published[_i].dp, 0.08 * published[_i].dp);
    ck_assert_str_eq(cell_of(t, row, "order")->text, published[_i].order);
}
END_TEST

/* Row 15: Megatron-Turing published 8 · 35 · d, GPT-3 no degrees. */
START_TEST(what_was_not_published_is_a_dash) {
    const struct view_table *t = runs_with(0);
    int turing = row_of_run(t, "mt-nlg-530b"), gpt3 = row_of_run(t, "gpt3-175b");
    ck_assert_uint_eq(cell_of(t, turing, "tp")->count, 8);
    ck_assert_uint_eq(cell_of(t, turing, "pp")->count, 35);
    ck_assert(!cell_of(t, gpt3, "tp")->known && !cell_of(t, gpt3, "pp")->known);
    ck_assert(!cell_of(t, gpt3, "gpus")->known);
    ck_assert(!cell_of(t, row_of_run(t, "opt-175b"), "tp_sent_bytes")->known);
    ck_assert_uint_eq(cell_of(t, row_of_run(t, "opt-175b"), "gpus")->count, 992);
    ck_assert_uint_eq(cell_of(t, row_of_run(t, "deepseek-v3"), "gpus")->count, 2048);
}
END_TEST

START_TEST(the_chosen_run_is_marked_and_its_cluster_drawn) {
    struct scenario s = of(LAYOUT);
    const struct lesson_knob *knob = &hybrid()->own[RUN];
    int stops = 0;
    for (; knob->stops[stops] != NULL; stops++) {
        int own[LESSON_OWN_MAX] = {[RUN] = stops};
        struct lesson_input in = {.now = &s, .page = RUNS, .own = own};
        struct view *v = view_on(hybrid(), &in);
        const struct view_table *t = table_of(v, "run");
        const struct view_item *cluster = item_of(v, VIEW_KIND_CLUSTER);
        ck_assert_int_eq(t->current, stops);
        ck_assert_str_eq(cell_of(t, stops, "run")->text, knob->stops[stops]);
        ck_assert((cluster != NULL) == cell_of(t, stops, "order")->known);
        if (cluster != NULL) {
            ck_assert_uint_eq(cluster->cluster.gpus, cell_of(t, stops, "gpus")->count);
        }
    }
    ck_assert_int_eq(stops, 7);
}
END_TEST

/* Row 24: TP with either; a pipeline with ZeRO-2 or 3 is refused by DeepSpeed, and reduces after each micro-batch. */
START_TEST(zero2_beside_a_pipeline_reduces_after_each_micro_batch) {
    struct scenario s = of(LAYOUT);
    struct lesson_input in = {.now = &s, .page = STACK};
    const struct view_table *t = table_of(view_on(hybrid(), &in), "zero");
    struct scenario two = of("--dp 8 --tp 8 --pp 8 --zero 2 --micro-batches 64");
    struct calc_comm comm;
    struct calc_memory m;
    struct message why;
    ck_assert_int_eq(calc_comm_on_stage(&two, 4, &comm, &why), STATUS_OK);
    ck_assert_int_eq(calc_memory_worst(&two, &m, &why), STATUS_OK);
    ck_assert_uint_eq(cell_of(t, 2, "dp_sent_bytes")->count, sent_over(&comm, CALC_AXIS_DP));
    ck_assert_uint_eq(cell_of(t, 2, "total_bytes")->count, m.total_bytes);
    uint64_t reductions = 0;
    for (int i = 0; i < comm.row_count; i++) {
        bool gradients = strcmp(comm.rows[i].id, "gradients") == 0;
        reductions = gradients ? comm.rows[i].count : reductions;
    }
    ck_assert_uint_eq(cell_of(t, 2, "reductions")->count, reductions);
    ck_assert_uint_eq(cell_of(t, 1, "reductions")->count, 1);
    /* (M + 1)/2 times the bytes: each micro-batch's gradients, and the weights once */
    double ratio = (double)cell_of(t, 2, "dp_sent_bytes")->count /
                   (double)cell_of(t, 1, "dp_sent_bytes")->count;
    ck_assert_double_eq_tol(ratio, 65.0 / 2, 0.01);
    static const char *const takes[] = {"yes", "yes", "no", "no"};
    for (int zero = 0; zero <= 3; zero++) {
        ck_assert_str_eq(cell_of(t, zero, "deepspeed")->text, takes[zero]);
    }
    ck_assert_int_eq(t->current, 1);
}
END_TEST

START_TEST(without_a_pipeline_every_stage_runs) {
    struct scenario s = of("--dp 8 --tp 8 --zero 3 --micro-batches 8");
    struct lesson_input in = {.now = &s, .page = STACK};
    const struct view_table *t = table_of(view_on(hybrid(), &in), "zero");
    for (int zero = 0; zero <= 3; zero++) {
        ck_assert_str_eq(cell_of(t, zero, "deepspeed")->text, "yes");
    }
    ck_assert_str_eq(t->title.id, "lesson.hybrid.stack.alone");
    ck_assert_int_eq(t->current, 3);
}
END_TEST

START_TEST(a_rank_that_is_not_there_is_said) {
    struct scenario s = of("--dp 2 --tp 8");
    int own[LESSON_OWN_MAX] = {[RANK] = 11};
    struct lesson_input in = {.now = &s, .page = WHO, .own = own};
    struct view *v = view_on(hybrid(), &in);
    ck_assert_uint_eq(item_of(v, VIEW_KIND_CLUSTER)->cluster.chosen, 0);
    ck_assert_str_eq(item_of(v, VIEW_KIND_TEXT)->text.lines[0].id, "lesson.hybrid.no_rank");
    ck_assert_uint_eq(item_of(v, VIEW_KIND_TEXT)->text.lines[0].args[1].count, 16);
    own[RANK] = 3;
    v = view_on(hybrid(), &in);
    ck_assert_uint_eq(item_of(v, VIEW_KIND_CLUSTER)->cluster.chosen, 7);
    ck_assert_ptr_null(item_of(v, VIEW_KIND_TEXT));
}
END_TEST

/* What the last page says about links. */
START_TEST(slow_links_move_the_planners_choice) {
    static const struct {
        const char *node, *net;
    } links[] = {{"300", "25"}, {"25", "25"}, {"300", "3"}, {"300", "300"}};
    static struct plan_answer at[4];
    for (int i = 0; i < 4; i++) {
        struct scenario s = of(LAYOUT " --memory 85094039552"); /* an A100 */
        struct message why;
        ck_assert_int_eq(
            calc_option_set(&s, calc_option_index("link-gb-per-s"), links[i].node, &why),
            STATUS_OK);
        ck_assert_int_eq(calc_option_set(&s, calc_option_index("net-gb-per-s"), links[i].net, &why),
                         STATUS_OK);
        const struct plan_question q = {&s, 512, 512};
        plan_ask(&q, &at[i]);
        ck_assert_int_gt(at[i].found.count, 0);
    }
    ck_assert_uint_lt(at[1].best[0].tp, at[0].best[0].tp);
    ck_assert_uint_gt(at[1].best[0].pp, 1);
    ck_assert_uint_eq(at[0].best[0].pp, 1);
    ck_assert_uint_lt(at[2].best[0].dp, at[0].best[0].dp);
    ck_assert_uint_gt(at[2].best[0].pp, at[1].best[0].pp);
    ck_assert_uint_eq(at[3].best[0].dp, 512);
}
END_TEST

/* --- Questions --- */

static bool ask(const struct scenario *s, int page, struct lesson_guess *out) {
    struct lesson_input in = {.now = s, .page = page};
    memset(out, 0, sizeof *out);
    return hybrid()->guess(&in, out);
}

static uint64_t over_network(const struct scenario *s) {
    struct calc_comm comm;
    struct message why;
    uint64_t sum = 0;
    ck_assert_int_eq(calc_comm_on_stage(s, s->layout.pp / 2, &comm, &why), STATUS_OK);
    for (int i = 0; i < comm.row_count; i++) {
        sum += comm.rows[i].link == CALC_LINK_NETWORK ? comm.rows[i].sent_bytes : 0;
    }
    return sum;
}

/* Row 14: TP over two nodes sends all of it at the network's speed. */
START_TEST(tp_over_two_nodes_sends_what_the_ledger_says) {
    struct scenario s = of(LAYOUT);
    struct scenario wide = of("--dp 4 --tp 16 --pp 8 --zero 1 --micro-batches 128");
    struct scenario roomy = of("--dp 4 --tp 16 --pp 8 --zero 1 --micro-batches 128 "
                               "--gpus-per-node 16");
    struct lesson_guess g;
    ck_assert(ask(&s, WHO, &g));
    expect_question(&g);
    ck_assert_uint_eq(g.choices[g.right].args[0].count, over_network(&wide));
    ck_assert_uint_eq(g.question.args[2].count, over_network(&s));
    ck_assert_uint_gt(over_network(&wide), 30 * over_network(&s));
    ck_assert_uint_lt(over_network(&roomy),
                      2 * over_network(&s)); /* the domain counts, not the box */
    struct scenario narrow = of("--dp 8 --tp 4 --pp 8");
    ck_assert(!ask(&narrow, WHO, &g));
}
END_TEST

START_TEST(the_right_order_is_the_one_by_bytes) {
    static const struct {
        const char *more, *order;
    } cases[] = {{LAYOUT, "TP > DP > PP"},
                 {"--dp 8 --tp 8 --pp 8 --micro-batches 256", "TP > PP > DP"},
                 {"--dp 8 --tp 2 --pp 2 --micro-batches 1", "DP > TP > PP"}};
    struct scenario s = of(cases[_i].more);
    struct lesson_guess g;
    ck_assert(ask(&s, COST, &g));
    expect_question(&g);
    ck_assert_str_eq(g.choices[g.right].args[0].text, cases[_i].order);
    ck_assert_str_eq(g.why[g.right].id, "lesson.hybrid.guess.order.right");
}
END_TEST

START_TEST(the_command_is_the_pages) {
    static const char *const begins[] = {"comm --layers", "comm --layers", "comm --layers",
                                         "mem --layers", "plan --layers"};
    struct scenario s = of(LAYOUT);
    struct lesson_input in = {.now = &s, .page = _i};
    char line[512];
    struct writer w;
    writer_start(&w, line, sizeof line);
    hybrid()->command(&in, &w);
    ck_assert_int_eq(strncmp(line, begins[_i], strlen(begins[_i])), 0);
}
END_TEST

START_TEST(every_end_of_the_knobs_has_a_view_and_choices_apart) {
    static const char *const ends[] = {"--dp 1",
                                       "--dp 1024 --tp 8 --pp 8",
                                       "--dp 8 --tp 16 --pp 64 --micro-batches 256",
                                       "--dp 8 --pp 64",
                                       "--dp 8 --gpus-per-node 1",
                                       "--dp 8 --zero 3 --pp 2 --micro-batches 1",
                                       "--params 175B --dp 8 --tp 8 --pp 8"};
    for (int i = 0; i < ROWS(ends); i++) {
        bool only = strncmp(ends[i], "--params", 8) == 0;
        struct scenario s = only ? scenario_of(ends[i]) : of(ends[i]);
        struct lesson_guess g;
        struct lesson_input in = {.now = &s, .page = _i};
        (void)view_on(hybrid(), &in);
        if (ask(&s, _i, &g)) {
            expect_question(&g);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("hybrid lesson");
    TCase *words = tcase_create("words");
    tcase_add_loop_test(words, both_languages_have_its_pages_and_every_figure_has_a_value, 0, 2);
    tcase_add_loop_test(words, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_loop_test(words, knobs_are_options_or_the_lessons_own, 0, PAGES);
    tcase_add_loop_test(words, the_command_is_the_pages, 0, PAGES);
    suite_add_tcase(all, words);
    TCase *tables = tcase_create("tables");
    tcase_add_test(tables, axes_are_sums_of_the_ledger);
    tcase_add_test(tables, tokens_decide_between_pp_and_dp);
    tcase_add_loop_test(tables, published_runs_send_what_the_reference_says, 0, ROWS(published));
    tcase_add_test(tables, what_was_not_published_is_a_dash);
    tcase_add_test(tables, the_chosen_run_is_marked_and_its_cluster_drawn);
    tcase_add_test(tables, zero2_beside_a_pipeline_reduces_after_each_micro_batch);
    tcase_add_test(tables, without_a_pipeline_every_stage_runs);
    tcase_add_test(tables, a_rank_that_is_not_there_is_said);
    tcase_add_test(tables, slow_links_move_the_planners_choice);
    tcase_add_loop_test(tables, every_end_of_the_knobs_has_a_view_and_choices_apart, 0, PAGES);
    suite_add_tcase(all, tables);
    TCase *questions = tcase_create("questions");
    tcase_add_test(questions, tp_over_two_nodes_sends_what_the_ledger_says);
    tcase_add_loop_test(questions, the_right_order_is_the_one_by_bytes, 0, 3);
    suite_add_tcase(all, questions);
    return all;
}

#include "support/check_main.h"
