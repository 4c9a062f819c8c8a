/* A question for people: what is asked, and what is right and why, wrapped to the terminal. A text goes with its figures to
 * the command's output; only cli_quiz_text allocates. Called by quiz_show.c and quiz_answer.c. Proof: tests/cli/test_quiz.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"

enum { INDENT = 2, PART_HANG = 5, NAME_MAX_BYTES = 64 };
static const char blank[] = "____";

static bool grow(struct writer *w, size_t need) {
    char *bytes = realloc(w->bytes, need * 2);
    if (bytes == NULL) {
        return false;
    }
    w->bytes = bytes;
    w->capacity = need * 2;
    return true;
}

char *cli_quiz_text(const struct quiz_asked *a, const char *text, const char *in_blank) {
    enum { FIRST = 256 };
    struct writer w;
    char *bytes = malloc(FIRST);
    if (bytes == NULL) {
        return NULL;
    }
    writer_start(&w, bytes, FIRST);
    w.grow = grow;
    instance_expand(&w, &a->attempt.numbers, text, in_blank);
    if (w.overflow) {
        free(w.bytes);
        return NULL;
    }
    return w.bytes;
}

void cli_quiz_blank_write(struct writer *w, const struct quiz_asked *a, int part,
                          const char *text) {
    const struct instance_key *key = &a->attempt.numbers.keys[part];
    const char *behind = strstr(text, "{{?}}");
    behind = behind != NULL ? behind + strlen("{{?}}") : "";
    behind += strspn(behind, " ");
    size_t start = w->length, unit = strlen(key->unit);
    instance_value_write(w, key->kind, key->unit, key->right);
    if (unit > 0 && strncmp(behind, key->unit, unit) == 0 && w->length > start + unit) {
        w->length -= unit + 1; /* and the blank before it */
        w->bytes[w->length] = '\0';
    }
}

const char *cli_quiz_mistake_text(const struct cli_context *c, const struct quiz_asked *a,
                                  const char *id) {
    for (int i = 0; i < a->q->part_count; i++) {
        if (a->q->parts[i].id != NULL && strcmp(a->q->parts[i].id, id) == 0) {
            return a->q->parts[i].text[a->language];
        }
    }
    return c->words.find(c->words.book, id);
}

/* --- Pieces --- */

/* A paragraph: its label, if any, and a text with its figures. */
static void say(struct cli_context *c, const struct quiz_asked *a, const char *label,
                const char *text) {
    if (label != NULL) {
        writer_text(c->out, words_get(&c->words, label));
        writer_text(c->out, c->words.chinese ? "" : " ");
    }
    instance_expand(c->out, &a->attempt.numbers, text, blank);
    cli_prose_end(c, 0);
}

/* "  A  text": a part behind its letter or number, hung below itself. */
static void say_part(struct cli_context *c, const struct quiz_asked *a, char letter,
                     const char *text) {
    writer_repeat(c->out, ' ', letter != '\0' ? INDENT : PART_HANG);
    if (letter != '\0') {
        writer_char(c->out, letter);
        writer_repeat(c->out, ' ', PART_HANG - INDENT - 1);
    }
    instance_expand(c->out, &a->attempt.numbers, text, blank);
    cli_prose_end(c, PART_HANG);
}

static void say_why(struct cli_context *c, const struct quiz_asked *a, int part) {
    const char *why = a->q->parts[part].why[a->language];
    if (why != NULL) {
        say_part(c, a, '\0', why);
    }
}

static void say_count(struct cli_context *c, const char *id, int count) {
    struct message m;
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)count);
    cli_say(c, &m);
}

/* --- The question --- */

void cli_quiz_write_head(struct cli_context *c, const struct quiz_asked *a) {
    char kind[NAME_MAX_BYTES];
    struct writer w;
    struct message m;
    writer_start(&w, kind, sizeof kind);
    writer_text(&w, "question.kind.");
    writer_text(&w, question_kind_name(a->q->kind));
    message_start(&m, "quiz.head");
    message_add_text(&m, a->q->id);
    message_add_text(&m, words_get(&c->words, kind));
    message_add_plain(&m, (uint64_t)a->q->level);
    message_add_text(&m, a->q->topic);
    message_add_text(&m, a->q->lesson);
    message_add_plain(&m, (uint64_t)a->q->page);
    cli_say(c, &m);
    if (cli_quiz_varies(a->q)) {
        message_start(&m, "quiz.seed");
        message_add_plain(&m, a->attempt.numbers.seed);
        cli_say(c, &m);
    }
}

/* In which unit, and how exactly. */
static void write_unit(struct cli_context *c, const struct instance_key *key) {
    static const char *const ids[2][2] = {{"quiz.number_exact", "quiz.number"},
                                          {"quiz.unit_exact", "quiz.unit"}};
    char percent[32];
    struct message m;
    struct writer w;
    writer_start(&w, percent, sizeof percent);
    writer_real(&w, 100.0 * key->tolerance);
    message_start(&m, ids[key->unit[0] != '\0'][key->tolerance > 0.0]);
    message_add_text(&m, percent);
    message_add_text(&m, key->unit);
    cli_say(c, &m);
}

static void write_parts(struct cli_context *c, const struct quiz_asked *a) {
    for (int i = 0; i < a->q->part_count; i++) {
        bool lines = a->q->kind == QUESTION_DERIVE;
        say_part(c, a, (char)((lines ? '1' : 'A') + i),
                 a->q->parts[a->attempt.shown[i]].text[a->language]);
    }
}

void cli_quiz_write_stem(struct cli_context *c, const struct quiz_asked *a) {
    say(c, a, NULL, a->q->stem[a->language]);
    writer_char(c->out, '\n');
}

void cli_quiz_write_choices(struct cli_context *c, const struct quiz_asked *a) {
    switch (a->q->kind) {
    case QUESTION_NUMBER:
        write_unit(c, &a->attempt.numbers.keys[0]);
        break;
    case QUESTION_RECALL:
        say_count(c, "quiz.facts", a->q->part_count);
        break;
    default:
        write_parts(c, a);
        break;
    }
}

/* --- What is right --- */

static void write_choice(struct cli_context *c, const struct quiz_asked *a) {
    for (int i = 0; i < a->q->part_count; i++) {
        const struct question_part *part = &a->q->parts[a->attempt.shown[i]];
        writer_text(c->out, part->right ? "✓ " : "  ");
        writer_char(c->out, (char)('A' + i));
        writer_text(c->out, "  ");
        instance_expand(c->out, &a->attempt.numbers, part->text[a->language], blank);
        cli_prose_end(c, PART_HANG);
        say_why(c, a, a->attempt.shown[i]);
    }
}

/* The letter that a thing of an order had when it was asked. */
static char letter_of(const struct quiz_asked *a, int part) {
    int place = 0;
    while (a->attempt.started[place] != part) {
        place++;
    }
    return (char)('A' + place);
}

static void write_in_order(struct cli_context *c, const struct quiz_asked *a) {
    for (int i = 0; i < a->q->part_count; i++) {
        bool order = a->q->kind == QUESTION_ORDER;
        say_part(c, a, order ? letter_of(a, i) : (char)('1' + i), a->q->parts[i].text[a->language]);
        say_why(c, a, i);
    }
}

static void write_derivation(struct cli_context *c, const struct quiz_asked *a) {
    for (int i = 0; i < a->q->part_count; i++) {
        char value[INSTANCE_TEXT_MAX];
        const char *text = a->q->parts[i].text[a->language];
        struct writer w;
        writer_start(&w, value, sizeof value);
        cli_quiz_blank_write(&w, a, i, text);
        writer_repeat(c->out, ' ', INDENT);
        writer_char(c->out, (char)('1' + i));
        writer_repeat(c->out, ' ', PART_HANG - INDENT - 1);
        instance_expand(c->out, &a->attempt.numbers, text, value);
        cli_prose_end(c, PART_HANG);
        say_why(c, a, i);
    }
}

/* "  12Ψ/N = 12 × 6738415616 / 64 = 1.263 GB  (source)" */
static void write_steps(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance *n = &a->attempt.numbers;
    for (int i = 0; i < n->step_count; i++) {
        const struct instance_step *step = &n->steps[i];
        writer_repeat(c->out, ' ', INDENT);
        writer_text(c->out, step->formula);
        writer_text(c->out, step->formula[0] != '\0' ? " = " : "");
        writer_text(c->out, step->substituted);
        writer_text(c->out, step->substituted[0] != '\0' ? " = " : "");
        instance_value_write(c->out, step->kind, step->unit, step->value);
        if (step->source != NULL) {
            writer_text(c->out, "  [");
            writer_text(c->out, step->source);
            writer_char(c->out, ']');
        }
        cli_prose_end(c, 2 * INDENT);
    }
}

static void write_mistakes(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    for (int i = 0; i < key->path_count; i++) {
        const char *text = cli_quiz_mistake_text(c, a, key->paths[i].id);
        writer_repeat(c->out, ' ', INDENT);
        instance_value_write(c->out, key->kind, key->unit, key->paths[i].value);
        writer_text(c->out, c->words.chinese ? "：" : ": ");
        instance_expand(c->out, &a->attempt.numbers, text != NULL ? text : key->paths[i].id, blank);
        cli_prose_end(c, 2 * INDENT);
    }
}

static void write_heading(struct cli_context *c, const char *id) {
    writer_char(c->out, '\n');
    writer_text(c->out, words_get(&c->words, id));
    cli_prose_end(c, 0);
}

static void write_number(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    writer_text(c->out, words_get(&c->words, "quiz.answer"));
    writer_text(c->out, c->words.chinese ? "" : " ");
    instance_value_write(c->out, key->kind, key->unit, key->right);
    cli_prose_end(c, 0);
}

static void write_right(struct cli_context *c, const struct quiz_asked *a) {
    switch (a->q->kind) {
    case QUESTION_CHOICE:
        write_choice(c, a);
        break;
    case QUESTION_NUMBER:
        write_number(c, a);
        break;
    case QUESTION_DERIVE:
        write_derivation(c, a);
        break;
    default:
        write_in_order(c, a);
        break;
    }
}

void cli_quiz_write_solution(struct cli_context *c, const struct quiz_asked *a) {
    write_right(c, a);
    if (a->attempt.numbers.step_count > 0) {
        write_heading(c, "quiz.steps");
        write_steps(c, a);
    }
    if (a->q->kind == QUESTION_NUMBER && a->attempt.numbers.keys[0].path_count > 0) {
        write_heading(c, "quiz.mistakes");
        write_mistakes(c, a);
    }
    if (a->q->said[a->language] != NULL) {
        writer_char(c->out, '\n');
        say(c, a, "quiz.said", a->q->said[a->language]);
    }
    if (a->q->explain[a->language] != NULL) {
        writer_char(c->out, '\n');
        say(c, a, NULL, a->q->explain[a->language]);
    }
    if (a->attempt.numbers.line[0] != '\0') { /* as it can be typed: not wrapped */
        write_heading(c, "quiz.line");
        writer_text(c->out, "  shardlab ");
        writer_text(c->out, a->attempt.numbers.line);
        writer_char(c->out, '\n');
    }
}

void cli_quiz_write_rest(struct cli_context *c, const struct quiz_asked *a) {
    for (int i = 0; i < a->q->hint_count; i++) {
        struct message m;
        writer_text(c->out, i == 0 ? "\n" : "");
        message_start(&m, "quiz.hint");
        message_add_plain(&m, (uint64_t)i + 1);
        words_write(c->out, &c->words, &m);
        writer_text(c->out, c->words.chinese ? "" : " ");
        instance_expand(c->out, &a->attempt.numbers, a->q->hints[i][a->language], blank);
        cli_prose_end(c, INDENT);
    }
    for (int i = 0; i < a->q->follow_count; i++) {
        if (i == 0) {
            write_heading(c, "quiz.follow");
        }
        writer_repeat(c->out, ' ', INDENT);
        writer_text(c->out, a->q->follow[i]);
        writer_char(c->out, '\n');
    }
}
