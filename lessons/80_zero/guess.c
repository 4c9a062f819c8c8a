/* The questions of the lesson on ZeRO, each before its page shows a picture: what ZeRO-1 saves, what it sends, what
 * accumulation makes of ZeRO-2, and whose traffic grows with the micro-batch. Wrong choices are what people say; all
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

/* The truth; its limit; everything divided; only what is divided counted. */
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
    add_times(out, 1, "lesson.zero.guess.saving.none", false);
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

/* Text choices; which is right is decided by counting with twice the micro-batch. */
static bool ask_tensor(const struct scenario *s, struct lesson_guess *out) {
    static const char *const choices[] = {
        "lesson.zero.guess.tensor.both", "lesson.zero.guess.tensor.data",
        "lesson.zero.guess.tensor.tensor", "lesson.zero.guess.tensor.neither"};
    static const char *const whys[] = {
        "lesson.zero.guess.tensor.both.why", "lesson.zero.guess.tensor.data.why",
        "lesson.zero.guess.tensor.tensor.why", "lesson.zero.guess.tensor.neither.why"};
    bool grows[ZERO_WAYS];
    for (int how = 0; how < ZERO_WAYS; how++) {
        struct zero_way now, twice;
        if (s->layout.dp < 2 || !zero_way_of(s, (enum zero_how)how, s->batch.micro_batch, &now) ||
            !zero_way_of(s, (enum zero_how)how, 2 * s->batch.micro_batch, &twice)) {
            return false;
        }
        grows[how] = twice.sent_bytes > now.sent_bytes;
    }
    int right =
        grows[ZERO_BY_DATA] ? (grows[ZERO_BY_TENSOR] ? 0 : 1) : (grows[ZERO_BY_TENSOR] ? 2 : 3);
    message_start(&out->question, "lesson.zero.guess.tensor");
    message_add_plain(&out->question, s->layout.dp);
    for (int i = 0; i < 4; i++) {
        value_choice_text(out, choices[i], "", whys[i], i == right);
    }
    return true;
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
