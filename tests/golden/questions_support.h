/* All questions of all lessons, for the tests of their figures and of their words: read once, with the lists of words that
 * they may use. Header-only. */
#ifndef GOLDEN_QUESTIONS_SUPPORT_H
#define GOLDEN_QUESTIONS_SUPPORT_H

#include "golden/prose_rules.h"

enum { QUESTIONS_MAX = 512 };

static struct prose prose;
static const struct question *all[QUESTIONS_MAX];
static int count, faults, names_before;

static inline void fault(const struct question *q, const char *what, const char *detail) {
    fprintf(stderr, "%s: %s: %.200s\n", q->id, what, detail);
    faults++;
}

static inline void names_read(const char *file) {
    FILE *in = fopen(file, "r");
    ck_assert_ptr_nonnull(in);
    char line[TOKEN_MAX];
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            ck_assert_int_lt(prose.name_count, NAMES_MAX);
            (void)snprintf(prose.names[prose.name_count++], TOKEN_MAX, "%s", line);
        }
    }
    (void)fclose(in);
}

static inline void questions_read(void) {
    count = 0;
    for (int i = 0; i < lesson_count(); i++) {
        const struct store_quiz quiz = {lesson_at(i)->folder, lesson_at(i)->id};
        const struct question *list = NULL;
        struct message why;
        int here = 0;
        ck_assert_msg(store_questions(prose.store, &quiz, &list, &here, &why) == STATUS_OK,
                      "%s: %s %s", quiz.folder, why.id, why.args[0].text);
        ck_assert_int_lt(count + here, QUESTIONS_MAX);
        for (int k = 0; k < here; k++) {
            all[count++] = &list[k];
        }
    }
}

static inline void open_all(void) {
    struct message why;
    memset(&prose, 0, sizeof prose);
    faults = 0;
    ck_assert_int_eq(store_open(&prose.store, &why), STATUS_OK);
    ck_assert_int_eq(store_glossary(prose.store, &prose.glossary, &why), STATUS_OK);
    ck_assert_int_eq(store_models(prose.store, &prose.models, &prose.model_count, &why), STATUS_OK);
    ck_assert_int_eq(store_gpus(prose.store, &prose.gpus, &prose.gpu_count, &why), STATUS_OK);
    names_read(TEST_SOURCE_DIR "/vectors/prose_names.txt");
    names_before = prose.name_count;
    names_read(TEST_SOURCE_DIR "/vectors/question_names.txt");
    questions_read();
}

static inline void close_all(void) {
    store_close(prose.store);
}

/* The texts of a question in one language, by number; NULL: that one is left out. *done: there are no more. */
static inline const char *text_at(const struct question *q, int language, int index, bool *done) {
    const char *const single[] = {q->stem[language], q->explain[language], q->said[language]};
    enum { SINGLES = sizeof single / sizeof single[0] };
    *done = false;
    if (index < SINGLES) {
        return single[index];
    }
    index -= SINGLES;
    if (index < 2 * q->part_count) {
        const struct question_part *part = &q->parts[index / 2];
        return index % 2 == 0 ? part->text[language] : part->why[language];
    }
    index -= 2 * q->part_count;
    *done = index >= q->hint_count;
    return *done ? NULL : q->hints[index][language];
}

#endif
