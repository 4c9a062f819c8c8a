/* Reference tables of tests/vectors: comma-separated, the first line names the columns, quotes as
 * in RFC 4180. A file that cannot be read, or a column that is not there, aborts the process (and
 * so fails the test). Usable before any test runs. Texts are borrowed from the table. */
#ifndef SUPPORT_CSV_H
#define SUPPORT_CSV_H

struct csv {
    char *text;
    char **cells;      /* row by row, the head first */
    int rows, columns; /* rows without the head */
};

/* tests/vectors/FILE. */
struct csv csv_read(const char *file);
void csv_free(struct csv *csv);

/* The cell of row 0.. in the column called `column`; aborts when there is no such column. */
const char *csv_get(const struct csv *csv, int row, const char *column);

#endif
