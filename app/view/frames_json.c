/* JSON of messages between ranks (exact bytes, each cell as the list of ranks whose part it holds) and of plots. Part of
 * the JSON reader (json.c). Proof: tests/unit/view/test_frames.c, test_plot.c. */
#include "json_private.h"

static void write_cells(struct json *out, const struct view_frames *f, int rank) {
    json_array_open(out, "chunks");
    for (int c = 0; c < f->ranks; c++) {
        json_object_open(out, NULL);
        json_array_open(out, "holds");
        for (int i = 0; i < f->ranks; i++) {
            if ((f->holds[rank][c] >> i & 1) != 0) {
                json_i64(out, NULL, i);
            }
        }
        json_array_close(out);
        json_bool(out, "whole", f->holds[rank][c] == f->whole[c]);
        json_bool(out, "sent", (f->sent[rank] >> c & 1) != 0);
        json_bool(out, "received", (f->received[rank] >> c & 1) != 0);
        json_object_close(out);
    }
    json_array_close(out);
}

static void write_messages(struct json *out, const struct view_frames *f) {
    json_array_open(out, "messages");
    for (int i = 0; i < f->message_count; i++) {
        const struct view_frames_message *m = &f->messages[i];
        json_object_open(out, NULL);
        json_u64(out, "from", m->from);
        json_u64(out, "to", m->to);
        json_u64(out, "chunk", m->first_chunk);
        json_u64(out, "chunks", m->chunk_count);
        json_u64(out, "bytes", m->bytes);
        json_bool(out, "adds", m->adds);
        json_object_close(out);
    }
    json_array_close(out);
}

void json_write_frames(struct json *out, const struct view_frames *f) {
    json_write_message(out, "title", &f->title);
    json_i64(out, "round", f->round);
    json_i64(out, "rounds", f->rounds);
    json_write_message(out, "phase", &f->phase);
    json_array_open(out, "chunk_elements");
    for (int c = 0; c < f->ranks; c++) {
        json_u64(out, NULL, f->chunk_elements[c]);
    }
    json_array_close(out);
    json_array_open(out, "ranks");
    for (int r = 0; r < f->ranks; r++) {
        json_object_open(out, NULL);
        json_i64(out, "rank", r);
        write_cells(out, f, r);
        json_u64(out, "sent_bytes", f->sent_bytes[r]);
        json_u64(out, "predicted_bytes", f->predicted_bytes[r]);
        json_object_close(out);
    }
    json_array_close(out);
    write_messages(out, f);
    json_write_message(out, "remark", &f->remark);
}

static void write_numbers(struct json *out, const char *key, const double *values, int count) {
    json_array_open(out, key);
    for (int i = 0; i < count; i++) {
        json_real(out, NULL, values[i]);
    }
    json_array_close(out);
}

void json_write_plot(struct json *out, const struct view_plot *plot) {
    json_write_message(out, "title", &plot->title);
    write_numbers(out, plot->x_name, plot->x, plot->point_count);
    json_array_open(out, "series");
    for (int s = 0; s < plot->series_count; s++) {
        json_object_open(out, NULL);
        json_text(out, "name", plot->series[s].name);
        write_numbers(out, plot->y_name, plot->series[s].y, plot->point_count);
        if (plot->series[s].dot_count > 0) {
            json_object_open(out, "measured");
            write_numbers(out, plot->x_name, plot->series[s].dot_x, plot->series[s].dot_count);
            write_numbers(out, plot->y_name, plot->series[s].dot_y, plot->series[s].dot_count);
            json_object_close(out);
        }
        json_object_close(out);
    }
    json_array_close(out);
    write_numbers(out, "marks", plot->marks, plot->mark_count);
    json_write_message(out, "remark", &plot->remark);
}
