/* Time over the size of a message as curves, one an algorithm, by the α–β model (sizes.c has the lines). The marks are
 * where the fastest changes. Proof: tests/unit/lessons/test_collectives.c. */
#include <math.h>

#include "collectives_private.h"

enum { POINTS = 61, FIRST_POWER = 10, LAST_POWER = 30 };
_Static_assert((int)POINTS <= (int)VIEW_PLOT_POINTS_MAX &&
                   (int)COLL_ALGORITHMS <= (int)VIEW_PLOT_SERIES_MAX,
               "a plot has room for every algorithm");

char collectives_letter(enum coll_algorithm algorithm) {
    static const char letters[COLL_ALGORITHMS] = {'n', 'r', 't', 'h', 'd'};
    return letters[algorithm];
}

static void add_series(struct view_plot *plot, const struct lesson_input *in,
                       enum coll_algorithm algorithm) {
    struct collectives_line line;
    if (!collectives_line(in, algorithm, &line)) {
        return;
    }
    struct view_plot_series *s = &plot->series[plot->series_count++];
    s->name = coll_algorithm_name(algorithm);
    s->letter = collectives_letter(algorithm);
    for (int i = 0; i < POINTS; i++) {
        s->y[i] = line.at_zero + plot->x[i] * line.a_byte;
    }
}

void collectives_seconds_write(char *text, double seconds) {
    struct writer w;
    double scale = seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
    writer_start(&w, text, VIEW_PLOT_LABEL_MAX);
    writer_fixed(&w, seconds * scale, seconds * scale < 10 ? 1 : 0);
    writer_text(&w, scale > 1e3 ? " µs" : scale > 1 ? " ms" : " s");
}

void collectives_size_write(char *text, double bytes) {
    struct writer w;
    double kib = bytes / 1024;
    writer_start(&w, text, VIEW_PLOT_LABEL_MAX);
    writer_real(&w, kib < 1024 ? kib : kib / 1024);
    writer_text(&w, kib < 1024 ? " KiB" : " MiB");
}

static void write_label(char out[VIEW_PLOT_LABEL_MAX], const char *text) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_text(&w, text);
}

void collectives_plot_add(struct view *out, const struct lesson_input *in) {
    struct collectives_change changes[COLL_ALGORITHMS];
    struct coll_job job = collectives_job(in);
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    double low, high;
    message_start(&plot->title, "collective.plot");
    message_add_plain(&plot->title, job.ranks);
    plot->x_name = "bytes";
    plot->y_name = "seconds";
    plot->point_count = POINTS;
    for (int i = 0; i < POINTS; i++) {
        plot->x[i] = exp2(FIRST_POWER + (LAST_POWER - FIRST_POWER) * (double)i / (POINTS - 1));
    }
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        add_series(plot, in, (enum coll_algorithm)a);
    }
    write_label(plot->low_x, "1 KiB");
    write_label(plot->high_x, "1 GiB");
    if (view_plot_range(plot, &low, &high)) {
        collectives_seconds_write(plot->low_y, low);
        collectives_seconds_write(plot->high_y, high);
    }
    int count = collectives_changes(in, changes);
    for (int i = 0; i < count && plot->mark_count < VIEW_PLOT_MARKS_MAX; i++) {
        if (!changes[i].last) {
            plot->marks[plot->mark_count++] = changes[i].until;
        }
    }
}
