/* Questions as notes for Anki's text import: a head that says how to read the file, then a line a note of GUID, front, back
 * and tags, separated by tabs. Fields are HTML; what a text holds of tabs, quotes and angle brackets cannot end a field or
 * become markup. The GUID is made of the question's id and its language alone, so that a later import changes the cards
 * and keeps what was learned of them. Called by quiz_export.c. Proof: tests/cli/test_quiz_export.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"

void cli_quiz_anki_head(struct cli_context *c) {
    writer_text(c->out, "#separator:tab\n#html:true\n#guid column:1\n#notetype:Basic\n"
                        "#deck:shardlab\n#tags column:4\n");
}

/* --- Fields --- */

static void write_html(struct writer *w, const char *text) {
    static const struct {
        char c;
        const char *html;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"},  {'>', "&gt;"}, {'"', "&quot;"},
                 {'\t', " "},    {'\n', "<br>"}, {'\r', ""}};
    for (; *text != '\0'; text++) {
        const char *html = NULL;
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
            html = marks[i].c == *text ? marks[i].html : html;
        }
        if (html != NULL) {
            writer_text(w, html);
        } else {
            writer_char(w, *text);
        }
    }
}

/* A text of the question with its figures. False: no memory. */
static bool write_text(struct writer *w, const struct quiz_asked *a, const char *text,
                       const char *in_blank) {
    char *expanded = cli_quiz_text(a, text, in_blank);
    if (expanded != NULL) {
        write_html(w, expanded);
    }
    free(expanded);
    return expanded != NULL;
}

static void write_break(struct writer *w) {
    writer_text(w, "<br>");
}

static bool write_why(struct writer *w, const struct quiz_asked *a, int part) {
    const char *why = a->q->parts[part].why[a->language];
    if (why == NULL) {
        return true;
    }
    writer_text(w, "<br><i>");
    bool done = write_text(w, a, why, "");
    writer_text(w, "</i>");
    return done;
}

/* Front: what there is to choose from, to order or to fill in. */
static bool write_front_parts(struct writer *w, const struct quiz_asked *a) {
    bool letters = a->q->kind == QUESTION_CHOICE || a->q->kind == QUESTION_ORDER;
    bool done = true;
    if (!letters && a->q->kind != QUESTION_DERIVE) {
        return true;
    }
    writer_text(w, letters ? "<ol type=A>" : "<ol>");
    for (int i = 0; done && i < a->q->part_count; i++) {
        writer_text(w, "<li>");
        done = write_text(w, a, a->q->parts[a->attempt.shown[i]].text[a->language], "____");
        writer_text(w, "</li>");
    }
    writer_text(w, "</ol>");
    return done;
}

static bool write_front(struct cli_context *c, const struct quiz_asked *a) {
    bool done = write_text(c->out, a, a->q->stem[a->language], "____");
    done = done && write_front_parts(c->out, a);
    if (done && cli_quiz_varies(a->q)) {
        char seed[128];
        struct message m;
        struct writer w;
        message_start(&m, "quiz.anki_seed");
        message_add_plain(&m, a->attempt.numbers.seed);
        writer_start(&w, seed, sizeof seed);
        words_write(&w, &c->words, &m);
        writer_text(c->out, "<br><small>");
        write_html(c->out, seed);
        writer_text(c->out, "</small>");
    }
    return done;
}

/* --- The back --- */

static bool write_choice(struct writer *w, const struct quiz_asked *a) {
    bool done = true;
    writer_text(w, "<ol type=A>");
    for (int i = 0; done && i < a->q->part_count; i++) {
        int part = a->attempt.shown[i];
        bool right = a->q->parts[part].right;
        writer_text(w, right ? "<li><b>" : "<li>");
        done = write_text(w, a, a->q->parts[part].text[a->language], "");
        writer_text(w, right ? "</b>" : "");
        done = done && write_why(w, a, part);
        writer_text(w, "</li>");
    }
    writer_text(w, "</ol>");
    return done;
}

/* In the right order; a derivation with its numbers. */
static bool write_list(struct writer *w, const struct quiz_asked *a) {
    bool done = true;
    writer_text(w, a->q->kind == QUESTION_RECALL ? "<ul>" : "<ol>");
    for (int i = 0; done && i < a->q->part_count; i++) {
        char value[INSTANCE_TEXT_MAX] = "";
        const char *text = a->q->parts[i].text[a->language];
        struct writer number;
        if (a->q->kind == QUESTION_DERIVE) {
            writer_start(&number, value, sizeof value);
            cli_quiz_blank_write(&number, a, i, text);
        }
        writer_text(w, "<li>");
        done = write_text(w, a, text, value) && write_why(w, a, i);
        writer_text(w, "</li>");
    }
    writer_text(w, a->q->kind == QUESTION_RECALL ? "</ul>" : "</ol>");
    return done;
}

static bool write_number(struct cli_context *c, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    char value[INSTANCE_TEXT_MAX];
    struct writer w;
    bool done = true;
    writer_start(&w, value, sizeof value);
    instance_value_write(&w, key->kind, key->unit, key->right);
    writer_text(c->out, "<b>");
    write_html(c->out, value);
    writer_text(c->out, "</b>");
    for (int i = 0; done && i < key->path_count; i++) {
        const char *text = cli_quiz_mistake_text(c, a, key->paths[i].id);
        writer_start(&w, value, sizeof value);
        instance_value_write(&w, key->kind, key->unit, key->paths[i].value);
        write_break(c->out);
        writer_text(c->out, "✗ ");
        write_html(c->out, value);
        writer_text(c->out, c->words.chinese ? "：" : ": ");
        done = write_text(c->out, a, text != NULL ? text : key->paths[i].id, "");
    }
    return done;
}

static void write_steps(struct writer *out, const struct instance *n) {
    for (int i = 0; i < n->step_count; i++) {
        const struct instance_step *step = &n->steps[i];
        char value[INSTANCE_TEXT_MAX];
        struct writer w;
        writer_start(&w, value, sizeof value);
        instance_value_write(&w, step->kind, step->unit, step->value);
        write_break(out);
        write_html(out, step->formula);
        writer_text(out, step->formula[0] != '\0' ? " = " : "");
        write_html(out, step->substituted);
        writer_text(out, step->substituted[0] != '\0' ? " = " : "");
        write_html(out, value);
    }
}

static bool write_paragraph(struct cli_context *c, const struct quiz_asked *a, const char *label,
                            const char *text) {
    if (text == NULL) {
        return true;
    }
    writer_text(c->out, "<p>");
    if (label != NULL) {
        write_html(c->out, words_get(&c->words, label));
        writer_text(c->out, c->words.chinese ? "" : " ");
    }
    bool done = write_text(c->out, a, text, "");
    writer_text(c->out, "</p>");
    return done;
}

static bool write_back(struct cli_context *c, const struct quiz_asked *a) {
    bool done = a->q->kind == QUESTION_CHOICE   ? write_choice(c->out, a)
                : a->q->kind == QUESTION_NUMBER ? write_number(c, a)
                                                : write_list(c->out, a);
    write_steps(c->out, &a->attempt.numbers);
    done = done && write_paragraph(c, a, "quiz.said", a->q->said[a->language]);
    done = done && write_paragraph(c, a, NULL, a->q->explain[a->language]);
    if (a->attempt.numbers.line[0] != '\0') {
        writer_text(c->out, "<p><code>shardlab ");
        write_html(c->out, a->attempt.numbers.line);
        writer_text(c->out, "</code></p>");
    }
    return done;
}

/* --- The line --- */

static void write_tags(struct writer *w, const struct quiz_asked *a) {
    writer_text(w, "lesson::");
    writer_text(w, a->q->lesson);
    writer_text(w, " kind::");
    writer_text(w, question_kind_name(a->q->kind));
    writer_text(w, " level::");
    writer_u64(w, (uint64_t)a->q->level);
    writer_text(w, " topic::");
    writer_text(w, a->q->topic);
    writer_text(w, " lang::");
    writer_text(w, a->language == 1 ? "zh" : "en");
}

enum status cli_quiz_anki_note(struct cli_context *c, const struct quiz_asked *a) {
    writer_text(c->out, "shardlab:");
    writer_text(c->out, a->q->id);
    writer_text(c->out, a->language == 1 ? ":zh" : ":en");
    writer_char(c->out, '\t');
    bool done = write_front(c, a);
    writer_char(c->out, '\t');
    done = done && write_back(c, a);
    writer_char(c->out, '\t');
    write_tags(c->out, a);
    writer_char(c->out, '\n');
    return done ? STATUS_OK : STATUS_FAILED;
}
