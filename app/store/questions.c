/* lessons/NN_name/quiz.json as questions: {"questions": [{…}, …]}. Read on first use and kept in the store's arena, as are
 * the questions of a file that a user names. What stands in one question is quiz_question.c. A question is found wrong
 * here, before anyone asks it, and its place is named. Proof: tests/unit/store/test_questions.c. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "quiz_private.h"

static const char *const list = "questions";

static enum status check_new(struct quiz_reading *r, const struct question *all, int index) {
    for (int i = 0; i < index; i++) {
        if (strcmp(all[i].id, all[index].id) == 0) {
            (void)store_quiz_fail_key(r, "error.quiz.id_twice", "id");
            message_add_text(r->why, all[index].id);
            message_add_plain(r->why, (uint64_t)i);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

/* A chain's first question is asked out of the blue, so nothing of the same file leads to it. */
static enum status check_opens(struct quiz_reading *r, const struct question *all, int count) {
    for (int i = 0; i < count * count; i++) {
        const struct question *from = &all[i / count], *to = &all[i % count];
        for (int f = 0; to->opens && f < from->follow_count; f++) {
            if (strcmp(from->follow[f], to->id) == 0) {
                (void)store_quiz_enter_at(r, list, i % count);
                (void)store_quiz_fail_key(r, "error.quiz.opens", "opens");
                message_add_text(r->why, from->id);
                return STATUS_FAILED;
            }
        }
    }
    return STATUS_OK;
}

static enum status read_all(struct quiz_reading *r, const cJSON *array, struct question *out) {
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        size_t before = store_quiz_enter_at(r, list, index);
        enum status ok = store_quiz_question(r, item, &out[index]);
        ok = ok == STATUS_OK ? check_new(r, out, index) : ok;
        if (ok != STATUS_OK) {
            return ok;
        }
        store_quiz_leave(r, before);
        index++;
    }
    return check_opens(r, out, index);
}

static enum status read_root(struct quiz_reading *r, const cJSON *root, const struct question **out,
                             int *count) {
    static const char *const keys[] = {"questions", NULL};
    static const int range[2] = {1, QUIZ_QUESTIONS_MAX};
    const cJSON *array = NULL;
    enum status ok = store_quiz_keys(r, root, keys);
    ok = ok == STATUS_OK ? store_quiz_list(r, root, list, range, &array) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    int size = cJSON_GetArraySize(array);
    struct question *all = store_arena_alloc(&r->s->arena, sizeof *all * (size_t)size);
    if (all == NULL) {
        return store_fail_memory(r->why);
    }
    ok = read_all(r, array, all);
    if (ok == STATUS_OK) {
        *out = all;
        *count = size;
    }
    return ok;
}

static enum status read_file(struct quiz_reading *r, const struct question **out, int *count) {
    struct store_text text;
    cJSON *root = NULL;
    store_quiz_start(r);
    enum status ok = store_text_read(r->file, r->file, &text, r->why);
    if (ok != STATUS_OK) {
        return ok;
    }
    ok = store_json_parse(r->file, &text, &root, r->why);
    store_text_free(&text);
    if (ok == STATUS_OK) {
        ok = read_root(r, root, out, count);
        cJSON_Delete(root);
    }
    return ok;
}

enum status store_quiz_file(struct store *s, const char *path, const struct question **out,
                            int *count, struct message *why) {
    struct quiz_reading r = {.s = s, .file = path, .why = why};
    return read_file(&r, out, count);
}

static enum status keep(struct store *s, const struct store_quiz *quiz, const struct question *all,
                        int count, struct message *why) {
    struct store_quiz_kept *kept = store_arena_alloc(&s->arena, sizeof *kept);
    const char *folder = store_arena_text(&s->arena, quiz->folder, strlen(quiz->folder));
    if (kept == NULL || folder == NULL) {
        return store_fail_memory(why);
    }
    *kept = (struct store_quiz_kept){s->quizzes_kept, folder, all, count};
    s->quizzes_kept = kept;
    return STATUS_OK;
}

enum status store_questions(struct store *s, const struct store_quiz *quiz,
                            const struct question **out, int *count, struct message *why) {
    char path[STORE_PATH_MAX];
    *out = NULL;
    *count = 0;
    for (const struct store_quiz_kept *k = s->quizzes_kept; k != NULL; k = k->next) {
        if (strcmp(k->folder, quiz->folder) == 0) {
            *out = k->questions;
            *count = k->count;
            return STATUS_OK;
        }
    }
    int length = snprintf(path, sizeof path, "%s/%s/quiz.json", s->lessons, quiz->folder);
    if (length < 0 || length >= STORE_PATH_MAX) {
        return store_fail(why, "error.file.missing", quiz->folder);
    }
    struct quiz_reading r = {.s = s, .file = path, .lesson = quiz->lesson, .why = why};
    enum status ok = read_file(&r, out, count);
    if (ok != STATUS_OK && strcmp(why->id, "error.file.missing") == 0) {
        ok = STATUS_OK; /* a lesson that asks nothing */
    }
    return ok == STATUS_OK ? keep(s, quiz, *out, *count, why) : ok;
}
