/* `shardlab quiz export --format anki|json|markdown`: questions with their answers for other programs, in both languages
 * or, with --lang, in one. Questions that make their numbers are written with those of one seed, which is stated. Here: which
 * questions, and JSON; quiz_anki.c and quiz_markdown.c write the rest. Proof: tests/cli/test_quiz_export.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"

static enum status export_json(const struct quiz_call *call, const struct quiz_bank *some) {
    struct json j;
    const struct quiz_json o = {
        .c = call->c, .j = &j, .both = !call->args->language_given, .answers = true};
    json_start(&j, call->c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "quiz");
    json_u64(&j, "seed", call->seed);
    json_array_open(&j, "questions");
    for (int i = 0; i < some->count; i++) {
        struct quiz_asked a;
        enum status ok = cli_quiz_ask(&some->all[i], call->seed, &a, call->why);
        if (ok != STATUS_OK) {
            return ok;
        }
        a.language = call->args->chinese ? 1 : 0;
        json_object_open(&j, NULL);
        cli_quiz_json_question(&o, &a);
        json_object_close(&j);
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(call->c->out, '\n');
    return STATUS_OK;
}

/* A language, a question: the words of the program follow the language that is written. */
static enum status export_language(const struct quiz_call *call, const struct quiz_bank *some,
                                   int language, bool anki) {
    struct cli_context c = *call->c;
    enum status ok = store_words(c.store, language == 1, &c.words, call->why);
    if (ok == STATUS_OK && !anki) {
        cli_quiz_markdown_head(&c, call->seed);
    }
    for (int i = 0; ok == STATUS_OK && i < some->count; i++) {
        struct quiz_asked a;
        ok = cli_quiz_ask(&some->all[i], call->seed, &a, call->why);
        a.language = language;
        if (ok == STATUS_OK) {
            ok = anki ? cli_quiz_anki_note(&c, &a) : cli_quiz_markdown_question(&c, &a);
        }
        if (ok == STATUS_FAILED && call->why->id == NULL) {
            message_start(call->why, "error.memory");
        }
    }
    return ok;
}

static enum status export_text(const struct quiz_call *call, const struct quiz_bank *some,
                               bool anki) {
    enum status ok = STATUS_OK;
    if (anki) {
        cli_quiz_anki_head(call->c);
    }
    for (int language = 0; ok == STATUS_OK && language < 2; language++) {
        if (!call->args->language_given || call->args->chinese == (language == 1)) {
            ok = export_language(call, some, language, anki);
        }
    }
    return ok;
}

/* --json is another way to ask for that format, and contradicts the others. */
static enum status format_of(const struct cli_args *args, const char **out, struct message *why) {
    static const char *const formats[] = {"anki", "json", "markdown"};
    const char *given = args->quiz.format != NULL ? args->quiz.format : args->json ? "json" : NULL;
    if (given == NULL) {
        message_start(why, "error.quiz.format_what");
        return STATUS_USAGE;
    }
    if (args->json && strcmp(given, "json") != 0) {
        message_start(why, "error.args.together");
        message_add_text(why, "json");
        message_add_text(why, "format");
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(given, formats[i]) == 0) {
            *out = formats[i];
            return STATUS_OK;
        }
    }
    message_start(why, "error.quiz.format");
    message_add_text(why, given);
    return STATUS_USAGE;
}

enum status cli_quiz_export(const struct quiz_call *call) {
    const char *format = NULL;
    struct quiz_bank some;
    enum status ok = format_of(call->args, &format, call->why);
    ok = ok == STATUS_OK ? cli_quiz_bank_filter(call->bank, call->args, &some, call->why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    if (some.count == 0) { /* a file without a card would say nothing */
        message_start(call->why, "error.quiz.no_such");
        ok = STATUS_FAILED;
    } else if (strcmp(format, "json") == 0) {
        ok = export_json(call, &some);
    } else {
        ok = export_text(call, &some, strcmp(format, "anki") == 0);
    }
    cli_quiz_bank_free(&some);
    return ok;
}
