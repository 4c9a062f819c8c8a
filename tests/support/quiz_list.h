/* The questions that there are, as `shardlab quiz list --json` names them, for tests that ask every one. Static, because
 * each test program is one file; needs cJSON. */
#ifndef SUPPORT_QUIZ_LIST_H
#define SUPPORT_QUIZ_LIST_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "cli/expect.h"
#include "support/sanitized.h"

/* The answer to a command line as a tree, to be deleted. */
static inline cJSON *quiz_ask_json(const char *line) {
    struct run r;
    expect_json(&r, line, NULL);
    cJSON *tree = cJSON_Parse(r.out);
    ck_assert_msg(tree != NULL, "%s", line);
    run_free(&r);
    return tree;
}

static inline const char *quiz_member(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsString(item), "%s is no text", key);
    return item->valuestring;
}

static inline double quiz_real(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number", key);
    return item->valuedouble;
}

static inline bool quiz_true(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsBool(item), "%s is neither true nor false", key);
    return cJSON_IsTrue(item);
}

/* Elements of the array `key`; NULL where there is none. */
static inline const cJSON *quiz_list_of(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* `quiz show ID --answer --json` with a seed. */
static inline cJSON *quiz_shown(const char *id, int seed) {
    char line[EXPECT_LINE_MAX];
    (void)snprintf(line, sizeof line, "quiz show %s --answer --json --lang en --seed %d", id, seed);
    return quiz_ask_json(line);
}

/* Calls `visit` with each question of the list, or each of one kind (NULL: all), and says how many there are; under a sanitizer,
 * where each call starts a slow program, with every eighth. */
static inline int quiz_each(const char *kind, void (*visit)(const cJSON *question)) {
    enum { SHARE = 8 };
    int count = 0;
    const cJSON *q = NULL;
    cJSON *all = quiz_ask_json("quiz list --json --lang en");
    cJSON_ArrayForEach(q, quiz_list_of(all, "questions")) {
        if (kind == NULL || strcmp(quiz_member(q, "kind"), kind) == 0) {
            if (!SANITIZED || count % SHARE == 0) {
                visit(q);
            }
            count++;
        }
    }
    cJSON_Delete(all);
    return count;
}

#endif
