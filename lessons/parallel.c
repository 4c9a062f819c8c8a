/* The learner's scenario with one option changed, for what a page puts beside it (one rank instead of eight, sequence
 * parallelism on and off), and how bytes and shares are written inside words. The lessons on tensor and on pipeline
 * parallelism call it; it works on copies and owns nothing. What an option implies is what_if.c's.
 * Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include "parallel_private.h"

#include <assert.h>

#include "shardlab/base/units.h"
#include "what_if_private.h"

bool parallel_variant(const struct scenario *s, const struct parallel_change *changes, int count,
                      struct scenario *out) {
    *out = *s;
    for (int i = 0; i < count; i++) {
        if (!what_if_set(out, changes[i].option, changes[i].value)) {
            return false;
        }
    }
    return what_if_settle(out);
}

bool parallel_with_count(const struct scenario *s, const char *option, uint64_t value,
                         struct scenario *out) {
    struct scenario other = *s;
    bool legal = what_if_count(&other, option, value) && what_if_settle(&other);
    *out = other;
    return legal;
}

void parallel_write_bytes(struct writer *w, uint64_t bytes) {
    const uint64_t kilo = 1000, mega = 1000 * kilo, giga = 1000 * mega;
    if (bytes >= giga) {
        units_write_bytes(w, bytes, UNIT_GB, 2);
        writer_text(w, " GB");
        return;
    }
    bool small = bytes < mega;
    value_real(w, (double)bytes / (double)(small ? kilo : mega), 1);
    writer_text(w, small ? " KB" : " MB");
}

void parallel_write_percent(struct writer *w, double share) {
    writer_fixed(w, 100 * share, 1);
    writer_text(w, " %");
}

struct message *parallel_fact(struct view_facts *facts, const char *key, const char *label,
                              const char *value) {
    assert(facts->fact_count < VIEW_ROWS_MAX);
    struct view_fact *fact = &facts->facts[facts->fact_count++];
    fact->key = key;
    fact->label = label;
    message_start(&fact->value, value);
    return &fact->value;
}

void parallel_predicted_only(struct view *out) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    message_start(&text->lines[text->line_count++], "lesson.predicted-only");
}
