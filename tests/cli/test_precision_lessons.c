/* What the lessons *formats* and *mixed-precision* offer to run, really run: at both ends of every knob of every page the
 * experiment is as predicted, has every value that the screen will show, and what the lesson called right before it ran
 * is what was measured. All ten experiments are reached. It also proves that both draw the same gradients: the lesson
 * answers from its own, the experiment measures its own. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/expect.h"
#include "shardlab/lesson/lesson.h"

enum { LESSONS = 2, PAGES = 5 };
static const char *const ids[LESSONS] = {"formats", "mixed-precision"};

static bool is_experiment(const char *line, const char *name) {
    char start[64];
    snprintf(start, sizeof start, "overflow --experiment %s ", name);
    return strncmp(line, start, strlen(start)) == 0;
}

static double real_at(const char *answer, const char *path) {
    struct json_value v = json_at(answer, path);
    ck_assert_msg(v.kind == JSON_KIND_NUMBER, "%s", path);
    return strtod(v.at, NULL);
}

static bool is_class(const char *answer, const char *path, const char *class) {
    char text[16];
    snprintf(text, sizeof text, "\"%s\"", class);
    return json_is(json_at(answer, path), text);
}

/* The measured number that a right choice names, six digits of it. */
static void expect_number(const char *line, const struct message *right, const char *answer,
                          const char *path) {
    ck_assert_msg(strcmp(right->id, "lesson.rounding.guess.number") == 0, "%s: %s", line,
                  right->id);
    double said = strtod(right->args[0].text, NULL), is = real_at(answer, path);
    ck_assert_msg(fabs(said - is) <= 1e-5 * fabs(is), "%s: said %s, measured %.17g", line,
                  right->args[0].text, is);
}

/* Experiments whose right choice is a measured number. */
static const struct {
    const char *name, *path;
} numbers[] = {
    {"sum", "measured.sum"},
    {"allreduce", "measured.least_in_type"},
    {"loss-scale", "measured.skipped_steps"},
    {"stagnation", "measured.final_weight"},
    {"stochastic", "measured.exact"},
};

static void expect_fewest(const char *line, int right, const char *answer) {
    static const char *const errors[] = {"measured.none_mean_error", "measured.tensor_mean_error",
                                         "measured.mx_mean_error"};
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(i == right || real_at(answer, errors[right]) < real_at(answer, errors[i]),
                      "%s: %d is not the least", line, right);
    }
}

static void expect_answer(const char *line, const struct lesson_guess *g, const char *answer) {
    const struct message *right = &g->choices[g->right];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (is_experiment(line, numbers[i].name)) {
            expect_number(line, right, answer, numbers[i].path);
        }
    }
    if (is_experiment(line, "range")) {
        bool inf = is_class(answer, "measured.max_plus_addend_class", "inf");
        ck_assert_msg(strcmp(right->id,
                             inf ? "lesson.formats.guess.none" : "lesson.formats.guess.stays") == 0,
                      "%s", line);
    } else if (is_experiment(line, "fp8-scale")) {
        expect_fewest(line, g->right, answer);
    } else if (is_experiment(line, "gradients")) {
        double share = real_at(answer, "measured.fraction_zero");
        int bracket = share <= 0 ? 0 : share < 0.1 ? 1 : share <= 0.5 ? 2 : 3;
        ck_assert_msg(g->right == bracket, "%s: %g", line, share);
    } else if (is_experiment(line, "adam-eps") || is_experiment(line, "softmax")) {
        bool adam = is_experiment(line, "adam-eps");
        const char *class = adam ? "measured.update_of_zero_class" : "measured.first_class";
        bool nan = is_class(answer, class, "nan");
        ck_assert_msg((strcmp(right->id, "lesson.mixed-precision.guess.nan") == 0) == nan, "%s: %s",
                      line, right->id);
        if (!nan && !adam) {
            expect_number(line, right, answer, "measured.first");
        }
    }
}

static void expect_run(const struct lesson_experiment *e, const struct lesson_guess *g) {
    char line[LESSON_LINE_MAX + 16], path[128];
    struct run r;
    struct expect_words words;
    snprintf(line, sizeof line, "%s --json", e->line);
    run_shardlab(&r, expect_split(&words, line), NULL);
    ck_assert_msg(r.status == 0, "%s: %s", line, r.err);
    ck_assert_msg(json_is(json_at(r.out, "match"), "true"), "%s: %s", line, r.out);
    for (int i = 0; i < e->value_count; i++) {
        static const char *const sides[] = {"predicted", "measured"};
        for (int side = 0; side < 2; side++) {
            snprintf(path, sizeof path, "%s.%s", sides[side], e->values[i].key);
            ck_assert_msg(json_at(r.out, path).kind != JSON_KIND_MISSING, "%s: no %s", line, path);
        }
    }
    ck_assert_msg(json_at(r.out, e->facts[0].key).kind == JSON_KIND_NUMBER, "%s", line);
    ck_assert_msg(g->choice_count >= 2, "%s asks nothing", line);
    if (strcmp(g->question.id, "lesson.mixed-precision.guess.update") !=
        0) { /* that page asks of something else */
        expect_answer(line, g, r.out);
    }
    run_free(&r);
}

static int own_index(const struct lesson *l, const char *name) {
    int found = -1;
    for (int i = 0; i < l->own_count; i++) {
        found = strcmp(l->own[i].name, name) == 0 ? i : found;
    }
    return found;
}

static int last_stop(const struct lesson_knob *knob) {
    int count = 0;
    while (knob->stops[count] != NULL) {
        count++;
    }
    return count - 1;
}

/* Calls `visit` where each of the page's own knobs stands at its start or at an end: the corners, and the start. */
static void each_corner(const struct lesson *l, int page,
                        void (*visit)(const struct lesson_experiment *,
                                      const struct lesson_guess *)) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int own[LESSON_OWN_MAX], knobs[LESSON_KNOBS_MAX], count = 0;
    (void)l->knobs(page, groups);
    for (int i = 0; i < l->own_count; i++) {
        own[i] = l->own[i].start;
    }
    for (int i = 0; groups[0].options[i] != NULL; i++) {
        int knob = own_index(l, groups[0].options[i]);
        if (knob >= 0) {
            knobs[count++] = knob;
        }
    }
    for (int corner = -1; corner < 1 << count; corner++) {
        struct lesson_experiment e = {0};
        struct lesson_input in = {.now = NULL, .page = page, .own = own};
        for (int i = 0; i < count && corner >= 0; i++) {
            own[knobs[i]] = (corner >> i & 1) == 0 ? 0 : last_stop(&l->own[knobs[i]]);
        }
        if (l->experiment(&in, &e)) {
            struct lesson_guess g = {0};
            ck_assert_msg(l->guess(&in, &g), "%s asks nothing", e.line);
            visit(&e, &g);
        }
    }
}

START_TEST(what_a_page_offers_to_run_is_as_predicted_and_as_answered) {
    each_corner(lesson_find(ids[_i / PAGES]), _i % PAGES, expect_run);
}
END_TEST

static const char *const all[] = {"sum",       "range",    "gradients",  "loss-scale",
                                  "softmax",   "adam-eps", "stagnation", "stochastic",
                                  "fp8-scale", "allreduce"};
enum { EXPERIMENTS = sizeof all / sizeof all[0] };
static bool reached[EXPERIMENTS];

static void note_it(const struct lesson_experiment *e, const struct lesson_guess *g) {
    (void)g;
    for (int i = 0; i < EXPERIMENTS; i++) {
        reached[i] = reached[i] || is_experiment(e->line, all[i]);
    }
}

START_TEST(every_experiment_is_on_some_page) {
    for (int i = 0; i < LESSONS * PAGES; i++) {
        each_corner(lesson_find(ids[i / PAGES]), i % PAGES, note_it);
    }
    for (int i = 0; i < EXPERIMENTS; i++) {
        ck_assert_msg(reached[i], "no page runs %s", all[i]);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("precision lessons");
    TCase *t = tcase_create("experiments");
    tcase_add_loop_test(t, what_a_page_offers_to_run_is_as_predicted_and_as_answered, 0,
                        LESSONS * PAGES);
    tcase_add_test(t, every_experiment_is_on_some_page);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
