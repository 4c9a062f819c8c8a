/* The learner's scenario with one option changed, for what a page puts beside it (one rank instead of eight, sequence
 * parallelism on and off), and how bytes and shares are written inside words. The lessons on tensor and on pipeline
 * parallelism call it; it works on copies and owns nothing. What an option implies is scenario_resolve's business.
 * Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include "parallel_private.h"

#include <assert.h>
#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"

enum { DIGITS_MAX = 64 };

static bool given(const struct scenario *s, const char *option) {
    return calc_option_given(s, calc_option_index(option));
}

bool parallel_variant(const struct scenario *s, const struct parallel_change *changes, int count,
                      struct scenario *out) {
    struct message why;
    *out = *s;
    for (int i = 0; i < count; i++) {
        if (calc_option_set(out, calc_option_index(changes[i].option), changes[i].value, &why) !=
            STATUS_OK) {
            return false;
        }
    }
    /* Resolving keeps these two where they have a value; what was not given has to follow the layout again. */
    out->recipe.grad_bytes = given(out, "grad-bytes") ? out->recipe.grad_bytes : 0;
    out->recipe.pad_vocab = given(out, "pad-vocab") ? out->recipe.pad_vocab : 0;
    return scenario_resolve(out, out, &why) == STATUS_OK && scenario_violations(out, &why, 1) == 0;
}

bool parallel_with_count(const struct scenario *s, const char *option, uint64_t value,
                         struct scenario *out) {
    char digits[DIGITS_MAX];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_u64(&w, value);
    const struct parallel_change change = {option, digits};
    return parallel_variant(s, &change, 1, out);
}

void parallel_write_real(struct writer *w, double value, int decimals) {
    char digits[DIGITS_MAX];
    struct writer own;
    writer_start(&own, digits, sizeof digits);
    writer_fixed(&own, value, decimals);
    size_t length = own.length;
    while (decimals > 0 && length > 1 && digits[length - 1] == '0') {
        length--;
    }
    length -= length > 1 && digits[length - 1] == '.' ? 1 : 0;
    writer_text_n(w, digits, length);
}

void parallel_write_bytes(struct writer *w, uint64_t bytes) {
    const uint64_t kilo = 1000, mega = 1000 * kilo, giga = 1000 * mega;
    if (bytes >= giga) {
        units_write_bytes(w, bytes, UNIT_GB, 2);
        writer_text(w, " GB");
        return;
    }
    bool small = bytes < mega;
    parallel_write_real(w, (double)bytes / (double)(small ? kilo : mega), 1);
    writer_text(w, small ? " KB" : " MB");
}

void parallel_write_percent(struct writer *w, double share) {
    writer_fixed(w, 100 * share, 1);
    writer_text(w, " %");
}

bool parallel_figure_write(const struct parallel_figure *rows, int count,
                           const struct lesson_input *in, const char *name, struct writer *out) {
    for (int i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            if (!rows[i].write(in, rows[i].a, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
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
