/* `shardlab schedule`: sequences of vectors_fsrs.csv through standard input, both ways of printing, and every way in which
 * what stands there can be wrong. */
#include <math.h>
#include <stdio.h>

#include "cli/expect.h"
#include "support/csv.h"
#include "support/mangle.h"
#include "support/rounds.h"

static char folder[RUN_PATH_MAX];
static struct csv rows;

enum { INPUT_MAX = 8192 };

/* The text becomes standard input of the next run. */
static struct run_options with_input(const char *text, size_t length, char path[RUN_PATH_MAX]) {
    file_write(folder_path(path, folder, "input.json"), text, length);
    return (struct run_options){.environment = expect_wide_environment, .stdin_path = path};
}

static const char *cell(int row, const char *column) {
    return csv_get(&rows, row, column);
}

/* Rows of a scheduler that counts days only, under the rule that both or ours shares. */
static bool ours(int row) {
    return cell(row, "learning_steps_s")[0] == '\0' && cell(row, "relearning_steps_s")[0] == '\0' &&
           strcmp(cell(row, "params"), "default") == 0 &&
           (strcmp(cell(row, "variant"), "hard-floor") == 0 ||
            strcmp(cell(row, "same_under_other_variant"), "yes") == 0);
}

static int sequence_length(int row) {
    int length = 1;
    while (row + length < rows.rows && strcmp(cell(row, "seq"), cell(row + length, "seq")) == 0) {
        length++;
    }
    return length;
}

static void write_input(char input[INPUT_MAX], int row, int length) {
    int at = snprintf(input, INPUT_MAX, "{\"retention\":%s,\"max_interval_days\":%s,\"reviews\":[",
                      cell(row, "desired_retention"), cell(row, "max_interval_d"));
    for (int i = 0; i < length; i++) {
        at += snprintf(input + at, (size_t)(INPUT_MAX - at),
                       "%s{\"rating\":%s,\"elapsed_days\":%s}", i > 0 ? ",\n" : "",
                       cell(row + i, "rating"), cell(row + i, "elapsed_whole_days"));
    }
    (void)snprintf(input + at, (size_t)(INPUT_MAX - at), "]}\n");
}

static void expect_state(const char *answer, int index, int row) {
    static const char *const fields[][2] = {{"stability", "stability_after"},
                                            {"difficulty", "difficulty_after"},
                                            {"interval_days", "due_in_days"}};
    for (int f = 0; f < 3; f++) {
        char path[64];
        (void)snprintf(path, sizeof path, "states[%d].%s", index, fields[f][0]);
        double is = expect_real(answer, path), wanted = strtod(cell(row, fields[f][1]), NULL);
        ck_assert_msg(fabs(is - wanted) <= 1e-9 * wanted, "%s, %s: %.17g, not %.17g",
                      cell(row, "name"), path, is, wanted);
    }
}

START_TEST(a_sequence_gives_the_published_states) {
    int length = sequence_length(_i), same = 0;
    bool first = strcmp(cell(_i, "review_no"), "1") == 0;
    while (same < length && ours(_i + same)) {
        same++;
    }
    if (first && same > 0) {
        char input[INPUT_MAX], path[RUN_PATH_MAX];
        struct run r;
        write_input(input, _i, same);
        struct run_options o = with_input(input, strlen(input), path);
        expect_json(&r, "schedule --json", &o);
        ck_assert(json_is(json_at(r.out, "command"), "\"schedule\""));
        ck_assert_int_eq(json_count(json_at(r.out, "states")), same);
        for (int i = 0; i < same; i++) {
            expect_state(r.out, i, _i + i);
        }
        run_free(&r);
    }
}
END_TEST

START_TEST(sequences_enough_are_ours) {
    int count = 0;
    for (int row = 0; row < rows.rows; row++) {
        count += strcmp(cell(row, "review_no"), "1") == 0 && ours(row) ? 1 : 0;
    }
    ck_assert_int_ge(count, 25);
}
END_TEST

#define START "{\"retention\":0.9,\"max_interval_days\":100,"
static const char usual[] =
    START "\"reviews\":[{\"rating\":3,\"elapsed_days\":0},"
          "{\"rating\":2,\"elapsed_days\":3},{\"rating\":1,\"elapsed_days\":0}]}";

START_TEST(the_table_says_the_same_in_both_languages) {
    char path[RUN_PATH_MAX];
    struct run_options o = with_input(usual, strlen(usual), path);
    struct run r;
    expect_good(&r, "schedule --lang en", &o);
    expect_names(
        r.out,
        "FSRS-6|0.9|at most 100 days|stability|   1 |good|2.31|2.12|88.09 %|hard|9.23|again|-");
    run_free(&r);
    expect_good(&r, "schedule --lang zh", &o);
    expect_names(r.out, "FSRS-6|最长 100 天|稳定性|记得|2.31|吃力|忘了");
    run_free(&r);
}
END_TEST

/* Standard input, and a path of its answer with what stands there. */
static const struct {
    const char *input, *path, *is;
} good[] = {
    {START "\"reviews\":[]}", "states", "[]"},
    {START "\"params\":null,\"reviews\":[{\"rating\":3,\"elapsed_days\":0}]}",
     "states[0].stability", "2.3065"},
    {START "\"reviews\":[{\"elapsed_days\":9,\"rating\":4.0}]}", "states[0].interval_days", "8"},
    {START "\"reviews\":[{\"rating\":3,\"elapsed_days\":0}]}", "states[0].recall_before", "null"},
    {"\xEF\xBB\xBF{\"retention\":1e-9,\"max_interval_days\":36500,"
     "\"reviews\":[{\"rating\":3,\"elapsed_days\":0}]}",
     "states[0].interval_days", "36500"},
    {START "\"params\":[1,2,3,4,5,0.5,1,0.01,1.5,0.1,1,2,0.1,0.3,2,0.2,3,0.5,0.6,0,0.5],"
           "\"reviews\":[{\"rating\":2,\"elapsed_days\":0}]}",
     "states[0].stability", "2"},
};

START_TEST(what_may_be_written_is_read) {
    char path[RUN_PATH_MAX];
    struct run_options o = with_input(good[_i].input, strlen(good[_i].input), path);
    struct run r;
    expect_json(&r, "schedule --json", &o);
    struct json_value v = json_at(r.out, good[_i].path);
    ck_assert_msg(json_is(v, good[_i].is), "%s: %s", good[_i].path, r.out);
    run_free(&r);
    expect_good(&r, "schedule", &o);
    run_free(&r);
}
END_TEST

#define REVIEWS "\"reviews\":[{\"rating\":3,\"elapsed_days\":0}]"
static const struct {
    const char *input, *names;
} bad[] = {
    {"", "schedule: stdin:1:1: "},
    {"[]", "schedule: stdin: |{…}"},
    {"{", "schedule: stdin:1:2:"},
    {START "\"reviews\":[\n{\"rating\";3}]}", "schedule: stdin:2:10:"},
    {START REVIEWS "} x", "x"},
    {"{\"max_interval_days\":9," REVIEWS "}", "stdin: retention"},
    {"{\"retention\":0.9," REVIEWS "}", "stdin: max_interval_days"},
    {"{\"retention\":0.9,\"max_interval_days\":9}", "stdin: reviews"},
    {"{\"retention\":1,\"max_interval_days\":9," REVIEWS "}", "stdin: retention: 1 |0.9"},
    {"{\"retention\":0,\"max_interval_days\":9," REVIEWS "}", "stdin: retention: 0 "},
    {"{\"retention\":\"0.9\",\"max_interval_days\":9," REVIEWS "}", "stdin: retention: \"0.9\" "},
    {START "\"reviews\":[{\"rating\":\"3\",\"elapsed_days\":0}]}", "reviews[0].rating: \"3\" "},
    {"{\"retention\":90,\"max_interval_days\":9," REVIEWS "}", "stdin: retention: 90"},
    {"{\"retention\":0.9,\"max_interval_days\":0," REVIEWS "}", "stdin: max_interval_days: 0 "},
    {"{\"retention\":0.9,\"max_interval_days\":1.5," REVIEWS "}", "stdin: max_interval_days: 1.5"},
    {"{\"retention\":0.9,\"max_interval_days\":1e99," REVIEWS "}", "max_interval_days: 1e99"},
    {START "\"reviews\":{}}", "stdin: reviews: {…}"},
    {START "\"reviews\":null}", "stdin: reviews: null"},
    {START "\"reviews\":[3]}", "stdin: reviews[0]: 3"},
    {START "\"reviews\":[[]]}", "stdin: reviews[0]: […]"},
    {START "\"reviews\":[{}]}", "stdin: reviews[0].rating"},
    {START "\"reviews\":[{\"rating\":3}]}", "stdin: reviews[0].elapsed_days"},
    {START "\"reviews\":[{\"rating\":0,\"elapsed_days\":0}]}", "reviews[0].rating: 0 "},
    {START "\"reviews\":[{\"rating\":5,\"elapsed_days\":0}]}", "reviews[0].rating: 5 "},
    {START "\"reviews\":[{\"rating\":2.5,\"elapsed_days\":0}]}", "reviews[0].rating: 2.5 "},
    {START "\"reviews\":[{\"rating\":3,\"elapsed_days\":-1}]}", "elapsed_days: -1 "},
    {START "\"reviews\":[{\"rating\":3,\"elapsed_days\":0},{\"rating\":3,\"elapsed_day\":0}]}",
     "stdin: reviews[1].elapsed_day|elapsed_days"},
    {START "\"reviews\":[{\"rating\":{\"a\":1},\"elapsed_days\":0}]}", "reviews[0].rating: {…}"},
    {START "\"parameters\":[]," REVIEWS "}", "stdin: parameters|params"},
    {START "\"reviews[0].rating\":3," REVIEWS "}", "stdin: reviews[0].rating"},
    {START "\"params[0]\":3," REVIEWS "}", "stdin: params[0]"},
    {START "\"params\":3," REVIEWS "}", "stdin: params: 3"},
    {START "\"params\":[]," REVIEWS "}", "stdin: params| 0 | 21 "},
    {START "\"params\":[1,2,3]," REVIEWS "}", "stdin: params| 3 | 21 "},
    {START "\"params\":[\"a\"]," REVIEWS "}", "stdin: params[0]: \"a\" "},
    {START "\"params\":[1,2,3,4,5,0.5,1,0.01,1.5,0.1,1,2,0.1,0.3,2,0.2,3,0.5,0.6,0,0.5,1]," REVIEWS
           "}",
     "params| 22 | 21 "},
    {START "\"params\":[1,2,3,4,5,0.5,1,0.01,1.5,0.1,1,2,0.1,0.3,2,0.2,3,0.5,0.6,0,9]," REVIEWS "}",
     "params[20]: 9 |0.1|0.8"},
    {START "\"params\":[0,2,3,4,5,0.5,1,0.01,1.5,0.1,1,2,0.1,0.3,2,0.2,3,0.5,0.6,0,0.5]," REVIEWS
           "}",
     "params[0]: 0 |0.001|100"},
};

START_TEST(what_cannot_be_read_is_named) {
    for (int zh = 0; zh <= 1; zh++) {
        char path[RUN_PATH_MAX];
        struct run_options o = with_input(bad[_i].input, strlen(bad[_i].input), path);
        const char *argv[] = {"schedule", "--lang", zh ? "zh" : "en", _i % 2 ? "--json" : NULL,
                              NULL};
        struct run r;
        expect_refused_with(&r, argv, 1, "shardlab: schedule: ", &o);
        expect_names(r.err, bad[_i].names);
        run_free(&r);
    }
}
END_TEST

START_TEST(options_that_it_does_not_take_are_refused) {
    static const char *const options[] = {"--dp", "--retention", "file.json"};
    const char *argv[] = {"schedule", options[_i], "1", NULL};
    struct run r;
    expect_refused(&r, argv, 2, "shardlab: schedule: ");
    expect_names(r.err, options[_i]);
    run_free(&r);
}
END_TEST

START_TEST(help_shows_what_is_read) {
    struct run r;
    expect_good(&r, _i == 0 ? "schedule --help --lang en" : "schedule --help --lang zh",
                &expect_wide);
    expect_names(r.out, "shardlab schedule|retention|max_interval_days|rating|elapsed_days|params");
    run_free(&r);
}
END_TEST

/* Good text with bytes changed: an answer that is whole, or one sentence and no output. */
START_TEST(mangled_input_is_answered_or_refused) {
    uint64_t seed = 11;
    for (int i = test_rounds_slow(60, 100); i > 0; i--) {
        char text[4096], path[RUN_PATH_MAX];
        size_t length = mangle_text(&seed, usual, text, sizeof text), where = 0;
        struct run_options o = with_input(text, length, path);
        struct run r;
        run_shardlab(&r, (const char *const[]){"schedule", "--json", NULL}, &o);
        ck_assert_msg(r.status == 0 || r.status == 1, "%d: %s", r.status, r.err);
        ck_assert_msg((r.status == 0) == (r.err_length == 0), "%s", r.err);
        ck_assert_msg(r.status != 0 || json_answer_fault(r.out, r.out_length, &where) == NULL, "%s",
                      r.out);
        ck_assert_int_eq(r.status == 0, r.out_length > 0);
        run_free(&r);
    }
}
END_TEST

START_TEST(thousands_of_reviews_are_scheduled) {
    enum { REVIEWS_MANY = 20000, EACH = 40 };
    char path[RUN_PATH_MAX];
    char *text = malloc(REVIEWS_MANY * EACH + 128);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)sprintf(text, START "\"reviews\":[");
    for (int i = 0; i < REVIEWS_MANY; i++) {
        at += (size_t)sprintf(text + at, "%s{\"rating\":%d,\"elapsed_days\":%d}", i ? "," : "",
                              1 + i % 4, i % 3);
    }
    at += (size_t)sprintf(text + at, "]}");
    struct run_options o = with_input(text, at, path);
    struct run r;
    expect_json(&r, "schedule --json", &o);
    ck_assert_int_eq(json_count(json_at(r.out, "states")), REVIEWS_MANY);
    run_free(&r);
    free(text);
}
END_TEST

static void make_folder(void) {
    folder_make(folder, TEST_BINARY_DIR);
}

static void remove_folder(void) {
    folder_remove(folder);
}

static Suite *suite(void) {
    rows = csv_read("vectors_fsrs.csv");
    Suite *s = suite_create("cli schedule");
    TCase *t = tcase_create("schedule");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, a_sequence_gives_the_published_states, 0, rows.rows);
    tcase_add_test(t, sequences_enough_are_ours);
    tcase_add_test(t, the_table_says_the_same_in_both_languages);
    tcase_add_loop_test(t, what_may_be_written_is_read, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(t, what_cannot_be_read_is_named, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_loop_test(t, options_that_it_does_not_take_are_refused, 0, 3);
    tcase_add_loop_test(t, help_shows_what_is_read, 0, 2);
    tcase_add_test(t, mangled_input_is_answered_or_refused);
    tcase_add_test(t, thousands_of_reviews_are_scheduled);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
