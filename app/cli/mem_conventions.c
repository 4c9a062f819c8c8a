/* `shardlab mem … --conventions`: the scenario as every convention counts it, as text, as a member of the JSON object
 * and as CSV. The matrix is the lesson's (lesson/memory_view.h), so that screen and command line show one value. Keys
 * are English and bytes exact; unknown is null or an empty field. Proof: tests/cli/test_conventions.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/lesson/memory_view.h"
#include "shardlab/view/read.h"
#include "shardlab/view/shape.h"

static void make(struct view *v, const struct cli_args *args, const struct scenario *applied) {
    view_start(v);
    memory_conventions_add(v, applied, args->stage_given ? &args->stage : NULL);
}

void cli_conventions_text(struct cli_context *c, const struct cli_args *args,
                          const struct scenario *applied) {
    struct view v;
    const struct view_text_options options = {.width = cli_picture_columns(c),
                                              .ascii = args->ascii};
    make(&v, args, applied);
    view_write_text(c->out, &v, &c->words, &options);
}

/* "optimizer" of a cell in bytes is "optimizer_bytes". */
static void key_of(const struct view_matrix *m, int row, char key[48]) {
    struct writer w;
    bool bytes = strcmp(m->rows[row].key, "bytes_per_param") != 0;
    writer_start(&w, key, 48);
    writer_text(&w, m->rows[row].key);
    writer_text(&w, bytes ? "_bytes" : "");
}

static bool is_number(const struct view_matrix *m, int row) {
    return m->cells[row][0].kind != VIEW_CELL_TEXT;
}

static void json_cells(struct json *j, const struct view_matrix *m, int col) {
    for (int row = 0; row < m->row_count; row++) {
        const struct view_cell *cell = &m->cells[row][col];
        char key[48];
        key_of(m, row, key);
        if (cell->kind == VIEW_CELL_BYTES) {
            json_u64(j, key, cell->bytes);
        } else if (cell->kind == VIEW_CELL_REAL) {
            json_real(j, key, cell->real);
        } else if (is_number(m, row)) {
            json_null(j, key);
        }
    }
    json_array_open(j, "differs");
    for (int row = 0; row < m->row_count; row++) {
        if (m->cells[row][col].differs) {
            json_text(j, NULL, m->rows[row].key);
        }
    }
    json_array_close(j);
}

/* The stage that the scenario has under this convention: what was given, else its own default. */
static void json_zero(struct json *j, const struct scenario *applied, const char *convention) {
    struct scenario s = *applied;
    struct message unused;
    int option = calc_option_index("convention");
    if (calc_option_set(&s, option, convention, &unused) == STATUS_OK &&
        scenario_resolve(&s, &s, &unused) == STATUS_OK) {
        json_u64(j, "zero", s.layout.zero);
    } else {
        json_null(j, "zero");
    }
}

void cli_conventions_json(struct cli_context *c, struct json *j, const struct cli_args *args,
                          const struct scenario *applied) {
    struct view v;
    make(&v, args, applied);
    const struct view_matrix *m = &v.items[0].matrix;
    json_array_open(j, "conventions");
    for (int col = 0; col < m->col_count; col++) {
        char why[1536];
        struct writer w;
        json_object_open(j, NULL);
        json_text(j, "convention", m->cols[col].key);
        json_bool(j, "own", col == m->reference);
        json_bool(j, "defined", m->cols[col].defined);
        json_zero(j, applied, m->cols[col].key);
        json_array_open(j, "zero_stages");
        for (uint64_t zero = 0; zero <= 3; zero++) {
            if (calc_convention_defines(col, zero)) {
                json_u64(j, NULL, zero);
            }
        }
        json_array_close(j);
        json_cells(j, m, col);
        writer_start(&w, why, sizeof why);
        (void)view_matrix_sentence(&w, m, col, &c->words);
        json_text(j, "why", why);
        json_object_close(j);
    }
    json_array_close(j);
}

void cli_conventions_csv(struct cli_context *c, const struct cli_args *args,
                         const struct scenario *applied) {
    struct view v;
    make(&v, args, applied);
    const struct view_matrix *m = &v.items[0].matrix;
    writer_text(c->out, "key");
    for (int col = 0; col < m->col_count; col++) {
        writer_char(c->out, ',');
        writer_text(c->out, m->cols[col].key);
    }
    writer_text(c->out, "\r\n");
    for (int row = 0; row < m->row_count; row++) {
        if (!is_number(m, row)) {
            continue;
        }
        writer_text(c->out, m->rows[row].key);
        for (int col = 0; col < m->col_count; col++) {
            const struct view_cell *cell = &m->cells[row][col];
            writer_char(c->out, ',');
            if (cell->kind == VIEW_CELL_BYTES) {
                writer_u64(c->out, cell->bytes);
            } else if (cell->kind == VIEW_CELL_REAL) {
                view_write_real(c->out, cell->real);
            }
        }
        writer_text(c->out, "\r\n");
    }
}
