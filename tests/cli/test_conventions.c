/* `shardlab mem --conventions`: every column against the answer of the same scenario with that convention given, as
 * JSON, as CSV and as text in both languages. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"
#include "support/json_text.h"

#define SCENARIO "mem --model llama-2-7b --dp 8 --zero 1"

static const char *const names[] = {"zero-paper", "megatron", "deepspeed", "fsdp", "hf"};
static const char *const keys[] = {"weights_bytes",     "gradients_bytes", "optimizer_bytes",
                                   "activations_bytes", "buffers_bytes",   "total_bytes"};

static const struct {
    const char *scenario;
    int convention;
} columns[] = {
    {SCENARIO, 0},
    {SCENARIO, 1},
    {SCENARIO, 2},
    {"mem --model llama-2-7b --dp 8", 3},
    {"mem --model llama-2-7b --dp 8", 4},
    {"mem --model llama-3-8b --dp 8 --tp 2 --pp 4 --stage 3 --grad-bytes 4", 1},
    {"mem --params 7B --zero 2 --dp 16", 2},
};

START_TEST(a_column_is_the_answer_under_that_convention) {
    struct run table, alone;
    char line[256], here[96], there[96];
    int col = columns[_i].convention;
    snprintf(line, sizeof line, "%s --conventions --json", columns[_i].scenario);
    expect_json(&table, line, NULL);
    snprintf(line, sizeof line, "%s --convention %s --json", columns[_i].scenario, names[col]);
    expect_json(&alone, line, NULL);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        snprintf(here, sizeof here, "conventions[%d].%s", col, keys[i]);
        snprintf(there, sizeof there, "per_gpu.%s", keys[i]);
        struct json_value a = json_at(table.out, here), b = json_at(alone.out, there);
        ck_assert_msg(a.kind == b.kind && a.length == b.length && memcmp(a.at, b.at, a.length) == 0,
                      "%s is not %s", here, there);
    }
    snprintf(here, sizeof here, "conventions[%d].bytes_per_param", col);
    ck_assert_uint_eq(json_digits(table.out, here), json_digits(alone.out, "bytes_per_param"));
    snprintf(here, sizeof here, "conventions[%d].zero", col);
    ck_assert_uint_eq(json_digits(table.out, here), json_digits(alone.out, "scenario.zero"));
    run_free(&table);
    run_free(&alone);
}
END_TEST

START_TEST(json_says_what_is_defined_and_what_differs) {
    struct run r;
    expect_json(&r, SCENARIO " --conventions --json", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "conventions")), 5);
    ck_assert(json_is(json_at(r.out, "conventions[0].own"), "true"));
    ck_assert(json_is(json_at(r.out, "conventions[1].convention"), "\"megatron\""));
    ck_assert(json_is(json_at(r.out, "conventions[1].zero_stages"), "[0,1]"));
    ck_assert(json_is(json_at(r.out, "conventions[1].differs"),
                      "[\"gradients\",\"activations\",\"buffers\",\"total\",\"bytes_per_param\"]"));
    ck_assert(json_is(json_at(r.out, "conventions[3].defined"), "false"));
    ck_assert(json_is(json_at(r.out, "conventions[3].total_bytes"), "null"));
    ck_assert(json_is(json_at(r.out, "conventions[3].why"),
                      "\"not defined for ZeRO-1; ZeRO stages: 2, 3.\""));
    ck_assert_uint_gt(json_digits(r.out, "per_gpu.total_bytes"), 0);
    run_free(&r);
}
END_TEST

START_TEST(text_shows_the_table_in_both_languages) {
    struct run en, zh;
    expect_good(&en, SCENARIO " --conventions", NULL);
    expect_good(&zh, SCENARIO " --conventions --lang zh --unit gib", NULL);
    expect_names(en.out, "zero-paper|megatron|deepspeed|fsdp|hf|26.95≠|4Ψ, not 2Ψ|nvidia-smi");
    expect_names(zh.out, "zero-paper|各统计口径|GiB|25.10≠|梯度为 4Ψ，不是 2Ψ");
    run_free(&en);
    run_free(&zh);
}
END_TEST

START_TEST(csv_has_a_column_a_convention) {
    struct run r;
    expect_good(&r, SCENARIO " --conventions --csv", NULL);
    expect_names(r.out, "key,zero-paper,megatron,deepspeed,fsdp,hf\r\n|"
                        "gradients,13476831232,26953662464,16846039040,,\r\n|"
                        "bytes_per_param,16,18,20,,\r\n");
    ck_assert_int_eq(expect_lines(r.out), 8);
    run_free(&r);
}
END_TEST

static const char *const refused[] = {
    "mem --model llama-2-7b --conventions --timeline",
    "mem --model llama-2-7b --conventions --explain",
    "params --model llama-2-7b --conventions",
    "mem --model llama-2-7b --conventions=yes",
};

START_TEST(what_cannot_stand_together_is_refused) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, refused[_i]), 2, "shardlab: ");
    expect_names(r.err, "conventions");
    run_free(&r);
}
END_TEST

START_TEST(two_scenarios_have_no_single_table) {
    static const char *const argv[] = {"mem",      "--model", "llama-2-7b",    "--against",
                                       "--zero 1", "--json",  "--conventions", NULL};
    struct run r;
    expect_refused(&r, argv, 2, "shardlab: mem: ");
    expect_names(r.err, "--against|--conventions");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("conventions");
    TCase *c = tcase_create("conventions");
    tcase_add_loop_test(c, a_column_is_the_answer_under_that_convention, 0,
                        (int)(sizeof columns / sizeof columns[0]));
    tcase_add_test(c, json_says_what_is_defined_and_what_differs);
    tcase_add_test(c, text_shows_the_table_in_both_languages);
    tcase_add_test(c, csv_has_a_column_a_convention);
    tcase_add_loop_test(c, what_cannot_stand_together_is_refused, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    tcase_add_test(c, two_scenarios_have_no_single_table);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
