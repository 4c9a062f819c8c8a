/* Cells of PyTorch's CSV dialect, one after the other. */
#ifndef PIPE_CSV_PRIVATE_H
#define PIPE_CSV_PRIVATE_H

#include "shardlab/pipe/csv.h"

enum csv_kind { CSV_F, CSV_I, CSV_W, CSV_B, CSV_BW, CSV_MESSAGE };

struct csv_item {
    enum csv_kind kind;
    uint32_t stage, micro_batch;
};

struct csv_cell {
    uint32_t rank;   /* its line, from 0 */
    uint64_t column; /* bytes, from 1 */
    int count;       /* operations in it: 1, or 2 of a pair */
    struct csv_item items[2];
};

struct csv_cursor {
    const struct pipe_csv *csv;
    size_t at, line_start;
    uint32_t rank;
    bool failed;
};

/* The next cell with an operation in it; false at the end, and when the text is wrong: then `failed` and *why. */
bool csv_next(struct csv_cursor *c, struct csv_cell *cell, struct message *why);

/* Starts an error at a cell: FILE, LINE, COLUMN. */
void csv_error(struct message *why, const char *id, const struct pipe_csv *csv,
               const struct csv_cell *cell);

#endif
