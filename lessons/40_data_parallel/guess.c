/* The questions of the lesson on data parallelism, each before its page shows a picture: memory with twice the ranks,
 * bytes with eight times the ranks, the weight of a token on a short rank. Choices are what learners say; all are
 * computed. Proof: tests/unit/lessons/test_data_parallel.c. */
#include "../value_private.h"
#include "../what_if_private.h"
#include "data_parallel_private.h"

#include "shardlab/calc/memory.h"

enum { TEXT_MAX = 48, MORE = 8 };

static const char *real_text(char text[TEXT_MAX], double value) {
    struct writer w;
    writer_start(&w, text, TEXT_MAX);
    value_real(&w, value, 2);
    return text;
}

static bool ask_memory(const struct scenario *s, struct lesson_guess *out) {
    struct scenario twice = *s;
    struct calc_memory now, then;
    struct message why;
    if (s->layout.zero != 0 || !what_if_count(&twice, "dp", 2 * s->layout.dp) ||
        !what_if_settle(&twice) || calc_memory_worst(s, &now, &why) != STATUS_OK ||
        calc_memory_worst(&twice, &then, &why) != STATUS_OK || now.phases ||
        !now.activations_known) {
        return false;
    }
    message_start(&out->question, "lesson.data-parallel.guess.memory");
    message_add_plain(&out->question, s->layout.dp);
    message_add_plain(&out->question, twice.layout.dp);
    message_add_bytes(&out->question, now.total_bytes);
    uint64_t activations = now.part_bytes[CALC_PART_ACTIVATIONS];
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", now.total_bytes / 2,
                       "lesson.data-parallel.guess.memory.half", false);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", now.total_bytes - activations / 2,
                       "lesson.data-parallel.guess.memory.batch", false);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", then.total_bytes,
                       "lesson.data-parallel.guess.memory.same", true);
    return out->choice_count == 3;
}

static bool ask_sum(const struct scenario *s, struct lesson_guess *out) {
    struct data_traffic now, then;
    struct scenario once = *s;
    if (!what_if_set(&once, "reduce", "boundary") || !data_traffic_at(&once, 0, 0, &now) ||
        !data_traffic_at(&once, 0, MORE * s->layout.dp, &then) || now.total_bytes == 0) {
        return false;
    }
    message_start(&out->question, "lesson.data-parallel.guess.sum");
    message_add_plain(&out->question, s->layout.dp);
    message_add_plain(&out->question, MORE * s->layout.dp);
    message_add_bytes(&out->question, now.total_bytes);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", MORE * now.total_bytes,
                       "lesson.data-parallel.guess.sum.more", false);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", then.total_bytes,
                       "lesson.data-parallel.guess.sum.limit", true);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", now.total_bytes,
                       "lesson.data-parallel.guess.sum.same", false);
    value_choice_bytes(out, "lesson.data-parallel.guess.bytes", now.total_bytes / MORE,
                       "lesson.data-parallel.guess.sum.less", false);
    return out->choice_count == 4;
}

static bool ask_weight(const struct lesson_input *in, struct lesson_guess *out) {
    struct data_weights w;
    char text[TEXT_MAX];
    if (in->now->layout.dp < 2 || !data_weights_of(in, &w)) {
        return false;
    }
    double ratio = w.short_weight / w.full_weight;
    message_start(&out->question, "lesson.data-parallel.guess.weight");
    message_add_count(&out->question, w.short_tokens);
    message_add_count(&out->question, w.full_tokens);
    value_choice_text(out, "lesson.data-parallel.guess.times", real_text(text, 1),
                      "lesson.data-parallel.guess.weight.same", false);
    value_choice_text(out, "lesson.data-parallel.guess.times", real_text(text, ratio),
                      "lesson.data-parallel.guess.weight.right", true);
    value_choice_text(out, "lesson.data-parallel.guess.times", real_text(text, 1 / ratio),
                      "lesson.data-parallel.guess.weight.less", false);
    return out->choice_count == 3;
}

bool data_guess(const struct lesson_input *in, struct lesson_guess *out) {
    switch ((enum data_page)in->page) {
    case PAGE_COPIES:
        return ask_memory(in->now, out);
    case PAGE_SUM:
        return ask_sum(in->now, out);
    case PAGE_EQUAL:
        return ask_weight(in, out);
    default:
        return false;
    }
}
