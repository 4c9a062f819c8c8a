/* Arithmetic and signs that all readers of a view share, so that screen, text and test say the
 * same: how an amount is written, which columns of a ledger fit, how many cells a bar's parts take,
 * where a curve's points lie. Pure; everything is written into what the caller passes. Proof:
 * tests/unit/view/test_shape.c and test_plan.c. */
#ifndef VIEW_SHAPE_H
#define VIEW_SHAPE_H

#include "shardlab/base/words.h"
#include "shardlab/base/writer.h"
#include "shardlab/view/view.h"
#include "shardlab/view/width.h"

/* bytes in the unit, without its name: two decimals, more when two would show a non-zero amount as
 * 0.00. */
void view_write_amount(struct writer *w, uint64_t bytes, enum unit_system unit);

/* A real of at most two decimals without trailing zeros: 1, 2.91; shorter in powers of ten from
 * 10^6: 1.2e+09. */
void view_write_real(struct writer *w, double value);

/* A formula's text with its long whole numbers grouped: 12 × 6,738,415,616 / 8. */
void view_write_grouped(struct writer *w, const char *text);

/* The pattern that stands for a part beside (never instead of) its colour: one column wide. */
const char *view_pattern(enum view_role role, bool ascii);

/* The cells of a ledger row that hold numbers. */
struct view_ledger_cells {
    char value[32];   /* "13.48"; "—" when unknown */
    char delta[32];   /* "+3.10", "−70.75"; "" when nothing moved or nothing is known */
    const char *mark; /* "▲", "▼" or "": the same as the sign, in a place of its own */
};
void view_ledger_cells(const struct view_row *row, enum unit_system unit, bool ascii,
                       struct view_ledger_cells *out);

/* A column of numbers: `point` is where their decimal points stand, `end` the column after the last
 * digit. */
struct view_number_column {
    int point, end; /* end 0: the column is left out */
};

/* Where the columns of a ledger stand: label | formula | amount | Δ. A narrow width loses the
 * formula first, then Δ; labels are cut last. */
struct view_ledger_plan {
    int label_col, label_cols;
    int formula_col, formula_cols; /* formula_cols 0: left out */
    struct view_number_column value, delta;
    int end; /* the column after the whole table */
};
struct view_ledger_options {
    int cols;   /* what there is */
    int indent; /* columns before the labels, for a cursor */
    bool ascii;
    bool delta; /* whether Δ is wanted at all */
    struct width_rules rules;
};
struct view_ledger_plan view_ledger_plan(const struct view_ledger *ledger,
                                         const struct words *words,
                                         const struct view_ledger_options *options);
/* The column in which a number's text starts, so that its point falls on the column's. */
int view_number_col(const struct view_number_column *column, const char *text,
                    const struct width_rules *rules);

/* How a bar of `cells` cells is shared among its parts: by largest remainder on the scale
 * max(total, capacity), each part that is not zero getting at least one cell while there are
 * enough. The numbers sum to `cells`. */
struct view_bar_cells {
    int segments[VIEW_ROWS_MAX];
    int other;    /* of the total, in no segment */
    int free;     /* below the capacity */
    int capacity; /* cells before the capacity's mark: `cells` when it fits, fewer when it
                     overflows; -1: none */
};
void view_bar_cells(const struct view_bar *bar, int cells, struct view_bar_cells *out);
/* True when there is no capacity, or the total is within it. */
bool view_bar_fits(const struct view_bar *bar);

/* A chart fitted to cells: columns widened by a whole number where there is room, else joined, the most of each
 * stretch kept. The scale begins at 0. */
enum { VIEW_CHART_ROWS = 6 };
struct view_chart_plot {
    int cells;
    uint64_t bytes[VIEW_CHART_MAX];
    char marks[VIEW_CHART_MAX];
    int peak;     /* cell, -1 none */
    uint64_t top; /* bytes at the upper edge of row 0: the peak, or the capacity */
    int limit_row; /* the row, from above, with the capacity's line; -1: none, or far above the peak */
};
void view_chart_plot(const struct view_chart *chart, int cells, struct view_chart_plot *out);
/* A cell of row 0 (upper) … VIEW_CHART_ROWS − 1, and what it shows, one column wide. */
enum view_chart_cell { VIEW_CHART_EMPTY, VIEW_CHART_FILLED, VIEW_CHART_LIMIT };
enum view_chart_cell view_chart_cell(const struct view_chart_plot *plot, int row, int cell);
const char *view_chart_glyph(const struct view_chart_plot *plot, int row, int cell, bool ascii);

/* What a cell of a matrix shows: "13.48", "16", "0-3"; "—" when unknown. */
void view_matrix_cell_write(struct writer *w, const struct view_cell *cell, enum unit_system unit,
                            bool ascii);
/* The sign behind a cell that differs, one column wide; "" for the others. */
const char *view_matrix_mark(const struct view_cell *cell, bool ascii);

/* Where the columns of a matrix stand: label | numbers on their decimal points, a mark behind each. What does not fit
 * beside each other is left for another block (text) or comes into sight with the focus (screen). */
struct view_matrix_plan {
    int label_col, label_cols;
    int first, count;                                     /* the columns in sight */
    struct view_number_column cols[VIEW_MATRIX_COLS_MAX]; /* by column; the mark stands at `end` */
    int end;                                              /* the column after the whole table */
};
struct view_matrix_options {
    int cols;   /* what there is */
    int indent; /* columns before the labels */
    int first;  /* the first column wanted */
    int focus;  /* the column that has to be in sight, -1: none */
    bool ascii;
    struct width_rules rules;
};
struct view_matrix_plan view_matrix_plan(const struct view_matrix *matrix,
                                         const struct words *words,
                                         const struct view_matrix_options *options);
/* The remarks on a column as one sentence; false and nothing: there are none. */
bool view_matrix_sentence(struct writer *w, const struct view_matrix *matrix, int col,
                          const struct words *words);
/* What the mark means: "≠ differs from zero-paper". */
void view_matrix_legend(struct writer *w, const struct view_matrix *matrix,
                        const struct words *words, bool ascii);

/* The range that a curve's scale spans: its points and its limit. False: no finite point to show.
 */
bool view_curve_range(const struct view_curve *curve, double *low, double *high);
/* The cell, 0 … cells − 1, of a value within that range. */
int view_curve_cell(double value, double low, double high, int cells);

#endif
