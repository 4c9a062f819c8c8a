/* What the tests of the memory lesson share: scenarios from option pairs, and the lesson's view of them. The preset
 * that the lesson starts with comes from the store; here its dimensions are given one by one. */
#ifndef UNIT_LESSONS_LESSON_SUPPORT_H
#define UNIT_LESSONS_LESSON_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/lesson.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

#define LLAMA "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 32000"
#define LLAMA_SHARDED LLAMA " --dp 8 --zero 1 --memory 80GB"

/* Sets "--name value" pairs; a name without a value is a switch. */
static inline void give(struct scenario *s, const char *line) {
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", line);
    char *word = strtok_r(copy, " ", &rest);
    while (word != NULL) {
        struct message why;
        ck_assert_msg(strncmp(word, "--", 2) == 0, "%s: not an option", word);
        int index = calc_option_find(word + 2, strlen(word + 2));
        ck_assert_msg(index >= 0, "%s: no such option", word);
        char *value = strtok_r(NULL, " ", &rest);
        ck_assert_msg(value != NULL, "%s: no value", word);
        ck_assert_msg(calc_option_set(s, index, value, &why) == STATUS_OK, "%s %s", word, value);
        word = strtok_r(NULL, " ", &rest);
    }
}

static inline struct scenario scenario_of(const char *line) {
    struct scenario s;
    struct message why;
    scenario_start(&s);
    give(&s, line);
    ck_assert_msg(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s", line);
    ck_assert_msg(scenario_violations(&s, &why, 1) == 0, "%s: %s", line, why.id);
    return s;
}

static inline const struct lesson *memory(void) {
    const struct lesson *lesson = lesson_find("memory");
    ck_assert_ptr_nonnull(lesson);
    return lesson;
}

static inline struct view *view_of(const struct scenario *now, const struct scenario *before,
                                   int page) {
    static struct view view;
    struct message why;
    struct lesson_input in = {.now = now, .before = before, .page = page};
    ck_assert_int_eq(memory()->view(&in, &view, &why), STATUS_OK);
    return &view;
}

/* The first item of this kind, or NULL. */
static inline struct view_item *item_of(struct view *view, enum view_kind kind) {
    for (int i = 0; i < view->item_count; i++) {
        if (view->items[i].kind == kind) {
            return &view->items[i];
        }
    }
    return NULL;
}

#endif
