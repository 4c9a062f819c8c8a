/* The lesson on tensor parallelism without a terminal: its words have their pages and figures, the figures are those of
 * Megatron-LM and of Korthikanti et al., tables follow the calculators, the question has one right answer in every
 * scenario that the knobs reach, and the experiment runs one all-reduce of a layer or says that it is a part. */
#define _POSIX_C_SOURCE 200809L

#include "pages_support.h"

#include "shardlab/calc/comm.h"

enum { SPLIT, DIVIDED, SENT, SEQUENCE, HEADS, PAGES };

#define GQA                                                                                        \
    "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --gated yes --vocab 128256"
#define CARD " --link-gb-per-s 300 --net-gb-per-s 25 --seq 4096"

static const char *const languages[] = {"en", "zh"};

static const struct lesson *tensor(void) {
    return lesson_called("tensor-parallel");
}

static const char *figure_of(const struct scenario *s, const char *name) {
    const struct lesson_input in = {.now = s};
    return figure_in(tensor(), &in, name);
}

static const struct view_table *table_of(const struct scenario *s, int page) {
    const struct lesson_input in = {.now = s, .page = page};
    return &item_of(picture_of(tensor(), &in), VIEW_KIND_TABLE)->table;
}

START_TEST(words_have_the_pages_that_the_lesson_counts_and_every_figure_a_value) {
    struct scenario s = scenario_of(GQA CARD " --tp 8 --gpus-per-node 8");
    const char *text = words_of(tensor(), languages[_i]);
    ck_assert_int_eq(pages_of(text), PAGES);
    ck_assert_int_eq(tensor()->page_count, PAGES);
    /* computing needs a card's peak, which presets bring */
    ck_assert_str_eq(figure_of(&s, "compute"), "—");
    ck_assert_str_eq(figure_of(&s, "exposed"), "—");
    int figures = 0;
    for (const char *at = text; (at = strstr(at, "{{")) != NULL; at += 2, figures++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 2, "}"), at + 2);
        const char *value = figure_of(&s, name);
        bool time = strcmp(name, "compute") == 0 || strcmp(name, "exposed") == 0;
        ck_assert_msg(time == (strcmp(value, "—") == 0), "{{%s}} is %s", name, value);
    }
    ck_assert_int_gt(figures, 15);
}
END_TEST

static const struct {
    const char *options, *name, *text;
} figures[] = {
    {"--tp 8", "calls", "4"},
    {"--tp 2", "calls", "4"},
    {"--tp 8 --recompute full", "calls", "6"},
    {"--tp 8", "calls_full", "6"},
    {"--tp 1", "calls", "—"},
    /* 4 all-reduces of 32 MiB among 8: 4·2·(7/8)·33,554,432 */
    {"--tp 8", "message", "33.6 MB"},
    {"--tp 8", "layer_sent", "234.9 MB"},
    {"--tp 8 --sequence-parallel yes", "sum_sent", "234.9 MB"},
    {"--tp 8", "pair_sent", "234.9 MB"},
    {"--tp 8", "again_sent", "58.7 MB"}, /* 2·(7/8)·33,554,432: ten instead of eight */
    {"--tp 8", "paper_all", "34"},
    {"--tp 8", "paper_whole", "10"},
    {"--tp 8", "paper_divided", "24"},
    {"--tp 8", "heads", "32"},
    {"--tp 8", "kv_heads", "8"},
    {"--tp 8", "ffn_rank", "1,792"},
    {"--tp 8", "act_sequence_factor", "8"},
};

START_TEST(figures_are_those_of_the_papers) {
    char line[512];
    snprintf(line, sizeof line, GQA CARD " %s", figures[_i].options);
    struct scenario s = scenario_of(line);
    const char *text = figure_of(&s, figures[_i].name);
    ck_assert_msg(strcmp(text, figures[_i].text) == 0, "%s {{%s}} is %s, not %s",
                  figures[_i].options, figures[_i].name, text, figures[_i].text);
}
END_TEST

START_TEST(an_unknown_figure_is_refused) {
    char text[16];
    struct writer w;
    struct scenario s = scenario_of("--params 7B");
    const struct lesson_input in = {.now = &s};
    writer_start(&w, text, sizeof text);
    ck_assert(!tensor()->figure(&in, "no_such_figure", &w));
    ck_assert_str_eq(figure_of(&s, "calls"), "—");
    ck_assert_str_eq(figure_of(&s, "heads"), "—");
}
END_TEST

/* "Any number of ranks will do": those that divide the heads; beyond the key and value heads these are copied. */
START_TEST(heads_are_shared_out_and_copied_beyond_the_kv_heads) {
    struct scenario s = scenario_of(GQA " --tp 16");
    const struct view_table *t = table_of(&s, HEADS);
    static const uint64_t want[][4] = {
        {1, 32, 8, 1}, {2, 16, 4, 1}, {4, 8, 2, 1}, {8, 4, 1, 1}, {16, 2, 1, 2}};
    ck_assert_int_eq(t->row_count, 5); /* 3 and 6 do not divide 32 */
    for (int row = 0; row < 5; row++) {
        for (int col = 0; col < 4; col++) {
            ck_assert_uint_eq(t->cells[row][col].count, want[row][col]);
        }
    }
    ck_assert_int_eq(t->current, 4);
    /* key and value matrices of 4096 × 1024 in 32 layers are held twice, and a rank's norms 15 times more than needed */
    uint64_t twice = UINT64_C(32) * 2 * 4096 * 1024, norms = 15 * UINT64_C(4096) * 65;
    ck_assert_uint_eq(t->cells[4][5].count, t->cells[0][5].count + twice + norms);
}
END_TEST

START_TEST(tables_are_the_calculators) {
    struct scenario s = scenario_of(GQA CARD " --tp 8"), one = scenario_of(GQA CARD " --tp 1");
    const struct view_table *t = table_of(&s, DIVIDED);
    struct calc_memory memory, alone;
    struct message why;
    ck_assert_int_eq(calc_memory_on_stage(&s, 0, &memory, &why), STATUS_OK);
    ck_assert_int_eq(calc_memory_on_stage(&one, 0, &alone, &why), STATUS_OK);
    ck_assert_uint_eq(t->cells[3][0].count, 8);
    ck_assert_uint_eq(t->cells[3][1].count, memory.params);
    ck_assert_uint_eq(t->cells[3][3].count, memory.part_bytes[CALC_PART_ACTIVATIONS]);
    ck_assert_uint_eq(t->cells[0][3].count, alone.part_bytes[CALC_PART_ACTIVATIONS]);
    /* sequence parallelism divides all of it */
    ck_assert_uint_eq(t->cells[3][4].count, alone.part_bytes[CALC_PART_ACTIVATIONS] / 8);
    ck_assert_uint_gt(t->cells[3][3].count, 2 * t->cells[3][4].count);
    t = table_of(&s, SENT);
    ck_assert_str_eq(t->cells[3][2].text, "node");
    ck_assert_str_eq(t->cells[4][2].text, "network");
    ck_assert_uint_gt(t->cells[4][1].count, t->cells[3][1].count);
}
END_TEST

START_TEST(
    all_that_layers_send_is_waited_for_and_sequence_parallelism_sends_more_but_waits_no_longer) {
    struct scenario s = scenario_of(GQA CARD " --tp 8 --sequence-parallel yes");
    struct calc_comm comm;
    struct message why;
    ck_assert_int_eq(calc_comm_on_stage(&s, 0, &comm, &why), STATUS_OK);
    const struct view_table *t = table_of(&s, SEQUENCE);
    ck_assert_int_eq(t->current, 1);
    ck_assert_uint_lt(t->cells[1][1].count, t->cells[0][1].count);
    ck_assert_uint_gt(t->cells[1][2].count, t->cells[0][2].count);
    struct scenario off = scenario_of(GQA CARD " --tp 8");
    ck_assert_int_eq(calc_comm_on_stage(&off, 0, &comm, &why), STATUS_OK);
    for (int i = 0; i < comm.row_count; i++) {
        ck_assert_int_eq(comm.rows[i].hide, CALC_HIDE_NOTHING);
    }
}
END_TEST

/* --- What is asked --- */

static int asked;

static void check_guess(const struct lesson_input *in) {
    struct lesson_guess guess = {0};
    if (!tensor()->guess(in, &guess)) {
        return;
    }
    asked++;
    uint64_t passes = in->now->recipe.recompute == CALC_RECOMPUTE_FULL ? 3 : 2;
    ck_assert_int_eq(guess.choice_count, LESSON_CHOICES_MAX);
    ck_assert_uint_eq(guess.choices[guess.right].args[0].count, 2 * passes);
    ck_assert_ptr_nonnull(guess.question.id);
    for (int i = 0; i < guess.choice_count; i++) {
        ck_assert_ptr_nonnull(guess.why[i].id);
        for (int k = 0; k < i; k++) {
            ck_assert_uint_ne(guess.choices[i].args[0].count, guess.choices[k].args[0].count);
        }
    }
}

START_TEST(the_question_has_one_right_answer_wherever_it_is_asked) {
    static const char *const models[] = {GQA, LLAMA,
                                         "--layers 12 --hidden 768 --heads 12 --vocab 50257"};
    asked = 0;
    for (int i = 0; i < ROWS(models); i++) {
        for (int full = 0; full < 2; full++) {
            char line[512];
            snprintf(line, sizeof line, "%s --tp 4 --recompute %s", models[i],
                     full ? "full" : "none");
            struct scenario s = scenario_of(line);
            const struct lesson_input in = {.now = &s, .page = SPLIT};
            (void)each_stop(tensor(), in, check_guess);
        }
    }
    ck_assert_int_gt(asked, 100);
}
END_TEST

START_TEST(nothing_is_asked_of_one_rank_with_pairs_or_on_other_pages) {
    struct lesson_guess guess = {0};
    struct scenario one = scenario_of(GQA " --tp 1"),
                    pairs = scenario_of(GQA " --tp 8 --sequence-parallel yes"),
                    sums = scenario_of(GQA " --tp 8"), unknown = scenario_of("--params 7B --tp 8");
    const struct lesson_input none[] = {{.now = &one, .page = SPLIT},
                                        {.now = &pairs, .page = SPLIT},
                                        {.now = &unknown, .page = SPLIT},
                                        {.now = &sums, .page = SENT}};
    for (int i = 0; i < ROWS(none); i++) {
        ck_assert(!tensor()->guess(&none[i], &guess));
    }
}
END_TEST

/* --- Pictures and the experiment --- */

static void check_picture(const struct lesson_input *in) {
    const struct view *view = picture_of(tensor(), in);
    ck_assert_int_eq(item_of((struct view *)view, VIEW_KIND_TEXT) != NULL, in->page != SENT);
}

START_TEST(every_stop_of_every_knob_has_a_picture) {
    struct scenario s = scenario_of(GQA CARD " --tp 8");
    const struct lesson_input in = {.now = &s, .page = _i};
    ck_assert_int_gt(each_stop(tensor(), in, check_picture), 60);
}
END_TEST

static const struct {
    const char *options, *line, *title;
} runs[] = {
    {"--tp 8", "allreduce --ranks 8 --elems 16777216 --type bf16 --algorithm ring",
     "lesson.tensor-parallel.experiment"},
    {"--tp 2 --precision fp32", "allreduce --ranks 2 --elems 16777216 --type fp32 --algorithm ring",
     "lesson.tensor-parallel.experiment"},
    /* 8 × 64 MiB are too many for all ranks together: a part */
    {"--tp 8 --micro-batch 4", "allreduce --ranks 8 --elems 16777216 --type bf16 --algorithm ring",
     "lesson.tensor-parallel.experiment_part"},
    {"--tp 1", NULL, NULL},
};

START_TEST(the_experiment_is_one_all_reduce_of_a_layer_or_says_that_it_is_a_part) {
    char line[512];
    struct lesson_experiment run = {0};
    snprintf(line, sizeof line, GQA " --seq 4096 %s", runs[_i].options);
    struct scenario s = scenario_of(line);
    const struct lesson_input in = {.now = &s, .page = SENT}, other = {.now = &s, .page = SPLIT};
    ck_assert(tensor()->experiment(&in, &run) == (runs[_i].line != NULL));
    if (runs[_i].line != NULL) {
        ck_assert_str_eq(run.line, runs[_i].line);
        ck_assert_str_eq(run.title, runs[_i].title);
        ck_assert_str_eq(run.values[0].key, "sent_bytes_per_rank");
    }
    ck_assert(!tensor()->experiment(&other, &run));
}
END_TEST

START_TEST(the_command_line_brings_the_scenario) {
    char text[256];
    struct writer w;
    struct scenario s = scenario_of(GQA " --tp 8");
    for (int page = 0; page < PAGES; page++) {
        const struct lesson_input in = {.now = &s, .page = page};
        bool memory = page == DIVIDED || page == HEADS;
        writer_start(&w, text, sizeof text);
        tensor()->command(&in, &w);
        ck_assert_int_eq(strncmp(text, memory ? "mem --" : "comm --", memory ? 6 : 7), 0);
        ck_assert_ptr_nonnull(strstr(text, " --tp 8"));
        ck_assert_ptr_nonnull(strstr(text, " --kv-heads 8"));
    }
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("tensor parallel lesson");
    TCase *t = tcase_create("lesson");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, words_have_the_pages_that_the_lesson_counts_and_every_figure_a_value, 0,
                        2);
    tcase_add_loop_test(t, figures_are_those_of_the_papers, 0, ROWS(figures));
    tcase_add_test(t, an_unknown_figure_is_refused);
    tcase_add_test(t, heads_are_shared_out_and_copied_beyond_the_kv_heads);
    tcase_add_test(t, tables_are_the_calculators);
    tcase_add_test(
        t,
        all_that_layers_send_is_waited_for_and_sequence_parallelism_sends_more_but_waits_no_longer);
    tcase_add_test(t, the_question_has_one_right_answer_wherever_it_is_asked);
    tcase_add_test(t, nothing_is_asked_of_one_rank_with_pairs_or_on_other_pages);
    tcase_add_loop_test(t, every_stop_of_every_knob_has_a_picture, 0, PAGES);
    tcase_add_loop_test(t, the_experiment_is_one_all_reduce_of_a_layer_or_says_that_it_is_a_part, 0,
                        ROWS(runs));
    tcase_add_test(t, the_command_line_brings_the_scenario);
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
