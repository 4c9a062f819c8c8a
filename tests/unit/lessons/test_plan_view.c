/* The table of layouts: every figure of a layout in its column, names of choices, numbers of rows; nothing that is
 * needed to name a layout is left out at 44 columns. */
#include <check.h>
#include <string.h>

#include "shardlab/calc/scenario.h"
#include "shardlab/lesson/plan_view.h"
#include "shardlab/view/read.h"

static struct view view;
static char buffer[1 << 14];

static const struct plan_layout layouts[] = {
    {.dp = 64,
     .tp = 8,
     .pp = 16,
     .cp = 2,
     .ep = 1,
     .chunks = 4,
     .zero = 1,
     .micro_batch = 1,
     .micro_batches = 32,
     .schedule = CALC_SCHEDULE_INTERLEAVED,
     .recompute = CALC_RECOMPUTE_FULL,
     .total_bytes = UINT64_C(71000000000),
     .step_s = 12.3456,
     .mfu = 0.412,
     .bubble = 0.105},
    {.dp = 1024,
     .tp = 8,
     .pp = 1,
     .cp = 2,
     .ep = 1,
     .chunks = 1,
     .zero = 3,
     .micro_batch = 4,
     .micro_batches = 1,
     .total_bytes = UINT64_C(64500000000),
     .step_s = 15,
     .mfu = 0.3},
};

static const char *text_of(int width) {
    struct words words = {.unit = UNIT_GB};
    struct view_text_options options = {.width = width, .ascii = true};
    struct writer w;
    const struct plan_rows rows = {layouts, 2, 9, 118};
    view_start(&view);
    plan_table_add(&view, &rows);
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    return buffer;
}

START_TEST(every_figure_stands_in_its_column) {
    const char *text = text_of(500);
    ck_assert_ptr_nonnull(strstr(text, " 9  "));
    ck_assert_ptr_nonnull(strstr(text, "\n10  1,024   8   1   2   1"));
    ck_assert_ptr_nonnull(strstr(text, "interleaved"));
    ck_assert_ptr_nonnull(strstr(text, "full"));
    const struct view_table *t = &view.items[0].table;
    ck_assert_int_eq(t->row_count, 2);
    ck_assert_uint_eq(t->more, 118);
    const uint64_t counts[] = {64, 8, 16, 2, 1, 4};
    for (int i = 0; i < 6; i++) {
        ck_assert(t->cells[0][i].known);
        ck_assert_uint_eq(t->cells[0][i].count, counts[i]);
    }
    int last = t->col_count - 1;
    ck_assert(t->cells[0][last].real > 0.1049 && t->cells[0][last].real < 0.1051);
    ck_assert(t->cells[0][last - 1].real > 0.4119 && t->cells[0][last - 1].real < 0.4121);
    ck_assert(t->cells[0][last - 2].real > 12.3455 && t->cells[0][last - 2].real < 12.3457);
    ck_assert_uint_eq(t->cells[0][last - 3].count, UINT64_C(71000000000));
}
END_TEST

START_TEST(layouts_outside_the_list_have_no_number) {
    const struct plan_rows rows = {layouts, 1, 0, 0};
    view_start(&view);
    plan_table_add(&view, &rows);
    ck_assert(!view.items[0].table.numbered);
}
END_TEST

START_TEST(what_names_a_layout_stays_at_narrow_widths) {
    const char *text = text_of(44);
    ck_assert_ptr_nonnull(strstr(text, "dp  tp  pp"));
    ck_assert_ptr_nonnull(strstr(text, "view.plan.memory GB"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("plan_view");
    TCase *t = tcase_create("tables");
    tcase_add_test(t, every_figure_stands_in_its_column);
    tcase_add_test(t, layouts_outside_the_list_have_no_number);
    tcase_add_test(t, what_names_a_layout_stays_at_narrow_widths);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
