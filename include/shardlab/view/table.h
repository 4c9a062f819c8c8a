/* A table of mixed columns: the ledger of communication, the layouts that fit. What a column holds (names, counts,
 * bytes, seconds, shares) decides how it is written and aligned; a reader with too few columns leaves out those that
 * matter least and names them. */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"

enum {
    VIEW_TABLE_COLS_MAX = 16,
    VIEW_TABLE_ROWS_MAX = 56,
    VIEW_TABLE_NOTES_MAX = 6,
    VIEW_TABLE_TEXT_MAX = 24
};

enum view_table_kind {
    VIEW_TABLE_TEXT,  /* language-free: "1f1b" */
    VIEW_TABLE_NAME,  /* the words of the column's prefix and the cell's text; JSON has the text */
    VIEW_TABLE_COUNT, /* exact, digits grouped */
    VIEW_TABLE_BYTES, /* in the reader's unit; JSON exact */
    VIEW_TABLE_SECONDS, /* in s, ms or µs, one unit for all such columns: they are compared */
    VIEW_TABLE_SHARE,   /* 0 … 1, shown in percent */
    VIEW_TABLE_REAL
};

struct view_table_col {
    const char *key; /* JSON key, a literal: "sent_bytes" */
    const char
        *label; /* message id of the heading; NULL: the key is the heading in every language */
    enum view_table_kind kind;
    int drop;           /* 0: always shown; the larger, the sooner left out */
    const char *prefix; /* of the message ids of a NAME column: "comm.axis." */
};

struct view_table_cell {
    bool known;                     /* false: shown as —, null in JSON */
    char text[VIEW_TABLE_TEXT_MAX]; /* TEXT, NAME */
    union {
        uint64_t count; /* COUNT, BYTES */
        double real;    /* SECONDS, SHARE, REAL */
    };
};

/* A sentence below the table, about one of its rows or about all. */
struct view_table_note {
    int row; /* -1: about all */
    struct message text;
};

struct view_table {
    struct message title;
    int col_count, row_count;
    struct view_table_col cols[VIEW_TABLE_COLS_MAX];
    struct view_table_cell cells[VIEW_TABLE_ROWS_MAX][VIEW_TABLE_COLS_MAX];
    bool has_total; /* the last row stands below a rule */
    bool numbered;  /* rows are numbered from first_number, and notes name their row by that */
    uint64_t first_number;
    int current;   /* the row that is looked at; -1: none */
    uint64_t more; /* rows that are not here */
    int note_count;
    struct view_table_note notes[VIEW_TABLE_NOTES_MAX];
};

/* Appends a column, and an empty row whose cells are all unknown; each returns its index and asserts that there is
 * room. */
int view_table_col(struct view_table *t, const struct view_table_col *col);
int view_table_row(struct view_table *t);

/* Fill one cell; a cell that is not filled stays unknown. */
void view_table_set_text(struct view_table *t, int row, int col, const char *text);
void view_table_set_count(struct view_table *t, int row, int col, uint64_t count);
void view_table_set_real(struct view_table *t, int row, int col, double real);
/* Appends an empty note about a row (-1: about all) and returns its sentence. */
struct message *view_table_add_note(struct view_table *t, int row);

#endif
