/* A view as JSON: the same numbers as on the screen, language-free. Sentences travel as message id
 * and arguments, byte amounts as exact integers, what is unknown as null. The writer's buffer is
 * the caller's. Proof: tests/unit/view/test_json.c. */
#include <string.h>

#include "json_private.h"
#include "shardlab/view/read.h"

void json_write_message(struct json *out, const char *key, const struct message *m) {
    if (m->id == NULL) {
        json_null(out, key);
        return;
    }
    json_object_open(out, key);
    json_text(out, "id", m->id);
    json_array_open(out, "args");
    for (int i = 0; i < m->arg_count; i++) {
        const struct message_arg *arg = &m->args[i];
        switch (arg->kind) {
        case MESSAGE_ARG_TEXT:
            json_text(out, NULL, arg->text);
            break;
        case MESSAGE_ARG_REAL:
            json_real(out, NULL, arg->real);
            break;
        case MESSAGE_ARG_COUNT:
        case MESSAGE_ARG_PLAIN:
        case MESSAGE_ARG_BYTES:
            json_u64(out, NULL, arg->count);
            break;
        }
    }
    json_array_close(out);
    json_object_close(out);
}

static void write_text(struct json *out, const struct view_text *text) {
    json_array_open(out, "lines");
    for (int i = 0; i < text->line_count; i++) {
        json_write_message(out, NULL, &text->lines[i]);
    }
    json_array_close(out);
}

static void write_facts(struct json *out, const struct view_facts *facts) {
    json_write_message(out, "title", &facts->title);
    json_array_open(out, "facts");
    for (int i = 0; i < facts->fact_count; i++) {
        json_object_open(out, NULL);
        json_text(out, "key", facts->facts[i].key);
        json_write_message(out, "value", &facts->facts[i].value);
        json_object_close(out);
    }
    json_array_close(out);
}

/* The term behind a derivation line: its message id without the prefix that names message ids. */
static const char *term_of(const char *id) {
    static const char prefix[] = "term.";
    bool prefixed = id != NULL && strncmp(id, prefix, sizeof prefix - 1) == 0;
    return prefixed ? id + sizeof prefix - 1 : id;
}

static void write_row(struct json *out, const struct view_ledger *ledger,
                      const struct view_row *row) {
    json_object_open(out, NULL);
    json_text(out, "key", row->key);
    json_text(out, "formula", row->formula[0] != '\0' ? row->formula : NULL);
    if (row->known) {
        json_u64(out, "bytes", row->bytes);
    } else {
        json_null(out, "bytes");
    }
    if (row->has_before) {
        json_u64(out, "before_bytes", row->before);
    } else {
        json_null(out, "before_bytes");
    }
    json_array_open(out, "explain");
    for (int i = 0; i < row->line_count; i++) {
        const struct view_line *line = &ledger->lines[row->first_line + i];
        json_object_open(out, NULL);
        json_text(out, "term", term_of(line->id));
        json_text(out, "formula", line->formula);
        json_text(out, "substituted", line->substituted);
        json_u64(out, "bytes", line->bytes);
        json_text(out, "source", line->source);
        json_object_close(out);
    }
    json_array_close(out);
    json_object_close(out);
}

static void write_ledger(struct json *out, const struct view_ledger *ledger) {
    json_write_message(out, "title", &ledger->title);
    json_array_open(out, "rows");
    for (int i = 0; i < ledger->row_count; i++) {
        write_row(out, ledger, &ledger->rows[i]);
    }
    json_array_close(out);
}

static void write_bar(struct json *out, const struct view_bar *bar) {
    json_write_message(out, "title", &bar->title);
    json_array_open(out, "segments");
    for (int i = 0; i < bar->segment_count; i++) {
        json_object_open(out, NULL);
        json_text(out, "key", bar->segments[i].key);
        json_u64(out, "bytes", bar->segments[i].bytes);
        json_object_close(out);
    }
    json_array_close(out);
    json_u64(out, "total_bytes", bar->total_bytes);
    if (bar->has_capacity) {
        json_u64(out, "capacity_bytes", bar->capacity_bytes);
        json_bool(out, "fits", bar->total_bytes <= bar->capacity_bytes);
    } else {
        json_null(out, "capacity_bytes");
        json_null(out, "fits");
    }
    json_text(out, "capacity_name", bar->capacity_name[0] != '\0' ? bar->capacity_name : NULL);
    json_write_message(out, "verdict", &bar->verdict);
}

static void write_curve(struct json *out, const struct view_curve *curve) {
    json_write_message(out, "title", &curve->title);
    json_text(out, "x_name", curve->x_name);
    json_text(out, "y_name", curve->y_name);
    json_array_open(out, "x");
    for (int i = 0; i < curve->point_count; i++) {
        json_u64(out, NULL, curve->x[i]);
    }
    json_array_close(out);
    json_array_open(out, "y");
    for (int i = 0; i < curve->point_count; i++) {
        json_real(out, NULL, curve->y[i]);
    }
    json_array_close(out);
    if (curve->current >= 0) {
        json_i64(out, "current", curve->current);
    } else {
        json_null(out, "current");
    }
    if (curve->has_limit) {
        json_real(out, "limit", curve->limit);
    } else {
        json_null(out, "limit");
    }
    json_write_message(out, "remark", &curve->remark);
}

static void write_chart(struct json *out, const struct view_chart *chart) {
    json_write_message(out, "title", &chart->title);
    json_array_open(out, "bytes");
    for (int i = 0; i < chart->column_count; i++) {
        json_u64(out, NULL, chart->bytes[i]);
    }
    json_array_close(out);
    json_array_open(out, "marks");
    for (int i = 0; i < chart->column_count; i++) {
        char mark[2] = {chart->marks[i], '\0'};
        json_text(out, NULL, mark[0] != ' ' ? mark : NULL);
    }
    json_array_close(out);
    if (chart->peak >= 0) {
        json_i64(out, "peak", chart->peak);
    } else {
        json_null(out, "peak");
    }
    if (chart->has_capacity) {
        json_u64(out, "capacity_bytes", chart->capacity_bytes);
    } else {
        json_null(out, "capacity_bytes");
    }
    json_write_message(out, "remark", &chart->remark);
}

static void write_cell(struct json *out, const struct view_cell *cell) {
    json_object_open(out, NULL);
    switch (cell->kind) {
    case VIEW_CELL_UNKNOWN:
        json_null(out, "bytes");
        break;
    case VIEW_CELL_BYTES:
        json_u64(out, "bytes", cell->bytes);
        break;
    case VIEW_CELL_REAL:
        json_real(out, "value", cell->real);
        break;
    case VIEW_CELL_TEXT:
        json_text(out, "text", cell->text);
        break;
    }
    json_bool(out, "differs", cell->differs);
    json_object_close(out);
}

static void write_matrix(struct json *out, const struct view_matrix *m) {
    json_write_message(out, "title", &m->title);
    json_text(out, "reference", m->reference >= 0 ? m->cols[m->reference].key : NULL);
    json_array_open(out, "columns");
    for (int col = 0; col < m->col_count; col++) {
        json_object_open(out, NULL);
        json_text(out, "key", m->cols[col].key);
        json_bool(out, "defined", m->cols[col].defined);
        json_array_open(out, "remarks");
        for (int i = 0; i < m->remark_count; i++) {
            if (m->remarks[i].col == col) {
                json_write_message(out, NULL, &m->remarks[i].text);
            }
        }
        json_array_close(out);
        json_object_close(out);
    }
    json_array_close(out);
    json_array_open(out, "rows");
    for (int row = 0; row < m->row_count; row++) {
        json_object_open(out, NULL);
        json_text(out, "key", m->rows[row].key);
        json_array_open(out, "cells");
        for (int col = 0; col < m->col_count; col++) {
            write_cell(out, &m->cells[row][col]);
        }
        json_array_close(out);
        json_object_close(out);
    }
    json_array_close(out);
}

static void write_item(struct json *out, const struct view_item *item) {
    switch (item->kind) {
    case VIEW_KIND_TEXT:
        json_text(out, "kind", "text");
        write_text(out, &item->text);
        break;
    case VIEW_KIND_FACTS:
        json_text(out, "kind", "facts");
        write_facts(out, &item->facts);
        break;
    case VIEW_KIND_LEDGER:
        json_text(out, "kind", "ledger");
        write_ledger(out, &item->ledger);
        break;
    case VIEW_KIND_BAR:
        json_text(out, "kind", "bar");
        write_bar(out, &item->bar);
        break;
    case VIEW_KIND_CURVE:
        json_text(out, "kind", "curve");
        write_curve(out, &item->curve);
        break;
    case VIEW_KIND_CHART:
        json_text(out, "kind", "chart");
        write_chart(out, &item->chart);
        break;
    case VIEW_KIND_GANTT:
        json_text(out, "kind", "gantt");
        json_write_gantt(out, &item->gantt);
        break;
    case VIEW_KIND_TABLE:
        json_text(out, "kind", "table");
        json_write_table(out, &item->table);
        break;
    case VIEW_KIND_CLUSTER:
        json_text(out, "kind", "cluster");
        json_write_cluster(out, &item->cluster);
        break;
    case VIEW_KIND_MATRIX:
        json_text(out, "kind", "matrix");
        write_matrix(out, &item->matrix);
        break;
    case VIEW_KIND_BITS:
        json_text(out, "kind", "bits");
        json_write_bits(out, &item->bits);
        break;
    case VIEW_KIND_RANGES:
        json_text(out, "kind", "ranges");
        json_write_ranges(out, &item->ranges);
        break;
    case VIEW_KIND_FRAMES:
        json_text(out, "kind", "frames");
        json_write_frames(out, &item->frames);
        break;
    case VIEW_KIND_PLOT:
        json_text(out, "kind", "plot");
        json_write_plot(out, &item->plot);
        break;
    }
}

void view_write_json(struct json *out, const char *key, const struct view *v) {
    json_array_open(out, key);
    for (int i = 0; i < v->item_count; i++) {
        json_object_open(out, NULL);
        write_item(out, &v->items[i]);
        json_object_close(out);
    }
    json_array_close(out);
}
