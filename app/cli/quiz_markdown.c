/* Questions as a Markdown document: a heading a lesson and a question, what is asked, and behind a line what is right. What
 * a text holds of Markdown's marks is escaped. Called by quiz_export.c. Proof: tests/cli/test_quiz_export.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"

static void write_escaped(struct writer *w, const char *text) {
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_{}[]<>#|~&", *text) != NULL) {
            writer_char(w, '\\');
        }
        writer_char(w, *text);
    }
}

/* False: no memory. */
static bool write_text(struct writer *w, const struct quiz_asked *a, const char *text,
                       const char *in_blank) {
    char *expanded = cli_quiz_text(a, text, in_blank);
    if (expanded != NULL) {
        write_escaped(w, expanded);
    }
    free(expanded);
    return expanded != NULL;
}

static void write_words(struct cli_context *c, const char *id) {
    write_escaped(c->out, words_get(&c->words, id));
}

void cli_quiz_markdown_head(struct cli_context *c, uint64_t seed) {
    struct message m;
    writer_text(c->out, c->out->length > 0 ? "\n# " : "# ");
    write_words(c, "quiz.markdown_title");
    message_start(&m, "quiz.markdown_seed");
    message_add_plain(&m, seed);
    writer_text(c->out, "\n\n");
    words_write(c->out, &c->words, &m);
    writer_char(c->out, '\n');
}

/* "- **A** text", and why below. */
static bool write_part(struct cli_context *c, const struct quiz_asked *a, char letter, int part,
                       bool answer) {
    char value[INSTANCE_TEXT_MAX] = "____";
    const char *text = a->q->parts[part].text[a->language];
    const char *why = answer ? a->q->parts[part].why[a->language] : NULL;
    struct writer w;
    if (answer && a->q->kind == QUESTION_DERIVE) {
        writer_start(&w, value, sizeof value);
        cli_quiz_blank_write(&w, a, part, text);
    }
    writer_text(c->out, "- ");
    if (letter != '\0') {
        writer_text(c->out, "**");
        writer_char(c->out, letter);
        writer_text(c->out, answer && a->q->parts[part].right ? " ✓** " : "** ");
    }
    bool done = write_text(c->out, a, text, value);
    writer_char(c->out, '\n');
    if (done && why != NULL) {
        writer_text(c->out, "  - ");
        done = write_text(c->out, a, why, "");
        writer_char(c->out, '\n');
    }
    return done;
}

static bool write_asked(struct cli_context *c, const struct quiz_asked *a) {
    bool letters = a->q->kind == QUESTION_CHOICE || a->q->kind == QUESTION_ORDER;
    bool done = write_text(c->out, a, a->q->stem[a->language], "____");
    writer_text(c->out, "\n\n");
    for (int i = 0; done && i < a->q->part_count; i++) {
        if (letters || a->q->kind == QUESTION_DERIVE) {
            done = write_part(c, a, letters ? (char)('A' + i) : '\0', a->attempt.shown[i], false);
        }
    }
    return done;
}

/* --- What is right --- */

/* A line of its own above a list. */
static void write_label(struct cli_context *c, const char *id) {
    writer_char(c->out, '\n');
    write_words(c, id);
    writer_text(c->out, "\n\n");
}

static bool write_mistakes(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    bool done = true;
    if (key->path_count > 0) {
        write_label(c, "quiz.mistakes");
    }
    for (int i = 0; done && i < key->path_count; i++) {
        const char *text = cli_quiz_mistake_text(c, a, key->paths[i].id);
        writer_text(c->out, "- ✗ ");
        instance_value_write(c->out, key->kind, key->unit, key->paths[i].value);
        writer_text(c->out, c->words.chinese ? "：" : ": ");
        done = write_text(c->out, a, text != NULL ? text : key->paths[i].id, "");
        writer_char(c->out, '\n');
    }
    return done;
}

static bool write_number(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    writer_text(c->out, "**");
    instance_value_write(c->out, key->kind, key->unit, key->right);
    writer_text(c->out, "**\n");
    return write_mistakes(c, a);
}

static void write_steps(struct cli_context *c, const struct instance *n) {
    if (n->step_count > 0) {
        write_label(c, "quiz.steps");
    }
    for (int i = 0; i < n->step_count; i++) {
        const struct instance_step *step = &n->steps[i];
        writer_text(c->out, "- ");
        write_escaped(c->out, step->formula);
        writer_text(c->out, step->formula[0] != '\0' ? " = " : "");
        write_escaped(c->out, step->substituted);
        writer_text(c->out, step->substituted[0] != '\0' ? " = " : "");
        instance_value_write(c->out, step->kind, step->unit, step->value);
        writer_char(c->out, '\n');
    }
}

static bool write_paragraph(struct cli_context *c, const struct quiz_asked *a, const char *label,
                            const char *text) {
    if (text == NULL) {
        return true;
    }
    writer_char(c->out, '\n');
    if (label != NULL) {
        write_words(c, label);
        writer_text(c->out, c->words.chinese ? "" : " ");
    }
    bool done = write_text(c->out, a, text, "");
    writer_char(c->out, '\n');
    return done;
}

static bool write_right(struct cli_context *c, const struct quiz_asked *a) {
    bool done = true;
    if (a->q->kind == QUESTION_NUMBER) {
        done = write_number(c, a);
    }
    for (int i = 0; done && a->q->kind != QUESTION_NUMBER && i < a->q->part_count; i++) {
        bool choice = a->q->kind == QUESTION_CHOICE;
        char letter = choice                          ? (char)('A' + i)
                      : a->q->kind == QUESTION_RECALL ? '\0'
                                                      : (char)('1' + i);
        done = write_part(c, a, letter, choice ? a->attempt.shown[i] : i, true);
    }
    return done;
}

static void write_follow(struct cli_context *c, const struct question *q) {
    for (int i = 0; i < q->follow_count; i++) {
        if (i == 0) {
            write_label(c, "quiz.follow");
        }
        writer_text(c->out, "- ");
        write_escaped(c->out, q->follow[i]);
        writer_char(c->out, '\n');
    }
}

static bool write_answer(struct cli_context *c, const struct quiz_asked *a) {
    bool done = write_right(c, a);
    write_steps(c, &a->attempt.numbers);
    done = done && write_paragraph(c, a, "quiz.said", a->q->said[a->language]);
    done = done && write_paragraph(c, a, NULL, a->q->explain[a->language]);
    if (a->attempt.numbers.line[0] != '\0') {
        writer_text(c->out, "\n    shardlab ");
        writer_text(c->out, a->attempt.numbers.line);
        writer_char(c->out, '\n');
    }
    write_follow(c, a->q);
    return done;
}

enum status cli_quiz_markdown_question(struct cli_context *c, const struct quiz_asked *a) {
    writer_text(c->out, "\n## ");
    write_escaped(c->out, a->q->id);
    writer_text(c->out, "\n\n");
    bool done = write_asked(c, a);
    writer_text(c->out, a->q->kind == QUESTION_NUMBER || a->q->kind == QUESTION_RECALL
                            ? "---\n\n"
                            : "\n---\n\n");
    done = done && write_answer(c, a);
    return done ? STATUS_OK : STATUS_FAILED;
}
