/* Reads a reference table into memory in one pass: the text is kept and cut in place, cells point
 * into it. A file of another shape (a row with too many or too few cells) ends the process with a
 * line on stderr, not through Check: a suite asks for the number of rows before any test runs. */
#include "support/csv.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void require(bool holds, const char *format, ...) {
    if (!holds) {
        va_list values;
        va_start(values, format);
        (void)vfprintf(stderr, format, values);
        va_end(values);
        (void)fputc('\n', stderr);
        abort();
    }
}

static char *file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    require(file != NULL, "%s cannot be opened", path);
    require(fseek(file, 0, SEEK_END) == 0, "%s has no end", path);
    long size = ftell(file);
    require(size >= 0, "%s has no size", path);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    require(text != NULL, "%s: no memory", path);
    require(fread(text, 1, (size_t)size, file) == (size_t)size, "%s cannot be read", path);
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
        require(grown != NULL, "%s: no memory", path);
        csv.cells = grown;
        csv.cells[count++] = at;
        in_row++;
        if (cell_cut(&at)) {
            csv.columns = csv.columns == 0 ? in_row : csv.columns;
            require(in_row == csv.columns, "%s: row %d has %d cells, the head has %d", path,
                    count / csv.columns, in_row, csv.columns);
            in_row = 0;
        }
    }
    require(in_row == 0 && csv.columns > 0, "%s: no table", path);
    csv.rows = count / csv.columns - 1;
    return csv;
}

void csv_free(struct csv *csv) {
    free(csv->cells);
    free(csv->text);
    *csv = (struct csv){0};
}

const char *csv_get(const struct csv *csv, int row, const char *column) {
    require(row >= 0 && row < csv->rows, "no row %d", row);
    for (int i = 0; i < csv->columns; i++) {
        if (strcmp(csv->cells[i], column) == 0) {
            return csv->cells[(row + 1) * csv->columns + i];
        }
    }
    require(false, "no column %s", column);
    return NULL;
}
