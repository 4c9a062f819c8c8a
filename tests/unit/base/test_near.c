/* Edit distances that are known on paper, both ways round, and words that are too long. */
#include "shardlab/base/near.h"

#include <check.h>
#include <string.h>

static const struct {
    const char *a, *b;
    int distance;
} pairs[] = {
    {"", "", 0},          {"dp", "dp", 0},
    {"", "dp", 2},        {"dpp", "dp", 1},
    {"heds", "heads", 1}, {"kitten", "sitting", 3},
    {"fp15", "fp16", 1},  {"micro-batchs", "micro-batch", 1},
    {"ab", "ba", 2},      {"flaw", "lawn", 2},
};

START_TEST(a_distance_is_the_one_on_paper_both_ways_round) {
    const char *a = pairs[_i].a, *b = pairs[_i].b;
    ck_assert_int_eq(near_distance(a, strlen(a), b), pairs[_i].distance);
    ck_assert_int_eq(near_distance(b, strlen(b), a), pairs[_i].distance);
}
END_TEST

START_TEST(only_so_many_bytes_of_a_word_are_it) {
    ck_assert_int_eq(near_distance("dp=8", 2, "dp"), 0);
}
END_TEST

START_TEST(what_is_too_long_is_far) {
    char most[NEAR_BYTES_MAX + 2];
    memset(most, 'x', sizeof most);
    most[NEAR_BYTES_MAX] = '\0';
    ck_assert_int_eq(near_distance(most, NEAR_BYTES_MAX, most), 0);
    ck_assert_int_eq(near_distance(most, NEAR_BYTES_MAX, "x"), NEAR_BYTES_MAX - 1);
    most[NEAR_BYTES_MAX] = 'x';
    most[NEAR_BYTES_MAX + 1] = '\0';
    ck_assert_int_eq(near_distance(most, NEAR_BYTES_MAX + 1, "x"), NEAR_FAR);
    ck_assert_int_eq(near_distance("x", 1, most), NEAR_FAR);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("near");
    TCase *t = tcase_create("distances");
    tcase_add_loop_test(t, a_distance_is_the_one_on_paper_both_ways_round, 0,
                        (int)(sizeof pairs / sizeof pairs[0]));
    tcase_add_test(t, only_so_many_bytes_of_a_word_are_it);
    tcase_add_test(t, what_is_too_long_is_far);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
