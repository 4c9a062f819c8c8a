/* Operations of a token and of a stage: the papers' closed formulas as properties of the operator sum, the sum over
 * GPUs, what recomputation and padding add, and what a run costs. Published numbers are in test_papers.c. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "calc_support.h"
#include "shardlab/calc/flops.h"

static struct calc_flops flops_of(const struct scenario *s) {
    struct calc_flops f;
    struct message why;
    must_hold(calc_flops_per_token(s, &f, &why) == STATUS_OK, "%s", message_line(&why));
    return f;
}

static struct calc_flops_stage stage_of(const struct scenario *s, uint64_t stage) {
    struct calc_flops_stage f;
    struct message why;
    must_hold(calc_flops_on_stage(s, stage, &f, &why) == STATUS_OK, "%s", message_line(&why));
    return f;
}

static void near(double value, double expected, const char *what) {
    must_hold(fabs(value - expected) <= 1e-9 * fabs(expected), "%s: %.12g, not %.12g", what, value,
              expected);
}

START_TEST(a_gpt_block_costs_what_narayanan_and_korthikanti_say) {
    struct scenario s = legal_of(GPT3), full = legal_of(GPT3 " --recompute full");
    struct scenario some = legal_of(GPT3 " --recompute selective");
    struct calc_flops f = flops_of(&s);
    double h = 12288, layers = 96, v = 51200, sh = 2048 / h;
    double block = layers * h * h;
    near((double)f.model, 72 * block * (1 + sh / 6 + v / (12 * h * layers)), "model");
    near((double)flops_of(&full).hardware, 96 * block * (1 + sh / 6 + v / (16 * h * layers)),
         "hardware, full recomputation");
    near((double)flops_of(&some).hardware, 72 * block * (1 + sh / 3 + v / (12 * h * layers)),
         "hardware, selective recomputation");
    ck_assert_uint_eq(f.hardware, f.model);
    ck_assert_uint_eq(flops_of(&full).model, f.model);
    ck_assert_uint_eq(flops_of(&some).forward_only, f.attention);
}
END_TEST

START_TEST(biases_norms_tables_and_ties_cost_no_products) {
    struct scenario plain = legal_of(LLAMA_7B);
    static const char *const more[] = {
        "--tied",    "--bias all",     "--norm layer --norms 4", "--position learned",
        "--dropout", "--dp 8 --zero 3"};
    for (int i = 0; i < ROWS(more); i++) {
        struct scenario s = legal_of(LLAMA_7B " %s", more[i]);
        ck_assert_uint_eq(flops_of(&s).model, flops_of(&plain).model);
        ck_assert_uint_eq(flops_of(&s).hardware, flops_of(&plain).model);
    }
}
END_TEST

START_TEST(the_terms_sum_to_model_and_hardware) {
    struct scenario s = legal_of(GPT3 " --convention megatron --tp 8 --recompute full");
    struct calc_flops f = flops_of(&s);
    uint64_t model = 0, all = 0;
    for (int i = 0; i < f.term_count; i++) {
        model += f.terms[i].of_model ? f.terms[i].flops : 0;
        all += f.terms[i].flops;
    }
    ck_assert_uint_eq(model, f.model);
    ck_assert_uint_eq(all, f.hardware);
    ck_assert_uint_eq(f.model, 3 * (f.matrices + f.attention + f.head));
}
END_TEST

START_TEST(a_causal_mask_halves_attention_only) {
    struct scenario s = legal_of(LLAMA_7B " --seq 8192");
    struct calc_flops f = flops_of(&s);
    ck_assert_uint_eq(f.attention, UINT64_C(4) * 32 * 8192 * 4096);
    ck_assert_uint_eq(f.model - f.causal, 3 * f.attention / 2);
}
END_TEST

START_TEST(of_the_experts_only_the_active_ones_compute) {
#define MOE "--layers 4 --hidden 512 --heads 8 --vocab 1000 --ffn 2048 --dense-layers 1 "
    struct scenario few = legal_of(MOE "--experts 8 --experts-active 2 --moe-ffn 256");
    struct scenario many = legal_of(MOE "--experts 64 --experts-active 2 --moe-ffn 256");
    struct scenario more = legal_of(MOE "--experts 8 --experts-active 3 --moe-ffn 256");
    /* 56 experts more are 56 columns of the router more; one expert more is three matrices */
    ck_assert_uint_eq(flops_of(&many).matrices - flops_of(&few).matrices, 2u * 3 * 512 * 56);
    ck_assert_uint_eq(flops_of(&more).matrices - flops_of(&few).matrices, 2u * 3 * 3 * 512 * 256);
}
END_TEST

START_TEST(latent_attention_multiplies_with_its_own_head_sizes) {
    struct scenario s = legal_of("--layers 2 --hidden 512 --heads 8 --vocab 1000 --ffn 1024 "
                                 "--kv-rank 64 --qk-nope 32 --qk-rope 16 --v-head 24 --seq 128");
    ck_assert_uint_eq(flops_of(&s).attention, UINT64_C(2) * 2 * 128 * 8 * (48 + 24));
}
END_TEST

START_TEST(grouped_queries_save_products_in_the_projections_only) {
    struct scenario whole = legal_of(LLAMA_7B), grouped = legal_of(LLAMA_7B " --kv-heads 8");
    struct calc_flops a = flops_of(&whole), b = flops_of(&grouped);
    ck_assert_uint_eq(a.attention, b.attention);
    ck_assert_uint_eq(a.matrices - b.matrices, UINT64_C(2) * 32 * 4096 * 2 * (24 * 128));
}
END_TEST

START_TEST(flash_attention_leaves_selective_recomputation_nothing_to_do) {
    struct scenario s = legal_of(LLAMA_7B " --recompute selective");
    struct calc_flops f = flops_of(&s);
    ck_assert_uint_eq(f.hardware, f.model);
    near(stage_of(&s, 0).recompute + 1.0, 1.0, "recomputed");
}
END_TEST

START_TEST(a_parameter_count_alone_gives_six_and_eight) {
    struct scenario s = legal_of("--params 7B"), full = legal_of("--params 7B --recompute full");
    struct scenario some = legal_of("--params 7B --recompute selective --attention standard");
    ck_assert_uint_eq(flops_of(&s).model, UINT64_C(42000000000));
    ck_assert_uint_eq(flops_of(&full).hardware, UINT64_C(56000000000));
    ck_assert(!flops_of(&s).parts_known && flops_of(&full).hardware_known);
    ck_assert(!flops_of(&some).hardware_known);
}
END_TEST

START_TEST(padding_of_the_vocabulary_is_work_of_the_hardware_only) {
    struct scenario s = legal_of(LLAMA_7B " --pad-vocab 1024"), plain = legal_of(LLAMA_7B);
    struct calc_flops f = flops_of(&s);
    ck_assert_uint_eq(f.model, flops_of(&plain).model);
    ck_assert_uint_eq(f.hardware - f.model, UINT64_C(6) * 4096 * (32768 - 32000));
}
END_TEST

/* Each line divides the same model evenly in another way. */
static const char *const divided[] = {
    "",
    " --pp 4",
    " --pp 3 --layers-per-stage 7,3,2",
    " --pp 2 --chunks 3",
    " --pp 4 --schedule zb-v --micro-batches 8",
    " --pp 4 --schedule dualpipe --micro-batches 8",
    " --pp 6 --schedule dualpipev --micro-batches 12",
    " --pp 4 --schedule chimera --micro-batches 4",
    " --tp 4 --sequence-parallel",
    " --cp 4",
    " --tp 2 --pp 2 --cp 2 --dp 4 --zero 1",
    " --tp 4 --recompute full",
    " --tp 4 --pp 2 --attention standard --recompute selective",
};

START_TEST(the_gpus_of_a_group_together_run_the_whole_model) {
    static const char *const models[] = {
        "--layers 12 --hidden 1024 --heads 16 --kv-heads 8 --vocab 4096 --micro-batch 3 --seq 2048",
        "--layers 12 --hidden 1024 --heads 16 --vocab 4096 --experts 8 --experts-active 2 "
        "--experts-shared 1 --moe-ffn 512 --ffn 4096 --dense-layers 5 --seq 2048",
    };
    for (int m = 0; m < ROWS(models); m++) {
        struct scenario s = legal_of("%s%s", models[m], divided[_i]);
        struct calc_flops f = flops_of(&s);
        double sum = 0, again = 0, tokens = (double)(s.batch.seq * s.batch.micro_batch);
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            struct calc_flops_stage one = stage_of(&s, stage);
            sum += one.forward + one.input_grad + one.weight_grad;
            again += one.recompute;
            near(one.input_grad + one.weight_grad, 2 * one.forward, "backward");
        }
        double group = (double)(s.layout.tp * s.layout.cp);
        near(sum * group, tokens * (double)f.model, divided[_i]);
        near((sum + again) * group, tokens * (double)f.hardware, divided[_i]);
    }
}
END_TEST

START_TEST(how_experts_are_divided_changes_no_share) {
#define SPREAD MOE "--experts 8 --experts-active 2 --moe-ffn 256 --tp 2 --dp 8 "
    struct scenario s = legal_of(SPREAD), wide = legal_of(SPREAD "--ep 8"),
                    cut = legal_of(SPREAD "--ep 4 --etp 2");
    near(stage_of(&wide, 0).forward, stage_of(&s, 0).forward, "ep 8");
    near(stage_of(&cut, 0).forward, stage_of(&s, 0).forward, "ep 4, etp 2");
}
END_TEST

START_TEST(a_run_has_days_only_when_tokens_gpus_and_speed_are_known) {
    struct scenario s = legal_of("--params 10B --recompute full");
    struct calc_flops f = flops_of(&s);
    struct calc_run run = {.tokens = 1000000000000, .gpus = 100, .hardware_per_s = 1e14};
    struct calc_run_cost cost;
    calc_run_price(&f, &run, &cost);
    ck_assert(cost.days_known && !cost.use_known);
    near(cost.gpu_seconds, 8e10 * 1e12 / 1e14, "GPU-seconds");
    near(cost.days, cost.gpu_seconds / 100 / 86400, "days");
    near(cost.model_per_s, 0.75e14, "model FLOP/s");
    run.peak_per_s = 2e14;
    calc_run_price(&f, &run, &cost);
    near(cost.hfu, 0.5, "HFU");
    near(cost.mfu, 0.375, "MFU");
    run.gpus = 0;
    calc_run_price(&f, &run, &cost);
    ck_assert(cost.time_known && !cost.days_known);
    run.hardware_per_s = 0;
    calc_run_price(&f, &run, &cost);
    ck_assert(cost.total_known && !cost.time_known && !cost.rate_known);
}
END_TEST

START_TEST(three_ways_to_measure_a_speed_agree) {
    struct scenario s = legal_of("--params 10B");
    struct calc_flops f = flops_of(&s);
    struct calc_run by_step = {.gpus = 8, .step_tokens = 80000, .step_s = 2};
    struct calc_run by_tokens = {.gpus = 8, .tokens_per_s = 5000};
    struct calc_run by_rate = {.gpus = 8, .model_per_s = 6e10 * 5000};
    struct calc_run_cost a, b, c;
    calc_run_price(&f, &by_step, &a);
    calc_run_price(&f, &by_tokens, &b);
    calc_run_price(&f, &by_rate, &c);
    near(a.hardware_per_s, 3e14, "step time");
    near(b.hardware_per_s, 3e14, "tokens per second");
    near(c.hardware_per_s, 3e14, "assumed rate");
}
END_TEST

START_TEST(a_count_past_64_bits_is_an_error_that_names_it) {
    struct scenario s = legal_of("--layers 1M --hidden 1M --heads 1 --vocab 1000 --seq 1024K");
    struct calc_flops f;
    struct message why;
    ck_assert_int_eq(calc_flops_per_token(&s, &f, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.calc.overflow|flops");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("flops");
    TCase *t = tcase_create("counts");
    tcase_add_test(t, a_gpt_block_costs_what_narayanan_and_korthikanti_say);
    tcase_add_test(t, biases_norms_tables_and_ties_cost_no_products);
    tcase_add_test(t, the_terms_sum_to_model_and_hardware);
    tcase_add_test(t, a_causal_mask_halves_attention_only);
    tcase_add_test(t, of_the_experts_only_the_active_ones_compute);
    tcase_add_test(t, latent_attention_multiplies_with_its_own_head_sizes);
    tcase_add_test(t, grouped_queries_save_products_in_the_projections_only);
    tcase_add_test(t, flash_attention_leaves_selective_recomputation_nothing_to_do);
    tcase_add_test(t, a_parameter_count_alone_gives_six_and_eight);
    tcase_add_test(t, padding_of_the_vocabulary_is_work_of_the_hardware_only);
    tcase_add_loop_test(t, the_gpus_of_a_group_together_run_the_whole_model, 0, ROWS(divided));
    tcase_add_test(t, how_experts_are_divided_changes_no_share);
    tcase_add_test(t, a_run_has_days_only_when_tokens_gpus_and_speed_are_known);
    tcase_add_test(t, three_ways_to_measure_a_speed_agree);
    tcase_add_test(t, a_count_past_64_bits_is_an_error_that_names_it);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
