/* `shardlab mem` for scripts: --csv (RFC 4180: CRLF, quotes where a field needs them), and what --against adds to
 * JSON. Keys are English and bytes exact; unknown is an empty field or null. Proof: tests/cli/test_compare.c. */
#include <string.h>

#include "mem_compare_private.h"
#include "shardlab/lesson/memory_view.h"

/* --- CSV --- */

static void write_field(struct writer *w, const char *text) {
    if (text[strcspn(text, "\",\r\n")] == '\0') {
        writer_text(w, text);
        return;
    }
    writer_char(w, '"');
    for (; *text != '\0'; text++) {
        writer_text(w, *text == '"' ? "\"" : "");
        writer_char(w, *text);
    }
    writer_char(w, '"');
}

/* One of the texts of a derivation's line. */
enum line_text { LINE_FORMULA, LINE_SUBSTITUTED, LINE_SOURCE };

static const char *text_of(const struct view_line *line, enum line_text which) {
    return which == LINE_FORMULA       ? line->formula
           : which == LINE_SUBSTITUTED ? line->substituted
                                       : (line->source != NULL ? line->source : "");
}

static bool said_before(const struct view_ledger *ledger, const struct view_row *row, int line) {
    const char *text = text_of(&ledger->lines[line], LINE_SOURCE);
    for (int i = row->first_line; i < line; i++) {
        if (strcmp(text_of(&ledger->lines[i], LINE_SOURCE), text) == 0) {
            return true;
        }
    }
    return false;
}

/* The lines of a row as one field: terms are added, sources are listed once. */
static void write_lines(struct writer *w, const struct view_ledger *ledger,
                        const struct view_row *row, enum line_text which) {
    enum { FIELD_MAX = 8192 };
    char text[FIELD_MAX];
    struct writer field;
    writer_start(&field, text, sizeof text);
    for (int i = row->first_line; i < row->first_line + row->line_count; i++) {
        if (which == LINE_SOURCE && said_before(ledger, row, i)) {
            continue;
        }
        const char *between = which == LINE_SOURCE ? "; " : " + ";
        writer_text(&field, field.length > 0 ? between : "");
        writer_text(&field, text_of(&ledger->lines[i], which));
    }
    write_field(w, text);
}

static void write_bytes(struct writer *w, const struct view_row *row) {
    if (row != NULL && row->known) {
        writer_u64(w, row->bytes);
    }
}

static void write_delta(struct writer *w, const struct mem_pair *pair) {
    if (pair->comparable && pair->first != NULL && pair->second != NULL) {
        uint64_t from = pair->first->bytes, to = pair->second->bytes;
        writer_text(w, to < from ? "-" : "");
        writer_u64(w, to < from ? from - to : to - from);
    }
}

static void write_derivation(struct writer *w, const struct view_ledger *ledger,
                             const struct view_row *row) {
    static const enum line_text fields[] = {LINE_FORMULA, LINE_SUBSTITUTED, LINE_SOURCE};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        writer_char(w, ',');
        if (row != NULL) {
            write_lines(w, ledger, row, fields[i]);
        }
    }
}

static void write_compared(struct writer *w, const struct mem_compare *compare) {
    writer_text(w, "key,bytes,against_bytes,delta_bytes,formula,substituted,source,"
                   "against_formula,against_substituted,against_source\r\n");
    for (int i = 0; i < compare->count; i++) {
        const struct mem_pair *pair = &compare->pairs[i];
        write_field(w, pair->first != NULL ? pair->first->key : pair->second->key);
        writer_char(w, ',');
        write_bytes(w, pair->first);
        writer_char(w, ',');
        write_bytes(w, pair->second);
        writer_char(w, ',');
        write_delta(w, pair);
        write_derivation(w, &compare->views[0].items[0].ledger, pair->first);
        write_derivation(w, &compare->views[1].items[0].ledger, pair->second);
        writer_text(w, "\r\n");
    }
}

void cli_mem_csv(struct cli_context *c, const struct scenario *s, const struct calc_memory *first,
                 const struct cli_against *against) {
    struct memory_states states = {.now = *first};
    struct mem_compare compare;
    struct view v;
    if (against->wanted) {
        mem_compare_start(&compare, s, first, against);
        write_compared(c->out, &compare);
        return;
    }
    view_start(&v);
    memory_ledger_add(&v, s, &states);
    const struct view_ledger *ledger = &v.items[0].ledger;
    writer_text(c->out, "key,bytes,formula,substituted,source\r\n");
    for (int i = 0; i < ledger->row_count; i++) {
        write_field(c->out, ledger->rows[i].key);
        writer_char(c->out, ',');
        write_bytes(c->out, &ledger->rows[i]);
        write_derivation(c->out, ledger, &ledger->rows[i]);
        writer_text(c->out, "\r\n");
    }
}

/* --- JSON --- */

static void bytes_key(char key[48], const char *row) {
    struct writer w;
    writer_start(&w, key, 48);
    writer_text(&w, row);
    writer_text(&w, "_bytes");
}

static void json_per_gpu(struct json *j, const struct mem_compare *compare,
                         const struct calc_memory *m) {
    json_object_open(j, "per_gpu");
    json_u64(j, "stage", m->stage);
    json_u64(j, "params", m->params);
    for (int i = 0; i < compare->count; i++) {
        const struct view_row *row = compare->pairs[i].second;
        char key[48];
        bytes_key(key, row != NULL ? row->key : compare->pairs[i].first->key);
        if (row != NULL && row->known) {
            json_u64(j, key, row->bytes);
        } else {
            json_null(j, key);
        }
    }
    json_object_close(j);
}

static void json_signed(struct json *j, const char *key, uint64_t from, uint64_t to) {
    if (to < from) {
        json_negative(j, key, from - to);
    } else {
        json_u64(j, key, to - from);
    }
}

static void json_delta(struct json *j, const struct mem_compare *compare, uint64_t from_params,
                       uint64_t to_params) {
    json_object_open(j, "delta");
    json_signed(j, "params", from_params, to_params);
    for (int i = 0; i < compare->count; i++) {
        const struct mem_pair *pair = &compare->pairs[i];
        char key[48];
        bytes_key(key, pair->first != NULL ? pair->first->key : pair->second->key);
        if (pair->comparable && pair->first != NULL && pair->second != NULL) {
            json_signed(j, key, pair->first->bytes, pair->second->bytes);
        } else {
            json_null(j, key);
        }
    }
    json_object_close(j);
}

static void json_capacity(struct json *j, const struct cli_against *a) {
    uint64_t capacity = scenario_capacity_bytes(&a->s), total = a->memory.total_bytes;
    if (capacity == 0) {
        json_null(j, "capacity_bytes");
        json_null(j, "fits");
        json_null(j, "headroom_bytes");
        return;
    }
    json_u64(j, "capacity_bytes", capacity);
    json_bool(j, "fits", total <= capacity);
    json_signed(j, "headroom_bytes", total, capacity);
}

static void json_notes(struct cli_context *c, struct json *j, const struct cli_against *a) {
    struct view v;
    view_start(&v);
    memory_notes_add(&v, &a->s, &a->memory);
    cli_json_notes(c, j, v.items[0].text.lines, v.item_count > 0 ? v.items[0].text.line_count : 0);
}

void cli_against_json(struct cli_context *c, struct json *j, const struct scenario *s,
                      const struct calc_memory *first, const struct cli_against *a) {
    struct mem_compare compare;
    mem_compare_start(&compare, s, first, a);
    json_object_open(j, "against");
    json_object_open(j, "model");
    json_text(j, "name", a->s.model.name[0] != '\0' ? a->s.model.name : NULL);
    json_u64(j, "params", a->params);
    json_u64(j, "params_active", a->params_active);
    json_object_close(j);
    json_object_open(j, "scenario");
    for (int i = 0; i < calc_option_count(); i++) {
        calc_option_json(j, &a->s, i);
    }
    json_object_close(j);
    json_per_gpu(j, &compare, &a->memory);
    cli_json_bytes_per_param(j, &a->s);
    cli_json_peak(j, &a->s, &a->memory);
    json_u64(j, "worst_stage", a->worst);
    json_capacity(j, a);
    json_notes(c, j, a);
    json_object_close(j);
    json_delta(j, &compare, first->params, a->memory.params);
}
