/* FSRS-6 against every row of vectors_fsrs.csv (a review a row; both rules for Hard within the day), and what holds for
 * any card: finite, within its limits, better answers never worse, longer waits never shorter. */
#include "shardlab/learn/fsrs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/csv.h"
#include "support/mangle.h"
#include "support/rounds.h"

static struct csv rows;

/* Weights of the version before, which knew neither the last two nor another decay. */
static const struct fsrs version_5 = {
    .w = {0.40255, 1.18385, 3.173,  15.69105, 7.1949, 0.5345, 1.4604,
          0.0046,  1.54575, 0.1192, 1.01925,  1.9395, 0.11,   0.29605,
          2.2698,  0.2315,  2.9898, 0.51655,  0.6621, 0.0,    0.5},
};

static struct fsrs weights_of(int row) {
    bool newest = strcmp(csv_get(&rows, row, "params"), "default") == 0;
    ck_assert(newest || strcmp(csv_get(&rows, row, "params"), "fsrs5_defaults_as_v6") == 0);
    struct fsrs f = newest ? fsrs_weights : version_5;
    f.hard_may_lower = strcmp(csv_get(&rows, row, "variant"), "py-fsrs") == 0;
    ck_assert(f.hard_may_lower || strcmp(csv_get(&rows, row, "variant"), "hard-floor") == 0);
    return f;
}

static double real(int row, const char *column) {
    char *end = NULL;
    const char *text = csv_get(&rows, row, column);
    double value = strtod(text, &end);
    ck_assert_msg(*text != '\0' && *end == '\0', "%s: %s", column, text);
    return value;
}

static struct fsrs_memory after(const struct fsrs *f, int row) {
    enum fsrs_rating rating = (enum fsrs_rating)real(row, "rating");
    if (strcmp(csv_get(&rows, row, "review_no"), "1") == 0) {
        return fsrs_first(f, rating);
    }
    uint64_t elapsed = (uint64_t)real(row, "elapsed_whole_days");
    return fsrs_next(f, after(f, row - 1), rating, elapsed);
}

static void expect_close(int row, const char *column, double is) {
    double wanted = real(row, column);
    ck_assert_msg(fabs(is - wanted) <= 1e-9 * fabs(wanted), "%s, review %s, %s: %.17g, not %.17g",
                  csv_get(&rows, row, "name"), csv_get(&rows, row, "review_no"), column, is,
                  wanted);
}

START_TEST(a_review_leaves_the_published_memory_and_interval) {
    struct fsrs f = weights_of(_i);
    struct fsrs_memory m = after(&f, _i);
    struct message why;
    ck_assert_int_eq(fsrs_check(&f, &why), STATUS_OK);
    expect_close(_i, "stability_after", m.stability_days);
    expect_close(_i, "difficulty_after", m.difficulty);
    if (csv_get(&rows, _i, "retrievability_before")[0] != '\0') {
        struct fsrs_memory before = after(&f, _i - 1);
        expect_close(_i, "retrievability_before",
                     fsrs_recall(&f, before.stability_days, real(_i, "elapsed_whole_days")));
    }
    if (strcmp(csv_get(&rows, _i, "state_after"), "Review") == 0) { /* else a step in minutes */
        uint64_t most = (uint64_t)real(_i, "max_interval_d");
        double days =
            (double)fsrs_interval_days(&f, m.stability_days, real(_i, "desired_retention"), most);
        ck_assert_double_eq(days, real(_i, "due_in_days"));
    }
}
END_TEST

START_TEST(both_rules_agree_where_the_table_says_so) {
    bool same = strcmp(csv_get(&rows, _i, "same_under_other_variant"), "yes") == 0;
    struct fsrs f = weights_of(_i);
    struct fsrs_memory one = after(&f, _i);
    f.hard_may_lower = !f.hard_may_lower;
    struct fsrs_memory other = after(&f, _i);
    ck_assert_int_eq(one.stability_days == other.stability_days, same);
    ck_assert_double_eq(one.difficulty, other.difficulty);
}
END_TEST

START_TEST(the_table_is_whole) {
    ck_assert_int_eq(rows.rows, 317);
}
END_TEST

/* Good every time, on the due day: the intervals that a learner is told of. */
static const struct {
    double retention;
    uint64_t days[6];
} plans[] = {
    {0.80, {8, 75, 521}},
    {0.85, {4, 31, 173, 773}},
    {0.90, {2, 11, 46, 163, 497, 1346}},
    {0.95, {1, 3, 8, 19, 43, 89}},
    {0.97, {1, 2, 4, 7, 13, 22}},
    {0.99, {1, 1, 1, 1, 1, 2}},
};

START_TEST(good_on_every_due_day_gives_the_known_intervals) {
    struct fsrs_memory m = fsrs_first(&fsrs_weights, FSRS_GOOD);
    for (int i = 0; i < 6 && plans[_i].days[i] != 0; i++) {
        uint64_t days =
            fsrs_interval_days(&fsrs_weights, m.stability_days, plans[_i].retention, FSRS_DAYS_MAX);
        ck_assert_uint_eq(days, plans[_i].days[i]);
        m = fsrs_next(&fsrs_weights, m, FSRS_GOOD, days);
    }
}
END_TEST

START_TEST(recall_is_whole_at_once_and_nine_tenths_after_the_stability) {
    for (double s = 0.001; s <= FSRS_DAYS_MAX; s *= 3.7) {
        ck_assert_double_eq(fsrs_recall(&fsrs_weights, s, 0.0), 1.0);
        ck_assert_double_eq_tol(fsrs_recall(&fsrs_weights, s, s), 0.9, 1e-12);
        ck_assert(fsrs_recall(&fsrs_weights, s, 2.0 * s) < 0.9);
        ck_assert(fsrs_recall(&fsrs_weights, s, 1e300) >= 0.0);
    }
}
END_TEST

static double within(uint64_t *seed, double least, double most) {
    return least + (most - least) * (double)mangle_random(seed) / UINT32_MAX;
}

static void expect_sane(struct fsrs_memory m) {
    ck_assert_msg(m.stability_days >= 0.001 && m.stability_days <= FSRS_DAYS_MAX, "S %g",
                  m.stability_days);
    ck_assert_msg(m.difficulty >= 1.0 && m.difficulty <= 10.0, "D %g", m.difficulty);
}

/* One review of a card in any state, with each answer. */
static void expect_ordered(const struct fsrs *f, struct fsrs_memory before, uint64_t elapsed) {
    struct fsrs_memory last = {0};
    for (int rating = FSRS_AGAIN; rating <= FSRS_EASY; rating++) {
        struct fsrs_memory m = fsrs_next(f, before, (enum fsrs_rating)rating, elapsed);
        struct fsrs_memory later = fsrs_next(f, before, (enum fsrs_rating)rating, elapsed + 1);
        expect_sane(m);
        ck_assert(rating == FSRS_AGAIN || m.stability_days >= last.stability_days);
        ck_assert(rating == FSRS_AGAIN || m.difficulty <= last.difficulty);
        ck_assert(rating == FSRS_AGAIN ? m.stability_days <= before.stability_days || elapsed == 0
                                       : m.stability_days >= before.stability_days);
        ck_assert(elapsed == 0 || later.stability_days >= m.stability_days);
        last = m;
    }
}

START_TEST(a_better_answer_is_never_worse_and_a_pass_never_lowers) {
    uint64_t seed = 6;
    for (int i = test_rounds(5000); i > 0; i--) {
        struct fsrs_memory m = {exp(within(&seed, log(0.001), log(36500.0))),
                                within(&seed, 1.0, 10.0)};
        uint64_t elapsed = mangle_random(&seed) % 3 == 0 ? 0 : mangle_random(&seed) % 5000;
        expect_ordered(&fsrs_weights, m, elapsed);
    }
}
END_TEST

START_TEST(wanting_more_recall_never_waits_longer) {
    uint64_t seed = 7;
    for (int i = test_rounds(5000); i > 0; i--) {
        double s = exp(within(&seed, log(0.001), log(36500.0)));
        double r = within(&seed, 0.01, 0.99);
        uint64_t most = 1 + mangle_random(&seed) % FSRS_DAYS_MAX;
        uint64_t days = fsrs_interval_days(&fsrs_weights, s, r, most);
        ck_assert(days >= 1 && days <= most);
        ck_assert_uint_le(fsrs_interval_days(&fsrs_weights, s, r + 0.005, most), days);
        ck_assert_uint_ge(fsrs_interval_days(&fsrs_weights, s * 1.5, r, most), days);
    }
    ck_assert_uint_eq(fsrs_interval_days(&fsrs_weights, 36500.0, 1e-300, 7), 7);
    ck_assert_uint_eq(fsrs_interval_days(&fsrs_weights, 36500.0, 0.999999999, 7), 1);
}
END_TEST

/* Both ends of a weight's range as a person would try them, and what lies outside. */
static const struct {
    int weight;
    double value;
    bool good;
} weights[] = {
    {0, 0.001, true}, {0, 100, true}, {0, 0, false},     {3, 101, false},   {4, 0.5, false},
    {7, 0.76, false}, {16, 1, true},  {16, 0.9, false},  {20, 0.1, true},   {20, 0.09, false},
    {20, 0.8, true},  {19, 0, true},  {19, -0.1, false}, {8, 1e300, false}, {2, (double)NAN, false},
};

START_TEST(a_weight_outside_its_range_is_named) {
    struct fsrs f = fsrs_weights;
    struct message why = {0};
    f.w[weights[_i].weight] = weights[_i].value;
    enum status ok = fsrs_check(&f, &why);
    ck_assert_int_eq(ok, weights[_i].good ? STATUS_OK : STATUS_USAGE);
    if (ok != STATUS_OK) {
        ck_assert_str_eq(why.id, "error.fsrs.weight");
        ck_assert_int_eq((int)why.args[0].count, weights[_i].weight);
    }
}
END_TEST

static const double least[] = {.001, .001, .001, .001, 1, .001, .001, .001, 0, 0, .001,
                               .001, .001, .001, 0,    0, 1,    0,    0,    0, .1};
static const double most[] = {100, 100, 100, 100, 10, 4, 4, .75, 4.5, .8, 3.5,
                              5,   .25, .9,  4,   1,  6, 2, 2,   .8,  .8};

START_TEST(both_ends_of_a_weight_are_in_its_range_and_nothing_beyond) {
    struct fsrs f = fsrs_weights;
    struct message why;
    const double ends[] = {least[_i], most[_i]};
    for (int end = 0; end < 2; end++) {
        f.w[_i] = ends[end];
        ck_assert_int_eq(fsrs_check(&f, &why), STATUS_OK);
        f.w[_i] = nextafter(ends[end], end == 0 ? -1.0 : 1000.0);
        ck_assert_int_eq(fsrs_check(&f, &why), STATUS_USAGE);
    }
}
END_TEST

/* The corners of all ranges at once: nothing becomes infinite or leaves its limits. */
START_TEST(the_ends_of_all_weights_stay_finite) {
    uint64_t seed = 8;
    for (int i = test_rounds(5000); i > 0; i--) {
        struct fsrs f = {.hard_may_lower = i % 2 == 0};
        struct message why;
        for (int w = 0; w < FSRS_WEIGHTS; w++) {
            f.w[w] = mangle_random(&seed) % 2 == 0 ? least[w] : most[w];
        }
        ck_assert_int_eq(fsrs_check(&f, &why), STATUS_OK);
        struct fsrs_memory m = fsrs_first(&f, (enum fsrs_rating)(1 + mangle_random(&seed) % 4));
        for (int n = 0; n < 8; n++) {
            expect_sane(m);
            uint64_t days = fsrs_interval_days(&f, m.stability_days, 0.9, FSRS_DAYS_MAX);
            uint64_t elapsed =
                mangle_random(&seed) % 4 == 0 ? UINT64_MAX : days * (uint64_t)(n % 3);
            m = fsrs_next(&f, m, (enum fsrs_rating)(1 + mangle_random(&seed) % 4), elapsed);
        }
    }
}
END_TEST

static Suite *suite(void) {
    rows = csv_read("vectors_fsrs.csv");
    Suite *s = suite_create("fsrs");
    TCase *t = tcase_create("rows");
    tcase_add_loop_test(t, a_review_leaves_the_published_memory_and_interval, 0, rows.rows);
    tcase_add_loop_test(t, both_rules_agree_where_the_table_says_so, 0, rows.rows);
    tcase_add_test(t, the_table_is_whole);
    tcase_add_loop_test(t, good_on_every_due_day_gives_the_known_intervals, 0,
                        (int)(sizeof plans / sizeof plans[0]));
    suite_add_tcase(s, t);
    t = tcase_create("any card");
    tcase_add_test(t, recall_is_whole_at_once_and_nine_tenths_after_the_stability);
    tcase_add_test(t, a_better_answer_is_never_worse_and_a_pass_never_lowers);
    tcase_add_test(t, wanting_more_recall_never_waits_longer);
    tcase_add_loop_test(t, a_weight_outside_its_range_is_named, 0,
                        (int)(sizeof weights / sizeof weights[0]));
    tcase_add_loop_test(t, both_ends_of_a_weight_are_in_its_range_and_nothing_beyond, 0,
                        FSRS_WEIGHTS);
    tcase_add_test(t, the_ends_of_all_weights_stay_finite);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
