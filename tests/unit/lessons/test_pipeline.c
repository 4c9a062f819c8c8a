/* The lesson on pipelines without a terminal: its words have their pages and figures, each page shows the schedules that it
 * speaks of with the closed forms' numbers, a step goes from cell to cell and says what each waits for, the questions have
 * one right answer in every scenario that the knobs reach, and what cannot be drawn is said. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "pages_support.h"

enum { BUBBLE, FLIGHT, INTERLEAVED, ZERO, BALANCE, PAGES };
enum { TF, TB, TW, COMM, PIECES, SPLIT, TIMES, WALK, KNOBS };
#define LLAMA3                                                                                     \
    "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --gated yes --vocab 128256"
#define START LLAMA3 " --seq 4096 --pp 4 --micro-batches 8"

static const char *const languages[] = {"en", "zh"};

static const struct lesson *pipeline(void) {
    const struct lesson *lesson = lesson_called("pipeline");
    ck_assert_int_eq(lesson->own_count, KNOBS);
    return lesson;
}

/* The stops by their texts, "- - - 1 - - - critical"; a dash: where it starts. */
static const int *stops_of(const char *texts) {
    static int own[LESSON_OWN_MAX];
    char copy[128], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", texts);
    char *word = strtok_r(copy, " ", &rest);
    for (int i = 0; i < KNOBS; i++, word = strtok_r(NULL, " ", &rest)) {
        const struct lesson_knob *knob = &pipeline()->own[i];
        ck_assert_msg(word != NULL, "%s", texts);
        own[i] = strcmp(word, "-") == 0 ? knob->start : -1;
        for (int k = 0; knob->stops[k] != NULL; k++) {
            own[i] = strcmp(knob->stops[k], word) == 0 ? k : own[i];
        }
        ck_assert_msg(own[i] >= 0, "%s: no stop %s", knob->name, word);
    }
    return own;
}

#define AS_IT_STARTS "- - - - - - - -"

static const char *figure_of(const struct scenario *s, const char *stops, const char *name) {
    const struct lesson_input in = {.now = s, .own = stops_of(stops)};
    return figure_in(pipeline(), &in, name);
}

static struct view *view_at(const struct scenario *s, const char *stops, int page) {
    const struct lesson_input in = {.now = s, .own = stops_of(stops), .page = page};
    return picture_of(pipeline(), &in);
}

static const struct view_gantt *gantt_of(const struct scenario *s, const char *stops, int page) {
    struct view_item *item = item_of(view_at(s, stops, page), VIEW_KIND_GANTT);
    ck_assert_ptr_nonnull(item);
    return &item->gantt;
}

START_TEST(words_have_the_pages_that_the_lesson_counts_and_every_figure_a_value) {
    struct scenario s = scenario_of(START);
    const struct lesson_input in = {.now = &s};
    const char *text = words_of(pipeline(), languages[_i]);
    ck_assert_int_eq(pages_of(text), PAGES);
    ck_assert_int_eq(pipeline()->page_count, PAGES);
    ck_assert_int_gt(check_figures(pipeline(), &in, text), 20);
}
END_TEST

static const struct {
    const char *options, *stops, *name, *text;
} figures[] = {
    {"", AS_IT_STARTS, "bubble", "27.3 %"}, /* 3/11 */
    {"", AS_IT_STARTS, "over_ideal", "37.5 %"},
    {"", AS_IT_STARTS, "bubble_gpipe", "27.3 %"},
    {"", AS_IT_STARTS, "bubble_double", "15.8 %"}, /* 3/19 */
    {"", "3 2 1 - - - - -", "bubble", "27.3 %"},   /* whatever the times */
    {"", AS_IT_STARTS, "held", "4"},
    {"", AS_IT_STARTS, "held_gpipe", "8"},
    {"--micro-batches 2", AS_IT_STARTS, "held", "2"},
    {"", AS_IT_STARTS, "sends", "48"},         /* 2·8·3 */
    {"", AS_IT_STARTS, "pieces_sends", "112"}, /* 2·8·7 */
    {"", AS_IT_STARTS, "pieces_over", "18.8 %"},
    {"", AS_IT_STARTS, "pieces_held", "5.5"}, /* 11 halves */
    {"", "- - - - 4 - - -", "pieces_over", "9.4 %"},
    {"", AS_IT_STARTS, "boundary", "33.6 MB"},
    {"", AS_IT_STARTS, "fast", "33"},
    {"", AS_IT_STARTS, "slow", "49"}, /* pipeline vectors V014, V023 */
    {"", AS_IT_STARTS, "slow_gpipe", "39"},
    {"", AS_IT_STARTS, "slow_pieces", "46"},
    {"", AS_IT_STARTS, "h1_makespan", "27"},
    {"", AS_IT_STARTS, "h2_makespan", "27"},
    {"", "- - - - - zb-h2 - -", "split_span", "0.0 %"},
    {"", "- - - - - zb-h2 - -", "split_bubble", "11.1 %"},
    {"", "- - - - - zb-h2 - -", "split_held", "7"},
    {"", "- - - - - zb-h1 - -", "split_held", "4"},
    {"", "- - - - - zb-v - -", "split_held", "4"},
    {"--micro-batches 4", "- - - - - zb-h2 - -", "split_held", "—"}, /* needs 2p−1 */
    {"", AS_IT_STARTS, "bubble_equal", "27.3 %"},
    {"", AS_IT_STARTS, "last_forward", "1.26"},
    {"--pp 1", AS_IT_STARTS, "boundary", "—"},
};

START_TEST(figures_are_those_of_the_closed_forms_and_of_the_vectors) {
    char line[512];
    snprintf(line, sizeof line, "%s %s", START, figures[_i].options);
    struct scenario s = scenario_of(line);
    const char *text = figure_of(&s, figures[_i].stops, figures[_i].name);
    ck_assert_msg(strcmp(text, figures[_i].text) == 0, "%s %s {{%s}} is %s, not %s",
                  figures[_i].options, figures[_i].stops, figures[_i].name, text, figures[_i].text);
}
END_TEST

START_TEST(an_unknown_figure_is_refused) {
    char text[16];
    struct writer w;
    struct scenario s = scenario_of("--params 7B --pp 4");
    const struct lesson_input in = {.now = &s};
    writer_start(&w, text, sizeof text);
    ck_assert(!pipeline()->figure(&in, "no_such_figure", &w));
    ck_assert_str_eq(figure_of(&s, AS_IT_STARTS, "first_stage4"), "—");
}
END_TEST

/* --- Claims --- */

/* "1F1B shrinks the bubble": with equal stages it has GPipe's, and only holds less. */
START_TEST(gpipe_and_1f1b_idle_equally_long_and_hold_unequally) {
    for (uint64_t p = 2; p <= 8; p *= 2) {
        for (uint64_t m = 1; m <= 32; m *= 2) {
            char line[512];
            snprintf(line, sizeof line, LLAMA3 " --pp %ju --micro-batches %ju", (uintmax_t)p,
                     (uintmax_t)m);
            struct scenario s = scenario_of(line);
            const struct view_gantt *g = gantt_of(&s, AS_IT_STARTS, BUBBLE);
            ck_assert_int_eq(g->group_count, 2);
            ck_assert_uint_eq(g->groups[0].makespan, 3 * (m + p - 1));
            ck_assert_uint_eq(g->groups[1].makespan, 3 * (m + p - 1));
            for (uint64_t q = 0; q < p; q++) {
                ck_assert_uint_eq(g->rows[q].peak, m < p - q ? m : p - q);
                ck_assert_uint_eq(g->rows[p + q].peak, m);
            }
        }
    }
}
END_TEST

/* "More stages, fewer activations on each": not on the first. What one stage has more is the head. */
START_TEST(the_first_stage_of_1f1b_holds_as_much_on_any_number_of_stages) {
    struct scenario s = scenario_of(START);
    char two[32];
    snprintf(two, sizeof two, "%s", figure_of(&s, AS_IT_STARTS, "first_stage2"));
    ck_assert_str_eq(two, "18.27 GB");
    ck_assert_str_eq(figure_of(&s, AS_IT_STARTS, "first_stage4"), two);
    ck_assert_str_eq(figure_of(&s, AS_IT_STARTS, "first_stage8"), two);
}
END_TEST

START_TEST(what_a_stage_holds_in_the_picture_is_what_the_calculator_counts) {
    static const char *const options[] = {"--schedule 1f1b", "--schedule gpipe",
                                          "--schedule interleaved --chunks 2",
                                          "--schedule 1f1b --pp 8 --micro-batches 3"};
    char line[512];
    snprintf(line, sizeof line, START " %s", options[_i]);
    struct scenario s = scenario_of(line);
    const struct view_gantt *g = gantt_of(&s, AS_IT_STARTS, FLIGHT);
    ck_assert(g->strip);
    for (int row = 0; row < g->row_count; row++) {
        struct calc_memory memory;
        struct message why;
        ck_assert_int_eq(calc_memory_on_stage(&s, (uint64_t)row, &memory, &why), STATUS_OK);
        ck_assert_uint_eq(g->rows[row].peak, memory.in_flight);
        uint64_t shown = g->rows[row].peak * g->rows[row].chunk_bytes;
        uint64_t counted = memory.part_bytes[CALC_PART_ACTIVATIONS];
        bool head = row == g->row_count - 1; /* interleaved runs it for its last chunk only */
        ck_assert(shown == counted || (head && shown > counted && shown < counted * 11 / 10));
    }
}
END_TEST

/* "(p−1)/(v·m)", and what it costs. */
START_TEST(interleaving_divides_the_bubble_and_multiplies_messages) {
    struct scenario s = scenario_of(START);
    static const struct {
        const char *stops;
        uint64_t v;
    } rows[] = {{"- - - - 2 - - -", 2}, {"- - - - 4 - - -", 4}, {"- - - - 8 - - -", 8}};
    for (int i = 0; i < ROWS(rows); i++) {
        struct view *view = view_at(&s, rows[i].stops, INTERLEAVED);
        const struct view_table *t = &item_of(view, VIEW_KIND_TABLE)->table;
        double over = t->cells[0][3].real, want = 3.0 / (double)(rows[i].v * 8);
        ck_assert_double_eq_tol(over, want, 1e-12);
        ck_assert_double_eq_tol(t->cells[1][3].real, 3.0 / 8, 1e-12);
        ck_assert_uint_eq(t->cells[0][6].count, 2 * 8 * (4 * rows[i].v - 1));
        ck_assert(t->cells[0][5].real > t->cells[1][5].real);
        /* the same unit for both, and the strip in whole stages like the table */
        ck_assert_double_eq_tol(t->cells[1][1].real, 33, 1e-12);
        const struct view_gantt *g = &item_of(view, VIEW_KIND_GANTT)->gantt;
        ck_assert_int_eq(g->group_count, 1);
        ck_assert_uint_eq(g->rows[0].parts, rows[i].v);
        ck_assert_double_eq_tol(t->cells[0][5].real, (double)g->rows[0].peak / (double)rows[i].v,
                                1e-12);
    }
}
END_TEST

START_TEST(zero_bubble_is_zero_over_each_ranks_own_span_only) {
    struct scenario s = scenario_of(START);
    const struct view_table *t =
        &item_of(view_at(&s, "- - - - - zb-h2 - -", ZERO), VIEW_KIND_TABLE)->table;
    ck_assert(t->cells[0][4].real < 1e-12);
    ck_assert(t->cells[0][2].real > 0.1);
    ck_assert_double_eq_tol(t->cells[0][5].real, 7, 1e-12); /* 2p−1 */
    ck_assert_double_eq_tol(t->cells[1][5].real, 4, 1e-12);
}
END_TEST

START_TEST(stages_of_the_model_are_unequal_by_the_head_alone) {
    struct scenario s = scenario_of(START);
    const struct view_gantt *g = gantt_of(&s, "- - - - - - model -", BALANCE);
    uint64_t longest[4] = {0};
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < g->rows[row].span_count; i++) {
            const struct view_gantt_span *span = &g->spans[g->rows[row].first_span + i];
            uint64_t length = span->end - span->start;
            longest[row] = length > longest[row] ? length : longest[row];
        }
    }
    ck_assert(longest[0] == longest[1] && longest[1] == longest[2]);
    ck_assert_uint_gt(longest[3], longest[2]);
    ck_assert_uint_eq(gantt_of(&s, "- - - - - - equal -", BALANCE)->to, 33);
    double model = strtod(figure_of(&s, AS_IT_STARTS, "bubble_model"), NULL);
    ck_assert(model > strtod(figure_of(&s, AS_IT_STARTS, "bubble_equal"), NULL));
}
END_TEST

/* --- Cell by cell --- */

START_TEST(a_step_goes_through_the_cells_of_a_stage_or_of_the_critical_path) {
    struct scenario s = scenario_of(START);
    static const char *const walks[] = {AS_IT_STARTS, "- - - - - - - 2", "- - - - - - - critical",
                                        "- - - - - - - 7"};
    for (int i = 0; i < ROWS(walks); i++) {
        struct lesson_input in = {.now = &s, .own = stops_of(walks[i]), .page = _i};
        int start = -1, last = pipeline()->frames(&in, &start);
        ck_assert_int_ge(last, 15);
        ck_assert(start >= 0 && start <= last);
        uint64_t before = 0;
        for (in.frame = 0; in.frame <= last; in.frame++) {
            const struct view_gantt *g =
                &item_of(picture_of(pipeline(), &in), VIEW_KIND_GANTT)->gantt;
            ck_assert_int_ge(g->cursor_span, 0);
            ck_assert_ptr_nonnull(g->explain.id);
            const struct view_gantt_span *span = &g->spans[g->cursor_span];
            ck_assert_uint_ge(span->start, before);
            before = span->start;
            ck_assert(i != 2 || span->critical);
            ck_assert(i != 1 || g->cursor_row == 2);
            ck_assert(i != 3 || g->cursor_row == 3); /* there is no stage 7 */
            ck_assert(in.frame > 0 || i != 2 || span->start == 0);
        }
    }
}
END_TEST

START_TEST(a_page_begins_where_the_first_stage_has_waited) {
    struct scenario s = scenario_of(START);
    struct lesson_input in = {.now = &s, .page = BUBBLE};
    int start = -1;
    ck_assert_int_eq(pipeline()->frames(&in, &start), 15);
    ck_assert_int_eq(start, 4); /* F0 … F3, then B0 */
    in.frame = start;
    const struct view_gantt *g = &item_of(picture_of(pipeline(), &in), VIEW_KIND_GANTT)->gantt;
    ck_assert_str_eq(g->explain.id, "view.gantt.waits_data.critical");
    ck_assert_str_eq(g->explain.args[4].text, "B0");
    ck_assert_uint_eq(g->explain.args[5].count, 1);
}
END_TEST

/* --- What is asked --- */

static int asked;

static void check_guess(const struct lesson_input *in) {
    struct lesson_guess guess = {0};
    if (!pipeline()->guess(in, &guess)) {
        return;
    }
    asked++;
    uint64_t p = in->now->layout.pp, m = in->now->batch.micro_batches;
    char want[32];
    if (in->page == BUBBLE) {
        snprintf(want, sizeof want, "%.1f %%", 100 * (double)(p - 1) / (double)(m + p - 1));
    } else {
        snprintf(want, sizeof want, "%ju", (uintmax_t)(m < p ? m : p));
    }
    ck_assert_str_eq(guess.choices[guess.right].args[0].text, want);
    ck_assert_int_ge(guess.choice_count, 3);
    ck_assert_ptr_nonnull(guess.question.id);
    for (int i = 0; i < guess.choice_count; i++) {
        ck_assert_ptr_nonnull(guess.why[i].id);
        for (int k = 0; k < i; k++) {
            ck_assert_str_ne(guess.choices[i].args[0].text, guess.choices[k].args[0].text);
        }
    }
}

START_TEST(the_questions_have_one_right_answer_wherever_they_are_asked) {
    for (int page = BUBBLE; page <= FLIGHT; page++) {
        asked = 0;
        for (uint64_t p = 1; p <= 32; p *= 2) {
            for (uint64_t m = 1; m <= 256; m *= 2) {
                char line[512];
                snprintf(line, sizeof line, LLAMA3 " --pp %ju --micro-batches %ju", (uintmax_t)p,
                         (uintmax_t)m);
                struct scenario s = scenario_of(line);
                const struct lesson_input in = {.now = &s, .page = page};
                check_guess(&in);
            }
        }
        ck_assert_int_gt(asked, 15);
    }
}
END_TEST

START_TEST(nothing_is_asked_of_other_schedules_and_on_other_pages) {
    struct lesson_guess guess = {0};
    struct scenario gpipe = scenario_of(START " --schedule gpipe"),
                    few = scenario_of(LLAMA3 " --pp 4 --micro-batches 4"), s = scenario_of(START);
    const struct lesson_input none[] = {
        {.now = &gpipe, .page = BUBBLE},
        {.now = &gpipe, .page = FLIGHT},
        {.now = &few, .page = FLIGHT}, /* p and m are the same number */
        {.now = &s, .page = ZERO},
        {.now = &s, .page = BUBBLE, .own = stops_of("- - - 1 - - - -")}};
    for (int i = 0; i < ROWS(none); i++) {
        ck_assert_msg(!pipeline()->guess(&none[i], &guess), "%d", i);
    }
}
END_TEST

/* --- Everything that can be set --- */

static void check_picture(const struct lesson_input *in) {
    int start = -1, last = pipeline()->frames(in, &start);
    struct view *view = picture_of(pipeline(), in);
    struct view_item *gantt = item_of(view, VIEW_KIND_GANTT);
    ck_assert_int_ge(last, 0);
    ck_assert_ptr_nonnull(item_of(view, VIEW_KIND_TEXT));
    ck_assert(gantt == NULL || gantt->gantt.span_count > 0);
    if (gantt ==
        NULL) { /* then the reason is said, and the numbers are still there where a table has them */
        ck_assert_ptr_nonnull(item_of(view, VIEW_KIND_TEXT)->text.lines[0].id);
    }
}

START_TEST(every_stop_of_every_knob_has_a_picture_or_a_reason) {
    struct scenario s = scenario_of(START);
    struct lesson_input in = {.now = &s, .page = _i};
    ck_assert_int_gt(each_stop(pipeline(), in, check_picture), 70);
    int own[LESSON_OWN_MAX];
    for (int knob = 0; knob < KNOBS; knob++) {
        for (int stop = 0; pipeline()->own[knob].stops[stop] != NULL; stop++) {
            memcpy(own, stops_of(AS_IT_STARTS), sizeof own);
            own[knob] = stop;
            in.own = own;
            check_picture(&in);
        }
    }
}
END_TEST

START_TEST(what_is_too_large_or_not_legal_is_said_and_the_rest_still_shown) {
    struct scenario large = scenario_of(LLAMA3 " --pp 32 --micro-batches 256");
    struct view *view = view_at(&large, AS_IT_STARTS, FLIGHT);
    ck_assert_ptr_null(item_of(view, VIEW_KIND_GANTT));
    ck_assert_str_eq(item_of(view, VIEW_KIND_TEXT)->text.lines[0].id, "lesson.pipeline.too_large");
    ck_assert_int_eq(item_of(view, VIEW_KIND_TABLE)->table.row_count, 32);
    struct scenario few = scenario_of(LLAMA3 " --pp 4 --micro-batches 4");
    view = view_at(&few, "- - - - - zb-h2 - -", ZERO);
    ck_assert_int_eq(item_of(view, VIEW_KIND_GANTT)->gantt.group_count, 1);
    ck_assert_str_eq(item_of(view, VIEW_KIND_TEXT)->text.lines[0].id,
                     "error.pipe.micro_batches_least");
}
END_TEST

static const struct {
    int page;
    const char *options, *stops, *line;
} commands[] = {
    {BUBBLE, "", AS_IT_STARTS,
     "pipe --schedule 1f1b --stages 4 --micro-batches 8 --tf 1 --tb 1 --tw 1 --gantt --against "
     "gpipe"},
    {BUBBLE, "--schedule gpipe", "2 - 3 1 - - - -",
     "pipe --schedule gpipe --stages 4 --micro-batches 8 --tf 2 --tb 1 --tw 3 --comm 1 --gantt "
     "--against 1f1b"},
    {INTERLEAVED, "", "- - - - 4 - - -",
     "pipe --schedule interleaved --stages 4 --micro-batches 8 --chunks 4 --tf 0.25 --tb 0.25 --tw "
     "0.25 --gantt --against 1f1b"},
    {ZERO, "", "- - - - - zb-v - -",
     "pipe --schedule zb-v --stages 4 --micro-batches 8 --tf 0.5 --tb 0.5 --tw 0.5 --gantt "
     "--against 1f1b"},
    {BALANCE, "", AS_IT_STARTS,
     "pipe --schedule 1f1b --stages 4 --micro-batches 8 --tf 1,1,1,1.26 --tb 1.13,1.13,1.13,1.39 "
     "--tw 0.87,0.87,0.87,1.13 --gantt"},
    {BALANCE, "", "- - - - - - equal -",
     "pipe --schedule 1f1b --stages 4 --micro-batches 8 --tf 1 --tb 1 --tw 1 --gantt"},
};

START_TEST(the_command_line_is_the_one_of_the_picture) {
    char text[256], line[512];
    struct writer w;
    snprintf(line, sizeof line, START " %s", commands[_i].options);
    struct scenario s = scenario_of(line);
    const struct lesson_input in = {
        .now = &s, .own = stops_of(commands[_i].stops), .page = commands[_i].page};
    writer_start(&w, text, sizeof text);
    pipeline()->command(&in, &w);
    ck_assert_str_eq(text, commands[_i].line);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("pipeline lesson");
    TCase *t = tcase_create("lesson");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, words_have_the_pages_that_the_lesson_counts_and_every_figure_a_value, 0,
                        2);
    tcase_add_loop_test(t, figures_are_those_of_the_closed_forms_and_of_the_vectors, 0,
                        ROWS(figures));
    tcase_add_test(t, an_unknown_figure_is_refused);
    tcase_add_test(t, gpipe_and_1f1b_idle_equally_long_and_hold_unequally);
    tcase_add_test(t, the_first_stage_of_1f1b_holds_as_much_on_any_number_of_stages);
    tcase_add_loop_test(t, what_a_stage_holds_in_the_picture_is_what_the_calculator_counts, 0, 4);
    tcase_add_test(t, interleaving_divides_the_bubble_and_multiplies_messages);
    tcase_add_test(t, zero_bubble_is_zero_over_each_ranks_own_span_only);
    tcase_add_test(t, stages_of_the_model_are_unequal_by_the_head_alone);
    tcase_add_loop_test(t, a_step_goes_through_the_cells_of_a_stage_or_of_the_critical_path, 0,
                        PAGES);
    tcase_add_test(t, a_page_begins_where_the_first_stage_has_waited);
    tcase_add_test(t, the_questions_have_one_right_answer_wherever_they_are_asked);
    tcase_add_test(t, nothing_is_asked_of_other_schedules_and_on_other_pages);
    tcase_add_loop_test(t, every_stop_of_every_knob_has_a_picture_or_a_reason, 0, PAGES);
    tcase_add_test(t, what_is_too_large_or_not_legal_is_said_and_the_rest_still_shown);
    tcase_add_loop_test(t, the_command_line_is_the_one_of_the_picture, 0, ROWS(commands));
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
