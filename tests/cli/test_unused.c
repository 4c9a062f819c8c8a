/* What an answer leaves out or does not depend on is said in a note, in words and in JSON. */
#include <stdio.h>

#include "cli/expect.h"

static const struct {
    const char *line, *names;
} noted[] = {
    {"params --model llama-2-7b --zero 3 --dp 8 --memory 80GB", "--zero|--dp|--memory"},
    {"flops --model llama-2-7b --zero 3 --offload optimizer", "--zero|--offload"},
    {"flops --model llama-2-7b --lang zh --alpha-us 3", "没有影响|--alpha-us"},
    {"mem --model llama-2-7b --pp 4 --schedule zb-h1 --micro-batches 8",
     "until their weight gradients"},
    {"mem --params 68976648192 --zero 3 --dp 8 --offload params --convention deepspeed",
     "the total is too small"},
    {"mem --model llama-2-7b --reserve 2GB", "Without effect|--reserve"},
    {"mem --model llama-2-7b --offload-to nvme", "Without effect|--offload-to"},
    {"mem --model llama-2-7b --recompute-latents", "Without effect|--recompute-latents"},
    {"flops --model llama-2-7b --recompute-latents", "Without effect|--recompute-latents"},
    {"comm --model llama-2-7b --dp 8 --expert-nodes 4", "Without effect|--expert-nodes"},
    {"mem --model llama-2-7b --position-rows 9", "Without effect|--position-rows"},
    {"comm --model llama-2-7b --dp 8 --offload-to nvme", "Without effect|--offload-to"},
    {"params --model llama-2-7b --position-rows 9", "Without effect|--position-rows"},
    {"params --model deepseek-v3 --recompute-latents", "Without effect|--recompute-latents"},
    {"flops --model llama-2-7b --position-rows 9", "Without effect|--position-rows"},
    {"plan --model llama-2-7b --gpu h100-sxm-80gb --gpus 8 --global-batch 8 --offload-to nvme",
     "Without effect|--offload-to"},
    {"params --layers 2 --hidden 64 --heads 4 --vocab 100",
     "kv-heads=4|head-dim=16|ffn=256|gated=no|norm=|norms=2|bias=|position=|tied=no"},
};

START_TEST(what_has_no_effect_or_is_missing_is_noted) {
    struct run r;
    char line[EXPECT_LINE_MAX];
    expect_good(&r, noted[_i].line, &expect_wide);
    expect_names(r.out, noted[_i].names);
    run_free(&r);
    (void)snprintf(line, sizeof line, "%s --json", noted[_i].line);
    expect_json(&r, line, NULL);
    bool assumed = strstr(noted[_i].names, "ffn=") != NULL;
    expect_names(json_at(r.out, assumed ? "assumed" : "notes").at, noted[_i].names);
    run_free(&r);
}
END_TEST

/* The note says the truth: without the option the figures are the same. */
START_TEST(what_is_said_to_have_no_effect_has_none) {
    static const char *const options[] = {
        "--zero 1",          "--offload optimizer", "--offload-to nvme",      "--no-reshard",
        "--prefetch 2",      "--reduce every",      "--grad-bytes 2",         "--optimizer sgd",
        "--dropout",         "--memory 99GB",       "--reserve 1GB",          "--gpus-per-node 4",
        "--link-gb-per-s 9", "--net-gb-per-s 9",    "--pcie-gb-per-s 9",      "--nvme-gb-per-s 9",
        "--alpha-us 9",      "--recompute-norms",   "--recompute-activation", "--input-bytes 2",
        "--expert-nodes 2"};
    static const char *const commands[] = {"params --model gpt2",
                                           "flops --model gpt2 --gpu h100-sxm-80gb --tokens 1T"};
    const char *command = commands[_i];
    struct run plain, r;
    expect_good(&plain, command, &expect_wide);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char line[EXPECT_LINE_MAX];
        (void)snprintf(line, sizeof line, "%s %s", command, options[i]);
        expect_good(&r, line, &expect_wide);
        ck_assert_msg(strncmp(r.out, plain.out, plain.out_length) == 0, "%s: %s", line, r.out);
        ck_assert_msg(strstr(r.out + plain.out_length, "Without effect") != NULL, "%s: %s", line,
                      r.out);
        run_free(&r);
    }
    run_free(&plain);
}
END_TEST

START_TEST(what_counts_is_not_said_to_be_without_effect) {
    static const char *const lines[] = {
        "mem --model llama-2-7b --reserve 2GB --gpu h100-sxm-80gb",
        "mem --model llama-2-7b --reserve 2GB --memory 80GB",
        "mem --model llama-2-7b --offload optimizer --offload-to nvme",
        "mem --layers 2 --hidden 64 --heads 4 --vocab 100 --position learned --max-seq 4096 "
        "--position-rows 5000",
        "params --layers 2 --hidden 64 --heads 4 --vocab 100 --position learned --max-seq 4096 "
        "--position-rows 5000",
    };
    struct run r;
    expect_good(&r, lines[_i], &expect_wide);
    ck_assert_msg(strstr(r.out, "Without effect") == NULL, "%s: %s", lines[_i], r.out);
    run_free(&r);
}
END_TEST

/* What was given is not assumed, and a preset leaves nothing open. */
START_TEST(what_was_given_is_not_assumed) {
    struct run r;
    expect_json(&r,
                "params --layers 2 --hidden 64 --heads 4 --vocab 100 --ffn 100 --tied "
                "--kv-heads 2 --json",
                NULL);
    struct json_value assumed = json_at(r.out, "assumed");
    ck_assert_int_eq(json_count(assumed), 6);
    ck_assert_ptr_null(strstr(assumed.at, "ffn="));
    ck_assert_ptr_nonnull(strstr(assumed.at, "gated=yes"));
    run_free(&r);
    expect_json(&r, "params --model llama-2-7b --json", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "assumed")), 0);
    run_free(&r);
    expect_json(&r, "params --params 7B --json", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "assumed")), 0);
    run_free(&r);
}
END_TEST

START_TEST(a_missing_option_of_a_pipeline_shows_how_it_is_given) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, "pipe --micro-batches 4"), 2, "shardlab: pipe: ");
    expect_names(r.err, "--stages|1 to |--stages 8");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("unused");
    TCase *t = tcase_create("notes");
    tcase_add_loop_test(t, what_has_no_effect_or_is_missing_is_noted, 0,
                        (int)(sizeof noted / sizeof noted[0]));
    tcase_add_loop_test(t, what_is_said_to_have_no_effect_has_none, 0, 2);
    tcase_add_loop_test(t, what_counts_is_not_said_to_be_without_effect, 0, 5);
    tcase_add_test(t, what_was_given_is_not_assumed);
    tcase_add_test(t, a_missing_option_of_a_pipeline_shows_how_it_is_given);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
