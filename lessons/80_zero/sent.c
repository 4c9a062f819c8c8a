/* What the ZeRO stages send: in a step of one micro-batch, and over the number of micro-batches. All from the
 * communication ledger (data_traffic.h); a stage that the convention does not define stays unknown. Appends to the
 * caller's view. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "../table_stops_private.h"
#include "../what_if_private.h"
#include "zero_private.h"

static const char *const names[ZERO_STAGES] = {"DP", "ZeRO-1", "ZeRO-2", "ZeRO-3"};

bool zero_traffic(const struct scenario *s, uint64_t stage, uint64_t micro_batches,
                  struct data_traffic *out) {
    struct scenario other = *s;
    return (micro_batches == 0 || what_if_count(&other, "micro-batches", micro_batches)) &&
           data_traffic_at(&other, stage, 0, out);
}

static void sent_row(struct view_table *t, const struct scenario *s, uint64_t stage,
                     const struct data_traffic *plain) {
    enum { STAGE, GRADIENTS, WEIGHTS, TOTAL, RATIO, EXPOSED };
    struct data_traffic traffic;
    int row = view_table_row(t);
    view_table_set_text(t, row, STAGE, names[stage]);
    if (!zero_traffic(s, stage, 1, &traffic)) {
        return;
    }
    view_table_set_count(t, row, GRADIENTS, traffic.gradient_bytes);
    view_table_set_count(t, row, WEIGHTS, traffic.weight_bytes);
    view_table_set_count(t, row, TOTAL, traffic.total_bytes);
    if (plain != NULL && plain->total_bytes > 0) {
        view_table_set_real(t, row, RATIO,
                            (double)traffic.total_bytes / (double)plain->total_bytes);
    }
    if (traffic.exposed_known) {
        view_table_set_real(t, row, EXPOSED, traffic.exposed_s);
    }
}

void zero_sent_add(struct view *out, const struct scenario *s) {
    static const struct view_table_col cols[] = {
        {"stage", "lesson.zero.stage", VIEW_TABLE_TEXT, 0, NULL},
        {"gradient_bytes", "lesson.zero.gradients", VIEW_TABLE_BYTES, 2, NULL},
        {"weight_bytes", "lesson.zero.weights", VIEW_TABLE_BYTES, 2, NULL},
        {"sent_bytes", "lesson.zero.together", VIEW_TABLE_BYTES, 0, NULL},
        {"of_dp", "lesson.zero.of_dp", VIEW_TABLE_REAL, 0, NULL},
        {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 1, NULL},
    };
    struct data_traffic plain;
    bool known = zero_traffic(s, 0, 1, &plain);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.zero.sent.title");
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (uint64_t stage = 0; stage < ZERO_STAGES; stage++) {
        sent_row(t, s, stage, known ? &plain : NULL);
    }
    t->current = (int)s->layout.zero;
}

static void every_row(struct view_table *t, const struct scenario *s, uint64_t micro_batches) {
    enum { MICRO_BATCHES, FIRST_STAGE, RATIO = FIRST_STAGE + ZERO_STAGES };
    struct data_traffic traffic[ZERO_STAGES];
    bool known[ZERO_STAGES];
    int row = view_table_row(t);
    view_table_set_count(t, row, MICRO_BATCHES, micro_batches);
    for (int stage = 0; stage < ZERO_STAGES; stage++) {
        known[stage] = zero_traffic(s, (uint64_t)stage, micro_batches, &traffic[stage]);
        if (known[stage]) {
            view_table_set_count(t, row, FIRST_STAGE + stage, traffic[stage].total_bytes);
        }
    }
    if (known[0] && known[3] && traffic[0].total_bytes > 0) {
        view_table_set_real(t, row, RATIO,
                            (double)traffic[3].total_bytes / (double)traffic[0].total_bytes);
    }
}

void zero_every_add(struct view *out, const struct scenario *s) {
    static const uint64_t micro_batches[] = {1, 2, 4, 8, 16, 64};
    static const struct view_table_col cols[] = {
        {"micro_batches", "option.micro-batches.label", VIEW_TABLE_COUNT, 0, NULL},
        {"DP", NULL, VIEW_TABLE_BYTES, 0, NULL},
        {"ZeRO-1", NULL, VIEW_TABLE_BYTES, 2, NULL},
        {"ZeRO-2", NULL, VIEW_TABLE_BYTES, 0, NULL},
        {"ZeRO-3", NULL, VIEW_TABLE_BYTES, 0, NULL},
        {"zero3_of_dp", "lesson.zero.three_of_dp", VIEW_TABLE_REAL, 1, NULL},
    };
    struct table_stops stops = table_stops_with(
        micro_batches, sizeof micro_batches / sizeof micro_batches[0], s->batch.micro_batches);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.zero.every.title");
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < stops.count; i++) {
        every_row(t, s, stops.values[i]);
    }
    t->current = stops.own;
}
