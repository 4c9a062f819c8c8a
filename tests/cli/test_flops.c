/* `shardlab flops`: the fields of CONTRACT, numbers known by hand, what is unknown and why, and refusals. */
#include <math.h>
#include <stdio.h>

#include "cli/expect.h"

/* Figures that follow from 6ΨD and 8TP/(nX) on paper; published ones with their own tolerance. */
static const struct {
    const char *line, *path;
    double value, tolerance;
} known[] = {
    {"--params 7B", "model_flops_per_token", 42e9, 0},
    {"--params 7B --recompute full", "hardware_flops_per_token", 56e9, 0},
    {"--params 174.6B --tokens 300B", "total_flops", 3.1428e23, 1e18},
    {"--params 174.6B --tokens 300B --gpus 1024 --tflops 140 --recompute full", "days", 33.83,
     0.01},
    {"--params 1008B --tokens 450B --gpus 3072 --tflops 163 --recompute full", "days", 83.9, 0.05},
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T --gpus 64", "gpu_seconds",
     6e10 * 1e12 / 156e12, 1},
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T", "mfu", 0.5, 1e-12},
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T --recompute full", "hfu", 2.0 / 3,
     1e-12},
    /* --mfu of model FLOPs hides what is computed again; kernels that keep the speed take 4/3 of the days */
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T --gpus 64 --recompute full", "days",
     6e22 / 156e12 / 64 / 86400, 1e-6},
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T --gpus 64 --recompute full",
     "days_at_kernel_speed", 8e22 / 156e12 / 64 / 86400, 1e-6},
    {"--params 10B --gpu a100-sxm-80gb --mfu 0.5 --tokens 1T --gpus 64", "days_at_kernel_speed",
     6e22 / 156e12 / 64 / 86400, 1e-6},
    {"--params 174.6B --tokens 300B --gpus 1024 --tflops 140 --recompute full",
     "days_at_kernel_speed", 33.83, 0.01},
    {"--params 10B --gpu h100-sxm-80gb --precision fp8", "mfu", 0.4 * 1.41 / 2, 1e-3},
    {"--model mt-nlg-530b --vocab 51200 --seq 2048 --attention standard --step-s 37.83 "
     "--gpus 280 --global-batch 280 --gpu a100-sxm-80gb",
     "mfu", 0.560, 0.001},
    {"--params 7B --dp 4 --tp 2 --pp 2 --micro-batches 8 --seq 4096", "tokens_per_step",
     4096 * 8 * 4, 0},
    {"--params 7B --dp 4 --tp 2 --pp 2 --micro-batches 8 --seq 4096", "gpus", 16, 0},
};

START_TEST(an_answer_holds_the_known_number) {
    struct run r;
    char line[512];
    (void)snprintf(line, sizeof line, "flops %s --json", known[_i].line);
    expect_json(&r, line, NULL);
    double value = expect_real(r.out, known[_i].path);
    ck_assert_msg(fabs(value - known[_i].value) <= known[_i].tolerance,
                  "%s: %s is %.12g, not %.12g", line, known[_i].path, value, known[_i].value);
    run_free(&r);
}
END_TEST

START_TEST(what_is_unknown_is_null_with_a_note) {
    static const struct {
        const char *line, *path, *note;
    } unknown[] = {
        {"flops --params 7B --json", "total_flops", "--tokens"},
        {"flops --params 7B --tokens 1T --json", "days", "--gpu"},
        {"flops --params 7B --tokens 1T --tflops 100 --json", "mfu", "MFU and HFU|bf16 (--gpu"},
        {"flops --params 7B --tokens 1T --tflops 100 --json", "peak_flops_per_s", "--gpu"},
        {"flops --params 7B --json", "model_flops_per_token_causal", "6Ψ"},
        {"flops --params 7B --recompute selective --attention standard --json",
         "hardware_flops_per_token", "--params"},
        {"flops --params 7B --gpu v100-sxm2-32gb --tokens 1T --gpus 8 --json", "gpu_seconds",
         "no bf16 peak of v100-sxm2-32gb"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct run r;
        expect_json(&r, unknown[i].line, NULL);
        ck_assert_msg(json_is(json_at(r.out, unknown[i].path), "null"), "%s: %s", unknown[i].path,
                      r.out);
        struct json_value notes = json_at(r.out, "notes");
        ck_assert_msg(notes.kind == JSON_KIND_ARRAY, "%s", r.out);
        expect_names(notes.at, unknown[i].note);
        run_free(&r);
    }
}
END_TEST

START_TEST(the_terms_of_an_answer_sum_to_its_count) {
    struct run r;
    uint64_t model = 0, all = 0;
    expect_json(&r,
                "flops --model llama-3.1-405b --recompute full --convention megatron --tp 8 --json",
                NULL);
    int terms = json_count(json_at(r.out, "explain"));
    for (int i = 0; i < terms; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "explain[%d].flops", i);
        uint64_t flops = json_digits(r.out, path);
        (void)snprintf(path, sizeof path, "explain[%d].part", i);
        model += json_is(json_at(r.out, path), "\"model\"") ? flops : 0;
        all += flops;
    }
    ck_assert_uint_eq(model, json_digits(r.out, "model_flops_per_token"));
    ck_assert_uint_eq(all, json_digits(r.out, "hardware_flops_per_token"));
    run_free(&r);
}
END_TEST

START_TEST(the_table_shows_every_term_in_both_languages) {
    struct run r;
    expect_good(&r, "flops --model llama-2-7b --tokens 2T --gpus 64 --gpu a100-sxm-80gb", NULL);
    expect_names(r.out, "6·Ψm|12·L·s·a·d|6·h·V|MFU|Days|0.400");
    run_free(&r);
    expect_good(&r, "flops --lang zh --model llama-2-7b --tokens 2T --gpus 64 --gpu a100-sxm-80gb",
                NULL);
    expect_names(r.out, "6·Ψm|12·L·s·a·d|6·h·V|天数|0.400");
    run_free(&r);
}
END_TEST

START_TEST(a_wrong_amount_is_named) {
    static const struct {
        const char *line, *names;
    } wrong[] = {
        {"flops --params 7B --tokens 0", "--tokens 0"},
        {"flops --params 7B --tokens many", "--tokens many"},
        {"flops --params 7B --gpus -1", "--gpus -1"},
        {"flops --params 7B --step-s 0", "--step-s 0"},
        {"flops --params 7B --tflops nan", "--tflops nan"},
        {"flops --params 7B --tflops 1 --step-s 1", "--step-s|--tflops"},
        {"flops --tokens 1T", "--model"},
        {"mem --params 7B --tokens 1T", "--tokens"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct run r;
        struct expect_words words;
        expect_refused(&r, expect_split(&words, wrong[i].line), 2, "shardlab: ");
        expect_names(r.err, wrong[i].names);
        run_free(&r);
    }
}
END_TEST

START_TEST(recomputation_has_days_of_its_own) {
    struct run r;
    expect_good(&r, "flops --params 10B --gpu a100-sxm-80gb --tokens 1T --gpus 64 --recompute full",
                NULL);
    expect_names(r.out, "Days, kernels at this speed|comm and plan");
    run_free(&r);
    expect_good(&r, "flops --params 10B --gpu a100-sxm-80gb --tokens 1T --gpus 64", NULL);
    ck_assert_ptr_null(strstr(r.out, "Days, kernels"));
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("flops");
    TCase *t = tcase_create("flops");
    tcase_add_loop_test(t, an_answer_holds_the_known_number, 0,
                        (int)(sizeof known / sizeof known[0]));
    tcase_add_test(t, what_is_unknown_is_null_with_a_note);
    tcase_add_test(t, the_terms_of_an_answer_sum_to_its_count);
    tcase_add_test(t, the_table_shows_every_term_in_both_languages);
    tcase_add_test(t, recomputation_has_days_of_its_own);
    tcase_add_test(t, a_wrong_amount_is_named);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
