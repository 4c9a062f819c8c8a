/* `shardlab overflow`: every experiment with every type that it has, with other numbers, seeds, ranks and backends, gives
 * what the calculator predicted; famous numbers; both languages; events; and what is refused. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"

static const char *const experiments[] = {"sum",       "range",    "gradients",  "loss-scale",
                                          "softmax",   "adam-eps", "stagnation", "stochastic",
                                          "fp8-scale", "allreduce"};
enum { EXPERIMENTS = 10, FP8_SCALE = 8, ALLREDUCE = 9, TYPES = 4 };
static const char *const types[TYPES] = {"fp16", "bf16", "e4m3", "e5m2"};

static bool is_defined(int experiment, int type) {
    return experiment == FP8_SCALE ? type >= 2 : experiment == ALLREDUCE ? type < 2 : true;
}

/* Both objects have the same members in the same order, whose values are equal; bounds aside, which are named. */
static void expect_same(const char *line, const char *answer) {
    struct json_value predicted = json_at(answer, "predicted"),
                      measured = json_at(answer, "measured");
    ck_assert_msg(json_count(predicted) == json_count(measured) && json_count(measured) >= 7, "%s",
                  line);
    if (json_count(json_at(answer, "predicted_bounds")) == 0) {
        ck_assert_msg(predicted.length == measured.length &&
                          memcmp(predicted.at, measured.at, measured.length) == 0,
                      "%s: %s", line, answer);
    }
}

static void expect_match(const char *line) {
    struct run r;
    expect_json(&r, line, NULL);
    ck_assert_msg(json_is(json_at(r.out, "match"), "true"), "%s: %s", line, r.out);
    ck_assert_msg(json_is(json_at(r.out, "same_each_time"), "true"), "%s: %s", line, r.out);
    ck_assert_msg(json_is(json_at(r.out, "command"), "\"overflow\""), "%s", line);
    ck_assert_msg(json_count(json_at(r.out, "points")) > 0, "%s", line);
    ck_assert_msg(json_is(json_at(r.out, "points_predicted"), "true"), "%s", line);
    expect_same(line, r.out);
    run_free(&r);
}

static void expect_at(const char *answer, const char *path, const char *text) {
    struct json_value found = json_at(answer, path);
    ck_assert_msg(json_is(found, text), "%s is %.*s, not %s", path, (int)found.length, found.at,
                  text);
}

/* --- Predicted is measured --- */

/* Loops over experiments and types. */
START_TEST(every_experiment_and_type_is_as_predicted) {
    int experiment = _i / TYPES, type = _i % TYPES;
    static const char *const more[] = {"", " --overflow inf", " --overflow saturate"};
    char line[256];
    struct run r;
    struct expect_words words;
    int variants = experiment == FP8_SCALE || experiment == ALLREDUCE ? 1 : 3;
    for (int i = 0; i < variants; i++) {
        (void)snprintf(line, sizeof line, "overflow --experiment %s --type %s%s --json",
                       experiments[experiment], types[type], more[i]);
        if (is_defined(experiment, type)) {
            expect_match(line);
            continue;
        }
        expect_refused(&r, expect_split(&words, line), 2, "shardlab: overflow: --type ");
        expect_names(r.err, experiments[experiment]);
        run_free(&r);
    }
}
END_TEST

static const char *const others[] = {
    "sum --value 0.3 --count 10000",
    "sum --type bf16 --value 1e30 --count 300",
    "sum --type bf16 --value 1e-40 --count 300",
    "sum --type e4m3 --value 5 --count 1000 --overflow inf",
    "sum --type e5m2 --value 0.0001 --count 1000000",
    "range --value 15.99",
    "range --type e4m3 --value 17 --overflow inf",
    "gradients --center -40 --spread 8 --type bf16 --seed 7",
    "gradients --loss-scale static:1024 --count 5000 --seed 18446744073709551615",
    "gradients --center 10 --spread 2 --type e5m2 --count 3000",
    "gradients --spread 0 --count 1",
    "loss-scale --loss-scale none --steps 20",
    "loss-scale --loss-scale static:16777216 --steps 20",
    "loss-scale --loss-scale static:0.25 --steps 20",
    "loss-scale --loss-scale dynamic:1 --growth 1 --steps 60",
    "loss-scale --type bf16 --growth 1 --steps 1000 --count 5",
    "softmax --value 20 --count 1000",
    "softmax --value 0.5 --count 1 --type e4m3",
    "softmax --value 7 --count 100000 --type bf16",
    "adam-eps --value 1 --epsilon 0.001",
    "adam-eps --value 3e-8 --epsilon 1e-5 --type e5m2",
    "stagnation --value 0.02 --update 6.1e-5 --type bf16 --count 3000",
    "stagnation --value 1.0078125 --update 0.00390625 --type bf16",
    "stochastic --seed 42 --trials 1 --count 3 --type e4m3",
    "stochastic --value 0.02 --update 1e-6 --trials 300 --count 2000 --type bf16",
    "fp8-scale --seed 5 --count 33 --spread 8",
    "fp8-scale --type e5m2 --center 30 --count 1",
    "allreduce --type bf16 --ranks 300 --value 1",
    "allreduce --ranks 1 --elems 5",
    "allreduce --ranks 8 --value 65504 --update 4096 --algorithm tree",
    "allreduce --ranks 5 --elems 3 --accumulate fp32 --algorithm direct",
    "allreduce --ranks 6 --elems 64 --accumulate type --algorithm ring --backend processes",
    "allreduce --value 14340.5 --update 1.484375 --ranks 8 --elems 2 --algorithm halving-doubling",
    "sum --ranks 4 --backend processes --repeat 3",
    "stochastic --ranks 3 --repeat 2 --seed 9",
};
enum { OTHERS = sizeof others / sizeof others[0] };

START_TEST(other_numbers_are_as_predicted) {
    char line[256];
    (void)snprintf(line, sizeof line, "overflow --experiment %s --json", others[_i]);
    expect_match(line);
}
END_TEST

/* Loops over algorithms. */
START_TEST(every_order_of_additions_is_as_predicted) {
    static const char *const algorithms[] = {"naive", "ring", "tree", "halving-doubling", "direct"};
    static const int ranks[] = {1, 2, 3, 5, 8, 13, 16};
    for (int i = 0; i < 7; i++) {
        char line[256];
        (void)snprintf(
            line, sizeof line,
            "overflow --experiment allreduce --algorithm %s --ranks %d --elems %d --type "
            "%s --value 1000 --update 0.7 --json",
            algorithms[_i], ranks[i], ranks[i] + 1, types[i % 2]);
        expect_match(line);
    }
}
END_TEST

/* --- Numbers that everybody knows --- */

static const struct {
    const char *line, *path, *text;
} famous[] = {
    {"sum", "measured.sum", "2048"},
    {"sum --type bf16", "measured.sum", "256"},
    {"sum --type e4m3", "measured.sum", "16"},
    {"sum --type e5m2", "measured.sum", "8"},
    {"sum --type bf16", "measured.ends", "\"stalled\""},
    {"range", "measured.max_plus_addend_class", "\"inf\""},
    {"range", "measured.max_plus_addend", "null"},
    {"range --value 15.99", "measured.max_plus_addend", "65504"},
    {"range", "measured.largest_with_a_square", "255.875"},
    {"range --type bf16", "measured.max_plus_addend_class", "\"finite\""},
    {"range --type e4m3", "measured.max_plus_step", "448"},
    {"range --type e4m3 --overflow inf", "measured.max_plus_step_class", "\"nan\""},
    {"range --type e5m2", "measured.max_plus_half_class", "\"inf\""},
    {"softmax", "measured.first_logit_past_max", "11.09375"},
    {"softmax", "measured.first_class", "\"nan\""},
    {"softmax", "measured.first_less_max", "1"},
    {"softmax --type bf16", "measured.first_logit_past_max", "89"},
    {"adam-eps", "measured.epsilon_in_type", "0"},
    {"adam-eps", "measured.update_of_zero_class", "\"nan\""},
    {"adam-eps", "measured.update_class", "\"inf\""},
    {"adam-eps --type bf16", "measured.update_class", "\"finite\""},
    {"stagnation --type bf16", "measured.largest_lost_upwards", "0.00390625"},
    {"stagnation --type bf16", "measured.largest_lost_downwards", "0.001953125"},
    {"stagnation --type bf16", "measured.final_weight", "1"},
    {"stagnation --type bf16", "measured.final_weight_of_master", "2"},
    {"stochastic --type bf16", "measured.nearest", "1"},
    {"loss-scale --loss-scale none", "measured.skipped_steps", "0"},
    {"allreduce", "measured.most_in_type", "2048"},
    {"allreduce", "measured.most_in_fp32", "2064"},
    {"allreduce --type bf16 --ranks 300 --value 1", "measured.most_in_type", "256"},
    {"allreduce --type bf16 --ranks 300 --value 1", "measured.most_in_fp32", "300"},
    {"allreduce --algorithm ring --accumulate fp32", "measured.least_in_fp32", "2048"},
};

START_TEST(famous_numbers_are_found) {
    struct run r;
    char line[256];
    (void)snprintf(line, sizeof line, "overflow --experiment %s --json", famous[_i].line);
    expect_json(&r, line, NULL);
    expect_at(r.out, famous[_i].path, famous[_i].text);
    run_free(&r);
}
END_TEST

START_TEST(a_scale_saves_gradients_and_a_dynamic_one_steps_back) {
    struct run r;
    expect_json(&r, "overflow --experiment gradients --json", NULL);
    uint64_t zero = json_digits(r.out, "measured.zero");
    ck_assert_uint_gt(zero, 1000);
    run_free(&r);
    expect_json(&r, "overflow --experiment gradients --loss-scale static:65536 --json", NULL);
    ck_assert_uint_eq(json_digits(r.out, "measured.zero"), 0);
    run_free(&r);
    expect_json(&r, "overflow --experiment loss-scale --json", NULL);
    ck_assert_uint_gt(json_digits(r.out, "measured.skipped_steps"), 4);
    ck_assert_int_eq(json_count(json_at(r.out, "points")), 200);
    expect_at(r.out, "points[0].scale", "16777216");
    expect_at(r.out, "points[0].skipped", "1");
    expect_at(r.out, "points[1].scale", "8388608");
    run_free(&r);
}
END_TEST

START_TEST(a_bound_is_called_a_bound) {
    struct run r;
    expect_json(&r, "overflow --experiment stochastic --json", NULL);
    expect_at(r.out, "predicted_bounds", "[\"mean_off_exact\"]");
    run_free(&r);
    expect_json(&r, "overflow --experiment sum --json", NULL);
    expect_at(r.out, "predicted_bounds", "[]");
    expect_at(r.out, "seed", "null");
    ck_assert_int_eq(json_count(json_at(r.out, "notes")), 2);
    run_free(&r);
}
END_TEST

START_TEST(seeds_change_what_is_drawn_and_the_same_seed_nothing) {
    struct run a, b, c;
    expect_json(&a, "overflow --experiment gradients --seed 1 --json", NULL);
    expect_json(&b, "overflow --experiment gradients --seed 1 --json", NULL);
    expect_json(&c, "overflow --experiment gradients --seed 2 --json", NULL);
    struct json_value x = json_at(a.out, "points"), y = json_at(b.out, "points"),
                      z = json_at(c.out, "points");
    ck_assert(x.length == y.length && memcmp(x.at, y.at, x.length) == 0);
    ck_assert(x.length != z.length || memcmp(x.at, z.at, x.length) != 0);
    run_free(&a);
    run_free(&b);
    run_free(&c);
}
END_TEST

/* --- For people --- */

START_TEST(text_has_both_numbers_in_both_languages) {
    struct run r;
    char line[128];
    for (int i = 0; i < EXPERIMENTS; i++) {
        (void)snprintf(line, sizeof line, "overflow --experiment %s --lang en", experiments[i]);
        expect_good(&r, line, NULL);
        expect_names(r.out, "predicted|measured|predicted = measured");
        expect_names(r.out, experiments[i]);
        ck_assert_msg(strstr(r.out, "overflow.") == NULL, "words are missing: %s", r.out);
        expect_harmless(line, r.out);
        run_free(&r);
        (void)snprintf(line, sizeof line, "overflow --experiment %s --lang zh", experiments[i]);
        expect_good(&r, line, NULL);
        expect_names(r.out, "预测|实测|预测 = 实测");
        ck_assert_msg(strstr(r.out, "overflow.") == NULL, "words are missing: %s", r.out);
        run_free(&r);
    }
    expect_good(&r, "overflow --help --lang en", NULL);
    expect_names(r.out,
                 "--experiment sum|--type fp16|--loss-scale none|--events|--ranks N|--value X");
    ck_assert_msg(strstr(r.out, "option.") == NULL, "words are missing: %s", r.out);
    run_free(&r);
}
END_TEST

START_TEST(events_are_lines_of_json_and_the_result_is_the_last) {
    struct run r;
    size_t where;
    int lines = 0;
    expect_good(&r, "overflow --experiment allreduce --ranks 3 --repeat 4 --events", NULL);
    for (char *at = r.out, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        char line[16384];
        size_t length = (size_t)(end + 1 - at);
        ck_assert_uint_lt(length, sizeof line);
        memcpy(line, at, length);
        line[length] = '\0';
        ck_assert_msg(json_answer_fault(line, length, &where) == NULL, "%s", line);
        if (lines < 4) {
            expect_at(line, "event", "\"repeat\"");
            ck_assert_uint_eq(json_digits(line, "repeat"), (uint64_t)lines);
        } else {
            expect_at(line, "match", "true");
        }
        lines++;
    }
    ck_assert_int_eq(lines, 5);
    run_free(&r);
}
END_TEST

/* --- What is refused --- */

static const struct {
    const char *line, *names;
    int status;
} bad[] = {
    {"overflow", "--experiment|sum, range", 2},
    {"overflow --experiment", "--experiment needs a value", 2},
    {"overflow --experiment sums", "sums|adam-eps", 2},
    {"overflow --experiment sum --type fp32", "fp32|fp16|bf16", 2},
    {"overflow --experiment sum --type e8m0", "e8m0", 2},
    {"overflow --experiment sum --overflow wrap", "wrap|inf|saturate", 2},
    {"overflow --experiment sum --count 0", "--count 0|1 to 10000000", 2},
    {"overflow --experiment sum --count 1e9", "--count 1e9", 2},
    {"overflow --experiment sum --count many", "--count many", 2},
    {"overflow --experiment sum --value nan", "--value nan", 2},
    {"overflow --experiment sum --value inf", "--value inf", 2},
    {"overflow --experiment sum --value 0", "--value 0|fp16|65504", 2},
    {"overflow --experiment sum --value -1", "--value -1|fp16", 2},
    {"overflow --experiment sum --value 1e-9", "--value 1e-09|5.9604644775390625e-08", 2},
    {"overflow --experiment sum --value 65520", "--value 65520|65504", 2},
    {"overflow --experiment sum --value 500 --type e4m3", "--value 500|448", 2},
    {"overflow --experiment sum --update 1", "--update|sum|stagnation, stochastic, allreduce", 2},
    {"overflow --experiment sum --trials 5", "--trials|sum|stochastic", 2},
    {"overflow --experiment sum --elems 5", "--elems|sum|allreduce", 2},
    {"overflow --experiment allreduce --count 5", "--count|allreduce|sum", 2},
    {"overflow --experiment fp8-scale --type fp16", "fp16|fp8-scale|e4m3, e5m2", 2},
    {"overflow --experiment allreduce --type e4m3", "e4m3|allreduce|fp16, bf16", 2},
    {"overflow --experiment allreduce --algorithm auto", "auto|naive", 2},
    {"overflow --experiment allreduce --accumulate bf16", "bf16|fp32|type", 2},
    {"overflow --experiment allreduce --ranks 1024 --elems 1e6", "1,024,000,000|100,000,000", 2},
    {"overflow --experiment gradients --loss-scale dynamic", "dynamic|static:65536", 2},
    {"overflow --experiment gradients --loss-scale static:3", "static:3|power of 2", 2},
    {"overflow --experiment loss-scale --loss-scale static", "--loss-scale static", 2},
    {"overflow --experiment loss-scale --loss-scale none:2", "none:2", 2},
    {"overflow --experiment loss-scale --loss-scale dynamic:", "dynamic:", 2},
    {"overflow --experiment loss-scale --loss-scale dynamic:-2", "dynamic:-2", 2},
    {"overflow --experiment loss-scale --loss-scale dynamic:1e300", "dynamic:1e300", 2},
    {"overflow --experiment loss-scale --steps 1001", "--steps 1001|1 to 1000", 2},
    {"overflow --experiment loss-scale --growth 0", "--growth 0", 2},
    {"overflow --experiment loss-scale --count 1e5 --steps 1000", "100,000,000|4,194,304", 2},
    {"overflow --experiment gradients --center -61", "--center -61|-60 to 60", 2},
    {"overflow --experiment gradients --spread 9", "--spread 9|0 to 8", 2},
    {"overflow --experiment gradients --spread wide", "--spread wide", 2},
    {"overflow --experiment gradients --count 1e7", "10,000,000|4,194,304", 2},
    {"overflow --experiment softmax --count 1e6", "--count 1000000|100000", 2},
    {"overflow --experiment adam-eps --epsilon 0", "--epsilon 0", 2},
    {"overflow --experiment adam-eps --epsilon 2", "--epsilon 2", 2},
    {"overflow --experiment adam-eps --value 0", "--value 0", 2},
    {"overflow --experiment stagnation --update 2", "--update 2", 2},
    {"overflow --experiment stagnation --update 1e-7", "--update", 2},
    {"overflow --experiment stagnation --count 1e6 --update 0.5", "1,000,000|500001|16376", 2},
    {"overflow --experiment stochastic --trials 4096 --count 1e6", "4,096,000,000|10,000,000", 2},
    {"overflow --experiment stochastic --trials 0", "--trials 0", 2},
    {"overflow --experiment sum --repeat 1001", "--repeat 1001|1 to 1000", 2},
    {"overflow --experiment sum --ranks 0", "--ranks 0", 2},
    {"overflow --experiment sum --events=yes", "--events takes no value", 2},
    {"overflow --experiment sum --zero 1", "--zero", 2},
    {"overflow --experiment sum 4", "4", 2},
    {"overflow --experiment sum --backend mpi", "MPI", 1},
};

START_TEST(what_cannot_be_is_refused_with_the_value) {
    struct run r;
    struct expect_words words;
    char line[256];
    (void)snprintf(line, sizeof line, "%s --lang en", bad[_i].line);
    expect_refused(&r, expect_split(&words, line), bad[_i].status, "shardlab: overflow: ");
    expect_names(r.err, bad[_i].names);
    run_free(&r);
    (void)snprintf(line, sizeof line, "%s --lang zh", bad[_i].line);
    expect_refused(&r, expect_split(&words, line), bad[_i].status, "shardlab: overflow: ");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("overflow");
    TCase *t = tcase_create("overflow");
    tcase_add_loop_test(t, every_experiment_and_type_is_as_predicted, 0, EXPERIMENTS * TYPES);
    tcase_add_loop_test(t, other_numbers_are_as_predicted, 0, OTHERS);
    tcase_add_loop_test(t, every_order_of_additions_is_as_predicted, 0, 5);
    tcase_add_loop_test(t, famous_numbers_are_found, 0, (int)(sizeof famous / sizeof famous[0]));
    tcase_add_test(t, a_scale_saves_gradients_and_a_dynamic_one_steps_back);
    tcase_add_test(t, a_bound_is_called_a_bound);
    tcase_add_test(t, seeds_change_what_is_drawn_and_the_same_seed_nothing);
    tcase_add_test(t, text_has_both_numbers_in_both_languages);
    tcase_add_test(t, events_are_lines_of_json_and_the_result_is_the_last);
    tcase_add_loop_test(t, what_cannot_be_is_refused_with_the_value, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
