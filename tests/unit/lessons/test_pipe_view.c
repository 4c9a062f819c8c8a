/* The picture of a schedule against the simulator that it was made from: the same operations at the same ticks, the same
 * peaks, in windows of every kind; joined stretches against counting; what an operation waits for. */
#include "pipe_support.h"

#include <string.h>

static struct view view;
static struct ran now, other;

static struct view_gantt *picture(const struct pipe_window *window) {
    view_start(&view);
    pipe_gantt_add(&view, &now.picture, 1, window);
    return &view.items[0].gantt;
}

static const struct pipe_window whole = {.cursor = PIPE_NONE};

START_TEST(every_schedule_shows_every_operation_and_the_simulators_peaks) {
    for (int until_w = 0; until_w < 2; until_w++) {
        const struct pipe_request request = {
            .schedule = (enum pipe_schedule)_i, .ranks = 4, .micro_batches = 16};
        run_schedule(&now, &request, 2, 3, 1);
        const struct pipe_window window = {.until_w = until_w != 0, .cursor = PIPE_NONE};
        const struct view_gantt *g = picture(&window);
        ck_assert_int_eq(g->span_count, (int)pipe_order_count(&now.order));
        ck_assert(!g->joined);
        ck_assert_uint_eq(g->to, now.run.makespan);
        for (int row = 0; row < 4; row++) {
            uint64_t peak = 0;
            for (int i = 0; i < g->rows[row].span_count; i++) {
                const struct view_gantt_span *s = &g->spans[g->rows[row].first_span + i];
                const struct pipe_run_op *op = &now.space.ops[now.order.first[row] + (uint64_t)i];
                peak = s->held > peak ? s->held : peak;
                ck_assert(s->start == op->start && s->end == op->end);
            }
            const struct pipe_rank_run *run = &now.run.ranks[row];
            ck_assert_uint_eq(peak, until_w != 0 ? run->peak_until_w : run->peak_until_b);
            ck_assert_uint_eq(peak, g->rows[row].peak);
            ck_assert_uint_eq(
                g->spans[g->rows[row].first_span + g->rows[row].span_count - 1].held_after, 0);
        }
        run_free(&now);
    }
}
END_TEST

static void run_1f1b(uint32_t ranks, uint32_t micro_batches) {
    const struct pipe_request request = {
        .schedule = PIPE_1F1B, .ranks = ranks, .micro_batches = micro_batches};
    run_schedule(&now, &request, 1, 1, 1);
}

/* Operations of a rank that overlap a window, and what is held before it. */
static void check_window(uint64_t from, uint64_t to) {
    const struct pipe_window window = {
        .from = from, .to = to, .first_rank = 1, .ranks = 2, .cursor = PIPE_NONE};
    const struct view_gantt *g = picture(&window);
    ck_assert_int_eq(g->row_count, 2);
    for (int row = 0; row < 2; row++) {
        int seen = 0;
        uint32_t held = 0;
        for (uint64_t i = now.order.first[row + 1]; i < now.order.first[row + 2]; i++) {
            const struct pipe_run_op *op = &now.space.ops[i];
            if (op->end <= from) {
                held += now.order.ops[i].kind == PIPE_F ? 1 : 0;
                held -= now.order.ops[i].kind == PIPE_BW ? 1 : 0;
            } else if (op->start < to) {
                const struct view_gantt_span *s = &g->spans[g->rows[row].first_span + seen++];
                ck_assert(s->start == (op->start > from ? op->start : from));
                ck_assert(s->end == (op->end < to ? op->end : to));
                ck_assert(s->critical == (op->slack == 0));
            }
        }
        ck_assert_int_eq(seen, g->rows[row].span_count);
        ck_assert_uint_eq(held, g->rows[row].held_before);
        ck_assert_uint_eq(g->rows[row].rank, (uint64_t)row + 1);
    }
}

START_TEST(a_window_shows_what_lies_in_it_and_what_is_held_before_it) {
    run_1f1b(4, 8);
    for (uint64_t from = 0; from < now.run.makespan; from++) {
        for (uint64_t to = from + 1; to < now.run.makespan; to++) {
            check_window(from, to);
        }
    }
    run_free(&now);
}
END_TEST

START_TEST(steps_are_as_long_as_all_moments_allow) {
    const struct pipe_request request = {.schedule = PIPE_1F1B, .ranks = 3, .micro_batches = 5};
    run_schedule(&now, &request, 50, 75, 25);
    ck_assert_uint_eq(picture(&whole)->step, 50);
    run_free(&now);
    run_schedule(&now, &request, 50, 74, 25);
    ck_assert_uint_eq(picture(&whole)->step, 1);
    run_free(&now);
}
END_TEST

/* What fills most of a stretch of a rank: F, BW or idle (no other kinds in 1F1B). */
static int kind_of_stretch(uint64_t rank, uint64_t from, uint64_t to) {
    uint64_t forward = 0, backward = 0;
    for (uint64_t i = now.order.first[rank]; i < now.order.first[rank + 1]; i++) {
        const struct pipe_run_op *op = &now.space.ops[i];
        uint64_t start = op->start > from ? op->start : from, end = op->end < to ? op->end : to;
        uint64_t part = end > start ? end - start : 0;
        forward += now.order.ops[i].kind == PIPE_F ? part : 0;
        backward += now.order.ops[i].kind == PIPE_F ? 0 : part;
    }
    uint64_t idle = to - from - forward - backward, best = forward > backward ? forward : backward;
    return idle > best ? VIEW_GANTT_IDLE : forward >= backward ? VIEW_GANTT_F : VIEW_GANTT_BW;
}

START_TEST(too_many_operations_are_joined_and_each_stretch_shows_what_takes_most_of_it) {
    run_1f1b(5, 3000);
    const struct view_gantt *g = picture(&whole);
    ck_assert(g->joined);
    ck_assert_uint_eq(g->step, (now.run.makespan - 1) / 100 + 1);
    for (int row = 0; row < g->row_count; row++) {
        int at = g->rows[row].first_span, behind = at + g->rows[row].span_count;
        for (uint64_t from = 0; from < g->to; from += g->step) {
            uint64_t to = g->to - from < g->step ? g->to : from + g->step;
            bool shown = at < behind && g->spans[at].start == from;
            int kind = shown ? g->spans[at].kind : VIEW_GANTT_IDLE;
            ck_assert_int_eq(kind, kind_of_stretch((uint64_t)row, from, to));
            ck_assert(!shown || g->spans[at].end == to);
            ck_assert(!shown || g->spans[at].held <= g->rows[row].peak);
            at += shown ? 1 : 0;
        }
        ck_assert_int_eq(at, behind);
    }
    run_free(&now);
}
END_TEST

START_TEST(the_largest_schedules_fit_a_view) {
    static const enum pipe_schedule kinds[] = {PIPE_DUALPIPEV, PIPE_ZB_H1, PIPE_INTERLEAVED};
    for (int i = 0; i < 3; i++) {
        const struct pipe_request request = {
            .schedule = kinds[i], .ranks = 64, .micro_batches = 256};
        run_schedule(&now, &request, 1, 1, 1);
        const struct view_gantt *g = picture(&whole);
        ck_assert_int_le(g->span_count, VIEW_GANTT_SPANS_MAX);
        ck_assert_int_eq(g->row_count, VIEW_GANTT_ROWS_MAX);
        ck_assert_uint_eq(g->groups[0].ranks, 64);
        run_free(&now);
    }
}
END_TEST

static const char *text_at(const struct message *m, int arg) {
    return m->args[arg].text;
}

/* 1F1B, 4 ranks, 8 micro-batches: rank 0 runs F0 F1 F2 F3 B0 F4 …; B0 of rank 0 waits for B0 of rank 1, F4 for B0. */
START_TEST(an_operation_says_what_it_waits_for) {
    struct message m;
    run_1f1b(4, 8);
    pipe_explain(&now.picture, 0, 1, &m);
    ck_assert_str_eq(m.id, "view.gantt.starts.critical");
    pipe_explain(&now.picture, 4, 1, &m);
    ck_assert_str_eq(m.id, "view.gantt.waits_data.critical");
    ck_assert_str_eq(text_at(&m, 0), "B0");
    ck_assert_uint_eq(m.args[1].count, 0);
    ck_assert_str_eq(text_at(&m, 2), "10");
    ck_assert_str_eq(text_at(&m, 4), "B0");
    ck_assert_uint_eq(m.args[5].count, 1);
    pipe_explain(&now.picture, 3, 10, &m);
    ck_assert_str_eq(m.id, "view.gantt.waits_rank");
    ck_assert_str_eq(text_at(&m, 0), "F3");
    ck_assert_str_eq(text_at(&m, 2), "0.3");
    ck_assert_str_eq(text_at(&m, 4), "F2");
    run_free(&now);
}
END_TEST

START_TEST(the_cursor_stands_on_its_operation) {
    run_1f1b(4, 8);
    const struct pipe_window window = {.cursor = (int64_t)now.order.first[2] + 3};
    const struct view_gantt *g = picture(&window);
    ck_assert_int_eq(g->cursor_row, 2);
    ck_assert_int_eq(g->cursor_span, g->rows[2].first_span + 3);
    ck_assert_ptr_nonnull(g->explain.id);
    run_free(&now);
}
END_TEST

START_TEST(two_schedules_share_an_axis_and_their_difference_is_said) {
    const struct pipe_request request = {.schedule = PIPE_ZB_H1, .ranks = 4, .micro_batches = 8};
    run_1f1b(4, 8);
    run_schedule(&other, &request, 1, 1, 1);
    const struct pipe_picture both[] = {now.picture, other.picture};
    view_start(&view);
    pipe_gantt_add(&view, both, 2, &whole);
    const struct view_gantt *g = &view.items[0].gantt;
    ck_assert_int_eq(g->group_count, 2);
    ck_assert_int_eq(g->groups[1].first_row, 4);
    ck_assert_uint_eq(g->to, 33);
    ck_assert_uint_eq(g->groups[1].makespan, 27);
    ck_assert_str_eq(g->remark.id, "view.gantt.shorter");
    ck_assert_str_eq(text_at(&g->remark, 0), "zb-h1");
    ck_assert_str_eq(text_at(&g->remark, 2), "6");
    ck_assert_str_eq(text_at(&g->remark, 3), "18.2");
    run_free(&now);
    run_free(&other);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pipe_view");
    TCase *t = tcase_create("pictures");
    tcase_add_loop_test(t, every_schedule_shows_every_operation_and_the_simulators_peaks, 0,
                        PIPE_SCHEDULES);
    tcase_add_test(t, a_window_shows_what_lies_in_it_and_what_is_held_before_it);
    tcase_add_test(t, steps_are_as_long_as_all_moments_allow);
    tcase_add_test(t, too_many_operations_are_joined_and_each_stretch_shows_what_takes_most_of_it);
    tcase_add_test(t, the_largest_schedules_fit_a_view);
    tcase_add_test(t, an_operation_says_what_it_waits_for);
    tcase_add_test(t, the_cursor_stands_on_its_operation);
    tcase_add_test(t, two_schedules_share_an_axis_and_their_difference_is_said);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
