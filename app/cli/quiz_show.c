/* `shardlab quiz show ID [--seed S] [--answer]`: a question as it is asked, or with all there is to say; and `quiz generate
 * ID --seed S`: a question that makes its own numbers, with the worked answer. Proof: tests/cli/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"

static void write_json(const struct quiz_call *call, const struct quiz_asked *a, bool answers) {
    struct json j;
    const struct quiz_json o = {.c = call->c, .j = &j, .answers = answers};
    json_start(&j, call->c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "quiz");
    cli_quiz_json_question(&o, a);
    json_object_close(&j);
    writer_char(call->c->out, '\n');
}

static enum status ask(const struct quiz_call *call, struct quiz_asked *out) {
    const struct question *q = NULL;
    enum status ok = cli_quiz_bank_find(call->bank, call->args->values[1], &q, call->why);
    ok = ok == STATUS_OK ? cli_quiz_ask(q, call->seed, out, call->why) : ok;
    out->language = call->c->words.chinese ? 1 : 0;
    return ok;
}

/* How its answer is written on the command line: 'C B A', 'VALUE; VALUE'. */
static void write_sample(struct writer *w, const struct question *q) {
    static const char *const samples[QUESTION_KINDS] = {
        [QUESTION_CHOICE] = "A", [QUESTION_NUMBER] = "VALUE", [QUESTION_RECALL] = "'1 3'"};
    if (samples[q->kind] != NULL) {
        writer_text(w, samples[q->kind]);
        return;
    }
    writer_char(w, '\'');
    for (int i = q->part_count - 1; i >= 0; i--) {
        if (q->kind == QUESTION_ORDER) {
            writer_char(w, (char)('A' + i));
            writer_text(w, i > 0 ? " " : "");
        } else {
            writer_text(w, i > 0 ? "VALUE; " : "VALUE");
        }
    }
    writer_char(w, '\'');
}

static void write_invitation(const struct quiz_call *call, const struct quiz_asked *a) {
    struct cli_context *c = call->c;
    writer_char(c->out, '\n');
    writer_text(c->out, words_get(&c->words, "quiz.try"));
    cli_prose_end(c, 0);
    writer_text(c->out, "  shardlab quiz answer ");
    writer_text(c->out, a->q->id);
    writer_char(c->out, ' ');
    write_sample(c->out, a->q);
    if (call->args->quiz.seed_given) {
        writer_text(c->out, " --seed ");
        writer_u64(c->out, call->seed);
    }
    writer_char(c->out, '\n');
}

enum status cli_quiz_show(const struct quiz_call *call) {
    struct quiz_asked a;
    bool answers = call->args->quiz.answer;
    enum status ok = ask(call, &a);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (call->args->json) {
        write_json(call, &a, answers);
        return STATUS_OK;
    }
    cli_quiz_write_head(call->c, &a);
    writer_char(call->c->out, '\n');
    cli_quiz_write_stem(call->c, &a);
    if (answers) {
        cli_quiz_write_solution(call->c, &a);
        cli_quiz_write_rest(call->c, &a);
    } else {
        cli_quiz_write_choices(call->c, &a);
        write_invitation(call, &a);
    }
    return STATUS_OK;
}

/* --- Generators --- */

static bool is_generator(const struct question *q) {
    return q->kind == QUESTION_NUMBER && cli_quiz_varies(q);
}

/* Those of the same lesson first, as many as a sentence holds. */
static enum status refuse_generator(const struct quiz_call *call, const struct question *q) {
    char ids[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, ids, sizeof ids);
    for (int i = 0; i < 2 * call->bank->count; i++) {
        const struct question *other = &call->bank->all[i % call->bank->count];
        bool near = strcmp(other->lesson, q->lesson) == 0;
        bool fits = w.length + strlen(other->id) + 2 < sizeof ids;
        if (is_generator(other) && near == (i < call->bank->count) && fits) {
            writer_text(&w, w.length > 0 ? ", " : "");
            writer_text(&w, other->id);
        }
    }
    message_start(call->why, "error.quiz.generator");
    message_add_text(call->why, q->id);
    message_add_text(call->why, w.length > 0 ? ids : "–");
    return STATUS_USAGE;
}

enum status cli_quiz_generate(const struct quiz_call *call) {
    struct quiz_asked a;
    enum status ok = ask(call, &a);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (!is_generator(a.q)) {
        return refuse_generator(call, a.q);
    }
    if (call->args->json) {
        write_json(call, &a, true);
        return STATUS_OK;
    }
    cli_quiz_write_head(call->c, &a);
    writer_char(call->c->out, '\n');
    cli_quiz_write_stem(call->c, &a);
    cli_quiz_write_choices(call->c, &a);
    writer_char(call->c->out, '\n');
    cli_quiz_write_solution(call->c, &a);
    return STATUS_OK;
}
