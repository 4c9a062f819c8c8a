/* The JSON of the views about number formats: patterns as whole numbers, values as reals, null for a value that is
 * not there or not finite. Proof: tests/unit/view/test_bits.c and test_ranges.c. */
#include "json_private.h"

static void write_field(struct json *out, const struct view_bits_field *field) {
    json_object_open(out, NULL);
    json_text(out, "field", field->key);
    json_u64(out, "bits", (uint64_t)field->bits);
    json_u64(out, "pattern", field->value);
    json_text(out, "meaning", field->meaning[0] != '\0' ? field->meaning : NULL);
    json_object_close(out);
}

void json_write_bits(struct json *out, const struct view_bits *bits) {
    json_write_message(out, "title", &bits->title);
    if (bits->known) {
        json_u64(out, "code", bits->code);
    } else {
        json_null(out, "code");
    }
    json_array_open(out, "fields");
    for (int i = 0; i < bits->field_count; i++) {
        write_field(out, &bits->fields[i]);
    }
    json_array_close(out);
    json_real(out, "input", bits->input);
    json_real(out, "value", bits->value);
    json_real(out, "below", bits->below);
    json_real(out, "above", bits->above);
    json_write_message(out, "remark", &bits->remark);
}

void json_write_ranges(struct json *out, const struct view_ranges *ranges) {
    json_write_message(out, "title", &ranges->title);
    json_array_open(out, "rows");
    for (int i = 0; i < ranges->row_count; i++) {
        json_object_open(out, NULL);
        json_text(out, "name", ranges->rows[i].name);
        json_real(out, "min_subnormal", ranges->rows[i].min_subnormal);
        json_real(out, "min_normal", ranges->rows[i].min_normal);
        json_real(out, "max", ranges->rows[i].max);
        json_object_close(out);
    }
    json_array_close(out);
    json_array_open(out, "marks");
    for (int i = 0; i < ranges->mark_count; i++) {
        json_object_open(out, NULL);
        json_text(out, "text", ranges->marks[i].text);
        json_real(out, "value", ranges->marks[i].value);
        json_object_close(out);
    }
    json_array_close(out);
    if (ranges->current >= 0) {
        json_i64(out, "current", ranges->current);
    } else {
        json_null(out, "current");
    }
    json_write_message(out, "remark", &ranges->remark);
}
