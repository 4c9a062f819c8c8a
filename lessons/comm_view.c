/* From the communication ledger to its table. All numbers are calc/comm.h's; here only columns are named and ordered by
 * how soon a narrow screen may leave them out. Writes into the caller's view. Proof:
 * tests/unit/lessons/test_comm_view.c. */
#include "shardlab/lesson/comm_view.h"

#include "shardlab/base/writer.h"

enum column { AXIS, WHAT, COLLECTIVE, COUNT, MESSAGE, SENT, LINK, TIME, EXPOSED, COLUMNS };

static void add_columns(struct view_table *t) {
    static const struct view_table_col cols[COLUMNS] = {
        [AXIS] = {"axis", "view.comm.axis", VIEW_TABLE_NAME, 0, "view.comm.axis."},
        [WHAT] = {"what", "view.comm.what", VIEW_TABLE_NAME, 2, "comm."},
        [COLLECTIVE] = {"collective", "view.comm.collective", VIEW_TABLE_NAME, 0,
                        "comm.collective."},
        [COUNT] = {"count", "view.comm.count", VIEW_TABLE_COUNT, 3, NULL},
        [MESSAGE] = {"message_bytes", "view.comm.message", VIEW_TABLE_BYTES, 5, NULL},
        [SENT] = {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 0, NULL},
        [LINK] = {"link", "view.comm.link", VIEW_TABLE_NAME, 4, "comm.link."},
        [TIME] = {"time_s", "view.comm.time", VIEW_TABLE_SECONDS, 1, NULL},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 1, NULL}};
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
}

static void add_row(struct view_table *t, const struct calc_comm_row *row) {
    int at = view_table_row(t);
    view_table_set_text(t, at, AXIS, calc_axis_name(row->axis));
    view_table_set_text(t, at, WHAT, row->id);
    view_table_set_text(t, at, COLLECTIVE, calc_collective_name(row->collective));
    view_table_set_count(t, at, COUNT, row->count);
    view_table_set_count(t, at, MESSAGE, row->message_bytes);
    view_table_set_count(t, at, SENT, row->sent_bytes);
    view_table_set_text(t, at, LINK, calc_link_name(row->link));
    if (row->time_known) {
        view_table_set_real(t, at, TIME, row->time_s);
    }
    if (row->exposed_known) {
        view_table_set_real(t, at, EXPOSED, row->exposed_s);
    }
}

/* The rows of an axis; one that is not known has a row that says so. */
static void add_axis(struct view_table *t, const struct calc_comm *comm, enum calc_axis axis) {
    for (int i = 0; i < comm->row_count; i++) {
        if (comm->rows[i].axis == axis) {
            add_row(t, &comm->rows[i]);
        }
    }
    if (!comm->axis_known[axis]) {
        view_table_set_text(t, view_table_row(t), AXIS, calc_axis_name(axis));
    }
}

/* Bytes over PCIe and NVMe are no part of what goes to other GPUs. */
static void add_total(struct view_table *t, const struct calc_comm *comm) {
    int at = view_table_row(t);
    view_table_set_text(t, at, AXIS, "total");
    if (comm->total_known) {
        view_table_set_count(t, at, SENT, comm->total_sent_bytes);
    }
    if (comm->exposed_known) {
        view_table_set_real(t, at, EXPOSED, comm->exposed_s);
    }
    t->has_total = true;
}

void comm_table_add(struct view *out, const struct calc_comm *comm) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    add_columns(t);
    for (int axis = 0; axis < CALC_AXES; axis++) {
        add_axis(t, comm, (enum calc_axis)axis);
    }
    message_start(&t->title, t->row_count > 0 ? "view.comm.title" : "view.comm.nothing");
    if (t->row_count > 0) {
        add_total(t, comm);
    }
    if (comm->compute_known) {
        char text[40];
        struct writer w;
        writer_start(&w, text, sizeof text);
        writer_fixed(&w, comm->compute_s, comm->compute_s < 1 ? 4 : 2);
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "view.comm.compute");
        message_add_text(note, text);
    }
}
