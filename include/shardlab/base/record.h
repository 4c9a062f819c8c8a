/* A flat row of named fields: how presets and config files travel from `store` (which alone knows JSON) to
 * rooms that know what the fields mean. Borrowed, read-only. Nested values of a JSON object appear with a
 * dotted key ("rope_scaling.factor"); arrays and the object itself as FIELD_OTHER. */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum field_kind { FIELD_NULL, FIELD_SWITCH, FIELD_NUMBER, FIELD_TEXT, FIELD_OTHER };

struct field {
    const char *key;
    enum field_kind kind;
    bool on;          /* FIELD_SWITCH */
    double number;    /* FIELD_NUMBER */
    const char *text; /* FIELD_TEXT; otherwise a short printable form of the value, for messages */
};

struct record {
    const struct field *fields;
    int count;
};

/* The field named `key`, or NULL. */
const struct field *record_find(const struct record *record, const char *key);

/* The field as a whole number; false when it is not one (fraction, negative, beyond 2^53, other kind). */
bool field_count(const struct field *field, uint64_t *out);

#endif
