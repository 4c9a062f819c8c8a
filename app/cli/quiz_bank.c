/* All questions of all lessons, as `quiz` and whoever else asks by id finds them. The list is allocated, the texts in it
 * belong to the store. Proof: tests/cli/test_quiz.c. */
#include <stdlib.h>
#include <string.h>

#include "lesson_private.h"
#include "quiz_private.h"

static enum status refuse_memory(struct message *why) {
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

static enum status add_lesson(struct cli_context *c, const struct lesson *l, struct quiz_bank *out,
                              struct message *why) {
    const struct store_quiz quiz = {l->folder, l->id};
    const struct question *questions = NULL;
    int count = 0;
    enum status ok = store_questions(c->store, &quiz, &questions, &count, why);
    if (ok != STATUS_OK || count == 0) {
        return ok;
    }
    size_t size = sizeof *out->all * (size_t)(out->count + count);
    struct question *grown = realloc(out->all, size);
    if (grown == NULL) {
        return refuse_memory(why);
    }
    out->all = grown;
    for (int i = 0; i < count; i++) {
        out->all[out->count++] = questions[i];
    }
    return STATUS_OK;
}

enum status cli_quiz_bank_load(struct cli_context *c, struct quiz_bank *out, struct message *why) {
    *out = (struct quiz_bank){0};
    enum status ok = STATUS_OK;
    for (int i = 0; ok == STATUS_OK && i < lesson_count(); i++) {
        ok = add_lesson(c, lesson_at(i), out, why);
    }
    if (ok == STATUS_OK && out->count == 0) { /* an installation without its quiz files */
        message_start(why, "error.quiz.none");
        ok = STATUS_FAILED;
    }
    if (ok != STATUS_OK) {
        cli_quiz_bank_free(out);
    }
    return ok;
}

void cli_quiz_bank_free(struct quiz_bank *bank) {
    free(bank->all);
    *bank = (struct quiz_bank){0};
}

/* --- By id --- */

/* The store weighs ids of rows, so each question is one for a moment. */
static const char *nearest(const struct quiz_bank *bank, const char *id) {
    struct field *fields = calloc((size_t)bank->count, sizeof *fields);
    struct record *rows = calloc((size_t)bank->count, sizeof *rows);
    const char *found = NULL;
    if (fields != NULL && rows != NULL) {
        for (int i = 0; i < bank->count; i++) {
            fields[i] = (struct field){.key = "id", .kind = FIELD_TEXT, .text = bank->all[i].id};
            rows[i] = (struct record){.fields = &fields[i], .count = 1};
        }
        found = store_row_nearest(rows, bank->count, id);
    }
    free(fields);
    free(rows);
    return found != NULL ? found : bank->all[0].id;
}

enum status cli_quiz_bank_find(const struct quiz_bank *bank, const char *id,
                               const struct question **out, struct message *why) {
    for (int i = 0; i < bank->count; i++) {
        if (strcmp(bank->all[i].id, id) == 0) {
            *out = &bank->all[i];
            return STATUS_OK;
        }
    }
    message_start(why, "error.quiz.unknown");
    message_add_text(why, id);
    message_add_text(why, nearest(bank, id));
    return STATUS_USAGE;
}

/* --- Some of them --- */

static enum status kind_of(const char *name, int *out, struct message *why) {
    for (int i = 0; i < QUESTION_KINDS; i++) {
        if (strcmp(question_kind_name((enum question_kind)i), name) == 0) {
            *out = i;
            return STATUS_OK;
        }
    }
    message_start(why, "error.quiz.option_kind");
    message_add_text(why, name);
    return STATUS_USAGE;
}

enum status cli_quiz_bank_filter(const struct quiz_bank *bank, const struct cli_args *args,
                                 struct quiz_bank *out, struct message *why) {
    int kind = -1;
    *out = (struct quiz_bank){0};
    if (args->quiz.lesson != NULL && lesson_find(args->quiz.lesson) == NULL) {
        message_start(why, "error.lesson.unknown");
        message_add_text(why, args->quiz.lesson);
        message_add_text(why, cli_lesson_nearest(args->quiz.lesson, strlen(args->quiz.lesson))->id);
        return STATUS_USAGE;
    }
    if (args->quiz.kind != NULL && kind_of(args->quiz.kind, &kind, why) != STATUS_OK) {
        return STATUS_USAGE;
    }
    out->all = malloc(sizeof *out->all * (size_t)bank->count);
    if (out->all == NULL) {
        return refuse_memory(why);
    }
    for (int i = 0; i < bank->count; i++) {
        const struct question *q = &bank->all[i];
        bool of_lesson = args->quiz.lesson == NULL || strcmp(q->lesson, args->quiz.lesson) == 0;
        if (of_lesson && (kind < 0 || (int)q->kind == kind)) {
            out->all[out->count++] = *q;
        }
    }
    return STATUS_OK;
}

/* --- Numbers --- */

bool cli_quiz_varies(const struct question *q) {
    const struct instance_entry *maker = lesson_maker_find(q->id);
    return maker != NULL && maker->varies;
}

enum status cli_quiz_numbers(const struct question *q, uint64_t seed, struct instance *out,
                             struct message *why) {
    const struct instance_entry *maker = lesson_maker_find(q->id);
    instance_start(out, seed);
    return maker != NULL ? maker->make(seed, out, why) : STATUS_OK;
}

/* How many numbers it asks for. */
static int keys_asked(const struct question *q) {
    return q->kind == QUESTION_NUMBER ? 1 : q->kind == QUESTION_DERIVE ? q->part_count : 0;
}

enum status cli_quiz_ask(const struct question *q, uint64_t seed, struct quiz_asked *out,
                         struct message *why) {
    struct instance numbers;
    *out = (struct quiz_asked){.q = q};
    enum status ok = cli_quiz_numbers(q, seed, &numbers, why);
    if (ok == STATUS_OK && numbers.key_count < keys_asked(q)) { /* data of another program */
        message_start(why, "error.quiz.no_numbers");
        message_add_text(why, q->id);
        return STATUS_FAILED;
    }
    if (ok == STATUS_OK) {
        attempt_start(&out->attempt, q, &numbers, seed, QUESTION_PARTS_MAX);
    }
    return ok;
}
