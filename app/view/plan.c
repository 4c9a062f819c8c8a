/* Where the columns of a ledger stand, for every reader that shows one as a table: label | formula
 * | amount | Δ, numbers on their decimal points. Callers are the text reader and the screen; widths
 * are columns (view/width.h). Nothing is owned. Proof: tests/unit/view/test_plan.c. */
#include <string.h>

#include "shardlab/view/shape.h"

enum {
    GAP = 2,          /* between two columns that crowd */
    GAP_WIDE = 3,     /* before numbers and after formulas */
    SPARE_MAX = 10,   /* more air than this separates what belongs together */
    FORMULA_MIN = 10, /* a formula column narrower than this says nothing */
    LABEL_MIN = 6,
    TITLE_MAX = 28,   /* a longer title is cut in the label column rather than widen it */
    WHOLE_MIN = 5,    /* "1234", so that columns do not jump with every move; Δ has its sign */
    FRACTION_MIN = 3, /* ".48" */
    MARK_COLS = 2,    /* " ▼" */
};

void view_ledger_cells(const struct view_row *row, enum unit_system unit, bool ascii,
                       struct view_ledger_cells *out) {
    struct writer value;
    struct writer delta;
    writer_start(&value, out->value, sizeof out->value);
    writer_start(&delta, out->delta, sizeof out->delta);
    out->mark = "";
    if (!row->known) {
        writer_text(&value, ascii ? "--" : "—");
        return;
    }
    view_write_amount(&value, row->bytes, unit);
    if (!row->has_before || row->before == row->bytes) {
        return;
    }
    bool more = row->bytes > row->before;
    writer_text(&delta, more ? "+" : ascii ? "-" : "−");
    view_write_amount(&delta, more ? row->bytes - row->before : row->before - row->bytes, unit);
    out->mark = more ? (ascii ? "^" : "▲") : (ascii ? "v" : "▼");
}

/* Columns before the decimal point, and from the point on. */
static int whole_cols(const char *text, const struct width_rules *rules) {
    const char *point = strchr(text, '.');
    int fraction = point != NULL ? width_text(point, rules) : 0;
    return width_text(text, rules) - fraction;
}

int view_number_col(const struct view_number_column *column, const char *text,
                    const struct width_rules *rules) {
    return column->point - whole_cols(text, rules);
}

static int max(int a, int b) {
    return a > b ? a : b;
}

static int min(int a, int b) {
    return a < b ? a : b;
}

/* What the contents of a ledger would like, in columns. */
struct wishes {
    int label, formula;
    int value_whole, value_fraction;
    int delta_whole, delta_fraction;
};

static void grow_number(const char *text, const struct width_rules *rules, int *whole,
                        int *fraction) {
    int before = whole_cols(text, rules);
    *whole = max(*whole, before);
    *fraction = max(*fraction, width_text(text, rules) - before);
}

static struct wishes measure(const struct view_ledger *ledger, const struct words *words,
                             const struct view_ledger_options *options) {
    const struct width_rules *rules = &options->rules;
    struct wishes want = {0, 0, WHOLE_MIN, FRACTION_MIN, WHOLE_MIN, FRACTION_MIN};
    for (int i = 0; i < ledger->row_count; i++) {
        const struct view_row *row = &ledger->rows[i];
        want.label = max(want.label, width_text(words_get(words, row->label), rules));
        want.formula = max(want.formula, width_text(row->formula, rules));
        struct view_ledger_cells cells;
        view_ledger_cells(row, words->unit, options->ascii, &cells);
        grow_number(cells.value, rules, &want.value_whole, &want.value_fraction);
        grow_number(cells.delta, rules, &want.delta_whole, &want.delta_fraction);
    }
    char title[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, title, sizeof title);
    words_write(&w, words, &ledger->title);
    want.label = max(want.label, min(width_text(title, rules), TITLE_MAX));
    return want;
}

struct view_ledger_plan view_ledger_plan(const struct view_ledger *ledger,
                                         const struct words *words,
                                         const struct view_ledger_options *options) {
    struct wishes want = measure(ledger, words, options);
    int value_cols = want.value_whole + want.value_fraction;
    int delta_cols = want.delta_whole + want.delta_fraction + MARK_COLS;
    /* Number columns start with room for a sign and thousands: their own air. */
    int room = options->cols - options->indent - want.label - GAP - value_cols;

    bool has_delta = options->delta && room >= delta_cols;
    room -= has_delta ? delta_cols : 0;
    int formula_cols = 0;
    bool delta_lost = options->delta && !has_delta;
    if (want.formula > 0 && !delta_lost && room - GAP_WIDE >= min(want.formula, FORMULA_MIN)) {
        formula_cols = min(want.formula, room - GAP_WIDE);
        room -= formula_cols + GAP_WIDE;
    }
    struct view_ledger_plan plan = {.label_col = options->indent, .label_cols = want.label};
    if (room < 0) {
        plan.label_cols = max(LABEL_MIN, want.label + room);
        room = 0;
    }
    int air = min(room / 2, SPARE_MAX);
    int at = plan.label_col + plan.label_cols + GAP + air;
    if (formula_cols > 0) {
        plan.formula_col = at;
        plan.formula_cols = formula_cols;
        at += formula_cols + GAP_WIDE + min(room - air, SPARE_MAX) / 2;
    }
    plan.value.point = at + want.value_whole;
    plan.value.end = at + value_cols;
    plan.end = plan.value.end;
    if (has_delta) {
        plan.delta.point = plan.end + want.delta_whole;
        plan.delta.end = plan.end + want.delta_whole + want.delta_fraction;
        plan.end = plan.delta.end + MARK_COLS;
    }
    return plan;
}
