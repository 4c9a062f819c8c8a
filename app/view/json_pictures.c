/* JSON of the kinds that have many cells: Gantt, table, cluster. Exact numbers, null for what is unknown, message ids
 * for sentences. Proof: tests/unit/view/test_json.c. */
#include "json_private.h"

static void write_span(struct json *out, const struct view_gantt_span *span) {
    static const char *const kinds[VIEW_GANTT_KINDS] = {"F", "B", "W", "BW"};
    json_object_open(out, NULL);
    json_text(out, "op", kinds[span->kind]);
    if (span->micro_batch == VIEW_GANTT_MANY) {
        json_null(out, "micro_batch");
    } else {
        json_i64(out, "micro_batch", span->micro_batch);
    }
    json_u64(out, "chunk", span->chunk);
    json_u64(out, "start", span->start);
    json_u64(out, "end", span->end);
    json_u64(out, "held", span->held);
    json_bool(out, "overlapped", span->paired);
    json_bool(out, "critical", span->critical);
    json_object_close(out);
}

static void write_group(struct json *out, const struct view_gantt *gantt,
                        const struct view_gantt_group *group) {
    json_object_open(out, NULL);
    json_write_message(out, "title", &group->title);
    json_u64(out, "makespan", group->makespan);
    json_u64(out, "ranks", group->ranks);
    json_array_open(out, "rows");
    for (int i = 0; i < group->row_count; i++) {
        const struct view_gantt_row *row = &gantt->rows[group->first_row + i];
        json_object_open(out, NULL);
        json_u64(out, "rank", row->rank);
        json_u64(out, "peak_held", row->peak);
        if (row->chunk_bytes > 0) {
            json_u64(out, "chunk_bytes", row->chunk_bytes);
        } else {
            json_null(out, "chunk_bytes");
        }
        json_array_open(out, "spans");
        for (int k = 0; k < row->span_count; k++) {
            write_span(out, &gantt->spans[row->first_span + k]);
        }
        json_array_close(out);
        json_object_close(out);
    }
    json_array_close(out);
    json_object_close(out);
}

void json_write_gantt(struct json *out, const struct view_gantt *gantt) {
    json_write_message(out, "title", &gantt->title);
    json_u64(out, "ticks_per_unit", gantt->ticks_per_unit);
    json_u64(out, "from", gantt->from);
    json_u64(out, "to", gantt->to);
    json_u64(out, "step", gantt->step);
    json_bool(out, "joined", gantt->joined);
    json_array_open(out, "groups");
    for (int i = 0; i < gantt->group_count; i++) {
        write_group(out, gantt, &gantt->groups[i]);
    }
    json_array_close(out);
    json_write_message(out, "explain", &gantt->explain);
    json_write_message(out, "remark", &gantt->remark);
}

static void write_cell(struct json *out, const struct view_table_col *col,
                       const struct view_table_cell *cell) {
    if (!cell->known) {
        json_null(out, col->key);
        return;
    }
    switch (col->kind) {
    case VIEW_TABLE_TEXT:
    case VIEW_TABLE_NAME:
        json_text(out, col->key, cell->text);
        break;
    case VIEW_TABLE_COUNT:
    case VIEW_TABLE_BYTES:
        json_u64(out, col->key, cell->count);
        break;
    case VIEW_TABLE_SECONDS:
    case VIEW_TABLE_SHARE:
    case VIEW_TABLE_REAL:
        json_real(out, col->key, cell->real);
        break;
    }
}

void json_write_table(struct json *out, const struct view_table *table) {
    json_write_message(out, "title", &table->title);
    json_array_open(out, "rows");
    for (int row = 0; row < table->row_count; row++) {
        json_object_open(out, NULL);
        for (int col = 0; col < table->col_count; col++) {
            write_cell(out, &table->cols[col], &table->cells[row][col]);
        }
        json_object_close(out);
    }
    json_array_close(out);
    json_bool(out, "has_total", table->has_total);
    json_u64(out, "more", table->more);
    json_array_open(out, "notes");
    for (int i = 0; i < table->note_count; i++) {
        json_object_open(out, NULL);
        if (table->notes[i].row >= 0) {
            json_i64(out, "row", table->notes[i].row);
        } else {
            json_null(out, "row");
        }
        json_write_message(out, "text", &table->notes[i].text);
        json_object_close(out);
    }
    json_array_close(out);
}

static void write_gpu(struct json *out, const struct view_cluster *c,
                      const struct view_cluster_cell *cell) {
    json_object_open(out, NULL);
    json_u64(out, "rank", cell->rank);
    for (int i = 0; i < c->axis_count; i++) {
        json_u64(out, c->axes[i], cell->at[i]);
    }
    json_array_open(out, "groups");
    for (int i = 0; i < c->group_count; i++) {
        if ((cell->groups >> i & 1) != 0) {
            json_text(out, NULL, c->groups[i].key);
        }
    }
    json_array_close(out);
    json_object_close(out);
}

static void write_nodes(struct json *out, const struct view_cluster *c) {
    json_array_open(out, "shown");
    for (int i = 0; i < c->node_count; i++) {
        json_object_open(out, NULL);
        json_u64(out, "node", c->node[i].index);
        json_array_open(out, "gpus");
        for (int k = 0; k < c->node[i].cell_count; k++) {
            write_gpu(out, c, &c->cells[c->node[i].first_cell + k]);
        }
        json_array_close(out);
        json_object_close(out);
    }
    json_array_close(out);
}

void json_write_cluster(struct json *out, const struct view_cluster *c) {
    json_write_message(out, "title", &c->title);
    json_u64(out, "gpus", c->gpus);
    json_u64(out, "nodes", c->nodes);
    json_u64(out, "gpus_per_node", c->gpus_per_node);
    json_u64(out, "chosen", c->chosen);
    write_nodes(out, c);
    json_array_open(out, "groups");
    for (int i = 0; i < c->group_count; i++) {
        const struct view_cluster_group *g = &c->groups[i];
        json_object_open(out, NULL);
        json_text(out, "group", g->key);
        json_u64(out, "first", g->first);
        json_u64(out, "stride", g->stride);
        json_u64(out, "size", g->size);
        json_bool(out, "crosses_nodes", g->crosses);
        json_object_close(out);
    }
    json_array_close(out);
    json_write_message(out, "remark", &c->remark);
}
