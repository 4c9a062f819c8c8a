/* Facts agree only when names, kinds and numbers do; nan equals nan, a bound holds from above, points count once they were
 * predicted. */
#include <check.h>
#include <math.h>

#include "shardlab/base/facts.h"

static struct facts a, b;

static void fill(struct facts *f) {
    static const char *const names[] = {"x", "y"};
    facts_start(f);
    facts_count(f, "steps", 3);
    facts_real(f, "error", 0.5);
    facts_value(f, "sum", (double)INFINITY);
    facts_word(f, "ends", "stalled");
    facts_columns(f, names, 2);
    facts_point(f, (const double[2]){1, (double)NAN});
}

static void setup(void) {
    fill(&a);
    fill(&b);
}

START_TEST(what_is_the_same_agrees) {
    ck_assert(facts_agree(&a, &b));
    b.list[2].real = (double)NAN;
    ck_assert(!facts_agree(&a, &b));
    a.list[2].real = (double)NAN;
    ck_assert(facts_agree(&a, &b));
}
END_TEST

START_TEST(one_difference_is_enough) {
    b.list[0].count = 4;
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    b.list[1].real = nextafter(0.5, 1);
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    b.list[2].real = -(double)INFINITY;
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    b.list[3].word = "moving";
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    b.list[3].key = "end";
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    b.list[1].kind = FACT_VALUE;
    ck_assert(!facts_agree(&a, &b));
    fill(&b);
    facts_count(&b, "more", 1);
    ck_assert(!facts_agree(&a, &b));
}
END_TEST

START_TEST(points_count_where_they_were_predicted) {
    b.point[0][0] = 2;
    ck_assert(!facts_agree(&a, &b));
    a.points = 0;
    ck_assert(facts_agree(&a, &b));
    fill(&a);
    fill(&b);
    facts_point(&b, (const double[2]){2, 2});
    ck_assert(!facts_agree(&a, &b));
}
END_TEST

START_TEST(a_bound_holds_from_above) {
    facts_start(&a);
    facts_start(&b);
    facts_at_most(&a, "off", 0.25);
    facts_real(&b, "off", 0.25);
    ck_assert(facts_agree(&a, &b));
    b.list[0].real = 0.2500001;
    ck_assert(!facts_agree(&a, &b));
    b.list[0].real = (double)NAN;
    ck_assert(!facts_agree(&a, &b));
}
END_TEST

START_TEST(classes_have_names) {
    ck_assert_str_eq(fact_class(0), "finite");
    ck_assert_str_eq(fact_class((double)INFINITY), "inf");
    ck_assert_str_eq(fact_class(-(double)INFINITY), "-inf");
    ck_assert_str_eq(fact_class((double)NAN), "nan");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("facts");
    TCase *t = tcase_create("facts");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, what_is_the_same_agrees);
    tcase_add_test(t, one_difference_is_enough);
    tcase_add_test(t, points_count_where_they_were_predicted);
    tcase_add_test(t, a_bound_holds_from_above);
    tcase_add_test(t, classes_have_names);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
