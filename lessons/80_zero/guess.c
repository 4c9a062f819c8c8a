/* The questions of the lesson on ZeRO, each before its page shows a picture: what ZeRO-1 saves, what it sends, what
 * accumulation makes of ZeRO-2, and what tensor parallelism sends for the same sequences. Wrong choices are what people say; all
 * numbers are computed. Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "../value_private.h"
#include "../what_if_private.h"
#include "shardlab/calc/memory.h"
#include "zero_private.h"

enum { TEXT_MAX = 48 };

static const char *real_text(char text[TEXT_MAX], double value) {
    struct writer w;
    writer_start(&w, text, TEXT_MAX);
    value_real(&w, value, 2);
    return text;
}

static void add_times(struct lesson_guess *out, double times, const char *why, bool right) {
    char text[TEXT_MAX];
    value_choice_text(out, "lesson.zero.guess.times", real_text(text, times), why, right);
}

/* Bytes of a parameter that ZeRO-1 divides. */
static double divided_bytes(const struct scenario *s) {
    struct scenario whole = *s;
    struct calc_memory memory;
    struct message why;
    if (!what_if_count(&whole, "zero", 0) || !what_if_settle(&whole) ||
        calc_memory_worst(&whole, &memory, &why) != STATUS_OK || memory.params == 0) {
        return 0;
    }
    return (double)memory.part_bytes[CALC_PART_OPTIMIZER] / (double)memory.params;
}

/* The truth; its limit; everything divided; the bytes that are divided taken for the ratio. */
static bool ask_saving(const struct scenario *s, struct lesson_guess *out) {
    struct scenario first = *s;
    struct calc_memory memory;
    struct message why;
    uint64_t ranks = zero_sharding_ranks(s, s->layout.dp);
    if (ranks < 2 || !what_if_count(&first, "zero", 1) || !what_if_settle(&first) ||
        calc_memory_worst(&first, &memory, &why) != STATUS_OK || memory.phases) {
        return false;
    }
    message_start(&out->question, "lesson.zero.guess.saving");
    message_add_plain(&out->question, ranks);
    add_times(out, calc_zero_saving_limit(&first, 1), "lesson.zero.guess.saving.limit", false);
    add_times(out, calc_zero_saving(&first, 1, ranks), "lesson.zero.guess.saving.right", true);
    add_times(out, (double)ranks, "lesson.zero.guess.saving.all", false);
    add_times(out, divided_bytes(&first), "lesson.zero.guess.saving.divided", false);
    return out->choice_count >= 3;
}

static bool ask_sent(const struct scenario *s, struct lesson_guess *out) {
    struct data_traffic plain, first;
    if (!zero_traffic(s, 0, 1, &plain) || !zero_traffic(s, 1, 1, &first) ||
        plain.total_bytes == 0) {
        return false;
    }
    double all = (double)plain.total_bytes;
    message_start(&out->question, "lesson.zero.guess.sent");
    message_add_bytes(&out->question, plain.total_bytes);
    value_choice_bytes(out, "lesson.zero.guess.bytes", first.total_bytes,
                       first.total_bytes == plain.total_bytes ? "lesson.zero.guess.sent.equal"
                                                              : "lesson.zero.guess.sent.less",
                       true);
    if (first.total_bytes != plain.total_bytes) {
        value_choice_bytes(out, "lesson.zero.guess.bytes", plain.total_bytes,
                           "lesson.zero.guess.sent.formats", false);
    }
    value_choice_bytes(out, "lesson.zero.guess.bytes", plain.total_bytes + first.weight_bytes,
                       "lesson.zero.guess.sent.added", false);
    value_choice_bytes(out, "lesson.zero.guess.bytes", 2 * (uint64_t)all,
                       "lesson.zero.guess.sent.double", false);
    return out->choice_count >= 3;
}

static bool ask_every(const struct scenario *s, struct lesson_guess *out) {
    enum { EXAMPLE = 4 };
    uint64_t micro = s->batch.micro_batches > 1 ? s->batch.micro_batches : EXAMPLE;
    struct data_traffic plain, second, once;
    if (!zero_traffic(s, 0, micro, &plain) || !zero_traffic(s, 2, micro, &second) ||
        !zero_traffic(s, 2, 1, &once) || plain.total_bytes == 0 ||
        s->layout.reduce == CALC_REDUCE_EVERY) {
        return false; /* whoever has made data parallelism reduce every time has seen it */
    }
    double all = (double)plain.total_bytes;
    message_start(&out->question, "lesson.zero.guess.every");
    message_add_plain(&out->question, micro);
    add_times(out, (double)second.total_bytes / all, "lesson.zero.guess.every.right", true);
    add_times(out, (double)once.total_bytes / all, "lesson.zero.guess.every.same", false);
    add_times(out, (double)micro * (double)once.total_bytes / all, "lesson.zero.guess.every.all",
              false);
    return out->choice_count == 3;
}

/* As many sequences by tensor parallelism: the truth; the bytes of its one micro-batch; as much, since both divide weights;
 * in the ratio of the collectives. */
static bool ask_tensor(const struct scenario *s, struct lesson_guess *out) {
    struct zero_way data, tensor;
    if (s->layout.dp < 2 || !zero_way_of(s, ZERO_BY_DATA, s->batch.micro_batch, &data) ||
        !zero_way_of(s, ZERO_BY_TENSOR, s->batch.micro_batch, &tensor) || data.collectives <= 0) {
        return false;
    }
    double often = tensor.collectives / data.collectives;
    message_start(&out->question, "lesson.zero.guess.tensor");
    message_add_plain(&out->question, s->layout.dp);
    message_add_bytes(&out->question, data.sent_bytes);
    value_choice_bytes(out, "lesson.zero.guess.bytes", tensor.sent_bytes,
                       "lesson.zero.guess.tensor.one", false);
    value_choice_bytes(out, "lesson.zero.guess.bytes", data.sent_bytes,
                       "lesson.zero.guess.tensor.same", false);
    value_choice_bytes(out, "lesson.zero.guess.bytes", (uint64_t)(often * (double)data.sent_bytes),
                       "lesson.zero.guess.tensor.often", false);
    value_choice_bytes(out, "lesson.zero.guess.bytes", s->layout.dp * tensor.sent_bytes,
                       "lesson.zero.guess.tensor.right", true); /* at most heads × what is sent */
    return out->choice_count >= 3;
}

bool zero_guess(const struct lesson_input *in, struct lesson_guess *out) {
    switch ((enum zero_page)in->page) {
    case PAGE_DIVIDED:
        return ask_saving(in->now, out);
    case PAGE_SENT:
        return ask_sent(in->now, out);
    case PAGE_EVERY:
        return ask_every(in->now, out);
    case PAGE_TENSOR:
        return ask_tensor(in->now, out);
    default:
        return false;
    }
}
