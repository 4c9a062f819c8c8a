/* The lesson on offload without a terminal: bytes a parameter and link against the papers, what fits on which card, the
 * figures of the words, the pictures' rows against the calculators, and the questions with their choices. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "../../../lessons/85_offload/offload_private.h"
#include "lesson_support.h"

#define LLAMA13 "--layers 40 --hidden 5120 --heads 40 --ffn 13824 --vocab 32000 --precision fp16"
#define SMALL                                                                                      \
    "--layers 28 --hidden 1536 --heads 12 --kv-heads 2 --ffn 8960 --vocab 151936 --tied yes"       \
    " --bias qkv --precision fp16 --zero 2 --offload optimizer"

static const struct lesson *lesson(void) {
    const struct lesson *l = lesson_find("offload");
    ck_assert_ptr_nonnull(l);
    return l;
}

/* A V100 of 32 GB as assets/gpus.json has it, and disks at 3 GB/s. */
static struct scenario on_v100(const char *line) {
    struct scenario s = scenario_of(line);
    s.cluster.listed_bytes = UINT64_C(32000000000);
    s.cluster.peak_tflops[CALC_PRECISION_FP16] = 125;
    s.cluster.pcie_gb_per_s = 15.75;
    s.cluster.nvme_gb_per_s = 3;
    return s;
}

#define START LLAMA13 " --zero 2 --offload optimizer --recompute full"

static struct view *picture(const struct scenario *s, int page) {
    static struct view view;
    struct message why;
    struct lesson_input in = {.now = s, .page = page};
    ck_assert_int_eq(lesson()->view(&in, &view, &why), STATUS_OK);
    return &view;
}

/* ZeRO-Offload: 4 bytes a parameter; ZeRO-Infinity: states of 12 bytes read and written, gradients written and read;
 * weights that left are read for forward and backward. */
static const struct {
    const char *options;
    enum offload_way way;
    double pcie, nvme;
} traffic[] = {
    {LLAMA13, OFFLOAD_WAY_NONE, 0, 0},
    {LLAMA13, OFFLOAD_WAY_OPTIMIZER_CPU, 2 + 2, 0},
    {LLAMA13 " --grad-bytes 4", OFFLOAD_WAY_OPTIMIZER_CPU, 4 + 2, 0},
    {LLAMA13 " --zero 2 --micro-batches 4", OFFLOAD_WAY_OPTIMIZER_CPU, 4 * 2 + 2, 0},
    {LLAMA13, OFFLOAD_WAY_OPTIMIZER_NVME, 2 + 2, 2 * 12 + 2 * 2},
    {LLAMA13, OFFLOAD_WAY_PARAMS_CPU, 2 + 2 * 2, 0},
    {LLAMA13 " --micro-batches 3", OFFLOAD_WAY_PARAMS_CPU, 2 + 3 * 2 * 2, 0},
    {LLAMA13, OFFLOAD_WAY_PARAMS_NVME, 2 + 2 * 2, 2 * 12 + 2 * 2 + 2 * 2 + 2},
    {LLAMA13 " --zero 3 --dp 4", OFFLOAD_WAY_PARAMS_CPU, 2 + 2 * 2, 0},
};

START_TEST(a_parameter_moves_the_published_bytes) {
    struct scenario s = on_v100(traffic[_i].options), way;
    struct offload_step step;
    ck_assert(offload_with(&s, traffic[_i].way, &way));
    ck_assert_int_eq(offload_way_of(&way), traffic[_i].way);
    ck_assert(offload_step(&way, &step));
    ck_assert_double_eq_tol(offload_per_parameter(&step, false), traffic[_i].pcie, 1e-6);
    ck_assert_double_eq_tol(offload_per_parameter(&step, true), traffic[_i].nvme, 1e-6);
}
END_TEST

START_TEST(a_link_without_a_rate_leaves_times_unknown) {
    struct scenario s = on_v100(START), nvme;
    struct offload_step step;
    s.cluster.nvme_gb_per_s = 0;
    ck_assert(offload_with(&s, OFFLOAD_WAY_OPTIMIZER_NVME, &nvme) && offload_step(&nvme, &step));
    ck_assert(!step.links_known && !step.known);
    ck_assert(offload_step(&s, &step) && step.known); /* to the CPU no disk is asked */
}
END_TEST

/* Claim 22: one GPU of 32 GB trains 13B with offload, and not without. */
START_TEST(thirteen_billion_parameters_fit_on_32_gb_with_offload_only) {
    struct scenario s = on_v100(START), alone;
    ck_assert_uint_ge(offload_largest(&s), 1);
    ck_assert(offload_with(&s, OFFLOAD_WAY_NONE, &alone));
    ck_assert_uint_eq(offload_largest(&alone), 0);
}
END_TEST

START_TEST(the_largest_micro_batch_fits_and_one_more_does_not) {
    struct scenario s = on_v100(SMALL), other;
    uint64_t largest = offload_largest(&s);
    struct calc_memory memory;
    struct message why;
    ck_assert_uint_ge(largest, 2);
    for (uint64_t more = 0; more < 2; more++) {
        other = s;
        other.batch.micro_batch = largest + more;
        ck_assert_int_eq(calc_memory_worst(&other, &memory, &why), STATUS_OK);
        ck_assert_int_eq(memory.total_bytes <= s.cluster.listed_bytes, more == 0);
    }
    s.cluster.listed_bytes = 0;
    ck_assert_uint_eq(offload_largest(&s), 0); /* nobody says how much there is */
}
END_TEST

/* Claim 22, its other half: what leaves makes room, and saves the recomputation. */
START_TEST(with_offload_a_card_at_its_limit_can_be_faster) {
    struct scenario s = on_v100(SMALL " --micro-batches 4"), alone, full;
    uint64_t batch;
    double with, without;
    ck_assert(offload_with(&s, OFFLOAD_WAY_NONE, &alone));
    ck_assert_uint_eq(offload_largest(&alone), 0);
    full = alone;
    full.recipe.recompute = CALC_RECOMPUTE_FULL;
    ck_assert(offload_rate_at_largest(&full, &batch, &without));
    ck_assert(offload_rate_at_largest(&s, &batch, &with));
    ck_assert_double_gt(with, without * 1.2);
    s.cluster.pcie_gb_per_s = full.cluster.pcie_gb_per_s = 3;
    s.batch.micro_batches = full.batch.micro_batches = 1;
    ck_assert(offload_rate_at_largest(&full, &batch, &without));
    ck_assert(offload_rate_at_largest(&s, &batch, &with));
    ck_assert_double_lt(with, without); /* and need not be */
}
END_TEST

START_TEST(micro_batches_amortise_what_moves_once_a_step) {
    struct scenario s = on_v100(START);
    double before = INFINITY, times;
    for (s.batch.micro_batches = 1; s.batch.micro_batches <= 256; s.batch.micro_batches *= 4) {
        ck_assert(offload_slowdown(&s, &times));
        ck_assert_double_lt(times, before);
        ck_assert_double_ge(times, 1);
        before = times;
    }
}
END_TEST

static const struct {
    const char *scenario, *name, *text;
} figures[] = {
    {START, "params", "13.0B"},
    {START, "total_none", "210.69 GB"},
    {START, "total_cpu", "28.47 GB"},
    {START, "host", "182.22 GB"},
    {START, "forty_host", "1080 GB"},
    {START, "pcie_bytes", "4"},
    {START, "nvme_bytes", "28"},
    {START " --optimizer adam8bit", "nvme_bytes", "16"},
    {START, "compute_s", "9.50 s"},
    {START, "pcie_s", "3.31 s"},
    {START, "nvme_s", "121.5 s"},
    {START, "pcie_rate", "15.75"},
    {START, "nvme_rate", "3"},
    {START, "slow_cpu", "1.18"},
    {START, "slow_nvme", "13.22"},
    {START, "slow_one", "1.18"},
    {START, "slow_many", "1.01"},
    {START, "small_params", "1.54B"},
    {START, "small_faster", "1.27"},
    {START, "paper_with", "40"},
    {START, "paper_without", "30"},
    {LLAMA13 " --precision bf16", "compute_s", "—"}, /* a V100 has no BF16 */
    {LLAMA13 " --precision bf16", "slow_cpu", "—"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = on_v100(figures[_i].scenario);
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
    struct scenario s = on_v100(START);
    struct lesson_input in = {.now = &s};
    char text[16];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert(!lesson()->figure(&in, "no_such_figure", &w));
    ck_assert_uint_eq(w.length, 0);
}
END_TEST

START_TEST(places_are_what_mem_says_of_each_way) {
    struct scenario s = on_v100(START);
    const struct view_table *t = &picture(&s, OFFLOAD_WHERE)->items[0].table;
    ck_assert_int_eq(t->row_count, OFFLOAD_WAYS);
    ck_assert_int_eq(t->current, OFFLOAD_WAY_OPTIMIZER_CPU);
    for (int way = 0; way < OFFLOAD_WAYS; way++) {
        struct scenario other;
        struct calc_memory memory;
        struct message why;
        ck_assert(offload_with(&s, (enum offload_way)way, &other));
        ck_assert_int_eq(calc_memory_worst(&other, &memory, &why), STATUS_OK);
        ck_assert_uint_eq(t->cells[way][3].count, memory.total_bytes);
        ck_assert_uint_eq(t->cells[way][4].count, memory.offloaded.bytes);
        ck_assert_str_eq(t->cells[way][5].text, way == OFFLOAD_WAY_NONE ? "no" : "yes");
    }
}
END_TEST

START_TEST(the_fastest_row_is_pointed_at) {
    struct scenario s = on_v100(SMALL " --micro-batches 4");
    const struct view_table *t = &picture(&s, OFFLOAD_SLOWER)->items[0].table;
    ck_assert_int_eq(t->row_count, 4);
    ck_assert_int_eq(t->current, 2); /* with offload, nothing recomputed */
    ck_assert(!t->cells[0][4].known);
    ck_assert_uint_gt(t->cells[2][4].count, t->cells[1][4].count);
}
END_TEST

static const char *const scenarios[] = {
    START,
    START " --convention deepspeed",
    START " --zero 3 --dp 64 --micro-batches 256",
    LLAMA13 " --offload none --grad-bytes 6",
    LLAMA13 " --convention megatron --zero 1 --dp 8 --offload optimizer",
    "--params 7B --precision fp16",
    SMALL,
};

START_TEST(every_page_has_a_picture_in_every_scenario) {
    struct scenario s = on_v100(scenarios[_i]);
    for (int known = 1; known >= 0; known--) {
        s.cluster.listed_bytes *= (uint64_t)known; /* and on a card of which nothing is known */
        s.cluster.peak_tflops[CALC_PRECISION_FP16] *= known;
        s.cluster.pcie_gb_per_s *= known;
        for (int page = 0; page < OFFLOAD_PAGES; page++) {
            const struct view *view = picture(&s, page);
            ck_assert_msg(view->item_count > 1, "page %d", page + 1);
        }
    }
}
END_TEST

/* --- Questions --- */

/* A whole number is said as one. */
static double said(const struct message *choice) {
    const struct message_arg *arg = &choice->args[0];
    bool whole = arg->kind == MESSAGE_ARG_PLAIN;
    ck_assert(whole || floor(arg->real) != arg->real);
    return whole ? (double)arg->count : arg->real;
}

START_TEST(choices_of_bytes_differ_and_the_right_one_is_the_calculators) {
    struct scenario s = on_v100(scenarios[_i]), cpu;
    struct lesson_input in = {.now = &s, .page = OFFLOAD_TRAFFIC};
    struct lesson_guess guess = {0};
    struct offload_step step;
    ck_assert(lesson()->guess(&in, &guess));
    ck_assert_int_eq(guess.choice_count, 4);
    for (int a = 0; a < guess.choice_count; a++) {
        ck_assert_ptr_nonnull(guess.why[a].id);
        for (int b = a + 1; b < guess.choice_count; b++) {
            ck_assert_int_ne((int)lround(said(&guess.choices[a]) * 100),
                             (int)lround(said(&guess.choices[b]) * 100));
        }
    }
    s.batch.micro_batches = 1;
    ck_assert(offload_with(&s, OFFLOAD_WAY_OPTIMIZER_CPU, &cpu) && offload_step(&cpu, &step));
    ck_assert_double_eq(said(&guess.choices[guess.right]), offload_per_parameter(&step, false));
}
END_TEST

START_TEST(the_longest_part_of_a_step_is_the_right_answer) {
    struct scenario s = on_v100(START);
    struct lesson_input in = {.now = &s, .page = OFFLOAD_LINK};
    struct lesson_guess guess = {0};
    ck_assert(lesson()->guess(&in, &guess));
    ck_assert_int_eq(guess.choice_count, 3);
    ck_assert_str_eq(guess.choices[guess.right].id, "comm.link.nvme");
    s.batch.micro_batches = 256;
    memset(&guess, 0, sizeof guess);
    ck_assert(lesson()->guess(&in, &guess));
    ck_assert_str_eq(guess.choices[guess.right].id, "lesson.offload.guess.compute");
    s.cluster.nvme_gb_per_s = 0;
    memset(&guess, 0, sizeof guess);
    ck_assert(!lesson()->guess(&in, &guess));
}
END_TEST

START_TEST(other_pages_ask_nothing) {
    static const int silent[] = {OFFLOAD_WHERE, OFFLOAD_BATCH, OFFLOAD_SLOWER};
    struct scenario s = on_v100(START);
    struct lesson_input in = {.now = &s, .page = silent[_i]};
    struct lesson_guess guess = {0};
    ck_assert(!lesson()->guess(&in, &guess));
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("offload lesson");
    TCase *sizes = tcase_create("sizes");
    tcase_add_loop_test(sizes, a_parameter_moves_the_published_bytes, 0, ROWS(traffic));
    tcase_add_test(sizes, a_link_without_a_rate_leaves_times_unknown);
    tcase_add_test(sizes, thirteen_billion_parameters_fit_on_32_gb_with_offload_only);
    tcase_add_test(sizes, the_largest_micro_batch_fits_and_one_more_does_not);
    tcase_add_test(sizes, with_offload_a_card_at_its_limit_can_be_faster);
    tcase_add_test(sizes, micro_batches_amortise_what_moves_once_a_step);
    suite_add_tcase(all, sizes);
    TCase *words = tcase_create("words");
    tcase_add_loop_test(words, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_test(words, an_unknown_figure_is_refused);
    suite_add_tcase(all, words);
    TCase *pictures = tcase_create("pictures");
    tcase_add_test(pictures, places_are_what_mem_says_of_each_way);
    tcase_add_test(pictures, the_fastest_row_is_pointed_at);
    tcase_add_loop_test(pictures, every_page_has_a_picture_in_every_scenario, 0, ROWS(scenarios));
    suite_add_tcase(all, pictures);
    TCase *questions = tcase_create("questions");
    tcase_add_loop_test(questions, choices_of_bytes_differ_and_the_right_one_is_the_calculators, 0,
                        ROWS(scenarios));
    tcase_add_test(questions, the_longest_part_of_a_step_is_the_right_answer);
    tcase_add_loop_test(questions, other_pages_ask_nothing, 0, 3);
    suite_add_tcase(all, questions);
    return all;
}

#include "support/check_main.h"
