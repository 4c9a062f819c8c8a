/* Cuts a line of key=value words into fields, in place. A line that does not fit fails the test. */
#include "support/fields.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void value_set(struct field *field, char *value) {
    size_t length = strlen(value);
    char *end = value;
    field->number = strtod(value, &end);
    field->text = value;
    if (value[0] == '\'' && length >= 2) {
        value[length - 1] = '\0';
        field->kind = FIELD_TEXT;
        field->text = value + 1;
    } else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        field->kind = FIELD_SWITCH;
        field->on = value[0] == 't';
    } else if (strcmp(value, "null") == 0) {
        field->kind = FIELD_NULL;
    } else {
        field->kind = *end == '\0' ? FIELD_NUMBER : FIELD_OTHER;
    }
}

struct record fields_record(struct fields *storage, const char *words) {
    ck_assert_uint_lt(strlen(words), sizeof storage->text);
    memset(storage, 0, sizeof *storage);
    memcpy(storage->text, words, strlen(words) + 1);
    int count = 0;
    for (char *word = strtok(storage->text, " "); word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        ck_assert_msg(equals != NULL && count < FIELDS_MAX, "%s", words);
        *equals = '\0';
        storage->fields[count].key = word;
        value_set(&storage->fields[count++], equals + 1);
    }
    return (struct record){.fields = storage->fields, .count = count};
}
