/* What the lessons *formats* and *mixed-precision* share: numbers as text, the rounding that `shardlab overflow` uses by
 * default, the gradients that it draws, histograms as tables, and guesses that are put together choice by choice. Pure;
 * everything is written into what the caller passes. */
#ifndef LESSONS_ROUNDING_PRIVATE_H
#define LESSONS_ROUNDING_PRIVATE_H

#include "shardlab/calc/precision.h"
#include "shardlab/lesson/lesson.h"

enum { ROUNDING_TEXT_MAX = 24 }; /* as VIEW_TABLE_TEXT_MAX and VIEW_PLOT_LABEL_MAX */

/* Six digits, exact where it is whole: "2048", "0.0999756", "3.38953e38", "inf", "nan". */
void rounding_number_write(struct writer *w, double x);
void rounding_add_number(struct message *m, double x);
/* "2^-24" of a stop that is an exponent. */
void rounding_add_power(struct message *m, const char *exponent);
/* A stop as a number: "1e-8", "1/2". */
double rounding_stop_value(const char *stop);

/* A type that calc knows, by name, as `shardlab overflow` rounds when nothing is said: e4m3 saturates, the others have
 * an inf. */
struct calc_rounding rounding_of(const char *type);

/* ± 2^(centre + spread · z), what `shardlab overflow --center --spread --seed` draws: number i of a step depends on seed,
 * step and i alone. Proof that both draw the same: tests/cli/test_precision_lessons.c. */
enum { ROUNDING_SPREAD = 4, ROUNDING_SEED = 1 };
void rounding_gradients(double centre, uint64_t step, double *values, uint64_t count);

/* The fact of this name; it exists. */
const struct fact *rounding_fact(const struct facts *f, const char *key);

/* --- Tables --- */

void rounding_col(struct view_table *t, const char *key, const char *label, int drop);
void rounding_cell(struct view_table *t, int row, int col, double x);

/* The points of a histogram (exponent, count, and more), two exponents a row; each of the points' columns from 1 on
 * becomes a column named `labels`. With `bar`, a column of letters follows that shows what became of the numbers: the
 * columns behind the count are zero, subnormal and past max. */
struct rounding_histogram {
    const char *title; /* message id with one argument: the type's name */
    const char *type;
    const char *const *labels;
    bool bar;
};
void rounding_histogram_add(struct view *out, const struct facts *facts,
                            const struct rounding_histogram *h);

/* Curves over counts that lie evenly: columns 1 … `series` of the points over column 0. A letter and a name that is the
 * same in every language for each. */
struct rounding_curves {
    const char *title, *x_name, *y_name;
    int series;
    char letters[VIEW_PLOT_SERIES_MAX];
    const char *names[VIEW_PLOT_SERIES_MAX];
};
struct view_plot *rounding_curves_add(struct view *out, const struct facts *facts,
                                      const struct rounding_curves *c);

/* --- Guesses --- */

/* One more choice, and what whoever takes it has in mind; both take up to three numbers as arguments. */
struct rounding_choice {
    const char *id, *why;
    int number_count;
    double numbers[4];
};
void rounding_choose(struct lesson_guess *g, const struct rounding_choice *c);
/* A choice that is a number, as text or of six digits; skipped when a choice shows the same. Its reason takes it as {0}. */
void rounding_choose_text(struct lesson_guess *g, const char *text, const char *why);
void rounding_choose_number(struct lesson_guess *g, double x, const char *why);
/* Makes the choice that shows this number the right one, with its reason, and sorts the numbers, which come before all
 * other choices; false: none does, or it stands alone. */
bool rounding_settle_text(struct lesson_guess *g, const char *text, const char *why);
bool rounding_settle(struct lesson_guess *g, double x, const char *why);

/* Rows of an experiment by their keys, labelled as the command labels them. */
void rounding_values(struct lesson_experiment *out, const struct lesson_value *values, int count);

#endif
