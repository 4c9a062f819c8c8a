/* A number as its bits, drawn with a pen:
 *
 *     0.1 in fp16: 0x2e66 = 0.0999755859375
 *     sign │ exponent │ mantissa
 *     0    │ 01011    │ 1001100110
 *     +    │ 2^-4     │ × 1.599609375
 *     0.09991455078125 ├────────●──────○───────┤ 0.10003662109375
 *     normal, rounded down by 2.44140625e-05
 *
 * The line spans the two neighbours; ● is the number, ○ what went in. Fewer columns turn the boxes into rows and the
 * line into three. Proof: tests/unit/view/test_bits.c, tests/unit/ui/test_numbers.c. */
#include <math.h>

#include "shardlab/view/paint.h"
#include "shardlab/view/shape.h"

enum { NUMBER_MAX = 40, BITS_MAX = 33, SEPARATOR = 3, RAIL_MIN = 12, RAIL_MAX = 32, GAP = 2 };

static int cols_of(const struct view_pen *pen, const char *text) {
    return width_text(text, &pen->rules);
}

static int max_of(int a, int b) {
    return a > b ? a : b;
}

static const char *digits(const struct view_bits_field *field, char out[BITS_MAX]) {
    for (int i = 0; i < field->bits; i++) {
        out[i] = (field->value >> (field->bits - 1 - i) & 1U) != 0 ? '1' : '0';
    }
    out[field->bits] = '\0';
    return out;
}

static enum view_tone tone_of(enum view_bits_role role) {
    switch (role) {
    case VIEW_BITS_SIGN:
        return VIEW_TONE_ACCENT;
    case VIEW_BITS_EXPONENT:
        return VIEW_TONE_STRONG;
    case VIEW_BITS_UNUSED:
        return VIEW_TONE_DIM;
    case VIEW_BITS_MANTISSA:
        break;
    }
    return VIEW_TONE_TEXT;
}

/* --- The fields --- */

static int field_cols(const struct view_pen *pen, const struct view_bits_field *field) {
    int words =
        max_of(cols_of(pen, words_get(pen->words, field->label)), cols_of(pen, field->meaning));
    return max_of(field->bits, words);
}

/* Side by side: labels, bits, meanings. */
static int paint_boxes(const struct view_pen *pen, int row, const struct view_bits *bits) {
    const char *separator = pen->ascii ? "|" : "│";
    for (int line = 0; line < 3; line++) {
        int col = 0;
        for (int i = 0; i < bits->field_count; i++) {
            const struct view_bits_field *field = &bits->fields[i];
            char pattern[BITS_MAX];
            const char *text = line == 0   ? words_get(pen->words, field->label)
                               : line == 1 ? digits(field, pattern)
                                           : field->meaning;
            if (i > 0) {
                pen->put(pen->context, row + line, col - 2, separator, VIEW_TONE_LINE);
            }
            pen->put(pen->context, row + line, col, text,
                     line == 1 ? tone_of(field->role) : VIEW_TONE_DIM);
            col += field_cols(pen, field) + SEPARATOR;
        }
    }
    return 3;
}

/* One below another, for few columns. */
static int paint_rows(const struct view_pen *pen, int row, const struct view_bits *bits) {
    int label = 0, pattern = 0;
    for (int i = 0; i < bits->field_count; i++) {
        label = max_of(label, cols_of(pen, words_get(pen->words, bits->fields[i].label)));
        pattern = max_of(pattern, bits->fields[i].bits);
    }
    bool meanings = true;
    for (int i = 0; i < bits->field_count; i++) {
        int end = label + GAP + pattern + GAP + cols_of(pen, bits->fields[i].meaning);
        meanings = meanings && end <= pen->cols;
    }
    for (int i = 0; i < bits->field_count; i++) {
        const struct view_bits_field *field = &bits->fields[i];
        char text[BITS_MAX];
        pen->put(pen->context, row + i, 0, words_get(pen->words, field->label), VIEW_TONE_DIM);
        pen->put(pen->context, row + i, label + GAP, digits(field, text), tone_of(field->role));
        if (meanings) {
            pen->put(pen->context, row + i, label + GAP + pattern + GAP, field->meaning,
                     VIEW_TONE_DIM);
        }
    }
    return bits->field_count;
}

static int paint_fields(const struct view_pen *pen, int row, const struct view_bits *bits) {
    int cols = -SEPARATOR;
    if (bits->field_count == 0) {
        return 0;
    }
    for (int i = 0; i < bits->field_count; i++) {
        cols += field_cols(pen, &bits->fields[i]) + SEPARATOR;
    }
    return cols <= pen->cols ? paint_boxes(pen, row, bits) : paint_rows(pen, row, bits);
}

/* --- The neighbours --- */

static const char *number(double value, char out[NUMBER_MAX]) {
    struct writer w;
    writer_start(&w, out, NUMBER_MAX);
    writer_real(&w, value);
    return out;
}

/* below ├──●──○──┤ above */
static void paint_rail(const struct view_pen *pen, int row, const struct view_bits *bits,
                       int cells) {
    char text[NUMBER_MAX];
    int left = cols_of(pen, number(bits->below, text)) + 1;
    int here = view_curve_cell(bits->value, bits->below, bits->above, cells);
    bool shown = bits->input > bits->below && bits->input < bits->above;
    int from = shown ? view_curve_cell(bits->input, bits->below, bits->above, cells) : -1;
    pen->put(pen->context, row, 0, text, VIEW_TONE_DIM);
    pen->put(pen->context, row, left, pen->ascii ? "|" : "├", VIEW_TONE_LINE);
    for (int i = 1; i < cells - 1; i++) {
        const char *glyph = i == here    ? pen->ascii ? "*" : "●"
                            : i == from  ? pen->ascii ? "o" : "○"
                            : pen->ascii ? "-"
                                         : "─";
        pen->put(pen->context, row, left + i, glyph,
                 i == here || i == from ? VIEW_TONE_ACCENT : VIEW_TONE_LINE);
    }
    pen->put(pen->context, row, left + cells - 1, pen->ascii ? "|" : "┤", VIEW_TONE_LINE);
    pen->put(pen->context, row, left + cells + 1, number(bits->above, text), VIEW_TONE_DIM);
}

/* The three as rows; one that is not there is left out. */
static int paint_three(const struct view_pen *pen, int row, const struct view_bits *bits) {
    static const char *const labels[] = {"view.bits.below", "view.bits.value", "view.bits.above"};
    const double values[] = {bits->below, bits->value, bits->above};
    int first = row, col = 0;
    for (int i = 0; i < 3; i++) {
        col = max_of(col, cols_of(pen, words_get(pen->words, labels[i])));
    }
    for (int i = 0; i < 3; i++) {
        char text[NUMBER_MAX];
        if (!isnan(values[i])) {
            pen->put(pen->context, row, 0, words_get(pen->words, labels[i]), VIEW_TONE_DIM);
            pen->put(pen->context, row++, col + GAP, number(values[i], text),
                     i == 1 ? VIEW_TONE_STRONG : VIEW_TONE_TEXT);
        }
    }
    return row - first;
}

static int paint_neighbours(const struct view_pen *pen, int row, const struct view_bits *bits) {
    if (isnan(bits->value) || (isnan(bits->below) && isnan(bits->above))) {
        return 0;
    }
    char text[NUMBER_MAX];
    int taken = cols_of(pen, number(bits->below, text)) + 2;
    taken += cols_of(pen, number(bits->above, text));
    int cells = pen->cols - taken < RAIL_MAX ? pen->cols - taken : RAIL_MAX;
    bool finite = isfinite(bits->below) && isfinite(bits->above) && isfinite(bits->value);
    if (!finite || cells < RAIL_MIN) {
        return paint_three(pen, row, bits);
    }
    paint_rail(pen, row, bits, cells);
    return 1;
}

int view_bits_paint(const struct view_pen *pen, int row, const struct view_bits *bits) {
    int first = row;
    row += view_say(pen, row, &bits->title, VIEW_TONE_STRONG);
    row += paint_fields(pen, row, bits);
    row += paint_neighbours(pen, row, bits);
    row += view_say(pen, row, &bits->remark, VIEW_TONE_TEXT);
    return row - first;
}
