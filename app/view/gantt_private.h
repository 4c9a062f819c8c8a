/* A Gantt fitted to columns, for gantt.c, which fits, gantt_paint.c, which draws, and gantt_legend.c, which explains. */
#ifndef VIEW_GANTT_PRIVATE_H
#define VIEW_GANTT_PRIVATE_H

#include "shardlab/view/paint.h"

enum { GANTT_CELLS_MAX = 512 };

struct gantt_plot {
    int cells;     /* columns that the window takes */
    int per;       /* columns of one step; 0: several steps share a column */
    uint64_t each; /* ticks of one column, where per is 0 or 1 */
    bool wide;     /* operations are named F3, B12; else a digit */
    bool splits;   /* B and W stand apart somewhere, so BW has to say that it is both */
    uint64_t
        to; /* where the picture ends: the window's end, or earlier when joined stretches do not fit */
};

/* What some columns beside each other show. */
struct gantt_run {
    int first, cols;
    int kind; /* enum view_gantt_kind, VIEW_GANTT_PAIR or VIEW_GANTT_IDLE: what takes most of each column */
    int span; /* the operation, -1: several, none of which fills half a column */
    bool critical;
};

/* Fits the window into at most `cells` columns. */
struct gantt_plot gantt_plot_of(const struct view_gantt *gantt, int cells);
/* What the columns of a row show, from left to right; at most GANTT_CELLS_MAX runs. */
int gantt_runs(const struct view_gantt *gantt, const struct gantt_plot *plot, int row,
               struct gantt_run out[GANTT_CELLS_MAX]);
/* Chunks held, at most, in each column. */
void gantt_levels(const struct view_gantt *gantt, const struct gantt_plot *plot, int row,
                  uint32_t out[GANTT_CELLS_MAX]);
/* The column in which a moment lies. */
int gantt_column(const struct view_gantt *gantt, const struct gantt_plot *plot, uint64_t tick);

/* Characters of an operation's long name: "F12", "BW3b". */
enum { GANTT_NAME_MAX = 32 };
int gantt_name(const struct view_gantt *gantt, bool splits, int span, char out[GANTT_NAME_MAX]);

/* A picture that is being drawn. */
struct gantt_board {
    const struct view_pen *pen;
    const struct view_gantt *gantt;
    struct gantt_plot plot;
    int left;  /* the column of the first cell */
    int peaks; /* columns behind the last one for what is held at most */
    double level_max;
    bool kinds[VIEW_GANTT_PAIR + 1]; /* seen in the picture */
    bool many, letters;
};

/* What follows an operation's number while it runs, and what stands where no number has room. */
const char *gantt_filling(int kind, bool ascii);
const char *gantt_sign(int kind, bool ascii);
/* Returns the rows. */
int gantt_legend_paint(const struct gantt_board *b, int row);

#endif
