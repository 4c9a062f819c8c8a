/* The last page of *collectives* once `allreduce --sweep` answered: each measured time is a dot of its algorithm's curve and
 * a cell of the table, curves are those of the fit, the fastest are named as the answer has them, and an answer that lacks
 * something shows what it has. Answers here are made by the model, so that dots lie on their curves. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"

#include <math.h>

#include "shardlab/base/record.h"
#include "shardlab/coll/steps.h"

enum { TIME = 4, SIZES = 3, FIELDS_MAX = 128, TEXT_MAX = 64 };

static struct field fields[FIELDS_MAX];
static char keys[FIELDS_MAX][TEXT_MAX];
static struct record answer;

static struct field *add(const char *key) {
    int i = answer.count++;
    ck_assert_int_lt(i, FIELDS_MAX);
    snprintf(keys[i], TEXT_MAX, "%s", key);
    fields[i] = (struct field){.key = keys[i]};
    answer.fields = fields;
    return &fields[i];
}

static void add_number(const char *key, double number) {
    struct field *f = add(key);
    f->kind = FIELD_NUMBER;
    f->number = number;
    f->text = "";
}

static void add_text(const char *key, const char *text) {
    struct field *f = add(key);
    f->kind = FIELD_TEXT;
    f->text = text;
}

static void add_point(int index, const char *algorithm, double bytes, double seconds) {
    char key[TEXT_MAX];
    snprintf(key, sizeof key, "points[%d].algorithm", index);
    add_text(key, algorithm);
    snprintf(key, sizeof key, "points[%d].message_bytes", index);
    add_number(key, bytes);
    snprintf(key, sizeof key, "points[%d].least_s", index);
    add_number(key, seconds);
}

/* Four ranks, α 10 µs, 1 GB/s: a ring takes 6α and 1.5 messages' bytes, a tree 4α and 4. */
static void answer_of_four(void) {
    answer = (struct record){fields, 0};
    for (int i = 0; i < SIZES; i++) {
        double bytes = 1024 * pow(16, i);
        add_point(2 * i, "ring", bytes, 60e-6 + 1.5 * bytes / 1e9);
        add_point(2 * i + 1, "tree", bytes, 40e-6 + 4 * bytes / 1e9);
    }
    add_number("fit.alpha_s", 10e-6);
    add_number("fit.bytes_per_s", 1e9);
    add_number("fit.mean_deviation", 0.125);
    add_text("fastest[0].algorithm", "tree");
    add_number("fastest[0].from_bytes", 1024);
    add_number("fastest[0].until_bytes", 8000);
    add_text("fastest[1].algorithm", "ring");
    add_number("fastest[1].from_bytes", 8000);
    add("fastest[1].until_bytes")->kind = FIELD_NULL;
}

static const struct view *page(const struct record *said) {
    static struct view view;
    static struct scenario s;
    s = scenario_of("--params 7B --link-gb-per-s 300 --net-gb-per-s 25");
    struct lesson_input in = {.now = &s, .page = TIME, .answer = said};
    struct message why;
    ck_assert_int_eq(lesson_find("collectives")->view(&in, &view, &why), STATUS_OK);
    return &view;
}

START_TEST(every_time_is_a_dot_on_the_curve_of_the_fit) {
    answer_of_four();
    const struct view_plot *plot = &page(&answer)->items[0].plot;
    ck_assert_str_eq(plot->title.id, "collective.measured.plot");
    ck_assert_int_eq(plot->series_count, 2);
    ck_assert_str_eq(plot->series[0].name, "ring");
    ck_assert_str_eq(plot->series[1].name, "tree");
    for (int s = 0; s < 2; s++) {
        const struct view_plot_series *one = &plot->series[s];
        ck_assert_int_eq(one->dot_count, SIZES);
        ck_assert_double_eq_tol(one->y[0], one->dot_y[0], 1e-12);
        ck_assert_double_eq_tol(one->y[plot->point_count - 1], one->dot_y[SIZES - 1], 1e-12);
        ck_assert_double_eq_tol(one->y[plot->point_count / 2], one->dot_y[1], 1e-12);
    }
    ck_assert_str_eq(plot->low_x, "1 KiB");
    ck_assert_str_eq(plot->high_x, "256 KiB");
    ck_assert_int_eq(plot->mark_count, 1);
    ck_assert_double_eq(plot->marks[0], 8000);
    ck_assert_str_eq(plot->remark.id, "collective.measured.fit");
    ck_assert_double_eq_tol(plot->remark.args[0].real, 10, 1e-9);
    ck_assert_double_eq_tol(plot->remark.args[2].real, 12.5, 1e-9);
}
END_TEST

START_TEST(the_table_has_the_times_and_who_was_fastest) {
    answer_of_four();
    const struct view_table *t = &page(&answer)->items[1].table;
    ck_assert_str_eq(t->title.id, "collective.measured.sizes");
    ck_assert_int_eq(t->row_count, SIZES);
    ck_assert_uint_eq(t->cells[0][0].count, 1024);
    ck_assert_uint_eq(t->cells[0][1 + COLL_RING].count, 62);
    ck_assert_uint_eq(t->cells[0][1 + COLL_TREE].count, 44);
    ck_assert(!t->cells[0][1 + COLL_NAIVE].known);
    ck_assert_str_eq(t->cells[0][1 + COLL_ALGORITHMS].text, "tree");
    ck_assert_str_eq(t->cells[2][1 + COLL_ALGORITHMS].text, "ring");
    ck_assert_int_eq(t->note_count, 2);
    ck_assert_str_eq(t->notes[0].text.id, "collective.fastest.until");
    ck_assert_uint_eq(t->notes[0].text.args[1].count, 8000);
    ck_assert_str_eq(t->notes[1].text.id, "collective.fastest.above");
    ck_assert_str_eq(t->notes[1].text.args[0].text, "ring");
}
END_TEST

START_TEST(without_a_fit_curves_go_from_time_to_time) {
    answer = (struct record){fields, 0};
    add_point(0, "ring", 1024, 1e-5);
    add_point(1, "ring", 4096, 4e-5);
    add_point(2, "direct", 1024, 2e-5);
    add("fit")->kind = FIELD_NULL;
    const struct view_plot *plot = &page(&answer)->items[0].plot;
    ck_assert_str_eq(plot->remark.id, "collective.measured.no_fit");
    ck_assert_int_eq(plot->series_count, 2);
    ck_assert_double_eq_tol(plot->series[0].y[0], 1e-5, 1e-12);
    ck_assert_double_eq_tol(plot->series[0].y[plot->point_count / 2], 2e-5, 1e-12);
    ck_assert_double_eq_tol(plot->series[1].y[0], 2e-5, 1e-12); /* one time: level */
}
END_TEST

/* Times that cannot stand on an axis, names that are none, no points at all. */
START_TEST(what_an_answer_lacks_is_left_out) {
    answer = (struct record){fields, 0};
    add_point(0, "ring", 1024, 0);
    add_point(1, "rings", 1024, 1);
    const struct view *view = page(&answer);
    ck_assert_int_eq(view->items[0].plot.series_count, 0);
    ck_assert_int_eq(view->items[1].table.row_count, 0);
    answer = (struct record){fields, 0};
    ck_assert_str_eq(page(&answer)->items[0].plot.title.id, "collective.plot");
    ck_assert_str_eq(page(NULL)->items[0].plot.title.id, "collective.plot");
}
END_TEST

START_TEST(the_page_runs_all_algorithms_over_sizes) {
    struct scenario s = scenario_of("--params 7B");
    struct lesson_input in = {.now = &s, .page = TIME};
    struct lesson_experiment e = {0};
    ck_assert(lesson_find("collectives")->experiment(&in, &e));
    ck_assert_str_eq(e.line, "allreduce --ranks 4 --sweep");
    ck_assert_int_eq(e.value_count, 2);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("collectives measured");
    TCase *t = tcase_create("answer");
    tcase_add_test(t, every_time_is_a_dot_on_the_curve_of_the_fit);
    tcase_add_test(t, the_table_has_the_times_and_who_was_fastest);
    tcase_add_test(t, without_a_fit_curves_go_from_time_to_time);
    tcase_add_test(t, what_an_answer_lacks_is_left_out);
    tcase_add_test(t, the_page_runs_all_algorithms_over_sizes);
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
