/* The table of communication against the ledger that it was made from: a row a row, in the order of the axes, the
 * total, and what is not known. */
#define _POSIX_C_SOURCE 200809L

#include "unit/calc/calc_support.h"

#include "shardlab/lesson/comm_view.h"

static struct view view;
static struct calc_comm comm;

static const struct view_table *show(const char *line) {
    struct scenario s = resolved_of(line);
    struct message why;
    ck_assert_int_eq(calc_comm_step(&s, &comm, &why), STATUS_OK);
    view_start(&view);
    comm_table_add(&view, &comm);
    return &view.items[0].table;
}

static int column(const struct view_table *t, const char *key) {
    for (int i = 0; i < t->col_count; i++) {
        if (strcmp(t->cols[i].key, key) == 0) {
            return i;
        }
    }
    ck_abort_msg("no column %s", key);
    return -1;
}

static const char *const lines[] = {
    LLAMA_7B " --dp 16 --tp 2 --zero 1",
    LLAMA_7B " --dp 4 --tp 2 --pp 4 --cp 2 --zero 2 --micro-batches 8 --sequence-parallel",
    LLAMA_7B " --dp 8 --zero 3 --offload params",
    LLAMA_7B " --experts 8 --experts-active 2 --moe-ffn 4096 --dp 8 --ep 8",
};

START_TEST(every_row_of_the_ledger_stands_in_the_table) {
    const struct view_table *t = show(lines[_i]);
    int sent = column(t, "sent_bytes"), axis = column(t, "axis"), what = column(t, "what");
    int row = 0;
    for (int a = 0; a < CALC_AXES; a++) {
        for (int i = 0; i < comm.row_count; i++) {
            if (comm.rows[i].axis == (enum calc_axis)a) {
                ck_assert_str_eq(t->cells[row][axis].text, calc_axis_name((enum calc_axis)a));
                ck_assert_str_eq(t->cells[row][what].text, comm.rows[i].id);
                ck_assert_uint_eq(t->cells[row][sent].count, comm.rows[i].sent_bytes);
                row++;
            }
        }
        row += comm.axis_known[a] ? 0 : 1;
    }
    ck_assert_int_eq(row, t->row_count - 1);
    ck_assert(t->has_total && t->cells[row][sent].known == comm.total_known);
    ck_assert(!comm.total_known || t->cells[row][sent].count == comm.total_sent_bytes);
}
END_TEST

START_TEST(times_without_a_link_are_unknown) {
    const struct view_table *t = show(lines[0]);
    ck_assert(!t->cells[0][column(t, "time_s")].known);
    t = show(LLAMA_7B " --dp 16 --link-gb-per-s 450 --net-gb-per-s 50");
    ck_assert(t->cells[0][column(t, "time_s")].known);
}
END_TEST

START_TEST(one_gpu_sends_nothing_and_has_no_total) {
    const struct view_table *t = show(LLAMA_7B);
    ck_assert_int_eq(t->row_count, 0);
    ck_assert_str_eq(t->title.id, "view.comm.nothing");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm_view");
    TCase *t = tcase_create("tables");
    tcase_add_loop_test(t, every_row_of_the_ledger_stands_in_the_table, 0, ROWS(lines));
    tcase_add_test(t, times_without_a_link_are_unknown);
    tcase_add_test(t, one_gpu_sends_nothing_and_has_no_total);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
