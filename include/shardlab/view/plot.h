/* Several quantities over one, both axes logarithmic: seconds of each algorithm over the size of a message. Each series
 * has a letter, which is its curve's sign in every reader, so that nothing depends on colour. */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include <stdbool.h>

#include "shardlab/base/message.h"

enum {
    VIEW_PLOT_SERIES_MAX = 6,
    VIEW_PLOT_POINTS_MAX = 64,
    VIEW_PLOT_MARKS_MAX = 4,
    VIEW_PLOT_DOTS_MAX = 16,
    VIEW_PLOT_LABEL_MAX = 24
};

struct view_plot_series {
    const char *name; /* the same in every language: "ring"; a literal */
    char letter;
    double y[VIEW_PLOT_POINTS_MAX]; /* > 0 */
    /* What was measured beside what the curve predicts, drawn as the letter in upper case; > 0 */
    int dot_count;
    double dot_x[VIEW_PLOT_DOTS_MAX], dot_y[VIEW_PLOT_DOTS_MAX];
};

struct view_plot {
    struct message title;
    const char *x_name, *y_name; /* JSON names, literals: "bytes", "seconds" */
    int point_count;
    double x[VIEW_PLOT_POINTS_MAX]; /* ascending, > 0 */
    int series_count;
    struct view_plot_series series[VIEW_PLOT_SERIES_MAX];
    /* What stands at the ends of the axes, with units: "1 KiB", "22 ms" */
    char low_x[VIEW_PLOT_LABEL_MAX], high_x[VIEW_PLOT_LABEL_MAX];
    char low_y[VIEW_PLOT_LABEL_MAX], high_y[VIEW_PLOT_LABEL_MAX];
    int mark_count;
    double marks
        [VIEW_PLOT_MARKS_MAX]; /* places on the x axis: where the lowest curve becomes another */
    struct message remark;
};

/* The least and the largest y of all series and dots; false: there is none. */
bool view_plot_range(const struct view_plot *plot, double *low, double *high);

#endif
