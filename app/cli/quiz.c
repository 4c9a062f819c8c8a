/* `shardlab quiz list|show|generate|answer|stats|export`: the questions of all lessons from the command line, with the same
 * engine as the screens. Which verb takes which options is a table, so that one that would change nothing is refused. Here:
 * the verbs, and the list. Nothing is saved. Proof: tests/cli/test_quiz.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

/* --- The list --- */

enum { GAP = 2, INDENT = 2, STEM_LEAST = 30, STEM_INDENT = 4, CELL_MAX = 96 };
enum column { COLUMN_ID, COLUMN_KIND, COLUMN_LEVEL, COLUMN_PAGE, COLUMNS };

struct row {
    char cells[COLUMNS][CELL_MAX];
};

/* Each question's numbers stand in its stem, for the usual seed. */
static void make_row(struct cli_context *c, const struct question *q, struct row *out) {
    char id[CELL_MAX];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "question.kind.");
    writer_text(&w, question_kind_name(q->kind));
    writer_start(&w, out->cells[COLUMN_ID], CELL_MAX);
    writer_text(&w, q->id);
    writer_start(&w, out->cells[COLUMN_KIND], CELL_MAX);
    writer_text(&w, words_get(&c->words, id));
    writer_text(&w, cli_quiz_varies(q) ? " *" : "");
    writer_start(&w, out->cells[COLUMN_LEVEL], CELL_MAX);
    writer_u64(&w, (uint64_t)q->level);
    writer_start(&w, out->cells[COLUMN_PAGE], CELL_MAX);
    writer_text(&w, q->lesson);
    writer_char(&w, '#');
    writer_u64(&w, (uint64_t)q->page);
}

static void head_row(struct cli_context *c, struct row *out) {
    static const char *const heads[COLUMNS] = {"quiz.list.id", "quiz.list.kind", "quiz.list.level",
                                               "quiz.list.page"};
    for (int i = 0; i < COLUMNS; i++) {
        struct writer w;
        writer_start(&w, out->cells[i], CELL_MAX);
        writer_text(&w, words_get(&c->words, heads[i]));
    }
}

static void widen(int columns[COLUMNS], const struct row *row) {
    for (int i = 0; i < COLUMNS; i++) {
        int wide = width_text(row->cells[i], &rules);
        columns[i] = wide > columns[i] ? wide : columns[i];
    }
}

/* The text as far as it goes; behind a cut "…". */
static void write_cut(struct cli_context *c, const char *text, int columns) {
    if (width_text(text, &rules) <= columns) {
        writer_text(c->out, text);
        return;
    }
    writer_text_n(c->out, text, width_prefix(text, columns - 1, &rules));
    writer_text(c->out, "…");
}

/* The stem beside the row where there is room, else below it. */
static void write_row(struct cli_context *c, const struct row *row, const int columns[COLUMNS],
                      const char *stem) {
    int used = INDENT;
    writer_repeat(c->out, ' ', INDENT);
    for (int i = 0; i < COLUMNS; i++) {
        used += columns[i] + GAP;
        width_write_left(c->out, row->cells[i], columns[i], &rules);
        writer_repeat(c->out, ' ', GAP);
    }
    bool beside = used + STEM_LEAST <= c->columns;
    if (!beside) {
        while (c->out->length > 0 && c->out->bytes[c->out->length - 1] == ' ') {
            c->out->bytes[--c->out->length] = '\0';
        }
        writer_char(c->out, '\n');
        writer_repeat(c->out, ' ', STEM_INDENT);
    }
    write_cut(c, stem, beside ? c->columns - used : c->columns - STEM_INDENT);
    writer_char(c->out, '\n');
}

static enum status list_text(const struct quiz_call *call, const struct quiz_bank *some) {
    struct cli_context *c = call->c;
    struct row row;
    struct message m;
    bool varies = false;
    int columns[COLUMNS] = {0};
    head_row(c, &row);
    widen(columns, &row);
    for (int i = 0; i < some->count; i++) {
        make_row(c, &some->all[i], &row);
        widen(columns, &row);
        varies = varies || cli_quiz_varies(&some->all[i]);
    }
    head_row(c, &row);
    write_row(c, &row, columns, words_get(&c->words, "quiz.list.stem"));
    for (int i = 0; i < some->count; i++) {
        struct quiz_asked a;
        enum status ok = cli_quiz_ask(&some->all[i], QUIZ_SEED_USUAL, &a, call->why);
        char *stem =
            ok == STATUS_OK ? cli_quiz_text(&a, a.q->stem[c->words.chinese ? 1 : 0], "____") : NULL;
        if (ok != STATUS_OK) {
            return ok;
        }
        make_row(c, a.q, &row);
        write_row(c, &row, columns, stem != NULL ? stem : "");
        free(stem);
    }
    writer_char(c->out, '\n');
    message_start(&m, varies ? "quiz.list.foot_varies" : "quiz.list.foot");
    message_add_plain(&m, (uint64_t)some->count);
    cli_say(c, &m);
    return STATUS_OK;
}

static enum status list_json(const struct quiz_call *call, const struct quiz_bank *some) {
    struct json j;
    const struct quiz_json o = {.c = call->c, .j = &j};
    json_start(&j, call->c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "quiz");
    json_array_open(&j, "questions");
    for (int i = 0; i < some->count; i++) {
        struct quiz_asked a;
        enum status ok = cli_quiz_ask(&some->all[i], QUIZ_SEED_USUAL, &a, call->why);
        if (ok != STATUS_OK) {
            return ok;
        }
        a.language = call->c->words.chinese ? 1 : 0;
        json_object_open(&j, NULL);
        cli_quiz_json_question(&o, &a);
        json_object_close(&j);
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(call->c->out, '\n');
    return STATUS_OK;
}

static enum status list(const struct quiz_call *call) {
    struct quiz_bank some;
    enum status ok = cli_quiz_bank_filter(call->bank, call->args, &some, call->why);
    if (ok == STATUS_OK) {
        ok = call->args->json ? list_json(call, &some) : list_text(call, &some);
    }
    cli_quiz_bank_free(&some);
    return ok;
}

/* --- Verbs --- */

enum { WITH_LESSON = 1, WITH_KIND = 2, WITH_SEED = 4, WITH_ANSWER = 8, WITH_FORMAT = 16 };

static const struct verb {
    const char *name;
    enum status (*run)(const struct quiz_call *call);
    unsigned takes;
    int least, most;  /* values behind the verb */
    const char *what; /* message id: which is missing */
} verbs[] = {
    {"list", list, WITH_LESSON | WITH_KIND, 0, 0, NULL},
    {"show", cli_quiz_show, WITH_SEED | WITH_ANSWER, 1, 1, "error.quiz.what"},
    {"generate", cli_quiz_generate, WITH_SEED, 1, 1, "error.quiz.what"},
    {"answer", cli_quiz_answer, WITH_SEED, 2, CLI_VALUES_MAX, "error.quiz.value"},
    {"stats", cli_quiz_stats, 0, 0, 0, NULL},
    {"export", cli_quiz_export, WITH_LESSON | WITH_KIND | WITH_SEED | WITH_FORMAT, 0, 0, NULL},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static enum status refuse(const char *id, const char *first, const char *second,
                          struct message *why) {
    message_start(why, id);
    message_add_text(why, first);
    if (second != NULL) {
        message_add_text(why, second);
    }
    return STATUS_USAGE;
}

static enum status check_options(const struct verb *v, const struct cli_quiz *given,
                                 struct message *why) {
    const struct {
        const char *name;
        unsigned bit;
        bool given;
    } options[] = {{"lesson", WITH_LESSON, given->lesson != NULL},
                   {"kind", WITH_KIND, given->kind != NULL},
                   {"seed", WITH_SEED, given->seed_given},
                   {"answer", WITH_ANSWER, given->answer},
                   {"format", WITH_FORMAT, given->format != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].given && (v->takes & options[i].bit) == 0) {
            return refuse("error.quiz.option", options[i].name, v->name, why);
        }
    }
    return STATUS_OK;
}

static enum status check_values(const struct verb *v, const struct cli_args *args,
                                const struct quiz_bank *bank, struct message *why) {
    int behind = args->value_count > 0 ? args->value_count - 1 : 0;
    if (behind < v->least) {
        return refuse(behind == 0 ? "error.quiz.what" : v->what, v->name,
                      behind == 0 ? bank->all[0].id : args->values[1], why);
    }
    return behind > v->most ? refuse("error.args.value", args->values[1 + v->most], NULL, why)
                            : STATUS_OK;
}

static const struct verb *verb_find(const char *name) {
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

enum status cli_quiz(struct cli_context *c, const struct cli_args *args, struct message *why) {
    const char *name = args->value_count > 0 ? args->values[0] : verbs[0].name;
    const struct verb *v = verb_find(name);
    struct quiz_bank bank;
    if (v == NULL) {
        return refuse("error.quiz.verb", name, NULL, why);
    }
    enum status ok = check_options(v, &args->quiz, why);
    ok = ok == STATUS_OK ? cli_quiz_bank_load(c, &bank, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct quiz_call call = {c, args, &bank,
                                   args->quiz.seed_given ? args->quiz.seed : QUIZ_SEED_USUAL, why};
    ok = check_values(v, args, &bank, why);
    ok = ok == STATUS_OK ? v->run(&call) : ok;
    cli_quiz_bank_free(&bank);
    return ok;
}
