/* `shardlab quiz answer ID VALUE… [--seed S]`: judges an answer as the screen does, and saves nothing. Right or wrong the
 * status is 0; 2 when the answer cannot be read. Proof: tests/cli/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"

static const char *rating_name(enum fsrs_rating rating) {
    static const char *const names[] = {
        [FSRS_AGAIN] = "again", [FSRS_HARD] = "hard", [FSRS_GOOD] = "good", [FSRS_EASY] = "easy"};
    return names[rating];
}

/* Lines, places or facts that are right; -1: the kind has no such parts. */
static int right_parts(const struct attempt *a) {
    int right = 0;
    for (int i = 0; i < a->question->part_count; i++) {
        right += a->question->kind == QUESTION_RECALL ? a->ticked[i] : a->part_right[i];
    }
    bool one = a->question->kind == QUESTION_CHOICE || a->question->kind == QUESTION_NUMBER;
    return one ? -1 : right;
}

/* --- Text --- */

static void write_verdict(struct cli_context *c, const struct quiz_asked *a) {
    char id[64];
    struct message m;
    struct writer w;
    int parts = right_parts(&a->attempt);
    writer_text(c->out, words_get(&c->words, a->attempt.given_up ? "question.given_up"
                                             : a->attempt.right  ? "question.right"
                                                                 : "question.wrong"));
    writer_text(c->out, c->words.chinese ? "" : " ");
    if (parts >= 0 && !a->attempt.given_up) {
        message_start(&m, a->q->kind == QUESTION_RECALL ? "quiz.ticked" : "quiz.parts_right");
        message_add_plain(&m, (uint64_t)parts);
        message_add_plain(&m, (uint64_t)a->q->part_count);
        words_write(c->out, &c->words, &m);
        writer_text(c->out, c->words.chinese ? "" : " ");
    }
    writer_start(&w, id, sizeof id);
    writer_text(&w, "sitting.");
    writer_text(&w, rating_name(a->attempt.rating));
    message_start(&m, "quiz.rating");
    message_add_text(&m, words_get(&c->words, id));
    cli_say(c, &m);
}

static void write_mistake(struct cli_context *c, const struct quiz_asked *a) {
    const char *id = a->attempt.mistake;
    const char *text = id != NULL ? cli_quiz_mistake_text(c, a, id) : NULL;
    if (id == NULL) {
        return;
    }
    writer_text(c->out, words_get(&c->words, "quiz.mistake"));
    writer_text(c->out, c->words.chinese ? "" : " ");
    instance_expand(c->out, &a->attempt.numbers, text != NULL ? text : id, "____");
    cli_prose_end(c, 0);
}

static void write_text(struct cli_context *c, const struct quiz_asked *a) {
    write_verdict(c, a);
    write_mistake(c, a);
    writer_char(c->out, '\n');
    cli_quiz_write_solution(c, a);
}

/* --- JSON --- */

static void json_mistake(const struct quiz_json *o, const struct quiz_asked *a) {
    const char *id = a->attempt.mistake;
    if (id == NULL) {
        json_null(o->j, "mistake");
        return;
    }
    const char *text = cli_quiz_mistake_text(o->c, a, id);
    const char *const both[2] = {text, text};
    json_object_open(o->j, "mistake");
    json_text(o->j, "id", id);
    cli_quiz_json_text(o, a, "says", both);
    json_object_close(o->j);
}

static void write_json(struct cli_context *c, const struct quiz_asked *a) {
    char given[QUESTION_PARTS_MAX * ATTEMPT_TYPED_MAX];
    struct json j;
    struct writer w;
    const struct quiz_json o = {.c = c, .j = &j, .answers = true};
    int parts = right_parts(&a->attempt);
    writer_start(&w, given, sizeof given);
    attempt_write(&w, &a->attempt);
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "quiz");
    json_text(&j, "given", given);
    json_bool(&j, "right", a->attempt.right);
    json_i64(&j, "rating", (int)a->attempt.rating);
    json_text(&j, "rating_name", rating_name(a->attempt.rating));
    if (parts >= 0) {
        json_i64(&j, "parts_right", parts);
    }
    json_mistake(&o, a);
    cli_quiz_json_question(&o, a);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* A recall that was revealed is judged by its ticks; "?" has been judged already. */
static enum status judge(struct attempt *a, const struct cli_args *args, struct message *why) {
    enum status ok = attempt_read(a, args->values + 2, args->value_count - 2, why);
    return ok == STATUS_OK && a->state != ATTEMPT_JUDGED ? attempt_commit(a, why) : ok;
}

enum status cli_quiz_answer(const struct quiz_call *call) {
    struct quiz_asked a;
    const struct question *q = NULL;
    enum status ok = cli_quiz_bank_find(call->bank, call->args->values[1], &q, call->why);
    ok = ok == STATUS_OK ? cli_quiz_ask(q, call->seed, &a, call->why) : ok;
    ok = ok == STATUS_OK ? judge(&a.attempt, call->args, call->why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    a.language = call->c->words.chinese ? 1 : 0;
    if (call->args->json) {
        write_json(call->c, &a);
    } else {
        write_text(call->c, &a);
    }
    return STATUS_OK;
}
