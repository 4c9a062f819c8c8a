/* The lesson on collectives without a terminal: both languages have its pages, every number in the words is computed,
 * knobs rest on stops that commands understand, the table of times and its crossings follow the model, and the
 * experiment asks only what it can answer. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"

#include "shardlab/coll/steps.h"

enum { RANKS, ELEMS, COLLECTIVE, ALGORITHM, LINK, ALPHA, KNOBS, PAGES = 5, TEXT_MAX = 1 << 15 };

#define CARD "--params 7B --link-gb-per-s 300 --net-gb-per-s 25"

static const struct lesson *collectives(void) {
    const struct lesson *lesson = lesson_find("collectives");
    ck_assert_ptr_nonnull(lesson);
    ck_assert_int_eq(lesson->own_count, KNOBS);
    return lesson;
}

/* The stops by their texts, "8 - - tree - -"; a dash: where it starts. */
static const int *stops_of(const char *texts) {
    static int own[LESSON_OWN_MAX];
    char copy[128], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", texts);
    char *word = strtok_r(copy, " ", &rest);
    for (int i = 0; i < KNOBS; i++, word = strtok_r(NULL, " ", &rest)) {
        const struct lesson_knob *knob = &collectives()->own[i];
        ck_assert_msg(word != NULL, "%s", texts);
        own[i] = strcmp(word, "-") == 0 ? knob->start : -1;
        for (int k = 0; knob->stops[k] != NULL; k++) {
            own[i] = strcmp(knob->stops[k], word) == 0 ? k : own[i];
        }
        ck_assert_msg(own[i] >= 0, "%s: no stop %s", knob->name, word);
    }
    return own;
}

static const char *figure_of(const struct lesson_input *in, const char *name) {
    static char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(collectives()->figure(in, name, &w), "{{%s}} is unknown", name);
    ck_assert_msg(!w.overflow && w.length > 0, "{{%s}}", name);
    return text;
}

static const char *words_in(const char *language) {
    static char text[TEXT_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, collectives()->folder,
             language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static const char *const languages[] = {"en", "zh"};

START_TEST(words_have_the_pages_that_the_lesson_counts) {
    const char *text = words_in(languages[_i]);
    int pages = strncmp(text, "# ", 2) == 0;
    for (const char *at = text; (at = strstr(at, "\n# ")) != NULL; at++) {
        pages++;
    }
    ck_assert_int_eq(pages, PAGES);
    ck_assert_int_eq(collectives()->page_count, PAGES);
}
END_TEST

START_TEST(every_figure_in_the_words_has_a_value_at_the_start) {
    struct scenario s = scenario_of(CARD);
    struct lesson_input in = {.now = &s};
    int figures = 0;
    for (const char *at = words_in(languages[_i]); (at = strstr(at, "{{")) != NULL; figures++) {
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(figure_of(&in, name), "—") != 0, "{{%s}} has no value", name);
        at += 2 + length;
    }
    ck_assert_int_gt(figures, 15);
}
END_TEST

static const struct {
    const char *stops, *name, *text;
} figures[] = {
    {"- - - - - -", "ranks", "4"},
    {"- - - - - -", "message", "4,000,000"},
    {"- - - - - -", "naive_bytes", "12,000,000"},
    {"- - - - - -", "ring_bytes", "6,000,000"},
    {"- - - - - -", "tree_bytes", "8,000,000"},
    {"- - - - - -", "ring_rounds", "6"},
    {"- - - - - -", "tree_rounds", "4"},
    {"- - - - - -", "halving_rounds", "4"},
    {"- - - - - -", "ring_factor", "1.5"},
    {"1 - - - - -", "ring_factor", "0"},
    {"2 - - - - -", "ring_factor", "1"},
    {"- - - - - -", "ring_factor8", "1.75"},
    {"- - - - - -", "ring_factor64", "1.969"},
    {"- 10 - - - -", "first_chunk", "3"},
    {"- 10 - - - -", "last_chunk", "2"},
    {"- 3 - - - -", "last_chunk", "0"},
    /* chunks 3 3 2 2: 2·10 − c_r − c_(r+1), times 4 */
    {"- - - - - -", "uneven_bytes", "56 · 60 · 64 · 60"},
    {"- - - - node 5", "half_bytes", "1,500,000"},
    {"- - - - network 1", "half_bytes", "25,000"},
    {"- - - - network 1", "rate", "25"},
    /* 4 ranks: tree 4α + 4S/W, ring 6α + 1.5·S/W; they meet at 2αW/2.5 */
    {"- - - - - -", "tree_ring", "1,200,000"},
    {"1 - - - - -", "tree_ring", "—"},
};

START_TEST(figures_follow_the_knobs) {
    struct scenario s = scenario_of(CARD);
    struct lesson_input in = {.now = &s, .own = stops_of(figures[_i].stops)};
    const char *text = figure_of(&in, figures[_i].name);
    ck_assert_msg(strcmp(text, figures[_i].text) == 0, "%s {{%s}} is %s, not %s", figures[_i].stops,
                  figures[_i].name, text, figures[_i].text);
}
END_TEST

START_TEST(an_unknown_figure_and_an_unknown_rate_are_said) {
    char text[16];
    struct writer w;
    struct scenario s = scenario_of("--params 7B");
    struct lesson_input in = {.now = &s};
    writer_start(&w, text, sizeof text);
    ck_assert(!collectives()->figure(&in, "no_such_figure", &w));
    ck_assert_str_eq(figure_of(&in, "rate"), "—");
    ck_assert_str_eq(figure_of(&in, "half_bytes"), "—");
}
END_TEST

/* Every combination of stops that is allowed has a picture on every page and in every frame. */
START_TEST(every_stop_has_a_picture_or_a_reason) {
    static struct view view;
    struct scenario s = scenario_of(CARD);
    int own[LESSON_OWN_MAX], shown = 0;
    memcpy(own, stops_of("- - - - - -"), sizeof own);
    struct lesson_input in = {.now = &s, .own = own, .page = _i};
    const struct lesson *lesson = collectives();
    for (own[RANKS] = 0; lesson->own[RANKS].stops[own[RANKS]] != NULL; own[RANKS]++) {
        for (own[COLLECTIVE] = 0; own[COLLECTIVE] < COLL_COLLECTIVES; own[COLLECTIVE]++) {
            for (own[ALGORITHM] = 0; own[ALGORITHM] < COLL_ALGORITHMS; own[ALGORITHM]++) {
                struct message why = {0};
                int start = 0;
                if (lesson->own_check(&in, &why) != STATUS_OK) {
                    ck_assert_ptr_nonnull(why.id);
                    continue;
                }
                int last = lesson->frames(&in, &start);
                ck_assert(start >= 0 && start <= last);
                for (in.frame = 0; in.frame <= last; in.frame++, shown++) {
                    ck_assert_int_eq(lesson->view(&in, &view, &why), STATUS_OK);
                    ck_assert_int_ge(view.item_count, 1);
                }
            }
        }
    }
    ck_assert_int_gt(shown, 100);
}
END_TEST

static const struct {
    const char *stops, *line;
    int choices;
} lines[] = {
    {"- - - - - -", "allreduce --ranks 4 --elems 1000000 --algorithm ring", 4},
    {"8 65536 - tree - -", "allreduce --ranks 8 --elems 65536 --algorithm tree", 0},
    {"4 1000003 - - - -", "allreduce --ranks 4 --elems 1000003 --algorithm ring", 0},
    {"2 - - - - -", "allreduce --ranks 2 --elems 1000000 --algorithm ring", 0},
    {"16 268435456 - - - -", NULL, 0},
    {"4 65536 all-to-all direct - -",
     "allreduce --ranks 4 --elems 65536 --algorithm direct --collective all-to-all", 0},
};

START_TEST(the_experiment_is_the_line_of_the_page) {
    struct scenario s = scenario_of(CARD);
    struct lesson_input in = {.now = &s, .page = 1, .own = stops_of(lines[_i].stops)};
    struct lesson_experiment e = {0};
    char text[LESSON_LINE_MAX];
    struct writer w;
    ck_assert_int_eq(collectives()->experiment(&in, &e), lines[_i].line != NULL);
    if (lines[_i].line == NULL) {
        return; /* too much memory to run it from a screen */
    }
    ck_assert_str_eq(e.line, lines[_i].line);
    ck_assert_int_eq(e.guess.choice_count, lines[_i].choices);
    writer_start(&w, text, sizeof text);
    collectives()->command(&in, &w);
    ck_assert_str_eq(text, e.line);
    if (e.guess.choice_count > 0) {
        ck_assert_uint_eq(e.guess.choices[e.guess.right].args[0].count, 6000000);
    }
}
END_TEST

/* The table of sizes: each row's fastest is the one with the least time, and the notes name where it changes. */
START_TEST(the_fastest_is_the_least_and_changes_where_lines_meet) {
    static struct view view;
    struct scenario s = scenario_of(CARD);
    struct lesson_input in = {.now = &s, .page = 4, .own = stops_of("6 - - - - -")};
    struct message why;
    ck_assert_int_eq(collectives()->view(&in, &view, &why), STATUS_OK);
    const struct view_table *t = &view.items[1].table;
    for (int row = 0; row < t->row_count; row++) {
        uint64_t least = UINT64_MAX, chosen = 0;
        for (int a = 0; a < COLL_ALGORITHMS; a++) {
            const struct view_table_cell *cell = &t->cells[row][1 + a];
            least = cell->count < least ? cell->count : least;
            bool is = strcmp(coll_algorithm_name((enum coll_algorithm)a),
                             t->cells[row][1 + COLL_ALGORITHMS].text) == 0;
            chosen = is ? cell->count : chosen;
        }
        ck_assert_uint_eq(chosen, least);
    }
    ck_assert_str_eq(t->notes[0].text.id, "collective.fastest.until");
    ck_assert_str_eq(t->notes[0].text.args[0].text, "tree");
    ck_assert_str_eq(t->notes[1].text.id, "collective.fastest.above");
    ck_assert_str_eq(t->notes[1].text.args[0].text, "ring");
    const struct view_plot *plot = &view.items[0].plot;
    ck_assert_int_eq(plot->series_count, COLL_ALGORITHMS);
    ck_assert_int_eq(plot->mark_count, 1);
    /* 6 ranks: tree 6α + 6S/W, ring 10α + 10/6·S/W; they meet at 4αW/(13/3) */
    ck_assert_double_eq_tol(plot->marks[0], 4 * 5e-6 * 300e9 * 3 / 13, 1);
}
END_TEST

START_TEST(without_a_rate_no_time_is_made_up) {
    static struct view view;
    struct scenario s = scenario_of("--params 7B");
    struct lesson_input in = {.now = &s, .page = 4};
    struct message why;
    ck_assert_int_eq(collectives()->view(&in, &view, &why), STATUS_OK);
    const struct view_table *t = &view.items[1].table;
    ck_assert(!t->cells[0][1].known && !t->cells[0][2].known);
    ck_assert_int_eq(view.items[0].plot.series_count, 0);
    ck_assert_int_eq(t->note_count, 1);
    ck_assert_str_eq(t->notes[0].text.id, "collective.rate_unknown");
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("collectives lesson");
    TCase *t = tcase_create("lesson");
    tcase_add_loop_test(t, words_have_the_pages_that_the_lesson_counts, 0, ROWS(languages));
    tcase_add_loop_test(t, every_figure_in_the_words_has_a_value_at_the_start, 0, ROWS(languages));
    tcase_add_loop_test(t, figures_follow_the_knobs, 0, ROWS(figures));
    tcase_add_test(t, an_unknown_figure_and_an_unknown_rate_are_said);
    tcase_add_loop_test(t, every_stop_has_a_picture_or_a_reason, 0, PAGES);
    tcase_add_loop_test(t, the_experiment_is_the_line_of_the_page, 0, ROWS(lines));
    tcase_add_test(t, the_fastest_is_the_least_and_changes_where_lines_meet);
    tcase_add_test(t, without_a_rate_no_time_is_made_up);
    suite_add_tcase(all, t);
    return all;
}

#include "support/check_main.h"
