/* The question of the page on one parameter: the right choice is what the calculator sums, the wrong ones are the sums that
 * people make, and where two of them would be alike nothing is asked. */
#define _POSIX_C_SOURCE 200809L
#include "lesson_support.h"

#include "shardlab/calc/params.h"

enum { PAGE_PARAMETER = 1 };

static bool ask(const struct scenario *s, int page, struct lesson_guess *out) {
    struct lesson_input in = {.now = s, .page = page};
    memset(out, 0, sizeof *out);
    return memory()->guess(&in, out);
}

/* Options, and bytes of a parameter as each choice has them; 0: nothing is asked. */
static const struct {
    const char *options;
    uint64_t bytes[4];
} rows[] = {
    {"--params 7B", {2, 4, 16, 24}},
    {"--params 7B --zero 3 --dp 64", {2, 4, 16, 24}}, /* nothing divided, whatever is */
    {LLAMA, {2, 4, 16, 24}},
    {"--params 7B --convention megatron", {2, 6, 18, 26}},
    {"--params 7B --convention deepspeed", {2, 8, 20, 28}},
    {"--params 7B --convention fsdp --zero 3", {4, 8, 16, 24}},
    {"--params 7B --optimizer sgd", {2, 4, 8, 16}},
    {"--params 7B --optimizer momentum", {2, 4, 12, 20}},
    {"--params 7B --optimizer adam8bit", {2, 4, 10, 18}},
    {"--params 7B --precision fp16", {2, 4, 16, 24}},
    {"--params 7B --grad-bytes 4", {2, 6, 18, 26}},
    {"--params 7B --precision fp32", {0}},
    {"--params 7B --optimizer none", {0}},
    {"--params 7B --convention hf", {0}},
    {LLAMA " --optimizer muon", {0}},
    {LLAMA " --optimizer adafactor", {0}},
};

START_TEST(choices_are_the_sums_that_people_make) {
    struct scenario s = scenario_of(rows[_i].options);
    struct calc_params params;
    struct message why;
    struct lesson_guess g;
    ck_assert_int_eq(calc_params_count(&s, &params, &why), STATUS_OK);
    bool asked = ask(&s, PAGE_PARAMETER, &g);
    ck_assert_int_eq(asked, rows[_i].bytes[0] != 0);
    if (asked) {
        ck_assert_int_eq(g.choice_count, 4);
        ck_assert_int_eq(g.right, 2);
        for (int i = 0; i < 4; i++) {
            ck_assert_uint_eq(g.choices[i].args[0].count, rows[_i].bytes[i] * params.total);
            ck_assert_ptr_nonnull(g.why[i].id);
        }
        ck_assert_uint_eq(g.choices[2].args[0].count,
                          calc_state_bytes_per_param(&s) * params.total);
    }
}
END_TEST

START_TEST(seven_billion_parameters_are_112_gigabytes) {
    struct scenario s = scenario_of("--params 7B");
    struct lesson_guess g;
    ck_assert(ask(&s, PAGE_PARAMETER, &g));
    ck_assert_uint_eq(g.choices[0].args[0].count, UINT64_C(14000000000));
    ck_assert_uint_eq(g.choices[g.right].args[0].count, UINT64_C(112000000000));
}
END_TEST

START_TEST(a_product_past_64_bits_is_not_asked_about) {
    struct scenario s = scenario_of("--params 1000000000000000000");
    struct lesson_guess g;
    ck_assert(!ask(&s, PAGE_PARAMETER, &g));
}
END_TEST

START_TEST(no_other_page_asks) {
    struct scenario s = scenario_of("--params 7B");
    struct lesson_guess g;
    for (int page = 0; page < memory()->page_count; page++) {
        ck_assert_int_eq(ask(&s, page, &g), page == PAGE_PARAMETER);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("memory guess");
    TCase *t = tcase_create("guess");
    tcase_add_loop_test(t, choices_are_the_sums_that_people_make, 0, ROWS(rows));
    tcase_add_test(t, seven_billion_parameters_are_112_gigabytes);
    tcase_add_test(t, a_product_past_64_bits_is_not_asked_about);
    tcase_add_test(t, no_other_page_asks);
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
