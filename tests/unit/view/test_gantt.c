/* The Gantt: its text to the character in three widths; every column shows what takes most of it, against counting tick
 * by tick; strips never hide a level; nothing is put outside the width, whatever the language and the signs; JSON. */
#include <check.h>
#include <stdio.h>

#include "shardlab/view/read.h"
#include "support/json_text.h"
#include "support/sample_pictures.h"

static struct view view;
static char buffer[1 << 18];

static const char *text_of(int width, bool ascii, bool chinese) {
    struct words words = picture_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

static struct view_gantt *start(void) {
    view_start(&view);
    return sample_gantt(&view);
}

START_TEST(with_room_every_operation_has_its_name) {
    start()->strip = true;
    ck_assert_str_eq(text_of(80, false, false),
                     "1f1b\n"
                     "stage 0 │F0F1    B0··  B1··│ 2\n"
                     "         ▄▄██████████▄▄▄▄▄▄\n"
                     "stage 1 │  F0B0··F1B1··    │ 1\n"
                     "           ▄▄▄▄▄▄▄▄▄▄▄▄\n"
                     "         0   2   4   6   8\n"
                     "F3 forward   B3 backward   ▂▅█ held   blank: idle\n");
}
END_TEST

START_TEST(in_ascii_levels_are_numbers_and_the_critical_path_a_line) {
    struct view_gantt *g = start();
    g->strip = g->marks_critical = true;
    message_start(&g->explain, "p.explain");
    ck_assert_str_eq(text_of(80, true, true),
                     "1f1b\n"
                     "阶段 0 |F0F1    B0..  B1..| 2\n"
                     "        ==            ====\n"
                     "        112222222222111111\n"
                     "阶段 1 |  F0B0..F1B1..    | 1\n"
                     "          ============\n"
                     "          111111111111\n"
                     "        0   2   4   6   8\n"
                     "F3 前向   B3 反向   === 关键路径   1 2 3 在途   空白：空闲\n"
                     "F1 在等待\n");
}
END_TEST

START_TEST(long_operations_without_room_show_a_digit) {
    struct view_gantt *g = start();
    for (int i = 0; i < g->span_count; i++) {
        g->spans[i].start *= 3;
        g->spans[i].end *= 3;
    }
    g->to = g->groups[0].makespan = 27;
    g->spans[1].micro_batch = 101; /* the name would need 4 columns */
    ck_assert_str_eq(text_of(40, true, false), "1f1b\n"
                                               "0 |0--1--      0.....   1.....|\n"
                                               "1 |   0--0.....1--1.....      |\n"
                                               "   0    5    10   15   20   25\n"
                                               "3 forward   3. backward   blank: idle\n");
}
END_TEST

START_TEST(a_small_width_joins_ticks_and_says_so) {
    struct view_gantt *g = start();
    for (int i = 0; i < g->span_count; i++) {
        g->spans[i].start *= 100;
        g->spans[i].end *= 100;
    }
    g->spans[0].end = 37;
    g->to = g->groups[0].makespan = 900;
    const char *text = text_of(40, true, false);
    ck_assert_ptr_nonnull(strstr(text, "a column is 25\n"));
    ck_assert_ptr_nonnull(strstr(text, "0 |0   1---        0.......    1.......|\n"));
}
END_TEST

START_TEST(a_pair_shows_both_of_its_operations) {
    struct view_gantt *g = start();
    g->chunks = 2;
    g->spans[5].paired = true;
    g->spans[5].kind = VIEW_GANTT_F;
    g->spans[5].chunk = 1;
    g->spans[6] = g->spans[5];
    g->spans[6].paired = false;
    g->spans[6].kind = VIEW_GANTT_BW;
    g->spans[6].chunk = 0;
    g->spans[6].micro_batch = 7;
    ck_assert_ptr_nonnull(strstr(text_of(120, true, false), "F0b&B7a"));
    for (int i = 0; i < g->span_count; i++) {
        g->spans[i].start *= 4;
        g->spans[i].end *= 4;
    }
    g->to = g->groups[0].makespan = 36;
    g->spans[0].micro_batch = 1000; /* no room for names */
    ck_assert_ptr_nonnull(strstr(text_of(40, true, false), "|    0---a&7.....    1"));
    ck_assert_ptr_nonnull(strstr(text_of(40, true, false), "3&5 together"));
}
END_TEST

START_TEST(two_schedules_share_one_axis_and_each_ends_where_it_ends) {
    struct view_gantt *g = start();
    g->group_count = 2;
    g->groups[0].row_count = 1;
    g->groups[1] = g->groups[0];
    g->groups[1].first_row = 1;
    g->groups[1].makespan = 7;
    g->groups[1].ranks = 64;
    ck_assert_str_eq(text_of(80, true, false), "1f1b\n"
                                               "stage 0 |F0F1    B0..  B1..|\n"
                                               "stages 0 to 0 of 2\n"
                                               "1f1b\n"
                                               "stage 1 |  F0B0..F1B1..|\n"
                                               "stages 1 to 1 of 64\n"
                                               "         0   2   4   6   8\n"
                                               "F3 forward   B3 backward   blank: idle\n");
}
END_TEST

/* What a pen was told, as characters: one row of cells, from the first cell on. */
struct note {
    char cells[64][600];
    int cols;
};

static void note_put(void *context, int row, int col, const char *text, enum view_tone tone) {
    struct note *n = context;
    struct width_rules rules = {false};
    int cols = width_text(text, &rules);
    (void)tone;
    if (row >= 64 || col < 0 || (cols > 0 && col + cols > n->cols)) {
        ck_abort_msg("\"%s\" at row %d, column %d of %d", text, row, col, n->cols);
    }
    for (int i = 0; i < cols; i++) { /* wide letters stand as two copies of a sign */
        n->cells[row][col + i] =
            (unsigned char)text[0] < 0x80 && i < (int)strlen(text) ? text[i] : '#';
    }
}

static int note_say(void *context, int row, const char *text, enum view_tone tone) {
    (void)context;
    (void)row;
    (void)tone;
    return text[0] != '\0' ? 1 : 0;
}

static struct note notes;

static int note_gantt(const struct view_gantt *g, int cols, bool ascii, bool chinese) {
    struct words words = picture_book(chinese);
    struct view_pen pen = {.context = &notes,
                           .words = &words,
                           .cols = cols,
                           .ascii = ascii,
                           .put = note_put,
                           .say = note_say};
    memset(&notes, ' ', sizeof notes);
    notes.cols = cols;
    return view_gantt_paint(&pen, 0, g);
}

static uint64_t seed = UINT64_C(0x9E3779B97F4A7C15);

static int below(int limit) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (uint64_t)limit);
}

/* Operations of random lengths with random gaps. */
static void random_gantt(struct view_gantt *g, int most) {
    uint64_t longest = 0;
    g->span_count = g->row_count = 0;
    for (int row = 0; row < 3; row++) {
        struct view_gantt_row *r = &g->rows[g->row_count++];
        uint64_t at = (uint64_t)below(5);
        *r = (struct view_gantt_row){.rank = (uint64_t)row, .first_span = g->span_count, .peak = 9};
        for (r->span_count = 0; r->span_count < 5 + most; r->span_count++) {
            uint64_t end = at + 1 + (uint64_t)below(most);
            int kind = below(VIEW_GANTT_KINDS);
            g->spans[g->span_count++] = (struct view_gantt_span){.start = at,
                                                                 .end = end,
                                                                 .kind = (uint8_t)kind,
                                                                 .micro_batch = below(200),
                                                                 .held = 1 + (uint32_t)below(9),
                                                                 .held_after = (uint32_t)below(9)};
            at = end + (uint64_t)(below(3) == 0 ? below(most) : 0);
            longest = end > longest ? end : longest;
        }
    }
    g->to = g->groups[0].makespan = longest;
    g->groups[0].ranks = 3;
    g->groups[0].row_count = 3;
}

/* What runs at a tick: a kind, or -1. */
static int kind_at(const struct view_gantt *g, int row, uint64_t tick) {
    for (int i = 0; i < g->rows[row].span_count; i++) {
        const struct view_gantt_span *s = &g->spans[g->rows[row].first_span + i];
        if (s->start <= tick && tick < s->end) {
            return s->kind;
        }
    }
    return -1;
}

/* The most frequent of the ticks in a column; a tie goes to an operation, then to the kind that comes first. */
static int kind_of_column(const struct view_gantt *g, int row, uint64_t from, uint64_t to) {
    int count[VIEW_GANTT_KINDS] = {0}, idle = 0, best = 0;
    for (uint64_t t = from; t < to && t < g->to; t++) {
        int kind = kind_at(g, row, t);
        idle += kind < 0 ? 1 : 0;
        count[kind < 0 ? 0 : kind] += kind < 0 ? 0 : 1;
    }
    for (int i = 1; i < VIEW_GANTT_KINDS; i++) {
        best = count[i] > count[best] ? i : best;
    }
    return idle > count[best] ? -1 : best;
}

START_TEST(every_column_shows_what_takes_most_of_it) {
    struct view_gantt *g = start();
    for (int round = 0; round < 300; round++) {
        random_gantt(g, 2 + below(40));
        int cols = 40 + below(20);
        note_gantt(g, cols, true, false);
        int room = cols - 3 - 1; /* "0 |" and the wall at the end */
        uint64_t each = (g->to - 1) / (uint64_t)room + 1;
        for (int row = 0; row < 3 && each > 1; row++) {
            for (int c = 0; (uint64_t)c * each < g->to; c++) {
                int kind = kind_of_column(g, row, (uint64_t)c * each, (uint64_t)(c + 1) * each);
                bool blank = notes.cells[row + 1][3 + c] == ' ';
                if (blank != (kind < 0)) {
                    ck_abort_msg("round %d, row %d, column %d of %d ticks: '%c', kind %d", round,
                                 row, c, (int)each, notes.cells[row + 1][3 + c], kind);
                }
                bool weights = strchr("+", notes.cells[row + 1][3 + c]) != NULL;
                if (weights && kind != VIEW_GANTT_W) {
                    ck_abort_msg("round %d, row %d, column %d: weights, kind %d", round, row, c,
                                 kind);
                }
            }
        }
    }
}
END_TEST

START_TEST(nothing_is_put_outside_the_width) {
    struct view_gantt *g = start();
    for (int round = 0; round < 400; round++) {
        random_gantt(g, 1 + below(30));
        g->strip = below(2) != 0;
        g->marks_critical = below(2) != 0;
        g->rows[0].chunk_bytes = (uint64_t)below(3) * UINT64_C(1000000000);
        g->ticks_per_unit = below(2) != 0 ? 10 : 1;
        (void)note_gantt(g, 24 + below(300), below(2) != 0, below(2) != 0);
    }
}
END_TEST

START_TEST(json_is_exact_and_has_no_faults) {
    struct writer w;
    struct json j;
    struct view_gantt *g = start();
    g->spans[3].micro_batch = VIEW_GANTT_MANY;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    writer_char(&w, '\n');
    size_t where = 0;
    ck_assert(!w.overflow);
    ck_assert_ptr_null(json_answer_fault(buffer, w.length, &where));
    ck_assert(json_is(json_at(buffer, "view[0].kind"), "\"gantt\""));
    ck_assert_uint_eq(json_digits(buffer, "view[0].groups[0].makespan"), 9);
    ck_assert(json_is(json_at(buffer, "view[0].groups[0].rows[1].spans[1].op"), "\"BW\""));
    ck_assert_uint_eq(json_digits(buffer, "view[0].groups[0].rows[1].spans[1].end"), 4);
    ck_assert(json_is(json_at(buffer, "view[0].groups[0].rows[0].spans[3].micro_batch"), "null"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gantt");
    TCase *t = tcase_create("text");
    tcase_add_test(t, with_room_every_operation_has_its_name);
    tcase_add_test(t, in_ascii_levels_are_numbers_and_the_critical_path_a_line);
    tcase_add_test(t, long_operations_without_room_show_a_digit);
    tcase_add_test(t, a_small_width_joins_ticks_and_says_so);
    tcase_add_test(t, a_pair_shows_both_of_its_operations);
    tcase_add_test(t, two_schedules_share_one_axis_and_each_ends_where_it_ends);
    suite_add_tcase(s, t);
    TCase *p = tcase_create("properties");
    tcase_add_test(p, every_column_shows_what_takes_most_of_it);
    tcase_add_test(p, nothing_is_put_outside_the_width);
    tcase_add_test(p, json_is_exact_and_has_no_faults);
    suite_add_tcase(s, p);
    return s;
}

#include "support/check_main.h"
