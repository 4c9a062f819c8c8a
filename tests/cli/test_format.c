/* `shardlab format` from outside: the lines of CONTRACT ("shardlab format"), limits of every type, what reads as a
 * number, what does not, the same answer as text in both languages, and block scaling. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"

/* --- The contract --- */

static const struct {
    const char *line;
    const char *bits, *value, *class, *saturated; /* of values[0], as JSON writes them */
} answers[] = {
    {"--type fp16 65519", "\"0x7bff\"", "65504", "\"normal\"", "false"},
    {"--type fp16 65520", "\"0x7c00\"", "null", "\"inf\"", "false"},
    {"--type fp16 -65520", "\"0xfc00\"", "null", "\"inf\"", "false"},
    {"--type fp16 65520 --overflow saturate", "\"0x7bff\"", "65504", "\"normal\"", "true"},
    {"--type fp16 1e-8", "\"0x0000\"", "0", "\"zero\"", "false"},
    {"--type fp16 0.1", "\"0x2e66\"", "0.0999755859375", "\"normal\"", "false"},
    {"--type fp16 -1e-7", "\"0x8002\"", "-1.1920928955078125e-07", "\"subnormal\"", "false"},
    {"--type fp16 nan", "\"0x7e00\"", "null", "\"nan\"", "false"},
    {"--type fp16 -inf", "\"0xfc00\"", "null", "\"inf\"", "false"},
    {"--type e4m3 448.1", "\"0x7e\"", "448", "\"normal\"", "false"},
    {"--type e4m3 464", "\"0x7e\"", "448", "\"normal\"", "false"},
    {"--type e4m3 465", "\"0x7e\"", "448", "\"normal\"", "true"},
    {"--type e4m3 1e9", "\"0x7e\"", "448", "\"normal\"", "true"},
    {"--type e4m3 465 --overflow inf", "\"0x7f\"", "null", "\"nan\"", "false"},
    {"--type e4m3 inf", "\"0x7e\"", "448", "\"normal\"", "true"},
    {"--type e5m2 57344", "\"0x7b\"", "57344", "\"normal\"", "false"},
    {"--type e5m2 61440", "\"0x7c\"", "null", "\"inf\"", "false"},
    {"--type bf16 257", "\"0x4380\"", "256", "\"normal\"", "false"},
    {"--type bf16 258", "\"0x4381\"", "258", "\"normal\"", "false"},
    {"--type fp32 0.1", "\"0x3dcccccd\"", "0.10000000149011612", "\"normal\"", "false"},
    {"--type tf32 0.1", "\"0x3dccc000\"", "0.0999755859375", "\"normal\"", "false"},
    {"--type e2m1 7", "\"0x7\"", "6", "\"normal\"", "true"},
    {"--type e2m1 9 --overflow inf", "null", "null", "\"nan\"", "false"},
    {"--type e2m3 7.6", "\"0x1f\"", "7.5", "\"normal\"", "false"},
    {"--type e3m2 -30", "\"0x3f\"", "-28", "\"normal\"", "true"},
    {"--type e8m0 3", "\"0x80\"", "2", "\"normal\"", "false"},
    {"--type e8m0 -3", "\"0xff\"", "null", "\"nan\"", "false"},
    /* what reads as a number is a value */
    {"--type fp32 7B", "\"0x4fd09dc3\"", "7000000000", "\"normal\"", "false"},
    {"--type fp32 -２", "\"0xc0000000\"", "-2", "\"normal\"", "false"},
    {"--type fp32 -- -.5", "\"0xbf000000\"", "-0.5", "\"normal\"", "false"},
    {"1,024 --type=fp32", "\"0x44800000\"", "1024", "\"normal\"", "false"},
    {"--type fp16 0e-400", "\"0x0000\"", "0", "\"zero\"", "false"},
    {"--type fp32 +INF", "\"0x7f800000\"", "null", "\"inf\"", "false"},
};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

static void expect_field(const char *line, const char *answer, const char *path,
                         const char *expected) {
    struct json_value value = json_at(answer, path);
    ck_assert_msg(json_is(value, expected), "%s: %s is %.*s, not %s", line, path, (int)value.length,
                  value.at, expected);
}

START_TEST(a_value_has_the_bits_and_the_class_of_its_type) {
    struct run r;
    char line[128];
    (void)snprintf(line, sizeof line, "format --json %s", answers[_i].line);
    expect_json(&r, line, NULL);
    expect_field(line, r.out, "values[0].bits", answers[_i].bits);
    expect_field(line, r.out, "values[0].value", answers[_i].value);
    expect_field(line, r.out, "values[0].class", answers[_i].class);
    expect_field(line, r.out, "values[0].saturated", answers[_i].saturated);
    bool finite = strcmp(answers[_i].value, "null") != 0;
    enum json_kind error = json_at(r.out, "values[0].error").kind;
    bool infinite_input = strstr(line, "inf ") != NULL || strstr(line, " inf") != NULL;
    ck_assert(error == (finite && !infinite_input ? JSON_KIND_NUMBER : JSON_KIND_NULL));
    ck_assert_int_eq(json_count(json_at(r.out, "values")), 1);
    run_free(&r);
}
END_TEST

START_TEST(several_values_are_answered_in_their_order) {
    struct run r;
    expect_json(&r, "format --type fp16 65519 65520 1e-8 0.1 --json", NULL);
    ck_assert(json_is(json_at(r.out, "command"), "\"format\""));
    ck_assert(json_is(json_at(r.out, "type"), "\"fp16\""));
    ck_assert_int_eq(json_count(json_at(r.out, "values")), 4);
    ck_assert(json_is(json_at(r.out, "values[0].input"), "\"65519\""));
    ck_assert(json_is(json_at(r.out, "values[0].error"), "-15"));
    ck_assert(json_is(json_at(r.out, "values[3].input"), "\"0.1\""));
    ck_assert(json_is(json_at(r.out, "values[3].bits"), "\"0x2e66\""));
    ck_assert(json_is(json_at(r.out, "values[3].below"), "0.09991455078125"));
    ck_assert(json_is(json_at(r.out, "values[3].above"), "0.10003662109375"));
    ck_assert(json_is(json_at(r.out, "values[0].below"), "65472"));
    ck_assert(json_is(json_at(r.out, "values[0].above"), "null"));
    run_free(&r);
}
END_TEST

/* type, max, min_normal, min_subnormal, epsilon, notes */
static const char *const limits[][6] = {
    {"fp32", "3.4028234663852886e+38", "1.1754943508222875e-38", "1.401298464324817e-45",
     "1.1920928955078125e-07", "0"},
    {"tf32", "3.4011621342146535e+38", "1.1754943508222875e-38", "1.1479437019748901e-41",
     "0.0009765625", "1"},
    {"fp16", "65504", "6.103515625e-05", "5.9604644775390625e-08", "0.0009765625", "0"},
    {"bf16", "3.3895313892515355e+38", "1.1754943508222875e-38", "9.183549615799121e-41",
     "0.0078125", "0"},
    {"e4m3", "448", "0.015625", "0.001953125", "0.125", "0"},
    {"e5m2", "57344", "6.103515625e-05", "1.52587890625e-05", "0.25", "0"},
    {"e2m1", "6", "1", "0.5", "0.5", "1"},
    {"e2m3", "7.5", "1", "0.125", "0.125", "1"},
    {"e3m2", "28", "0.25", "0.0625", "0.25", "1"},
    {"e8m0", "1.7014118346046923e+38", "5.877471754111438e-39", "null", "1", "1"},
};
enum { TYPES = sizeof limits / sizeof limits[0] };

START_TEST(every_type_says_its_limits) {
    static const char *const paths[] = {"max", "min_normal", "min_subnormal", "epsilon"};
    struct run r;
    char line[64];
    (void)snprintf(line, sizeof line, "format --type %s 1 --json", limits[_i][0]);
    expect_json(&r, line, NULL);
    for (int i = 0; i < 4; i++) {
        expect_field(line, r.out, paths[i], limits[_i][i + 1]);
    }
    ck_assert_int_eq(json_count(json_at(r.out, "notes")), limits[_i][5][0] - '0');
    expect_field(line, r.out, "values[0].value", "1");
    run_free(&r);
}
END_TEST

/* --- Text --- */

START_TEST(the_text_shows_bits_neighbours_and_ranges) {
    struct run r;
    expect_good(&r, "format --type fp16 0.1 --lang en", NULL);
    expect_names(r.out, "0.1 in fp16: 0x2e66 = 0.0999755859375|sign │ exponent │ mantissa|"
                        "0    │ 01011    │ 1001100110|0.09991455078125 ├|┤ 0.10003662109375|"
                        "largest             65504|e8m0|2^-149");
    expect_harmless("text", r.out);
    run_free(&r);
    expect_good(&r, "format --type e4m3 1e9 --lang zh", NULL);
    expect_names(r.out, "符号 │ 指数|饱和|最大值");
    expect_harmless("text", r.out);
    run_free(&r);
    expect_good(&r, "format --type e2m1 nan --overflow inf --lang en", NULL);
    expect_names(r.out, "there is no pattern for it|neither inf nor nan");
    run_free(&r);
}
END_TEST

START_TEST(a_marked_value_hides_no_range) {
    struct run r;
    expect_good(&r, "format --type e2m1 -1 3 --lang en", NULL);
    const char *row = strstr(r.out, "\ne2m1 ");
    ck_assert_ptr_nonnull(row);
    while (strstr(row + 1, "\ne2m1 ") != NULL) {
        row = strstr(row + 1, "\ne2m1 ");
    }
    const char *end = strchr(row + 1, '\n'), *bar = strstr(row, "█");
    ck_assert_msg(bar != NULL && bar < end, "%s", r.out);
    run_free(&r);
}
END_TEST

/* --- Refusals --- */

static const struct {
    const char *line, *names;
} refused[] = {
    {"format", "--type|fp32|e8m0"},
    {"format 1", "--type|fp32|e8m0"},
    {"format --type", "--type"},
    {"format --type fp16", "0.1"},
    {"format --type fp15 1", "fp15|nearest: fp16"},
    {"format --type e4m2 1", "e4m2|e4m3, e5m2, e3m2"},
    {"format --type half 1", "half|fp32, tf32, fp16, bf16, e4m3, e5m2"},
    {"format --type aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1", "aaaa|fp32"},
    {"format --type fp16 abc", "abc|0.1"},
    {"format --type fp16 1 2 x3 4", "x3|0.1"},
    {"format --type fp16 -x", "-x|0.1"},
    {"format --type fp16 1,00", "1,00|0.1"},
    {"format --type fp16 64MiB", "64MiB|0.1"},
    {"format --type fp16 1.5e", "1.5e|0.1"},
    {"format --type fp16 infinite", "infinite|inf"},
    {"format --type fp16 1e999", "1e999|inf"},
    {"format --type fp16 -1e400", "-1e400|inf"},
    {"format --type fp16 1e-400", "1e-400|4.9e-324"},
    {"format --type fp32 -0.001e-330", "-0.001e-330|4.9e-324"},
    {"format --type fp8 1", "fp8|nearest: e4m3, e5m2"},
    {"format --type fp6 1", "fp6|nearest: e2m3, e3m2"},
    {"format --type fp4 1", "fp4|nearest: e2m1"},
    {"format --type fp16 1 --overflow wrap", "wrap|inf|saturate"},
    {"format --type e4m3 1 --block foo", "foo|mx|nvfp4|tensor"},
    {"format --type fp16 1 --block mx", "mx|fp16|e4m3, e5m2, e2m1, e2m3, e3m2"},
    {"format --type e4m3 1 --block nvfp4", "nvfp4|e4m3|e2m1"},
    {"format --type bf16 1 --block tensor", "tensor|bf16|fp16, e4m3"},
    {"format --type e4m3 1 --block mx --overflow inf", "--overflow|--block"},
    {"format --type fp16 1 --tp 2", "--tp"},
    {"format --type fp16 1 --json=yes", "--json"},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

START_TEST(a_wrong_line_is_one_sentence_that_names_it) {
    struct expect_words words;
    struct run r;
    char line[256];
    for (int chinese = 0; chinese < 2; chinese++) {
        (void)snprintf(line, sizeof line, "%s --lang %s", refused[_i].line,
                       chinese != 0 ? "zh" : "en");
        bool dangling = strcmp(refused[_i].line, "format --type") == 0;
        expect_refused(&r, expect_split(&words, dangling ? refused[_i].line : line), 2,
                       "shardlab: format: ");
        if (chinese == 0) {
            expect_names(r.err, refused[_i].names);
        }
        run_free(&r);
    }
}
END_TEST

START_TEST(more_values_than_can_be_held_are_refused) {
    const char *words[80] = {"format", "--type", "fp16"};
    struct run r;
    for (int i = 0; i < 64; i++) {
        words[3 + i] = "1";
    }
    words[67] = "--json";
    run_shardlab(&r, words, NULL);
    ck_assert_int_eq(r.status, 0);
    ck_assert_int_eq(json_count(json_at(r.out, "values")), 64);
    run_free(&r);
    words[67] = "77";
    expect_refused(&r, words, 2, "shardlab: format: 77: ");
    run_free(&r);
}
END_TEST

/* --- Blocks --- */

START_TEST(an_mx_block_shares_a_power_of_two) {
    struct run r;
    expect_json(&r, "format --type e2m1 --block mx 1 0.3 -6 7.9 1000 --json", NULL);
    ck_assert(json_is(json_at(r.out, "block.kind"), "\"mx\""));
    ck_assert(json_is(json_at(r.out, "block.size"), "32"));
    ck_assert(json_is(json_at(r.out, "block.bits_per_value"), "4.25"));
    ck_assert(json_is(json_at(r.out, "block.scales[0].bits"), "\"0x86\""));
    ck_assert(json_is(json_at(r.out, "block.scales[0].value"), "128"));
    ck_assert(json_is(json_at(r.out, "values[4].bits"), "\"0x7\""));
    ck_assert(json_is(json_at(r.out, "values[4].element"), "6"));
    ck_assert(json_is(json_at(r.out, "values[4].value"), "768"));
    ck_assert(json_is(json_at(r.out, "values[4].error"), "-232"));
    ck_assert(json_is(json_at(r.out, "values[4].saturated"), "true"));
    ck_assert(json_is(json_at(r.out, "values[0].class"), "\"zero\""));
    ck_assert(json_is(json_at(r.out, "block.max_abs_error"), "232"));
    run_free(&r);
}
END_TEST

START_TEST(nvfp4_and_tensor_scales_are_shown) {
    struct run r;
    expect_json(&r, "format --type e2m1 --block nvfp4 2688 3 --json", NULL);
    ck_assert(json_is(json_at(r.out, "block.tensor_scale"), "1"));
    ck_assert(json_is(json_at(r.out, "block.scales[0].bits"), "\"0x7e\""));
    ck_assert(json_is(json_at(r.out, "values[0].value"), "2688"));
    ck_assert(json_is(json_at(r.out, "block.bits_per_value"), "4.5"));
    run_free(&r);
    expect_json(&r, "format --type e4m3 --block tensor 896 1 --json", NULL);
    ck_assert(json_is(json_at(r.out, "block.scales[0].value"), "2"));
    ck_assert(json_is(json_at(r.out, "values[0].bits"), "\"0x7e\""));
    ck_assert(json_is(json_at(r.out, "values[1].element"), "0.5"));
    run_free(&r);
    expect_json(&r, "format --type e4m3 --block tensor 1 nan --json", NULL);
    ck_assert_int_eq(json_at(r.out, "block.scales[0].value").kind, JSON_KIND_NULL);
    ck_assert_int_eq(json_at(r.out, "values[0].value").kind, JSON_KIND_NULL);
    ck_assert(json_is(json_at(r.out, "values[0].class"), "\"nan\""));
    run_free(&r);
}
END_TEST

START_TEST(blocks_are_a_table_in_both_languages) {
    struct run r;
    expect_good(&r, "format --type e2m1 --block mx 1 1000 --lang en", NULL);
    expect_names(r.out, "block 0: scale 128 (e8m0 0x86)|read back|768|saturated|largest error 232");
    run_free(&r);
    expect_good(&r, "format --type e2m1 --block nvfp4 1 1000 --lang zh", NULL);
    expect_names(r.out, "张量缩放因子|块 0：缩放因子 448（e4m3 0x7e）|还原值");
    run_free(&r);
}
END_TEST

START_TEST(help_names_the_types_and_the_options) {
    struct run r;
    expect_good(&r, "format --help --lang en", NULL);
    expect_names(r.out, "--type fp32|tf32|fp16|bf16|e4m3|e5m2|e2m1|e2m3|e3m2|e8m0|--overflow "
                        "inf|saturate|--block mx|nvfp4|tensor|--json");
    run_free(&r);
    expect_good(&r, "--help --lang zh", NULL);
    expect_names(r.out, "shardlab format");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("format");
    TCase *t = tcase_create("command");
    tcase_add_test(t, a_marked_value_hides_no_range);
    tcase_add_loop_test(t, a_value_has_the_bits_and_the_class_of_its_type, 0, ANSWERS);
    tcase_add_test(t, several_values_are_answered_in_their_order);
    tcase_add_loop_test(t, every_type_says_its_limits, 0, TYPES);
    tcase_add_test(t, the_text_shows_bits_neighbours_and_ranges);
    tcase_add_loop_test(t, a_wrong_line_is_one_sentence_that_names_it, 0, REFUSED);
    tcase_add_test(t, more_values_than_can_be_held_are_refused);
    tcase_add_test(t, an_mx_block_shares_a_power_of_two);
    tcase_add_test(t, nvfp4_and_tensor_scales_are_shown);
    tcase_add_test(t, blocks_are_a_table_in_both_languages);
    tcase_add_test(t, help_names_the_types_and_the_options);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
