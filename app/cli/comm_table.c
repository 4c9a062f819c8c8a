/* `shardlab comm` for eyes and for spreadsheets: one line a row of calc_comm, grouped by axis, and the same as CSV
 * (RFC 4180: CRLF; no field holds a comma or a quote). Proof: tests/cli/test_comm.c. */
#include "comm_private.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

enum {
    WHAT_COLS = 20,
    COLLECTIVE_COLS = 15,
    CALLS_COLS = 8,
    BYTES_COLS = 12,
    LINK_COLS = 9,
    TIME_COLS = 10
};

static const char *word(struct cli_context *c, const char *prefix, const char *name) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, prefix);
    writer_text(&w, name);
    return words_get(&c->words, id);
}

/* 12.3 µs, 4.56 ms, 1.23 s; "–" when unknown. */
static void write_time(struct cli_context *c, bool known, double seconds) {
    char text[40];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (!known) {
        writer_text(&w, "–");
    } else if (seconds >= 1) {
        writer_fixed(&w, seconds, 2);
        writer_text(&w, " s");
    } else if (seconds >= 1e-3) {
        writer_fixed(&w, seconds * 1e3, 2);
        writer_text(&w, " ms");
    } else {
        writer_fixed(&w, seconds * 1e6, seconds > 0 ? 1 : 0);
        writer_text(&w, " µs");
    }
    width_write_right(c->out, text, TIME_COLS, &rules);
}

static void write_bytes(struct cli_context *c, uint64_t bytes) {
    char text[40];
    struct writer w;
    bool small = bytes < UINT64_C(10000000);
    writer_start(&w, text, sizeof text);
    if (small) { /* no GB that anybody could read */
        writer_u64_grouped(&w, bytes);
        writer_text(&w, " B");
    } else {
        units_write_bytes(&w, bytes, c->words.unit, 2);
        writer_char(&w, ' ');
        writer_text(&w, units_name(c->words.unit));
    }
    width_write_right(c->out, text, BYTES_COLS, &rules);
}

static void write_count(struct cli_context *c, uint64_t count) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, count);
    width_write_right(c->out, text, CALLS_COLS, &rules);
}

static void write_head(struct cli_context *c) {
    writer_text(c->out, "  ");
    width_write_left(c->out, words_get(&c->words, "cli.comm.what"), WHAT_COLS + COLLECTIVE_COLS,
                     &rules);
    width_write_right(c->out, words_get(&c->words, "cli.comm.calls"), CALLS_COLS, &rules);
    width_write_right(c->out, words_get(&c->words, "cli.comm.sent"), BYTES_COLS, &rules);
    width_write_right(c->out, words_get(&c->words, "cli.comm.link"), LINK_COLS, &rules);
    width_write_right(c->out, words_get(&c->words, "cli.comm.time"), TIME_COLS, &rules);
    width_write_right(c->out, words_get(&c->words, "cli.comm.exposed"), TIME_COLS, &rules);
    writer_char(c->out, '\n');
}

static void write_row(struct cli_context *c, const struct calc_comm_row *row, bool explain) {
    writer_text(c->out, "  ");
    width_write_left(c->out, word(c, "comm.", row->id), WHAT_COLS - 1, &rules);
    writer_char(c->out, ' ');
    width_write_left(c->out, word(c, "comm.collective.", calc_collective_name(row->collective)),
                     COLLECTIVE_COLS, &rules);
    write_count(c, row->count);
    write_bytes(c, row->sent_bytes);
    width_write_right(c->out, word(c, "comm.link.", calc_link_name(row->link)), LINK_COLS, &rules);
    write_time(c, row->time_known, row->time_s);
    write_time(c, row->exposed_known, row->exposed_s);
    writer_char(c->out, '\n');
    if (explain) {
        writer_text(c->out, "    ");
        writer_text(c->out, row->formula);
        writer_text(c->out, " = ");
        writer_text(c->out, row->substituted);
        writer_text(c->out, " — ");
        writer_text(c->out, row->source);
        writer_char(c->out, '\n');
    }
}

static void write_axis(struct cli_context *c, const struct calc_comm *comm, enum calc_axis axis,
                       bool explain) {
    bool headed = false;
    for (int i = 0; i < comm->row_count; i++) {
        if (comm->rows[i].axis == axis) {
            if (!headed) {
                writer_text(c->out, word(c, "comm.axis.", calc_axis_name(axis)));
                writer_char(c->out, '\n');
            }
            headed = true;
            write_row(c, &comm->rows[i], explain);
        }
    }
    if (!comm->axis_known[axis]) {
        writer_text(c->out, word(c, "comm.axis.", calc_axis_name(axis)));
        writer_text(c->out, "\n  –\n");
    }
}

static void write_total(struct cli_context *c, const struct calc_comm *comm) {
    writer_text(c->out, words_get(&c->words, "cli.comm.total"));
    int used = width_text(words_get(&c->words, "cli.comm.total"), &rules);
    width_write_left(c->out, "", 2 + WHAT_COLS + COLLECTIVE_COLS + CALLS_COLS - used, &rules);
    if (comm->total_known) {
        write_bytes(c, comm->total_sent_bytes);
    } else {
        width_write_right(c->out, "–", BYTES_COLS, &rules);
    }
    width_write_left(c->out, "", LINK_COLS + TIME_COLS, &rules);
    write_time(c, comm->exposed_known, comm->exposed_s);
    writer_char(c->out, '\n');
    if (comm->compute_known) {
        writer_text(c->out, words_get(&c->words, "cli.comm.compute"));
        used = width_text(words_get(&c->words, "cli.comm.compute"), &rules);
        int column = 2 + WHAT_COLS + COLLECTIVE_COLS + CALLS_COLS + BYTES_COLS + LINK_COLS;
        width_write_left(c->out, "", column - used, &rules);
        write_time(c, true, comm->compute_s);
        writer_char(c->out, '\n');
    }
}

void comm_write_text(struct cli_context *c, const struct cli_args *args,
                     const struct comm_result *r) {
    struct message head;
    message_start(&head, r->s.layout.pp > 1 ? "cli.comm.head_stage" : "cli.comm.head");
    message_add_count(&head, r->params.total);
    message_add_plain(&head, r->comm.stage);
    message_add_plain(&head, r->s.layout.pp - 1);
    words_write(c->out, &c->words, &head);
    writer_text(c->out, "\n\n");
    write_head(c);
    for (int axis = 0; axis < CALC_AXES; axis++) {
        write_axis(c, &r->comm, (enum calc_axis)axis, args->explain);
    }
    write_total(c, &r->comm);
    writer_char(c->out, '\n');
    for (int i = 0; i < r->note_count; i++) {
        words_write(c->out, &c->words, &r->notes[i]);
        writer_char(c->out, '\n');
    }
}

static void csv_real(struct writer *w, bool known, double value) {
    writer_char(w, ',');
    if (known) {
        writer_real(w, value);
    }
}

void comm_write_csv(struct cli_context *c, const struct comm_result *r) {
    struct writer *w = c->out;
    writer_text(
        w, "axis,collective,what,ranks,count,message_bytes,sent_bytes,link,time_s,exposed_s\r\n");
    for (int i = 0; i < r->comm.row_count; i++) {
        const struct calc_comm_row *row = &r->comm.rows[i];
        const uint64_t counts[] = {row->ranks, row->count, row->message_bytes, row->sent_bytes};
        writer_text(w, calc_axis_name(row->axis));
        writer_char(w, ',');
        writer_text(w, calc_collective_name(row->collective));
        writer_char(w, ',');
        writer_text(w, row->id);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            writer_char(w, ',');
            writer_u64(w, counts[k]);
        }
        writer_char(w, ',');
        writer_text(w, calc_link_name(row->link));
        csv_real(w, row->time_known, row->time_s);
        csv_real(w, row->exposed_known, row->exposed_s);
        writer_text(w, "\r\n");
    }
    for (int axis = 0; axis < CALC_AXES; axis++) {
        if (!r->comm.axis_known[axis]) { /* it sends, nobody knows what */
            writer_text(w, calc_axis_name((enum calc_axis)axis));
            writer_text(w, ",,,,,,,,,\r\n");
        }
    }
}
