/* The worked solutions of the questions on communication and layouts, recomputed from their own words: what stands behind
 * a formula, "2 × 7 / 8 × 14 GB", is read as a sum by a small parser that knows no calculator and must come to the value
 * beside it. So a learner who follows the lines with a pocket calculator arrives where the calculators do. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/lessons/makers_support.h"

/* --- A pocket calculator: + − × / ^ mod ⌈⌉ ⌊⌋ min(,), units --- */

struct text {
    const char *at;
    bool bad;
};

static double sum_of(struct text *t);

static bool take(struct text *t, const char *word) {
    t->at += strspn(t->at, " ");
    size_t length = strlen(word);
    if (strncmp(t->at, word, length) != 0) {
        return false;
    }
    t->at += length;
    return true;
}

static void expect(struct text *t, const char *word) {
    t->bad = !take(t, word) || t->bad;
}

/* Longer ones first. Gb/s stays in bits: the solution itself divides by eight. */
static double unit_of(struct text *t) {
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"GB/s", 1e9}, {"Gb/s", 1e9}, {"GB", 1e9}, {"MB", 1e6},
                 {"ms", 1e-3},  {"µs", 1e-6},  {"B", 1e9},  {"T", 1e12}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (take(t, units[i].name)) {
            return units[i].factor;
        }
    }
    return 1;
}

static double number_of(struct text *t) {
    char *end = NULL;
    t->at += strspn(t->at, " ");
    double value = strtod(t->at, &end);
    t->bad = end == t->at || t->bad;
    t->at = end;
    return value * unit_of(t);
}

static double atom_of(struct text *t) {
    double value = 0;
    if (take(t, "(")) {
        value = sum_of(t);
        expect(t, ")");
    } else if (take(t, "⌈")) {
        value = ceil(sum_of(t) - 1e-9);
        expect(t, "⌉");
    } else if (take(t, "⌊")) {
        value = floor(sum_of(t) + 1e-9);
        expect(t, "⌋");
    } else if (take(t, "min(")) {
        value = sum_of(t);
        expect(t, ",");
        value = fmin(value, sum_of(t));
        expect(t, ")");
    } else {
        value = number_of(t);
    }
    return take(t, "^") ? pow(value, number_of(t)) : value;
}

static double product_of(struct text *t) {
    double value = atom_of(t);
    for (;;) {
        if (take(t, "×")) {
            value *= atom_of(t);
        } else if (take(t, "/")) {
            value /= atom_of(t);
        } else if (take(t, "mod")) {
            value = fmod(value, atom_of(t));
        } else {
            return value;
        }
    }
}

static double sum_of(struct text *t) {
    double value = product_of(t);
    for (;;) {
        if (take(t, "+")) {
            value += product_of(t);
        } else if (take(t, "−")) {
            value -= product_of(t);
        } else {
            return value;
        }
    }
}

static bool calculated(const char *text, double *out) {
    struct text t = {text, false};
    *out = sum_of(&t);
    t.at += strspn(t.at, " ");
    return !t.bad && *t.at == '\0' && isfinite(*out);
}

static const struct {
    const char *text;
    double value; /* NAN: cannot be read */
} texts[] = {
    {"2 × 7 / 8 × 14 GB", 24.5e9},
    {"400 Gb/s / 8", 50e9},
    {"24.5 GB / 50 GB/s", 0.49},
    {"2 × 7 × 5 µs", 70e-6},
    {"⌈3 × (1 − 0.20) / 0.20⌉", 12},
    {"⌊267 / 8⌋", 33},
    {"33 mod 32", 1},
    {"min(8, 6 − 4)", 2},
    {"(6 + 12/8) × 10^9", 7.5e9},
    {"(6 + 12/8) × 1.875B", 14.0625e9},
    {"7 ×", NAN},
    {"1 + (2", NAN},
    {"3 apples", NAN},
};

START_TEST(the_pocket_calculator_calculates) {
    double value = 0;
    bool read = calculated(texts[_i].text, &value);
    ck_assert_int_eq(read, !isnan(texts[_i].value));
    ck_assert_msg(!read || fabs(value - texts[_i].value) <= 1e-9 * fabs(texts[_i].value),
                  "%s is %g", texts[_i].text, value);
}
END_TEST

/* --- Solutions --- */

/* Rounded to four digits in the words; a time or size may be calculated in the unit in which it is written. */
static bool agrees(const struct instance_step *step, double value) {
    const double rounding = 2e-3;
    double factor = answer_unit_factor(step->kind, step->unit), size = fabs(step->value);
    return fabs(value - step->value) <= rounding * size ||
           fabs(value * factor - step->value) <= rounding * size;
}

START_TEST(every_line_of_a_solution_comes_to_its_value) {
    static const char *const lessons[] = {"collectives", "data-parallel", "tensor-parallel",
                                          "pipeline", "hybrid"};
    static struct instance numbers;
    const struct lesson *lesson = lesson_find(lessons[_i]);
    int lines = 0;
    ck_assert_ptr_nonnull(lesson);
    for (int m = 0; m < lesson->maker_count; m++) {
        const struct instance_entry *maker = &lesson->makers[m];
        for (int seed = 0; seed < maker_seeds(maker); seed++) {
            maker_run(maker, (uint64_t)seed, &numbers);
            for (int i = 0; i < numbers.step_count; i++, lines++) {
                const struct instance_step *step = &numbers.steps[i];
                double value = 0;
                ck_assert_msg(calculated(step->substituted, &value), "%s: cannot calculate %s",
                              maker->question, step->substituted);
                ck_assert_msg(agrees(step, value), "%s, seed %d: %s = %s is %g, not %g",
                              maker->question, seed, step->formula, step->substituted, value,
                              step->value);
            }
        }
    }
    ck_assert_int_gt(lines, 0);
}
END_TEST

START_TEST(large_counts_are_written_as_people_say_them) {
    static struct instance numbers;
    const struct lesson *lesson;
    const struct instance_entry *maker;
    int shortened = 0;
    for (int m = 0; (maker = maker_at(m, &lesson)) != NULL; m++) {
        for (int seed = 0; seed < maker_seeds(maker); seed++) {
            maker_run(maker, (uint64_t)seed, &numbers);
            for (int i = 0; i < numbers.step_count; i++) {
                const char *text = numbers.steps[i].substituted;
                ck_assert_msg(strstr(text, "000000000") == NULL, "%s, seed %d: %s", maker->question,
                              seed, text);
                ck_assert_msg(strstr(text, "e+09") == NULL, "%s, seed %d: %s", maker->question,
                              seed, text);
                shortened += strstr(text, "× 72B") != NULL ? 1 : 0;
            }
        }
    }
    ck_assert_int_gt(shortened, 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("question solutions");
    TCase *t = tcase_create("lines");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, the_pocket_calculator_calculates, 0,
                        (int)(sizeof texts / sizeof texts[0]));
    tcase_add_test(t, large_counts_are_written_as_people_say_them);
    tcase_add_loop_test(t, every_line_of_a_solution_comes_to_its_value, 0, 5);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
