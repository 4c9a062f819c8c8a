/* Options of experiments by their table, what holds when none is given, and the comparison of predicted with measured:
 * any single difference is one. The options on real runs are tests/cli/test_allreduce.c. */
#include <check.h>
#include <string.h>

#include "../../../app/cli/allreduce_private.h"

enum { TAKES = CLI_TAKES_RUN | CLI_TAKES_COLLECTIVE };

static enum status parse(char **words, int count, unsigned takes, struct cli_args *args,
                         struct message *why) {
    memset(args, 0, sizeof *args);
    memset(why, 0, sizeof *why);
    return cli_args_parse(count, words, takes, args, why);
}

START_TEST(nothing_given_is_a_run_that_can_be_shown) {
    struct cli_args args;
    struct message why;
    ck_assert_int_eq(parse(NULL, 0, TAKES, &args, &why), STATUS_OK);
    const struct cli_experiment *e = &args.experiment;
    ck_assert_uint_eq(e->ranks, 4);
    ck_assert_uint_eq(e->elems, 1000000);
    ck_assert_uint_eq(e->repeat, 5);
    ck_assert_str_eq(e->backend, "threads");
    ck_assert_str_eq(e->algorithm, "auto");
    ck_assert(!e->elems_given && !e->bytes_given && !e->events && !e->trace);
}
END_TEST

START_TEST(given_values_arrive) {
    char *words[] = {"--ranks=8",
                     "--bytes",
                     "64KiB",
                     "--type",
                     "bf16",
                     "--trace",
                     "--events",
                     "--timeout",
                     "0.5",
                     "--op",
                     "max",
                     "--seed",
                     "18446744073709551615"};
    struct cli_args args;
    struct message why;
    ck_assert_int_eq(parse(words, 13, TAKES, &args, &why), STATUS_OK);
    const struct cli_experiment *e = &args.experiment;
    ck_assert_uint_eq(e->ranks, 8);
    ck_assert_uint_eq(e->bytes, 65536);
    ck_assert(e->bytes_given && !e->elems_given && e->trace && e->events);
    ck_assert_str_eq(e->type, "bf16");
    ck_assert_str_eq(e->op, "max");
    ck_assert_uint_eq(e->seed, UINT64_MAX);
    ck_assert(e->timeout_s == 0.5);
}
END_TEST

START_TEST(a_command_has_only_its_own_options) {
    char *words[] = {"--elems", "8"};
    char *flag[] = {"--trace"};
    struct cli_args args;
    struct message why;
    ck_assert_int_eq(parse(words, 2, CLI_TAKES_RUN, &args, &why), STATUS_USAGE);
    ck_assert_int_eq(parse(words, 2, CLI_TAKES_SCENARIO, &args, &why), STATUS_USAGE);
    ck_assert_int_eq(parse(flag, 1, CLI_TAKES_RUN, &args, &why), STATUS_USAGE);
}
END_TEST

static const char *const words_of[][2] = {
    {"type", "fp32"},
    {"type", "fp16"},
    {"type", "bf16"},
    {"op", "sum"},
    {"op", "max"},
    {"collective", "all-reduce"},
    {"collective", "reduce-scatter"},
    {"collective", "all-gather"},
    {"collective", "broadcast"},
    {"collective", "all-to-all"},
    {"algorithm", "naive"},
    {"algorithm", "ring"},
    {"algorithm", "tree"},
    {"algorithm", "halving-doubling"},
    {"algorithm", "direct"},
    {"backend", "threads"},
    {"backend", "processes"},
    {"backend", "mpi"},
};

START_TEST(every_word_of_the_table_is_one_that_the_ranks_know) {
    char option[64], *line[2] = {option, NULL};
    char value[64];
    struct cli_args args;
    struct message why;
    const char *name = words_of[_i][0];
    strcpy(option, "--");
    strcat(option, name);
    strcpy(value, words_of[_i][1]);
    line[1] = value;
    ck_assert_int_eq(parse(line, 2, TAKES, &args, &why), STATUS_OK);
    int found = strcmp(name, "type") == 0         ? ranks_type_find(value)
                : strcmp(name, "op") == 0         ? ranks_op_find(value)
                : strcmp(name, "collective") == 0 ? coll_collective_find(value)
                : strcmp(name, "algorithm") == 0  ? coll_algorithm_find(value)
                                                  : ranks_backend_find(value);
    ck_assert_int_ge(found, 0);
}
END_TEST

START_TEST(any_single_difference_is_no_match) {
    const uint64_t bytes[3] = {8, 12, 0}, messages[3] = {1, 2, 0};
    struct exchange_counts predicted = {bytes, messages, 4};
    for (int change = 0; change < 7; change++) {
        uint64_t other_bytes[3], other_messages[3];
        memcpy(other_bytes, bytes, sizeof bytes);
        memcpy(other_messages, messages, sizeof messages);
        struct exchange_counts measured = {other_bytes, other_messages, 4};
        other_bytes[change % 3] += change < 3 ? 1 : 0;
        other_messages[change % 3] += change >= 3 && change < 6 ? 1 : 0;
        measured.steps += change == 6 ? 1 : 0;
        ck_assert_msg(!allreduce_matches(&predicted, &measured, 3), "change %d", change);
    }
    ck_assert(allreduce_matches(&predicted, &predicted, 3));
}
END_TEST

START_TEST(a_message_is_named_by_its_chunks) {
    struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, 4, 10}; /* 3, 3, 2, 2 */
    static const struct {
        uint64_t first, count;
        uint32_t chunk, chunks;
    } rows[] = {{0, 3, 0, 1}, {3, 3, 1, 1},  {6, 2, 2, 1},
                {8, 2, 3, 1}, {0, 10, 0, 4}, {3, 5, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ranks_trace t = {0, 0, 1, rows[i].first, rows[i].count};
        uint32_t chunk, chunks;
        allreduce_chunks(&job, &t, &chunk, &chunks);
        ck_assert_uint_eq(chunk, rows[i].chunk);
        ck_assert_uint_eq(chunks, rows[i].chunks);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("experiment_args");
    TCase *t = tcase_create("experiment_args");
    tcase_add_test(t, nothing_given_is_a_run_that_can_be_shown);
    tcase_add_test(t, given_values_arrive);
    tcase_add_test(t, a_command_has_only_its_own_options);
    tcase_add_loop_test(t, every_word_of_the_table_is_one_that_the_ranks_know, 0,
                        (int)(sizeof words_of / sizeof words_of[0]));
    tcase_add_test(t, any_single_difference_is_no_match);
    tcase_add_test(t, a_message_is_named_by_its_chunks);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
