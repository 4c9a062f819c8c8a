/* The account of the reference tables: each row is computed by a test or listed with a reason, never neither.
 * The list is keyed by class (a quantity, or tool and quantity), so that a class cannot be half forgotten: the
 * number of its rows that are not expressed has to be the number in the list. */
#define _POSIX_C_SOURCE 200809L

#include "support/reference.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void inputs_read(struct inputs *inputs, const char *cell) {
    inputs->count = 0;
    ck_assert_int_lt(snprintf(inputs->text, sizeof inputs->text, "%s", cell),
                     (int)sizeof inputs->text);
    char *rest = NULL;
    for (char *pair = strtok_r(inputs->text, ";", &rest); pair != NULL;
         pair = strtok_r(NULL, ";", &rest)) {
        char *equals = strchr(pair, '=');
        ck_assert_msg(equals != NULL && inputs->count < INPUTS_MAX, "%s: not key=value", cell);
        *equals = '\0';
        inputs->keys[inputs->count] = pair;
        inputs->values[inputs->count++] = equals + 1;
    }
}

const char *inputs_get(const struct inputs *inputs, const char *key) {
    for (int i = 0; i < inputs->count; i++) {
        if (strcmp(inputs->keys[i], key) == 0) {
            return inputs->values[i];
        }
    }
    return "";
}

bool inputs_is(const struct inputs *inputs, const char *key, const char *value) {
    return strcmp(inputs_get(inputs, key), value) == 0;
}

/* Rows of `class` in the reference; *left of them are not expressed. */
static int class_count(const struct reference *r, const char *class, int *left) {
    int count = 0;
    *left = 0;
    for (int row = 0; row < r->table->rows; row++) {
        char name[256];
        r->class_of(r->table, row, name, sizeof name);
        if (strcmp(name, class) == 0) {
            count++;
            *left += r->expressed(r->table, row) ? 0 : 1;
        }
    }
    return count;
}

/* The rows that the list counts for `class`; 0 when it is not listed. */
static int listed_count(const struct csv *list, const char *file, const char *class) {
    int count = 0, found = 0;
    for (int row = 0; row < list->rows; row++) {
        if (strcmp(csv_get(list, row, "file"), file) == 0 &&
            strcmp(csv_get(list, row, "class"), class) == 0) {
            count = atoi(csv_get(list, row, "rows"));
            found++;
        }
    }
    ck_assert_msg(found <= 1, "%s: %s is listed %d times", file, class, found);
    return count;
}

void reference_check(const struct reference *r) {
    struct csv list = csv_read("not_expressed.csv");
    int listed = 0, left = 0;
    for (int row = 0; row < list.rows; row++) {
        const char *class = csv_get(&list, row, "class");
        if (strcmp(csv_get(&list, row, "file"), r->file) != 0) {
            continue;
        }
        int rows = atoi(csv_get(&list, row, "rows"));
        ck_assert_msg(class_count(r, class, &left) > 0, "%s: no row is of class %s", r->file,
                      class);
        ck_assert_msg(rows > 0 && left == rows, "%s: %s lists %d rows, %d are not expressed",
                      r->file, class, rows, left);
        ck_assert_msg(csv_get(&list, row, "reason")[0] != '\0', "%s: %s has no reason", r->file,
                      class);
        listed += rows;
    }
    int expressed = 0;
    for (int row = 0; row < r->table->rows; row++) {
        char class[256];
        r->class_of(r->table, row, class, sizeof class);
        (void)class_count(r, class, &left);
        ck_assert_msg(listed_count(&list, r->file, class) == left,
                      "%s: %d rows of %s are not expressed, %d are listed", r->file, left, class,
                      listed_count(&list, r->file, class));
        expressed += r->expressed(r->table, row) ? 1 : 0;
    }
    ck_assert_int_eq(expressed + listed, r->table->rows);
    ck_assert_msg(listed <= r->listed_max, "%s: %d rows are listed, no more than %d may be",
                  r->file, listed, r->listed_max);
    csv_free(&list);
}
