/* A question of each kind and its numbers, for tests of attempts. Include it once in a test file. */
#ifndef SUPPORT_SAMPLE_QUESTIONS_H
#define SUPPORT_SAMPLE_QUESTIONS_H

#include <check.h>
#include <stdio.h>

#include "shardlab/learn/attempt.h"

static const struct question choice = {
    .id = "memory.adam",
    .kind = QUESTION_CHOICE,
    .part_count = 4,
    .parts = {{.text = {"a", "a"}},
              {.text = {"b", "b"}},
              {.text = {"c", "c"}, .right = true},
              {.text = {"d", "d"}}},
    .hint_count = 2,
};
static const struct question order = {
    .id = "pipeline.order", .kind = QUESTION_ORDER, .part_count = 4, .hint_count = 1};
static const struct question number = {
    .id = "memory.states", .kind = QUESTION_NUMBER, .part_count = 1, .hint_count = 1};
static const struct question derive = {
    .id = "memory.line", .kind = QUESTION_DERIVE, .part_count = 3, .hint_count = 1};
static const struct question recall = {
    .id = "zero.aloud", .kind = QUESTION_RECALL, .part_count = 5, .hint_count = 1};
static const struct question *const all[] = {&choice, &order, &number, &derive, &recall};

/* 112 GB, 40 ms, 27.3 %; the path "twice" leads to 224 GB. */
static inline const struct instance *numbers(void) {
    static struct instance in;
    instance_start(&in, 7);
    struct instance_key *bytes = instance_key_add(&in, ANSWER_BYTES, "GB", 112e9, 0.01);
    instance_path_add(bytes, "twice", 224e9);
    (void)instance_key_add(&in, ANSWER_SECONDS, "ms", 0.040, 0.01);
    (void)instance_key_add(&in, ANSWER_SHARE, "%", 0.273, 0.01);
    return &in;
}

static inline struct attempt asked(const struct question *question) {
    static struct attempt a;
    attempt_start(&a, question, numbers(), 5, question->part_count);
    return a;
}

static inline void type(struct attempt *a, int blank, const char *text) {
    (void)snprintf(a->typed[blank], sizeof a->typed[blank], "%s", text);
}

static inline void commit(struct attempt *a) {
    struct message why = {0};
    ck_assert_msg(attempt_commit(a, &why) == STATUS_OK, "%s", why.id);
}

#endif
