/* Ranges of formats on one scale of powers of two, drawn with a pen: a row a format, subnormal numbers in a lighter
 * sign than normal ones, a line behind the bars of all rows where each marked value lies, and below the axis what the marks are.
 *
 *     fp16           ░░░░░████┊█████
 *     e4m3                  ░░┊█████
 *          2^-149             1         2^128
 *                             1
 *                             a
 *
 * Cells are shares of the whole scale, which spans the formats that are shown. Proof: tests/unit/view/test_ranges.c,
 * tests/unit/ui/test_numbers.c. */
#include <math.h>
#include <string.h>

#include "shardlab/view/paint.h"
#include "shardlab/view/shape.h"

enum { CELLS_MAX = 240, CELLS_MIN = 8, GAP = 1, NUMBER_MAX = 40, MAX_COLS = 11, MAX_FROM = 60 };

struct scale {
    double low, high; /* powers of two at the left and the right end */
    int left, cells;
    int marks[VIEW_MARKS_MAX]; /* the cell of each mark, -1: not on the scale */
    int max_col;               /* where the largest numbers stand; 0: nowhere */
};

static double lowest_of(const struct view_range *r) {
    return isnan(r->min_subnormal) ? r->min_normal : r->min_subnormal;
}

static bool markable(const struct view_mark *mark) {
    return isfinite(mark->value) && fabs(mark->value) > 0;
}

static int cell_of(const struct scale *s, double value) {
    return view_curve_cell(log2(fabs(value)), s->low, s->high, s->cells);
}

static struct scale scale_of(const struct view_pen *pen, const struct view_ranges *ranges) {
    struct scale s = {0};
    for (int i = 0; i < ranges->row_count; i++) {
        const struct view_range *r = &ranges->rows[i];
        int cols = width_text(r->name, &pen->rules) + GAP;
        s.left = cols > s.left ? cols : s.left;
        s.low = fmin(i == 0 ? INFINITY : s.low, floor(log2(lowest_of(r))));
        s.high = fmax(i == 0 ? -INFINITY : s.high, ceil(log2(r->max)));
    }
    bool maxima = pen->cols >= MAX_FROM;
    s.cells = pen->cols - s.left - (maxima ? MAX_COLS + GAP : 0);
    s.cells = s.cells > CELLS_MAX ? CELLS_MAX : s.cells;
    s.max_col = maxima ? s.left + s.cells + GAP : 0;
    for (int i = 0; i < ranges->mark_count; i++) {
        const struct view_mark *mark = &ranges->marks[i];
        double at = markable(mark) ? log2(fabs(mark->value)) : (double)NAN;
        s.marks[i] = at >= s.low && at <= s.high ? cell_of(&s, mark->value) : -1;
    }
    return s;
}

static bool is_marked(const struct scale *s, const struct view_ranges *ranges, int cell) {
    for (int i = 0; i < ranges->mark_count; i++) {
        if (s->marks[i] == cell) {
            return true;
        }
    }
    return false;
}

static const char *subnormal_sign(const struct view_pen *pen) {
    return pen->ascii ? ":" : "░";
}

static const char *normal_sign(const struct view_pen *pen) {
    return pen->ascii ? "#" : "█";
}

static void paint_row(const struct view_pen *pen, int row, const struct scale *s,
                      const struct view_ranges *ranges, int index) {
    const struct view_range *r = &ranges->rows[index];
    bool current = index == ranges->current;
    int first = cell_of(s, lowest_of(r)), normal = cell_of(s, r->min_normal);
    int last = cell_of(s, r->max);
    enum view_tone tone = current ? VIEW_TONE_STRONG : VIEW_TONE_TEXT;
    pen->put(pen->context, row, 0, r->name, current ? VIEW_TONE_ACCENT : VIEW_TONE_TEXT);
    for (int i = 0; i < s->cells; i++) {
        int col = s->left + i;
        bool marked = is_marked(s, ranges, i);
        if (i >= normal && i <= last) {
            pen->put(pen->context, row, col, normal_sign(pen), marked ? VIEW_TONE_ACCENT : tone);
        } else if (i >= first && i < normal) {
            pen->put(pen->context, row, col, subnormal_sign(pen),
                     marked ? VIEW_TONE_ACCENT : VIEW_TONE_DIM);
        } else if (marked) {
            pen->put(pen->context, row, col, pen->ascii ? "!" : "┊", VIEW_TONE_ACCENT);
        }
    }
    if (s->max_col > 0) {
        char text[NUMBER_MAX];
        struct writer w;
        writer_start(&w, text, sizeof text);
        view_write_real(&w, r->max);
        pen->put(pen->context, row, s->max_col, text, VIEW_TONE_DIM);
    }
}

static const char *power(double exponent, char out[NUMBER_MAX]) {
    struct writer w;
    writer_start(&w, out, NUMBER_MAX);
    writer_text(&w, "2^");
    writer_real(&w, exponent);
    return out;
}

/* The ends of the scale, and 1 between them where it does not touch either. */
static void paint_axis(const struct view_pen *pen, int row, const struct scale *s) {
    char low[NUMBER_MAX], high[NUMBER_MAX];
    int low_end = width_text(power(s->low, low), &pen->rules);
    int high_start = s->cells - width_text(power(s->high, high), &pen->rules);
    int one = s->low <= 0 && s->high >= 0 ? cell_of(s, 1.0) : -1;
    pen->put(pen->context, row, s->left, low, VIEW_TONE_DIM);
    if (one > low_end && one < high_start - 1) {
        pen->put(pen->context, row, s->left + one, "1", VIEW_TONE_DIM);
    }
    if (high_start > low_end) {
        pen->put(pen->context, row, s->left + high_start, high, VIEW_TONE_DIM);
    }
    if (s->max_col > 0) {
        pen->put(pen->context, row, s->max_col, words_get(pen->words, "view.ranges.max"),
                 VIEW_TONE_DIM);
    }
}

/* Which mark stands where, by letter; where two fall into one cell, the first. */
static int paint_marks(const struct view_pen *pen, int row, const struct scale *s,
                       const struct view_ranges *ranges) {
    bool any = false;
    for (int cell = 0; cell < s->cells; cell++) {
        for (int i = 0; i < ranges->mark_count; i++) {
            if (s->marks[i] == cell) {
                const char letter[] = {(char)('a' + i), '\0'};
                pen->put(pen->context, row, s->left + cell, letter, VIEW_TONE_ACCENT);
                any = true;
                break;
            }
        }
    }
    return any ? 1 : 0;
}

/* "a 65519   b 1e-8" and "░ subnormal   █ normal", wrapped between entries. */
static int paint_entry(const struct view_pen *pen, int row, int *col, const char *sign,
                       const char *text) {
    int cols = width_text(sign, &pen->rules) + 1 + width_text(text, &pen->rules);
    int rows = 0;
    if (*col > 0 && *col + cols > pen->cols) {
        rows = 1;
        *col = 0;
    }
    pen->put(pen->context, row + rows, *col, sign, VIEW_TONE_ACCENT);
    pen->put(pen->context, row + rows, *col + width_text(sign, &pen->rules) + 1, text,
             VIEW_TONE_DIM);
    *col += cols + 3;
    return rows;
}

static int paint_legend(const struct view_pen *pen, int row, const struct scale *s,
                        const struct view_ranges *ranges) {
    int first = row, col = 0;
    row += paint_entry(pen, row, &col, subnormal_sign(pen),
                       words_get(pen->words, "view.ranges.subnormal"));
    row +=
        paint_entry(pen, row, &col, normal_sign(pen), words_get(pen->words, "view.ranges.normal"));
    for (int i = 0; i < ranges->mark_count; i++) {
        if (s->marks[i] >= 0) {
            const char letter[] = {(char)('a' + i), '\0'};
            row += paint_entry(pen, row, &col, letter, ranges->marks[i].text);
        }
    }
    return row + 1 - first;
}

int view_ranges_paint(const struct view_pen *pen, int row, const struct view_ranges *ranges) {
    int first = row;
    struct scale s = scale_of(pen, ranges);
    row += view_say(pen, row, &ranges->title, VIEW_TONE_STRONG);
    if (ranges->row_count > 0 && s.cells >= CELLS_MIN) {
        for (int i = 0; i < ranges->row_count; i++) {
            paint_row(pen, row++, &s, ranges, i);
        }
        paint_axis(pen, row++, &s);
        row += paint_marks(pen, row, &s, ranges);
        row += paint_legend(pen, row, &s, ranges);
    }
    row += view_say(pen, row, &ranges->remark, VIEW_TONE_TEXT);
    return row - first;
}
