/* The planner as a piece of a lesson: the learner's layout is no condition of the search, the table is the search's, the
 * first layout has its reasons, and what cannot be searched is said. */
#define _POSIX_C_SOURCE 200809L

#include "words_support.h"

#include "shardlab/lesson/plan_search_view.h"

#define MODEL                                                                                      \
    "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 32000 --seq 2048 --memory 80GB"
#define LINKS " --link-gb-per-s 300 --net-gb-per-s 25"

static struct scenario of(const char *more) {
    char line[512];
    snprintf(line, sizeof line, "%s%s%s", MODEL LINKS, more[0] != '\0' ? " " : "", more);
    struct scenario s = scenario_of(line);
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 312;
    return s;
}

static struct view *view_for(const struct plan_question *q) {
    static struct view view;
    view_start(&view);
    plan_search_add(&view, q);
    ck_assert_int_eq(view.item_count, 1);
    return &view;
}

START_TEST(the_learners_layout_is_no_condition) {
    static struct plan_answer one, other;
    struct scenario a = of("--dp 8");
    struct scenario b = of("--dp 2 --tp 4 --pp 2 --zero 1 --recompute full --micro-batches 8");
    const struct plan_question first = {&a, 16, 64}, second = {&b, 16, 64};
    plan_ask(&first, &one);
    plan_ask(&second, &other);
    ck_assert_ptr_null(one.why.id);
    ck_assert_int_gt(one.found.count, 1);
    ck_assert_uint_eq(one.found.considered, other.found.considered);
    ck_assert_int_eq(one.found.count, other.found.count);
    for (int i = 0; i < one.found.count; i++) {
        ck_assert(!plan_before(&one.best[i], &other.best[i]));
        ck_assert(!plan_before(&other.best[i], &one.best[i]));
        ck_assert_uint_eq(one.best[i].dp * one.best[i].tp * one.best[i].pp * one.best[i].cp, 16);
    }
}
END_TEST

START_TEST(what_no_layout_decides_is_kept) {
    struct scenario free;
    struct scenario s = of("--dp 2 --tp 4 --precision fp16 --optimizer sgd");
    plan_take_back(&s, &free);
    ck_assert_int_eq(free.recipe.precision, CALC_PRECISION_FP16);
    ck_assert_int_eq(free.recipe.optimizer, CALC_OPTIMIZER_SGD);
    ck_assert_uint_eq(free.batch.seq, 2048);
    ck_assert(!calc_option_given(&free, calc_option_index("tp")));
    ck_assert_uint_eq(free.layout.tp, 0);
}
END_TEST

START_TEST(the_table_is_the_search_with_its_reasons) {
    static struct plan_answer answer;
    struct scenario s = of("--dp 8");
    const struct plan_question q = {&s, 16, 64};
    plan_ask(&q, &answer);
    const struct view_table *t = table_of(view_for(&q), "dp");
    ck_assert_int_eq(t->row_count, PLAN_SEARCH_ROWS);
    ck_assert_uint_eq(t->more, answer.found.feasible - PLAN_SEARCH_ROWS);
    for (int i = 0; i < t->row_count; i++) {
        ck_assert_uint_eq(cell_of(t, i, "tp")->count, answer.best[i].tp);
        ck_assert_uint_eq(cell_of(t, i, "total_bytes")->count, answer.best[i].total_bytes);
    }
    ck_assert_int_ge(t->note_count, 3);
    ck_assert_int_eq(t->notes[0].row, 0);
    ck_assert_str_eq(t->notes[t->note_count - 1].text.id, "lesson.predicted-only");
    ck_assert_uint_eq(t->title.args[0].count, 16);
    ck_assert_uint_eq(t->title.args[3].count, answer.found.feasible);
}
END_TEST

START_TEST(the_learners_own_layout_is_marked_where_it_appears) {
    static struct plan_answer answer;
    struct scenario s = of("--dp 8");
    struct plan_question q = {&s, 16, 64};
    struct plan_request request = {&s, 16, 64};
    struct message why;
    plan_ask(&q, &answer);
    struct scenario third;
    struct scenario applied;
    plan_take_back(&s, &applied);
    request.applied = &applied;
    ck_assert_int_eq(plan_scenario(&request, &answer.best[2], &third, &why), STATUS_OK);
    q.now = &third;
    int current = table_of(view_for(&q), "dp")->current;
    ck_assert_int_ge(current, 0);
    ck_assert_uint_eq(answer.best[current].tp, third.layout.tp);
    ck_assert_uint_eq(answer.best[current].zero, third.layout.zero);
    q.now = &s;
    ck_assert_int_eq(table_of(view_for(&q), "dp")->current, -1);
}
END_TEST

START_TEST(where_nothing_fits_it_says_so) {
    struct scenario s = of("--memory 2GB");
    const struct plan_question q = {&s, 16, 64};
    const struct view *v = view_for(&q);
    ck_assert_int_eq(v->items[0].kind, VIEW_KIND_TEXT);
    ck_assert_str_eq(v->items[0].text.lines[0].id, "view.plan.none");
    ck_assert_uint_eq(v->items[0].text.lines[0].args[0].count, 16);
}
END_TEST

START_TEST(what_is_missing_for_a_search_is_said) {
    struct scenario s = of("");
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 0;
    const struct plan_question q = {&s, 16, 64};
    const struct view *v = view_for(&q);
    ck_assert_int_eq(v->items[0].kind, VIEW_KIND_TEXT);
    ck_assert_int_eq(strncmp(v->items[0].text.lines[0].id, "error.plan.no_peak", 18), 0);
    struct scenario only = scenario_of("--params 7B --memory 80GB");
    const struct plan_question params = {&only, 16, 64};
    ck_assert_str_eq(view_for(&params)->items[0].text.lines[0].id, "error.plan.params_only");
}
END_TEST

START_TEST(the_command_asks_the_same) {
    struct scenario s = of("--dp 4 --tp 2 --precision fp16");
    const struct plan_question q = {&s, 1024, 2048};
    char line[512];
    struct writer w;
    writer_start(&w, line, sizeof line);
    plan_search_command(&w, &q);
    ck_assert_int_eq(strncmp(line, "plan --layers 32", 16), 0);
    ck_assert_ptr_nonnull(strstr(line, "--precision fp16"));
    ck_assert_ptr_nonnull(strstr(line, " --gpus 1024 --global-batch 2048"));
    ck_assert_ptr_null(strstr(line, "--tp"));
    ck_assert_ptr_null(strstr(line, "--dp"));
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("plan search view");
    TCase *c = tcase_create("search");
    tcase_add_test(c, the_learners_layout_is_no_condition);
    tcase_add_test(c, what_no_layout_decides_is_kept);
    tcase_add_test(c, the_table_is_the_search_with_its_reasons);
    tcase_add_test(c, the_learners_own_layout_is_marked_where_it_appears);
    tcase_add_test(c, where_nothing_fits_it_says_so);
    tcase_add_test(c, what_is_missing_for_a_search_is_said);
    tcase_add_test(c, the_command_asks_the_same);
    suite_add_tcase(all, c);
    return all;
}

#include "support/check_main.h"
