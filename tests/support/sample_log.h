/* A log that a test writes event by event, and questions for it. Days are counted from `day_zero`; an event stands at noon
 * of its day, in the offset of the log. Include it once in a test file. */
#ifndef SUPPORT_SAMPLE_LOG_H
#define SUPPORT_SAMPLE_LOG_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/learn/history.h"

enum { LOG_MAX = 4096, LOG_QUESTIONS = 320, LOG_LESSONS = 5 };
static const int64_t day_zero = 20000; /* 2024-10-04 */

static struct {
    struct progress_event events[LOG_MAX];
    int count;
    int32_t offset_s;
    char ids[LOG_QUESTIONS][16];
    struct question questions[LOG_QUESTIONS];
    const struct question *list[LOG_QUESTIONS];
    int question_count;
} sample;

static const char *const sample_lessons[LOG_LESSONS] = {"memory", "pipeline", "zero", "formats",
                                                        "hybrid"};

/* So many questions q0, q1, …; lesson by lesson in turn, or in blocks as the syllabus has them. */
static inline void sample_start(int questions, bool blocks) {
    memset(&sample, 0, sizeof sample);
    ck_assert_int_le(questions, LOG_QUESTIONS);
    sample.question_count = questions;
    for (int i = 0; i < questions; i++) {
        (void)snprintf(sample.ids[i], sizeof sample.ids[i], "q%d", i);
        int lesson = blocks ? i * LOG_LESSONS / questions : i % LOG_LESSONS;
        sample.questions[i] = (struct question){.id = sample.ids[i],
                                                .kind = QUESTION_CHOICE,
                                                .lesson = sample_lessons[lesson],
                                                .level = 1,
                                                .part_count = 3};
        sample.list[i] = &sample.questions[i];
    }
}

static inline int64_t sample_noon(int64_t day) {
    return (day_zero + day) * DAY_SECONDS + DAY_SECONDS / 2 - sample.offset_s;
}

static inline struct progress_event *sample_add(enum progress_kind kind, const char *item,
                                                int64_t day) {
    ck_assert_int_lt(sample.count, LOG_MAX);
    struct progress_event *event = &sample.events[sample.count++];
    *event = (struct progress_event){.id = 10 + 3 * sample.count, /* ascending, with gaps */
                                     .utc_s = sample_noon(day),
                                     .offset_s = sample.offset_s,
                                     .kind = kind,
                                     .scheduler = 6};
    memmove(event->item, item, strlen(item)); /* perhaps of another event */
    return event;
}

static inline struct progress_event *sample_answer(int question, int64_t day, int rating) {
    struct progress_event *event = sample_add(PROGRESS_ANSWER, sample.ids[question], day);
    event->rating = rating;
    event->right = rating > 1;
    return event;
}

static inline struct progress_event *sample_about(enum progress_kind kind,
                                                  const struct progress_event *of, int rating) {
    struct progress_event *event = sample_add(kind, of->item, 0);
    event->utc_s = of->utc_s + 1;
    event->about = of->id;
    event->rating = rating;
    return event;
}

static inline void sample_setting(const char *name, const char *value) {
    struct progress_event *event = sample_add(PROGRESS_SETTING, name, 0);
    (void)snprintf(event->text, sizeof event->text, "%s", value);
}

static inline struct history_input sample_input(int64_t day) {
    return (struct history_input){.events = sample.events,
                                  .event_count = sample.count,
                                  .questions = sample.list,
                                  .question_count = sample.question_count,
                                  .utc_s = sample_noon(day) + 3600,
                                  .offset_s = sample.offset_s};
}

#endif
