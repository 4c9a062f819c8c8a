/* `shardlab mem` for scripts: --csv, and two scenarios compared by --against. What they must agree with is the plain
 * answer of each scenario, so the numbers are read from there. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"
#include "support/json_text.h"

/* The digits, or the word null, at a path. */
static bool text_at(const char *json, const char *path, char *text, size_t capacity) {
    struct json_value value = json_at(json, path);
    if (value.kind == JSON_KIND_MISSING || value.length >= capacity) {
        return false;
    }
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    return true;
}

static void run_words(struct run *r, const char *const *argv) {
    run_shardlab(r, argv, NULL);
    ck_assert_msg(r->status == 0, "status %d: %s", r->status, r->err);
}

/* Splits one record of RFC 4180 that has no quotes escaped within; fields stay in `line`. Returns how many. */
static int fields_of(char *line, char *fields[16]) {
    int count = 0;
    for (char *at = line; at != NULL && count < 16;) {
        if (*at == '"') {
            fields[count++] = ++at;
            at = strchr(at, '"');
            ck_assert_ptr_nonnull(at);
            *at++ = '\0';
            ck_assert_msg(*at == ',' || *at == '\0', "a quoted field ends before: %s", at);
            at = *at == ',' ? at + 1 : NULL;
        } else {
            fields[count++] = at;
            at = strchr(at, ',');
            if (at != NULL) {
                *at++ = '\0';
            }
        }
    }
    return count;
}

/* The record whose first field is `key`; returns the number of its fields. */
static int record_of(const char *csv, const char *key, char copy[4096], char *fields[16]) {
    char start[64];
    snprintf(start, sizeof start, "%s,", key);
    const char *at = strncmp(csv, start, strlen(start)) == 0 ? csv : NULL;
    for (const char *line = csv; at == NULL && (line = strstr(line, "\r\n")) != NULL; line += 2) {
        at = strncmp(line + 2, start, strlen(start)) == 0 ? line + 2 : NULL;
    }
    ck_assert_msg(at != NULL, "no record %s in: %s", key, csv);
    size_t length = strcspn(at, "\r");
    ck_assert_uint_lt(length, 4096);
    memcpy(copy, at, length);
    copy[length] = '\0';
    return fields_of(copy, fields);
}

static const char *const keys[] = {"weights",     "gradients", "optimizer",
                                   "activations", "buffers",   "total"};
enum { KEYS = sizeof keys / sizeof keys[0] };

START_TEST(csv_says_what_json_says) {
    struct run csv, json;
    char path[64], value[64], copy[4096];
    char *fields[16];
    expect_good(&csv, "mem --model llama-2-7b --dp 8 --zero 1 --csv", NULL);
    expect_json(&json, "mem --model llama-2-7b --dp 8 --zero 1 --json", NULL);
    ck_assert_int_eq(record_of(csv.out, "key", copy, fields), 5);
    ck_assert_str_eq(fields[1], "bytes");
    ck_assert_int_eq(record_of(csv.out, keys[_i], copy, fields), 5);
    snprintf(path, sizeof path, "per_gpu.%s_bytes", keys[_i]);
    ck_assert_msg(text_at(json.out, path, value, sizeof value), "%s is missing", path);
    ck_assert_str_eq(fields[1], value);
    ck_assert_int_eq(expect_lines(csv.out), KEYS + 1);
    ck_assert_str_eq(csv.out + csv.out_length - 2, "\r\n");
    run_free(&csv);
    run_free(&json);
}
END_TEST

START_TEST(csv_carries_the_derivation_and_quotes_what_needs_it) {
    struct run r;
    char copy[4096];
    char *fields[16];
    expect_good(&r, "mem --model llama-2-7b --dp 8 --zero 1 --csv", NULL);
    record_of(r.out, "optimizer", copy, fields);
    ck_assert_str_eq(fields[2], "12Ψ/N");
    ck_assert_str_eq(fields[3], "12 × 6738415616 / 8");
    ck_assert_ptr_nonnull(strstr(fields[4], "1910.02054, section 5"));
    run_free(&r);
    expect_good(&r, "mem --params 7B --csv", NULL);
    record_of(r.out, "activations", copy, fields);
    ck_assert_str_eq(fields[1], ""); /* unknown */
    run_free(&r);
}
END_TEST

/* first options, options of the second on top, and the whole second line */
static const struct {
    const char *first, *against, *second;
} rows[] = {
    {"--model=llama-2-7b --dp=8", "--zero 3 --dp 64", "--model=llama-2-7b --dp=64 --zero=3"},
    {"--model=llama-2-7b --layers=10", "--model 'llama-2-13b'", "--model=llama-2-13b"},
    {"--model=llama-2-7b --dp=8", "--params 7B", "--params=7B --dp=8"},
    {"--params=7B --zero=1 --dp=8", "--dp=16 --no-dropout", "--params=7B --zero=1 --dp=16"},
    {"--model=gpt2 --pp=4", "--seq 512", "--model=gpt2 --pp=4 --seq=512"},
    {"--params=9007199254740993", "--dp 1 --zero 0", "--params=9007199254740993"},
    {"--params=7B", "", "--params=7B"},
    {"--model=gpt2", "--optimizer=muon", "--model=gpt2 --optimizer=muon"}, /* a mean of two kinds */
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Runs `mem` with the options of a line and up to two words more. */
static void run_mem(struct run *r, const char *line, const char *more, const char *last) {
    struct expect_words words;
    char text[512];
    int count = 0;
    snprintf(text, sizeof text, "mem %s --json %s", line, more != NULL ? more : "");
    expect_split(&words, text);
    while (words.argv[count] != NULL) {
        count++;
    }
    words.argv[count] = last;
    words.argv[count + 1] = NULL;
    run_words(r, words.argv);
}

START_TEST(the_second_scenario_is_what_it_is_alone) {
    struct run both, alone;
    char path[64], got[64], want[64];
    run_mem(&both, rows[_i].first, "--against", rows[_i].against);
    run_mem(&alone, rows[_i].second, NULL, NULL);
    for (int k = 0; k < KEYS; k++) {
        snprintf(path, sizeof path, "against.per_gpu.%s_bytes", keys[k]);
        ck_assert_msg(text_at(both.out, path, got, sizeof got), "%s", path);
        ck_assert(text_at(alone.out, path + strlen("against."), want, sizeof want));
        ck_assert_msg(strcmp(got, want) == 0, "row %d: %s is %s, not %s", _i, path, got, want);
    }
    static const char *const others[] = {"model.params", "bytes_per_param", "peak_bytes",
                                         "worst_stage", "fits"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        snprintf(path, sizeof path, "against.%s", others[k]);
        ck_assert_msg(text_at(both.out, path, got, sizeof got), "%s", path);
        ck_assert(text_at(alone.out, others[k], want, sizeof want));
        ck_assert_msg(strcmp(got, want) == 0, "row %d: %s is %s, not %s", _i, path, got, want);
    }
    run_free(&both);
    run_free(&alone);
}
END_TEST

START_TEST(the_difference_is_second_minus_first) {
    struct run r;
    char a[64], b[64], d[64], path[64];
    run_mem(&r, rows[_i].first, "--against", rows[_i].against);
    for (int k = 0; k < KEYS; k++) {
        snprintf(path, sizeof path, "against.per_gpu.%s_bytes", keys[k]);
        ck_assert(text_at(r.out, path + strlen("against."), a, sizeof a));
        ck_assert(text_at(r.out, path, b, sizeof b));
        snprintf(path, sizeof path, "delta.%s_bytes", keys[k]);
        ck_assert(text_at(r.out, path, d, sizeof d));
        if (strcmp(a, "null") == 0 || strcmp(b, "null") == 0) {
            ck_assert_str_eq(d, "null");
        } else if (strcmp(d, "null") != 0) {
            long double expected = strtold(b, NULL) - strtold(a, NULL); /* 64 bits of mantissa */
            ck_assert_msg(strtold(d, NULL) == expected, "%s: %s - %s is not %s", path, b, a, d);
        } else {
            ck_assert_str_eq(keys[k], "total"); /* sums of different parts */
        }
    }
    run_free(&r);
}
END_TEST

START_TEST(text_and_csv_show_both_and_the_difference) {
    struct run r;
    char copy[4096];
    char *fields[16];
    const char *const text[] = {
        "mem",   "--model",       "llama-2-7b", "--dp", "8",         "--zero",           "1",
        "--gpu", "a100-sxm-80gb", "--lang",     "en",   "--against", "--zero 3 --dp 64", NULL};
    run_words(&r, text);
    expect_names(r.out, "second: shardlab mem --model llama-2-7b --dp 64 --zero 3|10.11|1.26|−8.84"
                        "|first: fits, 30.70 GB free|second: fits");
    run_free(&r);
    const char *const csv[] = {"mem",       "--params",         "7B",    "--dp", "8",
                               "--against", "--zero 3 --dp 64", "--csv", NULL};
    run_words(&r, csv);
    ck_assert_int_eq(record_of(r.out, "weights", copy, fields), 10);
    ck_assert_str_eq(fields[1], "14000000000");
    ck_assert_str_eq(fields[2], "218750000");
    ck_assert_str_eq(fields[3], "-13781250000");
    ck_assert_str_eq(fields[7], "2Ψ/N");
    run_free(&r);
}
END_TEST

static const struct {
    const char *const argv[8];
    const char *names;
} refused[] = {
    {{"mem", "--params", "7B", "--csv", "--json", NULL}, "--csv|--json"},
    {{"mem", "--params", "7B", "--csv", "--explain", NULL}, "--csv|--explain"},
    {{"mem", "--params", "7B", "--explain", "--against", "--dp 2", NULL}, "--against|--explain"},
    {{"mem", "--params", "7B", "--csv", "--timeline", NULL}, "--csv|--timeline"},
    {{"mem", "--params", "7B", "--timeline", "--against", "--dp 2", NULL}, "--against|--timeline"},
    {{"mem", "--params", "7B", "--against", NULL}, "--against"},
    {{"mem", "--params", "7B", "--against", "--json", NULL}, "--json"},
    {{"mem", "--params", "7B", "--against", "--lang zh", NULL}, "--lang zh"},
    {{"mem", "--params", "7B", "--against", "--dp 0", NULL}, "--dp 0"},
    {{"mem", "--params", "7B", "--against", "dp 8", NULL}, "dp"},
    {{"mem", "--params", "7B", "--against", "--model 'x", NULL}, "'x"},
    {{"mem", "--params", "7B", "--against", "--model nosuch", NULL}, "nosuch"},
    {{"mem", "--model", "llama-2-7b", "--against", "--tp 5", NULL}, "--tp 5"},
    {{"mem", "--params", "7B", "--stage", "3", "--against", "--pp 4", NULL}, "--stage 3"},
    {{"mem", "--params", "7B", "--against", "--stage 1", NULL}, "stage"},
    {{"params", "--params", "7B", "--csv", NULL}, "--csv"},
};

START_TEST(what_cannot_be_is_refused_in_words) {
    struct run r;
    const char *const *argv = refused[_i].argv;
    expect_refused(&r, argv, 2, argv[0][0] == 'm' ? "shardlab: mem: " : "shardlab: params: ");
    expect_names(r.err, refused[_i].names);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("compare");
    TCase *c = tcase_create("compare");
    tcase_add_loop_test(c, csv_says_what_json_says, 0, KEYS);
    tcase_add_test(c, csv_carries_the_derivation_and_quotes_what_needs_it);
    tcase_add_loop_test(c, the_second_scenario_is_what_it_is_alone, 0, ROWS);
    tcase_add_loop_test(c, the_difference_is_second_minus_first, 0, ROWS);
    tcase_add_test(c, text_and_csv_show_both_and_the_difference);
    tcase_add_loop_test(c, what_cannot_be_is_refused_in_words, 0,
                        sizeof refused / sizeof refused[0]);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
