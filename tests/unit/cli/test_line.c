/* A line of scenario options in one text: split as a shell splits it, on top of what is there, all or nothing. */
#include <check.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"

static const struct {
    const char *line, *model, *config;
    uint64_t dp;
} good[] = {
    {"--model llama-2-7b --dp 8", "llama-2-7b", "", 8},
    {"   --dp  4   ", "", "", 4},
    {"", "", "", 1},
    {"--config 'a b.json' --dp 2", "", "a b.json", 2},
    {"--config \"a 'b'.json\"", "", "a 'b'.json", 1},
    {"--config 'it'\\''s.json'", "", "it's.json", 1},
    {"--config a\\ b.json", "", "a b.json", 1},
    {"'--dp' '16'", "", "", 16},
};

START_TEST(a_line_is_split_as_a_shell_splits_it) {
    struct scenario s;
    struct message why = {0};
    ck_assert_msg(cli_scenario_parse_line(good[_i].line, &s, &why) == STATUS_OK, "%s: %s",
                  good[_i].line, why.id);
    ck_assert_str_eq(s.model.name, good[_i].model);
    ck_assert_str_eq(s.model.config, good[_i].config);
    int dp = calc_option_index("dp");
    ck_assert(!calc_option_given(&s, dp) || calc_option_value(&s, dp) == good[_i].dp);
}
END_TEST

START_TEST(options_stand_on_top_of_those_that_are_there) {
    struct scenario s;
    struct message why;
    ck_assert_int_eq(cli_scenario_parse_line("--dp 8 --zero 1", &s, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_parse_onto("--zero 3", &s, &why), STATUS_OK);
    ck_assert_uint_eq(s.layout.dp, 8);
    ck_assert_uint_eq(s.layout.zero, 3);
}
END_TEST

static const struct {
    const char *line, *id;
} bad[] = {
    {"--config 'a", "error.args.line"},     {"--dp 4 --json", "error.args.scenario_only"},
    {"--help", "error.args.scenario_only"}, {"--lang zh", "error.args.scenario_only"},
    {"--dp 4 8", "error.args.value"},       {"--dp", "error.args.no_value"},
};

START_TEST(a_bad_line_changes_nothing) {
    struct scenario s;
    struct message why;
    ck_assert_int_eq(cli_scenario_parse_line("--dp 8", &s, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_parse_onto(bad[_i].line, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, bad[_i].id);
    ck_assert_uint_eq(s.layout.dp, 8);
}
END_TEST

START_TEST(a_line_without_end_is_refused) {
    static char line[6000];
    struct scenario s;
    struct message why;
    memset(line, 'x', sizeof line - 1);
    ck_assert_int_eq(cli_scenario_parse_line(line, &s, &why), STATUS_USAGE);
    for (size_t i = 0; i < 4000; i++) {
        line[i] = i % 2 == 0 ? 'x' : ' ';
    }
    line[4000] = '\0';
    ck_assert_int_eq(cli_scenario_parse_line(line, &s, &why), STATUS_USAGE);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("line");
    TCase *c = tcase_create("line");
    tcase_add_loop_test(c, a_line_is_split_as_a_shell_splits_it, 0, sizeof good / sizeof good[0]);
    tcase_add_test(c, options_stand_on_top_of_those_that_are_there);
    tcase_add_loop_test(c, a_bad_line_changes_nothing, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(c, a_line_without_end_is_refused);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
