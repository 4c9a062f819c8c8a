/* The peak of one step and, with --timeline, every event with its live bytes, for the JSON of `shardlab mem`
 * (CONTRACT, "shardlab mem"). Proof: tests/cli/test_timeline.c. */
#include "cli_private.h"
#include "shardlab/calc/timeline.h"

static void json_event(struct json *j, const char *key, const struct calc_event *e) {
    char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    calc_event_write(&w, e);
    json_text(j, key, text);
}

void cli_json_peak(struct json *j, const struct scenario *s, const struct calc_memory *m) {
    struct calc_event peak;
    if (!calc_timeline_follows(s, m)) {
        json_null(j, "peak_bytes");
        json_null(j, "peak_event");
        return;
    }
    calc_timeline_peak(s, m, &peak);
    json_u64(j, "peak_bytes", peak.live_bytes);
    json_event(j, "peak_event", &peak);
}

void cli_json_timeline(struct json *j, const struct scenario *s, const struct calc_memory *m) {
    struct calc_timeline t;
    struct calc_event e;
    if (!calc_timeline_follows(s, m)) {
        json_null(j, "timeline");
        return;
    }
    json_array_open(j, "timeline");
    for (calc_timeline_start(&t, s, m); calc_timeline_next(&t, &e);) {
        json_object_open(j, NULL);
        json_event(j, "event", &e);
        json_u64(j, "live_bytes", e.live_bytes);
        json_object_close(j);
    }
    json_array_close(j);
}
