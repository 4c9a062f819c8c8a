/* The reasons: which term is named, what is compared, which limit comes next. */
#define _POSIX_C_SOURCE 200809L

#include "plan_support.h"

/* A step of 10 s, 6 of them computation. */
static struct plan_layout layout_of(double bubble_s, double tp_s, double dp_s) {
    struct plan_layout l = {.dp = 4,
                            .tp = 2,
                            .pp = 2,
                            .cp = 1,
                            .ep = 1,
                            .chunks = 1,
                            .micro_batch = 1,
                            .micro_batches = 8,
                            .total_bytes = 500000000};
    l.term_s[PLAN_COMPUTE] = 6;
    l.term_s[PLAN_BUBBLE] = bubble_s;
    l.term_s[PLAN_TP] = tp_s;
    l.term_s[PLAN_DP] = dp_s;
    l.step_s = 6 + bubble_s + tp_s + dp_s;
    return l;
}

static struct scenario cluster(void) {
    struct scenario s = {0};
    s.cluster.memory = 1000000000;
    s.cluster.gpus_per_node = 8;
    return s;
}

static struct plan_why why_of(const struct plan_layout *l, const struct plan_layout *other) {
    struct scenario s = cluster();
    struct plan_why w;
    plan_explain(l, other, &s, &w);
    ck_assert_int_eq(w.count, other != NULL ? 3 : 2);
    return w;
}

START_TEST(the_largest_term_beside_computation_is_named) {
    struct plan_layout l = layout_of(3, 1, 0), plain = layout_of(0, 0, 0);
    struct plan_why w = why_of(&l, NULL);
    ck_assert_str_eq(w.clauses[0].id, "plan.largest.bubble");
    ck_assert(w.clauses[0].args[0].real == 60.0 && w.clauses[0].args[1].real == 30.0);
    w = why_of(&plain, NULL);
    ck_assert_str_eq(w.clauses[0].id, "plan.largest.compute");
}
END_TEST

START_TEST(the_term_in_which_two_layouts_lie_furthest_apart_is_named) {
    struct plan_layout fast = layout_of(2, 1, 1), slow = layout_of(0, 2, 4);
    ck_assert_int_eq(plan_separates(&fast, &slow), PLAN_DP);
    struct plan_why w = why_of(&fast, &slow);
    ck_assert_str_eq(w.clauses[1].id, "plan.faster.dp");
    ck_assert(w.clauses[1].args[1].real == 3000.0);
    w = why_of(&slow, &fast);
    ck_assert_str_eq(w.clauses[1].id, "plan.slower.dp");
    ck_assert(w.clauses[1].args[0].real > 19.99 && w.clauses[1].args[0].real < 20.01);
}
END_TEST

START_TEST(equal_steps_are_told_apart_by_simplicity) {
    struct plan_layout a = layout_of(1, 1, 1), b = a;
    ck_assert_int_eq(plan_separates(&a, &b), PLAN_TERMS);
    b.pp = 4;
    ck_assert(plan_before(&a, &b) && !plan_before(&b, &a) && !plan_before(&a, &a));
    ck_assert_str_eq(why_of(&a, &b).clauses[1].id, "plan.faster.tie");
    ck_assert_str_eq(why_of(&b, &a).clauses[1].id, "plan.slower.tie");
    b = a;
    b.step_s += 1e-8; /* nanoseconds count, what is less does not */
    b.pp = 1;
    ck_assert(plan_before(&a, &b));
    b.step_s = a.step_s + 1e-11;
    ck_assert(plan_before(&b, &a));
}
END_TEST

START_TEST(a_layout_is_not_compared_with_itself) {
    struct plan_layout a = layout_of(1, 1, 1), b = a;
    struct scenario s = cluster();
    struct plan_why w;
    plan_explain(&a, &b, &s, &w);
    ck_assert_int_eq(w.count, 2);
}
END_TEST

static const struct {
    uint64_t bytes, tp, pp, micro_batches;
    const char *id;
} limits[] = {
    {500000000, 2, 2, 8, "plan.limit.room"},
    {950000000, 8, 4, 2, "plan.limit.memory"},
    {1000000000, 2, 2, 8, "plan.limit.memory"},
    {1000000001, 2, 2, 8, "plan.limit.does_not_fit"},
    {500000000, 8, 4, 2, "plan.limit.micro_batches"},
    {500000000, 8, 4, 4, "plan.limit.node"},
    {500000000, 16, 1, 1, "plan.limit.node"},
};

START_TEST(the_next_limit_is_the_nearest_wall) {
    struct plan_layout l = layout_of(1, 1, 1);
    l.total_bytes = limits[_i].bytes;
    l.tp = limits[_i].tp;
    l.pp = limits[_i].pp;
    l.micro_batches = limits[_i].micro_batches;
    ck_assert_str_eq(why_of(&l, NULL).clauses[1].id, limits[_i].id);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("why");
    TCase *t = tcase_create("why");
    tcase_add_test(t, the_largest_term_beside_computation_is_named);
    tcase_add_test(t, the_term_in_which_two_layouts_lie_furthest_apart_is_named);
    tcase_add_test(t, equal_steps_are_told_apart_by_simplicity);
    tcase_add_test(t, a_layout_is_not_compared_with_itself);
    tcase_add_loop_test(t, the_next_limit_is_the_nearest_wall, 0, ROWS(limits));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
