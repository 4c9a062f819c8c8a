/* Numbers, tables and guesses that the lessons *formats* and *mixed-precision* have in common. What is computed is calc's;
 * here it becomes text, rows and choices. Gradients are drawn with calc's random bits, so that a lesson predicts of the
 * same numbers that `shardlab overflow` measures. Proof: tests/unit/lessons/test_formats.c,
 * tests/cli/test_precision_lessons.c. */
#include "rounding_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "shardlab/base/units.h"

enum { DIGITS = 6 };
_Static_assert((int)ROUNDING_TEXT_MAX == (int)VIEW_PLOT_LABEL_MAX, "a number fits at an axis");

/* Trailing zeros behind a point say nothing. */
static void write_trimmed(struct writer *w, double x, int decimals) {
    char text[ROUNDING_TEXT_MAX * 2];
    struct writer t;
    writer_start(&t, text, sizeof text);
    writer_fixed(&t, x, decimals);
    size_t length = t.length;
    while (decimals > 0 && text[length - 1] == '0') {
        length--;
    }
    length -= text[length - 1] == '.' ? 1 : 0;
    writer_text_n(w, text, length);
}

void rounding_number_write(struct writer *w, double x) {
    double size = fabs(x);
    if (!isfinite(x)) {
        writer_text(w, fact_class(x));
        return;
    }
    if (size < 1e15 && floor(size) >= size) {
        writer_real(w, x);
        return;
    }
    int exponent = (int)floor(log10(size));
    if (exponent >= -4 && exponent < DIGITS) {
        int decimals = DIGITS - 1 - exponent;
        write_trimmed(w, x, decimals < 9 ? decimals : 9);
        return;
    }
    double scaled = x / pow(10, exponent);
    bool carries = fabs(scaled) >= 10 - 5e-6; /* 9.999999 would be written as 10.00000 */
    write_trimmed(w, carries ? scaled / 10 : scaled, DIGITS - 1);
    writer_char(w, 'e');
    writer_real(w, exponent + (carries ? 1 : 0));
}

static void write_text(char out[ROUNDING_TEXT_MAX], double x) {
    struct writer w;
    writer_start(&w, out, ROUNDING_TEXT_MAX);
    rounding_number_write(&w, x);
}

void rounding_add_number(struct message *m, double x) {
    char text[ROUNDING_TEXT_MAX];
    write_text(text, x);
    message_add_text(m, text);
}

void rounding_add_power(struct message *m, const char *exponent) {
    char text[ROUNDING_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, "2^");
    writer_text(&w, exponent);
    message_add_text(m, text);
}

double rounding_stop_value(const char *stop) {
    char upper[ROUNDING_TEXT_MAX];
    const char *line = strchr(stop, '/');
    size_t length = line == NULL ? strlen(stop) : (size_t)(line - stop);
    double above = 0, below = 1;
    assert(length < sizeof upper);
    memcpy(upper, stop, length);
    upper[length] = '\0';
    bool read = units_parse_real(upper, &above);
    read = read && (line == NULL || units_parse_real(line + 1, &below));
    assert(read); /* the stops stand in the lesson */
    return read ? above / below : 0;
}

struct calc_rounding rounding_of(const char *type) {
    struct calc_rounding r = {{8, 23, true}, false};
    bool found = calc_format_find(type, &r.format);
    assert(found);
    r.saturates = found && !r.format.infinity;
    return r;
}

void rounding_gradients(double centre, uint64_t step, double *values, uint64_t count) {
    enum { UNIFORMS = 12 };
    for (uint64_t i = 0; i < count; i++) {
        double sum = 0;
        uint64_t own = calc_random(ROUNDING_SEED ^ step * UINT64_C(0xD1B54A32D192ED03), i, 0);
        for (uint64_t k = 1; k <= UNIFORMS; k++) {
            sum += (double)(calc_random(own, k, step) >> 11) * 0x1p-53;
        }
        double size = exp2(centre + ROUNDING_SPREAD * (sum - UNIFORMS / 2.0));
        values[i] = own % 2 == 0 ? size : -size;
    }
}

const struct fact *rounding_fact(const struct facts *f, const char *key) {
    const struct fact *found = NULL;
    for (int i = 0; i < f->count && found == NULL; i++) {
        found = strcmp(f->list[i].key, key) == 0 ? &f->list[i] : NULL;
    }
    assert(found != NULL);
    return found;
}

/* --- Tables --- */

void rounding_col(struct view_table *t, const char *key, const char *label, int drop) {
    (void)view_table_col(t, &(struct view_table_col){key, label, VIEW_TABLE_TEXT, drop, NULL});
}

void rounding_cell(struct view_table *t, int row, int col, double x) {
    char text[ROUNDING_TEXT_MAX];
    write_text(text, x);
    view_table_set_text(t, row, col, text);
}

/* --- Histograms --- */

enum { BAR_CELLS = 20, TOGETHER = 2 };

struct bin {
    double sum[FACTS_COLUMNS]; /* by column of the points; [0] is not used */
};

/* Letters for what became of a bin's numbers, as many as its share of the fullest bin: z zero, s subnormal, m past max,
 * n the rest. A bin that is not empty has one at least. */
static void write_bar(char out[ROUNDING_TEXT_MAX], const struct bin *b, double fullest) {
    static const char letters[] = "zsmn";
    double ends[4] = {b->sum[2], b->sum[2] + b->sum[3], b->sum[2] + b->sum[3] + b->sum[4],
                      b->sum[1]};
    int cells = (int)ceil(b->sum[1] / fullest * BAR_CELLS);
    struct writer w;
    writer_start(&w, out, ROUNDING_TEXT_MAX);
    for (int cell = 0; cell < cells; cell++) {
        double at = (cell + 0.5) / cells * b->sum[1];
        int fate = 0;
        while (fate < 3 && at > ends[fate]) {
            fate++;
        }
        writer_char(&w, letters[fate]);
    }
}

static double fullest_of(const struct bin *bins, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, bins[i].sum[1]);
    }
    return most;
}

static void fill_row(struct view_table *t, const struct bin *b, int exponent, int columns) {
    char text[ROUNDING_TEXT_MAX];
    struct writer w;
    int row = view_table_row(t);
    writer_start(&w, text, sizeof text);
    writer_text(&w, "2^");
    writer_real(&w, exponent);
    view_table_set_text(t, row, 0, text);
    for (int c = 1; c < columns; c++) {
        view_table_set_count(t, row, c, (uint64_t)b->sum[c]);
    }
}

void rounding_histogram_add(struct view *out, const struct facts *facts,
                            const struct rounding_histogram *h) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct bin bins[VIEW_TABLE_ROWS_MAX] = {{{0}}};
    int low = (int)floor(facts->point[0][0] / TOGETHER) * TOGETHER, count = 0;
    message_start(&t->title, h->title);
    message_add_text(&t->title, h->type);
    rounding_col(t, "from", "lesson.rounding.column.from", 0);
    for (int c = 1; c < facts->columns; c++) {
        (void)view_table_col(t, &(struct view_table_col){facts->column[c], h->labels[c],
                                                         VIEW_TABLE_COUNT, h->bar ? c : 0, NULL});
    }
    if (h->bar) {
        rounding_col(t, "fates", "lesson.rounding.column.fates", 0);
    }
    for (int i = 0; i < facts->points; i++) {
        int bin = ((int)facts->point[i][0] - low) / TOGETHER;
        assert(bin < VIEW_TABLE_ROWS_MAX);
        for (int c = 1; c < facts->columns; c++) {
            bins[bin].sum[c] += facts->point[i][c];
        }
        count = bin + 1;
    }
    for (int i = 0; i < count; i++) {
        char bar[ROUNDING_TEXT_MAX];
        fill_row(t, &bins[i], low + i * TOGETHER, facts->columns);
        if (h->bar) {
            write_bar(bar, &bins[i], fullest_of(bins, count));
            view_table_set_text(t, i, facts->columns, bar);
        }
    }
}

/* --- Curves --- */

struct view_plot *rounding_curves_add(struct view *out, const struct facts *facts,
                                      const struct rounding_curves *c) {
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    int points = facts->points < VIEW_PLOT_POINTS_MAX ? facts->points : VIEW_PLOT_POINTS_MAX;
    double low, high;
    message_start(&plot->title, c->title);
    plot->x_name = c->x_name;
    plot->y_name = c->y_name;
    plot->point_count = points;
    plot->series_count = c->series;
    for (int i = 0; i < points; i++) {
        plot->x[i] = facts->point[i][0];
    }
    for (int s = 0; s < c->series; s++) {
        plot->series[s].name = c->names[s];
        plot->series[s].letter = c->letters[s];
        for (int i = 0; i < points; i++) {
            plot->series[s].y[i] = facts->point[i][s + 1];
        }
    }
    write_text(plot->low_x, plot->x[0]);
    write_text(plot->high_x, plot->x[points - 1]);
    if (view_plot_range(plot, &low, &high)) {
        write_text(plot->low_y, low);
        write_text(plot->high_y, high);
    }
    return plot;
}

/* --- Guesses --- */

static void start(struct message *m, const char *id, const struct rounding_choice *c) {
    message_start(m, id);
    for (int i = 0; i < c->number_count; i++) {
        rounding_add_number(m, c->numbers[i]);
    }
}

void rounding_choose(struct lesson_guess *g, const struct rounding_choice *c) {
    assert(g->choice_count < LESSON_CHOICES_MAX);
    start(&g->choices[g->choice_count], c->id, c);
    start(&g->why[g->choice_count], c->why, c);
    g->choice_count++;
}

static int choice_of(const struct lesson_guess *g, const char *text) {
    for (int i = 0; i < g->choice_count; i++) {
        const struct message *c = &g->choices[i];
        if (strcmp(c->id, "lesson.rounding.guess.number") == 0 &&
            strcmp(c->args[0].text, text) == 0) {
            return i;
        }
    }
    return -1;
}

void rounding_choose_text(struct lesson_guess *g, const char *text, const char *why) {
    if (choice_of(g, text) >= 0) {
        return;
    }
    assert(g->choice_count < LESSON_CHOICES_MAX);
    message_start(&g->choices[g->choice_count], "lesson.rounding.guess.number");
    message_add_text(&g->choices[g->choice_count], text);
    message_start(&g->why[g->choice_count], why);
    message_add_text(&g->why[g->choice_count], text);
    g->choice_count++;
}

static void swap(struct message *a, struct message *b) {
    struct message kept = *a;
    *a = *b;
    *b = kept;
}

/* Numbers from small to large, so that nothing can be read from the order; what is no number stays behind them. */
static void sort_numbers(struct lesson_guess *g) {
    for (int i = 1; i < g->choice_count; i++) {
        for (int k = i; k > 0 && strcmp(g->choices[k].id, "lesson.rounding.guess.number") == 0;
             k--) {
            const char *own = g->choices[k].args[0].text;
            if (rounding_stop_value(g->choices[k - 1].args[0].text) <= rounding_stop_value(own)) {
                break;
            }
            swap(&g->choices[k], &g->choices[k - 1]);
            swap(&g->why[k], &g->why[k - 1]);
            g->right += g->right == k ? -1 : g->right == k - 1 ? 1 : 0;
        }
    }
}

bool rounding_settle_text(struct lesson_guess *g, const char *text, const char *why) {
    int found = choice_of(g, text);
    if (found < 0 || g->choice_count < 2) {
        return false;
    }
    g->right = found;
    message_start(&g->why[found], why);
    message_add_text(&g->why[found], text);
    sort_numbers(g);
    return true;
}

void rounding_choose_number(struct lesson_guess *g, double x, const char *why) {
    char text[ROUNDING_TEXT_MAX];
    write_text(text, x);
    rounding_choose_text(g, text, why);
}

bool rounding_settle(struct lesson_guess *g, double x, const char *why) {
    char text[ROUNDING_TEXT_MAX];
    write_text(text, x);
    return rounding_settle_text(g, text, why);
}

void rounding_values(struct lesson_experiment *out, const struct lesson_value *values, int count) {
    out->title = "lesson.rounding.experiment";
    out->value_count = count;
    memcpy(out->values, values, (size_t)count * sizeof *values);
    out->fact_count = 1;
    out->facts[0] = (struct lesson_value){"time_s", "collective.fact.time", LESSON_UNIT_SECONDS};
}
