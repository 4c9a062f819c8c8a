/* A chart's columns on a scale of cells and rows, the same for the terminal and for plain text. Pure; the plot is
 * the caller's. Proof: tests/unit/view/test_chart.c. */
#include <string.h>

#include "shardlab/view/shape.h"

enum { EIGHTHS = 8, SCALE = VIEW_CHART_ROWS * EIGHTHS };

/* A capacity this many times the peak would leave nothing to see of the curve. */
enum { CAPACITY_SEEN = 3 };

/* Height in eighths of a row; what is not nothing is seen. */
static int height_of(uint64_t bytes, uint64_t top) {
    if (bytes == 0 || top == 0) {
        return 0;
    }
    int height = (int)((double)bytes / (double)top * SCALE + 0.5);
    return height < 1 ? 1 : height > SCALE ? SCALE : height;
}

static void join(const struct view_chart *chart, struct view_chart_plot *out) {
    for (int i = 0; i < chart->column_count; i++) {
        int cell = i * out->cells / chart->column_count;
        out->bytes[cell] = chart->bytes[i] > out->bytes[cell] ? chart->bytes[i] : out->bytes[cell];
        out->marks[cell] = out->marks[cell] == ' ' ? chart->marks[i] : out->marks[cell];
        out->peak = i == chart->peak ? cell : out->peak;
    }
}

static void widen(const struct view_chart *chart, int times, struct view_chart_plot *out) {
    for (int i = 0; i < out->cells; i++) {
        int column = i / times;
        out->bytes[i] = chart->bytes[column];
        out->marks[i] = i % times == 0 ? chart->marks[column] : ' ';
    }
    out->peak = chart->peak >= 0 ? chart->peak * times : -1;
}

/* The peak's sign stands in the row of letters: a letter that begins where it stands steps a cell aside. */
static void make_room(struct view_chart_plot *out) {
    int at = out->peak;
    if (at < 0 || out->marks[at] == ' ') {
        return;
    }
    for (int aside = at + 1; aside >= at - 1; aside -= 2) {
        if (aside >= 0 && aside < out->cells && out->marks[aside] == ' ') {
            out->marks[aside] = out->marks[at];
            out->marks[at] = ' ';
            return;
        }
    }
}

void view_chart_plot(const struct view_chart *chart, int cells, struct view_chart_plot *out) {
    memset(out, 0, sizeof *out);
    memset(out->marks, ' ', sizeof out->marks);
    out->limit_row = out->peak = -1;
    cells = cells > VIEW_CHART_MAX ? VIEW_CHART_MAX : cells;
    if (cells <= 0 || chart->column_count == 0) {
        return;
    }
    int times = cells / chart->column_count;
    out->cells = times > 0 ? times * chart->column_count : cells;
    if (times > 0) {
        widen(chart, times, out);
    } else {
        join(chart, out);
    }
    make_room(out);
    for (int i = 0; i < out->cells; i++) {
        out->top = out->bytes[i] > out->top ? out->bytes[i] : out->top;
    }
    if (!chart->has_capacity || chart->capacity_bytes / CAPACITY_SEEN > out->top) {
        return;
    }
    out->top = chart->capacity_bytes > out->top ? chart->capacity_bytes : out->top;
    int height = height_of(chart->capacity_bytes, out->top);
    out->limit_row = height > 0 ? VIEW_CHART_ROWS - 1 - (height - 1) / EIGHTHS : -1;
}

/* Eighths of this cell that the column fills. */
static int filling(const struct view_chart_plot *plot, int row, int cell) {
    int below = (VIEW_CHART_ROWS - 1 - row) * EIGHTHS;
    int height = height_of(plot->bytes[cell], plot->top) - below;
    return height < 0 ? 0 : height > EIGHTHS ? EIGHTHS : height;
}

enum view_chart_cell view_chart_cell(const struct view_chart_plot *plot, int row, int cell) {
    return filling(plot, row, cell) > 0 ? VIEW_CHART_FILLED
           : row == plot->limit_row     ? VIEW_CHART_LIMIT
                                        : VIEW_CHART_EMPTY;
}

const char *view_chart_glyph(const struct view_chart_plot *plot, int row, int cell, bool ascii) {
    static const char *const blocks[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[EIGHTHS + 1] = {" ", ".", ".", ".", ":", ":", ":", ":", "#"};
    if (view_chart_cell(plot, row, cell) == VIEW_CHART_LIMIT) {
        return ascii ? "-" : "╌";
    }
    return (ascii ? plain : blocks)[filling(plot, row, cell)];
}
