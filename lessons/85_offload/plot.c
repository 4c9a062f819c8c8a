/* Page 4: how many times longer a step takes than its computation, over the micro-batches of a step, for each way to
 * offload whose links are known. Appends to the caller's view. Proof: tests/unit/lessons/test_offload_lesson.c. */
#include "offload_private.h"

enum { POINTS = 9 }; /* 1, 2, 4 … 256 micro-batches */

static void add_series(struct view_plot *plot, const struct scenario *s, enum offload_way way,
                       char letter) {
    struct view_plot_series *series = &plot->series[plot->series_count];
    struct scenario other;
    if (!offload_with(s, way, &other)) {
        return;
    }
    for (int i = 0; i < POINTS; i++) {
        other.batch.micro_batches = UINT64_C(1) << i;
        if (!offload_slowdown(&other, &series->y[i])) {
            return;
        }
    }
    series->name = offload_way_name(way);
    series->letter = letter;
    plot->series_count++;
}

static void write_times(char out[VIEW_PLOT_LABEL_MAX], double times) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_fixed(&w, times, times < 10 ? 2 : 1);
    writer_text(&w, "×");
}

static void write_count(char out[VIEW_PLOT_LABEL_MAX], double count) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_u64(&w, (uint64_t)count);
}

void offload_plot_add(struct view *out, const struct scenario *s) {
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    double low, high, now;
    message_start(&plot->title, "lesson.offload.plot");
    plot->x_name = "micro_batches";
    plot->y_name = "slowdown";
    plot->point_count = POINTS;
    for (int i = 0; i < POINTS; i++) {
        plot->x[i] = (double)(UINT64_C(1) << i);
    }
    add_series(plot, s, OFFLOAD_WAY_OPTIMIZER_CPU, 'c');
    add_series(plot, s, OFFLOAD_WAY_OPTIMIZER_NVME, 'n');
    add_series(plot, s, OFFLOAD_WAY_PARAMS_CPU, 'w');
    add_series(plot, s, OFFLOAD_WAY_PARAMS_NVME, 'd');
    write_count(plot->low_x, plot->x[0]);
    write_count(plot->high_x, plot->x[POINTS - 1]);
    if (!view_plot_range(plot, &low, &high)) {
        message_start(&plot->remark, "lesson.offload.plot.unknown");
        return;
    }
    write_times(plot->low_y, low);
    write_times(plot->high_y, high);
    if (offload_slowdown(s, &now)) {
        message_start(&plot->remark, "lesson.offload.plot.now");
        message_add_plain(&plot->remark, s->batch.micro_batches);
        message_add_real(&plot->remark, now);
        plot->marks[plot->mark_count++] = (double)s->batch.micro_batches;
    }
}
