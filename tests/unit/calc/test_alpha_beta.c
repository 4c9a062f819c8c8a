/* α and rate that made the times come back from them; noise is weighed by its share; what cannot be told apart, or no
 * machine has, is refused; and a crossing lies where both lines meet. */
#include <check.h>
#include <math.h>

#include "dice.h"
#include "shardlab/calc/alpha_beta.h"

enum { SIZES = 8 };

/* Times of a ring and a tree of four ranks by the model. */
static int model(struct calc_timing *t, double alpha, double rate) {
    int count = 0;
    for (int i = 0; i < SIZES; i++) {
        double bytes = 1024 * pow(4, i);
        t[count] = (struct calc_timing){6, 1.5 * bytes, 0};
        t[count + 1] = (struct calc_timing){4, 4 * bytes, 0};
        for (int k = 0; k < 2; k++, count++) {
            t[count].seconds = alpha * t[count].messages + t[count].bytes / rate;
        }
    }
    return count;
}

START_TEST(what_made_the_times_comes_back) {
    struct calc_timing t[2 * SIZES];
    struct calc_alpha_beta fit;
    int count = model(t, 3e-6, 5e9);
    ck_assert(calc_alpha_beta_fit(t, count, &fit));
    ck_assert_double_eq_tol(fit.alpha_s, 3e-6, 1e-15);
    ck_assert_double_eq_tol(fit.bytes_per_s, 5e9, 1);
    ck_assert_double_lt(fit.deviation, 1e-9);
}
END_TEST

/* Every time off by up to a tenth: neither latency nor rate is, and the deviation says how far the times are. */
START_TEST(noise_moves_neither_of_them_far) {
    struct calc_timing t[2 * SIZES];
    struct calc_alpha_beta fit;
    struct dice dice = {5};
    for (int round = 0; round < 200; round++) {
        int count = model(t, 3e-6, 5e9);
        for (int i = 0; i < count; i++) {
            t[i].seconds *= 0.9 + 0.2 * (double)dice_roll(&dice, 1001) / 1000;
        }
        ck_assert(calc_alpha_beta_fit(t, count, &fit));
        ck_assert_double_eq_tol(fit.alpha_s, 3e-6, 0.1 * 3e-6);
        ck_assert_double_eq_tol(fit.bytes_per_s, 5e9, 0.13 * 5e9);
        ck_assert(fit.deviation > 0.01 && fit.deviation < 0.11);
    }
}
END_TEST

START_TEST(what_cannot_be_told_apart_is_refused) {
    struct calc_alpha_beta fit;
    const struct calc_timing one[] = {{6, 1000, 1e-5}};
    const struct calc_timing same[] = {{6, 1000, 1e-5}, {12, 2000, 3e-5}};
    const struct calc_timing faster[] = {{6, 1000, 1e-5}, {6, 100000, 1e-6}};
    const struct calc_timing silent[] = {{0, 0, 1e-6}, {0, 0, 2e-6}};
    ck_assert(!calc_alpha_beta_fit(one, 1, &fit));
    ck_assert(!calc_alpha_beta_fit(same, 2, &fit));
    ck_assert(!calc_alpha_beta_fit(faster, 2, &fit)); /* more bytes in less time: no rate */
    ck_assert(!calc_alpha_beta_fit(silent, 2, &fit));
    ck_assert(!calc_alpha_beta_fit(NULL, 0, &fit));
}
END_TEST

START_TEST(one_overtakes_the_other_where_both_take_as_long) {
    /* first: 1 then 16, second: 2 then 8: lines over log size with slopes 4 and 2 octaves meet after half the way */
    struct calc_overtaking o = {1000, 16000, {1, 16}, {2, 8}};
    ck_assert_double_eq_tol(calc_overtaking_size(&o), 4000, 1e-9);
    o = (struct calc_overtaking){1000, 4000, {1, 8}, {1, 2}}; /* equal at the smaller */
    ck_assert_double_eq_tol(calc_overtaking_size(&o), 1000, 1e-9);
    o = (struct calc_overtaking){1000, 4000, {1, 2}, {3, 2}};
    ck_assert_double_eq_tol(calc_overtaking_size(&o), 4000, 1e-9);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("alpha_beta");
    TCase *t = tcase_create("fit");
    tcase_add_test(t, what_made_the_times_comes_back);
    tcase_add_test(t, noise_moves_neither_of_them_far);
    tcase_add_test(t, what_cannot_be_told_apart_is_refused);
    tcase_add_test(t, one_overtakes_the_other_where_both_take_as_long);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
