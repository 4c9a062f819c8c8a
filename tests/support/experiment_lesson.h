/* A lesson with experiments that is in no syllabus, for tests: the pages and pictures of *memory*, on the first page an
 * all-reduce over the data ranks of the scenario, on the second one that asks first, on the third none, on the fourth
 * one whose child the test decides (EXPERIMENT_LINE in the environment), on the fifth an overflow. Message ids without words stand for
 * themselves, so labels are plain text. */
#ifndef SUPPORT_EXPERIMENT_LESSON_H
#define SUPPORT_EXPERIMENT_LESSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"

static inline int experiment_knobs(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    (void)page;
    out[0] = (struct lesson_knobs){"group.page", {"dp", "zero"}};
    return 1;
}

static inline enum status experiment_view(const struct lesson_input *in, struct view *out,
                                          struct message *why) {
    return lesson_find("memory")->view(in, out, why);
}

static inline bool experiment_figure(const struct lesson_input *in, const char *name,
                                     struct writer *out) {
    return lesson_find("memory")->figure(in, name, out);
}

static inline void experiment_question(struct lesson_experiment *out) {
    static const char *const choices[] = {"1 MB", "1.5 MB", "2 MB"};
    message_start(&out->guess.question, "How much does a rank send?");
    out->guess.choice_count = 3;
    out->guess.right = 1;
    for (int i = 0; i < out->guess.choice_count; i++) {
        message_start(&out->guess.choices[i], choices[i]);
    }
}

static inline void experiment_overflow(struct lesson_experiment *out) {
    out->title = "Past the largest number";
    snprintf(out->line, sizeof out->line, "overflow --experiment range --type fp16");
    out->value_count = 3;
    out->values[0] = (struct lesson_value){"max", "largest", LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"max_plus_half", "plus half a step", LESSON_UNIT_NONE};
    out->values[2] = (struct lesson_value){"sums_past_max", "sums past it", LESSON_UNIT_NONE};
    out->fact_count = 1;
    out->facts[0] = (struct lesson_value){"time_s", "time {0}", LESSON_UNIT_SECONDS};
}

static inline bool experiment_of(const struct lesson_input *in, struct lesson_experiment *out) {
    const char *given = getenv("EXPERIMENT_LINE");
    if (in->page == 2 || (in->page == 3 && given == NULL)) {
        return false;
    }
    if (in->page == 4) {
        experiment_overflow(out);
        return true;
    }
    out->title = "A real all-reduce";
    snprintf(out->line, sizeof out->line, "allreduce --ranks %u --elems 1000003 --algorithm ring",
             (unsigned)in->now->layout.dp);
    if (in->page == 3) {
        snprintf(out->line, sizeof out->line, "%s", given);
    }
    out->value_count = 2;
    out->values[0] =
        (struct lesson_value){"sent_bytes_per_rank", "rank {0} sends", LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"steps", "steps", LESSON_UNIT_NONE};
    out->fact_count = 2;
    out->facts[0] = (struct lesson_value){"time_s.median", "time {0}", LESSON_UNIT_SECONDS};
    out->facts[1] = (struct lesson_value){"busbw_bytes_per_s", "busbw {0}", LESSON_UNIT_RATE};
    if (in->page == 1) {
        experiment_question(out);
    }
    return true;
}

static const struct lesson experiment_lesson = {
    .id = "memory",
    .folder = "10_memory",
    .page_count = 6,
    .start = "--model llama-2-7b --dp 4 --zero 1 --gpu a100-sxm-80gb",
    .knobs = experiment_knobs,
    .view = experiment_view,
    .figure = experiment_figure,
    .experiment = experiment_of,
};

#endif
