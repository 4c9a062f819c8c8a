/* A table of mixed columns: filling it, writing one cell, and where its columns stand: names to the left, numbers on
 * their decimal points, the least important columns left out where the width does not do. Drawn with a pen, so the
 * terminal and plain text agree. The table is borrowed. Proof: tests/unit/view/test_table.c. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/view/shape.h"
#include "table_private.h"

enum { NAME_ID_MAX = 96 };

int view_table_col(struct view_table *t, const struct view_table_col *col) {
    assert(t->col_count < VIEW_TABLE_COLS_MAX);
    t->cols[t->col_count] = *col;
    return t->col_count++;
}

int view_table_row(struct view_table *t) {
    assert(t->row_count < VIEW_TABLE_ROWS_MAX);
    memset(t->cells[t->row_count], 0, sizeof t->cells[0]);
    return t->row_count++;
}

void view_table_set_text(struct view_table *t, int row, int col, const char *text) {
    struct view_table_cell *cell = &t->cells[row][col];
    cell->known = true;
    (void)snprintf(cell->text, sizeof cell->text, "%s", text);
}

void view_table_set_count(struct view_table *t, int row, int col, uint64_t count) {
    t->cells[row][col].known = true;
    t->cells[row][col].count = count;
}

void view_table_set_real(struct view_table *t, int row, int col, double real) {
    t->cells[row][col].known = isfinite(real);
    t->cells[row][col].real = real;
}

struct message *view_table_add_note(struct view_table *t, int row) {
    assert(t->note_count < VIEW_TABLE_NOTES_MAX);
    struct view_table_note *note = &t->notes[t->note_count++];
    note->row = row;
    return &note->text;
}

struct table_seconds table_seconds_of(const struct view_table *t) {
    double largest = 0;
    for (int i = 0; i < t->row_count * t->col_count; i++) {
        int col = i % t->col_count;
        const struct view_table_cell *cell = &t->cells[i / t->col_count][col];
        bool time = t->cols[col].kind == VIEW_TABLE_SECONDS && cell->known;
        largest = time && fabs(cell->real) > largest ? fabs(cell->real) : largest;
    }
    return largest >= 1 || largest == 0 ? (struct table_seconds){"s", 1}
           : largest >= 1e-3            ? (struct table_seconds){"ms", 1e3}
                                        : (struct table_seconds){"µs", 1e6};
}

static void write_name(const struct view_pen *pen, const char *prefix, const char *text,
                       struct writer *w) {
    char id[NAME_ID_MAX];
    (void)snprintf(id, sizeof id, "%s%s", prefix, text);
    writer_text(w, words_get(pen->words, id));
}

void table_cell_write(const struct view_pen *pen, const struct view_table *t, int row, int col,
                      struct writer *w) {
    const struct view_table_cell *cell = &t->cells[row][col];
    if (!cell->known) {
        bool blank = t->has_total && row == t->row_count - 1; /* a total of names says nothing */
        writer_text(w, blank ? "" : pen->ascii ? "--" : "—");
        return;
    }
    switch (t->cols[col].kind) {
    case VIEW_TABLE_TEXT:
        writer_text(w, cell->text);
        break;
    case VIEW_TABLE_NAME:
        write_name(pen, t->cols[col].prefix, cell->text, w);
        break;
    case VIEW_TABLE_COUNT:
        writer_u64_grouped(w, cell->count);
        break;
    case VIEW_TABLE_BYTES:
        view_write_amount(w, cell->count, pen->words->unit);
        break;
    case VIEW_TABLE_SECONDS:
        writer_fixed(w, cell->real * table_seconds_of(t).times,
                     table_seconds_of(t).times > 1 ? 2 : 3);
        break;
    case VIEW_TABLE_SHARE:
        writer_fixed(w, cell->real * 100, 1);
        break;
    case VIEW_TABLE_REAL:
        view_write_real(w, cell->real);
        break;
    }
}

void table_head_write(const struct view_pen *pen, const struct view_table *t, int col,
                      struct writer *w) {
    const struct view_table_col *c = &t->cols[col];
    writer_text(w, c->label != NULL ? words_get(pen->words, c->label) : c->key);
    const char *unit = c->kind == VIEW_TABLE_BYTES     ? units_name(pen->words->unit)
                       : c->kind == VIEW_TABLE_SECONDS ? table_seconds_of(t).name
                       : c->kind == VIEW_TABLE_SHARE   ? "%"
                                                       : NULL;
    if (unit != NULL) {
        writer_char(w, ' ');
        writer_text(w, pen->ascii && strcmp(unit, "µs") == 0 ? "us" : unit);
    }
}

static bool is_left(enum view_table_kind kind) {
    return kind == VIEW_TABLE_TEXT || kind == VIEW_TABLE_NAME;
}

static int fraction_cols(const char *text) {
    const char *point = strchr(text, '.');
    return point != NULL ? (int)strlen(point) : 0;
}

/* Width of a column: its heading, and its cells with their points below each other. */
static void measure(const struct view_pen *pen, const struct view_table *t, int col,
                    struct table_place *out) {
    char text[TABLE_TEXT_MAX];
    struct writer w;
    int whole = 0, fraction = 0;
    for (int row = 0; row < t->row_count; row++) {
        writer_start(&w, text, sizeof text);
        table_cell_write(pen, t, row, col, &w);
        int behind = is_left(t->cols[col].kind) ? 0 : fraction_cols(text);
        int before = width_text(text, &pen->rules) - behind;
        whole = before > whole ? before : whole;
        fraction = behind > fraction ? behind : fraction;
    }
    writer_start(&w, text, sizeof text);
    table_head_write(pen, t, col, &w);
    int head = width_text(text, &pen->rules);
    out->shown = true;
    out->fraction = fraction;
    out->cols = whole + fraction > head ? whole + fraction : head;
}

static int total_cols(const struct table_plan *plan, const struct view_table *t) {
    int sum = plan->number_cols;
    for (int i = 0; i < t->col_count; i++) {
        sum += plan->place[i].shown ? plan->place[i].cols + TABLE_GAP : 0;
    }
    return sum - TABLE_GAP;
}

bool table_col_is_same(const struct view_table *t, int col) {
    int rows = t->row_count - (t->has_total ? 1 : 0);
    for (int row = 1; row < rows; row++) {
        const struct view_table_cell *a = &t->cells[0][col], *b = &t->cells[row][col];
        bool less = a->real<b->real, more = a->real> b->real;
        if (a->known != b->known || strcmp(a->text, b->text) != 0 || a->count != b->count || less ||
            more) {
            return false;
        }
    }
    return rows > 0 && t->cells[0][col].known;
}

/* The column that matters least among those in sight, -1: all have to stay. What every row has alike goes first, since
 * one word below the table says it. */
static int least_of(const struct table_plan *plan, const struct view_table *t) {
    int worst = -1, most = 0;
    for (int i = 0; i < t->col_count; i++) {
        bool candidate = plan->place[i].shown && t->cols[i].drop > 0;
        int weight = t->cols[i].drop + (table_col_is_same(t, i) ? VIEW_TABLE_COLS_MAX : 0);
        if (candidate && weight >= most) {
            worst = i;
            most = weight;
        }
    }
    return worst;
}

/* Cuts the widest names until the rest fits. */
static void squeeze(struct table_plan *plan, const struct view_table *t, int cols) {
    while (total_cols(plan, t) > cols) {
        int widest = -1;
        for (int i = 0; i < t->col_count; i++) {
            bool name = plan->place[i].shown && is_left(t->cols[i].kind);
            if (name && plan->place[i].cols > TABLE_NAME_MIN &&
                (widest < 0 || plan->place[i].cols > plan->place[widest].cols)) {
                widest = i;
            }
        }
        if (widest < 0) {
            return;
        }
        plan->place[widest].cols--;
    }
}

struct table_plan table_plan_of(const struct view_pen *pen, const struct view_table *t) {
    char last[24];
    int digits = snprintf(last, sizeof last, "%ju",
                          (uintmax_t)(t->first_number + (uint64_t)t->row_count - 1));
    struct table_plan plan = {.number_cols = t->numbered ? digits + TABLE_GAP : 0};
    for (int i = 0; i < t->col_count; i++) {
        measure(pen, t, i, &plan.place[i]);
        plan.place[i].left = is_left(t->cols[i].kind);
    }
    for (int i = least_of(&plan, t); total_cols(&plan, t) > pen->cols && i >= 0;
         i = least_of(&plan, t)) {
        plan.place[i].shown = false;
        plan.left_out++;
    }
    squeeze(&plan, t, pen->cols);
    int at = plan.number_cols;
    for (int i = 0; i < t->col_count; i++) {
        plan.place[i].col = at;
        at += plan.place[i].shown ? plan.place[i].cols + TABLE_GAP : 0;
    }
    plan.end = at - TABLE_GAP;
    return plan;
}
