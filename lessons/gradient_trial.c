/* The experiment that the lessons on data parallelism and on ZeRO share: `allreduce` on a vector like the model's
 * gradients. Its elements are the parameters divided by a power of ten, so that a learner can scale the bytes back.
 * Pure; writes into the caller's experiment. Proof: tests/unit/lessons/test_data_parallel.c, test_zero_lesson.c. */
#include "gradient_trial_private.h"

#include <string.h>

#include "shardlab/calc/params.h"

/* What all ranks hold together, and a row a rank on the screen. */
static const uint64_t most_bytes = UINT64_C(1) << 24, most_ranks = 64;

static const char *type_of(const struct scenario *s, uint64_t element_bytes) {
    if (element_bytes == 4) {
        return "fp32";
    }
    return s->recipe.precision == CALC_PRECISION_FP16 ? "fp16" : "bf16";
}

bool gradient_trial_of(const struct scenario *s, uint64_t element_bytes,
                       struct gradient_trial *out) {
    struct calc_params params;
    struct message why;
    uint64_t ranks = s->layout.dp, divisor = 1;
    if (ranks < 2 || ranks > most_ranks || calc_params_count(s, &params, &why) != STATUS_OK) {
        return false;
    }
    while (params.total / divisor > most_bytes / ranks / element_bytes) {
        divisor *= 10;
    }
    *out = (struct gradient_trial){params.total / divisor, divisor, type_of(s, element_bytes)};
    return out->elements > 0;
}

void gradient_trial_write(const struct gradient_trial *trial, uint64_t ranks,
                          const char *collective, struct writer *w) {
    writer_text(w, "allreduce --ranks ");
    writer_u64(w, ranks);
    writer_text(w, " --elems ");
    writer_u64(w, trial->elements);
    writer_text(w, " --type ");
    writer_text(w, trial->type);
    writer_text(w, " --algorithm ring");
    if (collective != NULL) {
        writer_text(w, " --collective ");
        writer_text(w, collective);
    }
}

void gradient_trial_offer(const struct gradient_trial *trial, uint64_t ranks,
                          const char *collective, struct lesson_experiment *out) {
    struct writer w;
    writer_start(&w, out->line, sizeof out->line);
    gradient_trial_write(trial, ranks, collective, &w);
    out->title = "lesson.gradient-trial.title";
    out->value_count = 2;
    out->values[0] =
        (struct lesson_value){"sent_bytes_per_rank", "collective.value.sent", LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"steps", "collective.value.rounds", LESSON_UNIT_NONE};
    out->fact_count = 2;
    out->facts[0] =
        (struct lesson_value){"time_s.median", "collective.fact.time", LESSON_UNIT_SECONDS};
    out->facts[1] =
        (struct lesson_value){"busbw_bytes_per_s", "collective.fact.busbw", LESSON_UNIT_RATE};
}
