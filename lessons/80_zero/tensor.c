/* The same GPUs used two ways: as data ranks of ZeRO-3, and as one group of tensor parallelism. What each sends, how
 * often, and what it leaves on a GPU. All from the ledgers of communication and memory. Appends to the caller's view.
 * Proof: tests/unit/lessons/test_zero_lesson.c. */
#include <string.h>

#include "../what_if_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/calc/memory.h"
#include "zero_private.h"

static bool rearrange(const struct scenario *s, enum zero_how how, uint64_t micro_batch,
                      struct scenario *out) {
    uint64_t gpus = s->layout.dp;
    *out = *s;
    return what_if_count(out, "dp", how == ZERO_BY_DATA ? gpus : 1) &&
           what_if_count(out, "tp", how == ZERO_BY_TENSOR ? gpus : 1) &&
           what_if_count(out, "zero", how == ZERO_BY_DATA ? 3 : 0) &&
           what_if_count(out, "micro-batch", micro_batch) && what_if_settle(out);
}

/* Of one layer and micro-batch: ZeRO-3's calls are of units, one a layer and one for the rest; tensor parallelism names
 * the calls of its layers. */
static double collectives_of(const struct calc_comm *comm, const struct scenario *s,
                             enum zero_how how) {
    double all = 0, units = (double)s->model.layers + (how == ZERO_BY_DATA ? 1 : 0);
    enum calc_axis axis = how == ZERO_BY_DATA ? CALC_AXIS_DP : CALC_AXIS_TP;
    for (int i = 0; i < comm->row_count; i++) {
        const struct calc_comm_row *row = &comm->rows[i];
        bool of_layers = how == ZERO_BY_DATA ? strcmp(row->id, "found_inf") != 0
                                             : strncmp(row->id, "layers", strlen("layers")) == 0;
        all += row->axis == axis && of_layers ? (double)row->count : 0;
    }
    return all / units / (double)s->batch.micro_batches;
}

bool zero_way_of(const struct scenario *s, enum zero_how how, uint64_t micro_batch,
                 struct zero_way *out) {
    struct calc_comm comm;
    struct calc_memory memory;
    struct message why;
    if (!rearrange(s, how, micro_batch, &out->s) ||
        calc_comm_step(&out->s, &comm, &why) != STATUS_OK || !comm.total_known ||
        calc_memory_worst(&out->s, &memory, &why) != STATUS_OK || memory.phases) {
        return false;
    }
    out->sent_bytes = comm.total_sent_bytes;
    out->collectives = collectives_of(&comm, &out->s, how);
    out->exposed_known = comm.exposed_known && comm.compute_known;
    out->exposed_s = comm.exposed_s;
    out->compute_s = comm.compute_s;
    out->weights_bytes = memory.part_bytes[CALC_PART_WEIGHTS];
    out->states_bytes = out->weights_bytes + memory.part_bytes[CALC_PART_GRADIENTS] +
                        memory.part_bytes[CALC_PART_OPTIMIZER];
    out->activations_known = memory.activations_known;
    out->activations_bytes = memory.part_bytes[CALC_PART_ACTIVATIONS];
    return true;
}

/* --- The matrix --- */

enum { ROW_CALLS, ROW_SENT, ROW_TWICE, ROW_SAME, ROW_EXPOSED, ROW_STATES, ROW_ACTIVATIONS, ROWS };

static void add_rows(struct view_matrix *m) {
    static const struct view_matrix_row rows[ROWS] = {
        [ROW_CALLS] = {"collectives", "lesson.zero.tensor.calls", VIEW_ROLE_PLAIN, false},
        [ROW_SENT] = {"sent_bytes", "lesson.zero.tensor.sent", VIEW_ROLE_PLAIN, false},
        [ROW_TWICE] = {"sent_bytes_twice", "lesson.zero.tensor.twice", VIEW_ROLE_PLAIN, false},
        [ROW_SAME] = {"sent_bytes_same", "lesson.zero.tensor.same", VIEW_ROLE_PLAIN, false},
        [ROW_EXPOSED] = {"exposed_percent", "lesson.zero.tensor.exposed", VIEW_ROLE_PLAIN, false},
        [ROW_STATES] = {"states", "lesson.zero.states", VIEW_ROLE_PLAIN, true},
        [ROW_ACTIVATIONS] = {"activations", "part.activations", VIEW_ROLE_ACTIVATIONS, false},
    };
    for (int row = 0; row < ROWS; row++) {
        m->rows[m->row_count++] = rows[row];
    }
}

static void fill_bytes(struct view_matrix *m, int row, int col, uint64_t bytes) {
    m->cells[row][col].kind = VIEW_CELL_BYTES;
    m->cells[row][col].bytes = bytes;
}

static void fill_real(struct view_matrix *m, int row, int col, double real) {
    m->cells[row][col].kind = VIEW_CELL_REAL;
    m->cells[row][col].real = real;
}

static void fill_column(struct view_matrix *m, const struct scenario *s, enum zero_how how) {
    static const char *const keys[ZERO_WAYS] = {"ZeRO-3", "TP"};
    struct zero_way way, twice;
    uint64_t same = 0, steps = how == ZERO_BY_DATA ? 1 : s->layout.dp;
    int col = m->col_count++;
    m->cols[col].key = keys[how];
    m->cols[col].defined = zero_way_of(s, how, s->batch.micro_batch, &way);
    if (!m->cols[col].defined) {
        struct view_remark *remark = &m->remarks[m->remark_count++];
        remark->col = col;
        message_start(&remark->text, "lesson.zero.tensor.undefined");
        message_add_plain(&remark->text, s->layout.dp);
        return;
    }
    fill_real(m, ROW_CALLS, col, way.collectives);
    fill_bytes(m, ROW_SENT, col, way.sent_bytes);
    if (zero_way_of(s, how, 2 * s->batch.micro_batch, &twice)) {
        fill_bytes(m, ROW_TWICE, col, twice.sent_bytes);
    }
    if (checked_mul(way.sent_bytes, steps, &same)) {
        fill_bytes(m, ROW_SAME, col, same);
    }
    if (way.exposed_known && way.compute_s > 0) {
        fill_real(m, ROW_EXPOSED, col, 100 * way.exposed_s / way.compute_s);
    }
    fill_bytes(m, ROW_STATES, col, way.states_bytes);
    if (way.activations_known) {
        fill_bytes(m, ROW_ACTIVATIONS, col, way.activations_bytes);
    }
}

void zero_tensor_add(struct view *out, const struct scenario *s) {
    struct view_matrix *m = &view_add(out, VIEW_KIND_MATRIX)->matrix;
    message_start(&m->title, "lesson.zero.tensor.title");
    message_add_plain(&m->title, s->layout.dp);
    m->reference = -1;
    add_rows(m);
    for (int how = 0; how < ZERO_WAYS; how++) {
        fill_column(m, s, (enum zero_how)how);
    }
}
