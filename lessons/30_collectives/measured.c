/* What `allreduce --sweep` measured on this machine, as the last page shows it once it ran: a curve an algorithm by the α and
 * the rate that fit the times best, the times themselves as dots, and who was the fastest where. Everything comes from the
 * answer; nothing in the view points into it. Proof: tests/unit/lessons/test_collectives_measured.c. */
#include <math.h>
#include <string.h>

#include "collectives_private.h"

enum { POINTS_MAX = VIEW_PLOT_DOTS_MAX * COLL_ALGORITHMS, KEY_MAX = 64, CURVE = 61 };

struct measured {
    enum coll_algorithm algorithm;
    double bytes, seconds;
};

/* "points[3].least_s"; NULL: there is none. */
static const struct field *find(const struct record *answer, const char *list, int index,
                                const char *key) {
    char path[KEY_MAX];
    struct writer w;
    writer_start(&w, path, sizeof path);
    writer_text(&w, list);
    writer_char(&w, '[');
    writer_u64(&w, (uint64_t)index);
    writer_text(&w, "].");
    writer_text(&w, key);
    return record_find(answer, path);
}

static double number(const struct field *f) {
    return f != NULL && f->kind == FIELD_NUMBER ? f->number : 0;
}

static int algorithm_of(const struct field *f) {
    return f != NULL && f->kind == FIELD_TEXT ? coll_algorithm_find(f->text) : -1;
}

/* Those that can stand on an axis. */
static int read_points(const struct record *answer, struct measured out[POINTS_MAX]) {
    int count = 0;
    for (int i = 0; count < POINTS_MAX; i++) {
        const struct field *name = find(answer, "points", i, "algorithm");
        struct measured m = {COLL_NAIVE, number(find(answer, "points", i, "message_bytes")),
                             number(find(answer, "points", i, "least_s"))};
        int algorithm = algorithm_of(name);
        if (name == NULL) {
            break;
        }
        if (algorithm >= 0 && m.bytes > 0 && m.seconds > 0) {
            m.algorithm = (enum coll_algorithm)algorithm;
            out[count++] = m;
        }
    }
    return count;
}

bool collectives_measured(const struct lesson_input *in) {
    return in->answer != NULL && find(in->answer, "points", 0, "algorithm") != NULL;
}

/* --- The plot --- */

static void add_dots(struct view_plot_series *s, const struct measured *points, int count,
                     enum coll_algorithm algorithm) {
    for (int i = 0; i < count && s->dot_count < VIEW_PLOT_DOTS_MAX; i++) {
        if (points[i].algorithm == algorithm) {
            s->dot_x[s->dot_count] = points[i].bytes;
            s->dot_y[s->dot_count++] = points[i].seconds;
        }
    }
}

/* By the fit; without one, from dot to dot. */
static void add_curve(struct view_plot *plot, struct view_plot_series *s,
                      const struct collectives_line *line) {
    int next = 1;
    for (int i = 0; i < plot->point_count; i++) {
        if (line != NULL) {
            s->y[i] = line->at_zero + plot->x[i] * line->a_byte;
            continue;
        }
        while (next < s->dot_count - 1 && s->dot_x[next] < plot->x[i]) {
            next++;
        }
        if (s->dot_count < 2) {
            s->y[i] = s->dot_y[0];
            continue;
        }
        double part =
            log(plot->x[i] / s->dot_x[next - 1]) / log(s->dot_x[next] / s->dot_x[next - 1]);
        s->y[i] = exp(log(s->dot_y[next - 1]) + part * log(s->dot_y[next] / s->dot_y[next - 1]));
    }
}

static void add_remark(struct view_plot *plot, const struct record *answer) {
    double alpha = number(record_find(answer, "fit.alpha_s"));
    double rate = number(record_find(answer, "fit.bytes_per_s"));
    double deviation = number(record_find(answer, "fit.mean_deviation"));
    if (alpha > 0 && rate > 0) {
        message_start(&plot->remark, "collective.measured.fit");
        message_add_real(&plot->remark, 1e6 * alpha);
        message_add_real(&plot->remark, rate / 1e9);
        message_add_real(&plot->remark, 100 * deviation);
    } else {
        message_start(&plot->remark, "collective.measured.no_fit");
    }
}

static void add_axes(struct view_plot *plot, const struct measured *points, int count) {
    double low = points[0].bytes, high = points[0].bytes;
    for (int i = 1; i < count; i++) {
        low = points[i].bytes < low ? points[i].bytes : low;
        high = points[i].bytes > high ? points[i].bytes : high;
    }
    high = high > low ? high : 2 * low;
    plot->point_count = CURVE;
    for (int i = 0; i < CURVE; i++) {
        plot->x[i] = low * pow(high / low, (double)i / (CURVE - 1));
    }
    collectives_size_write(plot->low_x, low);
    collectives_size_write(plot->high_x, high);
}

static void add_all(struct view_plot *plot, const struct lesson_input *in,
                    const struct measured *points, int count) {
    double rate = number(record_find(in->answer, "fit.bytes_per_s"));
    double alpha = number(record_find(in->answer, "fit.alpha_s"));
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        struct view_plot_series *s = &plot->series[plot->series_count];
        struct collectives_line line;
        add_dots(s, points, count, (enum coll_algorithm)a);
        if (s->dot_count == 0) {
            continue;
        }
        bool fitted = collectives_line_at(in, (enum coll_algorithm)a,
                                          &(struct collectives_link){alpha, rate}, &line);
        s->name = coll_algorithm_name((enum coll_algorithm)a);
        s->letter = collectives_letter((enum coll_algorithm)a);
        add_curve(plot, s, fitted ? &line : NULL);
        plot->series_count++;
    }
}

void collectives_measured_plot_add(struct view *out, const struct lesson_input *in) {
    struct measured points[POINTS_MAX];
    int count = read_points(in->answer, points);
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    double low, high;
    message_start(&plot->title, "collective.measured.plot");
    message_add_plain(&plot->title, collectives_job(in).ranks);
    plot->x_name = "bytes";
    plot->y_name = "seconds";
    if (count == 0) {
        return;
    }
    add_axes(plot, points, count);
    add_all(plot, in, points, count);
    if (view_plot_range(plot, &low, &high)) {
        collectives_seconds_write(plot->low_y, low);
        collectives_seconds_write(plot->high_y, high);
    }
    for (int i = 1; plot->mark_count < VIEW_PLOT_MARKS_MAX; i++) {
        double from = number(find(in->answer, "fastest", i, "from_bytes"));
        if (from <= 0) {
            break;
        }
        plot->marks[plot->mark_count++] = from;
    }
    add_remark(plot, in->answer);
}

/* --- The table --- */

void collectives_measured_notes_add(struct view_table *t, const struct lesson_input *in) {
    for (int i = 0;; i++) {
        int algorithm = algorithm_of(find(in->answer, "fastest", i, "algorithm"));
        double from = number(find(in->answer, "fastest", i, "from_bytes"));
        double until = number(find(in->answer, "fastest", i, "until_bytes"));
        if (algorithm < 0 || t->note_count == VIEW_TABLE_NOTES_MAX) {
            return;
        }
        struct message *m = view_table_add_note(t, -1);
        message_start(m, i == 0 && until <= 0 ? "collective.fastest.always"
                         : until <= 0         ? "collective.fastest.above"
                                              : "collective.fastest.until");
        message_add_text(m, coll_algorithm_name((enum coll_algorithm)algorithm));
        message_add_count(m, (uint64_t)((until > 0 ? until : from) + 0.5));
    }
}

/* Rows of the sizes that were run. */
void collectives_measured_rows_add(struct view_table *t, const struct lesson_input *in) {
    struct measured points[POINTS_MAX];
    int count = read_points(in->answer, points), row = -1;
    double bytes = 0, least = 0;
    for (int i = 0; i < count; i++) {
        const struct measured *p = &points[i];
        if (row < 0 || p->bytes > bytes) {
            row = view_table_row(t);
            bytes = p->bytes;
            least = p->seconds;
            view_table_set_count(t, row, 0, (uint64_t)bytes);
        }
        view_table_set_count(t, row, 1 + (int)p->algorithm, (uint64_t)(p->seconds * 1e6 + 0.5));
        if (p->seconds <= least) {
            least = p->seconds;
            view_table_set_text(t, row, 1 + COLL_ALGORITHMS, coll_algorithm_name(p->algorithm));
        }
    }
}
