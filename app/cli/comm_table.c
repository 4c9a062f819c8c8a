/* `shardlab comm` for eyes and for spreadsheets: one line a row of calc_comm, grouped by axis, and the same as CSV
 * (RFC 4180: CRLF; no field holds a comma or a quote). Proof: tests/cli/test_comm.c. */
#include "comm_private.h"
#include "shardlab/lesson/cluster_view.h"
#include "shardlab/lesson/comm_view.h"
#include "shardlab/view/read.h"

static const char *word(struct cli_context *c, const char *prefix, const char *name) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, prefix);
    writer_text(&w, name);
    return words_get(&c->words, id);
}

static void write_reason(struct cli_context *c, const struct calc_comm_row *row) {
    writer_text(c->out, word(c, "comm.axis.", calc_axis_name(row->axis)));
    writer_char(c->out, ' ');
    writer_text(c->out, word(c, "comm.", row->id));
    writer_text(c->out, c->words.chinese ? "：" : ": ");
    writer_text(c->out, row->formula);
    writer_text(c->out, " = ");
    writer_text(c->out, row->substituted);
    writer_text(c->out, " — ");
    writer_text(c->out, row->source);
    cli_prose_end(c, 2);
}

void comm_write_text(struct cli_context *c, const struct cli_args *args, struct comm_result *r) {
    struct message head;
    message_start(&head, r->s.layout.pp > 1 ? "cli.comm.head_stage" : "cli.comm.head");
    message_add_count(&head, r->params.total);
    message_add_plain(&head, r->comm.stage);
    message_add_plain(&head, r->s.layout.pp - 1);
    cli_say(c, &head);
    writer_char(c->out, '\n');
    view_start(&r->view);
    comm_table_add(&r->view, &r->comm);
    struct view_text_options options = {.width = c->columns};
    view_write_text(c->out, &r->view, &c->words, &options);
    writer_char(c->out, '\n');
    for (int i = 0; args->explain && i < r->comm.row_count; i++) {
        write_reason(c, &r->comm.rows[i]);
    }
    if (args->explain && r->comm.row_count > 0) {
        writer_text(c->out, words_get(&c->words, "cli.comm.legend"));
        cli_prose_end(c, 2);
        writer_char(c->out, '\n');
    }
    if (args->grid_given) {
        view_start(&r->view);
        cluster_view_add(&r->view, &r->s, args->grid);
        view_write_text(c->out, &r->view, &c->words, &options);
        writer_char(c->out, '\n');
    }
    for (int i = 0; i < r->note_count; i++) {
        cli_say(c, &r->notes[i]);
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
