/* Drawing a Gantt with a pen: title, one row a rank with the strips under it, the axis of time, what the signs mean (gantt_legend.c),
 * and the sentences. Signs carry everything: kind by letter or by what follows the digit, chunk by the case of the
 * letter, idle by blank, the critical path by a line, memory by levels; tones only repeat them. Which signs stand in
 * which column is gantt.c's. Proof: tests/unit/view/test_gantt.c. */
#include <stdio.h>
#include <string.h>

#include "gantt_private.h"
#include "shardlab/view/paint.h"
#include "shardlab/view/shape.h"

enum {
    LABEL_GAP = 1,
    NARROW = 60, /* below, rows are named by their number alone */
    TEXT_MAX = 256,
    TICK_GAP = 3, /* blanks between two numbers of the axis */
    LEVELS = 8,
    LEVELS_ASCII = 9
};

/* Rounds up, but not what is a whole number but for the last bit. */
static const double ALMOST_ONE = 0.999999;

static void write_message(const struct view_pen *pen, const struct message *m, char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    words_write(&w, pen->words, m);
}

static void write_label(const struct view_pen *pen, uint64_t rank, char out[TEXT_MAX]) {
    struct message m;
    message_start(&m, pen->cols < NARROW ? "view.value" : "view.gantt.rank");
    message_add_plain(&m, rank);
    write_message(pen, &m, out);
}

static void write_time(const struct view_gantt *g, uint64_t ticks, char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    if (ticks % g->ticks_per_unit == 0) {
        writer_u64(&w, ticks / g->ticks_per_unit);
    } else {
        view_write_real(&w, (double)ticks / (double)g->ticks_per_unit);
    }
}

static double level_of(const struct view_gantt_row *row, uint64_t held) {
    double unit = row->chunk_bytes > 0 ? (double)row->chunk_bytes : 1;
    return (double)held * unit / (row->parts > 1 ? row->parts : 1);
}

static uint64_t bytes_of(const struct view_gantt_row *row) {
    bool fits = row->peak <= UINT64_MAX / row->chunk_bytes;
    return fits ? row->peak * row->chunk_bytes : UINT64_MAX;
}

/* What stands at the right of a row: the most that is held. */
static void write_peak(const struct gantt_board *b, const struct view_gantt_row *row,
                       char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    view_write_real(&w, (double)row->peak / (row->parts > 1 ? row->parts : 1));
    if (row->chunk_bytes > 0) {
        writer_text(&w, "  ");
        view_write_amount(&w, bytes_of(row), b->pen->words->unit);
    }
}

static int text_cols(const struct gantt_board *b, const char *text) {
    return width_text(text, &b->pen->rules);
}

/* Columns at the right for the peaks. */
static int measure_peaks(struct gantt_board *b) {
    int cols = 0;
    for (int i = 0; i < b->gantt->row_count; i++) {
        char text[TEXT_MAX];
        write_peak(b, &b->gantt->rows[i], text);
        cols = text_cols(b, text) > cols ? text_cols(b, text) : cols;
        double level = level_of(&b->gantt->rows[i], b->gantt->rows[i].peak);
        b->level_max = level > b->level_max ? level : b->level_max;
    }
    return b->gantt->strip ? cols + 1 : 0;
}

static int measure_labels(const struct gantt_board *b) {
    int cols = 0;
    for (int i = 0; i < b->gantt->row_count; i++) {
        char text[TEXT_MAX];
        write_label(b->pen, b->gantt->rows[i].rank, text);
        cols = text_cols(b, text) > cols ? text_cols(b, text) : cols;
    }
    return cols;
}

static enum view_tone tone_of(int kind) {
    return kind == VIEW_GANTT_F   ? VIEW_TONE_FORWARD
           : kind == VIEW_GANTT_W ? VIEW_TONE_WEIGHTS_GRADIENT
                                  : VIEW_TONE_BACKWARD;
}

/* The last digit of a micro-batch, as a letter for the further chunks. */
static char digit_of(const struct view_gantt_span *s) {
    static const char firsts[] = {'0', 'a', 'A', 'k', 'K'};
    size_t chunk = s->chunk < sizeof firsts ? s->chunk : sizeof firsts - 1;
    return (char)(firsts[chunk] + (int)(s->micro_batch % 10));
}

/* What is written at the front of a run; "" when nothing has room. */
static void write_front(const struct gantt_board *b, const struct gantt_run *run,
                        char out[GANTT_NAME_MAX]) {
    out[0] = '\0';
    if (run->span < 0) {
        return;
    }
    const struct view_gantt_span *s = &b->gantt->spans[run->span];
    if (b->plot.wide && gantt_name(b->gantt, b->plot.splits, run->span, out) <= run->cols) {
        return;
    }
    out[0] = '\0';
    if (run->kind == VIEW_GANTT_PAIR && run->cols >= 2) {
        (void)snprintf(out, GANTT_NAME_MAX, "%c&%c", digit_of(s), digit_of(s + 1));
        out[run->cols == 2 ? 2 : 3] = '\0';
    } else if (run->kind == VIEW_GANTT_F || (run->kind != VIEW_GANTT_PAIR && run->cols >= 2)) {
        out[0] = digit_of(s);
        out[1] = '\0';
    }
}

static bool holds_cursor(const struct view_gantt *g, const struct gantt_run *run) {
    return run->span >= 0 && g->cursor_span >= 0 &&
           (run->span == g->cursor_span ||
            (run->kind == VIEW_GANTT_PAIR && run->span + 1 == g->cursor_span));
}

/* The front of a run; of a pair the forward's part in its own tone. Returns its columns. */
static int paint_front(const struct gantt_board *b, int row, const struct gantt_run *run,
                       enum view_tone tone) {
    char front[GANTT_NAME_MAX];
    int col = b->left + run->first;
    write_front(b, run, front);
    int length = (int)strlen(front);
    char *second = strchr(front, '&');
    if (second != NULL && tone != VIEW_TONE_CURSOR) {
        char first[GANTT_NAME_MAX];
        (void)snprintf(first, sizeof first, "%.*s", (int)(second - front), front);
        b->pen->put(b->pen->context, row, col, first, VIEW_TONE_FORWARD);
        b->pen->put(b->pen->context, row, col + (int)(second - front), second, tone);
    } else {
        b->pen->put(b->pen->context, row, col, front, tone);
    }
    return length;
}

static void paint_run(struct gantt_board *b, int row, const struct gantt_run *run) {
    const struct view_pen *pen = b->pen;
    if (run->kind == VIEW_GANTT_IDLE) {
        return;
    }
    enum view_tone tone = holds_cursor(b->gantt, run) ? VIEW_TONE_CURSOR : tone_of(run->kind);
    int length = paint_front(b, row, run, tone);
    const char *rest = run->span < 0 || length == 0 ? gantt_sign(run->kind, pen->ascii)
                                                    : gantt_filling(run->kind, pen->ascii);
    for (int i = length; i < run->cols; i++) {
        pen->put(pen->context, row, b->left + run->first + i, rest, tone);
    }
    b->kinds[run->kind] = true;
    b->many = b->many || length == 0;
    b->letters = b->letters || (run->span >= 0 && b->gantt->spans[run->span].chunk > 0);
}

/* The line under what is on the critical path. */
static void paint_critical(const struct gantt_board *b, int row, const struct gantt_run *runs,
                           int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; runs[i].critical && k < runs[i].cols; k++) {
            b->pen->put(b->pen->context, row, b->left + runs[i].first + k,
                        b->pen->ascii ? "=" : "━", VIEW_TONE_STRONG);
        }
    }
}

static void paint_strip(const struct gantt_board *b, int row, int index) {
    static const char *const blocks[LEVELS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint32_t levels[GANTT_CELLS_MAX];
    gantt_levels(b->gantt, &b->plot, index, levels);
    const struct view_gantt_row *data = &b->gantt->rows[index];
    int steps = b->pen->ascii ? LEVELS_ASCII : LEVELS;
    for (int i = 0; i < b->plot.cells; i++) {
        if (levels[i] == 0 || b->level_max <= 0) {
            continue;
        }
        double share = level_of(data, levels[i]) / b->level_max;
        int level = (int)(share * steps + ALMOST_ONE);
        bool count = b->pen->ascii && b->level_max <= LEVELS_ASCII && data->parts <= 1;
        level = count ? (int)levels[i] : level < 1 ? 1 : level > steps ? steps : level;
        char digit[2] = {(char)('0' + level), '\0'};
        b->pen->put(b->pen->context, row, b->left + i, b->pen->ascii ? digit : blocks[level],
                    VIEW_TONE_HELD);
    }
}

static int paint_row(struct gantt_board *b, int row, int index, uint64_t makespan) {
    const struct view_pen *pen = b->pen;
    const struct view_gantt *g = b->gantt;
    struct gantt_run runs[GANTT_CELLS_MAX];
    char text[TEXT_MAX];
    int first = row, count = gantt_runs(g, &b->plot, index, runs);
    const char *wall = pen->ascii ? "|" : "│";
    bool ended = makespan <= b->plot.to;
    int end = b->left + (ended ? gantt_column(g, &b->plot, makespan) : b->plot.cells);
    end +=
        ended && b->plot.per == 0 && makespan > g->from && (makespan - g->from) % b->plot.each != 0
            ? 1
            : 0;
    write_label(pen, g->rows[index].rank, text);
    pen->put(pen->context, row, 0, text,
             g->cursor_row == index ? VIEW_TONE_ACCENT : VIEW_TONE_TEXT);
    pen->put(pen->context, row, b->left - 1, wall, VIEW_TONE_LINE);
    for (int i = 0; i < count; i++) {
        paint_run(b, row, &runs[i]);
    }
    pen->put(pen->context, row, end, ended ? wall : pen->ascii ? ">" : "┊", VIEW_TONE_LINE);
    if (g->strip) {
        write_peak(b, &g->rows[index], text);
        pen->put(pen->context, row, b->left + b->plot.cells + 1 + b->peaks - text_cols(b, text),
                 text, VIEW_TONE_TEXT);
    }
    if (g->marks_critical) {
        paint_critical(b, ++row, runs, count);
    }
    if (g->strip) {
        paint_strip(b, ++row, index);
    }
    return row + 1 - first;
}

/* Ticks between two numbers of the axis: 1, 2 or 5 times a power of ten of what a person calls a unit. */
static uint64_t axis_step(const struct gantt_board *b) {
    const struct view_gantt *g = b->gantt;
    char text[TEXT_MAX];
    write_time(g, b->plot.to, text);
    int need = text_cols(b, text) + TICK_GAP;
    uint64_t step = g->ticks_per_unit;
    static const uint64_t times[] = {2, 5, 10};
    for (uint64_t power = 1; power < UINT64_C(1000000000000); power *= 10) {
        for (int i = 0; i < 3; i++) {
            int cols =
                gantt_column(g, &b->plot, g->from + step) - gantt_column(g, &b->plot, g->from);
            if (cols >= need || g->from + step >= b->plot.to) {
                return step;
            }
            step = g->ticks_per_unit * power * times[i];
        }
    }
    return step;
}

static int paint_axis(const struct gantt_board *b, int row) {
    const struct view_gantt *g = b->gantt;
    uint64_t step = axis_step(b);
    int behind = 0;
    for (uint64_t t = (g->from + step - 1) / step * step; t <= b->plot.to; t += step) {
        char text[TEXT_MAX];
        int col = b->left + gantt_column(g, &b->plot, t);
        write_time(g, t, text);
        if (col >= behind && col + text_cols(b, text) <= b->pen->cols) {
            b->pen->put(b->pen->context, row, col, text, VIEW_TONE_DIM);
            behind = col + text_cols(b, text) + 1;
        }
        if (t > UINT64_MAX - step) {
            break;
        }
    }
    return 1;
}

/* What a column is worth, and which part of the whole is seen. */
static int say_scale(const struct gantt_board *b, int row) {
    const struct view_pen *pen = b->pen;
    const struct view_gantt *g = b->gantt;
    int first = row;
    uint64_t longest = 0;
    for (int i = 0; i < g->group_count; i++) {
        longest = g->groups[i].makespan > longest ? g->groups[i].makespan : longest;
    }
    char text[TEXT_MAX];
    struct message m;
    if (b->plot.per == 0 || g->joined) {
        write_time(g, b->plot.each, text);
        message_start(&m, "view.gantt.scale");
        message_add_text(&m, text);
        row += view_say(pen, row, &m, VIEW_TONE_DIM);
    }
    if (g->from > 0 || b->plot.to < longest) {
        message_start(&m, "view.gantt.window");
        const uint64_t moments[] = {g->from, b->plot.to, longest};
        for (int i = 0; i < 3; i++) {
            write_time(g, moments[i], text);
            message_add_text(&m, text);
        }
        row += view_say(pen, row, &m, VIEW_TONE_DIM);
    }
    return row - first;
}

/* The title of a schedule, on one line where there are few columns. */
static int say_title(const struct view_pen *pen, int row, const struct view_gantt_group *group) {
    struct message title = group->title;
    bool long_one = title.id != NULL && strcmp(title.id, "view.gantt.group") == 0;
    title.id = pen->cols < NARROW && long_one ? "view.gantt.group_short" : title.id;
    return view_say(pen, row, &title, VIEW_TONE_STRONG);
}

static int paint_group(struct gantt_board *b, int row, const struct view_gantt_group *group) {
    const struct view_pen *pen = b->pen;
    int first = row;
    row += say_title(pen, row, group);
    for (int i = 0; i < group->row_count; i++) {
        row += paint_row(b, row, group->first_row + i, group->makespan);
    }
    if (group->row_count > 0 && (uint64_t)group->row_count < group->ranks) {
        const struct view_gantt_row *rows = &b->gantt->rows[group->first_row];
        struct message m;
        message_start(&m, "view.gantt.more_ranks");
        message_add_count(&m, rows[0].rank);
        message_add_count(&m, rows[group->row_count - 1].rank);
        message_add_count(&m, group->ranks);
        row += view_say(pen, row, &m, VIEW_TONE_DIM);
    }
    return row - first;
}

int view_gantt_paint(const struct view_pen *pen, int row, const struct view_gantt *gantt) {
    struct gantt_board b = {.pen = pen, .gantt = gantt};
    int first = row;
    b.peaks = measure_peaks(&b);
    b.left = measure_labels(&b) + LABEL_GAP + 1;
    b.plot = gantt_plot_of(gantt, pen->cols - b.left - 1 - b.peaks);
    row += view_say(pen, row, &gantt->title, VIEW_TONE_STRONG);
    for (int i = 0; i < gantt->group_count; i++) {
        row += paint_group(&b, row, &gantt->groups[i]);
    }
    if (b.plot.cells > 0) {
        row += paint_axis(&b, row);
        row += gantt_legend_paint(&b, row);
        row += say_scale(&b, row);
    }
    row += view_say(pen, row, &gantt->explain, VIEW_TONE_TEXT);
    row += view_say(pen, row, &gantt->remark, VIEW_TONE_TEXT);
    return row - first;
}
