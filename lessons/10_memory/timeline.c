/* Live bytes through one step as a chart with its peak: the picture of page 6 of the memory lesson, and what
 * `shardlab mem --timeline` prints. Everything is calc/timeline.h's; here events are only joined to columns.
 * Writes into the view that the caller passes; keeps nothing. Proof: tests/unit/lessons/test_memory_view.c. */
#include "memory_private.h"

#include <assert.h>

#include "shardlab/calc/timeline.h"

static char mark_of(const struct calc_event *e) {
    switch (e->kind) {
    case CALC_EVENT_FORWARD_LAYER:
    case CALC_EVENT_FORWARD_END:
        return 'F';
    case CALC_EVENT_BACKWARD_LAYER:
    case CALC_EVENT_BACKWARD_END:
        return 'B';
    case CALC_EVENT_STEP:
        return 'S';
    case CALC_EVENT_START:
    case CALC_EVENT_END:
        break;
    }
    return ' ';
}

/* True when the event belongs to another forward or backward than the one before it. */
static bool begins(const struct calc_event *e, const struct calc_event *before) {
    return mark_of(e) != mark_of(before) || e->micro_batch != before->micro_batch ||
           e->chunk != before->chunk;
}

static uint64_t count_events(const struct scenario *s, const struct calc_memory *m) {
    struct calc_timeline t;
    struct calc_event e;
    uint64_t count = 0;
    for (calc_timeline_start(&t, s, m); calc_timeline_next(&t, &e);) {
        count++;
    }
    return count;
}

static void put_event(struct view_chart *chart, int column, const struct calc_event *e) {
    bool highest = chart->peak < 0 || e->live_bytes > chart->bytes[chart->peak];
    if (e->live_bytes > chart->bytes[column]) {
        chart->bytes[column] = e->live_bytes;
    }
    chart->peak = highest ? column : chart->peak; /* of a step that holds nothing, its start */
}

static void peak_say(struct message *out, const struct scenario *s, const struct calc_memory *now) {
    struct calc_event peak;
    if (!calc_timeline_follows(s, now)) {
        message_start(out, "view.peak.unknown");
        return;
    }
    calc_timeline_peak(s, now, &peak);
    calc_peak_say(out, &peak);
}

void memory_timeline_add(struct view *out, const struct scenario *s,
                         const struct calc_memory *now) {
    struct view_chart *chart = &view_add(out, VIEW_KIND_CHART)->chart;
    struct calc_timeline t;
    struct calc_event e, before = {.kind = CALC_EVENT_START};
    uint64_t count = count_events(s, now), at = 0, columns = VIEW_CHART_MAX;
    columns = count < columns ? count : columns;
    assert(count > 0); /* the start of the step is an event */
    message_start(&chart->title, "view.timeline");
    chart->column_count = (int)columns;
    for (calc_timeline_start(&t, s, now); calc_timeline_next(&t, &e); at++, before = e) {
        int column = (int)(at * columns / count);
        put_event(chart, column, &e);
        if (chart->marks[column] == ' ' && begins(&e, &before)) {
            chart->marks[column] = mark_of(&e);
        }
    }
    chart->capacity_bytes = scenario_capacity_bytes(s);
    chart->has_capacity = chart->capacity_bytes != 0;
    peak_say(&chart->remark, s, now);
}
