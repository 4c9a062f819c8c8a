/* Looking up fields in a flat row. `store` reads presets and config files into records; `calc` asks
 * here by name. Rows have a few dozen fields, so a straight search is enough. Everything is
 * borrowed. What a field means, and whether it may be missing, is the caller's business. Proof:
 * tests/unit/base/test_record.c. */
#include "shardlab/base/record.h"

#include <stddef.h>
#include <string.h>

/* Beyond 2^53 a double no longer tells neighbouring whole numbers apart. */
static const double exact_max = 9007199254740992.0;

const struct field *record_find(const struct record *record, const char *key) {
    for (int i = 0; i < record->count; i++) {
        if (strcmp(record->fields[i].key, key) == 0) {
            return &record->fields[i];
        }
    }
    return NULL;
}

bool field_count(const struct field *field, uint64_t *out) {
    if (field == NULL || field->kind != FIELD_NUMBER) {
        return false;
    }
    /* Written so that nan fails too. */
    if (!(field->number >= 0 && field->number <= exact_max)) {
        return false;
    }
    uint64_t whole = (uint64_t)field->number;
    if ((double)whole < field->number) {
        return false;
    }
    *out = whole;
    return true;
}
