/* The columns of a ledger: which of them survive at which width, and that none ever overlaps
 * another or leaves the width. What is taken on faith: width_text. */
#include <check.h>

#include "shardlab/view/shape.h"
#include "support/sample_view.h"

static struct view view;

static struct view_ledger_plan plan_at(int cols, bool chinese, bool ambiguous_wide) {
    struct words words = sample_book(chinese);
    struct view_ledger_options options = {
        .cols = cols, .indent = 2, .delta = true, .rules = {ambiguous_wide}};
    return view_ledger_plan(&view.items[0].ledger, &words, &options);
}

static void setup(void) {
    sample_view(&view, UINT64_C(80000000000));
}

START_TEST(a_wide_ledger_has_all_columns_in_order) {
    struct view_ledger_plan p = plan_at(72, false, false);
    ck_assert_int_eq(p.label_col, 2);
    ck_assert_int_ge(p.formula_col, p.label_col + p.label_cols + 2);
    ck_assert_int_eq(p.formula_cols, 22);
    ck_assert_int_gt(p.value.point, p.formula_col + p.formula_cols);
    ck_assert_int_gt(p.delta.point, p.value.end);
    ck_assert_int_le(p.end, 72);
}
END_TEST

START_TEST(a_narrowing_ledger_loses_the_formula_first_and_then_the_change) {
    bool had_formula = true;
    bool had_delta = true;
    for (int cols = 100; cols >= 10; cols--) {
        struct view_ledger_plan p = plan_at(cols, false, false);
        bool formula = p.formula_cols > 0;
        bool delta = p.delta.end > 0;
        ck_assert_msg(!formula || delta, "%d: formula without change", cols);
        ck_assert_msg(had_formula || !formula, "%d: the formula came back", cols);
        ck_assert_msg(had_delta || !delta, "%d: the change came back", cols);
        had_formula = formula;
        had_delta = delta;
    }
    ck_assert(!had_formula);
    ck_assert(!had_delta);
}
END_TEST

START_TEST(columns_never_overlap_and_stay_inside) {
    for (int cols = 18; cols <= 200; cols++) {
        for (int variant = 0; variant < 4; variant++) {
            struct view_ledger_plan p = plan_at(cols, variant % 2 == 1, variant >= 2);
            int at = p.label_col + p.label_cols;
            if (p.formula_cols > 0) {
                ck_assert_msg(p.formula_col > at, "%d/%d: label into formula", cols, variant);
                at = p.formula_col + p.formula_cols;
            }
            ck_assert_msg(p.value.point - 2 > at, "%d/%d: formula into amount", cols, variant);
            ck_assert_msg(p.end <= cols, "%d/%d: ends at %d", cols, variant, p.end);
        }
    }
}
END_TEST

START_TEST(numbers_fall_on_their_decimal_point) {
    struct view_number_column column = {.point = 20, .end = 23};
    const struct width_rules rules = {false};
    ck_assert_int_eq(view_number_col(&column, "13.48", &rules), 18);
    ck_assert_int_eq(view_number_col(&column, "−70.75", &rules), 17);
    ck_assert_int_eq(view_number_col(&column, "0.000004", &rules), 19);
    ck_assert_int_eq(view_number_col(&column, "—", &rules), 19);
}
END_TEST

START_TEST(a_change_has_its_sign_and_its_mark) {
    struct view_row row = {.known = true, .bytes = 5, .has_before = true, .before = 5};
    struct view_ledger_cells cells;
    view_ledger_cells(&row, UNIT_GB, false, &cells);
    ck_assert_str_eq(cells.delta, "");
    ck_assert_str_eq(cells.mark, "");
    row.bytes = UINT64_C(13480000000);
    row.before = UINT64_C(10380000000);
    view_ledger_cells(&row, UNIT_GB, false, &cells);
    ck_assert_str_eq(cells.delta, "+3.10");
    ck_assert_str_eq(cells.mark, "▲");
    row.before = UINT64_C(84230000000);
    view_ledger_cells(&row, UNIT_GB, false, &cells);
    ck_assert_str_eq(cells.delta, "−70.75");
    ck_assert_str_eq(cells.mark, "▼");
    view_ledger_cells(&row, UNIT_GB, true, &cells);
    ck_assert_str_eq(cells.delta, "-70.75");
    ck_assert_str_eq(cells.mark, "v");
    row.known = false;
    view_ledger_cells(&row, UNIT_GB, false, &cells);
    ck_assert_str_eq(cells.value, "—");
    ck_assert_str_eq(cells.delta, "");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("columns");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, a_wide_ledger_has_all_columns_in_order);
    tcase_add_test(t, a_narrowing_ledger_loses_the_formula_first_and_then_the_change);
    tcase_add_test(t, columns_never_overlap_and_stay_inside);
    tcase_add_test(t, numbers_fall_on_their_decimal_point);
    tcase_add_test(t, a_change_has_its_sign_and_its_mark);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
