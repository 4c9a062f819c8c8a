/* Curves over a logarithmic size, drawn with a pen: a letter a series, the lowest curve on top of the others and stressed,
 * since it is the one that is looked for.
 *
 *      22 ms │                                   nn
 *            │                              nnnnttt
 *            │              nnnnnnnnnnnnnttttttrrrr
 *      20 µs │tttttttttttttttttttttttttrrrrrrrr
 *            └─────────────────────────┴───────────
 *             1 KiB                           1 GiB
 *      n naive  r ring  t tree
 *
 * Proof: tests/unit/view/test_plot.c. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "shardlab/view/paint.h"

enum { ROWS = 10, CELLS_MAX = 90, CELLS_MIN = 8, LEGEND_MAX = 256 };

struct raster {
    int left; /* the column of the first cell */
    int cells;
    double low, high; /* logarithms of y */
    char signs[ROWS][CELLS_MAX];
    bool lowest[ROWS][CELLS_MAX]; /* or measured: what is to be seen */
};

static void widen(double y, double *low, double *high) {
    *low = y < *low ? y : *low;
    *high = y > *high ? y : *high;
}

bool view_plot_range(const struct view_plot *plot, double *low, double *high) {
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int s = 0; s < plot->series_count; s++) {
        const struct view_plot_series *one = &plot->series[s];
        for (int i = 0; i < plot->point_count; i++) {
            widen(one->y[i], low, high);
        }
        for (int i = 0; i < one->dot_count; i++) {
            widen(one->dot_y[i], low, high);
        }
    }
    return plot->series_count > 0 && plot->point_count > 1;
}

/* The logarithm of a series at a cell, straight between its points; points lie evenly over the axis. */
static double height(const struct view_plot *plot, int series, int cell, int cells) {
    double at = cells > 1 ? (double)cell * (plot->point_count - 1) / (cells - 1) : 0;
    int left = (int)at;
    left = left > plot->point_count - 2 ? plot->point_count - 2 : left;
    const double *y = plot->series[series].y;
    return log(y[left]) + (at - left) * (log(y[left + 1]) - log(y[left]));
}

static int row_of(const struct raster *r, double y) {
    if (r->high <= r->low) {
        return ROWS - 1;
    }
    int row = (int)lround((r->high - y) / (r->high - r->low) * (ROWS - 1));
    return row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
}

static int lowest_at(const struct view_plot *plot, int cell, int cells) {
    const double equal = 1e-9; /* of those that are equal, the first */
    int best = 0;
    for (int s = 1; s < plot->series_count; s++) {
        if (height(plot, s, cell, cells) < height(plot, best, cell, cells) - equal) {
            best = s;
        }
    }
    return best;
}

static void trace(const struct view_plot *plot, struct raster *r) {
    memset(r->signs, ' ', sizeof r->signs);
    memset(r->lowest, 0, sizeof r->lowest);
    for (int cell = 0; cell < r->cells; cell++) {
        int best = lowest_at(plot, cell, r->cells);
        for (int s = plot->series_count - 1; s >= 0; s--) { /* the first covers what is equal */
            r->signs[row_of(r, height(plot, s, cell, r->cells))][cell] = plot->series[s].letter;
        }
        int row = row_of(r, height(plot, best, cell, r->cells));
        r->signs[row][cell] = plot->series[best].letter;
        r->lowest[row][cell] = true;
    }
}

/* Measured points lie on top of all curves; where two meet, the first series' is seen. */
static void dot(const struct view_plot *plot, struct raster *r) {
    double left = log(plot->x[0]), right = log(plot->x[plot->point_count - 1]);
    for (int s = plot->series_count - 1; s >= 0; s--) {
        const struct view_plot_series *one = &plot->series[s];
        for (int i = 0; i < one->dot_count; i++) {
            double at = (log(one->dot_x[i]) - left) / (right - left) * (r->cells - 1);
            long cell = lround(at);
            if (cell >= 0 && cell < r->cells) {
                int row = row_of(r, log(one->dot_y[i]));
                r->signs[row][cell] = (char)toupper((unsigned char)one->letter);
                r->lowest[row][cell] = true;
            }
        }
    }
}

static void paint_row(const struct view_pen *pen, int row, const struct view_plot *plot,
                      const struct raster *r, int index) {
    const char *label = index == 0 ? plot->high_y : index == ROWS - 1 ? plot->low_y : "";
    pen->put(pen->context, row, r->left - 2 - width_text(label, &pen->rules), label, VIEW_TONE_DIM);
    pen->put(pen->context, row, r->left - 1, pen->ascii ? "|" : "│", VIEW_TONE_LINE);
    for (int cell = 0; cell < r->cells; cell++) {
        char sign[2] = {r->signs[index][cell], '\0'};
        if (sign[0] != ' ') {
            pen->put(pen->context, row, r->left + cell, sign,
                     r->lowest[index][cell] ? VIEW_TONE_ACCENT : VIEW_TONE_DIM);
        }
    }
}

static bool is_marked(const struct view_plot *plot, int cell, int cells) {
    double low = log(plot->x[0]), high = log(plot->x[plot->point_count - 1]);
    for (int i = 0; i < plot->mark_count; i++) {
        double at = (log(plot->marks[i]) - low) / (high - low) * (cells - 1);
        if (lround(at) == cell) {
            return true;
        }
    }
    return false;
}

static void paint_axis(const struct view_pen *pen, int row, const struct view_plot *plot,
                       const struct raster *r) {
    pen->put(pen->context, row, r->left - 1, pen->ascii ? "+" : "└", VIEW_TONE_LINE);
    for (int cell = 0; cell < r->cells; cell++) {
        bool mark = is_marked(plot, cell, r->cells);
        pen->put(pen->context, row, r->left + cell,
                 mark         ? pen->ascii ? "+" : "┴"
                 : pen->ascii ? "-"
                              : "─",
                 mark ? VIEW_TONE_ACCENT : VIEW_TONE_LINE);
    }
    pen->put(pen->context, row + 1, r->left, plot->low_x, VIEW_TONE_DIM);
    pen->put(pen->context, row + 1, r->left + r->cells - width_text(plot->high_x, &pen->rules),
             plot->high_x, VIEW_TONE_DIM);
}

static int say_legend(const struct view_pen *pen, int row, const struct view_plot *plot) {
    char text[LEGEND_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int s = 0; s < plot->series_count; s++) {
        writer_text(&w, s > 0 ? "  " : "");
        writer_char(&w, plot->series[s].letter);
        writer_char(&w, ' ');
        writer_text(&w, plot->series[s].name);
    }
    return pen->say(pen->context, row, text, VIEW_TONE_DIM);
}

int view_plot_paint(const struct view_pen *pen, int row, const struct view_plot *plot) {
    struct raster r;
    int first = row;
    int low = width_text(plot->low_y, &pen->rules), high = width_text(plot->high_y, &pen->rules);
    r.left = (low > high ? low : high) + 2;
    row += view_say(pen, row, &plot->title, VIEW_TONE_STRONG);
    r.cells = pen->cols - r.left < CELLS_MAX ? pen->cols - r.left : CELLS_MAX;
    if (r.cells >= CELLS_MIN && view_plot_range(plot, &r.low, &r.high)) {
        r.low = log(r.low);
        r.high = log(r.high);
        trace(plot, &r);
        dot(plot, &r);
        for (int i = 0; i < ROWS; i++) {
            paint_row(pen, row++, plot, &r, i);
        }
        paint_axis(pen, row, plot, &r);
        row += 2;
        row += say_legend(pen, row, plot);
    }
    row += view_say(pen, row, &plot->remark, VIEW_TONE_TEXT);
    return row - first;
}
