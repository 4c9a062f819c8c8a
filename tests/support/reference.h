/* Rows of the reference tables: the "key=value;key=value" cell of a row, and the account of what the calculators
 * cannot express yet. tests/vectors/not_expressed.csv names every such class with the number of its rows and the
 * reason; its length may only fall. */
#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/csv.h"

enum { INPUTS_MAX = 16 };

struct inputs {
    char text[256];
    int count;
    const char *keys[INPUTS_MAX], *values[INPUTS_MAX]; /* into text */
};

void inputs_read(struct inputs *inputs, const char *cell);
/* The value of `key`, or "" when the row has none. */
const char *inputs_get(const struct inputs *inputs, const char *key);
bool inputs_is(const struct inputs *inputs, const char *key, const char *value);

struct reference {
    const char *file; /* in tests/vectors */
    const struct csv *table;
    void (*class_of)(const struct csv *table, int row, char *name, size_t capacity);
    bool (*expressed)(const struct csv *table, int row);
    int listed_max; /* most rows of this file that may be listed */
};

/* Fails unless every row of the file is either expressed or counted in the list, no listed class is gone or
 * expressed, every listed class has a reason, and no more rows are listed than allowed. */
void reference_check(const struct reference *reference);

#endif
