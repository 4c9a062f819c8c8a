/* From argv to options by the rules of CONTRACT: what is an option, what is its value, what stands alone, where the
 * command is. What a value may be is calc's business (unit.calc) and is only touched here. */
#include <check.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"

enum { WORDS_MAX = 16, ALL = CLI_TAKES_SCENARIO | CLI_TAKES_UNIT | CLI_TAKES_STAGE };

/* Splits at blanks; the words stay in `text`. */
static int split(char text[512], const char *line, char *words[WORDS_MAX]) {
    int count = 0;
    ck_assert_uint_lt(strlen(line), 512);
    strcpy(text, line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(count, WORDS_MAX);
        words[count++] = word;
    }
    return count;
}

static enum status parse(const char *line, unsigned takes, struct cli_args *args,
                         struct message *why) {
    static char text[512]; /* args points into it */
    char *words[WORDS_MAX];
    memset(args, 0, sizeof *args);
    memset(why, 0, sizeof *why);
    return cli_args_parse(split(text, line, words), words, takes, args, why);
}

/* --- Options of the scenario --- */

static const struct {
    const char *line, *option;
    uint64_t value;
} good[] = {
    {"--dp 8", "dp", 8},
    {"--dp=8", "dp", 8},
    {"--dp ８", "dp", 8},
    {"--dp 2 --dp 4", "dp", 4},
    {"--seq 16K", "seq", 16384},
    {"--max-seq 1K", "max-seq", 1024},
    {"--params=7B", "params", 7000000000},
    {"--params 2851e6", "params", 2851000000},
    {"--hidden 1K", "hidden", 1000},
    {"--memory 64MiB", "memory", 67108864},
    {"--memory 64MB", "memory", 64000000},
    {"--reserve 0", "reserve", 0},
    {"--dropout", "dropout", 1},
    {"--dropout=no", "dropout", 0},
    {"--no-dropout", "dropout", 0},
    {"--dropout no", "dropout", 0},
    {"--tied yes --json", "tied", 1},
    {"--dropout --no-dropout", "dropout", 0},
    {"--no-dropout --dropout=yes", "dropout", 1},
    {"--tied", "tied", 1},
    {"--untied", "tied", 0},
    {"--no-tied", "tied", 0},
    {"--norm layer", "norm", CALC_NORM_LAYER},
    {"--norms 4", "norms", 4},
    {"--no-embedding-norm", "embedding-norm", 0},
    {"--layers-per-stage 3,4", "layers-per-stage", 2},
    {"--json --zero 3 --lang zh", "zero", 3},
    {"--convention megatron", "convention", CALC_CONVENTION_MEGATRON},
};

START_TEST(an_option_is_set_and_marked_as_given) {
    struct cli_args args;
    struct message why;
    int index = calc_option_index(good[_i].option);
    ck_assert_msg(parse(good[_i].line, ALL, &args, &why) == STATUS_OK, "%s: %s", good[_i].line,
                  why.id);
    ck_assert_msg(calc_option_given(&args.given, index), "%s", good[_i].line);
    ck_assert_msg(calc_option_value(&args.given, index) == good[_i].value, "%s: %llu",
                  good[_i].line, (unsigned long long)calc_option_value(&args.given, index));
    calc_option_clear(&args.given, index); /* and nothing else */
    ck_assert(calc_option_none_given(&args.given));
}
END_TEST

/* --- What belongs to every command, or to some --- */

START_TEST(common_options_are_read_wherever_they_stand) {
    struct cli_args args;
    struct message why;
    ck_assert_int_eq(
        parse("--unit gib --json --stage 3 --lang=zh --explain", ALL | CLI_TAKES_CSV, &args, &why),
        STATUS_OK);
    ck_assert(args.json && args.explain && args.chinese && args.language_given);
    ck_assert(args.unit == UNIT_GIB && args.stage_given && args.stage == 3 && !args.help);
    ck_assert_int_eq(parse("--help --lang en", 0, &args, &why), STATUS_OK);
    ck_assert(args.help && !args.chinese && args.language_given);
    ck_assert_int_eq(parse("--ascii --color never --ambiguous=wide --motion reduced",
                           CLI_TAKES_SCREEN, &args, &why),
                     STATUS_OK);
    ck_assert(args.ascii && args.mono && args.ambiguous_wide && args.still);
}
END_TEST

START_TEST(values_are_kept_in_order_and_may_look_like_options_after_two_dashes) {
    struct cli_args args;
    struct message why;
    const char *line = "show --page 2 -1 memory -- --json --";
    ck_assert_int_eq(parse(line, CLI_TAKES_VALUES | CLI_TAKES_PAGE, &args, &why), STATUS_OK);
    static const char *const values[] = {"show", "-1", "memory", "--json", "--"};
    ck_assert_int_eq(args.value_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(args.values[i], values[i]);
    }
    ck_assert(!args.json && args.page_given && args.page == 2);
}
END_TEST

START_TEST(more_values_than_are_kept_are_refused) {
    struct cli_args args;
    struct message why;
    char *words[CLI_VALUES_MAX + 1];
    static char word[] = "value";
    for (int i = 0; i <= CLI_VALUES_MAX; i++) {
        words[i] = word;
    }
    memset(&args, 0, sizeof args);
    ck_assert_int_eq(cli_args_parse(CLI_VALUES_MAX, words, CLI_TAKES_VALUES, &args, &why),
                     STATUS_OK);
    memset(&args, 0, sizeof args);
    ck_assert_int_eq(cli_args_parse(CLI_VALUES_MAX + 1, words, CLI_TAKES_VALUES, &args, &why),
                     STATUS_USAGE);
}
END_TEST

/* --- Refusals --- */

static const struct {
    const char *line;
    unsigned takes;
    const char *id, *first, *second;
} bad[] = {
    {"--dp", ALL, "error.args.no_value", "dp", NULL},
    {"--dp --tp 2", ALL, "error.args.no_value", "dp", NULL},
    {"--lang", ALL, "error.args.no_value", "lang", NULL},
    {"--stage", ALL, "error.args.no_value", "stage", NULL},
    {"--dp -1", ALL, "error.option.count", "dp", "-1"}, /* a number is a value */
    {"--dp --1", ALL, "error.args.no_value", "dp", NULL},
    {"--dp=", ALL, "error.option.count", "dp", ""},
    {"--memory -inf", ALL, "error.option.bytes", "memory", "-inf"},
    {"--dp=8=9", ALL, "error.option.count", "dp", "8=9"},
    {"--dpp 8", ALL, "error.args.unknown_near", "dpp", "dp"},
    {"--dpp 8", CLI_TAKES_VALUES, "error.args.unknown", "dpp", NULL},
    {"--dp 8", CLI_TAKES_VALUES, "error.args.unknown", "dp", NULL},
    {"--lay 8", ALL, "error.args.unknown", "lay", NULL}, /* not abbreviated */
    {"--model-name x", ALL, "error.args.unknown", "model-name", NULL},
    {"--DP 8", ALL, "error.args.unknown", "DP", NULL},
    {"--no-dp 8", ALL, "error.args.unknown", "no-dp", NULL},
    {"--json=1", ALL, "error.args.takes_no_value", "json", "1"},
    {"--help=", ALL, "error.args.takes_no_value", "help", ""},
    {"--ascii=no", CLI_TAKES_SCREEN, "error.args.takes_no_value", "ascii", "no"},
    {"--no-dropout=no", ALL, "error.args.takes_no_value", "no-dropout", "no"},
    {"--dropout=8", ALL, "error.option.switch", "dropout", "8"},
    {"--dropout maybe", ALL, "error.args.value", "maybe", NULL},
    {"--no-dropout no", ALL, "error.args.value", "no", NULL},
    {"--untied yes", ALL, "error.args.value", "yes", NULL},
    {"--lang fr", ALL, "error.args.word", "lang", "fr"},
    {"--unit TB", ALL, "error.args.word", "unit", "TB"},
    {"--unit gb", CLI_TAKES_VALUES, "error.args.unknown", "unit", NULL},
    {"--color always", CLI_TAKES_SCREEN, "error.args.word", "color", "always"},
    {"--stage first", ALL, "error.args.number", "stage", "first"},
    {"--stage -1", ALL, "error.args.number", "stage", "-1"},
    {"value", ALL, "error.args.value", "value", NULL},
    {"-x", ALL, "error.args.value", "-x", NULL},
    {"-8", ALL, "error.args.value", "-8", NULL},
    {"-- --dp", ALL, "error.args.value", "--dp", NULL},
    {"--=8", ALL, "error.args.unknown", "", NULL},
};

START_TEST(a_refusal_names_what_was_written) {
    struct cli_args args;
    struct message why;
    ck_assert_msg(parse(bad[_i].line, bad[_i].takes, &args, &why) == STATUS_USAGE, "%s",
                  bad[_i].line);
    ck_assert_msg(strcmp(why.id, bad[_i].id) == 0, "%s: %s", bad[_i].line, why.id);
    ck_assert_msg(strcmp(why.args[0].text, bad[_i].first) == 0, "%s: %s", bad[_i].line,
                  why.args[0].text);
    ck_assert_msg(bad[_i].second == NULL || strcmp(why.args[1].text, bad[_i].second) == 0, "%s: %s",
                  bad[_i].line, why.args[1].text);
}
END_TEST

/* --- Where the command stands --- */

static const struct {
    const char *line;
    int at;
} commands[] = {
    {"mem", 0},
    {"mem --dp 8", 0},
    {"--json mem", 1},
    {"--lang zh mem", 2},
    {"--lang=zh mem", 1},
    {"--dp 8 --tp 2 mem", 4},
    {"--dropout mem", 1},
    {"--dropout no mem", 2},
    {"--dropout=no mem", 1},
    {"--no-dropout --untied --explain mem", 3},
    {"--dp -1 mem", 2},
    {"--unknown value mem", 2},
    {"-- mem", 1},
    {"-1", 0},
    {"-h", 0},
    {"", -1},
    {"--help", -1},
    {"--lang zh", -1},
    {"--lang", -1},
    {"--json --help", -1},
    {"--", -1},
};

START_TEST(the_command_is_the_first_word_that_belongs_to_no_option) {
    char text[512];
    char *words[WORDS_MAX];
    int count = split(text, commands[_i].line, words);
    int at = cli_args_command(count, words);
    ck_assert_msg(at == commands[_i].at, "%s: %d, not %d", commands[_i].line, at, commands[_i].at);
}
END_TEST

/* --- The line of a lesson --- */

START_TEST(a_line_is_read_as_its_words) {
    struct scenario s;
    struct message why;
    ck_assert_int_eq(cli_scenario_parse_line("  --model llama-2-7b   --dp 8 ", &s, &why),
                     STATUS_OK);
    ck_assert_str_eq(s.model.name, "llama-2-7b");
    ck_assert_uint_eq(s.layout.dp, 8);
    ck_assert_int_eq(cli_scenario_parse_line("", &s, &why), STATUS_OK);
    ck_assert(calc_option_none_given(&s));
    ck_assert_int_eq(cli_scenario_parse_line("--dp 0", &s, &why), STATUS_USAGE);
    ck_assert_int_eq(cli_scenario_parse_line("--dp 8 mem", &s, &why), STATUS_USAGE);
    char many[1024];
    memset(many, ' ', sizeof many);
    for (size_t i = 0; i < 2 * (CLI_VALUES_MAX + 1); i += 2) {
        many[i] = 'x';
    }
    many[sizeof many - 1] = '\0';
    ck_assert_int_eq(cli_scenario_parse_line(many, &s, &why), STATUS_USAGE);
    char huge[2048];
    memset(huge, '-', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    ck_assert_int_eq(cli_scenario_parse_line(huge, &s, &why), STATUS_USAGE);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("arguments");
    TCase *t = tcase_create("arguments");
    tcase_add_loop_test(t, an_option_is_set_and_marked_as_given, 0, sizeof good / sizeof good[0]);
    tcase_add_test(t, common_options_are_read_wherever_they_stand);
    tcase_add_test(t, values_are_kept_in_order_and_may_look_like_options_after_two_dashes);
    tcase_add_test(t, more_values_than_are_kept_are_refused);
    tcase_add_loop_test(t, a_refusal_names_what_was_written, 0, sizeof bad / sizeof bad[0]);
    tcase_add_loop_test(t, the_command_is_the_first_word_that_belongs_to_no_option, 0,
                        sizeof commands / sizeof commands[0]);
    tcase_add_test(t, a_line_is_read_as_its_words);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
