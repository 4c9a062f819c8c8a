/* Reads a reference table into memory in one pass: the text is kept and cut in place, cells point into it.
 * A file of another shape (a row with too many or too few cells) fails the test that asked for it. */
#include "support/csv.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_ge(size, 0);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    (void)fclose(file);
    return text;
}

/* Cuts the cell at *at, takes its quotes off and goes on behind it. True: it ended its row. */
static bool cell_cut(char **at) {
    char *from = *at;
    char *to = *at;
    bool quoted = *from == '"';
    from += quoted ? 1 : 0;
    while (*from != '\0') {
        if (quoted && from[0] == '"' && from[1] == '"') {
            from++;
        } else if (quoted && from[0] == '"') {
            quoted = false;
            from++;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n' || *from == '\r')) {
            break;
        }
        *to++ = *from++;
    }
    char end = *from;
    from += end != '\0' ? 1 : 0;
    from += end == '\r' && *from == '\n' ? 1 : 0;
    *to = '\0';
    *at = from;
    return end != ',';
}

struct csv csv_read(const char *file) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/vectors/%s", TEST_SOURCE_DIR, file);
    struct csv csv = {.text = file_read(path)};
    int count = 0;
    int in_row = 0;
    for (char *at = csv.text; *at != '\0';) {
        char **grown = realloc(csv.cells, sizeof *csv.cells * (size_t)(count + 1));
        ck_assert_ptr_nonnull(grown);
        csv.cells = grown;
        csv.cells[count++] = at;
        in_row++;
        if (cell_cut(&at)) {
            csv.columns = csv.columns == 0 ? in_row : csv.columns;
            ck_assert_msg(in_row == csv.columns, "%s: row %d has %d cells, the head has %d", path,
                          count / csv.columns, in_row, csv.columns);
            in_row = 0;
        }
    }
    ck_assert_msg(in_row == 0 && csv.columns > 0, "%s: no table", path);
    csv.rows = count / csv.columns - 1;
    return csv;
}

void csv_free(struct csv *csv) {
    free(csv->cells);
    free(csv->text);
    *csv = (struct csv){0};
}

const char *csv_get(const struct csv *csv, int row, const char *column) {
    ck_assert_int_lt(row, csv->rows);
    for (int i = 0; i < csv->columns; i++) {
        if (strcmp(csv->cells[i], column) == 0) {
            return csv->cells[(row + 1) * csv->columns + i];
        }
    }
    ck_abort_msg("no column %s", column);
    return NULL;
}
