/* `shardlab lesson check` of a quiz file. What a question of its kind must hold was checked when the file was read; here it
 * is held against the program: its lesson and page exist, a maker computes every figure and every number asked for, a part
 * stands for each mistake the maker names, and each follow-up is a question. Proof: tests/cli/test_lesson_quiz.c. */
#include <string.h>

#include "lesson_private.h"
#include "quiz_private.h"

enum { PATH_TEXT_MAX = 96, SEEDS_TRIED = 64 };

struct quiz_checked {
    struct cli_context *c;
    const char *file;
    const struct question *all, *q;
    const struct lesson *lesson;
    int count;
    struct instance numbers;
    struct message *why;
};

/* "FILE: questions[3].KEY: …". */
static enum status refuse(const struct quiz_checked *k, const char *id, const char *key) {
    char path[PATH_TEXT_MAX];
    struct writer w;
    writer_start(&w, path, sizeof path);
    writer_text(&w, "questions[");
    writer_u64(&w, (uint64_t)(k->q - k->all));
    writer_text(&w, "].");
    writer_text(&w, key);
    message_start(k->why, id);
    message_add_text(k->why, k->file);
    message_add_text(k->why, path);
    return STATUS_FAILED;
}

/* --- Lesson and page --- */

static enum status check_place(struct quiz_checked *k) {
    const struct lesson *folder = cli_lesson_of_folder(k->file);
    k->lesson = lesson_find(k->q->lesson);
    if (k->lesson == NULL || (folder != NULL && folder != k->lesson)) {
        const char *other = folder != NULL
                                ? folder->id
                                : cli_lesson_nearest(k->q->lesson, strlen(k->q->lesson))->id;
        (void)refuse(k, folder != NULL ? "error.quiz.lesson" : "error.quiz.no_lesson", "id");
        message_add_text(k->why, folder != NULL ? k->q->id : k->q->lesson);
        message_add_text(k->why, other);
        return STATUS_FAILED;
    }
    if (k->q->page > k->lesson->page_count) {
        (void)refuse(k, "error.quiz.page", "page");
        message_add_plain(k->why, (uint64_t)k->q->page);
        message_add_plain(k->why, (uint64_t)k->lesson->page_count);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* --- Figures --- */

static enum status check_text(struct quiz_checked *k, const char *text, const char *key) {
    for (const char *at = strstr(text, "{{"); at != NULL; at = strstr(at + 2, "{{")) {
        char name[INSTANCE_NAME_MAX] = "";
        size_t length = (size_t)(strstr(at, "}}") - at) - 2;
        memcpy(name, at + 2, length < sizeof name ? length : 0);
        if (strcmp(name, "?") != 0 && instance_figure(&k->numbers, name) == NULL) {
            (void)refuse(k, "error.quiz.no_figure", key);
            message_add_text(k->why, name);
            message_add_text(k->why, k->q->id);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

/* Both languages of "KEY", of "KEY[2]" or, with `below`, of "KEY[2].why". */
static enum status check_pair(struct quiz_checked *k, const char *const text[2], const char *key,
                              int index) {
    enum status ok = STATUS_OK;
    for (int i = 0; ok == STATUS_OK && i < 2 && text[i] != NULL; i++) {
        char path[PATH_TEXT_MAX];
        struct writer w;
        size_t stem = strcspn(key, ".");
        writer_start(&w, path, sizeof path);
        writer_text_n(&w, key, stem);
        if (index >= 0) {
            writer_char(&w, '[');
            writer_u64(&w, (uint64_t)index);
            writer_char(&w, ']');
        }
        writer_text(&w, key + stem);
        writer_text(&w, i == 0 ? ".en" : ".zh");
        ok = check_text(k, text[i], path);
    }
    return ok;
}

static enum status check_figures(struct quiz_checked *k) {
    enum status ok = check_pair(k, k->q->stem, "stem", -1);
    for (int i = 0; ok == STATUS_OK && i < k->q->part_count; i++) {
        ok = check_pair(k, k->q->parts[i].text, "parts", i);
        ok = ok == STATUS_OK ? check_pair(k, k->q->parts[i].why, "parts.why", i) : ok;
    }
    for (int i = 0; ok == STATUS_OK && i < k->q->hint_count; i++) {
        ok = check_pair(k, k->q->hints[i], "hints", i);
    }
    ok = ok == STATUS_OK ? check_pair(k, k->q->explain, "explain", -1) : ok;
    return ok == STATUS_OK ? check_pair(k, k->q->said, "said", -1) : ok;
}

/* --- Numbers --- */

static bool names_path(const struct question *q, const char *id) {
    bool found = strncmp(id, "answer.", strlen("answer.")) == 0;
    for (int i = 0; i < q->part_count; i++) {
        found = found || (q->parts[i].id != NULL && strcmp(q->parts[i].id, id) == 0);
    }
    return found;
}

static enum status check_paths(struct quiz_checked *k) {
    const struct instance_key *key = &k->numbers.keys[0];
    for (int i = 0; k->q->kind == QUESTION_NUMBER && i < key->path_count; i++) {
        if (!names_path(k->q, key->paths[i].id)) {
            (void)refuse(k, "error.quiz.no_path", "parts");
            message_add_text(k->why, key->paths[i].id);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

/* A seed's numbers tell this mistake from the others. */
static bool leads_to(const struct quiz_checked *k, const char *id, uint64_t seed) {
    struct instance made;
    struct message unmade;
    if (cli_quiz_numbers(k->q, seed, &made, &unmade) != STATUS_OK) {
        return false;
    }
    for (int i = 0; i < made.keys[0].path_count; i++) {
        if (strcmp(made.keys[0].paths[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* A mistake that is described but never recognised. */
static enum status check_parts(struct quiz_checked *k) {
    for (int i = 0; k->q->kind == QUESTION_NUMBER && i < k->q->part_count; i++) {
        bool found = false;
        for (uint64_t seed = 1; !found && seed <= SEEDS_TRIED; seed++) {
            found = leads_to(k, k->q->parts[i].id, seed);
        }
        if (!found) {
            (void)refuse(k, "error.quiz.path_unused", "parts");
            message_add_text(k->why, k->q->parts[i].id);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static enum status check_numbers(struct quiz_checked *k) {
    int wanted = k->q->kind == QUESTION_NUMBER   ? 1
                 : k->q->kind == QUESTION_DERIVE ? k->q->part_count
                                                 : 0;
    if (wanted > 0 && lesson_maker_find(k->q->id) == NULL) {
        (void)refuse(k, "error.quiz.no_maker", "id");
        message_add_text(k->why, k->q->id);
        return STATUS_FAILED;
    }
    if (wanted > 0 && k->numbers.key_count != wanted) {
        (void)refuse(k, "error.quiz.keys", "parts");
        message_add_plain(k->why, (uint64_t)wanted);
        message_add_plain(k->why, (uint64_t)k->numbers.key_count);
        return STATUS_FAILED;
    }
    enum status ok = check_paths(k);
    return ok == STATUS_OK ? check_parts(k) : ok;
}

/* --- Follow-ups --- */

static const struct question *find(const struct question *all, int count, const char *id) {
    for (int i = 0; i < count; i++) {
        if (strcmp(all[i].id, id) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

/* Its own lesson's questions are those of the file. A quiz file of another that cannot be read is heard of when it is
 * checked itself: *unread. NULL: there is no such question. */
static const struct question *find_anywhere(struct quiz_checked *k, const char *id, bool *unread) {
    *unread = false;
    for (int i = 0; i < lesson_count(); i++) {
        const struct lesson *l = lesson_at(i);
        size_t length = strlen(l->id);
        if (strncmp(id, l->id, length) == 0 && id[length] == '.' && l != k->lesson) {
            const struct store_quiz quiz = {l->folder, l->id};
            const struct question *others = NULL;
            struct message ignored;
            int count = 0;
            *unread = store_questions(k->c->store, &quiz, &others, &count, &ignored) != STATUS_OK;
            return *unread ? NULL : find(others, count, id);
        }
    }
    return find(k->all, k->count, id);
}

static enum status check_follow(struct quiz_checked *k) {
    for (int i = 0; i < k->q->follow_count; i++) {
        bool unread = false;
        const struct question *next = find_anywhere(k, k->q->follow[i], &unread);
        if (!unread && (next == NULL || next->opens)) {
            (void)refuse(k, next == NULL ? "error.quiz.no_follow" : "error.quiz.follow_opens",
                         "follow");
            message_add_text(k->why, k->q->follow[i]);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static enum status check_question(struct quiz_checked *k) {
    enum status ok = check_place(k);
    ok = ok == STATUS_OK ? cli_quiz_numbers(k->q, 1, &k->numbers, k->why) : ok;
    ok = ok == STATUS_OK ? check_numbers(k) : ok;
    ok = ok == STATUS_OK ? check_figures(k) : ok;
    return ok == STATUS_OK ? check_follow(k) : ok;
}

enum status cli_lesson_quiz_check(struct cli_context *c, const char *path, int *questions,
                                  struct message *why) {
    struct quiz_checked k = {.c = c, .file = path, .why = why};
    enum status ok = store_quiz_file(c->store, path, &k.all, &k.count, why);
    for (int i = 0; ok == STATUS_OK && i < k.count; i++) {
        k.q = &k.all[i];
        ok = check_question(&k);
    }
    *questions = ok == STATUS_OK ? k.count : 0;
    return ok;
}
