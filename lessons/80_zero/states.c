/* What each ZeRO stage leaves on one GPU, and how many times smaller that is over the number of ranks: a matrix of the
 * stages beside each other and a curve a stage. Amounts are calc_memory_worst's, ratios calc_zero_saving's. Appends to
 * the caller's view. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "../what_if_private.h"
#include "zero_private.h"

#include "shardlab/base/checked.h"
#include "shardlab/calc/memory.h"

enum { ROW_STATES = CALC_PART_OPTIMIZER + 1, ROW_SAVING, ROWS };

static const char *const names[ZERO_STAGES] = {"DP", "ZeRO-1", "ZeRO-2", "ZeRO-3"};

uint64_t zero_sharding_ranks(const struct scenario *s, uint64_t dp) {
    uint64_t ranks = UINT64_MAX;
    if (s->convention != CALC_CONVENTION_MEGATRON) {
        return dp;
    }
    return checked_mul(dp, s->layout.cp, &ranks) ? ranks : UINT64_MAX;
}

/* --- The stages beside each other --- */

static void add_rows(struct view_matrix *m) {
    static const struct view_matrix_row rows[ROWS] = {
        [CALC_PART_WEIGHTS] = {"weights", "part.weights", VIEW_ROLE_WEIGHTS, false},
        [CALC_PART_GRADIENTS] = {"gradients", "part.gradients", VIEW_ROLE_GRADIENTS, false},
        [CALC_PART_OPTIMIZER] = {"optimizer", "part.optimizer", VIEW_ROLE_OPTIMIZER, false},
        [ROW_STATES] = {"states", "lesson.zero.states", VIEW_ROLE_TOTAL, true},
        [ROW_SAVING] = {"saving", "lesson.zero.saving", VIEW_ROLE_PLAIN, false},
    };
    for (int row = 0; row < ROWS; row++) {
        m->rows[m->row_count++] = rows[row];
    }
}

static void fill_bytes(struct view_cell *cell, uint64_t bytes) {
    cell->kind = VIEW_CELL_BYTES;
    cell->bytes = bytes;
}

static bool add_column(struct view_matrix *m, const struct scenario *s, uint64_t stage) {
    struct scenario other = *s;
    struct calc_memory memory;
    struct message why;
    int col = m->col_count++;
    m->cols[col].key = names[stage];
    m->cols[col].defined = what_if_count(&other, "zero", stage) && what_if_settle(&other) &&
                           calc_memory_worst(&other, &memory, &why) == STATUS_OK && !memory.phases;
    if (!m->cols[col].defined) {
        return false;
    }
    uint64_t states = 0;
    for (int part = 0; part <= CALC_PART_OPTIMIZER; part++) {
        fill_bytes(&m->cells[part][col], memory.part_bytes[part]);
        states += memory.part_bytes[part]; /* parts of a total that did not overflow */
    }
    fill_bytes(&m->cells[ROW_STATES][col], states);
    m->cells[ROW_SAVING][col].kind = VIEW_CELL_REAL;
    m->cells[ROW_SAVING][col].real =
        calc_zero_saving(&other, stage, zero_sharding_ranks(s, s->layout.dp));
    return true;
}

static void mark_divided(struct view_matrix *m) {
    for (int row = 0; row <= CALC_PART_OPTIMIZER; row++) {
        const struct view_cell *whole = &m->cells[row][m->reference];
        for (int col = 0; col < m->col_count; col++) {
            struct view_cell *cell = &m->cells[row][col];
            cell->differs = cell->kind == VIEW_CELL_BYTES && whole->kind == VIEW_CELL_BYTES &&
                            cell->bytes != whole->bytes;
        }
    }
}

void zero_states_add(struct view *out, const struct scenario *s) {
    struct view_matrix *m = &view_add(out, VIEW_KIND_MATRIX)->matrix;
    message_start(&m->title, "lesson.zero.states.title");
    message_add_plain(&m->title, s->layout.dp);
    add_rows(m);
    m->reference = 0;
    for (uint64_t stage = 0; stage < ZERO_STAGES; stage++) {
        if (!add_column(m, s, stage)) {
            m->remarks[m->remark_count].col = (int)stage;
            message_start(&m->remarks[m->remark_count++].text, "lesson.zero.undefined");
        }
    }
    mark_divided(m);
}

/* --- Over ranks --- */

enum { POINTS = 21, RANKS_POWER_STEP = 2 };
_Static_assert((int)POINTS <= (int)VIEW_PLOT_POINTS_MAX, "a plot has room for the ranks");

/* 1, 2, 3, 4, 6, 8, 12 … 1024: powers of two and the numbers half way. */
static uint64_t rank_at(int point) {
    uint64_t power = UINT64_C(1) << (point / RANKS_POWER_STEP);
    return point % RANKS_POWER_STEP == 0 ? power : power + (power + 1) / 2;
}

static void write_label(char out[VIEW_PLOT_LABEL_MAX], uint64_t value, const char *unit) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_u64(&w, value);
    writer_text(&w, unit);
}

void zero_saving_add(struct view *out, const struct scenario *s) {
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    double low = 0, high = 0;
    message_start(&plot->title, "lesson.zero.saving.title");
    plot->x_name = "dp";
    plot->y_name = "saving";
    for (int i = 0; i < POINTS; i++) {
        if (i != 1) { /* between 1 and 2 there is none */
            plot->x[plot->point_count++] = (double)rank_at(i);
        }
    }
    for (uint64_t stage = ZERO_STAGES - 1; stage >= 1; stage--) { /* lower curves drawn last */
        if (!calc_convention_defines(s->convention, stage)) {
            continue;
        }
        struct view_plot_series *series = &plot->series[plot->series_count++];
        series->name = names[stage];
        series->letter = (char)('0' + (int)stage);
        for (int i = 0; i < plot->point_count; i++) {
            series->y[i] = calc_zero_saving(s, stage, zero_sharding_ranks(s, (uint64_t)plot->x[i]));
        }
    }
    if (s->layout.dp > 1 && (double)s->layout.dp <= plot->x[plot->point_count - 1]) {
        plot->marks[plot->mark_count++] = (double)s->layout.dp;
    }
    write_label(plot->low_x, (uint64_t)plot->x[0], "");
    write_label(plot->high_x, (uint64_t)plot->x[plot->point_count - 1], "");
    if (view_plot_range(plot, &low, &high)) {
        write_label(plot->low_y, (uint64_t)(low + 0.5), "×");
        write_label(plot->high_y, (uint64_t)(high + 0.5), "×");
    }
}
